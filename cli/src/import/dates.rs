//! From when to when the captures are that count, or the publications of live sites (`--since`, `--until`).
//!
//! A date is a day or a time. A day stands for all of it, in UTC: its first moment for `--since` and its last for `--until`.
//! Start at [`Dates`].

use std::str::FromStr;

use newslode_common::schedule::Days;
use newslode_page::time::Timestamp;

use crate::exit::hinted;

/// A day, or a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DateArg {
    first: Timestamp,
    last: Timestamp,
}

impl FromStr for DateArg {
    type Err = String;

    fn from_str(text: &str) -> Result<DateArg, String> {
        // A time without a zone would be read as a day.
        let is_day = text.len() == "2024-05-01".len();
        let millis = |at: jiff::Timestamp| u64::try_from(at.as_millisecond()).ok().map(Timestamp);
        let day = || {
            let day = text.parse::<jiff::civil::Date>().ok().filter(|_| is_day)?;
            let first = millis(day.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp())?;
            Some(DateArg { first, last: Timestamp(first.0 + 86_399_999) })
        };
        let time = || {
            let at = millis(text.parse::<jiff::Timestamp>().ok()?)?;
            Some(DateArg { first: at, last: at })
        };
        day().or_else(time).ok_or_else(|| {
            "expected a day such as 2024-05-01, or a time such as 2024-05-01T12:00:00Z, from 1970 on"
                .to_owned()
        })
    }
}

/// From when to when captures or publications count.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub(crate) struct Dates {
    /// First day or time: of publication on live sites, of which sitemaps, archives and lists are read; of capture in web archives.
    #[arg(long, value_name = "DATE")]
    pub(crate) since: Option<DateArg>,
    /// Last day or time [default: now].
    #[arg(long, value_name = "DATE")]
    pub(crate) until: Option<DateArg>,
}

impl Dates {
    /// # Errors
    /// When nothing can be between them.
    pub(super) fn check(self) -> anyhow::Result<Dates> {
        match (self.since, self.until) {
            (Some(since), Some(until)) if since.first > until.last => {
                Err(hinted("`--since` is after `--until`", "exchange the two dates"))
            }
            _ => Ok(self),
        }
    }

    /// The days to ask live sites for; nothing without `--since`.
    ///
    /// # Errors
    /// When there are none: they have not come yet, or nothing says when they begin.
    pub(crate) fn window(self, now: Timestamp) -> anyhow::Result<Option<Days>> {
        let Some(since) = self.since else {
            return match self.until {
                Some(_) => Err(hinted(
                    "`--until` does not say where the past begins",
                    "name the first day with --since",
                )),
                None => Ok(None),
            };
        };
        self.check()?;
        if since.first > now {
            return Err(hinted(
                "`--since` is in the future",
                "name a day that has come: live sites list what they have published",
            ));
        }
        let last = self.until.map_or(now, |until| until.last.min(now));
        Ok(Some(Days { first: since.first.day(), last: last.day() }))
    }

    pub(super) fn contain(self, at: Timestamp) -> bool {
        self.since.is_none_or(|since| since.first <= at) && self.until.is_none_or(|until| at <= until.last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dates(since: &str, until: &str) -> Dates {
        Dates { since: since.parse().ok(), until: until.parse().ok() }
    }

    #[test]
    fn days_count_as_a_whole_and_times_to_the_moment() {
        // 2024-05-01T00:00:00Z
        const DAY: u64 = 1_714_521_600_000;
        let one = dates("2024-05-01", "2024-05-01");
        assert!(one.contain(Timestamp(DAY)) && one.contain(Timestamp(DAY + 86_399_999)));
        assert!(!one.contain(Timestamp(DAY - 1)) && !one.contain(Timestamp(DAY + 86_400_000)));
        let noon = dates("2024-05-01T12:00:00Z", "2024-05-01T14:30:00+02:00");
        assert!(noon.contain(Timestamp(DAY + 43_200_000)) && noon.contain(Timestamp(DAY + 45_000_000)));
        assert!(!noon.contain(Timestamp(DAY + 43_199_999)) && !noon.contain(Timestamp(DAY + 45_000_001)));
        assert!(dates("", "").contain(Timestamp(0)) && dates("2024-05-01", "").contain(Timestamp(u64::MAX)));
    }

    #[test]
    fn live_sites_are_asked_for_days_that_have_come() {
        let now = Timestamp(1_714_564_800_000); // 2024-05-01T12:00:00Z
        let day = now.day();
        let days = |since: &str, until: &str| dates(since, until).window(now);
        assert_eq!(days("2024-04-30", "").unwrap(), Some(Days { first: day - 1, last: day }));
        assert_eq!(days("2024-04-01", "2024-04-02").unwrap(), Some(Days { first: day - 30, last: day - 29 }));
        assert_eq!(days("2024-04-30", "2030-01-01").unwrap(), Some(Days { first: day - 1, last: day }));
        assert_eq!(days("", "").unwrap(), None);
        for (since, until) in [("", "2024-04-01"), ("2024-04-02", "2024-04-01"), ("2024-05-02", "")] {
            assert!(days(since, until).is_err(), "{since} {until}");
        }
    }

    #[test]
    fn wrong_dates_are_refused() {
        for wrong in [
            "",
            "yesterday",
            "2024-13-01",
            "2024-02-30",
            "01.05.2024",
            "2024-05",
            "20240501",
            "1969-01-01",
            "2024-05-01T12:00",
        ] {
            let error = wrong.parse::<DateArg>().expect_err(wrong);
            assert!(error.contains("2024-05-01T12:00:00Z"), "{error}");
        }
        assert!(dates("2024-05-02", "2024-05-01").check().is_err());
        assert!(dates("2024-05-01T12:00:00Z", "2024-05-01").check().is_ok());
    }
}
