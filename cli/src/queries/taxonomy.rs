//! Concepts, what is behind them, and what they are in schemes.

use std::collections::BTreeMap;

use newslode_common::time::iso;
use newslode_miner::mining::registry::{ChangeKind, Registry, TaxonomyChange};
use newslode_miner::mining::schemes::align::Reason;
use newslode_miner::mining::schemes::{Aligned, Alignment, SchemeSet, Step, align};
use newslode_miner::mining::taxonomy::{Concept, OtherLanguages, Relation, Taxonomy};
use newslode_miner::work::registry::ChangeLine;
use serde::Serialize;

/// A concept with its identifier, and the same concept in other languages. There is no identifier if the registry has not followed
/// the taxonomy yet.
#[derive(Debug, Serialize)]
pub(crate) struct IdentifiedConcept<'a> {
    id: Option<&'a str>,
    #[serde(flatten)]
    concept: &'a Concept,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    other_languages: Vec<ConceptElsewhere<'a>>,
}

/// A concept of another language.
#[derive(Debug, Serialize)]
struct ConceptElsewhere<'a> {
    key: &'a str,
    label: &'a str,
    language: &'a str,
}

impl<'a> IdentifiedConcept<'a> {
    pub(crate) fn new(
        concept: &'a Concept,
        ids: &BTreeMap<&'a str, &'a str>,
        others: &OtherLanguages<'a>,
    ) -> IdentifiedConcept<'a> {
        let elsewhere = |other: &'a Concept| ConceptElsewhere {
            key: &other.key,
            label: &other.label,
            language: &other.language,
        };
        IdentifiedConcept {
            id: ids.get(concept.key.as_str()).copied(),
            concept,
            other_languages: others.same_as(concept).into_iter().map(elsewhere).collect(),
        }
    }
}

/// A taxonomy with the identifiers of its concepts.
#[derive(Debug, Serialize)]
pub(crate) struct IdentifiedTaxonomy<'a> {
    support: u32,
    sites: u64,
    concepts: Vec<IdentifiedConcept<'a>>,
    relations: &'a [Relation],
    #[serde(skip_serializing_if = "str::is_empty")]
    schemes: &'a str,
}

impl<'a> IdentifiedTaxonomy<'a> {
    pub(crate) fn new(taxonomy: &'a Taxonomy, registry: &'a Registry) -> IdentifiedTaxonomy<'a> {
        let (ids, others) = (registry.identifiers(), OtherLanguages::of(taxonomy));
        let identified = |concept| IdentifiedConcept::new(concept, &ids, &others);
        IdentifiedTaxonomy {
            support: taxonomy.support,
            sites: taxonomy.sites,
            concepts: taxonomy.concepts.iter().map(identified).collect(),
            relations: &taxonomy.relations,
            schemes: &taxonomy.schemes,
        }
    }
}

/// The changes of the taxonomy, oldest first.
pub(crate) fn change_lines(registry: &Registry) -> Vec<ChangeLine<'_>> {
    registry.changes.iter().map(ChangeLine::new).collect()
}

/// A change of the taxonomy as a line of text: time, identifier, what happened.
pub(crate) fn change_line(change: &TaxonomyChange, registry: &Registry) -> String {
    format!("{}  {}  {}", iso(change.at), change.id, change_sentence(change, registry))
}

/// What happened to a concept, in words.
pub(crate) fn change_sentence(change: &TaxonomyChange, registry: &Registry) -> String {
    let label = |id: &String| registry.entry(id).map_or(id.as_str(), |entry| &entry.label).to_owned();
    let labels = |ids: &[String]| match ids {
        [] => "the top".to_owned(),
        ids => ids.iter().map(label).collect::<Vec<_>>().join(", "),
    };
    let what = match &change.kind {
        ChangeKind::New => "new".to_owned(),
        ChangeKind::Returned => "returned".to_owned(),
        ChangeKind::Gone => "gone".to_owned(),
        ChangeKind::Merged { into } => format!("merged into {}", label(into)),
        ChangeKind::Split { from } => format!("split from {}", label(from)),
        ChangeKind::Renamed { from, from_key } if *from == change.label => {
            format!("renamed from {from_key} to {}", change.key)
        }
        ChangeKind::Renamed { from, .. } => format!("renamed from {from}"),
        ChangeKind::Moved { from, to } => format!("moved from {} to {}", labels(from), labels(to)),
    };
    format!("{}: {what}", change.label)
}

/// What is behind a concept, as JSON: what the taxonomy says of it, and why, in words.
pub(crate) fn explanation_json(taxonomy: &Taxonomy, asked: &str, why: &str) -> serde_json::Value {
    let concept = taxonomy
        .concepts
        .iter()
        .find(|concept| concept.key == asked || concept.label.to_lowercase() == asked.to_lowercase());
    let of_it = |relation: &&Relation| {
        concept.is_some_and(|concept| [&relation.broader, &relation.narrower].contains(&&concept.key))
    };
    let relations: Vec<_> = taxonomy.relations.iter().filter(of_it).collect();
    serde_json::json!({ "asked": asked, "concept": concept, "relations": relations, "why": why })
}

/// What the concepts of a taxonomy are in schemes.
#[derive(Debug, Serialize)]
pub(crate) struct SchemeReport {
    /// The schemes, those of users first.
    schemes: Vec<SchemeFigures>,
    /// The concepts from the top of the tree down.
    concepts: Vec<ConceptReport>,
    /// Whether miners aligned the taxonomy by these schemes.
    is_as_mined: bool,
}

/// How much of a taxonomy a scheme has.
#[derive(Debug, Default, Serialize)]
struct SchemeFigures {
    name: String,
    /// Concepts of the scheme.
    concepts: usize,
    /// Concepts of the taxonomy that are aligned to it.
    aligned: usize,
    /// Those that are not, by reason.
    open: BTreeMap<Reason, usize>,
}

/// What a concept is in each scheme.
#[derive(Debug, Serialize)]
struct ConceptReport {
    key: String,
    label: String,
    /// Steps down from the top.
    depth: usize,
    #[serde(flatten)]
    alignment: Alignment,
}

impl SchemeReport {
    /// Aligns a taxonomy to schemes, whichever it was aligned to before.
    pub(crate) fn new(set: &SchemeSet, taxonomy: &Taxonomy) -> SchemeReport {
        let alignments = align(set, taxonomy);
        let figures = set.names().iter().enumerate().map(|(number, name)| SchemeFigures {
            name: name.clone(),
            concepts: set.index().scheme(number).map_or(0, |scheme| scheme.len()),
            ..SchemeFigures::default()
        });
        let mut schemes: Vec<SchemeFigures> = figures.collect();
        for alignment in &alignments {
            for figures in &mut schemes {
                if let Some(open) = alignment.open.iter().find(|open| open.scheme == figures.name) {
                    *figures.open.entry(open.why).or_default() += 1;
                } else {
                    figures.aligned += 1;
                }
            }
        }
        let mut by_key: BTreeMap<&str, Alignment> =
            taxonomy.concepts.iter().map(|concept| concept.key.as_str()).zip(alignments).collect();
        let concepts = taxonomy.in_order().into_iter().map(|(depth, concept)| ConceptReport {
            key: concept.key.clone(),
            label: concept.label.clone(),
            depth,
            alignment: by_key.remove(concept.key.as_str()).unwrap_or_default(),
        });
        SchemeReport { schemes, concepts: concepts.collect(), is_as_mined: taxonomy.schemes == set.digest() }
    }

    /// The report for people.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        for SchemeFigures { name, concepts, aligned, open } in &self.schemes {
            let all = self.concepts.len();
            text.push_str(&format!("{name} ({concepts} concepts): {aligned} of {all} concepts aligned"));
            for (why, count) in open {
                text.push_str(&format!(", {count} {}", reason_text(*why)));
            }
            text.push('\n');
        }
        if self.schemes.is_empty() {
            text.push_str("there is no scheme; name one with --scheme FILE\n");
        } else if !self.is_as_mined {
            text.push_str("the taxonomy was not aligned by these schemes; the next fold of a miner that has them does so\n");
        }
        for ConceptReport { label, depth, alignment, .. } in &self.concepts {
            let indent = "  ".repeat(*depth);
            text.push_str(&format!("\n{indent}{label}\n"));
            for aligned in &alignment.aligned {
                text.push_str(&format!("{indent}  = {}\n", aligned_text(aligned)));
            }
            for open in alignment.open.iter().filter(|open| open.why != Reason::NoLabel) {
                text.push_str(&format!("{indent}  ? {}: {}\n", open.scheme, reason_text(open.why)));
                for candidate in &open.candidates {
                    text.push_str(&format!("{indent}    {} <{}>\n", candidate.label, candidate.uri));
                }
            }
            let without = alignment.open.iter().filter(|open| open.why == Reason::NoLabel);
            let without: Vec<&str> = without.map(|open| open.scheme.as_str()).collect();
            if !without.is_empty() {
                text.push_str(&format!("{indent}  - no label in {}\n", without.join(", ")));
            }
        }
        text
    }
}

fn reason_text(why: Reason) -> &'static str {
    match why {
        Reason::NoLabel => "without a label",
        Reason::Ambiguous => "ambiguous",
        Reason::OtherLanguage => "found only in other languages",
    }
}

/// A concept of a scheme, and how it was found.
fn aligned_text(aligned: &Aligned) -> String {
    let Aligned { scheme, uri, notation, label, how, .. } = aligned;
    let how = match how {
        Step::Spelled => "as spelled",
        Step::Stemmed => "by its stem",
        Step::SpelledElsewhere => "as spelled in another language",
        Step::StemmedElsewhere => "by its stem in another language",
    };
    let notation = notation.as_ref().map_or(String::new(), |notation| format!(" {notation}"));
    format!("{scheme}{notation} {label} <{uri}>, {how}")
}
