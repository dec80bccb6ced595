//! The schemes that a taxonomy is aligned to, under their names: those of users first, then those that come with the product.
//!
//! A set is named by its [digest](SchemeSet::digest), which a taxonomy keeps: it says by which schemes its concepts were aligned.
//! Start at [`SchemeSet::new`].

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::builtin::Builtin;
use super::known::KnownLabels;
use super::lookup::{Facet, Match, SchemeIndex, Step};
use super::scheme::{Concept, Scheme};

/// Number of the way in which labels are looked up and concepts aligned. Raise it with each change of either, so that taxonomies
/// are aligned again.
const ALIGNMENT: u32 = 1;

/// A scheme of a set.
#[derive(Clone, Debug)]
pub struct NamedScheme {
    /// Its name, which no other one of the set has.
    pub name: String,
    /// What its concepts are to a news site.
    pub facet: Facet,
    /// The scheme.
    pub scheme: Arc<Scheme>,
}

/// A concept of a scheme that a label, or a concept of the taxonomy, means.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Aligned {
    /// The scheme's name.
    pub scheme: String,
    /// The concept's URI.
    pub uri: String,
    /// Its first notation, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notation: Option<String>,
    /// Its name in the language of what means it, else in English.
    pub label: String,
    /// How it was found.
    pub how: Step,
    /// What the scheme's concepts are to a news site.
    pub facet: Facet,
}

impl Aligned {
    /// The code of the concept: its notation, else its URI.
    #[must_use]
    pub fn code(&self) -> &str {
        self.notation.as_deref().unwrap_or(&self.uri)
    }
}

/// The codes of these concepts, without those of the scheme's list of furniture.
#[must_use]
pub fn codes_of(aligned: &[Aligned]) -> Vec<String> {
    let wanted = aligned.iter().filter(|one| one.facet != Facet::Furniture);
    wanted.map(|one| one.code().to_owned()).collect()
}

/// Several schemes under their names, found by labels.
pub struct SchemeSet {
    names: Vec<String>,
    index: SchemeIndex,
    builtin: SchemeIndex,
    known: KnownLabels,
    digest: String,
}

impl Default for SchemeSet {
    fn default() -> SchemeSet {
        SchemeSet::new(Vec::new(), Vec::new())
    }
}

impl fmt::Debug for SchemeSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SchemeSet").field("names", &self.names).field("digest", &self.digest).finish()
    }
}

impl SchemeSet {
    /// A set of these schemes, numbered in this order. Names must differ.
    #[must_use]
    pub fn new(outside: Vec<NamedScheme>, builtin: Vec<(Builtin, Arc<Scheme>)>) -> SchemeSet {
        let own = builtin.iter().map(|(own, scheme)| NamedScheme {
            name: own.name().to_owned(),
            facet: own.facet(),
            scheme: Arc::clone(scheme),
        });
        let known = builtin.iter().map(|(own, scheme)| (Arc::clone(scheme), own.facet())).collect();
        let outside_count = outside.len();
        let all: Vec<NamedScheme> = outside.into_iter().chain(own).collect();
        let (digest, names) = (digest(&all), all.iter().map(|one| one.name.clone()).collect());
        let index = SchemeIndex::new(all.into_iter().map(|one| (one.scheme, one.facet)).collect());
        SchemeSet {
            digest,
            names,
            builtin: index.without_first(outside_count),
            known: KnownLabels::of(known),
            index,
        }
    }

    /// Names the schemes, their content and the way in which labels are looked up; empty if there is no scheme.
    #[must_use]
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// The names of the schemes, by their numbers.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Whether there is no scheme.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The index of all schemes.
    #[must_use]
    pub fn index(&self) -> &SchemeIndex {
        &self.index
    }

    /// The index of those schemes that come with the product and are switched on, in the order of [`Builtin::ALL`].
    #[must_use]
    pub fn builtin(&self) -> &SchemeIndex {
        &self.builtin
    }

    /// What the schemes that come with the product and are switched on know of labels.
    #[must_use]
    pub fn known(&self) -> &KnownLabels {
        &self.known
    }

    /// What was found for a text of this language.
    #[must_use]
    pub fn aligned(&self, found: &Match, language: &str) -> Option<Aligned> {
        let concept = self.index.concept(found)?;
        Some(Aligned {
            scheme: self.names.get(found.scheme)?.clone(),
            uri: concept.uri().to_owned(),
            notation: concept.notations().next().map(str::to_owned),
            label: concept.name(language).unwrap_or_default().to_owned(),
            how: found.how,
            facet: self.index.facet(found.scheme)?,
        })
    }

    /// The codes of the concepts that this code, notation or URI names, and of all concepts below them.
    #[must_use]
    pub fn codes_within(&self, code: &str) -> BTreeSet<String> {
        let mut codes = BTreeSet::new();
        for scheme in (0..self.names.len()).filter_map(|number| self.index.scheme(number)) {
            let is_named = |concept: &Concept<'_>| {
                concept.uri() == code || concept.notations().any(|notation| notation == code)
            };
            let mut waiting: Vec<u32> = scheme.concepts().filter(is_named).map(Concept::number).collect();
            if waiting.is_empty() {
                continue;
            }
            let mut below: Vec<(u32, u32)> = scheme
                .concepts()
                .flat_map(|concept| concept.broader().iter().map(move |broad| (*broad, concept.number())))
                .collect();
            below.sort_unstable();
            let mut seen: BTreeSet<u32> = waiting.iter().copied().collect();
            while let Some(number) = waiting.pop() {
                let Some(concept) = scheme.concept(number) else { continue };
                codes.insert(concept.notations().next().unwrap_or_else(|| concept.uri()).to_owned());
                let begin = below.partition_point(|(broad, _)| *broad < number);
                for (_, narrow) in below[begin..].iter().take_while(|(broad, _)| *broad == number) {
                    if seen.insert(*narrow) {
                        waiting.push(*narrow);
                    }
                }
            }
        }
        codes
    }
}

fn digest(schemes: &[NamedScheme]) -> String {
    if schemes.is_empty() {
        return String::new();
    }
    let mut hasher = blake3::Hasher::new();
    hasher.update(&ALIGNMENT.to_le_bytes());
    for NamedScheme { name, facet, scheme } in schemes {
        hasher.update(&(name.len() as u64).to_le_bytes());
        hasher.update(name.as_bytes());
        hasher.update(&[*facet as u8]);
        hasher.update(scheme.digest().as_bytes());
    }
    hasher.finalize().to_hex().to_string()
}
