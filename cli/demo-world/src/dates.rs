//! Moments as counts of minutes, and the styles in which sites print them. No clock is read.
//!
//! The world's "today" comes from the seed ([`today`]); every story is from the weeks before it. Civil dates use
//! Howard Hinnant's algorithm for the proleptic Gregorian calendar, correct from 1970 on.

use crate::language::Language;

/// A moment in UTC, and the offset with which its site prints it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment {
    /// Minutes since 1970-01-01T00:00Z.
    pub minutes: u64,
    /// The site's offset from UTC in whole hours, 0 or more.
    pub offset_hours: u8,
}

/// How a site prints dates for its readers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DateStyle {
    /// `14 March 2024`
    DayMonthYear,
    /// `March 14, 2024`
    MonthDayYear,
    /// `Thursday, 14 March 2024 08:15`
    Long,
    /// `2024-03-14 08:15`
    Iso,
    /// `14.03.2024`, `14/03/2024` in Spanish, `2024年3月14日` in Japanese
    Numeric,
    /// `14 Mar 2024` in English, Spanish and Portuguese, else as [`DayMonthYear`](Self::DayMonthYear)
    Short,
    /// `Mar. 14, 2024, 8:15 a.m.` in English, else as [`Long`](Self::Long)
    Press,
}

impl DateStyle {
    /// All styles.
    pub const ALL: [Self; 7] = [
        Self::DayMonthYear,
        Self::MonthDayYear,
        Self::Long,
        Self::Iso,
        Self::Numeric,
        Self::Short,
        Self::Press,
    ];
}

/// The last day of the world's news: a day in 2024 or 2025 that the seed chooses, in minutes since 1970.
#[must_use]
pub(crate) fn today(seed: u64) -> u64 {
    const FIRST_OF_2024: u64 = 19_723;
    (FIRST_OF_2024 + 60 + crate::rng::Rng::new(seed).fork("today").next_u64() % 600) * 24 * 60
}

impl Moment {
    /// Local year, month (1-12), day, hour, minute and day of the week (0 = Monday).
    fn parts(self) -> (u64, u64, u64, u64, u64, usize) {
        let local = self.minutes + u64::from(self.offset_hours) * 60;
        let days = local / 1440;
        let z = days + 719_468;
        let era = z / 146_097;
        let doe = z % 146_097;
        let yoe = (doe - doe / 1_460 + doe / 36_524 - doe / 146_096) / 365;
        let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
        let mp = (5 * doy + 2) / 153;
        let month = if mp < 10 { mp + 3 } else { mp - 9 };
        let year = yoe + era * 400 + u64::from(month <= 2);
        let day = doy - (153 * mp + 2) / 5 + 1;
        (year, month, day, local / 60 % 24, local % 60, ((days + 3) % 7) as usize)
    }

    /// `2024-03-14T08:15:00+01:00`, or with `Z` if the offset is 0.
    #[must_use]
    pub(crate) fn rfc3339(self) -> String {
        let (y, m, d, h, min, _) = self.parts();
        let zone = match self.offset_hours {
            0 => "Z".to_owned(),
            hours => format!("+{hours:02}:00"),
        };
        format!("{y:04}-{m:02}-{d:02}T{h:02}:{min:02}:00{zone}")
    }

    /// `2024-03-14`, local.
    #[must_use]
    pub(crate) fn date(self) -> String {
        let (y, m, d, ..) = self.parts();
        format!("{y:04}-{m:02}-{d:02}")
    }

    /// Local year, month and day, for paths.
    #[must_use]
    pub fn ymd(self) -> (u64, u64, u64) {
        let (y, m, d, ..) = self.parts();
        (y, m, d)
    }

    /// `Thu, 14 Mar 2024 07:15:00 GMT`, as HTTP and RSS require.
    #[must_use]
    pub(crate) fn http(self) -> String {
        let (y, m, d, h, min, weekday) = Self { offset_hours: 0, ..self }.parts();
        let english = Language::English.pack();
        let short = |name: &str| name.chars().take(3).collect::<String>();
        let (day_name, month_name) =
            (short(english.weekdays[weekday]), short(english.months[m as usize - 1]));
        format!("{day_name}, {d:02} {month_name} {y} {h:02}:{min:02}:00 GMT")
    }

    /// The moment in a site's style and language.
    #[must_use]
    pub(crate) fn shown(self, style: DateStyle, language: Language) -> String {
        let (y, m, d, h, min, _) = self.parts();
        let month = language.pack().months[m as usize - 1];
        let short: String = month.chars().take(3).collect();
        match (style, language) {
            (DateStyle::Iso, _) => format!("{y:04}-{m:02}-{d:02} {h:02}:{min:02}"),
            (DateStyle::Press, Language::English) => {
                let dot = if month.len() > 3 { "." } else { "" };
                let half = if h < 12 { "a.m." } else { "p.m." };
                format!("{short}{dot} {d}, {y}, {}:{min:02} {half}", (h + 11) % 12 + 1)
            }
            (DateStyle::Long | DateStyle::Press, _) => self.long(language),
            (DateStyle::Numeric, _) => self.numeric(language),
            (DateStyle::MonthDayYear, Language::English) => format!("{month} {d}, {y}"),
            (DateStyle::Short, Language::English | Language::Spanish | Language::Portuguese) => {
                format!("{d} {short} {y}")
            }
            _ => self.day(language),
        }
    }

    fn day(self, language: Language) -> String {
        let (y, m, d, ..) = self.parts();
        let month = language.pack().months[m as usize - 1];
        match language {
            Language::Japanese | Language::Chinese => format!("{y}年{m}月{d}日"),
            Language::German => format!("{d}. {month} {y}"),
            Language::Spanish | Language::Portuguese => format!("{d} de {month} de {y}"),
            _ => format!("{d} {month} {y}"),
        }
    }

    fn numeric(self, language: Language) -> String {
        let (y, m, d, ..) = self.parts();
        match language {
            Language::Japanese | Language::Chinese => self.day(language),
            Language::Spanish | Language::French | Language::Portuguese => format!("{d:02}/{m:02}/{y}"),
            Language::Arabic => format!("{d}/{m}/{y}"),
            _ => format!("{d:02}.{m:02}.{y}"),
        }
    }

    fn long(self, language: Language) -> String {
        let (.., h, min, weekday) = self.parts();
        let (day, weekday) = (self.day(language), language.pack().weekdays[weekday]);
        match language {
            Language::Japanese => format!("{day} {h}時{min:02}分"),
            Language::German => format!("{weekday}, {day}, {h:02}:{min:02} Uhr"),
            Language::French => format!("{weekday} {day} à {h:02}h{min:02}"),
            Language::Portuguese => format!("{day} às {h:02}h{min:02}"),
            Language::English => format!("{weekday}, {day} {h:02}:{min:02}"),
            Language::Chinese => format!("{day} {h:02}:{min:02}"),
            Language::Arabic => format!("{weekday} {day} - {h:02}:{min:02}"),
            Language::Spanish | Language::Russian => format!("{day}, {h:02}:{min:02}"),
        }
    }
}

impl DateStyle {
    /// Whether the printed date includes the time of day.
    #[must_use]
    pub const fn has_time(self) -> bool {
        matches!(self, Self::Long | Self::Iso | Self::Press)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn civil_dates_are_right_at_the_edges() {
        let at = |minutes, offset_hours| Moment { minutes, offset_hours };
        assert_eq!(at(0, 0).rfc3339(), "1970-01-01T00:00:00Z");
        assert_eq!(at(0, 0).http(), "Thu, 01 Jan 1970 00:00:00 GMT");
        assert_eq!(at(19_782 * 1440 + 23 * 60 + 30, 0).date(), "2024-02-29");
        assert_eq!(at(19_782 * 1440 + 23 * 60 + 30, 1).rfc3339(), "2024-03-01T00:30:00+01:00");
        assert_eq!(
            at(19_796 * 1440 + 495, 0).shown(DateStyle::Long, Language::English),
            "Thursday, 14 March 2024 08:15"
        );
        assert_eq!(
            at(19_796 * 1440 + 740, 0).shown(DateStyle::Press, Language::English),
            "Mar. 14, 2024, 12:20 p.m."
        );
    }
}
