//! The leaves of a page: its visible texts and described images, in document order, with their paths.
//!
//! A leaf is a text node that is not blank once white space is collapsed, or an `img` whose `alt` is not blank.
//! The elements of [`is_excluded`] hold no leaves. A leaf's path is the tag names from the child of `body` down
//! to its parent; equal paths have equal ids, so algorithms compare numbers.
//! Invariants: leaves are numbered in document order, so the leaves of a subtree are a range; path ids are
//! dense and in order of first occurrence. Start at [`Leaves::new`].

use std::collections::HashMap;
use std::ops::Range;

use super::letters::push_squashed;
use super::tree::{NodeId, NodeKind, PageTree, TagId};

/// Elements whose content is not text of the page, or is not shown in place.
const EXCLUDED: [&str; 13] = [
    "head", "script", "style", "noscript", "template", "iframe", "noframes", "noembed", "object", "select",
    "textarea", "svg", "math",
];
/// Maximum number of leaves. The longest front pages have some ten thousand.
const MAX_LEAVES: usize = 250_000;
/// Maximum total length of all distinct paths: with 512 levels a hostile page could need a gigabyte.
const MAX_PATH_STEPS: usize = 8_000_000;

/// A path of tags, interned in one [`Leaves`]; dense from 0 in order of first occurrence.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PathId(u32);

impl PathId {
    /// The number of the path, for tables indexed by path.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A text or a described image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// The text node, or the `img`.
    pub node: NodeId,
    /// The element at the end of the path: the text's parent, or the `img` itself.
    pub parent: NodeId,
    /// The tags from the child of `body` down to `parent`.
    pub path: PathId,
    /// Whether this is an image with its `alt`.
    pub is_image: bool,
    /// The nearest enclosing `a` with `href`.
    pub link: Option<NodeId>,
    start: u32,
    end: u32,
}

/// The leaves of one page.
#[derive(Clone, Debug, Default)]
pub struct Leaves {
    leaves: Vec<Leaf>,
    text: String,
    path_steps: Vec<TagId>,
    path_ends: Vec<u32>,
    is_cut: bool,
}

impl Leaves {
    /// Finds the leaves of a page in one walk.
    pub fn new(tree: &PageTree) -> Self {
        LeafWalk::new(tree).walk()
    }

    /// About how many bytes of memory the leaves take.
    pub fn memory(&self) -> usize {
        let paths = size_of_val(&*self.path_steps) + size_of_val(&*self.path_ends);
        size_of_val(&*self.leaves) + self.text.len() + paths
    }

    /// Number of leaves.
    pub fn len(&self) -> usize {
        self.leaves.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.leaves.is_empty()
    }

    /// Whether leaves were left out at the end: a page keeps at most 250,000 leaves and 8,000,000 path steps.
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// The `i`-th leaf; panics beyond the last.
    pub fn get(&self, i: usize) -> &Leaf {
        &self.leaves[i]
    }

    /// All leaves in document order.
    pub fn iter(&self) -> std::slice::Iter<'_, Leaf> {
        self.leaves.iter()
    }

    /// The text of the `i`-th leaf, or its `alt`, white space collapsed; never empty.
    pub fn text(&self, i: usize) -> &str {
        let leaf = &self.leaves[i];
        &self.text[leaf.start as usize..leaf.end as usize]
    }

    /// The tags of a path, outermost first. Empty for text directly in `body`.
    pub fn path(&self, path: PathId) -> &[TagId] {
        let end = |index: usize| self.path_ends[index] as usize;
        let start = path.index().checked_sub(1).map_or(0, end);
        &self.path_steps[start..end(path.index())]
    }

    /// Number of distinct paths.
    pub fn path_count(&self) -> usize {
        self.path_ends.len()
    }

    /// A path as text: `div/ul/li/a`.
    pub fn path_string(&self, tree: &PageTree, path: PathId) -> String {
        let names: Vec<&str> = self.path(path).iter().map(|&tag| tree.tag_name(tag)).collect();
        names.join("/")
    }

    /// The leaves inside the subtree of `n`, `n` itself included; O(log leaves).
    pub fn range_under(&self, tree: &PageTree, n: NodeId) -> Range<usize> {
        let end = tree.subtree_end(n);
        let start = self.leaves.partition_point(|leaf| leaf.node < n);
        start..self.leaves.partition_point(|leaf| leaf.node < end)
    }

    /// The link around the `i`-th leaf: its nearest enclosing `a` with `href`.
    pub fn link(&self, i: usize) -> Option<NodeId> {
        self.leaves[i].link
    }
}

impl<'a> IntoIterator for &'a Leaves {
    type Item = &'a Leaf;
    type IntoIter = std::slice::Iter<'a, Leaf>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// Whether an element of this name, with its whole subtree, holds no leaves.
pub fn is_excluded(tag: &str) -> bool {
    EXCLUDED.contains(&tag)
}

/// A node in the trie of all paths; possibly no leaf has this path.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct PathStep(u32);

/// An element above the current place of the walk.
struct OpenElement {
    node: NodeId,
    end: NodeId,
    step: PathStep,
    link: Option<NodeId>,
}

struct LeafWalk<'a> {
    tree: &'a PageTree,
    found: Leaves,
    open: Vec<OpenElement>,
    steps: HashMap<(PathStep, TagId), PathStep>,
    /// The path id of each step that ends the path of a leaf.
    paths: Vec<Option<PathId>>,
    excluded: Vec<bool>,
}

impl<'a> LeafWalk<'a> {
    fn new(tree: &'a PageTree) -> Self {
        let excluded = (0..tree.tag_count()).map(|_| false).collect();
        let mut walk = Self {
            tree,
            found: Leaves::default(),
            open: Vec::new(),
            steps: HashMap::new(),
            paths: vec![None],
            excluded,
        };
        for tag in EXCLUDED.iter().filter_map(|name| tree.tag_named(name)) {
            walk.excluded[tag.index()] = true;
        }
        walk
    }

    fn walk(mut self) -> Leaves {
        let mut at = self.tree.root();
        let end = self.tree.subtree_end(at);
        while at < end && !self.found.is_cut {
            while self.open.last().is_some_and(|above| above.end <= at) {
                self.open.pop();
            }
            at = self.visit(at);
        }
        self.found.leaves.shrink_to_fit();
        self.found
    }

    /// Visits one node and returns the next.
    fn visit(&mut self, node: NodeId) -> NodeId {
        match self.tree.kind(node) {
            NodeKind::Document => self.open_element(node, PathStep(0)),
            NodeKind::Text => {
                if let (Some(text), Some(above)) = (self.tree.text(node), self.open.last()) {
                    self.add_leaf(node, above.node, text, false);
                }
            }
            NodeKind::Element => {
                let Some(tag) = self.tree.tag_id(node) else { return NodeId(node.0 + 1) };
                if self.excluded[tag.index()] {
                    return self.tree.subtree_end(node);
                }
                let step = self.step_to(node, tag);
                self.open_element(node, step);
                if self.tree.tag(node) == Some("img") {
                    let alt = self.tree.attr(node, "alt").unwrap_or_default();
                    self.add_leaf(node, node, alt, true);
                }
            }
        }
        NodeId(node.0 + 1)
    }

    fn open_element(&mut self, node: NodeId, step: PathStep) {
        let is_link = self.tree.tag(node) == Some("a") && self.tree.attr(node, "href").is_some();
        let link = if is_link { Some(node) } else { self.open.last().and_then(|above| above.link) };
        self.open.push(OpenElement { node, end: self.tree.subtree_end(node), step, link });
    }

    /// `html` and `body` are not steps of a path.
    fn step_to(&mut self, node: NodeId, tag: TagId) -> PathStep {
        let above = self.open.last().map_or(PathStep(0), |above| above.step);
        if self.tree.depth(node) == 1 || self.tree.body() == Some(node) {
            return above;
        }
        let next = PathStep(self.paths.len() as u32);
        let step = *self.steps.entry((above, tag)).or_insert(next);
        if step == next {
            self.paths.push(None);
        }
        step
    }

    fn add_leaf(&mut self, node: NodeId, parent: NodeId, text: &str, is_image: bool) {
        let start = self.found.text.len() as u32;
        push_squashed(&mut self.found.text, text);
        let end = self.found.text.len() as u32;
        if start == end {
            return;
        }
        if self.found.len() >= MAX_LEAVES || self.found.path_steps.len() >= MAX_PATH_STEPS {
            self.found.is_cut = true;
            return;
        }
        let Some(&OpenElement { step, link, .. }) = self.open.last() else { return };
        let path = self.path_of(step);
        self.found.leaves.push(Leaf { node, parent, path, is_image, link, start, end });
    }

    fn path_of(&mut self, step: PathStep) -> PathId {
        if let Some(path) = self.paths[step.0 as usize] {
            return path;
        }
        let path = PathId(self.found.path_ends.len() as u32);
        let tree = self.tree;
        let steps = self.open.iter().map(|above| above.node).filter(|&node| tree.depth(node) > 1);
        let steps = steps.filter(|&node| tree.body() != Some(node)).filter_map(|node| tree.tag_id(node));
        self.found.path_steps.extend(steps);
        self.found.path_ends.push(self.found.path_steps.len() as u32);
        self.paths[step.0 as usize] = Some(path);
        path
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::PageLimits;

    #[track_caller]
    fn check(html: &str, expected: &[(&str, &str)]) -> (PageTree, Leaves) {
        let tree = PageTree::parse(html, &PageLimits::default());
        let leaves = Leaves::new(&tree);
        let found: Vec<(String, &str)> = (0..leaves.len())
            .map(|i| (leaves.path_string(&tree, leaves.get(i).path), leaves.text(i)))
            .collect();
        let found: Vec<(&str, &str)> = found.iter().map(|(path, text)| (path.as_str(), *text)).collect();
        assert_eq!(found, expected, "{html}");
        (tree, leaves)
    }

    #[test]
    fn texts_and_described_images_are_leaves() {
        check(
            "in body<p>a  \n b&nbsp;<b>c</b> <img alt=' d '><img alt=' '>",
            &[("", "in body"), ("p", "a b"), ("p/b", "c"), ("p/img", "d")],
        );
        check("", &[]);
    }

    #[test]
    fn what_is_not_shown_has_no_leaves() {
        check(
            "<title>t</title><body><script>s</script><noscript>n<p>n</p></noscript><svg><text>v</text></svg>\
             <template>t</template><select><option>o</select><textarea>a</textarea>shown<object>x</object>",
            &[("", "shown")],
        );
    }

    #[test]
    fn a_comment_parts_two_texts_and_markup_too() {
        check("<p>a<!-- -->b</p>", &[("p", "a"), ("p", "b")]);
        check("<p><b>Top</b> stories", &[("p/b", "Top"), ("p", "stories")]);
    }

    #[test]
    fn equal_paths_share_an_id_and_subtrees_are_ranges() {
        let html = "<ul><li><a href=x>1</a><li><a href=y><b>2</b></a><li><a>3</a></ul><p>4";
        let (tree, leaves) =
            check(html, &[("ul/li/a", "1"), ("ul/li/a/b", "2"), ("ul/li/a", "3"), ("p", "4")]);
        assert_eq!(leaves.path_count(), 3);
        assert_eq!(leaves.get(0).path, leaves.get(2).path);
        let ids: Vec<usize> = leaves.iter().map(|leaf| leaf.path.index()).collect();
        assert_eq!(ids, [0, 1, 0, 2]);
        let list = tree.node_ids().find(|&n| tree.tag(n) == Some("ul")).unwrap();
        assert_eq!(leaves.range_under(&tree, list), 0..3);
        assert_eq!(leaves.range_under(&tree, tree.root()), 0..4);
        let links: Vec<Option<&str>> =
            (0..4).map(|i| leaves.link(i).and_then(|node| tree.attr(node, "href"))).collect();
        assert_eq!(links, [Some("x"), Some("y"), None, None]);
    }
}
