//! What a site's listings showed and nobody read: by the day on which it was shown, and by the reason.
//!
//! A page that leaves takes its record with it, so what was missed is counted when it leaves. What was read, and
//! what still waits, the pages' records tell.

use std::collections::BTreeMap;

use newslode_page::time::Timestamp;
use serde::{Deserialize, Serialize};

use crate::outcome::Outcome;

/// Days that are kept.
const KEPT: u32 = 30;

/// Counts of what was missed, by day (UTC, since the epoch).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Missed {
    /// Pages that left before they were read, by their last outcome.
    left: BTreeMap<u32, BTreeMap<Outcome, u32>>,
    /// Links to news that the page budget refused, each counted once a day by each crawler.
    refused: BTreeMap<u32, u32>,
}

impl Missed {
    /// Notes that a page which was shown on this day leaves and was never read.
    pub(super) fn leave(&mut self, day: u32, outcome: Outcome, now: Timestamp) {
        let count = self.left.entry(day).or_default().entry(outcome).or_default();
        *count = count.saturating_add(1);
        self.forget(now);
    }

    /// Notes that the page budget refused this many links to news.
    pub(super) fn refuse(&mut self, links: u64, now: Timestamp) {
        let count = self.refused.entry(now.day()).or_default();
        *count = count.saturating_add(u32::try_from(links).unwrap_or(u32::MAX));
        self.forget(now);
    }

    /// Pages of a day that were never read, by their last outcome.
    pub fn left(&self, day: u32) -> impl Iterator<Item = (Outcome, u32)> {
        self.left.get(&day).into_iter().flatten().map(|(outcome, count)| (*outcome, *count))
    }

    /// Links to news that the page budget refused on a day.
    #[must_use]
    pub fn refused(&self, day: u32) -> u32 {
        self.refused.get(&day).copied().unwrap_or(0)
    }

    fn forget(&mut self, now: Timestamp) {
        let first = now.day().saturating_sub(KEPT);
        self.left = self.left.split_off(&first);
        self.refused = self.refused.split_off(&first);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_month_of_reasons_is_kept() {
        let mut missed = Missed::default();
        let at = |day: u32| Timestamp(u64::from(day) * 86_400_000 + 7);
        missed.leave(100, Outcome::Gone, at(102));
        missed.leave(100, Outcome::Gone, at(102));
        missed.leave(101, Outcome::Timeout, at(102));
        missed.refuse(5, at(102));
        assert_eq!(missed.left(100).collect::<Vec<_>>(), [(Outcome::Gone, 2)]);
        assert_eq!((missed.refused(102), missed.refused(101)), (5, 0));
        missed.refuse(1, at(131));
        assert_eq!((missed.left(100).count(), missed.left(101).count()), (0, 1));
    }
}
