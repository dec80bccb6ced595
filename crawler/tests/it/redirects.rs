//! Each claim follows one redirect at most: inside the site, and out of it only from a seed.

use newslode_common::outcome::Outcome;
use newslode_common::store::Why;

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
    world.expect("http://away.test/nowhere", Outcome::Unreachable);
    let world = World::new(web).await;
    world.add("http://away.test/inside", Why::Seed).await;
    world.crawl().await;
    world.expect("http://127.0.0.1/secret", Outcome::PrivateAddress);
}
