//! One story, one article: under which address readers know it, and what becomes of its other addresses.

use std::sync::Arc;
use std::time::Duration;

use newslode_common::broker::in_process::PublishedArticle;
use newslode_common::config::Follow;
use newslode_common::message::seed::SeedCommand;
use newslode_common::message::{Ending, GonePage, PartitionedPage};
use newslode_common::schedule::PageSchedule;
use newslode_common::store::{NewUrl, Why};
use newslode_miner::work::announcements::Announcements;
use newslode_miner::work::announcing::announce_now;
use newslode_miner::work::apply::count_batch;
use newslode_miner::work::histories::history::{ArticleHistory, Fetch};
use newslode_miner::work::histories::read_history;
use newslode_miner::work::removal::remove_page;
use newslode_miner::work::seeds::apply_seed;
use newslode_page::reading::CanonicalUrl;
use newslode_page::time::Timestamp;
use newslode_page::{Page, article};
use serde_json::Value;
use tokio::sync::mpsc::Receiver;

use crate::world::{NOW, World, page, served, url, world};

const STORY: &str = "https://a.test/rain";
const MOBILE: &str = "https://a.test/m/rain";

/// A story that was fetched at an address. Its page may declare another one.
fn story(at: &str, fetch: u64, body: &str, canonical: Option<&str>) -> PartitionedPage {
    let mut made = page(at, Why::Link, fetch, &["sport", at], &[]);
    made.fetched_at = Timestamp(NOW.0 + fetch * 1_000);
    made.canonical = canonical.map(url);
    let html = format!(
        "<title>Rain ends the drought</title><meta property=og:type content=article><h1>Rain ends the drought</h1>\
         <p>{body} After eleven dry weeks it rained over the valley on Thursday, and the farmers came out of their \
         houses to watch it fall.<p>The reservoir above the town rose by a hand's breadth before noon, the water \
         board said, and the ban on watering gardens will end today. Nobody in the town could remember a summer as \
         dry as this one, and the brewery had begun to bring its water from the coast by train."
    );
    made.article = article(&Page::parse(&made.url, None, html.as_bytes()), made.fetched_at).1;
    made
}

async fn count(world: &World, made: &PartitionedPage) {
    world.archive(made).await;
    count_batch(&world.parts, Follow::News, &made.site, std::slice::from_ref(made), NOW).await.unwrap();
}

/// Event, address and what else matters: of a gone article where it is now, of others how many addresses it has.
fn heard(readers: &mut Receiver<PublishedArticle>) -> Vec<String> {
    let mut heard = Vec::new();
    while let Ok(told) = readers.try_recv() {
        let event: Value = serde_json::from_slice(&told.body).unwrap();
        let text = |key: &str| event[key].as_str().unwrap_or("-").replace("https://a.test", "");
        let details = match event["event"].as_str() {
            Some("gone") => format!("{} {}", text("reason"), text("moved_to")),
            _ => event["addresses"].as_array().unwrap().len().to_string(),
        };
        heard.push(format!("{} {} {details}", text("event"), text("url")));
    }
    heard
}

async fn history(world: &World, at: &str) -> ArticleHistory {
    read_history(world.parts.stores.archive.as_ref(), &url(at)).await.unwrap().unwrap()
}

async fn is_asked_for(world: &World, at: &str) -> bool {
    world.parts.stores.frontier.entry(&url(at)).await.unwrap().is_some_and(|entry| entry.due.is_some())
}

fn addresses(life: &ArticleHistory) -> Vec<&str> {
    life.addresses.iter().map(CanonicalUrl::as_str).collect()
}

async fn the_same_text_is_one_article(world: World) {
    let mut readers = world.broker.subscribe_articles(99);
    world.seed("https://a.test/").await;
    count(&world, &story(STORY, 1, "It rained.", None)).await;
    let mobile = story(MOBILE, 2, "It rained.", None);
    for _ in 0..2 {
        count(&world, &mobile).await;
    }
    assert_eq!(heard(&mut readers), ["new /rain 0"], "once, at the address that was read first");
    assert_eq!(addresses(&history(&world, STORY).await), [MOBILE]);
    assert_eq!(history(&world, MOBILE).await.twin_of, Some(url(STORY)));
    count(&world, &story(STORY, 3, "It poured.", None)).await;
    assert_eq!(heard(&mut readers), ["changed /rain 1"]);
    count(&world, &story("https://a.test/other", 4, "The sun shone all day in the south, and", None)).await;
    assert_eq!(heard(&mut readers), ["new /other 0"], "another text under the same headline");
}

#[tokio::test]
async fn the_same_text_is_one_article_embedded() {
    the_same_text_is_one_article(world()).await;
}

/// A world in which new articles wait to be announced.
fn waiting_world() -> World {
    let mut world = world();
    world.parts.announcements = Arc::new(Announcements::held(Duration::from_secs(120)));
    world
}

#[tokio::test]
async fn of_two_addresses_of_a_waiting_article_one_is_announced_once() {
    let world = waiting_world();
    let mut readers = world.broker.subscribe_articles(99);
    world.seed("https://a.test/").await;
    count(&world, &story(STORY, 1, "It rained.", None)).await;
    count(&world, &story(MOBILE, 2, "It rained.", None)).await;
    assert_eq!(heard(&mut readers), [] as [&str; 0]);
    for address in [MOBILE, STORY, STORY, MOBILE] {
        announce_now(&world.parts, &url(address), NOW).await.unwrap();
    }
    assert_eq!(heard(&mut readers), ["new /rain 1"]);
    // What changes later is told at once.
    count(&world, &story(STORY, 3, "It poured.", None)).await;
    assert_eq!(heard(&mut readers), ["changed /rain 1"]);
}

#[tokio::test]
async fn the_declared_address_of_a_waiting_article_wins_in_silence() {
    let world = waiting_world();
    let mut readers = world.broker.subscribe_articles(99);
    world.seed("https://a.test/").await;
    count(&world, &story(MOBILE, 1, "It rained.", Some(STORY))).await;
    count(&world, &story(STORY, 1, "It rained, and how.", None)).await;
    assert_eq!(history(&world, MOBILE).await.twin_of, Some(url(STORY)));
    for address in [MOBILE, STORY] {
        announce_now(&world.parts, &url(address), NOW).await.unwrap();
    }
    assert_eq!(heard(&mut readers), ["new /rain 1"]);
}

#[tokio::test]
async fn readers_do_not_hear_of_an_article_that_is_gone_before_it_was_announced() {
    let world = waiting_world();
    let mut readers = world.broker.subscribe_articles(99);
    let site = world.seed("https://a.test/").await;
    count(&world, &story(STORY, 1, "It rained.", None)).await;
    let at = Timestamp(NOW.0 + 5_000);
    let gone = GonePage { site, url: url(STORY), fetch: 2, at, ending: Ending::NotFound };
    remove_page(&world.parts, &gone, NOW).await.unwrap();
    announce_now(&world.parts, &url(STORY), NOW).await.unwrap();
    assert!(!history(&world, STORY).await.is_waiting());
    // It comes back, and waits like any other.
    count(&world, &story(STORY, 9, "It rained.", None)).await;
    assert_eq!(heard(&mut readers), [] as [&str; 0]);
    announce_now(&world.parts, &url(STORY), NOW).await.unwrap();
    assert_eq!(heard(&mut readers), ["new /rain 0"]);
}

#[tokio::test]
async fn an_article_that_its_site_shows_to_be_none_before_it_was_announced_stays_none_for_a_week() {
    let world = waiting_world();
    world.seed("https://a.test/").await;
    count(&world, &story(STORY, 1, "It rained.", None)).await;
    let mut stored = history(&world, STORY).await;
    assert!(stored.is_waiting() && !stored.is_no_article());
    let week = Duration::from_secs(7 * 86_400);
    assert_eq!(stored.record_end(Ending::NotAnArticle, Fetch { number: 1, at: NOW }), None);
    assert!(
        !stored.is_waiting() && stored.is_no_article() && !stored.supersedes(Fetch { number: 1, at: NOW })
    );
    assert!(!stored.may_change_kind(NOW) && stored.may_change_kind(NOW.plus(week)));
    // A view may bring it back then.
    let article = story(STORY, 1, "It rained.", None).article.unwrap();
    assert!(stored.record_fetch(&article, Fetch { number: 1, at: NOW }).is_some());
    assert!(!stored.is_no_article() && stored.is_announced());
}

#[tokio::test]
async fn the_declared_address_wins() {
    let world = world();
    let mut readers = world.broker.subscribe_articles(99);
    world.seed("https://a.test/").await;
    count(&world, &story(MOBILE, 1, "It rained.", Some(STORY))).await;
    assert_eq!(heard(&mut readers), ["new /m/rain 0"], "nobody waits for the other page");
    assert!(is_asked_for(&world, STORY).await);
    let first_seen = history(&world, MOBILE).await.first_seen;
    let scheduled = NewUrl {
        schedule: Some(PageSchedule::page(None, NOW)),
        ..NewUrl::once(url(MOBILE), 1, Why::Link, 0)
    };
    world.parts.stores.frontier.add(&[scheduled], NOW).await.unwrap();
    let main = story(STORY, 1, "It rained, and how.", None);
    for _ in 0..2 {
        count(&world, &main).await;
    }
    assert_eq!(heard(&mut readers), ["new /rain 1", "gone /m/rain same_article /rain"]);
    assert_eq!(history(&world, STORY).await.first_seen, first_seen);
    assert!(!is_asked_for(&world, MOBILE).await, "one address is enough");
    count(&world, &story(MOBILE, 2, "It rained, and how it rained.", Some(STORY))).await;
    assert_eq!(heard(&mut readers), [] as [&str; 0], "a twin's changes are told at its primary");
    // The other way round there is nothing to take back.
    count(&world, &story("https://a.test/print/rain", 1, "It rained, and how it rained.", Some(STORY))).await;
    assert_eq!(heard(&mut readers), [] as [&str; 0]);
    assert_eq!(addresses(&history(&world, STORY).await), [MOBILE, "https://a.test/print/rain"]);
}

#[tokio::test]
async fn a_wrong_canonical_address_is_ignored() {
    let world = world();
    let mut readers = world.broker.subscribe_articles(99);
    world.seed("https://a.test/").await;
    count(&world, &story(STORY, 1, "It rained.", None)).await;
    let mut other = story("https://a.test/cup", 1, "It rained.", Some(STORY));
    let html = "<title>The cup</title><meta property=og:type content=article><h1>Harbour town wins the cup</h1>\
        <p>By Ada Lane, 3 May 2024<p>The players of the harbour town won the cup for the first time on Saturday, two goals to none, in a match that was \
        late by an hour because the lights had failed.<p>Their captain lifted it before the few who had stayed, and the \
        mayor promised a holiday for all schools of the town.";
    other.article = article(&Page::parse(&other.url, None, html.as_bytes()), other.fetched_at).1;
    count(&world, &other).await;
    assert_eq!(heard(&mut readers), ["new /rain 0", "new /cup 0"]);
    assert_eq!(history(&world, "https://a.test/cup").await.canonical, Some(url(STORY)), "readers may judge");
}

#[tokio::test]
async fn an_article_continues_at_its_other_address() {
    let world = world();
    let mut readers = world.broker.subscribe_articles(99);
    let site = world.seed("https://a.test/").await;
    count(&world, &story(STORY, 1, "It rained.", None)).await;
    count(&world, &story(MOBILE, 1, "It rained.", None)).await;
    let ending = Ending::NotFound;
    let gone = GonePage { url: url(STORY), site, fetch: 2, at: Timestamp(NOW.0 + 2_000), ending };
    remove_page(&world.parts, &gone, NOW).await.unwrap();
    assert_eq!(heard(&mut readers), ["new /rain 0", "gone /rain not_found -"]);
    assert!(is_asked_for(&world, MOBILE).await, "it may live on there");
    count(&world, &story(MOBILE, 3, "It rained.", None)).await;
    assert_eq!(heard(&mut readers), ["new /m/rain 0"]);
    assert_eq!(
        addresses(&history(&world, STORY).await),
        [""; 0],
        "an article of its own is nobody's address"
    );
}

#[tokio::test]
async fn a_moved_article_keeps_its_time_of_discovery() {
    let world = world();
    let mut readers = world.broker.subscribe_articles(99);
    let site = world.seed("https://a.test/").await;
    count(&world, &story("https://a.test/1", 1, "It rained.", None)).await;
    let first_seen = history(&world, "https://a.test/1").await.first_seen;
    let moved = |from: &str| {
        let (ending, at) = (Ending::Moved(url(STORY)), Timestamp(NOW.0 + 9_000));
        GonePage { url: url(from), site: site.clone(), fetch: 2, at, ending }
    };
    remove_page(&world.parts, &moved("https://a.test/1"), NOW).await.unwrap();
    for _ in 0..2 {
        // It redirected at its first visit.
        remove_page(&world.parts, &moved("https://a.test/?p=1"), NOW).await.unwrap();
    }
    count(&world, &story(STORY, 8, "It rained.", None)).await;
    assert_eq!(heard(&mut readers), ["new /1 0", "gone /1 moved /rain", "new /rain 2"]);
    let life = history(&world, STORY).await;
    assert_eq!(
        (life.first_seen, addresses(&life)),
        (first_seen, vec!["https://a.test/1", "https://a.test/?p=1"])
    );
    let counted = world.parts.stores.state.versions(&site, &[url("https://a.test/?p=1")]).await.unwrap();
    assert_eq!(counted, [None], "what was never counted takes no place in the sums");
    let forget = SeedCommand::Forget(STORY.parse().unwrap());
    apply_seed(&world.parts, &Default::default(), forget, NOW).await.unwrap();
    for at in [STORY, "https://a.test/1", "https://a.test/?p=1"] {
        assert!(read_history(world.parts.stores.archive.as_ref(), &url(at)).await.unwrap().is_none(), "{at}");
    }
}

#[tokio::test]
async fn the_text_of_an_agency_is_linked_and_not_merged() {
    let world = world();
    let mut readers = world.broker.subscribe_articles(99);
    for (at, number) in [("https://a.test/rain", 1), ("https://b.test/rain", 2)] {
        world.seed(&at.replace("rain", "")).await;
        count(&world, &story(at, number, "It rained.", None)).await;
    }
    assert_eq!(heard(&mut readers), ["new /rain 0", "new https://b.test/rain 0"]);
    assert_eq!(history(&world, "https://b.test/rain").await.same_text, [url(STORY)].into());
    assert_eq!(history(&world, STORY).await.same_text, [url("https://b.test/rain")].into());
}

/// The same over Redis.
mod servers {
    use super::*;

    #[tokio::test]
    async fn the_same_text_is_one_article_in_redis() {
        let (_server, world) = served().await;
        the_same_text_is_one_article(world).await;
    }
}
