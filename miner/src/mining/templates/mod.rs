//! A site's templates while its pages stream by: which accept a page, when new ones are learnt, when one has
//! had its day.
//!
//! Pages come in *looks* of one or more ([`Templates::observe`]). A page that no template accepts is read singly
//! and waits; enough waiting pages are tried for new templates ([`Templates::learn`]), and those that one accepts
//! are read again ([`Templates::settle`]). A template that accepts nothing any more, for longer than its share
//! of the pages lets expect, while others do, is dropped with the reason and the time: the site changed its
//! layout. It still reads the pages from before. How a template is made and what it accepts is the caller's.
//!
//! Invariants: a pure state machine, time is passed in; the order of the pages of one look changes nothing but
//! the order in which they wait; memory is bounded; the value serialises. Start at [`Templates::observe`].

use newslode_page::time::Timestamp;
use serde::{Deserialize, Serialize};

/// When to learn and when to drop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Waiting pages that are tried for a template; after a failure as many more are waited for.
    pub enough: usize,
    /// Pages that wait at most; the oldest goes, and stays as it was read singly.
    pub most_waiting: usize,
    /// A template that accepted none of so many pages may be dropped; one that is used seldom has more time.
    pub silence: u32,
    /// Templates of a site at most; the one that has been silent longest goes.
    pub most_templates: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { enough: 5, most_waiting: 48, silence: 30, most_templates: 16 }
    }
}

/// A template in use.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Live<T> {
    /// 1 for the site's first, one more for each that was learnt.
    pub version: u32,
    /// The template.
    pub template: T,
    /// When it was learnt.
    pub learnt_at: Timestamp,
    /// When the first page that it accepts was fetched.
    pub since: Timestamp,
    /// Pages seen since, and those that waited when it was learnt.
    pub seen: u64,
    /// Pages it accepted among them.
    pub accepted: u64,
    /// Pages since the last look in which it accepted one.
    pub silent: u32,
    /// When the last page that it accepted was fetched.
    pub last_at: Timestamp,
}

impl<T> Live<T> {
    /// Share of the pages that it accepted while it was in use: those of its silence do not count.
    #[must_use]
    pub fn acceptance(&self) -> f64 {
        let in_use = self.seen.saturating_sub(u64::from(self.silent)).max(1);
        (self.accepted as f64 / in_use as f64).min(1.0)
    }

    /// Whether its silence is no chance: below one in a thousand, for pages that come at random.
    fn is_past(&self, silence: u32) -> bool {
        f64::from(self.silent) * self.acceptance() >= LEAST_EXPECTED && self.silent >= silence.max(1)
    }
}

/// Why a template is not used any more.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The site's pages look otherwise since.
    LayoutChanged {
        /// Share of pages that it accepted while it was in use.
        acceptance: f64,
    },
    /// The site has too many templates; it was the one that had been silent longest.
    Crowded,
}

/// A template that accepts no new pages any more.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Dropped<T> {
    /// Which.
    pub version: u32,
    /// Why.
    pub reason: Reason,
    /// When the first page that it accepted was fetched.
    pub since: Timestamp,
    /// When the site was last seen to use it: the layout changed after that.
    pub last_at: Timestamp,
    /// When it was dropped.
    pub dropped_at: Timestamp,
    /// Pages that it accepted.
    pub accepted: u64,
    /// The template itself, for the pages from before; the last few are kept.
    pub template: Option<T>,
}

/// A site's templates with what is known of their use.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Templates<T, P> {
    #[serde(skip)]
    settings: Settings,
    live: Vec<Live<T>>,
    /// Pages that no template accepted, the oldest first.
    waiting: Vec<P>,
    /// Waiting pages before the next try.
    next_try: usize,
    next_version: u32,
    dropped: Vec<Dropped<T>>,
    seen: u64,
    accepted: u64,
}

/// Dropped templates that are remembered, and those that still read pages.
const MOST_DROPPED: usize = 32;
const MOST_KEPT: usize = 8;
/// Pages that a template would have accepted in its silence, were it still in use: ln 1000.
const LEAST_EXPECTED: f64 = 6.9;

impl<T, P> Default for Templates<T, P> {
    fn default() -> Self {
        Templates::new(Settings::default())
    }
}

impl<T, P> Templates<T, P> {
    /// A site of which nothing was seen.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        Templates {
            next_try: settings.enough.max(1),
            settings,
            live: Vec::new(),
            waiting: Vec::new(),
            next_version: 1,
            dropped: Vec::new(),
            seen: 0,
            accepted: 0,
        }
    }

    /// The templates in use, the newest last.
    #[must_use]
    pub fn live(&self) -> &[Live<T>] {
        &self.live
    }

    /// The last templates that were dropped, the newest last.
    #[must_use]
    pub fn dropped(&self) -> &[Dropped<T>] {
        &self.dropped
    }

    /// All that can read a page, with their versions: those in use, then those of before, the newest first.
    pub fn usable(&self) -> impl Iterator<Item = (u32, &T)> {
        let live = self.live.iter().map(|live| (live.version, &live.template));
        let before = self.dropped.iter().rev();
        live.chain(before.filter_map(|dropped| Some((dropped.version, dropped.template.as_ref()?))))
    }

    /// Pages that wait for a template.
    #[must_use]
    pub fn waiting(&self) -> &[P] {
        &self.waiting
    }

    /// Pages seen, and those that a template accepts.
    #[must_use]
    pub fn acceptance(&self) -> (u64, u64) {
        (self.seen, self.accepted)
    }

    /// Whether a template of this version takes new pages.
    #[must_use]
    pub fn is_live(&self, version: u32) -> bool {
        self.live.iter().any(|live| live.version == version)
    }

    /// Takes note of a look's new pages: which template in use accepts each, and when that page was fetched.
    /// Those that none accepts wait.
    pub fn observe(&mut self, pages: impl IntoIterator<Item = (P, Option<(u32, Timestamp)>)>) {
        let mut accepted = Vec::new();
        let mut count = 0;
        for (page, by) in pages {
            count += 1;
            match by {
                Some(by) => accepted.push(by),
                None => self.waiting.push(page),
            }
        }
        self.seen += u64::from(count);
        for live in &mut self.live {
            live.seen += u64::from(count);
            live.silent = live.silent.saturating_add(count);
        }
        self.count(&accepted);
    }

    /// Counts pages that templates in use accepted.
    fn count(&mut self, accepted: &[(u32, Timestamp)]) {
        for &(version, at) in accepted {
            if let Some(live) = self.live.iter_mut().find(|live| live.version == version) {
                live.accepted += 1;
                live.silent = 0;
                live.since = live.since.min(at);
                live.last_at = live.last_at.max(at);
                self.accepted += 1;
            }
        }
    }

    /// Whether so many pages wait that new templates are to be tried.
    #[must_use]
    pub fn is_time_to_learn(&self) -> bool {
        self.waiting.len() >= self.next_try
    }

    /// Takes templates of waiting pages, which [`settle`](Self::settle) then gives them; the versions.
    pub fn learn(&mut self, templates: Vec<T>, now: Timestamp) -> Vec<u32> {
        let first = self.next_version;
        for template in templates {
            self.live.push(Live {
                version: self.next_version,
                template,
                learnt_at: now,
                since: Timestamp(u64::MAX),
                seen: 0,
                accepted: 0,
                silent: 0,
                last_at: Timestamp(0),
            });
            self.next_version += 1;
        }
        (first..self.next_version).collect()
    }

    /// After learning: which of the waiting pages a template in use accepts, and when those were fetched. They
    /// wait no more; a new template that accepts none of them is not needed. Returns the pages that are settled.
    pub fn settle(&mut self, accepts: impl Fn(&P) -> Option<(u32, Timestamp)>) -> usize {
        let before = self.waiting.len();
        let mut accepted = Vec::new();
        self.waiting.retain(|page| {
            let by =
                accepts(page).filter(|(version, _)| self.live.iter().any(|live| live.version == *version));
            accepted.extend(by);
            by.is_none()
        });
        // A new template has been offered all that waited.
        self.live.iter_mut().filter(|live| live.accepted == 0).for_each(|live| live.seen = before as u64);
        self.count(&accepted);
        self.live.retain(|live| live.accepted > 0);
        let surplus = self.waiting.len().saturating_sub(self.settings.most_waiting.max(1));
        self.waiting.drain(..surplus);
        self.next_try = self.waiting.len() + self.settings.enough.max(1);
        before - surplus - self.waiting.len()
    }

    /// Pages that are gone wait no more.
    pub fn retain(&mut self, is_there: impl Fn(&P) -> bool) {
        self.waiting.retain(is_there);
        self.next_try = self.next_try.min(self.waiting.len() + self.settings.enough.max(1));
    }

    /// At the end of a look: drops what is silent while others are not, and what is too many. The reasons.
    pub fn drop_past(&mut self, now: Timestamp) -> Vec<Reason> {
        let mut reasons = Vec::new();
        let silence = self.settings.silence;
        let is_other_used = self.live.iter().any(|live| live.silent < silence.max(1));
        while let Some(at) = self.live.iter().position(|live| is_other_used && live.is_past(silence)) {
            let live = self.live.remove(at);
            let reason = Reason::LayoutChanged { acceptance: live.acceptance() };
            reasons.push(reason);
            self.note(live, reason, now);
        }
        while self.live.len() > self.settings.most_templates.max(1) {
            let silent = |at: &usize| (self.live[*at].silent, std::cmp::Reverse(*at));
            let Some(at) = (0..self.live.len()).max_by_key(silent) else { break };
            let live = self.live.remove(at);
            reasons.push(Reason::Crowded);
            self.note(live, Reason::Crowded, now);
        }
        reasons
    }

    fn note(&mut self, live: Live<T>, reason: Reason, now: Timestamp) {
        if self.dropped.len() >= MOST_DROPPED {
            self.dropped.remove(0);
        }
        let Live { version, template, since, last_at, accepted, .. } = live;
        let template = Some(template);
        self.dropped.push(Dropped { version, reason, since, last_at, dropped_at: now, accepted, template });
        let old = self.dropped.len().saturating_sub(MOST_KEPT);
        self.dropped.iter_mut().take(old).for_each(|dropped| dropped.template = None);
    }
}

#[cfg(test)]
mod tests;
