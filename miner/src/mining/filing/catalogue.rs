//! The concepts under which articles are filed, by number (their places in the taxonomy), and which of them a written
//! name means: a section, or a part of an address.

use std::collections::{BTreeSet, HashMap};

use newslode_page::contribution::labels::LabelKeys;
use newslode_page::reading::CanonicalUrl;
use serde::{Deserialize, Serialize, Serializer};

use crate::mining::taxonomy::Taxonomy;

/// A concept's place in the catalogue.
pub(super) type Number = u32;

/// What filing needs to know of a concept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Entry {
    pub(super) key: String,
    /// All of its label keys.
    pub(super) keys: Vec<String>,
    pub(super) label: String,
    /// Its written forms, in lower case.
    pub(super) forms: Vec<String>,
    pub(super) language: String,
    pub(super) is_genre: bool,
    pub(super) parents: Vec<Number>,
}

/// All concepts, by key.
#[derive(Deserialize)]
#[serde(from = "Vec<Entry>")]
pub(super) struct Catalogue {
    entries: Vec<Entry>,
    pub(super) names: Names,
}

impl Serialize for Catalogue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.entries.serialize(serializer)
    }
}

impl From<Vec<Entry>> for Catalogue {
    fn from(entries: Vec<Entry>) -> Catalogue {
        Catalogue { names: Names::new(&entries), entries }
    }
}

impl Catalogue {
    pub(super) fn new(taxonomy: &Taxonomy) -> Catalogue {
        let concepts = &taxonomy.concepts;
        let number = |key: &String| {
            let at = concepts.binary_search_by(|concept| concept.key.cmp(key)).ok()?;
            Number::try_from(at).ok()
        };
        let entries = concepts.iter().map(|concept| Entry {
            key: concept.key.clone(),
            keys: concept.keys.clone(),
            label: concept.label.clone(),
            forms: concept.forms.iter().map(|form| form.text.to_lowercase()).collect(),
            language: concept.language.clone(),
            is_genre: concept.is_genre,
            parents: concept.parents.iter().filter_map(number).collect(),
        });
        entries.collect::<Vec<Entry>>().into()
    }

    pub(super) fn get(&self, number: Number) -> Option<&Entry> {
        self.entries.get(number as usize)
    }

    pub(super) fn number(&self, key: &str) -> Option<Number> {
        let at = self.entries.binary_search_by(|entry| entry.key.as_str().cmp(key)).ok()?;
        Number::try_from(at).ok()
    }

    /// Whether it is a subject, and no genre.
    pub(super) fn is_subject(&self, number: Number) -> bool {
        self.get(number).is_some_and(|entry| !entry.is_genre)
    }

    /// These concepts and all above them, without genres.
    pub(super) fn with_all_above(&self, concepts: impl IntoIterator<Item = Number>) -> BTreeSet<Number> {
        let mut waiting: Vec<Number> = concepts.into_iter().collect();
        let mut found = BTreeSet::new();
        while let Some(concept) = waiting.pop() {
            if let Some(entry) = self.get(concept).filter(|entry| !entry.is_genre)
                && found.insert(concept)
            {
                waiting.extend(&entry.parents);
            }
        }
        found
    }

    pub(super) fn is_broader(&self, above: Number, below: Number) -> bool {
        self.get(below).is_some_and(|entry| entry.parents.contains(&above))
    }
}

/// Characters that separate several names in one section.
const SEPARATORS: [char; 8] = [',', '/', ';', '|', '>', '›', '»', '·'];
/// Maximum number of parts of a section or URL that are read.
const MAX_PARTS: usize = 8;
/// Maximum number of stems of a name that is combined from concepts.
const MAX_STEMS: usize = 5;

/// The names of concepts.
pub(super) struct Names {
    /// By label key.
    by_key: HashMap<String, Number>,
    by_language: HashMap<String, LanguageNames>,
}

struct LanguageNames {
    keys: LabelKeys,
    /// By written form, in lower case.
    by_form: HashMap<String, Number>,
}

impl LanguageNames {
    fn new(language: &str) -> LanguageNames {
        let keys = LabelKeys::new((language != "und").then_some(language));
        LanguageNames { keys, by_form: HashMap::new() }
    }
}

impl Names {
    pub(super) fn new(entries: &[Entry]) -> Names {
        let mut names = Names { by_key: HashMap::new(), by_language: HashMap::new() };
        for (number, entry) in (0..).zip(entries) {
            names.by_key.extend(entry.keys.iter().map(|key| (key.clone(), number)));
            let language = entry.language.clone();
            let of_language =
                names.by_language.entry(language).or_insert_with(|| LanguageNames::new(&entry.language));
            of_language.by_form.extend(entry.forms.iter().map(|form| (form.clone(), number)));
        }
        names
    }

    /// The concepts that a section names; several if it holds several names, or one that is put together from them
    /// ("World news" of "World" and "News").
    pub(super) fn concepts_of_section(&self, section: &str, language: Option<&str>) -> Vec<Number> {
        let whole = self.concepts_named(section, language);
        if !whole.is_empty() {
            return whole;
        }
        section
            .split(SEPARATORS)
            .take(MAX_PARTS)
            .flat_map(|part| self.concepts_named(part, language))
            .collect()
    }

    /// The concepts that the directories of an address, or its host before the site's name, are spelled like.
    pub(super) fn concepts_of_url(&self, url: &CanonicalUrl, language: Option<&str>) -> Vec<Number> {
        let site = url.site();
        let host = url.host().strip_suffix(site.as_str()).unwrap_or_default().trim_end_matches('.');
        let directories = url.path().rsplit_once('/').map_or("", |(directories, _)| directories);
        let names = host.split('.').chain(directories.split('/'));
        let spelled = names.map(|name| name.replace(['-', '_', '+'], " ").replace("%20", " "));
        let is_name = |name: &String| name.chars().any(char::is_alphabetic) && name != "www";
        spelled
            .filter(is_name)
            .take(MAX_PARTS)
            .flat_map(|name| self.concepts_named(&name, language))
            .collect()
    }

    /// The concept of which this is a label key.
    pub(super) fn concept_of_key(&self, key: &str) -> Option<Number> {
        self.by_key.get(key).copied()
    }

    /// The concept that a label of this language names as a whole.
    pub(super) fn concept_of_label(&self, text: &str, language: Option<&str>) -> Option<Number> {
        let known = self.by_language.get(language.unwrap_or("und"))?;
        let concept = known.by_form.get(&text.trim().to_lowercase());
        concept.or_else(|| self.by_key.get(&known.keys.key(text)?)).copied()
    }

    fn concepts_named(&self, text: &str, language: Option<&str>) -> Vec<Number> {
        if let Some(concept) = self.concept_of_label(text, language) {
            return vec![concept];
        }
        let known = self.by_language.get(language.unwrap_or("und"));
        let key = known.and_then(|known| known.keys.key(text));
        key.map(|key| self.combined(&key)).unwrap_or_default()
    }

    /// The concepts whose stems together are all stems of this key: tries each subset of the stems.
    fn combined(&self, key: &str) -> Vec<Number> {
        let Some((language, stems)) = key.split_once(':') else { return Vec::new() };
        let stems: Vec<&str> = stems.split(' ').collect();
        if stems.len() > MAX_STEMS {
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
