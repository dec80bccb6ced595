//! What a site does not name is looked for, and what is new goes first.

use std::collections::BTreeSet;

use newslode_common::schedule::{Class, ListingKind, PageSchedule, Role, ScheduleConfig};
use newslode_common::store::{Frontier, Why};

use crate::sim::*;

const HEADLINE: &str = "A long way home for the cup and its bearers";

#[tokio::test]
async fn unnamed_feeds_are_tried_at_the_usual_addresses() {
    let feed = format!(
        "<rss version='2.0'><channel><item><title>{HEADLINE}</title><link>{STORY}</link></item></channel></rss>"
    );
    for is_named in [false, true] {
        let sim = Sim::new().await;
        let link = "<link rel=alternate type='application/rss+xml' href=/named.xml>";
        let head = if is_named { format!("{link}<title>") } else { "<title>".into() };
        sim.set_answer(FRONT, 200, &[], page("Front", &[]).replace("<title>", &head));
        for place in ["http://a.test/rss", "http://a.test/named.xml"] {
            sim.set_answer(place, 200, &[("content-type", "application/rss+xml")], feed.clone());
        }
        sim.run(3 * DAY).await;
        let elsewhere = sim.asked("http://a.test/atom.xml").len();
        let feeds =
            sim.site_schedule().await.listings().filter(|listing| listing.kind == ListingKind::Feed).count();
        assert_eq!((elsewhere, feeds), if is_named { (0, 1) } else { (2, 1) });
        assert!(!sim.asked(STORY).is_empty());
        let left = sim.store.entry(&"http://a.test/atom.xml".parse().unwrap()).await.unwrap();
        assert_eq!(left, None, "what is not there leaves");
    }
}

#[tokio::test]
async fn the_first_links_of_a_long_list_are_fetched_first() {
    let sim = Sim::new().await;
    // The addresses grow older from above, and sort the other way round.
    let path = |place: u64| format!("/story/{}-a-headline-of-some-words", 900 - place);
    let paths: Vec<String> = (0..80).map(path).collect();
    let links: Vec<(&str, &str)> = paths.iter().map(|path| (path.as_str(), HEADLINE)).collect();
    sim.set_answer(FRONT, 200, &[], page("Front", &links));
    sim.run(90).await;
    let asked = sim.web.asked.lock().unwrap();
    let order: Vec<usize> = asked
        .iter()
        .filter_map(|(_, url, _)| paths.iter().position(|path| url.ends_with(path.as_str())))
        .collect();
    assert_eq!(order.len(), 80);
    assert!(order.windows(2).all(|pair| pair[0] / 25 <= pair[1] / 25), "{order:?}");
}

#[tokio::test]
async fn a_story_whose_query_changes_at_each_visit_of_its_feed_has_at_most_two_addresses() {
    let sim = Sim::new().await;
    sim.set_answer("*", 200, &[], page(HEADLINE, &[]));
    sim.set_answer("http://a.test/robots.txt", 404, &[], "");
    sim.set_answer(FRONT, 200, &[], page("Front", &[]));
    let feed = |visit: usize| {
        let item = |story: usize| {
            let link = format!("http://a.test/2026/a-long-way-home-{story}?rnd={visit}{story}");
            format!("<item><title>{HEADLINE}</title><link>{link}</link></item>")
        };
        // A new story at every fourth visit.
        let newest = 12 + visit / 4;
        let items: String = (newest - 10..newest).rev().map(item).collect();
        format!("<rss version='2.0'><channel>{items}</channel></rss>")
    };
    let address = "http://a.test/feed.xml";
    let role = PageSchedule::of(Role::Listing(ListingKind::Feed));
    sim.set_answer(address, 200, &[], feed(0));
    sim.add(address, Why::Seed, Class::Listing, role).await;
    for minute in 1..24 * 60 {
        sim.run(minute * 60).await;
        sim.set_answer(address, 200, &[], feed(sim.asked(address).len()));
    }
    let visits = sim.asked(address).len();
    assert!(visits > 9, "{visits}");
    let asked = sim.web.asked.lock().unwrap();
    let most = (0..12 + visits / 4)
        .map(|story| {
            let path = format!("http://a.test/2026/a-long-way-home-{story}");
            let urls = asked.iter().map(|(_, url, _)| url);
            urls.filter(|url| url.split('?').next() == Some(path.as_str())).collect::<BTreeSet<_>>().len()
        })
        .max();
    // The second one has no query; stories that are new by then have only that.
    assert_eq!(most, Some(2));
}

#[tokio::test]
async fn the_newest_map_of_an_index_without_dates_is_read() {
    let sim = Sim::new().await;
    let index = "http://a.test/sitemap.xml";
    let map = |number: usize| format!("http://a.test/map-{number}.xml");
    let maps: String =
        (1..=30).map(|number| format!("<sitemap><loc>{}</loc></sitemap>", map(number))).collect();
    sim.set_answer(index, 200, &[], format!("<sitemapindex>{maps}</sitemapindex>"));
    for number in 1..=30 {
        let path = format!("/2026/a-story-of-map-number-{number}");
        sim.set_answer(&map(number), 200, &[], format!("<urlset><url><loc>{path}</loc></url></urlset>"));
    }
    sim.add(index, Why::Seed, Class::Listing, PageSchedule::of(Role::Listing(ListingKind::Map))).await;
    sim.run(HOUR).await;
    let read = (1..=30).filter(|number| !sim.asked(&map(*number)).is_empty()).collect::<Vec<_>>();
    assert_eq!(read, [1, 2, 3, 4, 5, 26, 27, 28, 29, 30]);
    assert!(!sim.asked("http://a.test/2026/a-story-of-map-number-30").is_empty());
}

#[tokio::test]
async fn an_address_that_is_a_page_to_browsers_and_a_feed_to_readers_is_asked_for_the_feed() {
    let sim = Sim::new().await;
    let link = "<link rel=alternate type='application/rss+xml' href=/news>";
    let front = page("Front", &[]).replace("<title>", &format!("{link}<title>"));
    sim.set_answer(FRONT, 200, &[], front);
    sim.set_answer("http://a.test/news", 200, &[("content-type", "text/html")], page("News", &[]));
    let feed = format!(
        "<rss version='2.0'><channel><item><title>{HEADLINE}</title><link>{STORY}</link></item></channel></rss>"
    );
    sim.set_answer("http://a.test/news feed", 200, &[("content-type", "application/rss+xml")], feed);
    sim.set_answer(STORY, 200, &[], page("Story", &[]));
    sim.run(10 * MINUTE).await;
    assert!(!sim.asked(STORY).is_empty());
}

#[tokio::test]
async fn what_a_feed_says_of_its_pace_is_kept_and_hastens_its_first_visits() {
    const FEED: &str = "http://a.test/feed.xml";
    let feed = |said: &str| {
        let item = "<item><title>Cup</title><link>/2026/the-cup-of-the-year</link></item>";
        format!("<rss version='2.0'><channel>{said}{item}</channel></rss>")
    };
    let visits = async |said: &str| {
        // Or the feed would lead, with a pace of its own.
        let sim = Sim::with(ScheduleConfig { lead_interval_s: DAY, ..ScheduleConfig::default() }).await;
        sim.set_answer(FEED, 200, &[("content-type", "application/rss+xml")], feed(said));
        sim.add(FEED, Why::Link, Class::Listing, PageSchedule::of(Role::Listing(ListingKind::Feed))).await;
        sim.run(5 * HOUR).await;
        (sim.asked(FEED).len(), sim)
    };
    let (silent, _) = visits("").await;
    let (slow, _) = visits("<ttl>10080</ttl>").await;
    assert_eq!(slow, silent, "a week is no reason to wait");
    let said = "<ttl>15</ttl><link rel='hub' href='https://hub.test/'/>";
    let (hasty, sim) = visits(said).await;
    assert!(hasty > 15 && hasty > silent, "{hasty} visits, and {silent} of one that says nothing");
    let hints = sim.site_schedule().await.hints(id(FEED)).cloned().unwrap();
    assert_eq!((hints.ttl_s, hints.hubs.len()), (Some(900), 1));
    sim.set_answer(FEED, 200, &[("content-type", "application/rss+xml")], feed(""));
    sim.run(24 * HOUR).await;
    assert_eq!(sim.site_schedule().await.hints(id(FEED)), None, "it says nothing any more");
}

#[tokio::test]
async fn hubs_in_the_header_of_a_feed_are_kept_like_those_in_its_body() {
    const FEED: &str = "http://a.test/feed.xml";
    let feed = "<rss version='2.0'><channel><link rel='hub' href='https://body.test/'/>\
         <item><title>Cup</title><link>/2026/the-cup-of-the-year</link></item></channel></rss>";
    let sim = Sim::new().await;
    let headers: Headers = &[
        ("content-type", "application/rss+xml"),
        (
            "link",
            "<http://a.test/feed.xml>; rel=\"self\", <https://one.test/a,b>; title=\"x, <y>; rel=z\"; rel=\"Hub other\"",
        ),
        ("link", "</hub>;rel=hub, <mailto:hub@a.test>; rel=hub"),
    ];
    sim.set_answer(FEED, 200, headers, feed);
    sim.add(FEED, Why::Link, Class::Listing, PageSchedule::of(Role::Listing(ListingKind::Feed))).await;
    sim.set_answer(FRONT, 200, &[("link", "<https://front.test/>; rel=hub")], page("Front", &[]));
    sim.run(HOUR).await;
    let site = sim.site_schedule().await;
    let hubs = site.hints(id(FEED)).unwrap().hubs.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(hubs, ["https://body.test/", "https://one.test/a,b", "http://a.test/hub"]);
    assert_eq!(site.hints(id(FRONT)), None, "a page is no feed");
}
