//! Which concepts a written name means: a section, or a part of an address.

use std::collections::{BTreeMap, HashMap};

use newslode_page::contribution::labels::Keys;
use newslode_page::reading::CanonicalUrl;

use crate::mining::taxonomy::Taxonomy;

/// What parts several names in one.
const BETWEEN: [char; 8] = [',', '/', ';', '|', '>', '›', '»', '·'];
/// Most parts that are read.
const MOST_PARTS: usize = 8;
/// Most stems of a name that is put together from concepts.
const MOST_STEMS: usize = 5;

/// The names of concepts.
pub(super) struct Names<'a> {
    /// Label key → concept key.
    by_key: HashMap<&'a str, &'a str>,
    /// (language, form in lower case) → concept key.
    by_form: HashMap<(&'a str, String), &'a str>,
    keys: BTreeMap<&'a str, Keys>,
}

impl<'a> Names<'a> {
    pub(super) fn new(taxonomy: &'a Taxonomy) -> Names<'a> {
        let concepts = || taxonomy.concepts.iter();
        let by_key = concepts()
            .flat_map(|concept| concept.keys.iter().map(|key| (key.as_str(), concept.key.as_str())));
        let by_form = concepts().flat_map(|concept| {
            let language = concept.language.as_str();
            concept.forms.iter().map(move |form| ((language, form.text.to_lowercase()), concept.key.as_str()))
        });
        let languages = concepts().map(|concept| concept.language.as_str());
        let keys = |language: &'a str| (language, Keys::new((language != "und").then_some(language)));
        Names { by_key: by_key.collect(), by_form: by_form.collect(), keys: languages.map(keys).collect() }
    }

    /// The concepts that a section names; several if it holds several names, or one that is put together from them
    /// ("World news" of "World" and "News").
    pub(super) fn of(&self, section: &str, language: Option<&str>) -> Vec<&'a str> {
        let whole = self.one(section, language);
        if !whole.is_empty() {
            return whole;
        }
        section.split(BETWEEN).take(MOST_PARTS).flat_map(|part| self.one(part, language)).collect()
    }

    /// The concepts that the directories of an address, or its host before the site's name, are spelled like.
    pub(super) fn of_address(&self, url: &CanonicalUrl, language: Option<&str>) -> Vec<&'a str> {
        let site = url.site();
        let host = url.host().strip_suffix(site.as_str()).unwrap_or_default().trim_end_matches('.');
        let directories = url.path().rsplit_once('/').map_or("", |(directories, _)| directories);
        let names = host.split('.').chain(directories.split('/'));
        let spelled = names.map(|name| name.replace(['-', '_', '+'], " ").replace("%20", " "));
        let is_name = |name: &String| name.chars().any(char::is_alphabetic) && name != "www";
        spelled.filter(is_name).take(MOST_PARTS).flat_map(|name| self.one(&name, language)).collect()
    }

    fn one(&self, text: &str, language: Option<&str>) -> Vec<&'a str> {
        let language = language.unwrap_or("und");
        let Some(keys) = self.keys.get(language) else { return Vec::new() };
        if let Some(concept) = self.by_form.get(&(language, text.trim().to_lowercase())) {
            return vec![concept];
        }
        let Some(key) = keys.key(text) else { return Vec::new() };
        match self.by_key.get(key.as_str()) {
            Some(concept) => vec![concept],
            None => self.put_together(&key),
        }
    }

    /// The concepts whose stems together are all stems of this key.
    fn put_together(&self, key: &str) -> Vec<&'a str> {
        let Some((language, stems)) = key.split_once(':') else { return Vec::new() };
        let stems: Vec<&str> = stems.split(' ').collect();
        if stems.len() > MOST_STEMS {
            return Vec::new();
        }
        let (mut concepts, mut covered) = (Vec::new(), 0_usize);
        let all = (1 << stems.len()) - 1;
        for some in 1..all {
            let part: Vec<&str> =
                (0..stems.len()).filter(|at| some >> at & 1 == 1).map(|at| stems[at]).collect();
            if let Some(concept) = self.by_key.get(format!("{language}:{}", part.join(" ")).as_str()) {
                covered |= some;
                concepts.push(*concept);
            }
        }
        if covered == all { concepts } else { Vec::new() }
    }
}
