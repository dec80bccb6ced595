//! Writes a fetched page to the archive and publishes it to the queue of pages.
//!
//! A page is archived before it is published, so that readers of the message find it. A full queue, or a
//! server that is away, is not a failure but a reason to wait: this loop holds the page, claims nothing new,
//! and tries again with growing pauses. So a slow reader slows the crawl, and no page is dropped. Start at
//! [`archive_and_publish`].

use anyhow::Context as _;
use bytes::Bytes;
use newslode_common::broker::{PublishError, Queue};
use newslode_common::message::{Body, FetchedPage, GonePage, SealedPage, envelope};
use newslode_common::page_span;
use newslode_common::retry::Retry;
use newslode_common::store::{Claim, Kind};
use newslode_common::version::{ContentHash, Version};
use newslode_page::time::Timestamp;
use tracing::Instrument as _;

use crate::fetch::FetchedBody;
use crate::shared::{Outages, Parts};

/// A fetched page, sealed for the archive and for the queue.
pub(crate) struct SealedFetch {
    pub(crate) content: ContentHash,
    page: SealedPage,
}

/// Compresses and seals a page. `None` if the last fetch brought the same page. Hashing and compressing run
/// off the reactor.
pub(crate) async fn seal_page(
    claim: &Claim,
    fetched: FetchedBody,
    now: Timestamp,
) -> anyhow::Result<Option<SealedFetch>> {
    let claim = claim.clone();
    let FetchedBody { content_type, body, listed, rendered, .. } = fetched;
    let sealing = tokio::task::spawn_blocking(move || {
        let content = ContentHash::of(&claim.url, content_type.as_deref(), &body);
        if claim.content == Some(content) {
            return Ok(None);
        }
        let body = Body::pack(&body)?;
        let page = FetchedPage {
            url: claim.url,
            site: claim.site,
            depth: claim.depth,
            why: claim.why,
            version: Version { fetch: claim.fetch, content },
            fetched_at: now,
            content_type,
            body,
            listed,
            rendered,
        };
        anyhow::Ok(Some(SealedFetch { content, page: page.sealed()? }))
    });
    sealing.await.context("sealing a page panicked")?
}

/// Tells the miner that a page is gone which was handed on before. Waits as long as it takes.
///
/// # Errors
/// Only errors that waiting does not solve.
pub(crate) async fn publish_gone(parts: &Parts, outages: &Outages, gone: &GonePage) -> anyhow::Result<()> {
    let sealed = Bytes::from(envelope::seal(gone)?);
    publish_message(parts, outages, Queue::Gone, sealed).await.context("cannot tell of a page that is gone")
}

/// Archives and publishes a page. Waits as long as it takes; the caller ends the wait at a stop.
///
/// # Errors
/// Only errors that waiting does not solve.
pub(crate) async fn archive_and_publish(
    parts: &Parts,
    outages: &Outages,
    page: SealedFetch,
    now: Timestamp,
) -> anyhow::Result<()> {
    let retry = Retry::for_ever();
    let archiving = || parts.archive.put(Kind::Page, page.content, page.page.whole.clone(), now);
    let archived = retry.run(&outages.archive, archiving).instrument(page_span!("archive")).await;
    archived.context("cannot archive a page")?;
    publish_message(parts, outages, Queue::Pages, page.page.message).await.context("cannot publish a page")
}

async fn publish_message(
    parts: &Parts,
    outages: &Outages,
    queue: Queue,
    message: Bytes,
) -> Result<(), PublishError> {
    let publishing = || async {
        let published = parts.broker.publish(queue, message.clone()).await;
        if let Err(PublishError::Full { .. }) = &published {
            parts.metrics.refused.with_label_values(&[queue.name()]).inc();
        }
        published
    };
    let span = page_span!("publish", otel.kind = "producer", otel.name = %format_args!("publish {queue}"));
    Retry::for_ever().run(&outages.broker, publishing).instrument(span).await
}
