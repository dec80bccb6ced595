//! What the miner hears of pages that are gone, forbidden or elsewhere, and of those that are as they were.

use std::io::Write as _;

use bytes::Bytes;
use newslode_common::message::{Ending, GonePage, envelope};
use newslode_common::outcome::Outcome;
use newslode_common::schedule::{Class, Health, PageSchedule, ScheduleConfig, Vanished};
use newslode_common::store::{Frontier, Note, Why};

use crate::sim::*;

/// The pages that the miner was told are gone, and how often pages were handed on.
fn handed(sim: &Sim) -> (Vec<Ending>, usize) {
    let outbox = sim.outbox.pages.lock().unwrap();
    let (gone, pages): (Vec<&Bytes>, _) = outbox.iter().partition(|bytes| envelope::holds::<GonePage>(bytes));
    let ending = |bytes: &&Bytes| envelope::open::<GonePage>(bytes).unwrap().ending;
    (gone.iter().map(ending).collect(), pages.len())
}

#[tokio::test]
async fn the_miner_is_told_once_that_an_article_is_gone_and_gets_it_again_when_it_returns() {
    let sim = Sim::new().await;
    sim.set_answer(STORY, 200, &[], page("Story", &[]));
    sim.add_story().await;
    sim.run(60).await;
    let (_, before) = handed(&sim);
    sim.set_answer(STORY, 404, &[], "");
    sim.run(DAY + HOUR).await;
    assert_eq!(handed(&sim).0, [], "a second visit has to confirm it");
    assert_eq!(sim.entry(STORY).await.outcome, Some(Outcome::Gone));
    sim.run(2 * DAY + HOUR).await;
    assert_eq!(handed(&sim).0, [Ending::NotFound]);
    let known = sim.entry(STORY).await.schedule.unwrap();
    assert!(known.is_gone, "it stays for a day, so that a crash of the miner loses nothing");
    let asked = sim.asked(STORY).len();
    sim.run(4 * DAY).await;
    assert_eq!((sim.asked(STORY).len(), sim.next(STORY).await), (asked, (None, None)), "it has left");
    let (url, now) = (STORY.parse().unwrap(), sim.clock.now());
    assert!(sim.store.left(&url, now).await.unwrap().is_some(), "and is remembered");
    // Somebody sends it again, with the bytes that it had.
    sim.set_answer(STORY, 200, &[], page("Story", &[]));
    sim.add(STORY, Why::Link, Class::New, known).await;
    sim.run(4 * DAY + HOUR).await;
    assert_eq!(handed(&sim), (vec![Ending::NotFound], before + 1));
    assert!(!sim.entry(STORY).await.schedule.unwrap().is_gone);
}

#[tokio::test]
async fn moved_and_newly_forbidden_articles_end_once_a_second_visit_confirms_it() {
    for (answers, ending) in [
        ((STORY, 301), Ending::Moved("http://a.test/2026/elsewhere".parse().unwrap())),
        (("http://a.test/robots.txt", 200), Ending::Disallowed),
    ] {
        let sim = Sim::new().await;
        sim.set_answer(STORY, 200, &[], page("Story", &[]));
        sim.add_story().await;
        sim.run(60).await;
        let location: Headers = &[("location", "/2026/elsewhere")];
        sim.set_answer(answers.0, answers.1, location, "User-agent: *\nDisallow: /2026/");
        sim.run(DAY + HOUR).await;
        assert_eq!(handed(&sim).0, [], "one answer teaches little");
        sim.run(4 * DAY).await;
        assert_eq!(handed(&sim).0, [ending]);
    }
}

#[tokio::test]
async fn no_article_ends_because_all_redirect_for_half_an_hour() {
    let story = |n: usize| format!("http://a.test/2026/a-long-way-home-{n}");
    // A maintenance page, a login on another site, the front page, another story; with a cookie; for good and for a while.
    let targets: [(u16, Headers); 5] = [
        (302, &[("location", "/maintenance")]),
        (301, &[("location", "https://login.test/?back=1"), ("set-cookie", "a=1")]),
        (301, &[("location", "/")]),
        (302, &[("location", STORY)]),
        (307, &[("location", "/maintenance"), ("set-cookie", "a=1; Path=/")]),
    ];
    for (status, headers) in targets {
        let sim = Sim::with(ScheduleConfig { lead_interval_s: DAY, ..ScheduleConfig::default() }).await;
        for place in [STORY, "http://a.test/maintenance", "https://login.test/?back=1"] {
            sim.set_answer(place, 200, &[], page("We are busy", &[]));
        }
        for n in 0..8 {
            sim.set_answer(&story(n), 200, &[], page(&"story ".repeat(n + 1), &[]));
            sim.add(&story(n), Why::Link, Class::New, PageSchedule::page(None, START)).await;
        }
        sim.run(MINUTE).await;
        (0..8).for_each(|n| sim.set_answer(&story(n), status, headers, ""));
        // They are asked for again a day later, find the site in trouble, and again once that is over.
        sim.run(DAY + 30 * MINUTE).await;
        assert!((0..8).all(|n| sim.asked(&story(n)).len() >= 2), "{headers:?}");
        (0..8).for_each(|n| sim.set_answer(&story(n), 200, &[], page(&"story ".repeat(n + 1), &[])));
        sim.run(5 * DAY).await;
        assert_eq!(handed(&sim).0, [], "{headers:?}");
        for n in 0..8 {
            let outcome = sim.entry(&story(n)).await.outcome;
            assert!(
                matches!(outcome, Some(Outcome::Fetched | Outcome::Unchanged)),
                "{headers:?}: {outcome:?}"
            );
        }
    }
}

/// Words that make pages differ.
const NAMES: [&str; 12] =
    ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];

fn story_of(name: &str) -> String {
    format!("http://a.test/2026/a-long-way-home-of-{name}")
}

/// A site of twelve articles that were read at its start.
async fn with_articles() -> Sim {
    let sim = Sim::with(ScheduleConfig { lead_interval_s: DAY, ..ScheduleConfig::default() }).await;
    show_all(&sim);
    for name in NAMES {
        sim.add(&story_of(name), Why::Link, Class::New, PageSchedule::page(None, START)).await;
    }
    sim.run(MINUTE).await;
    sim.judge(|_| true).await;
    sim
}

fn show_all(sim: &Sim) {
    sim.web.answers.lock().unwrap().remove("http://a.test/robots.txt");
    NAMES
        .iter()
        .for_each(|name| sim.set_answer(&story_of(name), 200, &[], page(&format!("Story {name}"), &[])));
}

/// Ways in which all articles of a site answer something else.
const WAYS: [Vanished; 4] = [Vanished::NotFound, Vanished::Forbidden, Vanished::Moved, Vanished::OtherPage];

fn vanish_all(sim: &Sim, how: Vanished) {
    for name in NAMES {
        let story = story_of(name);
        match how {
            Vanished::NotFound => sim.set_answer(&story, 404, &[], ""),
            Vanished::Forbidden => {
                sim.set_answer("http://a.test/robots.txt", 200, &[], "User-agent: *\nDisallow: /2026/");
            }
            // Each to an address of its own, or it would be a wall.
            Vanished::Moved => sim.set_answer(&story, 301, leaked_location(name), ""),
            Vanished::OtherPage => {
                sim.set_answer(&story, 200, &[], page(&format!("We are busy {name}"), &[]));
            }
        }
    }
}

fn leaked_location(name: &str) -> Headers {
    let location: &'static str = format!("/elsewhere/{name}").leak();
    Vec::from([("location", location)]).leak()
}

#[tokio::test]
async fn articles_that_all_vanish_in_the_same_way_for_days_are_the_trouble_of_their_site() {
    for how in WAYS {
        let sim = with_articles().await;
        let before = handed(&sim).1;
        vanish_all(&sim, how);
        sim.run(3 * DAY).await;
        assert_eq!(handed(&sim), (vec![], before), "{how:?}: nothing is taken out");
        let asked: Vec<usize> = NAMES.iter().map(|name| sim.asked(&story_of(name)).len()).collect();
        assert!(asked.iter().all(|asked| how == Vanished::Forbidden || *asked >= 3), "{how:?}: {asked:?}");
        let site = sim.site_schedule().await;
        assert_eq!(site.mass_vanishing(sim.clock.now()).map(|mass| mass.how), Some(how));
        let health = if how == Vanished::Forbidden { Health::Blocked } else { Health::Failing };
        assert_eq!(site.health(sim.clock.now()), health);
        show_all(&sim);
        sim.run(9 * DAY).await;
        assert_eq!(handed(&sim).0, [], "{how:?}");
        for name in NAMES {
            let outcome = sim.entry(&story_of(name)).await.outcome;
            let is_read = matches!(outcome, Some(Outcome::Fetched | Outcome::Unchanged));
            assert!(is_read, "{how:?}: {name}: {outcome:?}");
        }
        let now = sim.clock.now();
        assert_eq!(sim.site_schedule().await.mass_vanishing(now), None, "{how:?}: it is over");
    }
}

#[tokio::test]
async fn articles_that_stay_away_are_gone_within_five_days_however_many_they_are() {
    for how in WAYS {
        let sim = with_articles().await;
        let before = handed(&sim).1;
        vanish_all(&sim, how);
        sim.run(6 * DAY).await;
        let (mut gone, pages) = handed(&sim);
        if how == Vanished::OtherPage {
            assert!(pages >= before + NAMES.len(), "the miner sees what is there now");
            continue;
        }
        gone.retain(|ending| match how {
            Vanished::NotFound => *ending == Ending::NotFound,
            Vanished::Forbidden => *ending == Ending::Disallowed,
            Vanished::Moved | Vanished::OtherPage => matches!(ending, Ending::Moved(_)),
        });
        assert_eq!(gone.len(), NAMES.len(), "{how:?}");
    }
}

#[tokio::test]
async fn trouble_at_the_same_hour_of_each_day_takes_no_article_out() {
    let sim = with_articles().await;
    for day in 0..6 {
        vanish_all(&sim, Vanished::NotFound);
        sim.run(day * DAY + 5 * HOUR).await;
        show_all(&sim);
        sim.run((day + 1) * DAY).await;
        assert_eq!(handed(&sim).0, [], "day {day}");
    }
    let first = sim.asked(&story_of(NAMES[0]));
    assert!(first.iter().any(|at| *at > DAY && at % DAY < 5 * HOUR), "it met the trouble again: {first:?}");
}

#[tokio::test]
async fn what_is_gone_among_articles_that_stand_is_gone_a_day_later() {
    let sim = with_articles().await;
    // Five of twelve, and the others stay.
    let gone = NAMES.iter().take(5);
    gone.clone().for_each(|name| sim.set_answer(&story_of(name), 404, &[], ""));
    sim.run(DAY + 2 * HOUR).await;
    assert_eq!(handed(&sim).0, vec![Ending::NotFound; gone.count()]);
    assert_eq!(sim.site_schedule().await.health(sim.clock.now()), Health::Healthy);
}

#[tokio::test]
async fn an_article_that_turns_noindex_ends() {
    let sim = Sim::new().await;
    sim.set_answer(STORY, 200, &[], page("Story", &[]));
    sim.add_story().await;
    sim.run(60).await;
    let before = handed(&sim).1;
    sim.set_answer(STORY, 200, &[("x-robots-tag", "noindex")], page("Another story", &[]));
    sim.run(2 * DAY).await;
    assert_eq!(handed(&sim), (vec![Ending::Noindex], before));
}

/// A site whose story was read, and told to be an article.
async fn with_article() -> Sim {
    let sim = Sim::with(ScheduleConfig { lead_interval_s: DAY, ..ScheduleConfig::default() }).await;
    sim.set_answer(STORY, 200, &[], page("Story", &[]));
    sim.add_story().await;
    sim.run(60).await;
    let entry = sim.entry(STORY).await;
    let mut known = entry.schedule.unwrap();
    let next = known.told(Some(5), sim.clock.now(), &ScheduleConfig::default()).next;
    let note = Note { url: entry.url, fetch: entry.fetch, at: sim.clock.now(), next, schedule: known };
    assert!(sim.store.note(&note).await.unwrap());
    sim
}

#[tokio::test]
async fn an_unchanged_article_is_published_again_so_that_it_counts_as_live() {
    let sim = with_article().await;
    let before = handed(&sim).1;
    sim.run(6 * DAY).await;
    assert_eq!(handed(&sim).1, before, "it is as it was");
    let visits = sim.asked(STORY).len();
    sim.run(30 * DAY).await;
    assert!(visits > 4 && handed(&sim).1 > before, "{visits} visits");
}

#[tokio::test]
async fn part_of_an_article_never_replaces_the_whole_one() {
    let packed = |text: &str| {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        packer.write_all(page(text, &[]).as_bytes()).unwrap();
        packer.finish().unwrap()
    };
    let gzip: Headers = &[("content-encoding", "gzip")];
    let sim = Sim::with(ScheduleConfig { lead_interval_s: DAY, ..ScheduleConfig::default() }).await;
    sim.set_answer(STORY, 200, gzip, packed("Story"));
    sim.add_story().await;
    sim.run(60).await;
    let before = handed(&sim).1;
    let whole = packed(&"The same story with other words. ".repeat(50));
    sim.set_answer(STORY, 200, gzip, &whole[..whole.len() - 12]);
    sim.run(DAY + HOUR).await;
    assert_eq!(handed(&sim), (vec![], before), "what came of it is not handed on");
    assert_eq!(sim.next(STORY).await, (Some(Outcome::Unreachable), Some(HOUR)), "after 15 and 30 minutes");
    sim.set_answer(STORY, 200, gzip, whole);
    sim.run(DAY + 3 * HOUR).await;
    assert_eq!(handed(&sim), (vec![], before + 1));
}

#[tokio::test]
async fn an_article_whose_address_shows_none_is_asked_for_again_before_that_is_believed() {
    let sim = with_article().await;
    let (before, visits) = (handed(&sim).1, sim.asked(STORY).len());
    // A page of the site's that is there for some hours.
    sim.set_answer(STORY, 200, &[], page("We are busy", &[]));
    sim.run(20 * HOUR).await;
    assert_eq!((handed(&sim).1, sim.asked(STORY).len()), (before, visits + 1), "it is not handed on");
    sim.set_answer(STORY, 200, &[], page("Story", &[]));
    sim.run(2 * DAY).await;
    assert_eq!(handed(&sim).1, before, "the story is as it was");
    // One that stays.
    sim.set_answer(STORY, 200, &[], page("Nothing here any more", &[]));
    sim.run(20 * DAY).await;
    // Nobody tells the crawler what it is, so it is handed on at each visit from then on.
    assert!(handed(&sim).1 > before);
}

#[tokio::test]
async fn stories_behind_a_wall_are_asked_for_again_soon_and_none_ends() {
    let sim = Sim::with(ScheduleConfig { lead_interval_s: DAY, ..ScheduleConfig::default() }).await;
    let story = |n: usize| format!("http://a.test/2026/a-long-way-home-{n}");
    let wall = page("We value your privacy and ask you to agree 7f3", &[]);
    let show = |n: usize| sim.set_answer(&story(n), 200, &[], page(&"long ".repeat(n + 1), &[]));
    // Six stories are known; six are new while the wall stands.
    for n in 0..6 {
        show(n);
        sim.add(&story(n), Why::Link, Class::New, PageSchedule::page(None, START)).await;
    }
    sim.run(MINUTE).await;
    (0..12).for_each(|n| sim.set_answer(&story(n), 200, &[], wall.replace("7f3", &format!("{n}f"))));
    for n in 6..12 {
        sim.add(&story(n), Why::Link, Class::New, PageSchedule::page(Some(id(FRONT)), sim.clock.now())).await;
    }
    sim.run(2 * DAY).await;
    let mut asked: Vec<usize> = (6..12).map(|n| sim.asked(&story(n)).len()).collect();
    asked.sort_unstable();
    assert!(
        asked[2..].iter().all(|asked| (6..=10).contains(asked)),
        "the first two teach what it is: {asked:?}"
    );
    (0..12).for_each(show);
    sim.run(5 * DAY).await;
    assert_eq!(handed(&sim).0, []);
    for n in 0..12 {
        let outcome = sim.entry(&story(n)).await.outcome;
        assert!(matches!(outcome, Some(Outcome::Fetched | Outcome::Unchanged)), "{n}: {outcome:?}");
    }
}

/// Runs until a time, with a new process each ten minutes, as `mine` from cron.
async fn run_from_cron(sim: &mut Sim, from: u64, until: u64) {
    let mut now = from;
    while now < until {
        now = until.min(now + 10 * MINUTE);
        sim.run(now).await;
        sim.restart();
    }
}

#[tokio::test]
async fn new_stories_of_a_site_that_redirects_for_hours_are_read_later_though_each_process_sees_only_one() {
    let mut sim = Sim::with(ScheduleConfig { lead_interval_s: DAY, ..ScheduleConfig::default() }).await;
    let story = |n: u64| format!("http://a.test/2026/a-long-way-home-{n}");
    sim.set_answer("http://a.test/maintenance", 200, &[], page("We are busy", &[]));
    sim.run(MINUTE).await;
    // A new story each half hour, and each leads to the same place for three hours.
    for n in 0..6 {
        sim.set_answer(&story(n), 302, &[("location", "/maintenance")], "");
        sim.add(&story(n), Why::Link, Class::New, PageSchedule::page(Some(id(FRONT)), sim.clock.now())).await;
        run_from_cron(&mut sim, n * 30 * MINUTE + MINUTE, (n + 1) * 30 * MINUTE + MINUTE).await;
    }
    (0..6).for_each(|n| {
        sim.set_answer(&story(n), 200, &[], page(&format!("Story {}", NAMES[n as usize]), &[]))
    });
    run_from_cron(&mut sim, 3 * HOUR + MINUTE, 12 * HOUR).await;
    for n in 0..6 {
        let entry = sim.store.entry(&story(n).parse().unwrap()).await.unwrap();
        assert_eq!(
            entry.and_then(|entry| entry.outcome),
            Some(Outcome::Fetched),
            "{n}: {:?}",
            sim.asked(&story(n))
        );
        assert!(sim.asked(&story(n)).len() < 12, "{n}: {:?}", sim.asked(&story(n)));
    }
}

#[tokio::test]
async fn new_stories_behind_a_login_whose_address_holds_the_way_back_are_read_once_it_is_gone() {
    let sim = Sim::with(ScheduleConfig { lead_interval_s: DAY, ..ScheduleConfig::default() }).await;
    let login = |name: &str| format!("http://a.test/login/2026/a-long-way-home-of-{name}");
    for name in NAMES {
        sim.set_answer(&login(name), 200, &[], page("Sign in to go on", &[]));
        let location: &'static str = login(name).leak();
        let to_login: Headers = vec![("location", location)].leak();
        sim.set_answer(&story_of(name), 302, to_login, "");
        sim.add(&story_of(name), Why::Link, Class::New, PageSchedule::page(Some(id(FRONT)), START)).await;
    }
    sim.run(5 * HOUR).await;
    sim.judge(|url| !url.as_str().contains("/login/")).await;
    show_all(&sim);
    NAMES.iter().for_each(|name| sim.set_answer(&login(name), 302, &[("location", "/")], ""));
    sim.run(DAY).await;
    for name in NAMES {
        let asked = sim.asked(&story_of(name));
        assert_eq!(sim.entry(&story_of(name)).await.outcome, Some(Outcome::Fetched), "{name}: {asked:?}");
        assert!(asked.len() < 12, "{name}: {asked:?}");
    }
}

#[tokio::test]
async fn a_story_that_redirects_for_a_while_is_asked_for_once_more_if_it_is_read_where_it_leads() {
    let sim = Sim::with(ScheduleConfig { lead_interval_s: DAY, ..ScheduleConfig::default() }).await;
    sim.set_answer(STORY, 302, &[("location", "/2026/the-way-home-in-full")], "");
    sim.set_answer("http://a.test/2026/the-way-home-in-full", 200, &[], page("Story one", &[]));
    sim.add(STORY, Why::Link, Class::New, PageSchedule::page(Some(id(FRONT)), START)).await;
    sim.run(HOUR / 2).await;
    sim.judge(|_| true).await;
    sim.run(5 * DAY).await;
    assert_eq!(sim.asked(STORY).len(), 2, "{:?}", sim.asked(STORY));
}

#[tokio::test]
async fn a_wall_is_known_though_each_process_sees_only_one_story_behind_it() {
    let mut sim = Sim::with(ScheduleConfig { lead_interval_s: DAY, ..ScheduleConfig::default() }).await;
    let story = |n: u64| format!("http://a.test/2026/a-long-way-home-{n}");
    sim.run(MINUTE).await;
    for n in 0..6 {
        let wall = page("We value your privacy and ask you to agree 7f3", &[]);
        sim.set_answer(&story(n), 200, &[], wall.replace("7f3", &format!("{n}f")));
        sim.add(&story(n), Why::Link, Class::New, PageSchedule::page(Some(id(FRONT)), sim.clock.now())).await;
        run_from_cron(&mut sim, n * 12 * MINUTE + MINUTE, (n + 1) * 12 * MINUTE + MINUTE).await;
    }
    for n in 2..6 {
        assert_eq!(
            sim.entry(&story(n)).await.outcome,
            Some(Outcome::Empty),
            "{n}: the first two teach what it is"
        );
    }
    assert_eq!(handed(&sim).1, 2 + sim.asked(FRONT).len().min(1), "it is not handed on again");
    (0..6).for_each(|n| {
        sim.set_answer(&story(n), 200, &[], page(&format!("Story {}", NAMES[n as usize]), &[]))
    });
    run_from_cron(&mut sim, 73 * MINUTE, 8 * HOUR).await;
    for n in 2..6 {
        assert_eq!(sim.entry(&story(n)).await.outcome, Some(Outcome::Fetched), "{n}");
        assert!(sim.asked(&story(n)).len() < 9, "{n}: {:?}", sim.asked(&story(n)));
    }
}
