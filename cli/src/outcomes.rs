//! How fetches ended, added up and in words.

use std::collections::BTreeMap;

use newslode_common::outcome::Outcome;
use newslode_common::store::SiteStatus;

/// Outcomes over all sites.
pub(crate) fn tally(sites: &[SiteStatus]) -> BTreeMap<Outcome, u64> {
    let mut sums = BTreeMap::new();
    for (outcome, count) in sites.iter().flat_map(|site| &site.outcomes) {
        *sums.entry(*outcome).or_insert(0) += count;
    }
    sums
}

/// `fetched 812, gone 3`: most frequent first.
pub(crate) fn spelled(outcomes: &BTreeMap<Outcome, u64>) -> String {
    let mut counts: Vec<_> = outcomes.iter().filter(|(_, count)| **count > 0).collect();
    counts.sort_by_key(|(outcome, count)| (std::cmp::Reverse(**count), **outcome));
    counts.iter().map(|(outcome, count)| format!("{outcome} {count}")).collect::<Vec<_>>().join(", ")
}
