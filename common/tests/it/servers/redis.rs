//! The served store on a real Redis: the traits' contracts. Faults of the server are in `faults`.

#![allow(clippy::unwrap_used, reason = "a test says what broke by panicking")]

mod claims;
mod faults;
mod server;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures::future::join_all;
use newslode_common::config::{Secret, StoreConfig};
use newslode_common::store::redis::RedisStore;
use newslode_common::store::{Applied, Change, SiteState, bucket, conformance, state_digest};
use newslode_common::version::{ContentHash, Version};
use newslode_page::contribution::{Cell, Delta, Table, first};
use newslode_page::reading::{CanonicalUrl, Site};
use newslode_page::time::Timestamp;
use proptest::prelude::*;

use newslode_test_servers::RedisServer;

async fn store(server: &RedisServer) -> RedisStore {
    RedisStore::connect(&server.config()).await.unwrap()
}

/// Some answers have another form in the newer protocol.
async fn resp3(server: &RedisServer) -> RedisStore {
    let url = Secret::new(format!("{}?protocol=resp3", server.config().url.reveal()));
    RedisStore::connect(&StoreConfig { url, ..server.config() }).await.unwrap()
}

fn site() -> Site {
    "news.example".parse().unwrap()
}

fn url(path: u64) -> CanonicalUrl {
    format!("https://news.example/{path}").parse().unwrap()
}

fn version(fetch: u64) -> Version {
    Version { fetch, content: ContentHash(u128::from(fetch).to_be_bytes()) }
}

fn delta(cells: &[(Table, &str, i64)]) -> Delta {
    let mut delta = Delta::default();
    for (table, key, by) in cells {
        delta.add(Cell::new(*table, &[key]), *by);
    }
    delta
}

fn change(path: u64, expected: Option<Version>, new: Version, cells: &[(Table, &str, i64)]) -> Change {
    Change { url: url(path), expected, new, fetched_at: Timestamp(5), delta: delta(cells), again: false }
}

// ---------------------------------------------------------------------------------- contracts

/// Runs the checks twice, so that leftovers of a check would show, and again on the newer protocol.
#[tokio::test]
async fn keeps_every_promise_of_both_traits() {
    let server = RedisServer::start();
    let stores = [store(&server).await, store(&server).await, resp3(&server).await];
    for store in &stores {
        conformance::frontier::all(store).await;
        conformance::state::all(store).await;
    }
}

/// The cells that a page counts in one of its versions. Pages share them, so that sums matter.
fn counted(path: u64, fetch: u64) -> Vec<(Table, String, i64)> {
    let mixed = path.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(u32::try_from(fetch % 64).unwrap());
    // Every third version is too large for a double.
    let large = if fetch.is_multiple_of(3) { (mixed as i64) | 1 } else { (mixed % 7) as i64 + 1 };
    vec![
        (Table::Pages, String::new(), 1),
        (Table::Labels, format!("en:{}", mixed % 5), 1),
        (Table::Terms, format!("tf\u{1f}{}", fetch % 4), large),
    ]
}

/// The delta from one counted version of a page to another. Either may be `None`.
fn between(path: u64, old: Option<u64>, new: Option<u64>) -> Delta {
    let mut delta = Delta::default();
    for (fetch, sign) in [(new, 1), (old, -1)] {
        for (table, key, by) in fetch.map(|fetch| counted(path, fetch)).unwrap_or_default() {
            delta.add(Cell::new(table, &[&key]), by.wrapping_mul(sign));
        }
    }
    delta
}

/// Delivers messages "this page has this version" as a miner does. Its idea of the counted version may be old
/// or wrong, so it answers conflicts with the delta from the stored version.
async fn deliver(store: &RedisStore, site: &Site, messages: &[(u64, u64)], batch: usize) {
    for part in messages.chunks(batch) {
        let mut held: Vec<(u64, u64, Option<Version>)> =
            part.iter().map(|(path, fetch)| (*path, *fetch, None)).collect();
        while !held.is_empty() {
            let changes: Vec<Change> = held
                .iter()
                .map(|(path, fetch, expected)| Change {
                    url: url(*path),
                    expected: *expected,
                    new: version(*fetch),
                    fetched_at: Timestamp(5),
                    delta: between(*path, expected.map(|version| version.fetch), Some(*fetch)),
                    again: false,
                })
                .collect();
            let verdicts = store.apply(site, &changes).await.unwrap();
            let judged = held.into_iter().zip(verdicts);
            held = judged
                .filter_map(|((path, fetch, _), verdict)| match verdict {
                    Applied::Conflict(stored) => Some((path, fetch, stored)),
                    Applied::Applied | Applied::Stale => None,
                })
                .collect();
        }
    }
}

/// The state that must result, by plain arithmetic: the sum of each page's newest version.
fn plain(messages: &[(u64, u64)]) -> (BTreeMap<(Table, String), i64>, BTreeMap<u64, u64>) {
    let mut newest: BTreeMap<u64, u64> = BTreeMap::new();
    for (path, fetch) in messages {
        let held = newest.entry(*path).or_default();
        *held = (*held).max(*fetch);
    }
    let mut sums: BTreeMap<(Table, String), i64> = BTreeMap::new();
    for (path, fetch) in &newest {
        for (table, key, by) in counted(*path, *fetch) {
            let sum = sums.entry((table, key)).or_default();
            *sum = sum.wrapping_add(by);
        }
    }
    sums.retain(|_, sum| *sum != 0);
    (sums, newest)
}

/// Programs of 0.1.0 count beside ours: what they add to their tables is part of the sums, whenever it is found.
#[tokio::test]
async fn tables_of_0_1_0_are_taken_over_while_its_programs_still_count() {
    let server = RedisServer::start();
    let store = store(&server).await;
    let (mut sums, mut version_of) = (Delta::default(), None);
    for round in 1..4_u64 {
        for path in 0..1_200 {
            let label = format!("en:label {path}");
            let by = (i64::try_from(round).unwrap() - 3).to_string();
            for (table, key) in [
                (Table::Labels, format!("{label}\u{1f}any")),
                (Table::Terms, format!("tf\u{1f}{path}")),
                (Table::Nested, format!("{label}\u{1f}en:music")),
            ] {
                if path < 40 || table == Table::Labels {
                    let name = format!("newslode:{{b{}}}:c.{}:{}", bucket(&site()), table.code(), site());
                    server.tell(&["HINCRBY", &name, &key, &by]);
                    for (cell, by) in first::to_current_cells(table, &key, by.parse().unwrap()) {
                        sums.add(cell, by);
                    }
                }
            }
        }
        let counted = delta(&[(Table::Terms, "tf\u{1f}7", 5), (Table::Pages, "", 1)]);
        counted.iter().for_each(|(cell, by)| sums.add(cell.clone(), by));
        let new = version(round);
        let change = Change { delta: counted, ..change(0, version_of.replace(new), new, &[]) };
        assert_eq!(store.apply(&site(), &[change]).await.unwrap(), [Applied::Applied]);
        let wanted: BTreeMap<_, _> =
            sums.iter().map(|(cell, by)| ((cell.table, cell.key.clone()), by)).collect();
        assert_eq!(held(&store, &site()).await, wanted);
        let left = server.tell(&["EVAL", "return #redis.call('KEYS', '*:c.*')", "0"]);
        assert_eq!(left, ":0", "tables of 0.1.0 are left");
    }
}

async fn held(store: &RedisStore, site: &Site) -> BTreeMap<(Table, String), i64> {
    let mut cells = BTreeMap::new();
    for table in Table::ALL {
        let held = store.cells(site, *table).await.unwrap();
        cells.extend(held.into_iter().map(|(key, count)| ((*table, key), count)));
    }
    cells
}

/// Any order, duplication and batches end in the state of the plain sums, to the bit.
#[test]
fn any_order_and_duplication_end_in_the_plain_sums() {
    let server = RedisServer::start();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let store = runtime.block_on(store(&server));
    let case = AtomicU64::new(0);
    // Fetch numbers have one or two digits, since they are compared as texts.
    let message = (0..6u64, 5..16u64);
    proptest!(ProptestConfig::with_cases(96), |(
        messages in prop::collection::vec(message, 1..40),
        batch in 1..12usize,
    )| {
        let number = case.fetch_add(2, Ordering::Relaxed);
        let names = [number, number + 1].map(|number| format!("case{number}.example").parse::<Site>().unwrap());
        let mut sorted = messages.clone();
        sorted.sort_unstable();
        sorted.dedup();
        runtime.block_on(async {
            deliver(&store, &names[0], &messages, batch).await;
            deliver(&store, &names[1], &sorted, 1).await;
            let (sums, newest) = plain(&messages);
            prop_assert_eq!(held(&store, &names[0]).await, sums);
            let pages = store.pages(&names[0]).await.unwrap();
            let wanted: Vec<_> = newest.iter().map(|(path, fetch)| (url(*path), version(*fetch))).collect();
            prop_assert_eq!(pages, wanted);
            let digests = [
                state_digest(&store, &names[0]).await.unwrap(),
                state_digest(&store, &names[1]).await.unwrap(),
            ];
            prop_assert_eq!(digests[0], digests[1]);
            Ok(())
        })?;
    });
}

/// Cells are 64-bit integers that wrap, although Lua counts in doubles.
#[test]
fn sums_are_those_of_64_bit_integers() {
    let server = RedisServer::start();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let store = runtime.block_on(store(&server));
    let edges = [
        i64::MAX,
        i64::MIN,
        i64::MIN + 1,
        -1,
        1,
        1 << 53,
        (1 << 53) + 1,
        1 << 32,
        -(1 << 32),
        999_999_999_999_999,
        1_000_000_000_000_000,
        -1_000_000_000_000_000,
        1_000_000,
        u32::MAX.into(),
    ];
    let number = prop_oneof![any::<i64>(), prop::sample::select(edges.to_vec()), -9..9i64];
    let case = AtomicU64::new(0);
    proptest!(ProptestConfig::with_cases(512), |(
        numbers in prop::collection::vec(number, 2..8),
        together in any::<bool>(),
    )| {
        let site: Site = format!("sum{}.example", case.fetch_add(1, Ordering::Relaxed)).parse().unwrap();
        let changes: Vec<Change> = (0..).zip(&numbers)
            .map(|(path, by)| change(path, None, version(1), &[(Table::Terms, "t", *by)]))
            .collect();
        let size = if together { changes.len() } else { 1 };
        let sum = numbers.iter().fold(0i64, |sum, by| sum.wrapping_add(*by));
        runtime.block_on(async {
            for part in changes.chunks(size) {
                store.apply(&site, part).await.unwrap();
            }
            let held = store.cells(&site, Table::Terms).await.unwrap();
            prop_assert_eq!(held.get("t").copied(), (sum != 0).then_some(sum));
            Ok(())
        })?;
    });
}

/// Each count is exact in a double, but not their sum.
#[tokio::test]
async fn a_batch_of_large_counts_adds_exactly() {
    let server = RedisServer::start();
    let store = store(&server).await;
    let by = 999_999_999_999_997;
    let changes: Vec<Change> =
        (0..63).map(|path| change(path, None, version(1), &[(Table::Terms, "t", by)])).collect();
    store.apply(&site(), &changes).await.unwrap();
    assert_eq!(store.cells(&site(), Table::Terms).await.unwrap()["t"], 63 * by);
}

/// A batch larger than any of Lua's limits is still one call.
#[tokio::test]
async fn a_huge_batch_is_applied_whole() {
    let server = RedisServer::start();
    let store = store(&server).await;
    let labels: Vec<String> = (0..30_000).map(|label| format!("en:{label}")).collect();
    let cells: Vec<(Table, &str, i64)> =
        labels.iter().map(|label| (Table::Labels, label.as_str(), 2)).collect();
    let changes: Vec<Change> = (0..3).map(|path| change(path, None, version(1), &cells)).collect();
    let long = "x".repeat(70_000);
    let mut changes = changes;
    changes.extend((3..9_003).map(|path| change(path, None, version(1), &[(Table::Forms, &long[..300], 1)])));
    changes.push(change(9_003, None, version(1), &[(Table::Forms, &long, 1)]));
    let verdicts = store.apply(&site(), &changes).await.unwrap();
    assert!(verdicts.iter().all(|verdict| *verdict == Applied::Applied));
    let held = store.cells(&site(), Table::Labels).await.unwrap();
    assert_eq!((held.len(), held.values().sum::<i64>()), (30_000, 180_000));
    let forms = store.cells(&site(), Table::Forms).await.unwrap();
    assert_eq!((forms[&long[..300]], forms[&long]), (9_000, 1));
    assert_eq!(store.pages(&site()).await.unwrap().len(), 9_004);
}

/// Two miners with the same messages count each page once.
#[tokio::test]
async fn two_clients_with_the_same_batch_count_it_once() {
    let server = RedisServer::start();
    let stores = [store(&server).await, store(&server).await];
    let cells = [(Table::Pages, "", 1), (Table::Labels, "en:jazz\u{1f}any", 1)];
    for round in 0..50 {
        let changes: Vec<Change> =
            (0..4).map(|page| change(round * 4 + page, None, version(1), &cells)).collect();
        let site = site();
        let calls = stores.iter().map(|store| store.apply(&site, &changes));
        let mut verdicts: Vec<_> = join_all(calls).await.into_iter().map(Result::unwrap).collect();
        verdicts.sort_by_key(|verdicts| verdicts[0] == Applied::Stale);
        assert_eq!(verdicts, [vec![Applied::Applied; 4], vec![Applied::Stale; 4]]);
    }
    assert_eq!(stores[0].cells(&site(), Table::Pages).await.unwrap()[""], 200);
}

/// A client that remembers a site's counter sees that the site was forgotten and counted anew.
#[tokio::test]
async fn a_forgotten_site_goes_on_with_its_counter() {
    let server = RedisServer::start();
    let store = store(&server).await;
    for fetch in 1..4 {
        let expected = (fetch > 1).then(|| version(fetch - 1));
        let cells = [(Table::Labels, "en:jazz", 1)];
        store.apply(&site(), &[change(0, expected, version(fetch), &cells)]).await.unwrap();
    }
    let before = store.sites().await.unwrap();
    store.forget(&site()).await.unwrap();
    assert_eq!(store.sites().await.unwrap(), []);
    store.apply(&site(), &[change(0, None, version(1), &[(Table::Labels, "en:jazz", 1)])]).await.unwrap();
    let after = store.sites().await.unwrap();
    assert_eq!((before.len(), after.len()), (1, 1));
    assert!(after[0].1 > before[0].1, "{before:?} then {after:?}");
}

/// Two writers of one value: one of them is first, and the other learns it.
#[tokio::test]
async fn one_of_two_writers_of_a_value_is_first() {
    let server = RedisServer::start();
    let stores = [store(&server).await, store(&server).await];
    let bytes: bytes::Bytes = (0..=255u8).collect::<Vec<u8>>().repeat(4096).into();
    for round in 0..20u64 {
        let expected = (round > 0).then_some(round);
        let calls = stores.iter().map(|store| store.put_value("plan} {x", expected, bytes.clone()));
        let mut won: Vec<_> = join_all(calls).await.into_iter().map(Result::unwrap).collect();
        won.sort_unstable();
        assert_eq!(won, [None, Some(round + 1)]);
    }
    assert_eq!(stores[1].value("plan} {x").await.unwrap(), Some((20, bytes)));
    assert_eq!(stores[1].value("another").await.unwrap(), None);
}
