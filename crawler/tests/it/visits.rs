//! Scheduled visits on simulated time: what each outcome means for the page, its site and its next visit.

use std::time::Duration;

use newslode_common::outcome::Outcome;
use newslode_common::schedule::{Class, ListingId, ListingKind, Next, PageSchedule, Role, ScheduleConfig};
use newslode_common::store::{Frontier, Note, Why};
use newslode_page::time::Timestamp;

use crate::sim::*;

const HEADLINE: &str = "A long way home for the cup and its bearers";

#[tokio::test]
async fn a_front_page_shows_stories_and_sections_and_feeds() {
    let sim = Sim::new().await;
    let front = page("Front", &[("/2026/a-long-way-home-for-the-cup", HEADLINE), ("/sports", "Sports")]);
    let feed = "<link rel=alternate type='application/rss+xml' href=/feed.xml>";
    sim.set_answer(FRONT, 200, &[], front.replace("<title>", &format!("{feed}<title>")));
    sim.set_answer(STORY, 200, &[], page("Story", &[]));
    sim.run(60).await;
    let entries = sim.store.entries(&site()).await.unwrap();
    let known: Vec<_> = entries.iter().map(|e| (e.url.path(), e.schedule.unwrap().role)).collect();
    let listing = Role::Listing;
    assert_eq!(
        known,
        [
            ("/", listing(ListingKind::Front)),
            ("/2026/a-long-way-home-for-the-cup", Role::Page),
            ("/feed.xml", listing(ListingKind::Feed)),
            ("/sports", Role::Page),
        ]
    );
    assert!(entries[3].schedule.unwrap().is_in_menu);
    assert_eq!(sim.asked(STORY), [3], "robots.txt, the front page and the feed go first, a second apart");
    let first_visit = entries[1].schedule.unwrap();
    assert_eq!(first_visit.by, None, "what a first visit shows, nobody showed first");
}

#[tokio::test]
async fn stories_that_a_listing_shows_later_are_credited_once_they_are_articles() {
    let sim = Sim::new().await;
    sim.run(60).await;
    let front = page("Front", &[("/2026/a-long-way-home-for-the-cup", HEADLINE)]);
    sim.set_answer(FRONT, 200, &[], front);
    sim.set_answer(STORY, 200, &[], page("Story", &[]));
    sim.run(20 * MINUTE).await;
    let entry = sim.entry(STORY).await;
    assert_eq!(entry.schedule.unwrap().by, Some(id(FRONT)));
    assert_eq!(entry.outcome, Some(Outcome::Fetched));
    assert_eq!(entry.due, Some(entry.seen.unwrap().plus(Duration::from_secs(DAY))), "nobody told what it is");
    let credit = sim.site_schedule().await.listing(id(FRONT)).unwrap().credit;
    assert_eq!(credit, 0, "a link alone is no article");
}

/// One row of the outcome table: the answers to a story, and the waits after each visit.
async fn story_waits(status: u16, headers: Headers, waits: &[Option<u64>]) {
    // The front page is of no interest here.
    let sim = Sim::with(ScheduleConfig { lead_interval_s: DAY, ..ScheduleConfig::default() }).await;
    sim.set_answer(STORY, status, headers, "");
    sim.add_story().await;
    let mut times = Vec::new();
    for wait in waits {
        while sim.asked(STORY).len() <= times.len() {
            let now = (sim.clock.now().0 - START.0) / 1_000;
            sim.run(now + 10 * MINUTE).await;
            assert!(now < 100 * DAY, "{status}: the story is not asked for");
        }
        times = sim.asked(STORY);
        assert_eq!(sim.next(STORY).await.1, *wait, "{status}, visit {}", times.len());
    }
}

#[tokio::test]
async fn an_article_waits_as_the_outcome_table_says() {
    // Gone: asked for once more after a day.
    story_waits(404, &[], &[Some(DAY), None]).await;
    story_waits(410, &[], &[Some(DAY), None]).await;
    // A status that says something of the page alone.
    story_waits(401, &[], &[Some(DAY), Some(2 * DAY), Some(4 * DAY), None]).await;
    // No page.
    story_waits(200, &[("content-type", "image/png")], &[Some(DAY), Some(2 * DAY), Some(4 * DAY), None])
        .await;
    // A redirect to itself.
    story_waits(301, &[("location", STORY)], &[Some(15 * MINUTE), Some(30 * MINUTE), Some(HOUR)]).await;
}

#[tokio::test]
async fn a_page_that_fails_lets_its_site_rest_and_then_waits_alone() {
    for (status, outcome, rest, alone) in [
        (500, Outcome::ServerError, MINUTE, 15 * MINUTE),
        (0, Outcome::Timeout, MINUTE, 15 * MINUTE),
        (403, Outcome::Refused, 15 * MINUTE, DAY),
        // A site that got so few requests is asked every two minutes from now on.
        (429, Outcome::Refused, 2 * MINUTE, DAY),
    ] {
        let sim = Sim::new().await;
        sim.run(10).await;
        sim.set_answer(STORY, status, &[], "");
        sim.add_story().await;
        sim.run(20).await;
        let asked = sim.asked(STORY)[0];
        let turn = sim.store.status().await.unwrap()[0].turn;
        assert_eq!((turn.0 - START.0) / 1_000, asked + rest, "{status}: the site rests");
        assert_eq!(sim.entry(STORY).await.outcome, Some(outcome));
        // The front page answers meanwhile: its second visit is due after five minutes.
        sim.run(60 * MINUTE).await;
        assert!(sim.asked(FRONT).len() > 1);
        let (again, wait) = (sim.asked(STORY).len(), sim.next(STORY).await.1);
        assert!(again >= 2, "{status}: asked for again after the rest");
        assert!(wait >= Some(alone), "{status}: it waits alone: {wait:?}");
        let rested = sim.store.status().await.unwrap()[0].turn;
        assert!(rested <= sim.clock.now(), "{status}: the site does not rest for a page that fails alone");
    }
}

#[tokio::test]
async fn an_unreachable_site_rests_longer_each_time_and_no_page_ends() {
    let sim = Sim::new().await;
    sim.set_answer(FRONT, 0, &[], "");
    sim.run(70 * MINUTE).await;
    let asked = sim.asked(FRONT);
    let waits: Vec<u64> = asked.windows(2).map(|pair| (pair[1] - pair[0]) / MINUTE).collect();
    assert_eq!(waits[..6], [1, 2, 4, 8, 15, 15], "{asked:?}");
    sim.set_answer(FRONT, 200, &[], page("Front", &[]));
    sim.run(90 * MINUTE).await;
    assert_eq!(sim.entry(FRONT).await.outcome, Some(Outcome::Fetched), "it is back, and so is the crawl");
}

#[tokio::test]
async fn a_block_slows_the_site_down_for_good() {
    let sim = Sim::new().await;
    for n in 0..40 {
        sim.add(&format!("http://a.test/story/{n}"), Why::Link, Class::New, PageSchedule::page(None, START))
            .await;
    }
    sim.run(60).await;
    let before = sim.web.asked.lock().unwrap().len() as u64;
    assert_eq!(before, 42, "a request a second: robots.txt, the front page, forty pages");
    sim.set_answer(STORY, 429, &[("retry-after", "100")], "");
    sim.add_story().await;
    sim.run(70).await;
    let status = &sim.store.status().await.unwrap()[0];
    assert_eq!((status.turn.0 - START.0) / 1_000, 60 + 60, "one address does not speak for the site");
    assert!(sim.next(STORY).await.1 >= Some(100), "the wish of Retry-After");
    for n in 0..9 {
        sim.add(&format!("http://a.test/more/{n}"), Why::Link, Class::New, PageSchedule::page(None, START))
            .await;
    }
    sim.run(600).await;
    let asked = sim.web.asked.lock().unwrap();
    let later: Vec<u64> =
        asked.iter().map(|(at, ..)| (at.0 - START.0) / 1_000).filter(|at| *at > 100).collect();
    let least = later.windows(2).map(|pair| pair[1] - pair[0]).min().unwrap();
    // 43 requests within ten minutes brought the block: 1,200 s over that number.
    assert!((27..=28).contains(&least), "{later:?}");
}

#[tokio::test]
async fn a_server_that_is_busy_is_left_alone_as_long_as_it_asks() {
    let sim = Sim::new().await;
    sim.set_answer(FRONT, 503, &[("retry-after", "1800")], "");
    sim.run(40 * MINUTE).await;
    let asked = sim.asked(FRONT);
    assert_eq!(asked.len(), 2, "{asked:?}");
    assert_eq!(asked[1] - asked[0], 1_800);
}

#[tokio::test]
async fn a_listing_that_is_not_found_is_asked_for_again() {
    let sim = Sim::new().await;
    let feed = "http://a.test/feed.xml";
    sim.add(feed, Why::Link, Class::Listing, PageSchedule::of(Role::Listing(ListingKind::Feed))).await;
    sim.run(8 * HOUR).await;
    assert_eq!(sim.entry(feed).await.outcome, Some(Outcome::Gone));
    let rss = "<rss version='2.0'><channel><item><title>Cup</title><link>/cup</link></item></channel></rss>";
    let asked = sim.asked(feed).len();
    assert!((2..=6).contains(&asked), "waits double: {asked}");
    sim.set_answer(feed, 200, &[("content-type", "application/rss+xml")], rss);
    sim.run(30 * HOUR).await;
    assert_eq!(sim.entry(feed).await.outcome, Some(Outcome::Fetched));
    assert_eq!(
        sim.entry("http://a.test/cup").await.schedule.unwrap().by,
        None,
        "a first visit proves nothing"
    );
}

#[tokio::test]
async fn a_circle_of_redirects_ends_and_is_tried_again() {
    let sim = Sim::new().await;
    sim.set_answer(FRONT, 302, &[("location", "/one")], "");
    sim.set_answer("http://a.test/one", 302, &[("location", "/two")], "");
    sim.set_answer("http://a.test/two", 302, &[("location", "/one")], "");
    sim.run(MINUTE).await;
    assert_eq!(sim.next(FRONT).await.0, Some(Outcome::RedirectLoop));
    assert!(sim.web.asked.lock().unwrap().len() <= 6, "{:?}", sim.web.asked.lock().unwrap());
    sim.run(HOUR).await;
    assert_eq!(sim.asked(FRONT).len(), 3, "after 15 and 30 minutes");
}

#[tokio::test]
async fn a_moved_article_is_replaced_by_its_target() {
    let sim = Sim::new().await;
    sim.set_answer(STORY, 301, &[("location", "/2026/another-address-for-the-same-story")], "");
    let target = "http://a.test/2026/another-address-for-the-same-story";
    sim.set_answer(target, 200, &[], page("Story", &[]));
    sim.add(STORY, Why::Link, Class::New, PageSchedule::page(Some(ListingId(7)), START)).await;
    sim.run(60).await;
    assert_eq!(sim.next(STORY).await, (None, None), "it has left");
    assert_eq!(sim.entry(target).await.schedule.unwrap().by, Some(ListingId(7)));
}

#[tokio::test]
async fn robots_txt_decides_and_has_a_turn_of_its_own() {
    let sim = Sim::new().await;
    sim.set_answer(
        "http://a.test/robots.txt",
        200,
        &[],
        "User-agent: *\nDisallow: /2026/\nSitemap: /map.xml\n",
    );
    sim.add_story().await;
    sim.run(60).await;
    assert_eq!(sim.asked("http://a.test/robots.txt"), [0]);
    assert_eq!(sim.asked(FRONT), [1]);
    assert!(sim.asked(STORY).is_empty());
    assert_eq!(sim.entry(STORY).await.outcome, Some(Outcome::Disallowed));
    assert_eq!(sim.store.status().await.unwrap()[0].outcomes.get(&Outcome::Disallowed), Some(&1));
    assert_eq!(
        sim.entry("http://a.test/map.xml").await.schedule.unwrap().role,
        Role::Listing(ListingKind::Map)
    );
    let asked = sim.web.asked.lock().unwrap();
    assert!(asked.windows(2).all(|pair| pair[1].0.0 - pair[0].0.0 >= 1_000), "{asked:?}");
}

#[tokio::test]
async fn a_robots_txt_that_fails_lets_the_site_rest() {
    let sim = Sim::new().await;
    sim.set_answer("http://a.test/robots.txt", 500, &[], "");
    sim.run(12 * MINUTE).await;
    assert_eq!(sim.asked("http://a.test/robots.txt"), [0, 300, 600]);
    assert!(sim.asked(FRONT).is_empty());
    sim.set_answer("http://a.test/robots.txt", 404, &[], "");
    sim.run(16 * MINUTE).await;
    assert_eq!(sim.entry(FRONT).await.outcome, Some(Outcome::Fetched));
}

#[tokio::test]
async fn validators_are_trusted_for_an_hour() {
    let sim = Sim::new().await;
    sim.set_answer(FRONT, 200, &[("etag", "\"1\"")], page("Front", &[]));
    sim.run(60).await;
    // From now on the server lies.
    sim.set_answer(FRONT, 304, &[], "");
    sim.run(3 * HOUR).await;
    let asked = sim.web.asked.lock().unwrap();
    type Asked = (Timestamp, String, bool);
    let front: Vec<&Asked> = asked.iter().filter(|(_, url, _)| url == FRONT).collect();
    let (conditional, plain): (Vec<&Asked>, Vec<&Asked>) =
        front[1..].iter().partition(|(.., is_conditional)| *is_conditional);
    assert!(conditional.iter().all(|(at, ..)| at.0 < START.0 + (HOUR + 5) * 1_000));
    assert!(!conditional.is_empty() && !plain.is_empty(), "{front:?}");
}

#[tokio::test]
async fn a_listing_is_read_at_each_visit_and_mined_now_and_then() {
    let sim = Sim::new().await;
    let path = |n: u64| format!("/2026/story-number-{n}-has-a-long-name");
    for minutes in 0..60 {
        sim.set_answer(FRONT, 200, &[], page("Front", &[(&path(minutes), HEADLINE)]));
        sim.run(minutes * MINUTE).await;
    }
    let stories = sim.store.entries(&site()).await.unwrap().len() - 1;
    assert!(stories >= 5, "{stories}");
    let published = sim.outbox.pages.lock().unwrap().len();
    assert_eq!(published, 1, "the front page once; the stories are not found");
    for hours in 1..8 {
        sim.set_answer(FRONT, 200, &[], page("Front", &[(&path(100 + hours), HEADLINE)]));
        sim.run(hours * HOUR).await;
    }
    assert_eq!(sim.outbox.pages.lock().unwrap().len(), 2, "again after six hours");
}

#[tokio::test]
async fn a_page_that_the_miner_never_reported_is_published_again() {
    let sim = Sim::new().await;
    sim.set_answer(STORY, 200, &[], page("Story", &[]));
    sim.add_story().await;
    sim.run(60).await;
    let published = || sim.outbox.pages.lock().unwrap().len();
    assert_eq!(published(), 2);
    sim.run(DAY + 60).await;
    assert_eq!(sim.asked(STORY).len(), 2);
    // The front page is mined every six hours only if it changes.
    assert_eq!(published(), 3, "the same bytes again");
    let entry = sim.entry(STORY).await;
    let mut known = entry.schedule.unwrap();
    let told = known.told(Some(5), sim.clock.now(), &ScheduleConfig::default());
    let next = Some(Next { due: sim.clock.now(), class: Class::Recheck });
    let note = Note { url: entry.url, fetch: entry.fetch, at: sim.clock.now(), next, schedule: known };
    assert!(told.is_new_article && sim.store.note(&note).await.unwrap());
    sim.run(DAY + 120).await;
    assert_eq!(
        (sim.asked(STORY).len(), published()),
        (3, 3),
        "what was told is handed on only if it changed"
    );
    assert_eq!(sim.entry(STORY).await.outcome, Some(Outcome::Unchanged));
}

#[tokio::test]
async fn late_rechecks_are_left_out_without_a_request() {
    let sim = Sim::new().await;
    sim.run(60).await;
    let mut known = PageSchedule::page(None, START);
    known.told(Some(5), sim.clock.now(), &ScheduleConfig::default());
    sim.add(STORY, Why::Link, Class::Recheck, known).await;
    // Nothing is asked for while we are away.
    sim.clock.set(Timestamp(START.0 + 3 * HOUR * 1_000));
    sim.run(3 * HOUR + 60).await;
    assert!(sim.asked(STORY).is_empty());
    let entry = sim.entry(STORY).await;
    assert_eq!(entry.due, Some(Timestamp(START.0 + 60_000 + 4 * HOUR * 1_000)), "the next rung");
}

#[tokio::test]
async fn a_section_that_no_menu_leads_to_leaves_if_it_shows_nothing_first() {
    let sim = Sim::new().await;
    let stories: Vec<String> = (0..9).map(|n| format!("/2026/story-number-{n}-has-a-long-name")).collect();
    let links: Vec<_> = stories.iter().map(|path| (path.as_str(), HEADLINE)).collect();
    let menu = "http://a.test/sports";
    for url in [STORY, menu] {
        sim.set_answer(url, 200, &[], page("Many links", &links));
        let is_in_menu = url == menu;
        let section = PageSchedule { is_in_menu, ..PageSchedule::of(Role::Listing(ListingKind::Section)) };
        sim.add(url, Why::Link, Class::Listing, section).await;
    }
    sim.run(3 * DAY).await;
    assert_eq!(sim.asked(STORY).len(), 4);
    assert_eq!((sim.next(STORY).await, sim.site_schedule().await.listing(id(STORY))), ((None, None), None));
    assert!(sim.asked(menu).len() > 4 && sim.entry(menu).await.due.is_some());
}

/// A word that names a number.
fn word(number: u32) -> String {
    [number / 676, number / 26, number].iter().map(|n| char::from(b'a' + (n % 26) as u8)).collect()
}

#[tokio::test]
async fn a_calendar_without_end_leaves_the_budget_to_the_news() {
    let sim = Sim::new().await;
    let month = |month: u32| {
        let days: Vec<String> = (0..28).map(|day| format!("/{}-{}/", word(month), word(day))).collect();
        let next = format!("/{}/", word(month + 1));
        let mut links: Vec<(&str, &str)> = days.iter().map(|path| (path.as_str(), HEADLINE)).collect();
        links.push((&next, HEADLINE));
        page("Calendar", &links)
    };
    let first = format!("/{}/", word(1));
    sim.set_answer(FRONT, 200, &[], page("Front", &[(&first, "Calendar")]));
    for number in 1..200 {
        sim.set_answer(&format!("http://a.test/{}/", word(number)), 200, &[], month(number));
    }
    sim.run(HOUR).await;
    sim.set_answer(FRONT, 200, &[], page("Front", &[("/2026/a-long-way-home-for-the-cup", HEADLINE)]));
    sim.run(3 * HOUR).await;
    let known = sim.store.entries(&site()).await.unwrap();
    assert!((40..=60).contains(&known.len()), "half of a budget of 100: {}", known.len());
    assert!(known.iter().any(|entry| entry.url.as_str() == STORY), "the news was kept out");
}

/// Page `number` of a trap: it links to 28 pages like it.
fn trap_page(number: u32) -> String {
    let paths: Vec<String> = (1..=28).map(|nth| format!("/days/{}/", word(28 * number + nth))).collect();
    let links: Vec<_> = paths.iter().map(|path| (path.as_str(), HEADLINE)).collect();
    page("Days", &links)
}

#[tokio::test]
async fn a_trap_of_new_listings_loses_no_article_that_the_front_page_shows() {
    let sim = Sim::new().await;
    for number in 0..900 {
        sim.set_answer(&format!("http://a.test/days/{}/", word(number)), 200, &[], trap_page(number));
    }
    // A budget of 100 pages, and 58 articles within a day: ten at first, then one each half hour. Each links to the trap.
    let article = |number: u32| format!("/2026/the-{}-of-a-long-story", word(number));
    let trap = format!("/days/{}/", word(0));
    for number in 0..58 {
        let body = page(&format!("The story of {}", word(number)), &[(&trap, HEADLINE)]);
        sim.set_answer(&format!("http://a.test{}", article(number)), 200, &[], body);
    }
    for half_hour in 0..=48 {
        let shown: Vec<String> = (0..10 + half_hour).rev().take(12).map(article).collect();
        let mut links: Vec<_> = shown.iter().map(|path| (path.as_str(), HEADLINE)).collect();
        links.push((&trap, HEADLINE));
        sim.set_answer(FRONT, 200, &[], page("Front", &links));
        sim.run(u64::from(half_hour) * 30 * MINUTE + 29 * MINUTE).await;
        sim.judge(|url| url.path().starts_with("/2026/")).await;
    }
    sim.run(DAY + HOUR).await;
    let unread = (0..58).filter(|number| sim.asked(&format!("http://a.test{}", article(*number))).is_empty());
    assert_eq!(unread.count(), 0, "articles that were never asked for");
    let asked = sim.web.asked.lock().unwrap().iter().filter(|(_, url, _)| url.contains("/days/")).count();
    assert!(asked < 1_000, "{asked} requests for the trap");
}

#[tokio::test]
async fn links_to_news_that_the_budget_refuses_are_counted_once() {
    let sim = Sim::new().await;
    sim.run(10).await;
    let paths: Vec<String> = (0..120).map(|n| format!("/2026/the-{}-of-a-long-story", word(n))).collect();
    let links: Vec<_> = paths.iter().map(|path| (path.as_str(), HEADLINE)).collect();
    sim.set_answer(FRONT, 200, &[], page("Front", &links));
    sim.run(3 * HOUR).await;
    assert!(sim.asked(FRONT).len() > 3);
    let refused = sim.site_schedule().await.missed().refused(START.day());
    assert_eq!(refused, 21, "the front page is one of the hundred that were admitted");
}
