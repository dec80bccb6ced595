//! Gathers deliveries of the queue `partitions` by site, so that a busy miner makes few large store calls.

use std::collections::BTreeMap;
use std::time::Duration;

use newslode_common::broker::{BrokerError, Consumer, Delivery, Queue};
use newslode_common::config::MinerConfig;
use newslode_common::message::{GonePage, PartitionedPage, envelope};
use newslode_common::page_span;
use newslode_common::telemetry::metrics::Metrics;
use newslode_common::telemetry::trace;
use newslode_page::reading::Site;
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;
use tracing::{Span, field};

use crate::work::admission;
use crate::work::deliveries::{count_taken, reject};

/// A page to count, and the span of its trace, which ends with the delivery.
pub(super) struct DeliveredPage {
    pub(super) delivery: Delivery,
    pub(super) page: PartitionedPage,
    pub(super) span: Span,
}

/// Deliveries of one site.
#[derive(Default)]
pub(super) struct SiteDeliveries {
    /// Pages to count.
    pub(super) pages: Vec<DeliveredPage>,
    /// Pages that are gone, from processes of 0.1.0.
    pub(super) gone: Vec<(Delivery, GonePage)>,
}

/// Gathers until one site's batch is full, the prefetch is used up, or the first delivery has waited for `linger_ms`.
/// Returns `None` after `stop`; the deliveries gathered by then are dropped, so the broker delivers them again.
///
/// # Errors
/// When the broker fails.
pub(super) async fn gather(
    metrics: &Metrics,
    consumer: &mut dyn Consumer,
    config: &MinerConfig,
    stop: &CancellationToken,
) -> Result<Option<BTreeMap<Site, SiteDeliveries>>, BrokerError> {
    let mut held: BTreeMap<Site, SiteDeliveries> = BTreeMap::new();
    let mut count = 0;
    let mut until = None;
    while count < usize::from(config.prefetch) {
        let next = async {
            match until {
                None => Some(consumer.next().await),
                Some(until) => timeout_at(until, consumer.next()).await.ok(),
            }
        };
        let delivery = tokio::select! {
            biased;
            () = stop.cancelled() => return Ok(None),
            next = next => match next {
                None => break,
                Some(delivery) => delivery?,
            },
        };
        count_taken(metrics, Queue::Partitions, &delivery);
        let size = match sort(delivery, config.old_removals, &mut held) {
            Ok(size) => size,
            Err((delivery, reason)) => {
                reject(metrics, Queue::Partitions, *delivery, &reason).await;
                continue;
            }
        };
        until.get_or_insert_with(|| Instant::now() + Duration::from_millis(config.linger_ms));
        count += 1;
        if size >= config.batch {
            break;
        }
    }
    Ok(Some(held))
}

/// Adds a delivery to those of its site. Returns the number of the site's pages to count. A delivery that is no message of
/// this queue, or that no page can have, is returned with the reason.
fn sort(
    delivery: Delivery,
    old_removals: bool,
    held: &mut BTreeMap<Site, SiteDeliveries>,
) -> Result<usize, (Box<Delivery>, String)> {
    if envelope::holds::<GonePage>(&delivery.body) {
        if !old_removals {
            let reason =
                "a page that is gone belongs on the queue `gone`; `miner.old_removals = true` takes it here";
            return Err((Box::new(delivery), reason.into()));
        }
        return match envelope::open_delivered::<GonePage>(&delivery.body) {
            Ok(gone) => {
                let of_site = held.entry(gone.site.clone()).or_default();
                of_site.gone.push((delivery, gone));
                Ok(of_site.pages.len())
            }
            Err(error) => Err((Box::new(delivery), error.to_string())),
        };
    }
    let opened =
        envelope::open_delivered::<PartitionedPage>(&delivery.body).map_err(|error| error.to_string());
    match opened.and_then(|page| admission::check(&page).map(|()| page)) {
        Ok(page) => {
            let of_site = held.entry(page.site.clone()).or_default();
            let span = page_span!(
                "count",
                otel.kind = "consumer",
                url.full = %page.url,
                newslode.end = field::Empty
            );
            trace::follow(&span, delivery.trace.as_ref());
            of_site.pages.push(DeliveredPage { delivery, page, span });
            Ok(of_site.pages.len())
        }
        Err(reason) => Err((Box::new(delivery), reason)),
    }
}
