//! Accuracy does not fall: what crawls of the synthetic world come to, held against `tests/newsworld/floors.txt`.
//!
//! Each crawl is judged once, by all measures. A last crawl is damaged: all heads lie and all pages are cut short; each
//! floor must lie above what that one comes to, or it would guard nothing.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use newslode_newsworld::floors::{fallen, floors, standing};
use newslode_newsworld::{Content, Era, Language, Reply, World, WorldSpec};
use serde_json::Value;

use crate::lab::Lab;
use crate::services::{Installation, Servers};

/// Three sites of each of five languages, of all eras.
const WIDE: &[&str] = &["--seed", "5", "--sites", "15", "--stories", "1", "--languages", "en,de,fr,ar,zh"];
/// Three English and three Portuguese sites.
const NARROW: &[&str] = &["--seed", "6", "--sites", "6", "--stories", "1", "--languages", "en,pt"];
/// One site with many stories.
const DEEP: &[&str] = &["--seed", "8", "--sites", "1", "--stories", "12", "--languages", "de"];

/// The world that arguments of `newslode eval world` name.
fn world(arguments: &[&str]) -> World {
    let mut spec = WorldSpec::default();
    for pair in arguments.chunks(2) {
        let number = || pair[1].parse::<usize>().unwrap();
        match pair[0] {
            "--seed" => spec.seed = number() as u64,
            "--sites" => spec.sites = number(),
            "--stories" => spec.articles_per_section = number(),
            "--languages" => {
                spec.languages = pair[1].split(',').map(|code| Language::named(code).unwrap()).collect();
            }
            other => panic!("`{other}` is no part of a world"),
        }
    }
    World::generate(&spec)
}

fn figures(value: &Value) -> BTreeMap<String, f64> {
    serde_json::from_value(value.clone()).unwrap()
}

/// Fails naming what fell, from what to what, and the commands that show it.
#[track_caller]
fn hold(crawl: &str, figures: &BTreeMap<String, f64>, see: &str) {
    for (name, value) in figures {
        eprintln!("{crawl:12} {name:24} {value:.3}");
    }
    let wrong = fallen(crawl, figures);
    assert!(wrong.is_empty(), "{crawl}:\n  {}\nsee it by: {see}", wrong.join("\n  "));
}

/// Mines a world into a run and judges it.
async fn mined(lab: &Lab, of: &[&str], run: &str, more: &[&str]) -> BTreeMap<String, f64> {
    let summary = lab.json(&lab.mining(run, more)).await;
    assert_eq!(summary["complete"], true, "{summary}");
    judged(lab, of, run).await
}

async fn judged(lab: &Lab, of: &[&str], run: &str) -> BTreeMap<String, f64> {
    let folder = lab.path(run);
    let mut arguments = vec!["eval", "world", "--json"];
    arguments.extend(of);
    arguments.push(folder.to_str().unwrap());
    figures(&lab.json(&arguments).await)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_demo_is_as_right_as_it_was() {
    let lab = Lab::of(world(DEEP)).await;
    let folder = lab.path("demo");
    let shown = lab.json(&["--quiet", "demo", "--json", "--out", folder.to_str().unwrap()]).await;
    hold("demo", &figures(&shown["figures"]), "newslode demo --json");
}

#[tokio::test(flavor = "multi_thread")]
async fn worlds_that_are_followed_whole_are_as_right_as_they_were() {
    let lab = Lab::of(world(WIDE)).await;
    let found = mined(&lab, WIDE, "wide", &[]).await;
    hold("all", &found, "newslode-newsworld serve, newslode mine --follow all, newslode eval world");

    // The same sums, folded by a support that no concept has.
    let strict = mined(&lab, WIDE, "wide", &["--support", "9"]).await;
    let unmoved = standing("all", &["concepts.recall", "is_a.recall", "filed.recall"], &strict);
    assert!(unmoved.is_empty(), "a support of 9:\n  {}", unmoved.join("\n  "));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_services_are_as_right_as_they_were() {
    let lab = Lab::of(world(NARROW)).await;
    let servers = Servers::start().await;
    for (crawl, follow) in [("served", "concepts"), ("served-all", "all")] {
        let mut services = Installation::following(follow, &lab, &servers, crawl, 0);
        services.start_all();
        services.ready().await;
        services.seed().await;
        // Longer than a fold and a look at the views take.
        services.rests(Duration::from_secs(6)).await;
        let mut arguments = vec!["eval", "world", "--json"];
        arguments.extend(NARROW);
        let found = figures(&lab.json(&services.asking(&arguments)).await);
        services.stop().await;
        hold(crawl, &found, "the services over newslode-newsworld serve, newslode eval world");
    }
}

/// Another layout from some moment on.
struct Redesigned {
    before: World,
    after: World,
    is_after: Arc<AtomicBool>,
    /// Whether the new layout is another one on every page.
    is_ragged: bool,
}

impl Content for Redesigned {
    fn respond(&self, host: &str, path: &str) -> Reply {
        if !self.is_after.load(Ordering::Relaxed) {
            return self.before.respond(host, path);
        }
        let mut reply = self.after.respond(host, path);
        if self.is_ragged && reply.status == 200 {
            reply.body = ragged(path, &reply.body);
        }
        reply
    }
}

/// The page within boxes of a number and kind of its own.
fn ragged(path: &str, page: &[u8]) -> Vec<u8> {
    let mut seed = path.bytes().fold(7_u32, |sum, byte| sum.wrapping_mul(31).wrapping_add(u32::from(byte)));
    let tags = ["div", "section", "center", "blockquote", "fieldset", "article"];
    let mut boxes = String::from("<body>");
    for _ in 0..12 {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        boxes.push_str(&format!("<{0}><p>.</p></{0}><{0}>", tags[(seed >> 24) as usize % tags.len()]));
    }
    let text = String::from_utf8_lossy(page);
    let begin = text.find("<body").unwrap_or(0);
    let inner = text[begin..].find('>').map_or(begin, |at| begin + at + 1);
    format!("{}{boxes}{}", &text[..begin], &text[inner..]).into_bytes()
}

/// Figures of a site that got another layout when its first pages were mined: how its articles are read, and by what.
async fn redesigned(is_ragged: bool) -> BTreeMap<String, f64> {
    let [mut before, mut after] = [world(DEEP), world(DEEP)];
    for host in before.hosts() {
        assert!(before.redesign(&host, Era::Semantic) && after.redesign(&host, Era::Blog));
    }
    let (seeds, is_after) = (before.seeds(), Arc::new(AtomicBool::new(false)));
    let content = Redesigned { before, after, is_after: is_after.clone(), is_ragged };
    let lab = Lab::serving(content, &seeds).await;
    let first = articles(&lab, &["--max-pages", "60"]).await;
    is_after.store(true, Ordering::Relaxed);
    let all = articles(&lab, &["--max-pages", "1000"]).await;
    let mut found = judged(&lab, DEEP, "deep").await;
    found.retain(|name, _| ["body.f1", "title", "day"].contains(&name.as_str()));
    let share = |is_old: bool| {
        let of: Vec<bool> = all
            .iter()
            .filter(|(url, _)| first.contains_key(*url) == is_old)
            .map(|(_, witness)| witness.starts_with("template "))
            .collect();
        assert!(of.len() > 20, "{is_old}: {}", of.len());
        of.iter().filter(|is_read| **is_read).count() as f64 / of.len() as f64
    };
    found.extend([("templates.before".into(), share(true)), ("templates.after".into(), share(false))]);
    found
}

/// Mines a little further; URL and witness of the body of every article.
async fn articles(lab: &Lab, more: &[&str]) -> BTreeMap<String, String> {
    lab.ok(&lab.mining("deep", more)).await;
    let lines = std::fs::read_to_string(lab.path("deep").join("articles.jsonl")).unwrap();
    let article = |line: &str| {
        let article: Value = serde_json::from_str(line).unwrap();
        let witness = article["evidence"]["body"]["witness"].as_str().unwrap_or_default();
        (article["url"].as_str().unwrap().to_owned(), witness.to_owned())
    };
    lines.lines().map(article).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_layout_is_read_as_well_as_it_was() {
    hold("redesign", &redesigned(false).await, "newslode mine in two parts, newslode template show");
    let unmoved = standing("redesign", &["templates.after"], &redesigned(true).await);
    assert!(unmoved.is_empty(), "a layout of its own on every page:\n  {}", unmoved.join("\n  "));
}

/// A world whose pages all say the same in their heads, and break off.
struct Damaged(World);

const LIES: &str = "<meta property=\"og:type\" content=\"article\"><meta property=\"og:title\" content=\"Welcome\">\
    <meta property=\"article:published_time\" content=\"1999-01-01T00:00:00Z\">\
    <meta property=\"article:modified_time\" content=\"1999-01-02T00:00:00Z\">\
    <meta property=\"article:author\" content=\"Webmaster\"><meta property=\"article:section\" content=\"Start\">\
    <meta property=\"og:image\" content=\"http://example.test/logo.png\">";

impl Content for Damaged {
    fn respond(&self, host: &str, path: &str) -> Reply {
        let Some(page) = self.0.marked(&format!("http://{host}{path}")) else {
            return self.0.respond(host, path);
        };
        let html = newslode_newsworld::marks::number(&page.html).1;
        let html = html.replace(" lang=\"", " lang=\"eo\" title=\"").replace(" — ", ": ");
        let lower = html.to_ascii_lowercase();
        let (from, to) = (lower.find("<head>").unwrap(), lower.find("</head>").unwrap());
        let mut body = html.as_bytes()[to..].to_vec();
        body.truncate(body.len() * 2 / 3);
        let page = [&html.as_bytes()[..from], b"<head>", LIES.as_bytes(), &body].concat();
        Reply::ok("text/html; charset=utf-8", page)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_floor_of_a_crawl_lies_above_a_damaged_one() {
    let content = Damaged(world(NARROW));
    let seeds = content.0.seeds();
    let lab = Lab::serving(content, &seeds).await;
    let found = mined(&lab, NARROW, "damaged", &[]).await;
    for (name, value) in &found {
        eprintln!("damaged      {name:24} {value:.3}");
    }
    for crawl in ["demo", "all", "served", "served-all"] {
        let measures: Vec<&str> = floors(crawl).iter().map(|floor| floor.measure).collect();
        let unmoved = standing(crawl, &measures, &found);
        assert!(unmoved.is_empty(), "{crawl}: these floors guard nothing:\n  {}", unmoved.join("\n  "));
    }
}
