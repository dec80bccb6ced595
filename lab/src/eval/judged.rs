//! Scores the concepts, relations and filing of a run against what a reader judged of an earlier run of the same sites.
//!
//! A concept has the verdict of its label, or else of the first of its forms that was judged. A relation has the verdict of
//! its pair of labels; what follows from right and missing pairs is right, too. What nobody judged counts neither as right nor
//! as wrong: it is listed, and its lines, with verdicts filled in, are further judgements.
//!
//! Labels are equal if they differ in case, punctuation or a final plural s; an equal spelling goes before an equal singular.
//! Recall is over labels, not over concepts: if a file judges `LOVE` and `love` as subjects, there are two to find, and one
//! concept finds both. Start at [`Judge::score`].

use std::collections::{BTreeMap, BTreeSet};

use newslode_miner::mining::taxonomy::{Concept, Taxonomy};
use newslode_page::reading::Site;
use serde::{Deserialize, Serialize};

mod sites;
pub(crate) use sites::{PlacedArticle, SiteScore};

use super::Figure;
use super::taxonomy::{closure, norm};

/// What a reader said of a concept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Verdict {
    /// A subject, place, sport or section under which stories are filed.
    Subject,
    /// Forms of articles: video, opinion, interview.
    Form,
    /// A product, series or furniture of a site: newsletters, columns, "Featured".
    House,
    /// No name of anything.
    Broken,
    /// Readers may differ; it counts neither as right nor as wrong.
    Debatable,
}

impl Verdict {
    pub(crate) const ALL: [Verdict; 5] =
        [Verdict::Subject, Verdict::Form, Verdict::House, Verdict::Broken, Verdict::Debatable];

    /// As files write it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Verdict::Subject => "subject",
            Verdict::Form => "form",
            Verdict::House => "house",
            Verdict::Broken => "broken",
            Verdict::Debatable => "debatable",
        }
    }

    /// Whether stories are not filed under such a concept.
    fn is_junk(self) -> bool {
        matches!(self, Verdict::Form | Verdict::House | Verdict::Broken)
    }
}

/// What a reader said of a pair of a broader and a narrower concept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum PairVerdict {
    Right,
    Wrong,
    /// Readers may differ; it counts neither as right nor as wrong.
    Debatable,
}

/// A broader and a narrower label.
type Pair = (String, String);

/// A file of judgements.
#[derive(Debug, Deserialize)]
pub(crate) struct Judgements {
    concepts: BTreeMap<String, Verdict>,
    /// Groups of labels that name one thing.
    #[serde(default)]
    same: Vec<Vec<String>>,
    #[serde(default)]
    is_a: JudgedPairs,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct JudgedPairs {
    right: Vec<Pair>,
    wrong: Vec<Pair>,
    debatable: Vec<Pair>,
    /// Pairs that the judged run lacked and an editor would add.
    missing: Vec<Pair>,
}

/// A concept or pair to be judged, and the same line after a person filled in the verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    untagged,
    expecting = "a line needs `label` and `verdict` (subject, form, house, broken, debatable or null), or `broader`, `narrower` and `verdict` (right, wrong, debatable or null)"
)]
pub(crate) enum JudgedLine {
    Concept {
        label: String,
        #[serde(default)]
        language: String,
        /// Sites that show it.
        #[serde(default)]
        sites: Vec<Site>,
        /// Articles that are filed under its label.
        #[serde(default)]
        articles: usize,
        verdict: Option<Verdict>,
    },
    Pair {
        broader: String,
        narrower: String,
        /// Sites that show it.
        #[serde(default)]
        sites: Vec<Site>,
        verdict: Option<PairVerdict>,
    },
}

/// All judgements, indexed for scoring.
pub(crate) struct Judge {
    concepts: Names<Verdict>,
    /// By folded broader and narrower label.
    pairs: BTreeMap<Pair, PairVerdict>,
    /// The labels of the main file that are subjects.
    subjects: Vec<String>,
    /// Pairs that an editor wants.
    wanted: Vec<Pair>,
    same: Vec<Vec<String>>,
}

impl Judge {
    /// The judgements in the main file, and lines that override them. If two lines judge the same thing, the first wins.
    pub(crate) fn new(judgements: Judgements, also: Vec<JudgedLine>) -> Judge {
        let Judgements { concepts: judged, same, is_a } = judgements;
        let (mut concepts, mut pairs, mut wanted) = (Names::default(), BTreeMap::new(), Vec::new());
        let mut judge = |pair: Pair, verdict| {
            pairs.entry(folded_pair(&pair)).or_insert_with(|| {
                wanted.extend((verdict == PairVerdict::Right).then_some(pair));
                verdict
            });
        };
        for line in also {
            match line {
                JudgedLine::Concept { label, verdict: Some(verdict), .. } => concepts.add(&label, verdict),
                JudgedLine::Pair { broader, narrower, verdict: Some(verdict), .. } => {
                    judge((broader, narrower), verdict);
                }
                JudgedLine::Concept { verdict: None, .. } | JudgedLine::Pair { verdict: None, .. } => {}
            }
        }
        judged.iter().for_each(|(label, verdict)| concepts.add(label, *verdict));
        for (verdict, judged) in [
            (PairVerdict::Wrong, is_a.wrong),
            (PairVerdict::Debatable, is_a.debatable),
            (PairVerdict::Right, is_a.right),
            (PairVerdict::Right, is_a.missing),
        ] {
            judged.into_iter().for_each(|pair| judge(pair, verdict));
        }
        let right: Vec<Pair> = wanted.iter().map(folded_pair).collect();
        for pair in closure(&right) {
            pairs.entry(pair).or_insert(PairVerdict::Right);
        }
        let is_subject = |(label, verdict)| (verdict == Verdict::Subject).then_some(label);
        let subjects = judged.into_iter().filter_map(is_subject).collect();
        Judge { concepts, pairs, subjects, wanted, same }
    }

    /// Scores a taxonomy and its articles, each given as the labels of the concepts under which it is filed.
    pub(crate) fn score(&self, taxonomy: &Taxonomy, articles: &[Vec<String>]) -> Score {
        let mut filed: BTreeMap<&str, usize> = BTreeMap::new();
        for labels in articles {
            let labels: BTreeSet<&str> = labels.iter().map(String::as_str).collect();
            labels.into_iter().for_each(|label| *filed.entry(label).or_default() += 1);
        }
        let all: Vec<&Concept> = taxonomy.concepts.iter().collect();
        let shared: Vec<&Concept> = all.iter().copied().filter(|concept| concept.sites.len() > 1).collect();
        let subjects: Vec<&Concept> = shared.iter().copied().filter(|concept| !concept.is_genre).collect();
        let mut score = Score {
            all: self.score_concepts(&all),
            shared: self.score_concepts(&shared),
            subjects: self.score_concepts(&subjects),
            articles: self.score_articles(&all, articles),
            same: self.score_same(&all),
            is_a: self.score_pairs(taxonomy, &all),
            sites: Vec::new(),
            verdicts: BTreeMap::new(),
            unjudged: Vec::new(),
        };
        for concept in all {
            let articles = filed.get(concept.label.as_str()).copied().unwrap_or_default();
            if let Some(verdict) = self.verdict(concept) {
                let (label, sites) = (concept.label.clone(), concept.sites.len());
                score.verdicts.entry(verdict).or_default().push(Listed { label, sites, articles });
                continue;
            }
            score.unjudged.push(JudgedLine::Concept {
                label: concept.label.clone(),
                language: concept.language.clone(),
                sites: concept.sites.clone(),
                articles,
                verdict: None,
            });
        }
        for listed in score.verdicts.values_mut() {
            listed.sort_by_key(|listed| std::cmp::Reverse((listed.articles, listed.sites)));
        }
        score.unjudged.sort_by_key(|line| match line {
            JudgedLine::Concept { sites, articles, .. } => std::cmp::Reverse((sites.len(), *articles)),
            JudgedLine::Pair { .. } => std::cmp::Reverse((0, 0)),
        });
        score.unjudged.extend(self.unjudged_pairs(taxonomy));
        score
    }

    fn verdict(&self, concept: &Concept) -> Option<Verdict> {
        names(concept).find_map(|name| self.concepts.get(name).copied())
    }

    fn score_concepts(&self, concepts: &[&Concept]) -> ConceptScore {
        let mut by_verdict: BTreeMap<Verdict, usize> = BTreeMap::new();
        for verdict in concepts.iter().filter_map(|concept| self.verdict(concept)) {
            *by_verdict.entry(verdict).or_default() += 1;
        }
        let judged: usize = by_verdict.values().sum();
        let subjects = by_verdict.get(&Verdict::Subject).copied().unwrap_or_default();
        let debatable = by_verdict.get(&Verdict::Debatable).copied().unwrap_or_default();
        let found = find(concepts);
        let missing: Vec<String> =
            self.subjects.iter().filter(|label| found.get(label).is_none()).cloned().collect();
        let (wanted, hit) = (self.subjects.len(), self.subjects.len() - missing.len());
        ConceptScore {
            concepts: concepts.len(),
            by_verdict,
            unjudged: concepts.len() - judged,
            precision: Figure::ratio(subjects, judged - debatable),
            hit,
            wanted,
            recall: Figure::ratio(hit, wanted),
            missing,
        }
    }

    fn score_articles(&self, concepts: &[&Concept], articles: &[Vec<String>]) -> ArticleScore {
        let verdicts: BTreeMap<&str, Option<Verdict>> =
            concepts.iter().map(|concept| (concept.label.as_str(), self.verdict(concept))).collect();
        let mut score = ArticleScore { articles: articles.len(), ..ArticleScore::default() };
        for labels in articles.iter().filter(|labels| !labels.is_empty()) {
            let verdicts: Vec<Option<Verdict>> =
                labels.iter().map(|label| verdicts.get(label.as_str()).copied().flatten()).collect();
            score.filed += 1;
            if verdicts.contains(&Some(Verdict::Subject)) {
                score.under_subjects += 1;
            } else if verdicts.iter().all(|verdict| verdict.is_some_and(Verdict::is_junk)) {
                score.under_junk_only += 1;
            } else {
                score.under_others += 1;
            }
        }
        score
    }

    fn score_same(&self, concepts: &[&Concept]) -> SameScore {
        let found = find(concepts);
        let mut score = SameScore { groups: self.same.len(), ..SameScore::default() };
        for group in &self.same {
            let concepts: BTreeMap<&str, &Concept> = group
                .iter()
                .filter_map(|label| found.get(label))
                .map(|concept| (concept.key.as_str(), *concept))
                .collect();
            match concepts.len() {
                0 => score.absent += 1,
                1 => score.one_concept += 1,
                _ => score.apart.push(concepts.values().map(|concept| concept.label.clone()).collect()),
            }
        }
        score
    }

    fn pair_verdict(&self, broader: &Concept, narrower: &Concept) -> Option<PairVerdict> {
        let mut pairs = names(broader).flat_map(|a| names(narrower).map(move |b| (a, b)));
        pairs.find_map(|(a, b)| self.pairs.get(&(singular(a), singular(b))).copied())
    }

    fn score_pairs(&self, taxonomy: &Taxonomy, concepts: &[&Concept]) -> PairScore {
        let (mut right, mut debatable, mut unjudged, mut wrong) = (0, 0, 0, Vec::new());
        for (broader, narrower, _) in related(taxonomy) {
            match self.pair_verdict(broader, narrower) {
                Some(PairVerdict::Right) => right += 1,
                Some(PairVerdict::Wrong) => wrong.push((broader.label.clone(), narrower.label.clone())),
                Some(PairVerdict::Debatable) => debatable += 1,
                None => unjudged += 1,
            }
        }
        let said: Vec<Pair> = related(taxonomy).map(|(a, b, _)| (a.key.clone(), b.key.clone())).collect();
        let (said, found) = (closure(&said), find(concepts));
        let (mut hit, mut wanted, mut missed) = (0, 0, Vec::new());
        for pair in &self.wanted {
            let ends =
                found.get(&pair.0).zip(found.get(&pair.1)).map(|(a, b)| (a.key.clone(), b.key.clone()));
            // If the run made one concept of the two, there is no relation to find.
            wanted += usize::from(ends.as_ref().is_none_or(|(broader, narrower)| broader != narrower));
            match ends {
                Some(ends) if said.contains(&ends) => hit += 1,
                Some((broader, narrower)) if broader != narrower => missed.push(pair.clone()),
                _ => {}
            }
        }
        PairScore {
            pairs: taxonomy.relations.len(),
            right,
            debatable,
            unjudged,
            precision: Figure::ratio(right, right + wrong.len()),
            wrong,
            hit,
            wanted_in_run: hit + missed.len(),
            recall_in_run: Figure::ratio(hit, hit + missed.len()),
            wanted,
            recall: Figure::ratio(hit, wanted),
            missed,
        }
    }

    fn unjudged_pairs(&self, taxonomy: &Taxonomy) -> Vec<JudgedLine> {
        let unjudged = related(taxonomy).filter(|(a, b, _)| self.pair_verdict(a, b).is_none());
        let line = |(broader, narrower, sites): (&Concept, &Concept, &[Site])| JudgedLine::Pair {
            broader: broader.label.clone(),
            narrower: narrower.label.clone(),
            sites: sites.to_vec(),
            verdict: None,
        };
        unjudged.map(line).collect()
    }
}

/// The score of a run.
#[derive(Debug, Serialize)]
pub(crate) struct Score {
    /// All concepts.
    pub(crate) all: ConceptScore,
    /// Those on two sites or more.
    pub(crate) shared: ConceptScore,
    /// Those on at least two sites that are no genres.
    pub(crate) subjects: ConceptScore,
    pub(crate) articles: ArticleScore,
    pub(crate) same: SameScore,
    pub(crate) is_a: PairScore,
    /// How the articles of each site are filed, if somebody asks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) sites: Vec<SiteScore>,
    /// The judged concepts, those with most articles first.
    pub(crate) verdicts: BTreeMap<Verdict, Vec<Listed>>,
    /// What nobody judged: concepts, those on most sites first, then pairs.
    pub(crate) unjudged: Vec<JudgedLine>,
}

#[derive(Debug, Serialize)]
pub(crate) struct ConceptScore {
    pub(crate) concepts: usize,
    pub(crate) by_verdict: BTreeMap<Verdict, usize>,
    pub(crate) unjudged: usize,
    /// Subjects among subjects, forms, house and broken concepts.
    pub(crate) precision: Figure,
    /// Judged subjects that are concepts, by label.
    pub(crate) hit: usize,
    /// Labels of the main file that are subjects.
    pub(crate) wanted: usize,
    pub(crate) recall: Figure,
    /// Judged subjects that are no concepts.
    pub(crate) missing: Vec<String>,
}

/// Articles by the best concept under which they are filed.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct ArticleScore {
    pub(crate) articles: usize,
    /// Under any concept: the sum of the other three.
    pub(crate) filed: usize,
    pub(crate) under_subjects: usize,
    /// Under no subject, but under a debatable concept or one that nobody judged.
    pub(crate) under_others: usize,
    pub(crate) under_junk_only: usize,
}

#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct SameScore {
    pub(crate) groups: usize,
    /// Groups of which the run has one concept.
    pub(crate) one_concept: usize,
    /// Groups of which it has none.
    pub(crate) absent: usize,
    /// The labels of the concepts of each group of which it has several.
    pub(crate) apart: Vec<Vec<String>>,
}

#[derive(Debug, Serialize)]
pub(crate) struct PairScore {
    /// The run's relations, without what follows from others.
    pub(crate) pairs: usize,
    pub(crate) right: usize,
    pub(crate) debatable: usize,
    pub(crate) unjudged: usize,
    pub(crate) wrong: Vec<Pair>,
    pub(crate) precision: Figure,
    /// Wanted pairs that the run has, or that follow from what it has.
    pub(crate) hit: usize,
    /// Wanted pairs of which both labels are concepts of the run.
    pub(crate) wanted_in_run: usize,
    pub(crate) recall_in_run: Figure,
    /// Wanted pairs, except those of which the run made one concept.
    pub(crate) wanted: usize,
    pub(crate) recall: Figure,
    /// Wanted pairs of concepts of the run that it lacks.
    pub(crate) missed: Vec<Pair>,
}

/// A judged concept.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Listed {
    pub(crate) label: String,
    /// Number of sites that show it.
    pub(crate) sites: usize,
    /// Number of articles that are filed under its label.
    pub(crate) articles: usize,
}

/// Relations with both concepts and the sites that show them.
fn related(taxonomy: &Taxonomy) -> impl Iterator<Item = (&Concept, &Concept, &[Site])> {
    taxonomy.relations.iter().filter_map(|relation| {
        let broader = taxonomy.concept(&relation.broader)?;
        Some((broader, taxonomy.concept(&relation.narrower)?, relation.sites.as_slice()))
    })
}

/// The label and all forms of a concept.
fn names(concept: &Concept) -> impl Iterator<Item = &str> {
    std::iter::once(concept.label.as_str()).chain(concept.forms.iter().map(|form| form.text.as_str()))
}

/// Concepts by their names. A label goes before other forms, and a concept on more sites before others.
fn find<'a>(concepts: &[&'a Concept]) -> Names<&'a Concept> {
    let mut sorted = concepts.to_vec();
    sorted.sort_by_key(|concept| std::cmp::Reverse(concept.sites.len()));
    let mut found = Names::default();
    sorted.iter().for_each(|concept| found.add(&concept.label, *concept));
    for concept in sorted {
        concept.forms.iter().for_each(|form| found.add(&form.text, concept));
    }
    found
}

/// Values by name. The first value of a name stays.
struct Names<T> {
    spelled: BTreeMap<String, T>,
    singular: BTreeMap<String, T>,
}

impl<T> Default for Names<T> {
    fn default() -> Names<T> {
        Names { spelled: BTreeMap::new(), singular: BTreeMap::new() }
    }
}

impl<T: Copy> Names<T> {
    fn add(&mut self, name: &str, value: T) {
        self.spelled.entry(folded(name)).or_insert(value);
        self.singular.entry(singular(name)).or_insert(value);
    }

    fn get(&self, name: &str) -> Option<&T> {
        self.spelled.get(&folded(name)).or_else(|| self.singular.get(&singular(name)))
    }
}

fn folded_pair((broader, narrower): &Pair) -> Pair {
    (singular(broader), singular(narrower))
}

/// Folds case and punctuation: dots and apostrophes vanish, other punctuation and "and" part words.
fn folded(name: &str) -> String {
    let name = norm(name).replace(['.', '\''], "");
    let words = name.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    let folded = words.collect::<Vec<_>>().join(" ");
    if folded.is_empty() { name } else { folded }
}

/// Also folds a final plural s, except of names of up to three letters.
fn singular(name: &str) -> String {
    let mut name = folded(name);
    if name.ends_with('s') && name.chars().count() > 3 {
        name.pop();
    }
    name
}

#[cfg(test)]
mod tests;
