//! Emphasised leaves: the candidates for headers (`[OM05 §4.3.3]`).
//!
//! A leaf is emphasised if an element of [`TAGS`] is on its path, its parent has a class containing "bold", its
//! text is all in capitals (in a script that has them), or a `br` or `hr` separates it from the next leaf.

use crate::reading::{NodeId, Page};
use rustc_hash::FxHashMap;

/// The only list of elements that emphasise their text.
const TAGS: [&str; 14] =
    ["b", "strong", "bold", "em", "h1", "h2", "h3", "h4", "h5", "h6", "th", "caption", "dt", "legend"];

/// Whether each leaf of the page is emphasised. O(nodes).
pub(crate) fn emphasised(page: &Page) -> Vec<bool> {
    let (tree, leaves) = (&page.tree, &page.leaves);
    let mut sets_off = vec![false; tree.tag_count()];
    TAGS.iter().filter_map(|tag| tree.tag_named(tag)).for_each(|tag| sets_off[tag.index()] = true);
    let is_break = ["br", "hr"].map(|tag| tree.tag_named(tag));
    let mut inside = vec![false; tree.len()];
    let mut breaks: Vec<NodeId> = Vec::new();
    for node in tree.node_ids() {
        let above = tree.parent(node).is_some_and(|parent| inside[parent.index()]);
        let tag = tree.tag_id(node);
        inside[node.index()] = above || tag.is_some_and(|tag| sets_off[tag.index()]);
        if tag.is_some() && is_break.contains(&tag) {
            breaks.push(node);
        }
    }
    // Computed once for each parent: a class can be as long as a page, and thousands of leaves can share a parent.
    let mut bold: FxHashMap<NodeId, bool> = FxHashMap::default();
    let mut is_bold = |node| *bold.entry(node).or_insert_with(|| names_bold(tree.attr(node, "class")));
    let breaks_between = |from: NodeId, to: NodeId| {
        let next = breaks.partition_point(|&node| node < from);
        breaks.get(next).is_some_and(|&node| node < to)
    };
    (0..leaves.len())
        .map(|i| {
            let leaf = leaves.get(i);
            let next = (i + 1 < leaves.len()).then(|| leaves.get(i + 1).node);
            inside[leaf.node.index()]
                || is_bold(leaf.parent)
                || is_capitals(leaves.text(i))
                || next.is_some_and(|next| breaks_between(leaf.node, next))
        })
        .collect()
}

/// Whether a class contains "bold". Classes have no spaces inside, so the attribute need not be split.
fn names_bold(classes: Option<&str>) -> bool {
    classes.unwrap_or_default().as_bytes().windows(4).any(|part| part.eq_ignore_ascii_case(b"bold"))
}

/// Whether the text has at least two letters with case and all of them are upper case.
fn is_capitals(text: &str) -> bool {
    let mut upper = 0;
    for letter in text.chars() {
        if letter.is_lowercase() {
            return false;
        }
        upper += usize::from(letter.is_uppercase());
    }
    upper >= 2
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::page;

    #[track_caller]
    fn check(html: &str, expected: &[bool]) {
        assert_eq!(emphasised(&page(html)), expected, "{html}");
    }

    #[test]
    fn tags_classes_capitals_and_breaks_set_off() {
        check("<h3><a>x</a></h3><p><strong>y</strong>z", &[true, true, false]);
        check("<p class='lead SemiBold'>x</p><p class=light>y", &[true, false]);
        check("<p>WORLD 24</p><p>A 1</p><p>МИР</p><p>世界新聞</p>", &[true, false, true, false]);
        check("<div>x<br>y<hr></div><p>z", &[true, true, false]);
    }
}
