//! Concepts keep their identifiers: over merges, over kills between the taxonomy and the registry, and between miners that fold
//! at once.

use std::sync::Arc;

use newslode_common::config::{Follow, MinerConfig};
use newslode_common::store::Why;
use newslode_miner::mining::registry::{ChangeKind, Registry};
use newslode_miner::work::apply::count_batch;
use newslode_miner::work::fold::{FoldMemory, fold_once, read_taxonomy};
use newslode_miner::work::parts::Parts;
use newslode_miner::work::registry::{REGISTRY, check_registry, follow_taxonomy, read_registry};
use newslode_miner::work::stores::Stores;
use newslode_page::time::Timestamp;

use crate::flaky::Flaky;
use crate::world::{NOW, World, page, served, url, world};

const LATER: Timestamp = Timestamp(NOW.0 + 60_000);

/// Counts the home page of a site. Its menu has sport and athletics, which lead to one page or to two.
async fn add_site(world: &World, home: &str, is_one_page: bool) {
    let site = world.seed(home).await;
    let mut home = page(home, Why::Seed, 1, &["art", "sport", "athletics"], &[]);
    let sport = url(&format!("{}/sport", home.url.origin()));
    for link in
        home.contribution.links.iter_mut().filter(|link| is_one_page && link.target.path() == "/athletics")
    {
        link.target = sport.clone();
    }
    count_batch(&world.parts, Follow::Concepts, &site, &[home], NOW).await.unwrap();
}

/// Two sites; one of them leads both labels to one page, which is not enough to merge them.
async fn add_first_sites(world: &World) {
    add_site(world, "https://a.test/", true).await;
    add_site(world, "https://b.test/", false).await;
}

async fn fold(parts: &Parts, now: Timestamp) -> anyhow::Result<()> {
    fold_once(parts, &MinerConfig::default(), &mut FoldMemory::default(), false, now).await.map(|_| ())
}

fn over(good: &Parts, flaky: Flaky) -> Parts {
    let flaky = Arc::new(flaky);
    let stores =
        Stores { frontier: flaky.clone(), state: flaky.clone(), archive: flaky, ..good.stores.clone() };
    Parts { stores, ..good.clone() }
}

/// The registry of a fold that is sound.
async fn registry(parts: &Parts) -> Registry {
    let state = parts.stores.state.as_ref();
    let check = check_registry(state).await.unwrap();
    assert_eq!((check.is_behind, check.faults), (false, Vec::new()));
    read_registry(state).await.unwrap()
}

fn id(registry: &Registry, key: &str) -> String {
    registry.identifiers()[key].to_owned()
}

/// A miner is killed before each of the calls of a fold that merges two concepts. The next fold ends where it would have ended.
#[tokio::test]
async fn a_kill_at_any_call_of_a_fold_that_merges_leaves_one_identifier() {
    let (mut calls, mut were_behind, mut is_done) = (0, 0, false);
    while !is_done {
        let world = world();
        add_first_sites(&world).await;
        fold(&world.parts, NOW).await.unwrap();
        let before = registry(&world.parts).await;
        let (sport, athletics) = (id(&before, "en:sport"), id(&before, "en:athletics"));
        assert_ne!(sport, athletics);
        add_site(&world, "https://c.test/", true).await;
        is_done =
            fold(&over(&world.parts, Flaky::killed_after(&world.parts.stores, calls)), LATER).await.is_ok();
        were_behind += u32::from(check_registry(world.parts.stores.state.as_ref()).await.unwrap().is_behind);
        fold(&world.parts, LATER).await.unwrap();
        let after = registry(&world.parts).await;
        let taxonomy = read_taxonomy(world.parts.stores.state.as_ref()).await.unwrap().unwrap();
        assert!(
            taxonomy.concepts.iter().any(|concept| concept.keys == ["en:athletics", "en:sport"]),
            "{taxonomy:?}"
        );
        let (kept, lost) = if after.identifiers().values().any(|id| *id == sport) {
            (sport, athletics)
        } else {
            (athletics, sport)
        };
        for named in ["en:sport", "en:athletics", &kept, &lost] {
            assert_eq!(after.resolve(named).unwrap().id, kept);
        }
        assert_eq!(after.entries.len(), before.entries.len(), "no identifier was given twice");
        let merged = ChangeKind::Merged { into: kept };
        let merges: Vec<_> = after.changes.iter().filter(|change| change.kind == merged).collect();
        assert!(merges.len() == 1 && merges[0].id == lost && merges[0].at == LATER, "{:?}", after.changes);
        calls += 1;
    }
    // Between the taxonomy and the registry, the registry, the taxonomy and the registry's version are read.
    assert!(were_behind >= 3 && calls > 10, "{were_behind} of {calls} kills were between the two writes");
}

#[tokio::test]
async fn a_fold_that_changes_nothing_leaves_the_registry() {
    let world = world();
    add_first_sites(&world).await;
    fold(&world.parts, NOW).await.unwrap();
    let state = world.parts.stores.state.as_ref();
    let before = state.value(REGISTRY).await.unwrap();
    fold(&world.parts, LATER).await.unwrap();
    assert_eq!(state.value(REGISTRY).await.unwrap(), before);
    assert_eq!(follow_taxonomy(state, LATER).await.unwrap(), 0);
}

async fn fold_at_once(world: World) {
    add_first_sites(&world).await;
    let (one, two) = tokio::join!(fold(&world.parts, NOW), fold(&world.parts, LATER));
    one.and(two).unwrap();
    let first = registry(&world.parts).await;
    add_site(&world, "https://c.test/", true).await;
    let (one, two) = tokio::join!(fold(&world.parts, LATER), fold(&world.parts, LATER));
    one.and(two).unwrap();
    let second = registry(&world.parts).await;
    assert_eq!(second.entries.len(), first.entries.len());
    assert_eq!(id(&second, "en:art"), id(&first, "en:art"));
    assert_eq!(second.replaced().len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_miners_that_fold_at_once_give_one_identifier() {
    for _ in 0..8 {
        fold_at_once(world()).await;
    }
}

/// Another miner folds between the read and the write of one that follows.
#[tokio::test]
async fn a_miner_that_comes_second_follows_the_other_one() {
    let world = world();
    add_first_sites(&world).await;
    fold(&world.parts, NOW).await.unwrap();
    let state = world.parts.stores.state.as_ref();
    let stale = state.value(REGISTRY).await.unwrap().unwrap();
    add_site(&world, "https://c.test/", true).await;
    fold(&world.parts, LATER).await.unwrap();
    let before = registry(&world.parts).await;
    // What a miner would write that read the registry before the other one's fold.
    assert_eq!(state.put_value(REGISTRY, Some(stale.0), stale.1).await.unwrap(), None);
    assert_eq!(registry(&world.parts).await, before);
}

mod servers {
    use super::*;

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn two_miners_over_redis_give_one_identifier() {
        let (_server, world) = served().await;
        fold_at_once(world).await;
    }
}
