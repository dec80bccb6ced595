//! The served store on a real Redis cluster of three masters: the same contracts, and a master that dies.

use std::time::Duration;

use futures::future::join_all;
use newslode_common::store::redb::RedbStore;
use newslode_common::store::redis::RedisStore;
use newslode_common::store::{
    Applied, Change, Frontier, NewUrl, SiteSettings, SiteState, StoreError, StoreResult, Why, conformance,
    state_digest,
};
use newslode_common::version::{ContentHash, Version};
use newslode_page::contribution::{Cell, Delta, Table};
use newslode_page::reading::{CanonicalUrl, Site};
use newslode_page::time::Timestamp;
use newslode_test_servers::RedisCluster;

const NOW: Timestamp = Timestamp(1_700_000_000_000);

async fn store(cluster: &RedisCluster) -> RedisStore {
    RedisStore::connect(&cluster.config()).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cluster_keeps_every_promise_of_both_traits() {
    let cluster = RedisCluster::start();
    let store = store(&cluster).await;
    store.ready().await.unwrap();
    conformance::frontier::all(&store).await;
    conformance::state::all(&store).await;
    // The cluster kept the data, not a single server.
    for node in cluster.nodes() {
        assert_ne!(node.tell(&["DBSIZE"]), ":0");
    }
}

fn sites() -> Vec<Site> {
    (0..24).map(|number| format!("cluster{number}.example").parse().unwrap()).collect()
}

fn page(site: &Site, number: u64) -> CanonicalUrl {
    format!("https://{site}/p{number}").parse().unwrap()
}

/// The cells that a page counts in one of its versions.
fn counted(page: u64, fetch: u64) -> Delta {
    let mut delta = Delta::default();
    if fetch > 0 {
        delta.add(Cell::new(Table::Pages, &[]), 1);
        delta.add(Cell::new(Table::Labels, &[&format!("label {}", (page + fetch) % 7), "any"]), 1);
        delta.add(Cell::new(Table::Terms, &["q", "jazz"]), i64::MAX - i64::try_from(page * fetch).unwrap());
    }
    delta
}

/// Repeats a call until it is answered, as services do.
async fn patiently<T, F: Future<Output = StoreResult<T>>>(call: impl Fn() -> F) -> T {
    for _ in 0..600 {
        match call().await {
            Ok(done) => return done,
            Err(StoreError::Unavailable(_)) => tokio::time::sleep(Duration::from_millis(50)).await,
            Err(error) => panic!("{error}"),
        }
    }
    panic!("the store did not answer for half a minute");
}

/// Counts the version of these pages from this fetch as a miner does, whatever is counted already.
async fn count(state: &dyn SiteState, site: &Site, pages: std::ops::Range<u64>, fetch: u64) {
    let mut open: Vec<u64> = pages.collect();
    while !open.is_empty() {
        let urls: Vec<CanonicalUrl> = open.iter().map(|number| page(site, *number)).collect();
        let held = patiently(|| state.versions(site, &urls)).await;
        let changes: Vec<Change> = open
            .iter()
            .zip(held)
            .map(|(number, expected)| {
                let mut delta = counted(*number, fetch);
                for (cell, by) in counted(*number, expected.map_or(0, |version| version.fetch)).iter() {
                    delta.add(cell.clone(), by.wrapping_neg());
                }
                let new = Version { fetch, content: ContentHash([u8::try_from(fetch).unwrap(); 16]) };
                Change { url: page(site, *number), expected, new, fetched_at: NOW, delta, again: false }
            })
            .collect();
        let ends = patiently(|| state.apply(site, &changes)).await;
        let again = open.iter().zip(ends).filter(|(_, end)| matches!(end, Applied::Conflict(_)));
        open = again.map(|(number, _)| *number).collect();
    }
}

async fn settled(state: &dyn SiteState) -> Vec<ContentHash> {
    let mut digests = Vec::new();
    for site in sites() {
        digests.push(state_digest(state, &site).await.unwrap());
    }
    digests
}

/// A master dies in the middle of a run and comes back with its files. No page is lost or counted twice.
#[tokio::test(flavor = "multi_thread")]
async fn a_master_that_dies_and_comes_back_costs_nothing() {
    let plain = RedbStore::in_memory().unwrap();
    for site in sites() {
        count(&plain, &site, 0..60, 3).await;
    }
    let mut cluster = RedisCluster::start();
    let (one, two) = (store(&cluster).await, store(&cluster).await);
    let before = one.incarnation().await.unwrap();
    let sites = sites();
    let settings = SiteSettings {
        max_pages: 10,
        max_depth: 9,
        delay_ms: 0,
        paused: false,
        labels: std::collections::BTreeMap::new(),
    };
    for site in &sites {
        patiently(|| one.put_site(site, &settings)).await;
    }
    // Two miners get the same messages, in different orders and batches.
    let run = async |store: &RedisStore, size: u64| {
        for fetch in 1..=3 {
            join_all(sites.iter().map(|site| async move {
                for first in (0..60).step_by(usize::try_from(size).unwrap()) {
                    count(store, site, first..(first + size).min(60), fetch).await;
                }
            }))
            .await;
        }
    };
    let faults = async {
        for number in [1, 0] {
            tokio::time::sleep(Duration::from_millis(120)).await;
            cluster.kill(number);
            tokio::time::sleep(Duration::from_millis(700)).await;
            tokio::task::block_in_place(|| cluster.restart(number));
        }
    };
    tokio::join!(run(&one, 7), run(&two, 20), faults);
    assert_eq!(settled(&two).await, settled(&plain).await);
    assert_ne!(patiently(|| one.incarnation()).await, before, "nobody noticed the restarts");
    let listed = patiently(|| one.sites()).await;
    assert_eq!(listed.len(), sites.len());
    let known = patiently(|| two.status()).await;
    assert_eq!(known.len(), sites.len());
    // Claims find every site, even if the list of buckets in use was damaged.
    let urls: Vec<NewUrl> = sites.iter().map(|site| NewUrl::once(page(site, 1), 0, Why::Seed, 0)).collect();
    patiently(|| two.add(&urls, NOW)).await;
    let claims = patiently(|| two.claim(NOW, Duration::from_secs(60), 99)).await.claims;
    assert_eq!(claims.len(), sites.len());
}
