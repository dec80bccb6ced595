//! The taxonomy as an outline.

use super::model::Taxonomy;

/// The display tree as an outline: `label (sites)`, indented by two spaces for each level; genres, what an editor set, and
/// languages other than that of most concepts are marked.
#[must_use]
pub fn tree_text(taxonomy: &Taxonomy) -> String {
    let mut text = String::new();
    let main = taxonomy.main_language();
    for (depth, concept) in taxonomy.in_order() {
        let (indent, sites) = ("  ".repeat(depth), counted_sites(concept.sites.len()));
        let genre = if concept.is_genre { ", a genre" } else { "" };
        let edited = if concept.edited.is_empty() { "" } else { ", set by an editor" };
        let other = if concept.language == main { String::new() } else { format!(", {}", concept.language) };
        text.push_str(&format!("{indent}{} ({sites}{other}{genre}{edited})\n", concept.label));
    }
    text
}

/// `1 site`, `2 sites`.
#[must_use]
pub fn counted_sites(count: usize) -> String {
    format!("{count} {}", if count == 1 { "site" } else { "sites" })
}
