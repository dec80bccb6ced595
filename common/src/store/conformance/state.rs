//! What mined state promises: sums that no order, duplicate or repetition can spoil.
//!
//! Besides single promises there is one long run: the fetches of made-up pages, shuffled and repeated,
//! end in the same digest and in the plain sum of the newest versions. Start at [`all`].

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;

use super::{Dice, checks, fresh, histories, ok, site, url};
use crate::contribution::{Cell, Delta, Table};
use crate::store::{Applied, Change, SiteState, state_digest};
use crate::version::{ContentHash, Version};

checks! { SiteState:
    the_store_is_ready,
    an_unknown_site_is_empty,
    a_first_version_counts,
    versions_come_in_the_asked_order,
    a_newer_version_replaces,
    a_late_version_changes_nothing,
    a_late_version_is_stale_even_if_unexpected,
    a_repeated_call_is_stale,
    an_unexpected_version_is_a_conflict_and_names_the_stored_one,
    a_change_that_expects_more_than_is_stored_is_a_conflict,
    a_removed_page_counts_nothing_and_stays_removed,
    a_removed_page_can_come_back,
    changes_are_judged_one_by_one_in_order,
    a_batch_is_seen_whole_or_not_at_all,
    of_concurrent_changes_one_counts,
    cells_that_come_to_zero_are_gone,
    sums_wrap,
    keys_of_any_text_are_kept_apart,
    tables_are_kept_apart,
    a_page_of_many_cells_is_counted,
    sites_are_kept_apart,
    a_sites_counter_grows_with_its_cells,
    a_forgotten_site_starts_anew,
    any_order_and_duplication_ends_in_the_plain_sum,
    a_value_is_put_if_it_is_what_was_expected,
    of_concurrent_writers_of_a_value_one_wins,
    values_of_any_bytes_come_back,
}

fn version(fetch: u64, content: u8) -> Option<Version> {
    Some(Version { fetch, content: ContentHash([content; 16]) })
}

fn delta(cells: &[(&str, i64)]) -> Delta {
    let mut delta = Delta::default();
    for (key, by) in cells {
        delta.add(Cell::new(Table::Labels, &[key]), *by);
    }
    delta
}

fn change(
    name: &str,
    path: &str,
    expected: Option<Version>,
    new: Option<Version>,
    cells: &[(&str, i64)],
) -> Change {
    let new = new.unwrap_or(Version { fetch: 0, content: ContentHash::NONE });
    Change { url: url(name, path), expected, new, delta: delta(cells) }
}

async fn apply(state: &dyn SiteState, name: &str, changes: &[Change]) -> Vec<Applied> {
    ok(state.apply(&site(name), changes).await)
}

/// Applies changes to page `a`, all of which must count.
async fn count(state: &dyn SiteState, name: &str, changes: &[Change]) {
    let verdicts = apply(state, name, changes).await;
    assert_eq!(verdicts, vec![Applied::Applied; changes.len()], "changes that must count");
}

async fn check_labels(state: &dyn SiteState, name: &str, wanted: &[(&str, i64)]) {
    let found = ok(state.cells(&site(name), Table::Labels).await);
    let wanted: BTreeMap<String, i64> = wanted.iter().map(|(key, sum)| ((*key).to_owned(), *sum)).collect();
    assert_eq!(found, wanted, "the labels of {name}");
}

async fn check_version(state: &dyn SiteState, name: &str, path: &str, wanted: Option<Version>) {
    assert_eq!(ok(state.versions(&site(name), &[url(name, path)]).await), [wanted], "the version of {path}");
}

async fn forget(state: &dyn SiteState, name: &str) {
    ok(state.forget(&site(name)).await);
}

/// A store that is under test can be used.
pub async fn the_store_is_ready(state: &dyn SiteState) {
    ok(state.ready().await);
}

/// What nobody counted is empty, and asking for it makes nothing.
pub async fn an_unknown_site_is_empty(state: &dyn SiteState) {
    let name = "unknown-state";
    forget(state, name).await;
    check_version(state, name, "a", None).await;
    assert_eq!(ok(state.versions(&site(name), &[]).await), []);
    assert_eq!(ok(state.apply(&site(name), &[]).await), []);
    for table in Table::ALL {
        assert_eq!(ok(state.cells(&site(name), *table).await), BTreeMap::new());
    }
    assert_eq!(ok(state.pages(&site(name)).await), []);
    assert!(ok(state.sites().await).iter().all(|(listed, _)| *listed != site(name)));
}

/// A page that counts nothing yet: its version is stored and its cells are added.
pub async fn a_first_version_counts(state: &dyn SiteState) {
    let name = "first";
    forget(state, name).await;
    count(state, name, &[change(name, "a", None, version(1, 1), &[("jazz", 2), ("rock", -3)])]).await;
    check_labels(state, name, &[("jazz", 2), ("rock", -3)]).await;
    check_version(state, name, "a", version(1, 1)).await;
    assert_eq!(
        ok(state.pages(&site(name)).await),
        [(url(name, "a"), version(1, 1).unwrap_or_else(|| panic!()))]
    );
    forget(state, name).await;
}

/// Versions are given in the order of the question; pages in the order of their URLs.
pub async fn versions_come_in_the_asked_order(state: &dyn SiteState) {
    let name = "order";
    forget(state, name).await;
    let batch = [("c", 3), ("a", 1), ("b", 2)]
        .map(|(path, number)| change(name, path, None, version(u64::from(number), number), &[("jazz", 1)]));
    count(state, name, &batch).await;
    let asked = ["b", "missing", "c", "a", "b"].map(|path| url(name, path));
    let found = ok(state.versions(&site(name), &asked).await);
    assert_eq!(found, [version(2, 2), None, version(3, 3), version(1, 1), version(2, 2)]);
    let pages: Vec<_> = ok(state.pages(&site(name)).await).into_iter().map(|(url, _)| url).collect();
    assert_eq!(pages, ["a", "b", "c"].map(|path| url(name, path)));
    forget(state, name).await;
}

/// A newer version takes the place of the older one; fetch numbers may skip.
pub async fn a_newer_version_replaces(state: &dyn SiteState) {
    let name = "newer";
    forget(state, name).await;
    count(state, name, &[change(name, "a", None, version(1, 1), &[("jazz", 2)])]).await;
    let newer = change(name, "a", version(1, 1), version(7, 2), &[("jazz", -1), ("rock", 4)]);
    count(state, name, &[newer]).await;
    check_labels(state, name, &[("jazz", 1), ("rock", 4)]).await;
    check_version(state, name, "a", version(7, 2)).await;
    forget(state, name).await;
}

/// An older fetch that comes late has no effect.
pub async fn a_late_version_changes_nothing(state: &dyn SiteState) {
    let name = "late-version";
    forget(state, name).await;
    count(state, name, &[change(name, "a", None, version(2, 2), &[("jazz", 1)])]).await;
    for late in [
        change(name, "a", version(2, 2), version(1, 1), &[("rock", 1)]),
        change(name, "a", version(2, 2), version(2, 1), &[("rock", 1)]),
    ] {
        assert_eq!(apply(state, name, &[late]).await, [Applied::Stale]);
        check_labels(state, name, &[("jazz", 1)]).await;
        check_version(state, name, "a", version(2, 2)).await;
    }
    forget(state, name).await;
}

/// Versions are judged before expectations: a late message is acknowledged, never tried again.
pub async fn a_late_version_is_stale_even_if_unexpected(state: &dyn SiteState) {
    let name = "late-unexpected";
    forget(state, name).await;
    count(state, name, &[change(name, "a", None, version(5, 2), &[("jazz", 1)])]).await;
    for expected in [None, version(1, 1), version(9, 9)] {
        let late = change(name, "a", expected, version(4, 1), &[("rock", 1)]);
        assert_eq!(apply(state, name, &[late]).await, [Applied::Stale]);
    }
    check_labels(state, name, &[("jazz", 1)]).await;
    forget(state, name).await;
}

/// A call whose answer was lost is made again: it changes nothing more.
pub async fn a_repeated_call_is_stale(state: &dyn SiteState) {
    let name = "repeated";
    forget(state, name).await;
    let batch = [
        change(name, "a", None, version(1, 1), &[("jazz", 1)]),
        change(name, "b", None, version(1, 2), &[("jazz", 1)]),
    ];
    count(state, name, &batch).await;
    for _ in 0..2 {
        assert_eq!(apply(state, name, &batch).await, [Applied::Stale, Applied::Stale]);
    }
    check_labels(state, name, &[("jazz", 2)]).await;
    forget(state, name).await;
}

/// A delta that subtracts another version than the stored one is not counted.
pub async fn an_unexpected_version_is_a_conflict_and_names_the_stored_one(state: &dyn SiteState) {
    let name = "conflict";
    forget(state, name).await;
    count(state, name, &[change(name, "a", None, version(2, 2), &[("jazz", 1)])]).await;
    for expected in [None, version(1, 2), version(2, 1), version(3, 2)] {
        let wrong = change(name, "a", expected, version(3, 3), &[("rock", 1)]);
        assert_eq!(apply(state, name, &[wrong]).await, [Applied::Conflict(version(2, 2))], "{expected:?}");
    }
    check_labels(state, name, &[("jazz", 1)]).await;
    check_version(state, name, "a", version(2, 2)).await;
    forget(state, name).await;
}

/// Also where nothing is stored.
pub async fn a_change_that_expects_more_than_is_stored_is_a_conflict(state: &dyn SiteState) {
    let name = "conflict-none";
    forget(state, name).await;
    let wrong = change(name, "a", version(1, 1), version(2, 2), &[("rock", 1)]);
    assert_eq!(apply(state, name, &[wrong]).await, [Applied::Conflict(None)]);
    check_labels(state, name, &[]).await;
    assert_eq!(ok(state.pages(&site(name)).await), []);
    forget(state, name).await;
}

/// A removed page keeps its fetch number, so that a late message cannot bring it back.
pub async fn a_removed_page_counts_nothing_and_stays_removed(state: &dyn SiteState) {
    let name = "removal";
    forget(state, name).await;
    count(state, name, &[change(name, "a", None, version(1, 1), &[("jazz", 1)])]).await;
    count(state, name, &[change(name, "a", version(1, 1), version(3, 0), &[("jazz", -1)])]).await;
    check_labels(state, name, &[]).await;
    check_version(state, name, "a", version(3, 0)).await;
    assert_eq!(ok(state.pages(&site(name)).await).len(), 1, "a removed page is still listed");
    for expected in [None, version(3, 0)] {
        let late = change(name, "a", expected, version(2, 2), &[("rock", 1)]);
        assert_eq!(apply(state, name, &[late]).await, [Applied::Stale], "a late message after the removal");
    }
    check_labels(state, name, &[]).await;
    forget(state, name).await;
}

/// A newer fetch brings a removed page back, over the removal.
pub async fn a_removed_page_can_come_back(state: &dyn SiteState) {
    let name = "comeback";
    forget(state, name).await;
    count(state, name, &[change(name, "a", None, version(1, 0), &[])]).await;
    let blind = change(name, "a", None, version(2, 2), &[("jazz", 1)]);
    assert_eq!(apply(state, name, &[blind]).await, [Applied::Conflict(version(1, 0))]);
    count(state, name, &[change(name, "a", version(1, 0), version(2, 2), &[("jazz", 1)])]).await;
    check_labels(state, name, &[("jazz", 1)]).await;
    forget(state, name).await;
}

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

/// Whoever reads meanwhile sees all of a batch or nothing of it.
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
    // Reads as long as there are writes: a number of reads could be over before the first of them.
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

async fn check_pages(state: &dyn SiteState, name: &str, wanted: usize) {
    assert_eq!(ok(state.pages(&site(name)).await).len(), wanted, "the number of pages of {name}");
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

/// A cell whose sum is zero is not there.
pub async fn cells_that_come_to_zero_are_gone(state: &dyn SiteState) {
    let name = "zero";
    forget(state, name).await;
    let batch = [
        change(name, "a", None, version(1, 1), &[("jazz", 5), ("rock", 1)]),
        change(name, "b", None, version(1, 1), &[("jazz", -5)]),
        change(name, "c", None, version(1, 1), &[("rock", -1), ("pop", 1)]),
    ];
    count(state, name, &batch[..2]).await;
    check_labels(state, name, &[("rock", 1)]).await;
    count(state, name, &batch[2..]).await;
    check_labels(state, name, &[("pop", 1)]).await;
    forget(state, name).await;
}

/// Sums wrap around both ends, so that subtraction undoes addition whatever happened.
pub async fn sums_wrap(state: &dyn SiteState) {
    let name = "wrap";
    forget(state, name).await;
    let huge = [("up", i64::MAX), ("down", i64::MIN), ("zero", i64::MIN), ("odd", (1 << 53) + 1)];
    count(state, name, &[change(name, "a", None, version(1, 1), &huge)]).await;
    check_labels(state, name, &huge).await;
    let more = [("up", 1), ("down", -1), ("zero", i64::MIN), ("odd", 1 << 53)];
    count(state, name, &[change(name, "b", None, version(1, 2), &more)]).await;
    check_labels(state, name, &[("up", i64::MIN), ("down", i64::MAX), ("odd", (1 << 54) + 1)]).await;
    let undo = [("up", -1), ("down", 1), ("zero", i64::MIN), ("odd", -(1 << 53))];
    count(state, name, &[change(name, "b", version(1, 2), version(2, 0), &undo)]).await;
    check_labels(state, name, &huge).await;
    forget(state, name).await;
}

/// Keys are any text: empty, long, with separators, control characters and every script.
pub async fn keys_of_any_text_are_kept_apart(state: &dyn SiteState) {
    let name = "keys";
    forget(state, name).await;
    let long = "long ".repeat(1_000);
    let keys = [
        "",
        " ",
        "a",
        "A",
        "a\u{1f}b",
        "a\u{1f}",
        "\0",
        "\n",
        "{b1}:x",
        "\"'\\",
        "日本語",
        "e\u{301}",
        "é",
        &long,
    ];
    let cells: Vec<(&str, i64)> = keys.iter().zip(1..).map(|(key, count)| (*key, count)).collect();
    count(state, name, &[change(name, "a", None, version(1, 1), &cells)]).await;
    check_labels(state, name, &cells).await;
    forget(state, name).await;
}

/// The same key in two tables is two cells.
pub async fn tables_are_kept_apart(state: &dyn SiteState) {
    let name = "tables";
    forget(state, name).await;
    let mut all = change(name, "a", None, version(1, 1), &[]);
    for (table, count) in Table::ALL.iter().zip(1..) {
        all.delta.add(Cell::new(*table, &["same"]), count);
    }
    count(state, name, &[all]).await;
    for (table, count) in Table::ALL.iter().zip(1..) {
        let cells = ok(state.cells(&site(name), *table).await);
        assert_eq!(cells, BTreeMap::from([("same".to_owned(), count)]), "{table:?}");
    }
    forget(state, name).await;
}

/// A page may change thousands of cells in one call.
pub async fn a_page_of_many_cells_is_counted(state: &dyn SiteState) {
    let name = "many";
    forget(state, name).await;
    let keys: Vec<String> = (0..9_000).map(|index| format!("label {index}")).collect();
    let cells: Vec<(&str, i64)> = keys.iter().zip(1..).map(|(key, count)| (key.as_str(), count)).collect();
    count(state, name, &[change(name, "a", None, version(1, 1), &cells)]).await;
    check_labels(state, name, &cells).await;
    forget(state, name).await;
    check_labels(state, name, &[]).await;
}

/// A change concerns its site alone, also where one name begins like another.
pub async fn sites_are_kept_apart(state: &dyn SiteState) {
    let names = ["apart", "apart2", "apar"];
    for name in names {
        forget(state, name).await;
    }
    for (name, by) in names.into_iter().zip(1..) {
        count(state, name, &[change(name, "a", None, version(1, 1), &[("jazz", by)])]).await;
    }
    forget(state, "apart").await;
    check_labels(state, "apart", &[]).await;
    for (name, by) in [("apart2", 2), ("apar", 3)] {
        check_labels(state, name, &[("jazz", by)]).await;
        check_pages(state, name, 1).await;
        forget(state, name).await;
    }
}

async fn counter(state: &dyn SiteState, name: &str) -> Option<u64> {
    let sites = ok(state.sites().await);
    assert!(sites.is_sorted_by(|(one, _), (next, _)| one < next), "sites are not in order of their names");
    sites.into_iter().find(|(listed, _)| *listed == site(name)).map(|(_, counter)| counter)
}

/// The counter grows with every change of a cell, and rests when nothing changed.
pub async fn a_sites_counter_grows_with_its_cells(state: &dyn SiteState) {
    let name = "counter";
    forget(state, name).await;
    let batch = [change(name, "a", None, version(1, 1), &[("jazz", 1)])];
    count(state, name, &batch).await;
    let first = counter(state, name).await;
    assert!(first.is_some(), "a site that was counted is not listed");
    assert_eq!(apply(state, name, &batch).await, [Applied::Stale]);
    let conflict = change(name, "a", None, version(2, 2), &[("rock", 1)]);
    assert_eq!(apply(state, name, &[conflict]).await, [Applied::Conflict(version(1, 1))]);
    assert_eq!(counter(state, name).await, first, "the counter grew and nothing changed");
    count(state, name, &[change(name, "a", version(1, 1), version(2, 0), &[("jazz", -1)])]).await;
    assert!(counter(state, name).await > first, "a cell changed and the counter did not grow");
    forget(state, name).await;
}

/// A forgotten site is not listed; counted anew its counter goes on, so that who read it before notices.
pub async fn a_forgotten_site_starts_anew(state: &dyn SiteState) {
    let name = "forgotten";
    forget(state, name).await;
    let batch = [change(name, "a", None, version(5, 5), &[("jazz", 1)])];
    count(state, name, &batch).await;
    let before = counter(state, name).await;
    forget(state, name).await;
    assert_eq!(counter(state, name).await, None, "a forgotten site is still listed");
    check_labels(state, name, &[]).await;
    check_pages(state, name, 0).await;
    let older = [change(name, "a", None, version(1, 1), &[("rock", 1)])];
    count(state, name, &older).await;
    check_labels(state, name, &[("rock", 1)]).await;
    assert!(counter(state, name).await > before, "a forgotten site's counter started again");
    forget(state, name).await;
}

/// Shuffled, repeated, in batches of any size: the end is the newest version of each page, summed.
pub async fn any_order_and_duplication_ends_in_the_plain_sum(state: &dyn SiteState) {
    let name = "histories";
    let here = site(name);
    let mut dice = Dice(11);
    let mut deliveries = histories::fetches(&mut dice, name, 25);
    let (newest, sums) = histories::plain_sum(&deliveries);
    let again: Vec<_> = deliveries.iter().filter(|_| dice.below(2) == 0).cloned().collect();
    deliveries.extend(again);
    let mut digests = BTreeSet::new();
    for round in 0..5 {
        ok(state.forget(&here).await);
        let mut rest = deliveries.as_slice();
        while !rest.is_empty() {
            let (batch, later) = rest.split_at((1 + dice.below(1 + round * 4)).min(rest.len()));
            histories::count(state, &mut dice, &here, batch).await;
            rest = later;
        }
        assert_eq!(ok(state.pages(&here).await), newest.clone().into_iter().collect::<Vec<_>>());
        for table in Table::ALL {
            let wanted: BTreeMap<String, i64> = sums
                .iter()
                .filter(|(cell, _)| cell.table == *table)
                .map(|(cell, sum)| (cell.key.clone(), *sum))
                .collect();
            assert_eq!(ok(state.cells(&here, *table).await), wanted, "{table:?} is not the plain sum");
        }
        digests.insert(ok(state_digest(state, &here).await));
        dice.shuffle(&mut deliveries);
    }
    assert_eq!(digests.len(), 1, "equal state has equal digests");
    ok(state.forget(&here).await);
}

/// A value is put only over the version that its writer read.
pub async fn a_value_is_put_if_it_is_what_was_expected(state: &dyn SiteState) {
    let name = fresh("value");
    let put =
        |expected, text: &'static str| state.put_value(&name, expected, Bytes::from_static(text.as_bytes()));
    assert_eq!(ok(state.value(&name).await), None);
    assert_eq!(ok(put(Some(1), "no").await), None, "a value that is not there has no version");
    let first = ok(put(None, "one").await);
    assert!(first.is_some(), "the first writer wins");
    assert_eq!(ok(put(None, "no").await), None, "the value is there");
    let second = ok(put(first, "two").await);
    assert!(second > first, "versions grow");
    assert_eq!(ok(put(first, "no").await), None, "the version has passed");
    assert_eq!(ok(state.value(&name).await), second.map(|version| (version, Bytes::from_static(b"two"))));
}

/// Of writers that read the same version, one wins.
pub async fn of_concurrent_writers_of_a_value_one_wins(state: &dyn SiteState) {
    let name = fresh("race");
    let calls = (0..12_u8).map(|writer| state.put_value(&name, None, Bytes::from(vec![writer])));
    let won: Vec<Option<u64>> = futures::future::join_all(calls).await.into_iter().map(ok).collect();
    assert_eq!(won.iter().flatten().count(), 1, "one of twelve writers wins: {won:?}");
    let (version, bytes) = match ok(state.value(&name).await) {
        Some(value) => value,
        None => panic!("a value was put and is not there"),
    };
    assert_eq!(
        won.get(usize::from(bytes[0])).copied().flatten(),
        Some(version),
        "the winner's bytes are kept"
    );
}

/// Values are bytes, none or many.
pub async fn values_of_any_bytes_come_back(state: &dyn SiteState) {
    let name = fresh("bytes");
    let mut version = None;
    for bytes in [Bytes::new(), (0..=u8::MAX).collect(), vec![0xff; 2 << 20].into()] {
        version = ok(state.put_value(&name, version, bytes.clone()).await);
        let found = ok(state.value(&name).await);
        assert!(
            found.is_some_and(|(held, found)| Some(held) == version && found == bytes),
            "other bytes came back"
        );
    }
}
