//! Tells the schedule what a fetched page turned out to be: an article with this text, or none.
//!
//! The crawler cannot know: it fetches, and the partitioner reads. An article that is told for the first time
//! counts for the listing that showed it first; later readings move the page along its ladder. A page that is no
//! article and shows many stories becomes a section. Telling twice changes nothing. Start at [`tell`].

use std::collections::BTreeSet;
use std::time::Duration;

use newslode_common::message::PartitionedPage;
use newslode_common::schedule::{ListingKind, Role, ScheduleConfig, SiteSchedule, name};
use newslode_common::store::teach::teach;
use newslode_common::store::{Frontier, Note, StoreResult};
use newslode_page::article::Article;
use newslode_page::reading::CanonicalUrl;
use newslode_page::time::Timestamp;

use crate::mining::prints::day_of;

/// Waits before a page is told again whose crawler still holds it: it publishes a page before it completes its
/// claim.
const AGAIN: [Duration; 3] =
    [Duration::from_millis(20), Duration::from_millis(100), Duration::from_millis(500)];

/// What a fetched page turned out to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The page.
    pub url: CanonicalUrl,
    /// The claim that fetched it.
    pub fetch: u64,
    /// When it was fetched.
    pub at: Timestamp,
    /// Names the article's text, if it is an article.
    pub text: Option<u64>,
    /// Whether it was published within a day of the fetch, as far as is known.
    pub is_recent: bool,
    /// Whether readers know the article under another address.
    pub is_twin: bool,
}

impl Reading {
    /// The reading of a page as the partitioner read it.
    #[must_use]
    pub fn of(url: &CanonicalUrl, fetch: u64, at: Timestamp, article: Option<&Article>) -> Reading {
        let published = article.and_then(|article| article.published.as_deref());
        let text = article.map(|article| name(&article.text()));
        Reading { url: url.clone(), fetch, at, text, is_recent: is_recent(published, at), is_twin: false }
    }
}

fn is_recent(published: Option<&str>, at: Timestamp) -> bool {
    let day = published.and_then(day_of);
    day.is_none_or(|day| i64::from(at.day()) - i64::from(day) <= 1)
}

/// The effect of telling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heard {
    /// It is noted, or there is nothing to note.
    Yes,
    /// The crawler still holds the page.
    NotYet,
}

/// Tells the schedule what a page turned out to be.
///
/// # Errors
/// When the store fails.
pub async fn tell(frontier: &dyn Frontier, config: &ScheduleConfig, reading: &Reading) -> StoreResult<Heard> {
    let Some(entry) = frontier.entry(&reading.url).await? else { return Ok(Heard::Yes) };
    let Some(mut schedule) = entry.schedule.filter(|known| known.role == Role::Page) else {
        return Ok(Heard::Yes);
    };
    if entry.fetch != reading.fetch {
        return Ok(Heard::Yes);
    }
    if entry.leased {
        return Ok(Heard::NotYet);
    }
    if schedule.is_told {
        return Ok(Heard::Yes);
    }
    let told = if reading.is_twin {
        schedule.told_elsewhere()
    } else {
        schedule.told(reading.text, reading.at, config)
    };
    let note =
        Note { url: reading.url.clone(), fetch: reading.fetch, at: reading.at, next: told.next, schedule };
    if !frontier.note(&note).await? {
        return Ok(Heard::NotYet);
    }
    let site = reading.url.site();
    if let Role::Listing(_) = schedule.role {
        let url = &reading.url;
        teach(frontier, &site, config, reading.at, |site| site.meet(url, ListingKind::Section)).await?;
    }
    if told.is_new_article {
        let confirm = |site: &mut SiteSchedule| site.confirm(schedule.by, reading.is_recent, reading.at);
        teach(frontier, &site, config, reading.at, confirm).await?;
    }
    Ok(Heard::Yes)
}

/// Tells what pages turned out to be; `twins` are articles that readers know under other addresses. Waits a little for those that their crawler still holds; a page that nobody
/// tells is handed on again at its next visit.
///
/// # Errors
/// When the store fails.
pub(crate) async fn tell_all(
    frontier: &dyn Frontier,
    config: &ScheduleConfig,
    pages: &[PartitionedPage],
    twins: &BTreeSet<CanonicalUrl>,
) -> StoreResult<()> {
    let reading = |page: &PartitionedPage| Reading {
        is_twin: twins.contains(&page.url),
        ..Reading::of(&page.url, page.version.fetch, page.fetched_at, page.article.as_ref())
    };
    let mut held: Vec<Reading> = pages.iter().map(reading).collect();
    let mut waits = AGAIN.into_iter();
    loop {
        let mut still = Vec::new();
        for reading in held {
            if tell(frontier, config, &reading).await? == Heard::NotYet {
                still.push(reading);
            }
        }
        held = still;
        match waits.next() {
            Some(wait) if !held.is_empty() => tokio::time::sleep(wait).await,
            _ => break,
        }
    }
    for reading in held {
        tracing::debug!(url = %reading.url, "a page is still leased; the schedule hears of it at the next visit");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_article_of_yesterday_is_recent() {
        let at = Timestamp(1_700_000_000_000); // 2023-11-14
        for (published, recent) in [
            (None, true),
            (Some("2023-11-14T22:00:00Z"), true),
            (Some("2023-11-13"), true),
            (Some("2023-11-12"), false),
            (Some("1968-01-01"), false),
            (Some("soon"), true),
        ] {
            assert_eq!(is_recent(published, at), recent, "{published:?}");
        }
    }
}
