//! Obeys operators: adds or changes a site, pauses it, forgets it or one of its pages.
//!
//! All of it may be repeated, even if they were done in part. A forgotten site leaves the frontier first, so
//! that its pages still under way are unwanted ([`crate::work::apply::PageEnd::Unwanted`]); then its counts
//! go. The archive forgets before either, since these two tell it what to forget.

use newslode_common::config::{Follow, MinerConfig};
use newslode_common::message::seed::SeedCommand;
use newslode_common::message::{Ending, GonePage};
use newslode_common::retry::Retryable;
use newslode_common::schedule::{Class, ListingKind, PageSchedule, Role};
use newslode_common::store::{Again, NewUrl, SiteSettings, StoreError, Why};
use newslode_page::reading::{CanonicalUrl, Site, canonical};
use newslode_page::time::Timestamp;

use crate::work::apply::PageEnd;
use crate::work::ending::take_out;
use crate::work::error::BatchError;
use crate::work::follow::add;
use crate::work::histories::read_history;
use crate::work::parts::Parts;
use crate::work::{archive, fed, followed, histories, instances, known, views};

/// A command that failed.
#[derive(Debug, thiserror::Error)]
pub enum SeedFailure {
    /// The URL names no page; a person must mend it.
    #[error("`{0}` is not the URL of a page")]
    NoPage(String),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A page could not be taken out.
    #[error(transparent)]
    Page(#[from] BatchError),
}

impl Retryable for SeedFailure {
    fn is_retryable(&self) -> bool {
        match self {
            SeedFailure::NoPage(_) => false,
            SeedFailure::Store(error) => error.is_retryable(),
            SeedFailure::Page(error) => error.is_retryable(),
        }
    }
}

/// Obeys an operator's message.
///
/// # Errors
/// When the URL cannot be a page's identity, or the store fails.
pub async fn obey(
    parts: &Parts,
    config: &MinerConfig,
    command: SeedCommand,
    now: Timestamp,
) -> Result<Site, SeedFailure> {
    let (SeedCommand::Add { url, .. }
    | SeedCommand::Remove(url)
    | SeedCommand::Pause(url)
    | SeedCommand::Forget(url)) = &command;
    let page = canonical(url).ok_or_else(|| SeedFailure::NoPage(url.to_string()))?;
    let site = page.site();
    match command {
        SeedCommand::Add { max_pages, max_depth, delay_ms, labels, .. } => {
            let settings = SiteSettings {
                max_pages: max_pages.unwrap_or(config.max_pages),
                max_depth: max_depth.unwrap_or(config.max_depth),
                delay_ms: delay_ms.unwrap_or(config.delay_ms),
                paused: false,
                labels,
            };
            tell_changes(&site, parts.stores.frontier.site(&site).await?.as_ref(), &settings);
            parts.stores.frontier.put_site(&site, &settings).await?;
            add(
                parts.stores.frontier.as_ref(),
                &parts.metrics,
                vec![seed(parts, config, page.clone()).await?],
                now,
            )
            .await?;
        }
        SeedCommand::Pause(_) => {
            if let Some(settings) = parts.stores.frontier.site(&site).await? {
                parts.stores.frontier.put_site(&site, &SiteSettings { paused: true, ..settings }).await?;
            }
        }
        SeedCommand::Remove(_) => {
            remove(parts, &site).await?;
        }
        SeedCommand::Forget(_) => forget(parts, &page, now).await?,
    }
    Ok(site)
}

/// Says what a seed changes of a known site: what the operator left out returns to its default.
fn tell_changes(site: &Site, before: Option<&SiteSettings>, now: &SiteSettings) {
    let Some(before) = before else { return };
    let changed = changes(before, now);
    if !changed.is_empty() {
        tracing::info!(%site, "an operator changed the settings of a site: {}", changed.join(", "));
    }
}

fn changes(before: &SiteSettings, now: &SiteSettings) -> Vec<String> {
    let numbers = [
        ("max_pages", before.max_pages, now.max_pages),
        ("max_depth", u64::from(before.max_depth), u64::from(now.max_depth)),
        ("delay_ms", before.delay_ms, now.delay_ms),
    ];
    let changed = numbers.into_iter().filter(|(_, before, now)| before != now);
    let mut changed: Vec<String> =
        changed.map(|(name, before, now)| format!("{name} {before} to {now}")).collect();
    if before.paused && !now.paused {
        changed.push("resumed".into());
    }
    if before.labels != now.labels {
        changed.push("other labels".into());
    }
    changed
}

/// A seed as a URL to fetch. With [`Follow::News`] it is a front page that is due now, even if it is known.
async fn seed(parts: &Parts, config: &MinerConfig, page: CanonicalUrl) -> Result<NewUrl, StoreError> {
    if config.follow != Follow::News {
        return Ok(NewUrl::once(page, 0, Why::Seed, 0));
    }
    let known = parts.stores.frontier.entry(&page).await?.and_then(|entry| entry.schedule);
    let listing = known.filter(|known| matches!(known.role, Role::Listing(_)));
    let schedule = listing.unwrap_or_else(|| PageSchedule::of(Role::Listing(ListingKind::Front)));
    let (class, again) = (Class::Listing, Again::Now);
    Ok(NewUrl { url: page, depth: 0, why: Why::Seed, hops: 0, class, again, schedule: Some(schedule) })
}

/// Forgets a page: what is known of it, what it counts for, and everything that the archive holds of it.
/// So are its other addresses.
async fn forget(parts: &Parts, page: &CanonicalUrl, now: Timestamp) -> Result<(), SeedFailure> {
    let twins = read_history(parts.stores.archive.as_ref(), page)
        .await?
        .map(|history| history.addresses)
        .unwrap_or_default();
    for page in twins.iter().chain([page]) {
        forget_one(parts, page, now).await?;
    }
    Ok(())
}

async fn forget_one(parts: &Parts, page: &CanonicalUrl, now: Timestamp) -> Result<(), SeedFailure> {
    let (site, urls) = (page.site(), std::slice::from_ref(page));
    let entry = parts.stores.frontier.entry(page).await?;
    let counted = parts.stores.state.versions(&site, urls).await?.into_iter().next().flatten();
    // Newer than a fetch that is still on its way to be counted.
    let fetched = entry.as_ref().map_or(0, |entry| entry.fetch);
    let fetch = counted.map_or(fetched, |counted| counted.fetch.max(fetched));
    let gone = GonePage { url: page.clone(), site: site.clone(), fetch, at: now, ending: Ending::Forgotten };
    if let PageEnd::Rejected(reason) = take_out(parts, &gone, now).await? {
        return Err(StoreError::Corrupt(reason).into());
    }
    archive::forget_fetched(&parts.stores, entry.into_iter().filter_map(|entry| entry.content)).await?;
    histories::forget(parts.stores.archive.as_ref(), urls.iter()).await?;
    instances::forget(parts.stores.state.as_ref(), &site).await?;
    parts.stores.frontier.forget_url(page).await?;
    Ok(())
}

/// Forgets a site and everything that the archive holds of its pages.
async fn remove(parts: &Parts, site: &Site) -> Result<(), StoreError> {
    let entries = parts.stores.frontier.entries(site).await?;
    archive::forget_fetched(&parts.stores, entries.into_iter().filter_map(|entry| entry.content)).await?;
    archive::forget_fetched(&parts.stores, fed::noted(parts.stores.state.as_ref(), site).await?.into_iter())
        .await?;
    parts.stores.frontier.remove_site(site).await?;
    let counted = parts.stores.state.pages(site).await?;
    histories::forget(parts.stores.archive.as_ref(), counted.iter().map(|(url, _)| url)).await?;
    archive::forget_counted(&parts.stores, counted.into_iter().map(|(_, version)| version.content)).await?;
    parts.stores.state.forget(site).await?;
    fed::forget(parts.stores.state.as_ref(), site).await?;
    known::forget(parts.stores.state.as_ref(), site).await?;
    followed::forget(parts.stores.state.as_ref(), site).await?;
    instances::forget(parts.stores.state.as_ref(), site).await?;
    views::forget(parts.stores.state.as_ref(), site).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_seed_changes_is_named() {
        let before = SiteSettings {
            max_pages: 9,
            max_depth: 5,
            delay_ms: 1_000,
            paused: true,
            labels: [("desk".to_owned(), "eu".to_owned())].into(),
        };
        assert_eq!(changes(&before, &before.clone()), [""; 0]);
        let now = SiteSettings { max_pages: 10, paused: false, labels: Default::default(), ..before.clone() };
        assert_eq!(changes(&before, &now), ["max_pages 9 to 10", "resumed", "other labels"]);
    }
}
