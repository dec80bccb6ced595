//! Days in addresses: `/2024/05/17/a-story`, `/2024/05/`, `sitemap-2024-05.xml`, `?yyyy=2024&mm=05`, `/2024/march/`.
//!
//! An address of a story is believed only where it is hardly chance: a year and a month as parts of the path of their own, or a
//! whole date at an end of a part. Of a list, also a year and a month within a name are read. A month may be a name in any
//! language of [CLDR](newslode_page::extract::month_number), if the parts beside it make it a date. Start at [`story_days`] and
//! [`DatedAddress::of`].

use std::ops::Range;

use jiff::civil::Date;
use newslode_page::extract::{month_name_like, month_name_readings, month_number};
use newslode_page::reading::CanonicalUrl;
use percent_encoding::percent_decode_str;

use super::days::{Days, date_of, day_of};

/// Years that a number in an address may mean.
const YEARS: Range<i16> = 1990..2100;
/// Names of parameters of a year, a month and a day.
const PARAMETERS: [&[&str]; 3] = [&["yyyy", "year", "y"], &["mm", "month", "m"], &["dd", "day", "d"]];
/// Fewest letters, and most bytes, of a month's name.
const LETTERS: usize = 3;
const MOST_NAME: usize = 100;
/// Words before a month and its year in the name of a list.
const LISTS: [&str; 8] =
    ["archive", "archives", "archiv", "archivo", "archivio", "arkiv", "arquivo", "sitemap"];

/// The days on which a story was published by its address: a day, or a month.
#[must_use]
pub fn story_days(url: &CanonicalUrl) -> Option<Days> {
    let text = after_host(url.as_str())?;
    let path = text.split(['?', '#']).next()?;
    let with_a_name = || in_named_parts(path).filter(|found| found.day.is_some());
    let found = in_parts(path).or_else(|| in_query(text)).or_else(with_a_name);
    let whole = || whole_dates(path).find(|found| found.is_at_an_end_of_its_part(path));
    found.or_else(whole).and_then(|found| found.days())
}

/// The address of a list of a month or of a day, with the places of its numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatedAddress {
    /// What it lists.
    pub days: Days,
    text: String,
    at: Places,
}

impl DatedAddress {
    /// The address of a list, if it names a month or a day.
    #[must_use]
    pub fn of(url: &CanonicalUrl) -> Option<DatedAddress> {
        let text = url.as_str();
        let from = text.len() - after_host(text)?.len();
        let rest = text.get(from..)?;
        let found = in_parts(rest).or_else(|| in_query(rest)).or_else(|| in_named_parts(rest));
        let found = found.or_else(|| whole_dates(rest).next()).or_else(|| months(rest).next());
        let found = found.or_else(|| in_a_named_part(rest))?;
        let at = found.moved_by(from);
        Some(DatedAddress { days: found.days()?, text: text.to_owned(), at })
    }

    /// Whether nothing but the number of a page follows the date, so that it is no story's address.
    #[must_use]
    pub fn is_of_a_list(&self) -> bool {
        let end = [Some(&self.at.year), Some(&self.at.month), self.at.day.as_ref()];
        let end = end.into_iter().flatten().map(|range| range.end).max().unwrap_or(0);
        let rest = self.text.get(end..).unwrap_or_default().trim_matches('/');
        let rest = rest.strip_prefix("page").unwrap_or(rest);
        let rest = rest.strip_prefix("index").unwrap_or(rest);
        let rest = [".html", ".htm", ".php", ".aspx"]
            .into_iter()
            .find_map(|end| rest.strip_suffix(end))
            .unwrap_or(rest);
        !rest.contains(char::is_alphabetic)
    }

    /// The address of the same list for the month or the day that begins then. `None`: the address cannot be made.
    #[must_use]
    pub fn for_day(&self, day: u32) -> Option<CanonicalUrl> {
        let date = date_of(day)?;
        if let Some(name) = self.month_name() {
            return self.with_name(other_name(name, u8::try_from(date.month()).ok()?)?, date);
        }
        let mut parts =
            vec![(&self.at.year, i32::from(date.year())), (&self.at.month, i32::from(date.month()))];
        parts.extend(self.at.day.as_ref().map(|range| (range, i32::from(date.day()))));
        let parts = parts.into_iter().map(|(range, number)| (range, self.digits_like(range, number)));
        self.replaced(parts.collect())
    }

    /// The month as it is written, if it is a name.
    fn month_name(&self) -> Option<&str> {
        self.text
            .get(self.at.month.clone())
            .filter(|month| !month.starts_with(|first: char| first.is_ascii_digit()))
    }

    /// In how many ways other months may be named beside it: 0 if all is digits, or if no others can be named.
    #[must_use]
    pub fn readings(&self) -> usize {
        self.month_name().map_or(0, month_name_readings)
    }

    /// Whether the addresses of other months can be made from it. A name that was folded may have lost what its writer wants.
    #[must_use]
    pub fn is_pattern(&self) -> bool {
        self.month_name().is_none_or(|name| other_name(name, 1).is_some())
    }

    fn with_name(&self, name: String, date: Date) -> Option<CanonicalUrl> {
        let mut parts = vec![
            (&self.at.year, self.digits_like(&self.at.year, i32::from(date.year()))),
            (&self.at.month, name),
        ];
        let day = self.at.day.as_ref().map(|range| (range, self.digits_like(range, i32::from(date.day()))));
        parts.extend(day);
        self.replaced(parts)
    }

    /// A number with as many zeros before it as are at this place.
    fn digits_like(&self, range: &Range<usize>, number: i32) -> String {
        let is_padded = self.text.get(range.clone()).is_some_and(|digits| digits.len() > 1);
        if is_padded { format!("{number:02}") } else { number.to_string() }
    }

    fn replaced(&self, mut parts: Vec<(&Range<usize>, String)>) -> Option<CanonicalUrl> {
        // From the end, so that the other places stay.
        parts.sort_by_key(|(range, _)| std::cmp::Reverse(range.start));
        let mut text = self.text.clone();
        for (range, part) in parts {
            text.replace_range(range.clone(), &part);
        }
        text.parse().ok()
    }

    /// Whether it lists one day.
    #[must_use]
    pub fn is_of_a_day(&self) -> bool {
        self.at.day.is_some()
    }
}

/// The positions of the parts of a date in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Places {
    year: Range<usize>,
    month: Range<usize>,
    day: Option<Range<usize>>,
}

/// A date in a text.
#[derive(Clone, Debug)]
struct Found {
    year: i16,
    month: i8,
    day: Option<i8>,
    at: Places,
}

impl Found {
    fn days(&self) -> Option<Days> {
        let first = Date::new(self.year, self.month, self.day.unwrap_or(1)).ok()?;
        let last = if self.day.is_some() { first } else { first.last_of_month() };
        Some(Days { first: day_of(first)?, last: day_of(last)? })
    }

    fn moved_by(&self, by: usize) -> Places {
        let moved = |range: &Range<usize>| range.start + by..range.end + by;
        Places {
            year: moved(&self.at.year),
            month: moved(&self.at.month),
            day: self.at.day.as_ref().map(moved),
        }
    }

    /// Whether it is what a part of the path begins or ends with, but for an ending such as `.html`.
    fn is_at_an_end_of_its_part(&self, path: &str) -> bool {
        let end = self.at.day.as_ref().map_or(self.at.month.end, |day| day.end);
        let before = path.get(..self.at.year.start).unwrap_or_default();
        let after = path.get(end..).unwrap_or_default();
        before.ends_with('/') || after.is_empty() || after.starts_with(['/', '.'])
    }
}

fn after_host(text: &str) -> Option<&str> {
    let from = text.find("://")? + 3;
    let path = text.get(from..)?;
    path.get(path.find('/')?..)
}

/// A number of so many digits that may be a year.
fn year(digits: &str) -> Option<i16> {
    let is_number = digits.len() == 4 && digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|year| is_number && YEARS.contains(year))
}

fn two_digits(digits: &str, most: i8) -> Option<i8> {
    let is_number = matches!(digits.len(), 1 | 2) && digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|number| is_number && (1..=most).contains(number))
}

/// The month that a name in an address means: `march`, `Mar`, `m%C3%A4rz`.
fn named_month(name: &str) -> Option<i8> {
    if name.len() > MOST_NAME || name.starts_with(|first: char| first.is_ascii_digit()) {
        return None;
    }
    let name = percent_decode_str(name).decode_utf8().ok()?;
    let is_long = name.chars().count() >= LETTERS || !name.is_ascii();
    i8::try_from(month_number(&name).filter(|_| is_long)?).ok()
}

/// The name of another month as this one is written; `None` for names with letters outside ASCII, which are known without their marks
/// only.
fn other_name(name: &str, number: u8) -> Option<String> {
    let is_plain = name.bytes().all(|byte| byte.is_ascii_alphabetic());
    let other = month_name_like(name, number).filter(|other| is_plain && other.is_ascii())?;
    let mut letters = name.chars().map(|letter| letter.is_ascii_uppercase());
    let (first, second) = (letters.next()?, letters.next()?);
    Some(match (first, second) {
        (true, true) => other.to_ascii_uppercase(),
        (true, false) => other.split_at_checked(1).map(|(first, rest)| first.to_ascii_uppercase() + rest)?,
        (false, _) => other.to_owned(),
    })
}

/// The parts of a path between slashes, each with its place.
fn parts_of(text: &str) -> Vec<(usize, &str)> {
    let path = text.split(['?', '#']).next().unwrap_or_default();
    let mut from = 0;
    path.split('/')
        .map(|part| {
            let at = from;
            from += part.len() + 1;
            (at, part)
        })
        .collect()
}

/// `/2024/march/` and `/2024/mar/17/`: parts of their own, but for an ending such as `.html`. The month may come before the year.
fn in_named_parts(text: &str) -> Option<Found> {
    let parts = parts_of(text);
    let stem = |(at, part): &(usize, &str)| {
        let end = part.find('.').unwrap_or(part.len());
        *at..at + end
    };
    parts.windows(2).enumerate().find_map(|(place, pair)| {
        let [first, second] = pair else { return None };
        let (first, second) = (stem(first), stem(second));
        let (one, other) = (text.get(first.clone())?, text.get(second.clone())?);
        if let (Some(month), Some(year)) = (named_month(one), year(other)) {
            let at = Places { year: second, month: first, day: None };
            return Some(Found { year, month, day: None, at });
        }
        let (year, month) = (year(one)?, named_month(other)?);
        let third = parts.get(place + 2);
        let day = third.and_then(|third| Some((two_digits(third.1, 31)?, third.0..third.0 + third.1.len())));
        let (day, day_at) = day.unzip();
        let found = Found { year, month, day, at: Places { year: first, month: second, day: day_at } };
        found.days().is_some().then_some(found)
    })
}

/// `march-2024`, `2024-mar`, `17-march-2024`, `archive-march-2024.html`: a part of the path that is nothing but a date.
fn in_a_named_part(text: &str) -> Option<Found> {
    parts_of(text).into_iter().find_map(|(at, part)| {
        let stem = part.split('.').next()?;
        let mut from = at;
        let mut words: Vec<(Range<usize>, &str)> = stem
            .split(['-', '_'])
            .map(|word| {
                let range = from..from + word.len();
                from = range.end + 1;
                (range, word)
            })
            .collect();
        if words.first().is_some_and(|(_, word)| LISTS.contains(&word.to_ascii_lowercase().as_str())) {
            words.remove(0);
        }
        let place = |word: &(Range<usize>, &str)| word.0.clone();
        let (day, month, year_at) = match &words[..] {
            [one, other] if year(one.1).is_some() => (None, other, one),
            [one, other] => (None, one, other),
            [one, month, other] if year(one.1).is_some() => (Some(other), month, one),
            [one, month, other] => (Some(one), month, other),
            _ => return None,
        };
        let day_number = match day {
            Some((_, word)) => Some(two_digits(word, 31)?),
            None => None,
        };
        let at = Places { year: place(year_at), month: place(month), day: day.map(place) };
        let found = Found { year: year(year_at.1)?, month: named_month(month.1)?, day: day_number, at };
        found.days().is_some().then_some(found)
    })
}

/// `/2024/05/` and `/2024/05/17/`: parts of their own.
fn in_parts(text: &str) -> Option<Found> {
    let parts = parts_of(text);
    let range = |(at, part): &(usize, &str)| *at..at + part.len();
    parts.windows(2).enumerate().find_map(|(place, pair)| {
        let [first, second] = pair else { return None };
        let (year, month) = (year(first.1)?, two_digits(second.1, 12)?);
        let third = parts.get(place + 2);
        let day = third.and_then(|third| Some((two_digits(third.1, 31)?, range(third))));
        // `/2024/05/7` is a day, `/2024/05/7/page/2` too.
        let (day, day_at) = day.unzip();
        let found =
            Found { year, month, day, at: Places { year: range(first), month: range(second), day: day_at } };
        found.days().is_some().then_some(found)
    })
}

/// `?yyyy=2024&mm=05&dd=17`.
fn in_query(text: &str) -> Option<Found> {
    let start = text.find('?')? + 1;
    let mut at = start;
    let mut found: [Option<(Range<usize>, &str)>; 3] = [None, None, None];
    for pair in text.get(start..)?.split('&') {
        if let Some((name, value)) = pair.split_once('=') {
            let place =
                PARAMETERS.iter().position(|names| names.contains(&name.to_ascii_lowercase().as_str()));
            if let Some(held) = place.and_then(|place| found.get_mut(place)) {
                *held = Some((at + name.len() + 1..at + pair.len(), value));
            }
        }
        at += pair.len() + 1;
    }
    let [year_at, month_at, day_at] = found;
    let ((year_at, year_text), (month_at, month_text)) = (year_at?, month_at?);
    let (day_at, day) = day_at.and_then(|(at, text)| Some((at, two_digits(text, 31)?))).unzip();
    Some(Found {
        year: year(year_text)?,
        month: two_digits(month_text, 12).or_else(|| named_month(month_text))?,
        day,
        at: Places { year: year_at, month: month_at, day: day_at },
    })
}

/// Runs of digits with their places.
fn numbers(text: &str) -> Vec<Range<usize>> {
    let mut numbers: Vec<Range<usize>> = Vec::new();
    for (at, byte) in text.bytes().enumerate() {
        if !byte.is_ascii_digit() {
            continue;
        }
        match numbers.last_mut().filter(|range| range.end == at) {
            Some(range) => range.end = at + 1,
            None => numbers.push(at..at + 1),
        }
    }
    numbers
}

/// `2024-05-17`, `2024_05_17`, `20240517`.
fn whole_dates(text: &str) -> impl Iterator<Item = Found> {
    let numbers = numbers(text);
    let found: Vec<Found> = (0..numbers.len())
        .filter_map(|place| {
            let first = numbers.get(place)?;
            if first.len() == 8 {
                let (y, m, d) = (
                    first.start..first.start + 4,
                    first.start + 4..first.start + 6,
                    first.start + 6..first.end,
                );
                return found_at(text, y, m, Some(d));
            }
            let (second, third) = (numbers.get(place + 1)?, numbers.get(place + 2)?);
            let is_joined = joins(text, first, second) && joins(text, second, third);
            if is_joined { found_at(text, first.clone(), second.clone(), Some(third.clone())) } else { None }
        })
        .collect();
    found.into_iter()
}

/// `2024-05`, `2024_05`, `202405`.
fn months(text: &str) -> impl Iterator<Item = Found> {
    let numbers = numbers(text);
    let found: Vec<Found> = (0..numbers.len())
        .filter_map(|place| {
            let first = numbers.get(place)?;
            if first.len() == 6 {
                return found_at(text, first.start..first.start + 4, first.start + 4..first.end, None);
            }
            let second = numbers.get(place + 1)?;
            if joins(text, first, second) {
                found_at(text, first.clone(), second.clone(), None)
            } else {
                None
            }
        })
        .collect();
    found.into_iter()
}

/// Whether a hyphen, an underscore or a period separates two numbers.
fn joins(text: &str, first: &Range<usize>, second: &Range<usize>) -> bool {
    matches!(text.get(first.end..second.start), Some("-" | "_" | "."))
}

fn found_at(text: &str, y: Range<usize>, m: Range<usize>, d: Option<Range<usize>>) -> Option<Found> {
    let day = match &d {
        Some(range) => Some(two_digits(text.get(range.clone())?, 31)?),
        None => None,
    };
    let (year, month) = (year(text.get(y.clone())?)?, two_digits(text.get(m.clone())?, 12)?);
    let found = Found { year, month, day, at: Places { year: y, month: m, day: d } };
    found.days().is_some().then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(path: &str) -> CanonicalUrl {
        format!("https://news24.example{path}").parse().unwrap()
    }

    fn written(days: Option<Days>) -> String {
        let day = |day| date_of(day).unwrap().to_string();
        days.map_or("-".to_owned(), |days| match days.first == days.last {
            true => day(days.first),
            false => format!("{}..{}", day(days.first), day(days.last)),
        })
    }

    #[test]
    fn a_story_has_its_day_in_parts_of_its_path_or_at_an_end_of_one() {
        for (path, wanted) in [
            ("/2024/05/17/a-story", "2024-05-17"),
            ("/news/2024/5/7/a-story.html", "2024-05-07"),
            ("/2024/05/a-story", "2024-05-01..2024-05-31"),
            ("/news/2024-05-17-a-story", "2024-05-17"),
            ("/news/a-story-2024-05-17", "2024-05-17"),
            ("/a-story-20240517.html", "2024-05-17"),
            ("/20240517/a-story", "2024-05-17"),
            ("/show?yyyy=2024&mm=05&dd=17&id=3", "2024-05-17"),
            ("/world/2024/mar/17/a-story", "2024-03-17"),
            ("/2024/M%C3%A4rz/17/a-story", "2024-03-17"),
            // Not dates of a publication, or no dates.
            ("/2024/mars/a-story", "-"),
            ("/the-best-of-march-2024", "-"),
            ("/march-17-2024-a-story", "-"),
            ("/2024/feb/30/a-story", "-"),
            ("/vote-of-2024-11-05-who-won", "-"),
            ("/a-2024-10-list-of-films", "-"),
            ("/article/202405", "-"),
            ("/2024/13/a-story", "-"),
            ("/2024/02/30/a-story", "-"),
            ("/1812/05/17/a-story", "-"),
            ("/a-story-120240517", "-"),
            ("/", "-"),
        ] {
            assert_eq!(written(story_days(&url(path))), wanted, "{path}");
        }
    }

    #[test]
    fn a_list_has_its_month_also_within_a_name() {
        for (path, wanted, is_list) in [
            ("/sitemap-2024-05.xml", "2024-05-01..2024-05-31", false),
            ("/map202405.xml", "2024-05-01..2024-05-31", false),
            ("/sitemap_20240517.xml", "2024-05-17", false),
            ("/2024/05", "2024-05-01..2024-05-31", true),
            ("/archive/2024/05/17/page/3", "2024-05-17", true),
            ("/archive/2024-05.html", "2024-05-01..2024-05-31", true),
            ("/sitemap?yyyy=2024&mm=5", "2024-05-01..2024-05-31", true),
            ("/2024/05/a-story", "2024-05-01..2024-05-31", false),
            ("/2024/march/", "2024-03-01..2024-03-31", true),
            ("/2024/march/a-story", "2024-03-01..2024-03-31", false),
            ("/news/march/2024", "2024-03-01..2024-03-31", true),
            ("/archive/2024/mar/7", "2024-03-07", true),
            ("/archive/march-2024", "2024-03-01..2024-03-31", true),
            ("/archive/mar_2024/page/2", "2024-03-01..2024-03-31", true),
            ("/archive-2024-mars.html", "2024-03-01..2024-03-31", true),
            ("/sitemap-march-2024.xml", "2024-03-01..2024-03-31", false),
            ("/17-march-2024/", "2024-03-17", true),
            ("/2024/f%C3%A9vrier", "2024-02-01..2024-02-29", true),
            ("/2024/%D0%BC%D0%B0%D1%80%D1%82", "2024-03-01..2024-03-31", true),
            ("/all?year=2024&month=march", "2024-03-01..2024-03-31", true),
        ] {
            let found = DatedAddress::of(&url(path)).unwrap_or_else(|| panic!("{path}"));
            assert_eq!(
                (written(Some(found.days)).as_str(), found.is_of_a_list()),
                (wanted, is_list),
                "{path}"
            );
        }
        for path in [
            "/sitemap-posts-12.xml",
            "/best-of-march-2024",
            "/march/",
            "/2024/cup/",
            "/2024/ma/",
            "/mars-2024-rover",
        ] {
            assert_eq!(DatedAddress::of(&url(path)), None, "{path}");
        }
    }

    #[test]
    fn the_address_of_another_month_is_made_from_that_of_one() {
        let day = day_of(Date::constant(2023, 9, 1)).unwrap();
        for (path, wanted) in [
            ("/2024/05", "/2023/09"),
            ("/2024/11/", "/2023/09/"),
            ("/archive/2024/5", "/archive/2023/9"),
            ("/all?yyyy=2024&mm=12&x=1", "/all?yyyy=2023&mm=09&x=1"),
            ("/all/202405.html", "/all/202309.html"),
            ("/all/2024-05-17", "/all/2023-09-01"),
            ("/2024/march", "/2023/september"),
            ("/2024/mar/17/", "/2023/sep/01/"),
            ("/archive/March-2024", "/archive/September-2023"),
            ("/archive/DEC_2024.html", "/archive/SEP_2023.html"),
            ("/2024/fevrier/", "/2023/septembre/"),
            ("/all?year=2024&month=january&x=1", "/all?year=2023&month=september&x=1"),
        ] {
            let made = DatedAddress::of(&url(path)).unwrap().for_day(day).unwrap();
            assert_eq!(made, url(wanted), "{path}");
        }
        // The names of CLDR lack the marks that this site writes.
        let marked = DatedAddress::of(&url("/2024/f%C3%A9vrier")).unwrap();
        assert_eq!((marked.is_pattern(), marked.for_day(day)), (false, None));
    }
}
