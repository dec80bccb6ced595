//! Expansion: labels that single sites file under a concept, as sports pages file baseball and tennis.
//!
//! A concept needs many sites, but below the sections that all sites have, each site has its own. A single site is believed if
//! all of its evidence agrees:
//! - it shows the label below a concept ([`SiteSummary::nested`]);
//! - the URL of the label's page is below the concept's, and the label spells it;
//! - the label's links have no fault;
//! - the page files stories of its own. Until the page is read, a directory of the label's name with stories is enough.
//!
//! If only an unread page could decide, the fold requests it ([`Expansion::asked`]). Expanded labels expand in turn, so concept
//! pages are fetched as deep as the site goes. Labels that several sites show were judged by all of them and never expand.
//!
//! Invariant: a pure function of the sums; no expanded label is also a kept one. Start at [`expand`].

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use newslode_page::contribution::Role;
use newslode_page::reading::CanonicalUrl;

use super::evidence::Concepts;
use crate::mining::concepts::{Judged, Verdict, judge_alone, verdict_of};
use crate::mining::index::{Index, steps};
use crate::mining::summary::{LabelSummary, SiteSummary};
use crate::mining::taxminer::Related;

/// The most stems in a label: a longer label of a single site is a story's short title.
const MOST_STEMS: usize = 3;

/// Labels that single sites add, and their places below the concepts.
pub(super) struct Expansion {
    /// By key.
    pub(super) labels: BTreeMap<String, Judged>,
    /// All are of level 1; each names the sites that prove it.
    pub(super) relations: Vec<Related>,
    /// Pages that would decide whether more is added, and the number of levels that they lie below a concept;
    /// by site.
    pub(super) asked: Vec<(CanonicalUrl, u32)>,
}

/// The labels that the sites add below the concepts. `is_right` judges a site, a concept and a label below it.
pub(super) fn expand(
    sites: &[Arc<SiteSummary>],
    index: &Index,
    concepts: &Concepts,
    judged: &BTreeMap<String, Judged>,
    is_right: impl Fn(usize, &str, &str) -> bool,
) -> Expansion {
    // Labels that several sites judged, and the concepts themselves, are closed to expansion.
    let mut is_open = index.names.table(true);
    let closed = judged.iter().filter(|(_, label)| label.verdict != Verdict::TooFewSites);
    for key in closed.map(|(key, _)| key.as_str()).chain(concepts.keys().copied()) {
        index.names.get(key).into_iter().for_each(|id| is_open[id as usize] = false);
    }
    let mut said: BTreeMap<(String, String), Vec<usize>> = BTreeMap::new();
    let mut asked = Vec::new();
    for (at, (site, numbers)) in sites.iter().zip(&index.sites).enumerate() {
        // Skip the sites, and these are most, whose menus have no open label.
        if numbers.nested.iter().all(|(_, narrower)| !is_open[*narrower as usize]) {
            continue;
        }
        let below = below(site, concepts, judged);
        for pair in below.pairs.into_iter().filter(|(broader, narrower)| is_right(at, broader, narrower)) {
            said.entry(pair).or_default().push(at);
        }
        asked.extend(below.asked.into_iter().map(|(page, level)| (page.clone(), level)));
    }
    // One label may be below several concepts; it is judged once, by all of its sites.
    let mut on: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
    for ((_, narrower), at) in &said {
        on.entry(narrower).or_default().extend(at);
    }
    let labels = on.iter().map(|(key, on)| {
        let on = on.iter().copied().collect();
        ((*key).to_owned(), judge_alone(key, on, index))
    });
    let labels = labels.collect();
    let related = said.into_iter().map(|((broader, narrower), sites)| Related {
        broader,
        narrower,
        level: 1,
        sites,
        is_listed: false,
    });
    Expansion { labels, relations: related.collect(), asked }
}

/// The additions of one site.
#[derive(Default)]
struct Below<'a> {
    pairs: BTreeSet<(String, String)>,
    /// Pages that would decide, with their levels.
    asked: BTreeMap<&'a CanonicalUrl, u32>,
}

/// The pairs that one site adds, from the concepts down.
fn below<'a>(site: &'a SiteSummary, concepts: &Concepts, judged: &BTreeMap<String, Judged>) -> Below<'a> {
    let mut children: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (broader, narrower) in site.nested.iter().filter(|(_, narrower)| {
        !concepts.contains_key(narrower.as_str())
            && verdict_of(judged, narrower) == Verdict::TooFewSites
            && narrower.split(' ').count() <= MOST_STEMS
    }) {
        children.entry(broader).or_default().push(narrower);
    }
    let mut found = Below::default();
    // A concept without children adds nothing.
    let heads = concepts.keys().copied().filter(|concept| children.contains_key(concept));
    let mut open: VecDeque<(&str, u32)> = heads.map(|concept| (concept, 1)).collect();
    let mut known: BTreeSet<&str> = BTreeSet::new();
    while let Some((broader, level)) = open.pop_front() {
        let Some(page) = page(site, broader).filter(|_| known.insert(broader)) else { continue };
        let above = steps(page);
        for narrower in children.get(broader).into_iter().flatten() {
            let Some(page) = page_below(site, narrower, &above) else { continue };
            let is_filed = site.is_section(page);
            if is_filed.unwrap_or_else(|| site.directories.contains(*narrower)) {
                let concept = concepts.get(broader).copied().unwrap_or(broader);
                found.pairs.insert((concept.to_owned(), (*narrower).to_owned()));
                open.push_back((narrower, level + 1));
            } else if is_filed.is_none() {
                found.asked.entry(page).or_insert(level);
            }
        }
    }
    found
}

/// The label's page, according to most of the site's pages.
pub(super) fn page<'a>(site: &'a SiteSummary, key: &str) -> Option<&'a CanonicalUrl> {
    let targets = &site.labels.get(key)?.targets;
    let usual = targets.iter().max_by(|a, b| a.1.cmp(b.1).then_with(|| b.0.cmp(a.0)));
    usual.map(|(url, _)| url).filter(|url| !url.is_front_page() && !url.as_str().contains('?'))
}

/// The label's page if it lies below these steps and its links have no fault.
fn page_below<'a>(site: &'a SiteSummary, key: &str, above: &[&str]) -> Option<&'a CanonicalUrl> {
    let is_sound =
        |label: &LabelSummary| label.share(Role::Spelled) >= 0.5 && site.fault(key, label).is_none();
    page(site, key).filter(|page| {
        let own = steps(page);
        own.len() > above.len() && own.starts_with(above) && site.labels.get(key).is_some_and(is_sound)
    })
}
