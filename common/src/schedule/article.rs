//! One article's visits: the ladder of rechecks.
//!
//! Most articles never change, and most changes come within hours. So the ages at which an article is asked for
//! again grow; after a change the same gap is waited once more. A recheck that comes too late to tell much is
//! left out.

use newslode_page::time::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Class, HOUR, MINUTE, Next, ScheduleConfig, at, seconds};

/// Shortest and longest wait after a change, in seconds.
const AFTER_CHANGE: (u64, u64) = (55 * MINUTE, 4 * HOUR);
/// A rung that is nearer than this is passed, in seconds.
const NEAR: u64 = 5 * MINUTE;
/// A recheck that is this late is left out, or half of its gap if that is more, in seconds.
const LATE: u64 = 15 * MINUTE;

/// What a good fetch of an article's address showed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reading {
    /// An article whose text is as it was, or a 304.
    Same,
    /// An article whose text is new or another one.
    Changed,
    /// A page that is no article.
    NoArticle,
}

/// An article's ladder. Times are whole seconds since the epoch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArticleVisits {
    /// The first fetch that showed an article.
    pub first: Option<u64>,
    /// The last good fetch that counted.
    pub last: Option<u64>,
    /// The rung that is waited for.
    pub rung: u8,
    /// Fetches in a row that showed no article.
    pub without: u8,
}

impl ArticleVisits {
    /// Notes a good fetch. `None`: the URL leaves.
    pub fn read(&mut self, reading: Reading, now: Timestamp, config: &ScheduleConfig) -> Option<Next> {
        let now = seconds(now);
        if reading == Reading::NoArticle {
            return self.try_again(now, config);
        }
        self.last = Some(now);
        self.without = 0;
        let rungs = &config.rechecks_s;
        let Some(first) = self.first else {
            self.first = Some(now);
            self.rung = 0;
            return rungs.first().map(|wait| Next { due: at(now + wait), class: Class::Recheck });
        };
        if reading == Reading::Changed {
            let rung = usize::from(self.rung);
            let age = rungs.get(rung)?;
            let below = rung.checked_sub(1).and_then(|below| rungs.get(below)).copied().unwrap_or(0);
            let gap = age.saturating_sub(below).clamp(AFTER_CHANGE.0, AFTER_CHANGE.1);
            return Some(Next { due: at(now + gap), class: Class::Recheck });
        }
        self.climb(first, now, rungs)
    }

    /// Notes a fetch that showed no article. A listing that says that the page changed has it visited before its time;
    /// that visit is none of the tries, or a page behind a consent wall would soon have had all.
    fn try_again(&mut self, now: u64, config: &ScheduleConfig) -> Option<Next> {
        let wait = |tried: u8| config.no_article_s.get(usize::from(tried)).copied();
        let waited_for = self.without.checked_sub(1).and_then(wait).zip(self.last);
        let mut due = waited_for.map(|(wait, last)| last + wait).filter(|due| now + NEAR < *due);
        if due.is_none() {
            due = wait(self.without).map(|wait| now + wait);
            self.last = Some(now);
            self.without = self.without.saturating_add(1);
        }
        due.map(|due| Next { due: at(due), class: Class::Recheck })
    }

    /// Whether a recheck comes too late to tell much; then it is left out for the next one.
    #[must_use]
    pub fn is_late(&self, due: Timestamp, now: Timestamp) -> bool {
        let (Some(_), Some(last)) = (self.first, self.last) else { return false };
        let gap = seconds(due).saturating_sub(last);
        seconds(now).saturating_sub(seconds(due)) > LATE.max(gap / 2)
    }

    /// Leaves out the recheck that is due. `None`: it was the last one, and the URL leaves.
    pub fn skip(&mut self, now: Timestamp, config: &ScheduleConfig) -> Option<Next> {
        let first = self.first?;
        self.climb(first, seconds(now), &config.rechecks_s)
    }

    fn climb(&mut self, first: u64, now: u64, rungs: &[u64]) -> Option<Next> {
        let next = (usize::from(self.rung) + 1..rungs.len()).find(|rung| first + rungs[*rung] > now + NEAR);
        let Some(rung) = next else {
            self.rung = u8::try_from(rungs.len()).unwrap_or(u8::MAX);
            return None;
        };
        self.rung = u8::try_from(rung).unwrap_or(u8::MAX);
        Some(Next { due: at(first + rungs[rung]), class: Class::Rest })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: u64 = 1_700_000_000;

    fn visits(readings: &[(u64, Reading)]) -> Vec<Option<(u64, Class)>> {
        let config = ScheduleConfig::default();
        let mut visits = ArticleVisits::default();
        let next = |(age, reading): &(u64, Reading)| {
            let next = visits.read(*reading, at(START + age), &config);
            next.map(|next| (seconds(next.due) - START, next.class))
        };
        readings.iter().map(next).collect()
    }

    #[test]
    fn an_article_that_does_not_change_climbs_the_ladder_and_leaves() {
        let rungs = &ScheduleConfig::default().rechecks_s;
        let mut ages = vec![0];
        ages.extend(rungs);
        let readings: Vec<_> = ages.iter().map(|age| (*age, Reading::Same)).collect();
        let mut wanted: Vec<_> = rungs.iter().map(|age| Some((*age, Class::Rest))).collect();
        wanted[0] = Some((rungs[0], Class::Recheck));
        wanted.push(None);
        assert_eq!(visits(&readings), wanted);
    }

    #[test]
    fn a_change_repeats_the_gap() {
        let hour = 3_300;
        let found = visits(&[(0, Reading::Changed), (hour, Reading::Changed), (2 * hour, Reading::Same)]);
        assert_eq!(found[0], Some((hour, Class::Recheck)), "the first reading is no change");
        assert_eq!(found[1], Some((2 * hour, Class::Recheck)));
        assert_eq!(found[2], Some((2 * HOUR, Class::Rest)), "the rung is as it was");
    }

    #[test]
    fn a_page_without_an_article_is_tried_twice_again() {
        let none = Reading::NoArticle;
        let found = visits(&[(0, none), (86_400, none), (5 * 86_400, none)]);
        assert_eq!(found, [Some((86_400, Class::Recheck)), Some((5 * 86_400, Class::Recheck)), None]);
        assert_eq!(visits(&[(0, none), (9, Reading::Same)])[1], Some((9 + 3_300, Class::Recheck)));
    }

    #[test]
    fn an_early_visit_is_none_of_the_tries() {
        let none = Reading::NoArticle;
        let found = visits(&[(0, none), (6_000, none), (12_000, none), (86_400, none), (90_000, none)]);
        let [day, five_days] = [86_400, 5 * 86_400].map(|due| Some((due, Class::Recheck)));
        assert_eq!(found, [day, day, day, five_days, five_days]);
    }

    #[test]
    fn late_rechecks_are_left_out() {
        let config = ScheduleConfig::default();
        let mut visits = ArticleVisits::default();
        let next = visits.read(Reading::Same, at(START), &config).unwrap();
        assert!(!visits.is_late(next.due, at(START + 4_000)));
        assert!(visits.is_late(next.due, at(START + 6_000)));
        assert_eq!(seconds(visits.skip(at(START + 6_000), &config).unwrap().due), START + 7_200);
        // What was never read is never late.
        assert!(!ArticleVisits::default().is_late(at(START), at(START + 100_000)));
    }
}
