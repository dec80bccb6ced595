//! Views of whole sites: blocks are marked, recorded with the site's version, and redone when it changed.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use newslode_common::config::Follow;
use newslode_common::message::{Body, Ending, FetchedPage, PartitionedPage, envelope};
use newslode_common::store::{Kind, Why};
use newslode_common::version::{ContentHash, Version};
use newslode_miner::mining::templates::Reason;
use newslode_miner::work::announcements::Announcements;
use newslode_miner::work::announcing::announce_now;
use newslode_miner::work::apply::count_batch;
use newslode_miner::work::histories::history::{ArticleHistory, Fetch, history_key};
use newslode_miner::work::histories::read_history;
use newslode_miner::work::knowledge::{Knowledge, teach};
use newslode_miner::work::seeds::apply_seed;
use newslode_miner::work::views::{Pace, ViewMemory, ViewReport, When, view_site, view_sites};
use newslode_page::analyse;
use newslode_page::article::Article;
use newslode_page::extract::{Correction, crawled_article};
use newslode_page::hierarchy::{Block, Hierarchy, xml};
use newslode_page::reading::Site;
use newslode_page::time::Timestamp;
use newslode_page::{Page, Params};
use tokio_util::sync::CancellationToken;

use crate::world::{NOW, World, ours, url, world};

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

/// Story `n` of a site whose pages share their menu and footer.
fn story(n: usize) -> String {
    let words = SUBJECTS[n % SUBJECTS.len()];
    format!(
        "<html lang=en><title>{words}</title><body><ul><li><a href=/>Home</a><li><a href=/sport>Sport</a></ul>\
         <div><p>The {words} surprised everybody number {n}.<p>Again the {words} were seen, {words} they said.\
         <p>Later {words}, as ever {words}.</div><div><p>Subscribe to our letter<p>All rights reserved</div>"
    )
}

/// The paragraphs of article `n`.
fn paragraphs(n: usize) -> [String; 3] {
    let (words, other) = (SUBJECTS[n % SUBJECTS.len()], SUBJECTS[(n + 3) % SUBJECTS.len()]);
    [
        format!(
            "The {words} surprised everybody on day {n}, they said, and nobody knew what to do about the {other}."
        ),
        format!(
            "Again the {words} were seen on day {n} by those who had looked for them since the year before last."
        ),
        format!(
            "Later it was the {other}, as ever on such days, and the {n} people who had come went home content."
        ),
    ]
}

/// Article `n` in one of two layouts.
fn article(n: usize, is_new: bool) -> String {
    let ([first, second, third], words) = (paragraphs(n), SUBJECTS[n % SUBJECTS.len()]);
    let promo = format!("<div class=promo><p class=own>{PROMO} It is number {n}.</p></div>");
    let head =
        format!("<html lang=en><title>{words} {n}</title><meta property=og:type content=article><body>");
    if is_new {
        format!(
            "{head}<main><article><header><h1>{words} {n}</h1></header><section><p>{first}<p>{second}<p>{third}\
             </section>{promo}</article></main><footer><p>All rights reserved by the new owners</footer>"
        )
    } else {
        format!(
            "{head}<table><tr><td>Home<td>Sport<tr><td><h2>{words} {n}</h2><div class=t><p class=par>{first}</p>\
             <p class=par>{second}</p>{promo}<p class=par>{third}</p></div></table><p>Subscribe<p>Rights reserved"
        )
    }
}

const PROMO: &str = "Our reporters are on the spot for you, in this town and in all others: read more of their \
    work in the weekend's paper, and tell us what you think.";

/// Counts these stories as the services do.
async fn stories(world: &World, site: &Site, numbers: std::ops::Range<usize>) -> Vec<ContentHash> {
    counted(world, site, numbers, story).await
}

/// Counts these pages as the services do.
async fn counted(
    world: &World,
    site: &Site,
    numbers: std::ops::Range<usize>,
    html: impl Fn(usize) -> String,
) -> Vec<ContentHash> {
    let pages = numbers.map(|n| (n, format!("https://a.test/{n}"), html(n)));
    counted_at(world, site, pages).await
}

/// Counts pages, each with a number that says when it was fetched, as the services do.
async fn counted_at(
    world: &World,
    site: &Site,
    given: impl Iterator<Item = (usize, String, String)>,
) -> Vec<ContentHash> {
    let mut pages = Vec::new();
    for (n, at, html) in given {
        let at = url(&at);
        let fetched = FetchedPage {
            site: site.clone(),
            depth: 1,
            why: Why::Link,
            version: Version { fetch: 1, content: ContentHash::of(&at, None, html.as_bytes()) },
            fetched_at: NOW.plus(Duration::from_secs(n as u64)),
            content_type: None,
            body: Body::Inline(zstd::encode_all(html.as_bytes(), 0).unwrap()),
            url: at,
            listed: None,
            rendered: false,
        };
        let mut said = analyse(&fetched.url, None, html.as_bytes(), fetched.fetched_at, &Params::default());
        let (archive, content) = (&world.parts.stores.archive, fetched.version.content);
        archive.put(Kind::Page, content, envelope::seal(&fetched).unwrap().into(), NOW).await.unwrap();
        let name = content.seen_by(&ours());
        archive.put(Kind::Hierarchy, name, xml::write(&said.hierarchy).into(), NOW).await.unwrap();
        pages.push(PartitionedPage::new(&ours(), &fetched, &mut said));
    }
    count_batch(&world.parts, Follow::Concepts, site, &pages, NOW).await.unwrap();
    pages.iter().map(|page| page.version.content).collect()
}

async fn hierarchy(world: &World, content: ContentHash) -> Hierarchy {
    let bytes = world.parts.stores.archive.get(Kind::Hierarchy, content).await.unwrap().unwrap();
    xml::read(std::str::from_utf8(&bytes).unwrap()).unwrap()
}

async fn look(world: &World, when: When, looked: &mut ViewMemory) -> ViewReport {
    view_sites(&world.parts, when, PACE, looked, &CancellationToken::new()).await.unwrap()
}

#[tokio::test]
async fn all_pages_are_viewed_again_once_a_site_has_four_times_as_many() {
    let (world, mut looked) = (world(), ViewMemory::new());
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
    // First nothing changed, then one page of eight, then all but one of three times as many.
    assert_eq!(look(&world, When::Grown, &mut looked).await, ViewReport::default());
    let late = stories(&world, &site, 8..9).await;
    let report = look(&world, When::Grown, &mut looked).await;
    assert_eq!(report, ViewReport { marked: 1, ..ViewReport::default() });
    let new = hierarchy(&world, late[0]).await;
    assert_eq!(new.site_version.as_ref(), Some(&format!("{version}+")));
    for (node, block) in new.nodes.iter().zip(new.blocks()) {
        let Some(label) = &node.label else { continue };
        assert_eq!(block == Block::Article, label.text.contains("glaciers"), "{} is {block:?}", label.text);
    }
    stories(&world, &site, 9..31).await;
    // A miner that starts knows the value, too.
    looked = ViewMemory::new();
    let report = look(&world, When::Grown, &mut looked).await;
    assert_eq!((report.sites, report.marked), (0, 22));
    assert_eq!(hierarchy(&world, contents[0]).await.site_version.unwrap(), version);
    stories(&world, &site, 31..32).await;
    let report = look(&world, When::Grown, &mut looked).await;
    assert_eq!((report.sites, report.marked), (1, 32));
    assert_ne!(hierarchy(&world, contents[0]).await.site_version.unwrap(), version);
    assert_eq!(world.parts.metrics.viewed.with_label_values(&["marked"]).get(), 8 + 23 + 32);
}

#[tokio::test]
async fn a_site_that_grew_by_a_quarter_is_viewed_again_when_it_comes_to_rest() {
    let (world, mut looked) = (world(), ViewMemory::new());
    let site = world.seed("https://a.test/").await;
    stories(&world, &site, 0..8).await;
    let mut sites_viewed = async || look(&world, When::Grown, &mut looked).await.sites;
    assert_eq!((sites_viewed().await, sites_viewed().await), (1, 0));
    stories(&world, &site, 8..9).await;
    let (at_once, at_rest) = (sites_viewed().await, sites_viewed().await);
    assert_eq!((at_once, at_rest), (0, 0), "one page of eight is too little");
    stories(&world, &site, 9..10).await;
    let (at_once, at_rest, later) = (sites_viewed().await, sites_viewed().await, sites_viewed().await);
    assert_eq!((at_once, at_rest, later), (0, 1, 0));
}

#[tokio::test]
async fn a_small_site_that_changes_is_viewed_again_after_a_day() {
    let (world, mut looked) = (world(), ViewMemory::new());
    let site = world.seed("https://a.test/").await;
    stories(&world, &site, 0..8).await;
    assert_eq!(look(&world, When::Grown, &mut looked).await.sites, 1);
    let state = world.parts.stores.state.as_ref();
    let (mut known, held) = Knowledge::read(state, &site).await.unwrap();
    let viewed_at = known.progress.viewed_at.unwrap();
    known.progress.viewed_at = Some(Timestamp(viewed_at.0 - 86_400_000));
    assert!(known.write(state, &site, held).await.unwrap());
    assert_eq!(look(&world, When::Grown, &mut looked).await.sites, 0, "nothing changed");
    stories(&world, &site, 8..9).await;
    assert_eq!(look(&world, When::Grown, &mut looked).await.sites, 1);
    stories(&world, &site, 9..10).await;
    assert_eq!(look(&world, When::Grown, &mut looked).await.sites, 0, "a day begins again");
}

#[tokio::test]
async fn an_interrupted_view_is_repeated_with_equal_bytes() {
    let world = world();
    let site = world.seed("https://a.test/").await;
    let contents = stories(&world, &site, 0..6).await;
    let whole = look(&world, When::Changed, &mut ViewMemory::new()).await;
    assert_eq!((whole.sites, whole.marked), (1, 6));
    // As after a crash that lost what was written last and half of the marks.
    let held = world.parts.stores.state.value("templates/a.test").await.unwrap().unwrap().0;
    let known_but_when = async || {
        let mut known = known(&world).await;
        assert!(known.progress.viewed_at.take().is_some());
        known
    };
    let before_the_crash = known_but_when().await;
    world.parts.stores.state.put_value("templates/a.test", Some(held), Vec::new().into()).await.unwrap();
    let before = hierarchy(&world, contents[1]).await;
    let mut lost = before.clone();
    lost.unmark();
    world
        .parts
        .stores
        .archive
        .put(Kind::Hierarchy, contents[1], xml::write(&lost).into(), NOW)
        .await
        .unwrap();
    let report = look(&world, When::Changed, &mut ViewMemory::new()).await;
    assert_eq!((report.sites, report.marked, report.unchanged, report.changed), (1, 1, 5, 0));
    assert_eq!(hierarchy(&world, contents[1]).await, before);
    assert_eq!(known_but_when().await, before_the_crash);
    assert_eq!(look(&world, When::Changed, &mut ViewMemory::new()).await, ViewReport::default());
}

#[tokio::test]
async fn missing_or_broken_objects_of_the_archive_are_counted_and_do_not_stop_views() {
    let world = world();
    let site = world.seed("https://a.test/").await;
    let contents = stories(&world, &site, 0..4).await;
    world.parts.stores.archive.delete(Kind::Page, contents[0].seen_by(&ours())).await.unwrap();
    world.parts.stores.archive.put(Kind::Hierarchy, contents[1], "<page".into(), NOW).await.unwrap();
    let report = look(&world, When::Grown, &mut ViewMemory::new()).await;
    assert_eq!((report.sites, report.marked, report.missing, report.failed), (1, 2, 1, 1));
    // Told to stop: nothing is recorded, so the site stays due.
    stories(&world, &site, 4..8).await;
    let stop = CancellationToken::new();
    stop.cancel();
    let report = view_sites(&world.parts, When::Changed, PACE, &mut ViewMemory::new(), &stop).await.unwrap();
    assert_eq!(report, ViewReport::default());
    assert_eq!(look(&world, When::Changed, &mut ViewMemory::new()).await.sites, 1);
}

async fn read(world: &World, content: ContentHash) -> (Article, String) {
    let bytes = world.parts.stores.archive.get(Kind::Article, content).await.unwrap().unwrap();
    let article: Article = serde_json::from_slice(&bytes).unwrap();
    let witness = article.evidence.get("body").map(|evidence| evidence.witness.clone());
    (article, witness.unwrap_or_default())
}

async fn known(world: &World) -> Knowledge {
    Knowledge::read(world.parts.stores.state.as_ref(), &url("https://a.test/").site()).await.unwrap().0
}

/// The metrics of pages and templates.
fn told(world: &World) -> [u64; 6] {
    let metrics = &world.parts.metrics;
    let pages = |result| metrics.template_pages.with_label_values(&[result]).get();
    let templates = |event| metrics.templates.with_label_values(&[event]).get();
    [
        pages("accepted"),
        pages("waiting"),
        pages("settled"),
        templates("learnt"),
        templates("layout_changed"),
        templates("crowded"),
    ]
}

#[tokio::test]
async fn a_changed_layout_is_learnt_and_the_old_template_dropped() {
    let (world, mut looked) = (world(), ViewMemory::new());
    let site = world.seed("https://a.test/").await;
    let old = |n| article(n, false);
    let new = |n| article(n, true);
    let before = counted(&world, &site, 0..12, old).await;
    look(&world, When::Grown, &mut looked).await;
    assert_eq!(told(&world), [0, 12, 12, 1, 0, 0]);
    assert_eq!(read(&world, before[3]).await.1, "template v1");
    // One page in each look, as in a running service; it is read with the knowledge at once, not only after a
    // quarter changed.
    for n in 12..40 {
        let content = counted(&world, &site, n..n + 1, old).await;
        look(&world, When::Grown, &mut looked).await;
        assert_eq!(read(&world, content[0]).await.1, "template v1", "{n}");
    }
    assert_eq!(told(&world), [28, 12, 12, 1, 0, 0]);
    let mut after = Vec::new();
    for n in 40..44 {
        after.extend(counted(&world, &site, n..n + 1, new).await);
        look(&world, When::Grown, &mut looked).await;
        assert_ne!(read(&world, after[n - 40]).await.1, "template v1", "{n}");
    }
    assert_eq!((told(&world), known(&world).await.templates.waiting().len()), ([28, 16, 12, 1, 0, 0], 4));
    // The fifth page completes the new template; those that waited are read again.
    after.extend(counted(&world, &site, 44..45, new).await);
    let report = look(&world, When::Grown, &mut looked).await;
    assert_eq!((report.learnt, report.articles >= 5), (1, true));
    assert_eq!(told(&world), [28, 17, 17, 2, 0, 0]);
    for content in &after {
        assert_eq!(read(&world, *content).await.1, "template v2");
    }
    for n in 45..72 {
        after.extend(counted(&world, &site, n..n + 1, new).await);
        look(&world, When::Grown, &mut looked).await;
    }
    assert_eq!(told(&world), [55, 17, 17, 2, 1, 0]);
    let known = known(&world).await;
    let dropped = &known.templates.dropped()[0];
    assert!(
        matches!(dropped.reason, Reason::LayoutChanged { acceptance } if acceptance > 0.99),
        "{dropped:?}"
    );
    let second = |n: u64| NOW.plus(Duration::from_secs(n));
    assert_eq!((dropped.version, dropped.since, dropped.last_at), (1, second(0), second(39)));
    assert_eq!(known.templates.live()[0].since, second(40));
    // The old template still reads the pages from before.
    look(&world, When::Changed, &mut looked).await;
    assert_eq!(read(&world, before[3]).await.1, "template v1");
}

#[tokio::test]
async fn readers_hear_of_a_waiting_article_once_and_as_its_site_tells_it() {
    let mut world = world();
    world.parts.announcements = Arc::new(Announcements::held(Duration::from_secs(120)));
    let (mut looked, mut readers) = (ViewMemory::new(), world.broker.subscribe_articles(99));
    let mut heard = || {
        let events = std::iter::from_fn(|| Some(readers.try_recv().ok()?.body));
        let event = |body: bytes::Bytes| serde_json::from_slice::<serde_json::Value>(&body).unwrap();
        let name = |event: serde_json::Value| {
            // Only a view gives evidence for a body.
            let is_view = !event["evidence"]["body"].is_null();
            (event["version"].as_u64().unwrap(), event["provisional"] == true, is_view)
        };
        events.map(event).map(name).collect::<Vec<_>>()
    };
    let site = world.seed("https://a.test/").await;
    // 1. Two pages tell nothing of each other.
    counted(&world, &site, 0..2, |n| article(n, false)).await;
    look(&world, When::Grown, &mut looked).await;
    assert_eq!(heard(), []);
    announce_now(&world.parts, &url("https://a.test/0"), NOW).await.unwrap();
    assert_eq!(heard(), [(1, true, true)], "the wait was too long");
    // 2. Many do. The first one says nothing else now, and the others are told.
    counted(&world, &site, 2..30, |n| article(n, false)).await;
    assert_eq!(heard(), []);
    look(&world, When::Grown, &mut looked).await;
    assert_eq!(heard(), [(1, false, true); 29]);
    // 3. From now on each waits for its first view alone.
    counted(&world, &site, 30..31, |n| article(n, false)).await;
    assert_eq!(heard(), []);
    look(&world, When::Grown, &mut looked).await;
    assert_eq!(heard(), [(1, false, true)]);
}

#[tokio::test]
async fn what_a_view_decided_is_done_after_a_kill_between_history_and_archive() {
    let (world, mut looked) = (world(), ViewMemory::new());
    let archive = world.parts.stores.archive.as_ref();
    let site = world.seed("https://a.test/").await;
    let contents = counted(&world, &site, 0..8, |n| article(n, false)).await;
    let menu = |_| "<title>Menu</title><ul><li><a href=/1>One</a><li><a href=/2>Two</a></ul>".to_owned();
    let menus = counted(&world, &site, 8..9, menu).await;
    look(&world, When::Grown, &mut looked).await;
    let (held, _) = read(&world, contents[0]).await;
    let write = async |history: &ArticleHistory| {
        let json = serde_json::to_vec(history).unwrap();
        archive.put(Kind::History, history_key(&history.url), json.into(), NOW).await.unwrap();
    };
    // 1. A view took the menu for no article any more; its article was to be deleted.
    let (at, fetch) = (url("https://a.test/8"), Fetch { number: 1, at: world.parts.clock.now() });
    let mut gone = ArticleHistory::new(&at, NOW, None);
    let menu = Article { url: at.to_string(), ..held.clone() };
    gone.record_fetch(&menu, fetch).unwrap();
    gone.record_end(Ending::NotAnArticle, fetch).unwrap();
    write(&gone).await;
    archive.put(Kind::Article, menus[0], serde_json::to_vec(&menu).unwrap().into(), NOW).await.unwrap();
    // 2. Another one took a story for an article again; its article was to be archived.
    let story = url("https://a.test/0");
    let mut back = read_history(archive, &story).await.unwrap().unwrap();
    back.record_end(Ending::NotAnArticle, fetch).unwrap();
    back.record_fetch(&held, fetch).unwrap();
    write(&back).await;
    archive.delete(Kind::Article, contents[0]).await.unwrap();
    // The next process views the same pages again, and readers hear nothing twice.
    let mut readers = world.broker.subscribe_articles(99);
    counted(&world, &site, 9..10, |n| article(n, false)).await;
    while readers.try_recv().is_ok() {}
    look(&world, When::Changed, &mut ViewMemory::new()).await;
    assert_eq!(archive.get(Kind::Article, menus[0]).await.unwrap(), None);
    assert_eq!(read(&world, contents[0]).await.0.text(), held.text());
    assert!(readers.try_recv().is_err());
    assert_eq!(read_history(archive, &at).await.unwrap().unwrap(), gone);
    assert_eq!(read_history(archive, &story).await.unwrap().unwrap().events, back.events);
    // 3. Nothing was half done: what changed its kind keeps it for a week.
    archive.put(Kind::Article, menus[0], serde_json::to_vec(&menu).unwrap().into(), NOW).await.unwrap();
    let mut again = gone.clone();
    again.record_fetch(&menu, fetch).unwrap();
    write(&again).await;
    counted(&world, &site, 10..11, |n| article(n, false)).await;
    look(&world, When::Changed, &mut ViewMemory::new()).await;
    assert!(archive.get(Kind::Article, menus[0]).await.unwrap().is_some());
}

#[tokio::test]
async fn a_correction_reaches_a_running_miner_and_its_readers() {
    let (world, mut looked) = (world(), ViewMemory::new());
    let mut readers = world.broker.subscribe_articles(99);
    let site = world.seed("https://a.test/").await;
    let contents = counted(&world, &site, 0..8, |n| article(n, false)).await;
    look(&world, When::Grown, &mut looked).await;
    while readers.try_recv().is_ok() {}
    assert_eq!(look(&world, When::Grown, &mut looked).await, ViewReport::default());
    let page = Page::parse(&url("https://a.test/2"), None, article(2, false).as_bytes());
    let right = Correction { body: Some(paragraphs(2).join("\n")), ..Correction::default() };
    let known = teach(world.parts.stores.state.as_ref(), &site, |known| {
        known.site.teach(&page, NOW, &right)?;
        Ok(())
    });
    assert!(known.await.unwrap().has_new_lessons);
    let report = look(&world, When::Grown, &mut looked).await;
    assert_eq!((report.sites, report.articles), (1, 8));
    for content in &contents {
        let (article, witness) = read(&world, *content).await;
        assert!(witness == "taught" && !article.text().contains("Our reporters"), "{article:?}");
    }
    // Articles that changed are handed out again.
    let mut handed = 0;
    while readers.try_recv().is_ok() {
        handed += 1;
    }
    assert_eq!((handed, report.changed), (8, 8));
    assert!(!self::known(&world).await.has_new_lessons);
    assert_eq!(look(&world, When::Grown, &mut looked).await, ViewReport::default());
    // Pages that come later, or come again, are read with it, too.
    let later = counted(&world, &site, 8..9, |n| article(n, false)).await;
    look(&world, When::Grown, &mut looked).await;
    counted(&world, &site, 0..3, |n| article(n, false)).await;
    for content in [later[0], contents[1]] {
        assert_eq!(read(&world, content).await.1, "taught");
    }
    // The knowledge of a site goes with the site.
    let json = br#"{"version":1,"remove":"https://a.test/"}"#;
    let command = newslode_common::message::seed::SeedMessage::parse(json).unwrap();
    apply_seed(&world.parts, &Default::default(), command, NOW).await.unwrap();
    assert!(self::known(&world).await.is_empty());
}

#[tokio::test]
async fn only_one_of_two_miners_observes_the_same_pages() {
    let world = world();
    let site = world.seed("https://a.test/").await;
    counted(&world, &site, 0..20, |n| article(n, false)).await;
    let stop = CancellationToken::new();
    let one = || view_site(&world.parts, &site, PACE, &stop);
    let (first, second) = tokio::join!(one(), one());
    assert_eq!(first.unwrap().learnt + second.unwrap().learnt, 1);
    view_site(&world.parts, &site, PACE, &stop).await.unwrap();
    let known = known(&world).await;
    assert_eq!((known.templates.acceptance(), known.templates.live().len()), ((20, 20), 1));
    assert_eq!((known.progress.pages, known.progress.changed), (20, 0));
    // A site that was forgotten and comes back is looked at anew.
    world.parts.stores.state.forget(&site).await.unwrap();
    counted(&world, &site, 18..20, |n| article(n, false)).await;
    let report = view_site(&world.parts, &site, PACE, &stop).await.unwrap();
    assert_eq!((report.sites, report.marked + report.unchanged), (1, 2));
    assert_eq!(self::known(&world).await.progress.pages, 2);
}

#[tokio::test]
async fn a_site_with_a_truncated_log_is_read_as_a_whole() {
    let (world, mut looked) = (world(), ViewMemory::new());
    let site = world.seed("https://a.test/").await;
    stories(&world, &site, 0..8).await;
    look(&world, When::Grown, &mut looked).await;
    // Others of the same bucket filled the log meanwhile.
    let (held, _) = world.parts.stores.state.value("templates/a.test").await.unwrap().unwrap();
    let mut known = known(&world).await;
    known.progress.position = 1 << 40;
    assert!(known.write(world.parts.stores.state.as_ref(), &site, Some(held)).await.unwrap());
    stories(&world, &site, 8..9).await;
    let report = look(&world, When::Grown, &mut looked).await;
    assert_eq!((report.sites, report.marked), (1, 9));
}

/// Page `n` of a site with briefs, sections of teasers and pages about people. Alone, a brief hardly looks like an article.
fn page_of_many(n: usize) -> (usize, String, String) {
    let (words, other) = (SUBJECTS[n % SUBJECTS.len()], SUBJECTS[(n / 3 + 1) % SUBJECTS.len()]);
    let [first, second, _] = paragraphs(n);
    let menu =
        "<ul><li><a href=/>Home</a><li><a href=/topics/sport>Sport</a><li><a href=/people>People</a></ul>";
    let (path, body) = match n % 5 {
        0 => {
            let teaser = |at: usize| {
                let words = SUBJECTS[(n + at) % SUBJECTS.len()];
                format!(
                    "<div><h3><a href=/briefs/{at}-{at}>The {words} of day {at}</a></h3><p>What became of the {words} …</div>"
                )
            };
            (format!("topics/{n}"), (0..12).map(teaser).collect::<String>())
        }
        1 => (
            format!("people/{n}"),
            format!("<div class=who><b>Person {n}</b><span>{words}</span><span>Telephone {n}</span></div>"),
        ),
        _ => (
            format!("briefs/{n}-{}", words.replace(' ', "-")),
            format!(
                "<h2>The {words} of day {n}</h2><div class=t><p>{first}</p><p>{} May 2024</p></div>",
                1 + n % 28
            ),
        ),
    };
    let extra = if n.is_multiple_of(7) { format!("<p>{second} {other}</p>") } else { String::new() };
    // A third of the briefs names the site instead of the headline.
    let title = if n % 5 > 1 && !n.is_multiple_of(3) {
        format!("The {words} of day {n}")
    } else {
        format!("Valley {n}")
    };
    let html = format!("<html lang=en><title>{title}</title><body>{menu}<div>{body}{extra}</div>");
    (n, format!("https://a.test/{path}"), html)
}

/// Moves everything that happened to these pages a week back.
async fn a_week_passes(world: &World, pages: &[(usize, String, String)]) {
    let archive = &world.parts.stores.archive;
    for (_, at, _) in pages {
        let Some(mut history) = read_history(archive.as_ref(), &url(at)).await.unwrap() else { continue };
        history.events.iter_mut().for_each(|event| event.at.0 = event.at.0.saturating_sub(7 * 86_400_000));
        let json = serde_json::to_vec(&history).unwrap();
        archive.put(Kind::History, history_key(&url(at)), json.into(), NOW).await.unwrap();
    }
}

#[tokio::test]
async fn a_site_that_grows_in_any_order_ends_with_the_same_articles() {
    let mut ends = Vec::new();
    for seed in 0..3_usize {
        let (world, mut looked) = (world(), ViewMemory::new());
        let site = world.seed("https://a.test/").await;
        // Another order for each seed: 211 and 307 have no divisor in common with 500.
        let step = [1, 211, 307][seed];
        let pages: Vec<_> = (0..500).map(|n| page_of_many((n * step + 17 * seed) % 500)).collect();
        let mut contents = Vec::new();
        for part in [0..1, 1..2, 2..5, 5..9, 9..20, 20..60, 60..200, 200..499] {
            contents.extend(counted_at(&world, &site, pages[part].iter().cloned()).await);
            look(&world, When::Grown, &mut looked).await;
        }
        a_week_passes(&world, &pages).await;
        contents.extend(counted_at(&world, &site, pages[499..].iter().cloned()).await);
        look(&world, When::Changed, &mut looked).await;
        let mut articles = BTreeSet::new();
        for ((n, ..), content) in pages.iter().zip(contents) {
            if world.parts.stores.archive.get(Kind::Article, content).await.unwrap().is_some() {
                articles.insert(*n);
            }
        }
        ends.push(articles);
    }
    assert_eq!(ends[0], ends[1]);
    assert_eq!(ends[0], ends[2]);
    let alone = |&n: &usize| {
        let (_, at, html) = page_of_many(n);
        crawled_article(&Page::parse(&url(&at), None, html.as_bytes()), NOW).1.is_some()
    };
    let alone: BTreeSet<usize> = (0..500).filter(alone).collect();
    assert_ne!(ends[0], alone, "the pages of the site have a say");
    assert!(ends[0].len() >= 200 && ends[0].iter().all(|n| n % 5 > 1), "they are briefs: {:?}", ends[0]);
}
