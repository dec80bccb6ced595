//! The bucket of tokens that all requests to a site share.
//!
//! It fills evenly over the day and holds a quarter of a day's requests. Every request takes a token,
//! robots.txt and pages behind a listing included, so a site is never asked more often than its allowance, and
//! a burst of news can still be fetched at once.

use newslode_page::time::Timestamp;
use serde::{Deserialize, Serialize};

use super::Class;

/// One token, in the unit of the bucket.
pub(super) const TOKEN: u64 = 1_000;
/// Most requests a day, so that the arithmetic stays exact in numbers of 53 bits, which Redis counts in.
pub(super) const MOST_PER_DAY: u64 = 100_000;
/// The bucket holds at least this many tokens.
const LEAST_CAPACITY: u64 = 20;
const DAY_MS: u64 = 86_400_000;

/// A site's tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Allowance {
    /// Requests a day.
    pub per_day: u64,
    /// Thousandths of tokens at `at`. Below zero if requests were made that nobody could wait with.
    pub milli: i64,
    /// When `milli` was right.
    pub at: Timestamp,
}

impl Allowance {
    /// A full bucket.
    #[must_use]
    pub fn full(per_day: u64, now: Timestamp) -> Allowance {
        let full = Allowance { per_day, milli: 0, at: now };
        Allowance { milli: i64::try_from(full.capacity()).unwrap_or(i64::MAX), ..full }
    }

    /// What the bucket holds at most, in thousandths of tokens: a quarter of a day's requests.
    #[must_use]
    pub fn capacity(&self) -> u64 {
        (self.per_day.saturating_mul(TOKEN) / 4).max(LEAST_CAPACITY * TOKEN)
    }

    /// Thousandths of tokens at a time.
    #[must_use]
    pub fn tokens(&self, now: Timestamp) -> i64 {
        let passed = u128::from(now.0.saturating_sub(self.at.0));
        let gained = passed * u128::from(self.per_day) * u128::from(TOKEN) / u128::from(DAY_MS);
        let gained = i64::try_from(gained).unwrap_or(i64::MAX);
        self.milli.saturating_add(gained).min(i64::try_from(self.capacity()).unwrap_or(i64::MAX))
    }

    /// Gives the token of a request back that was not sent.
    pub fn give_back(&mut self) {
        self.milli = self.milli.saturating_add(TOKEN as i64);
    }

    /// Whether a URL of this class may be asked for.
    #[must_use]
    pub fn affords(&self, class: Class, now: Timestamp) -> bool {
        self.tokens(now) >= i64::try_from(class.threshold(self.capacity())).unwrap_or(i64::MAX)
    }

    /// Takes the token of one request.
    pub fn take(&mut self, now: Timestamp) {
        // Time that is too short for a thousandth of a token is kept for the next call.
        let tokens = self.tokens(now);
        if tokens != self.milli {
            self.at = self.at.max(now);
        }
        self.milli = tokens.saturating_sub(TOKEN as i64);
    }

    /// When the bucket holds this many thousandths of tokens.
    #[must_use]
    pub fn when(&self, milli: u64, now: Timestamp) -> Timestamp {
        let wanted = i64::try_from(milli.min(self.capacity())).unwrap_or(i64::MAX);
        let missing = wanted.saturating_sub(self.tokens(now));
        if missing <= 0 {
            return now;
        }
        // The tokens of an earlier time are not known: they fill from when they were right.
        let now = now.max(self.at);
        let per_day = u128::from(self.per_day.max(1)) * u128::from(TOKEN);
        let wait = (u128::from(missing.unsigned_abs()) * u128::from(DAY_MS)).div_ceil(per_day);
        Timestamp(now.0.saturating_add(u64::try_from(wait).unwrap_or(u64::MAX)).saturating_add(1))
    }

    /// Takes over another number of requests a day.
    pub fn resize(&mut self, per_day: u64, now: Timestamp) {
        if per_day == self.per_day {
            return;
        }
        let tokens = self.tokens(now);
        *self = Allowance { per_day, milli: tokens, at: self.at.max(now) };
        self.milli = self.milli.min(i64::try_from(self.capacity()).unwrap_or(i64::MAX));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_fills_evenly_up_to_a_quarter_of_a_day() {
        let mut bucket = Allowance::full(400, Timestamp(0));
        assert_eq!(bucket.tokens(Timestamp(0)), 100_000);
        for _ in 0..100 {
            bucket.take(Timestamp(0));
        }
        assert_eq!(bucket.tokens(Timestamp(0)), 0);
        assert_eq!(bucket.tokens(Timestamp(216_000)), 1_000, "a 400th of a day brings a token");
        assert_eq!(bucket.tokens(Timestamp(DAY_MS)), 100_000);
        assert_eq!(bucket.when(1_000, Timestamp(0)), Timestamp(216_001));
    }

    #[test]
    fn many_small_steps_lose_nothing() {
        let mut bucket = Allowance { per_day: 200, milli: 0, at: Timestamp(0) };
        let mut takes = 0;
        for ms in (0..DAY_MS / 24).step_by(7_000) {
            bucket.take(Timestamp(ms));
            takes += TOKEN as i64;
        }
        let whole = Allowance { per_day: 200, milli: 0, at: Timestamp(0) }.tokens(Timestamp(DAY_MS / 24));
        let lost = whole - takes - bucket.tokens(Timestamp(DAY_MS / 24));
        assert!((0..=i64::from(u16::MAX)).contains(&lost) && lost * 20 <= whole, "{lost} of {whole}");
    }

    #[test]
    fn it_fills_from_when_it_was_right() {
        let bucket = Allowance { per_day: 400, milli: 0, at: Timestamp(1_000_000) };
        assert_eq!(bucket.when(1_000, Timestamp(5)), Timestamp(1_216_001));
    }

    #[test]
    fn debts_are_paid_back() {
        let mut bucket = Allowance::full(200, Timestamp(0));
        for _ in 0..60 {
            bucket.take(Timestamp(0));
        }
        assert_eq!(bucket.tokens(Timestamp(0)), -10_000);
        assert!(bucket.when(1_000, Timestamp(0)) > Timestamp(11 * DAY_MS / 200));
    }
}
