//! The pages of a site read: lines, and which leaves are decoration, concept and labels.
//!
//! Order of the rules: decoration by the page alone, the concept, labels; then what the pages say together
//! ([`recurrence`]): names of the pages that stand in no heading, labels that only their recurrence shows,
//! decoration that only its recurrence shows. Whatever is left of the matter is value.
//! Invariant: decoration is no label, the concept neither.

use std::collections::BTreeMap;

use super::Tag;
use super::concept::{self, Top};
use super::decoration::decoration;
use super::facts::{Facts, facts};
use super::labels::{Kind, Label, Sight};
use super::lines::{Line, lines};
use super::recurrence::{Recurrence, recurrence};
use crate::Page;

/// A page read.
pub(super) struct Reading<'a> {
    pub(super) page: &'a Page,
    pub(super) lines: Vec<Line>,
    pub(super) facts: Vec<Facts>,
    /// Leaves that are no part of the matter.
    pub(super) skipped: Vec<bool>,
    /// Leaves that say what the page is about.
    pub(super) concepts: Vec<bool>,
    pub(super) top: Option<Top>,
    /// In page order.
    pub(super) labels: Vec<Label>,
}

/// Reads the pages of one site together.
pub(super) fn site(pages: &[Page]) -> Vec<Reading<'_>> {
    let mut readings: Vec<Reading<'_>> = pages.iter().map(Reading::of).collect();
    if let Some(recurrence) = recurrence(pages) {
        for (reading, own) in readings.iter_mut().zip(&recurrence) {
            reading.take_names(own);
            reading.take_recurring_labels(own);
        }
        settle_kinds(&mut readings);
        for (reading, own) in readings.iter_mut().zip(&recurrence) {
            reading.drop_recurring(own);
        }
    }
    readings
}

impl Reading<'_> {
    fn of(page: &Page) -> Reading<'_> {
        let (lines, facts) = (lines(page), facts(page));
        let mut skipped = decoration(page, &lines, &facts);
        let top = concept::top(page, &lines, &facts, &skipped);
        let mut concepts = vec![false; facts.len()];
        let mut first = 0;
        if let Some(top) = &top {
            lines[top.concept]
                .leaves
                .clone()
                .filter(|&leaf| facts[leaf].has_words)
                .for_each(|leaf| concepts[leaf] = true);
            // Links over the page's own heading lead to where it is found.
            let before = lines[..top.concept].iter().flat_map(|line| line.leaves.clone());
            before.filter(|&leaf| facts[leaf].is_link).for_each(|leaf| skipped[leaf] = true);
            first = top.subtitles.end;
        }
        let sight = Sight { page, lines: &lines, facts: &facts, skipped: &skipped };
        let found: Vec<Label> = (first..lines.len()).flat_map(|line| sight.labels(line)).collect();
        let labels = with_values(&found, &lines, &facts, &skipped);
        Reading { page, lines, facts, skipped, concepts, top, labels }
    }

    /// Whether a leaf is neither decoration nor concept.
    pub(super) fn is_matter(&self, leaf: usize) -> bool {
        !self.skipped[leaf] && !self.concepts[leaf]
    }

    fn is_label(&self, leaf: usize) -> bool {
        self.labels.iter().any(|label| label.leaves.contains(&leaf))
    }

    /// The page's name where it stands in place of a heading, and what leads to it in the same line.
    fn take_names(&mut self, own: &Recurrence) {
        let names: Vec<usize> = (0..self.facts.len()).filter(|&leaf| own.is_name[leaf]).collect();
        self.labels.retain(|label| !label.leaves.clone().any(|leaf| own.is_name[leaf]));
        names.iter().for_each(|&leaf| (self.concepts[leaf], self.skipped[leaf]) = (true, false));
        if let Some(&first) = names.first().filter(|_| self.top.is_none()) {
            let line = self.lines.partition_point(|line| line.leaves.end <= first);
            for leaf in (0..first).filter(|&leaf| leaf >= self.lines[line].leaves.start) {
                self.skipped[leaf] = true;
            }
            self.labels.retain(|label| label.line > line);
        }
    }

    /// Short texts that recur at the beginning of a line while what follows them varies.
    fn take_recurring_labels(&mut self, own: &Recurrence) {
        let first = self.top.as_ref().map_or(0, |top| top.subtitles.end);
        for line in first..self.lines.len() {
            let leaves = self.lines[line].leaves.clone();
            let Some(leaf) = leaves.clone().find(|&leaf| self.facts[leaf].has_words && self.is_matter(leaf))
            else {
                continue;
            };
            let fact = self.facts[leaf];
            let next = (leaf + 1..self.facts.len())
                .find(|&next| self.facts[next].has_words && !self.facts[next].is_image);
            let varies = next
                .is_some_and(|next| self.is_matter(next) && !own.is_frequent[next] && !self.is_label(next));
            if own.is_frequent[leaf] && varies && !fact.is_link && fact.length <= 40 && !self.is_label(leaf) {
                let kind =
                    if next.is_some_and(|next| leaves.contains(&next)) { Kind::Inline } else { Kind::Block };
                let at = self.labels.partition_point(|label| label.leaves.start < leaf);
                self.labels.insert(at, Label { leaves: leaf..leaf + 1, line, kind });
            }
        }
    }

    /// What recurs, is no label and stands under none is decoration.
    fn drop_recurring(&mut self, own: &Recurrence) {
        let owned = super::pairs::owned(self);
        for leaf in 0..self.facts.len() {
            if own.is_frequent[leaf] && !owned[leaf] && !self.concepts[leaf] && !self.is_label(leaf) {
                self.skipped[leaf] = true;
            }
        }
    }

    /// One tag a leaf.
    pub(super) fn tags(&self) -> Vec<Tag> {
        let tag = |leaf: usize| match (self.concepts[leaf], self.skipped[leaf]) {
            (true, _) => Tag::Concept,
            (false, true) => Tag::None,
            (false, false) => Tag::Value,
        };
        let mut tags: Vec<Tag> = (0..self.facts.len()).map(tag).collect();
        let labelled = self.labels.iter().flat_map(|label| label.leaves.clone());
        labelled
            .filter(|&leaf| self.facts[leaf].has_words && self.is_matter(leaf))
            .for_each(|leaf| tags[leaf] = Tag::Attribute);
        tags
    }
}

/// Labels that name something: a heading that another of its kind follows at once is none, unless it is a
/// link, whose values are where it leads.
fn with_values(found: &[Label], lines: &[Line], facts: &[Facts], skipped: &[bool]) -> Vec<Label> {
    let level = |label: &Label| concept::level(&lines[label.line], facts);
    let is_named = |at: usize| {
        let label = &found[at];
        let Some(own) = level(label) else { return true };
        let end = found.get(at + 1).map_or(facts.len(), |next| next.leaves.start);
        let has_values = (label.leaves.end..end).any(|leaf| facts[leaf].has_words && !skipped[leaf]);
        let has_lower = found.get(at + 1).is_some_and(|next| level(next).is_none_or(|next| next > own));
        has_values || has_lower || label.leaves.clone().any(|leaf| facts[leaf].is_link)
    };
    (0..found.len()).filter(|&at| is_named(at)).map(|at| found[at].clone()).collect()
}

/// A label that elsewhere on the site has its values in its own line has none in the lines under it.
fn settle_kinds(readings: &mut [Reading<'_>]) {
    let key =
        |reading: &Reading<'_>, label: &Label| reading.page.leaves.text(label.leaves.start).to_lowercase();
    let mut inline: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for reading in readings.iter() {
        for label in &reading.labels {
            let counts = inline.entry(key(reading, label)).or_default();
            *(if label.kind == Kind::Inline { &mut counts.0 } else { &mut counts.1 }) += 1;
        }
    }
    for reading in readings {
        for at in 0..reading.labels.len() {
            let (in_line, under) = inline[&key(reading, &reading.labels[at])];
            if in_line > under {
                reading.labels[at].kind = Kind::Inline;
            }
        }
    }
}
