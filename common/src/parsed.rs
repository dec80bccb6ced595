//! Pages that were parsed lately, for the next user in the same process.
//!
//! To parse a page takes as long as everything else that is done with it. A page's tree depends on its content alone, so
//! nobody can tell whether a page was parsed again. Start at [`ParsedPages`].

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use newslode_page::Page;

use crate::version::ContentHash;

/// Pages that were parsed lately. When there is no room, the oldest are dropped; by default none is kept.
#[derive(Debug, Default)]
pub struct ParsedPages {
    most_bytes: usize,
    kept: Mutex<CachedPage>,
}

#[derive(Debug, Default)]
struct CachedPage {
    pages: HashMap<ContentHash, Arc<Page>>,
    order: VecDeque<ContentHash>,
    bytes: usize,
}

impl ParsedPages {
    /// Keeps pages within this number of bytes of memory; 0: none.
    #[must_use]
    pub fn within(most_bytes: usize) -> ParsedPages {
        ParsedPages { most_bytes, kept: Mutex::default() }
    }

    /// Keeps a page under its content.
    pub fn keep(&self, content: ContentHash, page: Arc<Page>) {
        if page.memory() > self.most_bytes {
            return;
        }
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.bytes += page.memory();
        match kept.pages.insert(content, page) {
            // The same content may come with more that a feed says of it.
            Some(before) => kept.bytes -= before.memory(),
            None => kept.order.push_back(content),
        }
        while kept.bytes > self.most_bytes
            && let Some(oldest) = kept.order.pop_front()
        {
            kept.bytes -= kept.pages.remove(&oldest).map_or(0, |page| page.memory());
        }
    }

    /// The page of this content, if it is kept.
    #[must_use]
    pub fn get(&self, content: ContentHash) -> Option<Arc<Page>> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.pages.get(&content).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(text: &str) -> Arc<Page> {
        let url = "https://news.example.org/".parse().unwrap();
        Arc::new(Page::parse(&url, None, format!("<p>{text}").as_bytes()))
    }

    #[test]
    fn a_page_that_comes_again_with_more_takes_its_own_room() {
        let content = |number: u8| ContentHash([number; 16]);
        let long = || page(&"more ".repeat(200));
        let pages = ParsedPages::within(long().memory() + page("one").memory());
        pages.keep(content(1), page("one"));
        pages.keep(content(1), long());
        pages.keep(content(2), page("two"));
        assert!(pages.get(content(1)).is_some() && pages.get(content(2)).is_some());
        pages.keep(content(3), page("six"));
        let held = [1, 2, 3].map(|number| pages.get(content(number)).is_some());
        assert_eq!(held, [false, true, true]);
        // And gives it back.
        pages.keep(content(4), page("ten"));
        pages.keep(content(2), long());
        assert!(pages.get(content(4)).is_some());
    }

    #[test]
    fn of_too_many_pages_the_oldest_leave() {
        let content = |number: u8| ContentHash([number; 16]);
        let pages = ParsedPages::within(page("one").memory() * 2);
        pages.keep(content(1), page("one"));
        pages.keep(content(2), page("two"));
        // A page that is kept already takes no more room.
        pages.keep(content(2), page("two"));
        assert!(pages.get(content(1)).is_some());
        pages.keep(content(3), page("six"));
        let held = [1, 2, 3].map(|number| pages.get(content(number)).is_some());
        assert_eq!(held, [false, true, true]);
        pages.keep(content(4), page(&"long ".repeat(10_000)));
        assert!(pages.get(content(4)).is_none() && pages.get(content(3)).is_some());
    }

    #[test]
    fn without_room_nothing_is_kept() {
        let pages = ParsedPages::within(0);
        pages.keep(ContentHash([1; 16]), page("one"));
        assert!(pages.get(ContentHash([1; 16])).is_none());
    }
}
