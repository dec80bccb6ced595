//! The text of one article from its page alone, as blocks.
//!
//! A reader in the manner of browsers' reading view finds the part of the page that holds the text; that
//! part is parsed anew, and its leaves are joined into paragraphs, headings, list items and quotations in
//! page order. The reader parses by itself and walks recursively, so only pages within its means reach it;
//! for others, and where it finds nothing, the page's own paragraphs of prose are the text.

use newslode_common::article::{Block, BlockKind};
use newslode_common::page::{Leaves, NodeId, PageLimits, PageTree, squash};

use super::metadata::is_inside;
use crate::Page;

/// Elements inside a line of text.
const INLINE: [&str; 36] = [
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font",
    "i", "img", "ins", "kbd", "label", "mark", "nobr", "q", "s", "samp", "small", "span", "strike", "strong",
    "sub", "sup", "time", "tt", "u", "var", "wbr", "picture",
];
/// Beyond these the reader is not asked: it recurses, and its time grows faster than the page.
const MAX_NODES: usize = 60_000;
const MAX_HTML: usize = 4_000_000;
const MAX_DEPTH: u32 = 250;
/// Bytes of text of an article at most.
const MAX_TEXT: usize = 1 << 20;

pub(super) struct Body {
    pub(super) blocks: Vec<Block>,
    pub(super) method: &'static str,
}

/// The page's text; a first block that repeats the title is left out.
pub(super) fn body(page: &Page, html: &str, title: Option<&str>) -> Body {
    let mut body = read(page, html).unwrap_or_else(|| Body { blocks: prose(page), method: "prose" });
    let repeats = |block: &Block| title.is_some_and(|title| block.text.eq_ignore_ascii_case(title));
    if body.blocks.first().is_some_and(repeats) {
        body.blocks.remove(0);
    }
    let mut left = MAX_TEXT;
    body.blocks.retain(|block| {
        let fits = block.text.len() <= left;
        left = if fits { left - block.text.len() } else { 0 };
        fits
    });
    body
}

fn read(page: &Page, html: &str) -> Option<Body> {
    let tree = &page.tree;
    let deepest = tree.node_ids().map(|node| tree.depth(node)).max().unwrap_or(0);
    let is_too_much = tree.len() > MAX_NODES || html.len() > MAX_HTML || deepest > MAX_DEPTH;
    if is_too_much || tree.notes().is_coarse() {
        return None;
    }
    let config = dom_smoothie::Config { disable_json_ld: true, ..dom_smoothie::Config::default() };
    let mut reader = dom_smoothie::Readability::new(html, Some(page.url.as_str()), Some(config)).ok()?;
    let article = reader.parse().ok()?;
    let limits = PageLimits { max_parse_time: std::time::Duration::MAX, ..PageLimits::default() };
    let content = PageTree::parse(&article.content, &limits);
    let blocks = blocks(&content, &Leaves::of(&content), |_| true);
    (!blocks.is_empty()).then_some(Body { blocks, method: "reader" })
}

/// The paragraphs of the page itself that are neither menu nor footer.
fn prose(page: &Page) -> Vec<Block> {
    let tree = &page.tree;
    let is_text = |node| {
        is_inside(tree, node, &["p", "blockquote"])
            && !is_inside(tree, node, &["nav", "footer", "aside", "form"])
    };
    blocks(tree, &page.leaves, is_text)
}

/// Joins the leaves of each block. `wanted` is asked of the leaves' parents.
fn blocks(tree: &PageTree, leaves: &Leaves, wanted: impl Fn(NodeId) -> bool) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut open: Option<(NodeId, usize, String)> = None;
    for leaf in leaves.iter().filter(|leaf| !leaf.is_image && wanted(leaf.parent)) {
        let mut up = std::iter::once(leaf.parent).chain(tree.ancestors(leaf.parent));
        let block = up.find(|&node| !is_inline(tree, node)).unwrap_or(tree.root());
        let text = tree.text(leaf.node).unwrap_or_default();
        match &mut open {
            // A block that holds another one is two: before and after it.
            Some((known, last, joined)) if *known == block && !has_block_between(tree, *last, leaf.node) => {
                if has_break_between(tree, *last, leaf.node) {
                    joined.push(' ');
                }
                joined.push_str(text);
                *last = leaf.node.index();
            }
            _ => {
                if let Some((node, _, text)) = open.replace((block, leaf.node.index(), text.to_owned())) {
                    push(&mut blocks, tree, node, &text);
                }
            }
        }
    }
    if let Some((node, _, text)) = open {
        push(&mut blocks, tree, node, &text);
    }
    blocks
}

/// Blank text between two leaves is no leaf, but parts them.
fn has_break_between(tree: &PageTree, from: usize, to: NodeId) -> bool {
    between(tree, from, to).any(|node| tree.tag(node) == Some("br") || tree.text(node).is_some())
}

fn has_block_between(tree: &PageTree, from: usize, to: NodeId) -> bool {
    between(tree, from, to).any(|node| tree.tag_id(node).is_some() && !is_inline(tree, node))
}

fn between(tree: &PageTree, from: usize, to: NodeId) -> impl Iterator<Item = NodeId> {
    (from + 1..to.index()).filter_map(|index| tree.node_at(index))
}

fn push(blocks: &mut Vec<Block>, tree: &PageTree, node: NodeId, text: &str) {
    let text = squash(text);
    if text.is_empty() {
        return;
    }
    let kind = if is_inside(tree, node, &["h1", "h2", "h3", "h4", "h5", "h6"]) {
        BlockKind::Heading
    } else if is_inside(tree, node, &["li"]) {
        BlockKind::ListItem
    } else if is_inside(tree, node, &["blockquote"]) {
        BlockKind::Quote
    } else {
        BlockKind::Paragraph
    };
    blocks.push(Block { kind, text });
}

/// Whether an element stands inside a line.
pub(super) fn is_inline(tree: &PageTree, node: NodeId) -> bool {
    tree.tag(node).is_some_and(|tag| tag == "br" || INLINE.contains(&tag))
}
