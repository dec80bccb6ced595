//! Listings that lead to another site. One visit may meet a consent wall or a page for maintenance; a site whose front pages lead
//! elsewhere for a day has moved, or was given up.

use std::collections::BTreeMap;

use newslode_page::reading::Site;
use serde::{Deserialize, Serialize};

use super::{DAY, Listing, ListingId, ListingKind};

/// A listing that leads to another site. Times are seconds since the epoch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Elsewhere {
    /// The site that it leads to.
    pub site: Site,
    /// When it was first found to, in a row.
    pub since: u64,
    /// When it was last found to.
    pub until: u64,
}

/// The listings that lead to another site.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Elsewheres(BTreeMap<ListingId, Elsewhere>);

impl Elsewheres {
    /// Notes that a listing leads to another site.
    pub(super) fn note(&mut self, id: ListingId, site: &Site, now: u64) {
        let known =
            self.0.entry(id).or_insert_with(|| Elsewhere { site: site.clone(), since: now, until: now });
        known.site = site.clone();
        known.until = known.until.max(now);
    }

    /// Notes that a listing was visited. A visit that was led elsewhere was noted with the same time.
    pub(super) fn visit(&mut self, id: ListingId, now: u64) {
        if self.0.get(&id).is_some_and(|known| known.until < now) {
            self.0.remove(&id);
        }
    }

    /// Brings back what a clock noted that was ahead.
    pub(super) fn bring_back(&mut self, now: u64) {
        for known in self.0.values_mut() {
            (known.since, known.until) = (known.since.min(now), known.until.min(now));
        }
    }

    pub(super) fn forget(&mut self, id: ListingId) {
        self.0.remove(&id);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Where the site leads: all its front pages, or all its listings that were ever visited, lead elsewhere for a day, and no
    /// listing showed an article (`last_shown`) in the last day of that time.
    pub(super) fn of_site<'a>(
        &'a self,
        listings: impl Iterator<Item = &'a Listing> + Clone,
        last_shown: u64,
    ) -> Option<&'a Elsewhere> {
        let leads = |listing: &Listing| {
            let known = self.0.get(&ListingId::of(&listing.url))?;
            let lasts = known.until >= known.since + DAY && last_shown + DAY < known.until;
            lasts.then_some(known)
        };
        // Where the first one leads, if all lead elsewhere.
        let all = |of_these: &dyn Fn(&Listing) -> bool| {
            let mut these = listings.clone().filter(|listing| of_these(listing));
            let first = leads(these.next()?)?;
            these.all(|listing| leads(listing).is_some()).then_some(first)
        };
        let is_visited =
            |listing: &Listing| listing.visits > 0 || self.0.contains_key(&ListingId::of(&listing.url));
        all(&|listing| listing.kind == ListingKind::Front).or_else(|| all(&is_visited))
    }
}
