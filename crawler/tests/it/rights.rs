//! What sites say of the uses of their pages is kept beside the pages.

use newslode_common::config::Noindex;
use newslode_common::message::{FetchedPage, envelope};
use newslode_common::rights::{Rights, Source, Standing, Use, read_rights};
use newslode_common::store::{Kind, PageArchive as _};
use newslode_crawler::robots::read_origin_rights;
use newslode_crawler::site_files::SiteRecord;
use url::Url;

use crate::sim::*;

const ROBOTS: &str = "http://a.test/robots.txt";

async fn rights(sim: &Sim) -> Rights {
    read_rights(sim.archive.as_ref(), &STORY.parse().unwrap()).await.unwrap()
}

fn standings(rights: &Rights) -> [Standing; 5] {
    Use::ALL.map(|of| rights.standing(of))
}

use Standing::{Allowed, Reserved, Unknown};

#[tokio::test]
async fn robots_headers_and_elements_are_kept_with_their_source() {
    let sim = Sim::new().await;
    let robots = "User-agent: GPTBot\nDisallow: /2026/\n\nUser-agent: *\nContent-Signal: search=yes\n";
    sim.set_answer(ROBOTS, 200, &[("content-type", "text/plain")], robots);
    let story = page("Story", &[]).replace("<title>", "<meta name=tdm-reservation content=1><title>");
    sim.set_answer(STORY, 200, &[("X-Robots-Tag", "noarchive"), ("content-usage", "train-ai=y")], story);
    sim.add_story().await;
    sim.run(60).await;
    let found = rights(&sim).await;
    assert_eq!(standings(&found), [Allowed, Unknown, Reserved, Reserved, Reserved]);
    let sources: Vec<Source> = found.statements().iter().map(|statement| statement.source).collect();
    let wanted = [
        Source::RobotsTag,
        Source::ContentUsage,
        Source::TdmMeta,
        Source::RobotsAgent,
        Source::RobotsContentSignal,
    ];
    let mut sorted = sources.clone();
    sorted.sort();
    let mut wanted_sorted = wanted.to_vec();
    wanted_sorted.sort();
    assert_eq!(sorted, wanted_sorted);
    assert!(found.asks_for_no_copy());
    let agent = found.statements().iter().find(|statement| statement.source == Source::RobotsAgent).unwrap();
    assert_eq!(
        (agent.written.as_str(), agent.scope.as_str()),
        ("User-agent: GPTBot; Disallow: /2026/", "/2026/")
    );
}

#[tokio::test]
async fn a_page_of_which_nobody_says_anything_has_no_record() {
    let sim = Sim::new().await;
    sim.set_answer(STORY, 200, &[], page("Story", &[]));
    sim.add_story().await;
    sim.run(60).await;
    assert_eq!(standings(&rights(&sim).await), [Unknown; 5]);
    let key = newslode_common::rights::rights_key(&STORY.parse().unwrap());
    assert_eq!(sim.archive.get(Kind::Rights, key).await.unwrap(), None);
}

#[tokio::test]
async fn a_new_text_has_new_rights_and_the_same_text_the_stricter_of_both() {
    let sim = Sim::new().await;
    sim.set_answer(STORY, 200, &[("content-signal", "ai-train=no")], page("Story", &[]));
    sim.add_story().await;
    sim.run(60).await;
    sim.judge(|_| true).await;
    assert_eq!(rights(&sim).await.standing(Use::AiTrain), Reserved);
    // The same text again, with a header that allows more.
    sim.set_answer(STORY, 200, &[("content-signal", "ai-train=yes, search=no")], page("Story", &[]));
    for hours in 1..50 {
        sim.run(hours * HOUR).await;
        sim.judge(|_| true).await;
    }
    let found = rights(&sim).await;
    assert_eq!((found.standing(Use::AiTrain), found.standing(Use::Search)), (Reserved, Reserved));
    assert_eq!(found.statements().len(), 2);
    sim.set_answer(STORY, 200, &[("content-signal", "ai-train=yes")], page("Another story of the day", &[]));
    for hours in 50..400 {
        sim.run(hours * HOUR).await;
        sim.judge(|_| true).await;
    }
    assert_eq!(standings(&rights(&sim).await), [Unknown, Unknown, Allowed, Unknown, Unknown]);
}

#[tokio::test]
async fn a_change_of_robots_txt_is_one_line_of_its_record() {
    let sim = Sim::new().await;
    sim.set_answer(ROBOTS, 200, &[], "User-agent: CCBot\nDisallow: /\n");
    sim.add_story().await;
    sim.set_answer(STORY, 200, &[], page("Story", &[]));
    sim.run(60).await;
    sim.set_answer(ROBOTS, 200, &[], "User-agent: GPTBot\nDisallow: /\n");
    sim.run(2 * DAY).await;
    let url = Url::parse(STORY).unwrap();
    let origin = read_origin_rights(sim.archive.as_ref(), &url).await.unwrap();
    let [change] = &origin.changes[..] else { panic!("{:?}", origin.changes) };
    assert_eq!(change.new, ["User-agent: GPTBot; Disallow: /"]);
    assert_eq!(change.gone, ["User-agent: CCBot; Disallow: /"]);
    let today = origin.rules.about(&url, origin.at);
    assert_eq!((today.standing(Use::AiTrain), today.standing(Use::TextMining)), (Reserved, Unknown));
}

#[tokio::test]
async fn noindex_is_only_recorded_where_the_operator_says_so() {
    for (noindex, handed_on) in [(Noindex::Heed, 0), (Noindex::Record, 1)] {
        let sim = Sim::configured(|config| config.noindex = noindex).await;
        sim.set_answer(STORY, 200, &[("x-robots-tag", "noindex")], page("Story", &[]));
        sim.add_story().await;
        sim.run(60).await;
        let messages = sim.outbox.pages.lock().unwrap().clone();
        let of_story = |bytes: &&bytes::Bytes| {
            envelope::open::<FetchedPage>(bytes).is_ok_and(|page| page.url.as_str() == STORY)
        };
        assert_eq!(messages.iter().filter(of_story).count(), handed_on, "{noindex:?}");
        if noindex == Noindex::Record {
            assert_eq!(rights(&sim).await.standing(Use::Search), Reserved);
        }
    }
}

/// The files that were asked for, with the days since the start.
fn asked(sim: &Sim) -> Vec<(u64, String)> {
    let asked = sim.web.asked.lock().unwrap();
    let files = asked.iter().filter(|(_, url, _)| url.ends_with("tdmrep.json") || url.ends_with("ai.txt"));
    files.map(|(at, url, _)| ((at.0 - START.0) / 1_000 / DAY, url.replace("http://a.test", ""))).collect()
}

#[tokio::test]
async fn files_about_rights_are_asked_for_twice_a_day_at_most_where_robots_txt_allows_it() {
    let sim = Sim::configured(|config| config.rights_files = true).await;
    let tdmrep = r#"[{"location":"/2026/","tdm-reservation":1,"tdm-policy":"https://a.test/policy"}]"#;
    sim.set_answer(
        "http://a.test/.well-known/tdmrep.json",
        200,
        &[("content-type", "application/json")],
        tdmrep,
    );
    sim.set_answer("http://a.test/ai.txt", 200, &[], "User-Agent: *\nDisallow: *.jpg\n");
    sim.set_answer(STORY, 200, &[], page("Story", &[]));
    sim.add_story().await;
    sim.run(60).await;
    let found = rights(&sim).await;
    assert_eq!(standings(&found), [Unknown, Unknown, Reserved, Reserved, Unknown]);
    let written: Vec<&str> = found.statements().iter().map(|statement| statement.written.as_str()).collect();
    assert_eq!(written, ["location: /2026/, tdm-reservation: 1, tdm-policy: https://a.test/policy"]);
    sim.run(3 * DAY).await;
    for day in 0..3 {
        let of_day = asked(&sim).into_iter().filter(|(at, _)| *at == day).count();
        assert!((1..=2).contains(&of_day), "{:?}", asked(&sim));
    }

    let sim = Sim::configured(|config| config.rights_files = true).await;
    sim.set_answer(ROBOTS, 200, &[], "User-agent: *\nDisallow: /ai.txt\n");
    sim.set_answer("http://a.test/.well-known/tdmrep.json", 302, &[("location", "/elsewhere")], "");
    sim.set_answer(STORY, 200, &[], page("Story", &[]));
    sim.add_story().await;
    sim.run(60).await;
    assert_eq!(asked(&sim), [(0, "/.well-known/tdmrep.json".to_owned())]);
    assert!(rights(&sim).await.is_empty());
}

#[tokio::test]
async fn a_file_that_is_too_large_says_nothing_and_a_change_is_one_line() {
    let sim = Sim::configured(|config| config.rights_files = true).await;
    let file = "http://a.test/.well-known/tdmrep.json";
    let all = r#"[{"location":"/","tdm-reservation":1}]"#;
    sim.set_answer(file, 200, &[], format!("{all}{}", " ".repeat(1 << 20)));
    sim.set_answer(STORY, 200, &[], page("Story", &[]));
    sim.add_story().await;
    sim.run(60).await;
    assert_eq!(standings(&rights(&sim).await), [Unknown; 5]);
    sim.set_answer(file, 200, &[], all);
    sim.run(2 * DAY).await;
    let site = STORY.parse::<newslode_page::reading::CanonicalUrl>().unwrap().site();
    let record = SiteRecord::read(sim.archive.as_ref(), &site).await.unwrap();
    let [(of, change)] = record.changes() else { panic!("{:?}", record.changes()) };
    assert_eq!((of.as_str(), &*change.new), (file, &["location: /, tdm-reservation: 1".to_owned()][..]));
}
