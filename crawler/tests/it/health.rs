//! The states of sites on simulated time: a site leads elsewhere, asks for slowness, or no site answers at all.

use newslode_common::message::{GonePage, envelope};
use newslode_common::schedule::{Class, Health, ListingKind, PageSchedule, Role, SiteSchedule};
use newslode_common::store::{Frontier, Why};
use newslode_page::reading::Site;

use crate::sim::*;

/// Other sites beside `a.test`.
const OTHERS: [&str; 4] = ["b.test", "c.test", "d.test", "e.test"];

async fn health(sim: &Sim) -> Health {
    sim.site_schedule().await.health(sim.clock.now())
}

#[tokio::test]
async fn a_site_whose_front_page_leads_to_another_site_is_redirected_after_a_day_and_until_it_is_back() {
    let sim = Sim::new().await;
    sim.run(HOUR).await;
    sim.set_answer(FRONT, 301, &[("location", "http://other.test/")], "");
    sim.set_answer("http://other.test/", 200, &[], page("Another paper", &[]));
    sim.run(20 * HOUR).await;
    assert_eq!(health(&sim).await, Health::Healthy, "it may be for a moment");
    sim.run(3 * DAY).await;
    assert_eq!(health(&sim).await, Health::Redirected);
    let site = sim.site_schedule().await.redirected().map(|elsewhere| elsewhere.site.clone());
    assert_eq!(site, Some(Site::of_host("other.test")));
    sim.set_answer(FRONT, 200, &[], page("Front", &[]));
    sim.run(12 * DAY).await;
    assert_eq!(health(&sim).await, Health::Healthy);
}

#[tokio::test]
async fn a_redirect_within_the_site_is_none_to_another_site() {
    let sim = Sim::new().await;
    sim.set_answer(FRONT, 302, &[("location", "http://www.a.test/en/")], "");
    sim.set_answer("http://www.a.test/en/", 200, &[], page("Front", &[]));
    sim.run(3 * DAY).await;
    assert_eq!((health(&sim).await, sim.site_schedule().await.redirected()), (Health::Healthy, None));
}

#[tokio::test]
async fn a_site_that_asks_to_come_back_later_asks_for_slowness_and_one_that_refuses_blocks() {
    let states: [(u16, Headers, Health); 4] = [
        (429, &[], Health::RateLimited),
        (503, &[("retry-after", "600")], Health::RateLimited),
        (503, &[], Health::Failing),
        (403, &[], Health::Blocked),
    ];
    for (status, headers, expected) in states {
        let sim = Sim::new().await;
        sim.run(HOUR).await;
        sim.set_answer(FRONT, status, headers, "");
        sim.run(2 * HOUR).await;
        assert_eq!(health(&sim).await, expected, "{status} {headers:?}");
        sim.set_answer(FRONT, 200, &[], page("Front", &[]));
        sim.run(12 * HOUR).await;
        assert_eq!(health(&sim).await, Health::Healthy, "{status} {headers:?}");
    }
}

/// `a.test` with a story that was read, and four other sites.
async fn five_sites() -> Sim {
    let sim = Sim::new().await;
    sim.set_answer(STORY, 200, &[], page("Story", &[]));
    sim.add_story().await;
    for name in OTHERS {
        sim.store.put_site(&Site::of_host(name), &settings()).await.unwrap();
        let front = format!("http://{name}/");
        sim.set_answer(&front, 200, &[], page("Front", &[]));
        sim.add(&front, Why::Seed, Class::Listing, PageSchedule::of(Role::Listing(ListingKind::Front))).await;
    }
    sim.run(60).await;
    sim.judge(|_| true).await;
    sim.run(2 * HOUR).await;
    sim
}

async fn schedules(sim: &Sim) -> Vec<SiteSchedule> {
    let mut found = vec![sim.site_schedule().await];
    for name in OTHERS {
        found.push(sim.store.schedule(&Site::of_host(name)).await.unwrap().0);
    }
    found
}

fn gone(sim: &Sim) -> usize {
    let sent = sim.outbox.pages.lock().unwrap();
    sent.iter().filter(|sealed| envelope::holds::<GonePage>(sealed)).count()
}

#[tokio::test]
async fn a_day_without_a_network_changes_no_site_and_no_article() {
    let sim = five_sites().await;
    let before = schedules(&sim).await;
    let story = sim.entry(STORY).await;
    let answers = std::mem::take(&mut *sim.web.answers.lock().unwrap());
    sim.set_answer("*", 0, &[], "");
    sim.run(DAY).await;
    let outage = sim.network.outage().unwrap();
    assert_eq!(outage.sites, 5);
    assert!((outage.since.0 - START.0) / 1_000 < 3 * HOUR, "{outage:?}");
    let during = schedules(&sim).await;
    for (before, during) in before.iter().zip(&during) {
        assert_eq!(during.health(sim.clock.now()), Health::Healthy);
        let listings = |schedule: &SiteSchedule| schedule.listings().cloned().collect::<Vec<_>>();
        assert_eq!((listings(during), during.yields()), (listings(before), before.yields()));
    }
    let waiting = sim.entry(STORY).await;
    assert_eq!((waiting.content, gone(&sim)), (story.content, 0));
    assert!(waiting.due.is_some(), "it is asked for again");
    // The network is back: each site is asked within minutes.
    sim.web.answers.lock().unwrap().clone_from(&answers);
    sim.run(DAY + 30 * MINUTE).await;
    assert_eq!(sim.network.outage(), None);
    for name in OTHERS {
        let asked = sim.asked(&format!("http://{name}/"));
        let back = asked.iter().find(|at| **at > DAY);
        assert!(back.is_some_and(|at| *at <= DAY + 20 * MINUTE), "{name}: {back:?}");
    }
    sim.run(DAY + 6 * HOUR).await;
    assert!(schedules(&sim).await.iter().all(|site| site.health(sim.clock.now()) == Health::Healthy));
    assert_eq!(gone(&sim), 0);
}

#[tokio::test]
async fn sites_that_fail_while_others_answer_are_blamed_themselves() {
    let sim = five_sites().await;
    for name in &OTHERS[..3] {
        sim.set_answer(&format!("http://{name}/"), 0, &[], "");
    }
    sim.run(8 * HOUR).await;
    let states: Vec<Health> = schedules(&sim).await.iter().map(|site| site.health(sim.clock.now())).collect();
    let failing = states.iter().filter(|state| **state == Health::Failing).count();
    assert_eq!((failing, sim.network.outage()), (3, None), "{states:?}");
}
