//! When a site publishes: a rhythm of hours and weekdays, bursts of big news, and batches on the half hour.
//!
//! Days are drawn one after the other, so a short world is the beginning of a longer one with the same seed.

use super::chance::{Chance, exp};
use super::clock::{DAY, DAY_0, HISTORY, MINUTE, SECOND, day};

/// Minutes of a day.
const MINUTES: usize = 1_440;
/// Bursts of big news a day and site.
const BURSTS: f64 = 0.25;

/// A burst of big news: the rate grows at once, then falls back.
struct Burst {
    /// Minutes since history began.
    from: usize,
    minutes: usize,
    /// How much is added to the rate at first, as a multiple of the rate.
    height: f64,
}

impl Burst {
    fn at(&self, minute: usize) -> f64 {
        let age = minute.wrapping_sub(self.from);
        if age < self.minutes { self.height * exp(-(age as f64) * 2.0 / self.minutes as f64) } else { 0.0 }
    }
}

/// The times at which a site with `rate` articles a day publishes, from the start of history to `days` after
/// day 0 began, in milliseconds, ascending.
pub(super) fn publications(chance: &mut Chance, rate: f64, days: u32) -> Vec<u64> {
    let week = week(chance, rate);
    let batch = chance.pick(&[0.0, 0.0, 0.2, 0.45]);
    let end = day(f64::from(days));
    let first_day = DAY_0 - HISTORY;
    let mut bursts: Vec<Burst> = Vec::new();
    let mut times = Vec::new();
    for n in 0..(end - first_day) / DAY {
        let start = n as usize * MINUTES;
        bursts.retain(|burst| burst.from + burst.minutes > start);
        for _ in 0..chance.poisson(BURSTS) {
            let from = start + chance.rng().below(MINUTES);
            let minutes = chance.uniform(60.0, 240.0) as usize;
            bursts.push(Burst { from, minutes, height: chance.uniform(2.0, 7.0) });
        }
        for minute in start..start + MINUTES {
            let burst: f64 = bursts.iter().map(|burst| burst.at(minute)).sum();
            // history begins on a Friday
            let mean = week[(minute + 4 * MINUTES) % week.len()] * (1.0 + burst);
            for _ in 0..chance.poisson(mean) {
                times.push(moment(chance, first_day + minute as u64 * MINUTE, batch));
            }
        }
    }
    // a batch may wait beyond the end
    times.retain(|&at| at < end);
    times.sort_unstable();
    times
}

/// A moment within a minute or, for the share `batch` of the articles, just after the next half hour.
fn moment(chance: &mut Chance, minute: u64, batch: f64) -> u64 {
    const HALF_HOUR: u64 = 30 * MINUTE;
    if chance.happens(batch) {
        minute.next_multiple_of(HALF_HOUR) + chance.uniform(0.0, 40.0 * SECOND as f64) as u64
    } else {
        minute + chance.uniform(0.0, MINUTE as f64) as u64
    }
}

/// Articles to expect in each minute of a week that begins on Monday in UTC: a quiet night, a peak before noon,
/// a smaller one six hours later, less at weekends of the site's time zone.
fn week(chance: &mut Chance, rate: f64) -> Vec<f64> {
    let zone = chance.rng().below(24);
    let night = chance.uniform(0.03, 0.35);
    let peak = chance.uniform(9.0, 15.0);
    let weekend = chance.uniform(0.35, 0.95);
    let bell = |hour: f64, middle: f64, width: f64| {
        let x = (hour - middle) / width;
        exp(-0.5 * x * x)
    };
    let mut week: Vec<f64> = (0..7 * MINUTES)
        .map(|minute| {
            let local = minute + zone * 60;
            let hour = (local % MINUTES) as f64 / 60.0;
            let level = night + bell(hour, peak, 3.2) + 0.6 * bell(hour, peak + 6.0, 2.5);
            if local / MINUTES % 7 >= 5 { level * weekend } else { level }
        })
        .collect();
    let mean = week.iter().sum::<f64>() / week.len() as f64;
    for level in &mut week {
        *level *= rate / MINUTES as f64 / mean;
    }
    week
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_world_is_the_beginning_of_a_longer_one() {
        let times = |days| publications(&mut Chance::new(4), 80.0, days);
        let (short, long) = (times(3), times(9));
        let end = day(3.0);
        assert!(short.iter().all(|&at| (DAY_0 - HISTORY..end).contains(&at)));
        let until = long.partition_point(|&at| at < end);
        assert_eq!(short, long[..until]);
    }

    #[test]
    fn the_rate_is_kept_but_for_bursts() {
        let per_day: f64 = (0..20)
            .map(|seed| publications(&mut Chance::new(seed), 100.0, 25).len() as f64 / 28.0)
            .sum::<f64>()
            / 20.0;
        assert!((100.0..125.0).contains(&per_day), "{per_day}");
    }
}
