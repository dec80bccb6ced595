//! The page tree: an arena whose order is document order.
//!
//! A node takes 40 bytes, an attribute 12, plus their strings; names are interned, texts and values share one
//! buffer. Because nodes are numbered in preorder, a subtree is a range of numbers: with [`subtree_end`], "is
//! inside" takes two comparisons, and the leaves of a subtree are a slice. The contents of a `<template>` are
//! not in the tree (they are not part of the page) unless it is a shadow tree, nor are comments; but a comment
//! still separates the texts on its two sides.
//! Invariants: index order is preorder; a node's range lies inside its parent's. A [`NodeId`] belongs to its
//! tree; another tree may panic on it or give a meaningless answer. All walks are iterative. Start at
//! [`PageTree::parse`].
//!
//! [`subtree_end`]: PageTree::subtree_end

use std::iter::successors;

use super::letters::squash;
use super::limits::{LEAST_DEPTH, PageLimits, ParseNotes};
use super::parse;
use super::sink::{AttrSpan, COMMENT, FRAGMENT, NONE, Scratch, ScratchNode, TEXT};

/// A node, as its position in document order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(pub(super) u32);

impl NodeId {
    /// Position in document order, from 0 (the document).
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// An interned tag or attribute name of one tree; dense from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TagId(u32);

impl TagId {
    /// The number of the name, for tables indexed by name.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The kind of a node.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum NodeKind {
    /// Node 0, the parent of `html`.
    Document,
    /// An element, HTML or foreign (SVG, MathML).
    Element,
    /// A text.
    Text,
}

/// `a..b` is a range of `strings` for a text, a range of `attrs` for an element.
#[derive(Clone, Copy, Debug)]
struct Node {
    parent: u32,
    prev: u32,
    last: u32,
    end: u32,
    depth: u32,
    name: u32,
    a: u32,
    b: u32,
    is_html: bool,
}

/// A page as the HTML standard's parser builds it with scripting off (the contents of `noscript` are parsed).
#[derive(Clone, Debug)]
pub struct PageTree {
    nodes: Vec<Node>,
    attrs: Vec<AttrSpan>,
    names: Vec<Box<str>>,
    strings: String,
    body: Option<NodeId>,
    notes: ParseNotes,
}

impl PageTree {
    /// Parses a page. Never fails; [`notes`](Self::notes) tell what the limits cut.
    pub fn parse(html: &str, limits: &PageLimits) -> Self {
        let (scratch, notes) = parse::parse(html, limits);
        Renumbering::new(&scratch, limits.max_depth, notes).run()
    }

    /// Parses with at most `most` attributes per tag; also returns the number of tags cut.
    #[cfg(test)]
    pub(super) fn parse_carefully(html: &str, limits: &PageLimits, most: usize) -> (Self, u32) {
        let (scratch, notes, cut_tags) = parse::parse_carefully(html, limits, most);
        (Renumbering::new(&scratch, limits.max_depth, notes).run(), cut_tags)
    }

    /// About how many bytes of memory the tree takes.
    pub fn memory(&self) -> usize {
        size_of_val(&*self.nodes) + size_of_val(&*self.attrs) + size_of_val(&*self.names) + self.strings.len()
    }

    /// The parts of the page that were cut by the limits.
    pub fn notes(&self) -> &ParseNotes {
        &self.notes
    }

    /// The document node, which is always there; its element child is `html`.
    pub fn root(&self) -> NodeId {
        NodeId(0)
    }

    /// Number of nodes, the document included.
    #[allow(clippy::len_without_is_empty, reason = "a tree has its document")]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The `body`; a page of frames has none.
    pub fn body(&self) -> Option<NodeId> {
        self.body
    }

    /// All nodes in document order.
    pub fn node_ids(&self) -> impl DoubleEndedIterator<Item = NodeId> + ExactSizeIterator + use<> {
        (0..self.nodes.len() as u32).map(NodeId)
    }

    /// The node at a position in document order.
    pub fn node_at(&self, index: usize) -> Option<NodeId> {
        (index < self.nodes.len()).then_some(NodeId(index as u32))
    }

    /// The kind of a node.
    pub fn kind(&self, n: NodeId) -> NodeKind {
        match self.node(n).name {
            TEXT => NodeKind::Text,
            FRAGMENT => NodeKind::Document,
            _ => NodeKind::Element,
        }
    }

    /// An element's local name; HTML's are in lower case.
    pub fn tag(&self, n: NodeId) -> Option<&str> {
        self.tag_id(n).map(|tag| self.tag_name(tag))
    }

    /// An element's interned name.
    pub fn tag_id(&self, n: NodeId) -> Option<TagId> {
        let name = self.node(n).name;
        (name < FRAGMENT).then_some(TagId(name))
    }

    /// The name behind an id of this tree.
    pub fn tag_name(&self, tag: TagId) -> &str {
        &self.names[tag.index()]
    }

    /// The id of a name, if it occurs on the page; O(names).
    pub fn tag_named(&self, name: &str) -> Option<TagId> {
        self.names.iter().position(|other| **other == *name).map(|at| TagId(at as u32))
    }

    /// For each interned name, by its index, whether a test holds. A pass over all elements then compares no names.
    pub(crate) fn tags_that(&self, test: impl Fn(&str) -> bool) -> Vec<bool> {
        self.names.iter().map(|name| test(name)).collect()
    }

    /// Number of interned names.
    pub fn tag_count(&self) -> usize {
        self.names.len()
    }

    /// Whether a node is an element of HTML, not of SVG or MathML.
    pub fn is_html(&self, n: NodeId) -> bool {
        self.node(n).is_html && self.kind(n) == NodeKind::Element
    }

    /// An element's attribute, by its name in lower case; `None` for other nodes.
    pub fn attr(&self, n: NodeId, name: &str) -> Option<&str> {
        self.attrs(n).find(|&(other, _)| other == name).map(|(_, value)| value)
    }

    /// An element's attributes, in the page's order.
    pub fn attrs(&self, n: NodeId) -> impl Iterator<Item = (&str, &str)> {
        let node = self.node(n);
        let range = if node.name < FRAGMENT { node.a as usize..node.b as usize } else { 0..0 };
        self.attrs[range]
            .iter()
            .map(|attr| (&*self.names[attr.name as usize], self.string(attr.start, attr.end)))
    }

    /// The class names of an element.
    pub fn classes(&self, n: NodeId) -> impl Iterator<Item = &str> {
        self.attr(n, "class").unwrap_or_default().split_ascii_whitespace()
    }

    /// A text node's text as the page has it, with all white space.
    pub fn text(&self, n: NodeId) -> Option<&str> {
        let node = self.node(n);
        (node.name == TEXT).then(|| self.string(node.a, node.b))
    }

    /// The parent; `None` for the document.
    pub fn parent(&self, n: NodeId) -> Option<NodeId> {
        node_id(self.node(n).parent)
    }

    /// The first child.
    pub fn first_child(&self, n: NodeId) -> Option<NodeId> {
        (n.0 + 1 < self.node(n).end).then_some(NodeId(n.0 + 1))
    }

    /// The last child.
    pub fn last_child(&self, n: NodeId) -> Option<NodeId> {
        node_id(self.node(n).last)
    }

    /// The sibling after a node.
    pub fn next_sibling(&self, n: NodeId) -> Option<NodeId> {
        let parent = self.parent(n)?;
        let end = self.node(n).end;
        (end < self.node(parent).end).then_some(NodeId(end))
    }

    /// The sibling before a node.
    pub fn prev_sibling(&self, n: NodeId) -> Option<NodeId> {
        node_id(self.node(n).prev)
    }

    /// A node's children in order.
    pub fn children(&self, n: NodeId) -> impl Iterator<Item = NodeId> {
        successors(self.first_child(n), |&child| self.next_sibling(child))
    }

    /// The proper ancestors of a node, nearest first.
    pub fn ancestors(&self, n: NodeId) -> impl Iterator<Item = NodeId> {
        successors(self.parent(n), |&above| self.parent(above))
    }

    /// A node and all its descendants, in document order.
    pub fn descendants(
        &self,
        n: NodeId,
    ) -> impl DoubleEndedIterator<Item = NodeId> + ExactSizeIterator + use<> {
        (n.0..self.node(n).end).map(NodeId)
    }

    /// The id after the last node of a subtree: `d` is in the subtree of `n` if `n <= d && d < end`. It may be
    /// one past the last node of the tree.
    pub fn subtree_end(&self, n: NodeId) -> NodeId {
        NodeId(self.node(n).end)
    }

    /// Whether `above` is a proper ancestor of `below`; two comparisons.
    pub fn is_ancestor(&self, above: NodeId, below: NodeId) -> bool {
        above < below && below < self.subtree_end(above)
    }

    /// Whether a node is, or is inside, an element with one of these tags.
    pub(crate) fn is_inside(&self, n: NodeId, tags: &[&str]) -> bool {
        let mut up = std::iter::once(n).chain(self.ancestors(n));
        up.any(|node| self.tag(node).is_some_and(|tag| tags.contains(&tag)))
    }

    /// Distance from the document: 1 for `html`, 2 for `body`.
    pub fn depth(&self, n: NodeId) -> u32 {
        self.node(n).depth
    }

    /// The lowest common ancestor; it is `a` or `b` if that one contains the other. O(depth).
    pub fn lca(&self, a: NodeId, b: NodeId) -> NodeId {
        let (low, high) = (a.min(b), a.max(b));
        let mut above = low;
        while high >= self.subtree_end(above) {
            above = self.parent(above).unwrap_or(NodeId(0));
        }
        above
    }

    /// All text below a node, white space collapsed; includes the text of scripts and styles.
    pub fn text_content(&self, n: NodeId) -> String {
        let mut all = String::new();
        for text in self.descendants(n).filter_map(|node| self.text(node)) {
            all.push_str(text);
        }
        squash(&all)
    }

    fn node(&self, n: NodeId) -> &Node {
        &self.nodes[n.index()]
    }

    fn string(&self, start: u32, end: u32) -> &str {
        &self.strings[start as usize..end as usize]
    }
}

fn node_id(id: u32) -> Option<NodeId> {
    (id != NONE).then_some(NodeId(id))
}

/// Copies the linked part of the scratch tree into an arena in preorder.
struct Renumbering<'a> {
    scratch: &'a Scratch,
    max_depth: usize,
    tree: PageTree,
    /// The elements above the node that is written, from the document down.
    open: Vec<u32>,
}

impl<'a> Renumbering<'a> {
    fn new(scratch: &'a Scratch, max_depth: usize, notes: ParseNotes) -> Self {
        let tree = PageTree {
            nodes: Vec::with_capacity(scratch.nodes.len()),
            attrs: Vec::with_capacity(scratch.attrs.len()),
            names: scratch.names.iter().map(|name| Box::from(&**name)).collect(),
            strings: String::with_capacity(scratch.bytes.len()),
            body: None,
            notes,
        };
        Self { scratch, max_depth: max_depth.max(LEAST_DEPTH), tree, open: Vec::new() }
    }

    fn run(mut self) -> PageTree {
        let (mut at, mut depth) = (0, 0);
        loop {
            self.write_node(at, depth);
            let first = self.scratch.node(at).first;
            if first != NONE {
                (at, depth) = (first, depth + 1);
                continue;
            }
            while self.scratch.node(at).next == NONE && depth > 0 {
                (at, depth) = (self.scratch.node(at).parent, depth - 1);
            }
            if depth == 0 {
                break;
            }
            at = self.scratch.node(at).next;
        }
        self.close_below(0);
        self.tree.body = self.find_body();
        self.tree.nodes.shrink_to_fit();
        self.tree
    }

    /// Appends a node of depth `depth`. An element below the depth limit is lifted to it, so it follows its
    /// ancestor there as a sibling; a text may be one level deeper.
    fn write_node(&mut self, id: u32, depth: usize) {
        let scratch_node = *self.scratch.node(id);
        if scratch_node.name == COMMENT {
            return;
        }
        let limit = self.max_depth + usize::from(scratch_node.name == TEXT);
        if depth > limit {
            self.tree.notes.too_deep =
                self.tree.notes.too_deep.saturating_add(u32::from(scratch_node.name != TEXT));
        }
        self.close_below(depth.min(limit));
        // The parent's last child so far becomes the sibling before the new node.
        let parent = self.open.last().copied().unwrap_or(NONE);
        let new = self.tree.nodes.len() as u32;
        let mut prev = NONE;
        if let Some(parent) = self.tree.nodes.get_mut(parent as usize) {
            prev = std::mem::replace(&mut parent.last, new);
        }
        let (a, b) = if scratch_node.name == TEXT {
            self.copy_text(&scratch_node)
        } else {
            self.copy_attrs(&scratch_node)
        };
        let ScratchNode { name, is_html, .. } = scratch_node;
        let depth = self.open.len() as u32;
        self.tree.nodes.push(Node { parent, prev, last: NONE, end: new + 1, depth, name, a, b, is_html });
        if name != TEXT {
            self.open.push(new);
        }
    }

    /// Ends the subtrees of all but the outermost `depth` open elements.
    fn close_below(&mut self, depth: usize) {
        let end = self.tree.nodes.len() as u32;
        for id in self.open.drain(depth.min(self.open.len())..) {
            self.tree.nodes[id as usize].end = end;
        }
    }

    fn copy_text(&mut self, scratch_node: &ScratchNode) -> (u32, u32) {
        let start = self.tree.strings.len() as u32;
        let mut at = scratch_node.a;
        while at != NONE {
            let piece = self.scratch.pieces[at as usize];
            self.tree.strings.push_str(&self.scratch.bytes[piece.start as usize..piece.end as usize]);
            at = piece.next;
        }
        (start, self.tree.strings.len() as u32)
    }

    fn copy_attrs(&mut self, scratch_node: &ScratchNode) -> (u32, u32) {
        let first = self.tree.attrs.len() as u32;
        for attr in &self.scratch.attrs[scratch_node.a as usize..(scratch_node.a + scratch_node.b) as usize] {
            let start = self.tree.strings.len() as u32;
            self.tree.strings.push_str(&self.scratch.bytes[attr.start as usize..attr.end as usize]);
            let end = self.tree.strings.len() as u32;
            self.tree.attrs.push(AttrSpan { start, end, ..*attr });
        }
        (first, self.tree.attrs.len() as u32)
    }

    fn find_body(&self) -> Option<NodeId> {
        let tree = &self.tree;
        let html = tree.children(tree.root()).find(|&child| tree.kind(child) == NodeKind::Element)?;
        tree.children(html).find(|&child| tree.is_html(child) && tree.tag(child) == Some("body"))
    }
}
