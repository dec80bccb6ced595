//! The names of people in bylines.
//!
//! A byline is cut at commas and words for "and". "By" and its like, roles and bracketed text are dropped. The
//! name of the site or its publisher is not a person; such a byline is used only if there is no other.

use crate::extract::cldr::{self, Calendar};
use crate::reading::is_unspaced;
use crate::text::letters;

/// "By" in the languages of pages; longer forms come first.
const BY: [&str; 26] = [
    "written by",
    "authored by",
    "text by",
    "posted by",
    "published by",
    "reviewed by",
    "review by",
    "story by",
    "words by",
    "report by",
    "eingestellt von",
    "geschrieben von",
    "artikel von",
    "text von",
    "by",
    "von",
    "par",
    "por",
    "di",
    "door",
    "av",
    "af",
    "autor",
    "autorin",
    "auteur",
    "author",
];
/// Words for roles: a part of a byline is cut before its first role, with the words that belong to it.
const ROLES: [&str; 34] = [
    "staff",
    "correspondent",
    "contributor",
    "reporter",
    "editor",
    "writer",
    "officer",
    "journalist",
    "columnist",
    "producer",
    "intern",
    "author",
    "redakteur",
    "redakteurin",
    "redaktion",
    "autor",
    "autorin",
    "volontär",
    "volontärin",
    "korrespondent",
    "korrespondentin",
    "reporterin",
    "journalistin",
    "chefredakteur",
    "rédacteur",
    "journaliste",
    "redactor",
    "redactora",
    "periodista",
    "giornalista",
    "chief",
    "photographer",
    "fotograf",
    "phd",
];
/// Words that do not begin a name.
const NOT_NAMES: [&str; 21] = [
    "name",
    "posted",
    "published",
    "publiziert",
    "veröffentlicht",
    "updated",
    "foto",
    "photo",
    "foto:",
    "photo:",
    "quelle",
    "quelle:",
    "source:",
    "head",
    "follow",
    "senior",
    "comments",
    "share",
    "view",
    "more",
    "about",
];
/// Words for "and" between names.
const AND: [&str; 7] = [" and ", " & ", " und ", " et ", " y ", " och ", " og "];
/// Words for "reporter" after names in Korean and Japanese.
const TITLES_AFTER: [&str; 3] = ["기자", "記者", "특파원"];

/// The names of the site that publishes a page.
#[derive(Clone, Debug, Default)]
pub(in crate::extract) struct SiteNames {
    /// The site's name and its publisher's, letters only.
    names: Vec<String>,
    host: String,
}

impl SiteNames {
    pub(in crate::extract) fn new(names: impl Iterator<Item = String>, host: &str) -> SiteNames {
        let names = names.map(|name| letters(&name)).filter(|name| !name.is_empty()).collect();
        SiteNames { names, host: letters(host.trim_start_matches("www.")) }
    }

    /// Whether a name is the site's own.
    pub(super) fn is_own(&self, name: &str) -> bool {
        let name = letters(name);
        let is_of_host =
            name.chars().count() >= 3 && (self.host.contains(&name) || name.contains(&self.host));
        let begins = |own: &String| own.chars().count() >= 4 && name.starts_with(own.as_str());
        name.is_empty() || (!self.host.is_empty() && is_of_host) || self.names.iter().any(begins)
    }

    /// A part of a byline without its role and the site's name.
    pub(super) fn name_in(&self, part: &str) -> String {
        without_role(self.cut_off(part))
    }

    /// A byline without the site's name at its end: "Ada Lovelace DAILY POST" gives "Ada Lovelace".
    fn cut_off<'n>(&self, name: &'n str) -> &'n str {
        let starts = name.match_indices(' ').map(|(at, _)| at);
        let is_rest_own = |at: &usize| self.names.contains(&letters(&name[*at..]));
        starts.into_iter().find(is_rest_own).map_or(name, |at| name[..at].trim())
    }
}

/// The names of people in bylines, each once; the site's own names are left out.
pub(in crate::extract) fn people_in(bylines: &[String], site: &SiteNames) -> Vec<String> {
    // A byline of several parts is checked part by part.
    let is_whole = |byline: &String| !byline.contains([',', '|', ';', '/']) && !byline.contains(" and ");
    let bylines = bylines.iter().filter(|byline| !(is_whole(byline) && site.is_own(byline)));
    let mut people: Vec<String> = Vec::new();
    for part in bylines.flat_map(|byline| byline_parts(byline)) {
        let name = site.name_in(&part);
        let is_known = |person: &String| person.to_lowercase() == name.to_lowercase();
        if is_name(&name) && !site.is_own(&name) && !people.iter().any(is_known) {
            people.push(name);
        }
    }
    people
}

/// The parts of a byline that may be names: without "by", brackets, and what is behind a date.
pub(super) fn byline_parts(byline: &str) -> Vec<String> {
    let byline = without_brackets(without_by(byline.trim()));
    let parts = byline.split([',', ';', '|', '/', '•', '·', '、']);
    let parts = AND.iter().fold(parts.collect::<Vec<&str>>(), |parts, and| {
        parts.into_iter().flat_map(|part| part.split(and)).collect()
    });
    let parts: Vec<&str> = parts.into_iter().map(str::trim).collect();
    before_date(&parts).iter().map(|part| without_title(without_by(part)).to_owned()).collect()
}

/// A name without the word for "reporter" behind it.
fn without_title(part: &str) -> &str {
    let cut = |behind: &&str| part.strip_suffix(*behind)?.strip_suffix(' ');
    TITLES_AFTER.iter().find_map(cut).map_or(part, str::trim)
}

/// The parts of a byline before its date. A weekday before the date is dropped, too: one word in any language
/// that is not the first part.
fn before_date<'p>(parts: &'p [&'p str]) -> &'p [&'p str] {
    let is_date = |part: &&str| {
        let first = part.split_whitespace().next().unwrap_or_default();
        let begins_with_digit = first.starts_with(|c: char| c.is_ascii_digit());
        begins_with_digit
            || (cldr::month(&cldr::fold(first), None, Calendar::Gregorian).is_some()
                && part.contains(|c: char| c.is_ascii_digit()))
    };
    let Some(date) = parts.iter().position(is_date) else { return parts };
    let is_day = date > 1 && !parts[date - 1].contains(char::is_whitespace);
    &parts[..if is_day { date - 1 } else { date }]
}

/// Whether a text begins with "By" and continues with anything but a small letter.
pub(super) fn says_by(text: &str) -> bool {
    let rest = without_by(text);
    rest.len() < text.trim().len() && rest.chars().next().is_some_and(|c| !c.is_lowercase())
}

fn without_by(text: &str) -> &str {
    let text = text.trim();
    let cut = |by: &&str| {
        let head = text.get(..by.len()).filter(|head| head.eq_ignore_ascii_case(by))?;
        let rest = text.get(head.len()..)?;
        rest.starts_with([' ', ':', '\u{A0}']).then(|| rest.trim_start_matches([' ', ':', '\u{A0}']))
    };
    BY.iter().find_map(cut).unwrap_or(text)
}

fn without_brackets(text: &str) -> String {
    let mut plain = String::new();
    let mut depth = 0_u32;
    for c in text.chars() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            c if depth == 0 => plain.push(c),
            _ => {}
        }
    }
    plain
}

/// Cuts off roles: "Ada Lovelace Globe Staff" becomes "Ada Lovelace"; a bare role becomes empty.
fn without_role(text: &str) -> String {
    let mut words: Vec<&str> = text.split_whitespace().collect();
    let is_role = |word: &&str| {
        let word = word.trim_end_matches(['.', ',']).to_lowercase();
        ROLES.contains(&word.as_str())
    };
    if let Some(at) = words.iter().position(is_role) {
        // The words before a role belong to it, except for a first and a last name.
        words.truncate(if at <= 1 { 0 } else { 2 });
    }
    words.join(" ").trim_end_matches([':', '-', '*', ' ']).to_owned()
}

/// Whether a letter is a syllable or word: three of them are a name.
pub(super) fn is_syllable(letter: char) -> bool {
    is_unspaced(letter) || matches!(letter, '\u{AC00}'..='\u{D7A3}')
}

pub(super) fn is_name(text: &str) -> bool {
    let words = text.split_whitespace().count();
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let first = text.split_whitespace().next().unwrap_or_default().to_lowercase();
    (1..=5).contains(&words)
        && (2..=60).contains(&letters)
        && !text.contains(['@', '{', '<', '=', '*'])
        && !text.contains("://")
        && !text.starts_with("www.")
        && !text.chars().any(|c| c.is_ascii_digit())
        && text.chars().next().is_some_and(|c| !c.is_lowercase())
        && !NOT_NAMES.contains(&first.as_str())
        && !BY.contains(&first.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(byline: &str, expected: &[&str]) {
        let site = SiteNames::new(["The Daily Post".to_owned()].into_iter(), "www.dailypost.example");
        assert_eq!(people_in(&[byline.to_owned()], &site), expected, "{byline}");
    }

    #[test]
    fn bylines_become_names() {
        check("By Ada Lovelace and Alan Turing", &["Ada Lovelace", "Alan Turing"]);
        check("Von Käthe Müller, dpa", &["Käthe Müller"]);
        check("By Ada Lovelace, Monday, June 2, 2025", &["Ada Lovelace"]);
        check("Von Käthe Müller, Montag, 2. Juni 2025, 14:00", &["Käthe Müller"]);
        check("By Ada Lovelace, Alan Turing, 3 March 2024", &["Ada Lovelace", "Alan Turing"]);
        check("https://a.test/people/ada", &[]);
        check("Bya Smith", &["Bya Smith"]);
    }

    #[test]
    fn roles_and_brackets_go() {
        check("Ada Lovelace Globe Staff, Senior Editor", &["Ada Lovelace"]);
        check("Ada Lovelace, Chief Technology Officer", &["Ada Lovelace"]);
        check("Ada Lovelace (alo)", &["Ada Lovelace"]);
        check("박준석 기자", &["박준석"]);
        check("Posted on", &[]);
        check("Name *", &[]);
    }

    #[test]
    fn the_site_is_no_person() {
        check("The Daily Post", &[]);
        check("Ada Lovelace, Daily Post", &["Ada Lovelace"]);
        check("Ada Lovelace THE DAILY POST", &["Ada Lovelace"]);
        check("The Daily Post with Agencies", &[]);
    }
}
