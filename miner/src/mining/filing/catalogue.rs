//! The concepts under which articles are filed, by number: their places in the taxonomy.

use serde::{Deserialize, Serialize, Serializer};

use super::names::Names;
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

    /// Whether it says what stories are about, not how they are told.
    pub(super) fn is_subject(&self, number: Number) -> bool {
        self.get(number).is_some_and(|entry| !entry.is_genre)
    }

    pub(super) fn is_broader(&self, above: Number, below: Number) -> bool {
        self.get(below).is_some_and(|entry| entry.parents.contains(&above))
    }
}
