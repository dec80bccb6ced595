//! The commands that README and the documents show are run: on made sites, whose addresses stand for those of the examples,
//! in the order in which a reader needs them. What is left out stands in [`elsewhere`], each with the test that runs it or
//! the reason why none does.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use newslode::documented::{command_lines, is_usage, split_words};
use newslode_newsworld::{World, WorldSpec};
use serde_json::Value;

use crate::client::Client;
use crate::lab::{Lab, digests_in, open};
use crate::process::{Ended, Process};
use crate::schema;
use crate::schemes::SCHEME;
use crate::services::{Installation, Servers};

/// The longest time for one command.
const PATIENCE: Duration = Duration::from_secs(60);

/// Fewer would mean that the documents are not read.
const LEAST: usize = 60;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Why a command is not run here.
fn elsewhere(words: &[&str]) -> Option<&'static str> {
    match words {
        ["demo", ..] => Some("`floors.rs` runs the demo and judges it"),
        ["token", ..] => Some("`writing.rs` makes, uses, lists and revokes tokens"),
        ["serve", ..] => Some("`console.rs` serves runs and services, and asks for every page"),
        ["init", ..] => Some("`watching.rs` starts what it writes; `/etc` is left alone here"),
        ["watch", ..] => Some("`watching.rs` starts, kills and ends it"),
        ["bench", ..] => Some("it measures for minutes to hours, on recorded pages"),
        ["eval", "filing", ..] => None,
        ["eval", "world", ..] => Some("`floors.rs` judges what was mined of the demo's world"),
        ["eval" | "probe" | "evidence", ..] => Some("it needs labelled pages, which are not ours to hand on"),
        ["dead", "show" | "replay" | "drop", ..] => {
            Some("`bad_input.rs` does so with letters that are there")
        }
        [
            "correct",
            "hide" | "rename" | "merge" | "split" | "under" | "not-under" | "map" | "undo" | "import",
            ..,
        ] => Some("`corrected.rs` corrects concepts that are there"),
        ["status", "--watch", ..] => Some("it ends with Ctrl-C only"),
        _ => None,
    }
}

/// The command lines that are shown: blocks of code everywhere, in README and the ten questions also those within text.
fn shown() -> Vec<Vec<String>> {
    let of = |folder: &str| {
        let files = std::fs::read_dir(root().join(folder)).unwrap().map(|entry| entry.unwrap().path());
        files.filter(|file| file.extension().is_some_and(|kind| kind == "md")).collect::<Vec<_>>()
    };
    let mut files = [of("docs"), of("docs/reference")].concat();
    files.sort();
    files.insert(0, root().join("README.md"));
    let (mut seen, mut all) = (BTreeSet::new(), Vec::new());
    for file in files {
        let are_spans_shown = ["README.md", "questions.md"].iter().any(|name| file.ends_with(name));
        for command in command_lines(&std::fs::read_to_string(&file).unwrap()) {
            // How a command is used in general is no command.
            let is_usage = is_usage(&command.line) || command.line.contains("--help");
            let words = split_words(&command.line);
            let is_whole = words.iter().skip(2).count() > 0 || command.is_block;
            if (command.is_block || are_spans_shown) && is_whole && !is_usage && seen.insert(words.clone()) {
                all.push(words);
            }
        }
    }
    all
}

/// When a command is run: what makes a run comes first, what takes away last.
fn turn(words: &[String]) -> u32 {
    let words: Vec<&str> = words.iter().skip(1).map(String::as_str).collect();
    match words.as_slice() {
        ["mine", rest @ ..] if !rest.contains(&"--warc") => 0,
        ["export", "pages", ..] => 1,
        ["template", "forget", ..] => 3,
        ["seed", "list", ..] => 2,
        ["warc" | "seed", ..] => 4,
        _ => 2,
    }
}

/// The examples' names, and what stands for them here.
struct Names {
    folder: PathBuf,
    seeds: Vec<String>,
    sites: Vec<String>,
    stories: Vec<String>,
    /// A text that the page shows and that is not the article's.
    foreign: String,
}

impl Names {
    fn of(&self, word: &str) -> String {
        match word {
            "https://www.example.com" | "URL" => self.seeds[0].clone(),
            "https://news.example.org" => self.seeds[1].clone(),
            "https://www.example.com/story" => self.stories[0].clone(),
            "https://www.example.com/2026/a-story" => self.stories[1].clone(),
            "example.com" | "SITE" => self.sites[0].clone(),
            "example.org" => self.sites[1].clone(),
            "Sign up for our newsletter" => self.foreign.clone(),
            "LABEL" => "sports".into(),
            "PAGE" => "page.html".into(),
            "RUN" => "run".into(),
            _ if word.contains('*') => word.replace('*', ""),
            _ => match word.strip_prefix("~/") {
                Some(home) => self.folder.join(home).display().to_string(),
                None => word.to_owned(),
            },
        }
    }
}

/// Runs a command in the lab's folder.
async fn run(lab: &Lab, words: &[String], number: usize, environment: &[(&str, String)]) -> Ended {
    let mut command = lab.command(&words[0]);
    command.args(&words[1..]).current_dir(lab.path(""));
    // A folder and servers together are refused.
    let names_folder = words.iter().any(|word| word == "--dir");
    let environment = environment.iter().filter(|(name, _)| !(names_folder && name.ends_with("__URL")));
    command.envs(environment.map(|(name, value)| (name, value)));
    Process::start(command, &format!("shown-{number}"), &lab.path("")).end(PATIENCE).await
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_documents_show_can_be_run() {
    let spec = WorldSpec { seed: 5, sites: 2, articles_per_section: 1, ..WorldSpec::default() };
    let lab = Lab::of(World::generate(&spec)).await;
    let servers = Servers::start().await;
    let mut services = Installation::following("news", &lab, &servers, "newslode", 0);
    let archive = lab.path("newslode-archive").display().to_string();
    let environment = [
        ("NEWSLODE__BROKER__URL", servers.rabbit.url()),
        ("NEWSLODE__STORE__URL", servers.redis.config().url.reveal().to_owned()),
        ("NEWSLODE__ARCHIVE__URL", format!("file://{archive}")),
        ("NEWSLODE__CRAWLER__RESOLVE", lab.resolve()),
        ("NEWSLODE__MINER__DELAY_MS", "0".into()),
    ];
    services.start_all();
    services.ready().await;
    services.seed().await;

    let mut names = Names {
        folder: lab.path(""),
        seeds: lab.seeds().to_vec(),
        sites: Vec::new(),
        stories: Vec::new(),
        foreign: String::new(),
    };
    std::fs::write(lab.path("medtop.ttl"), SCHEME).unwrap();
    let (mut all, mut left_out) = (shown(), 0);
    all.sort_by_key(|words| turn(words));
    let (mut faults, mut number, mut before) = (Vec::new(), 0, 0);
    for told in &all {
        let line = told.join(" ");
        if elsewhere(&told.iter().skip(1).map(String::as_str).collect::<Vec<_>>()).is_some() {
            left_out += 1;
            continue;
        }
        let now = turn(told);
        if before == 0 && now > 0 {
            learn(&lab, &mut names).await;
            services.comes_to(&digests_in(&open(&lab.path("run"))).await).await;
        }
        if before < 2 && now >= 2 {
            for day in ["CC-NEWS-20240501.warc.gz", "CC-NEWS-20240502.warc.gz", "CC-NEWS-.warc.gz"] {
                std::fs::copy(lab.path("pages.warc.gz"), lab.path(day)).unwrap();
            }
            std::fs::create_dir(lab.path("archives")).unwrap();
            std::fs::copy(lab.path("pages.warc.gz"), lab.path("archives/pages.warc.gz")).unwrap();
            std::fs::write(lab.path("list.txt"), "archives\n").unwrap();
        }
        before = now;
        let is_fed = told.iter().any(|word| word == "--warc");
        // The archives' pages make a run of their own.
        let place = |word: &String| if is_fed && word == "run" { "fed".into() } else { names.of(word) };
        let words: Vec<String> = told.iter().map(place).collect();
        number += 1;
        let begun = std::time::Instant::now();
        let ended = run(&lab, &words, number, &environment).await;
        if begun.elapsed() > Duration::from_secs(2) {
            eprintln!("{:.1} s: {line}", begun.elapsed().as_secs_f64());
        }
        if ended.code != Some(0) {
            faults.push(format!("{line}\n  as {}\n  {:?}: {}", words.join(" "), ended.code, ended.err));
        }
    }
    eprintln!("{number} commands were run, {left_out} are run elsewhere or not at all");
    assert!(faults.is_empty(), "{} of {number} commands failed:\n{}", faults.len(), faults.join("\n"));
    assert!(number >= LEAST, "only {number} commands are shown");
    articles_are_as_their_schema_says(&lab.path("run/articles.jsonl"));
    services.stop().await;
}

fn lines(articles: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(articles).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Learns which site and stories stand for those of the examples, and puts the files there that examples read.
async fn learn(lab: &Lab, names: &mut Names) {
    let articles = lines(&lab.path("run/articles.jsonl"));
    let of = |article: &Value, key: &str| article[key].as_str().unwrap_or_default().to_owned();
    for seed in &names.seeds {
        let host = seed.split('/').nth(2).unwrap();
        let site =
            articles.iter().map(|article| of(article, "site")).find(|site| host.ends_with(site.as_str()));
        names.sites.push(site.unwrap_or_else(|| panic!("no article of {host}")));
    }
    let own: Vec<&Value> = articles.iter().filter(|article| of(article, "site") == names.sites[0]).collect();
    names.stories = own.iter().map(|article| of(article, "url")).collect();
    let client = Client::new(lab.resolve().trim_start_matches("*:").parse().unwrap());
    for folder in ["pages", "people"] {
        std::fs::create_dir(lab.path(folder)).unwrap();
        for (number, story) in names.stories.iter().take(6).enumerate() {
            std::fs::write(lab.path(folder).join(format!("{number}.html")), page(&client, story).await)
                .unwrap();
        }
    }
    let html = page(&client, &names.stories[0]).await;
    let foreign = ["Most read", "Related stories", "Share this", "Read more", "Latest", "Privacy policy"];
    let foreign = foreign.into_iter().find(|text| html.contains(&format!(">{text}<")));
    names.foreign = foreign.unwrap_or_else(|| panic!("nothing foreign in\n{html}")).into();
    std::fs::write(lab.path("page.html"), html).unwrap();
    let body = own[0]["body"].as_array().unwrap().iter().map(|block| of(block, "text"));
    std::fs::write(lab.path("right.txt"), body.collect::<Vec<_>>().join("\n")).unwrap();
}

async fn page(client: &Client, url: &str) -> String {
    let (host, path) = url.split_once("://").unwrap().1.split_once('/').unwrap();
    let answer = client.ask("GET", &format!("/{path}"), host).await;
    assert_eq!(answer.status, 200, "{url}");
    answer.body
}

/// Each line is as the reference says, and a line with a wrong type is not.
fn articles_are_as_their_schema_says(articles: &Path) {
    let schema = std::fs::read_to_string(root().join("docs/reference/article.schema.json")).unwrap();
    let schema: Value = serde_json::from_str(&schema).unwrap();
    let lines = lines(articles);
    assert!(lines.len() > 10, "only {} articles", lines.len());
    for line in &lines {
        schema::check(&schema, &schema, line, &line["url"].to_string());
    }
    let mut wrong = lines[0].clone();
    wrong["title"] = 3.into();
    let found = std::panic::catch_unwind(|| schema::check(&schema, &schema, &wrong, "wrong"));
    assert!(found.is_err(), "a number was taken for a title");
}
