//! The pages of a site that changed since a position of its bucket's log.
//!
//! A pass costs as much as what changed. All pages of the site are read only if the log no longer reaches back, or if the
//! site was never viewed.

use std::collections::BTreeMap;

use newslode_common::store::{SiteState, StoreResult, bucket};
use newslode_common::version::ContentHash;
use newslode_page::reading::{CanonicalUrl, Site};

/// Number of log entries that are read by one call.
const LOG_ENTRIES: usize = 256;

/// The changed pages of a site.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::work) struct SiteChanges {
    /// The position of the log up to which all changes are included.
    pub(in crate::work) position: u64,
    /// The contents with which pages count now; [`ContentHash::NONE`] for removed pages.
    pub(in crate::work) pages: BTreeMap<CanonicalUrl, ContentHash>,
    /// Whether these are all pages of the site.
    pub(super) is_complete: bool,
}

impl SiteChanges {
    /// The changes since this position; 0: all pages.
    ///
    /// # Errors
    /// When the store fails.
    pub(super) async fn since(state: &dyn SiteState, site: &Site, position: u64) -> StoreResult<SiteChanges> {
        let mut changes = SiteChanges { position, ..SiteChanges::default() };
        loop {
            let log = state.log(bucket(site), changes.position, LOG_ENTRIES).await?;
            let is_gap =
                changes.position == 0 || log.dropped > changes.position || log.end < changes.position;
            let is_forgotten = log.entries.iter().any(|entry| entry.site == *site && entry.is_forgotten);
            if is_gap || is_forgotten {
                return SiteChanges::read_all(state, site).await;
            }
            let Some(last) = log.entries.last() else { return Ok(changes) };
            changes.position = last.position;
            let ours = log.entries.into_iter().filter(|entry| entry.site == *site);
            changes.pages.extend(ours.flat_map(|entry| entry.note.pages));
        }
    }

    async fn read_all(state: &dyn SiteState, site: &Site) -> StoreResult<SiteChanges> {
        // The position is read first. Pages counted in between are in the next pass, too, which does no harm.
        let position = state.history(site, &[]).await?.position;
        let pages = state.pages(site).await?.into_iter().map(|(url, version)| (url, version.content));
        Ok(SiteChanges { position, pages: pages.collect(), is_complete: true })
    }

    /// The contents of the pages that count.
    pub(super) fn contents(&self) -> Vec<ContentHash> {
        self.pages.values().copied().filter(|content| *content != ContentHash::NONE).collect()
    }
}
