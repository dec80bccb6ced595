//! Keeps the texts of pages that were drawn last, and limits how many pages are drawn at once.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};

use lru::LruCache;
use newslode_common::version::ContentHash;
use tokio::sync::{OnceCell, Semaphore};

/// Texts that are kept, and those that are drawn at once.
const KEPT: NonZeroUsize = NonZeroUsize::new(8).expect("not zero");
const AT_ONCE: usize = 2;

/// A page by its content, and by how its article was read.
type PageKey = (ContentHash, u64);

/// The texts that were drawn last.
pub(super) struct PageTexts {
    kept: Mutex<LruCache<PageKey, Arc<OnceCell<Arc<str>>>>>,
    /// Limits the pages that are drawn at once.
    pub(super) turns: Semaphore,
}

impl Default for PageTexts {
    fn default() -> PageTexts {
        PageTexts { kept: Mutex::new(LruCache::new(KEPT)), turns: Semaphore::new(AT_ONCE) }
    }
}

impl PageTexts {
    /// Those who ask for the same text share one drawing.
    pub(super) fn cell(&self, key: PageKey) -> Arc<OnceCell<Arc<str>>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.get_or_insert(key, Arc::default).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_text_is_drawn_once_until_newer_ones_take_its_place() {
        let texts = PageTexts::default();
        let key = |reading| (ContentHash([7; 16]), reading);
        let draw = async || Ok::<Arc<str>, ()>("text".into());
        texts.cell(key(0)).get_or_try_init(draw).await.unwrap();
        assert_eq!(texts.cell(key(0)).get().map(|text| &**text), Some("text"));
        for reading in 1..=KEPT.get() as u64 {
            texts.cell(key(reading));
        }
        assert!(texts.cell(key(0)).get().is_none());
    }
}
