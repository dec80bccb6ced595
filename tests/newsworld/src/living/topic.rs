//! A section of a living site: its name, and the words of its stories.

use newslode_demo_world::Language;
use newslode_demo_world::taxonomy::{beat, concepts};

/// A section: its name, and the words of its stories.
#[derive(Debug, Clone)]
pub(super) struct Topic {
    /// Name in menus.
    pub label: &'static str,
    /// Path part.
    pub slug: &'static str,
    /// Things its stories speak of.
    pub terms: &'static [&'static str],
    /// Templates of headlines.
    pub headlines: Vec<&'static str>,
    /// Templates of sentences.
    pub sentences: Vec<&'static str>,
    /// Who is quoted.
    pub roles: &'static [&'static str],
    /// For whom they speak.
    pub bodies: &'static [&'static str],
}

impl Topic {
    /// The section of a concept of the English taxonomy.
    pub(super) fn new(concept: usize) -> Self {
        let pack = Language::English.pack();
        let facts = &concepts(Language::English)[concept];
        let beat = beat(Language::English, concept);
        let both = |general: &[&'static str], special: Option<&[&'static str]>| {
            [general, special.unwrap_or_default()].concat()
        };
        Self {
            label: facts.label,
            slug: facts.slug,
            terms: &facts.terms,
            headlines: both(pack.headlines, beat.map(|b| b.headlines)),
            sentences: both(pack.sentences, beat.map(|b| b.sentences)),
            roles: beat.map_or(pack.roles, |b| b.roles),
            bodies: beat.map_or(pack.bodies, |b| b.bodies),
        }
    }
}
