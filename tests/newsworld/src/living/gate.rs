//! What a server remembers of its visitors: recent requests for the block rule, and sums of its request log.
//!
//! A site blocks after too many requests within ten minutes, for an hour; each request while blocked makes it at
//! least half an hour from then. Requests during an outage reach no server, but they were made, so they count in
//! the sums and not in the rule.

use std::collections::{HashMap, VecDeque};

use newslode_demo_world::Reply;
use serde::Serialize;

use super::clock::{HOUR, MINUTE, SECOND};
use super::trouble::BlockRule;

/// The time that the block rule looks back.
const LOOK_BACK: u64 = 10 * MINUTE;

/// What a request is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// robots.txt.
    Robots,
    /// A front page, section, feed or map, or a page behind a section.
    Listing,
    /// Something that robots.txt disallows.
    Disallowed,
    /// Articles and everything else.
    Other,
}

/// Sums over the requests to a site.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct RequestLog {
    /// All requests.
    pub requests: u64,
    /// Requests for robots.txt.
    pub robots: u64,
    /// Requests for front pages, sections and the pages behind them, feeds and maps.
    pub listings: u64,
    /// Requests for what robots.txt disallows, all while it disallows everything.
    pub disallowed: u64,
    /// Requests for an address before the time that its `Retry-After` asked to wait for.
    pub too_early: u64,
    /// How often the site began to block.
    pub blocks: u64,
    /// Requests while it blocked, those that began a block left out.
    pub while_blocked: u64,
    /// Least time between two requests, in milliseconds; `None` before the second one.
    pub smallest_gap_ms: Option<u64>,
}

impl RequestLog {
    /// The sums of both.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        let gaps = [self.smallest_gap_ms, other.smallest_gap_ms];
        Self {
            requests: self.requests + other.requests,
            robots: self.robots + other.robots,
            listings: self.listings + other.listings,
            disallowed: self.disallowed + other.disallowed,
            too_early: self.too_early + other.too_early,
            blocks: self.blocks + other.blocks,
            while_blocked: self.while_blocked + other.while_blocked,
            smallest_gap_ms: gaps.into_iter().flatten().min(),
        }
    }
}

/// The memory of one site's server.
#[derive(Debug, Default)]
pub(super) struct Gate {
    recent: VecDeque<u64>,
    blocked_until_ms: u64,
    last_ms: Option<u64>,
    log: RequestLog,
    /// Whether robots.txt forbade everything when it was last answered.
    is_closed: bool,
    /// Path → the time before which a `Retry-After` asked not to come again.
    not_before: HashMap<String, u64>,
}

impl Gate {
    /// Writes a request down.
    pub(super) fn arrive(&mut self, purpose: Purpose, path: &str, now_ms: u64) {
        let log = &mut self.log;
        log.requests += 1;
        let is_forbidden = self.is_closed && purpose != Purpose::Robots;
        log.disallowed += u64::from(is_forbidden && purpose != Purpose::Disallowed);
        log.too_early += u64::from(self.not_before.get(path).is_some_and(|until| now_ms < *until));
        match purpose {
            Purpose::Robots => log.robots += 1,
            Purpose::Listing => log.listings += 1,
            Purpose::Disallowed => log.disallowed += 1,
            Purpose::Other => {}
        }
        if let Some(last) = self.last_ms {
            // two crawlers may arrive in the wrong order
            let gap = last.abs_diff(now_ms);
            log.smallest_gap_ms = Some(log.smallest_gap_ms.map_or(gap, |least| least.min(gap)));
        }
        self.last_ms = self.last_ms.max(Some(now_ms));
    }

    /// Remembers what an answer asks of the next requests.
    pub(super) fn said(&mut self, path: &str, reply: &Reply, now_ms: u64) {
        if path == "/robots.txt" && reply.status == 200 {
            self.is_closed = reply.body.ends_with(b"Disallow: /\n");
        }
        let wait = reply.headers.iter().find(|(name, _)| *name == "retry-after");
        match wait.and_then(|(_, seconds)| seconds.parse::<u64>().ok()) {
            Some(seconds) => drop(self.not_before.insert(path.to_owned(), now_ms + seconds * SECOND)),
            None => drop(self.not_before.remove(path)),
        }
    }

    /// Whether a request that reached the server is refused.
    pub(super) fn refuses(&mut self, rule: BlockRule, now_ms: u64) -> bool {
        if self.blocked_until_ms > now_ms {
            self.log.while_blocked += 1;
            self.blocked_until_ms = self.blocked_until_ms.max(now_ms + HOUR / 2);
            return true;
        }
        while self.recent.front().is_some_and(|&at| at + LOOK_BACK < now_ms) {
            self.recent.pop_front();
        }
        self.recent.push_back(now_ms);
        if self.recent.len() <= rule.requests {
            return false;
        }
        self.log.blocks += 1;
        self.blocked_until_ms = now_ms + HOUR;
        self.recent.clear();
        true
    }

    /// The sums so far.
    pub(super) const fn log(&self) -> RequestLog {
        self.log
    }
}
