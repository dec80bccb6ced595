//! The facts about each leaf by itself: how it is set off, whether it is a link, how it is written.
//!
//! One pass over the tree passes the properties of elements down to the leaves, so that the other modules read
//! a flag instead of climbing the tree. Invariant: one [`LeafFacts`] for each leaf.

use crate::reading::NodeId;

use crate::Page;

/// The facts about a leaf by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct LeafFacts {
    /// Whether it has a letter or digit.
    pub(super) has_words: bool,
    pub(super) is_image: bool,
    /// Level of the heading that contains it, 1-6.
    pub(super) level: Option<u8>,
    /// Strongly set off: a heading, header cell or caption, or bold.
    pub(super) is_strong: bool,
    /// Set off in any way: strongly, or in another face.
    pub(super) is_set_off: bool,
    pub(super) is_link: bool,
    /// In an element that is not for content: navigation, footer, address, a stray title.
    pub(super) is_aside: bool,
    /// In a header cell.
    pub(super) is_header_cell: bool,
    /// The nearest list item, term, description or cell.
    pub(super) item: Option<NodeId>,
    pub(super) ends_in_colon: bool,
    pub(super) starts_with_colon: bool,
    /// In characters.
    pub(super) length: usize,
}

/// Properties that an element passes down.
#[derive(Clone, Copy, Default)]
struct Inherited {
    level: Option<u8>,
    is_strong: bool,
    is_set_off: bool,
    is_aside: bool,
    is_header_cell: bool,
    item: Option<NodeId>,
}

/// The facts of all leaves. O(nodes + text).
pub(super) fn leaf_facts(page: &Page) -> Vec<LeafFacts> {
    let tree = &page.tree;
    let mut above: Vec<Inherited> = Vec::with_capacity(tree.len());
    for node in tree.node_ids() {
        let inherited = tree.parent(node).map_or(Inherited::default(), |parent| above[parent.index()]);
        above.push(tree.tag(node).map_or(inherited, |tag| pass_down(page, inherited, node, tag)));
    }
    (0..page.leaves.len())
        .map(|leaf| facts_of(page, leaf, above[page.leaves.get(leaf).node.index()]))
        .collect()
}

fn pass_down(page: &Page, mut above: Inherited, node: NodeId, tag: &str) -> Inherited {
    match tag {
        "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
            above.level = tag.as_bytes().get(1).map(|digit| digit - b'0');
            above.is_strong = true;
        }
        "b" | "strong" | "caption" | "legend" | "summary" => above.is_strong = true,
        "th" => (above.is_strong, above.is_header_cell, above.item) = (true, true, Some(node)),
        // Emphasis around a whole list is its style and does not set off single entries.
        "li" | "dd" | "dt" | "td" => {
            above = Inherited { is_aside: above.is_aside, item: Some(node), ..Inherited::default() }
        }
        "i" | "em" | "u" | "var" | "cite" | "font" | "big" => above.is_set_off = true,
        "nav" | "footer" | "address" | "title" => above.is_aside = true,
        _ => {}
    }
    above.is_strong |= is_bold(page, node) || tag == "font" && is_large(page, node);
    above.is_set_off |= above.is_strong;
    above
}

/// Whether the element is bold by its class or inline style.
fn is_bold(page: &Page, node: NodeId) -> bool {
    let style = page.tree.attr(node, "style").unwrap_or_default().to_ascii_lowercase();
    let weight = style.split_once("font-weight").map_or("", |(_, rest)| rest.trim_start_matches([' ', ':']));
    let by_style = ["bold", "6", "7", "8", "9"].iter().any(|heavy| weight.starts_with(heavy));
    by_style || page.tree.classes(node).any(|class| class.to_ascii_lowercase().contains("bold"))
}

/// Whether the font is larger than the page's: `+1`, or 4 and more.
fn is_large(page: &Page, font: NodeId) -> bool {
    let size = page.tree.attr(font, "size").unwrap_or_default().trim();
    size.starts_with('+') || size.parse::<u32>().is_ok_and(|size| size >= 4)
}

fn facts_of(page: &Page, leaf: usize, above: Inherited) -> LeafFacts {
    let (own, text) = (page.leaves.get(leaf), page.leaves.text(leaf));
    LeafFacts {
        has_words: text.chars().any(char::is_alphanumeric),
        is_image: own.is_image,
        level: above.level,
        is_strong: above.is_strong,
        is_set_off: above.is_set_off,
        is_link: own.link.is_some(),
        is_aside: above.is_aside,
        is_header_cell: above.is_header_cell,
        item: above.item,
        ends_in_colon: text.ends_with([':', '：']),
        starts_with_colon: text.starts_with([':', '：']),
        length: text.chars().count(),
    }
}
