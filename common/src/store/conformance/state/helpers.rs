//! What the checks of mined state share.

pub(super) use std::collections::{BTreeMap, BTreeSet};
pub(super) use std::sync::atomic::{AtomicBool, Ordering};

pub(super) use bytes::Bytes;

pub(super) use super::super::{Dice, START, fresh, histories, ok, site, url};
pub(super) use crate::store::{Applied, Change, SiteState, state_digest};
pub(super) use crate::version::{ContentHash, Version};
pub(super) use newslode_page::contribution::{Cell, Delta, Table};
pub(super) use newslode_page::time::Timestamp;

pub(super) fn version(fetch: u64, content: u8) -> Option<Version> {
    Some(Version { fetch, content: ContentHash([content; 16]) })
}

pub(super) fn delta(cells: &[(&str, i64)]) -> Delta {
    let mut delta = Delta::default();
    for (key, by) in cells {
        delta.add(Cell::new(Table::Labels, &[key]), *by);
    }
    delta
}

pub(super) fn change(
    name: &str,
    path: &str,
    expected: Option<Version>,
    new: Option<Version>,
    cells: &[(&str, i64)],
) -> Change {
    let new = new.unwrap_or(Version { fetch: 0, content: ContentHash::NONE });
    Change { url: url(name, path), expected, new, fetched_at: START, delta: delta(cells), again: false }
}

pub(super) async fn apply(state: &dyn SiteState, name: &str, changes: &[Change]) -> Vec<Applied> {
    ok(state.apply(&site(name), changes).await)
}

/// Applies changes to page `a`. All of them must count.
pub(super) async fn count(state: &dyn SiteState, name: &str, changes: &[Change]) {
    let verdicts = apply(state, name, changes).await;
    assert_eq!(verdicts, vec![Applied::Applied; changes.len()], "changes that must count");
}

pub(super) async fn check_labels(state: &dyn SiteState, name: &str, wanted: &[(&str, i64)]) {
    let found = ok(state.cells(&site(name), Table::Labels).await);
    let wanted: BTreeMap<String, i64> = wanted.iter().map(|(key, sum)| ((*key).to_owned(), *sum)).collect();
    assert_eq!(found, wanted, "the labels of {name}");
}

pub(super) async fn check_version(state: &dyn SiteState, name: &str, path: &str, wanted: Option<Version>) {
    assert_eq!(ok(state.versions(&site(name), &[url(name, path)]).await), [wanted], "the version of {path}");
}

pub(super) async fn forget(state: &dyn SiteState, name: &str) {
    ok(state.forget(&site(name)).await);
}

pub(super) async fn check_pages(state: &dyn SiteState, name: &str, wanted: usize) {
    assert_eq!(ok(state.pages(&site(name)).await).len(), wanted, "the number of pages of {name}");
}
