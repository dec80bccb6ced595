//! robots.txt: its rules, its absence, and how often it is asked for.

use std::sync::{Arc, Mutex};

use futures::future::join_all;
use newslode_common::outcome::Outcome;
use newslode_common::store::{Frontier, Why};
use newslode_common::time::Clock;
use newslode_crawler::fetch::Fetcher;
use newslode_crawler::robots::{Robots, RobotsVerdict};
use newslode_crawler::web::Internet;
use newslode_page::reading::Site;
use url::Url;

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
    let robots = Robots::new(fetcher, Clock::Machine, &world.config);
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
