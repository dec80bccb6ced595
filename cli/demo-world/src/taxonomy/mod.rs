//! What the world's news is about: a fixed taxonomy for each language, shared by all its sites.
//!
//! A concept has a preferred label, other spellings that some sites use, a parent and the terms of its stories. Sites
//! carry subsets of the taxonomy, so most concepts recur. Mining must find these concepts and no others. Start at
//! [`concepts`].

mod beats;

use std::sync::LazyLock;

use crate::language::Language;

/// One concept of a language's taxonomy.
#[derive(Debug, PartialEq, Eq)]
pub struct Concept {
    /// Preferred label: also the concept's identity within its language.
    pub label: &'static str,
    /// Path part, ASCII.
    pub slug: &'static str,
    /// Label of the broader concept; empty at the top.
    pub parent: &'static str,
    /// Other spellings.
    pub synonyms: Vec<&'static str>,
    /// Terms that its stories mention.
    pub terms: Vec<&'static str>,
}

/// A kind of news with sentences of its own, used beside the general ones.
#[derive(Debug, PartialEq, Eq)]
pub struct Beat {
    /// Roles of the people quoted.
    pub roles: &'static [&'static str],
    /// Bodies they speak for.
    pub bodies: &'static [&'static str],
    /// Headlines with slots.
    pub headlines: &'static [&'static str],
    /// Sentences with slots.
    pub sentences: &'static [&'static str],
}

static TAXONOMIES: LazyLock<[Vec<Concept>; Language::ALL.len()]> = LazyLock::new(|| {
    [
        read(include_str!("en.txt")),
        read(include_str!("de.txt")),
        read(include_str!("es.txt")),
        read(include_str!("ru.txt")),
        read(include_str!("ja.txt")),
        read(include_str!("fr.txt")),
        read(include_str!("pt.txt")),
        read(include_str!("ar.txt")),
        read(include_str!("zh.txt")),
    ]
});

/// The taxonomy of `language`, parents before children.
#[must_use]
pub fn concepts(language: Language) -> &'static [Concept] {
    &TAXONOMIES[language as usize]
}

/// Reads a table whose first line names its columns.
fn read(table: &'static str) -> Vec<Concept> {
    let list = |cell: &'static str| cell.split("; ").filter(|item| !item.is_empty()).collect();
    table
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| {
            let mut cells = line.split('|').map(str::trim);
            Some(Concept {
                label: cells.next()?,
                slug: cells.next()?,
                parent: cells.next()?,
                synonyms: list(cells.next()?),
                terms: list(cells.next()?),
            })
        })
        .collect()
}

/// Index of a concept's parent in its language's taxonomy.
#[must_use]
pub(crate) fn parent(language: Language, concept: usize) -> Option<usize> {
    let all = concepts(language);
    all.iter().position(|c| c.label == all[concept].parent)
}

/// The ancestors of a concept, nearest first.
#[must_use]
pub(crate) fn ancestors(language: Language, concept: usize) -> Vec<usize> {
    std::iter::successors(parent(language, concept), |&c| parent(language, c)).collect()
}

/// The beat of a concept; only English has beats.
#[must_use]
pub fn beat(language: Language, concept: usize) -> Option<&'static Beat> {
    let top = ancestors(language, concept).last().copied().unwrap_or(concept);
    (language == Language::English).then(|| beats::beat(concepts(language)[top].label)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn labels_are_unique_and_parents_come_first() {
        for language in Language::ALL {
            let all = concepts(language);
            let mut labels = BTreeSet::new();
            for (i, concept) in all.iter().enumerate() {
                for label in std::iter::once(&concept.label).chain(&concept.synonyms) {
                    assert!(labels.insert(label.to_lowercase()), "{label} stands twice");
                }
                assert_eq!(concept.parent.is_empty(), parent(language, i).is_none(), "{}", concept.label);
                assert!(
                    parent(language, i).is_none_or(|p| p < i),
                    "{} stands before its parent",
                    concept.label
                );
                assert!(concept.terms.len() >= 5, "{} has too few terms", concept.label);
                assert!(
                    concept.slug.bytes().all(|b| b.is_ascii_lowercase() || b == b'-'),
                    "{}",
                    concept.slug
                );
            }
        }
    }

    #[test]
    fn english_is_large_enough_and_three_deep() {
        let n = concepts(Language::English).len();
        assert!((35..=45).contains(&n), "{n} concepts");
        let deepest = (0..n).map(|c| ancestors(Language::English, c).len()).max();
        assert_eq!(deepest, Some(2));
    }
}
