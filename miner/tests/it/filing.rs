//! Events carry concepts and codes once the leader has learnt from what concept pages list, and none before.

use std::sync::Arc;

use newslode_common::config::{BuiltinScheme, Follow, MinerConfig};
use newslode_common::message::PartitionedPage;
use newslode_common::store::Why;
use newslode_miner::mining::taxonomy::Taxonomy;
use newslode_miner::work::apply::count_batch;
use newslode_miner::work::filing;
use newslode_miner::work::fold::{FoldMemory, fold_once, read_taxonomy};
use newslode_miner::work::registry::TAXONOMY_TOPIC;
use newslode_miner::work::scheme_set::ConfiguredSchemes;
use newslode_miner::work::summaries::summaries;
use newslode_page::contribution::{FiledUse, url_id};
use newslode_page::reading::Site;
use newslode_page::time::Timestamp;
use newslode_page::{Page, article};
use serde_json::{Value, json};

use crate::world::{NOW, World, page, served, url, world};

/// A story of a site in English.
fn story(at: &str, head: &str) -> PartitionedPage {
    let mut made = page(at, Why::Link, 1, &[], &[]);
    made.fetched_at = Timestamp(NOW.0 + 1_000);
    let html = format!(
        "<html lang=en><title>Rain at {at}</title><meta property=og:type content=article>{head}<h1>Rain at {at}</h1><p>After eleven \
         dry weeks it rained over the valley on Thursday, and the farmers came out of their houses to watch it \
         fall.<p>The reservoir above the town rose by a hand's breadth before noon, the water board said, and the \
         ban on watering gardens will end today."
    );
    made.article = article(&Page::parse(&made.url, None, html.as_bytes()), made.fetched_at).1;
    assert!(made.article.is_some());
    made
}

async fn count(world: &World, site: &Site, pages: &[PartitionedPage]) {
    count_batch(&world.parts, Follow::Concepts, site, pages, NOW).await.unwrap();
}

async fn fold(world: &World) -> Taxonomy {
    let (config, mut memory) = (MinerConfig::default(), FoldMemory::default());
    let report = fold_once(&world.parts, &config, &mut memory, false, NOW).await.unwrap();
    assert_eq!(report.concepts, 2);
    read_taxonomy(world.parts.stores.state.as_ref()).await.unwrap().unwrap()
}

/// What the leader does now and then, and every miner after it.
async fn learn(world: &World, taxonomy: &Taxonomy) {
    let parts = &world.parts;
    let sites = summaries(parts.stores.state.as_ref()).await.unwrap();
    let learnt = filing::learn(&parts.stores, taxonomy, &sites, &parts.schemes).await.unwrap();
    filing::write_filing(parts.stores.state.as_ref(), learnt).await.unwrap();
    parts.filing.refresh(parts.stores.state.as_ref()).await.unwrap();
}

async fn events_carry_what_is_known(mut world: World) {
    world.parts.schemes = Arc::new(ConfiguredSchemes::new(Vec::new(), &[BuiltinScheme::Topics]));
    let mut readers = world.broker.subscribe_articles(99);
    let mut told = || -> Vec<Value> {
        let events = std::iter::from_fn(|| readers.try_recv().ok());
        let events = events.filter(|event| event.topic != TAXONOMY_TOPIC);
        let event = |told: Value| json!([told["concepts"], told["filed"], told["codes"]]);
        events.map(|told| event(serde_json::from_slice(&told.body).unwrap())).collect()
    };
    let sites = [world.seed("https://a.test/").await, world.seed("https://b.test/").await];
    for (site, home) in sites.iter().zip(["https://a.test/", "https://b.test/"]) {
        count(&world, site, &[page(home, Why::Seed, 1, &["sport", "tennis"], &["story"])]).await;
    }
    let taxonomy = fold(&world).await;
    let section = "<meta property=article:section content=Sport>";
    let court = |number: usize| format!("https://a.test/courts/{number}");
    count(&world, &sites[0], &[story("https://a.test/news/1", section), story(&court(0), "")]).await;
    assert_eq!(told(), [json!([[], [], null]), json!([[], [], null])], "nothing was learnt yet");

    // The page of tennis files the stories of one directory.
    let listed: Vec<String> = (0..4).map(|number| format!("courts/{number}")).collect();
    let names: Vec<&str> = listed.iter().map(String::as_str).collect();
    let mut tennis = page("https://a.test/tennis", Why::Concept, 1, &[], &names);
    let mut stories: Vec<String> = (0..4).map(|number| url_id(&url(&court(number)))).collect();
    stories.sort();
    tennis.contribution.filed = Some(FiledUse { page: url_id(&tennis.url), stories });
    count(&world, &sites[0], &[tennis]).await;
    learn(&world, &taxonomy).await;

    count(&world, &sites[0], &[story("https://a.test/news/2", section)]).await;
    let by_section = json!([{"concept": "Sport", "witness": "section", "confidence": 0.98}]);
    assert_eq!(told(), [json!([["Sport"], by_section, ["urn:newslode:topics:sport"]])]);
    count(&world, &sites[0], &[story(&court(99), "")]).await;
    let filed = told();
    assert_eq!((&filed[0][0], &filed[0][1][0]["witness"]), (&json!(["Tennis"]), &json!("place")));
    assert_eq!(filed[0][2], json!(["urn:newslode:topics:tennis"]));
    count(&world, &sites[1], &[story("https://b.test/elsewhere/1", "")]).await;
    assert_eq!(told(), [json!([[], [], []])], "nobody says what it is about");
    let counted = |witness: &str| world.parts.metrics.filed.with_label_values(&[witness]).get();
    assert_eq!(["section", "place", "words", "none"].map(counted), [1, 1, 0, 1]);
}

#[tokio::test]
async fn events_carry_the_concepts_known_so_far_embedded() {
    events_carry_what_is_known(world()).await;
}

/// The same over Redis.
mod servers {
    use super::*;

    #[tokio::test]
    async fn events_carry_the_concepts_known_so_far_in_redis() {
        let (_server, world) = served().await;
        events_carry_what_is_known(world).await;
    }
}
