//! What goes wrong at a site: outages, a robots.txt that fails, blocking, a consent wall, a redesign; and mishaps, small troubles
//! of ten minutes to three hours.
//!
//! Mishaps are taken from reports to crawlers and feed readers. They are drawn from a stream of their own, so a world without them
//! ([`LivingSpec::mishaps`](super::LivingSpec)) is the same to the bit. None makes an article less worth having: every listing is
//! back before a day has passed.
//!
//! All is drawn for a month of 30 days, whatever the length of the world: a short world sees the beginning of
//! the month. The line of the crawler's own side is cut for an hour on day 15, at all sites at once.

use super::chance::Chance;
use super::clock::{DAY, DAY_0, HOUR, MINUTE, Span, day};

/// Days for which troubles are drawn.
const MONTH: u32 = 30;

/// How requests fail during an outage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    /// The server does not answer.
    Timeout,
    /// It answers 503.
    Unavailable,
    /// The crawler's own line is cut.
    OurLine,
}

/// A time in which nothing is answered as it should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outage {
    /// When.
    pub span: Span,
    /// How.
    pub failure: Failure,
}

/// Above which rate a site stops answering, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockRule {
    /// Requests within ten minutes that are still answered.
    pub requests: usize,
    /// 403 or 429.
    pub status: u16,
}

/// A day from which sections stand at new addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Redesign {
    /// When; it may lie beyond the end of a short world.
    pub at_ms: u64,
    /// Whether the front page needs scripts from then on and shows nothing without them.
    pub script_front: bool,
}

/// All troubles of a site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Troubles {
    /// Outages by their start; some overlap.
    pub outages: Vec<Outage>,
    /// Times in which robots.txt answers 503 while the rest works.
    pub robots_down: Vec<Span>,
    /// The rule by which too many requests are blocked.
    pub block: Option<BlockRule>,
    /// A time in which every HTML page is a consent wall with status 200.
    pub wall: Option<Span>,
    /// The redesign.
    pub redesign: Option<Redesign>,
}

impl Troubles {
    /// Draws a site's month.
    pub(super) fn draw(chance: &mut Chance) -> Self {
        let redesign = chance
            .happens(0.12)
            .then(|| Redesign { at_ms: day(chance.uniform(10.0, 20.0)), script_front: chance.happens(0.25) });
        let block = chance
            .happens(0.12)
            .then(|| BlockRule { requests: chance.pick(&[40, 80, 150]), status: chance.pick(&[403, 429]) });
        let wall = chance.happens(0.07).then(|| {
            let (start, days) = (chance.uniform(5.0, 26.0), chance.uniform(1.0, 2.5));
            stretch(start, days * DAY as f64)
        });
        let n = chance.poisson(0.1 * f64::from(MONTH));
        let mut robots_down: Vec<Span> =
            (0..n).map(|_| stretch(chance.uniform(0.0, f64::from(MONTH)), 15.0 * MINUTE as f64)).collect();
        robots_down.sort_unstable();
        Self { outages: outages(chance), robots_down, block, wall, redesign }
    }

    /// The outage at a time, if there is one.
    #[must_use]
    pub fn outage(&self, at_ms: u64) -> Option<Outage> {
        self.outages.iter().find(|outage| outage.span.holds(at_ms)).copied()
    }

    /// Whether the consent wall stands.
    #[must_use]
    pub fn is_walled(&self, at_ms: u64) -> bool {
        self.wall.is_some_and(|wall| wall.holds(at_ms))
    }

    /// Whether the redesign has happened.
    #[must_use]
    pub fn is_redesigned(&self, at_ms: u64) -> bool {
        self.redesign.is_some_and(|redesign| redesign.at_ms <= at_ms)
    }

    /// Milliseconds of `span` in which the site showed stories.
    #[must_use]
    pub fn uptime(&self, span: Span) -> u64 {
        let troubles = self.outages.iter().map(|outage| outage.span).chain(self.wall);
        let down: u64 = troubles.map(|trouble| trouble.overlap(span)).sum();
        span.until_ms.saturating_sub(span.from_ms).saturating_sub(down)
    }
}

fn outages(chance: &mut Chance) -> Vec<Outage> {
    let month = f64::from(MONTH);
    let mut outages = Vec::new();
    for _ in 0..chance.poisson(0.05 * month) {
        let (start, hours) = (chance.uniform(0.0, month), chance.uniform(0.3, 1.5));
        let failure = chance.pick(&[Failure::Timeout, Failure::Unavailable]);
        outages.push(Outage { span: stretch(start, hours * HOUR as f64), failure });
    }
    if chance.happens(0.2) {
        let (start, days) = (chance.uniform(2.0, 27.0), chance.uniform(0.7, 1.3));
        outages.push(Outage { span: stretch(start, days * DAY as f64), failure: Failure::Unavailable });
    }
    outages.push(Outage { span: stretch(15.0, HOUR as f64), failure: Failure::OurLine });
    outages.sort_unstable_by_key(|outage| outage.span);
    outages
}

fn stretch(start_days: f64, length_ms: f64) -> Span {
    let from_ms = day(start_days);
    Span { from_ms, until_ms: from_ms + length_ms as u64 }
}

/// Shortest and longest mishap.
const LENGTHS: (u64, u64) = (10 * MINUTE, 180 * MINUTE);
/// One site in this many has each kind of mishap, once in [`OFTEN`].
const SITES: usize = 8;
const OFTEN: u64 = 9 * DAY;
/// Times that mishaps are drawn for: a month.
const TIMES: u64 = 3;

/// What a site does for a while.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MishapKind {
    /// Every page redirects to one place.
    Detour,
    /// Every page is the same notice, with status 200.
    Maintenance,
    /// Every page redirects to a consent page, which sets a cookie and leads back.
    CookieWall,
    /// Every page is empty and refreshes to one place.
    Refresh,
    /// robots.txt answers 503.
    RobotsDown,
    /// robots.txt forbids everything.
    Closed,
    /// Feeds have a program's warning before their first line.
    FeedJunk,
    /// One listing answers 503 with a `Retry-After` until the mishap's end.
    Busy,
    /// Content types are said twice, in odd case and with junk behind them.
    HeaderJunk,
    /// Indexes of sitemaps give no dates. The newest map is the last one.
    UndatedIndex,
}

impl MishapKind {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::Detour,
        Self::Maintenance,
        Self::CookieWall,
        Self::Refresh,
        Self::RobotsDown,
        Self::Closed,
        Self::FeedJunk,
        Self::Busy,
        Self::HeaderJunk,
        Self::UndatedIndex,
    ];

    /// Whether no article can be read meanwhile.
    #[must_use]
    pub const fn hides_articles(self) -> bool {
        matches!(self, Self::Detour | Self::Maintenance | Self::Refresh | Self::RobotsDown | Self::Closed)
    }
}

/// A mishap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mishap {
    /// What happens.
    pub kind: MishapKind,
    /// When.
    pub span: Span,
}

/// Draws the mishaps of site `number`, by their start.
pub(super) fn draw_mishaps(chance: &Chance, number: usize) -> Vec<Mishap> {
    let mut chance = chance.fork("mishaps");
    let mut mishaps = Vec::new();
    for (nth, kind) in MishapKind::ALL.into_iter().enumerate() {
        for time in 0..TIMES {
            let (start, length) = (chance.uniform(0.1, 1.0), chance.uniform(0.0, 1.0));
            if (number + 3 * nth + time as usize).is_multiple_of(SITES) {
                let from_ms = DAY_0 + time * OFTEN + (start * OFTEN as f64) as u64;
                let length = LENGTHS.0 + (length * (LENGTHS.1 - LENGTHS.0) as f64) as u64;
                mishaps.push(Mishap { kind, span: Span { from_ms, until_ms: from_ms + length } });
            }
        }
    }
    mishaps.sort_unstable_by_key(|mishap| mishap.span);
    mishaps
}
