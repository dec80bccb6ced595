//! Where a pair of concepts stands: what of each site says that one is broader than the other.
//!
//! The print takes a page's outline alone ([`outlined`]). A site says it in three more ways: a menu where
//! the broader entry holds a list with the narrower; one link whose path spells both (`/sports/tennis`,
//! both kept in [`SiteSummary::nested`]); links of the two whose paths nest (`/a12` and `/a12/b7`).
//! Each kind is wrong now and then, but rarely twice: so sites are counted over all kinds together.
//! A heading's reach is a guess that sites built alike get wrong alike: pairs that only outlines show need
//! one site more. Start at [`seen`].

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use newslode_common::page::CanonicalUrl;

use crate::summary::SiteSummary;
use crate::taxminer::Seen;

/// Kept label key → the key of its concept.
pub(super) type Concepts<'a> = BTreeMap<&'a str, &'a str>;

/// The pairs between concepts, and the sites and least levels at which they stand.
pub(super) fn seen(sites: &[Arc<SiteSummary>], concepts: &Concepts, support: u32) -> Seen {
    let mut said: BTreeSet<(String, String)> = BTreeSet::new();
    let mut seen: BTreeMap<(String, String), BTreeMap<usize, u8>> = BTreeMap::new();
    for (at, site) in sites.iter().enumerate() {
        let nested = site.nested.iter().filter_map(|(a, b)| pair(concepts, a, b));
        for pair in nested.chain(by_path(site, concepts)) {
            said.insert(pair.clone());
            seen.entry(pair).or_default().insert(at, 1);
        }
        add_outline(&mut seen, at, site, concepts);
    }
    seen.retain(|pair, places| said.contains(pair) || places.len() > support as usize);
    listed(seen)
}

/// The pairs that outlines show, as the print has them.
pub(super) fn outlined(sites: &[Arc<SiteSummary>], concepts: &Concepts) -> Seen {
    let mut seen = BTreeMap::new();
    for (at, site) in sites.iter().enumerate() {
        add_outline(&mut seen, at, site, concepts);
    }
    listed(seen)
}

type Places = BTreeMap<(String, String), BTreeMap<usize, u8>>;

fn add_outline(seen: &mut Places, at: usize, site: &SiteSummary, concepts: &Concepts) {
    for ((broader, narrower), level) in &site.pairs {
        if let Some(pair) = pair(concepts, broader, narrower) {
            let held = seen.entry(pair).or_default().entry(at).or_insert(*level);
            *held = (*held).min(*level);
        }
    }
}

fn listed(seen: Places) -> Seen {
    seen.into_iter().map(|(pair, places)| (pair, places.into_iter().collect())).collect()
}

/// The concepts of two labels, if both are of one and not the same.
fn pair(concepts: &Concepts, broader: &str, narrower: &str) -> Option<(String, String)> {
    let (broader, narrower) = (concepts.get(broader)?, concepts.get(narrower)?);
    (broader != narrower).then(|| ((*broader).to_owned(), (*narrower).to_owned()))
}

/// Pairs whose pages' paths nest: the page of each is the one that most of the site's pages agree on.
/// Of the paths that a path lies under the longest is its parent's.
fn by_path(site: &SiteSummary, concepts: &Concepts) -> Vec<(String, String)> {
    let mut named: BTreeMap<Vec<&str>, Vec<&str>> = BTreeMap::new();
    for key in concepts.keys() {
        let targets = site.labels.get(*key).into_iter().flat_map(|label| &label.targets);
        let page = targets.max_by(|a, b| a.1.cmp(b.1).then_with(|| b.0.cmp(a.0)));
        if let Some((url, _)) = page.filter(|(url, _)| !url.as_str().contains('?')) {
            named.entry(steps(url)).or_default().push(key);
        }
    }
    let mut pairs = Vec::new();
    for (steps, narrower) in &named {
        let above = (2..steps.len()).rev().find_map(|end| named.get(steps.get(..end)?));
        for broader in above.into_iter().flatten() {
            pairs.extend(narrower.iter().filter_map(|narrower| pair(concepts, broader, narrower)));
        }
    }
    pairs
}

/// The URL's origin and the names on its path.
pub(super) fn steps(url: &CanonicalUrl) -> Vec<&str> {
    let path = url.path().split('/').filter(|name| !name.is_empty());
    std::iter::once(url.host()).chain(path).collect()
}
