//! Where a pair of concepts stands: what of each site says that one is broader than the other.
//!
//! The paper takes a page's outline alone. A heading's reach is a guess, though: what follows the last
//! entry of a menu seems to stand under it, on site after site built alike. So here a pair needs one site
//! that says it in so many words: a menu where the broader entry holds a list with the narrower, or links
//! whose paths nest (`/sports` and `/sports/tennis`). The outline then adds sites to such pairs, and the
//! levels; by itself it makes none. Start at [`seen`].

use std::collections::BTreeMap;
use std::sync::Arc;

use newslode_common::page::CanonicalUrl;

use crate::concepts::Judged;
use crate::summary::SiteSummary;
use crate::taxminer::Seen;

/// The pairs between concepts, and the sites and least levels at which they stand.
pub(super) fn seen(sites: &[Arc<SiteSummary>], kept: &BTreeMap<&str, &Judged>) -> Seen {
    let is_kept = |(broader, narrower): &(String, String)| {
        broader != narrower && kept.contains_key(broader.as_str()) && kept.contains_key(narrower.as_str())
    };
    let mut seen: BTreeMap<(String, String), BTreeMap<usize, u8>> = BTreeMap::new();
    for (at, site) in sites.iter().enumerate() {
        let said = site.nested.iter().filter(|pair| is_kept(pair)).cloned().chain(by_path(site, kept));
        for pair in said {
            seen.entry(pair).or_default().insert(at, 1);
        }
    }
    for (at, site) in sites.iter().enumerate() {
        for (pair, level) in site.pairs.iter() {
            if let Some(places) = seen.get_mut(pair) {
                places.entry(at).or_insert(*level);
            }
        }
    }
    seen.into_iter().map(|(pair, places)| (pair, places.into_iter().collect())).collect()
}

/// Pairs whose pages' paths nest: the page of each is the one that most of the site's pages agree on.
/// Of the paths that a path lies under the longest is its parent's.
fn by_path(site: &SiteSummary, kept: &BTreeMap<&str, &Judged>) -> Vec<(String, String)> {
    let mut named: BTreeMap<Vec<&str>, Vec<&str>> = BTreeMap::new();
    for key in kept.keys() {
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
            pairs.extend(narrower.iter().map(|narrower| ((*broader).to_owned(), (*narrower).to_owned())));
        }
    }
    pairs
}

/// The URL's origin and the names on its path.
fn steps(url: &CanonicalUrl) -> Vec<&str> {
    let path = url.path().split('/').filter(|name| !name.is_empty());
    std::iter::once(url.host()).chain(path).collect()
}
