//! Corrections apply at once and over later folds; undoing them gives back what was mined.

use newslode_common::config::{Follow, MinerConfig};
use newslode_common::store::{SiteState, Why};
use newslode_miner::mining::corrections::{Correction, Corrections, Entry};
use newslode_miner::mining::taxonomy::{Edit, Taxonomy};
use newslode_miner::work::apply::count_batch;
use newslode_miner::work::corrections::{change, read_corrections, read_mined};
use newslode_miner::work::fold::{FoldMemory, fold_once, read_taxonomy};

use crate::world::{NOW, World, page, world};

/// Two sites whose menus have these labels, counted and folded.
async fn folded(menu: &[&str]) -> (World, FoldMemory) {
    let world = world();
    let mut memory = FoldMemory::default();
    count(&world, menu, 1).await;
    fold(&world, &mut memory).await;
    (world, memory)
}

async fn count(world: &World, menu: &[&str], fetch: u64) {
    for home in ["https://a.test/", "https://b.test/"] {
        let site = world.seed(home).await;
        let pages = [page(home, Why::Seed, fetch, menu, &["story"])];
        count_batch(&world.parts, Follow::Concepts, &site, &pages, NOW).await.unwrap();
    }
}

async fn fold(world: &World, memory: &mut FoldMemory) {
    fold_once(&world.parts, &MinerConfig::default(), memory, false, NOW).await.unwrap();
}

fn state(world: &World) -> &dyn SiteState {
    world.parts.stores.state.as_ref()
}

async fn taxonomy(world: &World) -> Taxonomy {
    read_taxonomy(state(world)).await.unwrap().unwrap()
}

async fn labels(world: &World) -> Vec<String> {
    taxonomy(world).await.concepts.into_iter().map(|concept| concept.label).collect()
}

/// Whether the mined taxonomy is kept apart.
async fn is_apart(world: &World) -> bool {
    let held = state(world).value("taxonomy/mined").await.unwrap();
    held.is_some_and(|(_, bytes)| !bytes.is_empty())
}

fn hide(concept: &str) -> Entry {
    Entry::new(Correction::Hide { concept: concept.into() })
}

async fn add(world: &World, entry: Entry) -> u64 {
    let add = |corrections: &mut Corrections, _: &Taxonomy| Ok(corrections.add(entry.clone())?);
    change(state(world), add).await.unwrap().0
}

async fn undo(world: &World, number: u64) {
    let undo = |corrections: &mut Corrections, _: &Taxonomy| Ok(corrections.remove(number).is_some());
    assert!(change(state(world), undo).await.unwrap().0);
}

#[tokio::test]
async fn a_correction_applies_without_a_fold_and_is_kept_over_folds() {
    let (world, mut memory) = folded(&["sport", "tennis"]).await;
    let mined = taxonomy(&world).await;
    assert!(!is_apart(&world).await);
    let number = add(&world, hide("en:sport")).await;
    assert_eq!(labels(&world).await, ["Tennis"]);
    assert_eq!(read_mined(state(&world)).await.unwrap().unwrap(), mined);
    // Another concept is found meanwhile.
    count(&world, &["sport", "tennis", "film"], 2).await;
    fold(&world, &mut memory).await;
    assert_eq!(labels(&world).await, ["Film", "Tennis"]);
    assert_eq!(read_mined(state(&world)).await.unwrap().unwrap().concepts.len(), 3);
    // Another miner, which remembers nothing, leads.
    fold(&world, &mut FoldMemory::default()).await;
    assert_eq!(labels(&world).await, ["Film", "Tennis"]);
    undo(&world, number).await;
    assert_eq!(labels(&world).await, ["Film", "Sport", "Tennis"]);
    assert!(!is_apart(&world).await);
    assert!(read_corrections(state(&world)).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_correction_of_a_concept_that_went_applies_when_it_returns() {
    let (world, mut memory) = folded(&["sport", "tennis"]).await;
    let key = taxonomy(&world).await.concepts[1].key.clone();
    add(&world, Entry::new(Correction::Rename { concept: key.clone(), label: "Tennis!".into() })).await;
    assert_eq!(taxonomy(&world).await.concept(&key).unwrap().edited, [Edit::Label]);
    count(&world, &["sport", "film"], 2).await;
    fold(&world, &mut memory).await;
    assert_eq!(labels(&world).await, ["Film", "Sport"]);
    assert!(!is_apart(&world).await);
    count(&world, &["sport", "tennis"], 3).await;
    fold(&world, &mut memory).await;
    assert_eq!(labels(&world).await, ["Sport", "Tennis!"]);
}

#[tokio::test]
async fn people_who_correct_at_the_same_time_lose_nothing() {
    let (world, mut memory) = folded(&["sport", "tennis", "film", "opera"]).await;
    let all = ["en:sport", "en:film", "en:opera"];
    let adding = all.map(|key| add(&world, hide(key)));
    let ((), _) = tokio::join!(fold(&world, &mut memory), futures::future::join_all(adding));
    assert_eq!(read_corrections(state(&world)).await.unwrap().entries().len(), 3);
    assert_eq!(labels(&world).await, ["Tennis"]);
    assert_eq!(read_mined(state(&world)).await.unwrap().unwrap().concepts.len(), 4);
}

#[tokio::test]
async fn corrections_of_another_format_stop_the_fold_and_change_nothing() {
    let (world, mut memory) = folded(&["sport", "tennis"]).await;
    let newer = br#"{"newslode_corrections":2}"#.as_slice();
    state(&world).put_value("corrections", None, newer.into()).await.unwrap();
    let failed = fold_once(&world.parts, &MinerConfig::default(), &mut memory, false, NOW).await.unwrap_err();
    assert!(format!("{failed:#}").ends_with("format 2, this version reads format 1"), "{failed:#}");
    assert_eq!(labels(&world).await, ["Sport", "Tennis"]);
}
