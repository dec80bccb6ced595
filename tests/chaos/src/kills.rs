//! `newslode-chaos --kills N`: kills single processes, half of the times right after one of their effects and half at random
//! moments, lets the work go on, and compares its end with that of an undisturbed run.
//!
//! The pages come from a web archive, so that each has the same fetch time in every run: then articles, their histories, twins
//! and the taxonomy must be equal to the byte, times included. Runs that crawl are compared without the times, which are
//! those of the requests. Start at [`run`].

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use newslode_common::failpoint;
use newslode_e2e::articles::of_pages;
use newslode_e2e::lab::{Digests, Lab, digests_of, without_identifiers};
use newslode_e2e::services::{Installation, Servers};
use newslode_newsworld::{Rng, World, WorldSpec};
use serde::Serialize;
use serde_json::Value;

/// The longest time for one command.
const COMMAND: Duration = Duration::from_secs(300);

/// The longest time until services that go on are at rest.
const SETTLE: Duration = Duration::from_secs(150);

/// The interval of looks.
const LOOK: Duration = Duration::from_millis(100);

/// Most kills of one run.
const IN_A_ROW: u64 = 3;

/// What of an article is a time of a request, or follows from one.
const TIMES: [&str; 4] = ["first_seen", "fetched_at", "at", "gone_at"];

/// The result of all kills.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Report {
    /// Kills in all.
    pub(crate) kills: u64,
    /// Runs that were killed, by what they did.
    pub(crate) runs: BTreeMap<&'static str, u64>,
    /// Kills by what the process had just done; those at random moments are one kind.
    pub(crate) after: BTreeMap<String, u64>,
    /// What differs from the undisturbed run.
    pub(crate) differences: Vec<String>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} kills", self.kills)?;
        for (what, runs) in &self.runs {
            writeln!(f, "{runs:6}  runs that {what}")?;
        }
        for (what, kills) in &self.after {
            writeln!(f, "{kills:6}  killed after: {what}")?;
        }
        if self.differences.is_empty() {
            return writeln!(f, "no differences");
        }
        writeln!(f, "{} DIFFERENCES", self.differences.len())?;
        self.differences.iter().try_for_each(|what| writeln!(f, "- {what}"))
    }
}

/// What a run comes to.
#[derive(PartialEq, Eq)]
struct End {
    digests: Digests,
    articles: BTreeSet<String>,
    history: BTreeSet<String>,
    taxonomy: String,
}

impl End {
    /// How it differs from the wanted one, in words.
    fn differs(&self, wanted: &End) -> Vec<String> {
        let mut found = Vec::new();
        if self.digests != wanted.digests {
            found.push("the sums differ".to_owned());
        }
        if self.taxonomy != wanted.taxonomy {
            found.push("the taxonomy differs".to_owned());
        }
        for (what, ours, theirs) in
            [("articles", &self.articles, &wanted.articles), ("events", &self.history, &wanted.history)]
        {
            let (lost, added) = (theirs.difference(ours), ours.difference(theirs));
            let (lost, added): (Vec<_>, Vec<_>) = (lost.collect(), added.collect());
            if !lost.is_empty() || !added.is_empty() {
                let first = lost.iter().chain(&added).next().map_or("", |line| line.as_str());
                let first: String = first.chars().take(300).collect();
                found.push(format!("{what}: {} lost, {} others, as {first}", lost.len(), added.len()));
            }
        }
        found
    }
}

/// Kills so often: two thirds embedded, one third as services.
pub(crate) async fn run(kills: u64, seed: u64) -> anyhow::Result<Report> {
    let mut report = Report::default();
    let mut dice = Rng::new(seed);
    let spec = WorldSpec { seed, sites: 3, articles_per_section: 1, ..WorldSpec::default() };
    let lab = Lab::of(World::generate(&spec)).await;
    let archive = lab.path("pages.warc.gz").display().to_string();
    let crawled = crawl(&lab, "crawled");
    let crawled_end = {
        ok(&lab, &crawled).await?;
        without_times(end_of_run(&lab, "crawled").await?)?
    };
    let run = lab.path("crawled").display().to_string();
    ok(&lab, &["export", "pages", &run, "--format", "warc", "--to", &archive]).await?;
    ok(&lab, &import(&lab, "imported", &archive)).await?;
    let imported_end = end_of_run(&lab, "imported").await?;
    eprintln!(
        "undisturbed: {} articles, {} events; imported {} articles, {} events",
        crawled_end.articles.len(),
        crawled_end.history.len(),
        imported_end.articles.len(),
        imported_end.history.len()
    );
    let embedded = kills.saturating_sub(kills / 3);
    let mut number = 0;
    let mut effects = BTreeMap::new();
    while report.kills < embedded {
        number += 1;
        let name = format!("run{number}");
        let (what, arguments) = if number % 3 == 0 {
            ("crawl", crawl(&lab, &name))
        } else {
            ("import an archive", import(&lab, &name, &archive))
        };
        let most = match effects.get(what) {
            Some(most) => *most,
            None => *effects.entry(what).or_insert(count_effects(&lab, what, &archive).await?),
        };
        kill_run(&lab, &arguments, most, &mut dice, &mut report).await?;
        *report.runs.entry(what).or_default() += 1;
        let ended = lab.start(&arguments).end(COMMAND).await;
        if ended.code != Some(0) {
            report.differences.push(format!("{name}: it does not go on: {}", ended.err));
            continue;
        }
        let end = end_of_run(&lab, &name).await?;
        let differs = match what {
            "crawl" => without_times(end)?.differs(&crawled_end),
            _ => end.differs(&imported_end),
        };
        note(&mut report, &name, differs);
        let run = lab.path(&name).display().to_string();
        let verified = lab.start(&["verify", "--quiet", &run]).end(COMMAND).await;
        if verified.code != Some(0) {
            note(&mut report, &name, vec![format!("verify: {}{}", verified.out, verified.err)]);
        }
        std::fs::remove_dir_all(lab.path(&name))?;
    }
    kill_services(kills, &lab, &archive, &mut dice, &mut report).await?;
    Ok(report)
}

fn note(report: &mut Report, run: &str, differs: Vec<String>) {
    for what in differs {
        eprintln!("DIFFERENCE: {run}: {what}");
        report.differences.push(format!("{run}: {what}"));
    }
}

/// Kills a run of these arguments up to three times, early or late.
async fn kill_run(
    lab: &Lab,
    arguments: &[String],
    most: u64,
    dice: &mut Rng,
    report: &mut Report,
) -> anyhow::Result<()> {
    for _ in 0..dice.between(1, IN_A_ROW as usize) {
        if report.kills.is_multiple_of(2) {
            let last = dice.between(1, most as usize) as u64;
            let ended = armed(lab, arguments, last).await;
            match aborted_after(&ended.err) {
                Some(effect) => {
                    eprintln!("kill {}: after effect {last}, {effect}", report.kills + 1);
                    *report.after.entry(effect).or_default() += 1;
                    report.kills += 1;
                }
                // It came to its end first.
                None => ensure!(ended.code == Some(0), "{}", ended.err),
            }
        } else {
            let after = Duration::from_millis(dice.between(20, 1_500) as u64);
            let mut process = lab.start(arguments);
            tokio::time::sleep(after).await;
            if process.ended().is_some() {
                continue;
            }
            process.kill();
            eprintln!("kill {}: after {after:?}", report.kills + 1);
            *report.after.entry("a random moment".into()).or_default() += 1;
            report.kills += 1;
        }
    }
    Ok(())
}

/// Runs `newslode` until its `last` effect.
async fn armed(lab: &Lab, arguments: &[String], last: u64) -> newslode_e2e::process::Ended {
    let mut command = lab.command("newslode");
    command.args(arguments).env(failpoint::VARIABLE, last.to_string());
    newslode_e2e::process::Process::start(command, &format!("armed-{last}"), &lab.path("")).end(COMMAND).await
}

/// What a process had done when it aborted.
fn aborted_after(err: &str) -> Option<String> {
    let line = err.lines().rev().find(|line| line.starts_with("aborted after effect "))?;
    Some(line.split_once(": ")?.1.to_owned())
}

/// A number of effects that about half of the runs reach.
async fn count_effects(lab: &Lab, what: &str, archive: &str) -> anyhow::Result<u64> {
    let mut last = 500;
    loop {
        let name = format!("counting-{}-{last}", what.len());
        let arguments = if what == "crawl" { crawl(lab, &name) } else { import(lab, &name, archive) };
        let ended = armed(lab, &arguments, last).await;
        std::fs::remove_dir_all(lab.path(&name))?;
        if aborted_after(&ended.err).is_none() {
            ensure!(ended.code == Some(0), "{}", ended.err);
            eprintln!("runs that {what} have fewer than {last} effects");
            return Ok(last);
        }
        last = last * 3 / 2;
    }
}

fn crawl(lab: &Lab, name: &str) -> Vec<String> {
    lab.mining_by("concepts", name, &[])
}

fn import(lab: &Lab, name: &str, archive: &str) -> Vec<String> {
    let out = lab.path(name).display().to_string();
    ["mine", "--quiet", "--json", "--warc", archive, "--out", &out].map(str::to_owned).to_vec()
}

async fn ok<S: AsRef<str>>(lab: &Lab, arguments: &[S]) -> anyhow::Result<String> {
    let ended = lab.start(arguments).end(COMMAND).await;
    let line = arguments.iter().take(6).map(AsRef::as_ref).collect::<Vec<_>>().join(" ");
    ensure!(ended.code == Some(0), "newslode {line} …: {}\n{}", ended.out, ended.err);
    Ok(ended.out)
}

/// The end of a run, as its files and its state say.
async fn end_of_run(lab: &Lab, name: &str) -> anyhow::Result<End> {
    let folder = lab.path(name);
    let text = folder.display().to_string();
    let summary: Value = serde_json::from_str(&std::fs::read_to_string(folder.join("run.json"))?)?;
    ensure!(summary["complete"] == true, "{name} is not complete: {summary}");
    let articles = std::fs::read_to_string(folder.join("articles.jsonl"))?;
    let history = ok(lab, &["export", "articles", &text, "--history"]).await?;
    let taxonomy = ok(lab, &["taxonomy", &text, "--format", "json"]).await?;
    let taxonomy = without_identifiers(serde_json::from_str(&taxonomy)?).to_string();
    Ok(End { digests: digests_of(&summary), articles: lines(&articles), history: lines(&history), taxonomy })
}

fn lines(text: &str) -> BTreeSet<String> {
    text.lines().map(str::to_owned).collect()
}

/// The end of a run that crawled, without the times of its requests.
fn without_times(end: End) -> anyhow::Result<End> {
    let timeless = |lines: BTreeSet<String>| -> anyhow::Result<BTreeSet<String>> {
        let mut timeless = BTreeSet::new();
        for line in lines {
            let mut value: Value = serde_json::from_str(&line)?;
            let fields = value.as_object_mut().context("a line is no object")?;
            TIMES.iter().for_each(|time| _ = fields.remove(*time));
            timeless.insert(value.to_string());
        }
        Ok(timeless)
    };
    Ok(End { articles: timeless(end.articles)?, history: timeless(end.history)?, ..end })
}

/// Kills partitioners and miners of installations that import the archive, until there are so many kills.
async fn kill_services(
    kills: u64,
    lab: &Lab,
    archive: &str,
    dice: &mut Rng,
    report: &mut Report,
) -> anyhow::Result<()> {
    if report.kills >= kills {
        return Ok(());
    }
    let servers = Servers::start().await;
    let wanted =
        serve(lab, &servers, archive, ("undisturbed", None), None, dice, &mut Report::default()).await?;
    let mut number = 0;
    while report.kills < kills {
        number += 1;
        let service = if number % 3 == 0 { "newslode-partitioner" } else { "newslode-miner" };
        let name = format!("served{number}");
        let end = serve(lab, &servers, archive, (&name, Some(&wanted)), Some(service), dice, report).await?;
        *report.runs.entry("services that import an archive").or_default() += 1;
        note(report, &name, end.differs(&wanted));
    }
    Ok(())
}

/// Imports the archive into services, of which one is killed, and returns what they come to.
async fn serve(
    lab: &Lab,
    servers: &Servers,
    archive: &str,
    (prefix, wanted): (&str, Option<&End>),
    victim: Option<&'static str>,
    dice: &mut Rng,
    report: &mut Report,
) -> anyhow::Result<End> {
    let mut services = Installation::new(lab, servers, prefix, 0);
    // Views depend on when they are made; the embedded engine makes them at its end, and its kills include them.
    services.change_config("views_s = 1", "views_s = 0")?;
    for service in ["newslode-partitioner", "newslode-miner"] {
        let is_armed = victim == Some(service) && report.kills.is_multiple_of(2);
        let last = dice.between(1, 1_200).to_string();
        let armed = [(failpoint::VARIABLE, last.as_str())];
        services.start_copy(service, service, if is_armed { &armed } else { &[] });
    }
    let asked =
        services.asking(&["warc", "feed", archive]).iter().map(ToString::to_string).collect::<Vec<_>>();
    let begun = Instant::now();
    let mut feeding = lab.start(&asked);
    let random = Duration::from_millis(dice.between(20, 2_500) as u64);
    let (mut rested, mut fed, mut seen) = (0, false, None);
    let mut is_killed = victim.is_none();
    // At rest: everything was fed, the queues are empty, and the sums are the same in some looks.
    while rested < 12 {
        ensure!(begun.elapsed() < SETTLE, "{prefix} does not come to rest\n{}", services.logs());
        tokio::time::sleep(LOOK).await;
        if let Some(service) = victim
            && let Some(process) = services.running().get_mut(service)
        {
            if process.ended().is_some() {
                let effect = aborted_after(&process.tail());
                let effect =
                    effect.with_context(|| format!("{service} ended by itself: {}", process.tail()))?;
                eprintln!("kill {}: {service} after {effect}", report.kills + 1);
                *report.after.entry(effect).or_default() += 1;
                report.kills += 1;
                is_killed = true;
                services.start(service);
            } else if !is_killed && !report.kills.is_multiple_of(2) && begun.elapsed() > random {
                services.kill_and_start(service);
                eprintln!("kill {}: {service} after {random:?}", report.kills + 1);
                *report.after.entry("a random moment".into()).or_default() += 1;
                report.kills += 1;
                is_killed = true;
            }
        }
        if !fed && let Some(status) = feeding.ended() {
            ensure!(status.success(), "feeding failed: {}", feeding.tail());
            fed = true;
        }
        let now = if fed { services.resting_digests().await } else { None };
        rested = if now.is_some() && now == seen { rested + 1 } else { 0 };
        seen = now;
    }
    // One that is still armed would abort while it stops.
    for service in ["newslode-partitioner", "newslode-miner"] {
        services.kill(service);
    }
    let digests = seen.context("it never rested")?;
    for service in ["newslode-partitioner", "newslode-miner"] {
        services.start(service);
    }
    let articles = services.exported(&[]).await;
    let history = services.exported(&["--history"]).await;
    let verified = lab.start(&services.asking(&["verify"])).end(COMMAND).await;
    if verified.code != Some(0) {
        note(report, prefix, vec![format!("verify: {}{}", verified.out, verified.err)]);
    }
    // After a kill the next leader waits for the last one's lease, so the first folds may be those of before.
    let begun = Instant::now();
    let mut taxonomy = services.folded().await;
    while wanted.is_some_and(|wanted| wanted.taxonomy != taxonomy) && begun.elapsed() < SETTLE {
        taxonomy = services.folded().await;
    }
    services.stop().await;
    // Each export learns to file articles by their words, and may file some differently. So only the taxonomy compares concepts.
    let (articles, _) = of_pages(&articles, &articles);
    let articles = articles.into_iter().map(|mut article| {
        article["concepts"] = Value::Null;
        article["filed"] = Value::Null;
        article.to_string()
    });
    Ok(End { digests, articles: articles.collect(), history: lines(&history), taxonomy })
}
