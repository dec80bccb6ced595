//! How good a crawl was: what it had in hand, and when, against what was published.
//!
//! Judged are the articles of day 1 to the last day but one, those left out that were deleted within a day. A delay
//! runs from publication to the first fetch; an article that was never fetched has an infinite one. Quantiles take the
//! value at place `⌊q·n⌋` of the sorted ones.

use serde::Serialize;

use super::LivingWorld;
use super::clock::{DAY, DAY_0, HOUR, Span};
use super::site::{LivingSite, published_from_day_0};

/// Sites below this rate (articles a day) say little about how soon the first article comes after an outage.
const RATE_AFTER_OUTAGE: f64 = 40.0;

/// An article's address was answered with the article or, after its deletion, with 404 or 410.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Seen {
    /// Number of the site.
    pub site: usize,
    /// Number of the article.
    pub article: usize,
    /// When.
    pub at_ms: u64,
}

/// What a crawl got, in any order. Redirects, refusals, consent walls and failures are not written down.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FetchLog {
    /// First fetches and all later ones.
    pub fetches: Vec<Seen>,
}

/// The figures of a crawl. Shares are between 0 and 1, and 1 where there was nothing to get. Delays are in seconds;
/// infinite ones become `null` in JSON.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Figures {
    /// Number of articles that are judged.
    pub articles: usize,
    /// Share in hand an hour after publication.
    pub within_1h: f64,
    /// The same of the articles whose site answered within that hour.
    pub within_1h_of_answered: f64,
    /// Share in hand a day after publication.
    pub within_24h: f64,
    /// Share in hand at the end.
    pub at_end: f64,
    /// Articles of day 1 to the last day but two that were never fetched, although a working listing showed them for
    /// a day of the site's uptime.
    pub avoidable_losses: usize,
    /// Articles that no listing ever showed.
    pub never_shown: usize,
    /// Median delay.
    pub delay_median_s: f64,
    /// Delay that nine articles in ten keep.
    pub delay_p90_s: f64,
    /// Median of the sites' median delays.
    pub site_medians_median_s: f64,
    /// Median delay that nine sites in ten keep.
    pub site_medians_p90_s: f64,
    /// Requests of all kinds for each article from day 0 on.
    pub requests_per_article: f64,
    /// Those of them that were for listings.
    pub listing_requests_per_article: f64,
    /// Share of edits that a fetch saw within an hour.
    pub edits_within_1h: f64,
    /// Share of the articles of day 0 in hand an hour after publication.
    pub first_day_within_1h: f64,
    /// Share of deletions that a fetch saw within two days.
    pub deletions_within_2d: f64,
    /// How often sites began to block.
    pub blocks: u64,
    /// Time from the end of an outage to the next first fetch that nine outages in ten keep; sites that block or
    /// publish little left out.
    pub first_after_outage_p90_s: f64,
}

/// A share as it is counted.
#[derive(Debug, Default, Clone, Copy)]
struct Share {
    got: usize,
    of: usize,
}

impl Share {
    const fn add(&mut self, got: bool) {
        self.of += 1;
        self.got += got as usize;
    }

    fn value(self) -> f64 {
        if self.of == 0 { 1.0 } else { self.got as f64 / self.of as f64 }
    }
}

/// What is collected over the sites.
#[derive(Default)]
struct Sums {
    delays: Vec<f64>,
    answered: Share,
    medians: Vec<f64>,
    after_outages: Vec<f64>,
    avoidable: usize,
    never_shown: usize,
    edits: Share,
    first_day: Share,
    deletions: Share,
    published: usize,
}

/// Judges a crawl by what it fetched and by the request log of the world's servers.
#[must_use]
pub fn judge(world: &LivingWorld, log: &FetchLog) -> Figures {
    let mut fetches = log.fetches.clone();
    fetches.sort_unstable();
    let mut sums = Sums::default();
    for site in world.sites() {
        let from = fetches.partition_point(|seen| seen.site < site.number);
        let until = fetches.partition_point(|seen| seen.site <= site.number);
        sums.add(site, &Fetches(&fetches[from..until]), world.end());
    }
    sums.figures(world)
}

/// The fetches of one site, sorted by article and time.
struct Fetches<'a>(&'a [Seen]);

impl Fetches<'_> {
    /// The first fetch of an article at or after a time.
    fn since(&self, article: usize, at_ms: u64) -> Option<u64> {
        let next = self.0.partition_point(|seen| (seen.article, seen.at_ms) < (article, at_ms));
        self.0.get(next).filter(|seen| seen.article == article).map(|seen| seen.at_ms)
    }

    /// When the article was first in hand.
    fn first(&self, site: &LivingSite, article: usize) -> Option<u64> {
        let facts = &site.articles[article];
        let first = self.since(article, facts.published_ms)?;
        facts.deleted_ms.is_none_or(|deleted| first < deleted).then_some(first)
    }

    /// Seconds from publication to the first fetch.
    fn delay(&self, site: &LivingSite, article: usize) -> f64 {
        let published = site.articles[article].published_ms;
        self.first(site, article).map_or(f64::INFINITY, |first| (first - published) as f64 / 1e3)
    }

    /// Whether a fetch saw within `patience_ms` what happened at `at_ms`.
    fn saw(&self, article: usize, at_ms: u64, patience_ms: u64) -> bool {
        self.since(article, at_ms).is_some_and(|seen| seen - at_ms <= patience_ms)
    }
}

impl Sums {
    fn add(&mut self, site: &LivingSite, fetches: &Fetches<'_>, end_ms: u64) {
        let judged = Span { from_ms: DAY_0 + DAY, until_ms: end_ms.saturating_sub(DAY) };
        let avoidable = Span { until_ms: end_ms.saturating_sub(2 * DAY), ..judged };
        let mut delays = Vec::new();
        for article in site.published_in(judged) {
            let facts = &site.articles[article];
            let edits = facts.edits_ms.iter().filter(|&&edit| edit + HOUR < end_ms);
            for &edit in edits {
                self.edits.add(fetches.saw(article, edit, HOUR));
            }
            if let Some(deleted) = facts.deleted_ms.filter(|deleted| deleted + 2 * DAY < end_ms) {
                self.deletions.add(fetches.saw(article, deleted, 2 * DAY));
            }
            if facts.is_fleeting() {
                continue;
            }
            let delay = fetches.delay(site, article);
            let is_lost = delay.is_infinite() && facts.avoidable && avoidable.holds(facts.published_ms);
            self.avoidable += usize::from(is_lost);
            self.never_shown += usize::from(!facts.listed);
            delays.push(delay);
            if site.answers_within_an_hour(facts.published_ms) {
                self.answered.add(delay <= 3_600.0);
            }
        }
        if !delays.is_empty() {
            self.medians.push(quantile(&mut delays, 0.5));
            self.delays.extend(delays);
        }
        for article in site.published_in(Span { from_ms: DAY_0, until_ms: DAY_0 + DAY }) {
            self.first_day.add(fetches.delay(site, article) <= 3_600.0);
        }
        self.published += published_from_day_0(site);
        self.add_outages(site, fetches, judged.until_ms);
    }

    fn add_outages(&mut self, site: &LivingSite, fetches: &Fetches<'_>, end_ms: u64) {
        if site.rate <= RATE_AFTER_OUTAGE || site.troubles.block.is_some() {
            return;
        }
        let mut firsts: Vec<u64> =
            (0..site.articles.len()).filter_map(|article| fetches.first(site, article)).collect();
        firsts.sort_unstable();
        for outage in site.troubles.outages.iter().filter(|outage| outage.span.until_ms <= end_ms) {
            let end = outage.span.until_ms;
            let next = firsts.get(firsts.partition_point(|&first| first < end));
            self.after_outages.push(next.map_or(f64::INFINITY, |&first| (first - end) as f64 / 1e3));
        }
    }

    fn figures(mut self, world: &LivingWorld) -> Figures {
        let requests = world.requests();
        let per_article = |count: u64| count as f64 / self.published.max(1) as f64;
        let within = |seconds: f64| {
            let got = self.delays.iter().filter(|&&delay| delay <= seconds).count();
            Share { got, of: self.delays.len() }.value()
        };
        Figures {
            articles: self.delays.len(),
            within_1h: within(3_600.0),
            within_1h_of_answered: self.answered.value(),
            within_24h: within(86_400.0),
            at_end: within(f64::MAX),
            avoidable_losses: self.avoidable,
            never_shown: self.never_shown,
            requests_per_article: per_article(requests.requests),
            listing_requests_per_article: per_article(requests.listings),
            delay_median_s: quantile(&mut self.delays, 0.5),
            delay_p90_s: quantile(&mut self.delays, 0.9),
            site_medians_median_s: quantile(&mut self.medians, 0.5),
            site_medians_p90_s: quantile(&mut self.medians, 0.9),
            edits_within_1h: self.edits.value(),
            first_day_within_1h: self.first_day.value(),
            deletions_within_2d: self.deletions.value(),
            blocks: requests.blocks,
            first_after_outage_p90_s: quantile(&mut self.after_outages, 0.9),
        }
    }
}

/// The value at place `⌊share·n⌋` of the sorted values; 0 if there are none.
fn quantile(values: &mut [f64], share: f64) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let place = (share * values.len() as f64) as usize;
    values.get(place.min(values.len().saturating_sub(1))).copied().unwrap_or(0.0)
}
