//! Views of whole sites: blocks are marked, recorded with the site's version, made anew when it changed.

use std::time::Duration;

use newslode_common::config::Follow;
use newslode_common::hierarchy::{Block, Hierarchy, xml};
use newslode_common::message::{Body, FetchedPage, envelope};
use newslode_common::page::Site;
use newslode_common::store::{Kind, Why};
use newslode_common::version::{ContentHash, Version};
use newslode_miner::apply::batch;
use newslode_miner::views::{Looked, Pace, ViewReport, When, view_sites};
use newslode_partitioner::Params;
use newslode_partitioner::work::work;
use tokio_util::sync::CancellationToken;

use crate::world::{NOW, World, url, world};

const PACE: Pace = Pace { at_once: 3, share: 100 };
const SUBJECTS: [&str; 8] = [
    "glaciers melted plateaus meteorologists drilling cores",
    "harbour dockworkers strike containers shipping unions",
    "violins orchestra conductor symphony audience applause",
    "tomatoes greenhouse irrigation farmers harvest frost",
    "satellites orbit telescope astronomers comet debris",
    "marathon sprinter stadium medal injuries coaching",
    "parliament ballot senators coalition amendment quorum",
    "vaccines hospital nurses surgeons epidemic dosage",
];

/// Story `n` of a site whose pages share their menu and foot.
fn story(n: usize) -> String {
    let words = SUBJECTS[n % SUBJECTS.len()];
    format!(
        "<html lang=en><title>{words}</title><body><ul><li><a href=/>Home</a><li><a href=/sport>Sport</a></ul>\
         <div><p>The {words} surprised everybody number {n}.<p>Again the {words} were seen, {words} they said.\
         <p>Later {words}, as ever {words}.</div><div><p>Subscribe to our letter<p>All rights reserved</div>"
    )
}

/// Counts these stories as the services do.
async fn stories(world: &World, site: &Site, numbers: std::ops::Range<usize>) -> Vec<ContentHash> {
    let mut pages = Vec::new();
    for n in numbers {
        let (at, html) = (url(&format!("https://a.test/{n}")), story(n));
        let fetched = FetchedPage {
            site: site.clone(),
            depth: 1,
            why: Why::Link,
            version: Version { fetch: 1, content: ContentHash::of(&at, None, html.as_bytes()) },
            fetched_at: NOW,
            content_type: None,
            body: Body::Inline(zstd::encode_all(html.as_bytes(), 0).unwrap()),
            url: at,
        };
        let (page, hierarchy) = work(&fetched, html.as_bytes(), &Params::default(), Duration::from_secs(5));
        let (archive, content) = (&world.parts.archive, fetched.version.content);
        archive.put(Kind::Page, content, envelope::seal(&fetched).unwrap().into(), NOW).await.unwrap();
        archive.put(Kind::Hierarchy, content, xml::write(&hierarchy).into(), NOW).await.unwrap();
        pages.push(page);
    }
    batch(&world.parts, Follow::Concepts, site, &pages, NOW).await.unwrap();
    pages.iter().map(|page| page.version.content).collect()
}

async fn hierarchy(world: &World, content: ContentHash) -> Hierarchy {
    let bytes = world.parts.archive.get(Kind::Hierarchy, content).await.unwrap().unwrap();
    xml::read(std::str::from_utf8(&bytes).unwrap()).unwrap()
}

async fn look(world: &World, when: When, looked: &mut Looked) -> ViewReport {
    view_sites(&world.parts, when, PACE, looked, &CancellationToken::new()).await.unwrap()
}

#[tokio::test]
async fn a_site_is_viewed_once_and_again_when_a_quarter_changed() {
    let (world, mut looked) = (world(), Looked::new());
    let site = world.seed("https://a.test/").await;
    let contents = stories(&world, &site, 0..8).await;
    let report = look(&world, When::Grown, &mut looked).await;
    assert_eq!((report.sites, report.marked), (1, 8));
    let first = hierarchy(&world, contents[0]).await;
    let version = first.site_version.clone().unwrap();
    for (node, block) in first.nodes.iter().zip(first.blocks()) {
        let Some(label) = &node.label else { continue };
        assert_eq!(block == Block::Article, label.text.contains("glaciers"), "{} is {block:?}", label.text);
    }
    // Nothing changed; one page of eight did; then two.
    assert_eq!(look(&world, When::Grown, &mut looked).await, ViewReport::default());
    stories(&world, &site, 8..9).await;
    assert_eq!(look(&world, When::Grown, &mut looked).await, ViewReport::default());
    assert_eq!(hierarchy(&world, contents[0]).await.site_version.unwrap(), version);
    stories(&world, &site, 9..10).await;
    let report = look(&world, When::Grown, &mut looked).await;
    assert_eq!((report.sites, report.marked), (1, 10));
    assert_ne!(hierarchy(&world, contents[0]).await.site_version.unwrap(), version);
    assert_eq!(world.parts.metrics.viewed.with_label_values(&["marked"]).get(), 18);
}

#[tokio::test]
async fn a_view_that_was_cut_short_is_done_again_with_equal_bytes() {
    let world = world();
    let site = world.seed("https://a.test/").await;
    let contents = stories(&world, &site, 0..6).await;
    let whole = look(&world, When::Changed, &mut Looked::new()).await;
    assert_eq!(whole, ViewReport { sites: 1, marked: 6, ..ViewReport::default() });
    // As after a crash that lost the record and half of the marks.
    let (_, record) = world.parts.state.value("viewed/a.test").await.unwrap().unwrap();
    let (held, _) = world.parts.state.value("viewed/a.test").await.unwrap().unwrap();
    world.parts.state.put_value("viewed/a.test", Some(held), Vec::new().into()).await.unwrap();
    let before = hierarchy(&world, contents[1]).await;
    let mut lost = before.clone();
    lost.unmark();
    world.parts.archive.put(Kind::Hierarchy, contents[1], xml::write(&lost).into(), NOW).await.unwrap();
    let report = look(&world, When::Changed, &mut Looked::new()).await;
    assert_eq!(report, ViewReport { sites: 1, marked: 1, unchanged: 5, ..ViewReport::default() });
    assert_eq!(hierarchy(&world, contents[1]).await, before);
    assert_eq!(world.parts.state.value("viewed/a.test").await.unwrap().unwrap().1, record);
    assert_eq!(look(&world, When::Changed, &mut Looked::new()).await, ViewReport::default());
}

#[tokio::test]
async fn what_the_archive_lost_or_broke_is_counted_and_ends_nothing() {
    let world = world();
    let site = world.seed("https://a.test/").await;
    let contents = stories(&world, &site, 0..4).await;
    world.parts.archive.delete(Kind::Page, contents[0]).await.unwrap();
    world.parts.archive.put(Kind::Hierarchy, contents[1], "<page".into(), NOW).await.unwrap();
    let report = look(&world, When::Grown, &mut Looked::new()).await;
    assert_eq!(report, ViewReport { sites: 1, marked: 2, missing: 1, failed: 1, ..ViewReport::default() });
    // Told to stop: nothing is recorded, so the site stays due.
    stories(&world, &site, 4..8).await;
    let stop = CancellationToken::new();
    stop.cancel();
    let report = view_sites(&world.parts, When::Changed, PACE, &mut Looked::new(), &stop).await.unwrap();
    assert_eq!(report, ViewReport::default());
    assert_eq!(look(&world, When::Changed, &mut Looked::new()).await.sites, 1);
}
