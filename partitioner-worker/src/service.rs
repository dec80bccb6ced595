//! The partitioner service: turns fetched pages into hierarchies, contributions and articles.
//!
//! For each page: take it from the queue, find its bytes, [`analyse`] it off the reactor, archive its hierarchy, publish the
//! results, and only then acknowledge. If the worker dies at any point, the broker delivers the page again, and repeating the
//! work has the same effect. A message that can never be processed goes to the dead letters with the reason.
//!
//! While a queue is full, or the archive does not answer, the service waits. It then holds at most as many pages as there are
//! workers and takes nothing new, so a slow miner slows the crawl. After [`HOLD`], or at a stop, a waiting page returns to its
//! queue. Start at [`run`].

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use bytes::Bytes;
use newslode_common::broker::{Broker, Consumer, Delivery, PublishError, Queue};
use newslode_common::config::PartitionerConfig;
use newslode_common::message::envelope::{self, open, open_delivered, seal};
use newslode_common::message::{Body, FetchedPage, PartitionedPage};
use newslode_common::page_span;
use newslode_common::parsed::ParsedPages;
use newslode_common::retry::{HOLD, Outage, Retry, Retryable as _};
use newslode_common::shutdown;
use newslode_common::store::{Kind, PageArchive, StoreError};
use newslode_common::telemetry::metrics::Metrics;
use newslode_common::telemetry::trace;
use newslode_common::time::Clock;
use newslode_page::hierarchy::{Hierarchy, xml};
use newslode_page::{Analysis, Params, analyse_page};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tracing::{Instrument as _, Span, field};

/// The servers and metrics that the service uses.
#[derive(Clone)]
pub struct Parts {
    /// Source of the pages, and destination of the contributions.
    pub broker: Arc<dyn Broker>,
    /// Holds large pages, and the results of every page.
    pub archive: Arc<dyn PageArchive>,
    /// Pages that a crawler in the same process has parsed.
    pub parsed: Arc<ParsedPages>,
    /// Counts events.
    pub metrics: Arc<Metrics>,
    /// Tells the time.
    pub clock: Clock,
}

/// Processes pages until `stop`. Then it finishes the pages under way within the grace period and returns the rest.
///
/// # Errors
/// When the broker was closed for good, or its queues are missing.
pub async fn run(parts: Parts, config: PartitionerConfig, stop: CancellationToken) -> anyhow::Result<()> {
    let params = config.params.params().within(Duration::from_millis(config.page_ms));
    let workers = config.workers.max(1);
    let prefetch = u16::try_from(workers * 2).unwrap_or(u16::MAX);
    let mut consumer = parts.broker.consume(Queue::Pages, prefetch).await.context("cannot consume pages")?;
    let worker = Worker { parts, params: Arc::new(params), servers: Arc::default(), stop: stop.clone() };
    let slots = Arc::new(Semaphore::new(workers));
    let mut under_way: JoinSet<anyhow::Result<()>> = JoinSet::new();
    let ended = loop {
        tokio::select! {
            // In this order: a stop comes before a new page.
            biased;
            () = stop.cancelled() => break Ok(()),
            Some(done) = under_way.join_next() => {
                if let Err(error) = done.unwrap_or_else(|gone| Err(gone.into())) {
                    break Err(error);
                }
            }
            next = next(&slots, consumer.as_mut()) => match next {
                Ok((slot, delivery)) => {
                    let worker = worker.clone();
                    let span = page_span!("partition", otel.kind = "consumer", url.full = field::Empty);
                    trace::follow(&span, delivery.trace.as_ref());
                    let work = async move {
                        let done = worker.handle(delivery).await;
                        drop(slot);
                        done
                    };
                    under_way.spawn(work.instrument(span));
                }
                Err(error) => break Err(error),
            },
        }
    };
    let returned = shutdown::drain(&mut under_way, Duration::from_millis(config.grace_ms)).await;
    if returned > 0 {
        tracing::warn!(returned, "stopped with pages in hand; returned them to the queue");
    }
    ended
}

/// Waits for a free worker, then for a page. Cancel safe, as both waits are.
async fn next(
    slots: &Arc<Semaphore>,
    consumer: &mut dyn Consumer,
) -> anyhow::Result<(OwnedSemaphorePermit, Delivery)> {
    let slot = Arc::clone(slots).acquire_owned().await?;
    let delivery = consumer.next().await.context("cannot receive pages")?;
    Ok((slot, delivery))
}

/// What happens to a page that cannot be acknowledged.
enum Unfinished {
    /// It can never be processed: it becomes a dead letter.
    Reject(String),
    /// It cannot be processed now: it returns to the queue.
    Release,
    /// The service cannot continue.
    Fatal(anyhow::Error),
}

impl From<StoreError> for Unfinished {
    fn from(error: StoreError) -> Unfinished {
        if error.is_retryable() { Unfinished::Release } else { Unfinished::Reject(error.to_string()) }
    }
}

impl From<PublishError> for Unfinished {
    fn from(error: PublishError) -> Unfinished {
        match error {
            PublishError::Full { .. } | PublishError::Unavailable { .. } => Unfinished::Release,
            PublishError::TooLarge { .. } => Unfinished::Reject(error.to_string()),
            PublishError::Unroutable { .. } => Unfinished::Fatal(error.into()),
        }
    }
}

/// The servers that the service may have to wait for.
struct Servers {
    archive: Outage,
    broker: Outage,
}

impl Default for Servers {
    fn default() -> Servers {
        Servers { archive: Outage::new("archive"), broker: Outage::new("broker") }
    }
}

#[derive(Clone)]
struct Worker {
    parts: Parts,
    params: Arc<Params>,
    servers: Arc<Servers>,
    stop: CancellationToken,
}

impl Worker {
    async fn handle(&self, delivery: Delivery) -> anyhow::Result<()> {
        let metrics = &self.parts.metrics;
        let queue = Queue::Pages.name();
        metrics.consumed.with_label_values(&[queue]).inc();
        if delivery.redelivered {
            metrics.redelivered.with_label_values(&[queue]).inc();
        }
        let ended = match self.process(&delivery.body).await {
            Ok(()) => delivery.ack().await,
            Err(Unfinished::Reject(reason)) => {
                tracing::warn!(reason, "moved a page to the dead letters");
                trace::fail(&Span::current(), &reason);
                metrics.dead_lettered.with_label_values(&[queue]).inc();
                delivery.reject(&reason).await
            }
            Err(Unfinished::Release) => delivery.release().await,
            Err(Unfinished::Fatal(error)) => {
                if let Err(error) = delivery.release().await {
                    tracing::warn!(%error, "cannot return a page to the queue; the broker will deliver it again anyway");
                }
                return Err(error);
            }
        };
        if let Err(error) = ended {
            tracing::warn!(%error, "cannot acknowledge a page; the broker will deliver it again");
        }
        Ok(())
    }

    async fn process(&self, message: &[u8]) -> Result<(), Unfinished> {
        let fetched: FetchedPage =
            open_delivered(message).map_err(|error| Unfinished::Reject(error.to_string()))?;
        Span::current().record("url.full", field::display(&fetched.url));
        // One deadline for all steps, so that together they hold the page no longer than the broker allows.
        let retry = Retry::within(HOLD).until(&self.stop);
        let body = self.body(&fetched, &retry).await?;
        let parsed = self.parts.parsed.get(fetched.content()).filter(|page| page.listed == fetched.listed);
        let params = Arc::clone(&self.params);
        let started = Instant::now();
        let working = tokio::task::spawn_blocking(move || {
            let analysis = match parsed {
                Some(page) => analyse_page(&page, fetched.fetched_at, &params),
                None => fetched.analyse(&checked_bytes(&fetched, &body)?, &params),
            };
            Ok(partitioned(&fetched, analysis, &params))
        });
        let analysed = working.instrument(page_span!("analyse")).await;
        let worked: Result<_, String> = analysed.map_err(|error| Unfinished::Fatal(error.into()))?;
        let (page, hierarchy) = worked.map_err(Unfinished::Reject)?;
        self.count(&page, started.elapsed());
        self.archive_hierarchy(&page, &hierarchy, &retry).instrument(page_span!("archive")).await?;
        let queue = Queue::Partitions;
        let span =
            page_span!("publish", otel.kind = "producer", otel.name = %format_args!("publish {queue}"));
        self.publish(&page, &retry).instrument(span).await
    }

    /// The page's body, still compressed.
    async fn body(&self, fetched: &FetchedPage, retry: &Retry) -> Result<Body, Unfinished> {
        if fetched.body != Body::Archived {
            return Ok(fetched.body.clone());
        }
        let content = fetched.content();
        let reading = || self.parts.archive.get(Kind::Page, content);
        let archived = retry.run(&self.servers.archive, reading).await?;
        let archived =
            archived.ok_or_else(|| Unfinished::Reject(format!("the archive has no page {content}")))?;
        let archived: FetchedPage = open(&archived)
            .map_err(|error| Unfinished::Reject(format!("the archived page {content}: {error}")))?;
        match archived.body {
            Body::Archived => Err(Unfinished::Reject(format!("the archive's page {content} has no body"))),
            body => Ok(body),
        }
    }

    fn count(&self, page: &PartitionedPage, took: Duration) {
        let metrics = &self.parts.metrics;
        let result = match &page.notes {
            notes if notes.failed.is_some() => "failed",
            notes if !notes.coarse.is_empty() => "coarse",
            _ => "whole",
        };
        if let Some(reason) = &page.notes.failed {
            tracing::error!(url = %page.url, reason, "the algorithms failed on a page; it is counted without a contribution");
        }
        metrics.partitioned.with_label_values(&[result]).inc();
        metrics.partition_seconds.observe(took.as_secs_f64());
    }

    /// Archives the hierarchy under the page's content. The miner archives the contribution and the article. If the page was
    /// processed before and the miner marked its hierarchy meanwhile, the marks stay.
    async fn archive_hierarchy(
        &self,
        page: &PartitionedPage,
        hierarchy: &Hierarchy,
        retry: &Retry,
    ) -> Result<(), Unfinished> {
        let (archive, content) = (&self.parts.archive, page.version.content);
        let xml = xml::write(hierarchy);
        let reading = || archive.get(Kind::Hierarchy, content);
        let held = retry.run(&self.servers.archive, reading).await?;
        let xml = held.filter(|held| differs_in_marks(held, &xml)).unwrap_or_else(|| xml.into());
        let putting = || archive.put(Kind::Hierarchy, content, xml.clone(), self.parts.clock.now());
        Ok(retry.run(&self.servers.archive, putting).await?)
    }

    async fn publish(&self, page: &PartitionedPage, retry: &Retry) -> Result<(), Unfinished> {
        let message = sealed(page)?;
        let publishing = || async {
            let published = self.parts.broker.publish(Queue::Partitions, message.clone()).await;
            if let Err(PublishError::Full { .. }) = &published {
                self.parts.metrics.refused.with_label_values(&[Queue::Partitions.name()]).inc();
            }
            published
        };
        Ok(retry.run(&self.servers.broker, publishing).await?)
    }
}

/// The page's bytes, if its content hash is that of its URL, type and bytes: a damaged message has another.
fn checked_bytes(fetched: &FetchedPage, body: &Body) -> Result<Vec<u8>, String> {
    let bytes = body.unpack().map_err(|error| error.to_string())?;
    let url = &fetched.url;
    if fetched.site != url.site() {
        return Err(format!("`{url}` is not a page of the site `{}`", fetched.site));
    }
    fetched
        .listed
        .as_ref()
        .map_or(Ok(()), |listed| listed.check(url))
        .map_err(|error| format!("`{url}`: {error}"))?;
    if fetched.hash_with(&bytes) != fetched.content() {
        return Err(format!(
            "a damaged page: `{url}` and its bytes do not have the hash {}",
            fetched.content()
        ));
    }
    Ok(bytes)
}

/// The results for a page: the message, and the hierarchy for the archive.
fn partitioned(
    fetched: &FetchedPage,
    mut analysis: Analysis,
    params: &Params,
) -> (PartitionedPage, Hierarchy) {
    (PartitionedPage::new(&params.generation(), fetched, &mut analysis), analysis.hierarchy)
}

/// Whether the archived hierarchy is this one with marks.
fn differs_in_marks(held: &[u8], fresh: &str) -> bool {
    let held = std::str::from_utf8(held).ok().and_then(|held| xml::read(held).ok());
    held.is_some_and(|mut held| {
        held.unmark();
        xml::write(&held) == fresh
    })
}

fn sealed<M: envelope::Message>(message: &M) -> Result<Bytes, Unfinished> {
    seal(message).map(Bytes::from).map_err(|error| Unfinished::Reject(error.to_string()))
}
