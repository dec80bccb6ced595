//! A miner that is killed between any two calls to its stores. Whatever counts then is complete, so it is enough to deliver
//! again what does not count.

use std::sync::Arc;

use newslode_common::config::Follow;
use newslode_common::message::PartitionedPage;
use newslode_common::store::{Why, state_digest};
use newslode_common::version::{ContentHash, Version};
use newslode_miner::work::apply::count_batch;
use newslode_miner::work::histories::history::ArticleHistory;
use newslode_miner::work::histories::read_history;
use newslode_miner::work::parts::Parts;
use newslode_miner::work::stores::Stores;
use newslode_page::reading::Site;
use newslode_page::time::Timestamp;
use newslode_page::{Page, article};

use crate::flaky::Flaky;
use crate::world::{NOW, World, page, world};

const HOME: &str = "https://a.test/";

/// A story at a path, as one fetch found it.
pub(crate) fn story(path: &str, fetch: u64, text: &str) -> PartitionedPage {
    let mut made = page(&format!("{HOME}{path}"), Why::Link, fetch, &["sport", text], &[]);
    made.fetched_at = Timestamp(NOW.0 + fetch * 1_000);
    let html = format!(
        "<title>{text}</title><meta property=og:type content=article><h1>{text}</h1><p>{text}: after eleven dry weeks \
         it rained over the valley on Thursday, and the farmers came out of their houses to watch it fall.<p>The \
         reservoir above the town rose by a hand's breadth before noon, the water board said, and the ban on \
         watering gardens will end today, {text}."
    );
    made.article = article(&Page::parse(&made.url, None, html.as_bytes()), made.fetched_at).1;
    made
}

/// Batches in the order in which a miner gets them: new stories, the same story under two URLs, and stories that changed.
fn batches() -> Vec<Vec<PartitionedPage>> {
    vec![
        vec![story("rain", 1, "rain"), story("storm", 2, "storm"), page(HOME, Why::Seed, 3, &["sport"], &[])],
        vec![story("rain-again", 4, "rain"), story("flood", 5, "flood")],
        vec![story("storm", 6, "storm and hail"), story("flood", 7, "flood")],
    ]
}

/// The sums of the site, and the histories of all stories.
type End = (ContentHash, Vec<Option<ArticleHistory>>);

async fn end(parts: &Parts, site: &Site) -> End {
    let mut histories = Vec::new();
    for page in batches().into_iter().flatten() {
        histories.push(read_history(parts.stores.archive.as_ref(), &page.url).await.unwrap());
    }
    (state_digest(parts.stores.state.as_ref(), site).await.unwrap(), histories)
}

async fn prepared() -> (World, Site) {
    let world = world();
    let site = world.seed(HOME).await;
    for page in batches().iter().flatten() {
        world.archive(page).await;
    }
    (world, site)
}

/// Counts all batches over stores that stop after a number of calls. Returns whether that was enough.
async fn mine_until_killed(world: &World, site: &Site, calls: u64) -> bool {
    let good = &world.parts.stores;
    let dying = Arc::new(Flaky::killed_after(good, calls));
    let stores =
        Stores { frontier: dying.clone(), state: dying.clone(), archive: dying, parsed: good.parsed.clone() };
    let parts = Parts { stores, ..world.parts.clone() };
    for pages in batches() {
        if count_batch(&parts, Follow::Concepts, site, &pages, NOW).await.is_err() {
            return false;
        }
    }
    true
}

/// Checks that each counted article has a history that knows the fetch which counts, or a later one.
async fn check_counted_articles(world: &World, site: &Site, calls: u64) {
    let all = batches();
    for (url, version) in world.parts.stores.state.pages(site).await.unwrap() {
        let is_version = |page: &&PartitionedPage| page.url == url && page.version == version;
        let counted = all.iter().flatten().find(is_version).unwrap();
        if counted.article.is_some() {
            let history = read_history(world.parts.stores.archive.as_ref(), &url).await.unwrap();
            let fetch = history.map(|history| history.fetch);
            assert!(
                fetch >= Some(version.fetch),
                "{url} counts without its history after {calls} calls: {fetch:?}"
            );
        }
    }
}

/// Delivers again what does not count, as a new start or a server does.
async fn deliver_again(world: &World, site: &Site) {
    for pages in batches() {
        let urls: Vec<_> = pages.iter().map(|page| page.url.clone()).collect();
        let counted = world.parts.stores.state.versions(site, &urls).await.unwrap();
        let is_open = |(page, counted): &(PartitionedPage, Option<Version>)| {
            counted.is_none_or(|counted| counted.fetch < page.version.fetch)
        };
        let open: Vec<_> = pages.into_iter().zip(counted).filter(is_open).map(|(page, _)| page).collect();
        count_batch(&world.parts, Follow::Concepts, site, &open, NOW).await.unwrap();
    }
}

#[tokio::test]
async fn a_miner_killed_after_any_store_call_loses_no_history() {
    let (undisturbed, site) = prepared().await;
    assert!(mine_until_killed(&undisturbed, &site, u64::MAX).await);
    let expected = end(&undisturbed.parts, &site).await;
    let addresses = expected.1.iter().flatten().map(|history| history.addresses.len()).max();
    assert_eq!(addresses, Some(1), "the story with two URLs is one article");
    assert!(expected.1.iter().flatten().any(|history| history.events.len() > 1), "a story changed");

    let mut calls = 0;
    loop {
        let (world, site) = prepared().await;
        let is_whole = mine_until_killed(&world, &site, calls).await;
        check_counted_articles(&world, &site, calls).await;
        deliver_again(&world, &site).await;
        assert_eq!(end(&world.parts, &site).await, expected, "killed after {calls} calls");
        if is_whole {
            break;
        }
        calls += 1;
    }
    assert!(calls > 40, "{calls} calls");
}
