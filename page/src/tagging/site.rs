//! Reads the pages of a site together.
//!
//! Order of the rules: each page is read alone first ([`Reading::new`]): decoration, the concept and the labels. Then
//! what the pages show together ([`find_recurrence`]): names of pages outside headings, labels that only recurrence shows,
//! and decoration that only recurrence shows. All other content is value. Start at [`readings`].

use std::collections::{BTreeMap, BTreeSet};

use super::alike::{drop_varying, take_alike};
use super::labels::{Label, LabelKind};
use super::pairs::leaves_in_values;
use super::reading::Reading;
use super::recurrence::{Recurrence, find_recurrence};
use crate::Page;

/// Longest label that only recurrence shows, in characters.
const NAME_LENGTH: usize = 40;

/// Reads the pages of one site together.
pub(super) fn readings<'a>(pages: &[&'a Page]) -> Vec<Reading<'a>> {
    let mut readings: Vec<Reading<'_>> = pages.iter().map(|page| Reading::new(page)).collect();
    if let Some(recurrence) = find_recurrence(pages) {
        for (reading, own) in readings.iter_mut().zip(&recurrence) {
            reading.take_names(own);
            reading.take_recurring_labels(own);
            reading.both.clone_from(&own.holds_both);
        }
        take_subtitles(&mut readings);
        drop_varying(&mut readings);
        take_alike(&mut readings);
        restore_empty(&mut readings);
        settle_kinds(&mut readings);
        for (reading, own) in readings.iter_mut().zip(&recurrence) {
            reading.drop_recurring(own);
        }
    }
    readings
}

impl Reading<'_> {
    /// Marks the page's name as concept where it occurs outside headings. If the name occurs above all labels, it names
    /// the page, and the texts before it in its line are a path to it.
    fn take_names(&mut self, own: &Recurrence) {
        let text = |leaf: usize| self.page.leaves.text(leaf);
        let Some(name) = (0..self.facts.len()).find(|&leaf| own.is_name[leaf]).map(text) else { return };
        let end = self
            .labels
            .first()
            .map_or(0, |label| self.lines[label.line + 1..].first().map_or(0, |line| line.leaves.start));
        let over = (0..end).find(|&leaf| !own.is_name[leaf] && self.top.is_none() && text(leaf) == name);
        let names = (0..self.facts.len()).filter(|&leaf| own.is_name[leaf]).chain(over);
        for leaf in names.collect::<Vec<_>>() {
            (self.concepts[leaf], self.skipped[leaf]) = (true, false);
        }
        if let Some(over) = over {
            let line = self.lines.partition_point(|line| line.leaves.end <= over);
            (self.lines[line].leaves.start..over).for_each(|leaf| self.skipped[leaf] = true);
        }
        let (concepts, skipped) = (&self.concepts, &self.skipped);
        self.labels.retain(|label| !label.leaves.clone().any(|leaf| concepts[leaf] || skipped[leaf]));
    }

    /// Adds short texts that recur at the beginning of a line while what follows them varies. A text below a label
    /// is its value, however often it recurs.
    fn take_recurring_labels(&mut self, own: &Recurrence) {
        let first = self.top.as_ref().map_or(0, |top| top.subtitles.end);
        let labelled = self.labelled();
        let mut heads: Vec<bool> = vec![false; self.lines.len()];
        let blocks = self.labels.iter().filter(|label| label.kind == LabelKind::Block);
        blocks.for_each(|label| heads[label.line] = true);
        let mut found = Vec::new();
        for line in first..self.lines.len() {
            let is_value = line > 0 && heads[line - 1];
            let leaves = self.lines[line].leaves.clone();
            let mut worded = leaves.filter(|&leaf| self.facts[leaf].has_words && self.is_matter(leaf));
            let Some(leaf) = worded.next() else { continue };
            let recurs = own.is_frequent[leaf] && own.is_varied[leaf];
            if !is_value && recurs && self.may_be_name(leaf) && !labelled[leaf] {
                let kind = if worded.next().is_some() { LabelKind::Inline } else { LabelKind::Block };
                heads[line] = kind == LabelKind::Block;
                found.push(Label { leaves: leaf..leaf + 1, line, kind });
            }
        }
        self.add_labels(found);
    }

    /// Whether a leaf may be a name: short, not a link, without figures.
    fn may_be_name(&self, leaf: usize) -> bool {
        let fact = self.facts[leaf];
        let has_figures = self.page.leaves.text(leaf).chars().any(char::is_numeric);
        !fact.is_link && fact.length <= NAME_LENGTH && !has_figures
    }

    /// Drops links that recur and are under no label: they are navigation.
    fn drop_recurring(&mut self, own: &Recurrence) {
        let (owned, labelled) = (leaves_in_values(self), self.labelled());
        let is_matter = |leaf: usize| owned[leaf] || labelled[leaf] || self.concepts[leaf];
        let is_menu = |leaf: &usize| own.is_frequent[*leaf] && self.facts[*leaf].is_link && !is_matter(*leaf);
        let menu: Vec<usize> = (0..self.facts.len()).filter(is_menu).collect();
        menu.into_iter().for_each(|leaf| self.skipped[leaf] = true);
    }
}

/// Restores labels without values if they are labels elsewhere on the site.
fn restore_empty(readings: &mut [Reading<'_>]) {
    let text =
        |reading: &Reading<'_>, label: &Label| reading.page.leaves.text(label.leaves.start).to_lowercase();
    let known: BTreeSet<String> =
        readings.iter().flat_map(|reading| reading.labels.iter().map(|label| text(reading, label))).collect();
    for reading in readings {
        let empty = std::mem::take(&mut reading.empty);
        let is_known =
            |label: &Label| known.contains(&text(reading, label)) && reading.is_matter(label.leaves.start);
        let more = empty.into_iter().filter(is_known).collect();
        reading.add_labels(more);
    }
}

/// Turns the first subtitle into a concept if nearly every page has one and all differ: then it identifies the
/// page as its title does.
fn take_subtitles(readings: &mut [Reading<'_>]) {
    let first = |reading: &Reading<'_>| {
        let line = reading.top.as_ref().and_then(|top| top.subtitles.clone().next())?;
        Some(reading.lines[line].leaves.clone())
    };
    let texts: Vec<String> = readings
        .iter()
        .filter_map(|reading| Some(reading.page.leaves.text(first(reading)?.start).to_lowercase()))
        .collect();
    let distinct: BTreeSet<&String> = texts.iter().collect();
    if distinct.len() == texts.len() && 5 * texts.len() >= 4 * readings.len() {
        for reading in readings {
            let worded = |leaf: &usize| reading.facts[*leaf].has_words;
            let own: Vec<usize> = first(reading).into_iter().flatten().filter(worded).collect();
            for leaf in own {
                (reading.concepts[leaf], reading.skipped[leaf]) = (true, false);
            }
        }
    }
}

/// Makes a label inline everywhere if it is inline more often than not on the site.
fn settle_kinds(readings: &mut [Reading<'_>]) {
    let key =
        |reading: &Reading<'_>, label: &Label| reading.page.leaves.text(label.leaves.start).to_lowercase();
    let mut inline: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for reading in readings.iter() {
        for label in &reading.labels {
            let counts = inline.entry(key(reading, label)).or_default();
            *(if label.kind == LabelKind::Inline { &mut counts.0 } else { &mut counts.1 }) += 1;
        }
    }
    for reading in readings {
        for at in 0..reading.labels.len() {
            let (in_line, under) = inline[&key(reading, &reading.labels[at])];
            if in_line > under {
                reading.labels[at].kind = LabelKind::Inline;
            }
        }
    }
}
