//! Caches the lines of articles that were sent last, so that many listeners cost one reading of the store.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};

use lru::LruCache;
use newslode_common::store::{StoreError, StoreResult};
use newslode_common::version::ContentHash;
use newslode_miner::work::parts::Parts;
use newslode_page::time::Timestamp;
use tokio::sync::OnceCell;

use crate::console::detail::Detail;
use crate::console::snapshot::{ArticleSummary, Snapshot};

/// Number of lines that are kept. Listeners of the same snapshot are apart by about the number of events that may wait for them.
const KEPT: NonZeroUsize = NonZeroUsize::new(256).expect("not zero");

/// The time of a snapshot, and an article.
type LineKey = (Timestamp, ContentHash);
/// `None` if the article was replaced since that snapshot.
type CachedLine = Arc<OnceCell<Option<Arc<str>>>>;

/// Lines as `articles.jsonl` has them.
pub(in crate::console) struct ArticleLines {
    lines: Mutex<LruCache<LineKey, CachedLine>>,
}

impl Default for ArticleLines {
    fn default() -> ArticleLines {
        ArticleLines { lines: Mutex::new(LruCache::new(KEPT)) }
    }
}

impl ArticleLines {
    /// The line of an article. Concurrent calls for the same line share one reading.
    ///
    /// # Errors
    /// When the store fails; the next call reads again.
    pub(super) async fn line(
        &self,
        parts: &Parts,
        snapshot: &Snapshot,
        summary: &ArticleSummary,
    ) -> StoreResult<Option<Arc<str>>> {
        let line = self.cell((snapshot.made, summary.id));
        let read = async || {
            let Some(detail) = Detail::read(parts, &snapshot.mined, summary).await? else { return Ok(None) };
            let line = serde_json::to_string(&detail.filed_article().line());
            let line = line
                .map_err(|error| StoreError::Corrupt(format!("the article of `{}`: {error}", summary.url)))?;
            Ok(Some(line.into()))
        };
        line.get_or_try_init(read).await.cloned()
    }

    fn cell(&self, name: LineKey) -> CachedLine {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines.get_or_insert(name, CachedLine::default).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(number: u64) -> LineKey {
        (Timestamp(number), ContentHash([7; 16]))
    }

    #[tokio::test]
    async fn listeners_share_a_reading_and_old_lines_go() {
        let lines = ArticleLines::default();
        let first = lines.cell(name(0));
        let read = async || Ok::<_, ()>(Some("line".into()));
        first.get_or_try_init(read).await.unwrap();
        assert_eq!(lines.cell(name(0)).get().unwrap().as_deref(), Some("line"));
        for number in 1..=KEPT.get() as u64 {
            lines.cell(name(number));
        }
        assert!(lines.cell(name(0)).get().is_none());
    }
}
