//! Dates as pages write them, converted to ISO 8601.
//!
//! Input: ISO 8601 and its relatives, RFC 2822, months by name in many languages ("May 3, 2024 10:30 AM", "3.
//! Mai 2024"), and digits only ("3.5.2024", "2024年5月3日"). Output: `2024-05-03`, `2024-05-03T10:30:00`, and with
//! `Z` or an offset if the page gave one: a zone is kept, never invented. A date after the fetch (one day is
//! allowed for zones) or before 1990 is not the date of an article.

use std::borrow::Cow;

use crate::time::Timestamp;
use jiff::civil::{Date, Time};
use jiff::tz::Offset;

use super::months::month_number;

const DAY_MS: u64 = 86_400_000;
const LEAST_DIGITS: usize = 3;
/// Longest text that is searched for a date, in characters; the rest is ignored.
const MAX_TEXT: usize = 120;

/// The date in a text, in ISO 8601. `month_first`: 3/5/2024 is in March.
pub(super) fn parse(text: &str, fetched_at: Timestamp, month_first: bool) -> Option<String> {
    let text = with_ascii_digits(text.trim());
    // Most texts have no date, and no date has fewer digits than "3 May 24".
    if text.bytes().filter(u8::is_ascii_digit).take(LEAST_DIGITS).count() < LEAST_DIGITS {
        return None;
    }
    let text = with_space_after_label(text.chars().take(MAX_TEXT));
    let found = parse_iso(&text)
        .or_else(|| parse_rfc2822(&text))
        .or_else(|| parse_month_name(&text))
        .or_else(|| parse_digits(&text, month_first))?;
    found.is_plausible(fetched_at).then(|| found.to_iso())
}

/// The first characters of scripts' decimal digits.
const ZEROS: [char; 12] = [
    '\u{660}', '\u{6F0}', '\u{966}', '\u{9E6}', '\u{AE6}', '\u{BE6}', '\u{C66}', '\u{CE6}', '\u{E50}',
    '\u{1040}', '\u{17E0}', '\u{FF10}',
];

/// The text with the digits of all scripts as ASCII digits.
fn with_ascii_digits(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let ascii = |letter: char| {
        let value = ZEROS
            .iter()
            .find_map(|zero| u32::from(letter).checked_sub(u32::from(*zero)).filter(|by| *by < 10));
        value.and_then(|value| char::from_digit(value, 10)).unwrap_or(letter)
    };
    Cow::Owned(text.chars().map(ascii).collect())
}

/// Inserts a space between a label and its date, as in "Date:26. January".
fn with_space_after_label(letters: impl Iterator<Item = char>) -> String {
    let mut text = String::new();
    let mut before = [' '; 2];
    for letter in letters {
        if before[1] == ':' && before[0].is_alphabetic() && letter.is_ascii_digit() {
            text.push(' ');
        }
        text.push(letter);
        before = [before[1], letter];
    }
    text
}

/// An instant as a local date and time with its zone, which is in seconds east of Greenwich.
pub(super) fn format_instant(instant: jiff::Timestamp, zone: i32) -> Option<String> {
    let offset = Offset::from_seconds(zone).ok()?;
    let local = offset.to_datetime(instant);
    Some(DateParts { date: local.date(), time: Some(local.time()), offset: Some(offset) }.to_iso())
}

struct DateParts {
    date: Date,
    time: Option<Time>,
    offset: Option<Offset>,
}

impl DateParts {
    fn is_plausible(&self, fetched_at: Timestamp) -> bool {
        let limit = i64::try_from(fetched_at.0.saturating_add(DAY_MS)).unwrap_or(i64::MAX);
        let instant = self.date.to_datetime(self.time.unwrap_or_default());
        let offset = self.offset.unwrap_or(Offset::UTC);
        let at = offset.to_timestamp(instant).map(|at| at.as_millisecond()).unwrap_or(i64::MAX);
        self.date.year() >= 1990 && at <= limit
    }

    fn to_iso(&self) -> String {
        let DateParts { date, time, offset } = self;
        let Some(time) = time else { return date.to_string() };
        let zone = match offset {
            None => String::new(),
            Some(offset) if *offset == Offset::UTC => "Z".to_owned(),
            Some(offset) => {
                let minutes = offset.seconds() / 60;
                let sign = if minutes < 0 { '-' } else { '+' };
                format!("{sign}{:02}:{:02}", minutes.abs() / 60, minutes.abs() % 60)
            }
        };
        format!("{date}T{:02}:{:02}:{:02}{zone}", time.hour(), time.minute(), time.second())
    }
}

/// `2024-05-03`, `2024/05/03 10:30`, `20240503`, `2024-05-03T10:30:00.123+0200`.
fn parse_iso(text: &str) -> Option<DateParts> {
    let digits = |range: std::ops::Range<usize>| -> Option<u16> {
        let part = text.get(range)?;
        part.bytes().all(|byte| byte.is_ascii_digit()).then(|| part.parse().ok())?
    };
    let year = digits(0..4)?;
    let (month, day, end) = match text.as_bytes().get(4)? {
        b'-' | b'/' | b'.' => (digits(5..7)?, digits(8..10)?, 10),
        _ => (digits(4..6)?, digits(6..8)?, 8),
    };
    let date = Date::new(year.try_into().ok()?, month.try_into().ok()?, day.try_into().ok()?).ok()?;
    let rest = text.get(end..)?;
    if rest.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let (time, offset) = parse_clock(rest.trim_start_matches(['T', 't', ' ', ','])).unwrap_or((None, None));
    Some(DateParts { date, time, offset })
}

fn parse_rfc2822(text: &str) -> Option<DateParts> {
    let zoned = jiff::fmt::rfc2822::parse(text).ok()?;
    Some(DateParts { date: zoned.date(), time: Some(zoned.time()), offset: Some(zoned.offset()) })
}

/// A month by name with day and year around it in any order, and a time anywhere: "May 3, 2024", "3. Mai 2024",
/// "3 de mayo de 2024".
fn parse_month_name(text: &str) -> Option<DateParts> {
    let words: Vec<&str> = text
        .split([' ', ',', '،', '\u{A0}', '|', '(', ')', '/', '-', '\u{2013}'])
        .filter(|word| !word.is_empty() && !matches!(*word, "de" | "del" | "of" | "the"))
        .collect();
    let day_of = |word: &&&str| {
        let word = word.trim_end_matches(['.', 'º', '°', ';']);
        let ends = ["st", "nd", "rd", "th", "er"];
        let digits = ends.iter().find_map(|end| word.strip_suffix(end)).unwrap_or(word);
        digits.parse::<i8>().ok().filter(|day| (1..=31).contains(day))
    };
    let year_of = |word: &&&str| {
        let year = word.trim_end_matches(['.', ':', ';']).parse::<i16>().ok()?;
        // Thailand counts from 543 BC.
        let year = if (2533..2700).contains(&year) { year - 543 } else { year };
        (1990..2200).contains(&year).then_some(year)
    };
    let dated = |at: usize| {
        let month = month_number(words.get(at)?)?;
        let word = |at: Option<usize>| words.get(at?);
        let before = word(at.checked_sub(1));
        let behind = |places: usize| word(Some(at + places));
        let (day, year) = match before.as_ref().and_then(day_of) {
            Some(day) => (day, behind(1).as_ref().and_then(year_of)?),
            None => {
                let year = [behind(2), behind(3)].iter().flatten().find_map(year_of);
                // "2023 Jan 7".
                let year = year.or_else(|| before.as_ref().and_then(year_of));
                (behind(1).as_ref().and_then(day_of)?, year?)
            }
        };
        Date::new(year, month, day).ok()
    };
    let date = (0..words.len()).find_map(dated)?;
    let (time, offset) = find_clock(text);
    Some(DateParts { date, time, offset })
}

/// `3.5.2024`, `03/05/2024`, `03-05-24`: the day comes first unless that is impossible or the page writes the
/// month first. Also "2024年5月3日", "2024. 5. 3." and "2024년 5월 3일".
fn parse_digits(text: &str, month_first: bool) -> Option<DateParts> {
    let mut numbers: Vec<(usize, usize, i16)> = Vec::new();
    let (mut start, bytes) = (None, text.as_bytes());
    for at in 0..=bytes.len() {
        let is_digit = bytes.get(at).is_some_and(u8::is_ascii_digit);
        match (start, is_digit) {
            (None, true) => start = Some(at),
            (Some(from), false) => {
                if let Ok(number) = text[from..at].parse() {
                    numbers.push((from, at, number));
                }
                start = None;
            }
            _ => {}
        }
    }
    let date = numbers.windows(3).find_map(|part| {
        let [(a_start, a_end, a), (b_start, b_end, b), (c_start, c_end, c)] = part else { return None };
        let marks = (text[*a_end..*b_start].trim(), text[*b_end..*c_start].trim());
        let year = match c_end - c_start {
            4 => *c,
            2 => 2000 + *c,
            _ => 0,
        };
        let is_year_first = a_end - a_start == 4;
        let (year, month, day) = match marks {
            ("年", "月") | ("년", "월") | (".", ".") | ("/", "/") | ("-", "-") if is_year_first => {
                (*a, *b, *c)
            }
            (".", ".") => (year, *b, *a),
            ("/", "/") | ("-", "-") if (month_first && *a <= 12) || *b > 12 => (year, *a, *b),
            ("/", "/") | ("-", "-") => (year, *b, *a),
            _ => return None,
        };
        let date = Date::new(year, month.try_into().ok()?, day.try_into().ok()?).ok()?;
        (date.year() >= 1990).then_some(date)
    })?;
    let (time, offset) = find_clock(text);
    Some(DateParts { date, time, offset })
}

/// The first time of day in a text.
fn find_clock(text: &str) -> (Option<Time>, Option<Offset>) {
    let words: Vec<&str> =
        text.split([' ', ',', '\u{A0}', '|', '(', ')']).filter(|word| !word.is_empty()).collect();
    let at =
        words.iter().position(|word| word.contains(':') && word.starts_with(|c: char| c.is_ascii_digit()));
    at.and_then(|at| parse_clock(&words[at..].join(" "))).unwrap_or((None, None))
}

/// `10:30`, `10:30:15.5`, `10:30 p.m.`, with a zone after it: `Z`, `UTC`, `GMT`, `+02:00`, `+0200`, `+02`.
fn parse_clock(text: &str) -> Option<(Option<Time>, Option<Offset>)> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != ':').unwrap_or(text.len());
    let (digits, mut rest) = text.split_at(end);
    let mut parts = digits.split(':').map(|part| part.parse::<i8>().ok());
    let (mut hour, minute) = (parts.next()??, parts.next()??);
    let second = parts.next().flatten().unwrap_or(0);
    if let Some(fraction) =
        rest.strip_prefix('.').filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    {
        rest = fraction.trim_start_matches(|c: char| c.is_ascii_digit());
    }
    let rest = rest.trim_start();
    let half: String = rest.chars().take(4).filter(|c| c.is_ascii_alphabetic()).collect();
    let is_half = |name: &str| half.to_ascii_lowercase().starts_with(name);
    if is_half("pm") && hour < 12 {
        hour += 12;
    } else if is_half("am") && hour == 12 {
        hour = 0;
    }
    // Pages sometimes write 24:00 and leap seconds.
    let time = Time::new(hour % 24, minute, second.min(59), 0).ok()?;
    Some((Some(time), parse_zone(rest)))
}

fn parse_zone(text: &str) -> Option<Offset> {
    let word = text.split_whitespace().next().unwrap_or("");
    if word.eq_ignore_ascii_case("z") || word.eq_ignore_ascii_case("utc") || word.eq_ignore_ascii_case("gmt")
    {
        return Some(Offset::UTC);
    }
    let (sign, digits) = match word.split_at_checked(1)? {
        ("+", digits) => (1, digits),
        ("-", digits) => (-1, digits),
        _ => return None,
    };
    let digits = digits.replace(':', "");
    let hours: i32 = digits.get(..2)?.parse().ok()?;
    let minutes: i32 = digits.get(2..4).map_or(Ok(0), str::parse).ok()?;
    Offset::from_seconds(sign * (hours * 3600 + minutes * 60)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2024-06-01T00:00:00Z.
    const NOW: Timestamp = Timestamp(1_717_200_000_000);

    #[track_caller]
    fn check(text: &str, expected: Option<&str>) {
        assert_eq!(parse(text, NOW, false).as_deref(), expected, "{text}");
    }

    #[test]
    fn iso_and_its_relatives() {
        check("2024-05-03", Some("2024-05-03"));
        check("2024-05-03T10:30:15Z", Some("2024-05-03T10:30:15Z"));
        check("2024-05-03T10:30:15.123+02:00", Some("2024-05-03T10:30:15+02:00"));
        check("2024-05-03T10:30-0430", Some("2024-05-03T10:30:00-04:30"));
        check("2024-05-03 10:30:15", Some("2024-05-03T10:30:15"));
        check("2024/05/03 10:30 UTC", Some("2024-05-03T10:30:00Z"));
        check("20240503", Some("2024-05-03"));
        check("20240503 10:30", Some("2024-05-03T10:30:00"));
    }

    #[test]
    fn mail_and_english_forms() {
        check("Fri, 03 May 2024 10:30:00 +0200", Some("2024-05-03T10:30:00+02:00"));
        check("Fri, 03 May 2024 10:30:00 GMT", Some("2024-05-03T10:30:00Z"));
        check("May 3, 2024", Some("2024-05-03"));
        check("Published Friday, May 3rd, 2024 at 10:30 p.m. ET", Some("2024-05-03T22:30:00"));
        check("3 May 2024 12:05 AM", Some("2024-05-03T00:05:00"));
        check("Sept. 3, 2023", Some("2023-09-03"));
        check("Nutrients. 2023 Jan 7; 15(2)", Some("2023-01-07"));
    }

    #[test]
    fn other_languages_and_figures() {
        check("Veröffentlicht am 3. Mai 2024, 10:30 Uhr", Some("2024-05-03T10:30:00"));
        check("Datum:3. Mai 2024", Some("2024-05-03"));
        check("Viernes, 3 de mayo de 2024", Some("2024-05-03"));
        check("Stand: 03.05.2024 | 10:30", Some("2024-05-03T10:30:00"));
        check("3/5/2024", Some("2024-05-03"));
        check("3/25/2024", Some("2024-03-25"));
        check("2024年5月3日 10:30", Some("2024-05-03T10:30:00"));
        check("입력 2024.05.03. 오전 10:30", Some("2024-05-03T10:30:00"));
        assert_eq!(parse("3/5/2024", NOW, true).as_deref(), Some("2024-03-05"));
        check("१७ अगस्त 2020", Some("2020-08-17"));
        check("נכתב ב-17 באוגוסט 2020", Some("2020-08-17"));
        check("الاثنين ١٧ أغسطس ٢٠٢٠", Some("2020-08-17"));
        check("17 สิงหาคม 2563", Some("2020-08-17"));
        check("17 d’agost de 2020", Some("2020-08-17"));
        check("1.2.3", None);
        check("call 555-12-2024567", None);
    }

    #[test]
    fn what_cannot_be_is_no_date() {
        check("2024-06-01T20:00:00Z", Some("2024-06-01T20:00:00Z"));
        for text in ["2024-06-03", "1970-01-01", "2024-13-01", "123456789012", "yesterday", "May", "é", ""] {
            check(text, None);
        }
        check("maybe 3 of 2024 words", None);
    }
}
