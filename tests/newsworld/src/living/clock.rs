//! Simulated time: milliseconds since 1970, spans of it, and how pages and headers write it.

use newslode_demo_world::dates::Moment;

/// A second.
pub const SECOND: u64 = 1_000;
/// A minute.
pub const MINUTE: u64 = 60 * SECOND;
/// An hour.
pub const HOUR: u64 = 60 * MINUTE;
/// A day.
pub const DAY: u64 = 24 * HOUR;
/// Day 0 of every world: Monday, 2026-01-05T00:00Z.
pub const DAY_0: u64 = 20_458 * DAY;
/// How long the sites have published when day 0 begins.
pub const HISTORY: u64 = 3 * DAY;

/// A stretch of time, without its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    /// First millisecond.
    pub from_ms: u64,
    /// The millisecond after the last.
    pub until_ms: u64,
}

impl Span {
    /// Whether `at_ms` lies in it.
    #[must_use]
    pub const fn holds(self, at_ms: u64) -> bool {
        self.from_ms <= at_ms && at_ms < self.until_ms
    }

    /// How much of `other` lies in it, in milliseconds.
    #[must_use]
    pub fn overlap(self, other: Self) -> u64 {
        self.until_ms.min(other.until_ms).saturating_sub(self.from_ms.max(other.from_ms))
    }
}

/// `days` after day 0 began. Days before it are counted down to three weeks after 1970.
pub(super) fn day(days: f64) -> u64 {
    DAY_0.saturating_add_signed((days * DAY as f64) as i64)
}

/// A length of time given in seconds.
pub(super) fn seconds(count: f64) -> u64 {
    (count * SECOND as f64) as u64
}

/// `2026-01-05T08:15:30Z`
pub(super) fn rfc3339(ms: u64) -> String {
    let (y, m, d) = ymd(ms);
    let (h, min, s) = time_of_day(ms);
    format!("{y:04}-{m:02}-{d:02}T{h:02}:{min:02}:{s:02}Z")
}

/// `Mon, 05 Jan 2026 08:15:30 GMT`, as HTTP and RSS want it.
pub(super) fn http(ms: u64) -> String {
    const DAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let (y, m, d) = ymd(ms);
    let (h, min, s) = time_of_day(ms);
    let (weekday, month) = (DAYS[((ms / DAY + 3) % 7) as usize], MONTHS[m as usize - 1]);
    format!("{weekday}, {d:02} {month} {y} {h:02}:{min:02}:{s:02} GMT")
}

/// Year, month and day in UTC.
pub(super) fn ymd(ms: u64) -> (u64, u64, u64) {
    Moment { minutes: ms / MINUTE, offset_hours: 0 }.ymd()
}

const fn time_of_day(ms: u64) -> (u64, u64, u64) {
    (ms / HOUR % 24, ms / MINUTE % 60, ms / SECOND % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn day_0_is_the_first_monday_of_2026() {
        assert_eq!(rfc3339(DAY_0), "2026-01-05T00:00:00Z");
        assert_eq!(http(DAY_0 + 8 * HOUR + 15 * MINUTE + 30_999), "Mon, 05 Jan 2026 08:15:30 GMT");
        assert_eq!(rfc3339(day(-3.0)), "2026-01-02T00:00:00Z");
        assert_eq!(http(day(27.5)), "Sun, 01 Feb 2026 12:00:00 GMT");
    }
}
