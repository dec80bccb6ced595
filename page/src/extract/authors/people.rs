//! The people that a byline names as its writers.

use super::bylines;
use super::names::{SiteNames, is_name};
use super::words::Work;
use crate::extract::cldr::Language;

/// The names of people in a byline, each once; the site's own names are left out.
pub(in crate::extract) fn people_in(
    byline: &str,
    site: &SiteNames,
    language: Option<Language>,
) -> Vec<String> {
    let mut people: Vec<String> = Vec::new();
    for part in bylines::parts(byline, site, language) {
        let is_known = people.iter().any(|person| person.to_lowercase() == part.name.to_lowercase());
        let is_writer = part.work == Work::Writing && !part.is_newsroom;
        if is_writer && is_name(&part.name) && !site.is_own(&part.name) && !is_known {
            people.push(part.name);
        }
    }
    people
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(byline: &str, expected: &[&str]) {
        let site = SiteNames::new(["The Daily Post".to_owned()].into_iter(), "www.dailypost.example");
        assert_eq!(people_in(byline, &site, None), expected, "{byline}");
    }

    #[test]
    fn bylines_become_names() {
        check("By Ada Lovelace and Alan Turing", &["Ada Lovelace", "Alan Turing"]);
        check("Ada Lovelace, Ada Lovelace", &["Ada Lovelace"]);
        check("Ada Lovelace, Chief Technology Officer", &["Ada Lovelace"]);
        check("https://a.test/people/ada", &[]);
        check("Posted on", &[]);
        check("Name *", &[]);
    }

    #[test]
    fn the_site_is_no_person() {
        check("The Daily Post", &[]);
        check("Ada Lovelace, Daily Post", &["Ada Lovelace"]);
        check("The Daily Post with Agencies", &[]);
    }
}
