//! Days and months, counted from 1970-01-01 (UTC).

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

/// Days, both included, in days since 1970-01-01 (UTC).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Days {
    /// The first day.
    pub first: u32,
    /// The last day.
    pub last: u32,
}

impl Days {
    /// A single day.
    #[must_use]
    pub fn one(day: u32) -> Days {
        Days { first: day, last: day }
    }

    /// The day that a text such as `2024-05-01` names; `None`: it names none since 1970.
    #[must_use]
    pub fn parse_day(text: &str) -> Option<u32> {
        let is_day = text.len() == "2024-05-01".len();
        day_of(text.parse::<Date>().ok().filter(|_| is_day)?)
    }

    /// Whether a day is one of them.
    #[must_use]
    pub fn contains(&self, day: u32) -> bool {
        (self.first..=self.last).contains(&day)
    }

    /// The days that are in both.
    #[must_use]
    pub fn and(&self, other: Days) -> Option<Days> {
        let both = Days { first: self.first.max(other.first), last: self.last.min(other.last) };
        (both.first <= both.last).then_some(both)
    }

    /// Number of days.
    #[must_use]
    pub fn count(&self) -> u32 {
        (self.last + 1).saturating_sub(self.first)
    }

    /// Their months, the newest first; the first and the last one may be parts of a month.
    #[must_use]
    pub fn months(&self) -> Vec<Days> {
        let mut months = Vec::new();
        let mut last = self.last;
        while let Some(month) = month_of(last).and_then(|month| month.and(*self)) {
            months.push(month);
            match month.first.checked_sub(1) {
                Some(before) if before >= self.first => last = before,
                _ => break,
            }
        }
        months
    }
}

/// The days of the articles that a list shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListedDays {
    /// The day in the middle.
    pub middle: u32,
    /// The days of most of them: without the first and the last tenth.
    pub most: Days,
}

impl ListedDays {
    /// Of the days of all articles in order. `None`: there are none.
    #[must_use]
    pub fn of_sorted(days: &[u32]) -> Option<ListedDays> {
        let tenth = days.len() / 10;
        let most = Days { first: *days.get(tenth)?, last: *days.get(days.len().checked_sub(tenth + 1)?)? };
        Some(ListedDays { middle: *days.get(days.len() / 2)?, most })
    }
}

pub(super) fn day_of(date: Date) -> Option<u32> {
    let epoch = Date::constant(1970, 1, 1);
    u32::try_from(epoch.until(date).ok()?.get_days()).ok()
}

pub(super) fn date_of(day: u32) -> Option<Date> {
    let span = jiff::Span::new().try_days(i64::from(day)).ok()?;
    Date::constant(1970, 1, 1).checked_add(span).ok()
}

/// The days of the month that a day is in.
pub(super) fn month_of(day: u32) -> Option<Days> {
    let date = date_of(day)?;
    Some(Days { first: day_of(date.first_of_month())?, last: day_of(date.last_of_month())? })
}
