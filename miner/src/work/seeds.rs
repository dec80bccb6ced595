//! Obeys operators: adds or changes a site, pauses it, forgets it.
//!
//! All three may be repeated, even if they were done in part. A forgotten site leaves the frontier first, so
//! that its pages still under way are unwanted ([`crate::work::apply::PageEnd::Unwanted`]); then its counts
//! go. The archive forgets before either, since these two tell it what to forget.

use newslode_common::config::{Follow, MinerConfig};
use newslode_common::message::seed::SeedCommand;
use newslode_common::retry::Retryable;
use newslode_common::schedule::{Class, ListingKind, PageSchedule, Role};
use newslode_common::store::{Again, NewUrl, SiteSettings, StoreError, Why};
use newslode_page::reading::{CanonicalUrl, Site, canonical};
use newslode_page::time::Timestamp;

use crate::work::follow::add;
use crate::work::known;
use crate::work::parts::Parts;
use crate::work::{archive, fed, lives};

/// A command that failed.
#[derive(Debug, thiserror::Error)]
pub enum SeedFailure {
    /// The URL names no page; a person must mend it.
    #[error("`{0}` names no page")]
    NoPage(String),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Retryable for SeedFailure {
    fn is_retryable(&self) -> bool {
        match self {
            SeedFailure::NoPage(_) => false,
            SeedFailure::Store(error) => error.is_retryable(),
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
    let (SeedCommand::Add { url, .. } | SeedCommand::Remove(url) | SeedCommand::Pause(url)) = &command;
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
            parts.frontier.put_site(&site, &settings).await?;
            add(parts, vec![seed(parts, config, page).await?], now).await?;
        }
        SeedCommand::Pause(_) => {
            if let Some(settings) = parts.frontier.site(&site).await? {
                parts.frontier.put_site(&site, &SiteSettings { paused: true, ..settings }).await?;
            }
        }
        SeedCommand::Remove(_) => {
            remove(parts, &site).await?;
        }
    }
    Ok(site)
}

/// A seed as a URL to fetch. With [`Follow::News`] it is a front page that is due now, even if it is known.
async fn seed(parts: &Parts, config: &MinerConfig, page: CanonicalUrl) -> Result<NewUrl, StoreError> {
    if config.follow != Follow::News {
        return Ok(NewUrl::once(page, 0, Why::Seed, 0));
    }
    let known = parts.frontier.entry(&page).await?.and_then(|entry| entry.schedule);
    let listing = known.filter(|known| matches!(known.role, Role::Listing(_)));
    let schedule = listing.unwrap_or_else(|| PageSchedule::of(Role::Listing(ListingKind::Front)));
    let (class, again) = (Class::Listing, Again::Now);
    Ok(NewUrl { url: page, depth: 0, why: Why::Seed, hops: 0, class, again, schedule: Some(schedule) })
}

/// Forgets a site and everything that the archive holds of its pages.
async fn remove(parts: &Parts, site: &Site) -> Result<(), StoreError> {
    let entries = parts.frontier.entries(site).await?;
    archive::forget_fetched(parts, entries.into_iter().filter_map(|entry| entry.content)).await?;
    archive::forget_fetched(parts, fed::noted(parts.state.as_ref(), site).await?.into_iter()).await?;
    parts.frontier.remove_site(site).await?;
    let counted = parts.state.pages(site).await?;
    lives::forget(parts, counted.iter().map(|(url, _)| url)).await?;
    archive::forget_counted(parts, counted.into_iter().map(|(_, version)| version.content)).await?;
    parts.state.forget(site).await?;
    fed::forget(parts.state.as_ref(), site).await?;
    known::forget(parts.state.as_ref(), site).await
}
