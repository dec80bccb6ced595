//! Which leaves of a page name attributes (`[SP §5-6]`, applied to lines).
//!
//! A label is short and set off from what it names: a heading; a header cell; an emphasised line with plain
//! lines below; the beginning of a line up to a colon; a term with its description; a list item with a list of
//! its own. Emphasis alone is not enough: an item that is bold as a whole and has nothing below is a value.

use std::ops::Range;

use crate::reading::NodeId;

use super::concept::heading_level;
use super::facts::LeafFacts;
use super::lines::{TextLine, heads_list};
use crate::Page;

/// Longest label that is a line of its own, in characters.
const LINE_LENGTH: usize = 100;
/// Longest label in one line with its value, or marked by a colon alone, in characters.
const INLINE_LENGTH: usize = 60;
/// Longest term with a description, in characters.
const TERM_LENGTH: usize = 40;
/// Up to this length in characters, a full stop at the end may be that of an abbreviation.
const ABBREVIATION: usize = 25;
/// Most leaves of one label.
const PARTS: usize = 3;

/// Where the values of a label are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LabelKind {
    /// After the label, in its line.
    Inline,
    /// In the lines below.
    Block,
}

/// A text that names an attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PageLabel {
    pub(super) leaves: Range<usize>,
    pub(super) line: usize,
    pub(super) kind: LabelKind,
}

/// The input of the rules.
pub(super) struct LabelFinder<'a> {
    pub(super) page: &'a Page,
    pub(super) lines: &'a [TextLine],
    pub(super) facts: &'a [LeafFacts],
    /// Leaves that are not content.
    pub(super) skipped: &'a [bool],
}

impl LabelFinder<'_> {
    /// The labels of a line, in order.
    pub(super) fn labels(&self, line: usize) -> Vec<PageLabel> {
        let worded: Vec<usize> = self.lines[line].leaves.clone().filter(|&leaf| self.counts(leaf)).collect();
        let (Some(&first), Some(&last)) = (worded.first(), worded.last()) else { return Vec::new() };
        if let Some(label) = self.heading(line, &worded) {
            return vec![label];
        }
        let inline = self.inline(line, &worded);
        if !inline.is_empty() {
            return inline;
        }
        if self.is_block_label(line, &worded) {
            return vec![PageLabel { leaves: first..last + 1, line, kind: LabelKind::Block }];
        }
        Vec::new()
    }

    /// Labels from list entries that consist of one short link, among lines that no label heads: each names what the
    /// page it leads to is about. A single one names nothing.
    pub(super) fn linked_names(&self, lines: Range<usize>) -> Vec<PageLabel> {
        let entry = |line: usize| {
            let mut worded = self.lines[line].leaves.clone().filter(|&leaf| self.counts(leaf));
            let leaf = worded.next().filter(|_| worded.next().is_none())?;
            let fact = &self.facts[leaf];
            let is_entry = fact.item.is_some_and(|item| self.page.tree.tag(item) == Some("li"));
            let is_name = fact.is_link && fact.length <= TERM_LENGTH && is_entry && !fact.ends_in_colon;
            is_name.then_some(PageLabel { leaves: leaf..leaf + 1, line, kind: LabelKind::Inline })
        };
        let found: Vec<PageLabel> = lines.filter_map(entry).collect();
        if found.len() < 2 { Vec::new() } else { found }
    }

    fn counts(&self, leaf: usize) -> bool {
        self.facts[leaf].has_words && !self.facts[leaf].is_image && !self.skipped[leaf]
    }

    fn length(&self, worded: &[usize]) -> usize {
        worded.iter().map(|&leaf| self.facts[leaf].length).sum()
    }

    /// A heading is a label; links after its plain words are its values.
    fn heading(&self, line: usize, worded: &[usize]) -> Option<PageLabel> {
        heading_level(&self.lines[line], self.facts)?;
        if worded.len() > PARTS || self.length(worded) > LINE_LENGTH || self.is_sentence(worded) {
            return None;
        }
        let plain = worded.iter().take_while(|&&leaf| !self.facts[leaf].is_link).count();
        let is_split =
            plain > 0 && plain < worded.len() && worded[plain..].iter().all(|&leaf| self.facts[leaf].is_link);
        let (parts, kind) =
            if is_split { (&worded[..plain], LabelKind::Inline) } else { (worded, LabelKind::Block) };
        Some(PageLabel { leaves: *parts.first()?..*parts.last()? + 1, line, kind })
    }

    /// Labels at the beginning of a line or emphasised inside it, ended by a colon or a change of face.
    fn inline(&self, line: usize, worded: &[usize]) -> Vec<PageLabel> {
        let mut labels = Vec::new();
        for (at, &leaf) in worded.iter().enumerate() {
            let fact = &self.facts[leaf];
            let after = worded.get(at + 1);
            let is_set_off = after.is_some_and(|&next| fact.is_set_off && !self.facts[next].is_set_off);
            let begins = at == 0 || fact.is_set_off && !self.facts[worded[at - 1]].is_set_off;
            // A linked entry with a remark after it is a value of whatever heads the list.
            let is_entry =
                fact.is_link && fact.item.is_some_and(|item| self.page.tree.tag(item) == Some("li"));
            let has_colon = fact.ends_in_colon || !is_entry && self.colon_follows(line, leaf);
            let by_face = at == 0 && fact.is_strong && is_set_off && !fact.is_link;
            if begins && fact.length <= INLINE_LENGTH && (has_colon || by_face) {
                let kind = if after.is_some() { LabelKind::Inline } else { LabelKind::Block };
                labels.push(PageLabel { leaves: leaf..leaf + 1, line, kind });
            }
        }
        labels
    }

    /// Whether the text ends like a sentence and is longer than an abbreviation.
    fn is_sentence(&self, worded: &[usize]) -> bool {
        let last = worded.last().map_or("", |&leaf| self.page.leaves.text(leaf));
        self.length(worded) > ABBREVIATION && last.ends_with(['.', '!', '?', ';', '。'])
    }

    fn colon_follows(&self, line: usize, leaf: usize) -> bool {
        self.lines[line].leaves.contains(&(leaf + 1)) && self.facts[leaf + 1].starts_with_colon
    }

    /// Whether the whole line is a label over the lines below.
    fn is_block_label(&self, line: usize, worded: &[usize]) -> bool {
        let fact = &self.facts[worded[0]];
        if worded.len() > PARTS || self.length(worded) > LINE_LENGTH || self.is_sentence(worded) {
            return false;
        }
        if fact.is_header_cell {
            return true;
        }
        let Some(next) = self.lines.get(line + 1) else { return false };
        let below = &self.facts[next.leaves.start];
        let is_strong = worded.iter().all(|&leaf| self.facts[leaf].is_strong);
        let has_list = heads_list(self.page, worded[0], next);
        let is_item_alone = fact.item.is_some() && (below.item != fact.item || fact.is_link) && !has_list;
        if is_strong && !below.is_strong && !is_item_alone || is_strong && self.heads_cells(fact, below) {
            return true;
        }
        let is_open = !self.page.leaves.text(worded[worded.len() - 1]).ends_with(['.', ',', ';', '!']);
        has_list && is_open && !fact.is_link && self.length(worded) <= INLINE_LENGTH
            || self.is_term(worded, next)
    }

    /// Whether a cell heads the next one, which is plain or in the same row.
    fn heads_cells(&self, cell: &LeafFacts, next: &LeafFacts) -> bool {
        let tree = &self.page.tree;
        let is_cell = |item: &NodeId| matches!(tree.tag(*item), Some("td" | "th"));
        let (Some(cell), Some(item)) = (cell.item.filter(is_cell), next.item.filter(is_cell)) else {
            return false;
        };
        cell != item && (!next.is_strong || tree.parent(cell) == tree.parent(item))
    }

    /// Whether the line is a short term before its description.
    fn is_term(&self, worded: &[usize], next: &TextLine) -> bool {
        let tag = |leaf: usize| self.facts[leaf].item.and_then(|item| self.page.tree.tag(item));
        tag(worded[0]) == Some("dt")
            && tag(next.leaves.start) == Some("dd")
            && self.length(worded) <= TERM_LENGTH
    }
}
