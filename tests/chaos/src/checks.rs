//! What must be equal in the end: all that the undisturbed run of the same sites says.
//!
//! The embedded engine makes that run, so a fault that both ways share would not be seen here; the tests of the engine
//! and of the pages look for those. Start at [`Undisturbed::run`] and [`compare`].

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use newslode_common::broker::{Broker, Queue};
use newslode_e2e::articles::of_pages;
use newslode_e2e::lab::{Digests, Lab, Outcomes, digests_in, digests_of, open, other_outcomes, outcomes_in};
use newslode_e2e::services::{busy, uncounted};
use serde_json::Value;

use crate::bench::Bench;

/// The longest time for one command on many sites.
const COMMAND: Duration = Duration::from_secs(1_800);

/// The longest time until all is at rest after the last fault.
const SETTLE: Duration = Duration::from_secs(300);

/// At rest for so long in the wrong state, it will never be right: longer than any wait of a service that holds a
/// message until a server is back.
const RESTED: Duration = Duration::from_secs(25);

/// The interval of looks.
const LOOK: Duration = Duration::from_millis(500);

/// The most of one kind of difference that is told.
const TOLD: usize = 10;

/// What mining the same sites without faults comes to.
pub(crate) struct Undisturbed {
    digests: Digests,
    outcomes: Outcomes,
    articles: String,
    taxonomy: Value,
}

impl Undisturbed {
    /// Mines the lab's seeds with the embedded engine.
    pub(crate) async fn run(lab: &Lab) -> anyhow::Result<Undisturbed> {
        let config = lab.path("undisturbed.toml");
        std::fs::write(&config, "crawler = { retry_ms = 100 }\n")?;
        let config = config.to_str().context("a path is no text")?;
        let run = lab.path("undisturbed");
        let run_text = run.to_str().context("a path is no text")?;
        let summary = ok(lab, &lab.mining("undisturbed", &["--config", config])).await?;
        let summary: Value = serde_json::from_str(&summary)?;
        ensure!(summary["complete"] == true, "the undisturbed run is not complete: {summary}");
        let articles = ok(lab, &["export", "articles", run_text]).await?;
        let taxonomy = ok(lab, &["taxonomy", "--format", "json", run_text]).await?;
        let outcomes = outcomes_in(&open(&run)).await;
        let taxonomy = serde_json::from_str(&taxonomy)?;
        Ok(Undisturbed { digests: digests_of(&summary), outcomes, articles, taxonomy })
    }

    /// The number of URLs.
    pub(crate) fn urls(&self) -> usize {
        self.outcomes.len()
    }

    /// The number of articles.
    pub(crate) fn articles(&self) -> usize {
        self.articles.lines().count()
    }
}

async fn ok<S: AsRef<str>>(lab: &Lab, arguments: &[S]) -> anyhow::Result<String> {
    let ended = lab.start(arguments).end(COMMAND).await;
    let line = arguments.iter().take(6).map(AsRef::as_ref).collect::<Vec<_>>().join(" ");
    ensure!(ended.code == Some(0), "newslode {line} …: {}\n{}", ended.out, ended.err);
    Ok(ended.out)
}

/// Waits until nothing is under way; what still is after a long time is a difference.
pub(crate) async fn settle(bench: &Bench<'_>) {
    let begun = Instant::now();
    let mut rested = 0;
    loop {
        bench.supervise();
        let mut work = busy(&bench.store, &bench.broker).await;
        if work.is_empty() {
            let uncounted = uncounted(&bench.store).await;
            if !uncounted.is_empty() {
                work = format!(
                    "{} pages are fetched and not counted, as {:?}",
                    uncounted.len(),
                    uncounted.first()
                );
            }
        }
        rested = if work.is_empty() { rested + 1 } else { 0 };
        if rested == 4 {
            return;
        }
        if begun.elapsed() > SETTLE {
            let logs = bench.services().logs();
            return bench.differs(format!("it does not come to rest: {work}\n{logs}"));
        }
        tokio::time::sleep(LOOK).await;
    }
}

/// Notes all differences between the undisturbed run and what the services came to.
pub(crate) async fn compare(bench: &Bench<'_>, lab: &Lab, wanted: &Undisturbed) -> anyhow::Result<()> {
    digests(bench, wanted).await;
    let found = outcomes_in(&bench.store).await;
    tell(bench, "an outcome", other_outcomes(&wanted.outcomes, &found));
    taxonomy(bench, lab, wanted).await;
    articles(bench, lab, wanted).await?;
    dead_letters(bench).await?;
    if let Err(error) = ok(lab, &asking(bench, &["verify"])).await {
        bench.differs(format!("the archive does not prove the state: {error:#}"));
    }
    let leaks = bench.notes().memory.leaks();
    tell(bench, "memory", leaks);
    Ok(())
}

/// Notes differences of one kind: the first ones, and how many more there are.
pub(crate) fn tell(bench: &Bench<'_>, what: &str, all: Vec<String>) {
    let more = all.len().saturating_sub(TOLD);
    all.into_iter().take(TOLD).for_each(|one| bench.differs(format!("{what}: {one}")));
    if more > 0 {
        bench.differs(format!("{what}: {more} more"));
    }
}

async fn digests(bench: &Bench<'_>, wanted: &Undisturbed) {
    let begun = Instant::now();
    let mut found = digests_in(&bench.store).await;
    while found != wanted.digests && begun.elapsed() < RESTED {
        tokio::time::sleep(LOOK).await;
        found = digests_in(&bench.store).await;
    }
    let sites: BTreeSet<&String> = wanted.digests.keys().chain(found.keys()).collect();
    let differ = |site: &&&String| wanted.digests.get(**site) != found.get(**site);
    let of = |site: &&String| {
        format!("{site}: {:?}, undisturbed {:?}", found.get(*site), wanted.digests.get(*site))
    };
    tell(bench, "the state of a site", sites.iter().filter(differ).map(of).collect());
}

async fn taxonomy(bench: &Bench<'_>, lab: &Lab, wanted: &Undisturbed) {
    let begun = Instant::now();
    let arguments = asking(bench, &["taxonomy", "--format", "json"]);
    loop {
        let said = lab.start(&arguments).end(COMMAND).await.out;
        if serde_json::from_str::<Value>(&said).is_ok_and(|said| said == wanted.taxonomy) {
            return;
        }
        if begun.elapsed() > RESTED {
            let concepts = |taxonomy: &Value| taxonomy["concepts"].as_array().map(Vec::len);
            let said: Value = serde_json::from_str(&said).unwrap_or_default();
            return bench.differs(format!(
                "the taxonomy has {:?} concepts, undisturbed {:?}",
                concepts(&said),
                concepts(&wanted.taxonomy)
            ));
        }
        tokio::time::sleep(LOOK).await;
    }
}

fn asking(bench: &Bench<'_>, arguments: &[&str]) -> Vec<String> {
    bench.services().asking(arguments).iter().map(ToString::to_string).collect()
}

async fn articles(bench: &Bench<'_>, lab: &Lab, wanted: &Undisturbed) -> anyhow::Result<()> {
    let found = ok(lab, &asking(bench, &["export", "articles"])).await?;
    let (wanted, found) = of_pages(&wanted.articles, &found);
    let by_url = |articles: Vec<Value>| -> BTreeMap<String, Value> {
        articles.into_iter().map(|article| (article["url"].to_string(), steady(article))).collect()
    };
    let (wanted, found) = (by_url(wanted), by_url(found));
    let urls: BTreeSet<&String> = wanted.keys().chain(found.keys()).collect();
    let other = |url: &String| match (wanted.get(url), found.get(url)) {
        (Some(wanted), Some(found)) => other_fields(wanted, found).map(|fields| format!("{url}: {fields}")),
        (Some(_), None) => Some(format!("{url} is missing")),
        (None, _) => Some(format!("{url} should not be there")),
    };
    tell(bench, "an article", urls.into_iter().filter_map(other).collect());
    Ok(())
}

/// The article without what still depends on when its site was viewed: how sure a field is beside the site's others,
/// and what an export files by words, which it learns from bodies.
fn steady(mut article: Value) -> Value {
    let fields = article["evidence"].as_object_mut().into_iter().flat_map(|evidence| evidence.values_mut());
    fields.for_each(|said| said["confidence"] = Value::Null);
    if let Some(filed) = article["filed"].as_array_mut() {
        filed.retain(|filed| filed["witness"] != "words");
    }
    article["concepts"] = Value::Null;
    article
}

fn other_fields(wanted: &Value, found: &Value) -> Option<String> {
    let keys = wanted.as_object().into_iter().chain(found.as_object()).flat_map(|article| article.keys());
    let differ: BTreeSet<&String> = keys.filter(|key| wanted.get(*key) != found.get(*key)).collect();
    let of = |key: &&String| format!("`{key}` is {:?}, undisturbed {:?}", found.get(*key), wanted.get(*key));
    (!differ.is_empty()).then(|| differ.iter().map(of).collect::<Vec<_>>().join("; "))
}

/// The dead letters must be the garbage that was published, each once or twice, and nothing else.
async fn dead_letters(bench: &Bench<'_>) -> anyhow::Result<()> {
    for queue in Queue::ALL {
        let dead = bench.broker.dead(*queue, 10_000).await?;
        let poison = bench.notes().poison.get(queue).cloned().unwrap_or_default();
        let others = dead.iter().filter(|letter| !poison.contains(&letter.body));
        let told = others.map(|letter| format!("in {queue}: `{}` by {}", letter.reason, letter.by)).collect();
        tell(bench, "a dead letter", told);
        let bodies: BTreeSet<&Vec<u8>> = dead.iter().map(|letter| &letter.body).collect();
        let lost = poison.iter().filter(|body| !bodies.contains(body)).count();
        if lost > 0 {
            bench.differs(format!("{lost} messages of garbage in {queue} are no dead letters"));
        }
    }
    Ok(())
}
