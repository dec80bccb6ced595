//! Dates of feeds and sitemaps.
//!
//! Machines write the W3C forms from a year to a fraction of a second, or the time since 1970. Everything else, RFC 2822
//! with its usual mistakes among it, is read by the grammar for the dates of pages, which knows the months of all
//! languages. Feeds name zones that a page cannot: there "met" may also be a word. What is less exact is the start of its
//! day, month or year; what has no zone is in UTC. Dates before 1990 are mostly zeros and count as no date.

use jiff::civil::{Date, DateTime};
use jiff::tz::{Offset, TimeZone};
use jiff::{Timestamp as Instant, ToSpan as _, Zoned};
use newslode_page::Timestamp;
use newslode_page::extract::written_date;
use newslode_page::reading::squash;

/// 1990-01-01T00:00:00Z.
const FIRST: Timestamp = Timestamp(631_152_000_000);
/// Longest text that may be a date, in bytes.
const MAX_TEXT: usize = 160;

/// Names of zones that the grammar for pages does not know, with the zone in the list of IANA, or hours from UTC.
const ZONES: [(&str, &str); 39] = [
    ("UT", "+00"),
    ("MET", "+01"),
    ("WAT", "+01"),
    ("WAST", "+02"),
    ("MEST", "+02"),
    ("MSD", "+04"),
    ("AZT", "+04"),
    ("TRT", "+03"),
    ("FET", "+03"),
    ("AST", "-04"),
    ("NST", "America/St_Johns"),
    ("NDT", "America/St_Johns"),
    ("AT", "America/Halifax"),
    ("ET", "America/New_York"),
    ("CT", "America/Chicago"),
    ("MT", "America/Denver"),
    ("PT", "America/Los_Angeles"),
    ("MST", "-07"),
    ("EST5EDT", "America/New_York"),
    ("CST6CDT", "America/Chicago"),
    ("MST7MDT", "America/Denver"),
    ("PST8PDT", "America/Los_Angeles"),
    ("AKDT", "-08"),
    ("HST", "-10"),
    ("HDT", "-09"),
    ("ART", "-03"),
    ("BRST", "-02"),
    ("CLT", "-04"),
    ("CLST", "-03"),
    ("COT", "-05"),
    ("PET", "-05"),
    ("VET", "-04"),
    ("UYT", "-03"),
    ("YEKT", "+05"),
    ("UZT", "+05"),
    ("BDT", "+06"),
    ("AWDT", "+09"),
    ("CHST", "+10"),
    ("NZT", "Pacific/Auckland"),
];

/// The point in time that a text names.
pub(crate) fn parse(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    if text.len() > MAX_TEXT {
        return None;
    }
    let mut instant = parse_w3c(text).or_else(|| parse_digits(text)).or_else(|| parse_written(text))?;
    // The midnight at the end of a day is read as that at its beginning.
    if ["T24:00", " 24:00"].into_iter().any(|midnight| text.contains(midnight)) {
        instant = instant.checked_add(24.hours()).ok()?;
    }
    let found = Timestamp(u64::try_from(instant.as_millisecond()).ok()?);
    (found >= FIRST).then_some(found)
}

/// `2024`, `2024-05`, `2024-05-03`, `20240503`, `2024-05-03T10:30Z`, `2024-05-03 10:30:15.5 +0200`.
fn parse_w3c(text: &str) -> Option<Instant> {
    if !text.bytes().take(4).all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let start = |date: Date| Offset::UTC.to_timestamp(date.into()).ok();
    let number = |text: &str| text.parse::<i8>().ok();
    if text.len() == 4 {
        return start(Date::new(text.parse().ok()?, 1, 1).ok()?);
    }
    if let Some((year, month)) = text.split_once('-').filter(|(_, month)| month.len() == 2) {
        return start(Date::new(year.parse().ok()?, number(month)?, 1).ok()?);
    }
    if let Some((year, day)) = text.split_once('-').filter(|(_, day)| day.len() == 3) {
        let new_year = Date::new(year.parse().ok()?, 1, 1).ok()?;
        let days = day.parse::<i32>().ok()?.checked_sub(1).filter(|days| (0..366).contains(days))?;
        return start(new_year.checked_add(days.days()).ok()?);
    }
    if text.ends_with(']') {
        return text.parse::<Zoned>().ok().map(|zoned| zoned.timestamp());
    }
    let text = zone_attached(text)?;
    let civil = || Offset::UTC.to_timestamp(text.parse::<DateTime>().ok()?).ok();
    text.parse::<Instant>().ok().or_else(civil)
}

/// The text with its zone as jiff reads it: directly behind the time, `Z` instead of a name. `None`: it has a zone of
/// another name, or something else behind the time.
fn zone_attached(text: &str) -> Option<String> {
    let mut words = text.split_ascii_whitespace();
    let (first, second, third) = (words.next().unwrap_or_default(), words.next(), words.next());
    let zone = |word: &str| match word {
        "UTC" | "GMT" | "Z" => Some("Z".to_owned()),
        _ => word.starts_with(['+', '-']).then(|| word.to_owned()),
    };
    match (second, third) {
        (Some(last), None) => match zone(last) {
            Some(zone) => Some(first.to_owned() + &zone),
            None => Some(format!("{first}T{last}")),
        },
        (Some(time), Some(last)) => Some(format!("{first}T{time}{}", zone(last)?)),
        (None, _) => Some(first.to_owned()),
    }
}

/// Seconds or milliseconds since 1970, `202405031030` and `20240503103000`.
fn parse_digits(text: &str) -> Option<Instant> {
    // A fraction of a second.
    let text =
        text.split_once('.').filter(|(seconds, _)| seconds.len() == 10).map_or(text, |(seconds, _)| seconds);
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    match text.len() {
        10 => Instant::from_second(text.parse().ok()?).ok(),
        13 => Instant::from_millisecond(text.parse().ok()?).ok(),
        12 | 14 => {
            let (date, time) = text.split_at_checked(8)?;
            let civil: DateTime = format!("{date}T{time}").parse().ok()?;
            Offset::UTC.to_timestamp(civil).ok()
        }
        _ => None,
    }
}

/// A date in words or in digits of any order.
fn parse_written(text: &str) -> Option<Instant> {
    let text = squash(text);
    let (text, zone) = without_zone(&text);
    // The month comes first where clocks have twelve hours, for all that slashes tell.
    let month_first = text.contains('/') && text.to_ascii_lowercase().ends_with('m');
    let written = written_date(&text, month_first)?;
    let civil: DateTime = match written.split_once('T') {
        Some((date, time)) => format!("{date}T{}", time.get(..8)?).parse().ok()?,
        None => return Offset::UTC.to_timestamp(written.parse::<Date>().ok()?.into()).ok(),
    };
    match zone {
        Some(zone) => zone.to_ambiguous_timestamp(civil).compatible().ok(),
        None => written.parse().ok().or_else(|| Offset::UTC.to_timestamp(civil).ok()),
    }
}

/// The text without its comment, and without a zone behind the time of day that the grammar would not know.
fn without_zone(text: &str) -> (String, Option<TimeZone>) {
    let mut zone = None;
    let mut has_clock = false;
    let mut words = Vec::new();
    // "GMT+0100 (Central European Standard Time)" has said it all before.
    let plain = text.split_once(" (").filter(|_| text.ends_with(')')).map_or(text, |(plain, _)| plain);
    let mut rest = plain.split(' ').peekable();
    while let Some(word) = rest.next() {
        let is_inside = rest.peek().is_some();
        let named = Some(word).filter(|_| has_clock && zone.is_none());
        let named = named.and_then(|word| zone_named(word).or_else(|| offset_in(word).filter(|_| is_inside)));
        // "9:15-05:00" may also be a span of time, so the grammar leaves such a zone.
        let attached = word.rfind(['+', '-']).and_then(|at| word.split_at_checked(at));
        let attached = attached.filter(|(time, _)| time.contains(':') && zone.is_none());
        match (named, attached.and_then(|(time, offset)| Some((time, offset_in(offset)?)))) {
            (Some(named), _) => zone = Some(named),
            (None, Some((time, offset))) => {
                words.push(time);
                zone = Some(offset);
            }
            (None, None) => words.push(word),
        }
        has_clock |= word.contains(':');
    }
    (words.join(" "), zone)
}

/// `+0200` or `+02:00`; where the year follows it, the grammar does not take it for a zone.
fn offset_in(word: &str) -> Option<TimeZone> {
    let digits = word.strip_prefix(['+', '-'])?;
    let (hours, minutes) = digits.split_at_checked(2)?;
    let minutes = minutes.strip_prefix(':').unwrap_or(minutes);
    if minutes.len() != 2 {
        return None;
    }
    let seconds = hours.parse::<i32>().ok()? * 3600 + minutes.parse::<i32>().ok()? * 60;
    let sign = if word.starts_with('-') { -1 } else { 1 };
    Some(Offset::from_seconds(sign * seconds).ok()?.to_time_zone())
}

/// The zone of a name in [`ZONES`] or in the list of IANA.
fn zone_named(word: &str) -> Option<TimeZone> {
    let word = word.trim_matches(['[', ']', '(', ')', ',', '.']);
    let known = ZONES.iter().find(|(name, _)| name.eq_ignore_ascii_case(word)).map(|(_, zone)| *zone);
    if let Some(hours) = known.filter(|zone| zone.starts_with(['+', '-'])) {
        return Some(Offset::from_hours(hours.parse().ok()?).ok()?.to_time_zone());
    }
    let listed =
        known.or(Some(word).filter(|word| word.contains('/') && word.starts_with(char::is_alphabetic)))?;
    jiff::tz::db().get(listed).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<&str>) {
        let found = parse(text).map(|at| Instant::from_millisecond(at.0 as i64).unwrap().to_string());
        assert_eq!(found.as_deref(), expected, "{text}");
    }

    #[test]
    fn w3c_forms() {
        check("2024", Some("2024-01-01T00:00:00Z"));
        check("2024-05", Some("2024-05-01T00:00:00Z"));
        check(" 2024-05-03\n", Some("2024-05-03T00:00:00Z"));
        check("20240503", Some("2024-05-03T00:00:00Z"));
        check("2024-05-03T10:30Z", Some("2024-05-03T10:30:00Z"));
        check("2024-05-03T10:30+02:00", Some("2024-05-03T08:30:00Z"));
        check("2024-05-03T10:30:15.25-0430", Some("2024-05-03T15:00:15.25Z"));
        check("2024-05-03T10:30:15", Some("2024-05-03T10:30:15Z"));
        check("2024-05-03 10:30:15", Some("2024-05-03T10:30:15Z"));
        check("2024-05-03 10:30:15 +0200", Some("2024-05-03T08:30:15Z"));
        check("2024-05-03 10:30:15 UTC", Some("2024-05-03T10:30:15Z"));
        check("2024-05-03T10:30:15 +02:00", Some("2024-05-03T08:30:15Z"));
    }

    #[test]
    fn mail_forms() {
        for text in [
            "Fri, 03 May 2024 10:30:00 +0200",
            "Fri, 3 May 2024 10:30 +02:00",
            "Mon, 03 May 2024 10:30:00 +0200",
            "Freitag, 03 May 2024 10:30:00 CEST",
            "3 May 24 08:30:00 GMT",
            "Fri, 03 May 2024 08:30:00",
            "Fri, 03 May 2024 08:30:00 UTC",
            "Fri, 03 May 2024 04:30:00 EDT",
        ] {
            check(text, Some("2024-05-03T08:30:00Z"));
        }
    }

    /// `NEWSLODE_FEED_DATES` may name a file with a JSON object on each line: `text` is a date as a feed wrote it, and `utc` is
    /// the instant, or only the day where no zone is given.
    #[test]
    fn dates_as_feeds_write_them() {
        let own = r#"{"text": "Fri, 03 May 2024 10:30:00 MEST", "utc": "2024-05-03T08:30:00Z"}
            {"text": "3. Mai 2024", "utc": "2024-05-03"}
            {"text": "May 3, 2024 8:30 AM GMT", "utc": "2024-05-03T08:30:00Z"}"#;
        let lines = std::env::var("NEWSLODE_FEED_DATES")
            .map_or_else(|_| own.to_owned(), |file| std::fs::read_to_string(file).unwrap());
        let (mut read, mut all) = (0, 0);
        for line in lines.lines() {
            let form: serde_json::Value = serde_json::from_str(line).unwrap();
            let (text, utc) = (form["text"].as_str().unwrap(), form["utc"].as_str().unwrap());
            let found = parse(text).map(|at| Instant::from_second((at.0 / 1000) as i64).unwrap().to_string());
            let is_right = found.as_ref().is_some_and(|found| found.starts_with(utc));
            (read, all) = (read + usize::from(is_right), all + 1);
            if !is_right {
                eprintln!("{text:?} is {utc}, read as {found:?}");
            }
        }
        eprintln!("{read} of {all} dates are read");
        assert!(all > 0 && read * 100 >= all * 95, "{read} of {all}");
    }

    #[test]
    fn other_forms() {
        for text in [
            "1714725000",
            "1714725000000",
            "202405030830",
            "20240503083000",
            "20240503T083000Z",
            "May 3, 2024 8:30 AM",
            "Fri May 03 08:30:00 2024",
            "Fri May 03 10:30:00 +0200 2024",
            "Fri May 03 2024 01:30:00 GMT-0700 (Pacific Daylight Time)",
            "Friday, 03-May-24 08:30:00 GMT",
            "Fri, 03 May 2024 09:30:00 MET",
            "Fri, 03 May 2024 10:30:00 MEST",
            "Fri, 03 May 2024 10:30:00 Europe/Warsaw",
            "Fri, 03 May 2024 04:30 ET",
            "2024-05-03 04:30:00 EDT",
            "2024-05-03 09:30:00 MET",
            "2024-05-03T10:30:00[Europe/Berlin]",
            "2024-május-03T03:30-05:00",
            "2024-05-03 08:30 AM",
            "1714725000.5",
            "Fri, 03 May 2024 02:30:00 mt",
            "05/03/2024 8:30 AM",
            "3/5/2024 08:30",
            "03.05.2024, 08:30",
            "ven., 03 mai 2024 10:30:00 +0200",
            "Птн, 03 мая 2024 11:30:00 MSK",
            "2024年5月3日 08:30",
        ] {
            check(text, Some("2024-05-03T08:30:00Z"));
        }
        for text in ["May 3, 2024", "3 May 2024", "2024/05/03", "2024-5-3", "Fri, 3. Mai 2024", "3.5.24"] {
            check(text, Some("2024-05-03T00:00:00Z"));
        }
        check("2024-124", Some("2024-05-03T00:00:00Z"));
        for text in ["2024-05-02T24:00:00Z", "Thu, 02 May 2024 24:00:00 GMT"] {
            check(text, Some("2024-05-03T00:00:00Z"));
        }
        // A zone is one only behind a time of day.
        check("Met 3 May 2024 08:30", Some("2024-05-03T08:30:00Z"));
    }

    #[test]
    fn other_texts_are_no_date() {
        for text in [
            "",
            "now",
            "2024-13",
            "0000-00-00",
            "1970-01-01T00:00:00Z",
            "1851-09-18",
            "é",
            "20é4-01",
            "99999",
            "2024-000",
            "2024-999",
            "0000000000",
            "99999999999999",
        ] {
            check(text, None);
        }
        check(&"2024-05-03 ".repeat(20), None);
        check("Fri, 99 May 2024 10:30:00 +0200", None);
    }
}
