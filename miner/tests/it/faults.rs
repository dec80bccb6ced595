//! Two miners hold the same pages, each over stores that fail at random, while folds run. The final state
//! equals to the bit the state in which each page's newest version was counted once.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use newslode_common::config::{Follow, MinerConfig};
use newslode_common::message::PartitionedPage;
use newslode_common::retry::Retryable as _;
use newslode_common::store::{StoreError, Why, state_digest};
use newslode_common::version::ContentHash;
use newslode_miner::work::apply::count_batch;
use newslode_miner::work::fold::{FoldMemory, fold_once, read_taxonomy};
use newslode_miner::work::parts::Parts;
use newslode_miner::work::stores::Stores;
use newslode_miner::work::verify::verify;
use newslode_miner::work::window::slide;
use newslode_page::reading::{CanonicalUrl, Site};

use crate::flaky::Flaky;
use crate::world::{NOW, World, ours, page, recompute, served, world};

const HOMES: [&str; 2] = ["https://a.test/", "https://b.test/"];
const PAGES: usize = 9;
const FETCHES: u64 = 3;
const MENUS: [&[&str]; 3] = [&["sport", "tennis", "art"], &["sport", "golf"], &["art", "music"]];

/// All pages in all their versions, and the newest version of each.
fn messages() -> (Vec<PartitionedPage>, Vec<PartitionedPage>) {
    let mut all = Vec::new();
    for home in HOMES {
        for number in 0..PAGES {
            for fetch in 1..=FETCHES {
                let menu = MENUS[(number + usize::try_from(fetch).unwrap()) % MENUS.len()];
                let at = if number == 0 { home.to_owned() } else { format!("{home}p{number}") };
                let story = format!("story{}", (number as u64 + fetch) % 4);
                all.push(page(&at, Why::Concept, fetch, menu, &[&story]));
            }
        }
    }
    let newest = all.iter().filter(|page| page.version.fetch == FETCHES).cloned().collect();
    (all, newest)
}

/// The pages in an order that `seed` gives, in batches of one site each.
fn deliveries(all: &[PartitionedPage], seed: u64) -> Vec<(Site, Vec<PartitionedPage>)> {
    let mut order: Vec<(u64, &PartitionedPage)> = all
        .iter()
        .zip(1..)
        .map(|(page, at): (_, u64)| {
            (at.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_mul(2 * seed + 1).rotate_left(31), page)
        })
        .collect();
    order.sort_by_key(|(key, _)| *key);
    let mut batches: Vec<(Site, Vec<PartitionedPage>)> = Vec::new();
    for (key, page) in order {
        match batches.last_mut() {
            Some((site, pages)) if *site == page.site && key % 4 != 0 => pages.push(page.clone()),
            _ => batches.push((page.site.clone(), vec![page.clone()])),
        }
    }
    batches
}

/// One miner: repeats each batch until it is done, as long as the error says that another try may help.
async fn mine(parts: &Parts, work: Vec<(Site, Vec<PartitionedPage>)>) {
    for (site, pages) in work {
        let mut tries = 0;
        while let Err(error) = count_batch(parts, Follow::Concepts, &site, &pages, NOW).await {
            assert!(error.is_retryable(), "{error}");
            tries += 1;
            assert!(tries < 2_000, "never done: {error}");
            tokio::time::sleep(std::time::Duration::from_millis(1)).await;
        }
    }
}

fn flaky(good: &Parts, seed: u64) -> (Arc<Flaky>, Parts) {
    let stores = &good.stores;
    let flaky =
        Arc::new(Flaky::new(stores.frontier.clone(), stores.state.clone(), stores.archive.clone(), seed));
    let stores = Stores {
        frontier: flaky.clone(),
        state: flaky.clone(),
        archive: flaky.clone(),
        parsed: stores.parsed.clone(),
    };
    let parts = Parts { stores, ..good.clone() };
    (flaky, parts)
}

/// Sums, known URLs and taxonomy.
type End = (Vec<ContentHash>, BTreeSet<CanonicalUrl>, Vec<u8>);

async fn end(parts: &Parts) -> End {
    fold_once(parts, &MinerConfig::default(), &mut FoldMemory::default(), false, NOW).await.unwrap();
    let (mut digests, mut known) = (Vec::new(), BTreeSet::new());
    for home in HOMES {
        let site = crate::world::url(home).site();
        digests.push(state_digest(parts.stores.state.as_ref(), &site).await.unwrap());
        known.extend(parts.stores.frontier.entries(&site).await.unwrap().into_iter().map(|entry| entry.url));
    }
    let taxonomy = read_taxonomy(parts.stores.state.as_ref()).await.unwrap().unwrap();
    assert!(!taxonomy.concepts.is_empty());
    (digests, known, serde_json::to_vec(&taxonomy).unwrap())
}

async fn undisturbed(all: &[PartitionedPage]) -> End {
    let world = world();
    for home in HOMES {
        world.seed(home).await;
    }
    // The links of every version are followed; only the newest version counts.
    for (site, pages) in deliveries(all, 0) {
        count_batch(&world.parts, Follow::Concepts, &site, &pages, NOW).await.unwrap();
    }
    end(&world.parts).await
}

/// Makes the sites and the pages' bytes known; nothing fails yet.
async fn prepare(world: &World, all: &[PartitionedPage]) {
    for home in HOMES {
        world.seed(home).await;
    }
    for page in all {
        world.archive(page).await;
    }
}

async fn run(world: &World, all: &[PartitionedPage], seed: u64) {
    let ((one, first), (two, second)) = (flaky(&world.parts, seed), flaky(&world.parts, seed + 1));
    let (third, folder) = flaky(&world.parts, seed + 2);
    let done = AtomicBool::new(false);
    let miners = async {
        tokio::join!(mine(&first, deliveries(all, seed)), mine(&second, deliveries(all, seed + 7)));
        done.store(true, Ordering::Relaxed);
    };
    let folds = async {
        let mut memory = FoldMemory::default();
        let mut failed = 0;
        while !done.load(Ordering::Relaxed) {
            let folded = fold_once(&folder, &MinerConfig::default(), &mut memory, false, NOW).await;
            failed += u32::from(folded.is_err());
            // A window wide enough for all pages takes nothing out.
            match slide(&folder.stores, 90, NOW).await {
                Ok(slid) => assert_eq!(slid.pages, 0),
                Err(StoreError::Unavailable(_)) => {}
                Err(error) => panic!("{error}"),
            }
            tokio::task::yield_now().await;
        }
        failed
    };
    let ((), failed) = tokio::join!(miners, folds);
    assert!(failed > 0, "no fold met a fault");
    for flaky in [one, two, third] {
        flaky.settle().await;
    }
}

async fn check(world: &World, all: &[PartitionedPage], newest: usize) {
    let (one, plain) = (end(&world.parts).await, undisturbed(all).await);
    assert_eq!(one.0, plain.0);
    assert!(one.1.is_superset(&plain.1), "links are lost: {:?}", plain.1.difference(&one.1));
    assert_eq!(String::from_utf8(one.2), String::from_utf8(plain.2));
    let sites = HOMES.map(|home| crate::world::url(home).site());
    let (state, archive) = (world.parts.stores.state.as_ref(), world.parts.stores.archive.as_ref());
    let report = verify(state, archive, &sites, &ours(), recompute, |_| ()).await.unwrap();
    assert!(report.is_proof() && report.pages == newest as u64, "{report:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn two_miners_and_folds_over_failing_embedded_stores_end_in_the_plain_sums() {
    for seed in [1, 20, 300] {
        let (world, (all, newest)) = (world(), messages());
        prepare(&world, &all).await;
        run(&world, &all, seed).await;
        check(&world, &all, newest.len()).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_miners_and_folds_over_a_failing_server_end_in_the_plain_sums() {
    let (mut server, world) = served().await;
    assert_eq!(server.tell(&["CONFIG", "SET", "appendfsync", "always"]), "+OK");
    let restarts = async {
        for _ in 0..2 {
            tokio::time::sleep(std::time::Duration::from_millis(60)).await;
            tokio::task::block_in_place(|| {
                server.kill();
                server.restart();
            });
            assert_eq!(server.tell(&["CONFIG", "SET", "appendfsync", "always"]), "+OK");
        }
    };
    let (all, newest) = messages();
    prepare(&world, &all).await;
    tokio::join!(restarts, run(&world, &all, 4));
    check(&world, &all, newest.len()).await;
}
