//! A page as tagging reads it: its lines, and which leaves are decoration, concept and labels, by the page alone.
//!
//! Invariant: decoration is never a label, nor is the concept.

use super::Tag;
use super::concept::{self, PageHeading};
use super::decoration::find_decoration;
use super::facts::{LeafFacts, leaf_facts};
use super::labels::{LabelFinder, LabelKind, PageLabel};
use super::lines::{TextLine, text_lines};
use crate::Page;

/// A page and what was read from it.
pub(super) struct PageReading<'a> {
    pub(super) page: &'a Page,
    pub(super) lines: Vec<TextLine>,
    pub(super) facts: Vec<LeafFacts>,
    /// Leaves that are not content.
    pub(super) skipped: Vec<bool>,
    /// Leaves that say what the page is about.
    pub(super) concepts: Vec<bool>,
    pub(super) heading: Option<PageHeading>,
    /// In page order.
    pub(super) labels: Vec<PageLabel>,
    /// Texts that have the form of labels but nothing to name.
    pub(super) labels_without_values: Vec<PageLabel>,
    /// Leaves that hold both a label that recurs and its value.
    pub(super) holds_both: Vec<bool>,
}

impl PageReading<'_> {
    pub(super) fn new(page: &Page) -> PageReading<'_> {
        let (lines, facts) = (text_lines(page), leaf_facts(page));
        let mut skipped = find_decoration(page, &lines, &facts);
        let heading = concept::page_heading(page, &lines, &facts, &skipped);
        let mut concepts = vec![false; facts.len()];
        let mut first = 0;
        if let Some(heading) = &heading {
            lines[heading.concept]
                .leaves
                .clone()
                .filter(|&leaf| facts[leaf].has_words)
                .for_each(|leaf| concepts[leaf] = true);
            // Links above the page's own heading show where the page is in the site.
            let before = lines[..heading.concept].iter().flat_map(|line| line.leaves.clone());
            before.filter(|&leaf| facts[leaf].is_link).for_each(|leaf| skipped[leaf] = true);
            first = heading.subtitles.end;
        }
        // The labels of each line below the heading. Above the first block label, lists of links have labels, too: no label
        // heads them, so their entries are no values.
        let finder = LabelFinder { page, lines: &lines, facts: &facts, skipped: &skipped };
        let mut found: Vec<PageLabel> = (first..lines.len()).flat_map(|line| finder.labels(line)).collect();
        let first_block_line =
            found.iter().find(|label| label.kind == LabelKind::Block).map_or(lines.len(), |label| label.line);
        found.extend(finder.linked_names(first..first_block_line));
        found.sort_by_key(|label| label.leaves.start);
        let (labels, labels_without_values) = split_by_values(found, &lines, &facts, &skipped);
        let holds_both = vec![false; facts.len()];
        PageReading {
            page,
            lines,
            facts,
            skipped,
            concepts,
            heading,
            labels,
            labels_without_values,
            holds_both,
        }
    }

    /// Whether a leaf is content: neither decoration nor concept.
    pub(super) fn is_content(&self, leaf: usize) -> bool {
        !self.skipped[leaf] && !self.concepts[leaf]
    }

    /// Whether each leaf is part of a label.
    pub(super) fn labelled_leaves(&self) -> Vec<bool> {
        let mut labelled = vec![false; self.facts.len()];
        self.labels.iter().flat_map(|label| label.leaves.clone()).for_each(|leaf| labelled[leaf] = true);
        labelled
    }

    pub(super) fn add_labels(&mut self, more: Vec<PageLabel>) {
        self.labels.extend(more);
        self.labels.sort_by_key(|label| label.leaves.start);
    }

    /// The tag of each leaf.
    pub(super) fn tags(&self) -> Vec<Tag> {
        let tag = |leaf: usize| match (self.concepts[leaf], self.skipped[leaf]) {
            (true, _) => Tag::Concept,
            (false, true) => Tag::None,
            (false, false) => Tag::Value,
        };
        let mut tags: Vec<Tag> = (0..self.facts.len()).map(tag).collect();
        let labelled = self.labels.iter().flat_map(|label| label.leaves.clone());
        labelled
            .filter(|&leaf| self.facts[leaf].has_words && self.is_content(leaf))
            .for_each(|leaf| tags[leaf] = Tag::Attribute);
        tags
    }
}

/// Separates labels that name something from those that do not: headings directly followed by another heading of
/// the same or a higher level. Links (their values are where they lead) and texts with a colon count as naming.
fn split_by_values(
    found: Vec<PageLabel>,
    lines: &[TextLine],
    facts: &[LeafFacts],
    skipped: &[bool],
) -> (Vec<PageLabel>, Vec<PageLabel>) {
    let level = |label: &PageLabel| concept::heading_level(&lines[label.line], facts);
    let names = |at: usize| {
        let label = &found[at];
        let Some(own) = level(label) else { return true };
        let next = found.get(at + 1);
        let end = next.map_or(facts.len(), |next| next.leaves.start);
        let has_values = (label.leaves.end..end).any(|leaf| facts[leaf].has_words && !skipped[leaf]);
        let has_lower = next.is_some_and(|next| level(next).is_none_or(|next| next > own));
        let is_open = |leaf: usize| facts[leaf].is_link || facts[leaf].ends_in_colon;
        has_values || has_lower || label.leaves.clone().any(is_open)
    };
    let names_something: Vec<bool> = (0..found.len()).map(names).collect();
    let (with, without): (Vec<_>, Vec<_>) =
        found.into_iter().zip(names_something).partition(|(_, names_something)| *names_something);
    let plain = |labels: Vec<(PageLabel, bool)>| labels.into_iter().map(|(label, _)| label).collect();
    (plain(with), plain(without))
}
