//! Learns a site's templates from its unlabelled pages: cluster the pages, compose each cluster, label the
//! wildcards (\[R\], "Data labeling").
//!
//! Each cluster of similar pages gives one pattern; matching the pages with it shows what each wildcard
//! matches. The body is the part with the most varying words. The title is the wildcard of 1 to 20 words that
//! shares most words with the body; of equals the closest to it. A template of few pages is dropped: what two
//! pages have in common may be chance.
//!
//! Invariant: comparing the pages takes at most [`MOST_LEARNING_STEPS`]. Of pages that would take more, the
//! larger half is left out until the others fit, and [`Learnt`] says so. Whether they fit depends on the pages alone.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::cluster::{SIMILARITY_THRESHOLD, cluster_pages};
use super::distance::Distances;
use super::matching::{Matcher, PatternMatch};
use super::pattern::{Pattern, compose_all};
use super::shape::{PageShape, Shapes};
use crate::contribution::labels::words;
use crate::reading::Page;
use crate::text::parts_between_spaces;

/// Least number of pages of a template.
pub const LEAST_TEMPLATE_PAGES: usize = 3;
/// Most pages that are compared with each other; of more, an even sample is taken.
pub const MOST_COMPARED_PAGES: usize = 48;
/// Most steps that the pages of one site are compared in; fewer pages are compared of a site that takes more. 48 articles of a
/// real site take one to eleven million.
pub const MOST_LEARNING_STEPS: u64 = 200_000_000;
/// Number of words of a title.
const TITLE_WORDS: std::ops::RangeInclusive<f64> = 1.0..=20.0;
/// Longest example that a slot keeps, in characters.
const MOST_EXAMPLE: usize = 120;

/// The kind of content that a wildcard matches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SlotRole {
    /// The text of the article.
    Body,
    /// The title of the article.
    Title,
    /// Any other text that varies.
    #[default]
    Other,
}

/// A wildcard of a template, with statistics of its text on the pages that the template was learnt from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Slot {
    /// The wildcard's vertex in the pattern.
    pub vertex: u32,
    /// The kind of content that the wildcard matches.
    pub role: SlotRole,
    /// Pages on which it has text.
    pub pages: u32,
    /// Distinct texts on these pages.
    pub texts: u32,
    /// Mean number of words over all pages.
    pub words: f64,
    /// The beginning of one of its texts.
    pub example: String,
}

/// The template of similar pages: what they have in common.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Template {
    /// 1 for the first template of its site; each later learning adds one.
    pub version: u32,
    /// The plain vertices and wildcards.
    pub pattern: Pattern,
    /// Number of pages it was learnt from.
    pub pages: u32,
    /// Its wildcards, in document order.
    pub slots: Vec<Slot>,
}

/// What was learnt from some pages, and from how many of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Learnt {
    /// The templates, those of most pages first.
    pub templates: Vec<Template>,
    /// Number of pages that were compared.
    pub compared: usize,
    /// Number of pages that would have been compared, had they taken fewer steps.
    pub sampled: usize,
    /// Steps of all comparisons and matches.
    pub steps: u64,
}

impl Learnt {
    /// Whether pages were left out because comparing all of them takes too many steps.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.compared < self.sampled
    }
}

/// The templates of some pages. Fewer than [`LEAST_TEMPLATE_PAGES`] similar pages give none.
#[must_use]
pub fn induce_templates(pages: &[&Page]) -> Learnt {
    induce_within(pages, MOST_LEARNING_STEPS)
}

/// The templates of some pages, which are compared in at most this number of steps.
pub(super) fn induce_within(pages: &[&Page], most_steps: u64) -> Learnt {
    let step = pages.len().div_ceil(MOST_COMPARED_PAGES).max(1);
    let mut shapes = Shapes::default();
    let mut sample: Vec<(&Page, PageShape)> =
        pages.iter().step_by(step).map(|page| (*page, shapes.page_shape(page))).collect();
    let mut learnt = Learnt { sampled: sample.len(), ..Learnt::default() };
    let mut distances = Distances::default();
    let mut groups = loop {
        let trees = sample.iter().map(|(_, tree)| tree);
        match cluster_pages(
            &shapes,
            &mut distances,
            &trees.collect::<Vec<_>>(),
            SIMILARITY_THRESHOLD,
            most_steps,
        ) {
            Some(groups) => break groups,
            None => sample = smaller_half(&shapes, sample),
        }
    };
    groups.retain(|group| group.len() >= LEAST_TEMPLATE_PAGES);
    groups.sort_by_key(|group| Reverse(group.len()));
    let mut matcher = Matcher::default();
    let template =
        |group: Vec<usize>| group_template(&mut shapes, &mut distances, &mut matcher, &sample, &group);
    learnt.templates = groups.into_iter().filter_map(template).collect();
    learnt.compared = sample.len();
    learnt.steps = distances.steps() + matcher.steps();
    learnt
}

/// The half of the pages with the smaller trees, in the order that they had. A few giants do not keep a site from being learnt.
fn smaller_half<'p>(shapes: &Shapes, pages: Vec<(&'p Page, PageShape)>) -> Vec<(&'p Page, PageShape)> {
    let mut order: Vec<_> = pages.iter().map(|(_, tree)| shapes.order(tree.class())).collect();
    order.sort_unstable();
    let kept = pages.len().div_ceil(2);
    let Some(most) = order.get(kept.saturating_sub(1)).copied() else { return pages };
    let is_small = |(_, tree): &(&Page, PageShape)| shapes.order(tree.class()) <= most;
    pages.into_iter().filter(is_small).take(kept).collect()
}

/// The template of a group of pages; `None` if the group is empty or its pages cannot be composed.
fn group_template(
    shapes: &mut Shapes,
    distances: &mut Distances,
    matcher: &mut Matcher,
    pages: &[(&Page, PageShape)],
    group: &[usize],
) -> Option<Template> {
    // Compose one pattern of all pages, then match each page with it to collect the text of every wildcard.
    let classes: Vec<_> = group.iter().map(|&at| pages[at].1.class()).collect();
    let pattern = compose_all(shapes, distances, &classes)?;
    let mut slot_texts: Vec<Vec<String>> = Vec::new();
    let mut slots: Vec<Slot> = Vec::new();
    for (page, tree) in group.iter().map(|&at| &pages[at]) {
        let matched = matcher.match_page(shapes, pattern, tree)?;
        let texts = passage_texts(page, tree, &matched);
        if slots.is_empty() {
            // Every page has a passage for every wildcard, so the first page tells the slots.
            let vertices = matched.passages.iter().map(|passage| passage.slot);
            slots = vertices.map(empty_slot).collect();
            slot_texts = vec![Vec::new(); slots.len()];
        }
        for (of_slot, text) in slot_texts.iter_mut().zip(texts) {
            of_slot.push(text);
        }
    }
    for (slot, page_texts) in slots.iter_mut().zip(&slot_texts) {
        let texts = page_texts.iter().filter(|text| !text.is_empty());
        let words: f64 = texts.clone().map(|text| parts_between_spaces(text) as f64).sum();
        slot.pages = texts.clone().count() as u32;
        slot.texts = texts.clone().collect::<BTreeSet<_>>().len() as u32;
        slot.words = words / page_texts.len() as f64;
        slot.example =
            texts.clone().next().map(|text| text.chars().take(MOST_EXAMPLE).collect()).unwrap_or_default();
    }
    let pattern = Pattern::new(shapes, pattern);
    label_slots(&pattern, &mut slots, &slot_texts);
    Some(Template { version: 1, pattern, pages: group.len() as u32, slots })
}

fn empty_slot(vertex: u32) -> Slot {
    Slot { vertex, role: SlotRole::Other, pages: 0, texts: 0, words: 0.0, example: String::new() }
}

/// The text of each passage, its words joined by single spaces.
fn passage_texts(page: &Page, tree: &PageShape, matched: &PatternMatch) -> Vec<String> {
    let text_of = |vertices: &std::ops::Range<usize>| {
        let texts = tree.vertices[vertices.clone()].iter().filter_map(|vertex| page.tree.text(vertex.node));
        texts.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
    };
    matched.passages.iter().map(|passage| text_of(&passage.vertices)).collect()
}

/// Labels the slots of the body and of the title. `slot_texts` has for each slot its text on every page.
///
/// A paragraph that every page has is a wildcard of its own, so slots are summed by holder: the body is the
/// vertex that holds the most varying words.
fn label_slots(pattern: &Pattern, slots: &mut [Slot], slot_texts: &[Vec<String>]) {
    let holders = pattern.holders();
    let holder = |slot: &Slot| holders.get(slot.vertex as usize).copied().unwrap_or_default();
    let mut holder_words: BTreeMap<usize, f64> = BTreeMap::new();
    for slot in slots.iter().filter(|slot| slot.texts > 1) {
        *holder_words.entry(holder(slot)).or_default() += slot.words;
    }
    // Of holders with equally many words the first in the pattern: `max_by` takes the last of equals.
    let Some((body, _)) = holder_words.into_iter().rev().max_by(|a, b| a.1.total_cmp(&b.1)) else { return };
    // A heading that holds nothing else is no paragraph, though the body's vertex holds it, too.
    let is_heading = |slot: &Slot| {
        let above = (slot.vertex as usize).checked_sub(1).and_then(|above| pattern.vertices.get(above));
        above.is_some_and(|above| matches!(above.label.as_str(), "h1" | "h2" | "h3") && above.size == 2)
    };
    for slot in slots.iter_mut().filter(|slot| slot.texts > 1 && holder(slot) == body && !is_heading(slot)) {
        slot.role = SlotRole::Body;
    }
    let Some(first) = slots.iter().position(|slot| slot.role == SlotRole::Body) else { return };
    // The title: among short slots that vary, the one that shares most words with the bodies of its pages.
    let body_words = |page: usize| -> BTreeSet<String> {
        let body_slots = slots.iter().zip(slot_texts).filter(|(slot, _)| slot.role == SlotRole::Body);
        body_slots.flat_map(|(_, page_texts)| words(&page_texts[page])).collect()
    };
    let bodies: Vec<BTreeSet<String>> = (0..slot_texts[first].len()).map(body_words).collect();
    let shared_words = |at: usize| {
        let on_page = |(title, body): (&String, &BTreeSet<String>)| {
            BTreeSet::from_iter(words(title)).intersection(body).count()
        };
        slot_texts[at].iter().zip(&bodies).map(on_page).sum::<usize>()
    };
    let may_be_title = |at: &usize| {
        let slot = &slots[*at];
        slot.role != SlotRole::Body && slot.texts > 1 && TITLE_WORDS.contains(&slot.words)
    };
    let candidates = (0..slots.len()).filter(may_be_title);
    let ranked = candidates.map(|at| (shared_words(at), Reverse(at.abs_diff(first)), at));
    let title = ranked.filter(|(shared, ..)| *shared > 0).max().map(|(.., at)| at);
    if let Some(title) = title {
        slots[title].role = SlotRole::Title;
    }
}

/// A page matched with one of its site's templates.
#[derive(Clone, Debug)]
pub struct TemplateMatch {
    /// Index of the template that accepts the page.
    pub template: usize,
    /// For each text node the role of its slot; `None` if the text is a fixed part of the template.
    pub roles: Vec<(crate::reading::NodeId, Option<SlotRole>)>,
}

impl TemplateMatch {
    /// Whether a text is a fixed part of the template.
    #[must_use]
    pub fn is_fixed(&self, text: crate::reading::NodeId) -> bool {
        let found = self.roles.binary_search_by_key(&text, |(node, _)| *node);
        found.is_ok_and(|at| self.roles[at].1.is_none())
    }
}

/// Matches a page with the first template that accepts it.
#[must_use]
pub fn match_templates(templates: &[Template], page: &Page) -> Option<TemplateMatch> {
    let mut shapes = Shapes::default();
    let tree = shapes.page_shape(page);
    let mut matcher = Matcher::default();
    for (number, template) in templates.iter().enumerate() {
        let Some(pattern) = template.pattern.intern(&mut shapes) else { continue };
        let Some(matched) = matcher.match_page(&shapes, pattern, &tree) else { continue };
        let roles: FxHashMap<u32, SlotRole> =
            template.slots.iter().rev().map(|slot| (slot.vertex, slot.role)).collect();
        let role = |vertex: u32| Some(roles.get(&vertex).copied().unwrap_or_default());
        let fixed = matched.fixed.iter().map(|&at| (at, None));
        let varying = matched.passages.iter().flat_map(|p| p.vertices.clone().map(|at| (at, role(p.slot))));
        // In document order, for the search of `is_fixed`.
        let mut vertices: Vec<(usize, Option<SlotRole>)> = fixed.chain(varying).collect();
        vertices.sort_unstable_by_key(|(at, _)| *at);
        let nodes = vertices.into_iter().map(|(at, role)| (tree.vertices[at].node, role));
        let roles = nodes.filter(|(node, _)| page.tree.text(*node).is_some()).collect();
        return Some(TemplateMatch { template: number, roles });
    }
    None
}
