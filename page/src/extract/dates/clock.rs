//! Times of day, and time zones as pages write them.

use std::ops::Range;

use jiff::civil::Time;
use jiff::tz::Offset;

use super::tokens::Token;
use crate::extract::cldr::{self, Language};

/// A time of day in a text.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Clock {
    pub(super) range: Range<usize>,
    pub(super) time: Time,
    pub(super) offset: Option<Offset>,
}

/// Words that come before a time whose hours and minutes are parted by a full stop.
const BEFORE: [&str; 18] = [
    "kl", "klo", "um", "ob", "kell", "plkst", "klokka", "klokken", "pukul", "jam", "ore", "alle", "at", "om",
    "val", "v", "o", "à",
];
/// Signs behind hours: `14 h 50`, `17時05分`, `14시`.
const HOURS: [&str; 7] = ["h", "hs", "hrs", "u", "時", "时", "시"];
const MINUTES: [&str; 5] = ["分", "분", "min", "m", "uhr"];
/// Names of zones, with their offset in minutes. Those with another meaning in some language are in [`OTHER_ZONES`].
const ZONES: [(&str, i32); 49] = [
    ("z", 0),
    ("utc", 0),
    ("gmt", 0),
    ("wet", 0),
    ("west", 60),
    ("bst", 60),
    ("cet", 60),
    ("mez", 60),
    ("cest", 120),
    ("mesz", 120),
    ("mest", 120),
    ("eet", 120),
    ("sast", 120),
    ("cat", 120),
    ("eest", 180),
    ("msk", 180),
    ("мск", 180),
    ("eat", 180),
    ("idt", 180),
    ("gst", 240),
    ("pkt", 300),
    ("ist", 330),
    ("npt", 345),
    ("wib", 420),
    ("ict", 420),
    ("wita", 480),
    ("hkt", 480),
    ("sgt", 480),
    ("myt", 480),
    ("pht", 480),
    ("awst", 480),
    ("wit", 540),
    ("jst", 540),
    ("kst", 540),
    ("acst", 570),
    ("aest", 600),
    ("acdt", 630),
    ("aedt", 660),
    ("nzst", 720),
    ("nzdt", 780),
    ("brt", -180),
    ("adt", -180),
    ("edt", -240),
    ("est", -300),
    ("cdt", -300),
    ("mdt", -360),
    ("pdt", -420),
    ("pst", -480),
    ("akst", -540),
];
/// Zones that mean something else in texts of a language: the language, and the offset there.
const OTHER_ZONES: [(&str, &str, i32); 3] = [("ist", "he", 120), ("ist", "ga", 60), ("cst", "zh", 480)];
const CST: i32 = -360;

/// The times of day among the tokens of a text; a token for which `is_taken` is part of a date.
pub(super) fn clocks(
    text: &str,
    tokens: &[Token],
    language: Option<Language>,
    is_taken: &dyn Fn(usize) -> bool,
) -> Vec<Clock> {
    let mut found: Vec<Clock> = Vec::new();
    let mut from = 0;
    for at in 0..tokens.len() {
        if at >= from
            && !is_taken(at)
            && let Some((clock, next)) = clock_at(text, tokens, at, language, is_taken)
        {
            found.push(clock);
            from = next;
        }
    }
    found
}

/// The time of day that begins with a token, and the number of the token after it.
fn clock_at(
    text: &str,
    tokens: &[Token],
    at: usize,
    language: Option<Language>,
    is_taken: &dyn Fn(usize) -> bool,
) -> Option<(Clock, usize)> {
    let gap = |one: usize| -> &str {
        let next = tokens.get(one + 1).map_or(text.len(), |next| next.range.start);
        &text[tokens[one].range.end..next]
    };
    let number = |at: usize, digits: Range<usize>| {
        let (value, length) = tokens.get(at)?.number()?;
        (digits.contains(&length) && !is_taken(at)).then_some(value)
    };
    let word = |at: usize| tokens.get(at).and_then(Token::word);
    let mut hour = number(at, 1..3).filter(|hour| *hour <= 24)?;
    let is_minute = |minute: &u32| *minute < 60;
    let sign = gap(at).trim();
    let minute = number(at + 1, 2..3).filter(is_minute);
    let is_hours = gap(at).trim().is_empty() && word(at + 1).is_some_and(|word| HOURS.contains(&word));
    let (minute, mut last) = if let (":" | "：", Some(minute)) = (sign, minute) {
        (minute, at + 1)
    } else if let (".", Some(minute)) = (sign, minute) {
        // "14.12" is a time where something says so.
        let says_so = at.checked_sub(1).and_then(word).is_some_and(|word| BEFORE.contains(&word))
            || half_of_day(text, tokens, at, at + 1, language).is_some()
            || word(at + 2).is_some_and(|word| matches!(word, "uhr" | "h" | "น"));
        says_so.then_some((minute, at + 1))?
    } else if is_hours {
        let minute = number(at + 2, 2..3).filter(is_minute).filter(|_| gap(at + 1).trim().is_empty());
        (minute.unwrap_or(0), if minute.is_some() { at + 2 } else { at + 1 })
    } else {
        // "10 pm".
        half_of_day(text, tokens, at, at, language)?;
        (0, at)
    };
    let second_at = number(last + 1, 2..3).filter(|_| gap(last) == ":");
    if second_at.is_some() {
        last += 1;
        // A fraction of a second.
        if gap(last) == "." && number(last + 1, 1..10).is_some() {
            last += 1;
        }
    }
    // Pages sometimes write leap seconds, and 24:00.
    let second = second_at.unwrap_or(0).min(59);
    if gap(last).trim().is_empty() && word(last + 1).is_some_and(|word| MINUTES.contains(&word)) {
        last += 1;
    }
    let mut start = tokens[at].range.start;
    if let Some((is_afternoon, of)) = half_of_day(text, tokens, at, last, language) {
        hour = match (is_afternoon, hour) {
            (true, 0..12) => hour + 12,
            (false, 12) => 0,
            _ => hour,
        };
        last = last.max(of);
        start = start.min(tokens[of].range.start);
    }
    let mut end = tokens[last].range.end;
    // The full stop behind "p.m".
    end += usize::from(text[end..].starts_with(". "));
    let time =
        Time::new(i8::try_from(hour % 24).ok()?, i8::try_from(minute).ok()?, i8::try_from(second).ok()?, 0);
    // "10:30-11:30" ends at half past eleven.
    let rest = text[end..].trim_start();
    let is_span = second_at.is_none()
        && rest.starts_with('-')
        && rest[1..].bytes().take_while(u8::is_ascii_digit).count() != 4;
    let (offset, end) = match parse_zone(&text[end..], language).filter(|_| !is_span) {
        Some((offset, length)) => (Some(offset), end + length),
        None => (None, end),
    };
    let next = tokens.iter().position(|token| token.range.start >= end).unwrap_or(tokens.len());
    Some((Clock { range: start..end, time: time.ok()?, offset }, next.max(last + 1)))
}

/// Whether a word beside the tokens `first` to `last` puts them after noon, and which word.
fn half_of_day(
    text: &str,
    tokens: &[Token],
    first: usize,
    last: usize,
    language: Option<Language>,
) -> Option<(bool, usize)> {
    let is_near =
        |one: usize, two: usize| text[tokens[one].range.end..tokens[two].range.start].trim().is_empty();
    let half = |at: usize| Some((cldr::is_afternoon(tokens.get(at)?.word()?, language)?, at));
    let behind = || half(last + 1).filter(|_| is_near(last, last + 1));
    behind().or_else(|| half(first.checked_sub(1)?).filter(|(_, before)| is_near(*before, first)))
}

/// The zone at the beginning of a text, and where it ends: `Z`, ` CET`, `+02:00`, `+0200`, `+2`, ` GMT+7`, ` (UTC -03:30)`.
pub(super) fn parse_zone(text: &str, language: Option<Language>) -> Option<(Offset, usize)> {
    let rest = text.trim_start_matches([' ', '\u{a0}', '\u{202f}', '(']);
    let start = text.len() - rest.len();
    let length = rest.find(|letter: char| !letter.is_alphabetic()).unwrap_or(rest.len());
    let name = rest[..length].to_lowercase();
    let named = zone_named(&name, language);
    let end = start + length;
    if length > 0 && named != Some(0) {
        return Some((Offset::from_seconds(named? * 60).ok()?, end));
    }
    // "GMT+7": the sign follows, perhaps behind a space.
    let signed = text[end..].trim_start_matches(' ');
    let from = text.len() - signed.len();
    match parse_offset(signed) {
        Some((offset, length)) => Some((offset, from + length)),
        None => named.map(|_| (Offset::UTC, end)),
    }
}

fn zone_named(name: &str, language: Option<Language>) -> Option<i32> {
    let is_other =
        |(zone, code, _): &&(&str, &str, i32)| *zone == name && language.is_some_and(|of| of.is(code));
    let other = OTHER_ZONES.iter().find(is_other).map(|(_, _, minutes)| *minutes);
    let shared = || ZONES.iter().find(|(zone, _)| *zone == name).map(|(_, minutes)| *minutes);
    other.or_else(shared).or_else(|| (name == "cst").then_some(CST))
}

/// `+02:00`, `-0330`, `+2`, with a hyphen or a minus sign.
fn parse_offset(text: &str) -> Option<(Offset, usize)> {
    let sign = match text.chars().next()? {
        '+' => 1,
        '-' | '\u{2212}' => -1,
        _ => return None,
    };
    let from = text.chars().next()?.len_utf8();
    let digits = |at: usize| text[at..].bytes().take_while(u8::is_ascii_digit).count();
    let count = digits(from);
    let (hours, minutes, end) = match count {
        4 => (&text[from..from + 2], &text[from + 2..from + 4], from + 4),
        1 | 2 => {
            let end = from + count;
            let is_parted = text[end..].starts_with(':') && digits(end + 1) == 2;
            if is_parted {
                (&text[from..end], &text[end + 1..end + 3], end + 3)
            } else {
                (&text[from..end], "0", end)
            }
        }
        _ => return None,
    };
    let (hours, minutes): (i32, i32) = (hours.parse().ok()?, minutes.parse().ok()?);
    let is_offset = hours <= 14 && minutes < 60;
    is_offset.then(|| {
        Offset::from_seconds(sign * (hours * 3600 + minutes * 60)).ok().map(|offset| (offset, end))
    })?
}

#[cfg(test)]
mod tests {
    use super::super::tokens::tokens;
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let found = clocks(text, &tokens(text), cldr::language("sv"), &|_| false);
        let plain = |clock: &Clock| match clock.offset {
            Some(offset) => format!("{} {offset}", clock.time),
            None => clock.time.to_string(),
        };
        assert_eq!(found.iter().map(plain).collect::<Vec<_>>().join(", "), expected, "{text}");
    }

    #[test]
    fn times_as_pages_write_them() {
        check("10:30", "10:30:00");
        check("10:30:15.5", "10:30:15");
        check("kl. 08.12", "08:12:00");
        check("11.35am", "11:35:00");
        check("10:30 p.m. ET", "22:30:00");
        check("12:05 AM", "00:05:00");
        check("오후 4:30", "16:30:00");
        check("午後4時30分", "16:30:00");
        check("07:30 مساءً", "19:30:00");
        check("14 h 50, 15h10", "14:50:00, 15:10:00");
        check("08: 35", "08:35:00");
        check("version 14.12, 3 of 5", "");
        check("25:30", "");
    }

    #[test]
    fn zones_as_pages_write_them() {
        check("10:30 CEST", "10:30:00 +02");
        check("10:30 +1:00", "10:30:00 +01");
        check("10:30-0430", "10:30:00 -04:30");
        check("10:30Z", "10:30:00 +00");
        check("10:30 GMT+7", "10:30:00 +07");
        check("10:30 (UTC −3)", "10:30:00 -03");
        check("10:30 Uhr", "10:30:00");
        check("10:30 - 11:30", "10:30:00, 11:30:00");
    }
}
