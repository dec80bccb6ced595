//! Redirects that set a cookie.

use newslode_common::outcome::Outcome;

use crate::sim::*;
use crate::world::{self, PAGE, SeenRequest};

const CHECK: &str = "http://a.test/cookie-check";

/// The last outcome of a story, if it has not left, and how often it and the check were asked for. No two requests come too near.
async fn visit(sim: &Sim) -> (Option<Outcome>, usize, usize) {
    sim.add_story().await;
    for n in 0..5 {
        let other = format!("http://a.test/2026/other-{n}");
        let known = newslode_common::schedule::PageSchedule::page(None, START);
        sim.add(&other, newslode_common::store::Why::Link, newslode_common::schedule::Class::New, known)
            .await;
    }
    sim.run(MINUTE).await;
    let asked = sim.web.asked.lock().unwrap().clone();
    assert!(asked.windows(2).all(|pair| pair[1].0.0 - pair[0].0.0 >= 1_000), "{asked:?}");
    (sim.next(STORY).await.0, sim.asked(STORY).len(), sim.asked(CHECK).len())
}

#[tokio::test]
async fn a_page_that_wants_its_cookie_back_is_read() {
    let sim = Sim::new().await;
    sim.set_answer(STORY, 302, &[("location", STORY), ("set-cookie", "seen=1; Path=/")], "");
    sim.set_answer(&format!("{STORY} seen=1"), 200, &[], page("Story", &[]));
    assert_eq!(visit(&sim).await, (Some(Outcome::Fetched), 2, 0));
}

#[tokio::test]
async fn a_detour_over_a_cookie_check_returns_to_the_page() {
    let sim = Sim::new().await;
    sim.set_answer(
        STORY,
        302,
        &[("location", "/cookie-check"), ("set-cookie", "a=1; Path=/"), ("set-cookie", "b=2; Path=/")],
        "",
    );
    let back: Headers = &[("location", STORY), ("set-cookie", "b=3; Path=/")];
    sim.set_answer(&format!("{CHECK} a=1; b=2"), 302, back, "");
    sim.set_answer(&format!("{STORY} a=1; b=3"), 200, &[], page("Story", &[]));
    assert_eq!(visit(&sim).await, (Some(Outcome::Fetched), 2, 1));
}

#[tokio::test]
async fn a_loop_that_sets_cookies_ends() {
    // The same cookie each time: the second step is the first one again.
    let sim = Sim::new().await;
    sim.set_answer(STORY, 302, &[("location", STORY), ("set-cookie", "seen=1")], "");
    assert_eq!(visit(&sim).await, (Some(Outcome::RedirectLoop), 2, 0));
    // Others each time: as many hops as redirects are followed, four here.
    let sim = Sim::new().await;
    sim.set_answer(STORY, 302, &[("location", STORY), ("set-cookie", "n=0")], "");
    let others: [Headers; 5] = [
        &[("location", STORY), ("set-cookie", "n=1")],
        &[("location", STORY), ("set-cookie", "n=2")],
        &[("location", STORY), ("set-cookie", "n=3")],
        &[("location", STORY), ("set-cookie", "n=4")],
        &[("location", STORY), ("set-cookie", "n=5")],
    ];
    for (n, headers) in others.into_iter().enumerate() {
        sim.set_answer(&format!("{STORY} n={n}"), 302, headers, "");
    }
    assert_eq!(visit(&sim).await, (Some(Outcome::RedirectLoop), 5, 0));
}

#[tokio::test]
async fn a_chain_that_ends_at_another_page_is_a_redirect_to_it() {
    let sim = Sim::new().await;
    sim.set_answer(STORY, 301, &[("location", "/cookie-check"), ("set-cookie", "a=1")], "");
    sim.set_answer(CHECK, 200, &[], page("Moved", &[]));
    assert_eq!(visit(&sim).await, (None, 1, 2));
    assert_eq!(sim.entry(CHECK).await.outcome, Some(Outcome::Fetched), "as a URL of its own");
}

#[tokio::test]
async fn a_cookie_goes_to_the_hosts_it_is_for_and_robots_txt_is_asked_at_each_hop() {
    let sim = Sim::new().await;
    sim.set_answer(
        STORY,
        302,
        &[("location", "http://www.a.test/story"), ("set-cookie", "a=1; Domain=a.test; Path=/")],
        "",
    );
    // The cookie is for all hosts of a.test; that of another host is for that host alone.
    let www: Headers = &[("location", "http://b.test/story"), ("set-cookie", "c=2")];
    sim.set_answer("http://www.a.test/story a=1", 302, www, "");
    sim.set_answer("http://b.test/story", 302, &[("location", STORY)], "");
    sim.set_answer(&format!("{STORY} a=1"), 200, &[], page("Story", &[]));
    assert_eq!(visit(&sim).await, (Some(Outcome::Fetched), 2, 0));

    let sim = Sim::new().await;
    sim.set_answer("http://a.test/robots.txt", 200, &[], "User-agent: *\nDisallow: /cookie-check\n");
    sim.set_answer(STORY, 302, &[("location", "/cookie-check"), ("set-cookie", "a=1")], "");
    assert_eq!(visit(&sim).await, (Some(Outcome::Disallowed), 1, 0));
}

#[tokio::test]
async fn a_later_redirect_sets_the_cookie_of_a_front_page() {
    // On the page's host, and by way of the host that asks for consent.
    let walls: [&[(&str, Headers)]; 2] = [
        &[
            (FRONT, &[("location", "/consent?back=%2F")]),
            ("http://a.test/consent?back=%2F", &[("location", "/"), ("set-cookie", "ok=1; Path=/")]),
        ],
        &[
            (FRONT, &[("location", "http://consent.test/ask")]),
            ("http://consent.test/ask", &[("location", "http://a.test/ok"), ("set-cookie", "user=9")]),
            ("http://a.test/ok", &[("location", "/"), ("set-cookie", "ok=1; Path=/")]),
        ],
    ];
    for wall in walls {
        let sim = Sim::new().await;
        for (at, headers) in wall {
            sim.set_answer(at, 302, headers, "");
        }
        let front = page("Front", &[("/2026/a-long-way-home-for-the-cup", "A long way home for the cup")]);
        sim.set_answer(&format!("{FRONT} ok=1"), 200, &[], front);
        sim.run(MINUTE).await;
        assert_eq!(sim.entry(FRONT).await.outcome, Some(Outcome::Fetched));
        assert_eq!(sim.asked(STORY).len(), 1, "its story was found");
    }
}

#[tokio::test]
async fn a_page_that_is_due_once_gets_its_cookie_back_too() {
    let web = |request: &SeenRequest| match (request.page.as_str(), request.headers.get("cookie")) {
        ("a.test/", Some(cookie)) if cookie == "seen=1" => world::html(PAGE),
        ("a.test/", _) => world::answer(302, [("location", "/"), ("set-cookie", "seen=1; HttpOnly")], ""),
        _ => None,
    };
    world::check(web, "http://a.test/", Outcome::Fetched).await;
    let endless = |request: &SeenRequest| match request.page.as_str() {
        "a.test/" => {
            world::answer(302, [("location", "/"), ("set-cookie", &format!("n={}", request.nth))], "")
        }
        _ => None,
    };
    let world = world::check(endless, "http://a.test/", Outcome::RedirectLoop).await;
    assert_eq!(world.hits("a.test/"), 6, "the first request and five hops");
}
