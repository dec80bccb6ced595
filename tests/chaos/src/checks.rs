//! What must hold in the end, whatever befell.
//!
//! The installation follows the news, so its end has no equal: sites rest when they fail, failed pages wait, listings are
//! visited again. What holds nevertheless is said by [`compare`]. What articles say must be what they say in an
//! undisturbed run of the same sites. The embedded engine makes that run and follows all links, so that it reads every
//! page within minutes; a fault that both ways share would not be seen here, and the tests of the engine and of the
//! pages look for those. Start at [`Undisturbed::run`] and [`compare`].

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use newslode_common::broker::{Broker, Queue, depths};
use newslode_common::outcome::Outcome;
use newslode_common::store::{Frontier, SiteState};
use newslode_e2e::articles::of_pages;
use newslode_e2e::lab::Lab;
use newslode_e2e::news::{
    changed_kind, each_article_once, each_event_heard, each_event_once, not_counted, urls, without_outcome,
};
use newslode_e2e::services::uncounted;
use newslode_miner::work::knowledge::{Knowledge, teach};
use newslode_page::reading::CanonicalUrl;
use serde_json::Value;

use crate::bench::Bench;

/// The longest time for one command on many sites.
const COMMAND: Duration = Duration::from_secs(1_800);

/// The longest time until all is at rest after the last fault. A site rests for up to seven minutes while one of its
/// pages fails three times.
const SETTLE: Duration = Duration::from_secs(900);

/// The interval of looks.
const LOOK: Duration = Duration::from_millis(500);

/// The most of one kind of difference that is told.
const TOLD: usize = 10;

/// What mining the same sites without faults comes to.
pub(crate) struct Undisturbed {
    articles: String,
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
        Ok(Undisturbed { articles })
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

/// Waits until every known URL has an outcome and every page that was fetched is counted; what still is to do after a long
/// time is a difference. Visits go on meanwhile: of some listing one is always due.
pub(crate) async fn settle(bench: &Bench<'_>) {
    let begun = Instant::now();
    let mut rested = 0;
    loop {
        bench.supervise();
        let left = left_to_do(bench).await;
        rested = if left.is_none() { rested + 1 } else { 0 };
        if rested == 4 {
            return;
        }
        if let Some(left) = left
            && begun.elapsed() > SETTLE
        {
            let logs = bench.services().logs();
            return bench.differs(format!("it does not come to rest: {left}\n{logs}"));
        }
        tokio::time::sleep(LOOK).await;
    }
}

/// Has the miners read all articles of each site again with everything that is known of it, as they do in time anyway. Until
/// then a page's kind depends on how far the site was known when the page came.
pub(crate) async fn view_again(bench: &Bench<'_>) -> anyhow::Result<()> {
    let sites = SiteState::sites(&bench.store).await?;
    for (site, _) in &sites {
        teach(&bench.store, site, |_| Ok(())).await?;
    }
    let begun = Instant::now();
    for (site, _) in &sites {
        while Knowledge::read(&bench.store, site).await?.0.has_new_lessons {
            bench.supervise();
            if begun.elapsed() > SETTLE {
                bench.differs(format!("the articles of {site} are not read again"));
                return Ok(());
            }
            tokio::time::sleep(LOOK).await;
        }
    }
    Ok(())
}

/// What has to be done before the end is checked.
async fn left_to_do(bench: &Bench<'_>) -> Option<String> {
    for (queue, depth) in depths(&bench.broker).await {
        match depth {
            Ok(0) => {}
            Ok(depth) => return Some(format!("{depth} messages in {queue}")),
            Err(error) => return Some(error.to_string()),
        }
    }
    let without = without_outcome(&bench.store).await;
    if let Some(first) = without.first() {
        return Some(format!("{} URLs have no outcome, as {first}", without.len()));
    }
    let uncounted = uncounted(&bench.store).await;
    let first = uncounted.first()?;
    Some(format!("{} pages are fetched and not counted, as {first}", uncounted.len()))
}

/// The number of URLs with an outcome.
pub(crate) async fn number_of_urls(bench: &Bench<'_>) -> anyhow::Result<usize> {
    let sites = Frontier::status(&bench.store).await?;
    Ok(sites.iter().flat_map(|site| site.outcomes.values()).sum::<u64>() as usize)
}

/// Notes all that is not as it should be. `gold`: the addresses of all articles of the world.
pub(crate) async fn compare(
    bench: &Bench<'_>,
    lab: &Lab,
    wanted: &Undisturbed,
    gold: Vec<String>,
) -> anyhow::Result<()> {
    if let Err(error) = ok(lab, &asking(bench, &["verify"])).await {
        bench.differs(format!("the archive does not prove the state: {error:#}"));
    }
    tell(bench, "without an outcome", without_outcome(&bench.store).await);
    let exported = ok(lab, &asking(bench, &["export", "articles"])).await?;
    let due = due(bench, gold).await?;
    tell(bench, "an article that is not counted", not_counted(&bench.store, &due).await);
    let history = ok(lab, &asking(bench, &["export", "articles", "--history"])).await?;
    let recognised = urls(&wanted.articles);
    // A page changes its kind once a week at most, so those that did may have the one or the other.
    let either = changed_kind(&history);
    let must = due.intersection(&recognised).filter(|url| !either.contains(*url)).cloned().collect();
    let may = recognised.union(&either).cloned().collect();
    let articles_once = each_article_once(&exported, &must, &may);
    tell(bench, "articles", articles_once.err().into_iter().collect());
    match each_event_once(&history) {
        Ok(history) => {
            let heard = bench.listener.events().await;
            tell(bench, "events", each_event_heard(&heard, &history).err().into_iter().collect());
        }
        Err(error) => bench.differs(format!("events: {error}")),
    }
    articles(bench, &exported, wanted);
    dead_letters(bench).await?;
    let leaks = bench.notes().memory.leaks();
    tell(bench, "memory", leaks);
    Ok(())
}

/// Those of the world's articles that must be there: of the sites that were mined, all but those that failed at their
/// last visit and wait for the next one.
async fn due(bench: &Bench<'_>, gold: Vec<String>) -> anyhow::Result<BTreeSet<String>> {
    let mut due: BTreeSet<String> = BTreeSet::new();
    let mut waiting: BTreeSet<String> = BTreeSet::new();
    for status in Frontier::status(&bench.store).await? {
        let is_of_site =
            |url: &&String| url.parse::<CanonicalUrl>().is_ok_and(|url| url.site() == status.site);
        due.extend(gold.iter().filter(is_of_site).cloned());
        for entry in bench.store.entries(&status.site).await? {
            let is_failing = matches!(
                entry.outcome,
                Some(Outcome::ServerError | Outcome::Refused | Outcome::Unreachable | Outcome::Timeout)
            );
            if is_failing && entry.due.is_some() {
                waiting.insert(entry.url.to_string());
            }
        }
    }
    Ok(due.difference(&waiting).cloned().collect())
}

/// Notes differences of one kind: the first ones, and how many more there are.
pub(crate) fn tell(bench: &Bench<'_>, what: &str, all: Vec<String>) {
    let more = all.len().saturating_sub(TOLD);
    all.into_iter().take(TOLD).for_each(|one| bench.differs(format!("{what}: {one}")));
    if more > 0 {
        bench.differs(format!("{what}: {more} more"));
    }
}

fn asking(bench: &Bench<'_>, arguments: &[&str]) -> Vec<String> {
    bench.services().asking(arguments).iter().map(ToString::to_string).collect()
}

/// Compares what the articles say that are in both exports. Which articles must be there, the world says.
fn articles(bench: &Bench<'_>, exported: &str, wanted: &Undisturbed) {
    let (wanted, found) = of_pages(&wanted.articles, exported);
    let by_url = |articles: Vec<Value>| -> BTreeMap<String, Value> {
        articles.into_iter().map(|article| (article["url"].to_string(), steady(article))).collect()
    };
    let (wanted, found) = (by_url(wanted), by_url(found));
    let other = |(url, found): (&String, &Value)| {
        other_fields(wanted.get(url)?, found).map(|fields| format!("{url}: {fields}"))
    };
    tell(bench, "an article", found.iter().filter_map(other).collect());
}

/// The article without what still depends on when its site was viewed: how sure a field is beside the site's others;
/// what an export files by words, which it learns from bodies; its places, whose scheme is learnt when all pages of the
/// site are viewed; and the listings that named it.
fn steady(mut article: Value) -> Value {
    article["listed"] = Value::Null;
    article["places"] = Value::Null;
    article["codes"] = Value::Null;
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
