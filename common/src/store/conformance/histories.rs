//! Histories of made-up pages, and the plain sum they must end in.
//!
//! A page's history is a list of fetches, each with content or a removal. Newer algorithms count some fetches
//! again. A caller counts the fetches in any order, any number of times, and must always end with the newest
//! one of each page, as the newer algorithms see it if they counted it. Contents are tiny: a content's cells
//! follow from its hash.

use std::collections::BTreeMap;

use super::{Dice, START, ok, url};
use crate::store::{Applied, Change, SiteState};
use crate::version::{ContentHash, Version};
use newslode_page::contribution::{Cell, Delta, Table};
use newslode_page::reading::{CanonicalUrl, Site};

/// One fetch of a page.
#[derive(Clone, Debug)]
pub(super) struct Fetch {
    pub(super) url: CanonicalUrl,
    pub(super) version: Version,
    /// Whether newer algorithms count the fetch again.
    pub(super) again: bool,
}

/// Makes fetches of `pages` pages, up to four each, some of them removals. Every third one is counted twice: by
/// old algorithms, and again by newer ones.
pub(super) fn fetches(dice: &mut Dice, name: &str, pages: usize) -> Vec<Fetch> {
    let mut fetches = Vec::new();
    for page in 0..pages {
        let url = url(name, &format!("p{page}"));
        for fetch in 1..=1 + dice.below(4) as u64 {
            let removed = dice.below(6) == 0;
            let content =
                if removed { ContentHash::NONE } else { ContentHash([1 + dice.below(9) as u8; 16]) };
            fetches.push(Fetch { url: url.clone(), version: Version { fetch, content }, again: false });
            if !removed && dice.below(3) == 0 {
                let content = ContentHash([100 + dice.below(9) as u8; 16]);
                fetches.push(Fetch { url: url.clone(), version: Version { fetch, content }, again: true });
            }
        }
    }
    fetches
}

/// The cells that a content counts: pages, and a few cells shared by contents, with positive and negative
/// counts.
pub(super) fn cells(content: ContentHash) -> Vec<(Cell, i64)> {
    if content == ContentHash::NONE {
        return Vec::new();
    }
    let seed = i64::from(content.0[0]);
    vec![
        (Cell::new(Table::Pages, &[]), 1),
        (Cell::new(Table::Labels, &[&format!("label {}", seed % 4), "any"]), 1),
        (Cell::new(Table::Terms, &["tf", &format!("term {}", seed % 3)]), seed * 1_000_003 - 4_000_000),
        (Cell::new(Table::Terms, &["q", "huge"]), i64::MAX - seed),
    ]
}

/// New content − old content.
pub(super) fn delta(old: ContentHash, new: ContentHash) -> Delta {
    let mut delta = Delta::default();
    for (cell, count) in cells(new) {
        delta.add(cell, count);
    }
    for (cell, count) in cells(old) {
        delta.add(cell, count.wrapping_neg());
    }
    delta
}

/// The change that counts a fetch on top of the stored version.
pub(super) fn change(fetch: &Fetch, stored: Option<Version>) -> Change {
    let old = stored.map_or(ContentHash::NONE, |version| version.content);
    Change {
        url: fetch.url.clone(),
        expected: stored,
        new: fetch.version,
        fetched_at: START,
        delta: delta(old, fetch.version.content),
        again: fetch.again,
    }
}

/// Counts fetches as a miner does: reads the versions, applies, and tries conflicts again. Now and then it
/// guesses an expected version on purpose, as if its read were out of date.
pub(super) async fn count(state: &dyn SiteState, dice: &mut Dice, site: &Site, batch: &[Fetch]) {
    let urls: Vec<CanonicalUrl> = batch.iter().map(|fetch| fetch.url.clone()).collect();
    let stored = ok(state.versions(site, &urls).await);
    let guess = Some(Version { fetch: 0, content: ContentHash([200; 16]) });
    let mut todo: Vec<(Fetch, Option<Version>)> = batch
        .iter()
        .zip(stored)
        .map(|(fetch, stored)| (fetch.clone(), if dice.below(8) == 0 { guess } else { stored }))
        .collect();
    let mut rounds = 0;
    while !todo.is_empty() {
        rounds += 1;
        assert!(rounds <= batch.len() + 2, "conflicts without an end: {todo:?}");
        let changes: Vec<Change> = todo.iter().map(|(fetch, stored)| change(fetch, *stored)).collect();
        let verdicts = ok(state.apply(site, &changes).await);
        assert_eq!(verdicts.len(), changes.len(), "one verdict a change");
        todo = todo
            .into_iter()
            .zip(verdicts)
            .filter_map(|((fetch, _), verdict)| match verdict {
                Applied::Conflict(stored) => Some((fetch, stored)),
                Applied::Applied | Applied::Stale => None,
            })
            .collect();
    }
}

/// The newest version of each page, and the plain sum of their cells without zeroes.
pub(super) fn plain_sum(fetches: &[Fetch]) -> (BTreeMap<CanonicalUrl, Version>, BTreeMap<Cell, i64>) {
    let mut newest: BTreeMap<CanonicalUrl, &Fetch> = BTreeMap::new();
    for fetch in fetches {
        let held = newest.entry(fetch.url.clone()).or_insert(fetch);
        if (fetch.version.fetch, fetch.again) > (held.version.fetch, held.again) {
            *held = fetch;
        }
    }
    let newest: BTreeMap<CanonicalUrl, Version> =
        newest.into_iter().map(|(url, fetch)| (url, fetch.version)).collect();
    let mut sums: BTreeMap<Cell, i64> = BTreeMap::new();
    for (cell, count) in newest.values().flat_map(|version| cells(version.content)) {
        let sum = sums.entry(cell).or_default();
        *sum = sum.wrapping_add(count);
    }
    sums.retain(|_, sum| *sum != 0);
    (newest, sums)
}
