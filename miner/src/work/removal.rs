//! Removes pages that are gone, or must not be kept: subtracts them, and ends the histories of their articles.
//!
//! A removal has the number of the fetch that found the page gone. So it is newer than what it removes, and a later fetch
//! that finds the page counts it again. It may also overtake the page's own message, since the two come by different queues: then
//! its number is left in place of the page, and the late message is stale. Start at [`remove_page`].

use newslode_common::config::{Noarchive, Retention};
use newslode_common::message::{Ending, GonePage};
use newslode_common::schedule::outcome::STAYS_AFTER_END;
use newslode_common::store::{Applied, Change, StoreResult};
use newslode_common::version::{ContentHash, Version};
use newslode_page::contribution::Delta;
use newslode_page::time::Timestamp;

use crate::work::apply::PageEnd;
use crate::work::archive::{forget_counted, read_contribution};
use crate::work::copies;
use crate::work::error::BatchError;
use crate::work::parts::Parts;

/// Number of attempts to subtract a page that other miners keep counting.
const MAX_ATTEMPTS: usize = 5;

/// Subtracts a page that is gone, and ends the history of its article.
///
/// # Errors
/// When a store or the broker fails; then it may be tried again.
pub async fn remove_page(parts: &Parts, gone: &GonePage, now: Timestamp) -> Result<PageEnd, BatchError> {
    if parts.stores.frontier.site(&gone.site).await?.is_none() {
        return Ok(PageEnd::Unwanted);
    }
    for _ in 0..MAX_ATTEMPTS {
        let urls = std::slice::from_ref(&gone.url);
        let counted = parts.stores.state.versions(&gone.site, urls).await?.into_iter().next().flatten();
        let is_unread = counted.is_none()
            && matches!(gone.ending, Ending::Moved(_))
            && !may_have_been_read(parts, gone, now).await?;
        if is_unread {
            // It redirected at its first visit: there is nothing to subtract, and nothing will come.
            parts.histories().end(gone, gone.fetch, now).await?;
            return Ok(PageEnd::Applied);
        }
        // Captures are numbered by their time.
        let number = if counted.is_some_and(Version::is_dated) { gone.at.0 } else { gone.fetch };
        let new = Version { fetch: number, content: ContentHash::NONE };
        let held = counted.map(|counted| counted.content).filter(|content| *content != ContentHash::NONE);
        let old = match held {
            None => None,
            Some(content) => match read_contribution(parts.stores.archive.as_ref(), content).await? {
                None => {
                    let (url, why) =
                        (&gone.url, "which the archive no longer holds: it cannot be subtracted");
                    return Ok(PageEnd::Rejected(format!("`{url}` counts as {content}, {why}")));
                }
                old => old,
            },
        };
        let delta = Delta::between(old.as_ref(), None);
        let url = gone.url.clone();
        let change = Change { url, expected: counted, new, fetched_at: gone.at, delta, again: false };
        let applied = parts.stores.state.apply(&gone.site, std::slice::from_ref(&change)).await?;
        match applied.first() {
            Some(Applied::Conflict(_)) | None => continue,
            Some(Applied::Stale) if counted != Some(new) => return Ok(PageEnd::Stale),
            Some(Applied::Stale | Applied::Applied) => {}
        }
        parts.histories().end(gone, number, now).await?;
        if parts.retention == Retention::Live || gone.ending == Ending::Forgotten {
            forget_counted(&parts.stores, held.into_iter()).await?;
        } else if let Some(name) = held.filter(|_| parts.noarchive == Noarchive::Drop) {
            copies::drop_gone(parts, &gone.url, name).await?;
        }
        return Ok(PageEnd::Applied);
    }
    Err(BatchError::Contended(gone.site.clone()))
}

/// Whether a page that moved, and does not count, may have been read before. Then its message is still under way. A page that was
/// never read leaves the frontier at once; one that was read stays for [`STAYS_AFTER_END`].
async fn may_have_been_read(parts: &Parts, gone: &GonePage, now: Timestamp) -> StoreResult<bool> {
    Ok(match parts.stores.frontier.entry(&gone.url).await? {
        Some(entry) => entry.content.is_some(),
        None => now > gone.at.plus(STAYS_AFTER_END),
    })
}
