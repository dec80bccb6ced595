//! The page's links as labels: what they say, where they lead, what they are worth.

use std::ops::Range;

use newslode_common::page::{CanonicalUrl, NodeId, Site};

use crate::Page;
use crate::labels::Keys;
use crate::language::is_unspaced;

/// Text of a link that is looked at, in bytes: links may nest through tables, each with all of the text.
const MAX_TEXT: usize = 1024;

/// A link of so many words is a story's, not a label's.
const STORY_WORDS: usize = 6;

/// An `a` or `area` with an `href`.
pub(super) struct Anchor {
    pub(super) node: NodeId,
    /// Where it leads, if it is a web page.
    pub(super) target: Option<CanonicalUrl>,
    /// It leads to the same site.
    pub(super) inside: bool,
    pub(super) nofollow: bool,
    /// Leaves inside.
    pub(super) leaves: Range<usize>,
    pub(super) text: String,
    /// Key of its whole text, if that is a label.
    pub(super) key: Option<String>,
    /// Words of its text; two letters are a word in scripts without spaces.
    pub(super) words: usize,
}

impl Anchor {
    /// It is worded as a story's title is, not as a label.
    pub(super) fn is_story(&self) -> bool {
        self.words >= STORY_WORDS
    }

    /// It leads to script, mail, the page itself or the site's root.
    pub(super) fn is_empty(&self, page: &Page) -> bool {
        self.target.as_ref().is_none_or(|target| *target == page.url || (self.inside && target.is_home()))
    }
}

/// All links in page order.
pub(super) fn anchors(page: &Page, keys: &Keys) -> Vec<Anchor> {
    let (tree, site) = (&page.tree, page.url.site());
    let is_link = |node: &NodeId| {
        tree.is_html(*node)
            && matches!(tree.tag(*node), Some("a" | "area"))
            && tree.attr(*node, "href").is_some()
    };
    tree.node_ids().filter(is_link).map(|node| anchor(page, keys, &site, node)).collect()
}

fn anchor(page: &Page, keys: &Keys, site: &Site, node: NodeId) -> Anchor {
    let tree = &page.tree;
    let target = page.target(node);
    let leaves = page.leaves.range_under(tree, node);
    let mut text = String::new();
    for leaf in leaves.clone() {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(page.leaves.text(leaf));
        if text.len() > MAX_TEXT {
            break;
        }
    }
    if leaves.is_empty() && tree.tag(node) == Some("area") {
        text = newslode_common::page::squash(tree.attr(node, "alt").unwrap_or_default());
    }
    let rel = tree.attr(node, "rel").unwrap_or_default();
    Anchor {
        node,
        inside: target.as_ref().is_some_and(|target| target.site() == *site),
        target,
        nofollow: rel.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case("nofollow")),
        leaves,
        key: keys.key(&text),
        words: count_words(&text),
        text,
    }
}

fn count_words(text: &str) -> usize {
    let spaced = text.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric)).count();
    spaced.max(text.chars().filter(|&letter| is_unspaced(letter)).count() / 2)
}
