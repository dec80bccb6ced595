//! How many articles a site brings, day by day.

use std::collections::BTreeMap;

use newslode_page::time::Timestamp;
use serde::{Deserialize, Serialize};

use super::{DAY, seconds};

/// Days that are looked at; the last one is today.
const DAYS: u64 = 7;

/// Articles that were first read on one day (UTC).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct DayCounts {
    read: u32,
    /// Those that were new, not of the backlog of a site's first visit.
    new: u32,
    /// Those that were read in full.
    full: u32,
}

/// Articles by the day on which they were first read, of the last days.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ArticleDays(BTreeMap<u32, DayCounts>);

/// What a site brought within the last seven days, or since its first article.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Output {
    /// New articles a day; nothing if none was new and the first day is not over.
    pub articles_a_day: Option<f64>,
    /// Share of the articles whose text was read in full, in thousandths; nothing if none was read.
    pub full: Option<u64>,
}

impl ArticleDays {
    /// Counts the first reading of an article.
    pub(super) fn count(&mut self, is_new: bool, is_full: bool, now: Timestamp) {
        let today = now.day();
        let counts = self.0.entry(today).or_default();
        counts.read = counts.read.saturating_add(1);
        counts.new = counts.new.saturating_add(u32::from(is_new));
        counts.full = counts.full.saturating_add(u32::from(is_full));
        self.0 = self.0.split_off(&(today.saturating_sub(DAYS as u32 - 1)));
    }

    /// Brings back what a clock noted that was ahead: it was today.
    pub(super) fn bring_back(&mut self, now: Timestamp) {
        let today = now.day();
        for later in self.0.split_off(&today.saturating_add(1)).into_values() {
            let counts = self.0.entry(today).or_default();
            counts.read = counts.read.saturating_add(later.read);
            counts.new = counts.new.saturating_add(later.new);
            counts.full = counts.full.saturating_add(later.full);
        }
    }

    /// What the site brought. `first`: when its first article was read, in seconds since the epoch.
    pub(super) fn output(&self, first: u64, now: Timestamp) -> Output {
        let from = now.day().saturating_sub(DAYS as u32 - 1);
        let days = self.0.range(from..=now.day()).map(|(_, counts)| counts);
        let sum = |of: fn(&DayCounts) -> u32| days.clone().map(|counts| u64::from(of(counts))).sum::<u64>();
        let (read, new, full) = (sum(|of| of.read), sum(|of| of.new), sum(|of| of.full));
        let begin = first.max(u64::from(from) * DAY);
        // An hour says little of a day.
        let passed = seconds(now).saturating_sub(begin);
        Output {
            articles_a_day: (new > 0 || passed >= DAY)
                .then(|| new as f64 * DAY as f64 / passed.max(DAY) as f64),
            full: (read > 0).then(|| full * 1_000 / read),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::at;
    use super::*;

    #[test]
    fn a_mean_is_that_of_seven_days_or_of_the_time_since_the_first_article() {
        let (mut days, first) = (ArticleDays::default(), 20_000 * DAY);
        for n in 0..12 {
            days.count(n >= 6, n % 4 > 0, at(first + n * 60));
        }
        let output = |days: &ArticleDays, now: u64| days.output(first, at(now));
        assert_eq!(output(&days, first + 3_600), Output { articles_a_day: Some(6.0), full: Some(750) });
        assert_eq!(output(&days, first + 3 * DAY).articles_a_day, Some(2.0));
        let mut old = ArticleDays::default();
        old.count(false, true, at(first));
        assert_eq!(output(&old, first + 3_600).articles_a_day, None, "only the backlog was read");
        assert_eq!(output(&old, first + 2 * DAY).articles_a_day, Some(0.0));
        for day in 1..20 {
            (0..4).for_each(|n| days.count(true, true, at(first + day * DAY + n)));
        }
        assert_eq!(days.0.len(), 7);
        let week = output(&days, first + 20 * DAY - 1);
        assert!(week.articles_a_day.is_some_and(|rate| (rate - 4.0).abs() < 0.001), "{week:?}");
        assert_eq!(week.full, Some(1_000));
        assert_eq!(output(&days, first + 40 * DAY), Output { articles_a_day: Some(0.0), full: None });
    }
}
