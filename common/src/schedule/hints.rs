//! What a feed says of its own pace: RSS `ttl`, `skipHours` and `skipDays`, the syndication module's period and frequency, and
//! the WebSub hubs that it names.
//!
//! Programs write most of these, and nobody keeps them right. So they are hints: they hasten the first visits of a feed whose rhythm
//! is not known yet, and put a visit off by some minutes; they never make it rarer. Hubs are only recorded.

use newslode_page::reading::CanonicalUrl;
use serde::{Deserialize, Serialize};

use super::{DAY, HOUR, MINUTE};

/// No hint asks for a shorter interval, in seconds.
const LEAST_INTERVAL: u64 = 10 * MINUTE;
/// The longest interval that a period or `ttl` says, in seconds: longer ones are cut.
const LONGEST_INTERVAL: u64 = 366 * DAY;
/// A visit in an hour that the feed says to skip is put off by no more than this, in seconds.
const PUT_OFF: u64 = 10 * MINUTE;
/// Hubs that are kept of a feed, and the longest address of one, in bytes.
const MOST_HUBS: usize = 4;
const LONGEST_HUB: usize = 300;

/// What a feed says of its own pace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FeedHints {
    /// For how long it may be kept, in seconds (`ttl`).
    pub ttl_s: Option<u64>,
    /// How often it changes, in seconds (`sy:updatePeriod` over `sy:updateFrequency`).
    pub period_s: Option<u64>,
    /// Hours of the day (UTC, 0 to 23) in which it asks not to be read.
    pub skip_hours: Vec<u8>,
    /// The same days of the week: 1 for Monday to 7 for Sunday.
    pub skip_days: Vec<u8>,
    /// The WebSub hubs that the feed names.
    pub hubs: Vec<CanonicalUrl>,
}

impl FeedHints {
    /// Whether the feed says nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == FeedHints::default()
    }

    /// Notes for how many minutes the feed may be kept.
    pub fn add_ttl(&mut self, minutes: u64) {
        self.ttl_s = interval(minutes.saturating_mul(MINUTE));
    }

    /// Notes that the feed changes so often in a period of this name (`hourly` to `yearly`). Other names say nothing.
    pub fn add_period(&mut self, period: &str, frequency: u64) {
        let period = match period.trim().to_ascii_lowercase().as_str() {
            "hourly" => HOUR,
            "daily" => DAY,
            "weekly" => 7 * DAY,
            "monthly" => 30 * DAY,
            "yearly" => 365 * DAY,
            _ => return,
        };
        self.period_s = interval(period / frequency.max(1));
    }

    /// Notes an hour of the day; 24 is 0.
    pub fn skip_hour(&mut self, hour: u64) {
        add(&mut self.skip_hours, u8::try_from(hour).ok().filter(|hour| *hour <= 24).map(|hour| hour % 24));
    }

    /// Notes a day of the week by its English name.
    pub fn skip_day(&mut self, name: &str) {
        const DAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
        let name = name.trim().to_ascii_lowercase();
        let day = (1..).zip(DAYS).find(|(_, start)| name.starts_with(start)).map(|(day, _)| day);
        add(&mut self.skip_days, day);
    }

    /// Notes a hub.
    pub fn add_hub(&mut self, hub: CanonicalUrl) {
        let is_kept = self.hubs.len() < MOST_HUBS && hub.as_str().len() <= LONGEST_HUB;
        if is_kept && !self.hubs.contains(&hub) {
            self.hubs.push(hub);
        }
    }

    /// The interval that the feed asks for, in seconds: the shorter one of those that it names, within limits.
    pub(super) fn interval(&self) -> Option<u64> {
        let said = self.ttl_s.into_iter().chain(self.period_s).min();
        said.map(|interval| interval.max(LEAST_INTERVAL))
    }

    /// For how many seconds a visit that is due at this time is put off.
    pub(super) fn put_off(&self, due: u64) -> u64 {
        // A feed that skips all of them means something else.
        let is_in = |list: &[u8], all: usize, value: u64| {
            list.len() < all && list.iter().any(|skipped| u64::from(*skipped) == value)
        };
        // The epoch began on a Thursday.
        let weekday = (due / DAY + 3) % 7 + 1;
        if is_in(&self.skip_days, 7, weekday) {
            return PUT_OFF;
        }
        let hour = due % DAY / HOUR;
        if is_in(&self.skip_hours, 24, hour) { PUT_OFF.min(HOUR - due % HOUR) } else { 0 }
    }
}

fn interval(said: u64) -> Option<u64> {
    (said > 0).then(|| said.min(LONGEST_INTERVAL))
}

/// Adds a number, in order, unless it is there.
fn add(list: &mut Vec<u8>, number: Option<u8>) {
    let Some(number) = number else { return };
    if let Err(place) = list.binary_search(&number) {
        list.insert(place, number);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_shorter_interval_counts_within_limits() {
        let said = |ttl: u64, period: &str, frequency| {
            let mut hints = FeedHints::default();
            hints.add_ttl(ttl);
            hints.add_period(period, frequency);
            hints.interval()
        };
        assert_eq!(said(0, "", 1), None);
        assert_eq!(said(60, "", 1), Some(HOUR));
        assert_eq!(said(60, "hourly", 2), Some(HOUR / 2));
        assert_eq!(said(1, "", 1), Some(LEAST_INTERVAL));
        assert_eq!(said(0, " Daily", 0), Some(DAY), "no frequency is one");
        assert_eq!(said(0, "sometimes", 1), None);
        assert_eq!(said(u64::MAX, "", 1), Some(LONGEST_INTERVAL));
        assert_eq!(said(0, "hourly", u64::MAX), None);
    }

    #[test]
    fn hours_and_days_to_skip_put_a_visit_off_by_some_minutes() {
        let mut hints = FeedHints::default();
        [24, 3, 3, 25, 700].into_iter().for_each(|hour| hints.skip_hour(hour));
        ["Sunday", "sat", "Yesterday"].into_iter().for_each(|day| hints.skip_day(day));
        assert_eq!((&hints.skip_hours[..], &hints.skip_days[..]), (&[0, 3][..], &[6, 7][..]));
        // 2026-11-30 is a Monday.
        let monday = 20_787 * DAY;
        assert_eq!(hints.put_off(monday + 2 * HOUR), 0);
        assert_eq!(hints.put_off(monday + 3 * HOUR), PUT_OFF);
        assert_eq!(hints.put_off(monday + 4 * HOUR - 60), 60, "the hour is over then");
        assert_eq!(hints.put_off(monday - HOUR), PUT_OFF, "Sunday");
        (0..24).for_each(|hour| hints.skip_hour(hour));
        assert_eq!(hints.put_off(monday + 3 * HOUR), 0, "all hours are none");
    }

    #[test]
    fn few_hubs_are_kept_and_no_long_ones() {
        let mut hints = FeedHints::default();
        for n in [1, 1, 2, 3, 4, 5] {
            hints.add_hub(format!("https://hub.test/{n}").parse().unwrap());
        }
        assert_eq!(hints.hubs.len(), MOST_HUBS);
        let mut hints = FeedHints::default();
        hints.add_hub(format!("https://hub.test/{}", "x".repeat(LONGEST_HUB)).parse().unwrap());
        assert!(hints.is_empty());
    }

    proptest! {
        #[test]
        fn no_hint_puts_a_visit_off_by_more_than_ten_minutes(
            hours in prop::collection::vec(0_u64..30, 0..30),
            days in prop::collection::vec("[A-Za-z]{0,9}|Monday|Sunday", 0..9),
            due in 0_u64..4_000_000_000
        ) {
            let mut hints = FeedHints::default();
            hours.into_iter().for_each(|hour| hints.skip_hour(hour));
            days.iter().for_each(|day| hints.skip_day(day));
            prop_assert!(hints.put_off(due) <= 10 * MINUTE);
            prop_assert!(hints.skip_hours.len() <= 24 && hints.skip_days.len() <= 7);
        }
    }
}
