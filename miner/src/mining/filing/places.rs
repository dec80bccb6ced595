//! What the articles of one section or of one directory of a site have in common.

use std::collections::{BTreeMap, HashMap};

use newslode_page::article::Article;

use super::Named;

/// Least filed articles of a place that teach, and the share of them that must agree.
const LEAST: i64 = 4;
const AGREEING: f32 = 0.9;
/// Directories of an address that are looked at.
const DEEPEST: usize = 2;

/// By place: the filed articles, and those under each concept.
#[derive(Default)]
pub(super) struct Places<'a>(HashMap<String, (i64, BTreeMap<&'a str, i64>)>);

/// The names of the places of an article: its section, and its directories.
fn places(article: &Article) -> impl Iterator<Item = String> {
    let site = article.site.clone();
    let section = article.section.as_ref().map(|section| format!("{site} {}", section.trim().to_lowercase()));
    let mut parts = article.url.split('/').skip(2);
    let host = parts.next().unwrap_or_default().to_owned();
    let names: Vec<&str> = parts.collect();
    let directories = names.split_last().map_or(&[][..], |(_, directories)| directories);
    let said = directories.iter().filter(|name| name.chars().any(char::is_alphabetic)).take(DEEPEST);
    let mut path = host;
    let directories: Vec<String> = said
        .map(|name| {
            path = format!("{path}/{name}");
            path.clone()
        })
        .collect();
    section.into_iter().chain(directories)
}

impl<'a> Places<'a> {
    pub(super) fn see(&mut self, article: &Article, named: &Named<'a>) {
        if named.is_empty() {
            return;
        }
        for place in places(article) {
            let (articles, concepts) = self.0.entry(place).or_default();
            *articles += 1;
            named.keys().for_each(|concept| *concepts.entry(concept).or_default() += 1);
        }
    }

    /// The concepts under which nearly all filed articles of one of an article's places are, with their share.
    pub(super) fn of(&self, article: &Article) -> Vec<(&'a str, f32)> {
        let mut found = Vec::new();
        for (articles, concepts) in places(article).filter_map(|place| self.0.get(&place)) {
            if *articles >= LEAST {
                let share = |count: i64| count as f32 / *articles as f32;
                let of_most = concepts.iter().map(|(concept, count)| (*concept, share(*count)));
                found.extend(of_most.filter(|(_, share)| *share >= AGREEING));
            }
        }
        found
    }
}
