//! Prepares a run for mending: afterwards, [`reconcile`](crate::work::reconcile) and the miner do the rest by their usual
//! ways.
//!
//! What follows from the archive is counted again. What the archive lost is fetched again at the next run. What no page needs
//! any more is deleted: a miner that was killed between subtracting a page and deleting it leaves that behind.

use std::collections::{BTreeMap, BTreeSet};

use newslode_common::config::Retention;
use newslode_common::message::{FetchedPage, envelope};
use newslode_common::outcome::Outcome;
use newslode_common::store::{Again, Kind, NewUrl, StoreError, StoreResult};
use newslode_common::version::ContentHash;
use newslode_page::reading::{CanonicalUrl, Site};
use newslode_page::time::Timestamp;

use crate::work::archive::{forget_counted, read_contribution};
use crate::work::captures;
use crate::work::generations::Generations;
use crate::work::stores::Stores;

/// What was found and done.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Prepared {
    /// Sites whose pages are counted again from the archive, since a page that counts can no longer be subtracted.
    pub recounted: Vec<Site>,
    /// Pages that the archive lost: the next run fetches them again.
    pub fetched_again: Vec<CanonicalUrl>,
    /// Pages that nothing needed any more; they were deleted.
    pub deleted: u64,
}

/// Prepares a run whose archive holds these pages. No other process may work on it.
///
/// # Errors
/// When a store fails; then it may be repeated.
pub async fn prepare(
    stores: &Stores,
    archived: &[ContentHash],
    retention: Retention,
    now: Timestamp,
) -> StoreResult<Prepared> {
    let mut prepared = Prepared::default();
    let pages = read_pages(stores, archived).await?;
    name_captures(stores, &pages).await?;
    for (site, _) in stores.state.sites().await? {
        if !can_be_subtracted(stores, &site).await? {
            stores.state.forget(&site).await?;
            prepared.recounted.push(site);
        }
    }
    prepared.fetched_again = fetch_again(stores, now).await?;
    prepared.deleted = delete_unneeded(stores, &pages, retention).await?;
    Ok(prepared)
}

/// An archived page.
struct Archived {
    content: ContentHash,
    url: CanonicalUrl,
    is_capture: bool,
}

async fn read_pages(stores: &Stores, contents: &[ContentHash]) -> StoreResult<Vec<Archived>> {
    let mut pages = Vec::new();
    for &content in contents {
        let Some(bytes) = stores.archive.get(Kind::Page, content).await? else { continue };
        match envelope::open::<FetchedPage>(&bytes) {
            Ok(page) => {
                pages.push(Archived { content, url: page.url, is_capture: page.version.is_dated() });
            }
            Err(error) => {
                tracing::warn!(%content, %error, "an archived page cannot be read; it is left as it is")
            }
        }
    }
    Ok(pages)
}

/// Names the captures again that the sums named, in case the sums are forgotten: nothing else knows them.
async fn name_captures(stores: &Stores, pages: &[Archived]) -> StoreResult<()> {
    let mut of_sites: BTreeMap<Site, Vec<ContentHash>> = BTreeMap::new();
    for page in pages.iter().filter(|page| page.is_capture) {
        of_sites.entry(page.url.site()).or_default().push(page.content);
    }
    for (site, contents) in of_sites {
        captures::update(stores.state.as_ref(), &site, &contents, &[]).await?;
    }
    Ok(())
}

/// Whether the archive holds the contribution of each counted page of a site.
async fn can_be_subtracted(stores: &Stores, site: &Site) -> StoreResult<bool> {
    for (_, version) in stores.state.pages(site).await? {
        if version.content == ContentHash::NONE {
            continue;
        }
        match read_contribution(stores.archive.as_ref(), version.content).await {
            Ok(Some(_)) => {}
            Ok(None) | Err(StoreError::Corrupt(_)) => return Ok(false),
            Err(error) => return Err(error),
        }
    }
    Ok(true)
}

/// Makes the pages due that were fetched, and that neither count nor are in the archive.
async fn fetch_again(stores: &Stores, now: Timestamp) -> StoreResult<Vec<CanonicalUrl>> {
    let generations = Generations::read(stores.state.as_ref()).await?;
    let mut lost = Vec::new();
    for site in stores.frontier.status().await? {
        let counted: BTreeSet<ContentHash> =
            stores.state.pages(&site.site).await?.into_iter().map(|(_, version)| version.content).collect();
        let mut due = Vec::new();
        for entry in stores.frontier.entries(&site.site).await? {
            let was_fetched = matches!(entry.outcome, Some(Outcome::Fetched | Outcome::Unchanged));
            let Some(content) = entry.content.filter(|_| was_fetched) else { continue };
            let counts = generations.names(content).any(|name| counted.contains(&name));
            if counts || stores.archive.get(Kind::Page, content).await?.is_some() {
                continue;
            }
            due.push(NewUrl {
                class: entry.class,
                again: Again::Now,
                schedule: entry.schedule,
                ..NewUrl::once(entry.url.clone(), entry.depth, entry.why, entry.hops)
            });
            lost.push(entry.url);
        }
        if !due.is_empty() {
            stores.frontier.add(&due, now).await?;
        }
    }
    Ok(lost)
}

/// Deletes pages that another version of their URL replaced, or whose URL was removed. Returns how many.
async fn delete_unneeded(stores: &Stores, pages: &[Archived], retention: Retention) -> StoreResult<u64> {
    let generations = Generations::read(stores.state.as_ref()).await?;
    let mut deleted = 0;
    for page in pages {
        let Archived { content, url, .. } = page;
        let counted = stores.state.versions(&url.site(), std::slice::from_ref(url)).await?;
        // A page that was never counted is still to be counted.
        let Some(counted) = counted.into_iter().next().flatten() else { continue };
        let was_removed = counted.content == ContentHash::NONE;
        let is_counted = generations.names(*content).any(|name| name == counted.content);
        let is_kept = was_removed && retention == Retention::All;
        let entry = stores.frontier.entry(url).await?;
        let is_last = entry.is_some_and(|entry| entry.content == Some(*content));
        if is_counted || is_kept || (is_last && !was_removed) {
            continue;
        }
        let names: Vec<ContentHash> = generations.names(*content).collect();
        forget_counted(stores, names.into_iter()).await?;
        deleted += 1;
    }
    Ok(deleted)
}
