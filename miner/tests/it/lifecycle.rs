//! The lives of articles: what readers hear of, and what stays of pages that are gone or were replaced.

use std::time::Duration;

use newslode_common::broker::in_process::PublishedArticle;
use newslode_common::config::{Follow, MinerConfig, Retention};
use newslode_common::message::seed::{SeedCommand, SeedMessage};
use newslode_common::message::{Ending, GonePage, PartitionedPage};
use newslode_common::outcome::Outcome;
use newslode_common::rights::{PAGE, Rights, Source, Standing, Statement, Use, rights_key};
use newslode_common::schedule::{Days, ListingId, ListingKind, PageSchedule, Role, ScheduleConfig};
use newslode_common::store::state_digest;
use newslode_common::store::teach::teach;
use newslode_common::store::{Again, Completion, Kind, NewUrl, Validators, Why};
use newslode_common::version::ContentHash;
use newslode_miner::work::apply::{PageEnd, count_batch};
use newslode_miner::work::histories::read_history;
use newslode_miner::work::removal::remove_page;
use newslode_miner::work::seeds::apply_seed;
use newslode_page::reading::Site;
use newslode_page::time::Timestamp;
use newslode_page::{Page, article};
use serde_json::Value;
use tokio::sync::mpsc::Receiver;

use crate::world::{NOW, World, content_of, page, served, url, world};

const STORY: &str = "https://a.test/rain";

/// A fetched story. Of equal `teaser`s the page's bytes are equal.
fn story(fetch: u64, teaser: &str, body: &str) -> PartitionedPage {
    let mut made = page(STORY, Why::Link, fetch, &["sport", teaser], &[]);
    made.fetched_at = Timestamp(NOW.0 + fetch * 1_000);
    let html = format!(
        "<title>Rain</title><meta property=og:type content=article><h1>Rain</h1><p>{body} After eleven dry weeks \
         it rained over the valley on Thursday, and the farmers came out of their houses to watch it fall.<p>The \
         reservoir above the town rose by a hand's breadth before noon, the water board said, and the ban on \
         watering gardens will end today."
    );
    made.article = article(&Page::parse(&made.url, None, html.as_bytes()), made.fetched_at).1;
    made
}

fn gone(fetch: u64) -> GonePage {
    let url = url(STORY);
    GonePage { site: url.site(), url, fetch, at: Timestamp(NOW.0 + fetch * 1_000), ending: Ending::NotFound }
}

async fn count(world: &World, site: &Site, made: &PartitionedPage) -> PageEnd {
    world.archive(made).await;
    let pages = std::slice::from_ref(made);
    count_batch(&world.parts, Follow::Concepts, site, pages, NOW).await.unwrap().remove(0)
}

fn heard(readers: &mut Receiver<PublishedArticle>) -> Vec<(String, u64)> {
    let mut heard = Vec::new();
    while let Ok(told) = readers.try_recv() {
        let event: Value = serde_json::from_slice(&told.body).unwrap();
        heard.push((event["event"].as_str().unwrap().into(), event["version"].as_u64().unwrap()));
    }
    heard
}

fn told(event: &str, version: u64) -> Vec<(String, u64)> {
    vec![(event.into(), version)]
}

async fn holds(world: &World, kind: Kind, content: ContentHash) -> bool {
    world.parts.stores.archive.get(kind, content).await.unwrap().is_some()
}

#[tokio::test]
async fn headers_say_which_event_it_is_and_what_may_be_done_with_the_article() {
    let world = world();
    let mut readers = world.broker.subscribe_articles(99);
    let site = world.seed("https://a.test/").await;
    let mut rights = Rights::default();
    for (of, standing) in [(Use::AiTrain, Standing::Reserved), (Use::Search, Standing::Allowed)] {
        rights.add(Statement::new(Source::ContentSignal, "as it is written", PAGE, NOW, [(of, standing)]));
    }
    let json = serde_json::to_vec(&rights).unwrap();
    let archive = &world.parts.stores.archive;
    archive.put(Kind::Rights, rights_key(&url(STORY)), json.into(), NOW).await.unwrap();
    count(&world, &site, &story(1, "golf", "It rained.")).await;
    remove_page(&world.parts, &gone(2), NOW).await.unwrap();
    for event in ["new", "gone"] {
        let wanted = [
            ("event", event),
            ("rights.search", "allowed"),
            ("rights.ai_input", "unknown"),
            ("rights.ai_train", "reserved"),
            ("rights.text_mining", "unknown"),
            ("rights.archive", "unknown"),
        ];
        let headers = readers.try_recv().unwrap().headers;
        let headers: Vec<(&str, &str)> =
            headers.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        assert_eq!(headers, wanted);
    }
}

async fn readers_hear_of_each_event_once(world: World) {
    let mut readers = world.broker.subscribe_articles(99);
    let site = world.seed("https://a.test/").await;
    let first = story(1, "golf", "It rained.");
    assert_eq!(count(&world, &site, &first).await, PageEnd::Applied);
    assert_eq!(heard(&mut readers), told("new", 1));
    assert_eq!(count(&world, &site, &first).await, PageEnd::Stale);
    assert_eq!(heard(&mut readers), [], "a message that comes twice");
    count(&world, &site, &story(2, "tennis", "It rained.")).await;
    assert_eq!(heard(&mut readers), [], "only a teaser beside it changed");
    count(&world, &site, &story(3, "tennis", "It poured.")).await;
    assert_eq!(heard(&mut readers), told("changed", 2));
    count(&world, &site, &story(2, "tennis", "It rained.")).await;
    assert_eq!(heard(&mut readers), [], "a late message");

    assert_eq!(remove_page(&world.parts, &gone(4), NOW).await.unwrap(), PageEnd::Applied);
    assert_eq!(heard(&mut readers), told("gone", 3));
    assert_eq!(remove_page(&world.parts, &gone(4), NOW).await.unwrap(), PageEnd::Applied);
    assert_eq!(heard(&mut readers), []);
    let counted = world.parts.stores.state.versions(&site, &[url(STORY)]).await.unwrap()[0].unwrap();
    assert_eq!((counted.fetch, counted.content), (4, ContentHash::NONE));
    count(&world, &site, &story(3, "tennis", "It poured.")).await;
    assert_eq!(heard(&mut readers), [], "what was read before it was gone");
    count(&world, &site, &story(5, "tennis", "It poured.")).await;
    assert_eq!(heard(&mut readers), told("new", 4), "it is back");
    assert_eq!(remove_page(&world.parts, &gone(4), NOW).await.unwrap(), PageEnd::Stale);
    assert_eq!(heard(&mut readers), [], "it was read since");
}

#[tokio::test]
async fn readers_get_each_event_once_embedded() {
    readers_hear_of_each_event_once(world()).await;
}

#[tokio::test]
async fn a_history_begins_when_and_where_a_listing_showed_the_article() {
    let world = world();
    let site = world.seed("https://a.test/").await;
    let (front, frontier) = (url("https://a.test/news"), world.parts.stores.frontier.as_ref());
    let config = ScheduleConfig::default();
    teach(frontier, &site, &config, NOW, |site| site.meet(&front, ListingKind::Section)).await.unwrap();
    let known = PageSchedule::page(Some(ListingId::of(&front)), Timestamp(61_000));
    assert_eq!(known.role, Role::Page);
    let new =
        NewUrl { schedule: Some(known), again: Again::Never, ..NewUrl::once(url(STORY), 1, Why::Link, 0) };
    frontier.add(&[new], NOW).await.unwrap();
    let made = PartitionedPage { fetched_at: Timestamp(90_000), ..story(1, "golf", "It rained.") };
    count(&world, &site, &made).await;
    let life = read_history(world.parts.stores.archive.as_ref(), &url(STORY)).await.unwrap().unwrap();
    assert_eq!((life.first_seen, life.discovered_on), (Timestamp(61_000), Some(front)));
    assert_eq!(life.fetched_at, Timestamp(90_000));
}

#[tokio::test]
async fn replaced_bodies_are_deleted_from_the_archive_and_gone_ones_if_configured() {
    let mut world = world();
    let site = world.seed("https://a.test/").await;
    let (first, second) = (story(1, "golf", "It rained."), story(2, "tennis", "It poured."));
    count(&world, &site, &first).await;
    count(&world, &site, &second).await;
    assert!(!holds(&world, Kind::Page, content_of(&first)).await);
    assert!(!holds(&world, Kind::Contribution, first.version.content).await);
    assert!(holds(&world, Kind::Page, content_of(&second)).await);
    remove_page(&world.parts, &gone(3), NOW).await.unwrap();
    assert!(holds(&world, Kind::Article, second.version.content).await, "all is kept by default");
    count(&world, &site, &story(4, "tennis", "It poured.")).await;
    world.parts.retention = Retention::Live;
    remove_page(&world.parts, &gone(5), NOW).await.unwrap();
    for kind in [Kind::Contribution, Kind::Article] {
        assert!(!holds(&world, kind, second.version.content).await);
    }
    assert!(!holds(&world, Kind::Page, content_of(&second)).await);
    let life = read_history(world.parts.stores.archive.as_ref(), &url(STORY)).await.unwrap().unwrap();
    assert_eq!(life.events.len(), 5, "that it was there is remembered");
    let remove = SeedCommand::Remove("https://a.test/".parse().unwrap());
    apply_seed(&world.parts, &Default::default(), remove, NOW).await.unwrap();
    assert!(
        read_history(world.parts.stores.archive.as_ref(), &url(STORY)).await.unwrap().is_none(),
        "a removed site leaves nothing"
    );
}

async fn a_forgotten_page_leaves_nothing(world: World) {
    let mut readers = world.broker.subscribe_articles(99);
    let site = world.seed("https://a.test/").await;
    let made = story(1, "golf", "It rained.");
    let none = state_digest(world.parts.stores.state.as_ref(), &site).await.unwrap();
    count(&world, &site, &made).await;
    world.parts.stores.frontier.add(&[NewUrl::once(url(STORY), 1, Why::Link, 0)], NOW).await.unwrap();
    for _ in 0..2 {
        let forget = SeedCommand::Forget(STORY.parse().unwrap());
        apply_seed(&world.parts, &Default::default(), forget, NOW).await.unwrap();
    }
    assert_eq!(heard(&mut readers), [("new".to_owned(), 1), ("gone".to_owned(), 2)]);
    assert_eq!(state_digest(world.parts.stores.state.as_ref(), &site).await.unwrap(), none);
    assert!(!holds(&world, Kind::Page, content_of(&made)).await);
    assert!(!holds(&world, Kind::Article, made.version.content).await);
    assert!(read_history(world.parts.stores.archive.as_ref(), &url(STORY)).await.unwrap().is_none());
    assert!(world.parts.stores.frontier.entry(&url(STORY)).await.unwrap().is_none());
    assert_eq!(count(&world, &site, &made).await, PageEnd::Stale, "a late message cannot bring it back");
    count(&world, &site, &story(9, "golf", "It rained.")).await;
    assert_eq!(heard(&mut readers), told("new", 1), "its next fetch can");
}

#[tokio::test]
async fn a_forgotten_page_leaves_nothing_embedded() {
    a_forgotten_page_leaves_nothing(world()).await;
}

#[tokio::test]
async fn a_content_that_another_message_still_needs_stays_in_the_archive() {
    let world = world();
    let site = world.seed("https://a.test/").await;
    let (first, second) = (story(1, "golf", "It rained."), story(2, "tennis", "It poured."));
    count(&world, &site, &first).await;
    // The crawler has the first content again; its message is still in the queue.
    let frontier = world.parts.stores.frontier.as_ref();
    frontier.add(&[NewUrl::once(url(STORY), 1, Why::Link, 0)], NOW).await.unwrap();
    // The front page of the seed goes first.
    for turn in [1, 2] {
        let now = Timestamp(NOW.0 + turn);
        let claim = frontier.claim(now, Duration::from_secs(60), 1).await.unwrap().claims.remove(0);
        let done = Completion::Done {
            outcome: Outcome::Fetched,
            content: Some(content_of(&first)),
            validators: Validators::default(),
            next: None,
            schedule: None,
        };
        frontier.complete(&claim, done, now).await.unwrap();
    }
    assert_eq!(frontier.entry(&url(STORY)).await.unwrap().unwrap().content, Some(content_of(&first)));
    count(&world, &site, &second).await;
    assert!(holds(&world, Kind::Page, content_of(&first)).await);
}

/// The same over Redis.
mod servers {
    use super::*;

    #[tokio::test]
    async fn readers_get_each_event_once_in_redis() {
        let (_server, world) = served().await;
        readers_hear_of_each_event_once(world).await;
    }

    #[tokio::test]
    async fn a_forgotten_page_leaves_nothing_in_redis() {
        let (_server, world) = served().await;
        a_forgotten_page_leaves_nothing(world).await;
    }
}

#[tokio::test]
async fn a_seed_asks_for_days_of_the_past_that_have_come() {
    let world = world();
    let site = world.seed("https://a.test/").await;
    let send = async |days: &str, follow: Follow, now: Timestamp| {
        let json = format!(r#"{{"version":1,"url":"https://a.test/"{days}}}"#);
        let config = MinerConfig { follow, ..MinerConfig::default() };
        let command = SeedMessage::parse(json.as_bytes()).unwrap();
        apply_seed(&world.parts, &config, command, now).await.unwrap();
        let (schedule, _) = world.parts.stores.frontier.schedule(&site).await.unwrap();
        schedule
            .past()
            .map(|past| (past.window(), past.open().map(|open| open.url.to_string()).collect::<Vec<_>>()))
    };
    // 2024-05-15.
    let now = Timestamp(19_858 * 86_400_000 + 5);
    let since = r#","since":"2024-05-01""#;
    assert_eq!(send("", Follow::News, now).await, None);
    assert_eq!(send(since, Follow::All, now).await, None, "it is read where the news is followed");
    assert_eq!(send(r#","since":"2024-06-01""#, Follow::News, now).await, None);
    let asked = send(since, Follow::News, now).await;
    let front = vec!["https://a.test/".to_owned()];
    assert_eq!(asked, Some((Days { first: 19_844, last: 19_858 }, front)));
    assert_eq!(send("", Follow::News, now).await, asked, "a seed without days ends nothing");
}
