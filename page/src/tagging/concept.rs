//! The concept of a page: the heading that repeats the title (`[SP §6]`).
//!
//! "A concept label defines the context for a page". The candidates are the first headings of the page. The
//! concept is the one that shares most words with the title; on a tie, the first. Heading lines right below it
//! that head nothing ("Fall Term", a name, a position) are its subtitles: values, not attributes, since no value
//! follows them.

use std::collections::BTreeSet;
use std::ops::Range;

use super::facts::LeafFacts;
use super::lines::{TextLine, heads_list};
use crate::Page;
use crate::contribution::labels::words;

/// Number of headings at the page's beginning that may be its concept.
const CANDIDATES: usize = 6;
/// Number of lines at the page's beginning that may be its concept if there are no headings.
const PLAIN_CANDIDATES: usize = 8;
/// Longest such line, in characters.
const LENGTH: usize = 100;
/// Deepest level of a heading that may be the concept.
const DEEPEST: u8 = 3;

/// The line of the concept and those of its subtitles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PageHeading {
    pub(super) concept: usize,
    pub(super) subtitles: Range<usize>,
}

/// The concept of a page, if there is one. Headings among the `skipped` leaves do not count as recurring.
pub(super) fn page_heading(
    page: &Page,
    lines: &[TextLine],
    facts: &[LeafFacts],
    skipped: &[bool],
) -> Option<PageHeading> {
    let is_candidate =
        |line: &usize| heading_level(&lines[*line], facts).is_some_and(|level| level <= DEEPEST);
    let candidates: Vec<usize> = (0..lines.len()).filter(is_candidate).take(CANDIDATES).collect();
    let title: BTreeSet<String> = BTreeSet::from_iter(words(page.title.as_deref().unwrap_or_default()));
    let score = |line: usize| title.intersection(&line_words(page, &lines[line])).count();
    let Some(first) = candidates.first().copied() else { return plain_heading(page, lines, facts, &title) };
    let better = |best, line| if score(line) > score(best) { line } else { best };
    let concept = candidates.into_iter().fold(first, better);
    Some(PageHeading { concept, subtitles: subtitles(page, lines, facts, skipped, concept) })
}

/// Without headings: the first line near the beginning that consists mostly of words of the title.
fn plain_heading(
    page: &Page,
    lines: &[TextLine],
    facts: &[LeafFacts],
    title: &BTreeSet<String>,
) -> Option<PageHeading> {
    let is_title = |line: &usize| {
        let words = line_words(page, &lines[*line]);
        let length: usize = lines[*line].leaves.clone().map(|leaf| facts[leaf].length).sum();
        length <= LENGTH && !words.is_empty() && 3 * title.intersection(&words).count() >= 2 * words.len()
    };
    let is_aside = |line: usize| facts[lines[line].leaves.start].is_aside;
    let concept = (0..lines.len().min(PLAIN_CANDIDATES)).filter(|&line| !is_aside(line)).find(is_title)?;
    Some(PageHeading { concept, subtitles: concept + 1..concept + 1 })
}

/// The heading level of a line, if all its words are in headings.
pub(super) fn heading_level(line: &TextLine, facts: &[LeafFacts]) -> Option<u8> {
    let mut levels = line.leaves.clone().filter(|&leaf| facts[leaf].has_words).map(|leaf| facts[leaf].level);
    let first = levels.next()??;
    levels.all(|level| level.is_some()).then_some(first)
}

fn line_words(page: &Page, line: &TextLine) -> BTreeSet<String> {
    line.leaves.clone().flat_map(|leaf| words(page.leaves.text(leaf))).collect()
}

/// The run of headings after the concept, without those at its end that head what follows: a list comes next, or
/// headings with the same path recur further down.
fn subtitles(
    page: &Page,
    lines: &[TextLine],
    facts: &[LeafFacts],
    skipped: &[bool],
    concept: usize,
) -> Range<usize> {
    let start = concept + 1;
    let is_next = |line: &TextLine| !line.is_ruled && heading_level(line, facts).is_some();
    let mut end = start + lines[start..].iter().take_while(|line| is_next(line)).count();
    let path = |line: &TextLine| page.leaves.get(line.leaves.start).path;
    let recurs = |at: usize| {
        let is_like = |line: &TextLine| {
            !skipped[line.leaves.start]
                && heading_level(line, facts).is_some()
                && path(line) == path(&lines[at])
        };
        lines[at + 1..].iter().any(is_like)
    };
    let heads = |at: usize| {
        recurs(at) || lines.get(at + 1).is_some_and(|next| heads_list(page, lines[at].leaves.start, next))
    };
    while end > start && lines[end - 1].block != lines[concept].block && heads(end - 1) {
        end -= 1;
    }
    start..end
}
