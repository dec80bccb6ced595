//! The elements around a run: tags, attributes for hidden and structured content, class words.

use crate::measures::MeasureSink;
use crate::reading::{NodeId, PageTree};
use rustc_hash::FxHashMap;

use super::context::PageContext;
use super::order::Signatures;
use super::vocabulary::{self, N_GROUPS, Vocabulary};
use crate::extract::properties::says_property;
use crate::extract::runs::{PrefixSums, Run, Runs, share};

const ARTICLE: u32 = 1;
const MAIN: u32 = 1 << 1;
const ASIDE: u32 = 1 << 2;
const NAVIGATION: u32 = 1 << 3;
const FOOTER: u32 = 1 << 4;
const HIDDEN: u32 = 1 << 5;
const ARTICLE_BODY: u32 = 1 << 6;
/// The enclosing elements that are measured: the measure's name, its bit, and its elements. Attributes set some bits, too.
const INSIDE: [(&str, u32, &[&str]); 15] = [
    ("in article", ARTICLE, &["article"]),
    ("in main", MAIN, &["main"]),
    ("in aside", ASIDE, &["aside"]),
    ("in navigation", NAVIGATION, &["nav"]),
    ("in header", 1 << 7, &["header"]),
    ("in footer", FOOTER, &["footer"]),
    ("in figure", 1 << 8, &["figure", "figcaption"]),
    ("in form", 1 << 9, &["form", "fieldset"]),
    ("in table", 1 << 10, &["table"]),
    ("in list", 1 << 11, &["ul", "ol", "dl"]),
    ("in quote", 1 << 12, &["blockquote", "q"]),
    ("in section", 1 << 13, &["section"]),
    ("in button", 1 << 14, &["button"]),
    ("hidden", HIDDEN, &[]),
    ("in articleBody", ARTICLE_BODY, &[]),
];
/// Class words against an element with this share of the page's prose are ignored.
const MOST: f32 = 0.4;
/// They count if the element has this many similar siblings, itself included: one of many comments may be long.
const REPEATED: u32 = 3;
/// The group of comments. It counts for any amount of prose that follows this many words of prose.
const COMMENT: usize = 0;
const BEHIND: f32 = 60.0;
/// Class words further up than this are ignored.
const FAR: u8 = 20;
/// Longest value of a `data-` attribute that is read for class words.
const MAX_VALUE: usize = 60;

/// For each node, the properties that it inherits from its ancestors.
pub(super) struct PlaceMeasures {
    inside: Vec<u32>,
    /// For each group the number of elements up to its nearest class word.
    levels_up: Vec<[u8; N_GROUPS]>,
    own: Vec<u32>,
}

impl PlaceMeasures {
    /// `prose` are prefix sums of the words of prose-like runs.
    pub(super) fn new(
        tree: &PageTree,
        runs: &Runs,
        prose: &PrefixSums,
        signatures: &Signatures,
    ) -> PlaceMeasures {
        let similar_siblings = count_similar_siblings(tree, runs, signatures);
        let mut places = PlaceMeasures {
            inside: Vec::with_capacity(tree.len()),
            levels_up: Vec::with_capacity(tree.len()),
            own: Vec::with_capacity(tree.len()),
        };
        let mut cache = GroupCache::default();
        for node in tree.node_ids() {
            let above = tree.parent(node).map(NodeId::index);
            let inherited = above.map_or(0, |above| places.inside[above]);
            let mut levels_up = above.map_or([FAR; N_GROUPS], |above| places.levels_up[above]);
            let mut own = 0;
            // Empty elements and texts are not ancestors of a run.
            if tree.is_html(node) && !runs.under(tree, node).is_empty() {
                own = class_words(tree, node, &mut cache);
                let range = runs.under(tree, node);
                let is_much = share(prose.over(range.clone()), prose.all()) >= MOST
                    && similar_siblings
                        .get(&signatures.among_siblings(tree, node))
                        .is_none_or(|count| *count < REPEATED);
                let is_behind = prose.over(0..range.start) >= BEHIND;
                for (group, levels_up) in levels_up.iter_mut().enumerate() {
                    let is_trusted = !is_much || is_positive(group) || (group == COMMENT && is_behind);
                    let counts = own >> group & 1 == 1 && is_trusted;
                    *levels_up = if counts { 0 } else { (*levels_up + 1).min(FAR) };
                }
                places.inside.push(inherited | inside_bits(tree, node));
            } else {
                places.inside.push(inherited);
            }
            places.levels_up.push(levels_up);
            places.own.push(own);
        }
        places
    }

    pub(super) fn measure(&self, context: &PageContext<'_>, run: &Run, measures: &mut impl MeasureSink) {
        let tree = context.tree;
        let tag = tree.tag(run.block).unwrap_or("");
        let level = match tag.as_bytes() {
            [b'h', level @ b'1'..=b'6'] => f32::from(level - b'0'),
            _ => 0.0,
        };
        let is_item = matches!(tag, "li" | "dd" | "dt");
        let is_cell = matches!(tag, "td" | "th");
        let is_caption = matches!(tag, "figcaption" | "caption");
        let is_known = matches!(tag, "p" | "div") || level > 0.0 || is_item || is_cell || is_caption;
        measures.flag("block is paragraph", tag == "p");
        measures.flag("block is heading", level > 0.0);
        measures.flag("block is list item", is_item);
        measures.flag("block is cell", is_cell);
        measures.flag("block is div", tag == "div");
        measures.flag("block is caption", is_caption);
        measures.flag("block is other", !is_known);
        measures.add("heading level", level);
        measures.add("block's class words", self.own[run.block.index()].count_ones() as f32);
        let inside = self.inside[run.block.index()];
        for (name, bit, _) in INSIDE {
            measures.flag(name, inside & bit != 0);
        }
        measures.add("depth", tree.depth(run.block) as f32);
    }

    /// Measures how many elements up the nearest class word of each group is.
    pub(super) fn measure_vocabulary(&self, run: &Run, measures: &mut impl MeasureSink) {
        for ((group, _), levels_up) in vocabulary::GROUPS.iter().zip(self.levels_up[run.block.index()]) {
            measures.add(format_args!("up to {group}"), f32::from(levels_up));
        }
    }

    /// Whether an element around the run has a class word of this group.
    pub(super) fn is_under(&self, run: &Run, group: usize) -> bool {
        self.levels_up[run.block.index()][group] < FAR
    }

    pub(super) fn is_hidden(&self, run: &Run) -> bool {
        self.inside[run.block.index()] & HIDDEN != 0
    }
}

/// Counts the siblings with text that share tag and class.
fn count_similar_siblings(tree: &PageTree, runs: &Runs, signatures: &Signatures) -> FxHashMap<u64, u32> {
    let mut similar_siblings = FxHashMap::default();
    for node in tree.node_ids().filter(|&node| tree.is_html(node) && !runs.under(tree, node).is_empty()) {
        *similar_siblings.entry(signatures.among_siblings(tree, node)).or_default() += 1;
    }
    similar_siblings
}

/// Whether the words of a group speak for an element, so that they count for any amount of prose.
fn is_positive(group: usize) -> bool {
    matches!(vocabulary::GROUPS[group].0, "body" | "article")
}

/// The groups of values that were read already: most elements repeat another's.
#[derive(Default)]
struct GroupCache<'a> {
    groups: FxHashMap<&'a str, u32>,
    scratch: String,
}

impl<'a> GroupCache<'a> {
    fn groups(&mut self, value: &'a str) -> u32 {
        let GroupCache { groups, scratch } = self;
        *groups.entry(value).or_insert_with(|| vocabulary::groups_in(value, scratch, Vocabulary::shared()))
    }
}

fn class_words<'a>(tree: &'a PageTree, node: NodeId, cache: &mut GroupCache<'a>) -> u32 {
    let names = |name: &str| matches!(name, "class" | "id" | "role" | "itemprop" | "name");
    let parts = |name: &str, value: &str| name.starts_with("data-") && value.len() <= MAX_VALUE;
    let values = tree.attrs(node).filter(|&(name, value)| names(name) || parts(name, value));
    values.fold(0, |bits, (_, value)| bits | cache.groups(value))
}

fn inside_bits(tree: &PageTree, node: NodeId) -> u32 {
    let tag = tree.tag(node).unwrap_or("");
    let mut bits = 0;
    for (_, bit, elements) in INSIDE {
        bits |= if elements.contains(&tag) { bit } else { 0 };
    }
    for (name, value) in tree.attrs(node) {
        bits |= match name {
            "hidden" => HIDDEN,
            "aria-hidden" if value == "true" => HIDDEN,
            "style" if is_hiding(value) => HIDDEN,
            "itemprop" | "property" if says_property(Some(tag), (name, value), "articleBody") => ARTICLE_BODY,
            "role" => match value {
                "main" => MAIN,
                "article" => ARTICLE,
                "complementary" => ASIDE,
                "navigation" => NAVIGATION,
                "contentinfo" => FOOTER,
                _ => 0,
            },
            _ => 0,
        };
    }
    bits
}

fn is_hiding(style: &str) -> bool {
    let style: String = style.chars().filter(|c| !c.is_whitespace()).collect();
    style.contains("display:none") || style.contains("visibility:hidden")
}
