//! What a crawl makes of a listing: what is new on it, and when it is visited next.

use newslode_common::schedule::{Class, Listing, ListingId, ListingKind, Next, Reading, Shown};
use newslode_page::{CanonicalUrl, Timestamp};

use super::Ablation;
use super::crawl::Crawl;
use super::pages::Role;
use super::reading::View;

/// Pages behind a section that are looked at.
const MOST_BEHIND: u32 = 10;
/// Menus of sections are read at every fourth visit.
const LOOK_AT_MENU: u32 = 4;

impl Crawl<'_> {
    pub(super) fn become_listing(&mut self, number: usize, kind: ListingKind) {
        let known = self.pages.get_mut(number);
        known.role = Role::Listing(kind);
        self.schedule.meet(ListingId::of(&known.url), kind);
    }

    /// Takes in what a listing shows, and says when it is visited next.
    pub(super) fn show(&mut self, number: usize, view: &View, now: Timestamp) -> Option<Next> {
        let known = self.pages.get_mut(number);
        known.looks += 1;
        let (looks, id) = (known.looks, ListingId::of(&known.url));
        let Role::Listing(kind) = known.role else { return None };
        let before = self.schedule.listing(id).map_or((0, 0), |listing| (listing.visits, listing.mark));
        let is_first = before.0 == 0;
        let is_backlog = is_first && kind != ListingKind::Front && self.ablation != Ablation::BacklogFirst;
        let is_junky = self.schedule.listing(id).is_some_and(Listing::is_junky);
        let class = if is_backlog || is_junky { Class::Rest } else { Class::New };
        let mut new = 0;
        for (story, modified) in &view.stories {
            new += u32::from(self.meet(story, Some(id).filter(|_| !is_first), class, now));
            self.recheck(story, *modified, now);
        }
        if kind == ListingKind::Front || looks % LOOK_AT_MENU == 1 {
            for section in &view.sections {
                if self.meet(section, None, Class::New, now)
                    && let Some(number) = self.pages.number(section)
                {
                    self.pages.get_mut(number).is_in_menu = true;
                }
            }
            for (listing, kind) in &view.listings {
                self.meet_listing(listing, *kind, now);
            }
        }
        let is_behind = kind == ListingKind::Section && before.1 != 0 && !view.shows(before.1);
        if let Some(behind) = view.behind.as_ref().filter(|_| is_behind && new > 0) {
            self.look_behind(behind, 1, before.1, now);
        }
        let links = u32::try_from(view.stories.len()).unwrap_or(u32::MAX);
        if self.ablation == Ablation::AllNewLinks {
            (0..new).for_each(|_| self.schedule.confirm(Some(id), false, now));
        }
        self.listed(number, Some(Shown { links, new, top: view.top() }), now)
    }

    pub(super) fn listed(&mut self, number: usize, shown: Option<Shown>, now: Timestamp) -> Option<Next> {
        let known = self.pages.get_mut(number);
        match known.role {
            Role::Listing(_) => {
                let id = ListingId::of(&known.url);
                Some(self.schedule.visit(id, shown, now, &self.allowance, self.config))
            }
            Role::Page => known.visits.read(Reading::Same, now, self.config),
            Role::Behind { .. } => None,
        }
    }

    pub(super) fn show_behind(&mut self, view: &View, depth: u32, mark: u64, now: Timestamp) {
        let mut new = 0;
        for (story, _) in &view.stories {
            new += u32::from(self.meet(story, None, Class::New, now));
        }
        if let Some(behind) =
            view.behind.as_ref().filter(|_| new > 0 && depth < MOST_BEHIND && !view.shows(mark))
        {
            self.look_behind(behind, depth + 1, mark, now);
        }
    }

    fn look_behind(&mut self, url: &CanonicalUrl, depth: u32, mark: u64, now: Timestamp) {
        let role = Role::Behind { depth, mark };
        let known = self.pages.meet(url, role, None).or_else(|| self.pages.number(url));
        let Some(number) = known else { return };
        self.pages.get_mut(number).role = role;
        self.queues.push(number, Next { due: now, class: Class::Listing });
    }

    /// Makes what may be an article known. Returns whether it is new.
    pub(super) fn meet(
        &mut self,
        url: &CanonicalUrl,
        by: Option<ListingId>,
        class: Class,
        now: Timestamp,
    ) -> bool {
        let Some(number) = self.pages.meet(url, Role::Page, by) else { return false };
        self.queues.push(number, Next { due: now, class });
        true
    }

    pub(super) fn meet_listing(&mut self, url: &CanonicalUrl, kind: ListingKind, now: Timestamp) {
        if let Some(number) = self.pages.meet(url, Role::Listing(kind), None) {
            self.schedule.meet(ListingId::of(url), kind);
            self.queues.push(number, Next { due: now, class: Class::Listing });
        }
    }

    /// A map says when a page changed last: if that was after our fetch, it is asked for now.
    fn recheck(&mut self, url: &CanonicalUrl, modified: Option<Timestamp>, now: Timestamp) {
        let Some(number) = modified.and_then(|_| self.pages.number(url)) else { return };
        let last = self.pages.get(number).visits.last.map(|last| Timestamp(last * 1_000));
        if last.is_some() && last < modified {
            self.queues.push(number, Next { due: now, class: Class::Recheck });
        }
    }
}
