//! A site's templates while its pages stream by: which accept a page, when new ones are learnt, when one has
//! had its day.
//!
//! A page that no template accepts is read singly and waits; enough waiting pages are tried for a new template.
//! A template that accepts nothing any more while others do is dropped, with the reason and the time: the site
//! changed its layout. Whoever calls then reads the pages since again ([`Verdict::Learnt`]). How a
//! template is made and what it accepts is the partitioner's, and passed in ([`Learner`]).
//!
//! Invariants: a pure state machine, time is passed in; memory is bounded; the value serialises, so that a
//! service keeps it with its site. Start at [`Templates::observe`].

use std::collections::VecDeque;

use newslode_common::time::Timestamp;
use serde::{Deserialize, Serialize};

/// How templates are made and what they accept.
pub trait Learner {
    /// What stands for a page: its tree, or where to find it.
    type Page;
    /// What pages have in common.
    type Template;

    /// Whether a page is one of the template's.
    fn accepts(&self, template: &Self::Template, page: &Self::Page) -> bool;

    /// The templates of some pages, those of most pages first; pages that are not alike give none.
    fn induce(&self, pages: &[&Self::Page]) -> Vec<Self::Template>;
}

/// When to learn and when to drop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// Waiting pages that are tried for a template; after a failure as many more are waited for.
    pub enough: usize,
    /// Pages that wait at most; the oldest goes, and stays as it was read singly.
    pub most_waiting: usize,
    /// A template that accepted none of so many pages is dropped, if another accepted one of them.
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
    /// Pages seen since, and those of them that it accepted.
    pub seen: u64,
    /// Pages it accepted, those that it was made of included.
    pub accepted: u64,
    /// Pages since the last one that it accepted.
    pub silent: u32,
    /// When it last accepted one.
    pub last_at: Timestamp,
}

impl<T> Live<T> {
    /// Share of the pages seen since it was learnt that it accepted.
    #[must_use]
    pub fn acceptance(&self) -> f64 {
        if self.seen == 0 { 1.0 } else { self.accepted as f64 / self.seen as f64 }
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

/// A template that is not used any more.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Dropped {
    /// Which.
    pub version: u32,
    /// Why.
    pub reason: Reason,
    /// When the site was last seen to use it: the layout changed after that.
    pub last_at: Timestamp,
    /// When it was dropped.
    pub dropped_at: Timestamp,
}

/// A page that no template accepted yet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Waiting<P> {
    page: P,
    at: Timestamp,
}

/// What became of a page.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict<P> {
    /// A template accepts it.
    Accepted {
        /// The template's version.
        version: u32,
    },
    /// None does: it is to be read singly, and waits.
    Waiting {
        /// Pages that wait, this one included.
        waiting: usize,
    },
    /// It completed the pages that new templates need.
    Learnt {
        /// The new templates' versions.
        versions: Vec<u32>,
        /// Waiting pages that they accept: to be read again.
        redo: Vec<P>,
        /// When the first of them was seen.
        since: Timestamp,
    },
}

/// A site's templates with what is known of their use.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Templates<T, P> {
    settings: Settings,
    live: Vec<Live<T>>,
    waiting: VecDeque<Waiting<P>>,
    /// Waiting pages before the next try.
    next_try: usize,
    next_version: u32,
    dropped: Vec<Dropped>,
    seen: u64,
    accepted: u64,
}

/// Dropped templates that are remembered.
const MOST_DROPPED: usize = 32;

impl<T, P: Clone> Templates<T, P> {
    /// A site of which nothing was seen.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        Templates {
            next_try: settings.enough.max(1),
            settings,
            live: Vec::new(),
            waiting: VecDeque::new(),
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
    pub fn dropped(&self) -> &[Dropped] {
        &self.dropped
    }

    /// Pages that wait for a template.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Pages seen, and those that a template accepted when they came.
    #[must_use]
    pub fn acceptance(&self) -> (u64, u64) {
        (self.seen, self.accepted)
    }

    /// Takes note of the site's next page. A page that comes twice counts twice.
    pub fn observe<L>(&mut self, learner: &L, page: P, now: Timestamp) -> Verdict<P>
    where
        L: Learner<Page = P, Template = T>,
    {
        self.seen += 1;
        let accepted = self.live.iter().rposition(|live| learner.accepts(&live.template, &page));
        for (at, live) in self.live.iter_mut().enumerate() {
            live.seen += 1;
            if Some(at) == accepted {
                live.accepted += 1;
                live.silent = 0;
                live.last_at = now;
            } else {
                live.silent = live.silent.saturating_add(1);
            }
        }
        let verdict = match accepted {
            Some(at) => {
                self.accepted += 1;
                Verdict::Accepted { version: self.live[at].version }
            }
            None => self.wait(learner, page, now),
        };
        self.drop_silent(now);
        verdict
    }

    fn wait<L>(&mut self, learner: &L, page: P, now: Timestamp) -> Verdict<P>
    where
        L: Learner<Page = P, Template = T>,
    {
        self.waiting.push_back(Waiting { page, at: now });
        if self.waiting.len() > self.settings.most_waiting.max(1) {
            self.waiting.pop_front();
            self.next_try = self.next_try.saturating_sub(1);
        }
        if self.waiting.len() >= self.next_try
            && let Some(learnt) = self.learn(learner, now)
        {
            return learnt;
        }
        Verdict::Waiting { waiting: self.waiting.len() }
    }

    /// Tries the waiting pages for new templates.
    fn learn<L>(&mut self, learner: &L, now: Timestamp) -> Option<Verdict<P>>
    where
        L: Learner<Page = P, Template = T>,
    {
        let pages: Vec<&P> = self.waiting.iter().map(|waiting| &waiting.page).collect();
        let mut versions = Vec::new();
        let mut redo: Vec<Waiting<P>> = Vec::new();
        for template in learner.induce(&pages) {
            let (accepted, rest): (VecDeque<_>, VecDeque<_>) =
                self.waiting.drain(..).partition(|waiting| learner.accepts(&template, &waiting.page));
            self.waiting = rest;
            // Made of pages that another took before it: it is not needed.
            if accepted.is_empty() {
                continue;
            }
            let last_at = accepted.iter().map(|waiting| waiting.at).max().unwrap_or(now);
            let count = accepted.len() as u64;
            versions.push(self.next_version);
            self.live.push(Live {
                version: self.next_version,
                template,
                learnt_at: now,
                seen: count,
                accepted: count,
                silent: 0,
                last_at,
            });
            self.next_version += 1;
            redo.extend(accepted);
        }
        self.next_try = self.waiting.len() + self.settings.enough.max(1);
        let since = redo.iter().map(|waiting| waiting.at).min()?;
        self.drop_crowd(now);
        Some(Verdict::Learnt {
            versions,
            redo: redo.into_iter().map(|waiting| waiting.page).collect(),
            since,
        })
    }

    /// Drops templates that are silent while others are not.
    fn drop_silent(&mut self, now: Timestamp) {
        let silence = self.settings.silence.max(1);
        let is_other_used = self.live.iter().any(|live| live.silent < silence);
        while let Some(at) = self.live.iter().position(|live| is_other_used && live.silent >= silence) {
            let live = self.live.remove(at);
            let in_use = live.seen.saturating_sub(u64::from(live.silent)).max(1);
            let acceptance = live.accepted as f64 / in_use as f64;
            self.note(live, Reason::LayoutChanged { acceptance }, now);
        }
    }

    fn drop_crowd(&mut self, now: Timestamp) {
        while self.live.len() > self.settings.most_templates.max(1) {
            let silent = |at: &usize| (self.live[*at].silent, std::cmp::Reverse(*at));
            let Some(at) = (0..self.live.len()).max_by_key(silent) else { return };
            let live = self.live.remove(at);
            self.note(live, Reason::Crowded, now);
        }
    }

    fn note(&mut self, live: Live<T>, reason: Reason, now: Timestamp) {
        if self.dropped.len() >= MOST_DROPPED {
            self.dropped.remove(0);
        }
        let Live { version, last_at, .. } = live;
        self.dropped.push(Dropped { version, reason, last_at, dropped_at: now });
    }
}

#[cfg(test)]
mod tests;
