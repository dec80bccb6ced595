//! What a crawl saw of the articles.

use std::sync::{Arc, Mutex, PoisonError};

use newslode_newsworld::living::{LivingWorld, Seen};
use newslode_page::{CanonicalUrl, Timestamp};

/// The fetches of articles that a crawl saw.
#[derive(Clone)]
pub(super) struct Log {
    pub(super) world: Arc<LivingWorld>,
    pub(super) seen: Arc<Mutex<Vec<Seen>>>,
}

impl Log {
    /// Writes down that an article's address was answered.
    pub(super) fn see(&self, url: &CanonicalUrl, now: Timestamp) {
        if let Some((site, article)) = self.world.article_of(url.host(), url.path()) {
            self.seen.lock().unwrap_or_else(PoisonError::into_inner).push(Seen {
                site,
                article,
                at_ms: now.0,
            });
        }
    }
}
