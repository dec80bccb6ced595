//! The fold: from the sites' summaries to the taxonomy.
//!
//! [`fold`] is pure and deterministic: equal summaries give equal bytes, so any miner may write the result,
//! and results can be compared by their bytes. Everything is sorted by key; scores are rounded to a
//! millionth. [`explain`] tells people why a label is, or is not, a concept.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use newslode_page::preset::Preset;
use newslode_page::reading::{CanonicalUrl, Site};
use rustc_hash::FxHashMap;

use crate::mining::concepts::{
    Judged, Verdict, alike, apply_paper_rules, judged, least_support, led_together,
};
use crate::mining::index::{Id, Index, Indexer, Names};
use crate::mining::schemes::KnownLabels;
use crate::mining::site_scheme::SchemeSummary;
use crate::mining::summary::SiteSummary;
use crate::mining::taxminer::{self, acyclic, frequent, joined, parents, reduced, uncontradicted};
use crate::mining::taxonomy::{Concept, Relation, Taxonomy};

mod copies;
mod evidence;
mod expansion;
mod explanation;
mod forms;
mod meanings;
mod placed;
mod subjects;
use expansion::expand;
pub use explanation::{Explainer, explain};
use forms::{FormCounts, shown};
use meanings::Meanings;
use placed::Placed;
pub use placed::scheme_labels;
use subjects::subjects_only;

/// What the sites' own schemes say, by site. A site of which no scheme was learnt is absent.
pub type Schemes = BTreeMap<Site, Arc<SchemeSummary>>;

/// The settings of a fold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct FoldParams {
    /// `Sup` in sites; 0 chooses by the number of sites, see [`least_support`].
    pub support: u32,
    /// The rules by which labels become concepts and pairs become relations.
    pub rules: Rules,
}

/// The rules by which labels become concepts and pairs become relations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Rules {
    /// All evidence that improved the taxonomy when measured.
    #[default]
    Evidence,
    /// The paper's rules alone.
    Paper,
}

impl Rules {
    /// The rules that belong to a preset of the page algorithms (`partitioner.params`).
    #[must_use]
    pub fn of_preset(preset: Preset) -> Rules {
        match preset {
            Preset::Default => Rules::Evidence,
            Preset::Paper => Rules::Paper,
        }
    }
}

/// No concepts: the paper has no expansion.
static NO_CONCEPTS: evidence::Concepts = BTreeMap::new();
/// Jaccard similarity of their stems from which the paper merges labels.
const PAPER_SIMILARITY: f64 = 0.5;

impl FoldParams {
    /// The paper's rules.
    #[must_use]
    pub fn paper() -> FoldParams {
        FoldParams { support: 0, rules: Rules::Paper }
    }
}

/// Folds repeatedly and reuses the work on sites that did not change. The results equal those of [`fold`] to
/// the bit.
#[derive(Debug, Default)]
pub struct Folder {
    indexer: Indexer,
}

impl Folder {
    /// Folds the summaries of sites without schemes, in the order of their names, into the taxonomy.
    pub fn fold(&mut self, sites: &[Arc<SiteSummary>], params: &FoldParams) -> Taxonomy {
        self.fold_asking(sites, &Schemes::new(), KnownLabels::builtin(), params).taxonomy
    }

    /// Folds the sites' summaries, in the order of their names, what their schemes say and what lists know into the taxonomy.
    /// Returns it with the pages that the fold asks for.
    pub fn fold_asking(
        &mut self,
        sites: &[Arc<SiteSummary>],
        schemes: &Schemes,
        known: &KnownLabels,
        params: &FoldParams,
    ) -> Folded {
        fold_index(sites, &self.indexer.index(sites), &Placed::of(sites, schemes), known, params)
    }
}

/// A taxonomy, and the pages whose reading would improve it.
#[derive(Clone, Debug, PartialEq)]
pub struct Folded {
    /// The taxonomy, from the pages counted so far.
    pub taxonomy: Taxonomy,
    /// Pages that are not counted yet and would decide whether a single site's label is a concept, each with the number of
    /// levels that it lies below a concept. In the order of the sites.
    pub asked: Vec<(CanonicalUrl, u32)>,
}

/// Folds the summaries of sites without schemes, in the order of their names, into the taxonomy.
#[must_use]
pub fn fold(sites: &[Arc<SiteSummary>], params: &FoldParams) -> Taxonomy {
    Folder::default().fold(sites, params)
}

/// Judges all labels by links, lists and pages, and by the sites' own schemes.
fn judge_all(
    sites: &[Arc<SiteSummary>],
    index: &Index,
    placed: &Placed<'_>,
    known: &KnownLabels,
    support: u32,
) -> BTreeMap<String, Judged> {
    let mut judged = judged(index, support);
    placed.judge(&mut judged, sites, index, support, known);
    judged
}

/// Folds by one of two sets of rules, the evidence or the paper's. Both take the same steps, by other means.
fn fold_index(
    sites: &[Arc<SiteSummary>],
    index: &Index,
    placed: &Placed<'_>,
    known: &KnownLabels,
    params: &FoldParams,
) -> Folded {
    let support = least_support(params.support, sites.len());

    // Which labels are concepts?
    let judged = match params.rules {
        Rules::Evidence => judge_all(sites, index, placed, known, support),
        Rules::Paper => apply_paper_rules(judged(index, support)),
    };
    let kept: BTreeMap<&str, &Judged> = judged
        .iter()
        .filter(|(_, label)| label.verdict == Verdict::Concept)
        .map(|(key, label)| (key.as_str(), label))
        .collect();

    // Which of them name one concept, and which concept is broader than which?
    let RelatedConcepts { concept_of, genres, relations } = match params.rules {
        Rules::Evidence => relate_by_evidence(&kept, sites, index, (placed, known), support),
        Rules::Paper => relate_by_paper(&kept, index, support),
    };

    // Which labels do single sites add below the concepts? The paper has no expansion, so there nothing expands.
    let expandable = match params.rules {
        Rules::Evidence => &concept_of,
        Rules::Paper => &NO_CONCEPTS,
    };
    let expansion = expand(sites, index, expandable, &judged, |site, broader, narrower| {
        let is_form = genres.contains(broader) && placed.has_scheme(site);
        !is_form && !placed.is_too_small(site, narrower)
    });
    let relations = reduced(acyclic(relations.into_iter().chain(expansion.relations).collect()));

    // The labels of each concept: those that were kept, and those of the expansion, which are concepts of their own.
    let mut labels_of: BTreeMap<&str, Vec<(&str, &Judged)>> = BTreeMap::new();
    for (key, label) in &kept {
        labels_of.entry(concept_of.get(key).unwrap_or(key)).or_default().push((key, label));
    }
    for (key, label) in &expansion.labels {
        labels_of.entry(key).or_default().push((key, label));
    }

    let display_parent = parents(&relations);
    let forms = FormCounts::of(&kept, sites, index);
    let site_name = |at: &usize| sites.get(*at).map(|site| site.site.clone());
    let concepts = labels_of.iter().map(|(key, labels)| {
        let mut forms = forms.forms(key, labels);
        if forms.is_empty() {
            forms = placed.forms_of(key);
        }
        let on: BTreeSet<usize> = labels.iter().flat_map(|(_, label)| &label.sites).copied().collect();
        let score = labels.iter().map(|(_, label)| label.score).fold(0.0, f64::max);
        let broader = relations.iter().filter(|relation| relation.narrower == *key);
        Concept {
            key: (*key).to_owned(),
            label: shown(&forms, &placed.spellings(key)).unwrap_or_else(|| (*key).to_owned()),
            forms,
            language: key.split_once(':').map(|(language, _)| language).unwrap_or_default().to_owned(),
            keys: labels.iter().map(|(key, _)| (*key).to_owned()).collect(),
            sites: on.iter().filter_map(site_name).collect(),
            // Rounded, so that the bytes do not depend on the order of additions on another machine.
            score: (score * 1e6).round() / 1e6,
            is_genre: genres.contains(key),
            parents: broader.map(|relation| relation.broader.clone()).collect(),
            parent: display_parent.get(key).map(|relation| relation.broader.clone()),
            edited: Vec::new(),
            aligned: Vec::new(),
        }
    });
    let concepts = concepts.collect();
    let relations = relations.iter().map(|relation| Relation {
        broader: relation.broader.clone(),
        narrower: relation.narrower.clone(),
        level: relation.level,
        sites: relation.sites.iter().filter_map(site_name).collect(),
        is_listed: relation.is_listed,
        edited: false,
    });
    let relations = relations.collect();
    let schemes = String::new();
    let taxonomy = Taxonomy { support, sites: sites.len() as u64, concepts, relations, schemes };
    Folded { taxonomy, asked: expansion.asked }
}

/// The kept labels as concepts, and their order.
struct RelatedConcepts<'a> {
    /// Kept label key → the key of its concept.
    concept_of: BTreeMap<&'a str, &'a str>,
    /// Keys of the concepts that are genres.
    genres: BTreeSet<&'a str>,
    /// Acyclic.
    relations: Vec<taxminer::Related>,
}

/// Merges labels that lead to the same pages, or that a list of names has as one. Relates concepts by all evidence, less what
/// lists deny, and pairs of a genre and a subject.
fn relate_by_evidence<'a>(
    kept: &BTreeMap<&'a str, &Judged>,
    sites: &[Arc<SiteSummary>],
    index: &Index,
    (placed, known): (&Placed<'_>, &KnownLabels),
    support: u32,
) -> RelatedConcepts<'a> {
    let meanings = Meanings::of(kept, sites, placed, known);
    let lists = ConceptLists::of(index, &evidence::themselves(index));
    let is_apart = |a: &str, b: &str| placed.is_on_one_site(a, b) || lists.sites_with_both(a, b) > 0;
    let concept_of = led_together(kept, index, &meanings.same(placed, is_apart));
    let concept_ids = evidence::numbered(&concept_of, index);
    let genres = meanings.genres();
    let crumbs = placed.breadcrumbs(index);
    let mut relations = frequent(&evidence::seen(index, &concept_ids, &crumbs, support), support);
    relations.retain(|pair| !placed.origins.are_fewer(&pair.sites, support));
    relations.extend(evidence::at_home(index, &concept_ids, &crumbs, |site| placed.has_scheme(site)));
    let mut relations = joined(relations);
    relations.retain(|pair| !meanings.denies(pair, support));
    let relations = acyclic(relations);
    let lists = ConceptLists::of(index, &concept_ids);
    let mut relations = uncontradicted(relations, |a, b| lists.sites_with_both(a, b));
    // Where only front pages are known, menus say all that sites say.
    if placed.has_schemes() {
        relations.extend(meanings.relations(&concept_of, &relations));
    }
    let is_heard = |site: &usize| !placed.has_scheme(*site);
    let relations = acyclic(subjects_only(joined(relations), &genres, kept, &concept_of, is_heard));
    RelatedConcepts { concept_of, genres, relations }
}

/// Merges labels of alike words, and relates concepts by the outlines of pages alone `[OM05]`. The paper knows no genres.
fn relate_by_paper<'a>(
    kept: &BTreeMap<&'a str, &Judged>,
    index: &Index,
    support: u32,
) -> RelatedConcepts<'a> {
    let concept_of = alike(kept, PAPER_SIMILARITY);
    let concept_ids = evidence::numbered(&concept_of, index);
    let relations = acyclic(frequent(&evidence::outlined(index, &concept_ids), support));
    RelatedConcepts { concept_of, genres: BTreeSet::new(), relations }
}

/// The lists of labels in which each concept occurs.
struct ConceptLists<'a> {
    names: &'a Names,
    /// Concept → site and list, ascending.
    lists: FxHashMap<Id, Vec<(usize, usize)>>,
}

impl<'a> ConceptLists<'a> {
    fn of(index: &Index<'a>, concept_ids: &[Id]) -> ConceptLists<'a> {
        let mut lists: FxHashMap<Id, Vec<(usize, usize)>> = FxHashMap::default();
        for (at, site) in index.sites.iter().enumerate() {
            for (number, list) in site.lists.iter().enumerate() {
                for concept in list.iter().filter_map(|label| evidence::concept(concept_ids, *label)) {
                    lists.entry(concept).or_default().push((at, number));
                }
            }
        }
        ConceptLists { names: index.names, lists }
    }

    /// Number of sites that have both concepts in one list: an intersection of two sorted rows, where only the first list
    /// that a site has in common counts.
    fn sites_with_both(&self, a: &str, b: &str) -> usize {
        let lists = |key| self.names.get(key).and_then(|id| self.lists.get(&id));
        let (Some(mut a), Some(mut b)) = (lists(a).map(Vec::as_slice), lists(b).map(Vec::as_slice)) else {
            return 0;
        };
        let (mut count, mut last) = (0, None);
        while let ([one, rest_of_a @ ..], [other, rest_of_b @ ..]) = (a, b) {
            match one.cmp(other) {
                Ordering::Less => a = rest_of_a,
                Ordering::Greater => b = rest_of_b,
                Ordering::Equal => {
                    count += usize::from(last != Some(one.0));
                    last = Some(one.0);
                    (a, b) = (rest_of_a, rest_of_b);
                }
            }
        }
        count
    }
}

#[cfg(test)]
mod tests;
