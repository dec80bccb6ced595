//! The taxonomy as an outline.

use super::model::Taxonomy;

/// The display tree as an outline: `label (sites)`, indented by two spaces for each level; genres, and what an editor set, are
/// marked.
#[must_use]
pub fn tree_text(taxonomy: &Taxonomy) -> String {
    let mut text = String::new();
    for (depth, concept) in taxonomy.in_order() {
        let (indent, sites) = ("  ".repeat(depth), counted_sites(concept.sites.len()));
        let genre = if concept.is_genre { ", a genre" } else { "" };
        let edited = if concept.edited.is_empty() { "" } else { ", set by an editor" };
        text.push_str(&format!("{indent}{} ({sites}{genre}{edited})\n", concept.label));
    }
    text
}

/// `1 site`, `2 sites`.
#[must_use]
pub fn counted_sites(count: usize) -> String {
    format!("{count} {}", if count == 1 { "site" } else { "sites" })
}
