//! Checks of several changes at once, in one call or in many.

use super::helpers::*;

/// Each change of a batch has a verdict of its own and is judged after those before it.
pub async fn changes_are_judged_one_by_one_in_order(state: &dyn SiteState) {
    let name = "in-order";
    forget(state, name).await;
    let batch = [
        change(name, "a", None, version(1, 1), &[("jazz", 1)]),
        change(name, "b", version(1, 1), version(2, 2), &[("wrong", 1)]),
        change(name, "a", version(1, 1), version(2, 2), &[("jazz", 1)]),
        change(name, "a", version(1, 1), version(2, 2), &[("wrong", 1)]),
        change(name, "a", version(1, 1), version(3, 3), &[("wrong", 1)]),
        change(name, "c", None, version(9, 9), &[("rock", 1)]),
    ];
    let wanted = [
        Applied::Applied,
        Applied::Conflict(None),
        Applied::Applied,
        Applied::Stale,
        Applied::Conflict(version(2, 2)),
        Applied::Applied,
    ];
    assert_eq!(apply(state, name, &batch).await, wanted);
    check_labels(state, name, &[("jazz", 2), ("rock", 1)]).await;
    check_version(state, name, "b", None).await;
    forget(state, name).await;
}

/// A concurrent reader sees the whole batch or nothing of it.
pub async fn a_batch_is_seen_whole_or_not_at_all(state: &dyn SiteState) {
    let name = "whole";
    forget(state, name).await;
    let written = AtomicBool::new(false);
    let writer = async {
        for round in 0..60 {
            let batch: Vec<Change> = (0..20)
                .map(|page| {
                    let path = format!("r{round}p{page}");
                    change(name, &path, None, version(1, 1), &[("jazz", 1), (path.as_str(), 1)])
                })
                .collect();
            count(state, name, &batch).await;
        }
        written.store(true, Ordering::Relaxed);
    };
    // Read as long as there are writes: a fixed number of reads could be over before the first write.
    let reader = async {
        while !written.load(Ordering::Relaxed) {
            let cells = ok(state.cells(&site(name), Table::Labels).await);
            let jazz = cells.get("jazz").copied().unwrap_or(0);
            assert_eq!(jazz % 20, 0, "a part of a batch was seen");
            let others = cells.len().saturating_sub(1);
            assert_eq!(i64::try_from(others).ok(), Some(jazz), "cells of one batch came apart");
        }
    };
    futures::join!(writer, reader);
    check_pages(state, name, 60 * 20).await;
    forget(state, name).await;
}

/// Two miners that count the same fetch at the same time count it once.
pub async fn of_concurrent_changes_one_counts(state: &dyn SiteState) {
    let name = "concurrent-changes";
    forget(state, name).await;
    let batch = [change(name, "a", None, version(1, 1), &[("jazz", 1)])];
    let here = site(name);
    let calls = (0..16).map(|_| state.apply(&here, &batch));
    let verdicts: Vec<Applied> = futures::future::join_all(calls).await.into_iter().flat_map(ok).collect();
    let counted = verdicts.iter().filter(|verdict| **verdict == Applied::Applied).count();
    assert_eq!(counted, 1, "one of sixteen equal changes counts: {verdicts:?}");
    check_labels(state, name, &[("jazz", 1)]).await;
    forget(state, name).await;
}
