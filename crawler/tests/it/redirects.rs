//! Redirects of pages that are due once, which are URLs of their own, and of listings, which are read where they lead.

use newslode_common::outcome::Outcome;
use newslode_common::schedule::{Class, ListingKind, PageSchedule, Role, ScheduleConfig};
use newslode_common::store::Why;

use crate::sim::*;
use crate::world::{PAGE, SeenRequest, World, answer, html};

fn to(target: &str) -> Option<axum::response::Response> {
    answer(301, [("location", target)], "")
}

fn web(request: &SeenRequest) -> Option<axum::response::Response> {
    match request.page.as_str() {
        "a.test/" => to("/1"),
        "a.test/1" => to("http://www.a.test/2#part"),
        "www.a.test/2" => html(PAGE),
        "away.test/" => to("http://www.home.test/"),
        "away.test/circle" => to("/back"),
        "away.test/back" => to("/circle"),
        "away.test/mail" => to("mailto:a@away.test"),
        "away.test/self" => to("/self#again"),
        "away.test/nowhere" => answer(302, [], ""),
        "away.test/inside" => to("http://127.0.0.1/secret"),
        "www.home.test/" => html(PAGE),
        page if page.starts_with("endless.test/p") => to(&format!("/{}x", page.split('/').next_back()?)),
        _ => None,
    }
}

#[tokio::test]
async fn a_chain_inside_the_site_ends_at_its_page() {
    let world = World::new(web).await;
    world.add("http://a.test/", Why::Seed).await;
    world.crawl().await;
    world.expect("http://a.test/", Outcome::Redirected);
    world.expect("http://a.test/1", Outcome::Redirected);
    world.expect("http://www.a.test/2", Outcome::Fetched);
    assert_eq!(world.entry("http://www.a.test/2").hops, 2);
}

#[tokio::test]
async fn endless_and_circular_redirects_end() {
    let world = World::new(web).await;
    world.add("http://endless.test/p", Why::Link).await;
    world.crawl().await;
    assert_eq!(world.frontier.all().len(), 6, "five redirects in a row");
    world.expect("http://endless.test/pxxxxx", Outcome::RedirectLoop);
    for (start, outcome) in [("circle", Outcome::Redirected), ("self", Outcome::RedirectLoop)] {
        let world = World::new(web).await;
        let url = format!("http://away.test/{start}");
        world.add(&url, Why::Link).await;
        world.crawl().await;
        world.expect(&url, outcome);
        assert!(world.pages().is_empty());
    }
}

#[tokio::test]
async fn a_seed_may_lead_to_another_site_and_a_link_may_not() {
    let world = World::new(web).await;
    world.add("http://away.test/", Why::Seed).await;
    world.crawl().await;
    world.expect("http://www.home.test/", Outcome::Fetched);
    assert_eq!(world.entry("http://www.home.test/").why, Why::Seed);
    let world = World::new(web).await;
    world.add("http://away.test/", Why::Link).await;
    world.crawl().await;
    world.expect("http://away.test/", Outcome::RedirectLoop);
    assert_eq!(world.frontier.all().len(), 1);
}

#[tokio::test]
async fn redirects_to_no_page_end_and_those_to_private_addresses_are_refused() {
    let world = World::new(web).await;
    world.add("http://away.test/mail", Why::Seed).await;
    world.crawl().await;
    world.expect("http://away.test/mail", Outcome::NotHtml);
    let world = World::new(web).await;
    world.add("http://away.test/nowhere", Why::Seed).await;
    world.crawl().await;
    world.expect("http://away.test/nowhere", Outcome::Refused);
    let world = World::new(web).await;
    world.add("http://away.test/inside", Why::Seed).await;
    world.crawl().await;
    world.expect("http://127.0.0.1/secret", Outcome::PrivateAddress);
}

const FEED: &str = "http://a.test/feed.xml";
const TARGET: &str = "http://a.test/the-cup";

fn feed(item: &str) -> String {
    format!("<rss version='2.0'><channel><item><title>Cup</title><link>{item}</link></item></channel></rss>")
}

/// A site with a feed that was read twice and shows nothing new.
async fn with_feed() -> Sim {
    let sim = Sim::new().await;
    sim.set_answer(FEED, 200, &[("content-type", "application/rss+xml")], feed("/old"));
    sim.add(FEED, Why::Link, Class::Listing, PageSchedule::of(Role::Listing(ListingKind::Feed))).await;
    sim.run(20 * MINUTE).await;
    sim
}

#[tokio::test]
async fn a_listing_that_redirects_for_half_an_hour_is_asked_for_at_its_own_pace() {
    let targets: [(u16, Headers); 5] = [
        (302, &[("location", "/maintenance")]),
        (301, &[("location", "/maintenance")]),
        (302, &[("location", "https://login.test/?back=1")]),
        (301, &[("location", "/")]),
        (302, &[("location", FEED)]),
    ];
    let undisturbed = with_feed().await;
    undisturbed.run(5 * HOUR).await;
    let pace = undisturbed.asked(FEED).len();
    for (status, headers) in targets {
        let sim = with_feed().await;
        for place in ["http://a.test/maintenance", "https://login.test/?back=1"] {
            sim.set_answer(place, 200, &[], page("We are busy", &[]));
        }
        sim.set_answer(FEED, status, headers, "");
        sim.run(5 * HOUR).await;
        assert!(sim.asked(FEED).len() >= pace, "{headers:?}: {:?}", sim.asked(FEED));
        sim.set_answer(FEED, 200, &[("content-type", "application/rss+xml")], feed("/the-cup"));
        sim.run(8 * HOUR).await;
        assert_eq!(sim.asked(TARGET).len(), 1, "{headers:?}: {:?}", sim.asked(FEED));
    }
}

#[tokio::test]
async fn a_listing_is_read_where_it_leads_even_if_that_changes_each_time() {
    let sim = with_feed().await;
    sim.set_answer(FEED, 302, &[("location", "/cache/1.xml")], "");
    sim.set_answer("http://a.test/cache/1.xml", 200, &[], feed("/the-cup"));
    sim.run(3 * HOUR).await;
    assert_eq!(sim.asked(TARGET).len(), 1);
    sim.set_answer(FEED, 302, &[("location", "http://www.a.test/cache/2.xml")], "");
    sim.set_answer("http://www.a.test/cache/2.xml", 200, &[], feed("/another-cup"));
    sim.run(6 * HOUR).await;
    assert_eq!(sim.asked("http://a.test/another-cup").len(), 0, "links are relative to where the feed is");
    assert_eq!(sim.asked("http://www.a.test/another-cup").len(), 1);
    let listings: Vec<String> =
        sim.site_schedule().await.listings().map(|listing| listing.url.to_string()).collect();
    assert_eq!(listings, [FRONT, FEED], "the targets are no listings of their own");
    let asked = sim.web.asked.lock().unwrap();
    assert!(asked.windows(2).all(|pair| pair[1].0.0 - pair[0].0.0 >= 1_000), "{asked:?}");
}

#[tokio::test]
async fn a_listing_moves_after_a_day_of_the_same_permanent_redirect() {
    const MOVED: &str = "http://a.test/new-feed.xml";
    let sim = with_feed().await;
    let is_listing = async || sim.site_schedule().await.listing(id(MOVED)).is_some();
    sim.set_answer(FEED, 301, &[("location", "/new-feed.xml")], "");
    sim.set_answer(MOVED, 200, &[], feed("/old"));
    sim.run(20 * HOUR).await;
    assert!(!is_listing().await && sim.asked(MOVED).len() > 3, "{:?}", sim.asked(MOVED));
    sim.run(2 * DAY).await;
    assert!(is_listing().await);
    let (old, new) = (sim.asked(FEED).len(), sim.asked(MOVED).len());
    sim.run(4 * DAY).await;
    assert_eq!(sim.asked(FEED).len(), old, "the old address is asked for weekly");
    assert!(sim.asked(MOVED).len() > new + 3);
}

#[tokio::test]
async fn a_front_page_that_always_redirected_is_known_by_an_old_address() {
    let sim = Sim::new().await;
    sim.set_answer(FRONT, 301, &[("location", "http://www.a.test/")], "");
    sim.set_answer("http://www.a.test/", 200, &[], page("Front", &[]));
    sim.run(60).await;
    let target = sim.entry("http://www.a.test/").await;
    assert_eq!(target.schedule.unwrap().role, Role::Listing(ListingKind::Front));
    assert_eq!((target.outcome, target.why), (Some(Outcome::Fetched), Why::Seed));
    sim.run(2 * DAY).await;
    let asked = sim.asked(FRONT).len();
    sim.run(5 * DAY).await;
    assert_eq!(sim.asked(FRONT).len(), asked, "after a day it has moved");
}

#[tokio::test]
async fn a_story_that_a_wall_hides_for_an_hour_is_read_afterwards() {
    let sim = Sim::with(ScheduleConfig { lead_interval_s: DAY, ..ScheduleConfig::default() }).await;
    sim.run(10).await;
    let story = |n: usize| format!("http://a.test/2026/a-long-way-home-{n}");
    sim.set_answer("http://a.test/wall", 200, &[], page("Welcome", &[]));
    for n in 0..5 {
        sim.set_answer(&story(n), 302, &[("location", "/wall")], "");
        sim.add(&story(n), Why::Link, Class::New, PageSchedule::page(Some(id(FRONT)), START)).await;
    }
    sim.run(40 * MINUTE).await;
    (0..5).for_each(|n| sim.set_answer(&story(n), 200, &[], page("Story", &[])));
    sim.run(3 * HOUR).await;
    for n in 0..5 {
        assert_eq!(sim.entry(&story(n)).await.outcome, Some(Outcome::Fetched), "{n}");
    }
}

#[tokio::test]
async fn a_page_that_refreshes_to_another_within_seconds_redirects() {
    let sim = Sim::new().await;
    let front = "<html><meta http-equiv=refresh content='0; url=/home'><title>Wait</title></html>";
    sim.set_answer(FRONT, 200, &[("content-type", "text/html")], front);
    let home = page("Home", &[("/2026/a-long-way-home-for-the-cup", "A long way home for the cup")]);
    sim.set_answer("http://a.test/home", 200, &[("content-type", "text/html")], home);
    sim.set_answer(STORY, 200, &[("refresh", "3; url=/2026/the-same-story")], page("Wait", &[]));
    sim.set_answer("http://a.test/2026/the-same-story", 200, &[], page("Story", &[]));
    sim.run(MINUTE).await;
    assert_eq!(sim.entry("http://a.test/home").await.outcome, Some(Outcome::Fetched));
    assert_eq!(sim.entry("http://a.test/2026/the-same-story").await.outcome, Some(Outcome::Fetched));
}
