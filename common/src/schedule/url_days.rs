//! Days in addresses: `/2024/05/17/a-story`, `/2024/05/`, `sitemap-2024-05.xml`, `?yyyy=2024&mm=05`.
//!
//! An address of a story is believed only where it is hardly chance: a year and a month as parts of the path of their own, or a
//! whole date at an end of a part. Of a list, also a year and a month within a name are read. Start at [`story_days`] and
//! [`DatedAddress::of`].

use std::ops::Range;

use jiff::civil::Date;
use newslode_page::reading::CanonicalUrl;

use super::days::{Days, date_of, day_of};

/// Years that a number in an address may mean.
const YEARS: Range<i16> = 1990..2100;
/// Names of parameters of a year, a month and a day.
const PARAMETERS: [&[&str]; 3] = [&["yyyy", "year", "y"], &["mm", "month", "m"], &["dd", "day", "d"]];

/// The days on which a story was published by its address: a day, or a month.
#[must_use]
pub fn story_days(url: &CanonicalUrl) -> Option<Days> {
    let text = after_host(url.as_str())?;
    let path = text.split(['?', '#']).next()?;
    let found = in_parts(path).or_else(|| in_query(text));
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
        let found = in_parts(rest).or_else(|| in_query(rest));
        let found = found.or_else(|| whole_dates(rest).next()).or_else(|| months(rest).next())?;
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

    /// The address of the same list for the month or the day that begins then. `None`: the address cannot be.
    #[must_use]
    pub fn for_day(&self, day: u32) -> Option<CanonicalUrl> {
        let date = date_of(day)?;
        let mut parts =
            vec![(&self.at.year, i32::from(date.year())), (&self.at.month, i32::from(date.month()))];
        parts.extend(self.at.day.as_ref().map(|range| (range, i32::from(date.day()))));
        // From the end, so that the other places stay.
        parts.sort_by_key(|(range, _)| std::cmp::Reverse(range.start));
        let mut text = self.text.clone();
        for (range, number) in parts {
            let is_padded = self.text.get(range.clone()).is_some_and(|digits| digits.len() > 1);
            let digits = if is_padded { format!("{number:02}") } else { number.to_string() };
            text.replace_range(range.clone(), &digits);
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

/// `/2024/05/` and `/2024/05/17/`: parts of their own.
fn in_parts(text: &str) -> Option<Found> {
    let path = text.split(['?', '#']).next()?;
    let mut from = 0;
    let parts: Vec<(usize, &str)> = path
        .split('/')
        .map(|part| {
            let at = from;
            from += part.len() + 1;
            (at, part)
        })
        .collect();
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
        month: two_digits(month_text, 12)?,
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
            // Not dates of a publication, or no dates.
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
        ] {
            let found = DatedAddress::of(&url(path)).unwrap_or_else(|| panic!("{path}"));
            assert_eq!(
                (written(Some(found.days)).as_str(), found.is_of_a_list()),
                (wanted, is_list),
                "{path}"
            );
        }
        assert_eq!(DatedAddress::of(&url("/sitemap-posts-12.xml")), None);
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
        ] {
            let made = DatedAddress::of(&url(path)).unwrap().for_day(day).unwrap();
            assert_eq!(made, url(wanted), "{path}");
        }
    }
}
