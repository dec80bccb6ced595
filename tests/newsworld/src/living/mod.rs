//! A world that lives: news sites that publish, edit, move and delete through simulated days, as a server shows them
//! at a given time.
//!
//! A [`LivingWorld`] follows from its [`LivingSpec`]. It has no clock: each request says when it comes. Sites publish
//! 1 to 600 articles a day, with three days of history before day 0, and have the troubles of real ones: feeds that
//! are late, stale or dead, caches, 304 that lies, outages, blocking, consent walls, redesigns. What will happen
//! stands in each [`LivingSite`]; [`judge()`] compares a crawl with it.
//!
//! Invariants: the same seed gives the same bytes at any time of asking. No listing shows an article before its
//! publication. An answer costs a binary search and the text that it sends. The servers remember only recent requests, for
//! the block rule, and sums of their log.
//!
//! Where to start: `site.rs` (what a site is), `plan.rs` (draws it), `trouble.rs`, `catalogue.rs` and `listing.rs` (what is
//! shown where, and how late), `serve.rs` (from address to answer), `gate.rs`, `judge.rs`. `render.rs` and `xml.rs` give the
//! sizes.

mod address;
mod catalogue;
mod chance;
pub mod clock;
mod gate;
mod judge;
mod listing;
mod masthead;
mod outline;
mod pace;
mod plan;
mod render;
mod serve;
mod site;
mod topic;
mod trouble;
mod words;
mod xml;

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use clock::{DAY, DAY_0, HISTORY};
use gate::Gate;
pub use gate::RequestLog;
pub use judge::{FetchLog, Figures, Seen, judge};
pub use listing::{End, Item, Listing, ListingKind, PAGES_BEHIND, Validators};
use serve::Place;
pub use site::{LivingArticle, LivingSite};
pub use trouble::{BlockRule, Failure, Mishap, MishapKind, Outage, Redesign, Troubles};

use newslode_demo_world::Reply;

/// Everything a living world follows from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LivingSpec {
    /// Seed.
    pub world: u64,
    /// Number of sites. Their rates are spread evenly, on a logarithmic scale, between 1 and
    /// [`most_a_day`](Self::most_a_day) articles a day.
    pub sites: usize,
    /// Days from day 0 to the end.
    pub days: u32,
    /// Whether sites also have short troubles: [`MishapKind`].
    pub mishaps: bool,
    /// Articles a day of the site that publishes most.
    pub most_a_day: u32,
    /// Whether it hardly matters at which moment of a day a page is read. The page of an article changes only when the article is
    /// edited: no site shows its latest articles there, and none has noise. Adverts come once a day, and links to calendars have
    /// constant session numbers.
    pub is_steady: bool,
}

impl Default for LivingSpec {
    fn default() -> Self {
        Self { world: 1, sites: 20, days: 30, mishaps: false, most_a_day: 600, is_steady: false }
    }
}

impl LivingSpec {
    const fn end(&self) -> u64 {
        DAY_0 + self.days as u64 * DAY
    }
}

/// News sites through simulated days.
#[derive(Debug)]
pub struct LivingWorld {
    spec: LivingSpec,
    sites: Vec<LivingSite>,
    hosts: HashMap<String, usize>,
    /// One for each site.
    gates: Vec<Mutex<Gate>>,
}

/// A request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ask<'a> {
    /// Host in lower case, without port.
    pub host: &'a str,
    /// Path with its query.
    pub path: &'a str,
    /// `If-None-Match` as it was sent.
    pub if_none_match: Option<&'a str>,
    /// `If-Modified-Since` as it was sent.
    pub if_modified_since: Option<&'a str>,
    /// `Cookie` as it was sent.
    pub cookie: Option<&'a str>,
}

impl<'a> Ask<'a> {
    /// A request without conditions.
    #[must_use]
    pub const fn plain(host: &'a str, path: &'a str) -> Self {
        Self { host, path, if_none_match: None, if_modified_since: None, cookie: None }
    }
}

/// What comes back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// A reply.
    Reply(Reply),
    /// Nothing: the server is away, the line is cut, or there is no such host.
    Timeout,
}

impl LivingWorld {
    /// Makes the world.
    #[must_use]
    pub fn generate(spec: &LivingSpec) -> Self {
        let sites: Vec<LivingSite> = (0..spec.sites).map(|number| LivingSite::draw(spec, number)).collect();
        Self {
            spec: *spec,
            hosts: sites.iter().map(|site| (site.host.clone(), site.number)).collect(),
            gates: sites.iter().map(|_| Mutex::default()).collect(),
            sites,
        }
    }

    /// Addresses of the front pages, in the order of the sites.
    #[must_use]
    pub fn seeds(&self) -> Vec<String> {
        self.sites.iter().map(|site| format!("http://{}/", site.host)).collect()
    }

    /// The begin of day 0, in milliseconds since 1970.
    #[must_use]
    pub const fn start(&self) -> u64 {
        DAY_0
    }

    /// The end of the last day.
    #[must_use]
    pub const fn end(&self) -> u64 {
        self.spec.end()
    }

    /// The sites and all that happens to them.
    #[must_use]
    pub fn sites(&self) -> &[LivingSite] {
        &self.sites
    }

    /// What a request gets that comes at `now_ms`. Times before the history count as its beginning.
    pub fn answer(&self, ask: &Ask<'_>, now_ms: u64) -> Answer {
        let now_ms = now_ms.max(DAY_0 - HISTORY);
        let Some(&number) = self.hosts.get(ask.host) else { return Answer::Timeout };
        let site = &self.sites[number];
        let place = Place::find(site, ask.path);
        let outage = site.troubles.outage(now_ms);
        let refused = self.with_gate(number, |gate| {
            gate.arrive(place.purpose(), ask.path, now_ms);
            let rule = site.troubles.block.filter(|_| outage.is_none())?;
            gate.refuses(rule, now_ms).then_some(rule.status)
        });
        let reply = match (outage.map(|outage| outage.failure), refused) {
            (Some(Failure::Timeout | Failure::OurLine), _) => return Answer::Timeout,
            (Some(Failure::Unavailable), _) => serve::refusal(503),
            (None, Some(status)) => serve::refusal(status),
            (None, None) => serve::reply(site, place, ask, now_ms),
        };
        self.with_gate(number, |gate| gate.said(ask.path, &reply, now_ms));
        Answer::Reply(reply)
    }

    /// Site and article of an address, the second address of a moved article included, whatever it answers now.
    #[must_use]
    pub fn article_of(&self, host: &str, path_and_query: &str) -> Option<(usize, usize)> {
        let &number = self.hosts.get(host)?;
        match Place::find(&self.sites[number], path_and_query) {
            Place::Article(url) => Some((number, self.sites[number].article_of(url))),
            _ => None,
        }
    }

    /// The request log of one site's server.
    #[must_use]
    pub fn requests_to(&self, site: usize) -> RequestLog {
        self.with_gate(site, |gate| gate.log())
    }

    /// The request logs of all servers in one.
    #[must_use]
    pub fn requests(&self) -> RequestLog {
        (0..self.sites.len()).map(|site| self.requests_to(site)).fold(RequestLog::default(), RequestLog::plus)
    }

    fn with_gate<T>(&self, site: usize, work: impl FnOnce(&mut Gate) -> T) -> T {
        work(&mut self.gates[site].lock().unwrap_or_else(PoisonError::into_inner))
    }
}
