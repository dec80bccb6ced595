//! Two miners that hold two fetches of an article at once, as when one was paused and goes on while the other has its sites.

use std::sync::Arc;
use std::time::Duration;

use newslode_common::broker::Queue;
use newslode_common::config::Follow;
use newslode_common::message::{FetchedPage, PartitionedPage, envelope};
use newslode_common::store::state_digest;
use newslode_miner::work::apply::count_batch;
use newslode_miner::work::histories::read_history;
use newslode_miner::work::parts::Parts;
use newslode_miner::work::stores::Stores;
use newslode_miner::work::verify::history_fault;
use newslode_page::reading::Site;

use crate::flaky::{Flaky, Turns};
use crate::kills::story;
use crate::world::{NOW, World, world};

const HOME: &str = "https://a.test/";
/// Orders in which the two make their calls.
const ORDERS: u64 = 150;

/// Has each miner count its batch, the two taking turns.
async fn count_both(world: &World, site: &Site, batches: [&[PartitionedPage]; 2], seed: u64) {
    let turns = Arc::new(Turns::new(seed));
    let count = async |caller: usize, pages: &[PartitionedPage]| {
        let stores = &world.parts.stores;
        let own = Arc::new(Flaky::taking_turns(stores, &turns, caller));
        let parsed = stores.parsed.clone();
        let stores = Stores { frontier: own.clone(), state: own.clone(), archive: own, parsed };
        let parts = Parts { stores, ..world.parts.clone() };
        let counted = count_batch(&parts, Follow::Concepts, site, pages, NOW).await;
        turns.end(caller);
        counted.unwrap();
    };
    tokio::join!(count(0, batches[0]), count(1, batches[1]));
}

/// Counts the pages that were published again, until there are none. Returns how many there were.
async fn count_published(world: &World, site: &Site, known: &[PartitionedPage]) -> usize {
    let mut pages = world.parts.broker.consume(Queue::Pages, 1).await.unwrap();
    let mut published = 0;
    while let Ok(Ok(delivery)) = tokio::time::timeout(Duration::from_millis(1), pages.next()).await {
        let page: FetchedPage = envelope::open(&delivery.body).unwrap();
        let is_page = |known: &&PartitionedPage| known.version.fetch == page.version.fetch;
        let page = known.iter().find(is_page).unwrap();
        count_batch(&world.parts, Follow::Concepts, site, std::slice::from_ref(page), NOW).await.unwrap();
        delivery.ack().await.unwrap();
        published += 1;
    }
    published
}

#[tokio::test]
async fn of_two_fetches_that_two_miners_count_at_once_the_newer_one_counts_and_is_in_the_history() {
    let known = [story("storm", 1, "storm"), story("storm", 2, "storm and hail"), story("flood", 3, "flood")];
    let (older, newer) = ([known[0].clone()], [known[1].clone(), known[2].clone()]);
    let undisturbed = world();
    let site = undisturbed.seed(HOME).await;
    count_batch(&undisturbed.parts, Follow::Concepts, &site, &newer, NOW).await.unwrap();
    let wanted = state_digest(undisturbed.parts.stores.state.as_ref(), &site).await.unwrap();

    let mut published = 0;
    for seed in 0..ORDERS {
        let world = world();
        world.seed(HOME).await;
        for page in &known {
            world.archive(page).await;
        }
        count_both(&world, &site, [&older, &newer], seed).await;
        published += count_published(&world, &site, &known).await;
        let (state, archive) = (world.parts.stores.state.as_ref(), world.parts.stores.archive.as_ref());
        assert_eq!(state_digest(state, &site).await.unwrap(), wanted, "order {seed}");
        for (url, version) in state.pages(&site).await.unwrap() {
            assert_eq!(history_fault(archive, &url, version).await.unwrap(), None, "order {seed}: {url}");
            let history = read_history(archive, &url).await.unwrap().unwrap();
            let last = known.iter().rfind(|page| page.url == url).unwrap();
            assert_eq!(history.fetched_at, last.fetched_at, "order {seed}: {url}");
        }
    }
    // In some orders the older history is written last; in most nothing has to be mended.
    assert!((1..ORDERS as usize / 2).contains(&published), "{published} of {ORDERS}");
}
