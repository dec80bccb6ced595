//! A day of a small living world, through `watch`'s engine: undisturbed, with the machine's clock set wrong for hours, and with
//! hours of sleep.

use std::collections::BTreeSet;
use std::time::Duration;

use newslode_common::time::Clock;
use newslode_page::Timestamp;
use serde_json::Value;

use super::*;

const SPEC: EndureSpec = EndureSpec { world: SMALL, rest_days: 0, kill_every_h: 6 };

/// What happened on the day.
struct Day {
    world: std::sync::Arc<LivingWorld>,
    /// For each hour of the day: the requests to each site until then, and the steps of the clock.
    hours: Vec<(Vec<u64>, usize)>,
    articles: BTreeSet<String>,
    /// The events in the order of their file: article, number, time of its fetch.
    events: Vec<(String, u64, String)>,
}

impl Day {
    /// Requests to each site in these hours.
    fn requests(&self, hours: std::ops::Range<usize>) -> Vec<u64> {
        let (before, after) = (&self.hours[hours.start].0, &self.hours[hours.end].0);
        before.iter().zip(after).map(|(before, after)| after - before).collect()
    }

    fn steps(&self, hours: std::ops::Range<usize>) -> usize {
        self.hours[hours.end].1 - self.hours[hours.start].1
    }

    /// Whether the events of each article come in their order, and none before the day or after it.
    #[track_caller]
    fn is_told_in_order(&self) {
        let mut versions = std::collections::BTreeMap::new();
        let day = [self.world.start(), self.world.end()].map(|at| newslode_common::time::iso(Timestamp(at)));
        for event in &self.events {
            let (url, version, at) = event;
            let before = versions.insert(url, version);
            assert!(before.is_none_or(|before| before < version), "{event:?} after {before:?}");
            assert!(day[0] <= *at && *at <= day[1], "{event:?}");
        }
        assert!(self.events.len() >= self.articles.len() / 2, "{} events", self.events.len());
    }

    /// The sites that were asked sooner than their delay allows.
    fn hurried(&self) -> Vec<&str> {
        let is_hurried = |site: &&newslode_newsworld::living::LivingSite| {
            let log = self.world.requests_to(site.number);
            log.smallest_gap_ms.is_some_and(|gap| gap < site.delay_ms)
        };
        self.world.sites().iter().filter(is_hurried).map(|site| site.host.as_str()).collect()
    }
}

/// Follows the world for a day. `disturb` may turn both clocks at the beginning of each hour of the network's time.
async fn day(mut disturb: impl FnMut(usize, &Clock, &Clock) + Send) -> Day {
    let folder = tempfile::tempdir().unwrap();
    let start = LivingWorld::generate(&SPEC.world).start();
    let true_clock = Clock::standing(Timestamp(start));
    let (mut hours, mut steps) = (Vec::new(), 0);
    let at_step = |clock: &Clock, world: &LivingWorld| {
        steps += 1;
        while (true_clock.now().0 - start) / HOUR_MS >= hours.len() as u64 {
            let asked = world.sites().iter().map(|site| world.requests_to(site.number).requests).collect();
            hours.push((asked, steps));
            disturb(hours.len() - 1, clock, &true_clock);
        }
    };
    let life = Life { at_step: Box::new(at_step), network_clock: Some(true_clock.clone()) };
    let world = live(&SPEC, folder.path(), life).await.unwrap();
    let events = std::fs::read_to_string(folder.path().join("events.jsonl")).unwrap();
    let told = |line: &str| {
        let event: Value = serde_json::from_str(line).unwrap();
        let text = |name: &str| event[name].as_str().map(str::to_owned);
        // Changes of the taxonomy have no URL.
        Some((text("url")?, event["version"].as_u64()?, text("fetched_at")?))
    };
    let events = events.lines().filter_map(told).collect();
    let held = Held::after_rest(folder.path(), SPEC.end(&world), &world).await.unwrap();
    Day { world, hours, articles: held.articles.into_keys().collect(), events }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_clock_that_is_set_wrong_and_a_sleep_cost_no_article_and_hurry_no_site() {
    let usual = day(|_, _, _| {}).await;
    assert!(usual.articles.len() > 10, "{}", usual.articles.len());
    assert_eq!(usual.hurried(), [""; 0]);
    usual.is_told_in_order();

    // 1. At eight the clock is set back a day, and at fourteen it is put right.
    let turned = day(|hour, clock, true_clock| match hour {
        8 => clock.turn(Timestamp(true_clock.now().0 - 24 * HOUR_MS)),
        14 => clock.turn(true_clock.now()),
        _ => {}
    })
    .await;
    assert_eq!(turned.articles, usual.articles);
    assert_eq!(turned.hurried(), [""; 0]);
    let (before, now) = (usual.requests(8..14), turned.requests(8..14));
    assert!(before.iter().zip(&now).all(|(before, now)| *now * 2 >= *before), "{before:?} {now:?}");
    assert!(turned.steps(8..20) <= usual.steps(8..20) * 3 / 2, "the engine is busy with nothing");
    turned.is_told_in_order();

    // 2. At eight the machine sleeps for eight hours.
    let slept = day(|hour, clock, true_clock| {
        if hour == 8 {
            let eight_hours = Duration::from_secs(8 * 3_600);
            clock.turn(clock.now().plus(eight_hours));
            true_clock.set(true_clock.now().plus(eight_hours));
        }
    })
    .await;
    assert_eq!(slept.requests(9..16), [0; 3]);
    assert_eq!(slept.hurried(), [""; 0]);
    let first_hour = slept.requests(16..17);
    assert!(first_hour.iter().all(|requests| *requests > 0), "{first_hour:?}");
    let missed = usual.articles.difference(&slept.articles).count();
    assert!(missed * 20 <= usual.articles.len(), "{missed} of {}", usual.articles.len());
    slept.is_told_in_order();
}
