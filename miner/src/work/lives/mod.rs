//! Keeps the lives of articles in the archive, and tells readers what happens in them.
//!
//! An event is told before it is kept: at least once, and always under the same number. An article that is found under
//! several addresses has one life (`twins`); its text is found again by an index (`texts`). Start at [`tell`].

pub mod life;
mod texts;
pub mod told;
mod twins;

use std::collections::{BTreeMap, BTreeSet};

use newslode_common::message::{Ending, GonePage};
use newslode_common::schedule::{Class, PageSchedule};
use newslode_common::store::{Again, Kind, NewUrl, StoreError, StoreResult, Why};
use newslode_common::version::ContentHash;
use newslode_page::article::Article;
use newslode_page::reading::CanonicalUrl;
use newslode_page::time::Timestamp;

use crate::mining::filing::{Asked, Filed, Witness};
use crate::mining::prints::Print;
use crate::work::error::BatchError;
use crate::work::parts::Parts;
use crate::work::readers::hand_out;
use life::{EventKind, Fetch, Life, name_of};
use told::{Line, Lost, Placed, Told};

/// The life of the article at this address; `None` if none was read there.
///
/// # Errors
/// When the archive cannot be read, or holds something else.
pub async fn read(parts: &Parts, url: &CanonicalUrl) -> StoreResult<Option<Life>> {
    named(parts, name_of(url)).await
}

async fn named(parts: &Parts, name: ContentHash) -> StoreResult<Option<Life>> {
    let Some(bytes) = parts.archive.get(Kind::Life, name).await? else { return Ok(None) };
    let life = serde_json::from_slice(&bytes);
    life.map(Some).map_err(|error| StoreError::Corrupt(format!("the life {name}: {error}")))
}

/// The operator's marks on a site.
///
/// # Errors
/// When the store fails.
pub async fn labels(parts: &Parts, url: &CanonicalUrl) -> StoreResult<BTreeMap<String, String>> {
    Ok(parts.frontier.site(&url.site()).await?.map(|settings| settings.labels).unwrap_or_default())
}

/// What a fetch of an article brought.
#[derive(Clone, Copy)]
pub(super) struct Reading<'r> {
    /// Its address.
    pub(super) url: &'r CanonicalUrl,
    /// What it says.
    pub(super) article: &'r Article,
    /// When it was fetched.
    pub(super) fetch: Fetch,
    /// The address that the page declares as its own.
    pub(super) canonical: Option<&'r CanonicalUrl>,
}

/// Takes in what an article says after this fetch, and tells readers if that is news. Returns whether readers know
/// the article under another address.
///
/// # Errors
/// When a store or the broker fails; then it may be repeated.
pub(super) async fn tell(
    parts: &Parts,
    labels: &BTreeMap<String, String>,
    reading: Reading<'_>,
    now: Timestamp,
) -> Result<bool, BatchError> {
    let held = read(parts, reading.url).await?;
    take_in(parts, labels, held, reading, now).await
}

/// The same, given the life as it is held.
async fn take_in(
    parts: &Parts,
    labels: &BTreeMap<String, String>,
    held: Option<Life>,
    reading: Reading<'_>,
    now: Timestamp,
) -> Result<bool, BatchError> {
    if let Some(life) = held.as_ref().filter(|life| life.has_overtaken(reading.fetch)) {
        return Ok(life.twin_of.is_some());
    }
    let mut life = match held.clone() {
        Some(life) => life,
        None => beginning(parts, reading.url, reading.fetch.at).await?,
    };
    (life.print, life.canonical) = (Print::of(reading.article), reading.canonical.cloned());
    let near = twins::near(parts, &life, now).await?;
    if let Some(primary) = twins::primary(&life, &near) {
        let primary = primary.clone();
        twins::join(parts, labels, life, reading.fetch, primary, now).await?;
        return Ok(true);
    }
    let mut others = twins::part(&life, &near);
    let event = life.read(reading.article, reading.fetch);
    others.extend(twins::link(&mut life, &near));
    let twins = twins::adopt(&mut life, near);
    if event.is_some() {
        let (article, filed) = file(parts, &life, reading.article).await?;
        if let Some(told) = Told::of(&life, &article, labels) {
            let line = Line { told, filed: &Placed::all(&filed) };
            hand_out(parts, life.language.as_deref(), reading.url, &line).await?;
        }
    }
    if event.is_some_and(|event| event.event == EventKind::New) {
        measure(parts, reading.article, now);
    }
    // A twin may be among the others: its end is written last.
    for other in others {
        put(parts, &other, now).await?;
    }
    for twin in twins {
        twins::end(parts, labels, twin, &life, now).await?;
    }
    if held.as_ref() != Some(&life) {
        put(parts, &life, now).await?;
    }
    Ok(false)
}

/// Measures what a new article's page told.
fn measure(parts: &Parts, article: &Article, now: Timestamp) {
    if let Some(delay) = life::delay(article, now) {
        parts.metrics.article_delay.observe(delay.as_secs_f64());
    }
    let (title, day) = (article.title.is_some(), article.published.is_some());
    for (field, is_told) in [("title", title), ("day", day), ("text", !article.body.is_empty())] {
        parts.metrics.articles_without.with_label_values(&[field]).inc_by(u64::from(!is_told));
    }
}

/// An article under its concepts, as far as these are known now.
async fn file(parts: &Parts, life: &Life, article: &Article) -> Result<(Article, Vec<Filed>), BatchError> {
    let mut article = article.clone();
    let Some(filing) = parts.filing.now() else { return Ok((article, Vec::new())) };
    let found_on = life.discovered_on.clone();
    let work = move || {
        let asked = Asked { article: &article, listed: None, found_on: found_on.as_ref() };
        let filed = filing.of(asked);
        article.concepts = filed.iter().map(|filed| filed.label.clone()).collect();
        (article, filed)
    };
    let failed = |error| StoreError::Corrupt(format!("an article cannot be filed: {error}"));
    let (article, filed) = tokio::task::spawn_blocking(work).await.map_err(failed)?;
    let best = filed.iter().map(|filed| filed.witness).min();
    let witness = best.map_or("none", Witness::name);
    parts.metrics.filed.with_label_values(&[witness]).inc();
    Ok((article, filed))
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
    let held = read(parts, &url).await?;
    if held.as_ref().is_some_and(|life| life.twin_of.is_some()) {
        return Ok(());
    }
    let fetch = held.as_ref().map_or(fetch, |life| Fetch { number: life.fetch, at: life.fetched_at });
    let canonical = held.as_ref().and_then(|life| life.canonical.clone());
    let reading = Reading { url: &url, article, fetch, canonical: canonical.as_ref() };
    take_in(parts, &labels(parts, &url).await?, held, reading, now).await.map(drop)
}

/// Ends the life of an article, and tells readers. Where it moved to, it goes on; its other addresses are asked for.
///
/// # Errors
/// When a store or the broker fails; then it may be repeated.
pub(super) async fn end(
    parts: &Parts,
    gone: &GonePage,
    number: u64,
    now: Timestamp,
) -> Result<(), BatchError> {
    let held = read(parts, &gone.url).await?;
    if let Ending::Moved(target) = &gone.ending {
        twins::moved(parts, held.as_ref(), gone, target, now).await?;
    }
    let Some(mut life) = held else { return Ok(()) };
    let labels = labels(parts, &gone.url).await?;
    let fetch = Fetch { number, at: gone.at };
    if !lose(parts, &labels, &mut life, gone.ending.clone(), fetch).await? {
        return Ok(());
    }
    if gone.ending != Ending::Forgotten {
        ask_for(parts, &life.addresses, now).await?;
    }
    Ok(put(parts, &life, now).await?)
}

/// Ends a life, and tells readers. Returns whether that is news.
async fn lose(
    parts: &Parts,
    labels: &BTreeMap<String, String>,
    life: &mut Life,
    ending: Ending,
    fetch: Fetch,
) -> Result<bool, BatchError> {
    if life.end(ending, fetch).is_none() {
        return Ok(false);
    }
    if let Some(lost) = Lost::of(life, labels) {
        hand_out(parts, life.language.as_deref(), &life.url, &lost).await?;
    }
    Ok(true)
}

/// Has addresses fetched now: what readers knew elsewhere may live on there.
async fn ask_for(parts: &Parts, addresses: &BTreeSet<CanonicalUrl>, now: Timestamp) -> StoreResult<()> {
    let again = |url: &CanonicalUrl| NewUrl {
        class: Class::Recheck,
        again: Again::Now,
        schedule: Some(PageSchedule::page(None, now)),
        ..NewUrl::once(url.clone(), 1, Why::Link, 0)
    };
    let addresses: Vec<NewUrl> = addresses.iter().map(again).collect();
    if !addresses.is_empty() {
        parts.frontier.add(&addresses, now).await?;
    }
    Ok(())
}

/// Forgets the lives of articles at these addresses, and what points there.
///
/// # Errors
/// When the archive fails.
pub(super) async fn forget(parts: &Parts, urls: impl Iterator<Item = &CanonicalUrl>) -> StoreResult<()> {
    for url in urls {
        let addresses = read(parts, url).await?.map(|life| life.addresses).unwrap_or_default();
        for address in addresses.iter().chain([url]) {
            parts.archive.delete(Kind::Life, name_of(address)).await?;
        }
    }
    Ok(())
}

async fn put(parts: &Parts, life: &Life, now: Timestamp) -> StoreResult<()> {
    let json = serde_json::to_vec(life).map_err(|error| StoreError::Corrupt(error.to_string()))?;
    parts.archive.put(Kind::Life, name_of(&life.url), json.into(), now).await
}

/// The life of an article that nobody has read, as it was found; otherwise as it was fetched at this time.
async fn beginning(parts: &Parts, url: &CanonicalUrl, at: Timestamp) -> StoreResult<Life> {
    let known = parts.frontier.entry(url).await?.and_then(|entry| entry.schedule);
    let Some(known) = known.filter(|known| known.met > 0 && known.met * 1_000 <= at.0) else {
        return Ok(Life::unread(url, at, None));
    };
    let mut on = None;
    if let Some(by) = known.by {
        let (site, _) = parts.frontier.schedule(&url.site()).await?;
        on = site.listing(by).map(|listing| listing.url.clone());
    }
    Ok(Life::unread(url, Timestamp(known.met * 1_000), on))
}
