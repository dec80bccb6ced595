//! Concepts, and what is behind them.

use std::collections::BTreeMap;

use newslode_common::time::iso;
use newslode_miner::mining::registry::{ChangeKind, Registry, TaxonomyChange};
use newslode_miner::mining::taxonomy::{Concept, Relation, Taxonomy};
use serde::Serialize;

/// A concept with its identifier; none if the registry has not followed the taxonomy yet.
#[derive(Debug, Serialize)]
pub(crate) struct IdentifiedConcept<'a> {
    id: Option<&'a str>,
    #[serde(flatten)]
    concept: &'a Concept,
}

impl<'a> IdentifiedConcept<'a> {
    pub(crate) fn new(concept: &'a Concept, ids: &BTreeMap<&'a str, &'a str>) -> IdentifiedConcept<'a> {
        IdentifiedConcept { id: ids.get(concept.key.as_str()).copied(), concept }
    }
}

/// A taxonomy with the identifiers of its concepts.
#[derive(Debug, Serialize)]
pub(crate) struct IdentifiedTaxonomy<'a> {
    support: u32,
    sites: u64,
    concepts: Vec<IdentifiedConcept<'a>>,
    relations: &'a [Relation],
}

impl<'a> IdentifiedTaxonomy<'a> {
    pub(crate) fn new(taxonomy: &'a Taxonomy, registry: &'a Registry) -> IdentifiedTaxonomy<'a> {
        let ids = registry.identifiers();
        IdentifiedTaxonomy {
            support: taxonomy.support,
            sites: taxonomy.sites,
            concepts: taxonomy.concepts.iter().map(|concept| IdentifiedConcept::new(concept, &ids)).collect(),
            relations: &taxonomy.relations,
        }
    }
}

/// A change of the taxonomy, as JSON has it.
#[derive(Debug, Serialize)]
pub(crate) struct ChangeLine<'a> {
    at: String,
    id: &'a str,
    key: &'a str,
    label: &'a str,
    #[serde(flatten)]
    kind: &'a ChangeKind,
}

/// The changes of the taxonomy, oldest first.
pub(crate) fn change_lines(registry: &Registry) -> Vec<ChangeLine<'_>> {
    let changes = registry.changes.iter();
    changes
        .map(|TaxonomyChange { at, id, key, label, kind }| ChangeLine { at: iso(*at), id, key, label, kind })
        .collect()
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
