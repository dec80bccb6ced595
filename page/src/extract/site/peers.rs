//! Compares a page's fields with those of its peers: pages of the site that are laid out like it.
//!
//! A single page cannot tell the site's name from a headline, today's date from that of the story, or the editor who
//! is named on every page from the reporter. Its peers can: a value that is the same on all of them belongs to the site,
//! and a value that varies from page to page belongs to the story. A value that the page alone would choose gives way only if the peers show it
//! to be the site's and show what takes its place.
//!
//! Peers are other articles whose places of text are mostly the same. With fewer than [`LEAST`] nothing is decided. Start at
//! [`Peers::new`].

use std::collections::{BTreeMap, BTreeSet};

use super::repeats::{SitePage, is_same_article};
use super::summary::{FieldMark, FieldSummary, PlaceLine, first_lines, first_pictures, marks_of};
use crate::Page;
use crate::extract::choice::{Choice, likeliest};
use crate::extract::finding::{Finding, Names};
use crate::extract::hashes::{bytes_hash_32, text_hash_32};
use crate::extract::runs::Runs;
use crate::extract::{authors, days, title};
use crate::reading::NodeId;
use crate::template::TemplateMatch;

/// The witness of what peers decide.
pub(in crate::extract) const SIBLINGS: &str = "siblings";

/// The fewest peers that are asked.
const LEAST: usize = 3;
/// Share of the places of two pages that peers have in common.
const ALIKE: f32 = 0.5;
/// Share of the peers that must have a feature for it to be a habit of the site.
const MOST: f32 = 0.6;
/// Share of these peers that must agree on a value for it to be the site's.
const SAME: f32 = 0.9;
/// The least likelihood of another title, of other authors, and of another day.
const TITLE: f32 = 0.3;
const AUTHOR: f32 = 0.3;
const DAY: f32 = 0.02;
/// The confidence in a line or picture that was chosen by its place alone.
const BY_PLACE: f32 = 0.8;
/// Share of the words of the best line that an earlier one must have to be the headline: the line above a summary.
const HALF_AS_GOOD: u32 = 2;
/// Fewest words that a headline shares with the prose of each page.
const SHARED: u32 = 2;

/// The peers of a page.
pub(in crate::extract) struct Peers<'a> {
    page: &'a Page,
    runs: &'a Runs,
    lines: Vec<(usize, PlaceLine)>,
    summaries: Vec<&'a FieldSummary>,
    template_match: Option<&'a TemplateMatch>,
}

impl<'a> Peers<'a> {
    /// The peers of a page among its site's pages; `None` if they are too few.
    pub(super) fn new(
        page: &'a Page,
        runs: &'a Runs,
        seen: &'a [SitePage],
        template_match: Option<&'a TemplateMatch>,
    ) -> Option<Peers<'a>> {
        if seen.len() < LEAST {
            return None;
        }
        let lines = first_lines(page, runs);
        let places: BTreeSet<u32> = lines.iter().map(|(_, line)| line.0).collect();
        let is_alike = |summary: &&FieldSummary| {
            let common = summary.lines.iter().filter(|line| places.contains(&line.0)).count();
            let all = places.len() + summary.lines.len() - common;
            common as f32 >= ALIKE * all as f32 && common > 0
        };
        let url = page.url.as_str();
        let others = seen.iter().filter(|seen| seen.url != url && !is_same_article(runs, seen));
        let summaries: Vec<&FieldSummary> = others.map(|seen| &seen.summary).filter(is_alike).collect();
        (summaries.len() >= LEAST).then_some(Peers { page, runs, lines, summaries, template_match })
    }

    /// Another title, if the one of the page alone is the site's.
    pub(in crate::extract) fn title(&self, choices: &[Choice]) -> Option<Finding<String>> {
        let is_site = |choice: &Choice| {
            let text = text_hash_32(&choice.key);
            let times = self.summaries.iter().filter(|summary| summary.titles.contains(&text)).count();
            times as f32 >= MOST * self.summaries.len() as f32
                || choice.sources.iter().any(|(_, node)| node.is_some_and(|node| self.is_fixed(node)))
        };
        let alone = title::decide(choices);
        let chosen = alone.and_then(|alone| choices.iter().find(|choice| choice.value == alone.value));
        if chosen.is_some_and(|chosen| !is_site(chosen)) {
            return None;
        }
        let others = choices.iter().filter(|choice| choice.likelihood >= TITLE && !is_site(choice));
        let likely = likeliest(others).map(|choice| (choice.value.clone(), choice.likelihood));
        let (value, confidence) = likely.or_else(|| Some((self.headline()?.to_owned(), BY_PLACE)))?;
        Some(Finding { value, witness: SIBLINGS, confidence })
    }

    /// The line at the place whose text varies and shares most words with the prose of all pages; of places that are half
    /// as good the first.
    fn headline(&self) -> Option<&str> {
        // How many words a line and those at the same place of the peers share with their pages' prose; `None` unless most
        // peers have such a line, each with a text of its own.
        let shared = |line: &PlaceLine| -> Option<u32> {
            let there = self
                .summaries
                .iter()
                .filter_map(|summary| summary.lines.iter().find(|other| other.0 == line.0));
            let there: Vec<&PlaceLine> = there.collect();
            let texts: BTreeSet<u32> = there.iter().map(|other| other.1).chain([line.1]).collect();
            let is_habit = there.len() as f32 >= MOST * self.summaries.len() as f32;
            let is_varied = texts.len() == there.len() + 1;
            let is_in_prose =
                there.iter().filter(|other| other.2 >= SHARED).count() as f32 >= MOST * there.len() as f32;
            (is_habit && is_varied && is_in_prose && line.2 >= SHARED)
                .then(|| line.2 + there.iter().map(|other| other.2).sum::<u32>())
        };
        let scored: Vec<(usize, u32)> =
            self.lines.iter().filter_map(|(run, line)| Some((*run, shared(line)?))).collect();
        let best = scored.iter().map(|(_, shared)| *shared).max()?;
        let (run, _) = scored.iter().find(|(_, shared)| shared * HALF_AS_GOOD >= best)?;
        Some(self.runs.runs.get(*run)?.text.as_str())
    }

    /// Other authors, if one of those of the page alone is the site's.
    pub(in crate::extract) fn authors(&self, choices: &[Choice]) -> Option<Names> {
        let values_on_pages = FieldValues::new(self.summaries.iter().map(|summary| &summary.authors));
        let alone = authors::decide(choices)?;
        let is_site = |choice: &Choice| self.is_site(&values_on_pages, choice);
        if !choices.iter().any(|choice| alone.value.contains(&choice.value) && is_site(choice)) {
            return None;
        }
        let others: Vec<Choice> = choices.iter().filter(|choice| !is_site(choice)).cloned().collect();
        let is_of_story =
            |choice: &Choice| choice.likelihood >= AUTHOR && values_on_pages.vary(self.page, choice);
        others.iter().any(is_of_story).then(|| authors::decide(&others))?.map(by_siblings)
    }

    /// Another day, if the one of the page alone is the site's.
    pub(in crate::extract) fn published(&self, choices: &[Choice]) -> Option<Finding<String>> {
        let values_on_pages = FieldValues::new(self.summaries.iter().map(|summary| &summary.days));
        let alone = days::decide(choices)?;
        let chosen = choices.iter().find(|choice| choice.value == alone.value);
        let is_site = |choice: &Choice| !days::is_declared(choice) && self.is_site(&values_on_pages, choice);
        if chosen.is_some_and(|chosen| !is_site(chosen)) {
            return None;
        }
        let is_of_story = |choice: &&Choice| {
            choice.likelihood >= DAY && !is_site(choice) && values_on_pages.vary(self.page, choice)
        };
        let best = likeliest(choices.iter().filter(is_of_story))?;
        Some(Finding { value: best.value.clone(), witness: SIBLINGS, confidence: best.likelihood })
    }

    /// The picture at the first place at which peers show pictures of their own, if the metadata name none, or the site's.
    pub(in crate::extract) fn picture(&self, declared: Option<&Finding<String>>) -> Option<Finding<String>> {
        let declared = declared.map(|declared| Some(bytes_hash_32(declared.value.as_bytes())));
        let is_site = |declared| {
            let times = self.summaries.iter().filter(|summary| summary.image == declared).count();
            times as f32 >= MOST * self.summaries.len() as f32
        };
        if declared.is_some_and(|declared| !is_site(declared)) {
            return None;
        }
        let is_own = |FieldMark(place, value): &FieldMark| {
            let there = self
                .summaries
                .iter()
                .flat_map(|summary| summary.pictures.iter().filter(|other| other.0 == *place));
            let there: Vec<u32> = there.map(|other| other.1).collect();
            let distinct: BTreeSet<u32> = there.iter().copied().chain([*value]).collect();
            there.len() >= LEAST && distinct.len() == there.len() + 1
        };
        let (_, value) = first_pictures(self.page).into_iter().find(|(mark, _)| is_own(mark))?;
        Some(Finding { value, witness: SIBLINGS, confidence: BY_PLACE })
    }

    /// Whether a value occurs only at places where all pages have it.
    fn is_site(&self, values_on_pages: &FieldValues, choice: &Choice) -> bool {
        let nodes = choice.sources.iter().map(|(_, node)| *node);
        marks_of(self.page, choice)
            .zip(nodes)
            .all(|(mark, node)| values_on_pages.is_same(mark) || node.is_some_and(|node| self.is_fixed(node)))
    }

    /// Whether the texts under a node are fixed parts of the template that accepts the page.
    fn is_fixed(&self, node: NodeId) -> bool {
        let Some(template_match) = self.template_match else { return false };
        let tree = &self.page.tree;
        let mut texts = (node.index()..tree.subtree_end(node).index())
            .filter_map(|at| tree.node_at(at))
            .filter(|node| tree.text(*node).is_some_and(|text| !text.trim().is_empty()))
            .peekable();
        texts.peek().is_some() && texts.all(|text| template_match.is_fixed(text))
    }
}

fn by_siblings(found: Names) -> Names {
    Finding { witness: SIBLINGS, ..found }
}

/// The values of a field on several pages, by source and place.
struct FieldValues {
    pages: usize,
    /// By source and place: on how many pages it is, and on how many each of its values.
    by_key: BTreeMap<u32, (usize, BTreeMap<u32, usize>)>,
}

impl FieldValues {
    fn new<'s>(fields: impl Iterator<Item = &'s BTreeSet<FieldMark>>) -> FieldValues {
        let mut values_on_pages = FieldValues { pages: 0, by_key: BTreeMap::new() };
        for marks in fields {
            values_on_pages.pages += 1;
            let mut before = None;
            // Marks are in the order of their keys.
            for FieldMark(key, value) in marks {
                let (pages, values) = values_on_pages.by_key.entry(*key).or_default();
                *pages += usize::from(before != Some(*key));
                *values.entry(*value).or_default() += 1;
                before = Some(*key);
            }
        }
        values_on_pages
    }

    /// Whether most pages have this source and place, and nearly all of them this value.
    fn is_same(&self, FieldMark(key, value): FieldMark) -> bool {
        self.by_key.get(&key).is_some_and(|(pages, values)| {
            let same = values.get(&value).copied().unwrap_or(0) as f32;
            *pages as f32 >= MOST * self.pages as f32 && same >= SAME * *pages as f32
        })
    }

    /// Whether a value occurs at a source and place that most pages have, with values that vary among them.
    fn vary(&self, page: &Page, choice: &Choice) -> bool {
        marks_of(page, choice).any(|FieldMark(key, _)| {
            self.by_key.get(&key).is_some_and(|(pages, values)| {
                let own = values.values().filter(|times| (**times as f32) < MOST * *pages as f32);
                *pages as f32 >= MOST * self.pages as f32 && own.count() > 1
            })
        })
    }
}

#[cfg(test)]
mod tests;
