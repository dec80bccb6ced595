//! A sliding window: pages count for a number of days after they were fetched.
//!
//! An older page is subtracted as a removal under its own fetch number. So any number of miners may slide at once: a page that
//! was fetched again meanwhile is in conflict and stays, and a late message cannot bring an old page back, but its next fetch
//! can. Everything counted must stay subtractable, so the archive drops older pages only when all sites are done, and keeps
//! them a day longer because clocks differ. The frontier keeps the page's entry. Start at [`slide`].

use std::time::Duration;

use newslode_common::store::{Applied, Change, StoreResult};
use newslode_common::version::{ContentHash, Version};
use newslode_page::contribution::Delta;
use newslode_page::reading::{CanonicalUrl, Site};
use newslode_page::time::Timestamp;

use crate::work::archive::read_contribution;
use crate::work::stores::Stores;

const DAY: Duration = Duration::from_secs(86_400);
/// Number of pages of one store call.
const BATCH: usize = 64;

/// The result of a slide.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slid {
    /// Pages that no longer count.
    pub pages: u64,
    /// Pages that still count because the archive lost their contributions.
    pub stuck: u64,
    /// Archived values that were deleted.
    pub expired: u64,
}

/// Subtracts the pages that were fetched more than `days` days ago, and deletes them from the archive. Does nothing with 0
/// days.
///
/// # Errors
/// When a store fails; sliding again is safe.
pub async fn slide(stores: &Stores, days: u32, now: Timestamp) -> StoreResult<Slid> {
    Window::default().slide(stores, days, now).await
}

/// A window that slides repeatedly.
#[derive(Clone, Copy, Debug, Default)]
pub struct Window {
    /// The day on which old pages were last deleted from the archive. An object archive lists all objects for that.
    last_expiry: Option<u32>,
}

impl Window {
    /// As [`slide`]; deletes from the archive once a day.
    ///
    /// # Errors
    /// As those of [`slide`].
    pub async fn slide(&mut self, stores: &Stores, days: u32, now: Timestamp) -> StoreResult<Slid> {
        let mut slid = Slid::default();
        if days == 0 {
            return Ok(slid);
        }
        let before = earlier(now, DAY * days);
        for (site, _) in stores.state.sites().await? {
            let old = stores.state.counted_before(&site, before).await?;
            for pages in old.chunks(BATCH) {
                subtract(stores, &site, pages, before, &mut slid).await?;
            }
        }
        // Only now, since each page above needed its archived contribution to be subtracted.
        let today = Some(now.day());
        if self.last_expiry != today {
            slid.expired = stores.archive.expire(earlier(before, DAY)).await?.values;
            self.last_expiry = today;
        }
        Ok(slid)
    }
}

fn earlier(time: Timestamp, by: Duration) -> Timestamp {
    Timestamp(time.0.saturating_sub(u64::try_from(by.as_millis()).unwrap_or(u64::MAX)))
}

async fn subtract(
    stores: &Stores,
    site: &Site,
    pages: &[(CanonicalUrl, Version)],
    before: Timestamp,
    slid: &mut Slid,
) -> StoreResult<()> {
    let mut changes = Vec::new();
    for (url, version) in pages {
        let Some(old) = read_contribution(stores.archive.as_ref(), version.content).await? else {
            tracing::warn!(%url, content = %version.content, "the archive lost the contribution of a page older than the window; the page stays counted");
            slid.stuck += 1;
            continue;
        };
        changes.push(Change {
            url: url.clone(),
            expected: Some(*version),
            new: Version { content: ContentHash::NONE, ..*version },
            fetched_at: before,
            delta: Delta::between(Some(&old), None),
            again: false,
        });
    }
    let ends = stores.state.apply(site, &changes).await?;
    slid.pages += ends.iter().filter(|end| **end == Applied::Applied).count() as u64;
    Ok(())
}
