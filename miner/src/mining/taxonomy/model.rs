//! The taxonomy as a value: concepts, their written forms and their relations.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use newslode_page::contribution::labels::LabelKeys;
use newslode_page::reading::Site;
use serde::{Deserialize, Serialize};

use crate::mining::schemes::{Aligned, Step};

/// A written form of a concept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Form {
    /// As pages write it.
    pub text: String,
    /// Sites that write it.
    pub sites: u64,
    /// Pages that write it.
    pub pages: u64,
}

/// A concept: labels of one language that name one thing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Concept {
    /// `language:stems`: the label key that most sites show.
    pub key: String,
    /// All of its label keys, sorted; `key` is one of them.
    pub keys: Vec<String>,
    /// The form of its key that most sites write, with capital letters as running text has them.
    pub label: String,
    /// All forms, most frequent first (Syn of the ontology).
    pub forms: Vec<Form>,
    /// ISO 639-1 code.
    pub language: String,
    /// Sites that show it, by name.
    pub sites: Vec<Site>,
    /// How sure the company rule is, 0 to 1.
    pub score: f64,
    /// It says how stories are told or chosen (video, podcasts, most popular), not what they are about.
    #[serde(default)]
    pub is_genre: bool,
    /// Keys of all broader concepts.
    pub parents: Vec<String>,
    /// The parent under which it is displayed.
    pub parent: Option<String>,
    /// What an editor set, sorted; see [`corrections`](crate::mining::corrections).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edited: Vec<Edit>,
    /// What it is in schemes from outside and in those that come with the product.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aligned: Vec<Aligned>,
}

impl Concept {
    /// What it is called beside its label, most frequent first: each name once, whatever the case of its letters.
    pub fn other_names(&self) -> impl Iterator<Item = &str> {
        let mut known = BTreeSet::from([self.label.to_lowercase()]);
        let names = self.forms.iter().map(|form| form.text.as_str());
        names.filter(move |name| known.insert(name.to_lowercase()))
    }
}

/// What an editor set about a concept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Edit {
    /// Its label.
    Label,
    /// Other concepts were merged into it.
    Merged,
    /// It was split off another concept, or others were split off it.
    Split,
    /// A parent was set or forbidden.
    Parents,
}

/// One is-a pair and its proof.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Relation {
    /// Concept key.
    pub broader: String,
    /// Concept key.
    pub narrower: String,
    /// The number of labelled ancestors up at which enough sites agree; 1 = parent.
    pub level: u8,
    /// The sites that show the pair at that level or nearer, by name. None if only a list or an editor has it.
    pub sites: Vec<Site>,
    /// A list that comes with the product (regions, topics, genres) has the pair.
    #[serde(rename = "listed", default, skip_serializing_if = "is_false")]
    pub is_listed: bool,
    /// It follows from what an editor set, see [`corrections`](crate::mining::corrections).
    #[serde(default, skip_serializing_if = "is_false")]
    pub edited: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it")]
fn is_false(value: &bool) -> bool {
    !*value
}

/// Concepts and their order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Taxonomy {
    /// The `Sup` that was used.
    pub support: u32,
    /// Sites that were folded.
    pub sites: u64,
    /// By key.
    pub concepts: Vec<Concept>,
    /// By (broader, narrower); acyclic. None follows from others, except what an editor set.
    pub relations: Vec<Relation>,
    /// Digest of the schemes to which the concepts are aligned; empty if there were none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub schemes: String,
}

/// Finds the concepts of other languages that are the same as one, by the schemes to which all are aligned. Labels of different
/// languages are never one concept: only a scheme says that "Sport" and "Deportes" are the same. Both must have the name that the
/// scheme prefers in their language; by other names "Baking" would be "Ricette".
#[derive(Debug, Default)]
pub struct OtherLanguages<'a> {
    /// URI of a scheme's concept → the concepts that have its name.
    by_uri: BTreeMap<&'a str, Vec<&'a Concept>>,
    /// Key of a concept → the URIs whose name it has.
    uris: BTreeMap<&'a str, Vec<&'a str>>,
}

impl<'a> OtherLanguages<'a> {
    /// Looks at all concepts of a taxonomy.
    #[must_use]
    pub fn of(taxonomy: &'a Taxonomy) -> OtherLanguages<'a> {
        let mut others = OtherLanguages::default();
        let mut keys: BTreeMap<&str, LabelKeys> = BTreeMap::new();
        for concept in &taxonomy.concepts {
            let keys = keys
                .entry(concept.language.as_str())
                .or_insert_with(|| LabelKeys::new(Some(concept.language.as_str())));
            let has_name = |aligned: &&Aligned| {
                aligned.how == Step::Spelled
                    && keys.key(&aligned.label).is_some_and(|key| concept.keys.contains(&key))
            };
            for aligned in concept.aligned.iter().filter(has_name) {
                others.by_uri.entry(&aligned.uri).or_default().push(concept);
                others.uris.entry(&concept.key).or_default().push(&aligned.uri);
            }
        }
        others
    }

    /// The same concept in other languages, by language; of several in one language that of most sites.
    #[must_use]
    pub fn same_as(&self, concept: &Concept) -> Vec<&'a Concept> {
        let uris = self.uris.get(concept.key.as_str()).into_iter().flatten();
        let all = uris.filter_map(|uri| self.by_uri.get(uri)).flatten();
        let mut best: BTreeMap<&str, &'a Concept> = BTreeMap::new();
        for other in all.filter(|other| other.language != concept.language) {
            let held = best.entry(other.language.as_str()).or_insert(other);
            if (other.sites.len(), &held.key) > (held.sites.len(), &other.key) {
                *held = other;
            }
        }
        best.into_values().collect()
    }
}

impl Taxonomy {
    /// A concept by its key.
    #[must_use]
    pub fn concept(&self, key: &str) -> Option<&Concept> {
        self.concepts.binary_search_by(|c| c.key.as_str().cmp(key)).ok().and_then(|at| self.concepts.get(at))
    }

    /// The language of most concepts; empty without concepts.
    #[must_use]
    pub fn main_language(&self) -> &str {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for concept in &self.concepts {
            *counts.entry(&concept.language).or_default() += 1;
        }
        let most = counts.into_iter().max_by_key(|(language, concepts)| (*concepts, Reverse(*language)));
        most.map_or("", |(language, _)| language)
    }

    /// The display tree: concept key → keys under it, `None` → the roots. Genres come last; of the others and of them, the best
    /// supported come first.
    #[must_use]
    pub fn children(&self) -> BTreeMap<Option<&str>, Vec<&Concept>> {
        let mut children: BTreeMap<Option<&str>, Vec<&Concept>> = BTreeMap::new();
        for concept in &self.concepts {
            children.entry(concept.parent.as_deref()).or_default().push(concept);
        }
        for under in children.values_mut() {
            under.sort_by_key(|concept| {
                (concept.is_genre, Reverse(concept.sites.len()), concept.key.as_str())
            });
        }
        children
    }

    /// The concepts of the display tree from the top down, each with its depth.
    #[must_use]
    pub fn in_order(&self) -> Vec<(usize, &Concept)> {
        let children = self.children();
        let mut order: Vec<(usize, &Concept)> = Vec::new();
        let mut open: Vec<(usize, &Concept)> = Vec::new();
        let (mut depth, mut above) = (0, None);
        loop {
            let below = children.get(&above).into_iter().flatten().rev();
            open.extend(below.map(|concept| (depth, *concept)));
            let Some(next) = open.pop() else { return order };
            order.push(next);
            (depth, above) = (next.0 + 1, Some(next.1.key.as_str()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mining::schemes::Facet;

    /// A concept of so many sites that is aligned to a concept of a scheme which has this name in its language.
    fn concept(key: &str, sites: usize, uri: &str, name: &str, how: Step) -> Concept {
        let (facet, scheme) = (Facet::Subject, "topics".to_owned());
        let aligned = Aligned { scheme, uri: uri.into(), notation: None, label: name.into(), how, facet };
        let sites = (0..sites).map(|at| Site::of_host(&format!("site{at}.test"))).collect();
        let (language, label) = key.split_once(':').unwrap();
        let made = crate::mining::testing::concept(key, label, &[]);
        Concept { language: language.into(), sites, aligned: vec![aligned], ..made }
    }

    #[test]
    fn concepts_of_other_languages_are_the_same_if_all_have_the_name_of_one_concept_of_a_scheme() {
        let taxonomy = Taxonomy {
            concepts: vec![
                concept("de:fussball", 2, "urn:football", "Fußball", Step::Spelled),
                concept("de:leibesub", 9, "urn:sport", "Sport", Step::Spelled),
                concept("de:sport", 3, "urn:sport", "Sport", Step::Spelled),
                concept("en:game", 9, "urn:sport", "Sports", Step::Stemmed),
                concept("en:sport", 4, "urn:sport", "Sports", Step::Spelled),
                concept("es:deport", 1, "urn:sport", "Deportes", Step::Spelled),
            ],
            ..Taxonomy::default()
        };
        let others = OtherLanguages::of(&taxonomy);
        let same = |at: usize| -> Vec<&str> {
            others.same_as(&taxonomy.concepts[at]).into_iter().map(|other| other.key.as_str()).collect()
        };
        assert_eq!(same(4), ["de:sport", "es:deport"]);
        assert_eq!(same(2), ["en:sport", "es:deport"]);
        assert!(same(0).is_empty() && same(1).is_empty() && same(3).is_empty());
    }
}
