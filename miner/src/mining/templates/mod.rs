//! The history of a site's templates: which accept a page, when new ones are learnt, when old ones are dropped.
//!
//! Pages come in *passes* of one or more ([`Templates::observe`]). A page that no template accepts is read without one and
//! waits. When enough pages wait, the caller tries to learn new templates from them ([`Templates::learn`]), and pages that a
//! new template accepts are read again ([`Templates::settle`]). A template is dropped, with the reason and the time, when it
//! accepted no page for longer than its share of the pages suggests while others did: the site changed its layout. It still
//! reads the older pages. The caller decides how a template is made and what it accepts.
//!
//! Invariants: a pure state machine; time is passed in. The order of the pages within a pass changes only the
//! order in which they wait. Memory is bounded; the value serialises. Start at [`Templates::observe`].

use newslode_page::time::Timestamp;
use serde::{Deserialize, Serialize};

/// When to learn and when to drop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Waiting pages with which a template is tried; after a failure the same number more must come.
    pub enough: usize,
    /// The most pages that wait; beyond that the oldest goes and stays as it was read singly.
    pub most_waiting: usize,
    /// A template may be dropped after this many pages without one that it accepts; a seldom used one gets
    /// longer.
    pub silence: u32,
    /// The most templates of a site; beyond that the one silent longest goes.
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
    /// 1 for the site's first template, then counted up.
    pub version: u32,
    /// The template.
    pub template: T,
    /// When it was learnt.
    pub learnt_at: Timestamp,
    /// When the first page that it accepts was fetched.
    pub since: Timestamp,
    /// Pages seen since it was learnt, and the pages that waited then.
    pub seen: u64,
    /// The pages among them that it accepted.
    pub accepted: u64,
    /// Pages since the last pass in which it accepted one.
    pub silent: u32,
    /// When the last page that it accepted was fetched.
    pub last_at: Timestamp,
}

impl<T> Live<T> {
    /// The share of the pages that it accepted while it was in use; the pages of its silence do not count.
    #[must_use]
    pub fn acceptance(&self) -> f64 {
        let in_use = self.seen.saturating_sub(u64::from(self.silent)).max(1);
        (self.accepted as f64 / in_use as f64).min(1.0)
    }

    /// Whether its silence is no accident: less likely than one in a thousand if pages came at random.
    fn is_past(&self, silence: u32) -> bool {
        f64::from(self.silent) * self.acceptance() >= LEAST_EXPECTED && self.silent >= silence.max(1)
    }
}

/// Why a template is not used any more.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The site's pages look different now.
    LayoutChanged {
        /// Share of pages that it accepted while it was in use.
        acceptance: f64,
    },
    /// The site has too many templates, and this one had been silent longest.
    Crowded,
}

/// A template that accepts no new pages any more.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Dropped<T> {
    /// Its version.
    pub version: u32,
    /// The reason.
    pub reason: Reason,
    /// When the first page that it accepted was fetched.
    pub since: Timestamp,
    /// When the site was last seen to use it; the layout changed after that.
    pub last_at: Timestamp,
    /// When it was dropped.
    pub dropped_at: Timestamp,
    /// Pages that it accepted.
    pub accepted: u64,
    /// The template itself, to read the pages from before; only the last few are kept.
    pub template: Option<T>,
}

/// A site's templates and their use.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Templates<T, P> {
    #[serde(skip)]
    settings: Settings,
    live: Vec<Live<T>>,
    /// Pages that no template accepted, the oldest first.
    waiting: Vec<P>,
    /// The number of waiting pages at which learning is tried next.
    next_try: usize,
    next_version: u32,
    dropped: Vec<Dropped<T>>,
    seen: u64,
    accepted: u64,
}

/// The most dropped templates that are remembered, and the most of them that still read pages.
const MOST_DROPPED: usize = 32;
const MOST_KEPT: usize = 8;
/// The number of pages that a template should have accepted in its silence, were it still in use: ln 1000.
const LEAST_EXPECTED: f64 = 6.9;

impl<T, P> Default for Templates<T, P> {
    fn default() -> Self {
        Templates::new(Settings::default())
    }
}

impl<T, P> Templates<T, P> {
    /// A site without any pages yet.
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

    /// All templates that can read a page, with their versions: those in use, then dropped ones, the newest
    /// first.
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

    /// Whether the template of this version accepts new pages.
    #[must_use]
    pub fn is_live(&self, version: u32) -> bool {
        self.live.iter().any(|live| live.version == version)
    }

    /// Records the new pages of a pass: for each, the template in use that accepts it and the time when the page
    /// was fetched. Pages that none accepts wait.
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

    /// Whether enough pages wait to try new templates.
    #[must_use]
    pub fn is_time_to_learn(&self) -> bool {
        self.waiting.len() >= self.next_try
    }

    /// Adds templates learnt from waiting pages, for [`settle`](Self::settle) to use. Returns their versions.
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

    /// After learning: removes the waiting pages that a template accepts, and the new templates that accept none of them.
    /// `accepts` gives the version of the template that accepts a page, and when the page was fetched. Returns the number of
    /// removed pages.
    pub fn settle(&mut self, accepts: impl Fn(&P) -> Option<(u32, Timestamp)>) -> usize {
        let before = self.waiting.len();
        let mut accepted = Vec::new();
        self.waiting.retain(|page| {
            let by =
                accepts(page).filter(|(version, _)| self.live.iter().any(|live| live.version == *version));
            accepted.extend(by);
            by.is_none()
        });
        // A new template has been offered all pages that waited.
        self.live.iter_mut().filter(|live| live.accepted == 0).for_each(|live| live.seen = before as u64);
        self.count(&accepted);
        self.live.retain(|live| live.accepted > 0);
        let surplus = self.waiting.len().saturating_sub(self.settings.most_waiting.max(1));
        self.waiting.drain(..surplus);
        self.next_try = self.waiting.len() + self.settings.enough.max(1);
        before - surplus - self.waiting.len()
    }

    /// Keeps only the waiting pages that are still there.
    pub fn retain(&mut self, is_there: impl Fn(&P) -> bool) {
        self.waiting.retain(is_there);
        self.next_try = self.next_try.min(self.waiting.len() + self.settings.enough.max(1));
    }

    /// At the end of a pass: drops templates that are silent while others are not, and those beyond the
    /// limit. Returns the reasons.
    pub fn drop_past(&mut self, now: Timestamp) -> Vec<Reason> {
        let mut reasons = Vec::new();
        let silence = self.settings.silence;
        let is_other_used = self.live.iter().any(|live| live.silent < silence.max(1));
        while let Some(at) = self.live.iter().position(|live| is_other_used && live.is_past(silence)) {
            let live = self.live.remove(at);
            let reason = Reason::LayoutChanged { acceptance: live.acceptance() };
            reasons.push(reason);
            self.record_dropped(live, reason, now);
        }
        while self.live.len() > self.settings.most_templates.max(1) {
            let silent = |at: &usize| (self.live[*at].silent, std::cmp::Reverse(*at));
            let Some(at) = (0..self.live.len()).max_by_key(silent) else { break };
            let live = self.live.remove(at);
            reasons.push(Reason::Crowded);
            self.record_dropped(live, Reason::Crowded, now);
        }
        reasons
    }

    fn record_dropped(&mut self, live: Live<T>, reason: Reason, now: Timestamp) {
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
