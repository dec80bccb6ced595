//! Instances of concepts are kept: what is kept is what reading says, and it is read again where pages change.

use std::collections::BTreeSet;
use std::sync::Arc;

use newslode_common::config::{Follow, MinerConfig};
use newslode_common::message::PartitionedPage;
use newslode_common::message::seed::SeedMessage;
use newslode_common::store::{Kind, Why};
use newslode_miner::mining::instances::ConceptInstance;
use newslode_miner::mining::summary::SiteSummary;
use newslode_miner::mining::taxonomy::Taxonomy;
use newslode_miner::work::apply::count_batch;
use newslode_miner::work::fold::{FoldMemory, fold_once, read_taxonomy};
use newslode_miner::work::instances::{CacheReport, cache_site, non_articles};
use newslode_miner::work::seeds::apply_seed;
use newslode_miner::work::summaries::summaries;
use newslode_miner::work::views::Pace;
use newslode_page::reading::{CanonicalUrl, Site};

use crate::world::{NOW, World, content_of, page, served, url, world};

const PACE: Pace = Pace { at_once: 1, share: 100 };
const RIVERS: [(&str, &str, &str); 3] =
    [("aare", "288 km", "Rhine"), ("reuss", "164 km", "Aare"), ("ticino", "248 km", "Po")];

/// Archives and counts a page.
async fn count(world: &World, site: &Site, page: &PartitionedPage, html: &str) {
    world.archive_html(page, html).await;
    count_batch(&world.parts, Follow::Concepts, site, std::slice::from_ref(page), NOW).await.unwrap();
}

fn river(name: &str, length: &str, mouth: &str) -> String {
    format!("<h1>{name}</h1><div>Length</div><div>{length}</div><div>Mouth</div><div>{mouth}</div>")
}

/// Two sites with rivers in their menus. The first lists three rivers, of which nothing else is said here, and a story.
async fn filled(world: &World) -> (Site, Taxonomy, Arc<SiteSummary>) {
    let mut sites = Vec::new();
    for home in ["https://a.test/", "https://b.test/"] {
        let site = world.seed(home).await;
        count(world, &site, &page(home, Why::Seed, 1, &["rivers"], &[]), "<a href=/rivers>Rivers</a>").await;
        sites.push(site);
    }
    let site = sites.remove(0);
    let items: Vec<&str> = RIVERS.iter().map(|river| river.0).chain(["story"]).collect();
    let entries: String = items.iter().map(|item| format!("<li><a href=/{item}>{item}</a>")).collect();
    let list = page("https://a.test/rivers", Why::Concept, 1, &[], &items);
    count(world, &site, &list, &format!("<h1>Rivers</h1><ul>{entries}</ul>")).await;
    for (name, length, mouth) in RIVERS {
        count(world, &site, &of(name, 1), &river(name, length, mouth)).await;
    }
    let story = of("story", 1);
    count(world, &site, &story, &river("story", "an hour", "none")).await;
    world.parts.stores.archive.put(Kind::Article, story.version.content, "{}".into(), NOW).await.unwrap();
    let (config, mut memory) = (MinerConfig::default(), FoldMemory::default());
    fold_once(&world.parts, &config, &mut memory, false, NOW).await.unwrap();
    let taxonomy = read_taxonomy(world.parts.stores.state.as_ref()).await.unwrap().unwrap();
    assert_eq!(taxonomy.concepts.len(), 1);
    let summary = summaries(world.parts.stores.state.as_ref()).await.unwrap().remove(0);
    (site, taxonomy, summary)
}

/// A page that is another one at each fetch.
fn of(name: &str, fetch: u64) -> PartitionedPage {
    let menu = format!("{name} {fetch}");
    page(&format!("https://a.test/{name}"), Why::Link, fetch, &[&menu], &[])
}

/// What the ontology says of the rivers: their pages and lengths.
async fn said(world: &World, taxonomy: &Taxonomy, site: &Arc<SiteSummary>) -> Vec<(String, String)> {
    let wanted: BTreeSet<CanonicalUrl> =
        RIVERS.iter().map(|river| url(&format!("https://a.test/{}", river.0))).collect();
    let mut said = Vec::new();
    let take = |instance: ConceptInstance| {
        assert_eq!(
            (&*instance.concepts, instance.listed_on.as_str()),
            (&["en:rivers".to_owned()][..], "https://a.test/rivers")
        );
        said.push((instance.url.as_str().to_owned(), instance.pairs[0].value.clone()));
        Ok(())
    };
    non_articles(&world.parts.stores, taxonomy, std::slice::from_ref(site), &wanted, take).await.unwrap();
    said
}

async fn keep(world: &World, taxonomy: &Taxonomy, site: &SiteSummary) -> CacheReport {
    let sites = world.parts.stores.state.sites().await.unwrap();
    let (_, counter) = sites.into_iter().find(|(known, _)| *known == site.site).unwrap();
    cache_site(&world.parts.stores, taxonomy, site, counter, PACE).await.unwrap()
}

fn rivers(lengths: [&str; 3]) -> Vec<(String, String)> {
    let said = |(river, length): (&(&str, &str, &str), &str)| {
        (format!("https://a.test/{}", river.0), length.to_owned())
    };
    RIVERS.iter().zip(lengths).map(said).collect()
}

async fn what_is_kept_is_what_reading_says(world: World) {
    let (site, taxonomy, summary) = filled(&world).await;
    let first = rivers(["288 km", "164 km", "248 km"]);
    assert_eq!(said(&world, &taxonomy, &summary).await, first);
    assert_eq!(keep(&world, &taxonomy, &summary).await, CacheReport { unchanged: 0, read: 1 });
    assert_eq!(keep(&world, &taxonomy, &summary).await, CacheReport { unchanged: 1, read: 0 });
    // Only what is kept can still say this: the pages are gone.
    for (name, ..) in RIVERS {
        world.parts.stores.archive.delete(Kind::Page, content_of(&of(name, 1))).await.unwrap();
    }
    assert_eq!(said(&world, &taxonomy, &summary).await, first);
    for (name, length, mouth) in [("aare", "291 km", "Rhine"), RIVERS[1], RIVERS[2]] {
        count(&world, &site, &of(name, 2), &river(name, length, mouth)).await;
    }
    let second = rivers(["291 km", "164 km", "248 km"]);
    assert_eq!(said(&world, &taxonomy, &summary).await, second, "what is kept is of other pages");
    assert_eq!(keep(&world, &taxonomy, &summary).await, CacheReport { unchanged: 0, read: 1 });
    assert_eq!(said(&world, &taxonomy, &summary).await, second);
    // Another page of the site changes.
    count(&world, &site, &of("news", 1), "<p>News").await;
    assert_eq!(keep(&world, &taxonomy, &summary).await, CacheReport { unchanged: 1, read: 0 });
}

#[tokio::test]
async fn cached_instances_equal_those_read_again_embedded() {
    what_is_kept_is_what_reading_says(world()).await;
}

#[tokio::test]
async fn the_cache_keeps_no_instances_of_forgotten_pages() {
    for command in
        [r#"{"version":1,"forget":"https://a.test/aare"}"#, r#"{"version":1,"remove":"https://a.test/"}"#]
    {
        let world = world();
        let (_, taxonomy, summary) = filled(&world).await;
        keep(&world, &taxonomy, &summary).await;
        let kept = async || world.parts.stores.state.value("instances/a.test").await.unwrap().unwrap().1;
        assert!(!kept().await.is_empty());
        let command = SeedMessage::parse(command.as_bytes()).unwrap();
        apply_seed(&world.parts, &MinerConfig::default(), command, NOW).await.unwrap();
        assert!(kept().await.is_empty());
    }
}

/// The same over Redis.
mod servers {
    use super::*;

    #[tokio::test]
    async fn cached_instances_equal_those_read_again_in_redis() {
        let (_server, world) = served().await;
        what_is_kept_is_what_reading_says(world).await;
    }
}
