//! Dates as pages write them, converted to ISO 8601.
//!
//! A text is cut into numbers and words ([`tokens`]). A date is a month by [name](cldr) with day and year around it in any
//! of the orders that languages use, or three numbers parted alike; words that languages put between them ("3 de mayo de
//! 2024") may intervene. Years of other [calendars] are converted. A time of day and its zone ([`clock`]) belong to the
//! nearest date. Machines also write ISO 8601 and the time since 1970.
//!
//! Output: `2024-05-03`, `2024-05-03T10:30:00`, and with `Z` or an offset if the page gave one: a zone is kept, never
//! invented. A date after the fetch (one day is allowed for zones) or before 1990 is not the date of an article.

use std::ops::Range;

use crate::Page;
use crate::time::Timestamp;
use jiff::civil::{Date, Time};
use jiff::tz::Offset;

use super::cldr::{self, Calendar, Language, Month, Order};

mod calendars;
mod clock;
mod tokens;

use clock::{Clock, clocks, parse_zone};
use tokens::{Token, tokens};

const DAY_MS: u64 = 86_400_000;
const LEAST_DIGITS: usize = 3;
/// Longest text that is searched for dates, in characters; the rest is ignored.
const MAX_TEXT: usize = 160;
/// Most words of a name of a month, and most words between the parts of a date.
const MONTH_WORDS: usize = 3;
const MOST_BETWEEN: usize = 3;
/// Fewest letters of a name that may have an ending which CLDR does not know, and most letters of the ending.
const LEAST_STEM: usize = 5;
const MOST_ENDING: usize = 3;
/// Letters behind a day or year: "3rd", "1er", "3a".
const ORDINALS: [&str; 18] =
    ["st", "nd", "rd", "th", "er", "re", "º", "ª", "o", "a", "e", "de", "ste", "i", "mh", "an", "en", "va"];
/// The months as some write them between day and year: "5 VI 2024".
const ROMAN: [&str; 12] = ["I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"];
/// The first year of an article.
const FIRST_YEAR: i16 = 1990;

/// How a page writes dates.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct DateStyle {
    pub(super) language: Option<Language>,
    /// The order where all is digits and nothing else tells.
    pub(super) order: Order,
}

impl DateStyle {
    /// The style of a page's language, and in English of its country.
    ///
    /// Templates write dates, so a declared language comes before the text's. English is what templates declare that were
    /// never adapted.
    pub(super) fn of(page: &Page) -> DateStyle {
        let declared = page.declared_language.as_deref().filter(|code| *code != "en");
        let language = declared.or(page.language.as_deref()).and_then(cldr::language);
        let is_english = language.is_none_or(|language| language.is("en"));
        let order = match language {
            _ if is_english && writes_month_first(page) => Order::MonthDayYear,
            _ if is_english => Order::DayMonthYear,
            // Spanish and Filipino pages write the month first in few countries.
            Some(language) if language.order() == Order::YearMonthDay => Order::YearMonthDay,
            _ => Order::DayMonthYear,
        };
        DateStyle { language, order }
    }
}

/// Whether an English page writes the month before the day, as those of some countries do.
fn writes_month_first(page: &Page) -> bool {
    let day_first = ["uk", "gb", "au", "nz", "ie", "in", "za", "ng", "ke", "sg", "my", "hk", "pk"];
    let tree = &page.tree;
    let declared = tree.node_ids().find(|&node| tree.tag(node) == Some("html"));
    let declared = declared.and_then(|html| tree.attr(html, "lang")?.rsplit_once(['-', '_']));
    let region = declared.map(|(_, region)| region.to_ascii_lowercase());
    // The region that the page declares wins; otherwise the country code of its host decides.
    let end = page.url.host().rsplit('.').next().unwrap_or_default();
    let region = region.as_deref().filter(|region| region.len() == 2 && *region != "us").unwrap_or(end);
    !day_first.contains(&region)
}

/// A date in a text, and where it is, with its time of day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    /// ISO 8601.
    pub(super) value: String,
    pub(super) range: Range<usize>,
}

/// The first date in a text, in ISO 8601.
pub(super) fn parse(text: &str, fetched_at: Timestamp, style: DateStyle) -> Option<String> {
    find(text, fetched_at, style).into_iter().next().map(|found| found.value)
}

/// The first date in a text in whatever language, in ISO 8601, also one that is still to come. `month_first`: that is
/// the order where all is digits and nothing else tells.
///
/// ```
/// use newslode_page::extract::written_date;
///
/// assert_eq!(written_date("sob., 08 gru 2018 12:50 CET", false).as_deref(), Some("2018-12-08T12:50:00+01:00"));
/// ```
#[must_use]
pub fn written_date(text: &str, month_first: bool) -> Option<String> {
    let order = if month_first { Order::MonthDayYear } else { Order::DayMonthYear };
    parse(text, Timestamp(u64::MAX), DateStyle { language: None, order })
}

/// The date in a text that is written for machines: it may also be the time since 1970, in seconds or milliseconds.
pub(super) fn parse_stamp(text: &str, fetched_at: Timestamp, style: DateStyle) -> Option<String> {
    let digits = text.trim();
    let is_stamp = matches!(digits.len(), 10 | 13) && digits.bytes().all(|byte| byte.is_ascii_digit());
    if !is_stamp {
        return parse(text, fetched_at, style);
    }
    let value: i64 = digits.parse().ok()?;
    let seconds = if digits.len() == 13 { value / 1000 } else { value };
    let datetime = Offset::UTC.to_datetime(jiff::Timestamp::from_second(seconds).ok()?);
    let parts = DateParts { date: datetime.date(), time: Some(datetime.time()), offset: Some(Offset::UTC) };
    parts.is_plausible(fetched_at).then(|| parts.to_iso())
}

/// The dates in a text, in their order.
pub(super) fn find(text: &str, fetched_at: Timestamp, style: DateStyle) -> Vec<Found> {
    let end = text.char_indices().nth(MAX_TEXT).map_or(text.len(), |(at, _)| at);
    let text = &text[..end];
    // Most texts have no date, and no date has fewer digits than "3 May 24".
    if text.chars().filter(|letter| cldr::digit(*letter).is_some()).take(LEAST_DIGITS).count() < LEAST_DIGITS
    {
        return Vec::new();
    }
    if let Some(parts) = parse_iso(text.trim(), style.language) {
        let is_plausible = parts.is_plausible(fetched_at);
        let found = is_plausible.then(|| Found { value: parts.to_iso(), range: 0..end });
        // "2024-05-03" may begin a line with another date.
        if text.trim().len() <= LONGEST_ISO || found.is_none() {
            return found.into_iter().collect();
        }
    }
    Dates { text, tokens: tokens(text), fetched_at, style }.find()
}

/// Bytes of `2024-05-03T10:30:00.000000+02:00`.
const LONGEST_ISO: usize = 32;

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
        self.date.year() >= FIRST_YEAR && at <= limit
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

/// `2024-05-03`, `2024/05/03 10:30`, `20240503`, `2024-05-03T10:30:00.123+0200`, at the beginning of a text.
fn parse_iso(text: &str, language: Option<Language>) -> Option<DateParts> {
    let digits = |range: Range<usize>| -> Option<i16> {
        let part = text.get(range)?;
        part.bytes().all(|byte| byte.is_ascii_digit()).then(|| part.parse().ok())?
    };
    let year = digits(0..4)?;
    let (month, day, end) = match text.as_bytes().get(4)? {
        b'-' | b'/' | b'.' => (digits(5..7)?, digits(8..10)?, 10),
        _ => (digits(4..6)?, digits(6..8)?, 8),
    };
    // Years of other calendars are left to the grammar.
    let date = ((FIRST_YEAR..2200).contains(&year))
        .then(|| Date::new(year, month.try_into().ok()?, day.try_into().ok()?).ok())??;
    let rest = text.get(end..)?;
    if rest.starts_with(|letter: char| letter.is_ascii_digit()) {
        return None;
    }
    let rest = rest.trim_start_matches(['T', 't', ' ', ',']);
    let clock = clocks(rest, &tokens(rest), language, &|_| false).into_iter().next();
    let clock = clock.filter(|clock| clock.range.start == 0);
    let offset = || {
        let clock = clock.as_ref()?;
        clock.offset.or_else(|| parse_zone(&rest[clock.range.end..], language).map(|(offset, _)| offset))
    };
    Some(DateParts { date, time: clock.as_ref().map(|clock| clock.time), offset: offset() })
}

/// A text that is searched for dates.
struct Dates<'t> {
    text: &'t str,
    tokens: Vec<Token>,
    fetched_at: Timestamp,
    style: DateStyle,
}

/// A date, and the tokens from its first to its last.
#[derive(Clone, Debug)]
struct Dated {
    date: Date,
    tokens: Range<usize>,
}

impl Dates<'_> {
    fn find(&self) -> Vec<Found> {
        let mut dated: Vec<Dated> = Vec::new();
        let mut from = 0;
        while from < self.tokens.len() {
            match self.date_at(from, dated.last().map_or(0, |last| last.tokens.end)) {
                Some(found) => {
                    from = found.tokens.end;
                    dated.push(found);
                }
                None => from += 1,
            }
        }
        // A time may be inside a date: "Sep 03 19:20:00 2024".
        let is_clock = |at: usize| {
            self.gap(at) == ":" || at.checked_sub(1).is_some_and(|before| self.gap(before) == ":")
        };
        let is_taken = |at: usize| dated.iter().any(|one| one.tokens.contains(&at)) && !is_clock(at);
        let clocks = if dated.is_empty() {
            Vec::new()
        } else {
            clocks(self.text, &self.tokens, self.style.language, &is_taken)
        };
        let mut found: Vec<Found> = Vec::new();
        for one in &dated {
            let range = self.bytes(&one.tokens);
            let clock = clocks.iter().find(|clock| self.is_of(clock, &range, &dated));
            let parts = DateParts {
                date: one.date,
                time: clock.map(|clock| clock.time),
                offset: clock.and_then(|clock| clock.offset),
            };
            if parts.is_plausible(self.fetched_at) {
                let start = clock.map_or(range.start, |clock| clock.range.start.min(range.start));
                let end = clock.map_or(range.end, |clock| clock.range.end.max(range.end));
                found.push(Found { value: parts.to_iso(), range: start..end });
            }
        }
        found
    }

    fn bytes(&self, tokens: &Range<usize>) -> Range<usize> {
        self.tokens[tokens.start].range.start..self.tokens[tokens.end - 1].range.end
    }

    /// Whether a clock belongs to the date in this range: no other date is nearer.
    fn is_of(&self, clock: &Clock, range: &Range<usize>, dated: &[Dated]) -> bool {
        let distance = |range: &Range<usize>| {
            let between = match clock.range.start >= range.end {
                true => &self.text[range.end..clock.range.start],
                // A clock may also be inside: "Tue Sep 03 19:20:00 BST 2024".
                false => self.text.get(clock.range.end..range.start).unwrap_or_default(),
            };
            // A line between them parts more than words do.
            between.len() + if between.contains('|') { self.text.len() } else { 0 }
        };
        let own = distance(range);
        dated.iter().all(|other| distance(&self.bytes(&other.tokens)) >= own)
    }

    /// The date whose month or first number is this token; tokens before `taken` belong to another date.
    fn date_at(&self, at: usize, taken: usize) -> Option<Dated> {
        self.named(at, taken).or_else(|| self.numeric(at))
    }

    /// A date whose month begins at this token.
    fn named(&self, at: usize, taken: usize) -> Option<Dated> {
        let (months, mut span) = self.months_at(at)?;
        span.start = span.start.max(taken);
        self.around(&months, &span, taken)
    }

    /// The months that the tokens from here on may name, and which tokens these are.
    fn months_at(&self, at: usize) -> Option<(Vec<Month>, Range<usize>)> {
        let word = |at: usize| self.tokens.get(at).and_then(Token::word);
        let month = |at: usize| {
            let (value, digits) = self.tokens.get(at)?.number()?;
            (digits <= 2 && (1..=12).contains(&value)).then(|| u8::try_from(value).ok())?
        };
        if let Some(number) = month(at) {
            // "5月", "5 сарын", "5-р сарын": perhaps with an ending of the number between.
            let far = word(at + 1).is_some_and(|word| word.chars().count() == 1) && self.is_near(at);
            let behind = [Some(at + 1), far.then_some(at + 2)].into_iter().flatten();
            let sign = behind.into_iter().find(|&sign| word(sign).is_some_and(cldr::is_behind_month));
            return sign
                .filter(|&sign| (at..sign).all(|at| self.is_near(at)))
                .map(|sign| (vec![Month::gregorian(number)], at..sign + 1));
        }
        let first = word(at)?;
        if cldr::is_before_month(first)
            && self.is_near(at)
            && let Some(number) = month(at + 1)
        {
            return Some((vec![Month::gregorian(number)], at..at + 2));
        }
        let mut name = String::new();
        let mut found = None;
        for end in at..(at + MONTH_WORDS).min(self.tokens.len()) {
            let Some(next) = word(end) else { break };
            if end > at {
                if self.gap(end - 1) != " " {
                    break;
                }
                name.push(' ');
            }
            name.push_str(next);
            let months = self.months_named(&name);
            if !months.is_empty() {
                found = Some((months, at..end + 1));
            }
        }
        found.or_else(|| {
            let written = &self.text[self.tokens[at].range.clone()];
            let number = (1..).zip(ROMAN).find(|(_, roman)| *roman == written)?.0;
            // "I" is also a word: only between a day and a year.
            let is_number = |at: Option<usize>| at.and_then(|at| self.tokens.get(at)?.number()).is_some();
            (is_number(at.checked_sub(1)) && is_number(Some(at + 1)))
                .then(|| (vec![Month::gregorian(number)], at..at + 1))
        })
    }

    /// The months that a folded name may mean: one for each calendar.
    fn months_named(&self, name: &str) -> Vec<Month> {
        let known = |name: &str| -> Vec<Month> {
            let calendars = [Calendar::Gregorian, Calendar::Persian, Calendar::Ethiopic];
            calendars
                .into_iter()
                .filter_map(|calendar| cldr::month(name, self.style.language, calendar))
                .collect()
        };
        // Latin words of one or two letters are no names.
        if name.is_ascii() && name.len() < 3 {
            return Vec::new();
        }
        let months = known(name);
        if !months.is_empty() {
            return months;
        }
        // Hebrew writes "in" as a letter before the name, Catalan elides "de", Turkish parts endings.
        let parts = name.split_once('\'').into_iter().flat_map(|(before, behind)| [before, behind]);
        let parted =
            name.strip_prefix('ב').into_iter().chain(parts).map(known).find(|months| !months.is_empty());
        // Cases: Serbian "februara", Basque "azaroak". English has none.
        let is_english = self.style.language.is_some_and(|language| language.is("en"));
        let ends: Vec<usize> = name.char_indices().map(|(at, _)| at).skip(LEAST_STEM).collect();
        let stems = ends.iter().rev().take(if is_english { 0 } else { MOST_ENDING }).map(|end| &name[..*end]);
        parted.or_else(|| stems.map(known).find(|months| !months.is_empty())).unwrap_or_default()
    }

    /// The date of a month with day and year around it: 3 May 2024, May 3 2024, 2024 May 3, 2024 3 May.
    fn around(&self, months: &[Month], span: &Range<usize>, taken: usize) -> Option<Dated> {
        let span = &(span.start..self.end_of_month(months, span));
        let (before, behind) = (self.before(span.start, taken), self.behind(span.end));
        let day = |at: usize| {
            let (value, digits) = self.tokens[at].number()?;
            (digits <= 2 && (1..=31).contains(&value)).then(|| u8::try_from(value).ok())?
        };
        let long_year = |at: usize| {
            let (value, digits) = self.tokens[at].number()?;
            let value = i32::try_from(value).ok()?;
            // `令和6年` counts from the first year of an era.
            let era = at.checked_sub(1).and_then(|before| self.tokens[before].word()).unwrap_or_default();
            let of_era = calendars::year_of_era(era, value).filter(|_| digits <= 3);
            of_era.or_else(|| (digits == 4).then_some(value))
        };
        let date = |year: i32, day: u8, tokens: Range<usize>| {
            let dates =
                months.iter().filter_map(|month| calendars::date(month.calendar, year, month.number, day));
            let date = dates.into_iter().find(|date| (FIRST_YEAR..2200).contains(&date.year()))?;
            Some(Dated { date, tokens })
        };
        // 3 May 2024, 3 May 24, 2024 3 May.
        let day_before = || {
            let at = before?;
            let day = day(at)?;
            let year_behind = || {
                let year = behind?;
                date(long_year(year).or_else(|| self.short_year(year, months))?, day, at..year + 1)
            };
            let year_before = || {
                let year = self.before(at, taken)?;
                date(long_year(year)?, day, year..span.end)
            };
            year_behind().or_else(year_before)
        };
        // May 3, 2024; 2024 May 3; 令和元年5月3日.
        let day_behind = || {
            let at = behind?;
            let day = day(at)?;
            let year_behind = || {
                let years = [self.behind(at + 1), self.behind_clock(at + 1)];
                let (year, number) =
                    years.into_iter().flatten().find_map(|year| Some((year, long_year(year)?)))?;
                date(number, day, span.start..year + 1)
            };
            let year_before = || {
                let year = before?;
                date(long_year(year)?, day, year..at + 1)
            };
            let first_year = || {
                let era = self.tokens[span.start.checked_sub(1)?].word()?.strip_suffix("元年")?;
                date(calendars::year_of_era(era, 1)?, day, span.start - 1..at + 1)
            };
            year_before().or_else(year_behind).or_else(first_year)
        };
        day_before().or_else(day_behind)
    }

    /// The end of a month's name, with another name of the same month behind it: "يوليو/تموز".
    fn end_of_month(&self, months: &[Month], span: &Range<usize>) -> usize {
        let is_near = span.end > 0 && self.is_near(span.end - 1);
        let is_same =
            |other: &[Month]| other.iter().any(|other| months.iter().any(|month| month.is_same(*other)));
        match self.months_at(span.end).filter(|_| is_near) {
            Some((others, other)) if self.tokens[other.start].word().is_some() && is_same(&others) => {
                other.end
            }
            _ => span.end,
        }
    }

    /// A year of two digits, if no time or word follows it: "5 May 24". Thailand writes the Buddhist year.
    fn short_year(&self, at: usize, months: &[Month]) -> Option<i32> {
        let (value, digits) = self.tokens[at].number()?;
        let is_gregorian = months.iter().any(|month| month.calendar == Calendar::Gregorian);
        let gap = self.gap(at);
        let next = self.tokens.get(at + 1);
        // "5 May 12 people", "5 May 10:30", "5 May 10.30".
        let ends = next.is_none()
            || (gap.starts_with([',', ' ', ')', ';', '|', '-']) && !gap.trim().is_empty())
            || self.next_is_clock(at + 1);
        let is_year = digits == 2 && ends && is_gregorian;
        let year = i32::try_from(value).ok()?;
        let month = self.tokens[..at].iter().rev().find_map(Token::word)?;
        let is_thai = month.chars().any(|letter| ('\u{e00}'..='\u{e7f}').contains(&letter));
        is_year.then_some(if is_thai { 2500 + year } else { with_century(year) })
    }

    fn next_is_clock(&self, at: usize) -> bool {
        let is_number = |at: usize| self.tokens.get(at).is_some_and(|token| token.number().is_some());
        is_number(at) && is_number(at + 1) && self.gap(at) == ":"
    }

    /// A date of three numbers: `3.5.2024`, `03/05/2024`, `03-05-24`, `2024. 5. 3.`, `1403/02/14`.
    fn numeric(&self, at: usize) -> Option<Dated> {
        let number = |at: usize| self.tokens.get(at).and_then(Token::number);
        let ((a, a_digits), (b, b_digits), (c, c_digits)) = (number(at)?, number(at + 1)?, number(at + 2)?);
        let mark = |at: usize| {
            let plain = |letter: &char| !letter.is_whitespace() && !matches!(letter, '\u{200e}' | '\u{200f}');
            self.gap(at).chars().filter(plain).collect::<String>()
        };
        let sign = mark(at);
        // "1.2.3.2024" is no date.
        let is_longer = at > 0
            && number(at - 1).is_some()
            && self.gap(at - 1).trim() == sign
            && self.gap(at - 1).len() == sign.len();
        if !matches!(sign.as_str(), "." | "/" | "-") || mark(at + 1) != sign || b_digits > 2 || is_longer {
            return None;
        }
        let [a, b, c] = [a, b, c].map(|value| i32::try_from(value).ok());
        let (a, b, c) = (a?, b?, c?);
        let short = |value: i32| u8::try_from(value).ok();
        let style = self.style;
        let is_chinese = style.language.is_some_and(|language| language.is("zh"));
        let short_year = |digits: usize, year: i32| if digits == 2 { with_century(year) } else { year };
        let is_year = |digits: usize| digits == 4 || digits == 2;
        let (year, month, day) = match (a_digits, c_digits) {
            (4, 1 | 2) => (a, b, c),
            // The Republic of China counts from 1912.
            (3, 1 | 2) if is_chinese => (1911 + a, b, c),
            (2, 2) if style.order == Order::YearMonthDay && c <= 31 && b <= 12 && a > 0 && sign != "." => {
                (with_century(a), b, c)
            }
            (1 | 2, _) if !is_year(c_digits) => return None,
            (1 | 2, _) if sign == "." => (short_year(c_digits, c), b, a),
            (1 | 2, _) if (style.order == Order::MonthDayYear && a <= 12) || b > 12 => {
                (short_year(c_digits, c), a, b)
            }
            (1 | 2, _) => (short_year(c_digits, c), b, a),
            _ => return None,
        };
        // Iran and Afghanistan are in the fifteenth century.
        let is_persian =
            (1365..1450).contains(&year) && !style.language.is_some_and(|language| language.is("ar"));
        let calendar = if is_persian { Calendar::Persian } else { Calendar::Gregorian };
        let date = calendars::date(calendar, year, short(month)?, short(day)?)?;
        (date.year() >= FIRST_YEAR).then_some(Dated { date, tokens: at..at + 3 })
    }

    /// The text between a token and the next one.
    fn gap(&self, at: usize) -> &str {
        let Some(token) = self.tokens.get(at) else { return "" };
        let next = self.tokens.get(at + 1).map_or(self.text.len(), |next| next.range.start);
        &self.text[token.range.end..next]
    }

    /// Whether nothing but space and light punctuation is between a token and the next.
    fn is_near(&self, at: usize) -> bool {
        let is_light = |letter: char| {
            letter.is_whitespace()
                || matches!(
                    letter,
                    ',' | '.'
                        | '/'
                        | '-'
                        | '–'
                        | '،'
                        | '、'
                        | '፣'
                        | '('
                        | ')'
                        | 'º'
                        | 'ª'
                        | '°'
                        | '\''
                        | '’'
                        | '\u{200e}'
                        | '\u{200f}'
                )
        };
        self.gap(at).chars().all(is_light)
    }

    /// The number before a token, with nothing but words of dates between.
    fn before(&self, at: usize, taken: usize) -> Option<usize> {
        let mut number = at;
        for _ in 0..=MOST_BETWEEN {
            number = number.checked_sub(1).filter(|before| *before >= taken && self.is_near(*before))?;
            if self.tokens[number].number().is_some() {
                return self.is_apart(number).then_some(number);
            }
            if !self.is_between(number) {
                return None;
            }
        }
        None
    }

    /// The number at a token or behind it, with nothing but words of dates between.
    fn behind(&self, at: usize) -> Option<usize> {
        for number in at..=at + MOST_BETWEEN {
            self.tokens.get(number).filter(|_| number > 0 && self.is_near(number - 1))?;
            if self.tokens[number].number().is_some() {
                return Some(number);
            }
            if !self.is_between(number) {
                return None;
            }
        }
        None
    }

    /// The number behind a time of day and its zone: "Sep 03 19:20:00 BST 2024".
    fn behind_clock(&self, at: usize) -> Option<usize> {
        let mut at = at;
        if !self.next_is_clock(at) {
            return None;
        }
        while self.next_is_clock(at) {
            at += 1;
        }
        at += 1;
        let is_zone = self.tokens.get(at).and_then(Token::word).is_some_and(|word| word.len() <= 4);
        let year = at + usize::from(is_zone);
        self.tokens.get(year)?.number().filter(|(_, digits)| *digits == 4).map(|_| year)
    }

    /// Whether a number is not the end of a time or of a longer number: the 30 of "10:30 May".
    fn is_apart(&self, at: usize) -> bool {
        let Some(before) = at.checked_sub(1) else { return true };
        let gap = self.gap(before);
        let is_number = self.tokens[before].number().is_some();
        !(is_number && matches!(gap, ":" | "." | ","))
    }

    /// Whether a word may be between the parts of a date. Right behind a number it may be an ordinal's ending.
    fn is_between(&self, at: usize) -> bool {
        let Some(word) = self.tokens[at].word() else { return false };
        let is_joined =
            at > 0 && self.tokens[at - 1].number().is_some() && matches!(self.gap(at - 1), "" | "-");
        cldr::is_between(word) || (is_joined && ORDINALS.contains(&word))
    }
}

/// The year that two digits mean: no article is older than [`FIRST_YEAR`].
fn with_century(year: i32) -> i32 {
    if year >= i32::from(FIRST_YEAR) - 1900 { 1900 + year } else { 2000 + year }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2024-06-01T00:00:00Z.
    const NOW: Timestamp = Timestamp(1_717_200_000_000);

    fn style(language: &str) -> DateStyle {
        DateStyle { language: cldr::language(language), order: Order::DayMonthYear }
    }

    #[track_caller]
    fn check(text: &str, expected: Option<&str>) {
        assert_eq!(parse(text, NOW, style("und")).as_deref(), expected, "{text}");
    }

    #[test]
    fn iso_and_its_relatives() {
        check("2024-05-03", Some("2024-05-03"));
        check("2024-05-03T10:30:15Z", Some("2024-05-03T10:30:15Z"));
        check("2024-05-03T10:30:15.123+02:00", Some("2024-05-03T10:30:15+02:00"));
        check("2024-05-03T10:30-0430", Some("2024-05-03T10:30:00-04:30"));
        check("2024-05-03T10:30-04:30", Some("2024-05-03T10:30:00-04:30"));
        check("2024-05-03T10:30:15+1:00", Some("2024-05-03T10:30:15+01:00"));
        check("2024-05-03 10:30:15", Some("2024-05-03T10:30:15"));
        check("2024/05/03 10:30 UTC", Some("2024-05-03T10:30:00Z"));
        check("20240503", Some("2024-05-03"));
        check("20240503 10:30", Some("2024-05-03T10:30:00"));
    }

    #[test]
    fn mail_and_english_forms() {
        check("Fri, 03 May 2024 10:30:00 +0200", Some("2024-05-03T10:30:00+02:00"));
        check("Fri, 03 May 2024 10:30:00 GMT", Some("2024-05-03T10:30:00Z"));
        check("Fri May 03 10:30:00 CEST 2024", Some("2024-05-03T10:30:00+02:00"));
        check("Fri May 03 2024 10:30:00 GMT+0200 (CEST)", Some("2024-05-03T10:30:00+02:00"));
        check("May 3, 2024", Some("2024-05-03"));
        check("Published Friday, May 3rd, 2024 at 10:30 p.m. ET", Some("2024-05-03T22:30:00"));
        check("10:30 p.m. EDT, Fri May 3, 2024", Some("2024-05-03T22:30:00-04:00"));
        check("3 May 2024 12:05 AM", Some("2024-05-03T00:05:00"));
        check("Sept. 3, 2023", Some("2023-09-03"));
        check("Nutrients. 2023 Jan 7; 15(2)", Some("2023-01-07"));
        check("3 May 24", Some("2024-05-03"));
    }

    #[test]
    fn words_of_other_languages() {
        check("Veröffentlicht am 3. Mai 2024, 10:30 Uhr", Some("2024-05-03T10:30:00"));
        check("Datum:3. Mai 2024", Some("2024-05-03"));
        check("Viernes, 3 de mayo de 2024", Some("2024-05-03"));
        check("Mayo 3 de 2024", Some("2024-05-03"));
        check("१७ अगस्त 2020", Some("2020-08-17"));
        check("נכתב ב-17 באוגוסט 2020", Some("2020-08-17"));
        check("الاثنين ١٧ أغسطس ٢٠٢٠", Some("2020-08-17"));
        check("17 أغسطس/آب 2020", Some("2020-08-17"));
        check("17 كانون الأول 2020", Some("2020-12-17"));
        check("17 d’agost de 2020", Some("2020-08-17"));
        check("2020 m. rugpjūčio 17 d.", Some("2020-08-17"));
        check("2020. gada 17. augusts", Some("2020-08-17"));
        check("2020ko abuztuaren 17a", Some("2020-08-17"));
        check("2020-yil 17-avgust", Some("2020-08-17"));
        check("ngày 17 tháng 8 năm 2020", Some("2020-08-17"));
        check("2020 оны 8 сарын 17", Some("2020-08-17"));
        check("2020 оны 8-р сарын 17", Some("2020-08-17"));
        check("17. фебруара 2020. године", Some("2020-02-17"));
        check("ika-17 ng Agosto, 2020", Some("2020-08-17"));
        check("17 VIII 2020", Some("2020-08-17"));
        assert_eq!(parse("17. listopada 2020", NOW, style("hr")).as_deref(), Some("2020-10-17"));
        assert_eq!(parse("17 listopada 2020", NOW, style("pl")).as_deref(), Some("2020-11-17"));
    }

    #[test]
    fn numbers_alone() {
        check("Stand: 03.05.2024 | 10:30", Some("2024-05-03T10:30:00"));
        check("3/5/2024", Some("2024-05-03"));
        check("3/25/2024", Some("2024-03-25"));
        check("2024年5月3日 10:30", Some("2024-05-03T10:30:00"));
        check("2024년 5월 3일", Some("2024-05-03"));
        check("입력 2024.05.03. 오전 10:30", Some("2024-05-03T10:30:00"));
        let month_first = DateStyle { order: Order::MonthDayYear, ..style("en") };
        assert_eq!(parse("3/5/2024", NOW, month_first).as_deref(), Some("2024-03-05"));
        check("1.2.3", None);
        check("1.2.3.2024", None);
        check("call 555-12-2024567", None);
    }

    #[test]
    fn years_of_other_eras() {
        check("17 สิงหาคม 2563", Some("2020-08-17"));
        check("17 ส.ค. 63", Some("2020-08-17"));
        check("17/08/2563", Some("2020-08-17"));
        check("۲۷ مرداد ۱۳۹۹ - ۱۰:۳۰", Some("2020-08-17T10:30:00"));
        check("1399/05/27 10:30", Some("2020-08-17T10:30:00"));
        check("11 ነሐሴ 2012 ዓ.ም.", Some("2020-08-17"));
        check("令和2年8月17日", Some("2020-08-17"));
        check("令和元年8月17日", Some("2019-08-17"));
        check("民國109年8月17日", Some("2020-08-17"));
        assert_eq!(parse("109/08/17", NOW, style("zh")).as_deref(), Some("2020-08-17"));
    }

    #[test]
    fn machines_count_from_1970() {
        let stamp = |text| parse_stamp(text, NOW, style("en"));
        assert_eq!(stamp("1714732200").as_deref(), Some("2024-05-03T10:30:00Z"));
        assert_eq!(stamp("1714732200123").as_deref(), Some("2024-05-03T10:30:00Z"));
        assert_eq!(stamp("2024-05-03").as_deref(), Some("2024-05-03"));
        assert_eq!((stamp("171473220"), stamp("9999999999")), (None, None));
        check("1714732200", None);
    }

    #[test]
    fn each_date_has_the_time_beside_it() {
        let all = |text: &str| -> Vec<String> {
            find(text, NOW, style("und"))
                .into_iter()
                .map(|found| format!("{} {}", found.value, &text[found.range]))
                .collect()
        };
        assert_eq!(
            all("Published: 17:05, 3 May 2024 | Updated: 19:05, 4 May 2024"),
            ["2024-05-03T17:05:00 17:05, 3 May 2024", "2024-05-04T19:05:00 19:05, 4 May 2024"]
        );
        assert_eq!(
            all("Gepubliceerd: 3 mei 2024 18:48 Bijgewerkt: 4 mei 2024 16:48"),
            ["2024-05-03T18:48:00 3 mei 2024 18:48", "2024-05-04T16:48:00 4 mei 2024 16:48"]
        );
        assert_eq!(all("2024-05-03 17:30 更新 2024-05-04 10:30").len(), 2);
        assert_eq!(all("3.5.2024 – 5.5.2024"), ["2024-05-03 3.5.2024", "2024-05-05 5.5.2024"]);
    }

    #[test]
    fn what_cannot_be_is_no_date() {
        check("2024-06-01T20:00:00Z", Some("2024-06-01T20:00:00Z"));
        for text in ["2024-06-03", "1970-01-01", "2024-13-01", "123456789012", "yesterday", "May", "é", ""] {
            check(text, None);
        }
        for text in ["maybe 3 of 2024 words", "5 people in May 2024", "5 May 12 people", "8 May 10:30"] {
            check(text, None);
        }
    }
}
