//! Announces articles that [wait](super::announcements): after a view, after the longest wait, or at the end of a run.

use std::time::Duration;

use newslode_common::store::{Kind, StoreResult};
use newslode_page::article::Article;
use newslode_page::extract::SiteKnowledge;
use newslode_page::reading::CanonicalUrl;
use newslode_page::time::Timestamp;
use tokio_util::sync::CancellationToken;

use super::error::BatchError;
use super::histories::read_history;
use super::knowledge::Knowledge;
use super::parts::Parts;
use super::waiting::pause_on;
use crate::mining::articles::is_view;

/// Time between two looks at which articles have waited too long.
const CHECK_EVERY: Duration = Duration::from_secs(2);

/// The miner's loop: announces articles that waited too long for a view.
///
/// # Errors
/// Never; what fails waits again as long.
pub(super) async fn run(parts: Parts, stop: CancellationToken) -> anyhow::Result<()> {
    while pause_on(&parts.clock, CHECK_EVERY, &stop).await {
        for url in parts.announcements.overdue(parts.clock.now()) {
            if let Err(error) = announce_now(&parts, &url, parts.clock.now()).await {
                tracing::warn!(%url, %error, "cannot announce an article; it is tried again");
                parts.announcements.wait(&url, parts.clock.now());
            }
        }
    }
    Ok(())
}

/// Announces all articles that wait, for a run that ends: no other view will read them.
///
/// # Errors
/// When a store or the broker fails; then it may be repeated.
pub async fn announce_all(parts: &Parts, now: Timestamp) -> Result<(), BatchError> {
    for url in parts.announcements.take_all() {
        announce_now(parts, &url, now).await?;
    }
    Ok(())
}

/// Announces an article as it is archived, if it still waits.
///
/// # Errors
/// When a store or the broker fails; then it may be repeated.
pub async fn announce_now(parts: &Parts, url: &CanonicalUrl, now: Timestamp) -> Result<(), BatchError> {
    // Most were announced by a view.
    if !is_waiting(parts, url).await? {
        return Ok(());
    }
    let counted = parts.stores.state.versions(&url.site(), std::slice::from_ref(url)).await?;
    let Some(version) = counted.into_iter().flatten().next() else { return Ok(()) };
    let Some(json) = parts.stores.archive.get(Kind::Article, version.content).await? else { return Ok(()) };
    let Ok(article) = serde_json::from_slice::<Article>(&json) else { return Ok(()) };
    // It may be archived as a view has read it, with what a site that is old enough tells.
    let (knowledge, _) = Knowledge::read(parts.stores.state.as_ref(), &url.site()).await?;
    let is_final = is_view(&article) && tells_enough(&knowledge.site_knowledge());
    parts.histories().announce(&article, !is_final, now).await
}

/// Whether a site is old enough to tell what an article of it says.
pub(super) fn tells_enough(known: &SiteKnowledge) -> bool {
    !known.templates().is_empty() || known.kinds().is_enough()
}

/// Whether the article of a URL waits to be announced.
///
/// # Errors
/// When the archive fails.
pub(super) async fn is_waiting(parts: &Parts, url: &CanonicalUrl) -> StoreResult<bool> {
    if !parts.announcements.are_held() {
        return Ok(false);
    }
    let history = read_history(parts.stores.archive.as_ref(), url).await?;
    Ok(history.is_some_and(|history| history.is_waiting()))
}

/// Announces an article if it still waits, as a view has read it.
///
/// # Errors
/// When a store or the broker fails; then it may be repeated.
pub(super) async fn announce_if_waiting(
    parts: &Parts,
    article: &Article,
    now: Timestamp,
) -> Result<(), BatchError> {
    let Ok(url) = article.url.parse::<CanonicalUrl>() else { return Ok(()) };
    if !is_waiting(parts, &url).await? {
        return Ok(());
    }
    parts.histories().announce(article, false, now).await
}
