//! Detects that a server lost data, and publishes the pages again whose messages or counts may be lost.
//!
//! A Redis server that was restarted may lack its last writes; its incarnation differs. A RabbitMQ server that lost its volume
//! has lost all messages; it lacks the mark that was set in it. The last incarnation and mark that were dealt with are values
//! of the store, so a loss while no miner ran is detected, too. The leader does all this. Start at [`run`].

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use newslode_common::time;
use tokio_util::sync::CancellationToken;

use crate::work::parts::Parts;
use crate::work::reconcile::reconcile;
use crate::work::waiting::pause;

/// Interval at which the servers are checked.
const CHECK_INTERVAL: Duration = Duration::from_secs(3);
/// Name of the value with the last incarnation of the store that was dealt with.
const INCARNATION: &str = "store-incarnation";
/// Name of the value with the mark of the broker that was dealt with.
const MARK: &str = "broker-mark";

/// Checks both servers until `stop`; counts the restarts of the store.
///
/// # Errors
/// Never; a failed check is logged, and the next one follows.
pub(super) async fn run(
    parts: Parts,
    restarts: Arc<AtomicU64>,
    stop: CancellationToken,
) -> anyhow::Result<()> {
    let mut seen = None;
    // The first check precedes any page, so a store that is lost in its first seconds is detected, too.
    loop {
        if let Err(error) = check_store(&parts, &mut seen, &restarts).await {
            tracing::warn!(%error, "cannot read the incarnation of the store; checking again in some seconds");
        }
        if let Err(error) = check_broker(&parts).await {
            tracing::warn!(
                error = format!("{error:#}"),
                "cannot read whether the broker lost its messages; checking again in some seconds"
            );
        }
        if !pause(CHECK_INTERVAL, &stop).await {
            return Ok(());
        }
    }
}

async fn check_store(parts: &Parts, seen: &mut Option<String>, restarts: &AtomicU64) -> anyhow::Result<()> {
    let state = parts.stores.state.as_ref();
    let now = state.incarnation().await?;
    if seen.replace(now.clone()).is_some_and(|before| before != now) {
        // Also if another miner publishes pages again: the memory of this one may be ahead of the store.
        restarts.fetch_add(1, Ordering::Relaxed);
    }
    let known = state.value(INCARNATION).await?;
    let version = known.as_ref().map(|(version, _)| *version);
    match known {
        Some((_, bytes)) if bytes == now.as_bytes() => return Ok(()),
        // The leader publishes again, or the next one does.
        Some(_) if !parts.owners.leads() => return Ok(()),
        Some(_) => {
            let pages = publish_again(parts).await?;
            parts.metrics.reconnects.with_label_values(&["store"]).inc();
            tracing::info!(
                pages,
                "the store was restarted; published all fetched pages again that it does not count"
            );
        }
        None => {}
    }
    // If another miner was first, it has done the same.
    state.put_value(INCARNATION, version, now.into()).await?;
    Ok(())
}

async fn check_broker(parts: &Parts) -> anyhow::Result<()> {
    if !parts.owners.leads() {
        return Ok(());
    }
    let (state, broker) = (parts.stores.state.as_ref(), parts.broker.as_ref());
    let known = state.value(MARK).await?;
    let version = known.as_ref().map(|(version, _)| *version);
    if let Some((_, mark)) = known {
        if broker.holds_mark(std::str::from_utf8(&mark)?).await? {
            return Ok(());
        }
        let pages = publish_again(parts).await?;
        tracing::warn!(
            pages,
            "the broker lost its messages; published all fetched pages again that are not counted"
        );
    }
    let mark = blake3::hash(format!("{} {}", time::now().0, std::process::id()).as_bytes()).to_hex()[..12]
        .to_owned();
    broker.set_mark(&mark).await?;
    // If another miner was first, it has done the same.
    state.put_value(MARK, version, mark.into()).await?;
    Ok(())
}

/// Publishes the fetched pages that are not counted. Returns how many.
async fn publish_again(parts: &Parts) -> anyhow::Result<u64> {
    let (frontier, state) = (parts.stores.frontier.as_ref(), parts.stores.state.as_ref());
    reconcile(frontier, state, parts.stores.archive.as_ref(), parts.broker.as_ref()).await
}
