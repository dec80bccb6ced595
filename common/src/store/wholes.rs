//! Batches as the stores write them: summed first, and then counted whole or not at all.
//!
//! A page's menu is its site's and its common words are all pages', so the sum of a batch moves a small part
//! of the counters that its pages move one by one. But it can be written only if every change of it counts.
//! So a store judges the versions and counts the sum if none is stale or in conflict, as nearly always; else
//! it counts nothing, its verdicts on these are final, and the rest is summed again. Start at [`Wholes`].

use rustc_hash::{FxBuildHasher, FxHashMap};

use super::{Applied, Change};
use newslode_page::contribution::Cell;

/// What a store said of a batch.
pub(super) struct Judged {
    /// It was counted; if not, nothing was.
    pub(super) counted: bool,
    /// One a change.
    pub(super) verdicts: Vec<Applied>,
}

/// Changes on their way, and what became of them.
pub(super) struct Wholes<'a> {
    verdicts: Vec<Applied>,
    open: Vec<(usize, &'a Change)>,
}

impl<'a> Wholes<'a> {
    pub(super) fn new(changes: &'a [Change]) -> Wholes<'a> {
        Wholes { verdicts: vec![Applied::Stale; changes.len()], open: changes.iter().enumerate().collect() }
    }

    /// What is to be judged next; `None`: all is.
    pub(super) fn batch(&self) -> Option<Vec<&'a Change>> {
        (!self.open.is_empty()).then(|| self.open.iter().map(|(_, change)| *change).collect())
    }

    /// Takes over the verdicts on the last batch. What had no effect on the others is not asked again, so
    /// the others are judged alike without it.
    pub(super) fn take(&mut self, judged: &Judged) {
        let open = std::mem::take(&mut self.open);
        for ((at, change), verdict) in open.into_iter().zip(&judged.verdicts) {
            if let Some(held) = self.verdicts.get_mut(at) {
                *held = *verdict;
            }
            if *verdict == Applied::Applied && !judged.counted {
                self.open.push((at, change));
            }
        }
    }

    /// In the order of the changes.
    pub(super) fn verdicts(self) -> Vec<Applied> {
        self.verdicts
    }
}

/// The sum of changes' deltas by cell, in no order; zeroes may be among them.
pub(super) fn merged<'a>(changes: &[&'a Change]) -> Vec<(&'a Cell, i64)> {
    if let [one] = changes {
        return one.delta.iter().collect();
    }
    // A batch moves about as many cells as a few of its pages.
    let few = changes.iter().take(changes.len().div_ceil(8)).map(|change| change.delta.len()).sum();
    let mut sums: FxHashMap<&Cell, i64> = FxHashMap::with_capacity_and_hasher(few, FxBuildHasher);
    for (cell, by) in changes.iter().flat_map(|change| change.delta.iter()) {
        let sum = sums.entry(cell).or_default();
        *sum = sum.wrapping_add(by);
    }
    sums.into_iter().collect()
}
