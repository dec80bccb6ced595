//! Any order and any repetition of messages end in the same sums, and the archive proves them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use async_trait::async_trait;
use bytes::Bytes;
use newslode_common::config::Follow;
use newslode_common::store::log::{History, Log};
use newslode_common::store::{Applied, Change, SiteState, StoreResult, Sums, Why, state_digest};
use newslode_common::version::Version;
use newslode_miner::work::apply::{PageEnd, count_batch};
use newslode_miner::work::generations::Generations;
use newslode_miner::work::recompute::{self, Recomputed};
use newslode_miner::work::verify::{Computed, verify};
use newslode_miner::work::views::Pace;
use newslode_page::Params;
use newslode_page::contribution::Table;
use newslode_page::generation::Generation;
use newslode_page::partition::Method;
use newslode_page::reading::{CanonicalUrl, Site};
use newslode_page::time::Timestamp;
use tokio_util::sync::CancellationToken;

use crate::world::{NOW, World, ours, page, recompute, url, world};

const HOME: &str = "https://a.test/";

#[tokio::test]
async fn messages_in_any_order_and_repeated_give_the_same_sums() {
    let pages = [
        page(HOME, Why::Seed, 1, &["sport", "tennis"], &["1"]),
        page(HOME, Why::Seed, 2, &["sport", "golf"], &["2"]),
        page(HOME, Why::Seed, 3, &["art"], &[]),
        page("https://a.test/x", Why::Link, 1, &["sport"], &[]),
    ];
    let mut digests = Vec::new();
    for order in [vec![0, 1, 2, 3], vec![3, 2, 1, 0], vec![1, 1, 3, 0, 2, 2, 3]] {
        for size in [1, 2, 9] {
            let world = world();
            let site = world.seed(HOME).await;
            for chunk in order.chunks(size) {
                let chunk: Vec<_> = chunk.iter().map(|at| pages[*at].clone()).collect();
                for page in &chunk {
                    world.archive(page).await;
                }
                count_batch(&world.parts, Follow::Concepts, &site, &chunk, NOW).await.unwrap();
            }
            let (state, archive) = (world.parts.stores.state.as_ref(), world.parts.stores.archive.as_ref());
            digests.push(state_digest(state, &site).await.unwrap());
            let report = verify(state, archive, &[site], &ours(), recompute, |_| ()).await.unwrap();
            assert!(report.is_proof() && report.pages == 2 && report.cells > 5, "{report:?}");
        }
    }
    digests.dedup();
    assert_eq!(digests.len(), 1);
}

/// Numbers of captures are times, those of our fetches count claims.
#[tokio::test]
async fn the_newest_capture_counts_and_a_crawled_page_before_any_capture() {
    let day = |days: u64| Timestamp(1_600_000_000_000 + days * 86_400_000);
    let captured = |days: u64, menu: &[&str]| {
        let mut page = page(HOME, Why::Link, day(days).0, menu, &[]);
        page.fetched_at = day(days);
        page
    };
    let fetched = |fetch, days: u64, menu: &[&str]| {
        let mut page = page(HOME, Why::Seed, fetch, menu, &[]);
        page.fetched_at = day(days);
        page
    };
    let (old, new) = (captured(1, &["sport", "golf"]), captured(2, &["sport", "tennis"]));
    let (first, second) = (fetched(1, 5, &["art", "music"]), fetched(2, 6, &["art", "dance"]));
    let before = fetched(1, 0, &["art", "film"]);
    let cases = [
        (vec![&old, &new], vec![PageEnd::Applied, PageEnd::Applied], &new),
        (vec![&new, &old], vec![PageEnd::Applied, PageEnd::Stale], &new),
        (vec![&new, &new], vec![PageEnd::Applied, PageEnd::Stale], &new),
        // Our fetches over a capture go by their times.
        (vec![&new, &first, &second], vec![PageEnd::Applied; 3], &second),
        (vec![&new, &second, &first], vec![PageEnd::Applied, PageEnd::Applied, PageEnd::Stale], &second),
        (vec![&new, &before], vec![PageEnd::Applied, PageEnd::Stale], &new),
        // What only we fetched is not replaced by a capture.
        (vec![&first, &new], vec![PageEnd::Applied, PageEnd::Stale], &first),
    ];
    for (number, (pages, wanted, last)) in cases.iter().enumerate() {
        let (world, other) = (world(), world());
        let site = world.seed(HOME).await;
        let mut ends = Vec::new();
        for page in pages {
            world.archive(page).await;
            let page = std::slice::from_ref(*page);
            ends.extend(count_batch(&world.parts, Follow::Concepts, &site, page, NOW).await.unwrap());
        }
        assert_eq!(ends, *wanted, "case {number}");
        other.seed(HOME).await;
        count_batch(&other.parts, Follow::Concepts, &site, std::slice::from_ref(*last), NOW).await.unwrap();
        let digest =
            async |world: &World| state_digest(world.parts.stores.state.as_ref(), &site).await.unwrap();
        assert_eq!(digest(&world).await, digest(&other).await, "case {number}");
    }
    // In one batch, too.
    let world = world();
    let site = world.seed(HOME).await;
    let ends = count_batch(&world.parts, Follow::Concepts, &site, &[new, first, old], NOW).await.unwrap();
    assert_eq!(ends, [PageEnd::Stale, PageEnd::Applied, PageEnd::Stale]);
    // Links of captures are not followed.
    let links = captured(9, &["sport", "chess"]);
    count_batch(&world.parts, Follow::All, &site, &[links], NOW).await.unwrap();
    let known = world.parts.stores.frontier.entries(&site).await.unwrap();
    assert_eq!(known.iter().map(|entry| entry.url.as_str()).collect::<Vec<_>>(), [HOME]);
}

#[tokio::test]
async fn verify_names_every_difference() {
    let world = world();
    let site = world.seed(HOME).await;
    let home = page(HOME, Why::Seed, 1, &["sport"], &[]);
    count_batch(&world.parts, Follow::Concepts, &site, std::slice::from_ref(&home), NOW).await.unwrap();
    let (state, archive) = (world.parts.stores.state.as_ref(), world.parts.stores.archive.as_ref());
    let report =
        verify(state, archive, std::slice::from_ref(&site), &ours(), recompute, |_| ()).await.unwrap();
    assert_eq!(report.missing, [url(HOME)]);
    assert!(report.different > 0 && report.differences[0].recomputed == 0);
    world.archive(&home).await;
    let other = |_| Computed {
        contribution: page(HOME, Why::Seed, 1, &["art"], &[]).contribution,
        is_article: false,
    };
    let report = verify(state, archive, &[site], &ours(), other, |_| ()).await.unwrap();
    assert_eq!(report.changed, [url(HOME)]);
}

#[tokio::test]
async fn a_redelivered_concept_page_is_stale_and_its_links_are_added() {
    let world = world();
    let site = world.seed(HOME).await;
    let concept = page("https://a.test/sport", Why::Concept, 1, &[], &["story"]);
    for wanted in [PageEnd::Applied, PageEnd::Stale] {
        let pages = std::slice::from_ref(&concept);
        assert_eq!(count_batch(&world.parts, Follow::Concepts, &site, pages, NOW).await.unwrap(), [wanted]);
        let story = world.parts.stores.frontier.entry(&url("https://a.test/story")).await.unwrap().unwrap();
        assert_eq!((story.why, story.depth), (Why::Instance, 2));
    }
}

#[tokio::test]
async fn pages_of_a_forgotten_site_are_refused() {
    let world = world();
    let home = page(HOME, Why::Seed, 1, &["sport"], &[]);
    let ends =
        count_batch(&world.parts, Follow::All, &home.site, std::slice::from_ref(&home), NOW).await.unwrap();
    assert_eq!(ends, [PageEnd::Unwanted]);
    assert!(world.parts.stores.state.pages(&home.site).await.unwrap().is_empty());
}

/// A state whose first two readings of versions wait for each other: each caller then acts on what it read
/// before the other wrote.
struct AtOnce {
    inner: Arc<dyn SiteState>,
    readers: tokio::sync::Barrier,
    reads: AtomicU32,
}

#[async_trait]
impl SiteState for AtOnce {
    async fn versions(&self, site: &Site, urls: &[CanonicalUrl]) -> StoreResult<Vec<Option<Version>>> {
        let versions = self.inner.versions(site, urls).await;
        if self.reads.fetch_add(1, Ordering::Relaxed) < 2 {
            self.readers.wait().await;
        }
        versions
    }
    async fn apply(&self, site: &Site, changes: &[Change]) -> StoreResult<Vec<Applied>> {
        self.inner.apply(site, changes).await
    }
    async fn sums(&self, site: &Site, tables: &[Table]) -> StoreResult<Sums> {
        self.inner.sums(site, tables).await
    }
    async fn history(&self, site: &Site, homes: &[String]) -> StoreResult<History> {
        self.inner.history(site, homes).await
    }
    async fn snapshot(&self, site: &Site, tables: &[Table]) -> StoreResult<(u64, Sums)> {
        self.inner.snapshot(site, tables).await
    }
    async fn log(&self, bucket: u16, after: u64, most: usize) -> StoreResult<Log> {
        self.inner.log(bucket, after, most).await
    }
    async fn pages(&self, site: &Site) -> StoreResult<Vec<(CanonicalUrl, Version)>> {
        self.inner.pages(site).await
    }
    async fn counted_before(
        &self,
        site: &Site,
        before: Timestamp,
    ) -> StoreResult<Vec<(CanonicalUrl, Version)>> {
        self.inner.counted_before(site, before).await
    }
    async fn sites(&self) -> StoreResult<Vec<(Site, u64)>> {
        self.inner.sites().await
    }
    async fn forget(&self, site: &Site) -> StoreResult<()> {
        self.inner.forget(site).await
    }
    async fn value(&self, name: &str) -> StoreResult<Option<(u64, Bytes)>> {
        self.inner.value(name).await
    }
    async fn put_value(&self, name: &str, expected: Option<u64>, bytes: Bytes) -> StoreResult<Option<u64>> {
        self.inner.put_value(name, expected, bytes).await
    }
    async fn ready(&self) -> StoreResult<()> {
        self.inner.ready().await
    }
}

#[tokio::test]
async fn miners_that_count_the_same_page_at_once_count_it_once() {
    let (mut one, two) = (world(), world());
    let old = [page(HOME, Why::Seed, 1, &["sport", "tennis"], &[])];
    let new = [page(HOME, Why::Seed, 2, &["art"], &[])];
    let site = one.seed(HOME).await;
    two.seed(HOME).await;
    let inner = one.parts.stores.state.clone();
    let readers = tokio::sync::Barrier::new(2);
    one.parts.stores.state = Arc::new(AtOnce { inner, readers, reads: AtomicU32::new(0) });
    let count = |pages| count_batch(&one.parts, Follow::Concepts, &site, pages, NOW);
    let (first, second) = tokio::join!(count(&old), count(&new));
    first.unwrap();
    second.unwrap();
    count_batch(&two.parts, Follow::Concepts, &site, &new, NOW).await.unwrap();
    let digests = (
        state_digest(&*one.parts.stores.state, &site).await,
        state_digest(&*two.parts.stores.state, &site).await,
    );
    assert_eq!(digests.0.unwrap(), digests.1.unwrap());
    // Both first read "not counted yet": the later write met a version that it did not expect, or a newer
    // one.
    let ends = |result: &str| one.parts.metrics.applied.with_label_values(&[result]).get();
    assert_eq!(ends("conflict") + ends("stale"), 1);
}

#[tokio::test]
async fn counting_again_stops_once_a_newer_version_counts() {
    let world = world();
    let site = world.seed(HOME).await;
    let home = page(HOME, Why::Seed, 1, &["sport"], &[]);
    world.archive(&home).await;
    count_batch(&world.parts, Follow::Concepts, &site, std::slice::from_ref(&home), NOW).await.unwrap();
    let (pace, stop) = (Pace { at_once: 1, share: 100 }, CancellationToken::new());
    let done = recompute::recompute(&world.parts, Follow::Concepts, pace, &stop, |_| {}).await.unwrap();
    assert_eq!(done, Recomputed { pages: 1, ..Recomputed::default() });
    let newer = Generation { number: u32::MAX, ..ours() };
    Generations::claim(world.parts.stores.state.as_ref(), &newer).await.unwrap();
    let done = recompute::recompute(&world.parts, Follow::Concepts, pace, &stop, |_| {}).await.unwrap();
    assert_eq!(done, Recomputed::default());
}

#[tokio::test]
async fn pages_of_other_generations_are_counted_again_and_reported_until_then() {
    let mut world = world();
    let site = world.seed(HOME).await;
    for at in [HOME, "https://a.test/x"] {
        let page = page(at, Why::Seed, 1, &["sport"], &[]);
        world.archive_html(&page, "<p>Sport").await;
        count_batch(&world.parts, Follow::Concepts, &site, std::slice::from_ref(&page), NOW).await.unwrap();
    }
    let others = Params { method: Method::Dp, ..Params::default() };
    Generations::claim(world.parts.stores.state.as_ref(), &others.generation()).await.unwrap();
    world.parts.params = Arc::new(others);
    let (pace, stopped) = (Pace { at_once: 1, share: 100 }, CancellationToken::new());
    stopped.cancel();
    let outdated = || world.parts.metrics.outdated.get();
    recompute::recompute(&world.parts, Follow::Concepts, pace, &stopped, |_| {}).await.unwrap();
    assert_eq!(outdated(), 2, "nothing was counted again yet");
    let stop = CancellationToken::new();
    let done = recompute::recompute(&world.parts, Follow::Concepts, pace, &stop, |_| {}).await.unwrap();
    assert_eq!((done, outdated()), (Recomputed { pages: 2, counted: 2, ..Recomputed::default() }, 0));
}
