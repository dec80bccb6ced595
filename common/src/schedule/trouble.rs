//! What goes wrong on a site, and how long it rests.
//!
//! A site that blocks is asked more slowly, and stays so; a site that fails rests, with all its pages. Neither
//! counts against a page: after an outage everything goes on where it was.

use std::time::Duration;

use newslode_page::time::Timestamp;
use serde::{Deserialize, Serialize};

use super::{DAY, HOUR, MINUTE, doubled, seconds};

/// What went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trouble {
    /// 403 or 429, or a `Retry-After` of this many seconds.
    Blocked(Option<u64>),
    /// 5xx, no connection, or no answer in time.
    Failing,
    /// robots.txt answers 5xx or not at all: nothing may be asked for.
    RobotsUnreachable,
    /// One address alone answers 429.
    Busy,
}

/// How a site is, as its visits show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Health {
    /// It answers, and publishes as it used to.
    Healthy,
    /// Its pages are read, and for a day none of the new ones is an article.
    NoArticles,
    /// It answers, and has shown nothing new for longer than its rhythm explains.
    Quiet,
    /// It publishes, and for days none of its listings has shown what is new.
    TooFewListings,
    /// For a day or more its front pages, or all its listings, lead to another site.
    Redirected,
    /// It asks for fewer requests than its news need, or asks us now to come back later.
    RateLimited,
    /// It refuses us, or many articles that were read before.
    Blocked,
    /// It does not answer, or with errors, or with something else where many articles were read before.
    Failing,
    /// Its robots.txt cannot be read, so nothing is asked for.
    RobotsClosed,
}

impl Health {
    /// All of them.
    pub const ALL: [Health; 9] = [
        Health::Healthy,
        Health::NoArticles,
        Health::Quiet,
        Health::TooFewListings,
        Health::Redirected,
        Health::RateLimited,
        Health::Blocked,
        Health::Failing,
        Health::RobotsClosed,
    ];

    /// The metric's label.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Health::Healthy => "healthy",
            Health::NoArticles => "no_articles",
            Health::Quiet => "quiet",
            Health::TooFewListings => "too_few_listings",
            Health::Redirected => "redirected",
            Health::RateLimited => "rate_limited",
            Health::Blocked => "blocked",
            Health::Failing => "failing",
            Health::RobotsClosed => "robots_closed",
        }
    }
}

/// A rest of the whole site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rest {
    /// No request before this time.
    pub until: Timestamp,
    /// Least time between two requests from now on, in milliseconds.
    pub delay_ms: u64,
}

/// Rests after blocks: the first and the longest, in seconds.
const BLOCKED: (u64, u64) = (15 * MINUTE, 6 * HOUR);
/// Rests after failures: the first and the longest, in seconds.
const FAILING: (u64, u64) = (MINUTE, 15 * MINUTE);
/// Rest while robots.txt cannot be read, in seconds.
const ROBOTS: u64 = 5 * MINUTE;
/// A block of a site that got this many requests in ten minutes sets the delay to 1,200 s over that number.
const DELAY: u64 = 1_200_000;
/// The delay sinks to 750 s over that number.
const LEAST_DELAY: u64 = 750_000;
/// No block sets a longer delay, in milliseconds.
const LONGEST_DELAY: u64 = 120_000;
/// A server's wish to wait longer is cut to this, in seconds.
const LONGEST_WISH: u64 = DAY;

/// The end of a rest of this many seconds, as far as a wish is granted.
pub(super) fn wished(wait: u64, now: Timestamp) -> Timestamp {
    now.plus(Duration::from_secs(wait.min(LONGEST_WISH)))
}

/// A site's troubles so far.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Troubles {
    /// Rests in a row without a good answer.
    rests: u32,
    /// Whether a block is among them: what is refused while the site blocks says nothing of our pace.
    is_blocked: bool,
    /// Whether robots.txt could not be read last time.
    #[serde(default)]
    is_robots_closed: bool,
    /// Delay learnt from blocks, in milliseconds.
    delay_ms: u64,
    /// It sinks no further than this.
    least_ms: u64,
    /// When it last sank, in seconds since the epoch.
    sank: u64,
    /// The last good answer that was noted, in seconds since the epoch.
    answered: u64,
}

impl Troubles {
    /// Notes trouble after this many requests in the last ten minutes.
    pub(super) fn add(&mut self, trouble: Trouble, requests: u32, now: Timestamp) -> Rest {
        let time = seconds(now);
        let (first, longest) = match trouble {
            Trouble::Blocked(_) | Trouble::Busy => {
                if !self.is_blocked {
                    self.slow_down(requests, time);
                }
                self.is_blocked = true;
                if trouble == Trouble::Busy { FAILING } else { BLOCKED }
            }
            Trouble::Failing => FAILING,
            Trouble::RobotsUnreachable => (ROBOTS, ROBOTS),
        };
        self.is_robots_closed = trouble == Trouble::RobotsUnreachable;
        let rest = doubled(first, longest, self.rests);
        if trouble != Trouble::RobotsUnreachable {
            self.rests = self.rests.saturating_add(1);
        }
        let wait = match trouble {
            Trouble::Blocked(Some(wish)) => wish,
            Trouble::Blocked(None) | Trouble::Failing | Trouble::RobotsUnreachable | Trouble::Busy => rest,
        };
        Rest { until: wished(wait, now), delay_ms: self.delay_ms }
    }

    fn slow_down(&mut self, requests: u32, now: u64) {
        let requests = u64::from(requests.max(1));
        self.delay_ms = self.delay_ms.max((DELAY / requests).min(LONGEST_DELAY));
        self.least_ms = (LEAST_DELAY / requests).min(LONGEST_DELAY);
        self.sank = now;
    }

    /// Notes a good answer. Of many within a minute one is enough.
    pub(super) fn end(&mut self, now: Timestamp) {
        self.rests = 0;
        (self.is_blocked, self.is_robots_closed) = (false, false);
        let now = seconds(now);
        if now.saturating_sub(self.answered) >= MINUTE {
            self.answered = now;
        }
    }

    /// Brings back what a clock noted that was ahead.
    pub(super) fn bring_back(&mut self, now: u64) {
        self.sank = self.sank.min(now);
        self.answered = self.answered.min(now);
    }

    /// Takes back a failure that was not the site's own.
    pub(super) fn forgive(&mut self, trouble: Trouble) {
        match trouble {
            Trouble::RobotsUnreachable => self.is_robots_closed = false,
            Trouble::Blocked(_) | Trouble::Failing | Trouble::Busy => {
                self.rests = self.rests.saturating_sub(1)
            }
        }
    }

    /// The delay that blocks taught, in milliseconds, before it sinks.
    pub(super) fn taught_delay_ms(&self) -> u64 {
        self.delay_ms
    }

    /// What is wrong now.
    pub(super) fn health(&self) -> Option<Health> {
        if self.is_blocked {
            Some(Health::Blocked)
        } else if self.is_robots_closed {
            Some(Health::RobotsClosed)
        } else {
            (self.rests > 0).then_some(Health::Failing)
        }
    }

    /// Whether a good answer came after this time, in seconds since the epoch.
    pub(super) fn answered_since(&self, time: u64) -> bool {
        self.answered > time
    }

    /// The delay now, in milliseconds: it sinks by 5 % a day.
    pub(super) fn delay_ms(&mut self, now: Timestamp) -> u64 {
        let now = seconds(now);
        while self.delay_ms > self.least_ms && now.saturating_sub(self.sank) > DAY {
            self.delay_ms = (self.delay_ms - self.delay_ms / 20).max(self.least_ms);
            self.sank += DAY;
            if self.delay_ms / 20 == 0 {
                break;
            }
        }
        self.delay_ms
    }
}

#[cfg(test)]
mod tests {
    use super::super::at;
    use super::*;

    fn waits(trouble: Trouble, times: usize) -> Vec<u64> {
        let mut troubles = Troubles::default();
        (0..times).map(|_| seconds(troubles.add(trouble, 80, Timestamp(0)).until) / MINUTE).collect()
    }

    #[test]
    fn a_site_is_what_its_last_visits_say() {
        let mut troubles = Troubles::default();
        let mut after = |trouble: Option<Trouble>| {
            match trouble {
                Some(trouble) => drop(troubles.add(trouble, 80, Timestamp(0))),
                None => troubles.end(Timestamp(0)),
            }
            troubles.health()
        };
        assert_eq!(after(Some(Trouble::RobotsUnreachable)), Some(Health::RobotsClosed));
        assert_eq!(after(Some(Trouble::Failing)), Some(Health::Failing));
        assert_eq!(after(Some(Trouble::Blocked(None))), Some(Health::Blocked));
        assert_eq!(after(None), None);
    }

    #[test]
    fn rests_double_up_to_their_longest() {
        assert_eq!(waits(Trouble::Failing, 6), [1, 2, 4, 8, 15, 15]);
        assert_eq!(waits(Trouble::Busy, 3), [1, 2, 4]);
        assert_eq!(waits(Trouble::Blocked(None), 6), [15, 30, 60, 120, 240, 360]);
        assert_eq!(waits(Trouble::RobotsUnreachable, 3), [5, 5, 5]);
        assert_eq!(waits(Trouble::Blocked(Some(120)), 2), [2, 2]);
    }

    #[test]
    fn a_block_slows_down_and_wears_off_in_part() {
        let mut troubles = Troubles::default();
        let rest = troubles.add(Trouble::Blocked(None), 80, Timestamp(0));
        assert_eq!(rest.delay_ms, 15_000);
        let again = troubles.add(Trouble::Blocked(None), 1, Timestamp(0));
        assert_eq!(again.delay_ms, 15_000, "the same block");
        troubles.end(Timestamp(0));
        assert_eq!(troubles.delay_ms(at(DAY)), 15_000);
        assert_eq!(troubles.delay_ms(at(DAY + 1)), 14_250);
        assert_eq!(troubles.delay_ms(at(100 * DAY)), 750_000 / 80);
    }
}
