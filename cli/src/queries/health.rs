//! How a site is, why, and what it brings: said the same by commands, console and API.

use std::collections::BTreeMap;

use newslode_common::outcome::Outcome;
use newslode_common::schedule::{Health, SiteSchedule, Vanished, Yields};
use newslode_page::reading::Site;
use newslode_page::time::Timestamp;
use serde::{Serialize, Serializer};

/// How a site is, and what it brings.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct SiteHealth {
    pub(crate) health: Health,
    /// Why, as far as it is known.
    pub(crate) cause: Option<HealthCause>,
    /// The other site that it leads to.
    pub(crate) redirects_to: Option<Site>,
    /// When its first article was read, and the last one that was new.
    pub(crate) first_article: Option<Timestamp>,
    pub(crate) last_article: Option<Timestamp>,
    /// New articles a day, within the last seven days or since the first one.
    pub(crate) articles_a_day: Option<f64>,
    /// Share of the articles of that time whose text was read in full, in thousandths.
    pub(crate) read_in_full: Option<u64>,
}

/// Why a site is not healthy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HealthCause {
    NoArticles(NoArticlesCause),
    /// TLS fails.
    Tls(Outcome),
    /// Many articles vanished.
    Vanished(Vanished),
    /// It answers 429, or asks us with `Retry-After` to come back later.
    AskedToWait,
    /// Its `Crawl-delay`, or the delay that its blocks taught, leaves too few requests for its news.
    LongDelay,
}

impl HealthCause {
    /// Its name for programs.
    pub(crate) fn name(self) -> &'static str {
        match self {
            HealthCause::NoArticles(cause) => cause.name(),
            HealthCause::Tls(outcome) => outcome.name(),
            HealthCause::Vanished(Vanished::NotFound) => "articles_not_found",
            HealthCause::Vanished(Vanished::Forbidden) => "articles_forbidden",
            HealthCause::Vanished(Vanished::Moved) => "articles_moved",
            HealthCause::Vanished(Vanished::OtherPage) => "articles_other_page",
            HealthCause::AskedToWait => "asked_to_wait",
            HealthCause::LongDelay => "long_delay",
        }
    }

    /// What it means, for people.
    pub(crate) fn meaning(self) -> &'static str {
        match self {
            HealthCause::NoArticles(NoArticlesCause::Noindex) => "its pages ask not to be indexed",
            HealthCause::NoArticles(NoArticlesCause::Bare) => "its pages hold hardly any text",
            HealthCause::NoArticles(NoArticlesCause::Unrecognised) => {
                "its pages are read, and none is an article"
            }
            HealthCause::Tls(outcome) => outcome.meaning(),
            HealthCause::Vanished(how) => how.meaning(),
            HealthCause::AskedToWait => "it asks us to come back later",
            HealthCause::LongDelay => {
                "the delay between requests that it asks for leaves too few for its news"
            }
        }
    }
}

impl Serialize for HealthCause {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// Why a site whose pages are read yields no articles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoArticlesCause {
    /// Its pages ask not to be indexed, and that is heeded.
    Noindex,
    /// Most of its pages hold hardly any text.
    Bare,
    /// Its pages are not recognised, or its articles are elsewhere.
    Unrecognised,
}

impl NoArticlesCause {
    /// The cause, if the site is read without bringing articles.
    pub(crate) fn of(
        health: Health,
        outcomes: &BTreeMap<Outcome, u64>,
        yields: Yields,
    ) -> Option<NoArticlesCause> {
        (health == Health::NoArticles).then(|| match yields.are_bare() {
            _ if asks_not_to_be_indexed(outcomes) => NoArticlesCause::Noindex,
            true => NoArticlesCause::Bare,
            false => NoArticlesCause::Unrecognised,
        })
    }

    fn name(self) -> &'static str {
        match self {
            NoArticlesCause::Noindex => "noindex",
            NoArticlesCause::Bare => "bare",
            NoArticlesCause::Unrecognised => "unrecognised",
        }
    }
}

/// Whether so many pages of a site ask not to be indexed that this leaves it without articles: at least half as many as do not ask.
pub(crate) fn asks_not_to_be_indexed(outcomes: &BTreeMap<Outcome, u64>) -> bool {
    let pages = |outcome: Outcome| outcomes.get(&outcome).copied().unwrap_or_default();
    let (left_out, read) = (pages(Outcome::Noindex), pages(Outcome::Fetched) + pages(Outcome::Unchanged));
    left_out > 0 && left_out * 2 >= read
}

/// Why TLS fails on a site that fails, as far as its pages show.
fn tls_failure(health: Health, outcomes: &BTreeMap<Outcome, u64>) -> Option<Outcome> {
    let is_failing = matches!(health, Health::Failing | Health::RobotsClosed);
    let failed = outcomes.iter().filter(|(outcome, count)| outcome.is_tls() && **count > 0);
    failed.max_by_key(|(_, count)| **count).map(|(outcome, _)| *outcome).filter(|_| is_failing)
}

impl SiteHealth {
    /// How a site is, by what its visits taught and how its URLs ended.
    pub(crate) fn of(
        schedule: &SiteSchedule,
        outcomes: &BTreeMap<Outcome, u64>,
        now: Timestamp,
    ) -> SiteHealth {
        let (health, yields) = (schedule.health(now), schedule.yields());
        let vanished = || Some(HealthCause::Vanished(schedule.mass_vanishing(now)?.how));
        let cause = match health {
            Health::Failing | Health::RobotsClosed => {
                tls_failure(health, outcomes).map(HealthCause::Tls).or_else(vanished)
            }
            Health::Blocked => vanished(),
            Health::RateLimited if schedule.asked_pace().is_asked_to_wait => Some(HealthCause::AskedToWait),
            Health::RateLimited => Some(HealthCause::LongDelay),
            Health::NoArticles => NoArticlesCause::of(health, outcomes, yields).map(HealthCause::NoArticles),
            Health::Healthy | Health::Quiet | Health::TooFewListings | Health::Redirected => None,
        };
        let redirects_to = schedule.redirected().filter(|_| health == Health::Redirected);
        let time = |seconds: u64| (seconds > 0).then_some(Timestamp(seconds * 1_000));
        let output = schedule.output(now);
        SiteHealth {
            health,
            cause,
            redirects_to: redirects_to.map(|elsewhere| elsewhere.site.clone()),
            first_article: time(yields.first),
            last_article: time(yields.last),
            articles_a_day: output
                .and_then(|output| output.articles_a_day)
                .map(|rate| (rate * 100.0).round() / 100.0),
            read_in_full: output.and_then(|output| output.full),
        }
    }

    /// The state in a few words, with its cause.
    pub(crate) fn in_words(&self) -> String {
        let because = |what: &str| match self.cause {
            Some(cause) => format!("{what}: {}", cause.meaning()),
            None => what.to_owned(),
        };
        match self.health {
            Health::Healthy => "healthy".to_owned(),
            Health::NoArticles => match self.cause {
                Some(HealthCause::NoArticles(NoArticlesCause::Noindex)) => {
                    "pages ask not to be indexed".to_owned()
                }
                _ => "pages, but no articles".to_owned(),
            },
            Health::Quiet => "quiet".to_owned(),
            Health::TooFewListings => "too few listings".to_owned(),
            Health::Redirected => match &self.redirects_to {
                Some(site) => format!("leads to {site}"),
                None => "leads to another site".to_owned(),
            },
            Health::RateLimited => because("asks for slowness"),
            Health::Blocked => because("blocks us"),
            Health::Failing => because("fails"),
            Health::RobotsClosed => because("robots.txt unreadable"),
        }
    }
}

#[cfg(test)]
mod tests {
    use newslode_common::schedule::Trouble;

    use super::*;

    const NOW: Timestamp = Timestamp(1_700_000_000_000);

    #[test]
    fn a_site_that_fails_names_the_most_frequent_failure_of_tls() {
        let outcomes = BTreeMap::from([
            (Outcome::Fetched, 9),
            (Outcome::TlsExpired, 3),
            (Outcome::TlsWrongHost, 1),
            (Outcome::TlsFailed, 0),
        ]);
        for trouble in [Trouble::Failing, Trouble::RobotsUnreachable] {
            let mut schedule = SiteSchedule::default();
            schedule.trouble(trouble, 1, NOW);
            let failing = SiteHealth::of(&schedule, &outcomes, NOW);
            assert_eq!(failing.cause, Some(HealthCause::Tls(Outcome::TlsExpired)));
            let words = failing.in_words();
            assert!(words.ends_with(": the server's certificate has expired"), "{words}");
            let other = SiteHealth::of(&schedule, &BTreeMap::from([(Outcome::Timeout, 1)]), NOW);
            assert_eq!(other.cause, None);
            schedule.answered("http://a.test", NOW);
            let well = SiteHealth::of(&schedule, &outcomes, NOW);
            assert_eq!((well.health, well.cause), (Health::Healthy, None), "it answers again");
        }
    }

    #[test]
    fn a_site_that_asks_for_slowness_says_how() {
        let mut schedule = SiteSchedule::default();
        schedule.trouble(Trouble::Busy, 1, NOW);
        schedule.asks_to_wait();
        let health = SiteHealth::of(&schedule, &BTreeMap::new(), NOW);
        assert_eq!(health.in_words(), "asks for slowness: it asks us to come back later");
        let json = serde_json::to_value(&health).unwrap();
        assert_eq!((&json["health"], &json["cause"]), (&"rate_limited".into(), &"asked_to_wait".into()));
        assert!(json["first_article"].is_null() && json["articles_a_day"].is_null(), "{json}");
    }

    #[test]
    fn what_a_site_brings_is_told_from_its_first_article_on() {
        let mut schedule = SiteSchedule::default();
        for n in 0..4 {
            let at = Timestamp(NOW.0 + n * 60_000);
            schedule.confirm(None, true, at);
            schedule.count_article(true, n > 0, at);
        }
        let health = SiteHealth::of(&schedule, &BTreeMap::new(), Timestamp(NOW.0 + 86_400_000 * 3));
        assert_eq!(
            (health.first_article, health.last_article),
            (Some(NOW), Some(Timestamp(NOW.0 + 180_000)))
        );
        assert_eq!((health.articles_a_day, health.read_in_full), (Some(1.33), Some(750)));
    }

    #[test]
    fn a_site_without_articles_is_told_with_its_cause() {
        let cause = |noindex: u64, read: u64, bare: u32| {
            let outcomes = BTreeMap::from([(Outcome::Noindex, noindex), (Outcome::Fetched, read)]);
            let yields = Yields { others: 40, bare, ..Yields::default() };
            assert_eq!(NoArticlesCause::of(Health::Healthy, &outcomes, yields), None, "it brings articles");
            NoArticlesCause::of(Health::NoArticles, &outcomes, yields).unwrap()
        };
        assert_eq!(cause(40, 12, 39), NoArticlesCause::Noindex);
        assert_eq!(cause(2, 50, 39), NoArticlesCause::Bare, "two pages do not empty a site");
        assert_eq!(cause(0, 0, 3), NoArticlesCause::Unrecognised);
    }
}
