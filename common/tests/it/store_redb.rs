//! The embedded store and the archives keep every promise across closing, crashes and other orders.

#![allow(clippy::unwrap_used, reason = "all of this file is tests; the lint knows only functions marked so")]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use newslode_common::store::archive::ObjectArchive;
use newslode_common::store::redb::RedbStore;
use newslode_common::store::redb::backup::back_up;
use newslode_common::store::redb::repair::{self, FileRepair};
use newslode_common::store::{
    Applied, Change, Frontier, Kind, NewUrl, PageArchive, SiteSettings, SiteState, StoreError, Why,
    conformance, state_digest,
};
use newslode_common::version::{ContentHash, Version};
use newslode_page::contribution::{Cell, Delta, Table};
use newslode_page::reading::{CanonicalUrl, Site};
use newslode_page::time::Timestamp;
use proptest::prelude::*;

const CHILD: &str = "NEWSLODE_TEST_CRASHING_STORE";

fn site() -> Site {
    Site::of_host("crash.example")
}

fn page(number: u64) -> CanonicalUrl {
    format!("https://crash.example/p{number}").parse().unwrap()
}

/// Page `number` counts one page and a label of its own.
fn change(number: u64) -> Change {
    let mut delta = Delta::default();
    delta.add(Cell::new(Table::Pages, &[]), 1);
    delta.add(Cell::new(Table::Labels, &[&format!("label {number}")]), 1);
    let new = Version { fetch: 1, content: ContentHash([7; 16]) };
    Change { url: page(number), expected: None, new, fetched_at: Timestamp(5), delta, again: false }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_keeps_the_promises_of_a_frontier() {
    let folder = tempfile::tempdir().unwrap();
    conformance::frontier::all(&RedbStore::open(&folder.path().join("store")).unwrap()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_keeps_the_promises_of_mined_state() {
    let folder = tempfile::tempdir().unwrap();
    conformance::state::all(&RedbStore::open(&folder.path().join("store")).unwrap()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn all_archives_keep_their_promises() {
    let folder = tempfile::tempdir().unwrap();
    conformance::archive::all(&RedbStore::open(&folder.path().join("store")).unwrap()).await;
    let objects = url::Url::from_directory_path(folder.path().join("new/folder")).unwrap();
    conformance::archive::all(&ObjectArchive::open(objects.as_str()).unwrap()).await;
    conformance::archive::all(&ObjectArchive::open("memory:///").unwrap()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_archive_that_removes_its_oldest_values_keeps_its_promises() {
    let folder = tempfile::tempdir().unwrap();
    conformance::aged::all(&RedbStore::open(&folder.path().join("store")).unwrap()).await;
    conformance::aged::all(&RedbStore::in_memory().unwrap()).await;
}

#[tokio::test]
async fn an_object_is_a_file_that_zstd_reads() {
    let folder = tempfile::tempdir().unwrap();
    let url = url::Url::from_directory_path(folder.path()).unwrap();
    let archive = ObjectArchive::open(url.as_str()).unwrap();
    let content = ContentHash([0xab; 16]);
    archive.put(Kind::Article, content, "a page".into(), Timestamp(5)).await.unwrap();
    let file = folder.path().join(format!("article/ab/{content}.zst"));
    assert_eq!(zstd::stream::decode_all(&std::fs::read(&file).unwrap()[..]).unwrap(), b"a page");
    let mut broken = std::fs::read(&file).unwrap();
    *broken.last_mut().unwrap() ^= 1;
    std::fs::write(&file, broken).unwrap();
    assert!(matches!(archive.get(Kind::Article, content).await, Err(StoreError::Corrupt(_))));
}

#[test]
fn an_archive_elsewhere_is_refused_by_name() {
    for wrong in ["nowhere", "ftp://example.org/", "file://other.example/x"] {
        let error = ObjectArchive::open(wrong).err().unwrap().to_string();
        assert!(error.contains(wrong), "{error}");
    }
}

#[tokio::test]
async fn a_file_that_is_open_is_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let first = RedbStore::open(&path).unwrap();
    let error = RedbStore::open(&path).err().unwrap();
    assert!(matches!(error, StoreError::InUse(_)), "{error}");
    assert!(error.to_string().contains(path.to_str().unwrap()), "{error}");
    drop(first);
    RedbStore::open(&path).unwrap();
}

#[test]
fn a_file_that_is_no_store_is_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    std::fs::write(&path, "not a store ".repeat(1_000)).unwrap();
    let error = RedbStore::open(&path).err().unwrap().to_string();
    assert!(error.contains(path.to_str().unwrap()), "{error}");
}

#[tokio::test]
async fn a_closed_file_keeps_everything() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let digest = {
        let store = RedbStore::open(&path).unwrap();
        let settings =
            SiteSettings { max_pages: 10, max_depth: 3, delay_ms: 0, paused: false, labels: BTreeMap::new() };
        store.put_site(&site(), &settings).await.unwrap();
        let new = NewUrl::once(page(1), 1, Why::Seed, 0);
        store.add(&[new], Timestamp(5)).await.unwrap();
        store.apply(&site(), &[change(1), change(2)]).await.unwrap();
        store.put(Kind::Page, ContentHash([7; 16]), "kept".into(), Timestamp(5)).await.unwrap();
        state_digest(&store, &site()).await.unwrap()
    };
    let store = RedbStore::open(&path).unwrap();
    assert_eq!(state_digest(&store, &site()).await.unwrap(), digest);
    assert_eq!(store.pages(&site()).await.unwrap().len(), 2);
    assert_eq!(store.get(Kind::Page, ContentHash([7; 16])).await.unwrap(), Some("kept".into()));
    let claims = store.claim(Timestamp(5), Duration::from_secs(1), 10).await.unwrap().claims;
    assert_eq!(claims.iter().map(|claim| &claim.url).collect::<Vec<_>>(), [&page(1)]);
}

/// The child process of the next test: it keeps writing, and prints each write that the store has answered.
#[tokio::test]
async fn child_that_is_killed() {
    let Ok(path) = std::env::var(CHILD) else { return };
    let store = RedbStore::open(path.as_ref()).unwrap();
    for number in 0.. {
        store.apply(&site(), &[change(2 * number), change(2 * number + 1)]).await.unwrap();
        if number % 50 == 49 {
            std::fs::write(format!("{path}.answered"), (number + 1).to_string()).unwrap();
        }
    }
}

#[tokio::test]
async fn a_killed_process_leaves_whole_calls_in_order() {
    for round in 0..3 {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store");
        let answered = || {
            let text = std::fs::read_to_string(format!("{}.answered", path.display())).unwrap_or_default();
            text.parse::<u64>().unwrap_or(0)
        };
        let mut child = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "store_redb::child_that_is_killed"])
            .env(CHILD, &path)
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let limit = Instant::now() + Duration::from_secs(60);
        while answered() < 50 * (round + 1) && Instant::now() < limit {
            std::thread::sleep(Duration::from_millis(1 + 3 * round));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let least = answered();
        assert!(least > 0, "the child was answered nothing in a minute");
        if round == 0 {
            // A reader that opens the file also recovers it.
            let reader = RedbStore::open_read_only(&path).unwrap();
            assert!(reader.pages(&site()).await.unwrap().len() as u64 >= 2 * least);
        }
        check_prefix(&RedbStore::open(&path).unwrap(), least).await;
    }
}

/// The file holds pages 0, 1, … without a gap, both pages of each call, and at least the answered ones.
async fn check_prefix(store: &RedbStore, least: u64) {
    let pages = store.pages(&site()).await.unwrap();
    let count = pages.len() as u64;
    assert!(count >= 2 * least && count.is_multiple_of(2), "{count} pages after {least} answered calls");
    let wanted: std::collections::BTreeSet<_> = (0..count).map(page).collect();
    assert_eq!(pages.into_iter().map(|(url, _)| url).collect::<std::collections::BTreeSet<_>>(), wanted);
    let sum = store.cells(&site(), Table::Pages).await.unwrap();
    assert_eq!(sum, BTreeMap::from([(String::new(), i64::try_from(count).unwrap())]));
    assert_eq!(store.cells(&site(), Table::Labels).await.unwrap().len() as u64, count);
    let next = store.apply(&site(), &[change(count)]).await.unwrap();
    assert_eq!(next, [Applied::Applied], "the file goes on");
}

/// Fetches of a few pages. Content 0 removes the page.
fn fetches() -> impl Strategy<Value = Vec<(u64, u64, u8)>> {
    proptest::collection::vec((0..4_u64, 1..5_u64, 0..4_u8), 1..40)
}

fn cells(content: u8) -> Vec<(Cell, i64)> {
    let count = i64::from(content);
    match content {
        0 => Vec::new(),
        _ => vec![
            (Cell::new(Table::Pages, &[]), 1),
            (Cell::new(Table::Terms, &["tf", "jazz"]), count - 2),
            (Cell::new(Table::Labels, &[&format!("label {}", content % 2)]), i64::MAX),
        ],
    }
}

/// Counts one fetch as a miner does.
async fn count(store: &RedbStore, url: &CanonicalUrl, new: Version) {
    let mut expected = None;
    loop {
        let old = expected.map_or(0, |version: Version| version.content.0[0]);
        let mut delta = Delta::default();
        cells(new.content.0[0]).into_iter().for_each(|(cell, by)| delta.add(cell, by));
        cells(old).into_iter().for_each(|(cell, by)| delta.add(cell, by.wrapping_neg()));
        let change =
            Change { url: url.clone(), expected, new, fetched_at: Timestamp(5), delta, again: false };
        match store.apply(&site(), &[change]).await.unwrap()[0] {
            Applied::Conflict(stored) => expected = stored,
            Applied::Applied | Applied::Stale => return,
        }
    }
}

async fn counted(deliveries: &[(u64, Version)]) -> (ContentHash, BTreeMap<Cell, i64>) {
    let store = RedbStore::in_memory().unwrap();
    for (number, version) in deliveries {
        count(&store, &page(*number), *version).await;
    }
    let mut held = BTreeMap::new();
    for table in Table::ALL {
        for (key, sum) in store.cells(&site(), *table).await.unwrap() {
            held.insert(Cell { table: *table, key }, sum);
        }
    }
    (state_digest(&store, &site()).await.unwrap(), held)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_order_with_duplicates_is_the_plain_sum(fetches in fetches(), seed in any::<u64>()) {
        // One content per fetch number: the first one drawn.
        let mut contents: BTreeMap<(u64, u64), u8> = BTreeMap::new();
        for (page, fetch, content) in &fetches {
            contents.entry((*page, *fetch)).or_insert(*content);
        }
        let version = |page, fetch| Version { fetch, content: ContentHash([contents[&(page, fetch)]; 16]) };
        let drawn: Vec<_> = fetches.iter().map(|(page, fetch, _)| (*page, version(*page, *fetch))).collect();
        let mut other: Vec<_> = drawn.iter().chain(&drawn).copied().collect();
        for (index, step) in (1..other.len()).rev().zip(1_u64..) {
            let random = (seed ^ step.rotate_left(40)).wrapping_mul(6_364_136_223_846_793_005).wrapping_add(step.wrapping_mul(1_442_695_040_888_963_407));
            other.swap(index, usize::try_from(random >> 33).unwrap() % (index + 1));
        }

        let mut sums: BTreeMap<Cell, i64> = BTreeMap::new();
        let newest: BTreeMap<u64, u8> = contents.iter().map(|((page, _), content)| (*page, *content)).collect();
        for (cell, by) in newest.values().flat_map(|content| cells(*content)) {
            let sum = sums.entry(cell).or_default();
            *sum = sum.wrapping_add(by);
        }
        sums.retain(|_, sum| *sum != 0);

        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let (one, held) = runtime.block_on(counted(&drawn));
        let (two, _) = runtime.block_on(counted(&other));
        prop_assert_eq!(held, sums);
        prop_assert_eq!(one, two);
    }
}

/// Fills a store with a site, pages and archived values, and closes it.
async fn filled(path: &std::path::Path) -> ContentHash {
    let store = RedbStore::open(path).unwrap();
    store.put_site(&site(), &settings()).await.unwrap();
    for number in 0..300 {
        store.add(&[NewUrl::once(page(number), 1, Why::Seed, 0)], Timestamp(5)).await.unwrap();
        let mut content = [7; 16];
        content[0] = number as u8;
        let text: String = (0..40).map(|word| format!("{} ", blake_word(number * 41 + word))).collect();
        store.put(Kind::Page, ContentHash(content), text.into(), Timestamp(5)).await.unwrap();
    }
    let changes: Vec<Change> = (0..300).map(change).collect();
    store.apply(&site(), &changes).await.unwrap();
    state_digest(&store, &site()).await.unwrap()
}

/// A word that does not compress.
fn blake_word(number: u64) -> String {
    ContentHash::of(&page(number), None, b"").to_string()
}

#[tokio::test]
async fn a_store_that_only_reads_changes_nothing_and_refuses_to_write() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let digest = filled(&path).await;
    let before = std::fs::read(&path).unwrap();
    {
        let (one, other) =
            (RedbStore::open_read_only(&path).unwrap(), RedbStore::open_read_only(&path).unwrap());
        assert_eq!(state_digest(&one, &site()).await.unwrap(), digest);
        assert_eq!(Frontier::status(&other).await.unwrap()[0].urls, 300);
        let refused = other.apply(&site(), &[change(1)]).await.unwrap_err();
        assert!(refused.to_string().contains("reading only"), "{refused}");
    }
    assert!(before == std::fs::read(&path).unwrap(), "the file changed");
}

#[tokio::test]
async fn readers_see_every_answered_call_of_a_writer() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    filled(&path).await;
    let early = RedbStore::open_read_only(&path).unwrap();
    let writer = RedbStore::open(&path).unwrap();
    let late = RedbStore::open_read_only(&path).unwrap();
    for number in 300..320 {
        writer.apply(&site(), &[change(number)]).await.unwrap();
        for reader in [&early, &late] {
            assert_eq!(reader.pages(&site()).await.unwrap().len() as u64, number + 1);
        }
    }
    let second = RedbStore::open(&path).err().unwrap();
    assert!(matches!(second, StoreError::InUse(_)), "{second}");
    drop(writer);
    assert_eq!(early.pages(&site()).await.unwrap().len(), 320);
    drop(RedbStore::open(&path).unwrap());
}

/// Replaces the value `replaced` so many times, and returns the size of the file.
async fn replace_value(writer: &RedbStore, path: &Path, times: u64) -> u64 {
    let mut version = writer.value("replaced").await.unwrap().map(|(version, _)| version);
    for time in 0..times {
        // Numbers that compress badly.
        let value: Vec<u8> =
            (0..32_768_u64).flat_map(|n| (n * n * 2_654_435_761 + time).to_le_bytes()).collect();
        version = writer.put_value("replaced", version, value.into()).await.unwrap();
        assert!(version.is_some());
    }
    std::fs::metadata(path).unwrap().len()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_that_hangs_makes_the_file_grow_only_until_its_time_is_over() {
    const KEPT_FOR: Duration = Duration::from_secs(4);
    const MIB: u64 = 1 << 20;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("grows.redb");
    let writer = RedbStore::open(&path).unwrap();
    let replace = async |times: u64| replace_value(&writer, &path, times).await;
    let usual = replace(20).await;
    let reader = RedbStore::open_snapshot(&path, KEPT_FOR).unwrap();
    let begun = Instant::now();
    let (seen, _) = reader.value("replaced").await.unwrap().unwrap();
    let (mut grown, mut replaced) = (usual, 0);
    while begun.elapsed() < KEPT_FOR - Duration::from_millis(500) {
        grown = grown.max(replace(1).await);
        replaced += 1;
    }
    assert!(grown >= usual + MIB, "{usual} {grown}: the reader holds what {replaced} times was replaced");
    // It hangs: no call is made.
    tokio::time::sleep(KEPT_FOR - begun.elapsed().min(KEPT_FOR) + Duration::from_millis(500)).await;
    let settled = replace(2 * replaced).await;
    assert!(settled <= grown + MIB, "{usual} {grown} {settled}: the reader still holds it");
    assert!(reader.value("replaced").await.unwrap().unwrap().0 > seen + replaced);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_that_renews_its_state_reads_the_newest_and_lets_the_file_use_its_room_again() {
    const MIB: u64 = 1 << 20;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("renewed.redb");
    let writer = RedbStore::open(&path).unwrap();
    let replace = async |times: u64| replace_value(&writer, &path, times).await;
    let usual = replace(20).await;
    let reader = RedbStore::open_snapshots(&path, Duration::from_secs(600)).unwrap();
    let read = async || reader.value("replaced").await.unwrap().unwrap().0;
    let mut renewed = usual;
    for _ in 0..20 {
        let seen = read().await;
        renewed = renewed.max(replace(1).await);
        assert_eq!(read().await, seen, "all calls read one state");
        reader.renew();
        assert_eq!(read().await, seen + 1, "until it is renewed");
        reader.renew();
        renewed = renewed.max(replace(1).await);
    }
    let whole = RedbStore::open_snapshot(&path, Duration::from_secs(600)).unwrap();
    let seen = whole.value("replaced").await.unwrap().unwrap().0;
    let held = replace(40).await;
    whole.renew();
    assert_eq!(whole.value("replaced").await.unwrap().unwrap().0, seen, "one state of all sites");
    assert!(renewed <= usual + 4 * MIB, "{usual} {renewed}");
    assert!(
        held >= renewed + 4 * MIB,
        "{usual} {renewed} {held}: a state that is held keeps what is replaced"
    );
}

#[tokio::test]
async fn a_file_of_another_program_is_refused_and_stays_as_it_is() {
    const OTHER: redb::TableDefinition<'_, u64, u64> = redb::TableDefinition::new("somebody else's");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    {
        let database = redb::Database::create(&path).unwrap();
        let transaction = database.begin_write().unwrap();
        transaction.open_table(OTHER).unwrap().insert(1, 2).unwrap();
        transaction.commit().unwrap();
    }
    for error in [RedbStore::open_read_only(&path).err(), RedbStore::open(&path).err()] {
        let error = error.unwrap().to_string();
        assert!(error.contains("another program") && error.contains("somebody else's"), "{error}");
    }
    let database = redb::Database::create(&path).unwrap();
    let tables = redb::ReadableDatabase::begin_read(&database).unwrap().list_tables().unwrap().count();
    assert_eq!(tables, 1);
}

/// A file with damage of a kind, by dice.
fn damaged(whole: &[u8], kind: usize, dice: &mut impl FnMut(usize) -> usize) -> Vec<u8> {
    const PAGE: usize = 4_096;
    let (mut bytes, pages) = (whole.to_vec(), whole.len() / PAGE);
    match kind {
        0 => bytes[dice(whole.len())] ^= 1 << dice(8),
        1 => (0..20).for_each(|_| bytes[dice(whole.len())] ^= 1 << dice(8)),
        2 => {
            let at = dice(pages) * PAGE;
            bytes[at..at + PAGE].fill(0);
        }
        3 => {
            let (to, from) = (dice(pages) * PAGE, dice(pages) * PAGE);
            bytes.copy_within(from..from + PAGE, to);
        }
        4 => bytes.truncate(dice(whole.len())),
        _ => bytes[dice(512)] ^= 1 << dice(8),
    }
    bytes
}

/// Damaged files are found, named and mended, or nothing of theirs was damaged. Nothing panics, and no record that the checksums do not
/// vouch for is believed.
#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_file_is_whole_after_a_repair_or_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let digest = filled(&path).await;
    let whole = std::fs::read(&path).unwrap();
    let mut state = 11_u64;
    let mut dice = move |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let (mut rebuilt, mut kept) = (0, 0);
    let times = std::env::var("NEWSLODE_DAMAGED_FILES").map_or(60, |times| times.parse().unwrap());
    for number in 0..times {
        std::fs::write(&path, damaged(&whole, number % 6, &mut dice)).unwrap();
        let repaired = repair::repair(&path);
        match repaired {
            Ok(FileRepair::Whole | FileRepair::Recovered) => {
                let store = RedbStore::open_read_only(&path).unwrap();
                assert!(store.check().await.unwrap().is_whole());
                assert_eq!(state_digest(&store, &site()).await.unwrap(), digest, "{number}");
                kept += 1;
            }
            Ok(FileRepair::Rebuilt(file)) => {
                assert!(file.found.faulty > 0 && !file.found.faults.is_empty(), "{number}");
                let store = RedbStore::open(&path).unwrap();
                assert!(store.check().await.unwrap().is_whole(), "{number}");
                // What was moved can be worked with.
                store.put_site(&site(), &settings()).await.unwrap();
                store.apply(&site(), &[change(1)]).await.unwrap();
                std::fs::remove_file(&file.damaged).unwrap();
                rebuilt += 1;
            }
            Err(error) => {
                assert!(error.to_string().contains("store"), "{number}: {error}");
                assert!(!error.to_string().contains("unreachable"), "{number}: {error}");
            }
        }
    }
    assert!(rebuilt > times / 10 && kept > times / 10, "{rebuilt} of {times} rebuilt, {kept} were whole");
}

fn settings() -> SiteSettings {
    SiteSettings { max_pages: 500, max_depth: 3, delay_ms: 0, paused: false, labels: BTreeMap::new() }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_archived_value_that_is_damaged_costs_only_itself() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    filled(&path).await;
    let mut bytes = std::fs::read(&path).unwrap();
    // The frame of one value: its first bytes name zstd.
    let at = bytes.windows(4).position(|four| four == [0x28, 0xb5, 0x2f, 0xfd]).unwrap();
    bytes[at + 40] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    let before = {
        let store = RedbStore::open_read_only(&path).unwrap();
        let found = store.check().await.unwrap();
        assert_eq!(found.faulty, 1, "{found:?}");
        assert!(found.faults[0].contains("`archive`"), "{found:?}");
        store.archived(Kind::Page).await.unwrap().len()
    };
    let FileRepair::Rebuilt(file) = repair::repair(&path).unwrap() else { panic!("it is damaged") };
    assert!(file.damaged.exists());
    let store = RedbStore::open(&path).unwrap();
    assert_eq!(store.archived(Kind::Page).await.unwrap().len(), before - 1);
    let status = &Frontier::status(&store).await.unwrap()[0];
    assert_eq!((status.urls, status.pending), (300, 300));
    assert!(store.pages(&site()).await.unwrap().is_empty(), "the sums are counted again");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_holds_one_state_while_the_file_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let (path, copy) = (folder.path().join("store"), folder.path().join("copy"));
    let digest = filled(&path).await;
    let writer = RedbStore::open(&path).unwrap();
    let reader = RedbStore::open_read_only(&path).unwrap();
    let records = reader.check().await.unwrap().records;
    let (mut shown, source) = (Vec::new(), (path.clone(), copy.clone()));
    let copied = tokio::task::spawn_blocking(move || {
        let copied = back_up(&source.0, &source.1, &mut |done, of| {
            shown.push((done, of));
            Ok(())
        });
        (copied, shown)
    });
    writer.put_value("written-meanwhile", None, "new".into()).await.unwrap();
    let (copied, shown) = copied.await.unwrap();
    let copied = copied.unwrap();
    assert!([records, records + 1].contains(&copied), "{copied} of {records}");
    assert_eq!(shown.last(), Some(&(copied, copied)));
    let store = RedbStore::open(&copy).unwrap();
    let checked = store.check().await.unwrap();
    assert!(checked.is_whole() && checked.records == copied, "{checked:?}");
    assert_eq!(state_digest(&store, &site()).await.unwrap(), digest);
}
