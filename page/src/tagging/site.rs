//! Reads the pages of a site together.
//!
//! Order of the rules: each page is read alone first ([`PageReading::new`]): decoration, the concept and the labels. Then
//! what the pages show together ([`find_recurrence`]): names of pages outside headings, labels that only recurrence shows,
//! and decoration that only recurrence shows. All other content is value. Start at [`read_site`].

use std::collections::{BTreeMap, BTreeSet};

use super::alike::{add_labels_by_style, drop_varying_labels};
use super::labels::{LabelKind, PageLabel};
use super::pairs::leaves_in_values;
use super::reading::PageReading;
use super::recurrence::{Recurrence, find_recurrence};
use crate::Page;

/// Longest label that only recurrence shows, in characters.
const NAME_LENGTH: usize = 40;

/// Reads the pages of one site together.
pub(super) fn read_site<'a>(pages: &[&'a Page]) -> Vec<PageReading<'a>> {
    let mut readings: Vec<PageReading<'_>> = pages.iter().map(|page| PageReading::new(page)).collect();
    if let Some(recurrence) = find_recurrence(pages) {
        for (reading, recurrence_on_page) in readings.iter_mut().zip(&recurrence) {
            reading.mark_names(recurrence_on_page);
            reading.add_recurring_labels(recurrence_on_page);
            reading.holds_both.clone_from(&recurrence_on_page.holds_both);
        }
        mark_subtitles(&mut readings);
        drop_varying_labels(&mut readings);
        add_labels_by_style(&mut readings);
        restore_labels(&mut readings);
        unify_kinds(&mut readings);
        for (reading, recurrence_on_page) in readings.iter_mut().zip(&recurrence) {
            reading.drop_recurring(recurrence_on_page);
        }
    }
    readings
}

impl PageReading<'_> {
    /// Marks the page's name as concept where it occurs outside headings. If the name occurs above all labels, it names
    /// the page, and the texts before it in its line are a path to it.
    fn mark_names(&mut self, recurrence_on_page: &Recurrence) {
        let text = |leaf: usize| self.page.leaves.text(leaf);
        let Some(name) = (0..self.facts.len()).find(|&leaf| recurrence_on_page.is_name[leaf]).map(text)
        else {
            return;
        };
        let end = self
            .labels
            .first()
            .map_or(0, |label| self.lines[label.line + 1..].first().map_or(0, |line| line.leaves.start));
        let name_above_labels = (0..end)
            .find(|&leaf| !recurrence_on_page.is_name[leaf] && self.heading.is_none() && text(leaf) == name);
        let names =
            (0..self.facts.len()).filter(|&leaf| recurrence_on_page.is_name[leaf]).chain(name_above_labels);
        for leaf in names.collect::<Vec<_>>() {
            (self.concepts[leaf], self.skipped[leaf]) = (true, false);
        }
        if let Some(name_above_labels) = name_above_labels {
            let line = self.lines.partition_point(|line| line.leaves.end <= name_above_labels);
            (self.lines[line].leaves.start..name_above_labels).for_each(|leaf| self.skipped[leaf] = true);
        }
        let (concepts, skipped) = (&self.concepts, &self.skipped);
        self.labels.retain(|label| !label.leaves.clone().any(|leaf| concepts[leaf] || skipped[leaf]));
    }

    /// Adds short texts that recur at the beginning of a line while what follows them varies. A text below a label
    /// is its value, however often it recurs.
    fn add_recurring_labels(&mut self, recurrence_on_page: &Recurrence) {
        let first = self.heading.as_ref().map_or(0, |heading| heading.subtitles.end);
        let labelled = self.labelled_leaves();
        let mut heads: Vec<bool> = vec![false; self.lines.len()];
        let blocks = self.labels.iter().filter(|label| label.kind == LabelKind::Block);
        blocks.for_each(|label| heads[label.line] = true);
        let mut found = Vec::new();
        for line in first..self.lines.len() {
            let is_value = line > 0 && heads[line - 1];
            let leaves = self.lines[line].leaves.clone();
            let mut worded = leaves.filter(|&leaf| self.facts[leaf].has_words && self.is_content(leaf));
            let Some(leaf) = worded.next() else { continue };
            let recurs = recurrence_on_page.is_frequent[leaf] && recurrence_on_page.is_varied[leaf];
            if !is_value && recurs && self.may_be_name(leaf) && !labelled[leaf] {
                let kind = if worded.next().is_some() { LabelKind::Inline } else { LabelKind::Block };
                heads[line] = kind == LabelKind::Block;
                found.push(PageLabel { leaves: leaf..leaf + 1, line, kind });
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
    fn drop_recurring(&mut self, recurrence_on_page: &Recurrence) {
        let (in_value, labelled) = (leaves_in_values(self), self.labelled_leaves());
        let is_used = |leaf: usize| in_value[leaf] || labelled[leaf] || self.concepts[leaf];
        let is_menu = |leaf: &usize| {
            recurrence_on_page.is_frequent[*leaf] && self.facts[*leaf].is_link && !is_used(*leaf)
        };
        let menu: Vec<usize> = (0..self.facts.len()).filter(is_menu).collect();
        menu.into_iter().for_each(|leaf| self.skipped[leaf] = true);
    }
}

/// Restores labels without values if they are labels elsewhere on the site.
fn restore_labels(readings: &mut [PageReading<'_>]) {
    let text = |reading: &PageReading<'_>, label: &PageLabel| {
        reading.page.leaves.text(label.leaves.start).to_lowercase()
    };
    let label_texts: BTreeSet<String> =
        readings.iter().flat_map(|reading| reading.labels.iter().map(|label| text(reading, label))).collect();
    for reading in readings {
        let empty = std::mem::take(&mut reading.labels_without_values);
        let is_label_elsewhere = |label: &PageLabel| {
            label_texts.contains(&text(reading, label)) && reading.is_content(label.leaves.start)
        };
        let more = empty.into_iter().filter(is_label_elsewhere).collect();
        reading.add_labels(more);
    }
}

/// Turns the first subtitle into a concept if nearly every page has one and all differ: then it identifies the
/// page as its title does.
fn mark_subtitles(readings: &mut [PageReading<'_>]) {
    let first = |reading: &PageReading<'_>| {
        let line = reading.heading.as_ref().and_then(|heading| heading.subtitles.clone().next())?;
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
            let subtitle_leaves: Vec<usize> = first(reading).into_iter().flatten().filter(worded).collect();
            for leaf in subtitle_leaves {
                (reading.concepts[leaf], reading.skipped[leaf]) = (true, false);
            }
        }
    }
}

/// Makes a label inline everywhere if it is inline more often than not on the site.
fn unify_kinds(readings: &mut [PageReading<'_>]) {
    let key = |reading: &PageReading<'_>, label: &PageLabel| {
        reading.page.leaves.text(label.leaves.start).to_lowercase()
    };
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
