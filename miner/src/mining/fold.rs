//! The fold: from the sites' summaries to the taxonomy.
//!
//! [`fold`] is pure and deterministic: equal summaries give equal bytes, so any miner may write the result,
//! and results can be compared by their bytes. Everything is sorted by key; scores are rounded to a
//! millionth. [`explain`] tells people why a label is, or is not, a concept.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use newslode_page::preset::Preset;
use newslode_page::reading::CanonicalUrl;
use rustc_hash::FxHashMap;

use crate::mining::concepts::{
    Judged, Verdict, alike, apply_paper_rules, genres, judged, least_support, led_together,
};
use crate::mining::index::{Id, Index, Indexer, Names};
use crate::mining::summary::SiteSummary;
use crate::mining::taxminer::{self, acyclic, frequent, parents, reduced, uncontradicted};
use crate::mining::taxonomy::{Concept, Relation, Taxonomy};

mod evidence;
mod expansion;
mod explanation;
mod forms;
mod subjects;
use expansion::expand;
pub use explanation::{Explainer, explain};
use forms::FormCounts;
use subjects::subjects_only;

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
    /// Folds the sites' summaries (in the order of their names) into the taxonomy.
    pub fn fold(&mut self, sites: &[Arc<SiteSummary>], params: &FoldParams) -> Taxonomy {
        self.fold_asking(sites, params).taxonomy
    }

    /// The same, with the pages that the fold asks for.
    pub fn fold_asking(&mut self, sites: &[Arc<SiteSummary>], params: &FoldParams) -> Folded {
        fold_index(sites, &self.indexer.index(sites), params)
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

/// Folds the sites' summaries (in the order of their names) into the taxonomy.
#[must_use]
pub fn fold(sites: &[Arc<SiteSummary>], params: &FoldParams) -> Taxonomy {
    Folder::default().fold(sites, params)
}

/// Folds by one of two sets of rules, the evidence or the paper's. Both take the same steps, by other means.
fn fold_index(sites: &[Arc<SiteSummary>], index: &Index, params: &FoldParams) -> Folded {
    let support = least_support(params.support, sites.len());

    // Which labels are concepts?
    let judged = match params.rules {
        Rules::Evidence => judged(index, support),
        Rules::Paper => apply_paper_rules(judged(index, support)),
    };
    let kept: BTreeMap<&str, &Judged> = judged
        .iter()
        .filter(|(_, label)| label.verdict == Verdict::Concept)
        .map(|(key, label)| (key.as_str(), label))
        .collect();

    // Which of them name one concept, and which concept is broader than which?
    let RelatedConcepts { concept_of, genres, relations } = match params.rules {
        Rules::Evidence => relate_by_evidence(&kept, index, support),
        Rules::Paper => relate_by_paper(&kept, index, support),
    };

    // Which labels do single sites add below the concepts? The paper has no expansion, so there nothing expands.
    let expandable = match params.rules {
        Rules::Evidence => &concept_of,
        Rules::Paper => &NO_CONCEPTS,
    };
    let expansion = expand(sites, index, expandable, &judged);
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
        let forms = forms.forms(key, labels);
        let on: BTreeSet<usize> = labels.iter().flat_map(|(_, label)| &label.sites).copied().collect();
        let score = labels.iter().map(|(_, label)| label.score).fold(0.0, f64::max);
        let broader = relations.iter().filter(|relation| relation.narrower == *key);
        Concept {
            key: (*key).to_owned(),
            label: forms.first().map_or_else(|| (*key).to_owned(), |form| form.text.clone()),
            forms,
            language: key.split_once(':').map(|(language, _)| language).unwrap_or_default().to_owned(),
            keys: labels.iter().map(|(key, _)| (*key).to_owned()).collect(),
            sites: on.iter().filter_map(site_name).collect(),
            // Rounded, so that the bytes do not depend on the order of additions on another machine.
            score: (score * 1e6).round() / 1e6,
            is_genre: genres.contains(key),
            parents: broader.map(|relation| relation.broader.clone()).collect(),
            parent: display_parent.get(key).map(|relation| relation.broader.clone()),
            aligned: Vec::new(),
        }
    });
    let concepts = concepts.collect();
    let relations = relations.iter().map(|relation| Relation {
        broader: relation.broader.clone(),
        narrower: relation.narrower.clone(),
        level: relation.level,
        sites: relation.sites.iter().filter_map(site_name).collect(),
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

/// Merges labels that lead to the same pages. Relates concepts by all evidence, less what lists deny and what genres say of
/// subjects.
fn relate_by_evidence<'a>(
    kept: &BTreeMap<&'a str, &Judged>,
    index: &Index,
    support: u32,
) -> RelatedConcepts<'a> {
    let concept_of = led_together(kept, index);
    let concept_ids = evidence::numbered(&concept_of, index);
    let genres = genres(kept, index);
    let relations = acyclic(frequent(&evidence::seen(index, &concept_ids, support), support));
    let lists = ConceptLists::of(index, &concept_ids);
    let relations = uncontradicted(relations, |a, b| lists.sites_with_both(a, b));
    let relations = subjects_only(relations, &genres, kept, &concept_of);
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
