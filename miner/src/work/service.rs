//! The miner's service: counts partitioned pages, carries out operators' messages, and folds now and then.
//!
//! Pages are gathered into batches by site for up to [`MinerConfig::linger_ms`], so that a busy miner makes few large store
//! calls. A delivery is acknowledged after all of its effects are stored ([`crate::work::apply`]). While a store is
//! unavailable, the service keeps its deliveries and retries with growing waits. It returns them to the queue only after
//! [`HOLD`], before the broker's consumer timeout, because each return counts towards the delivery limit of the message.
//! Start at [`run`].

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use newslode_common::broker::{Delivery, Queue};
use newslode_common::config::{Follow, MinerConfig, Noarchive};
use newslode_common::message::seed::{SeedCommand, SeedMessage};
use newslode_common::message::{GonePage, PartitionedPage, envelope};
use newslode_common::page_span;
use newslode_common::retry::{HOLD, Outage, Retry, Retryable as _};
use newslode_common::shutdown;
use newslode_common::store::SiteState;
use newslode_common::telemetry::trace;
use newslode_page::reading::Site;
use newslode_page::time::Timestamp;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tracing::{Instrument as _, Span, field};

use crate::work::admission::{self, Verdict};
use crate::work::announcing;
use crate::work::apply::{PageEnd, count_traced};
use crate::work::copies::{CopyMemory, Waits, drop_copies};
use crate::work::deliveries::{ack, count_taken, reject, release};
use crate::work::error::BatchError;
use crate::work::filing;
use crate::work::fold::{FoldMemory, fold_once};
use crate::work::gather::{DeliveredPage, SiteDeliveries, gather};
use crate::work::gauges;
use crate::work::instances;
use crate::work::leader_task::LeaderTask;
use crate::work::losses;
use crate::work::owners;
use crate::work::parts::Parts;
use crate::work::recompute;
use crate::work::removal::remove_page;
use crate::work::scheme_claim::SchemeClaim;
use crate::work::seeds::apply_seed;
use crate::work::views::{Pace, ViewMemory, When, view_sites};
use crate::work::waiting::pause_on;
use crate::work::window::{Slid, Window};

/// Number of sites whose batches are counted concurrently.
const CONCURRENT_SITES: usize = 8;
/// Prefetch of operators' messages, and of pages that are gone: the one in work and the next.
const ONE_AT_A_TIME: u16 = 2;
/// Interval at which pages older than the window are removed; they leave by whole days.
const WINDOW_INTERVAL: Duration = Duration::from_secs(3_600);
/// A page that asks for no copy keeps its bytes for so long, for a template to be learnt from.
const TEMPLATE_WITHIN: Duration = Duration::from_secs(86_400);
/// Interval at which the leader saves the summaries for its successor.
const SAVE_INTERVAL: Duration = Duration::from_secs(600);

/// Runs the miner until `stop`, or until one of its loops fails. With `fold_s` 0 it does not fold, and with `views_s` 0 it
/// does not view sites: the embedded engine does both itself when nothing is under way.
///
/// # Errors
/// The error of the loop that failed.
pub async fn run(parts: Parts, config: MinerConfig, stop: CancellationToken) -> anyhow::Result<()> {
    let mut loops = JoinSet::new();
    if let Err(error) = parts.owners.heartbeat(parts.stores.state.as_ref(), Instant::now()).await {
        tracing::warn!(%error, "cannot read the roster of miners; until it can be read this miner cares for all sites");
    }
    let mut claim = SchemeClaim::default();
    if let Err(error) = claim.make(parts.stores.state.as_ref(), &*parts.schemes.set()?).await {
        tracing::warn!(%error, "cannot write which schemes this miner has; it tries again before it folds");
    }
    let (state, metrics) = (parts.stores.state.clone(), parts.metrics.clone());
    loops.spawn(owners::heartbeat_loop(parts.owners.clone(), state.clone(), metrics, stop.clone()));
    loops.spawn(pages_loop(parts.clone(), config.clone(), stop.clone()));
    loops.spawn(commands_loop(Queue::Seeds, parts.clone(), config.clone(), stop.clone()));
    loops.spawn(commands_loop(Queue::Removals, parts.clone(), config.clone(), stop.clone()));
    loops.spawn(gone_loop(parts.clone(), stop.clone()));
    loops.spawn(gauges::measure_servers(parts.clone(), stop.clone()));
    loops.spawn(gauges::measure_sites(parts.clone(), config.follow, stop.clone()));
    let restarts = Arc::new(AtomicU64::new(0));
    loops.spawn(losses::run(parts.clone(), restarts.clone(), stop.clone()));
    if config.fold_s > 0 {
        loops.spawn(fold_loop(parts.clone(), config.clone(), claim, restarts, stop.clone()));
    }
    if config.views_s > 0 {
        loops.spawn(views_loop(parts.clone(), config.clone(), stop.clone()));
    }
    if parts.announcements.are_held() {
        loops.spawn(announcing::run(parts.clone(), stop.clone()));
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
    while let Some(deliveries_by_site) = gather(&parts.metrics, consumer.as_mut(), &config, &stop).await? {
        // One task for each site, because summing and packing one batch takes as long as the store takes to count
        // another.
        let mut work = JoinSet::new();
        // One retry, and so one deadline, for everything gathered: a batch that waits for a task is held as long.
        let retry = Retry::within(HOLD).until(&stop);
        for (site, deliveries) in deliveries_by_site {
            if work.len() >= CONCURRENT_SITES {
                work.join_next().await.transpose()?;
            }
            let (retry, servers) = (retry.clone(), servers.clone());
            work.spawn(site_batch(parts.clone(), config.clone(), site, deliveries, retry, servers));
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
    gathered: SiteDeliveries,
    retry: Retry,
    servers: Arc<Outage>,
) {
    let mut waiting = gathered.pages;
    while !waiting.is_empty() {
        // Gathering ends by batch size or prefetch, so one site may have more pages than a batch.
        let rest = waiting.split_off(config.batch.min(waiting.len()));
        let (mut deliveries, mut pages, mut spans) = (Vec::new(), Vec::new(), Vec::new());
        for DeliveredPage { delivery, page, span } in waiting {
            deliveries.push((delivery, span.clone()));
            pages.push(page);
            spans.push(span);
        }
        let work = || admit_and_count(&parts, config.follow, &site, &pages, &spans, parts.clock.now());
        let ends = retry.run(&servers, work).await;
        drop(spans);
        end_deliveries(&parts, Queue::Partitions, &site, deliveries, ends).await;
        waiting = rest;
    }
    for (delivery, gone) in gathered.gone {
        let end = retry.run(&servers, || admit_and_remove(&parts, &gone, parts.clock.now())).await;
        let deliveries = vec![(delivery, Span::none())];
        end_deliveries(&parts, Queue::Partitions, &site, deliveries, end.map(|end| vec![end])).await;
    }
}

/// Counts the pages that are [admitted](admission). Returns each page's result, in order.
async fn admit_and_count(
    parts: &Parts,
    follow: Follow,
    site: &Site,
    pages: &[PartitionedPage],
    spans: &[Span],
    now: Timestamp,
) -> Result<Vec<PageEnd>, BatchError> {
    let verdicts = admission::verdicts(parts, site, pages, now).await?;
    if verdicts.iter().all(|verdict| *verdict == Verdict::Count) {
        return count_traced(parts, follow, site, pages, spans, now).await;
    }
    let (admitted, spans): (Vec<PartitionedPage>, Vec<Span>) = pages
        .iter()
        .zip(spans)
        .zip(&verdicts)
        .filter(|(_, verdict)| **verdict == Verdict::Count)
        .map(|((page, span), _)| (page.clone(), span.clone()))
        .unzip();
    let mut counted = match admitted.is_empty() {
        true => Vec::new(),
        false => count_traced(parts, follow, site, &admitted, &spans, now).await?,
    }
    .into_iter();
    let ends = verdicts.into_iter().map(|verdict| match verdict {
        Verdict::Count => counted.next().unwrap_or(PageEnd::Stale),
        Verdict::Stale => PageEnd::Stale,
        Verdict::Refuse(reason) => PageEnd::Rejected(reason),
    });
    Ok(ends.collect())
}

async fn admit_and_remove(parts: &Parts, gone: &GonePage, now: Timestamp) -> Result<PageEnd, BatchError> {
    match admission::refusal_of_gone(parts, gone, now).await? {
        Some(reason) => Ok(PageEnd::Rejected(reason)),
        None => remove_page(parts, gone, now).await,
    }
}

async fn end_deliveries(
    parts: &Parts,
    queue: Queue,
    site: &Site,
    deliveries: Vec<(Delivery, Span)>,
    ends: Result<Vec<PageEnd>, BatchError>,
) {
    match ends {
        Ok(ends) => {
            for ((delivery, span), end) in deliveries.into_iter().zip(ends) {
                span.record("newslode.end", end.name());
                if let PageEnd::Rejected(reason) = &end {
                    trace::fail(&span, reason);
                }
                match end {
                    PageEnd::Rejected(reason) => reject(&parts.metrics, queue, delivery, &reason).await,
                    PageEnd::Applied | PageEnd::Stale | PageEnd::Unwanted => {
                        ack(delivery).await;
                    }
                }
            }
        }
        Err(error) if error.is_retryable() => {
            tracing::warn!(%site, %error, %queue, pages = deliveries.len(), "cannot count or remove pages of a site; returned them to the queue");
            for (delivery, span) in deliveries {
                span.record("newslode.end", "released");
                release(delivery).await;
            }
        }
        Err(error) => {
            for (delivery, span) in deliveries {
                trace::fail(&span, &error.to_string());
                reject(&parts.metrics, queue, delivery, &error.to_string()).await;
            }
        }
    }
}

/// Removes pages that crawlers found gone.
async fn gone_loop(parts: Parts, stop: CancellationToken) -> anyhow::Result<()> {
    let mut consumer = parts.broker.consume(Queue::Gone, ONE_AT_A_TIME).await?;
    let servers = Outage::new("store, archive or broker");
    loop {
        let delivery = tokio::select! {
            () = stop.cancelled() => return Ok(()),
            delivery = consumer.next() => delivery?,
        };
        count_taken(&parts.metrics, Queue::Gone, &delivery);
        let gone: GonePage = match envelope::open_delivered(&delivery.body) {
            Ok(gone) => gone,
            Err(error) => {
                reject(&parts.metrics, Queue::Gone, delivery, &error.to_string()).await;
                continue;
            }
        };
        let span = page_span!(
            "remove",
            otel.kind = "consumer",
            url.full = %gone.url,
            newslode.end = field::Empty
        );
        trace::follow(&span, delivery.trace.as_ref());
        let work = || admit_and_remove(&parts, &gone, parts.clock.now());
        let end = Retry::within(HOLD).until(&stop).run(&servers, work).instrument(span.clone()).await;
        let deliveries = vec![(delivery, span)];
        end_deliveries(&parts, Queue::Gone, &gone.site, deliveries, end.map(|end| vec![end])).await;
    }
}

/// Carries out operators' messages of one queue.
async fn commands_loop(
    queue: Queue,
    parts: Parts,
    config: MinerConfig,
    stop: CancellationToken,
) -> anyhow::Result<()> {
    let mut consumer = parts.broker.consume(queue, ONE_AT_A_TIME).await?;
    let servers = Outage::new("store or archive");
    loop {
        let delivery = tokio::select! {
            () = stop.cancelled() => return Ok(()),
            delivery = consumer.next() => delivery?,
        };
        count_taken(&parts.metrics, queue, &delivery);
        let command = match command_of(queue, &delivery.body, config.old_removals) {
            Ok(command) => command,
            Err(reason) => {
                reject(&parts.metrics, queue, delivery, &reason).await;
                continue;
            }
        };
        let work = || apply_seed(&parts, &config, command.clone(), parts.clock.now());
        match Retry::within(HOLD).until(&stop).run(&servers, work).await {
            Ok(site) => {
                tracing::info!(%site, "carried out an operator's message");
                ack(delivery).await;
            }
            Err(error) if error.is_retryable() => {
                tracing::warn!(%error, "cannot carry out an operator's message; returned it to the queue");
                release(delivery).await;
            }
            Err(error) => reject(&parts.metrics, queue, delivery, &error.to_string()).await,
        }
    }
}

/// Reads an operator's message, which must be on its own queue.
fn command_of(queue: Queue, message: &[u8], old_removals: bool) -> Result<SeedCommand, String> {
    let command = SeedMessage::parse(message).map_err(|error| error.to_string())?;
    match (command.queue(), queue) {
        (wanted, found) if wanted == found => Ok(command),
        (Queue::Removals, _) if old_removals => Ok(command),
        (Queue::Removals, _) => {
            Err("`remove` and `forget` belong on the queue `removals`; `miner.old_removals = true` takes \
             them here"
                .into())
        }
        (wanted, _) => {
            Err(format!("only `remove` and `forget` belong on this queue, all else on `{wanted}`"))
        }
    }
}

async fn fold_loop(
    parts: Parts,
    config: MinerConfig,
    mut claim: SchemeClaim,
    restarts: Arc<AtomicU64>,
    stop: CancellationToken,
) -> anyhow::Result<()> {
    let mut memory = FoldMemory::default();
    let (mut seen_restarts, mut saved_at) = (0, Instant::now());
    let mut filing_task = LeaderTask::new(config.filing_s);
    let mut instances_task = LeaderTask::new(config.instances_s);
    let (between, pace) = (Duration::from_secs(config.fold_s), Pace { at_once: 1, share: config.fold_share });
    let mut took = Duration::ZERO;
    while pause_on(&parts.clock, between.max(pace.rest_after(took)), &stop).await {
        took = Duration::ZERO;
        if !parts.owners.leads() {
            save_summaries(parts.stores.state.as_ref(), &mut memory).await;
            memory = FoldMemory::default();
            filing_task.stop().await;
            instances_task.stop().await;
            parts.metrics.taxonomy.reset();
            continue;
        }
        let restarted = restarts.load(Ordering::Relaxed);
        if restarted != seen_restarts {
            // The store may have lost writes that the memory already knows.
            (memory, seen_restarts) = (FoldMemory::default(), restarted);
        }
        if !may_fold(&parts, &mut claim).await {
            continue;
        }
        let begun = Instant::now();
        let folded = fold_once(&parts, &config, &mut memory, false, parts.clock.now()).await;
        took = begun.elapsed();
        match folded {
            Ok(report) => tracing::debug!(?report, "the fold is done"),
            Err(error) => {
                tracing::warn!(
                    error = format!("{error:#}"),
                    "the fold failed; the taxonomy stays as it is until the next fold"
                )
            }
        }
        if let Some(last) = memory.last() {
            filing_task
                .start_if_due(last, |last| filing::renew(parts.stores.clone(), parts.schemes.clone(), last));
            instances_task.start_if_due(last, |last| {
                instances::renew(parts.stores.clone(), parts.metrics.clone(), last, config.views_share)
            });
        }
        if saved_at.elapsed() > SAVE_INTERVAL {
            save_summaries(parts.stores.state.as_ref(), &mut memory).await;
            saved_at = Instant::now();
        }
    }
    filing_task.stop().await;
    instances_task.stop().await;
    save_summaries(parts.stores.state.as_ref(), &mut memory).await;
    Ok(())
}

/// Whether this miner's schemes are those of the store.
async fn may_fold(parts: &Parts, claim: &mut SchemeClaim) -> bool {
    let check = async {
        let ours = parts.schemes.set()?;
        let others = claim.check(parts.stores.state.as_ref(), &ours).await?;
        anyhow::Ok(others.map(|others| (others.names, ours.names().to_vec())))
    };
    match check.await {
        Ok(None) => true,
        Ok(Some((theirs, ours))) => {
            tracing::error!(
                ?ours,
                ?theirs,
                "a miner that was started later has other schemes, so this miner does not fold; give all miners the same files in \
                 `miner.schemes` and the same `miner.builtin_schemes`, and restart them"
            );
            false
        }
        Err(error) => {
            tracing::warn!(
                error = format!("{error:#}"),
                "cannot read which schemes the miners have; the taxonomy stays as it is until the next fold"
            );
            false
        }
    }
}

/// Saves the summaries for the next leader.
async fn save_summaries(state: &dyn SiteState, memory: &mut FoldMemory) {
    if let Err(error) = memory.save(state).await {
        tracing::warn!(%error, "cannot save the summaries; the next leader will have to rebuild them");
    }
}

/// Views sites every [`MinerConfig::views_s`] seconds, at [`MinerConfig::views_share`] per cent of one core.
/// Then it deletes copies of pages that ask for none, if that is configured: never while a view may write them.
///
/// # Errors
/// Never; a failure is logged, and the next pass tries again.
pub async fn views_loop(parts: Parts, config: MinerConfig, stop: CancellationToken) -> anyhow::Result<()> {
    let pace = Pace { at_once: 1, share: config.views_share };
    let (mut memory, mut copies) = (ViewMemory::new(), CopyMemory::default());
    let waits = Waits { recounting: config.recompute_share > 0, template: TEMPLATE_WITHIN };
    while pause_on(&parts.clock, Duration::from_secs(config.views_s), &stop).await {
        match view_sites(&parts, When::Grown, pace, &mut memory, &stop).await {
            Ok(report) => tracing::debug!(?report, "viewed sites"),
            Err(error) => tracing::warn!(%error, "cannot view sites; the next pass tries again"),
        }
        if parts.noarchive != Noarchive::Drop {
            continue;
        }
        match drop_copies(&parts, (waits, pace), &mut copies, &stop).await {
            Ok(dropped) => tracing::debug!(?dropped, "deleted copies of pages that ask for none"),
            Err(error) => {
                tracing::warn!(%error, "cannot delete copies of pages that ask for none; the next pass tries again")
            }
        }
    }
    Ok(())
}

/// Removes pages older than the window, now and then.
async fn window_loop(parts: Parts, days: u32, stop: CancellationToken) -> anyhow::Result<()> {
    let mut window = Window::default();
    loop {
        let is_leader = parts.owners.leads();
        match if is_leader {
            window.slide(&parts.stores, days, parts.clock.now()).await
        } else {
            Ok(Slid::default())
        } {
            Ok(slid) if slid != Slid::default() => {
                tracing::info!(?slid, "removed pages older than the window")
            }
            Ok(_) => {}
            Err(error) => {
                tracing::warn!(%error, "cannot remove pages older than the window; the next attempt continues")
            }
        }
        if !pause_on(&parts.clock, WINDOW_INTERVAL, &stop).await {
            return Ok(());
        }
    }
}
