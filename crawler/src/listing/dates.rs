//! Dates of feeds and sitemaps.
//!
//! Input: RFC 2822 with its usual mistakes, and the W3C forms from a year to a fraction of a second. What is
//! less exact is the start of its day, month or year; what has no zone is in UTC. Dates before 1990 are mostly
//! zeros and count as no date.

use jiff::Timestamp as Instant;
use jiff::civil::{Date, DateTime};
use jiff::fmt::rfc2822;
use jiff::tz::Offset;
use newslode_page::Timestamp;

/// 1990-01-01T00:00:00Z.
const FIRST: Timestamp = Timestamp(631_152_000_000);
/// Longest text that may be a date, in bytes.
const MAX_TEXT: usize = 64;

/// Names of zones outside RFC 2822 that feeds use, and their offsets.
const ZONES: [(&str, &str); 17] = [
    ("UTC", "+0000"),
    ("Z", "+0000"),
    ("WET", "+0000"),
    ("WEST", "+0100"),
    ("BST", "+0100"),
    ("CET", "+0100"),
    ("MEZ", "+0100"),
    ("CEST", "+0200"),
    ("MESZ", "+0200"),
    ("EET", "+0200"),
    ("EEST", "+0300"),
    ("MSK", "+0300"),
    ("IST", "+0530"),
    ("HKT", "+0800"),
    ("JST", "+0900"),
    ("KST", "+0900"),
    ("AEST", "+1000"),
];

/// The point in time that a text names.
pub(crate) fn parse(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    if text.len() > MAX_TEXT {
        return None;
    }
    let instant = parse_w3c(text).or_else(|| parse_rfc2822(text))?;
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
    let text = zone_attached(text);
    let civil = || Offset::UTC.to_timestamp(text.parse::<DateTime>().ok()?).ok();
    text.parse::<Instant>().ok().or_else(civil)
}

/// The text with its zone as jiff reads it: directly behind the time, `Z` instead of a name.
fn zone_attached(text: &str) -> String {
    let mut words = text.split_ascii_whitespace();
    let (first, second, third) = (words.next().unwrap_or_default(), words.next(), words.next());
    let zone = |word: &str| match word {
        "UTC" | "GMT" | "Z" => Some("Z".to_owned()),
        _ => word.starts_with(['+', '-']).then(|| word.to_owned()),
    };
    match (second, third) {
        (Some(last), None) => match zone(last) {
            Some(zone) => first.to_owned() + &zone,
            None => format!("{first}T{last}"),
        },
        (Some(time), Some(last)) => format!("{first}T{time}{}", zone(last).unwrap_or_default()),
        (None, _) => first.to_owned(),
    }
}

/// `Fri, 03 May 2024 10:30:00 +0200`; without a zone, with one that RFC 2822 does not know, with a colon in
/// it, or with a day of the week in any language.
fn parse_rfc2822(text: &str) -> Option<Instant> {
    let text = text.split_once(',').map_or(text, |(_, date)| date);
    let mut words: Vec<&str> = text.split_ascii_whitespace().collect();
    let last = *words.last()?;
    let colonless: String;
    if last.starts_with(['+', '-']) {
        colonless = last.replace(':', "");
        words.pop();
        words.push(&colonless);
    } else if last.contains(':') {
        words.push("+0000");
    } else if let Some((_, offset)) = ZONES.iter().find(|(name, _)| name.eq_ignore_ascii_case(last)) {
        words.pop();
        words.push(offset);
    }
    rfc2822::DateTimeParser::new().parse_timestamp(words.join(" ")).ok()
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
        ] {
            check(text, None);
        }
        check(&"2024-05-03 ".repeat(10), None);
        check("Fri, 99 May 2024 10:30:00 +0200", None);
    }
}
