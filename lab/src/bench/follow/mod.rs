//! Follows simulated news sites for a month, for `newslode-lab bench follow`: is each article in hand soon, and at
//! what price in requests?
//!
//! The sites are those of the synthetic world that lives (`newslode_newsworld::living`): they publish, edit and
//! move articles, and have outages, blocks and redesigns. The crawler and its frontier are the real ones; the
//! network and the time are simulated, and nothing sleeps. Start at [`follow`].

mod ablated;
mod ablation;
mod crawl;
mod log;
mod world;

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use newslode_common::schedule::ScheduleConfig;
use newslode_common::time::iso;
use newslode_newsworld::living::{
    FetchLog, Figures, LivingArticle, LivingSite, LivingSpec, LivingWorld, Outage, judge,
};
use newslode_page::Timestamp;
use serde::Serialize;

pub(crate) use ablation::Ablation;
use crawl::Crawl;
pub(super) use world::{Outbox, SimulatedWeb};

/// Milliseconds of a day.
const DAY_MS: u64 = 86_400_000;

/// The result of following a world.
#[derive(Debug, Serialize)]
pub(crate) struct FollowReport {
    #[serde(flatten)]
    pub(crate) figures: Figures,
    /// Silences that were told although the site was well, of all sites.
    pub(crate) false_alarms: usize,
    /// Sites whose server's log shows a request before the delay or a `Retry-After` had passed, or one that robots.txt
    /// forbids.
    pub(crate) impolite_sites: usize,
    /// Time that it took, in seconds.
    pub(crate) seconds: f64,
    /// The sites, from the one that publishes least.
    pub(crate) sites: Vec<SiteRow>,
}

/// How one site was followed.
#[derive(Debug, Serialize)]
pub(crate) struct SiteRow {
    pub(crate) host: String,
    /// Articles a day.
    pub(crate) rate: f64,
    /// Articles of all days but the first and the last.
    pub(crate) articles: usize,
    /// Those that were never in hand, and those of them that a working listing showed for a day.
    pub(crate) lost: usize,
    pub(crate) avoidable: usize,
    /// Share in hand within an hour.
    pub(crate) within_1h: f64,
    pub(crate) requests: u64,
    /// Of these: for listings, and for robots.txt.
    pub(crate) listing_requests: u64,
    pub(crate) robots_requests: u64,
    /// What went wrong there.
    pub(crate) troubles: String,
    /// Short troubles: the kind of each, and when it began (ISO 8601).
    pub(crate) mishaps: Vec<String>,
    pub(crate) outages: Vec<OutageRow>,
    /// Articles that were never in hand, at most a hundred.
    pub(crate) lost_articles: Vec<LostArticle>,
}

/// Most lost articles in a report.
const MOST_LOST: usize = 100;

/// An article that was never in hand. Times are ISO 8601.
#[derive(Debug, Serialize)]
pub(crate) struct LostArticle {
    pub(crate) published: String,
    pub(crate) deleted: Option<String>,
    pub(crate) moved: Option<String>,
    /// Number of its section.
    pub(crate) section: usize,
    pub(crate) avoidable: bool,
    /// Whether a listing showed it at all.
    pub(crate) listed: bool,
}

impl LostArticle {
    fn of(article: &LivingArticle) -> LostArticle {
        let time = |at| iso(Timestamp(at));
        LostArticle {
            published: time(article.published_ms),
            deleted: article.deleted_ms.map(time),
            moved: article.moved_ms.map(time),
            section: article.section,
            avoidable: article.avoidable,
            listed: article.listed,
        }
    }
}

/// An outage, and how long after its end the first article was fetched.
#[derive(Debug, Serialize)]
pub(crate) struct OutageRow {
    /// ISO 8601.
    pub(crate) ended: String,
    pub(crate) hours: f64,
    pub(crate) first_article_after_min: Option<f64>,
}

impl OutageRow {
    fn all(site: &LivingSite, first: &HashMap<usize, u64>) -> Vec<OutageRow> {
        let row = |outage: &Outage| {
            let (from_ms, until_ms) = (outage.span.from_ms, outage.span.until_ms);
            let next = first.values().filter(|at| **at >= until_ms).min();
            OutageRow {
                ended: iso(Timestamp(until_ms)),
                hours: until_ms.saturating_sub(from_ms) as f64 / 3.6e6,
                first_article_after_min: next.map(|at| (at - until_ms) as f64 / 6e4),
            }
        };
        site.troubles.outages.iter().map(row).collect()
    }
}

impl SiteRow {
    fn new(world: &LivingWorld, site: &LivingSite, log: &FetchLog) -> SiteRow {
        let mut first: HashMap<usize, u64> = HashMap::new();
        for seen in log.fetches.iter().filter(|seen| seen.site == site.number) {
            let at = first.entry(seen.article).or_insert(seen.at_ms);
            *at = seen.at_ms.min(*at);
        }
        let days = (world.start() + DAY_MS)..(world.end().saturating_sub(DAY_MS));
        let judged =
            || site.articles.iter().enumerate().filter(|(_, article)| days.contains(&article.published_ms));
        let articles = judged().count();
        let lost = judged().filter(|(number, _)| !first.contains_key(number));
        let soon = judged().filter(|(number, article)| {
            first.get(number).is_some_and(|at| *at <= article.published_ms + DAY_MS / 24)
        });
        let requests = world.requests_to(site.number);
        let troubles = &site.troubles;
        let names = [
            ("block", troubles.block.is_some()),
            ("wall", troubles.wall.is_some()),
            ("redesign", troubles.redesign.is_some()),
            ("script front", troubles.redesign.is_some_and(|redesign| redesign.script_front)),
        ];
        SiteRow {
            host: site.host.clone(),
            rate: site.rate,
            articles,
            avoidable: lost.clone().filter(|(_, article)| article.avoidable).count(),
            lost: lost.clone().count(),
            outages: OutageRow::all(site, &first),
            lost_articles: lost.map(|(_, article)| LostArticle::of(article)).take(MOST_LOST).collect(),
            within_1h: soon.count() as f64 / articles.max(1) as f64,
            mishaps: site
                .mishaps
                .iter()
                .filter(|mishap| mishap.span.from_ms < world.end())
                .map(|mishap| format!("{:?} {}", mishap.kind, iso(Timestamp(mishap.span.from_ms))))
                .collect(),
            requests: requests.requests,
            listing_requests: requests.listings,
            robots_requests: requests.robots,
            troubles: names
                .iter()
                .filter(|(_, is)| *is)
                .map(|(name, _)| *name)
                .collect::<Vec<_>>()
                .join(", "),
        }
    }
}

/// Follows a world to its end, or only the site with this host. `show` is called with the number of sites that are done.
pub(crate) fn follow(
    spec: &LivingSpec,
    config: &ScheduleConfig,
    ablation: Ablation,
    only: Option<&str>,
    show: impl Fn(usize) + Sync,
) -> anyhow::Result<FollowReport> {
    let started = std::time::Instant::now();
    let world = Arc::new(LivingWorld::generate(spec));
    // The sites that publish most take longest, so they go first.
    let mut seeds = world.seeds();
    seeds.reverse();
    if let Some(host) = only {
        seeds.retain(|seed| seed.contains(&format!("//{host}/")));
        anyhow::ensure!(!seeds.is_empty(), "the world has no site `{host}`");
    }
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let collected = Mutex::new((FetchLog::default(), 0));
    // A site's crawl waits for its store most of the time.
    let threads = 2 * std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let work = || -> anyhow::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        while let Some(seed) = seeds.get(next.fetch_add(1, Ordering::Relaxed)) {
            let (log, alarms) = runtime.block_on(async {
                let mut crawl = Crawl::new(&world, config, ablation, seed).await?;
                crawl.run().await?;
                anyhow::Ok(crawl.into_results())
            })?;
            let mut all = collected.lock().unwrap_or_else(PoisonError::into_inner);
            all.0.fetches.extend(log);
            all.1 += alarms;
            drop(all);
            show(done.fetch_add(1, Ordering::Relaxed) + 1);
        }
        Ok(())
    };
    std::thread::scope(|scope| -> anyhow::Result<()> {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let mut ended = workers.into_iter().map(|worker| worker.join());
        ended.try_for_each(|end| end.unwrap_or_else(|_| Err(anyhow::anyhow!("a site's crawl panicked"))))
    })?;
    let (log, false_alarms) = collected.into_inner().unwrap_or_else(PoisonError::into_inner);
    let is_impolite = |site: &&LivingSite| {
        let log = world.requests_to(site.number);
        log.disallowed > 0 || log.too_early > 0 || log.smallest_gap_ms.is_some_and(|gap| gap < site.delay_ms)
    };
    Ok(FollowReport {
        figures: judge(&world, &log),
        false_alarms,
        impolite_sites: world.sites().iter().filter(is_impolite).count(),
        sites: world.sites().iter().map(|site| SiteRow::new(&world, site, &log)).collect(),
        seconds: started.elapsed().as_secs_f64(),
    })
}

#[cfg(test)]
mod tests;
