//! Expansion: what one site alone files under a concept, as its sports pages file baseball and tennis.
//!
//! Support asks many sites; below the sections that all have, each site has its own. One site is believed
//! where everything on it agrees: it says that the label is narrower than a concept ([`SiteSummary::nested`]),
//! the label's page lies below the concept's and is spelled by the label, nothing is wrong with the label's
//! links, and that page files stories of its own, or, as long as it was not read, the site files stories in a
//! directory of the label's name. Expanded labels expand in turn, so following concept pages goes as
//! deep as a site does. Labels that several sites show were judged by these, and are left alone.
//!
//! Invariant: a pure function of the sums; an expanded label is no kept one. Start at [`expand`].

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use newslode_common::contribution::Role;
use newslode_common::page::CanonicalUrl;

use super::evidence::{Concepts, steps};
use crate::concepts::{Judged, Verdict, judge_alone, verdict_of};
use crate::index::Index;
use crate::summary::{LabelSummary, SiteSummary};
use crate::taxminer::Related;

/// Stems of a label at most: on one site alone, more are a story's short title.
const MOST_STEMS: usize = 3;

/// Labels that single sites add, and under what.
pub(super) struct Expansion {
    /// By key.
    pub(super) labels: BTreeMap<String, Judged>,
    /// Level 1, each proved by the sites that say it.
    pub(super) relations: Vec<Related>,
}

/// What the sites add below the concepts.
pub(super) fn expand(
    sites: &[Arc<SiteSummary>],
    index: &Index,
    concepts: &Concepts,
    judged: &BTreeMap<String, Judged>,
) -> Expansion {
    let mut is_open = index.names.table(true);
    let closed = judged.iter().filter(|(_, label)| label.verdict != Verdict::TooFewSites);
    for key in closed.map(|(key, _)| key.as_str()).chain(concepts.keys().copied()) {
        index.names.get(key).into_iter().for_each(|id| is_open[id as usize] = false);
    }
    let mut said: BTreeMap<(String, String), Vec<usize>> = BTreeMap::new();
    for (at, (site, numbers)) in sites.iter().zip(&index.sites).enumerate() {
        // On most sites nothing is said of a label that other sites did not judge.
        if numbers.nested.iter().all(|(_, narrower)| !is_open[*narrower as usize]) {
            continue;
        }
        for pair in below(site, concepts, judged) {
            said.entry(pair).or_default().push(at);
        }
    }
    let mut on: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
    for ((_, narrower), at) in &said {
        on.entry(narrower).or_default().extend(at);
    }
    let labels = on.iter().map(|(key, on)| {
        let on = on.iter().copied().collect();
        ((*key).to_owned(), judge_alone(key, on, index))
    });
    let labels = labels.collect();
    let related =
        said.into_iter().map(|((broader, narrower), sites)| Related { broader, narrower, level: 1, sites });
    Expansion { labels, relations: related.collect() }
}

/// The pairs that one site adds, from the concepts downwards.
fn below(
    site: &SiteSummary,
    concepts: &Concepts,
    judged: &BTreeMap<String, Judged>,
) -> BTreeSet<(String, String)> {
    let mut children: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (broader, narrower) in site.nested.iter().filter(|(_, narrower)| {
        !concepts.contains_key(narrower.as_str())
            && verdict_of(judged, narrower) == Verdict::TooFewSites
            && narrower.split(' ').count() <= MOST_STEMS
    }) {
        children.entry(broader).or_default().push(narrower);
    }
    let mut found = BTreeSet::new();
    // A concept over nothing adds nothing.
    let mut open: Vec<&str> =
        concepts.keys().copied().filter(|concept| children.contains_key(concept)).collect();
    let mut known: BTreeSet<&str> = BTreeSet::new();
    while let Some(broader) = open.pop() {
        let Some(page) = page(site, broader).filter(|_| known.insert(broader)) else { continue };
        let above = steps(page);
        for narrower in children.get(broader).into_iter().flatten() {
            if files_below(site, narrower, &above) {
                let concept = concepts.get(broader).copied().unwrap_or(broader);
                found.insert((concept.to_owned(), (*narrower).to_owned()));
                open.push(narrower);
            }
        }
    }
    found
}

/// The page that most of the site's pages mean by the label.
pub(super) fn page<'a>(site: &'a SiteSummary, key: &str) -> Option<&'a CanonicalUrl> {
    let targets = &site.labels.get(key)?.targets;
    let usual = targets.iter().max_by(|a, b| a.1.cmp(b.1).then_with(|| b.0.cmp(a.0)));
    usual.map(|(url, _)| url).filter(|url| !url.is_front_page() && !url.as_str().contains('?'))
}

/// Whether the label's page lies below this one and files stories of its own.
fn files_below(site: &SiteSummary, key: &str, above: &[&str]) -> bool {
    let is_sound =
        |label: &LabelSummary| label.share(Role::Spelled) >= 0.5 && site.fault(key, label).is_none();
    page(site, key).is_some_and(|page| {
        let own = steps(page);
        own.len() > above.len()
            && own.starts_with(above)
            && site.labels.get(key).is_some_and(is_sound)
            && site.is_section(page).unwrap_or_else(|| site.directories.contains(key))
    })
}
