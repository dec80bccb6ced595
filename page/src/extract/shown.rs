//! What a reader sees of a page: which elements are hidden, and which keep the line ends of their text.
//!
//! An element may be hidden by an attribute, its own style, a rule in a style sheet of the page, or a class that the
//! usual frameworks hide. Style sheets elsewhere are not read, so nobody knows all that is hidden; and scripts show much
//! of what is: questions and their answers, what a button opens, whole stories. So a hidden part is left out only if no
//! reader misses it: it is short, repeats text that is shown, or is a paragraph that nothing on the page opens.
//!
//! Invariant: linear in the page; of style sheets a bounded number of rules is kept. Start at [`Shown::new`].

use std::cell::OnceCell;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::Page;
use crate::reading::{NodeId, PageTree, is_excluded, is_unspaced};

mod sheets;

use sheets::{Effects, Sheets};

/// A hidden part with less text, in bytes, is left out without asking what it says.
const SHORT: usize = 60;
/// A text of this many letters is compared with others. In a script without spaces a letter counts as two.
const COMPARED: u32 = 30;
/// A hidden part is a copy if this share of its letters is in texts that are shown, too.
const COPIED: f32 = 0.6;
/// Hidden parts of one look with this many letters may be text that a script will show. So may those with this share of
/// the letters that are shown.
const MANY: u32 = 300;
const MUCH: f32 = 0.5;
/// Classes that hide their elements, in the usual frameworks and systems.
const HIDING: [&str; 21] = [
    "sr-only",
    "visually-hidden",
    "visuallyhidden",
    "u-visually-hidden",
    "is-visually-hidden",
    "screen-reader-text",
    "screen-reader-only",
    "screenreader-text",
    "element-invisible",
    "assistive-text",
    "offscreen",
    "hidden",
    "is-hidden",
    "u-hidden",
    "uk-hidden",
    "d-none",
    "hide",
    "print-only",
    "printonly",
    "only-print",
    "visible-print",
];
/// Prefixes of classes that show an element on paper only.
const PRINT: &str = "visible-print-";
/// Screens of which a class speaks, between hyphens or before a colon: `d-md-block`, `lg:hidden`.
const SCREENS: [&str; 6] = ["sm", "md", "lg", "xl", "xxl", "2xl"];
const DISPLAYS: [&str; 7] = ["block", "flex", "inline", "grid", "inline-block", "table", "contents"];
/// Attributes that name what a button opens.
const OPENERS: [&str; 5] =
    ["aria-controls", "data-target", "data-bs-target", "data-toggle-target", "data-controls"];

/// Why an element may be hidden.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Doubt {
    /// It is not shown unless a script says so.
    Hidden,
    /// It is shown, but screen readers pass over it: often a copy.
    Mute,
}

/// What a list of class names says.
#[derive(Clone, Copy)]
struct ClassFacts {
    hides: bool,
    /// Whether a rule may be about one of them.
    has_rule: bool,
}

/// What is hidden on a page, and where lines end.
pub(super) struct Shown {
    /// By node: whether it is the root of a part that is not text of the page.
    is_unseen: Vec<bool>,
    /// By node: whether its line ends are shown.
    keeps_lines: Vec<bool>,
}

impl Shown {
    pub(super) fn new(page: &Page) -> Shown {
        let tree = &page.tree;
        let sheets = Sheets::new(tree);
        let mut shown = Shown { is_unseen: vec![false; tree.len()], keeps_lines: Vec::new() };
        let mut keeps_lines = Vec::new();
        let mut doubtful: Vec<(NodeId, Doubt)> = Vec::new();
        let mut classes: FxHashMap<&str, ClassFacts> = FxHashMap::default();
        let is_without_text = tree.tags_that(is_excluded);
        let mut at = 0;
        while let Some(node) = tree.node_at(at) {
            at += 1;
            if !tree.is_html(node) {
                continue;
            }
            if tree.tag_id(node).is_some_and(|tag| is_without_text[tag.index()]) {
                at = tree.subtree_end(node).index();
                continue;
            }
            let (effects, doubt) = effects_on(tree, node, &sheets, &mut classes);
            if effects.keeps_lines {
                keeps_lines.push(node);
            }
            if let Some(doubt) = doubt {
                doubtful.push((node, doubt));
                // What is inside is hidden, too.
                at = tree.subtree_end(node).index();
            }
        }
        if !keeps_lines.is_empty() {
            shown.keeps_lines = vec![false; tree.len()];
            keeps_lines.into_iter().for_each(|node| shown.keeps_lines[node.index()] = true);
        }
        for node in unseen_parts(tree, &doubtful) {
            shown.is_unseen[node.index()] = true;
        }
        shown
    }

    /// Whether a node and all inside it is hidden.
    pub(super) fn is_unseen(&self, node: NodeId) -> bool {
        self.is_unseen[node.index()]
    }

    /// Whether an element shows the line ends of its text.
    pub(super) fn keeps_lines(&self, node: NodeId) -> bool {
        self.keeps_lines.get(node.index()).copied().unwrap_or(false)
    }
}

/// What attributes and rules say of an element.
fn effects_on<'t>(
    tree: &'t PageTree,
    node: NodeId,
    sheets: &Sheets,
    classes: &mut FxHashMap<&'t str, ClassFacts>,
) -> (Effects, Option<Doubt>) {
    let is_typed = matches!(tree.tag(node), Some("pre" | "listing" | "xmp"));
    let mut effects = Effects { hides: false, keeps_lines: is_typed };
    let mut has_rule = sheets.has_rules_by_tag();
    let mut doubt = None;
    // Nothing hides the page as a whole for good.
    let is_root = tree.depth(node) <= 2;
    for (name, value) in tree.attrs(node) {
        match name {
            "hidden" => effects.hides |= !value.eq_ignore_ascii_case("until-found"),
            "style" => {
                let own = sheets::effects_of(value);
                effects.hides |= own.hides;
                effects.keeps_lines |= own.keeps_lines;
            }
            "class" => {
                let facts = classes.entry(value).or_insert_with(|| ClassFacts {
                    hides: is_hidden_by_class(value),
                    has_rule: value.split_ascii_whitespace().any(|class| sheets.has_rule(class)),
                });
                effects.hides |= facts.hides;
                has_rule |= facts.has_rule;
            }
            "id" => has_rule |= sheets.has_rule(value),
            "aria-hidden" if value == "true" => doubt = Some(Doubt::Mute),
            _ => {}
        }
    }
    if has_rule {
        let ruled = sheets.effects_on(tree, node);
        effects.hides |= ruled.hides;
        effects.keeps_lines |= ruled.keeps_lines;
    }
    let doubt = if effects.hides { Some(Doubt::Hidden) } else { doubt };
    (effects, doubt.filter(|_| !is_root))
}

/// Whether an element's own attributes hide it. Style sheets are not asked.
pub(super) fn is_marked_hidden(tree: &PageTree, node: NodeId) -> bool {
    tree.attrs(node).any(|(name, value)| match name {
        "hidden" => true,
        "style" => sheets::effects_of(value).hides,
        "class" => is_hidden_by_class(value),
        _ => false,
    })
}

/// Whether an element's classes hide it on a wide screen.
fn is_hidden_by_class(value: &str) -> bool {
    // Whether the classes for wide screens show it, hide it, or do not say.
    let mut on_wide = value.split_ascii_whitespace().filter_map(|class| {
        let (screen, display) = match class.split_once(':') {
            Some((screen, display)) => (screen, display),
            None => class.strip_prefix("d-")?.split_once('-')?,
        };
        match display {
            "hidden" | "none" if SCREENS.contains(&screen) => Some(false),
            display if DISPLAYS.contains(&display) && SCREENS.contains(&screen) => Some(true),
            _ => None,
        }
    });
    let hides = |class: &str| HIDING.contains(&class) || class.starts_with(PRINT);
    match on_wide.next_back() {
        Some(is_shown) => !is_shown,
        None => value.split_ascii_whitespace().any(hides),
    }
}

/// Which of the doubtful parts are not text of the page.
fn unseen_parts(tree: &PageTree, doubtful: &[(NodeId, Doubt)]) -> Vec<NodeId> {
    let is_long = |node: NodeId| {
        let lengths = texts_under(tree, node).map(|text| text.trim().len());
        lengths
            .scan(0, |sum, length| {
                *sum += length;
                Some(*sum)
            })
            .any(|sum| sum >= SHORT)
    };
    let (long, short): (Vec<_>, Vec<_>) = doubtful.iter().copied().partition(|(node, _)| is_long(*node));
    let mut unseen: Vec<NodeId> =
        short.into_iter().filter(|(_, doubt)| *doubt == Doubt::Hidden).map(|(node, _)| node).collect();
    if long.is_empty() {
        return unseen;
    }
    // What is shown: its longer texts, and how many letters these have.
    let skipped: FxHashSet<NodeId> = doubtful.iter().map(|(node, _)| *node).collect();
    let (mut said, mut letters) = (FxHashSet::default(), 0);
    let mut at = 0;
    while let Some(node) = tree.node_at(at) {
        at += 1;
        if skipped.contains(&node) || tree.tag(node).is_some_and(is_excluded) {
            at = tree.subtree_end(node).index();
        } else if let Some((text, count)) = tree.text(node).and_then(compared) {
            said.insert(text);
            letters += count;
        }
    }
    let targets = OnceCell::new();
    let look = |node: NodeId| (tree.tag_id(node), tree.attr(node, "class"));
    let mut letters_by_look: FxHashMap<_, u32> = FxHashMap::default();
    let mut parts = Vec::new();
    for (node, doubt) in long {
        let (mut all, mut copied) = (0, 0);
        for (text, count) in texts_under(tree, node).filter_map(compared) {
            all += count;
            copied += if said.contains(&text) { count } else { 0 };
        }
        let is_copy = all > 0 && copied as f32 >= COPIED * all as f32;
        if !is_copy && doubt == Doubt::Hidden {
            *letters_by_look.entry(look(node)).or_default() += all;
        }
        parts.push((node, doubt, is_copy));
    }
    for (node, doubt, is_copy) in parts {
        let is_opened =
            || tree.attr(node, "id").is_some_and(|id| targets.get_or_init(|| opened(tree)).contains(id));
        let own = letters_by_look.get(&look(node)).copied().unwrap_or(0);
        let is_little = own < MANY && (own as f32) < MUCH * letters as f32;
        if is_copy || (doubt == Doubt::Hidden && is_little && !is_opened()) {
            unseen.push(node);
        }
    }
    unseen
}

/// The texts inside an element, without scripts and the like.
fn texts_under(tree: &PageTree, node: NodeId) -> impl Iterator<Item = &str> {
    let end = tree.subtree_end(node);
    let mut at = node.index();
    std::iter::from_fn(move || {
        while let Some(node) = tree.node_at(at).filter(|node| *node < end) {
            at += 1;
            if tree.tag(node).is_some_and(is_excluded) {
                at = tree.subtree_end(node).index();
            } else if let Some(text) = tree.text(node) {
                return Some(text);
            }
        }
        None
    })
}

/// The letters of a text as a number, and how many they are, if it is long enough to be compared.
fn compared(text: &str) -> Option<(u64, u32)> {
    if text.len() < COMPARED as usize {
        return None;
    }
    let (mut hash, mut count) = (0_u64, 0);
    for letter in text.chars().filter(|letter| letter.is_alphanumeric()) {
        hash = (hash.rotate_left(5) ^ u64::from(u32::from(letter))).wrapping_mul(0x517c_c1b7_2722_0a95);
        count += if letter.is_ascii() || !is_unspaced(letter) { 1 } else { 2 };
    }
    (count >= COMPARED).then_some((hash, count))
}

/// The ids that a button or a link on the page opens.
fn opened(tree: &PageTree) -> FxHashSet<&str> {
    let of_attr = |(name, value): (&'_ str, &'_ str)| {
        let is_opener = OPENERS.contains(&name) || (name == "href" && value.starts_with('#'));
        is_opener.then_some(())
    };
    let values = tree.node_ids().flat_map(|node| tree.attrs(node)).filter(|attr| of_attr(*attr).is_some());
    values
        .flat_map(|(_, value)| value.split_ascii_whitespace())
        .map(|id| id.trim_start_matches('#'))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_hide_on_wide_screens() {
        for value in [
            "sr-only",
            "a hidden b",
            "d-none",
            "d-block d-md-none",
            "lg:hidden",
            "d-none d-sm-block d-lg-none",
            "visible-print-inline",
        ] {
            assert!(is_hidden_by_class(value), "{value}");
        }
        for value in [
            "hidden-gems",
            "not-hidden",
            "d-none d-md-block",
            "hidden lg:flex",
            "hover:hidden",
            "noprint",
            "",
        ] {
            assert!(!is_hidden_by_class(value), "{value}");
        }
    }
}
