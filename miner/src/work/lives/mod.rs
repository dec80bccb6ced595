//! Keeps the lives of articles in the archive, and tells readers what happens in them.
//!
//! An event is told before it is kept: at least once, and always under the same number. Start at [`tell`].

pub mod life;

use std::collections::BTreeMap;

use newslode_common::message::GonePage;
use newslode_common::store::{Kind, StoreError, StoreResult};
use newslode_page::article::Article;
use newslode_page::reading::CanonicalUrl;
use newslode_page::time::Timestamp;

use crate::work::error::BatchError;
use crate::work::parts::Parts;
use crate::work::readers::hand_out;
use life::{Discovery, EventKind, Fetch, Life, Lost, Told, name_of};

/// The life of the article at this address; `None` if none was read there.
///
/// # Errors
/// When the archive cannot be read, or holds something else.
pub async fn read(parts: &Parts, url: &CanonicalUrl) -> StoreResult<Option<Life>> {
    let Some(bytes) = parts.archive.get(Kind::Life, name_of(url)).await? else { return Ok(None) };
    let life = serde_json::from_slice(&bytes);
    life.map(Some).map_err(|error| StoreError::Corrupt(format!("the life of `{url}`: {error}")))
}

/// The operator's marks on a site.
///
/// # Errors
/// When the store fails.
pub async fn labels(parts: &Parts, url: &CanonicalUrl) -> StoreResult<BTreeMap<String, String>> {
    Ok(parts.frontier.site(&url.site()).await?.map(|settings| settings.labels).unwrap_or_default())
}

/// Takes in what an article says after this fetch, and tells readers if that is news.
///
/// # Errors
/// When a store or the broker fails; then it may be repeated.
pub(super) async fn tell(
    parts: &Parts,
    labels: &BTreeMap<String, String>,
    url: &CanonicalUrl,
    article: &Article,
    fetch: Fetch,
    now: Timestamp,
) -> Result<(), BatchError> {
    let held = read(parts, url).await?;
    let found = if held.is_none() { discovery(parts, url).await? } else { Discovery::default() };
    let before = held.clone();
    let (life, event) = Life::read(held, url, article, fetch, found);
    if event.is_some()
        && let Some(told) = Told::of(&life, article, labels)
    {
        hand_out(parts, life.language.as_deref(), url, &told).await?;
    }
    if event.is_some_and(|event| event.event == EventKind::New)
        && let Some(delay) = life::delay(article, now)
    {
        parts.metrics.article_delay.observe(delay.as_secs_f64());
    }
    if before.as_ref() != Some(&life) {
        put(parts, &life, now).await?;
    }
    Ok(())
}

/// Takes in what an article says as it is seen with more knowledge of its site.
///
/// # Errors
/// When a store or the broker fails; then it may be repeated.
pub(super) async fn revise(
    parts: &Parts,
    article: &Article,
    fetch: Fetch,
    now: Timestamp,
) -> Result<(), BatchError> {
    let Ok(url) = article.url.parse::<CanonicalUrl>() else { return Ok(()) };
    let last = read(parts, &url).await?.map(|life| Fetch { number: life.fetch, at: life.fetched_at });
    tell(parts, &labels(parts, &url).await?, &url, article, last.unwrap_or(fetch), now).await
}

/// Ends the life of an article, and tells readers.
///
/// # Errors
/// When a store or the broker fails; then it may be repeated.
pub(super) async fn end(
    parts: &Parts,
    gone: &GonePage,
    number: u64,
    now: Timestamp,
) -> Result<(), BatchError> {
    let Some(mut life) = read(parts, &gone.url).await? else { return Ok(()) };
    if life.end(gone.ending.clone(), Fetch { number, at: gone.at }).is_none() {
        return Ok(());
    }
    if let Some(lost) = Lost::of(&life, &labels(parts, &gone.url).await?) {
        hand_out(parts, life.language.as_deref(), &gone.url, &lost).await?;
    }
    Ok(put(parts, &life, now).await?)
}

/// Forgets the lives of articles at these addresses.
///
/// # Errors
/// When the archive fails.
pub(super) async fn forget(parts: &Parts, urls: impl Iterator<Item = &CanonicalUrl>) -> StoreResult<()> {
    for url in urls {
        parts.archive.delete(Kind::Life, name_of(url)).await?;
    }
    Ok(())
}

async fn put(parts: &Parts, life: &Life, now: Timestamp) -> StoreResult<()> {
    let json = serde_json::to_vec(life).map_err(|error| StoreError::Corrupt(error.to_string()))?;
    parts.archive.put(Kind::Life, name_of(&life.url), json.into(), now).await
}

async fn discovery(parts: &Parts, url: &CanonicalUrl) -> StoreResult<Discovery> {
    let known = parts.frontier.entry(url).await?.and_then(|entry| entry.schedule);
    let Some(known) = known.filter(|known| known.met > 0) else { return Ok(Discovery::default()) };
    let mut found = Discovery { at: Some(Timestamp(known.met * 1_000)), on: None };
    if let Some(by) = known.by {
        let (site, _) = parts.frontier.schedule(&url.site()).await?;
        found.on = site.listing(by).map(|listing| listing.url.clone());
    }
    Ok(found)
}
