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

use crate::mining::concepts::{Judged, Verdict, alike, genres, judged, least_support, led_together, printed};
use crate::mining::index::{Id, Index, Indexer, Names};
use crate::mining::summary::SiteSummary;
use crate::mining::taxminer::{acyclic, frequent, parents, reduced, uncontradicted};
use crate::mining::taxonomy::{Concept, Relation, Taxonomy};

mod evidence;
mod expansion;
mod explanation;
mod forms;
mod subjects;
use expansion::expand;
pub use explanation::{Explainer, explain};
use forms::Written;
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
    /// All evidence that proved useful.
    #[default]
    Evidence,
    /// The paper's rules alone.
    Print,
}

impl Rules {
    /// The rules that belong to a preset of the page algorithms (`partitioner.params`).
    #[must_use]
    pub fn of_preset(preset: Preset) -> Rules {
        match preset {
            Preset::Default => Rules::Evidence,
            Preset::Paper => Rules::Print,
        }
    }
}

/// The paper has no expansion.
static NONE: evidence::Concepts = BTreeMap::new();
/// Jaccard likeness from which the paper merges labels.
const PRINTED_LIKENESS: f64 = 0.5;

impl FoldParams {
    /// The paper's rules.
    #[must_use]
    pub fn paper() -> FoldParams {
        FoldParams { support: 0, rules: Rules::Print }
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
        folded(sites, &self.indexer.index(sites), params)
    }
}

/// A taxonomy, and the pages that would tell more.
#[derive(Clone, Debug, PartialEq)]
pub struct Folded {
    /// The taxonomy, from what is known so far.
    pub taxonomy: Taxonomy,
    /// Unread pages that decide whether a single site's label is a concept, each with the number of levels
    /// that it lies below a concept. In the order of the sites.
    pub asked: Vec<(CanonicalUrl, u32)>,
}

/// Folds the sites' summaries (in the order of their names) into the taxonomy.
#[must_use]
pub fn fold(sites: &[Arc<SiteSummary>], params: &FoldParams) -> Taxonomy {
    Folder::default().fold(sites, params)
}

fn folded(sites: &[Arc<SiteSummary>], index: &Index, params: &FoldParams) -> Folded {
    let support = least_support(params.support, sites.len());
    let is_print = params.rules == Rules::Print;
    let judged = if is_print { printed(judged(index, support)) } else { judged(index, support) };
    let kept: BTreeMap<&str, &Judged> = judged
        .iter()
        .filter(|(_, label)| label.verdict == Verdict::Concept)
        .map(|(key, label)| (key.as_str(), label))
        .collect();
    let concept_of = if is_print { alike(&kept, PRINTED_LIKENESS) } else { led_together(&kept, index) };
    let of = evidence::numbered(&concept_of, index);
    let found = if is_print { BTreeSet::new() } else { genres(&kept, index) };
    let relations = if is_print {
        acyclic(frequent(&evidence::outlined(index, &of), support))
    } else {
        let relations = acyclic(frequent(&evidence::seen(index, &of, support), support));
        let beside = Beside::of(index, &of);
        let relations = uncontradicted(relations, |a, b| beside.sites(a, b));
        subjects_only(relations, &found, &kept, &concept_of)
    };
    let expansion = expand(sites, index, if is_print { &NONE } else { &concept_of }, &judged);
    let relations = reduced(acyclic(relations.into_iter().chain(expansion.relations).collect()));
    let shown_under = parents(&relations);
    let named = |at: &usize| sites.get(*at).map(|site| site.site.clone());
    let mut parts: BTreeMap<&str, Vec<(&str, &Judged)>> = BTreeMap::new();
    for (key, label) in &kept {
        parts.entry(concept_of.get(key).unwrap_or(key)).or_default().push((key, label));
    }
    for (key, label) in &expansion.labels {
        parts.entry(key).or_default().push((key, label));
    }
    let written = Written::of(&kept, sites, index);
    let concepts = parts.iter().map(|(key, labels)| {
        let forms = written.forms(key, labels);
        let on: BTreeSet<usize> = labels.iter().flat_map(|(_, label)| &label.sites).copied().collect();
        let score = labels.iter().map(|(_, label)| label.score).fold(0.0, f64::max);
        let broader = relations.iter().filter(|relation| relation.narrower == *key);
        Concept {
            key: (*key).to_owned(),
            label: forms.first().map_or_else(|| (*key).to_owned(), |form| form.text.clone()),
            forms,
            language: key.split_once(':').map(|(language, _)| language).unwrap_or_default().to_owned(),
            keys: labels.iter().map(|(key, _)| (*key).to_owned()).collect(),
            sites: on.iter().filter_map(named).collect(),
            score: (score * 1e6).round() / 1e6,
            is_genre: found.contains(key),
            parents: broader.map(|relation| relation.broader.clone()).collect(),
            parent: shown_under.get(key).map(|relation| relation.broader.clone()),
        }
    });
    let concepts = concepts.collect();
    let relations = relations.iter().map(|relation| Relation {
        broader: relation.broader.clone(),
        narrower: relation.narrower.clone(),
        level: relation.level,
        sites: relation.sites.iter().filter_map(named).collect(),
    });
    let sites = sites.len() as u64;
    let taxonomy = Taxonomy { support, sites, concepts, relations: relations.collect() };
    Folded { taxonomy, asked: expansion.asked }
}

/// The lists of the sites in which each concept stands.
struct Beside<'a> {
    names: &'a Names,
    /// Concept → site and list, ascending.
    lists: FxHashMap<Id, Vec<(usize, usize)>>,
}

impl<'a> Beside<'a> {
    fn of(index: &Index<'a>, of: &[Id]) -> Beside<'a> {
        let mut lists: FxHashMap<Id, Vec<(usize, usize)>> = FxHashMap::default();
        for (at, site) in index.sites.iter().enumerate() {
            for (number, list) in site.lists.iter().enumerate() {
                for concept in list.iter().filter_map(|label| evidence::concept(of, *label)) {
                    lists.entry(concept).or_default().push((at, number));
                }
            }
        }
        Beside { names: index.names, lists }
    }

    /// Number of sites that have both in one list.
    fn sites(&self, a: &str, b: &str) -> usize {
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
