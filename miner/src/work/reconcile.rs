//! Publishes fetched pages again, from the archive, whose messages were lost: with the process of the embedded engine, or with
//! a server.
//!
//! The frontier knows the content with which a URL was last fetched; the site's state knows the one that counts. Where they
//! differ, the message was on its way. To publish one too many is harmless: it is stale then.
//!
//! A page that counts is complete, since counting is the last effect. Version 0.1.0 counted first, so a kill could cost an
//! article its history for good: [`publish_incomplete`] finds these articles, and the miner, which knows their version
//! already, writes the history alone.

use anyhow::Context;
use newslode_common::broker::{Broker, PublishError, Queue};
use newslode_common::message::{Ending, FetchedPage, GonePage, envelope};
use newslode_common::outcome::Outcome;
use newslode_common::store::{Entry, Frontier, Kind, PageArchive, SiteState};
use newslode_common::version::{ContentHash, Version};
use newslode_page::reading::Site;
use newslode_page::time::Timestamp;
use std::time::Duration;

use crate::work::captures;
use crate::work::generations::{Generations, counted_page};
use crate::work::verify::history_fault;

/// Wait before another attempt to publish to a full queue.
const FULL_QUEUE_WAIT: Duration = Duration::from_millis(50);

/// Publishes each fetched page that is not counted to [`Queue::Pages`]. Waits while the queue is full, so its consumers must
/// run. Returns the number of pages.
///
/// # Errors
/// When a store or the broker fails, or an archived page cannot be read.
pub async fn reconcile(
    frontier: &dyn Frontier,
    state: &dyn SiteState,
    archive: &dyn PageArchive,
    broker: &dyn Broker,
) -> anyhow::Result<u64> {
    let mut published = 0;
    let generations = Generations::read(state).await?;
    for site in frontier.status().await? {
        let entries = frontier.entries(&site.site).await?;
        for gone in entries.iter().filter_map(gone_page) {
            send(broker, Queue::Gone, bytes::Bytes::from(envelope::seal(&gone)?)).await?;
        }
        let fetched: Vec<(Entry, ContentHash)> = entries
            .into_iter()
            .filter(|entry| matches!(entry.outcome, Some(Outcome::Fetched | Outcome::Unchanged)))
            .filter_map(|entry| entry.content.map(|content| (entry, content)))
            .collect();
        let urls: Vec<_> = fetched.iter().map(|(entry, _)| entry.url.clone()).collect();
        let counted = state.versions(&site.site, &urls).await?;
        for ((entry, content), counted) in fetched.into_iter().zip(counted) {
            // A page older than the window counts as empty under its own fetch, so it is neither counted nor older.
            let is_counted =
                |counted: Version| generations.names(content).any(|name| name == counted.content);
            // A capture is numbered by its time, which does not compare with our fetch number.
            let is_older = |counted: Version| {
                counted.fetch < entry.fetch || (counted.is_dated() && counted.content != ContentHash::NONE)
            };
            let is_open = |counted: Version| !is_counted(counted) && is_older(counted);
            if counted.is_none_or(is_open) {
                published += u64::from(publish(archive, broker, &entry, content).await?);
            }
        }
        published += publish_captures(state, archive, broker, &site.site).await?;
    }
    Ok(published)
}

/// Publishes each counted page whose article has no history, or only an older one. Returns the number of pages.
///
/// # Errors
/// As those of [`reconcile`].
pub async fn publish_incomplete(
    frontier: &dyn Frontier,
    state: &dyn SiteState,
    archive: &dyn PageArchive,
    broker: &dyn Broker,
) -> anyhow::Result<u64> {
    let mut published = 0;
    let generations = Generations::read(state).await?;
    for (site, _) in state.sites().await? {
        for (url, version) in state.pages(&site).await? {
            let is_article = version.content != ContentHash::NONE
                && archive.get(Kind::Article, version.content).await?.is_some();
            if !is_article || history_fault(archive, &url, version).await?.is_none() {
                continue;
            }
            let page = counted_page(frontier, archive, &generations, &url, version).await?;
            let Some(page) = page else { continue };
            send(broker, Queue::Pages, page.sealed()?.message).await?;
            published += 1;
        }
    }
    Ok(published)
}

/// Publishes the archived captures of a site that are newer than what counts.
async fn publish_captures(
    state: &dyn SiteState,
    archive: &dyn PageArchive,
    broker: &dyn Broker,
    site: &Site,
) -> anyhow::Result<u64> {
    let mut published = 0;
    for content in captures::uncounted(state, site).await? {
        let Some(sealed) = archive.get(Kind::Page, content).await? else { continue };
        let page: FetchedPage = envelope::open(&sealed)
            .with_context(|| format!("cannot read the archived page {content} of {site}"))?;
        let counted = state.versions(site, std::slice::from_ref(&page.url)).await?;
        let counted = counted.into_iter().flatten().next();
        if counted.is_none_or(|counted| counted.is_dated() && page.version.fetch > counted.fetch) {
            send(broker, Queue::Pages, page.sealed()?.message).await?;
            published += 1;
        }
    }
    Ok(published)
}

async fn publish(
    archive: &dyn PageArchive,
    broker: &dyn Broker,
    entry: &Entry,
    content: ContentHash,
) -> anyhow::Result<bool> {
    let Some(sealed) = archive.get(Kind::Page, content).await? else {
        tracing::warn!(url = %entry.url, %content, "a fetched page is neither counted nor in the archive; it counts when it is fetched again");
        return Ok(false);
    };
    let mut page: FetchedPage = envelope::open(&sealed)
        .with_context(|| format!("cannot read the archived page {content} of `{}`", entry.url))?;
    page.version.fetch = entry.fetch;
    page.why = entry.why;
    page.depth = entry.depth;
    send(broker, Queue::Pages, bytes::Bytes::from(envelope::seal(&page)?)).await?;
    Ok(true)
}

/// The message that a page is gone, as far as the frontier's entry knows it. A second one changes nothing.
fn gone_page(entry: &Entry) -> Option<GonePage> {
    let known = entry.schedule.filter(|known| known.is_gone)?;
    let ending = match entry.outcome? {
        Outcome::Disallowed => Ending::Disallowed,
        Outcome::Noindex => Ending::Noindex,
        _ => Ending::NotFound,
    };
    let at = Timestamp(known.failed.unwrap_or_default() * 1_000);
    Some(GonePage { url: entry.url.clone(), site: entry.url.site(), fetch: entry.fetch, at, ending })
}

async fn send(broker: &dyn Broker, queue: Queue, message: bytes::Bytes) -> Result<(), PublishError> {
    loop {
        match broker.publish(queue, message.clone()).await {
            Ok(()) => return Ok(()),
            Err(PublishError::Full { .. }) => tokio::time::sleep(FULL_QUEUE_WAIT).await,
            Err(error) => return Err(error),
        }
    }
}
