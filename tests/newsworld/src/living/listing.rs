//! What a listing shows at a time.
//!
//! A listing keeps its items in the order of their appearance; what it shows is a range of them, found by binary
//! search. The front page shows the last 40, a section 20 with pages behind, a news map those of two days. Apart
//! from items, a page changes with its teasers and the links that lead to no article; [`Ticks`] count such changes
//! without a list.

use std::ops::Range;

use super::clock::{DAY_0, HISTORY, SECOND, Span};
use newslode_demo_world::Rng;

/// Pages behind the first one of a section.
pub const PAGES_BEHIND: usize = 10;

/// What a listing is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ListingKind {
    /// The front page.
    Front,
    /// A section page.
    Section,
    /// An RSS or Atom feed.
    Feed,
    /// A news sitemap: two days, at most 1,000 articles.
    NewsMap,
    /// A sitemap of everything, renewed every hour or day.
    Map,
}

/// How a listing answers conditional requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Validators {
    /// It gives no validators and ignores them.
    None,
    /// 304 exactly when nothing changed.
    Honest,
    /// 304 always, also when there is news.
    Sticky,
}

/// What stands at a listing's address after its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// 404.
    Gone,
    /// 301 to the listing's new address.
    Redirect,
    /// The page as it was, for ever.
    Frozen,
    /// A page that shows nothing without scripts.
    Script,
}

/// An appearance in a listing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Item {
    /// When it appears.
    pub at_ms: u64,
    /// URL number: an article, or the second address of one.
    pub url: u32,
}

/// Events at irregular distances, one in each period, without a list of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ticks {
    period_ms: u64,
    seed: u64,
}

impl Ticks {
    /// `per_hour` events an hour; none if it is 0.
    pub(super) fn new(per_hour: f64, seed: u64) -> Self {
        Self { period_ms: if per_hour > 0.0 { (3_600.0 * SECOND as f64 / per_hour) as u64 } else { 0 }, seed }
    }

    /// Number of the last event before `now_ms`, and when it was.
    pub(super) fn last(self, now_ms: u64) -> (u64, u64) {
        let Some(nth) = now_ms.checked_div(self.period_ms) else { return (0, 0) };
        let at = |nth: u64| nth * self.period_ms + Rng::new(self.seed ^ nth).next_u64() % self.period_ms;
        if at(nth) <= now_ms { (nth, at(nth)) } else { (nth - 1, at(nth - 1)) }
    }

    /// Whether there are any.
    pub(super) const fn is_some(self) -> bool {
        self.period_ms > 0
    }
}

/// A page, feed or map that shows articles.
#[derive(Debug, Clone)]
pub struct Listing {
    /// What it is.
    pub kind: ListingKind,
    /// Path on the site's host.
    pub path: String,
    /// Number of the section it is about.
    pub section: Option<usize>,
    /// How it answers conditional requests.
    pub validators: Validators,
    /// Whether its bytes differ at each request.
    pub noisy: bool,
    /// Since when it exists; 0 for ever.
    pub born_ms: u64,
    /// When it ends, and what is there then; 0 if it never worked.
    pub end: Option<(u64, End)>,
    /// From when no news are added.
    pub stale_ms: Option<u64>,
    /// Links at each visit that lead nowhere new and are never the same.
    pub traps: usize,
    /// Whether it tells when each article changed.
    pub lastmod: bool,
    pub(super) most: usize,
    pub(super) window_ms: Option<u64>,
    pub(super) regen_ms: u64,
    pub(super) teaser: Ticks,
    pub(super) junk: Ticks,
    pub(super) items: Vec<Item>,
}

/// A listing at a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct State {
    /// The items it shows, by their place among all.
    pub items: Range<usize>,
    /// Number of the teaser.
    pub teaser: u64,
    /// Number of the newest link that leads to no article.
    pub junk: u64,
    /// When the last of these changed.
    pub changed_ms: u64,
}

impl Listing {
    /// All appearances, ascending in time.
    #[must_use]
    pub fn items(&self) -> &[Item] {
        &self.items
    }

    /// Whether a visitor who sends validators sees what it shows, and it has ever worked.
    pub(super) fn is_honest(&self) -> bool {
        self.validators != Validators::Sticky && self.end.is_none_or(|(at, _)| at > 0)
    }

    /// What stands at its address if it has ended.
    #[must_use]
    pub fn ended(&self, now_ms: u64) -> Option<End> {
        self.end.filter(|&(at, _)| at <= now_ms).map(|(_, end)| end)
    }

    /// Whether menus lead to it.
    pub(super) fn is_alive(&self, now_ms: u64) -> bool {
        self.born_ms <= now_ms && self.ended(now_ms).is_none()
    }

    /// What page `page` (from 1) shows.
    pub(super) fn state(&self, now_ms: u64, page: usize) -> State {
        let now = match self.end {
            Some((at, End::Frozen)) => now_ms.min(at),
            _ => now_ms,
        };
        let count = self.items.partition_point(|item| item.at_ms <= now);
        let until = count.saturating_sub(self.most * (page - 1));
        let mut from = until.saturating_sub(self.most);
        let mut changed = self.items[..count].last().map_or(DAY_0 - HISTORY, |item| item.at_ms);
        if let Some(window) = self.window_ms {
            let left = self.items.partition_point(|item| item.at_ms + window < now);
            if left > from {
                from = left.min(until);
                changed = changed.max(self.items[left - 1].at_ms + window + 1);
            }
        }
        let ((teaser, teaser_at), (junk, junk_at)) = (self.teaser.last(now), self.junk.last(now));
        State { items: from..until, teaser, junk, changed_ms: changed.max(teaser_at).max(junk_at) }
    }

    /// Whether page `page` has one behind it.
    pub(super) fn has_next(&self, state: &State, page: usize) -> bool {
        page <= PAGES_BEHIND && state.items.start > 0
    }

    /// The span in which the item at `place` is shown, on the page or, where there are any, on those behind it.
    pub(super) fn shown_for(&self, place: usize, paged: bool, end_ms: u64) -> Span {
        let depth =
            if self.kind == ListingKind::Section && paged { self.most * PAGES_BEHIND } else { self.most };
        let item = self.items[place];
        let pushed_out = self.items.get(place + depth).map_or(end_ms, |item| item.at_ms);
        let left = self.window_ms.map_or(end_ms, |window| item.at_ms + window);
        let ended = self.end.map_or(end_ms, |(at, _)| at);
        Span { from_ms: item.at_ms.max(self.born_ms), until_ms: pushed_out.min(left).min(ended).min(end_ms) }
    }

    /// When the content that is served now was made: caches are renewed at fixed times.
    pub(super) const fn made_ms(&self, now_ms: u64) -> u64 {
        if self.regen_ms == 0 { now_ms } else { now_ms - now_ms % self.regen_ms }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::living::clock::HOUR;

    #[test]
    fn ticks_come_at_their_rate_and_in_order() {
        let ticks = Ticks::new(2.0, 7);
        let mut last = ticks.last(DAY_0);
        for step in 1..=10_000 {
            let now = DAY_0 + step * HOUR / 100;
            let tick = ticks.last(now);
            assert!(tick.1 <= now && tick.0 >= last.0 && tick.0 - last.0 <= 1, "{tick:?} after {last:?}");
            assert_eq!(tick == last, tick.0 == last.0);
            last = tick;
        }
        assert!(last.0.abs_diff(ticks.last(DAY_0).0 + 200) <= 1);
        assert_eq!(Ticks::new(0.0, 7).last(DAY_0), (0, 0));
    }
}
