//! Reads what lists the articles of a site besides its pages: feeds and sitemaps.
//!
//! [`read`] takes the bytes of an answer and gives a [`Listing`]: RSS 0.9x, 1.0 and 2.0, Atom and JSON Feed are
//! feeds; a sitemap is a map of pages, a news map, an index of maps, or a text with one address a line. [`sniff`] tells these from HTML.
//! [`discover`] names the places where a site may keep them.
//!
//! Text is decoded and read in pieces and never held as a whole. So memory is bounded by the largest single
//! element and by the items that are kept.
//! Invariants: nothing here uses a clock, a file or the network. Any bytes give a listing within the limits, or
//! an error. What is not taken is counted in [`LeftOut`]. A listing of many thousand links takes a second or
//! more: read it away from the reactor. Start at [`read`].

use std::io::BufRead as _;

use newslode_common::schedule::FeedHints;
use newslode_page::{CanonicalUrl, Timestamp};

mod beginning;
mod collect;
pub(crate) mod dates;
pub mod discover;
mod feed;
mod input;
mod json_feed;
mod lines;
mod model;
mod names;
mod sitemap;
mod walk;

#[cfg(test)]
mod tests;

use beginning::Beginning;
use collect::Collector;
use input::{Input, TextEnd};
use json_feed::JsonFeedEnd;
use names::ElementName;
use walk::{Walk, WalkEvent};

pub use model::{Alternate, Form, Item, ItemDetails, LeftOut, Listing, ListingError, ListingLimits, MapLink};

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
    let at = match recognise(&input, content_type) {
        Beginning::Xml(at) => at,
        Beginning::Json(at) => {
            input.consume(at);
            return read_json(url, input, now, limits);
        }
        Beginning::Lines => {
            let mut found = Collector::items(url, now, limits);
            lines::read_lines(&mut input, url, &mut found);
            let cut = (input.end() != TextEnd::Whole).then(|| input.end());
            return finish_listing(url, limits, Form::Map, found, cut);
        }
        Beginning::Other(found) => return Err(ListingError::NotAListing { url: url.clone(), found }),
        Beginning::Unknown if is_said_to_be_feed(content_type) => 0,
        Beginning::Unknown => {
            let found = if input.end() == TextEnd::Open { "other data" } else { "nothing" };
            return Err(ListingError::NotAListing { url: url.clone(), found: found.into() });
        }
    };
    input.consume(at);
    let mut walk = Walk::new(input, url);
    let root = match walk.next_event() {
        Some(WalkEvent::Open(name, _)) => name,
        _ => ElementName::Other,
    };
    let is_index = root == ElementName::SitemapIndex;
    let mut found =
        if is_index { Collector::maps(url, now, limits) } else { Collector::items(url, now, limits) };
    let mut hints = FeedHints::default();
    let form = match root {
        ElementName::Rss | ElementName::Rdf | ElementName::Feed | ElementName::Channel => {
            hints = feed::read_feed(&mut walk, root, &mut found);
            Form::Feed
        }
        ElementName::UrlSet | ElementName::SitemapIndex => {
            let has_news = sitemap::read_sitemap(&mut walk, &mut found);
            match (is_index, has_news) {
                (true, _) => Form::MapIndex,
                (false, true) => Form::NewsMap,
                (false, false) => Form::Map,
            }
        }
        _ => return Err(ListingError::NotAListing { url: url.clone(), found: walk.beginning() }),
    };
    let cut = (!walk.is_whole()).then(|| walk.end());
    Ok(Listing { hints, ..finish_listing(url, limits, form, found, cut)? })
}

fn read_json(
    url: &CanonicalUrl,
    mut input: Input<'_>,
    now: Timestamp,
    limits: &ListingLimits,
) -> Result<Listing, ListingError> {
    let (mut items, mut hints) = (Collector::items(url, now, limits), FeedHints::default());
    let cut = match json_feed::read_json_feed(&mut input, url, &mut items, &mut hints) {
        JsonFeedEnd::Other => {
            return Err(ListingError::NotAListing { url: url.clone(), found: "other JSON".into() });
        }
        JsonFeedEnd::Whole => None,
        JsonFeedEnd::Cut => Some(input.end()),
    };
    Ok(Listing { hints, ..finish_listing(url, limits, Form::Feed, items, cut)? })
}

/// The listing, unless it was `cut` before anything was read.
fn finish_listing(
    url: &CanonicalUrl,
    limits: &ListingLimits,
    form: Form,
    found: Collector<'_>,
    cut: Option<TextEnd>,
) -> Result<Listing, ListingError> {
    let is_empty = found.seen() == 0;
    let broken = |reason| Err(ListingError::Broken { url: url.clone(), reason });
    match cut {
        Some(TextEnd::Limit) if is_empty => {
            return Err(ListingError::TooLarge { url: url.clone(), limit: limits.max_bytes });
        }
        Some(TextEnd::Broken) if is_empty => return broken("its compression is broken"),
        Some(TextEnd::Open | TextEnd::Whole) if is_empty => return broken("its markup is broken"),
        Some(_) | None => {}
    }
    let (items, left_out) = found.finish();
    let is_cut = cut.is_some() || left_out.over_limit > 0;
    let (items, maps) = match form {
        Form::MapIndex => (Vec::new(), items.into_iter().map(MapLink::from).collect()),
        Form::Feed | Form::NewsMap | Form::Map => (items, Vec::new()),
    };
    Ok(Listing { form, items, maps, hints: FeedHints::default(), is_cut, left_out })
}

/// Content types of feeds. Those of sitemaps (`text/xml`) say nothing.
const FEED_TYPES: [&str; 5] = [
    "application/rss+xml",
    "application/atom+xml",
    "application/rdf+xml",
    "application/feed+json",
    "application/x-rss+xml",
];

fn is_said_to_be_feed(content_type: Option<&str>) -> bool {
    let essence = content_type.and_then(|value| value.split(';').next()).unwrap_or_default().trim();
    FEED_TYPES.iter().any(|known| known.eq_ignore_ascii_case(essence))
}

/// Whether an answer looks like a feed or a sitemap rather than a page. The first block of it decides, also inside
/// gzip; the content type does if that has no element. [`read`] decides in the same way.
#[must_use]
pub fn sniff(content_type: Option<&str>, bytes: &[u8]) -> bool {
    let input = Input::new(bytes, content_type, input::BLOCK + 1);
    match recognise(&input, content_type) {
        Beginning::Xml(_) | Beginning::Json(_) | Beginning::Lines => true,
        Beginning::Unknown => is_said_to_be_feed(content_type),
        Beginning::Other(_) => false,
    }
}

/// What an answer begins with. JSON is a feed if it says so in its first block, or its content type does.
fn recognise(input: &Input<'_>, content_type: Option<&str>) -> Beginning {
    match Beginning::of(input) {
        Beginning::Json(_)
            if !is_said_to_be_feed(content_type) && !input.mentions("jsonfeed.org/version/") =>
        {
            Beginning::Other("other JSON".into())
        }
        beginning => beginning,
    }
}
