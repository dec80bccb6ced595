//! Reads what lists the articles of a site besides its pages: feeds and sitemaps.
//!
//! [`read`] takes the bytes of an answer and gives a [`Listing`]: RSS 0.9x, 1.0 and 2.0, Atom and JSON Feed are
//! feeds; a sitemap is a map of pages, a news map, or an index of maps. [`sniff`] tells these from HTML.
//! [`discover`] names the places where a site may keep them.
//!
//! Text is decoded and read in pieces and never held as a whole. So memory is bounded by the largest single
//! element and by the items that are kept.
//! Invariants: nothing here uses a clock, a file or the network. Any bytes give a listing within the limits, or
//! an error. What is not taken is counted in [`LeftOut`]. A listing of many thousand links takes a second or
//! more: read it away from the reactor. Start at [`read`].

use newslode_page::reading::Site;
use newslode_page::{CanonicalUrl, Timestamp};

mod collect;
pub(crate) mod dates;
pub mod discover;
mod feed;
mod input;
mod json_feed;
mod names;
mod sitemap;
mod walk;

#[cfg(test)]
mod tests;

use collect::Collector;
use input::{End, Input};
use names::Name;
use walk::{Step, Walk};

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
}

/// A map that an index names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MapLink {
    /// The address of the map.
    pub url: CanonicalUrl,
    /// When the map was changed last.
    pub modified: Option<Timestamp>,
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

/// Reads a listing. `url` is the address that answered, after redirects; `content_type` is the whole header;
/// dates later than a day after `now` count as unknown.
///
/// A listing that is broken or too large gives what was read until there, and [`Listing::is_cut`].
///
/// ```
/// use newslode_crawler::listing::{Form, ListingLimits, read};
/// use newslode_page::Timestamp;
///
/// let feed = "<rss version='2.0'><channel><item><title>Cup</title><link>/cup</link></item></channel></rss>";
/// let url = "https://news.example.org/feed/".parse()?;
/// let listing = read(&url, None, feed.as_bytes(), Timestamp(0), &ListingLimits::default())?;
/// assert_eq!(listing.form, Form::Feed);
/// assert_eq!(listing.items[0].url.as_str(), "https://news.example.org/cup");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When the bytes are no listing, or nothing can be read before they break or meet the limit.
pub fn read(
    url: &CanonicalUrl,
    content_type: Option<&str>,
    bytes: &[u8],
    now: Timestamp,
    limits: &ListingLimits,
) -> Result<Listing, ListingError> {
    let mut input = Input::new(bytes, content_type, limits.max_bytes);
    if input.first_letter() == Some(b'{') {
        let mut items = Collector::items(url, now, limits);
        let state = json_feed::read(&mut input, url, &mut items);
        return match state {
            json_feed::State::Other => {
                Err(ListingError::NotAListing { url: url.clone(), found: "other JSON".into() })
            }
            json_feed::State::Whole => finish(url, limits, Form::Feed, items, None),
            json_feed::State::Cut => finish(url, limits, Form::Feed, items, Some(input.end())),
        };
    }
    let mut walk = Walk::new(input, url);
    let root = match walk.step() {
        Some(Step::Open(name, _)) => name,
        _ => Name::Other,
    };
    let is_index = root == Name::SitemapIndex;
    let mut found =
        if is_index { Collector::maps(url, now, limits) } else { Collector::items(url, now, limits) };
    let form = match root {
        Name::Rss | Name::Rdf | Name::Feed => {
            feed::read(&mut walk, root, &mut found);
            Form::Feed
        }
        Name::UrlSet | Name::SitemapIndex => {
            let has_news = sitemap::read(&mut walk, &mut found);
            match (is_index, has_news) {
                (true, _) => Form::MapIndex,
                (false, true) => Form::NewsMap,
                (false, false) => Form::Map,
            }
        }
        _ => return Err(ListingError::NotAListing { url: url.clone(), found: walk.beginning() }),
    };
    let cut = (!walk.is_whole()).then(|| walk.end());
    finish(url, limits, form, found, cut)
}

/// The listing, unless it was `cut` before anything was read.
fn finish(
    url: &CanonicalUrl,
    limits: &ListingLimits,
    form: Form,
    found: Collector<'_>,
    cut: Option<End>,
) -> Result<Listing, ListingError> {
    let is_empty = found.seen() == 0;
    let broken = |reason| Err(ListingError::Broken { url: url.clone(), reason });
    match cut {
        Some(End::Limit) if is_empty => {
            return Err(ListingError::TooLarge { url: url.clone(), limit: limits.max_bytes });
        }
        Some(End::Broken) if is_empty => return broken("its compression is broken"),
        Some(End::Open | End::Whole) if is_empty => return broken("its markup is broken"),
        Some(_) | None => {}
    }
    let (items, left_out) = found.finish();
    let is_cut = cut.is_some() || left_out.over_limit > 0;
    let (items, maps) = match form {
        Form::MapIndex => (Vec::new(), items.into_iter().map(MapLink::from).collect()),
        Form::Feed | Form::NewsMap | Form::Map => (items, Vec::new()),
    };
    Ok(Listing { form, items, maps, is_cut, left_out })
}

impl From<Item> for MapLink {
    fn from(item: Item) -> MapLink {
        MapLink { url: item.url, modified: item.modified }
    }
}

/// How much of an answer [`sniff`] looks at, in bytes after decompression.
const SNIFFED: usize = 16 * 1024;

/// Content types of feeds. Those of sitemaps (`text/xml`) say nothing.
const FEED_TYPES: [&str; 5] = [
    "application/rss+xml",
    "application/atom+xml",
    "application/rdf+xml",
    "application/feed+json",
    "application/x-rss+xml",
];

/// Whether an answer looks like a feed or a sitemap rather than a page. The first element decides, also inside
/// gzip; the content type does if the first 16 KiB have none.
#[must_use]
pub fn sniff(content_type: Option<&str>, bytes: &[u8]) -> bool {
    let input = Input::new(bytes, content_type, SNIFFED);
    let said = content_type.is_some_and(|value| {
        let essence = value.split(';').next().unwrap_or_default().trim();
        FEED_TYPES.iter().any(|known| known.eq_ignore_ascii_case(essence))
    });
    match input.first_letter() {
        Some(b'{') => said || input.mentions("jsonfeed.org/version/"),
        Some(b'<') => match Walk::without_base(input).step() {
            Some(Step::Open(name, _)) => name.is_root(),
            _ => said,
        },
        Some(_) => false,
        None => said,
    }
}
