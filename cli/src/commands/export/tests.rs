//! Mines a synthetic web and checks that the export holds instances with attributes, under their concepts.

use std::net::SocketAddr;

use newslode_common::config::{Follow, ResolveRule};
use newslode_newsworld::{Server, World, WorldSpec};
use tokio_util::sync::CancellationToken;

use super::*;
use crate::commands::mine::mine;
use crate::engine::{Engine, add_seeds};

#[tokio::test(flavor = "multi_thread")]
async fn the_stories_of_concept_pages_are_instances_with_attributes() {
    let spec = WorldSpec { seed: 3, sites: 3, articles_per_section: 3, ..WorldSpec::default() };
    let (world, gold) = (World::generate(&spec), World::generate(&spec));
    let seeds: Vec<_> = world.seeds().iter().map(|seed| seed.parse().unwrap()).collect();
    let server = Server::start(world, SocketAddr::from(([127, 0, 0, 1], 0))).await.unwrap();
    let mut config = Config::default();
    config.crawler.resolve.push(ResolveRule::any(server.addr()));
    config.miner.follow = Follow::All;
    let folder = tempfile::tempdir().unwrap();
    let engine = Engine::open(folder.path(), config.clone()).unwrap();
    let parts = engine.miner_parts();
    add_seeds(&parts, &seeds, (None, None, Some(0)), &config.miner).await.unwrap();
    mine(&engine, folder.path(), &[], &CancellationToken::new(), true).await.unwrap();

    let taxonomy = fold::read_taxonomy(parts.stores.state.as_ref()).await.unwrap().unwrap();
    let sites = summaries(parts.stores.state.as_ref()).await.unwrap();
    let listed = members(&parts.stores, &taxonomy, &sites).await.unwrap();
    let mut found: Vec<ConceptInstance> = Vec::new();
    let take = |instance| {
        found.push(instance);
        Ok(())
    };
    instances::instances(&parts.stores, &taxonomy, &sites, &listed, take).await.unwrap();
    let stories = &gold.gold().articles;
    let (mut told, mut known) = (0, 0);
    for instance in &found {
        assert!(!instance.concepts.is_empty() && listed.contains_key(&instance.url), "{instance:?}");
        let Some(story) = stories.iter().find(|story| story.url == instance.url.as_str()) else { continue };
        known += 1;
        let values: Vec<&String> = instance.attributes.iter().flat_map(|own| &own.values).collect();
        let first: String = story.body.chars().take(20).collect();
        told += usize::from(values.iter().any(|value| value.contains(&first)));
    }
    eprintln!("{} instances, {known} of them stories, {told} of those tell their text", found.len());
    assert!(known * 10 >= found.len() * 9 && known > stories.len() / 3, "{known} of {}", found.len());
    // Templates follow the paths of most groups, so they do not read every layout.
    assert!(told * 4 >= known * 3, "{told} of {known}");
    let turtle = std::fs::read_to_string(folder.path().join("ontology.ttl")).unwrap();
    let filed = turtle.matches("schema:about").count();
    assert!(filed >= known, "{filed} are filed, though concept pages list {known} stories");
}
