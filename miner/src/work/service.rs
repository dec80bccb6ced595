//! The miner's service: takes partitioned pages and operators' messages from their queues, and folds now and
//! then.
//!
//! Pages are gathered into batches by site for as long as [`MinerConfig::linger_ms`], so that a busy miner
//! makes few large store calls. A delivery is acknowledged after all of its effects are stored
//! ([`crate::work::apply`]). While a store is away, deliveries are held and tried again with growing waits.
//! They are given back only after [`HOLD`], within the broker's consumer timeout, since the broker counts a
//! returned delivery against the message. Start at [`run`].

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use newslode_common::broker::{Delivery, Queue};
use newslode_common::config::MinerConfig;
use newslode_common::message::seed::SeedMessage;
use newslode_common::retry::{HOLD, Outage, Retry, Retryable as _};
use newslode_common::shutdown;
use newslode_common::store::SiteState;
use newslode_common::time;
use newslode_page::reading::Site;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::work::apply::{PageEnd, batch};
use crate::work::deliveries::{ack, count_taken, reject, release};
use crate::work::ending::take_out;
use crate::work::error::BatchError;
use crate::work::filing;
use crate::work::fold::{FoldMemory, fold_once};
use crate::work::gather::{OfSite, gather};
use crate::work::instances;
use crate::work::losses;
use crate::work::measures;
use crate::work::owners;
use crate::work::parts::Parts;
use crate::work::recompute;
use crate::work::renewal::Renewal;
use crate::work::seeds::obey;
use crate::work::views;
use crate::work::waiting::pause;
use crate::work::window::{Slid, Window};

/// Sites whose batches are under way at once.
const SITES_AT_ONCE: usize = 8;
/// The most seeds held: the one in work and the next.
const SEED_PREFETCH: u16 = 2;
/// Interval at which pages older than the window are taken out; they leave by whole days.
const WINDOW_EVERY: Duration = Duration::from_secs(3_600);
/// Interval at which the leader keeps in the store what its successor would have to read.
const KEEP_EVERY: Duration = Duration::from_secs(600);

/// Runs the miner until `stop`, or until one of its loops fails. With `fold_s` 0 it does not fold, and with
/// `views_s` 0 it views no site: the embedded engine does that itself when nothing is under way.
///
/// # Errors
/// The error of the loop that failed.
pub async fn run(parts: Parts, config: MinerConfig, stop: CancellationToken) -> anyhow::Result<()> {
    let mut loops = JoinSet::new();
    if let Err(error) = parts.owners.beat(parts.stores.state.as_ref(), Instant::now()).await {
        tracing::warn!(%error, "cannot read the roster of miners; until it can be read this miner cares for all sites");
    }
    let (state, metrics) = (parts.stores.state.clone(), parts.metrics.clone());
    loops.spawn(owners::run(parts.owners.clone(), state.clone(), metrics, stop.clone()));
    loops.spawn(pages_loop(parts.clone(), config.clone(), stop.clone()));
    loops.spawn(seeds_loop(parts.clone(), config.clone(), stop.clone()));
    loops.spawn(measures::servers(parts.clone(), stop.clone()));
    loops.spawn(measures::sites(parts.clone(), config.follow, stop.clone()));
    let restarts = Arc::new(AtomicU64::new(0));
    loops.spawn(losses::run(parts.clone(), restarts.clone(), stop.clone()));
    if config.fold_s > 0 {
        loops.spawn(fold_loop(parts.clone(), config.clone(), restarts, stop.clone()));
    }
    if config.views_s > 0 {
        loops.spawn(views::run(parts.clone(), config.clone(), stop.clone()));
    }
    if config.window_days > 0 {
        loops.spawn(window_loop(parts.clone(), config.window_days, stop.clone()));
    }
    if config.filing_s > 0 {
        loops.spawn(filing::refresh_loop(parts.filing.clone(), state, config.filing_s, stop.clone()));
    }
    loops.spawn(recompute::run(parts, config.clone(), stop.clone()));
    let first = loops.join_next().await;
    stop.cancel();
    let aborted = shutdown::drain(&mut loops, Duration::from_millis(config.grace_ms)).await;
    if aborted > 0 {
        tracing::warn!(
            aborted,
            "the grace period is over; the broker will deliver unfinished messages again"
        );
    }
    match first {
        None => Ok(()),
        Some(ended) => ended?,
    }
}

async fn pages_loop(parts: Parts, config: MinerConfig, stop: CancellationToken) -> anyhow::Result<()> {
    let mut consumer = parts.broker.consume(Queue::Partitions, config.prefetch).await?;
    let servers = Arc::new(Outage::new("store, archive or broker"));
    while let Some(held) = gather(&parts.metrics, consumer.as_mut(), &config, &stop).await? {
        // Each site gets its own task: summing and packing one batch takes as long as the store takes to
        // count another.
        let mut work = JoinSet::new();
        // One retry for everything gathered: batches that wait for others are held as long.
        let retry = Retry::within(HOLD).until(&stop);
        for (site, held) in held {
            if work.len() >= SITES_AT_ONCE {
                work.join_next().await.transpose()?;
            }
            let (retry, servers) = (retry.clone(), servers.clone());
            work.spawn(site_batch(parts.clone(), config.clone(), site, held, retry, servers));
        }
        while let Some(ended) = work.join_next().await {
            ended?;
        }
    }
    Ok(())
}

/// Counts one site's deliveries and acknowledges or rejects them.
async fn site_batch(
    parts: Parts,
    config: MinerConfig,
    site: Site,
    held: OfSite,
    retry: Retry,
    servers: Arc<Outage>,
) {
    let (mut deliveries, mut pages): (Vec<_>, Vec<_>) = held.pages.into_iter().unzip();
    while !pages.is_empty() {
        // If other sites fill the prefetch, one site's share may exceed a batch.
        let rest = pages.split_off(config.batch.min(pages.len()));
        let later = deliveries.split_off(pages.len());
        let work = || batch(&parts, config.follow, &site, &pages, time::now());
        let ends = retry.run(&servers, work).await;
        end_deliveries(&parts, &site, deliveries, ends).await;
        (deliveries, pages) = (later, rest);
    }
    for (delivery, gone) in held.gone {
        let end = retry.run(&servers, || take_out(&parts, &gone, time::now())).await;
        end_deliveries(&parts, &site, vec![delivery], end.map(|end| vec![end])).await;
    }
}

async fn end_deliveries(
    parts: &Parts,
    site: &Site,
    deliveries: Vec<Delivery>,
    ends: Result<Vec<PageEnd>, BatchError>,
) {
    match ends {
        Ok(ends) => {
            for (delivery, end) in deliveries.into_iter().zip(ends) {
                match end {
                    PageEnd::Rejected(reason) => {
                        reject(&parts.metrics, Queue::Partitions, delivery, &reason).await
                    }
                    PageEnd::Applied | PageEnd::Stale | PageEnd::Unwanted => {
                        ack(delivery).await;
                    }
                }
            }
        }
        Err(error) if error.is_retryable() => {
            tracing::warn!(%site, %error, pages = deliveries.len(), "cannot count pages of a site; returned them to the queue");
            for delivery in deliveries {
                release(delivery).await;
            }
        }
        Err(error) => {
            for delivery in deliveries {
                reject(&parts.metrics, Queue::Partitions, delivery, &error.to_string()).await;
            }
        }
    }
}

async fn seeds_loop(parts: Parts, config: MinerConfig, stop: CancellationToken) -> anyhow::Result<()> {
    let mut consumer = parts.broker.consume(Queue::Seeds, SEED_PREFETCH).await?;
    let servers = Outage::new("store or archive");
    loop {
        let delivery = tokio::select! {
            () = stop.cancelled() => return Ok(()),
            delivery = consumer.next() => delivery?,
        };
        count_taken(&parts.metrics, Queue::Seeds, &delivery);
        let command = match SeedMessage::parse(&delivery.body) {
            Ok(command) => command,
            Err(error) => {
                reject(&parts.metrics, Queue::Seeds, delivery, &error.to_string()).await;
                continue;
            }
        };
        let work = || obey(&parts, &config, command.clone(), time::now());
        match Retry::within(HOLD).until(&stop).run(&servers, work).await {
            Ok(site) => {
                tracing::info!(%site, "carried out an operator's message");
                ack(delivery).await;
            }
            Err(error) if error.is_retryable() => {
                tracing::warn!(%error, "cannot carry out an operator's message; returned it to the queue");
                release(delivery).await;
            }
            Err(error) => reject(&parts.metrics, Queue::Seeds, delivery, &error.to_string()).await,
        }
    }
}

async fn fold_loop(
    parts: Parts,
    config: MinerConfig,
    restarts: Arc<AtomicU64>,
    stop: CancellationToken,
) -> anyhow::Result<()> {
    let mut memory = FoldMemory::default();
    let (mut seen, mut kept) = (0, Instant::now());
    let mut learning = Renewal::new(config.filing_s);
    let mut reading = Renewal::new(config.instances_s);
    while pause(Duration::from_secs(config.fold_s), &stop).await {
        if !parts.owners.leads() {
            keep(parts.stores.state.as_ref(), &mut memory).await;
            memory = FoldMemory::default();
            learning.stop().await;
            reading.stop().await;
            parts.metrics.taxonomy.reset();
            continue;
        }
        let restarted = restarts.load(Ordering::Relaxed);
        if restarted != seen {
            // The memory may be ahead of the restarted store.
            (memory, seen) = (FoldMemory::default(), restarted);
        }
        match fold_once(&parts, &config, &mut memory, false, time::now()).await {
            Ok(report) => tracing::debug!(?report, "the fold is done"),
            Err(error) => {
                tracing::warn!(
                    error = format!("{error:#}"),
                    "the fold failed; the taxonomy stays as it is until the next fold"
                )
            }
        }
        if let Some(last) = memory.last() {
            learning.begin_if_due(last, |last| filing::renew(parts.stores.clone(), last));
            reading.begin_if_due(last, |last| {
                instances::renew(parts.stores.clone(), parts.metrics.clone(), last, config.views_share)
            });
        }
        if kept.elapsed() > KEEP_EVERY {
            keep(parts.stores.state.as_ref(), &mut memory).await;
            kept = Instant::now();
        }
    }
    learning.stop().await;
    reading.stop().await;
    keep(parts.stores.state.as_ref(), &mut memory).await;
    Ok(())
}

/// Keeps what whoever folds next would have to read.
async fn keep(state: &dyn SiteState, memory: &mut FoldMemory) {
    if let Err(error) = memory.keep(state).await {
        tracing::warn!(%error, "cannot save the summaries; the next leader will have to rebuild them");
    }
}

/// Takes out pages that are older than the window, now and then.
async fn window_loop(parts: Parts, days: u32, stop: CancellationToken) -> anyhow::Result<()> {
    let mut window = Window::default();
    loop {
        let is_ours = parts.owners.leads();
        match if is_ours { window.slide(&parts.stores, days, time::now()).await } else { Ok(Slid::default()) }
        {
            Ok(slid) if slid != Slid::default() => {
                tracing::info!(?slid, "removed pages older than the window")
            }
            Ok(_) => {}
            Err(error) => {
                tracing::warn!(%error, "cannot remove pages older than the window; the next attempt continues")
            }
        }
        if !pause(WINDOW_EVERY, &stop).await {
            return Ok(());
        }
    }
}
