//! What a listing is once it was read: its items, the limits of reading, and why an answer gives none.

use newslode_common::schedule::FeedHints;
use newslode_page::reading::{Site, resolve};
use newslode_page::{CanonicalUrl, Timestamp};
use serde::{Deserialize, Serialize};
use url::Url;

/// Lengths of the code of a language.
const LANGUAGE_CODE: std::ops::RangeInclusive<usize> = 2..=35;

/// The kind of a listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// RSS, Atom or JSON Feed.
    Feed,
    /// A sitemap that gives the articles of the last days with title and date of publication.
    NewsMap,
    /// A sitemap of pages.
    Map,
    /// A sitemap of sitemaps.
    MapIndex,
}

/// A page that a listing names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// The address of the page.
    pub url: CanonicalUrl,
    /// Its title as plain text, at most 500 characters.
    pub title: Option<String>,
    /// When it was published. If only the day, month or year is known: the start of it, in UTC.
    pub published: Option<Timestamp>,
    /// When it was changed last; exact as `published`.
    pub modified: Option<Timestamp>,
    /// What else the listing says of it; `None` if nothing.
    pub details: Option<Box<ItemDetails>>,
}

/// What a listing says of a page besides its title and dates. A field that it does not give is `None` or empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ItemDetails {
    /// The authors as they are written: names, addresses, several in one text.
    pub authors: Vec<String>,
    /// The section.
    pub section: Option<String>,
    /// The summary as plain text, at most 500 characters.
    pub summary: Option<String>,
    /// The code of the language as it is written.
    pub language: Option<String>,
    /// Keywords and categories.
    pub keywords: Vec<String>,
    /// The address of a picture.
    pub image: Option<CanonicalUrl>,
    /// The full text as HTML.
    pub html: Option<String>,
    /// Where the page is in other languages, by a sitemap.
    pub alternates: Vec<Alternate>,
}

/// A page in another language.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alternate {
    /// The language as it is written (`de`, `pt-BR`, `x-default`).
    pub language: String,
    /// The address, perhaps on another site.
    pub url: CanonicalUrl,
}

impl Alternate {
    /// The alternate that a link with these attributes names. `None`: its language is none, or its address is not one of http(s).
    pub(super) fn new(hreflang: &str, base: &Url, href: &str) -> Option<Alternate> {
        let language = hreflang.trim();
        let is_code = |letter: u8| letter.is_ascii_alphanumeric() || matches!(letter, b'-' | b'_');
        let is_language = LANGUAGE_CODE.contains(&language.len()) && language.bytes().all(is_code);
        let url = resolve(base, href).filter(|_| is_language)?;
        Some(Alternate { language: language.to_owned(), url })
    }
}

/// A map that an index names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MapLink {
    /// The address of the map.
    pub url: CanonicalUrl,
    /// When the map was changed last.
    pub modified: Option<Timestamp>,
}

impl From<Item> for MapLink {
    fn from(item: Item) -> MapLink {
        MapLink { url: item.url, modified: item.modified }
    }
}

/// What an answer lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// The kind of listing.
    pub form: Form,
    /// The pages, each once, in the order of their first naming. Empty for an index.
    pub items: Vec<Item>,
    /// The maps, each once, in the order of their first naming. Empty unless this is an index.
    pub maps: Vec<MapLink>,
    /// What a feed says of its own pace.
    pub hints: FeedHints,
    /// Whether something is missing: the answer was broken or larger than a limit.
    pub is_cut: bool,
    /// What was not taken.
    pub left_out: LeftOut,
}

/// Numbers of links and dates that were read and not taken, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Items without any link.
    pub no_link: usize,
    /// Items with links, none of which is an http(s) address within [`ListingLimits::max_url`].
    pub bad_link: usize,
    /// Items that lead to another site.
    pub other_site: usize,
    /// Items that were merged with an earlier one of the same address.
    pub merged: usize,
    /// Items over [`ListingLimits::max_items`], or maps over [`ListingLimits::max_maps`].
    pub over_limit: usize,
    /// Links of an index to itself.
    pub itself: usize,
    /// Dates more than a day in the future. Their items are kept without the date.
    pub future_dates: usize,
}

/// Limits of a listing, and whose links are taken.
#[derive(Clone, Debug)]
pub struct ListingLimits {
    /// Most bytes read after decompression; the rest is cut.
    pub max_bytes: usize,
    /// Most items kept. The newest are kept; items without a date count as the oldest, the first before the
    /// last.
    pub max_items: usize,
    /// Most maps of an index kept, chosen in the same way.
    pub max_maps: usize,
    /// Longest address of an item, in bytes. A canonical URL is at most 2048 bytes long in any case.
    pub max_url: usize,
    /// Whether links to other sites are left out.
    pub same_site: bool,
    /// The site whose links are taken if `same_site`. `None`: that of the listing's address. Name it for a
    /// listing on another host that the site itself named on a page or in its robots.txt.
    pub site: Option<Site>,
}

impl Default for ListingLimits {
    fn default() -> Self {
        Self {
            max_bytes: 50 << 20,
            max_items: 50_000,
            max_maps: 50_000,
            max_url: 2048,
            same_site: true,
            site: None,
        }
    }
}

/// Why an answer gives no listing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ListingError {
    /// Something else: a page, an image, nothing.
    #[error("`{url}` is neither a feed nor a sitemap: it begins with {found}")]
    NotAListing {
        /// The address.
        url: CanonicalUrl,
        /// What is there instead.
        found: String,
    },
    /// A listing that broke off before its first item.
    #[error("`{url}` is broken before its first item: {reason}")]
    Broken {
        /// The address.
        url: CanonicalUrl,
        /// What broke.
        reason: &'static str,
    },
    /// A listing without an item within the limit of bytes.
    #[error("`{url}` has no item in its first {limit} bytes; raise the limit to read it")]
    TooLarge {
        /// The address.
        url: CanonicalUrl,
        /// The limit, in bytes.
        limit: usize,
    },
}
