//! After a crash of the embedded engine: pages that were fetched but whose messages were lost with the
//! process are published again from the archive.
//!
//! The frontier says which content a URL was last fetched with, the site's state says which is counted;
//! where they differ, the message was on its way. Publishing one too many is harmless (it is stale then).

use anyhow::Context;
use newslode_common::broker::{Broker, PublishError, Queue};
use newslode_common::message::{FetchedPage, envelope};
use newslode_common::outcome::Outcome;
use newslode_common::store::{Entry, Frontier, Kind, PageArchive, SiteState};
use newslode_common::version::{ContentHash, Version};
use std::time::Duration;

use crate::work::generations::Generations;

/// How long to wait before a full queue is tried again.
const FULL_WAIT: Duration = Duration::from_millis(50);

/// Publishes every fetched page that is not counted to [`Queue::Pages`]. Waits while the queue is full, so
/// its consumers must run. Returns how many pages those were.
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
        let fetched: Vec<(Entry, ContentHash)> = frontier
            .entries(&site.site)
            .await?
            .into_iter()
            .filter(|entry| matches!(entry.outcome, Some(Outcome::Fetched | Outcome::Unchanged)))
            .filter_map(|entry| entry.content.map(|content| (entry, content)))
            .collect();
        let urls: Vec<_> = fetched.iter().map(|(entry, _)| entry.url.clone()).collect();
        let counted = state.versions(&site.site, &urls).await?;
        for ((entry, content), counted) in fetched.into_iter().zip(counted) {
            // What left the window is counted as nothing under its own fetch: publishing would change nothing.
            let is_counted =
                |counted: Version| generations.names(content).any(|name| name == counted.content);
            let is_open = |counted: Version| !is_counted(counted) && counted.fetch < entry.fetch;
            if counted.is_none_or(is_open) {
                published += u64::from(publish(archive, broker, &entry, content).await?);
            }
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
        tracing::warn!(url = %entry.url, %content, "fetched, not counted, and not in the archive");
        return Ok(false);
    };
    let mut page: FetchedPage =
        envelope::open(&sealed).with_context(|| format!("archived page {content} of `{}`", entry.url))?;
    page.version.fetch = entry.fetch;
    page.why = entry.why;
    page.depth = entry.depth;
    let sealed = bytes::Bytes::from(envelope::seal(&page)?);
    loop {
        match broker.publish(Queue::Pages, sealed.clone()).await {
            Ok(()) => return Ok(true),
            Err(PublishError::Full { .. }) => tokio::time::sleep(FULL_WAIT).await,
            Err(error) => return Err(error.into()),
        }
    }
}
