//! The loop: claim, work, complete, until told to stop.
//!
//! One dispatcher claims for all workers, and sleeps until the next turn while there is none. Each claim is worked on by
//! a task of its own. [`visit`] does the work. This module catches panics, releases the claim at a stop, completes it and
//! counts the outcome. Start at [`dispatch`].

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use futures::FutureExt as _;
use newslode_common::page_span;
use newslode_common::retry::{Backoff, Retry, Retryable as _};
use newslode_common::store::{Claim, Claimed, Completed, Completion};
use newslode_page::time::Timestamp;
use tokio::task::JoinSet;
use tracing::{Instrument as _, Span};

use crate::error::FetchError;
use crate::lateness::is_too_late;
use crate::shared::Shared;
use crate::visit;

/// Shortest and longest sleep while no URL is due. It is short at first, because the links of a page that was just fetched
/// arrive soon.
const IDLE: (Duration, Duration) = (Duration::from_millis(10), Duration::from_secs(1));
/// Shortest sleep, for a turn that is due now and that another crawler took.
const SHORTEST: Duration = Duration::from_millis(1);

/// Longest wait for the turn of an address that a claim may be held for.
const LONGEST_ADDRESS_WAIT: Duration = Duration::from_secs(10);

/// What came of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A URL was visited.
    Visited,
    /// Nothing can be claimed before this time; `None`: nothing waits.
    Nothing(Option<Timestamp>),
}

/// Claims for all free workers at once and lets each work, until the stop or an error. Work that goes on then stays in
/// `working`.
pub(crate) async fn dispatch(
    shared: &Arc<Shared>,
    working: &mut JoinSet<anyhow::Result<()>>,
) -> anyhow::Result<()> {
    let workers = shared.config.workers.max(1);
    let mut idle = Backoff::new(IDLE.0, IDLE.1);
    loop {
        while let Some(ended) = working.try_join_next() {
            ended.context("a worker panicked")??;
        }
        let free = workers.saturating_sub(working.len());
        if free == 0 {
            join_one(working).await?;
            continue;
        }
        let Some((Claimed { claims, next }, late)) = next_claims(shared, free).await? else { return Ok(()) };
        if !claims.is_empty() {
            idle = Backoff::new(IDLE.0, IDLE.1);
        }
        let is_enough = claims.len() == free;
        for claim in claims {
            let shared = shared.clone();
            working.spawn(async move {
                work_on(&shared, &claim, late).await.with_context(|| format!("on `{}`", claim.url))
            });
        }
        if !is_enough {
            // Others add URLs, too, so the longest sleep has an end even if nothing is known to wait.
            let until_next = next.map_or(IDLE.1, |next| shared.clock.now().until(next));
            let sleep = idle.next_wait().min(until_next.max(SHORTEST));
            tokio::select! {
                () = shared.clock.sleep(sleep) => {}
                () = shared.stop.cancelled() => {}
                ended = join_one(working), if !working.is_empty() => ended?,
            }
        }
    }
}

/// Waits for the end of one claim's work.
async fn join_one(working: &mut JoinSet<anyhow::Result<()>>) -> anyhow::Result<()> {
    match working.join_next().await {
        Some(ended) => ended.context("a worker panicked")?,
        None => Ok(()),
    }
}

/// Works on what can be claimed now: at most one URL. Returns how many, and when the next can be had.
pub(crate) async fn step(shared: &Shared) -> anyhow::Result<Step> {
    let Some((Claimed { claims, next }, late)) = next_claims(shared, 1).await? else {
        return Ok(Step::Nothing(None));
    };
    for claim in &claims {
        work_on(shared, claim, late).await.with_context(|| format!("on `{}`", claim.url))?;
    }
    Ok(if claims.is_empty() { Step::Nothing(next) } else { Step::Visited })
}

/// At most this many claims, and how late the answer came if it was late; `None` at the stop.
async fn next_claims(shared: &Shared, most: usize) -> anyhow::Result<Option<(Claimed, Option<Duration>)>> {
    if shared.stop.is_cancelled() {
        return Ok(None);
    }
    // What was fetched can only be kept while there is room for it.
    if shared.parts.room.as_ref().is_some_and(|room| !room.is_there(&shared.parts.metrics)) {
        return Ok(Some((Claimed::default(), None)));
    }
    let lease = Duration::from_millis(shared.config.lease_ms);
    // No call races the stop: an answer that nobody reads would leave a URL leased.
    let claiming = || async {
        let asked = shared.clock.now();
        shared.parts.frontier.claim(asked, lease, most).await.map(|claimed| (asked, claimed))
    };
    match Retry::for_ever().until(&shared.stop).run(&shared.outages.store, claiming).await {
        Ok((asked, claimed)) => {
            let late = shared.lateness.judge(asked.until(shared.clock.now()));
            Ok(Some((claimed, late)))
        }
        Err(error) if error.is_retryable() => Ok(None),
        Err(error) => Err(error).context("cannot claim from the frontier"),
    }
}

/// Fetches, then completes. An error ends the service, after the claim is given back. A trace begins here.
async fn work_on(shared: &Shared, claim: &Claim, late: Option<Duration>) -> anyhow::Result<()> {
    let visit = page_span!("visit", url.full = %claim.url, newslode.outcome = tracing::field::Empty);
    visit_and_complete(shared, claim, late).instrument(visit).await
}

async fn visit_and_complete(shared: &Shared, claim: &Claim, late: Option<Duration>) -> anyhow::Result<()> {
    // A request that comes much later than its turn would be too close to the next crawler's: let the turn pass.
    if let Some(late) = late {
        let frontier = shared.parts.frontier.as_ref();
        let settings = shared
            .retry_store_call(|| frontier.site(&claim.site))
            .await
            .context("cannot read a site's settings")?;
        let delay = settings.map_or(0, |settings| settings.delay_ms);
        if is_too_late(late, Duration::from_millis(delay)) {
            return complete_claim(shared, claim, visit::at_the_next_turn(claim)).await;
        }
    }
    let work = AssertUnwindSafe(visit_when_address_is_free(shared, claim)).catch_unwind();
    let result = tokio::select! {
        ended = work => ended.unwrap_or_else(|panic| Ok(after_panic(shared, claim, &*panic))),
        () = shared.must_release() => Ok(Completion::Released),
    };
    match result {
        Ok(completion) => complete_claim(shared, claim, completion).await,
        Err(error) => {
            if let Err(second) = complete_claim(shared, claim, Completion::Released).await {
                tracing::warn!(
                    error = format!("{second:#}"),
                    "cannot release a claim; its lease will expire"
                );
            }
            Err(error)
        }
    }
}

/// Visits the claimed URL, unless the server's address is booked by other sites for long: then the site rests that long.
async fn visit_when_address_is_free(shared: &Shared, claim: &Claim) -> anyhow::Result<Completion> {
    let address_wait = shared.fetcher.address_wait(&claim.url.to_url()).await;
    if address_wait > LONGEST_ADDRESS_WAIT {
        // The site shares its address with many others, whose turn comes first.
        let rest_site_until = Some(shared.clock.now().plus(address_wait));
        return Ok(Completion::Retry { due: claim.was.due, counts: false, rest_site_until });
    }
    visit::visit(shared, claim).await
}

fn after_panic(shared: &Shared, claim: &Claim, panic: &(dyn std::any::Any + Send)) -> Completion {
    let message = panic.downcast_ref::<&str>().copied();
    let message = message.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    let reason = message.unwrap_or("without a message").to_owned();
    let error = FetchError::Panicked { url: claim.url.to_url(), reason };
    tracing::error!(%error, "an internal error; the page is retried, then given up");
    visit::panicked(shared, claim, &error)
}

/// Completes a claim. Counts the outcome only if this completion took effect.
async fn complete_claim(shared: &Shared, claim: &Claim, completion: Completion) -> anyhow::Result<()> {
    let frontier = &shared.parts.frontier;
    let completing =
        shared.retry_store_call(|| frontier.complete(claim, completion.clone(), shared.clock.now()));
    let completed = tokio::select! {
        completed = completing => completed.context("cannot complete a claim")?,
        // The grace is over: `run` aborts this worker, and the lease expires.
        () = shared.must_release(), if !matches!(completion, Completion::Released) => return Ok(()),
    };
    match (completed, completion) {
        (Completed::Lost, _) => tracing::debug!(url = %claim.url, "the claim's lease had ended"),
        (Completed::Recorded, Completion::Done { outcome, .. }) => {
            shared.parts.metrics.urls.with_label_values(&[outcome.name()]).inc();
            Span::current().record("newslode.outcome", outcome.name());
            tracing::debug!(url = %claim.url, %outcome, "done");
        }
        (Completed::Recorded, Completion::Retry { .. }) => shared.parts.metrics.retries.inc(),
        (Completed::Recorded, Completion::Released | Completion::Skipped { .. }) => {}
    }
    Ok(())
}
