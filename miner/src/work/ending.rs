//! Takes pages out that are gone, or must not be kept: they are subtracted, and the lives of their articles end.
//!
//! A removal carries the number of the fetch that found the page gone, so it is newer than what it removes, and
//! a later fetch that finds the page again counts it again. Start at [`take_out`].

use newslode_common::config::Retention;
use newslode_common::message::{Ending, GonePage};
use newslode_common::store::{Applied, Change};
use newslode_common::version::{ContentHash, Version};
use newslode_page::contribution::Delta;
use newslode_page::time::Timestamp;

use crate::work::apply::PageEnd;
use crate::work::archive::{contribution, forget_counted};
use crate::work::error::BatchError;
use crate::work::parts::Parts;

/// Another miner may count the page between our read and our write; after this many times we give up for now.
const ROUNDS: usize = 5;

/// Subtracts a page that is gone, and ends the life of its article.
///
/// # Errors
/// When a store or the broker fails; then it may be tried again.
pub async fn take_out(parts: &Parts, gone: &GonePage, now: Timestamp) -> Result<PageEnd, BatchError> {
    if parts.stores.frontier.site(&gone.site).await?.is_none() {
        return Ok(PageEnd::Unwanted);
    }
    for _ in 0..ROUNDS {
        let urls = std::slice::from_ref(&gone.url);
        let counted = parts.stores.state.versions(&gone.site, urls).await?.into_iter().next().flatten();
        if counted.is_none() && matches!(gone.ending, Ending::Moved(_)) {
            // It redirected at its first visit: there is nothing to subtract.
            parts.histories().end(gone, gone.fetch, now).await?;
            return Ok(PageEnd::Applied);
        }
        // A capture of others is numbered by its time.
        let number = if counted.is_some_and(Version::is_dated) { gone.at.0 } else { gone.fetch };
        let new = Version { fetch: number, content: ContentHash::NONE };
        let held = counted.map(|counted| counted.content).filter(|content| *content != ContentHash::NONE);
        let old = match held {
            None => None,
            Some(content) => match contribution(parts.stores.archive.as_ref(), content).await? {
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
        }
        return Ok(PageEnd::Applied);
    }
    Err(BatchError::Contended(gone.site.clone()))
}
