//! Sites that would drown a crawler: what they cost stays bounded.

use std::fmt::Write as _;

use newslode_common::outcome::Outcome;
use newslode_common::schedule::{Class, ListingKind, PageSchedule, Role};
use newslode_common::store::{Frontier, Why};

use crate::sim::*;

#[tokio::test]
async fn the_newest_of_a_million_links_in_one_sitemap_are_added_within_the_budget() {
    let sim = Sim::new().await;
    let mut map = String::from("<urlset>");
    // The newest stand near the beginning: the map is longer than what is read of any map.
    for number in 0..1_000_000 {
        let day = if (1_000..1_030).contains(&number) { "2023-11-13" } else { "2023-01-01" };
        write!(map, "<url><loc>/s/{number}</loc><lastmod>{day}</lastmod></url>").unwrap();
    }
    assert!(map.len() > 50 << 20);
    let at = "http://a.test/map.xml";
    sim.set_answer(at, 200, &[("content-type", "text/xml")], map + "</urlset>");
    sim.set_answer("*", 200, &[], page("A story", &[]));
    sim.add(at, Why::Link, Class::Listing, PageSchedule::of(Role::Listing(ListingKind::Map))).await;
    sim.run(4 * MINUTE).await;
    assert_eq!(sim.entry(at).await.outcome, Some(Outcome::Fetched), "it is read as far as that goes");
    let entries = sim.store.entries(&site()).await.unwrap();
    let stories: Vec<_> = entries.iter().filter(|entry| entry.url.path().starts_with("/s/")).collect();
    assert_eq!(
        stories.len(),
        48,
        "half of the day's budget is the backlog's; the front page and the map took two"
    );
    let newest = (1_000..1_030).map(|number| format!("/s/{number}"));
    let is_known = |path: &String| stories.iter().any(|entry| entry.url.path() == path);
    assert_eq!(newest.filter(is_known).count(), 30, "the newest first");
    let day = sim.clock.now().day();
    assert_eq!(sim.site_schedule().await.missed().refused(day), 0, "a backlog is no news");
}

#[tokio::test]
async fn a_site_that_answers_every_url_with_one_page_gets_few_requests() {
    let sim = Sim::new().await;
    let nothing = page("Not found", &[("/", "Home"), ("/search", "Search"), ("/about", "About us")]);
    sim.set_answer("*", 200, &[("content-type", "text/html")], nothing.clone());
    sim.set_answer(FRONT, 200, &[("content-type", "text/html")], nothing);
    sim.run(7 * DAY).await;
    let kinds: Vec<_> = sim.site_schedule().await.listings().map(|listing| listing.kind).collect();
    assert_eq!(kinds, [ListingKind::Front], "no page was taken for a feed");
    let asked = sim.web.asked.lock().unwrap();
    let elsewhere = asked.iter().filter(|(_, url, _)| url != FRONT && !url.ends_with("robots.txt")).count();
    assert!(elsewhere < 100, "{elsewhere} requests in a week");
}
