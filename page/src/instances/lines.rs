//! Lines of a page: leaves that a reader sees in one line or paragraph, whatever tags cut them.
//!
//! A line ends where an element or a break that is not inline begins or ends. It is prose if a leaf
//! outside links has more words than a label. Prose is one text. Another line is cut into pieces at its elements: two
//! leaves are one piece if one is running text beside the other's element (`<time>Monday <span>02.44</span></time>`).
//! A line of links with at most a word between them is a list: each link is a piece.
//!
//! Invariant: each leaf that is no image is in one line; O(leaves · depth). Start at [`content_lines`].

use std::ops::Range;

use crate::contribution::labels::words;
use crate::reading::{NodeId, Page};
use crate::text::is_inside_line;

/// Most words of an attribute's label.
pub(super) const MOST_LABEL: usize = 6;

/// Leaves of one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ContentLine {
    /// Without images.
    pub(super) leaves: Vec<usize>,
}

/// The lines of a page, in page order.
pub(super) fn content_lines(page: &Page) -> Vec<ContentLine> {
    let mut lines: Vec<ContentLine> = Vec::new();
    for leaf in (0..page.leaves.len()).filter(|&leaf| !page.leaves.get(leaf).is_image) {
        match lines.last_mut() {
            Some(line) if line.leaves.last().is_some_and(|&before| is_one_line(page, before, leaf)) => {
                line.leaves.push(leaf);
            }
            _ => lines.push(ContentLine { leaves: vec![leaf] }),
        }
    }
    lines
}

impl ContentLine {
    /// The leaf with the most text.
    pub(super) fn longest(&self, page: &Page) -> Option<usize> {
        self.leaves.iter().copied().max_by_key(|&leaf| page.leaves.text(leaf).len())
    }

    /// Whether the line from its `from`th leaf on is running text.
    pub(super) fn is_prose(&self, page: &Page, from: usize) -> bool {
        let is_long = |&leaf: &usize| {
            page.leaves.link(leaf).is_none() && words(page.leaves.text(leaf)).len() > MOST_LABEL
        };
        self.leaves.iter().skip(from).any(is_long)
    }

    /// The texts of the line from its `from`th leaf on, each as places in [`ContentLine::leaves`].
    pub(super) fn pieces(&self, page: &Page, from: usize) -> Vec<Range<usize>> {
        if from >= self.leaves.len() {
            return Vec::new();
        }
        if self.is_prose(page, from) {
            return std::iter::once(from..self.leaves.len()).collect();
        }
        if self.is_list(page, from) {
            let is_link = |at: &usize| page.leaves.link(self.leaves[*at]).is_some();
            return (from..self.leaves.len()).filter(is_link).map(|at| at..at + 1).collect();
        }
        let mut pieces: Vec<Range<usize>> = Vec::new();
        for at in from..self.leaves.len() {
            match pieces.last_mut() {
                Some(piece) if is_beside(page, self.leaves[at - 1], self.leaves[at]) => piece.end = at + 1,
                _ => pieces.push(at..at + 1),
            }
        }
        pieces
    }

    /// Whether the line has two links or more and hardly anything else.
    fn is_list(&self, page: &Page, from: usize) -> bool {
        let rest = self.leaves.get(from..).unwrap_or_default();
        let mut links: Vec<NodeId> = rest.iter().filter_map(|&leaf| page.leaves.link(leaf)).collect();
        links.dedup();
        let is_between =
            |&leaf: &usize| page.leaves.link(leaf).is_some() || words(page.leaves.text(leaf)).len() <= 1;
        links.len() > 1 && rest.iter().all(is_between)
    }

    /// The text of a piece, with the white space that the page has between its leaves.
    pub(super) fn text(&self, page: &Page, piece: &Range<usize>) -> String {
        let mut text = String::new();
        let mut before: Option<NodeId> = None;
        for &leaf in self.leaves.get(piece.clone()).unwrap_or_default() {
            let node = page.leaves.get(leaf).node;
            if before.is_some_and(|before| is_spaced(page, before, node)) {
                text.push(' ');
            }
            text.push_str(page.leaves.text(leaf));
            before = Some(node);
        }
        text
    }
}

/// Keeps the lines between two kept lines whose blocks are siblings, such as a list between paragraphs.
pub(super) fn fill_gaps(page: &Page, lines: &[ContentLine], is_kept: &mut [bool]) {
    let kept_at: Vec<usize> = (0..lines.len()).filter(|&at| is_kept[at]).collect();
    for pair in kept_at.windows(2) {
        let [before, after] = pair else { continue };
        if after - before > 1
            && let Some(above) = block_container(page, &lines[*before])
            && block_container(page, &lines[*after]) == Some(above)
        {
            is_kept[*before..*after].fill(true);
        }
    }
}

/// The element around the block of a line.
fn block_container(page: &Page, line: &ContentLine) -> Option<NodeId> {
    let tree = &page.tree;
    let node = page.leaves.get(*line.leaves.first()?).node;
    let block = tree.ancestors(node).find(|&above| tree.tag(above).is_none_or(|tag| !is_inside_line(tag)))?;
    tree.parent(block)
}

/// Whether a line goes on from one leaf to the next.
fn is_one_line(page: &Page, before: usize, after: usize) -> bool {
    let tree = &page.tree;
    let (before, after) = (page.leaves.get(before).node, page.leaves.get(after).node);
    let is_inside = |node: NodeId| tree.tag(node).is_none_or(is_inside_line);
    let above = tree.lca(before, after);
    let below = |node: NodeId| tree.ancestors(node).take_while(|&ancestor| ancestor != above).all(is_inside);
    let between = before.index() + 1..after.index();
    below(before) && below(after) && between.filter_map(|at| tree.node_at(at)).all(is_inside)
}

/// Whether one of two neighbours is running text beside the element of the other.
fn is_beside(page: &Page, before: usize, after: usize) -> bool {
    let (before, after) = (page.leaves.get(before), page.leaves.get(after));
    let above = page.tree.lca(before.node, after.node);
    before.parent == above || after.parent == above
}

fn is_spaced(page: &Page, before: NodeId, after: NodeId) -> bool {
    let tree = &page.tree;
    let ends = |text: &str| text.ends_with(char::is_whitespace);
    let starts = |text: &str| text.starts_with(char::is_whitespace);
    // Text nodes of white space alone are no leaves.
    let mut between = (before.index() + 1..after.index()).filter_map(|at| tree.node_at(at));
    tree.text(before).is_some_and(ends)
        || tree.text(after).is_some_and(starts)
        || between.any(|node| tree.text(node).is_some_and(|text| !text.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::page;

    fn texts(html: &str) -> Vec<Vec<String>> {
        let page = page(html);
        let text =
            |line: ContentLine| line.pieces(&page, 0).iter().map(|piece| line.text(&page, piece)).collect();
        content_lines(&page).into_iter().map(text).collect()
    }

    #[test]
    fn a_paragraph_is_one_text_whatever_stands_in_it() {
        let html =
            "<p>Seven people were <b>hurt</b> on <a href=/r>the road</a>, <i>police</i> said.</p><p>No more.";
        assert_eq!(
            texts(html),
            [["Seven people were hurt on the road, police said."], ["No more."]]
                .map(|line| line.map(str::to_owned).to_vec())
        );
        let begins = "<p><a href=/r>Police</a> <em>said</em> that seven people were hurt on the road.</p>";
        assert_eq!(texts(begins), [["Police said that seven people were hurt on the road."]]);
    }

    #[test]
    fn other_lines_are_cut_at_their_elements() {
        let line = "<p><span>By</span> <span>Ann Lee</span> <time>Monday <i>02.44</i></time></p>";
        assert_eq!(texts(line), [["By", "Ann Lee", "Monday 02.44"]]);
        assert_eq!(texts("<p>Rome<br>12 May</p>"), [["Rome"], ["12 May"]]);
        assert_eq!(texts("<div>Rome<div>Milan</div>Turin</div>"), [["Rome"], ["Milan"], ["Turin"]]);
    }

    #[test]
    fn links_side_by_side_are_a_list() {
        let tags = "<p>Tags: <a href=/a>fire</a>, <a href=/b>Old Mill</a> and <a href=/c>rain</a></p>";
        assert_eq!(texts(tags), [["fire", "Old Mill", "rain"]]);
    }
}
