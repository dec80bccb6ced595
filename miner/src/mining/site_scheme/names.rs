//! Names of places and of slots, and what they tell by themselves.

use std::collections::BTreeSet;

use newslode_page::extract::{SEPARATORS, SlotName};
use newslode_page::reading::CanonicalUrl;
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

/// A word of so many letters and digits of which a quarter are digits is an identifier.
const IDENTIFIER: usize = 10;

/// A name compared without case, accents and punctuation.
#[must_use]
pub fn folded(name: &str) -> String {
    let letters = name.nfkd().filter(|letter| !is_combining_mark(*letter)).flat_map(char::to_lowercase);
    let spaced: String = letters.map(|letter| if letter.is_alphanumeric() { letter } else { ' ' }).collect();
    spaced.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// By what names of one place are joined: without spaces either, because addresses and class names have none.
pub(super) fn join_key(name: &str) -> String {
    folded(name).replace(' ', "")
}

/// The last part of an address as a name; empty for a front page.
pub(super) fn last_part(url: &CanonicalUrl) -> String {
    let path = url.path().trim_end_matches('/');
    let path = path.strip_suffix("/index.html").or_else(|| path.strip_suffix("/index.php")).unwrap_or(path);
    let last = path.rsplit('/').next().unwrap_or_default();
    let last = last.rsplit_once('.').map_or(last, |(name, _)| name);
    let decoded = url::form_urlencoded::parse(last.as_bytes()).next().map(|(text, _)| text.into_owned());
    join_key(&decoded.unwrap_or_default())
}

/// An address without what does not tell pages apart.
pub(super) fn bare(url: &str) -> &str {
    url.strip_suffix("/index.html").unwrap_or(url).trim_end_matches('/')
}

/// The first page of a listing that is spread over several.
pub(super) fn first_of_listing(url: &str) -> &str {
    let bare = bare(url);
    let page =
        bare.rsplit_once("/page/").filter(|(_, number)| number.bytes().all(|byte| byte.is_ascii_digit()));
    match page {
        Some((first, _)) => first,
        None => bare,
    }
}

/// Whether an address is that of a person's page, as publishing systems build it.
pub(super) fn is_profile(url: &str) -> bool {
    const PARTS: [&str; 16] = [
        "author",
        "authors",
        "autor",
        "autores",
        "auteur",
        "auteurs",
        "autore",
        "autori",
        "profile",
        "profiles",
        "profil",
        "people",
        "staff",
        "user",
        "users",
        "contributors",
    ];
    let path = url.split_once("://").map_or(url, |(_, rest)| rest);
    // The last part is the person.
    let mut parts: Vec<&str> = path.split('/').skip(1).filter(|part| !part.is_empty()).collect();
    parts.pop();
    parts.iter().any(|part| PARTS.contains(&part.to_ascii_lowercase().as_str()))
}

/// A slot's name without classes that fewer than half of the articles have.
pub(super) fn without_rare_classes(slot: &str, is_common: impl Fn(&str) -> bool) -> String {
    if !slot.starts_with("a ") {
        return slot.to_owned();
    }
    let (head, path) = slot.rsplit_once(' ').unwrap_or(("a", slot));
    let mut name = format!("{head} ");
    for (at, element) in path.split('>').enumerate() {
        if at > 0 {
            name.push('>');
        }
        let mut parts = element.split('.');
        name.push_str(parts.next().unwrap_or_default());
        for class in parts.filter(|class| is_common(class)) {
            name.push('.');
            name.push_str(class);
        }
    }
    name
}

/// The kind of evidence that a slot is.
pub(super) fn evidence_of(slot: &str) -> &'static str {
    match slot.split(' ').next().unwrap_or_default() {
        "a" => "link",
        "meta" => "meta",
        "json" => "json-ld",
        "item" => "microdata",
        "dir" => "directory",
        _ => "class",
    }
}

/// Whether a slot declares by its own name that it names places.
pub(super) fn is_declared(slot: &str) -> bool {
    /// What publishing systems call places in meta names and JSON-LD.
    const NAMES: [&str; 11] = [
        "section",
        "tag",
        "keyword",
        "categor",
        "topic",
        "subject",
        "channel",
        "genre",
        "about",
        "breadcrumb",
        "theme",
    ];
    match slot.split_once(' ').unwrap_or((slot, "")) {
        ("a", path) => path.starts_with("rel=tag") || path.starts_with("rel=category"),
        // The theme's colour is none.
        ("meta" | "json", name) => {
            NAMES.iter().any(|word| name.to_ascii_lowercase().contains(word)) && !name.contains("color")
        }
        _ => true,
    }
}

/// Whether a slot attaches words to articles, rather than dividing the site.
pub(super) fn is_tag_slot(slot: &str) -> bool {
    if slot.starts_with("a rel=") {
        return !slot.contains("rel=category");
    }
    let lower = slot.to_ascii_lowercase();
    (lower.contains("tag") || lower.contains("keyword"))
        && !lower.contains("categor")
        && !lower.contains("section")
}

/// Whether a text is a number or a name for machines: an identifier, or what a program writes for nothing.
pub(super) fn is_code(name: &str) -> bool {
    let digits = name.chars().filter(char::is_ascii_digit).count();
    let letters = name.chars().filter(|letter| letter.is_alphabetic()).count();
    let is_one_word = !name.contains(char::is_whitespace);
    let is_identifier = is_one_word && digits + letters >= IDENTIFIER && digits * 4 >= digits + letters;
    letters == 0 || is_identifier || matches!(name, "null" | "undefined" | "None" | "NULL" | "N/A" | "n/a")
}

/// Whether a name is a date, a month or a year.
pub(super) fn is_date(name: &str) -> bool {
    let digits = name.chars().filter(char::is_ascii_digit).count();
    let letters = name.chars().filter(|letter| letter.is_alphanumeric()).count();
    let is_year = digits == letters && matches!(digits, 1 | 2 | 4 | 6 | 8);
    // "March 2004 (#100)": the number of the issue is no part of the date.
    let written = name.split(['(', '#']).next().unwrap_or_default().trim();
    let is_written = |text: &str| newslode_page::extract::written_date(text, false).is_some();
    let has_year = written
        .split_whitespace()
        .any(|word| word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit()));
    let is_month =
        || has_year && written.split_whitespace().count() == 2 && is_written(&format!("1 {written}"));
    is_year || (written.bytes().any(|byte| byte.is_ascii_digit()) && (is_written(written) || is_month()))
}

/// Whether a text is a given name with an initial, such as "Donald J" or "J. K."
fn is_given_name(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let is_initial = |word: &str| {
        let mut letters = word.trim_end_matches('.').chars();
        letters.next().is_some_and(char::is_uppercase) && letters.next().is_none()
    };
    let count = text.split_whitespace().count();
    (2..=3).contains(&count)
        && words.next_back().is_some_and(is_initial)
        && text.trim().starts_with(char::is_uppercase)
}

/// The names in a text that commas may join. A name that is known with its commas stays whole.
fn split_names<'n>(text: &'n str, joined: &BTreeSet<String>) -> Vec<&'n str> {
    /// Most parts of one name.
    const MOST_PARTS: usize = 4;
    let mut bounds: Vec<(usize, usize)> = Vec::new();
    let mut from = 0;
    for (at, separator) in text.match_indices(SEPARATORS) {
        bounds.push((from, at));
        from = at + separator.len();
    }
    bounds.push((from, text.len()));
    let mut names = Vec::new();
    let mut at = 0;
    while let Some((start, end)) = bounds.get(at).copied() {
        // "Trump, Donald J" is one name: no tag ends with an initial.
        let next = bounds.get(at + 1).and_then(|(start, end)| text.get(*start..*end)).unwrap_or_default();
        if is_given_name(next) {
            names.push(text.get(start..bounds[at + 1].1).unwrap_or_default().trim());
            at += 2;
            continue;
        }
        let longest = (at + 1..bounds.len().min(at + MOST_PARTS)).rev();
        let whole = longest
            .filter_map(|last| Some((last, text.get(start..bounds[last].1)?)))
            .find(|(_, name)| joined.contains(&folded(name)));
        let (last, name) = whole.unwrap_or((at, text.get(start..end).unwrap_or_default()));
        if !name.trim().is_empty() {
            names.push(name.trim());
        }
        at = last + 1;
    }
    names
}

/// A target in a slot while learning: an address or a folded name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Target {
    Page(String),
    Name(String),
}

/// What an entry of a slot names.
pub(super) fn targets_of<'n>(entry: &'n SlotName, joined: &BTreeSet<String>) -> Vec<(Target, &'n str)> {
    match &entry.target {
        Some(url) => vec![(Target::Page(first_of_listing(url.as_str()).to_owned()), entry.name.as_str())],
        None => split_names(&entry.name, joined)
            .into_iter()
            .filter(|name| !is_code(name))
            .map(|name| (Target::Name(join_key(name)), name))
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_codes_are_told_from_names() {
        for date in
            ["2024", "05", "March 2004", "March 2004 (#100)", "Febbraio 2023", "3 May 2021", "2021-05-03"]
        {
            assert!(is_date(date), "{date}");
        }
        for name in ["Sport", "May", "Formula 1", "2019 Protests", "G20", "Catch-22"] {
            assert!(!is_date(name), "{name}");
        }
        for code in ["9A43D8FC-F4CF-44D9-9B34-138D30468F8F", "null", "1200", "a1b2c3d4e5f6"] {
            assert!(is_code(code), "{code}");
        }
        for name in ["Sport", "CS:GO", "Covid-19", "2019 Protests", "G20", "日本", "Elections2024 in Mali"]
        {
            assert!(!is_code(name), "{name}");
        }
    }

    #[test]
    fn pages_of_one_listing_have_one_first_page() {
        for url in [
            "https://a.org/sport",
            "https://a.org/sport/",
            "https://a.org/sport/page/3/",
            "https://a.org/sport/index.html",
        ] {
            assert_eq!(first_of_listing(url), "https://a.org/sport", "{url}");
        }
        assert_eq!(first_of_listing("https://a.org/home/page/about"), "https://a.org/home/page/about");
        assert_eq!(first_of_listing("https://a.org/lg_index.html"), "https://a.org/lg_index.html");
    }

    #[test]
    fn names_are_joined_across_spaces_case_and_accents() {
        assert_eq!(join_key("CS: GO"), join_key("csgo"));
        assert_eq!(join_key("Économie"), join_key("economie"));
        assert_eq!(folded("Arts &amp; Music"), "arts amp music");
        assert_eq!(last_part(&"https://a.org/tag/law-crime.html".parse().unwrap()), "lawcrime");
    }
}
