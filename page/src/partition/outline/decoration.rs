//! Places labels without letters or digits once the others have their places.
//!
//! A bar between two menu entries belongs beside them, a bullet in a story to the story. So each goes to the
//! smallest element that holds another label: under that element's only top, or beside its tops.

use super::evidence::Evidence;
use super::forest::{Forest, Part};
use super::skeleton::NONE;

/// Gives each decoration its parent.
pub(super) fn place_decoration(evidence: &Evidence, done: &[Option<Part>], forest: &mut Forest) {
    let Evidence { skeleton, labels, spans, .. } = evidence;
    for (i, label) in labels.iter().enumerate().filter(|(_, label)| label.is_decoration) {
        let mut element = label.element;
        while element != NONE && done[element as usize].is_none() {
            element = skeleton.get(element).parent;
        }
        let Some(part) = done.get(element as usize).copied().flatten() else { continue };
        let (lo, hi) = spans[element as usize];
        forest.parent[i] =
            if part.is_closed() { part.first } else { common_parent(forest, part.first, (lo, hi)) };
    }
}

/// The label above all tops of an element.
fn common_parent(forest: &Forest, top: u32, (lo, hi): (u32, u32)) -> u32 {
    let mut above = forest.parent[top as usize];
    while above != NONE && (lo..hi).contains(&above) {
        above = forest.parent[above as usize];
    }
    above
}
