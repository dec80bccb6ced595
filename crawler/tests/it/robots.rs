//! robots.txt: its rules, its absence, and how often it is asked for.

use std::sync::{Arc, Mutex};

use futures::future::join_all;
use newslode_common::outcome::Outcome;
use newslode_common::schedule::ScheduleConfig;
use newslode_common::store::{Frontier, Why};
use newslode_common::time::Clock;
use newslode_crawler::fetch::Fetcher;
use newslode_crawler::robots::{Robots, RobotsVerdict};
use newslode_crawler::web::Internet;
use newslode_page::reading::Site;
use url::Url;

use crate::sim::*;
use crate::world::{PAGE, SeenRequest, World, answer, check, html};

const SEED: &str = "http://a.test/news/";

/// Serves a page behind this robots.txt.
fn behind(
    status: u16,
    text: &'static str,
) -> impl Fn(&SeenRequest) -> Option<axum::response::Response> + Send + Sync {
    move |request| if request.page.ends_with("/robots.txt") { answer(status, [], text) } else { html(PAGE) }
}

#[tokio::test]
async fn rules_are_obeyed_and_a_missing_robots_txt_allows_everything() {
    let world = check(behind(200, "User-agent: *\nDisallow: /news/\n"), SEED, Outcome::Disallowed).await;
    assert_eq!(world.hits("a.test/news/"), 0);
    check(behind(200, "User-agent: *\nDisallow: /sport\n"), SEED, Outcome::Fetched).await;
    let named = "User-agent: *\nDisallow: /\n\nUser-agent: newslode\nAllow: /\n";
    check(behind(200, named), SEED, Outcome::Fetched).await;
    check(behind(404, "User-agent: *\nDisallow: /\n"), SEED, Outcome::Fetched).await;
    check(behind(403, ""), SEED, Outcome::Fetched).await;
}

#[tokio::test]
async fn rules_are_for_the_configured_name_or_for_the_beginning_of_the_user_agent() {
    let text = "User-agent: *\nDisallow: /\n\nUser-agent: Paper-Boy/2 (news)\nDisallow: */sport/\n";
    for (token, agent) in [("paper-boy", "Mozilla/5.0 (compatible; Paper-Boy/2.0)"), ("", "Paper-Boy/2.0")] {
        let mut world = World::new(behind(200, text)).await;
        world.config.robots_token = token.to_owned();
        world.config.user_agent = agent.to_owned();
        for page in [SEED, "http://a.test/de/sport/1"] {
            world.add(page, Why::Seed).await;
        }
        for _ in 0..3 {
            world.crawl().await;
        }
        world.expect(SEED, Outcome::Fetched);
        world.expect("http://a.test/de/sport/1", Outcome::Disallowed);
    }
}

#[tokio::test]
async fn a_robots_txt_that_cannot_be_fetched_disallows_everything() {
    for status in [500, 503, 429] {
        let world = check(behind(status, ""), SEED, Outcome::RobotsUnreachable).await;
        assert_eq!((world.hits("a.test/news/"), world.hits("a.test/robots.txt")), (0, 2), "{status}");
    }
    let mut world = World::new(|_| None).await;
    world.config.resolve = vec!["*:127.0.0.1:1".parse().unwrap()];
    world.add(SEED, Why::Seed).await;
    world.crawl().await;
    world.expect(SEED, Outcome::RobotsUnreachable);
    assert_eq!(world.metrics.retries.get(), 1);
}

#[tokio::test]
async fn a_robots_txt_that_failed_is_requested_again() {
    let web = |request: &SeenRequest| match (request.page.ends_with("/robots.txt"), request.nth) {
        (true, 1) => answer(500, [], ""),
        (true, _) => answer(200, [], "User-agent: *\nDisallow: /other\n"),
        _ => html(PAGE),
    };
    check(web, SEED, Outcome::Fetched).await;
}

#[tokio::test]
async fn redirects_are_followed_to_other_hosts_but_not_for_ever_nor_to_private_addresses() {
    let web = |request: &SeenRequest| match request.page.as_str() {
        "a.test/robots.txt" => answer(302, [("location", "http://rules.test/r")], ""),
        "rules.test/r" => answer(200, [], "User-agent: *\nDisallow: /news\n"),
        "b.test/robots.txt" => answer(302, [("location", "/robots.txt")], ""),
        "c.test/robots.txt" => answer(302, [("location", "http://127.0.0.1/")], ""),
        _ => html(PAGE),
    };
    check(web, SEED, Outcome::Disallowed).await;
    let world = check(web, "http://b.test/news/", Outcome::Fetched).await;
    assert_eq!(world.hits("b.test/robots.txt"), 6);
    check(web, "http://c.test/news/", Outcome::RobotsUnreachable).await;
}

/// A redirect may hold credentials of another server, or mark who follows it. Nothing of them leaves, and no `Referer`.
#[tokio::test]
async fn redirects_make_nobody_send_credentials_or_where_they_come_from() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let web = {
        let seen = seen.clone();
        move |request: &SeenRequest| {
            let has = |name: &str| request.headers.contains_key(name);
            let told = has("authorization") || has("referer") || has("cookie");
            seen.lock().unwrap().push((request.page.clone(), told));
            match request.page.as_str() {
                "a.test/robots.txt" => answer(302, [("location", "http://us:pw@rules.test/r")], ""),
                "rules.test/r" => answer(301, [("location", "http://us@rules.test/r2")], ""),
                "a.test/news/" => answer(302, [("location", "http://us:pw@a.test/there")], ""),
                "a.test/there" => html(PAGE),
                _ => None,
            }
        }
    };
    let world = World::new(web).await;
    world.add(SEED, Why::Seed).await;
    world.crawl().await;
    world.crawl().await;
    let seen = seen.lock().unwrap();
    for page in ["a.test/robots.txt", "rules.test/r", "rules.test/r2", "a.test/news/", "a.test/there"] {
        assert!(seen.iter().any(|(asked, _)| asked == page), "{page} was not asked for: {seen:?}");
    }
    assert!(seen.iter().all(|(_, told)| !told), "{seen:?}");
}

#[tokio::test]
async fn a_crawl_delay_raises_the_sites_delay_up_to_the_limit() {
    let delay = async |text: &'static str| {
        let world = check(behind(200, text), SEED, Outcome::Fetched).await;
        let delay_ms = world.frontier.site(&Site::of_host("a.test")).await.unwrap().unwrap().delay_ms;
        (delay_ms, world.metrics.delays_cut.get())
    };
    assert_eq!(delay("User-agent: *\nCrawl-delay: 7\nDisallow:\n").await, (7_000, 0));
    assert_eq!(delay("User-agent: *\nCrawl-delay: 900\nDisallow:\n").await, (30_000, 1), "cut, and told");
    assert_eq!(delay("User-agent: *\nDisallow:\n").await, (1, 0));
}

#[tokio::test]
async fn workers_that_need_one_robots_txt_at_once_fetch_it_once() {
    let world = World::new(behind(200, "User-agent: *\nDisallow: /no\n")).await;
    let internet = Arc::new(Internet::new(&world.config).unwrap());
    let fetcher = Fetcher::new(internet, Clock::Machine, &world.config);
    let robots = Robots::new(fetcher, Clock::Machine, &world.config, world.archive.clone());
    let urls: Vec<Url> = (0..8).map(|n| Url::parse(&format!("http://a.test/no/{n}")).unwrap()).collect();
    let mut asked = 0;
    for (verdict, is_first) in join_all(urls.iter().map(|url| robots.verdict_of(url))).await {
        let RobotsVerdict::Rules(rules) = verdict else { panic!("there are rules") };
        assert!(!rules.robots.allows(&urls[0]));
        asked += u32::from(is_first);
    }
    assert_eq!(asked, 1, "one call asked, and the others waited");
    assert_eq!(world.hits("a.test/robots.txt"), 1);
}

#[tokio::test]
async fn a_huge_robots_txt_is_read_up_to_the_limit() {
    let web = |request: &SeenRequest| {
        if !request.page.ends_with("/robots.txt") {
            return html(PAGE);
        }
        let text = format!("User-agent: *\nDisallow: /news\n{}", "# padding\n".repeat(200_000));
        answer(200, [], text)
    };
    check(web, SEED, Outcome::Disallowed).await;
}

const FILE: &str = "http://a.test/robots.txt";
const OPEN: &str = "User-agent: *\nDisallow: /private\n";

#[tokio::test]
async fn a_file_that_disallows_everything_is_asked_for_again_soon_and_nothing_is_lost() {
    let sim = Sim::with(ScheduleConfig { lead_interval_s: DAY, ..ScheduleConfig::default() }).await;
    sim.set_answer(FILE, 200, &[], "User-agent: *\nDisallow: /\n");
    sim.run(3 * HOUR).await;
    assert!(sim.asked(FRONT).is_empty());
    let asked: Vec<u64> = sim.asked(FILE).iter().map(|at| at / MINUTE).collect();
    assert_eq!(asked, [0, 15, 45, 105], "the waits double");
    sim.set_answer(FILE, 200, &[], OPEN);
    sim.run(9 * HOUR).await;
    assert_eq!(sim.entry(FRONT).await.outcome, Some(Outcome::Fetched));
}

#[tokio::test]
async fn the_last_good_rules_stay_in_force_for_a_day_while_the_file_cannot_be_read() {
    for (status, body, is_open_in_the_end) in
        [(403, "", true), (200, "<!doctype html><p>We are busy", true), (503, "", false), (0, "", false)]
    {
        let sim = Sim::new().await;
        sim.set_answer(FILE, 200, &[], "User-agent: *\nDisallow: /2026/\n");
        sim.run(HOUR).await;
        sim.set_answer(FILE, status, &[], body);
        sim.run(30 * HOUR).await;
        let visits = sim.asked(FRONT).len();
        assert!(visits > 4 && sim.asked(FILE).len() > 2, "{status}: the rules are a day old");
        sim.set_answer(STORY, 200, &[], page("Story", &[]));
        sim.add_story().await;
        sim.run(44 * HOUR).await;
        assert!(sim.asked(STORY).is_empty(), "{status}: and still obeyed");
        let visits = sim.asked(FRONT).len();
        sim.run(72 * HOUR).await;
        let last = sim.asked(FRONT).last().copied().unwrap_or_default();
        assert!(sim.asked(FRONT).len() > visits);
        assert_eq!(last > 50 * HOUR, is_open_in_the_end, "{status}: after two days they are none any more");
    }
}

#[tokio::test]
async fn the_next_process_knows_a_file_that_was_read() {
    let world = World::new(behind(200, OPEN)).await;
    world.add(SEED, Why::Seed).await;
    world.crawl().await;
    world.add("http://a.test/another", Why::Link).await;
    world.crawl_until(|world| world.counted(Outcome::Fetched) == 2).await.unwrap();
    assert_eq!(world.hits("a.test/robots.txt"), 1);
}
