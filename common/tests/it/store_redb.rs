//! The embedded store and the object archive: the traits' contracts, and what a crash leaves.

use std::sync::Arc;

use bytes::Bytes;
use newslode_common::store::archive::ObjectArchive;
use newslode_common::store::conformance;
use newslode_common::store::redb::RedbStore;
use newslode_common::store::{Kind, PageArchive, SiteState};
use newslode_common::time::Timestamp;
use newslode_common::version::ContentHash;

fn store() -> (tempfile::TempDir, RedbStore) {
    let folder = tempfile::tempdir().unwrap();
    let store = RedbStore::open(&folder.path().join("newslode.redb")).unwrap();
    (folder, store)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_frontier_keeps_its_contract() {
    let (_folder, store) = store();
    conformance::frontier::all(&store).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_mined_state_keeps_its_contract() {
    let (_folder, store) = store();
    conformance::state::all(&store).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_archive_keeps_its_contract() {
    let (_folder, store) = store();
    conformance::archive::all(&store).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn object_stores_keep_the_archives_contract() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("file://{}", folder.path().display());
    conformance::archive::all(&ObjectArchive::open(&url).unwrap()).await;
    let memory = Arc::new(object_store::memory::InMemory::new());
    conformance::archive::all(&ObjectArchive::over(memory, "archive".into())).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_process_is_told_which_file_is_open() {
    let (folder, _store) = store();
    let error = RedbStore::open(&folder.path().join("newslode.redb")).err().unwrap().to_string();
    assert!(error.contains("newslode.redb") && error.contains("another process"), "{error}");
}

/// A copy of the file taken while it is written is what a crash leaves behind: everything before the
/// last flush is there, and nothing is half there.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_flushed_survives_a_crash_and_the_rest_is_a_prefix() {
    let (folder, store) = store();
    let hash = |n: u32| ContentHash(u128::from(n).to_be_bytes());
    for n in 0..300 {
        store.put(Kind::Page, hash(n), Bytes::from(vec![7; 2_000]), Timestamp(1)).await.unwrap();
        store
            .put_value("last", n.checked_sub(1).map(|_| u64::from(n)), Bytes::from(n.to_string()))
            .await
            .unwrap();
        if n == 200 {
            store.flush().await.unwrap();
        }
    }
    let copy = folder.path().join("copy.redb");
    std::fs::copy(folder.path().join("newslode.redb"), &copy).unwrap();
    let left = RedbStore::open(&copy).unwrap();
    let (_, last) = left.value("last").await.unwrap().expect("it was flushed");
    let last: u32 = std::str::from_utf8(&last).unwrap().parse().unwrap();
    assert!(last >= 200, "what was flushed is gone: {last}");
    for n in 0..=last {
        assert!(left.get(Kind::Page, hash(n)).await.unwrap().is_some(), "page {n} of {last} is gone");
    }
}
