//! What it costs the Redis server that crawlers ask whose turn it is, and how busy it keeps them.
//!
//! The crawlers are the real ones, in one process, each with a connection of its own. Only the network is made up: a
//! request takes a given time. Start at [`measure`].

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use futures::stream::{StreamExt as _, TryStreamExt as _};
use newslode_common::config::CrawlerConfig;
use newslode_common::schedule::ScheduleConfig;
use newslode_common::store::redis::{RedisStore, Work};
use newslode_common::store::{Completion, Frontier, NewUrl, SiteSettings, Why};
use newslode_common::telemetry::metrics::Metrics;
use newslode_common::time::{self, Clock};
use newslode_crawler::error::FetchError;
use newslode_crawler::web::{HeaderMap, Response, Web, response};
use newslode_crawler::{Parts, Surroundings};
use newslode_page::Timestamp;
use newslode_page::reading::Site;
use serde::Serialize;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use url::Url;

use super::follow::Outbox;

/// Calls in flight while sites are made.
const IN_FLIGHT: usize = 64;
/// Crawlers are watched for this long, after a while in which they begin.
const WATCHED: Duration = Duration::from_secs(10);
const BEGINNING: Duration = Duration::from_secs(2);
/// URLs of each site that are due at once.
const URLS: usize = 12;
const LEASE: Duration = Duration::from_secs(3_600);
const DAY: Duration = Duration::from_secs(86_400);

/// What is measured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClaimSpec {
    pub(crate) sites: usize,
    pub(crate) crawlers: usize,
    /// Workers of each crawler.
    pub(crate) workers: usize,
    /// How long a request takes, in milliseconds.
    pub(crate) fetch_ms: u64,
}

/// The figures.
#[derive(Debug, Serialize)]
pub(crate) struct ClaimReport {
    pub(crate) sites: usize,
    pub(crate) crawlers: usize,
    pub(crate) workers: usize,
    /// Commands a second of all crawlers while nothing is due, those inside functions included.
    pub(crate) idle_commands_per_second: f64,
    /// Processor time of the server for a claim, in microseconds: one at a time, and for all workers of a crawler at once.
    pub(crate) cpu_us_per_claim: f64,
    pub(crate) cpu_us_per_claim_of_many: f64,
    /// Requests a second while much is due, and the share of the workers' time that they took.
    pub(crate) fetches_per_second: f64,
    pub(crate) busy_share: f64,
    /// Processor time of the server for a fetch with all its calls, in microseconds.
    pub(crate) cpu_us_per_fetch: f64,
}

/// A network on which each request takes the same time.
struct Slow {
    wait: Duration,
    requests: AtomicU64,
}

#[async_trait]
impl Web for Slow {
    async fn address(&self, _: &Url) -> Option<IpAddr> {
        None
    }

    async fn send(&self, url: &Url, _: HeaderMap) -> Result<Response, FetchError> {
        tokio::time::sleep(self.wait).await;
        self.requests.fetch_add(1, Ordering::Relaxed);
        let status = if url.path() == "/robots.txt" { 404 } else { 200 };
        Ok(response(status, &[("content-type", "text/plain".to_owned())], "No news.".into()))
    }
}

/// Fills a server and measures it. `connect` makes a store with a connection of its own.
pub(crate) async fn measure<C: AsyncFn() -> anyhow::Result<RedisStore>>(
    spec: ClaimSpec,
    connect: C,
    say: &mut dyn FnMut(&str),
) -> anyhow::Result<ClaimReport> {
    let store = connect().await?;
    let start = time::now();
    say(&format!("making {} sites", spec.sites));
    add(&store, spec.sites, 1, start.plus(DAY)).await?;
    say("watching crawlers while nothing is due");
    let idle = crawl(&spec, &store, &connect).await?;
    say("watching crawlers while much is due");
    add(&store, spec.sites, URLS, time::now()).await?;
    let busy = crawl(&spec, &store, &connect).await?;
    say("claiming");
    let one = claims(&store, start.plus(2 * DAY), 1).await?;
    let many = claims(&store, start.plus(3 * DAY), spec.workers).await?;
    let worked = busy.requests as f64 * spec.fetch_ms as f64 / 1_000.0;
    Ok(ClaimReport {
        sites: spec.sites,
        crawlers: spec.crawlers,
        workers: spec.workers,
        idle_commands_per_second: idle.work.commands as f64 / idle.seconds,
        cpu_us_per_claim: one,
        cpu_us_per_claim_of_many: many,
        fetches_per_second: busy.requests as f64 / busy.seconds,
        busy_share: worked / (spec.crawlers * spec.workers) as f64 / busy.seconds,
        cpu_us_per_fetch: busy.work.cpu_us as f64 / busy.requests.max(1) as f64,
    })
}

/// Adds this many URLs to each of the sites, due at a time.
async fn add(store: &RedisStore, sites: usize, urls: usize, due: Timestamp) -> anyhow::Result<()> {
    let settings = SiteSettings {
        max_pages: u64::MAX >> 12,
        max_depth: 9,
        delay_ms: 1_000,
        paused: false,
        labels: Default::default(),
    };
    let settings = &settings;
    futures::stream::iter(0..sites)
        .map(|number| async move {
            let host = format!("site{number}.example");
            store.put_site(&Site::of_host(&host), settings).await?;
            let urls = (0..urls)
                .map(|page| {
                    Ok(NewUrl::once(format!("https://{host}/{urls}/{page}").parse()?, 1, Why::Link, 0))
                })
                .collect::<anyhow::Result<Vec<_>>>()?;
            store.add(&urls, due).await?;
            anyhow::Ok(())
        })
        .buffer_unordered(IN_FLIGHT)
        .try_collect()
        .await
}

/// Claims a URL of every site and gives it back. Returns the server's time for a claim, in microseconds.
async fn claims(store: &RedisStore, now: Timestamp, most: usize) -> anyhow::Result<f64> {
    let before = store.work().await?;
    let mut held = Vec::new();
    loop {
        let claims = store.claim(now, LEASE, most).await?.claims;
        if claims.is_empty() {
            break;
        }
        held.extend(claims);
    }
    let cpu_us = store.work().await?.cpu_us - before.cpu_us;
    anyhow::ensure!(!held.is_empty(), "nothing could be claimed");
    for claim in &held {
        store.complete(claim, Completion::Released, now).await?;
    }
    Ok(cpu_us as f64 / held.len() as f64)
}

/// What crawlers did within some seconds, and their server.
struct Watched {
    requests: u64,
    work: Work,
    seconds: f64,
}

/// Watches crawlers for a while.
async fn crawl<C: AsyncFn() -> anyhow::Result<RedisStore>>(
    spec: &ClaimSpec,
    store: &RedisStore,
    connect: &C,
) -> anyhow::Result<Watched> {
    let config = CrawlerConfig { workers: spec.workers, grace_ms: 1_000, ..CrawlerConfig::default() };
    let web = Arc::new(Slow { wait: Duration::from_millis(spec.fetch_ms), requests: AtomicU64::new(0) });
    let stop = CancellationToken::new();
    let mut crawlers = JoinSet::new();
    for _ in 0..spec.crawlers {
        let outbox = Arc::new(Outbox::default());
        let parts = Parts {
            frontier: Arc::new(connect().await?),
            broker: outbox.clone(),
            archive: outbox,
            parsed: Arc::default(),
            metrics: Metrics::new()?,
            network: Arc::default(),
            room: None,
        };
        let around = Surroundings { web: web.clone(), clock: Clock::Machine };
        let schedule = ScheduleConfig::default();
        crawlers.spawn(newslode_crawler::run_in(parts, config.clone(), schedule, around, stop.clone()));
    }
    tokio::time::sleep(BEGINNING).await;
    let (begun, begun_with, before) =
        (Instant::now(), web.requests.load(Ordering::Relaxed), store.work().await?);
    tokio::time::sleep(WATCHED).await;
    let after = store.work().await?;
    let watched = Watched {
        requests: web.requests.load(Ordering::Relaxed) - begun_with,
        work: Work { commands: after.commands - before.commands, cpu_us: after.cpu_us - before.cpu_us },
        seconds: begun.elapsed().as_secs_f64(),
    };
    stop.cancel();
    while let Some(ended) = crawlers.join_next().await {
        ended??;
    }
    Ok(watched)
}
