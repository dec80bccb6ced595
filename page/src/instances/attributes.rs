//! Labels and values in the content of instance pages.
//!
//! A text is frequent if it is on half of the pages, and on at least two. Long frequent texts are decoration that the alignment of two
//! pages left over; so are frequent links, unless they lead to one page of the site from everywhere, as an author's or a
//! section's do. Other frequent short texts without digits are labels. A text that is set off and alone in its line is a label of the
//! lines that follow, except the page's headline. A label that begins a line holds for the line; one that is a line holds
//! until the next one. A line that is nothing but a long link is the headline of another instance.
//!
//! Invariant: O(leaves) apart from maps. Start at [`FrequentTexts::new`] and [`read_attributes`].

use std::collections::BTreeMap;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::contribution::labels::words;
use crate::partition::emphasised;
use crate::reading::{CanonicalUrl, NodeId, Page};

use super::lines::{ContentLine, MOST_LABEL};

/// A text is frequent if it is on this share of the pages, and on this many.
const FREQUENT: f64 = 0.5;
const LEAST_PAGES: usize = 2;
/// Most words of a label that is a heading.
const MOST_HEADING: usize = 20;
const HEADINGS: [&str; 9] = ["h2", "h3", "h4", "h5", "h6", "th", "dt", "legend", "caption"];

/// An attribute of an instance.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attribute {
    /// The label, without its colon.
    pub label: Option<String>,
    /// The values: paragraphs, entries and other texts as the page shows them.
    pub values: Vec<String>,
}

/// A text that is on several pages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct FrequentText {
    pages: usize,
    /// Where it leads, if it always leads to the same page.
    target: Option<CanonicalUrl>,
    /// Whether it leads somewhere else on one page than on another, or nowhere on one.
    is_vague: bool,
}

/// The frequent texts of some pages.
pub(super) struct FrequentTexts {
    by_text: BTreeMap<String, FrequentText>,
}

/// The role of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TextRole {
    Label,
    Value,
    Decoration,
}

impl FrequentTexts {
    /// Counts the texts of the pages' contents: leaves and whole pieces.
    pub(super) fn new(pages: &[(&Page, Vec<ContentLine>)]) -> FrequentTexts {
        let mut by_text: BTreeMap<String, FrequentText> = BTreeMap::new();
        for (page, content) in pages {
            for (text, target) in texts_with_targets(page, content) {
                let frequent_text = by_text.entry(text).or_default();
                frequent_text.is_vague |= frequent_text.pages > 0 && frequent_text.target != target;
                (frequent_text.pages, frequent_text.target) = (frequent_text.pages + 1, target);
            }
        }
        let least = (FREQUENT * pages.len() as f64).ceil().max(LEAST_PAGES as f64) as usize;
        by_text.retain(|_, frequent_text| frequent_text.pages >= least);
        FrequentTexts { by_text }
    }

    fn get(&self, text: &str) -> Option<&FrequentText> {
        self.by_text.get(&text_key(text))
    }
}

/// Each text of a page once, with its first target.
fn texts_with_targets(page: &Page, content: &[ContentLine]) -> BTreeMap<String, Option<CanonicalUrl>> {
    let mut found = BTreeMap::new();
    for line in content {
        let leaves = (0..line.leaves.len()).map(|at| at..at + 1);
        for piece in leaves.chain(line.pieces(page, 0)) {
            let text = text_key(&line.text(page, &piece));
            if !text.is_empty() {
                found.entry(text).or_insert_with(|| target_of_piece(page, line, &piece));
            }
        }
    }
    found
}

/// The attributes of a page in page order.
pub(super) fn read_attributes(
    page: &Page,
    content: &[ContentLine],
    frequent: &FrequentTexts,
) -> Vec<Attribute> {
    let reader = AttributeReader { page, frequent, emphasised: emphasised(page) };
    let mut attributes: Vec<Attribute> = Vec::new();
    let (mut heading, mut is_open): (Option<String>, bool) = (None, false);
    for (at, line) in content.iter().enumerate() {
        if reader.is_label(line, content.get(at + 1)) {
            heading = Some(without_colon(&line.text(page, &(0..line.leaves.len()))));
            is_open = false;
            continue;
        }
        let from = usize::from(reader.begins_with_label(line));
        let values = reader.values(line, from);
        if values.is_empty() {
            continue;
        }
        match attributes.last_mut() {
            Some(open) if is_open && from == 0 => open.values.extend(values),
            _ => {
                let own = (from > 0).then(|| without_colon(page.leaves.text(line.leaves[0])));
                attributes.push(Attribute { label: own.or_else(|| heading.clone()), values });
            }
        }
        is_open = from == 0;
    }
    attributes
}

struct AttributeReader<'a> {
    page: &'a Page,
    frequent: &'a FrequentTexts,
    emphasised: Vec<bool>,
}

impl AttributeReader<'_> {
    /// Whether a whole line is the label of those after it.
    fn is_label(&self, line: &ContentLine, next: Option<&ContentLine>) -> bool {
        let whole = 0..line.leaves.len();
        self.text_role(line, &whole) == TextRole::Label
            || self.is_set_off(line)
                && next.is_some_and(|next| {
                    self.text_role(next, &(0..next.leaves.len())) == TextRole::Value && !self.is_set_off(next)
                })
    }

    /// Whether a line that goes on begins with its label.
    fn begins_with_label(&self, line: &ContentLine) -> bool {
        let [first, _, ..] = line.leaves[..] else { return false };
        let text = self.page.leaves.text(first);
        let is_named = self.emphasised[first] && text.ends_with([':', '：']) && is_short(text);
        is_named || self.text_role(line, &(0..1)) == TextRole::Label
    }

    /// The values of a line from its `from`th leaf on.
    fn values(&self, line: &ContentLine, from: usize) -> Vec<String> {
        let pieces = line.pieces(self.page, from).into_iter();
        let values = pieces.filter(|piece| self.text_role(line, piece) == TextRole::Value);
        values.map(|piece| line.text(self.page, &piece)).collect()
    }

    /// Whether a line is set off as a whole and short enough to head others. The headline heads the instance itself,
    /// and a link leads elsewhere.
    fn is_set_off(&self, line: &ContentLine) -> bool {
        let (tree, leaves) = (&self.page.tree, &self.page.leaves);
        let is_set_off_leaf = |&leaf: &usize| self.emphasised[leaf] && leaves.link(leaf).is_none();
        let Some(first) = line.leaves.first().filter(|_| line.leaves.iter().all(is_set_off_leaf)) else {
            return false;
        };
        let tags = || tree.ancestors(leaves.get(*first).node).filter_map(|node| tree.tag(node));
        let most = if tags().any(|tag| HEADINGS.contains(&tag)) { MOST_HEADING } else { MOST_LABEL };
        let count = words(&line.text(self.page, &(0..line.leaves.len()))).len();
        (1..=most).contains(&count) && tags().all(|tag| tag != "h1")
    }

    /// The role of a text, judged by itself.
    fn text_role(&self, line: &ContentLine, piece: &Range<usize>) -> TextRole {
        let text = line.text(self.page, piece);
        let is_link = link_of_piece(self.page, line, piece).is_some();
        if text_key(&text).is_empty()
            || is_link && !is_short(&text) && target_of_piece(self.page, line, piece).is_some()
        {
            return TextRole::Decoration;
        }
        let Some(frequent_text) = self.frequent.get(&text) else { return TextRole::Value };
        if frequent_text.target.is_some() && !frequent_text.is_vague {
            return TextRole::Value;
        }
        if is_link || self.is_button(line, piece) || !is_short(&text) {
            return TextRole::Decoration;
        }
        // A label names. A day or a count that many pages share is a value.
        if text.contains(char::is_numeric) { TextRole::Value } else { TextRole::Label }
    }

    fn is_button(&self, line: &ContentLine, piece: &Range<usize>) -> bool {
        let tree = &self.page.tree;
        let is_in_button = |&leaf: &usize| {
            tree.ancestors(self.page.leaves.get(leaf).node).any(|node| tree.tag(node) == Some("button"))
        };
        line.leaves.get(piece.clone()).unwrap_or_default().iter().all(is_in_button)
    }
}

/// The link that holds a whole piece.
fn link_of_piece(page: &Page, line: &ContentLine, piece: &Range<usize>) -> Option<NodeId> {
    let mut links =
        line.leaves.get(piece.clone()).unwrap_or_default().iter().map(|&leaf| page.leaves.link(leaf));
    let first = links.next()??;
    links.all(|link| link == Some(first)).then_some(first)
}

/// The other page of the site to which a piece leads as a whole.
fn target_of_piece(page: &Page, line: &ContentLine, piece: &Range<usize>) -> Option<CanonicalUrl> {
    let target = page.target(link_of_piece(page, line, piece)?)?;
    (target.site() == page.url.site() && target != page.url).then_some(target)
}

fn without_colon(text: &str) -> String {
    text.trim_end_matches([':', '：', ' ']).to_owned()
}

fn is_short(text: &str) -> bool {
    (1..=MOST_LABEL).contains(&words(text).len())
}

fn text_key(text: &str) -> String {
    words(text).join(" ")
}
