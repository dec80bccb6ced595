//! A page that shows what is new, and when to visit it next.
//!
//! A listing keeps how many articles it showed first, and for how long that was counted. Both fade with a time
//! constant of two days. Only articles that a good fetch has confirmed count, and only for the listing that
//! showed them first: a link that every listing shows says nothing about the others.

use newslode_page::reading::CanonicalUrl;
use serde::{Deserialize, Serialize};

use super::{DAY, HOUR};

/// Names a listing within its site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ListingId(pub u64);

impl ListingId {
    /// The name of a listing: the first eight bytes of its address's BLAKE3 hash.
    #[must_use]
    pub fn of(url: &CanonicalUrl) -> ListingId {
        ListingId(super::name(url.as_str()))
    }
}

/// What kind of listing a page is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ListingKind {
    /// A page that an operator named.
    Front,
    /// An HTML page that lists articles.
    Section,
    /// RSS, Atom or JSON Feed.
    Feed,
    /// A sitemap of the last days' news.
    NewsMap,
    /// Any other sitemap.
    Map,
}

/// What one good visit of a listing showed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// Links to what may be articles.
    pub links: u32,
    /// Those that nobody had shown before.
    pub new: u32,
    /// Names the topmost of these links; 0 if there is none.
    pub top: u64,
}

/// One article, in the unit of [`Listing::credit`].
pub(super) const ARTICLE: u64 = 1 << 16;
/// Time constant of what a listing keeps.
const MEMORY: u64 = 2 * DAY;
/// What is assumed of a listing without history: a quarter of an article in three hours.
const PRIOR: (u64, u64) = (ARTICLE / 4, 3 * HOUR);

/// A listing is not called junky before it has shown this many links first.
const JUDGED_LINKS: u64 = 20;

/// Visits after which a section is judged that has shown no article first.
const IDLE_VISITS: u64 = 4;

/// What a listing's visits have taught. Times are whole seconds since the epoch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listing {
    /// Its address.
    pub url: CanonicalUrl,
    /// Its kind.
    pub kind: ListingKind,
    /// Confirmed articles that it showed first, in 2⁻¹⁶ of an article; fades.
    pub credit: u64,
    /// For how long that was counted, in seconds; fades.
    pub span: u64,
    /// The last good visit; nothing before the first.
    pub last: Option<u64>,
    /// The last visit with a full answer, not a 304.
    pub full: Option<u64>,
    /// The topmost link then; 0 if there was none.
    pub mark: u64,
    /// Good visits.
    pub visits: u64,
    /// Links that it showed first, its own first visit left out.
    pub shown: u64,
    /// Those of them that were articles.
    pub confirmed: u64,
    /// Since when it is not found at its address, or redirects for good.
    pub absent: Option<u64>,
    /// Visits in a row that found no page.
    pub fails: u32,
    /// Its interval by rate alone, in seconds. The smallest one of a site is the lead's.
    pub interval: u64,
}

impl Listing {
    /// A listing that was never visited.
    #[must_use]
    pub fn new(url: CanonicalUrl, kind: ListingKind) -> Listing {
        Listing {
            url,
            kind,
            credit: 0,
            span: 0,
            last: None,
            full: None,
            mark: 0,
            visits: 0,
            shown: 0,
            confirmed: 0,
            absent: None,
            fails: 0,
            interval: u64::MAX,
        }
    }

    /// Notes a good visit: what is kept fades by the time since the last one.
    pub(super) fn visit(&mut self, now: u64) {
        if let Some(last) = self.last {
            let passed = now.saturating_sub(last).min(MEMORY);
            self.credit -= self.credit * passed / MEMORY;
            self.span = self.span + passed - self.span * passed / MEMORY;
        }
        self.last = Some(now);
        self.visits += 1;
        self.fails = 0;
        self.absent = None;
    }

    /// Brings back what a clock noted that was ahead: nothing was later than now.
    pub(super) fn bring_back(&mut self, now: u64) {
        for time in [&mut self.last, &mut self.full, &mut self.absent] {
            *time = time.map(|time| time.min(now));
        }
    }

    /// Seconds between two visits that cost least, for a price of a request: √(2C/μ).
    pub(super) fn cheapest(&self, price: u64) -> u64 {
        let seconds = self.span + PRIOR.1;
        let articles = self.credit + PRIOR.0;
        (2 * price * ARTICLE * seconds / articles).isqrt()
    }

    /// Whether it is a section of whose new links few are articles, as on a calendar or with session numbers in
    /// links. Such links wait with the rest, and do not hasten the next visit. Front pages and feeds stay trusted:
    /// among what else they show, what they show first is what counts.
    #[must_use]
    pub fn is_junky(&self) -> bool {
        self.kind == ListingKind::Section && self.shown >= JUDGED_LINKS && self.confirmed * 5 < self.shown
    }

    /// Whether it is a section of which no link that it showed first is known to be an article yet.
    #[must_use]
    pub fn is_unproven(&self) -> bool {
        self.kind == ListingKind::Section && self.confirmed == 0
    }

    /// Whether it is a section that has shown no article first, for several visits. Of a page that no menu leads to
    /// this means that it is none: a story with many links, say.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.kind == ListingKind::Section && self.visits >= IDLE_VISITS && self.confirmed == 0
    }

    /// Whether it is a section that shows less than half an article in two days.
    #[must_use]
    pub fn is_silent(&self) -> bool {
        self.kind == ListingKind::Section && self.visits > 1 && self.credit < ARTICLE / 2
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn listing(kind: ListingKind) -> Listing {
        Listing::new("https://news.example.org/".parse().unwrap(), kind)
    }

    #[test]
    fn a_listing_without_history_is_visited_after_an_hour_and_a_half() {
        let minutes = listing(ListingKind::Front).cheapest(300) / 60;
        assert_eq!(minutes, 84);
    }

    #[test]
    fn intervals_follow_the_rate() {
        // 240 articles a day: √(2·300·360) = 465 s, a little more by what is assumed at first.
        let mut listing = listing(ListingKind::Feed);
        let mut now = 0;
        for _ in 0..2_000 {
            listing.visit(now);
            listing.credit += ARTICLE;
            now += 360;
        }
        assert!((460..480).contains(&listing.cheapest(300)), "{}", listing.cheapest(300));
        now += 3 * DAY;
        listing.visit(now);
        assert_eq!(listing.credit, 0, "two days without an article forget all");
    }

    proptest! {
        #[test]
        fn what_is_kept_stays_within_its_bounds(steps in prop::collection::vec((0_u64..1_000_000, 0_u64..40), 1..60)) {
            let mut listing = listing(ListingKind::Section);
            let mut now = 1_000_000_000;
            for (passed, articles) in steps {
                now += passed;
                listing.visit(now);
                listing.credit += articles * ARTICLE;
                prop_assert!(listing.span <= MEMORY);
                prop_assert!(listing.cheapest(300) > 0);
            }
        }
    }
}
