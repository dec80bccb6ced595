//! Articles that were read before and that their addresses no longer show. One of them may be gone; many within an hour are the
//! trouble of their site.
//!
//! A site remembers what the last visits of such articles found. If five vanished in the same way within an hour, and more vanished
//! than were present, the site is in trouble since the first of the five: its answers since then do not count against an article.
//! The trouble ends when at least as many articles are present as vanished. Whether an article is gone is decided elsewhere, by
//! [`PageSchedule`](super::PageSchedule). Start at [`VanishedArticles::note`].

use newslode_page::time::Timestamp;
use serde::{Deserialize, Serialize};

use super::{DAY, HOUR, MINUTE, seconds};

/// The number of articles that must vanish in the same way within an hour for it to be the trouble of their site.
const MANY: usize = 5;
/// The number of visits that are remembered.
const KEPT: usize = 24;
/// While no article has vanished, and this many were present within the hour, at most one visit a minute is recorded.
const ENOUGH: usize = 8;
/// A trouble ends after this time without another vanished article, in seconds.
const FORGOTTEN: u64 = 2 * DAY;

/// What the address of a vanished article answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Vanished {
    /// 404 or 410.
    NotFound,
    /// robots.txt forbids the request.
    Forbidden,
    /// A redirect.
    Moved,
    /// A page that is no article.
    OtherPage,
}

impl Vanished {
    /// The trouble of a site whose articles vanish in this way, for people.
    #[must_use]
    pub fn meaning(self) -> &'static str {
        match self {
            Vanished::NotFound => "many articles that were read before are not found",
            Vanished::Forbidden => "its robots.txt forbids many articles that were read before",
            Vanished::Moved => "many articles that were read before redirect",
            Vanished::OtherPage => "many articles that were read before show another page",
        }
    }
}

/// Many articles of a site vanished in the same way within an hour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MassVanishing {
    /// In which way.
    pub how: Vanished,
    /// When the first one vanished, in seconds since the epoch.
    pub since: u64,
    /// When the last one vanished, in seconds since the epoch.
    pub until: u64,
}

impl MassVanishing {
    fn holds(&self, time: u64) -> bool {
        (self.since..=self.until).contains(&time)
    }
}

/// A visit of an article that was read before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Sighting {
    article: u64,
    /// In seconds since the epoch.
    at: u64,
    /// In which way it vanished; `None` if it was present.
    how: Option<Vanished>,
}

/// The articles of a site that vanished lately.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct VanishedArticles {
    /// The last visits of articles within an hour, each article once; the oldest first.
    sightings: Vec<Sighting>,
    /// The last time that many vanished.
    mass: Option<MassVanishing>,
    /// Whether articles are present again since then.
    is_over: bool,
}

impl VanishedArticles {
    /// Records that the article of this name vanished. `before` is the time of the visit before, if that did not find it either.
    /// Returns whether the site is in trouble now or was at that time, so that one of the two visits does not count.
    pub(super) fn note(&mut self, article: u64, how: Vanished, before: Option<u64>, now: Timestamp) -> bool {
        let now = seconds(now);
        self.push(Sighting { article, at: now, how: Some(how) });
        let open = self.now(now).filter(|mass| mass.how == how);
        if let Some(open) = open {
            self.mass = Some(MassVanishing { until: now.max(open.until), ..open });
        } else if self.count(Some(how)) >= MANY && self.count(Some(how)) > self.count(None) {
            let same = self.sightings.iter().filter(|sighting| sighting.how == Some(how));
            let first = same.map(|sighting| sighting.at).min().unwrap_or(now);
            // Troubles that overlap are one: an article may have been missed in the first.
            let overlapping = self.now(now).or(self.mass.filter(|mass| mass.holds(first)));
            let since = overlapping.map_or(first, |mass| mass.since.min(first));
            self.mass = Some(MassVanishing { how, since, until: now });
            self.is_over = false;
        }
        self.now(now).is_some_and(|mass| mass.how == how)
            || before.is_some_and(|before| self.mass.is_some_and(|mass| mass.holds(before)))
    }

    /// Records that the article of this name is still there.
    pub(super) fn note_present(&mut self, article: u64, now: Timestamp) {
        let now = seconds(now);
        let last = self.sightings.last().map_or(0, |sighting| sighting.at);
        let has_vanished =
            self.sightings.iter().any(|sighting| sighting.how.is_some()) || self.now(now).is_some();
        if !has_vanished && now < last + MINUTE && self.count(None) >= ENOUGH {
            return;
        }
        self.push(Sighting { article, at: now, how: None });
        if let Some(mass) = self.mass {
            self.is_over |= self.count(None) >= self.count(Some(mass.how));
        }
    }

    /// Brings back what a clock noted that was ahead.
    pub(super) fn bring_back(&mut self, now: u64) {
        self.sightings.iter_mut().for_each(|sighting| sighting.at = sighting.at.min(now));
        if let Some(mass) = &mut self.mass {
            (mass.since, mass.until) = (mass.since.min(now), mass.until.min(now));
        }
    }

    /// The trouble that the site is in now.
    pub(super) fn now(&self, now: u64) -> Option<MassVanishing> {
        self.mass.filter(|mass| !self.is_over && now < mass.until + FORGOTTEN)
    }

    fn push(&mut self, new: Sighting) {
        self.sightings.retain(|sighting| sighting.article != new.article && sighting.at + HOUR > new.at);
        if self.sightings.len() >= KEPT {
            self.sightings.remove(0);
        }
        self.sightings.push(new);
    }

    fn count(&self, how: Option<Vanished>) -> usize {
        self.sightings.iter().filter(|sighting| sighting.how == how).count()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::at;
    use super::*;

    const START: u64 = 1_700_000_000;

    /// Lets the articles of these names vanish, a minute apart. Returns for which of them the site was in trouble.
    fn vanish(articles: &mut VanishedArticles, names: std::ops::Range<u64>, start: u64) -> Vec<bool> {
        let noted =
            |(name, minute)| articles.note(name, Vanished::NotFound, None, at(start + minute * MINUTE));
        names.zip(0..).map(noted).collect()
    }

    #[test]
    fn many_that_vanish_within_an_hour_are_the_trouble_of_their_site() {
        let mut articles = VanishedArticles::default();
        assert_eq!(vanish(&mut articles, 0..7, START), [false, false, false, false, true, true, true]);
        let mass = articles.now(START + HOUR).unwrap();
        assert_eq!((mass.since, mass.until), (START, START + 6 * MINUTE), "since the first of them");
        // Hours later another one, and a day later the first of them again.
        assert!(articles.note(9, Vanished::NotFound, None, at(START + 7 * HOUR)));
        articles.note_present(10, at(START + 9 * HOUR));
        assert_eq!(articles.now(START + 9 * HOUR), None, "it is over");
        let first_again = articles.note(0, Vanished::NotFound, Some(START), at(START + DAY));
        assert!(first_again, "the site was in trouble when it was missed before");
        let later = START + 10 * HOUR;
        assert!(
            !articles.note(5, Vanished::NotFound, Some(later), at(later + DAY)),
            "both visits are outside the trouble"
        );
    }

    #[test]
    fn few_or_different_or_slow_ones_are_their_own_trouble() {
        let mut articles = VanishedArticles::default();
        for n in 0..40 {
            assert!(
                !articles.note(n, Vanished::NotFound, None, at(START + n * 15 * MINUTE)),
                "{n}: four an hour"
            );
        }
        let mut articles = VanishedArticles::default();
        for n in 0..100 {
            assert!(
                !articles.note(n % 4, Vanished::Moved, None, at(START + n)),
                "the same ones again and again"
            );
        }
        let mut articles = VanishedArticles::default();
        for n in 0..4 {
            assert!(!articles.note(n, Vanished::Moved, None, at(START)));
            assert!(!articles.note(10 + n, Vanished::OtherPage, None, at(START)));
        }
    }

    #[test]
    fn articles_that_are_present_outweigh_as_many_that_vanished() {
        for (stand, is_trouble) in [(0, true), (1, true), (2, true), (4, false)] {
            let (mut articles, mut was_trouble) = (VanishedArticles::default(), false);
            for n in 0..60 {
                let now = at(START + n * MINUTE);
                // So many of six stand.
                match n % 6 < stand {
                    true => articles.note_present(n, now),
                    false => was_trouble |= articles.note(n, Vanished::NotFound, None, now),
                }
            }
            assert_eq!(
                (articles.now(START + HOUR).is_some(), was_trouble),
                (is_trouble, is_trouble),
                "{stand}"
            );
        }
        // Those that stood just before count, too, although nothing had articles then.
        let mut articles = VanishedArticles::default();
        (0..7).for_each(|n| articles.note_present(n, at(START + n)));
        assert_eq!(
            vanish(&mut articles, 10..18, START + 50 * MINUTE),
            [false, false, false, false, false, false, false, true]
        );
    }

    #[test]
    fn while_nothing_vanishes_little_is_recorded() {
        let mut articles = VanishedArticles::default();
        let mut changes = 0;
        for second in 0..HOUR {
            let before = articles.clone();
            articles.note_present(second, at(START + second));
            changes += usize::from(articles != before);
        }
        assert!(changes <= ENOUGH + 60, "{changes}");
    }

    #[test]
    fn a_trouble_that_nobody_saw_for_two_days_is_over() {
        let mut articles = VanishedArticles::default();
        vanish(&mut articles, 0..5, START);
        assert!(articles.now(START + DAY).is_some());
        assert!(articles.now(START + 2 * DAY + HOUR).is_none());
        assert!(!articles.note(7, Vanished::NotFound, None, at(START + 3 * DAY)));
    }

    #[test]
    fn a_site_remembers_them_in_few_bytes() {
        let mut articles = VanishedArticles::default();
        (0..40).for_each(|n| _ = articles.note(u64::MAX - n, Vanished::OtherPage, None, at(START + n)));
        assert_eq!(articles.sightings.len(), KEPT);
        let bytes = crate::message::wire::encode(&articles).unwrap().len();
        assert!(bytes <= 400, "{bytes}");
    }

    proptest! {
        /// A visit may be worked on twice, and the memory is bounded.
        #[test]
        fn a_visit_that_is_recorded_twice_counts_once(
            events in prop::collection::vec((0_u64..30, 0_u64..900, 0_usize..6), 1..200)
        ) {
            let ways = [Vanished::NotFound, Vanished::Forbidden, Vanished::Moved, Vanished::OtherPage];
            let (mut once, mut now) = (VanishedArticles::default(), START);
            for (name, passed, what) in events {
                now += passed;
                let note = |articles: &mut VanishedArticles| match ways.get(what) {
                    Some(how) => Some(articles.note(name, *how, None, at(now))),
                    None => {
                        articles.note_present(name, at(now));
                        None
                    }
                };
                let said = note(&mut once);
                let mut twice = once.clone();
                prop_assert_eq!(note(&mut twice), said);
                prop_assert_eq!(&twice, &once);
                prop_assert!(once.sightings.len() <= KEPT);
                prop_assert!(once.mass.is_none_or(|mass| mass.since <= mass.until && mass.until <= now));
            }
        }

        /// By a plain list of all visits: trouble begins when five vanished within the last hour and fewer were present, and ends
        /// when as many were present.
        #[test]
        fn trouble_begins_and_ends_as_its_definition_says(
            events in prop::collection::vec((180_u64..1_500, prop::bool::weighted(0.6)), 1..150)
        ) {
            let (mut articles, mut all) = (VanishedArticles::default(), Vec::new());
            let (mut now, mut is_trouble) = (START, false);
            for (name, (passed, vanishes)) in (0..).zip(events) {
                now += passed;
                all.push((now, vanishes));
                // No more than twenty visits fit into an hour.
                let count = |what: bool| all.iter().filter(|(at, vanished)| at + HOUR > now && *vanished == what).count();
                if vanishes {
                    is_trouble |= count(true) >= 5 && count(true) > count(false);
                    prop_assert_eq!(articles.note(name, Vanished::NotFound, None, at(now)), is_trouble);
                } else {
                    is_trouble &= count(true) > count(false);
                    articles.note_present(name, at(now));
                }
                prop_assert_eq!(articles.now(now).is_some(), is_trouble);
            }
        }
    }
}
