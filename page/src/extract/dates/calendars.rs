//! Dates of other calendars, converted to Gregorian ones.

use jiff::civil::Date;

use crate::extract::cldr::Calendar;

/// Years of the Buddhist era that are read, and the Gregorian year before its first.
const BUDDHIST: std::ops::Range<i32> = 2500..2700;
const BEFORE_BUDDHIST: i32 = 543;
/// Years of other calendars that are read: those since about 1990.
const PERSIAN: std::ops::Range<i32> = 1365..1500;
const ETHIOPIC: std::ops::Range<i32> = 1980..2100;
/// The days from the first of January of the year 1 to the first days of the calendars.
const PERSIAN_EPOCH: i32 = 226_894;
const ETHIOPIC_EPOCH: i32 = 2_795;

/// The date with this year, month and day in a calendar. Gregorian years may be those of the Buddhist era.
pub(super) fn date(calendar: Calendar, year: i32, month: u8, day: u8) -> Option<Date> {
    let (months, days) = (i32::from(month), i32::from(day));
    match calendar {
        Calendar::Gregorian => {
            let year = if BUDDHIST.contains(&year) { year - BEFORE_BUDDHIST } else { year };
            Date::new(year.try_into().ok()?, month.try_into().ok()?, day.try_into().ok()?).ok()
        }
        Calendar::Persian => {
            let length = if months <= 6 { 31 } else { 30 };
            let is_day = (1..=12).contains(&months) && (1..=length).contains(&days);
            let before = 31 * (months - 1).min(6) + 30 * (months - 7).max(0);
            // Eight leap years in 33 years: exact from 1178 to 1633.
            let leaps = (8 * year + 21) / 33;
            (is_day && PERSIAN.contains(&year))
                .then(|| days_after_epoch(PERSIAN_EPOCH + 365 * (year - 1) + leaps + before + days - 1))?
        }
        Calendar::Ethiopic => {
            let is_day = (1..=13).contains(&months) && (1..=30).contains(&days);
            let before = 365 * (year - 1) + year / 4 + 30 * (months - 1);
            (is_day && ETHIOPIC.contains(&year))
                .then(|| days_after_epoch(ETHIOPIC_EPOCH + before + days - 1))?
        }
    }
}

/// The date so many days after the first of January of the year 1.
fn days_after_epoch(days: i32) -> Option<Date> {
    Date::constant(1, 1, 1).checked_add(jiff::Span::new().try_days(days).ok()?).ok()
}

/// The Gregorian year of an era's year: `令和6年`, `民國113年`.
pub(super) fn year_of_era(era: &str, year: i32) -> Option<i32> {
    let before = [("令和", 2018), ("平成", 1988), ("民國", 1911), ("民国", 1911)];
    before.iter().find(|(name, _)| era.ends_with(name)).map(|(_, before)| before + year)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn years_of_other_calendars() {
        let check = |calendar, (year, month, day), expected: &str| {
            let found = date(calendar, year, month, day).map(|date| date.to_string());
            assert_eq!(found.as_deref().unwrap_or("none"), expected, "{calendar:?} {year}-{month}-{day}");
        };
        // First and last days of years, leap ones among them.
        for (persian, expected) in [
            ((1370, 1, 1), "1991-03-21"),
            ((1375, 12, 30), "1997-03-20"),
            ((1399, 12, 30), "2021-03-20"),
            ((1400, 1, 1), "2021-03-21"),
            ((1403, 1, 1), "2024-03-20"),
            ((1403, 7, 1), "2024-09-22"),
            ((1403, 12, 30), "2025-03-20"),
            ((1404, 1, 1), "2025-03-21"),
            ((1408, 12, 30), "2030-03-20"),
            ((1403, 7, 31), "none"),
            ((1203, 7, 1), "none"),
        ] {
            check(Calendar::Persian, persian, expected);
        }
        check(Calendar::Ethiopic, (2000, 1, 1), "2007-09-12");
        check(Calendar::Ethiopic, (2016, 1, 1), "2023-09-12");
        check(Calendar::Ethiopic, (2016, 13, 5), "2024-09-10");
        check(Calendar::Ethiopic, (2017, 1, 1), "2024-09-11");
        check(Calendar::Gregorian, (2567, 2, 29), "2024-02-29");
        check(Calendar::Gregorian, (2023, 2, 29), "none");
        assert_eq!(year_of_era("令和", 6), Some(2024));
        assert_eq!(year_of_era("中華民國", 113), Some(2024));
    }
}
