//! A site's rhythm over the week, and whether it has fallen silent.
//!
//! Each hour of the week has a counter of confirmed articles. A site is silent when so many articles were to be expected since the
//! last one that chance does not explain it. The schedule itself does not use the rhythm.
//!
//! The more days were seen, the more a count says: an hour of the day that had *n* articles on *d* days has none on another day with
//! probability (d/(d+1))ⁿ, if nothing else is known of its rate. So a site can be judged from its second day on, and nothing is expected
//! of an hour that never had an article. Nights shift, so each hour counts as the least of itself and its neighbours. Less is expected of a
//! weekday that had fewer articles than others, and nothing of the days of a weekend that was not seen yet. In many countries Friday is
//! one of them.

use serde::{Deserialize, Serialize};

use super::{DAY, HOUR};

/// Hours of a day, days and hours of a week.
const HOURS: usize = 24;
const DAYS: usize = 7;
const WEEK: usize = HOURS * DAYS;
/// Articles that a site must have shown before its silence says anything.
const LEAST_ARTICLES: u64 = 20;
/// A site is judged from this age on.
const LEARNING: u64 = DAY;
/// Older counts fade: when they span so long, half of them is forgotten.
const LONGEST: u64 = 56 * DAY;
/// A site is reported silent when a gap of this length has a probability of at most e⁻¹⁴.
const MISSING: f64 = 14.0;
/// Silence is not told before it has lasted this long.
const LEAST_SILENCE: u64 = 2 * HOUR;
/// Within this many hours, it may be another weekday where the site is.
const ZONES: usize = 10;

/// A silence that the rhythm does not explain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Silence {
    /// The last article, in seconds since the epoch.
    pub since: u64,
    /// Articles that were to be expected since then, at least.
    pub missing: u64,
}

/// Articles by the hour of the week, which begins on a Thursday, as the epoch does. Versions before counted by the hour of the day.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Rhythm {
    hours: Vec<u32>,
    begun: Option<u64>,
    last: u64,
}

impl Rhythm {
    /// Counts an article that was found at this time.
    pub(super) fn count(&mut self, now: u64) {
        if self.hours.len() != WEEK {
            self.hours = self.by_week();
        }
        let begun = *self.begun.get_or_insert(now);
        if now.saturating_sub(begun) >= LONGEST {
            self.hours.iter_mut().for_each(|count| *count /= 2);
            self.begun = Some(begun + now.saturating_sub(begun) / 2);
        }
        if let Some(hour) = self.hours.get_mut(hour_of_week(now)) {
            *hour = hour.saturating_add(1);
        }
        self.last = self.last.max(now);
    }

    /// Brings back what a clock noted that was ahead.
    pub(super) fn bring_back(&mut self, now: u64) {
        self.begun = self.begun.map(|begun| begun.min(now));
        self.last = self.last.min(now);
    }

    /// Counts by the hour of the week. Those of the day are taken for those of each of its days.
    fn by_week(&self) -> Vec<u32> {
        match self.hours.len() {
            WEEK => self.hours.clone(),
            HOURS => self.hours.iter().map(|count| count / DAYS as u32).cycle().take(WEEK).collect(),
            _ => vec![0; WEEK],
        }
    }

    /// Whether no article was counted yet.
    pub(super) fn is_empty(&self) -> bool {
        self.begun.is_none()
    }

    /// When the last article was counted, in seconds since the epoch; 0: never.
    pub(super) fn last(&self) -> u64 {
        self.last
    }

    /// Whether the site is silent beyond what its rhythm explains.
    pub(super) fn silence(&self, now: u64) -> Option<Silence> {
        let begun = self.begun?;
        let hours = self.by_week();
        let total: u64 = hours.iter().map(|count| u64::from(*count)).sum();
        let is_young = now.saturating_sub(begun) < LEARNING || total < LEAST_ARTICLES;
        if is_young || now.saturating_sub(self.last) < LEAST_SILENCE {
            return None;
        }
        let missing = self.expected(&hours, begun, now);
        // A silence of years is no more certain than one of months.
        (missing >= MISSING).then_some(Silence { since: self.last, missing: missing as u64 })
    }

    /// Articles to be expected since the last one, at least: minus the logarithm of the probability of none.
    fn expected(&self, hours: &[u32], begun: u64, now: u64) -> f64 {
        let counts = |of: &dyn Fn(usize) -> bool| -> f64 {
            hours.iter().zip(0..).filter(|(_, hour)| of(*hour)).map(|(count, _)| f64::from(*count)).sum()
        };
        let days = (self.last.saturating_sub(begun).max(DAY)) as f64 / DAY as f64;
        let by_hour: Vec<f64> = (0..HOURS).map(|hour| counts(&|of| of % HOURS == hour)).collect();
        let by_day: Vec<f64> = (0..DAYS).map(|day| counts(&|of| of / HOURS == day)).collect();
        let mean = by_day.iter().sum::<f64>() / days;
        let shares: Vec<f64> =
            by_day.iter().zip(0..).map(|(count, day)| self.share(day, *count, mean, begun)).collect();
        let once_more = (1.0 + 1.0 / days).ln();
        let (mut sum, mut start) = (0.0, self.last);
        // Beyond a quarter of a year nothing changes any more.
        let end = now.min(self.last + 90 * DAY);
        while start < end {
            let next = end.min((start / HOUR + 1) * HOUR);
            let of_week = hour_of_week(start);
            let hour = of_week % HOURS;
            let around = [hour, (hour + 1) % HOURS, (hour + HOURS - 1) % HOURS];
            let count = around.iter().filter_map(|hour| by_hour.get(*hour)).fold(f64::MAX, |a, b| a.min(*b));
            let weekdays = [of_week, (of_week + ZONES) % WEEK, (of_week + WEEK - ZONES) % WEEK];
            let share =
                weekdays.iter().filter_map(|hour| shares.get(hour / HOURS)).fold(1.0, |a: f64, b| a.min(*b));
            sum += count * once_more * share * (next - start) as f64 / HOUR as f64;
            start = next;
        }
        sum
    }

    /// How many articles a weekday has at least, as a share of those of a usual day; at most 1.
    fn share(&self, day: usize, count: f64, mean: f64, begun: u64) -> f64 {
        let seen = seen_days(day, begun, self.last);
        if seen < 0.9 {
            // Thursday is the first.
            return if (1..=3).contains(&day) { 0.0 } else { 1.0 };
        }
        // Few weeks say little of a weekday, so it may have fewer articles than it had.
        let least = (count - 2.0 * count.sqrt()).max(0.0) / seen;
        if mean > 0.0 { (least / mean).min(1.0) } else { 0.0 }
    }
}

/// How many days there were of a weekday between two times.
fn seen_days(day: usize, from: u64, to: u64) -> f64 {
    let (mut seen, mut start) = (0, from);
    while start < to {
        let end = to.min((start / DAY + 1) * DAY);
        if hour_of_week(start) / HOURS == day {
            seen += end - start;
        }
        start = end;
    }
    seen as f64 / DAY as f64
}

fn hour_of_week(seconds: u64) -> usize {
    usize::try_from(seconds / HOUR % WEEK as u64).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ten days with an article every half hour from 6 to 22 o'clock.
    fn by_day() -> (Rhythm, u64) {
        let mut rhythm = Rhythm::default();
        let mut now = 0;
        while now < 10 * DAY {
            if (6..22).contains(&(hour_of_week(now) % HOURS)) {
                rhythm.count(now);
            }
            now += HOUR / 2;
        }
        (rhythm, now)
    }

    #[test]
    fn a_quiet_night_is_no_silence_and_a_quiet_day_is_one() {
        let (rhythm, midnight) = by_day();
        assert_eq!(rhythm.silence(midnight + 6 * HOUR), None);
        assert_eq!(rhythm.silence(midnight + 9 * HOUR), None);
        let told = (10..48).find(|hours| rhythm.silence(midnight + hours * HOUR).is_some()).unwrap();
        assert!((12..38).contains(&told), "{told}");
        assert!(rhythm.silence(midnight + 48 * HOUR).unwrap().since < midnight);
    }

    #[test]
    fn a_site_is_not_silent_on_its_first_day() {
        let mut rhythm = Rhythm::default();
        (0..100).for_each(|n| rhythm.count(n * 600));
        assert_eq!(rhythm.silence(DAY - 1), None);
    }

    #[test]
    fn counts_by_the_hour_of_the_day_are_taken_over() {
        let (mut rhythm, midnight) = by_day();
        let week = rhythm.hours.clone();
        rhythm.hours = (0..HOURS).map(|hour| week.iter().skip(hour).step_by(HOURS).sum()).collect();
        assert!(rhythm.silence(midnight + 48 * HOUR).is_some());
        rhythm.count(midnight);
        assert_eq!(rhythm.hours.len(), WEEK);
        assert!(rhythm.silence(midnight + 48 * HOUR).is_some());
    }

    #[test]
    fn what_a_site_did_long_ago_fades() {
        let mut rhythm = Rhythm::default();
        // A hundred days with an article every ten minutes, then a hundred with two a day.
        (0..100 * 144).for_each(|n| rhythm.count(n * 600));
        (0..200).for_each(|n| rhythm.count(100 * DAY + n * DAY / 2));
        assert_eq!(rhythm.silence(200 * DAY + DAY), None);
    }

    /// Numbers that look random, the same each time.
    struct Numbers(u64);

    impl Numbers {
        /// At least 0, below 1.
        fn next(&mut self) -> f64 {
            // SplitMix64.
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut bits = self.0;
            bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            ((bits ^ (bits >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
        }

        fn normal(&mut self) -> f64 {
            (0..12).map(|_| self.next()).sum::<f64>() - 6.0
        }
    }

    /// A site that publishes by day in a zone of its own, less on a weekend of its own, and on some days far more than on others.
    struct MadeSite {
        numbers: Numbers,
        articles_a_day: f64,
        wakes: u64,
        weekend: f64,
        first_day_off: u64,
        today: (u64, f64),
    }

    impl MadeSite {
        fn new(seed: u64) -> MadeSite {
            let mut numbers = Numbers(seed);
            let articles_a_day = 8.0 * (numbers.next() * 3.6).exp();
            let wakes = (numbers.next() * 24.0) as u64;
            let weekend = [0.0, 0.1, 0.4, 0.7, 1.0][(numbers.next() * 5.0) as usize];
            // Saturday or Friday; the epoch was a Thursday.
            let first_day_off = if numbers.next() < 0.8 { 2 } else { 1 };
            MadeSite { numbers, articles_a_day, wakes, weekend, first_day_off, today: (u64::MAX, 1.0) }
        }

        /// Articles within five minutes.
        fn articles(&mut self, now: u64) -> u64 {
            let local = now + (24 - self.wakes) * HOUR;
            let (day, hour) = (local / DAY, local % DAY / HOUR);
            if self.today.0 != day {
                self.today = (day, (0.35 * self.numbers.normal()).exp());
            }
            // Most come within fourteen hours, hardly any in the night.
            let of_hour = if hour < 14 {
                1.6
            } else if hour < 17 {
                0.5
            } else {
                0.02
            };
            let off = (day % 7) >= self.first_day_off && (day % 7) < self.first_day_off + 2;
            let of_day = if off { self.weekend } else { 1.0 };
            let rate = self.articles_a_day / 288.0 * of_hour * of_day * self.today.1;
            u64::from(self.numbers.next() < rate) + u64::from(self.numbers.next() < rate / 4.0)
        }
    }

    /// The false alarms of a month, and after how many hours a site that stopped on its `stops`th day was found silent.
    fn month(seed: u64, stops: Option<u64>) -> (u32, Option<u64>) {
        let (mut site, mut rhythm) = (MadeSite::new(seed), Rhythm::default());
        let begin = (20_000 + seed % 7) * DAY;
        let (mut alarms, mut was_silent) = (0, false);
        let mut now = begin;
        while now < begin + 30 * DAY {
            let articles = site.articles(now);
            match stops.map(|day| begin + day * DAY) {
                Some(stop) if now >= stop => {}
                _ => (0..articles).for_each(|_| rhythm.count(now)),
            }
            let is_silent = rhythm.silence(now).is_some();
            if is_silent && stops.is_some_and(|day| now >= begin + day * DAY) {
                return (alarms, Some(now.saturating_sub(begin + stops.unwrap_or(0) * DAY) / HOUR));
            }
            alarms += u32::from(is_silent && !was_silent);
            was_silent = is_silent;
            now += 300;
        }
        (alarms, None)
    }

    #[test]
    fn a_month_of_sixty_sites_has_hardly_a_false_alarm() {
        let alarms: Vec<(u64, u32)> =
            (0..60).map(|seed| (seed, month(seed, None).0)).filter(|(_, alarms)| *alarms > 0).collect();
        assert!(alarms.iter().map(|(_, alarms)| alarms).sum::<u32>() <= 2, "{alarms:?}");
    }

    #[test]
    fn a_site_that_stops_is_found_silent_within_a_day_or_after_its_weekend() {
        for stops in [2, 4, 9, 20] {
            let found = (0..60)
                .filter(|seed| MadeSite::new(*seed).articles_a_day >= 40.0)
                .map(|seed| month(seed, Some(stops)).1);
            let mut hours: Vec<u64> = found.map(|hours| hours.unwrap_or(u64::MAX)).collect();
            hours.sort_unstable();
            let (half, most) = (hours[hours.len() / 2], hours[hours.len() * 9 / 10]);
            assert!(half <= 24 && most <= 100, "stopped on day {stops}: {hours:?}");
        }
    }
}
