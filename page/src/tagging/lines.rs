//! The lines of a page: the leaves that a reader sees side by side.
//!
//! A label and its value are in one line ("Phone: 12 34") or in two consecutive ones. So labels and values are
//! read from lines, not from leaves: inline markup splits a line into leaves. Block elements, `br`, `hr` and, in
//! `pre`, newlines end a line.
//! Invariant: the lines are the leaves in order, each in exactly one line.

use std::ops::Range;

use crate::reading::NodeId;

use crate::Page;
use crate::text::is_inside_line;

/// Leaves side by side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TextLine {
    pub(super) leaves: Range<usize>,
    /// The nearest block element around its first leaf.
    pub(super) block: NodeId,
    /// Whether a rule (`hr`) separates this line from the one before.
    pub(super) is_ruled: bool,
}

/// The lines of a page, in order. O(nodes + leaves · depth of inline markup).
pub(super) fn text_lines(page: &Page) -> Vec<TextLine> {
    let mut lines: Vec<TextLine> = Vec::new();
    for (i, leaf) in page.leaves.iter().enumerate() {
        let block = enclosing_block(page, leaf.parent);
        let gap = match i.checked_sub(1) {
            Some(before) => gap_between(page, page.leaves.get(before).node, leaf.node),
            None => Gap::Rule,
        };
        match lines.last_mut() {
            Some(line) if gap == Gap::Nothing && line.block == block => line.leaves.end = i + 1,
            _ => lines.push(TextLine { leaves: i..i + 1, block, is_ruled: gap == Gap::Rule }),
        }
    }
    lines
}

/// The nearest element that is not inline, `from` included.
pub(super) fn enclosing_block(page: &Page, from: NodeId) -> NodeId {
    let is_block = |node: &NodeId| page.tree.tag(*node).is_some_and(|tag| !is_inside_line(tag));
    std::iter::once(from).chain(page.tree.ancestors(from)).find(is_block).unwrap_or(page.tree.root())
}

/// Whether the next line is in a list that does not contain this leaf.
pub(super) fn heads_list(page: &Page, leaf: usize, next: &TextLine) -> bool {
    let tree = &page.tree;
    let below = page.leaves.get(next.leaves.start).node;
    let is_list = |node: &NodeId| matches!(tree.tag(*node), Some("ul" | "ol" | "dl" | "menu"));
    let list = tree.ancestors(below).find(is_list);
    list.is_some_and(|list| !tree.is_ancestor(list, page.leaves.get(leaf).node))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Gap {
    Nothing,
    Break,
    Rule,
}

/// The gap between two consecutive leaves.
fn gap_between(page: &Page, from: NodeId, to: NodeId) -> Gap {
    let tree = &page.tree;
    let mut gap = Gap::Nothing;
    for node in (from.index() + 1..to.index()).filter_map(|index| tree.node_at(index)) {
        match tree.tag(node) {
            Some("hr") => return Gap::Rule,
            Some(tag) if !is_inside_line(tag) => gap = Gap::Break,
            _ => {}
        }
    }
    if gap == Gap::Nothing && ends_line(page, from, to) { Gap::Break } else { gap }
}

/// Whether preformatted text has a newline between two leaves.
fn ends_line(page: &Page, from: NodeId, to: NodeId) -> bool {
    let tree = &page.tree;
    if !tree.ancestors(to).any(|above| tree.tag(above) == Some("pre")) {
        return false;
    }
    let text = |node| tree.text(node).unwrap_or_default();
    let after = |text: &str| text.chars().rev().take_while(|c| c.is_whitespace()).any(|c| c == '\n');
    let before = |text: &str| text.chars().take_while(|c| c.is_whitespace()).any(|c| c == '\n');
    let between = (from.index() + 1..to.index()).filter_map(|index| tree.node_at(index));
    after(text(from)) || before(text(to)) || between.into_iter().any(|node| before(text(node)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::{page, pages};

    #[track_caller]
    fn check(html: &str, expected: &[&str]) {
        let page = page(html);
        let text =
            |line: &TextLine| line.leaves.clone().map(|i| page.leaves.text(i)).collect::<Vec<_>>().join("·");
        assert_eq!(text_lines(&page).iter().map(text).collect::<Vec<_>>(), expected, "{html}");
    }

    #[test]
    fn blocks_and_breaks_part_lines_and_inline_markup_does_not() {
        check("<p><b>a</b> b <a>c</a><br>d<p>e", &["a·b·c", "d", "e"]);
        check("<div>a<table></table>b</div>", &["a", "b"]);
        check("<div>x<div>a</div>b</div>", &["x", "a", "b"]);
    }

    #[test]
    fn ends_of_lines_count_in_preformatted_text() {
        check("<pre><b>a</b> b\n<b>c</b>\n\n<i>d</i></pre><p><b>x</b>\n<i>y</i>", &["a·b", "c", "d", "x·y"]);
    }

    proptest! {
        #[test]
        fn lines_are_the_leaves_in_order(page in pages(60)) {
            let all: Vec<usize> = text_lines(&page).into_iter().flat_map(|line| line.leaves).collect();
            prop_assert_eq!(all, (0..page.leaves.len()).collect::<Vec<_>>());
        }
    }
}
