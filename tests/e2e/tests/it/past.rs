//! `newslode mine --since`: the past of a site that has two years of it, read once and at little cost.

use std::collections::BTreeMap;
use std::time::Duration;

use newslode_newsworld::archived::{ArchivedSite, FIRST_DAY, Lists};
use serde_json::Value;

use crate::lab::Lab;

/// 2022-07-01 to 2022-09-30.
const QUARTER: (u32, u32) = (FIRST_DAY + 181, FIRST_DAY + 272);

const NOTHING: Lists = Lists { maps: false, months: false, sections: false };

async fn site(lists: Lists) -> (Lab, ArchivedSite) {
    let site = ArchivedSite::new(lists);
    (Lab::serving(site, &[site.seed()]).await, site)
}

fn arguments(lab: &Lab, more: &[&str]) -> Vec<String> {
    let days = ["--since", "2022-07-01", "--until", "2022-09-30", "--max-pages", "4000"];
    let mut arguments = lab.mining_by("news", "run", &["--delay", "5"]);
    arguments.extend(days.iter().chain(more).map(ToString::to_string));
    arguments
}

/// How often each page was asked for.
fn asked(lab: &Lab) -> BTreeMap<String, u64> {
    lab.asked().into_iter().map(|((_, path), count)| (path, count)).collect()
}

/// The articles of the quarter that are in the export, and the requests for each of the quarter's articles.
fn judged(lab: &Lab, site: ArchivedSite) -> (f64, f64) {
    let articles = site.articles(QUARTER.0, QUARTER.1);
    let text = std::fs::read_to_string(lab.path("run").join("articles.jsonl")).unwrap();
    let mined: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let mined: std::collections::BTreeSet<&str> =
        mined.iter().filter_map(|article| article["url"].as_str()).collect();
    let found = articles.iter().filter(|article| mined.contains(article.url().as_str())).count();
    let requests: u64 = asked(lab).values().sum();
    (found as f64 / articles.len() as f64, requests as f64 / found.max(1) as f64)
}

async fn mined(lists: Lists) -> (Lab, ArchivedSite, Value) {
    let (lab, site) = site(lists).await;
    let summary = lab.json(&arguments(&lab, &[])).await;
    let (share, cost) = judged(&lab, site);
    eprintln!(
        "{lists:?}: {share:.4} of the quarter, {cost:.3} requests an article; {}",
        summary["past"]["sites"][0]["sources"]
    );
    assert!(share >= 0.98, "{share} of the quarter: {}", summary["past"]);
    assert!(cost <= 1.3, "{cost} requests an article: {:?}", asked(&lab));
    let past = &summary["past"];
    assert_eq!((&past["since"], &past["until"]), (&"2022-07-01".into(), &"2022-09-30".into()));
    assert_eq!((&past["complete"], past["share"].as_f64()), (&true.into(), Some(1.0)), "{past}");
    let listed: u64 =
        past["sites"][0]["periods"].as_array().unwrap().iter().filter_map(|row| row["listed"].as_u64()).sum();
    assert_eq!(listed, site.articles(QUARTER.0, QUARTER.1).len() as u64, "{past}");
    (lab, site, summary)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_quarter_is_read_from_dated_sitemaps() {
    let (lab, _, _) = mined(Lists { maps: true, months: true, sections: true }).await;
    let twice: Vec<_> =
        asked(&lab).into_iter().filter(|(path, count)| *count > 1 && path.starts_with("/story/")).collect();
    assert!(twice.is_empty(), "{twice:?}");
    // The same command again asks for nothing of the past.
    let before = lab.arrivals().len();
    let again = lab.json(&arguments(&lab, &[])).await;
    assert_eq!(again["past"]["share"].as_f64(), Some(1.0));
    assert!(lab.arrivals().len() - before < 10, "{:?}", lab.arrivals().len() - before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_quarter_is_read_from_archives_of_months() {
    mined(Lists { months: true, ..NOTHING }).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_quarter_is_read_from_sections_and_their_further_pages() {
    mined(Lists { sections: true, ..NOTHING }).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_is_killed_goes_on_without_asking_twice() {
    let (lab, site) = site(Lists { maps: true, ..NOTHING }).await;
    let mut arguments = lab.mining_by("news", "run", &["--delay", "40"]);
    arguments.extend(["--since", "2022-07-01", "--until", "2022-07-31"].map(str::to_owned));
    let mut process = lab.start(&arguments);
    while lab.arrivals().len() < 90 {
        assert!(process.ended().is_none(), "{}", process.tail());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    process.kill();
    process.end(Duration::from_secs(20)).await;
    let summary = lab.json(&arguments).await;
    let articles = site.articles(QUARTER.0, QUARTER.0 + 30).len() as u64;
    let past = &summary["past"];
    assert_eq!((past["listed"].as_u64(), past["read"].as_u64()), (Some(articles), Some(articles)), "{past}");
    assert_eq!(past["sites"][0]["periods"].as_array().unwrap().len(), 31, "by day");
    // Whoever asked for the past, services included, reads the same of its site.
    let name = past["sites"][0]["site"].as_str().unwrap().to_owned();
    let explained = lab
        .json(&[
            "explain".into(),
            name,
            "--dir".into(),
            lab.path("run").display().to_string(),
            "--json".into(),
        ])
        .await;
    assert_eq!(explained["past"]["periods"], past["sites"][0]["periods"]);
    assert_eq!(explained["past"]["since"], "2022-07-01");
    let twice: Vec<_> =
        asked(&lab).into_iter().filter(|(path, count)| *count > 1 && path.starts_with("/story/")).collect();
    // What was under way at the kill is asked for again.
    assert!(twice.len() <= 2 && twice.iter().all(|(_, count)| *count == 2), "{twice:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_spent_budget_is_told_and_a_larger_one_continues() {
    let (lab, site) = site(Lists { maps: true, ..NOTHING }).await;
    let listed = site.articles(QUARTER.0, QUARTER.0 + 30).len();
    let arguments = |most: &str| {
        let mut arguments = lab.mining_by("news", "run", &["--delay", "5", "--max-pages", most]);
        arguments.retain(|argument| argument != "--json");
        arguments.extend(["--since", "2022-07-01", "--until", "2022-07-31"].map(str::to_owned));
        arguments
    };
    let first = lab.ok(&arguments("100")).await;
    assert!(first.contains("the budget of a day is spent") && first.contains("2022-07-31"), "{first}");
    assert!(
        first.contains(&format!("total           {listed} listed")),
        "what was refused is listed: {first}"
    );
    let second = lab.ok(&arguments("1000")).await;
    assert!(
        second.contains(&format!("total           {listed} listed      {listed} read  1.000")),
        "{second}"
    );
    assert!(!second.contains("budget"), "{second}");
}

#[tokio::test(flavor = "multi_thread")]
async fn days_that_make_no_sense_are_refused() {
    let (lab, _) = site(NOTHING).await;
    for (days, why) in [
        (&["--since", "2022-07-02", "--until", "2022-07-01"][..], "`--since` is after `--until`"),
        (&["--since", "2999-01-01"], "`--since` is in the future"),
        (&["--until", "2022-07-01"], "where the past begins"),
        (&["--since", "2022-07-01", "--follow", "all"], "whose news is followed"),
    ] {
        let mut arguments = lab.mining_by("news", "run", &[]);
        if days.contains(&"--follow") {
            arguments.retain(|argument| !matches!(argument.as_str(), "--follow" | "news"));
        }
        arguments.extend(days.iter().map(ToString::to_string));
        let ended = lab.run(&arguments).await;
        assert!(ended.code == Some(1) && ended.err.contains(why), "{days:?}: {}", ended.err);
    }
    assert_eq!(lab.arrivals().len(), 0);
}
