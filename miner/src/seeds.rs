//! What operators ask for: a site to add or change, to pause, to forget.
//!
//! All three may be repeated. A site that is forgotten leaves the frontier first, so that its pages still
//! under way find nobody who wants them ([`crate::apply::PageEnd::Unwanted`]), then its counts go.

use newslode_common::config::MinerConfig;
use newslode_common::message::seed::SeedCommand;
use newslode_common::page::{Site, canonical};
use newslode_common::store::{NewUrl, SiteSettings, StoreError, Why};
use newslode_common::time::Timestamp;

use crate::apply::add;
use crate::service::Parts;

/// A command that was not done.
#[derive(Debug, thiserror::Error)]
pub enum SeedFailure {
    /// The URL names no page: for a person.
    #[error("`{0}` names no page")]
    NoPage(String),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Does what an operator's message says.
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
            add(parts, vec![NewUrl { url: page, depth: 0, why: Why::Seed, hops: 0 }], now).await?;
        }
        SeedCommand::Pause(_) => {
            if let Some(settings) = parts.frontier.site(&site).await? {
                parts.frontier.put_site(&site, &SiteSettings { paused: true, ..settings }).await?;
            }
        }
        SeedCommand::Remove(_) => {
            parts.frontier.remove_site(&site).await?;
            parts.state.forget(&site).await?;
        }
    }
    Ok(site)
}
