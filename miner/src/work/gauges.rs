//! Gauges of the servers and the sites, measured now and then.

use std::collections::BTreeMap;
use std::time::Duration;

use newslode_common::broker::depths;
use newslode_common::config::Follow;
use newslode_common::schedule::Health;
use newslode_common::store::StoreResult;
use tokio_util::sync::CancellationToken;

use crate::work::parts::Parts;
use crate::work::waiting::pause;

/// Interval at which the queues and the store's memory are measured.
const SERVERS_INTERVAL: Duration = Duration::from_secs(5);
/// Interval at which the sites are counted.
const SITES_INTERVAL: Duration = Duration::from_secs(60);

/// Measures the queues and the store's memory until `stop`.
///
/// # Errors
/// Never; a gauge that cannot be measured stays as it was.
pub(super) async fn measure_servers(parts: Parts, stop: CancellationToken) -> anyhow::Result<()> {
    while pause(SERVERS_INTERVAL, &stop).await {
        for (queue, depth) in depths(parts.broker.as_ref()).await {
            match depth {
                Ok(depth) => {
                    let gauge = parts.metrics.queue_depth.with_label_values(&[queue.name()]);
                    gauge.set(i64::try_from(depth).unwrap_or(i64::MAX));
                }
                Err(error) => {
                    tracing::debug!(%queue, %error, "cannot measure the depth of a queue; its gauge stays as it was")
                }
            }
        }
        match parts.stores.state.memory().await {
            Ok(Some(memory)) => {
                for (what, bytes) in [("used", memory.used), ("limit", memory.limit)] {
                    let gauge = parts.metrics.store_memory.with_label_values(&[what]);
                    gauge.set(i64::try_from(bytes).unwrap_or(i64::MAX));
                }
            }
            Ok(None) => {}
            Err(error) => {
                tracing::debug!(%error, "cannot measure the memory of the store; its gauge stays as it was")
            }
        }
    }
    Ok(())
}

/// If this miner leads, counts the sites that are due and, where the news is followed, all sites by their health.
///
/// # Errors
/// Never; a gauge that cannot be measured stays as it was.
pub(super) async fn measure_sites(
    parts: Parts,
    follow: Follow,
    stop: CancellationToken,
) -> anyhow::Result<()> {
    loop {
        if parts.owners.leads() {
            if let Err(error) = count_sites(&parts, follow).await {
                tracing::debug!(%error, "cannot count the sites; their gauges stay as they were");
            }
        } else {
            parts.metrics.sites.reset();
            parts.metrics.sites_due.set(0);
        }
        if !pause(SITES_INTERVAL, &stop).await {
            return Ok(());
        }
    }
}

async fn count_sites(parts: &Parts, follow: Follow) -> StoreResult<()> {
    let mut counts: BTreeMap<Health, i64> = Health::ALL.into_iter().map(|state| (state, 0)).collect();
    let (now, mut due) = (parts.clock.now(), 0);
    for site in parts.stores.frontier.status().await? {
        due += i64::from(site.ready.is_some_and(|ready| ready <= now));
        if follow == Follow::News {
            let (schedule, _) = parts.stores.frontier.schedule(&site.site).await?;
            *counts.entry(schedule.health(now)).or_default() += 1;
        }
    }
    parts.metrics.sites_due.set(due);
    if follow == Follow::News {
        for (state, sites) in counts {
            parts.metrics.sites.with_label_values(&[state.name()]).set(sites);
        }
    }
    Ok(())
}
