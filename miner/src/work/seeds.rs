//! Carries out operators' messages: adds, changes, pauses or removes a site, or forgets one of its pages.
//!
//! Each may be repeated, also after a part of it was done. To remove a site, its pages are first deleted from the archive,
//! since the frontier and the sums name them. Then the site leaves the frontier, so that its pages still on their way are not
//! counted ([`crate::work::apply::PageEnd::Unwanted`]). Then its sums are deleted. Start at [`apply_seed`].

use std::collections::BTreeSet;

use newslode_common::config::{Follow, MinerConfig};
use newslode_common::message::seed::{SeedCommand, SeedPast};
use newslode_common::message::{Ending, GonePage};
use newslode_common::retry::Retryable;
use newslode_common::rights::{rights_key, site_rights_key};
use newslode_common::schedule::{Class, ListingKind, PageSchedule, Role};
use newslode_common::store::past::ask_for;
use newslode_common::store::{Again, Kind, NewUrl, SiteSettings, StoreError, Why, robots_key};
use newslode_page::reading::{CanonicalUrl, Site, canonical};
use newslode_page::time::Timestamp;

use crate::work::apply::PageEnd;
use crate::work::error::BatchError;
use crate::work::histories::read_history;
use crate::work::links::add_urls;
use crate::work::parts::Parts;
use crate::work::removal::remove_page;
use crate::work::{archive, captures, histories, instances, knowledge, summary_cache, views};

/// Why a message could not be carried out.
#[derive(Debug, thiserror::Error)]
pub enum SeedFailure {
    /// The URL cannot be the URL of a page; the operator must correct it.
    #[error("`{0}` is not the URL of a page")]
    NoPage(String),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A page could not be removed.
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

/// Carries out an operator's message. Returns its site.
///
/// # Errors
/// When the URL cannot be a page's identity, or the store fails.
pub async fn apply_seed(
    parts: &Parts,
    config: &MinerConfig,
    command: SeedCommand,
    now: Timestamp,
) -> Result<Site, SeedFailure> {
    let page = page_of(&command)?;
    let site = page.site();
    match command {
        SeedCommand::Add { max_pages, max_depth, delay_ms, labels, past, .. } => {
            let settings = SiteSettings {
                max_pages: max_pages.unwrap_or(config.max_pages),
                max_depth: max_depth.unwrap_or(config.max_depth),
                delay_ms: delay_ms.unwrap_or(config.delay_ms),
                paused: false,
                labels,
            };
            log_changes(&site, parts.stores.frontier.site(&site).await?.as_ref(), &settings);
            parts.stores.frontier.put_site(&site, &settings).await?;
            add_urls(
                parts.stores.frontier.as_ref(),
                &parts.metrics,
                vec![seed(parts, config, page.clone()).await?],
                now,
            )
            .await?;
            if let Some(past) = past {
                ask_for_past(parts, config, &site, past, now).await?;
            }
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

/// Asks for the days of a site's past that have come.
async fn ask_for_past(
    parts: &Parts,
    config: &MinerConfig,
    site: &Site,
    past: SeedPast,
    now: Timestamp,
) -> Result<(), StoreError> {
    if config.follow != Follow::News {
        tracing::warn!(%site, "a seed asks for the past, which is read only with `miner.follow = \"news\"`");
        return Ok(());
    }
    let Some(window) = past.days(now.day()) else {
        tracing::warn!(%site, "a seed asks for days that have not come yet; send it again then");
        return Ok(());
    };
    ask_for(parts.stores.frontier.as_ref(), site, &parts.schedule, window, now).await
}

/// The page that a seed command names.
///
/// # Errors
/// [`SeedFailure::NoPage`] if the address is that of no page.
pub fn page_of(command: &SeedCommand) -> Result<CanonicalUrl, SeedFailure> {
    let (SeedCommand::Add { url, .. }
    | SeedCommand::Remove(url)
    | SeedCommand::Pause(url)
    | SeedCommand::Forget(url)) = command;
    canonical(url).ok_or_else(|| SeedFailure::NoPage(url.to_string()))
}

/// Logs which settings of a site a seed changes. Settings that the operator left out return to their defaults.
fn log_changes(site: &Site, before: Option<&SiteSettings>, now: &SiteSettings) {
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

/// A seed as a URL to fetch. With [`Follow::News`] it is a front page that is due now, even if the frontier has it.
async fn seed(parts: &Parts, config: &MinerConfig, page: CanonicalUrl) -> Result<NewUrl, StoreError> {
    if config.follow != Follow::News {
        return Ok(NewUrl::once(page, 0, Why::Seed, 0));
    }
    let schedule = parts.stores.frontier.entry(&page).await?.and_then(|entry| entry.schedule);
    let listing = schedule.filter(|schedule| matches!(schedule.role, Role::Listing(_)));
    let schedule = listing.unwrap_or_else(|| PageSchedule::of(Role::Listing(ListingKind::Front)));
    let (class, again) = (Class::Listing, Again::Now);
    Ok(NewUrl { url: page, depth: 0, why: Why::Seed, hops: 0, class, again, schedule: Some(schedule) })
}

/// Forgets a page and its other URLs: their counts, their entries in the frontier, and everything that the archive holds of
/// them.
async fn forget(parts: &Parts, page: &CanonicalUrl, now: Timestamp) -> Result<(), SeedFailure> {
    let twins = read_history(parts.stores.archive.as_ref(), page)
        .await?
        .map(|history| history.addresses)
        .unwrap_or_default();
    for page in twins.iter().chain([page]) {
        forget_url(parts, page, now).await?;
    }
    Ok(())
}

async fn forget_url(parts: &Parts, page: &CanonicalUrl, now: Timestamp) -> Result<(), SeedFailure> {
    let (site, urls) = (page.site(), std::slice::from_ref(page));
    let entry = parts.stores.frontier.entry(page).await?;
    let counted = parts.stores.state.versions(&site, urls).await?.into_iter().next().flatten();
    // The removal is newer than a fetch that is still on its way to be counted.
    let fetched = entry.as_ref().map_or(0, |entry| entry.fetch);
    let fetch = counted.map_or(fetched, |counted| counted.fetch.max(fetched));
    let gone = GonePage { url: page.clone(), site: site.clone(), fetch, at: now, ending: Ending::Forgotten };
    if let PageEnd::Rejected(reason) = remove_page(parts, &gone, now).await? {
        return Err(StoreError::Corrupt(reason).into());
    }
    archive::forget_fetched(&parts.stores, entry.into_iter().filter_map(|entry| entry.content)).await?;
    histories::forget(parts.stores.archive.as_ref(), urls.iter()).await?;
    parts.stores.archive.delete(Kind::Rights, rights_key(page)).await?;
    instances::forget(parts.stores.state.as_ref(), &site).await?;
    parts.stores.frontier.forget_url(page).await?;
    Ok(())
}

/// Deletes what is said of the rights of pages, and the robots.txt of their origins.
async fn forget_rights(parts: &Parts, urls: impl Iterator<Item = &CanonicalUrl>) -> Result<(), StoreError> {
    let archive = parts.stores.archive.as_ref();
    let mut files = BTreeSet::new();
    for url in urls {
        archive.delete(Kind::Rights, rights_key(url)).await?;
        files.extend(url.to_url().join("/robots.txt").ok().and_then(|file| canonical(&file)));
    }
    for file in &files {
        archive.delete(Kind::Robots, robots_key(file)).await?;
    }
    Ok(())
}

/// Removes a site, with everything that the archive and the store hold of it. See the head for the order.
async fn remove(parts: &Parts, site: &Site) -> Result<(), StoreError> {
    let entries = parts.stores.frontier.entries(site).await?;
    forget_rights(parts, entries.iter().map(|entry| &entry.url)).await?;
    archive::forget_fetched(&parts.stores, entries.into_iter().filter_map(|entry| entry.content)).await?;
    archive::forget_fetched(
        &parts.stores,
        captures::uncounted(parts.stores.state.as_ref(), site).await?.into_iter(),
    )
    .await?;
    parts.stores.frontier.remove_site(site).await?;
    let counted = parts.stores.state.pages(site).await?;
    forget_rights(parts, counted.iter().map(|(url, _)| url)).await?;
    parts.stores.archive.delete(Kind::Rights, site_rights_key(site)).await?;
    histories::forget(parts.stores.archive.as_ref(), counted.iter().map(|(url, _)| url)).await?;
    archive::forget_counted(&parts.stores, counted.into_iter().map(|(_, version)| version.content)).await?;
    parts.stores.state.forget(site).await?;
    captures::forget(parts.stores.state.as_ref(), site).await?;
    knowledge::forget(parts.stores.state.as_ref(), site).await?;
    summary_cache::forget(parts.stores.state.as_ref(), site).await?;
    instances::forget(parts.stores.state.as_ref(), site).await?;
    views::forget(parts.stores.state.as_ref(), site).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_message_that_changes_settings_logs_the_changes() {
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
