//! Scores concepts and is-a pairs against a judged taxonomy.
//!
//! A concept is right if one of its written forms belongs to a gold concept, and wrong if one is junk.
//! Neutral and unknown concepts do not count; the unknown ones are listed for people to read. A pair counts
//! if both concepts are gold. Pairs come from the transitive closure of the prediction.
//!
//! Invariant: the figures equal those of the gold's own scorer on the same [`Prediction`].

use std::collections::{BTreeMap, BTreeSet};

use newslode_miner::mining::taxonomy::Taxonomy;
use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;

use super::Prf;

/// The judged taxonomy.
#[derive(Debug, Deserialize)]
pub(crate) struct Gold {
    concepts: Vec<GoldConcept>,
    neutral: Vec<String>,
    junk: Vec<String>,
    is_a: Vec<(String, String)>,
    expected_is_a: Vec<(String, String)>,
}

#[derive(Debug, Deserialize)]
struct GoldConcept {
    label: String,
    syn: Vec<String>,
    #[serde(default)]
    expected: bool,
}

/// A prediction in the scorers' format.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Prediction {
    pub(crate) concepts: Vec<Said>,
    /// Pairs (broader, narrower) of the concepts' labels.
    pub(crate) is_a: Vec<(String, String)>,
}

/// A predicted concept.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Said {
    pub(crate) label: String,
    /// All of its written forms.
    pub(crate) labels: Vec<String>,
    /// Number of sites that show it.
    #[serde(default)]
    pub(crate) sites: usize,
    /// Whether it is called a genre, not a subject.
    #[serde(default)]
    pub(crate) is_genre: bool,
}

impl Prediction {
    /// The prediction of a mined taxonomy.
    pub(crate) fn of(taxonomy: &Taxonomy) -> Prediction {
        let said = |concept: &newslode_miner::mining::taxonomy::Concept| Said {
            label: concept.label.clone(),
            labels: concept.forms.iter().map(|form| form.text.clone()).collect(),
            sites: concept.sites.len(),
            is_genre: concept.is_genre,
        };
        let label = |key: &str| taxonomy.concept(key).map(|concept| concept.label.clone());
        let pair = |relation: &newslode_miner::mining::taxonomy::Relation| {
            Some((label(&relation.broader)?, label(&relation.narrower)?))
        };
        Prediction {
            concepts: taxonomy.concepts.iter().map(said).collect(),
            is_a: taxonomy.relations.iter().filter_map(pair).collect(),
        }
    }
}

/// The score of a prediction.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Score {
    pub(crate) concepts: Figures,
    pub(crate) is_a: Figures,
    /// Concepts that name a form, not a subject.
    pub(crate) neutral: Vec<String>,
    /// Those of these that are called genres, and the right concepts that are.
    pub(crate) genres: (Vec<String>, BTreeSet<String>),
    /// Concepts that nobody judged, each with its number of sites, best supported first.
    pub(crate) unjudged: Vec<(String, usize)>,
}

/// Over these scores: the shares of the neutral and of the right concepts that are called genres, and the neutral share of
/// those. `None` if nothing is called a genre.
pub(crate) fn genre_shares(scores: &[Score]) -> Option<[f64; 3]> {
    let sum = |of: fn(&Score) -> usize| scores.iter().map(of).sum::<usize>() as f64;
    let (neutral, right) = (sum(|score| score.genres.0.len()), sum(|score| score.genres.1.len()));
    let (all_neutral, all_right) =
        (sum(|score| score.neutral.len()), sum(|score| score.concepts.right.len()));
    (neutral + right > 0.0)
        .then(|| [neutral / all_neutral.max(1.0), right / all_right.max(1.0), neutral / (neutral + right)])
}

/// Names of right and wrong items.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Figures {
    pub(crate) precision: f64,
    pub(crate) recall: f64,
    pub(crate) f1: f64,
    pub(crate) right: BTreeSet<String>,
    pub(crate) wrong: Vec<String>,
    pub(crate) missed: Vec<String>,
    /// Number of expected items that were found.
    pub(crate) hit: usize,
}

impl Figures {
    fn of(right: BTreeSet<String>, wrong: Vec<String>, expected: &BTreeSet<String>) -> Figures {
        let hit = expected.intersection(&right).count();
        let precision = Prf::of(right.len(), right.len() + wrong.len(), 0).precision;
        let recall = Prf::of(hit, 0, expected.len()).recall;
        let missed = expected.difference(&right).cloned().collect();
        Figures { precision, recall, f1: super::harmonic_mean(precision, recall), right, wrong, missed, hit }
    }
}

/// The items to find: gold concepts, and pairs as `broader > narrower`.
#[derive(Clone, Debug)]
pub(crate) struct Expected {
    concepts: BTreeSet<String>,
    pairs: BTreeSet<String>,
}

impl Expected {
    /// The subset that another prediction found; its pairs count without their closure.
    pub(crate) fn seen_by(&self, prediction: &Prediction, gold: &Judge) -> Expected {
        let named = gold.named(&prediction.concepts);
        let name = |label: &str| named.get(label).cloned().flatten();
        let concepts: BTreeSet<String> = named.values().flatten().cloned().collect();
        let pairs = prediction.is_a.iter().filter_map(|(a, b)| Some(arrow(&name(a)?, &name(b)?)));
        let pairs: BTreeSet<String> = pairs.collect();
        Expected {
            concepts: self.concepts.intersection(&concepts).cloned().collect(),
            pairs: self.pairs.intersection(&pairs).cloned().collect(),
        }
    }
}

fn arrow(broader: &str, narrower: &str) -> String {
    format!("{broader} > {narrower}")
}

/// The gold, indexed for scoring.
pub(crate) struct Judge {
    concept_of: BTreeMap<String, String>,
    neutral: BTreeSet<String>,
    junk: BTreeSet<String>,
    accepted: BTreeSet<String>,
    expected: Expected,
}

impl Judge {
    pub(crate) fn new(gold: &Gold) -> Judge {
        let forms_of = |concept: &GoldConcept| {
            let label = concept.label.clone();
            let all: Vec<String> = concept.syn.iter().flat_map(|syn| forms(syn)).collect();
            all.into_iter().map(move |form| (form, label.clone()))
        };
        let lookup = |names: &[String]| names.iter().flat_map(|name| forms(name)).collect();
        let accepted = closure(&gold.is_a);
        let arrows =
            |pairs: &mut dyn Iterator<Item = &(String, String)>| pairs.map(|(a, b)| arrow(a, b)).collect();
        let wanted = gold.concepts.iter().filter(|concept| concept.expected);
        Judge {
            concept_of: gold.concepts.iter().flat_map(forms_of).collect(),
            neutral: lookup(&gold.neutral),
            junk: lookup(&gold.junk),
            accepted: arrows(&mut accepted.iter()),
            expected: Expected {
                concepts: wanted.map(|concept| concept.label.clone()).collect(),
                pairs: arrows(&mut gold.expected_is_a.iter()),
            },
        }
    }

    /// Everything there is to find.
    pub(crate) fn expected(&self) -> &Expected {
        &self.expected
    }

    /// Maps each predicted label to its gold concept; `news` counts as a concept in pairs.
    fn named(&self, concepts: &[Said]) -> BTreeMap<String, Option<String>> {
        let name = |said: &Said| match self.concept(said) {
            None if self.is_any(said, &self.neutral) && norm(&said.label) == "news" => Some("news".into()),
            hit => hit,
        };
        concepts.iter().map(|said| (said.label.clone(), name(said))).collect()
    }

    fn concept(&self, said: &Said) -> Option<String> {
        written(said).find_map(|form| self.concept_of.get(&form).cloned())
    }

    fn is_any(&self, said: &Said, among: &BTreeSet<String>) -> bool {
        written(said).any(|form| among.contains(&form))
    }

    /// Scores a prediction; recall is relative to `expected`.
    pub(crate) fn score(&self, prediction: &Prediction, expected: &Expected) -> Score {
        let (mut right, mut wrong) = (BTreeSet::new(), Vec::new());
        let (mut neutral, mut unjudged) = (Vec::new(), Vec::new());
        let mut genres = (Vec::new(), BTreeSet::new());
        for said in &prediction.concepts {
            if let Some(hit) = self.concept(said) {
                genres.1.extend(said.is_genre.then(|| hit.clone()));
                right.insert(hit);
            } else if self.is_any(said, &self.neutral) {
                genres.0.extend(said.is_genre.then(|| said.label.clone()));
                neutral.push(said.label.clone());
            } else if self.is_any(said, &self.junk) {
                wrong.push(said.label.clone());
            } else {
                unjudged.push((said.label.clone(), said.sites));
            }
        }
        unjudged.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        let (good, bad) = self.pairs(prediction);
        Score {
            concepts: Figures::of(right, wrong, &expected.concepts),
            is_a: Figures::of(good, bad, &expected.pairs),
            neutral,
            genres,
            unjudged,
        }
    }

    fn pairs(&self, prediction: &Prediction) -> (BTreeSet<String>, Vec<String>) {
        let named = self.named(&prediction.concepts);
        let (mut good, mut bad) = (BTreeSet::new(), Vec::new());
        for (broader, narrower) in closure(&prediction.is_a) {
            let (Some(Some(a)), Some(Some(b))) = (named.get(&broader), named.get(&narrower)) else {
                continue;
            };
            if a == b {
                continue;
            }
            let pair = arrow(a, b);
            if self.accepted.contains(&pair) {
                good.insert(pair);
            } else {
                bad.push(arrow(&broader, &narrower));
            }
        }
        (good, bad)
    }
}

fn written(said: &Said) -> impl Iterator<Item = String> {
    std::iter::once(&said.label).chain(&said.labels).map(|form| norm(form))
}

/// The transitive closure. Pairs of a name with itself stay only if they were given.
pub(super) fn closure(pairs: &[(String, String)]) -> BTreeSet<(String, String)> {
    let mut below: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (broader, narrower) in pairs {
        below.entry(broader).or_default().insert(narrower);
    }
    let mut all: BTreeSet<(String, String)> = pairs.iter().cloned().collect();
    for from in below.keys() {
        let mut open: Vec<&str> = vec![from];
        let mut known: BTreeSet<&str> = BTreeSet::new();
        while let Some(node) = open.pop() {
            for next in below.get(node).into_iter().flatten() {
                if known.insert(next) {
                    open.push(next);
                }
            }
        }
        all.extend(known.iter().filter(|to| *to != from).map(|to| ((*from).to_owned(), (*to).to_owned())));
    }
    all
}

/// Normalizes a name as the gold does: NFKC, lower case, "and" as "&", collapsed white space, no
/// punctuation at the ends.
pub(super) fn norm(text: &str) -> String {
    let folded: String = text.nfkc().flat_map(char::to_lowercase).collect();
    let folded = folded.replace('\u{2019}', "'").replace("&amp;", "&");
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut said = String::with_capacity(folded.len());
    let mut word = String::new();
    for letter in folded.chars().chain(std::iter::once(' ')) {
        if is_word(letter) {
            word.push(letter);
            continue;
        }
        said.push_str(if word == "and" { "&" } else { &word });
        word.clear();
        said.push(letter);
    }
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    said.trim_matches(|letter: char| !letter.is_alphanumeric()).to_owned()
}

/// Singular and plural forms of a name, which count as one.
fn forms(text: &str) -> Vec<String> {
    let name = norm(text);
    let mut forms = vec![name.clone(), format!("{name}s")];
    if let Some(singular) = name.strip_suffix('s').filter(|_| name.chars().count() > 3) {
        forms.push(singular.to_owned());
    }
    forms
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge() -> Judge {
        let gold: Gold = serde_json::from_str(
            r#"{"concepts": [{"label": "sports", "syn": ["sports"], "expected": true},
                {"label": "art & design", "syn": ["art and design"], "expected": true},
                {"label": "tennis", "syn": ["tennis"]}],
               "neutral": ["news", "video"], "junk": ["log in"],
               "is_a": [["news", "sports"], ["sports", "tennis"]], "expected_is_a": [["sports", "tennis"]]}"#,
        )
        .unwrap();
        Judge::new(&gold)
    }

    fn said(labels: &[&str], is_a: &[(&str, &str)]) -> Prediction {
        let concept = |label: &&str| Said {
            label: (*label).into(),
            labels: vec![(*label).into()],
            sites: 2,
            is_genre: *label != "Opera",
        };
        let pair = |(a, b): &(&str, &str)| ((*a).to_owned(), (*b).to_owned());
        Prediction { concepts: labels.iter().map(concept).collect(), is_a: is_a.iter().map(pair).collect() }
    }

    #[test]
    fn names_are_compared_as_the_gold_writes_them() {
        for text in ["Art &amp; Design »", "ART AND  DESIGN", "“Art & Design”"] {
            assert_eq!(norm(text), "art & design");
        }
        assert_eq!(norm("Sandals"), "sandals");
        assert_eq!(forms("News"), ["news", "newss", "new"]);
    }

    #[test]
    fn concepts_are_right_wrong_or_not_counted() {
        let judge = judge();
        let score = judge.score(&said(&["Sport", "Log in", "Videos", "Opera"], &[]), judge.expected());
        assert_eq!((score.concepts.precision, score.concepts.recall), (0.5, 0.5));
        assert_eq!(score.concepts.missed, ["art & design"]);
        assert_eq!((score.neutral.len(), score.unjudged), (1, vec![("Opera".into(), 2)]));
        assert_eq!(score.genres, (vec!["Videos".into()], ["sports".into()].into()));
    }

    #[test]
    fn shares_of_genres_are_over_all_draws() {
        let judge = judge();
        let score = |labels: &[&str]| judge.score(&said(labels, &[]), judge.expected());
        let mut subjects = score(&["Sport", "Tennis", "Art and design"]);
        assert_eq!(genre_shares(&[score(&["Opera"])]), None);
        subjects.genres.1.remove("tennis");
        subjects.genres.1.remove("art & design");
        assert_eq!(genre_shares(&[score(&["Videos"]), subjects]), Some([1.0, 1.0 / 3.0, 0.5]));
    }

    #[test]
    fn pairs_are_counted_over_their_closure() {
        let judge = judge();
        let labels = ["News", "Sports", "Tennis", "Video"];
        let chain = said(&labels, &[("News", "Sports"), ("Sports", "Video"), ("Video", "Tennis")]);
        let score = judge.score(&chain, judge.expected());
        // News > Tennis also follows from pairs that the gold accepts.
        assert_eq!((score.is_a.right.len(), score.is_a.recall), (3, 1.0));
        assert!(score.is_a.wrong.is_empty());
        let turned = judge.score(&said(&labels, &[("Tennis", "Sports")]), judge.expected());
        assert_eq!((turned.is_a.precision, turned.is_a.wrong.len()), (0.0, 1));
    }

    #[test]
    fn what_a_half_does_not_show_is_not_expected_of_it() {
        let judge = judge();
        let seen = judge.expected().seen_by(&said(&["Sports"], &[]), &judge);
        let score = judge.score(&said(&["Sports"], &[]), &seen);
        assert_eq!((score.concepts.recall, score.is_a.recall), (1.0, 1.0));
    }
}
