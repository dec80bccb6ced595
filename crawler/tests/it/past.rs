//! The past of a site that an operator asked for: what lists it, in which order it is read, and what is not asked for.

use newslode_common::schedule::past::SourceKind;
use newslode_common::schedule::{Days, PastRead, Role, ScheduleConfig};
use newslode_common::store::Frontier as _;
use newslode_common::store::past::ask_for;
use newslode_page::time::Timestamp;

use crate::sim::*;

/// 2023-11-14, on which simulations start.
const TODAY: u32 = 19_675;
/// 2023-09-01.
const SEPTEMBER: u32 = TODAY - 74;
const HEADLINE: &str = "A long way home for the cup and its bearers";

fn window() -> Days {
    Days { first: SEPTEMBER, last: SEPTEMBER + 29 }
}

fn date(day: u32) -> String {
    newslode_common::time::iso(Timestamp(u64::from(day) * 86_400_000))[..10].to_owned()
}

fn story(day: u32, number: u32) -> String {
    format!("http://a.test/s/{day}-{number}-the-quay-is-open-to-all")
}

/// A page of a story: a text of its own.
fn story_page(sim: &Sim, url: &str) {
    sim.set_answer(url, 200, &[], page(&format!("The quay of {url} is open"), &[]));
}

/// A sitemap with two stories a day, from one day to another.
fn map(sim: &Sim, days: Days) -> String {
    let urls = days.first..=days.last;
    let entries: String = urls
        .flat_map(|day| [(day, 1), (day, 2)])
        .map(|(day, number)| {
            let url = story(day, number);
            story_page(sim, &url);
            format!("<url><loc>{url}</loc><lastmod>{}T10:0{number}:00Z</lastmod></url>", date(day))
        })
        .collect();
    format!("<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>{entries}</urlset>")
}

const XML: Headers = &[("content-type", "application/xml")];

async fn since(sim: &Sim, window: Days) {
    ask_for(sim.store.as_ref(), &site(), &ScheduleConfig::default(), window, sim.clock.now()).await.unwrap();
}

/// Lets the crawler work, and the miner tell what came, until nothing more is asked for.
async fn run(sim: &Sim, hours: u64) {
    for hour in 1..=hours {
        sim.run(hour * HOUR).await;
        sim.judge(|url| url.path().starts_with("/s/")).await;
    }
}

fn asked(sim: &Sim) -> Vec<String> {
    sim.web.asked.lock().unwrap().iter().map(|(_, url, _)| url.clone()).collect()
}

/// The days of the stories that were asked for, in the order of the requests.
fn story_days(sim: &Sim) -> Vec<u32> {
    let day = |url: &String| url.strip_prefix("http://a.test/s/")?.split('-').next()?.parse().ok();
    asked(sim).iter().filter_map(day).collect()
}

/// The pages of the past that were read, and that are known.
async fn read(sim: &Sim) -> (usize, usize) {
    let entries = sim.store.entries(&site()).await.unwrap();
    let past: Vec<PastRead> = entries
        .iter()
        .filter_map(|entry| match entry.schedule?.role {
            Role::Past { read, .. } => Some(read),
            _ => None,
        })
        .collect();
    (past.iter().filter(|read| **read == PastRead::Article).count(), past.len())
}

#[tokio::test]
async fn dated_maps_are_read_after_the_news_and_the_newest_day_first() {
    let sim = Sim::new().await;
    sim.set_answer(FRONT, 200, &[], page("Front", &[("/2026/a-long-way-home-for-the-cup", HEADLINE)]));
    sim.set_answer(STORY, 200, &[], page("Story", &[]));
    sim.set_answer("http://a.test/robots.txt", 200, &[], "Sitemap: http://a.test/index.xml");
    let mut index = String::new();
    // Some days of each month since January, as programs write them.
    for month in 1..=11 {
        let url = format!("http://a.test/map-2023-{month:02}.xml");
        let first = TODAY - 320 + (month - 1) * 30;
        sim.set_answer(&url, 200, XML, map(&sim, Days { first, last: first + 4 }));
        index.push_str(&format!("<sitemap><loc>{url}</loc></sitemap>"));
    }
    sim.set_answer(
        "http://a.test/map-2023-09.xml",
        200,
        XML,
        map(&sim, Days { first: SEPTEMBER + 3, last: SEPTEMBER + 12 }),
    );
    let index =
        format!("<sitemapindex xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>{index}</sitemapindex>");
    sim.set_answer("http://a.test/index.xml", 200, XML, index);
    since(&sim, window()).await;
    run(&sim, 24).await;
    assert_eq!(read(&sim).await, (20, 20));
    let days = story_days(&sim);
    assert_eq!(days.len(), 20, "each once, and none of another month: {days:?}");
    assert!(days.is_sorted_by(|one, other| one >= other), "{days:?}");
    let front_story = sim.asked(STORY)[0];
    assert!(sim.asked(&story(SEPTEMBER + 12, 1))[0] > front_story, "the news goes first");
    let past = sim.site_schedule().await;
    let past = past.past().unwrap();
    assert!(past.is_over(), "{past:?}");
    assert_eq!(past.tallies()[&SourceKind::Map].read, 2, "the index and the map of September");
}

/// A page of a list with stories, each with its day, and more links.
fn list(sim: &Sim, stories: &[(u32, u32)], more: &str) -> String {
    let item = |(day, number): &(u32, u32)| {
        let url = story(*day, *number);
        story_page(sim, &url);
        format!(
            "<article><h3><a href='{url}'>{HEADLINE}</a></h3><time datetime={}>then</time></article>",
            date(*day)
        )
    };
    let items: String = stories.iter().map(item).collect();
    format!("<html lang=en><title>A list</title><h1>A list</h1>{items}<p>{more}</p></html>")
}

#[tokio::test]
async fn archives_of_months_are_read_where_no_map_shows_them() {
    let sim = Sim::new().await;
    // A calendar without an end: each month links to the one before.
    sim.set_answer(FRONT, 200, &[], page("Front", &[("/archive/2023/11", "November 2023")]));
    for month in 1..=11 {
        let before = format!(
            "<a href=/archive/2023/{:02}>Before</a> <a rel=next href=/archive/2023/{:02}>Older</a>",
            month - 1,
            month - 1
        );
        let first = TODAY - 317 + (month - 1) * 30;
        sim.set_answer(
            &format!("http://a.test/archive/2023/{month:02}"),
            200,
            &[],
            list(&sim, &[(first, 1)], &before),
        );
    }
    let days: Vec<_> = (0..4).map(|day| (SEPTEMBER + 20 - day, 1)).collect();
    let rest: Vec<_> = (0..3).map(|day| (SEPTEMBER + 5 - day, 1)).collect();
    let next = "<a href=/archive/2023/09/page/2>2</a> <a href=/archive/2023/08>Before</a>";
    sim.set_answer("http://a.test/archive/2023/09", 200, &[], list(&sim, &days, next));
    sim.set_answer("http://a.test/archive/2023/09/page/2", 200, &[], list(&sim, &rest, ""));
    since(&sim, window()).await;
    run(&sim, 24).await;
    assert_eq!(read(&sim).await, (7, 7), "{:?}", asked(&sim));
    assert_eq!(story_days(&sim).len(), 7);
    let archives: Vec<_> = asked(&sim).into_iter().filter(|url| url.contains("/archive/")).collect();
    let wanted = ["http://a.test/archive/2023/09", "http://a.test/archive/2023/09/page/2"];
    assert!(wanted.iter().all(|url| sim.asked(url).len() == 1), "{archives:?}");
    assert!(!archives.iter().any(|url| url.ends_with("/08") || url.ends_with("/10")), "{archives:?}");
    assert!(sim.site_schedule().await.past().unwrap().is_over());
}

#[tokio::test]
async fn an_endless_calendar_is_asked_for_the_days_wanted_only() {
    let sim = Sim::new().await;
    sim.set_answer(FRONT, 200, &[], page("Front", &[("/2023/11/14", "Calendar")]));
    // Whatever is asked for is a day, which links to the day before and to its next page.
    sim.set_answer(
        "*",
        200,
        &[],
        page(
            "A day",
            &[("/2023/09/09", "Before"), ("/1899/01/01", "Before"), ("/2023/09/08/page/2", "More")],
        ),
    );
    sim.set_answer("http://a.test/robots.txt", 404, &[], "");
    for map in ["sitemap.xml", "sitemap_index.xml"] {
        sim.set_answer(&format!("http://a.test/{map}"), 404, &[], "");
    }
    since(&sim, Days { first: SEPTEMBER + 5, last: SEPTEMBER + 9 }).await;
    run(&sim, 24).await;
    let days: Vec<_> = asked(&sim).into_iter().filter(|url| url.contains("/2023/09/")).collect();
    assert_eq!(days.len(), 5, "{days:?}");
    assert!(!asked(&sim).iter().any(|url| url.contains("/1899/")));
    assert!(sim.site_schedule().await.past().unwrap().is_over());
}

#[tokio::test]
async fn a_list_of_pages_is_searched_and_not_walked() {
    let sim = Sim::new().await;
    // Two stories a day, ten on each of 120 pages: page 16 is 75 days ago.
    let stories: Vec<(u32, u32)> = (0..600).flat_map(|ago| [(TODAY - ago, 2), (TODAY - ago, 1)]).collect();
    for (place, shown) in stories.chunks(10).enumerate() {
        let url = if place == 0 { FRONT.to_owned() } else { format!("http://a.test/page/{}", place + 1) };
        let next = format!("<a rel=next href=/page/{}>Older</a>", place + 2);
        sim.set_answer(&url, 200, &[], list(&sim, shown, &next));
    }
    let wanted = Days { first: TODAY - 310, last: TODAY - 301 };
    since(&sim, wanted).await;
    run(&sim, 24).await;
    assert_eq!(read(&sim).await, (20, 20), "{:?}", asked(&sim));
    let pages: Vec<_> = asked(&sim).into_iter().filter(|url| url.contains("/page/")).collect();
    assert!(pages.len() <= 14, "{pages:?}");
    assert!(story_days(&sim).iter().all(|day| wanted.contains(*day) || *day > TODAY - 5));
    assert!(sim.site_schedule().await.past().unwrap().is_over());
}

#[tokio::test]
async fn junk_dates_are_not_believed() {
    let sim = Sim::new().await;
    sim.set_answer(
        "http://a.test/robots.txt",
        200,
        &[],
        "Sitemap: http://a.test/map.xml\nSitemap: http://a.test/map-2023-09.xml",
    );
    // All entries have the day on which the map was written, which is one of the days wanted.
    let entries = |names: std::ops::Range<u32>, of: &str| -> String {
        let entry = |number: u32| {
            let url = format!("http://a.test/s/{of}{number}-the-quay-is-open-to-all");
            story_page(&sim, &url);
            format!("<url><loc>{url}</loc><lastmod>{}</lastmod></url>", date(SEPTEMBER + 3))
        };
        let entries: String = names.map(entry).collect();
        format!("<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>{entries}</urlset>")
    };
    sim.set_answer("http://a.test/map.xml", 200, XML, entries(0..9, "x"));
    sim.set_answer("http://a.test/map-2023-09.xml", 200, XML, entries(0..6, "y"));
    since(&sim, window()).await;
    sim.run(20).await;
    let entries = sim.store.entries(&site()).await.unwrap();
    let past: Vec<_> = entries
        .iter()
        .filter_map(|entry| match entry.schedule?.role {
            Role::Past { days, .. } => Some((entry.url.path().chars().nth(3), days)),
            _ => None,
        })
        .collect();
    assert_eq!(past.len(), 6);
    assert!(
        past.iter().all(|found| *found == (Some('y'), window())),
        "the map's name says the month: {past:?}"
    );
    assert_eq!(sim.site_schedule().await.past().unwrap().undated(), 9);
}

#[tokio::test]
async fn without_days_to_ask_for_nothing_of_the_past_is_asked_for() {
    let sim = Sim::new().await;
    let links = [("/archive/2023/11", "November 2023"), ("/page/2", "2")];
    sim.set_answer(FRONT, 200, &[], page("Front", &links));
    run(&sim, 3).await;
    let past = sim.store.entries(&site()).await.unwrap();
    let of_the_past = |role: Role| matches!(role, Role::Past { .. } | Role::Archive);
    assert!(!past.iter().any(|entry| of_the_past(entry.schedule.unwrap().role)));
    assert_eq!(sim.site_schedule().await.past(), None);
}

#[tokio::test]
async fn numbered_maps_without_dates_are_searched_whichever_end_is_the_newest() {
    const MAPS: u32 = 60;
    let wanted = Days { first: TODAY - 410, last: TODAY - 401 };
    for is_newest_first in [false, true] {
        let sim = Sim::new().await;
        sim.set_answer("http://a.test/robots.txt", 200, &[], "Sitemap: http://a.test/index.xml");
        let mut index = String::new();
        // Fifteen days each.
        for number in 1..=MAPS {
            let age = if is_newest_first { number - 1 } else { MAPS - number };
            let last = TODAY - age * 15;
            let url = format!("http://a.test/posts-{number}.xml");
            sim.set_answer(&url, 200, XML, map(&sim, Days { first: last - 14, last }));
            index.push_str(&format!("<sitemap><loc>{url}</loc></sitemap>"));
        }
        let index = format!(
            "<sitemapindex xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>{index}</sitemapindex>"
        );
        sim.set_answer("http://a.test/index.xml", 200, XML, index);
        since(&sim, wanted).await;
        run(&sim, 72).await;
        assert_eq!(read(&sim).await, (20, 20), "{:?}", asked(&sim));
        let days = story_days(&sim);
        assert!(days.iter().all(|day| wanted.contains(*day) || *day > TODAY - 5), "{days:?}");
        let maps: std::collections::BTreeSet<String> =
            asked(&sim).into_iter().filter(|url| url.contains("/posts-")).collect();
        // Ten are visited for the news.
        assert!(maps.len() <= 24, "{} of {MAPS}: {maps:?}", maps.len());
        assert!(sim.site_schedule().await.past().unwrap().is_over());
    }
}

#[tokio::test]
async fn archives_whose_months_are_names_are_made_from_a_link_to_one() {
    let sim = Sim::new().await;
    let links = [("/archives/aout-2022", "Août 2022"), ("/archives/decembre-2022", "Décembre 2022")];
    sim.set_answer(FRONT, 200, &[], page("Front", &links));
    let days: Vec<_> = (0..4).map(|day| (SEPTEMBER + 20 - day, 1)).collect();
    sim.set_answer("http://a.test/archives/septembre-2023", 200, &[], list(&sim, &days, ""));
    since(&sim, window()).await;
    run(&sim, 24).await;
    assert_eq!(read(&sim).await, (4, 4), "{:?}", asked(&sim));
    let mut archives: Vec<_> = asked(&sim).into_iter().filter(|url| url.contains("/archives/")).collect();
    archives.retain(|url| !url.ends_with("-2022"));
    assert_eq!(archives, ["http://a.test/archives/septembre-2023"]);
    assert_eq!(sim.site_schedule().await.past().unwrap().tallies()[&SourceKind::Archive].read, 1);
}
