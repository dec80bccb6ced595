//! How fast a site is asked: by what it says, and by how long it takes to answer.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use newslode_common::outcome::Outcome;
use newslode_common::schedule::{Class, PageSchedule};
use newslode_common::store::{Completion, Frontier, SiteSettings, Why};

use crate::sim::*;
use crate::world::{PAGE, World, answer};

const WISH: (&str, &str) = ("retry-after", "900");

/// The seconds after a story's answer until the site's next turn, and until the story is asked for again.
async fn waits_after(status: u16, headers: Headers) -> (u64, u64) {
    let sim = Sim::new().await;
    sim.run(10).await;
    sim.set_answer(STORY, status, headers, page("Story", &[]));
    sim.add_story().await;
    sim.run(20).await;
    let turn = sim.store.status().await.unwrap()[0].turn;
    let asked = sim.asked(STORY)[0];
    ((turn.0 - START.0) / 1_000 - asked, sim.next(STORY).await.1.unwrap_or_default())
}

#[tokio::test]
async fn a_wish_to_be_asked_later_concerns_its_address_alone() {
    for (status, site, page) in
        [(200, 1, 2 * DAY), (404, 1, 2 * DAY), (401, 1, 2 * DAY), (500, 60, 2 * DAY), (503, 60, DAY)]
    {
        let (turn, due) = waits_after(status, &[("retry-after", "172800")]).await;
        // No wish is granted for longer than a day.
        assert_eq!((turn, due >= page.min(DAY)), (site, true), "{status}: {due}");
    }
    assert_eq!(waits_after(503, &[WISH]).await, (60, 900));
    assert_eq!(waits_after(503, &[("retry-after", "Tue, 14 Nov 2023 22:28:30 GMT")]).await, (60, 900));
    assert_eq!(waits_after(503, &[("retry-after", "Tuesday, 14-Nov-23 22:28:30 GMT")]).await, (60, 900));
    assert!(waits_after(503, &[("retry-after", "soon")]).await.1 < 900);
}

#[tokio::test]
async fn one_busy_answer_halves_the_pace_of_its_site_until_others_follow() {
    let sim = Sim::new().await;
    sim.run(10).await;
    sim.set_answer(STORY, 503, &[], "");
    sim.add_story().await;
    sim.run(MINUTE).await;
    let others: Vec<String> = (0..40).map(|n| format!("http://a.test/2026/{n}-other-ways-home")).collect();
    for other in &others {
        sim.set_answer(other, 200, &[("content-type", "text/html")], page("Other", &[]));
        sim.add(other, Why::Link, Class::New, PageSchedule::page(None, START)).await;
    }
    sim.run(10 * MINUTE).await;
    let mut asked: Vec<u64> = others.iter().flat_map(|other| sim.asked(other)).collect();
    asked.sort_unstable();
    let gaps: Vec<u64> = asked.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(gaps[0] >= 2, "at least twice as long as a second: {gaps:?}");
    assert!(gaps.iter().skip(25).all(|gap| *gap == 1), "as before: {gaps:?}");
}

#[tokio::test]
async fn a_site_rests_as_long_as_two_of_its_addresses_ask() {
    let sim = Sim::new().await;
    sim.run(10).await;
    let other = "http://a.test/2026/another-long-way-home";
    sim.set_answer(STORY, 503, &[WISH], "");
    sim.set_answer(other, 503, &[WISH], "");
    sim.add_story().await;
    sim.add(other, Why::Link, Class::New, PageSchedule::page(None, START)).await;
    sim.run(3 * MINUTE).await;
    let last = sim.asked(STORY)[0].max(sim.asked(other)[0]);
    let turn = sim.store.status().await.unwrap()[0].turn;
    assert_eq!((turn.0 - START.0) / 1_000, last + 900);
}

/// Its turn is counted from the question. A request after the answer would be closer to the next one than the delay.
/// Answers of a host that is of no use: to robots.txt, and to pages. 0: none in time.
const USELESS: [(u16, u16); 6] = [(500, 500), (0, 0), (404, 0), (404, 403), (404, 500), (404, 503)];

#[tokio::test]
async fn links_to_a_host_that_is_of_no_use_do_not_let_its_site_rest() {
    for (robots, status) in USELESS {
        let sim = Sim::new().await;
        sim.run(10).await;
        let story = |host: &str, n: u64| format!("http://{host}/2026/{n}-ways-home");
        sim.set_answer("http://old.a.test/robots.txt", robots, &[], "");
        for n in 0..20 {
            for host in ["old.a.test", "a.test"] {
                let answer = if host == "a.test" { 200 } else { status };
                let body = page(&"way ".repeat(n as usize + 1), &[]);
                sim.set_answer(&story(host, n), answer, &[("content-type", "text/html")], body);
                sim.add(&story(host, n), Why::Link, Class::New, PageSchedule::page(None, START)).await;
            }
        }
        sim.run(5 * MINUTE).await;
        let read = (0..20).filter(|n| !sim.asked(&story("a.test", *n)).is_empty()).count();
        assert_eq!(read, 20, "{robots}, {status}");
        let turn = sim.store.status().await.unwrap()[0].turn;
        assert!(turn <= sim.clock.now().plus(Duration::from_secs(10)), "{robots}, {status}: it rests");
        // The pages are asked for again, and are read once their host is back.
        sim.set_answer("http://old.a.test/robots.txt", 404, &[], "");
        for n in 0..20 {
            let body = page(&"old ".repeat(n as usize + 1), &[]);
            sim.set_answer(&story("old.a.test", n), 200, &[("content-type", "text/html")], body);
        }
        sim.run(3 * DAY).await;
        for n in 0..20 {
            let outcome = sim.entry(&story("old.a.test", n)).await.outcome;
            assert_eq!(outcome, Some(Outcome::Fetched), "{robots}, {status}: {n}");
        }
    }
}

#[tokio::test]
async fn a_site_rests_when_the_host_of_its_articles_fails_with_the_others() {
    let sim = Sim::new().await;
    let story = |n: u64| format!("http://news.a.test/2026/{n}-ways-home");
    for n in 0..20 {
        sim.set_answer(
            &story(n),
            if n < 5 { 200 } else { 500 },
            &[],
            page(&"way ".repeat(n as usize + 1), &[]),
        );
        sim.add(&story(n), Why::Link, Class::New, PageSchedule::page(None, START)).await;
    }
    sim.run(9 * MINUTE).await;
    let failed = (5..20).map(|n| sim.asked(&story(n)).len()).sum::<usize>();
    assert!(failed < 10, "{failed} requests to a host that fails");
}

#[tokio::test]
async fn a_turn_whose_claim_is_answered_late_passes_unused() {
    let world = World::new(|request| match request.page.ends_with("/robots.txt") {
        true => None,
        false => answer(200, [("content-type", "text/html")], PAGE),
    })
    .await;
    world.frontier.late.store(1, Ordering::SeqCst);
    world.add("http://a.test/", Why::Seed).await;
    world.crawl().await;
    world.expect("http://a.test/", Outcome::Fetched);
    let ends = world.frontier.completions.lock().unwrap();
    let unused = |(_, end): &&(_, Completion)| {
        matches!(end, Completion::Retry { counts: false, rest_site_until: None, .. })
    };
    assert_eq!(ends.iter().filter(unused).count(), 2, "the late one, and that of robots.txt: {ends:?}");
    assert_eq!(ends.len(), 3, "{ends:?}");
}

#[tokio::test]
async fn sites_of_one_address_are_asked_one_after_the_other() {
    let times = Arc::new(Mutex::new(Vec::new()));
    let noted = times.clone();
    let mut world = World::new(move |request| {
        noted.lock().unwrap().push(Instant::now());
        if request.page.ends_with("/robots.txt") {
            None
        } else {
            answer(200, [("content-type", "text/html")], PAGE)
        }
    })
    .await;
    let hosts = ["a.test", "b.test", "c.test", "d.test"];
    (world.config.workers, world.config.address_delay_ms) = (4, 200);
    world.config.resolve =
        hosts.map(|host| format!("{host}:127.0.0.1:{}", world.port).parse().unwrap()).into();
    for host in hosts {
        world.add(&format!("http://{host}/"), Why::Seed).await;
    }
    world.crawl().await;
    assert_eq!(world.counted(Outcome::Fetched), 4);
    let times = times.lock().unwrap();
    assert_eq!(times.len(), 8);
    // A turn is when a request starts; it arrives a little later, now and then.
    let spans: Vec<Duration> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(times[7] - times[0] >= Duration::from_millis(7 * 200 - 100), "{spans:?}");
}

#[tokio::test]
async fn a_site_whose_address_is_booked_for_long_rests_instead_of_being_held() {
    let mut world = World::new(|request| {
        if request.page.ends_with("/robots.txt") {
            None
        } else {
            answer(200, [("content-type", "text/html")], PAGE)
        }
    })
    .await;
    let hosts = ["a.test", "b.test"];
    (world.config.workers, world.config.address_delay_ms) = (2, 60_000);
    world.config.resolve =
        hosts.map(|host| format!("{host}:127.0.0.1:{}", world.port).parse().unwrap()).into();
    for host in hosts {
        world.add(&format!("http://{host}/"), Why::Seed).await;
    }
    let rests = |world: &World| {
        let ends = world.frontier.completions.lock().unwrap();
        let is_rest = |end: &Completion| {
            matches!(end, Completion::Retry { counts: false, rest_site_until: Some(_), .. })
        };
        ends.iter().any(|(_, end)| is_rest(end))
    };
    // The claim that came first waits for its own next turn; the other one is given back.
    world.config.grace_ms = 100;
    world.crawl_until(rests).await.unwrap();
    assert!(world.hits("a.test/robots.txt") + world.hits("b.test/robots.txt") <= 2);
}

/// Asks for some pages that take this long, and returns the last delays between them in milliseconds.
async fn delays(sim: &Sim, name: &str, takes: u64) -> Vec<u64> {
    sim.web.takes.store(takes, Ordering::SeqCst);
    let begun = sim.web.asked.lock().unwrap().len();
    for n in 0..32 {
        let url = format!("http://a.test/{name}/{n}");
        sim.add(&url, Why::Link, Class::New, PageSchedule::page(None, START)).await;
    }
    let now = (sim.clock.now().0 - START.0) / 1_000;
    sim.run(now + 20 * MINUTE).await;
    let asked = sim.web.asked.lock().unwrap();
    let times: Vec<u64> =
        asked[begun..].iter().filter(|(_, url, _)| url.contains(name)).map(|(at, ..)| at.0).collect();
    assert_eq!(times.len(), 32);
    times[24..].windows(2).map(|pair| pair[1] - pair[0]).collect()
}

#[tokio::test]
async fn a_site_that_answers_slowly_is_asked_slowly_until_it_recovers() {
    let sim = Sim::new().await;
    // The pages asked for here, and the usual places of feeds.
    let settings = SiteSettings { max_pages: 200, ..sim.store.site(&site()).await.unwrap().unwrap() };
    sim.store.put_site(&site(), &settings).await.unwrap();
    let fast = delays(&sim, "fast", 100).await;
    assert!(fast.iter().all(|delay| *delay <= 1_100), "{fast:?}");
    let slow = delays(&sim, "slow", 4_000).await;
    assert!(slow.iter().all(|delay| (6_000..=12_000).contains(delay)), "near three answers: {slow:?}");
    let again = delays(&sim, "again", 100).await;
    assert!(again.iter().all(|delay| *delay <= 1_100), "{again:?}");
}
