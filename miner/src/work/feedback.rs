//! Reports to the schedule what a fetched page turned out to be: an article with this text, or no article.
//!
//! The crawler cannot know that when it completes its claim. A new article counts for the listing that showed it first;
//! later reports move the page along its ladder of revisits. A page that is no article and shows many stories becomes a
//! section. A second report of the same fetch changes nothing. Start at [`report`].

use std::collections::BTreeSet;
use std::time::Duration;

use newslode_common::message::PartitionedPage;
use newslode_common::schedule::{ListingKind, PageSchedule, Role, ScheduleConfig, SiteSchedule, name};
use newslode_common::store::teach::teach;
use newslode_common::store::{Frontier, Note, StoreResult};
use newslode_page::article::{Article, Completeness};
use newslode_page::reading::CanonicalUrl;
use newslode_page::time::Timestamp;

use crate::mining::fingerprints::day_of;

/// Waits before another report of a page that is still leased: the crawler publishes a page before it completes its
/// claim.
const RETRY_WAITS: [Duration; 3] =
    [Duration::from_millis(20), Duration::from_millis(100), Duration::from_millis(500)];

/// What a fetched page turned out to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageFeedback {
    /// The page.
    pub url: CanonicalUrl,
    /// The claim that fetched it.
    pub fetch: u64,
    /// When it was fetched.
    pub at: Timestamp,
    /// Hash of the article's text; `None` if the page is no article.
    pub text: Option<u64>,
    /// Whether it was published at most a day before the fetch; true if the article names no day.
    pub is_recent: bool,
    /// Whether all of the article's text was read.
    pub is_full: bool,
    /// Whether readers know the article under another address.
    pub is_twin: bool,
    /// Whether the page holds hardly any text.
    pub is_bare: bool,
}

/// A page with fewer leaves holds hardly any text.
const FEW_LEAVES: u32 = 20;

impl PageFeedback {
    /// What the partitioner found on a page.
    #[must_use]
    pub fn of(url: &CanonicalUrl, fetch: u64, at: Timestamp, article: Option<&Article>) -> PageFeedback {
        let published = article.and_then(|article| article.published.as_deref());
        let text = article.map(|article| name(&article.text()));
        PageFeedback {
            url: url.clone(),
            fetch,
            at,
            text,
            is_recent: is_recent(published, at),
            is_full: article.is_some_and(|article| article.completeness == Completeness::Full),
            is_twin: false,
            is_bare: false,
        }
    }
}

fn is_recent(published: Option<&str>, at: Timestamp) -> bool {
    let day = published.and_then(day_of);
    day.is_none_or(|day| i64::from(at.day()) - i64::from(day) <= 1)
}

/// The result of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Receipt {
    /// The schedule took the report, or needs none.
    Taken,
    /// A crawler still holds the page.
    StillLeased,
}

/// Reports what a page turned out to be.
///
/// # Errors
/// When the store fails.
pub async fn report(
    frontier: &dyn Frontier,
    config: &ScheduleConfig,
    feedback: &PageFeedback,
) -> StoreResult<Receipt> {
    let Some(entry) = frontier.entry(&feedback.url).await? else { return Ok(Receipt::Taken) };
    let Some(mut schedule) = entry.schedule.filter(is_to_be_told) else {
        return Ok(Receipt::Taken);
    };
    if entry.fetch != feedback.fetch {
        return Ok(Receipt::Taken);
    }
    if entry.leased {
        return Ok(Receipt::StillLeased);
    }
    if schedule.is_told {
        return Ok(Receipt::Taken);
    }
    let outcome = if feedback.is_twin {
        schedule.told_elsewhere(feedback.at)
    } else {
        schedule.told(feedback.text, feedback.at, config)
    };
    let note = Note {
        url: feedback.url.clone(),
        fetch: feedback.fetch,
        at: feedback.at,
        next: outcome.next,
        schedule,
    };
    if !frontier.note(&note).await? {
        return Ok(Receipt::StillLeased);
    }
    let site = feedback.url.site();
    if let Role::Listing(_) = schedule.role {
        let url = &feedback.url;
        teach(frontier, &site, config, feedback.at, |site| site.meet(url, ListingKind::Section)).await?;
    }
    if outcome.is_new_article {
        let confirm = |site: &mut SiteSchedule| {
            site.confirm(schedule.by, feedback.is_recent, feedback.at);
            site.count_article(feedback.is_recent, feedback.is_full, feedback.at);
        };
        teach(frontier, &site, config, feedback.at, confirm).await?;
    }
    if outcome.is_new_other {
        let read = |site: &mut SiteSchedule| site.read_other(feedback.is_bare, feedback.at);
        teach(frontier, &site, config, feedback.at, read).await?;
    }
    Ok(Receipt::Taken)
}

/// Whether the schedule of a page wants to know what it is.
fn is_to_be_told(schedule: &PageSchedule) -> bool {
    matches!(schedule.role, Role::Page | Role::Past { .. })
}

/// Reports what pages turned out to be; `twins` are articles that readers know under other URLs,
/// `withdrawn` pages are no articles among those of their site. Waits a little for pages
/// that are still leased. A page that stays leased is reported after its next visit.
///
/// # Errors
/// When the store fails.
pub(crate) async fn report_all(
    frontier: &dyn Frontier,
    config: &ScheduleConfig,
    pages: &[PartitionedPage],
    (twins, withdrawn): (&BTreeSet<CanonicalUrl>, &BTreeSet<CanonicalUrl>),
) -> StoreResult<()> {
    let feedback = |page: &PartitionedPage| PageFeedback {
        is_twin: twins.contains(&page.url),
        is_bare: page.notes.leaves < FEW_LEAVES,
        ..PageFeedback::of(
            &page.url,
            page.version.fetch,
            page.fetched_at,
            page.article.as_ref().filter(|_| !withdrawn.contains(&page.url)),
        )
    };
    let mut open: Vec<PageFeedback> = pages.iter().map(feedback).collect();
    let mut waits = RETRY_WAITS.into_iter();
    loop {
        let mut still_leased = Vec::new();
        for feedback in open {
            if report(frontier, config, &feedback).await? == Receipt::StillLeased {
                still_leased.push(feedback);
            }
        }
        open = still_leased;
        match waits.next() {
            Some(wait) if !open.is_empty() => tokio::time::sleep(wait).await,
            _ => break,
        }
    }
    for feedback in open {
        tracing::debug!(url = %feedback.url, "a page is still leased; it is reported to the schedule after its next visit");
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
