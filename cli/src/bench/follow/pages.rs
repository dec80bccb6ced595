//! The pages that a crawl knows: what each is, and what was seen of it.

use std::collections::HashMap;

use newslode_common::schedule::{ArticleVisits, ListingId, ListingKind};
use newslode_page::CanonicalUrl;

/// What a page is to the crawl.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Not fetched yet, or an article, or neither.
    Page,
    /// A listing.
    Listing(ListingKind),
    /// A page behind a section: how far behind, and the mark that ends the way.
    Behind { depth: u32, mark: u64 },
}

/// A known page.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) url: CanonicalUrl,
    pub(super) role: Role,
    /// The listing that showed it first.
    pub(super) by: Option<ListingId>,
    pub(super) visits: ArticleVisits,
    /// Hash of an article's text.
    pub(super) text: u64,
    pub(super) etag: Option<String>,
    /// Visits in a row that could not read it.
    pub(super) unread: u32,
    /// Menus are read now and then only.
    pub(super) looks: u32,
    /// Whether a menu led to it, so that it may be a section.
    pub(super) is_in_menu: bool,
}

/// All known pages, by number and by address.
#[derive(Default)]
pub(super) struct Pages {
    all: Vec<Known>,
    numbers: HashMap<CanonicalUrl, usize>,
}

impl Pages {
    /// Makes a page known. `None`: it was.
    pub(super) fn meet(&mut self, url: &CanonicalUrl, role: Role, by: Option<ListingId>) -> Option<usize> {
        if self.numbers.contains_key(url) {
            return None;
        }
        let number = self.all.len();
        self.numbers.insert(url.clone(), number);
        self.all.push(Known {
            url: url.clone(),
            role,
            by,
            visits: ArticleVisits::default(),
            text: 0,
            etag: None,
            unread: 0,
            looks: 0,
            is_in_menu: false,
        });
        Some(number)
    }

    pub(super) fn number(&self, url: &CanonicalUrl) -> Option<usize> {
        self.numbers.get(url).copied()
    }

    pub(super) fn get(&self, number: usize) -> &Known {
        &self.all[number]
    }

    pub(super) fn get_mut(&mut self, number: usize) -> &mut Known {
        &mut self.all[number]
    }
}
