//! A site's rhythm over the day, and whether it has fallen silent.
//!
//! Each hour of the day has a counter of confirmed articles. A site is silent when many more articles were to be
//! expected since the last one than its rhythm explains. Nights differ, so each hour expects the least of itself
//! and its neighbours. The schedule itself does not use the rhythm.

use serde::{Deserialize, Serialize};

use super::{DAY, HOUR};

/// Hours of a day.
const HOURS: usize = 24;
/// Articles that a site must have shown before its silence says anything.
const LEAST_ARTICLES: u64 = 20;
/// A site is judged from this age on.
const LEARNING: u64 = 7 * DAY;
/// Silence is told when this many articles are missing: e⁻¹⁴ is the chance of it.
const MISSING: u64 = 14;
/// Silence is not told before it has lasted this long.
const LEAST_SILENCE: u64 = 2 * HOUR;
/// Articles that are added to each hour's counter, so that few articles say little of an hour.
const PRIOR: u64 = 4;

/// A silence that the rhythm does not explain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Silence {
    /// The last article, in seconds since the epoch.
    pub since: u64,
    /// Articles that were to be expected since then.
    pub missing: u64,
}

/// Articles by the hour of the day.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Rhythm {
    hours: Vec<u32>,
    begun: Option<u64>,
    last: u64,
}

impl Rhythm {
    /// Counts an article that was found at this time.
    pub(super) fn count(&mut self, now: u64) {
        self.hours.resize(HOURS, 0);
        self.begun.get_or_insert(now);
        if let Some(hour) = self.hours.get_mut(hour_of(now)) {
            *hour = hour.saturating_add(1);
        }
        self.last = self.last.max(now);
    }

    /// Whether no article was counted yet.
    pub(super) fn is_empty(&self) -> bool {
        self.begun.is_none()
    }

    /// Whether the site is silent beyond what its rhythm explains.
    pub(super) fn silence(&self, now: u64) -> Option<Silence> {
        let begun = self.begun?;
        let total: u64 = self.hours.iter().map(|count| u64::from(*count)).sum();
        let is_young = now.saturating_sub(begun) < LEARNING || total < LEAST_ARTICLES;
        if is_young || now.saturating_sub(self.last) < LEAST_SILENCE {
            return None;
        }
        let missing = self.expected(self.last, now, total, self.last.saturating_sub(begun).max(DAY));
        (missing >= MISSING).then_some(Silence { since: self.last, missing })
    }

    /// Articles to be expected between two times.
    fn expected(&self, from: u64, to: u64, total: u64, counted: u64) -> u64 {
        let of_hour = |hour: usize| u64::from(self.hours.get(hour % HOURS).copied().unwrap_or(0));
        let mut sum = 0_u128;
        let mut start = from;
        while start < to {
            let end = to.min((start / HOUR + 1) * HOUR);
            let hour = hour_of(start);
            let least = of_hour(hour).min(of_hour(hour + 1)).min(of_hour(hour + HOURS - 1));
            sum += u128::from(least + PRIOR) * u128::from(end - start);
            start = end;
        }
        // Each hour of the day was counted for a 24th of the time. What was added is taken out of the mean again.
        let hours = HOURS as u128;
        let scale = u128::from(counted) * (u128::from(total) + hours * u128::from(PRIOR));
        u64::try_from(sum * hours * u128::from(total) / scale).unwrap_or(u64::MAX)
    }
}

fn hour_of(seconds: u64) -> usize {
    usize::try_from(seconds % DAY / HOUR).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ten days with an article every half hour from 6 to 22 o'clock.
    fn by_day() -> (Rhythm, u64) {
        let mut rhythm = Rhythm::default();
        let mut now = 0;
        while now < 10 * DAY {
            if (6..22).contains(&hour_of(now)) {
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
        let told = rhythm.silence(midnight + 16 * HOUR).unwrap();
        assert!(told.missing >= MISSING && told.since < midnight, "{told:?}");
    }

    #[test]
    fn a_young_site_is_never_silent() {
        let mut rhythm = Rhythm::default();
        (0..100).for_each(|n| rhythm.count(n * 60));
        assert_eq!(rhythm.silence(5 * DAY), None);
        assert!(rhythm.silence(8 * DAY).is_some());
    }
}
