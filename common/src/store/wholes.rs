//! Batches as the stores write them: summed first, then counted wholly or not at all.
//!
//! The pages of a site share its menu, and all pages share common words. So the sum of a batch changes far
//! fewer counters than its pages do one by one. But a store can write the sum only if every change counts. It
//! judges the versions first. If no change is stale or in conflict, as is nearly always so, it counts the
//! sum. Otherwise it counts nothing, its verdicts on the stale and conflicting changes are final, and the
//! others are summed again. Start at [`Wholes`].

use rustc_hash::{FxBuildHasher, FxHashMap};

use super::{Applied, Change};
use newslode_page::contribution::Cell;

/// A store's verdict on a batch.
pub(super) struct Judged {
    /// Whether the batch was counted. If not, no change was.
    pub(super) counted: bool,
    /// One verdict per change.
    pub(super) verdicts: Vec<Applied>,
}

/// The changes still to be counted, and the verdicts so far.
pub(super) struct Wholes<'a> {
    verdicts: Vec<Applied>,
    open: Vec<(usize, &'a Change)>,
}

impl<'a> Wholes<'a> {
    pub(super) fn new(changes: &'a [Change]) -> Wholes<'a> {
        Wholes { verdicts: vec![Applied::Stale; changes.len()], open: changes.iter().enumerate().collect() }
    }

    /// The next batch to judge; `None` when all changes have their verdict.
    pub(super) fn batch(&self) -> Option<Vec<&'a Change>> {
        (!self.open.is_empty()).then(|| self.open.iter().map(|(_, change)| *change).collect())
    }

    /// Takes over the verdicts on the last batch. Changes that did not count had no effect on the others and
    /// are not asked again; without them the others get the same verdicts.
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

    /// The verdicts, in the order of the changes.
    pub(super) fn verdicts(self) -> Vec<Applied> {
        self.verdicts
    }
}

/// The sum of the changes' deltas by cell, in no order. It may contain zeroes.
pub(super) fn merged<'a>(changes: &[&'a Change]) -> Vec<(&'a Cell, i64)> {
    if let [one] = changes {
        return one.delta.iter().collect();
    }
    // A batch changes about as many cells as a few of its pages.
    let few = changes.iter().take(changes.len().div_ceil(8)).map(|change| change.delta.len()).sum();
    let mut sums: FxHashMap<&Cell, i64> = FxHashMap::with_capacity_and_hasher(few, FxBuildHasher);
    for (cell, by) in changes.iter().flat_map(|change| change.delta.iter()) {
        let sum = sums.entry(cell).or_default();
        *sum = sum.wrapping_add(by);
    }
    sums.into_iter().collect()
}
