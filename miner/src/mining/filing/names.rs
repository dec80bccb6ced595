//! Which concepts a written name means: a section, or a part of an address.

use std::collections::HashMap;

use newslode_page::contribution::labels::Keys;
use newslode_page::reading::CanonicalUrl;

use super::catalogue::{Entry, Number};

/// What parts several names in one.
const BETWEEN: [char; 8] = [',', '/', ';', '|', '>', '›', '»', '·'];
/// Most parts that are read.
const MOST_PARTS: usize = 8;
/// Most stems of a name that is put together from concepts.
const MOST_STEMS: usize = 5;

/// The names of concepts.
pub(super) struct Names {
    /// By label key.
    by_key: HashMap<String, Number>,
    by_language: HashMap<String, OfLanguage>,
}

struct OfLanguage {
    keys: Keys,
    /// By written form, in lower case.
    by_form: HashMap<String, Number>,
}

impl OfLanguage {
    fn new(language: &str) -> OfLanguage {
        let keys = Keys::new((language != "und").then_some(language));
        OfLanguage { keys, by_form: HashMap::new() }
    }
}

impl Names {
    pub(super) fn new(entries: &[Entry]) -> Names {
        let mut names = Names { by_key: HashMap::new(), by_language: HashMap::new() };
        for (number, entry) in (0..).zip(entries) {
            names.by_key.extend(entry.keys.iter().map(|key| (key.clone(), number)));
            let language = entry.language.clone();
            let of_language =
                names.by_language.entry(language).or_insert_with(|| OfLanguage::new(&entry.language));
            of_language.by_form.extend(entry.forms.iter().map(|form| (form.clone(), number)));
        }
        names
    }

    /// The concepts that a section names; several if it holds several names, or one that is put together from them
    /// ("World news" of "World" and "News").
    pub(super) fn of(&self, section: &str, language: Option<&str>) -> Vec<Number> {
        let whole = self.one(section, language);
        if !whole.is_empty() {
            return whole;
        }
        section.split(BETWEEN).take(MOST_PARTS).flat_map(|part| self.one(part, language)).collect()
    }

    /// The concepts that the directories of an address, or its host before the site's name, are spelled like.
    pub(super) fn of_address(&self, url: &CanonicalUrl, language: Option<&str>) -> Vec<Number> {
        let site = url.site();
        let host = url.host().strip_suffix(site.as_str()).unwrap_or_default().trim_end_matches('.');
        let directories = url.path().rsplit_once('/').map_or("", |(directories, _)| directories);
        let names = host.split('.').chain(directories.split('/'));
        let spelled = names.map(|name| name.replace(['-', '_', '+'], " ").replace("%20", " "));
        let is_name = |name: &String| name.chars().any(char::is_alphabetic) && name != "www";
        spelled.filter(is_name).take(MOST_PARTS).flat_map(|name| self.one(&name, language)).collect()
    }

    fn one(&self, text: &str, language: Option<&str>) -> Vec<Number> {
        let language = language.unwrap_or("und");
        let Some(known) = self.by_language.get(language) else { return Vec::new() };
        if let Some(concept) = known.by_form.get(&text.trim().to_lowercase()) {
            return vec![*concept];
        }
        let Some(key) = known.keys.key(text) else { return Vec::new() };
        match self.by_key.get(&key) {
            Some(concept) => vec![*concept],
            None => self.put_together(&key),
        }
    }

    /// The concepts whose stems together are all stems of this key.
    fn put_together(&self, key: &str) -> Vec<Number> {
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
            if let Some(concept) = self.by_key.get(&format!("{language}:{}", part.join(" "))) {
                covered |= some;
                concepts.push(*concept);
            }
        }
        if covered == all { concepts } else { Vec::new() }
    }
}
