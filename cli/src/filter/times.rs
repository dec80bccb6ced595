//! Times as people and programs write them: `2026-11-25`, `2026-11-25T10:30Z`, `today`, `7d`.
//!
//! A [`When`] keeps what was written, so a link with `7d` means the last seven days whenever it is followed. It becomes an instant
//! with a [`Calendar`], which is passed in.

use std::fmt;
use std::str::FromStr;

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use newslode_common::time;
use newslode_page::time::Timestamp;

use crate::zone::zone;

const HOUR: u64 = 3_600_000;

/// What `today` and a date mean.
#[derive(Clone, Debug)]
pub(crate) struct Calendar {
    pub(crate) now: Timestamp,
    /// Where days begin, and the zone of times that name none.
    pub(crate) zone: TimeZone,
}

impl Calendar {
    /// The calendar of requests that are answered now.
    pub(crate) fn current() -> Calendar {
        Calendar { now: time::now(), zone: zone() }
    }

    /// The day that it is.
    pub(crate) fn today(&self) -> Date {
        self.local(self.now).date()
    }

    /// What clocks of the zone show at a time.
    pub(crate) fn local(&self, at: Timestamp) -> DateTime {
        let at = jiff::Timestamp::from_millisecond(i64::try_from(at.0).unwrap_or(i64::MAX));
        at.unwrap_or(jiff::Timestamp::MAX).to_zoned(self.zone.clone()).datetime()
    }

    /// The first instant of a day.
    fn start_of(&self, date: Date) -> Timestamp {
        self.instant(date.at(0, 0, 0, 0))
    }

    /// The first instant after a day.
    fn end_of(&self, date: Date) -> Timestamp {
        date.tomorrow().map_or(Timestamp(u64::MAX), |next| self.start_of(next))
    }

    fn instant(&self, local: DateTime) -> Timestamp {
        local.to_zoned(self.zone.clone()).map_or(Timestamp(u64::MAX), |zoned| timestamp(zoned.timestamp()))
    }
}

/// Milliseconds since 1970; 0 for earlier times.
fn timestamp(at: jiff::Timestamp) -> Timestamp {
    Timestamp(u64::try_from(at.as_millisecond()).unwrap_or_default())
}

/// A time as it was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    /// A whole day.
    Day(Date),
    /// A time with a zone.
    At(Timestamp),
    /// A time without one.
    Local(DateTime),
    Today,
    Yesterday,
    /// So long ago.
    Ago(u32, Unit),
}

/// What is counted back from now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    Hours,
    Days,
    Weeks,
}

impl Unit {
    const ALL: [(Unit, char, u64); 3] =
        [(Unit::Hours, 'h', HOUR), (Unit::Days, 'd', 24 * HOUR), (Unit::Weeks, 'w', 7 * 24 * HOUR)];

    fn millis(self) -> u64 {
        Unit::ALL.into_iter().find(|(unit, ..)| *unit == self).map_or(HOUR, |(.., millis)| millis)
    }
}

/// It is no time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NoTime;

impl FromStr for When {
    type Err = NoTime;

    fn from_str(text: &str) -> Result<When, NoTime> {
        if text.eq_ignore_ascii_case("today") {
            return Ok(When::Today);
        }
        if text.eq_ignore_ascii_case("yesterday") {
            return Ok(When::Yesterday);
        }
        for (unit, letter, _) in Unit::ALL {
            if let Some(count) = text.strip_suffix(letter).filter(|count| is_number(count)) {
                return count.parse().map(|count| When::Ago(count, unit)).map_err(|_| NoTime);
            }
        }
        if !text.contains(':') {
            return read_date(text).map(When::Day).ok_or(NoTime);
        }
        // A `+` that nobody encoded arrives as a space.
        let zoned = text.split_once('T').map(|(date, time)| format!("{date}T{}", time.replacen(' ', "+", 1)));
        let at = zoned.as_deref().unwrap_or(text).parse::<jiff::Timestamp>().ok();
        let local = || text.parse().ok().map(When::Local);
        at.map(|at| When::At(timestamp(at))).or_else(local).ok_or(NoTime)
    }
}

/// A date without a time.
pub(crate) fn read_date(text: &str) -> Option<Date> {
    // The parser would also accept a date with a time after it.
    let is_date = text.chars().all(|letter| letter.is_ascii_digit() || letter == '-');
    text.parse().ok().filter(|_| is_date)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

impl fmt::Display for When {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            When::Day(date) => write!(f, "{date}"),
            When::At(at) => f.write_str(&time::iso(*at)),
            When::Local(local) => write!(f, "{local}"),
            When::Today => f.write_str("today"),
            When::Yesterday => f.write_str("yesterday"),
            When::Ago(count, unit) => {
                let letter =
                    Unit::ALL.into_iter().find(|(own, ..)| own == unit).map_or('h', |(_, letter, _)| letter);
                write!(f, "{count}{letter}")
            }
        }
    }
}

impl When {
    /// The instant at which it begins.
    pub(crate) fn start(&self, calendar: &Calendar) -> Timestamp {
        match *self {
            When::Day(date) => calendar.start_of(date),
            When::At(at) => at,
            When::Local(local) => calendar.instant(local),
            When::Today => calendar.start_of(calendar.today()),
            When::Yesterday => calendar.start_of(yesterday(calendar)),
            When::Ago(count, unit) => {
                Timestamp(calendar.now.0.saturating_sub(u64::from(count).saturating_mul(unit.millis())))
            }
        }
    }

    /// The first instant after it: a day ends with the next one, an instant with the next millisecond.
    pub(crate) fn end(&self, calendar: &Calendar) -> Timestamp {
        match *self {
            When::Day(date) => calendar.end_of(date),
            When::Today => calendar.end_of(calendar.today()),
            When::Yesterday => calendar.end_of(yesterday(calendar)),
            When::At(_) | When::Local(_) | When::Ago(..) => {
                Timestamp(self.start(calendar).0.saturating_add(1))
            }
        }
    }
}

fn yesterday(calendar: &Calendar) -> Date {
    calendar.today().yesterday().unwrap_or(Date::MIN)
}

/// When an article was published, as far as that is known and no later than it was found (`found`, else `now`); else when it was
/// found. A date without a time means the beginning of that day where the reader is, so the article is in the list of that day.
pub(crate) fn article_time(published: Option<&str>, found: Option<Timestamp>, now: Timestamp) -> Timestamp {
    let latest = found.unwrap_or(now);
    let calendar = Calendar { now, zone: zone() };
    let published = published.and_then(|text| publication_time(text, &calendar));
    published.map_or(latest, |published| published.min(latest))
}

fn publication_time(text: &str, calendar: &Calendar) -> Option<Timestamp> {
    read_date(text).map(|day| calendar.start_of(day)).or_else(|| parse_instant(text))
}

/// The instant of an ISO 8601 date or time; without a zone it is taken for UTC.
pub(crate) fn parse_instant(text: &str) -> Option<Timestamp> {
    let utc = TimeZone::UTC;
    let civil = || text.parse::<DateTime>().ok()?.to_zoned(utc.clone()).ok();
    let day = || text.parse::<Date>().ok()?.to_zoned(utc.clone()).ok();
    let at = text.parse::<jiff::Timestamp>().ok();
    let at = at.or_else(|| Some(civil()?.timestamp())).or_else(|| Some(day()?.timestamp()))?;
    u64::try_from(at.as_millisecond()).ok().map(Timestamp)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calendar(zone: &str) -> Calendar {
        // 2026-11-25T03:00:00Z: still the 24th in New York.
        Calendar { now: Timestamp(1_795_575_600_000), zone: TimeZone::get(zone).unwrap() }
    }

    #[test]
    fn times_begin_and_end_in_their_zone() {
        let span = |text: &str, zone: &str| {
            let (when, calendar) = (text.parse::<When>().unwrap(), calendar(zone));
            format!("{} {}", time::iso(when.start(&calendar)), time::iso(when.end(&calendar)))
        };
        assert_eq!(span("2026-11-25", "UTC"), "2026-11-25T00:00:00Z 2026-11-26T00:00:00Z");
        assert_eq!(span("2026-11-25", "Europe/Berlin"), "2026-11-24T23:00:00Z 2026-11-25T23:00:00Z");
        assert_eq!(span("today", "UTC"), "2026-11-25T00:00:00Z 2026-11-26T00:00:00Z");
        assert_eq!(span("today", "America/New_York"), "2026-11-24T05:00:00Z 2026-11-25T05:00:00Z");
        assert_eq!(span("Yesterday", "UTC"), "2026-11-24T00:00:00Z 2026-11-25T00:00:00Z");
        // The day on which clocks go back has 25 hours.
        assert_eq!(span("2026-10-25", "Europe/Berlin"), "2026-10-24T22:00:00Z 2026-10-25T23:00:00Z");
        for (text, start) in [
            ("7d", "2026-11-18T03:00:00Z"),
            ("24h", "2026-11-24T03:00:00Z"),
            ("2w", "2026-11-11T03:00:00Z"),
            ("4000000000w", "1970-01-01T00:00:00Z"),
            ("1960-01-01", "1970-01-01T00:00:00Z"),
            ("2026-11-25T10:30:00Z", "2026-11-25T10:30:00Z"),
            ("2026-11-25T10:30+02:00", "2026-11-25T08:30:00Z"),
            ("2026-11-25T10:30 02:00", "2026-11-25T08:30:00Z"),
            ("2026-11-25T10:30", "2026-11-25T10:30:00Z"),
            ("2026-11-25 10:30", "2026-11-25T10:30:00Z"),
        ] {
            assert!(span(text, "UTC").starts_with(start), "{text}: {}", span(text, "UTC"));
        }
        assert_eq!(
            span("2026-11-25T10:30", "Europe/Berlin"),
            "2026-11-25T09:30:00Z 2026-11-25T09:30:00.001Z"
        );
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for wrong in [
            "",
            "d",
            "-7d",
            "7",
            "7 d",
            "7m",
            "now",
            "tomorrow",
            "2026-13-01",
            "25.11.2026",
            "10:30",
            "T",
            ":",
        ] {
            assert_eq!(wrong.parse::<When>(), Err(NoTime), "{wrong}");
        }
        assert_eq!(read_date("2026-11-25T10"), None);
    }

    #[test]
    fn a_date_without_a_time_is_of_its_day_in_every_zone() {
        for zone in ["America/New_York", "UTC", "Asia/Tokyo"] {
            let calendar = calendar(zone);
            let at = publication_time("2026-11-20", &calendar).unwrap();
            let day = When::Day(read_date("2026-11-20").unwrap());
            assert!(day.start(&calendar) <= at && at < day.end(&calendar), "{zone}");
            let at = publication_time("2026-11-20T23:30:00Z", &calendar).unwrap();
            assert_eq!(time::iso(at), "2026-11-20T23:30:00Z", "{zone}");
        }
    }

    #[test]
    fn instants_are_read_from_dates_and_times() {
        let at = |text| parse_instant(text).map(|at| at.0 / 1000);
        assert_eq!(at("2024-05-03"), Some(1_714_694_400));
        assert_eq!(at("2024-05-03T10:30:00Z"), Some(1_714_732_200));
        assert_eq!(at("2024-05-03T10:30:00+02:00"), Some(1_714_725_000));
        assert_eq!(at("2024-05-03T10:30"), Some(1_714_732_200));
        assert_eq!(at("yesterday"), None);
        assert_eq!(at("1900-01-01"), None);
    }
}
