//! The page's links as labels: their texts, targets and features.

use std::ops::Range;

use crate::reading::{CanonicalUrl, MAX_LINK_TEXT, NodeId, Page, Site};

use crate::contribution::labels::LabelKeys;
use crate::text::{is_beside_link, words_of_label};

/// A link of this many words or more is a story's title, not a label.
const STORY_WORDS: usize = 6;

/// This many words beside a link, in its own block, are running text.
const RUNNING_WORDS: usize = 6;

/// An `a` or `area` with an `href`.
pub(super) struct Anchor {
    pub(super) node: NodeId,
    /// The target, if it is a web page.
    pub(super) target: Option<CanonicalUrl>,
    /// Whether it leads to the same site.
    pub(super) inside: bool,
    pub(super) nofollow: bool,
    /// The leaves inside.
    pub(super) leaves: Range<usize>,
    pub(super) text: String,
    /// Key of the whole text, if it is a label.
    pub(super) key: Option<String>,
    /// Number of words of the text; in scripts without spaces two letters count as a word.
    pub(super) words: usize,
    /// Whether it is in running text.
    pub(super) in_text: bool,
}

impl Anchor {
    /// Whether the text has the length of a story's title, not of a label.
    pub(super) fn is_story(&self) -> bool {
        self.words >= STORY_WORDS
    }

    /// Whether it leads to script, mail, the page itself or the site's front page. The front pages of the
    /// site's other hosts are sections: `travel.example.org`.
    pub(super) fn is_empty(&self, page: &Page) -> bool {
        let is_front = |target: &CanonicalUrl| {
            target.is_home() && (target.host() == page.url.host() || target.is_front_page())
        };
        self.target.as_ref().is_none_or(|target| *target == page.url || (self.inside && is_front(target)))
    }
}

/// All links in page order.
pub(super) fn page_anchors(page: &Page, keys: &LabelKeys) -> Vec<Anchor> {
    let (tree, site) = (&page.tree, page.url.site());
    let is_link = |node: &NodeId| {
        tree.is_html(*node)
            && matches!(tree.tag(*node), Some("a" | "area"))
            && tree.attr(*node, "href").is_some()
    };
    tree.node_ids().filter(is_link).map(|node| read_anchor(page, keys, &site, node)).collect()
}

fn read_anchor(page: &Page, keys: &LabelKeys, site: &Site, node: NodeId) -> Anchor {
    let tree = &page.tree;
    let target = page.target(node);
    let leaves = page.leaves.range_under(tree, node);
    let mut text = String::new();
    for leaf in leaves.clone() {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(page.leaves.text(leaf));
        if text.len() > MAX_LINK_TEXT {
            break;
        }
    }
    if leaves.is_empty() && tree.tag(node) == Some("area") {
        text = crate::reading::squash(tree.attr(node, "alt").unwrap_or_default());
    }
    let rel = tree.attr(node, "rel").unwrap_or_default();
    Anchor {
        node,
        inside: target.as_ref().is_some_and(|target| target.site() == *site),
        target,
        nofollow: rel.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case("nofollow")),
        key: keys.key(&text),
        words: words_of_label(&text),
        in_text: text_beside(page, node, &leaves) >= RUNNING_WORDS,
        leaves,
        text,
    }
}

/// Number of words in the unlinked texts right before and after a link, in the same block.
fn text_beside(page: &Page, link: NodeId, leaves: &Range<usize>) -> usize {
    let tree = &page.tree;
    let is_block = |node: &NodeId| tree.tag(*node).is_none_or(|tag| !is_beside_link(tag));
    let block = |from: NodeId| std::iter::once(from).chain(tree.ancestors(from)).find(is_block);
    let own = block(link);
    let beside = [leaves.start.checked_sub(1), (leaves.end < page.leaves.len()).then_some(leaves.end)];
    let is_text = |leaf: &usize| {
        let leaf = page.leaves.get(*leaf);
        leaf.link.is_none() && !leaf.is_image && block(leaf.parent) == own
    };
    beside.into_iter().flatten().filter(is_text).map(|leaf| words_of_label(page.leaves.text(leaf))).sum()
}
