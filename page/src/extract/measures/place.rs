//! The elements around a run: tags, marks of hidden and of structured content, class words.

use crate::reading::{NodeId, PageTree};
use rustc_hash::FxHashMap;

use super::order::Signatures;
use super::vocabulary::{self, COUNT, Table};
use super::{Scene, flag};
use crate::extract::runs::{Run, Runs, Sums, share};

pub(super) const NAMES: [&str; 25] = [
    "block is paragraph",
    "block is heading",
    "block is list item",
    "block is cell",
    "block is div",
    "block is caption",
    "block is other",
    "heading level",
    "block's class words",
    "in article",
    "in main",
    "in aside",
    "in navigation",
    "in header",
    "in footer",
    "in figure",
    "in form",
    "in table",
    "in list",
    "in quote",
    "in section",
    "in button",
    "hidden",
    "in articleBody",
    "depth",
];
/// Element names whose insides are told apart, in the order of the names above.
const INSIDE: [&[&str]; 13] = [
    &["article"],
    &["main"],
    &["aside"],
    &["nav"],
    &["header"],
    &["footer"],
    &["figure", "figcaption"],
    &["form", "fieldset"],
    &["table"],
    &["ul", "ol", "dl"],
    &["blockquote", "q"],
    &["section"],
    &["button"],
];
const HIDDEN: u32 = 1 << 13;
const ARTICLE_BODY: u32 = 1 << 14;
/// An element that holds this share of the page's prose says nothing against it.
const MOST: f32 = 0.4;
/// Unless it has as many siblings like it, itself among them; one of the texts that readers wrote may be long.
const REPEATED: u32 = 3;
/// The group of comments, and words of prose before what is believed to be comments, however much it is.
const COMMENT: usize = 0;
const BEHIND: f32 = 60.0;
/// A word further up than this says nothing.
const FAR: u8 = 20;
/// Longest value of a `data-` attribute that may name a part of a template.
const MAX_VALUE: usize = 60;

/// For each node what it inherits.
pub(super) struct Places {
    inside: Vec<u32>,
    /// Elements up to the nearest word of each group.
    up: Vec<[u8; COUNT]>,
    own: Vec<u32>,
}

impl Places {
    /// `prose` sums the words of what looks like prose.
    pub(super) fn of(tree: &PageTree, runs: &Runs, prose: &Sums, signatures: &Signatures) -> Places {
        let alike = siblings_alike(tree, runs, signatures);
        let mut places = Places {
            inside: Vec::with_capacity(tree.len()),
            up: Vec::with_capacity(tree.len()),
            own: Vec::with_capacity(tree.len()),
        };
        let mut scratch = String::new();
        for node in tree.node_ids() {
            let above = tree.parent(node).map(NodeId::index);
            let inherited = above.map_or(0, |above| places.inside[above]);
            let mut up = above.map_or([FAR; COUNT], |above| places.up[above]);
            let mut own = 0;
            // Empty elements and texts are no run's ancestors.
            if tree.is_html(node) && !runs.under(tree, node).is_empty() {
                own = class_words(tree, node, &mut scratch);
                let range = runs.under(tree, node);
                let is_much = share(prose.over(range.clone()), prose.all()) >= MOST
                    && alike
                        .get(&signatures.among_siblings(tree, node))
                        .is_none_or(|count| *count < REPEATED);
                let is_behind = prose.over(0..range.start) >= BEHIND;
                for (group, up) in up.iter_mut().enumerate() {
                    let is_believed = !is_much || is_positive(group) || (group == COMMENT && is_behind);
                    let counts = own >> group & 1 == 1 && is_believed;
                    *up = if counts { 0 } else { (*up + 1).min(FAR) };
                }
                places.inside.push(inherited | inside(tree, node));
            } else {
                places.inside.push(inherited);
            }
            places.up.push(up);
            places.own.push(own);
        }
        places
    }

    pub(super) fn push(&self, scene: &Scene<'_>, run: &Run, values: &mut Vec<f32>) {
        let tree = scene.tree;
        let tag = tree.tag(run.block).unwrap_or("");
        let level = match tag.as_bytes() {
            [b'h', level @ b'1'..=b'6'] => f32::from(level - b'0'),
            _ => 0.0,
        };
        let kinds = [
            tag == "p",
            level > 0.0,
            matches!(tag, "li" | "dd" | "dt"),
            matches!(tag, "td" | "th"),
            tag == "div",
        ];
        let is_caption = matches!(tag, "figcaption" | "caption");
        values.extend(kinds.map(flag));
        values.push(flag(is_caption));
        values.push(flag(!is_caption && !kinds.contains(&true)));
        values.push(level);
        values.push(self.own[run.block.index()].count_ones() as f32);
        let inside = self.inside[run.block.index()];
        values.extend((0..=14).map(|bit| flag(inside >> bit & 1 == 1)));
        values.push(tree.depth(run.block) as f32);
    }

    /// Whether a run stands under an element that a word of this group is written on.
    pub(super) fn is_under(&self, run: &Run, group: usize) -> bool {
        self.up[run.block.index()][group] < FAR
    }

    pub(super) fn is_hidden(&self, run: &Run) -> bool {
        self.inside[run.block.index()] & HIDDEN != 0
    }

    pub(super) fn push_vocabulary(&self, run: &Run, values: &mut Vec<f32>) {
        values.extend(self.up[run.block.index()].map(f32::from));
    }
}

/// How many siblings of one tag and class hold text.
fn siblings_alike(tree: &PageTree, runs: &Runs, signatures: &Signatures) -> FxHashMap<u64, u32> {
    let mut alike = FxHashMap::default();
    for node in tree.node_ids().filter(|&node| tree.is_html(node) && !runs.under(tree, node).is_empty()) {
        *alike.entry(signatures.among_siblings(tree, node)).or_default() += 1;
    }
    alike
}

/// Groups of words that speak for what they are written on, however much that holds.
fn is_positive(group: usize) -> bool {
    matches!(vocabulary::GROUPS[group].0, "body" | "article")
}

fn class_words(tree: &PageTree, node: NodeId, scratch: &mut String) -> u32 {
    let names = |name: &str| matches!(name, "class" | "id" | "role" | "itemprop" | "name");
    let parts = |name: &str, value: &str| name.starts_with("data-") && value.len() <= MAX_VALUE;
    let values = tree.attrs(node).filter(|&(name, value)| names(name) || parts(name, value));
    values.fold(0, |bits, (_, value)| bits | vocabulary::groups(value, scratch, Table::shared()))
}

fn inside(tree: &PageTree, node: NodeId) -> u32 {
    let tag = tree.tag(node).unwrap_or("");
    let mut bits = 0;
    for (bit, names) in INSIDE.iter().enumerate() {
        bits |= u32::from(names.contains(&tag)) << bit;
    }
    for (name, value) in tree.attrs(node) {
        bits |= match name {
            "hidden" => HIDDEN,
            "aria-hidden" if value == "true" => HIDDEN,
            "style" if is_hiding(value) => HIDDEN,
            "itemprop" if value.split_ascii_whitespace().any(|word| word == "articleBody") => ARTICLE_BODY,
            "role" => match value {
                "main" => 1 << 1,
                "article" => 1,
                "complementary" => 1 << 2,
                "navigation" => 1 << 3,
                "contentinfo" => 1 << 5,
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
