//! Concepts, and what is behind them.

use newslode_miner::mining::taxonomy::{Relation, Taxonomy};

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
