//! What a page's visits have taught: what it is, who showed it first, and where it stands on its ladder.
//!
//! One value a URL, kept by the frontier beside it. A URL without one is due once ([`PageSchedule::of_record`]).

use newslode_page::time::Timestamp;
use serde::{Deserialize, Serialize};

use super::days::Days;
use super::outcome::{Target, Waits};
use super::past::KEPT;
use super::{
    ArticleVisits, Class, ListingId, ListingKind, Next, Reading, ScheduleConfig, Verdict, Visited, at,
    seconds,
};

/// Stories that make a page a section: of any page, and of one that a menu leads to.
const MANY_STORIES: u16 = 8;
const FEW_STORIES: u16 = 2;

/// A page that is as it was is handed on again after this, in seconds, so that the miner knows it is live.
const SHOWN_AGAIN: u64 = 6 * super::DAY;

/// An article that is not found while many others of its site are not found either is asked for again after this, in
/// seconds: at another hour of the day, since sites are often in trouble at the same one.
const WITH_OTHERS: u64 = 31 * super::HOUR;
/// An article that so many visits in a row did not find is gone, whatever the others do.
const MOST_MISSED: u32 = 4;

/// What a page is to the crawl.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Not fetched yet, or an article, or neither.
    #[default]
    Page,
    /// A page that shows what is new.
    Listing(ListingKind),
    /// A page behind a section.
    Behind {
        /// Pages between it and the section, itself included.
        depth: u32,
        /// The link that ends the way back: [`Shown::top`](super::Shown::top) of the section's last visit.
        mark: u64,
    },
    /// What may be an article of the past that an operator asked for. It is read once.
    Past {
        /// The days on which it was published, by what lists it.
        days: Days,
        /// What is known of it.
        read: PastRead,
    },
    /// A page that lists what is past: a sitemap, an archive of a month or a day, or a page of a list. It is read once.
    Archive,
    /// A page that is due once. It is never stored: its record has no schedule.
    #[serde(skip)]
    Once,
}

/// What is known of a page of the past.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PastRead {
    /// It was not read yet, or its text is under way.
    #[default]
    Waits,
    /// It is an article.
    Article,
    /// It was read, or asked for, and is no article.
    NoArticle,
    /// It redirects to an address of its own.
    Moved,
}

/// A page's schedule. Times are whole seconds since the epoch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageSchedule {
    /// What it is.
    pub role: Role,
    /// The listing that showed it first.
    pub by: Option<ListingId>,
    /// When that was; 0: not known.
    pub met: u64,
    /// Its ladder, if it is an article.
    pub visits: ArticleVisits,
    /// For an article, a hash of its text at the last good fetch, or 0 if none was read. For a listing, a hash of the address to
    /// which it redirects permanently, or 0.
    pub text: u64,
    /// Visits in a row that could not read it.
    pub unread: u32,
    /// When the last of these was.
    pub failed: Option<u64>,
    /// Visits in a row that did not find it. Of a listing that redirects for good: visits in a row that were led to the same
    /// address.
    pub missed: u32,
    /// Whether a menu led to it, so that it may be a section.
    pub is_in_menu: bool,
    /// Number of stories that its last good fetch showed.
    pub stories: u16,
    /// Good visits of a listing; wraps.
    pub looks: u8,
    /// When its page was last handed on for mining.
    pub handed_on: Option<u64>,
    /// Whether it was told what that page was.
    pub is_told: bool,
    /// Whether the miner was told that it is gone.
    pub is_gone: bool,
    /// Its last visits.
    pub visited: Visited,
}

impl PageSchedule {
    /// What may be an article, shown first by this listing.
    #[must_use]
    pub fn page(by: Option<ListingId>, now: Timestamp) -> PageSchedule {
        PageSchedule { by, met: seconds(now), ..PageSchedule::default() }
    }

    /// What may be a section, because a menu leads to it.
    #[must_use]
    pub fn in_menu() -> PageSchedule {
        PageSchedule { is_in_menu: true, ..PageSchedule::default() }
    }

    /// A page with this role.
    #[must_use]
    pub fn of(role: Role) -> PageSchedule {
        PageSchedule { role, ..PageSchedule::default() }
    }

    /// The schedule of a page by its record: one without a schedule is due once.
    #[must_use]
    pub fn of_record(held: Option<PageSchedule>) -> PageSchedule {
        held.unwrap_or_else(|| PageSchedule::of(Role::Once))
    }

    /// What the record of a page keeps. A page that is due once keeps its record for ever, so it has no schedule: the
    /// frontier lets a scheduled page leave that is not due again.
    #[must_use]
    pub fn into_record(self) -> Option<PageSchedule> {
        (self.role != Role::Once).then_some(self)
    }

    /// The day (UTC) on which a listing showed it as new. `None`: no listing did, or it is a listing itself.
    #[must_use]
    pub fn shown_on(&self) -> Option<u32> {
        let is_shown = self.role == Role::Page && self.by.is_some() && self.met > 0;
        is_shown.then(|| at(self.met).day())
    }

    /// The last time that is noted of it; nothing if there is none.
    #[must_use]
    pub fn last_noted(&self) -> Option<Timestamp> {
        let met = Some(self.met).filter(|met| *met > 0);
        let noted = [met, self.visits.first, self.visits.last, self.failed, self.handed_on];
        let visited = self.visited.iter().map(|visit| visit.at);
        noted.into_iter().flatten().map(at).chain(visited).max()
    }

    /// Brings back what a clock noted that was ahead: nothing was later than now.
    pub fn bring_back(&mut self, now: Timestamp) {
        let time = seconds(now);
        self.met = self.met.min(time);
        let visits = &mut self.visits;
        for noted in [&mut visits.first, &mut visits.last, &mut self.failed, &mut self.handed_on] {
            *noted = noted.map(|noted| noted.min(time));
        }
        self.visited.bring_back(now);
    }

    /// The column of the outcome table.
    #[must_use]
    pub fn target(&self) -> Target {
        match self.role {
            Role::Listing(_) => Target::Listing,
            Role::Page | Role::Behind { .. } | Role::Past { .. } | Role::Archive => Target::Article,
            Role::Once => Target::Once,
        }
    }

    /// Whether a page that is no article shows enough stories to be a section.
    #[must_use]
    pub fn is_section(&self) -> bool {
        let least = if self.is_in_menu { FEW_STORIES } else { MANY_STORIES };
        self.role == Role::Page && self.visits.first.is_none() && self.stories >= least
    }

    /// Notes a good answer.
    pub fn answered(&mut self) {
        (self.unread, self.missed) = (0, 0);
        self.failed = None;
    }

    /// Notes a visit that could not read the page. `None`: it leaves.
    pub fn unreadable(&mut self, waits: Waits, now: Timestamp) -> Option<Next> {
        self.unread = self.unread.saturating_add(1);
        self.failed = Some(seconds(now));
        self.missed = 0;
        self.after(waits, self.unread, now)
    }

    /// Notes a visit that did not find the page. `None`: it is gone.
    pub fn not_found(&mut self, waits: Waits, now: Timestamp) -> Option<Next> {
        self.failed = Some(seconds(now));
        self.missed = self.missed.saturating_add(1);
        self.after(waits, self.missed, now)
    }

    /// When a page is asked for again that a second visit did not find, because of the site's trouble. `None`: it was missed
    /// for days, so it is gone all the same.
    #[must_use]
    pub fn missed_with_others(&self, now: Timestamp) -> Option<Next> {
        let next = Next { due: at(seconds(now) + WITH_OTHERS), class: Class::Recheck };
        (self.missed < MOST_MISSED).then_some(next)
    }

    fn after(&self, waits: Waits, visits: u32, now: Timestamp) -> Option<Next> {
        let class = match self.role {
            Role::Listing(_) => Class::Listing,
            Role::Page | Role::Behind { .. } | Role::Once => Class::Recheck,
            Role::Past { .. } | Role::Archive => Class::Past,
        };
        waits.after(visits).map(|wait| Next { due: at(seconds(now) + wait), class })
    }

    /// Whether the page is to be handed on for mining even if it is as it was: the miner took it out, or heard of
    /// it too long ago to know that it is live.
    #[must_use]
    pub fn is_to_be_shown(&self, now: Timestamp) -> bool {
        let is_long_ago = |last: u64| seconds(now) >= last + SHOWN_AGAIN;
        self.is_gone || self.handed_on.is_some_and(is_long_ago)
    }

    /// Notes that the page was handed on for mining. Until [`told`](Self::told) it waits for a day.
    pub fn hand_on(&mut self, now: Timestamp, config: &ScheduleConfig) -> Next {
        self.handed_on = Some(seconds(now));
        (self.is_told, self.is_gone) = (false, false);
        let wait = config.no_article_s.first().copied().unwrap_or(super::DAY);
        let class = if matches!(self.role, Role::Past { .. }) { Class::Past } else { Class::Rest };
        Next { due: at(seconds(now) + wait), class }
    }

    /// Whether an article was read at its address.
    #[must_use]
    pub fn was_article(&self) -> bool {
        self.visits.first.is_some() || matches!(self.role, Role::Past { read: PastRead::Article, .. })
    }

    /// Whether it is a page of the past that is not asked for again.
    #[must_use]
    pub fn is_read_past(&self) -> bool {
        matches!(self.role, Role::Past { read, .. } if read != PastRead::Waits)
    }

    /// Notes what became of a page of the past, and returns until when its record is kept: it counts for its day.
    pub fn past_is_over(&mut self, found: PastRead, now: Timestamp) -> Option<Next> {
        let Role::Past { read, .. } = &mut self.role else { return None };
        *read = found;
        Some(Next { due: at(seconds(now) + KEPT), class: Class::Past })
    }

    /// Notes what the page that was handed on turned out to be: an article with this text, or none.
    pub fn told(&mut self, text: Option<u64>, now: Timestamp, config: &ScheduleConfig) -> Told {
        self.is_told = true;
        if let Role::Past { .. } = self.role {
            self.visited.judge(if text.is_some() { Verdict::NewArticle } else { Verdict::NoArticle });
            let found = if text.is_some() { PastRead::Article } else { PastRead::NoArticle };
            return Told { next: self.past_is_over(found, now), ..Told::default() };
        }
        let Some(text) = text else {
            if self.is_section() {
                self.visited.judge(Verdict::Section);
                self.role = Role::Listing(ListingKind::Section);
                return Told { next: Some(Next { due: now, class: Class::Listing }), ..Told::default() };
            }
            let is_new_other = self.visited.iter().all(|visit| visit.verdict.is_none());
            self.visited.judge(Verdict::NoArticle);
            let next = self.visits.read(Reading::NoArticle, now, config);
            return Told { next, is_new_article: false, is_new_other };
        };
        let is_new_article = self.visits.first.is_none();
        let (reading, verdict) = match text == self.text {
            true => (Reading::Same, Verdict::Same),
            false => (Reading::Changed, Verdict::Changed),
        };
        self.visited.judge(if is_new_article { Verdict::NewArticle } else { verdict });
        self.text = text;
        Told { next: self.visits.read(reading, now, config), is_new_article, is_new_other: false }
    }

    /// Notes that the page which was handed on shows an article that is visited at another address: it leaves.
    pub fn told_elsewhere(&mut self, now: Timestamp) -> Told {
        self.is_told = true;
        self.visited.judge(Verdict::Twin);
        Told { next: self.past_is_over(PastRead::Article, now), ..Told::default() }
    }

    /// Notes that a visit brought the same bytes as the last one.
    pub fn same(&mut self, now: Timestamp, config: &ScheduleConfig) -> Option<Next> {
        let reading = if self.visits.first.is_some() { Reading::Same } else { Reading::NoArticle };
        self.visits.read(reading, now, config)
    }
}

/// What follows when it is known what a page is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// The next visit; nothing: the page leaves.
    pub next: Option<Next>,
    /// Whether its first article was read.
    pub is_new_article: bool,
    /// Whether it was read for the first time and shows no article, and no stories either.
    pub is_new_other: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp(1_700_000_000_000);

    fn told(schedule: &mut PageSchedule, text: Option<u64>) -> (bool, Option<Class>) {
        let told = schedule.told(text, NOW, &ScheduleConfig::default());
        (told.is_new_article, told.next.map(|next| next.class))
    }

    #[test]
    fn what_lists_stories_and_is_no_article_becomes_a_section() {
        let mut many = PageSchedule { stories: 8, ..PageSchedule::page(None, NOW) };
        assert_eq!(told(&mut many, None), (false, Some(Class::Listing)));
        assert_eq!(many.role, Role::Listing(ListingKind::Section));
        let mut few = PageSchedule { stories: 2, ..PageSchedule::page(None, NOW) };
        assert_eq!(told(&mut few, None), (false, Some(Class::Recheck)));
        let mut in_menu = PageSchedule { stories: 2, ..PageSchedule::in_menu() };
        assert_eq!(told(&mut in_menu, None), (false, Some(Class::Listing)));
        let mut article = PageSchedule { stories: 30, ..PageSchedule::page(None, NOW) };
        assert_eq!(told(&mut article, Some(7)), (true, Some(Class::Recheck)));
        assert_eq!(told(&mut article, None).1, Some(Class::Recheck), "what was an article is no section");
    }

    #[test]
    fn a_record_without_a_schedule_is_a_page_that_is_due_once() {
        let once = PageSchedule::of_record(None);
        assert_eq!((once.role, once.target()), (Role::Once, Target::Once));
        assert_eq!(once.into_record(), None);
        let page = PageSchedule::page(None, NOW);
        assert_eq!(PageSchedule::of_record(Some(page)).into_record(), Some(page));
        assert!(crate::message::wire::encode(&once).is_err(), "it is never stored");
    }

    #[test]
    fn an_article_is_new_once() {
        let mut schedule = PageSchedule::page(None, NOW);
        assert!(told(&mut schedule, Some(1)).0);
        assert!(!told(&mut schedule, Some(2)).0);
        assert_eq!(schedule.text, 2);
    }

    #[test]
    fn the_same_bytes_are_what_they_were() {
        let config = ScheduleConfig::default();
        let mut none = PageSchedule::page(None, NOW);
        told(&mut none, None);
        let later = |days: u64| Timestamp(NOW.0 + days * 86_400_000);
        assert_eq!(none.same(later(1), &config).unwrap().class, Class::Recheck);
        assert_eq!(none.same(later(5), &config), None, "twice again, then it leaves");
        let mut article = PageSchedule::page(None, NOW);
        told(&mut article, Some(1));
        assert_eq!(article.same(NOW, &config).unwrap().class, Class::Rest, "the next rung");
    }
}
