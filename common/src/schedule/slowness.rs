//! How long a site takes to answer, and how much more slowly it is asked for that.
//!
//! Between the starts of two requests lie at least three of a site's average answers. So a server works on our
//! requests at most a third of the time, whatever it is made of; if its answers take ten times as long as usual,
//! it is asked that much less, and it recovers as fast as its answers do. Sites that answer within a third of a
//! second, as most do, are not asked more slowly than a second apart. A server that says that it is busy counts as one
//! whose answers take twice as long as they did.
//!
//! One crawler keeps the average in memory. Only a change by a factor of two is worth telling others, so that an
//! answer costs no write. Start at [`AnswerTimes::add`].

use newslode_page::time::Timestamp;
use serde::{Deserialize, Serialize};

use super::{DAY, HOUR, seconds};

/// Average answers between the starts of two requests.
const ANSWERS: u64 = 3;
/// Shorter delays are not taught, in milliseconds.
const LEAST_DELAY: u64 = 1_000;
/// No slowness sets a longer delay, in milliseconds.
const LONGEST_DELAY: u64 = 30_000;
/// No answer counts as longer than this, in milliseconds.
const LONGEST_ANSWER: u64 = 60_000;
/// No busy answer alone sets a longer delay, in milliseconds.
const LONGEST_BUSY: u64 = 8_000;
/// The average moves by this part of the way to the last answer.
const WEIGHT: u64 = 8;
/// The average is kept in this part of a millisecond.
const UNIT: u64 = 16;
/// A site that nothing is known of is taken to answer in this time, in milliseconds.
const PRIOR: u64 = 150;
/// A delay that did not change is told again after this, in seconds: another crawler may have told another one.
const AGAIN: u64 = HOUR;

/// Visits of listings that a site needs in a day, at least.
const LISTING_VISITS: u64 = 48;

/// What a site says of the pace at which it may be asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskedPace {
    /// Whether its last trouble was a 429, or an answer with a `Retry-After`.
    pub is_asked_to_wait: bool,
    /// The longest `Crawl-delay` of its hosts, as far as it is honoured, in milliseconds.
    pub crawl_delay_ms: u64,
}

impl AskedPace {
    /// Whether so long a delay leaves too few requests for a site that publishes so many articles a day: each is asked for twice,
    /// and the listings every half hour.
    pub(super) fn is_too_slow(delay_ms: u64, articles_a_day: u64) -> bool {
        let needed = LISTING_VISITS + 2 * articles_a_day;
        delay_ms.saturating_mul(needed) > DAY * 1_000
    }
}

/// How long a site took to answer lately, as one crawler saw it.
#[derive(Clone, Debug)]
pub struct AnswerTimes {
    /// In parts of a millisecond.
    average: u64,
    /// The delay that was told last, in milliseconds, before it was cut; and when.
    told: Option<(u64, u64)>,
}

impl Default for AnswerTimes {
    fn default() -> Self {
        AnswerTimes { average: PRIOR * UNIT, told: None }
    }
}

impl AnswerTimes {
    /// Notes an answer that took this many milliseconds. Returns the least delay between two requests, in
    /// milliseconds, if it is time to tell it to the site's schedule.
    pub fn add(&mut self, took_ms: u64, now: Timestamp) -> Option<u64> {
        let took = took_ms.min(LONGEST_ANSWER) * UNIT;
        self.average = self.average - self.average / WEIGHT + took / WEIGHT;
        self.tell(now)
    }

    /// Notes that the server is busy, where requests are at least this many milliseconds apart: the delay doubles, and falls
    /// with the answers that follow. Returns it as [`AnswerTimes::add`] does.
    pub fn add_busy(&mut self, delay_ms: u64, now: Timestamp) -> Option<u64> {
        let now_apart = (self.average * ANSWERS / UNIT).max(delay_ms).max(LEAST_DELAY);
        let wanted = (2 * now_apart).min(LONGEST_BUSY.max(delay_ms));
        self.average = self.average.max(wanted * UNIT / ANSWERS);
        self.tell(now)
    }

    fn tell(&mut self, now: Timestamp) -> Option<u64> {
        // What is faster than the shortest delay makes no difference.
        let wanted = (self.average * ANSWERS / UNIT).max(LEAST_DELAY / 2);
        let now = seconds(now);
        let is_near = |told: u64| wanted < told * 2 && told < wanted * 2;
        if self.told.is_some_and(|(told, at)| is_near(told) && now.saturating_sub(at) < AGAIN) {
            return None;
        }
        self.told = Some((wanted, now));
        Some(if wanted < LEAST_DELAY { 0 } else { wanted.min(LONGEST_DELAY) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp(1_700_000_000_000);

    /// What is told of these answers, a second apart.
    fn told(times: &mut AnswerTimes, answers: &[u64]) -> Vec<u64> {
        answers.iter().filter_map(|took| times.add(*took, NOW)).collect()
    }

    #[test]
    fn slow_answers_are_spaced_and_fast_ones_hasten_again() {
        let mut times = AnswerTimes::default();
        assert_eq!(told(&mut times, &[200; 50]), [0], "a fast site is told once");
        let slower = told(&mut times, &[3_000; 50]);
        assert!(slower.is_sorted() && slower.len() <= 4, "{slower:?}");
        assert!((4_500..=9_000).contains(slower.last().unwrap()), "near three answers: {slower:?}");
        let faster = told(&mut times, &[200; 60]);
        assert!(faster.is_sorted_by(|one, next| one >= next) && faster.len() <= 5, "{faster:?}");
        assert_eq!(faster.last(), Some(&0));
    }

    #[test]
    fn one_slow_answer_changes_little_and_no_answer_stops_a_site() {
        let mut times = AnswerTimes::default();
        let once = told(&mut times, &[200, 200, 200, 4_000]);
        assert!(*once.last().unwrap() <= 2_500, "{once:?}");
        assert_eq!(told(&mut times, &[u64::MAX; 50]).last(), Some(&LONGEST_DELAY));
    }

    #[test]
    fn a_busy_server_is_asked_half_as_often_until_it_answers_again() {
        let mut times = AnswerTimes::default();
        told(&mut times, &[100; 20]);
        let delays: Vec<u64> = (0..4).filter_map(|_| times.add_busy(1_500, NOW)).collect();
        assert!(matches!(delays[..], [2_998..=3_000, 5_990..=6_000, ..]), "{delays:?}");
        assert!(delays.iter().all(|delay| *delay <= LONGEST_BUSY), "{delays:?}");
        let after = told(&mut times, &[100; 30]);
        assert!(after.is_sorted_by(|one, next| one >= next) && after.last() == Some(&0), "{after:?}");
        assert_eq!(times.add_busy(60_000, NOW).map(|delay| delay.min(LONGEST_DELAY)), Some(LONGEST_DELAY));
    }

    #[test]
    fn what_hovers_is_told_once_an_hour() {
        let mut times = AnswerTimes::default();
        told(&mut times, &[350; 100]);
        let around: Vec<u64> = (0..100).map(|n| 250 + 200 * (n % 2)).collect();
        assert_eq!(told(&mut times, &around), Vec::<u64>::new());
        let later = Timestamp(NOW.0 + 3_600_000);
        assert!(times.add(350, later).is_some() && times.add(350, later).is_none());
        let mut instant = AnswerTimes::default();
        assert_eq!(
            told(&mut instant, &[0; 1_000]),
            [0],
            "what is faster than the shortest delay is told once"
        );
    }
}
