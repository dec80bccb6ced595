//! What is new at a site since a position of its bucket's log.
//!
//! A look costs as much as what is new. Only when the log no longer reaches back, or nobody ever looked, are all pages of
//! the site read.

use std::collections::BTreeMap;

use newslode_common::store::{SiteState, StoreResult, bucket};
use newslode_common::version::ContentHash;
use newslode_page::reading::{CanonicalUrl, Site};

/// Entries of the log that are read at once.
const MOST_ENTRIES: usize = 256;

/// The changed pages of a site.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct News {
    /// The position of the log up to which this is everything.
    pub(super) position: u64,
    /// The contents with which pages count now; removed pages have none.
    pub(super) pages: BTreeMap<CanonicalUrl, ContentHash>,
    /// Whether these are all pages of the site.
    pub(super) are_all: bool,
}

impl News {
    /// What is new since this position; 0: everything.
    ///
    /// # Errors
    /// When the store fails.
    pub(super) async fn since(state: &dyn SiteState, site: &Site, position: u64) -> StoreResult<News> {
        let mut news = News { position, ..News::default() };
        loop {
            let log = state.log(bucket(site), news.position, MOST_ENTRIES).await?;
            let is_gap = news.position == 0 || log.dropped > news.position || log.end < news.position;
            let is_forgotten = log.entries.iter().any(|entry| entry.site == *site && entry.is_forgotten);
            if is_gap || is_forgotten {
                return News::all(state, site).await;
            }
            let Some(last) = log.entries.last() else { return Ok(news) };
            news.position = last.position;
            let ours = log.entries.into_iter().filter(|entry| entry.site == *site);
            news.pages.extend(ours.flat_map(|entry| entry.note.pages));
        }
    }

    async fn all(state: &dyn SiteState, site: &Site) -> StoreResult<News> {
        // First the position: what is counted meanwhile comes again, which does no harm.
        let position = state.history(site, &[]).await?.position;
        let pages = state.pages(site).await?.into_iter().map(|(url, version)| (url, version.content));
        Ok(News { position, pages: pages.collect(), are_all: true })
    }

    /// The contents of the pages that count.
    pub(super) fn contents(&self) -> Vec<ContentHash> {
        self.pages.values().copied().filter(|content| *content != ContentHash::NONE).collect()
    }
}
