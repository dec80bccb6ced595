//! A sliding window: pages count for a number of days after they were fetched.
//!
//! An older page is subtracted as a removal under its own fetch number. So any number of miners may slide at
//! once; a page that was fetched anew meanwhile is a conflict and stays; a late message cannot bring an old
//! page back, and its next fetch can. Only when all sites are done does the archive forget older pages, with
//! a day to spare for clocks that differ, since everything counted must stay subtractable. A page that leaves
//! keeps its place in the frontier. Start at [`slide`].

use std::time::Duration;

use newslode_common::store::{Applied, Change, StoreResult};
use newslode_common::version::{ContentHash, Version};
use newslode_page::contribution::Delta;
use newslode_page::reading::{CanonicalUrl, Site};
use newslode_page::time::Timestamp;

use crate::work::archive::contribution;
use crate::work::stores::Stores;

const DAY: Duration = Duration::from_secs(86_400);
/// Pages in one call.
const BATCH: usize = 64;

/// The result of a slide.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slid {
    /// Pages that no longer count.
    pub pages: u64,
    /// Pages that should no longer count, but cannot be subtracted: the archive lacks their contributions.
    pub stuck: u64,
    /// Archived values that were removed.
    pub expired: u64,
}

/// Subtracts the pages fetched on a day that lies more than `days` days back, and lets the archive forget
/// them. With 0 days nothing is done.
///
/// # Errors
/// When a store fails; sliding again is safe.
pub async fn slide(stores: &Stores, days: u32, now: Timestamp) -> StoreResult<Slid> {
    Window::default().slide(stores, days, now).await
}

/// A window that slides again and again.
#[derive(Clone, Copy, Debug, Default)]
pub struct Window {
    /// The day on which the archive forgot old pages last: an archive of objects lists all of them to do so.
    forgot: Option<u32>,
}

impl Window {
    /// As [`slide`]; the archive forgets once a day.
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
        let today = Some(now.day());
        if self.forgot != today {
            slid.expired = stores.archive.expire(earlier(before, DAY)).await?.values;
            self.forgot = today;
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
        let Some(old) = contribution(stores.archive.as_ref(), version.content).await? else {
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
