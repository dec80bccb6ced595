//! Pages that ask not to be mined or followed, in their header or their markup.

use bytes::Bytes;
use newslode_common::message::{GonePage, envelope};
use newslode_common::outcome::Outcome;
use newslode_common::schedule::{Class, ListingKind, PageSchedule, Role};
use newslode_common::store::Why;

use crate::sim::*;
use crate::world;

const LINKED: &str = "http://a.test/2026/another-story-that-has-a-long-name";
const HEADLINE: &str = "A long way home for the cup and its bearers";
const ROBOTS: &str = "x-robots-tag";

/// A story with a link, which asks for this in its header and in its markup.
async fn story(headers: Headers, meta: &str) -> (Sim, bool, bool) {
    let sim = Sim::new().await;
    let story = page("Story", &[(LINKED, HEADLINE)]);
    sim.set_answer(STORY, 200, headers, story.replace("<title>", &format!("{meta}<title>")));
    sim.add_story().await;
    sim.run(30).await;
    let is_mined = sim.outbox.pages.lock().unwrap().len() > 1;
    let is_followed = !sim.asked(LINKED).is_empty();
    (sim, is_mined, is_followed)
}

#[tokio::test]
async fn directives_decide_whether_an_article_is_mined_and_its_links_followed() {
    let meta = |name: &str, content: &str| format!("<meta name={name} content='{content}'>");
    for (headers, meta, mined, followed) in [
        (&[] as Headers, String::new(), true, true),
        (&[(ROBOTS, "noindex")], String::new(), false, true),
        (&[(ROBOTS, "nofollow")], String::new(), true, false),
        (&[(ROBOTS, "none")], String::new(), false, false),
        (&[(ROBOTS, "noindex"), (ROBOTS, "otherbot: nofollow")], String::new(), false, true),
        (&[(ROBOTS, "newslode: noindex, nofollow")], String::new(), false, false),
        (&[(ROBOTS, "otherbot: none")], String::new(), true, true),
        (&[(ROBOTS, "unavailable_after: 2010-06-25")], String::new(), false, true),
        (&[(ROBOTS, "unavailable_after: 2030-06-25")], String::new(), true, true),
        (&[], meta("robots", "noindex, nofollow"), false, false),
        (&[], meta("Newslode", "noindex"), false, true),
        (&[], meta("otherbot", "none"), true, true),
        (&[(ROBOTS, "nofollow")], meta("robots", "noindex"), false, false),
    ] {
        let (sim, is_mined, is_followed) = story(headers, &meta).await;
        assert_eq!((is_mined, is_followed), (mined, followed), "{headers:?} {meta}");
        let outcome = if mined { Outcome::Fetched } else { Outcome::Noindex };
        let entry = sim.entry(STORY).await;
        assert_eq!((entry.outcome, entry.content.is_some()), (Some(outcome), mined), "{headers:?} {meta}");
    }
}

#[tokio::test]
async fn a_noindex_article_is_removed_and_mined_again_once_it_is_allowed() {
    let (sim, ..) = story(&[(ROBOTS, "noindex")], "").await;
    sim.run(12 * DAY).await;
    let waits: Vec<u64> = sim.asked(STORY).windows(2).map(|pair| (pair[1] - pair[0]) / DAY).collect();
    assert_eq!(waits, [1, 2, 4]);
    assert_eq!(sim.next(STORY).await, (None, None), "then it leaves");

    let (sim, ..) = story(&[(ROBOTS, "noindex")], "").await;
    sim.set_answer(STORY, 200, &[], page("Story", &[]));
    sim.run(DAY + HOUR).await;
    assert_eq!(sim.entry(STORY).await.outcome, Some(Outcome::Fetched));
}

#[tokio::test]
async fn a_page_that_asks_not_to_be_indexed_counts_once_among_those_that_are_no_articles() {
    let (sim, ..) = story(&[(ROBOTS, "noindex")], "").await;
    sim.run(12 * DAY).await;
    assert_eq!(sim.asked(STORY).len(), 4);
    // The page to which the story links is another one.
    let yields = sim.site_schedule().await.yields();
    assert_eq!((yields.others, yields.bare, yields.articles), (1, 0, 0));
}

#[tokio::test]
async fn unchanged_bytes_are_published_once_noindex_is_gone() {
    let (sim, ..) = story(&[], "").await;
    let is_page = |bytes: &&Bytes| !envelope::holds::<GonePage>(bytes);
    let published = || sim.outbox.pages.lock().unwrap().iter().filter(is_page).count();
    let (before, body) = (published(), page("Story", &[(LINKED, HEADLINE)]));
    sim.set_answer(STORY, 200, &[(ROBOTS, "noindex")], body.clone());
    sim.run(DAY + HOUR).await;
    assert_eq!((sim.entry(STORY).await.outcome, published()), (Some(Outcome::Noindex), before));
    sim.set_answer(STORY, 200, &[], body);
    sim.run(2 * DAY + 2 * HOUR).await;
    assert_eq!((sim.entry(STORY).await.outcome, published()), (Some(Outcome::Fetched), before + 1));
}

#[tokio::test]
async fn a_noindex_listing_is_still_visited() {
    let sim = Sim::new().await;
    sim.set_answer(FRONT, 200, &[(ROBOTS, "noindex")], page("Front", &[(LINKED, HEADLINE)]));
    sim.set_answer(LINKED, 200, &[], page("Story", &[]));
    sim.run(HOUR).await;
    let front = sim.entry(FRONT).await;
    assert_eq!((front.outcome, front.content), (Some(Outcome::Noindex), None));
    assert!(sim.asked(FRONT).len() > 1 && front.due.is_some(), "by its schedule");
    assert_eq!(sim.asked(LINKED).len(), 1, "its links are followed");
    assert_eq!(sim.outbox.pages.lock().unwrap().len(), 1, "only the story is mined");
}

#[tokio::test]
async fn a_sitemap_ignores_noindex_and_obeys_nofollow() {
    let map = format!("<urlset><url><loc>{LINKED}</loc></url></urlset>");
    for (headers, followed) in [(&[(ROBOTS, "noindex")] as Headers, true), (&[(ROBOTS, "none")], false)] {
        let sim = Sim::new().await;
        sim.set_answer("http://a.test/map.xml", 200, headers, map.clone());
        let known = PageSchedule::of(Role::Listing(ListingKind::Map));
        sim.add("http://a.test/map.xml", Why::Link, Class::Listing, known).await;
        sim.run(MINUTE).await;
        assert_eq!(sim.entry("http://a.test/map.xml").await.outcome, Some(Outcome::Fetched), "{headers:?}");
        assert_eq!(!sim.asked(LINKED).is_empty(), followed, "{headers:?}");
    }
}

#[tokio::test]
async fn a_page_that_is_due_once_obeys_noindex_too() {
    let in_header = |request: &world::SeenRequest| match request.page.as_str() {
        "a.test/" => world::answer(200, [("content-type", "text/html"), (ROBOTS, "noindex")], world::PAGE),
        _ => None,
    };
    world::check(in_header, "http://a.test/", Outcome::Noindex).await;
    let in_markup = |request: &world::SeenRequest| match request.page.as_str() {
        "a.test/" => world::html("<meta name=robots content=noindex><p>Words."),
        _ => None,
    };
    world::check(in_markup, "http://a.test/", Outcome::Noindex).await;
}
