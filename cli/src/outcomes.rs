//! Counts how fetches ended, and spells the counts out.

use std::collections::BTreeMap;

use newslode_common::outcome::Outcome;
use newslode_common::store::SiteStatus;

/// Counts outcomes over all sites.
pub(crate) fn count_outcomes(sites: &[SiteStatus]) -> BTreeMap<Outcome, u64> {
    let mut sums = BTreeMap::new();
    for (outcome, count) in sites.iter().flat_map(|site| &site.outcomes) {
        *sums.entry(*outcome).or_insert(0) += count;
    }
    sums
}

/// Spells counts out, most frequent first: `fetched 812, gone 3`.
pub(crate) fn outcomes_in_words(outcomes: &BTreeMap<Outcome, u64>) -> String {
    let mut counts: Vec<_> = outcomes.iter().filter(|(_, count)| **count > 0).collect();
    counts.sort_by_key(|(outcome, count)| (std::cmp::Reverse(**count), **outcome));
    counts.iter().map(|(outcome, count)| format!("{outcome} {count}")).collect::<Vec<_>>().join(", ")
}
