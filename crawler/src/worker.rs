//! One fetch loop: claim, work, complete, until told to stop.
//!
//! [`attempt`](crate::attempt) works on a claim. This module does the rest: it waits for a turn, catches
//! panics, releases the claim at a stop, completes it and counts the outcome. Start at [`fetch_loop`].

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use futures::FutureExt as _;
use newslode_common::config::CrawlerConfig;
use newslode_common::retry::{Backoff, Outage, Retry, Retryable as _};
use newslode_common::schedule::ScheduleConfig;
use newslode_common::store::{Claim, Completed, Completion, StoreResult};
use newslode_common::time::Clock;
use tokio_util::sync::CancellationToken;

use crate::attempt;
use crate::error::{FetchError, Policy};
use crate::fetch::Fetcher;
use crate::heed::Answered;
use crate::robots::Robots;
use crate::visit::Met;
use crate::{Parts, Surroundings, visit};

/// Shortest and longest pause while no URL is due: short at first, as a site's next turn is often near.
const IDLE: (Duration, Duration) = (Duration::from_millis(10), Duration::from_millis(250));

/// Longest wait for the turn of an address that a claim may be held for.
const LONGEST_QUEUE: Duration = Duration::from_secs(10);

/// The state that all loops of a crawler share.
pub(crate) struct Shared {
    pub(crate) parts: Parts,
    pub(crate) config: CrawlerConfig,
    pub(crate) schedule: ScheduleConfig,
    pub(crate) clock: Clock,
    pub(crate) fetcher: Fetcher,
    pub(crate) robots: Robots,
    pub(crate) outages: Outages,
    /// Links that were added lately.
    pub(crate) met: Met,
    pub(crate) answered: Answered,
    stop: CancellationToken,
}

/// The servers that a crawler may have to wait for.
pub(crate) struct Outages {
    pub(crate) store: Outage,
    pub(crate) broker: Outage,
}

impl Default for Outages {
    fn default() -> Self {
        Outages { store: Outage::new("store"), broker: Outage::new("broker") }
    }
}

impl Shared {
    pub(crate) fn new(
        parts: Parts,
        config: CrawlerConfig,
        schedule: ScheduleConfig,
        surroundings: Surroundings,
        stop: CancellationToken,
    ) -> Shared {
        let Surroundings { web, clock } = surroundings;
        let fetcher = Fetcher::new(web, clock.clone(), &config);
        let robots = Robots::new(fetcher.clone(), clock.clone(), &config);
        let (outages, met, answered) = (Outages::default(), Met::default(), Answered::default());
        Shared { parts, config, schedule, clock, fetcher, robots, outages, met, answered, stop }
    }

    pub(crate) fn policy(&self) -> Policy {
        let first = Duration::from_millis(self.config.retry_ms);
        Policy { first, attempts: self.config.max_attempts }
    }

    /// Repeats a store call until it is answered. Returns errors that repeating does not change.
    pub(crate) async fn persist<T, F>(&self, call: impl FnMut() -> F) -> StoreResult<T>
    where
        F: Future<Output = StoreResult<T>>,
    {
        Retry::for_ever().run(&self.outages.store, call).await
    }

    /// Returns when work in hand must be given back: near the end of the grace, with time left to do so.
    async fn must_release(&self) {
        self.stop.cancelled().await;
        tokio::time::sleep(Duration::from_millis(self.config.grace_ms) * 4 / 5).await;
    }
}

/// Works on one claim after another until the stop.
pub(crate) async fn fetch_loop(shared: Arc<Shared>) -> anyhow::Result<()> {
    let mut idle = Backoff::new(IDLE.0, IDLE.1);
    while let Some(claims) = next_claims(&shared).await? {
        let is_idle = claims.is_empty();
        for claim in claims {
            work_on(&shared, &claim).await.with_context(|| format!("on `{}`", claim.url))?;
        }
        if is_idle {
            // Look again, whether the pause or the stop ended the wait.
            drop(tokio::time::timeout(idle.next_wait(), shared.stop.cancelled()).await);
        } else {
            idle = Backoff::new(IDLE.0, IDLE.1);
        }
    }
    Ok(())
}

/// Works on the claims that can be had now, one after another. Returns their number.
pub(crate) async fn step(shared: &Shared) -> anyhow::Result<usize> {
    let Some(claims) = next_claims(shared).await? else { return Ok(0) };
    for claim in &claims {
        work_on(shared, claim).await.with_context(|| format!("on `{}`", claim.url))?;
    }
    Ok(claims.len())
}

/// At most one claim; `None` at the stop.
async fn next_claims(shared: &Shared) -> anyhow::Result<Option<Vec<Claim>>> {
    if shared.stop.is_cancelled() {
        return Ok(None);
    }
    let lease = Duration::from_millis(shared.config.lease_ms);
    // No call races the stop: an answer that nobody reads would leave a URL leased.
    let claiming = || shared.parts.frontier.claim(shared.clock.now(), lease, 1);
    match Retry::for_ever().until(&shared.stop).run(&shared.outages.store, claiming).await {
        Ok(claims) => Ok(Some(claims)),
        Err(error) if error.is_retryable() => Ok(None),
        Err(error) => Err(error).context("cannot claim from the frontier"),
    }
}

/// Fetches, then completes. An error ends the service, after the claim is given back.
async fn work_on(shared: &Shared, claim: &Claim) -> anyhow::Result<()> {
    let work = AssertUnwindSafe(completion(shared, claim)).catch_unwind();
    let result = tokio::select! {
        ended = work => ended.unwrap_or_else(|panic| Ok(after_panic(shared, claim, &*panic))),
        () = shared.must_release() => Ok(Completion::Released),
    };
    match result {
        Ok(completion) => complete(shared, claim, completion).await,
        Err(error) => {
            if let Err(second) = complete(shared, claim, Completion::Released).await {
                tracing::warn!(
                    error = format!("{second:#}"),
                    "cannot release a claim; its lease will expire"
                );
            }
            Err(error)
        }
    }
}

/// Works on a claim until its completion is known.
async fn completion(shared: &Shared, claim: &Claim) -> anyhow::Result<Completion> {
    let crowd = shared.fetcher.crowd(&claim.url.to_url()).await;
    if crowd > LONGEST_QUEUE {
        // The site shares its address with many others, whose turn comes first.
        let rest_site_until = Some(shared.clock.now().plus(crowd));
        return Ok(Completion::Retry { due: claim.was.due, counts: false, rest_site_until });
    }
    match claim.schedule {
        Some(known) => visit::visit(shared, claim, known).await,
        None => attempt::attempt(shared, claim).await,
    }
}

fn after_panic(shared: &Shared, claim: &Claim, panic: &(dyn std::any::Any + Send)) -> Completion {
    let now = shared.clock.now();
    let message = panic.downcast_ref::<&str>().copied();
    let message = message.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    let reason = message.unwrap_or("without a message").to_owned();
    let error = FetchError::Panicked { url: claim.url.to_url(), reason };
    tracing::error!(%error, "an internal error; the page is retried, then given up");
    match claim.schedule {
        Some(known) => visit::panicked(claim, known, now),
        None => attempt::failed(shared, claim, &error, now),
    }
}

/// Completes a claim. Counts the outcome only if this completion took effect.
async fn complete(shared: &Shared, claim: &Claim, completion: Completion) -> anyhow::Result<()> {
    let frontier = &shared.parts.frontier;
    let completing = shared.persist(|| frontier.complete(claim, completion.clone(), shared.clock.now()));
    let completed = tokio::select! {
        completed = completing => completed.context("cannot complete a claim")?,
        // The grace is over: `run` aborts this loop, and the lease expires.
        () = shared.must_release(), if !matches!(completion, Completion::Released) => return Ok(()),
    };
    match (completed, completion) {
        (Completed::Lost, _) => tracing::debug!(url = %claim.url, "the claim's lease had ended"),
        (Completed::Recorded, Completion::Done { outcome, .. }) => {
            shared.parts.metrics.urls.with_label_values(&[outcome.name()]).inc();
            tracing::debug!(url = %claim.url, %outcome, "done");
        }
        (Completed::Recorded, Completion::Retry { .. }) => shared.parts.metrics.retries.inc(),
        (Completed::Recorded, Completion::Released | Completion::Skipped { .. }) => {}
    }
    Ok(())
}
