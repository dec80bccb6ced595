//! What a listing shows, whatever its form.

use std::hash::{DefaultHasher, Hash, Hasher};

use newslode_common::schedule::ListingKind;
use newslode_crawler::listing::discover::{PlaceKind, on_page};
use newslode_crawler::listing::{Form, ListingLimits, read};
use newslode_page::discovery::discover;
use newslode_page::{CanonicalUrl, Page, Timestamp};

/// Children of a map's index that are visited, the newest first.
const MOST_MAPS: usize = 10;

/// What a page shows.
#[derive(Debug, Default)]
pub(super) struct View {
    /// What may be articles, with the time of their last change as far as it is told.
    pub(super) stories: Vec<(CanonicalUrl, Option<Timestamp>)>,
    /// What may be sections.
    pub(super) sections: Vec<CanonicalUrl>,
    /// Other listings that it names.
    pub(super) listings: Vec<(CanonicalUrl, ListingKind)>,
    /// The page behind it.
    pub(super) behind: Option<CanonicalUrl>,
    /// What it turned out to be, if it is a feed or a map.
    pub(super) kind: Option<ListingKind>,
}

impl View {
    /// What an HTML page shows.
    pub(super) fn of_page(page: &Page) -> View {
        let found = discover(page);
        let listings = on_page(page).into_iter().map(|place| {
            let kind = match place.kind {
                PlaceKind::Feed => ListingKind::Feed,
                PlaceKind::Map => ListingKind::Map,
            };
            (place.url, kind)
        });
        View {
            stories: found.stories.into_iter().map(|url| (url, None)).collect(),
            sections: found.sections,
            listings: listings.collect(),
            behind: found.behind,
            kind: None,
        }
    }

    /// What a feed or a map shows; nothing if it is neither.
    pub(super) fn of_listing(
        url: &CanonicalUrl,
        content_type: Option<&str>,
        bytes: &[u8],
        now: Timestamp,
    ) -> Option<View> {
        let mut listing = read(url, content_type, bytes, now, &ListingLimits::default()).ok()?;
        listing.maps.sort_by_key(|map| std::cmp::Reverse(map.modified));
        let kind = match listing.form {
            Form::Feed => ListingKind::Feed,
            Form::NewsMap => ListingKind::NewsMap,
            Form::Map | Form::MapIndex => ListingKind::Map,
        };
        Some(View {
            stories: listing.items.into_iter().map(|item| (item.url, item.modified)).collect(),
            listings: listing
                .maps
                .into_iter()
                .take(MOST_MAPS)
                .map(|map| (map.url, ListingKind::Map))
                .collect(),
            kind: Some(kind),
            ..View::default()
        })
    }

    /// Names the topmost story; 0 if there is none.
    pub(super) fn top(&self) -> u64 {
        self.stories.first().map_or(0, |(url, _)| name(url))
    }

    /// Whether it shows the story of this name.
    pub(super) fn shows(&self, mark: u64) -> bool {
        self.stories.iter().any(|(url, _)| name(url) == mark)
    }
}

fn name(url: &CanonicalUrl) -> u64 {
    hash(url.as_str()).max(1)
}

/// Names a text.
pub(super) fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}
