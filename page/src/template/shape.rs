//! Pages as labelled ordered trees in which equal subtrees share a class.
//!
//! A vertex is an element, labelled by its tag, or a text, labelled by its words; what is not shown is left
//! out. Every distinct subtree of all pages of a site is stored once ([`Shapes::intern`], hash-consing), so
//! comparing subtrees is comparing numbers, and costs between subtrees are computed once for all pages.
//! Patterns are trees of the same kind: four labels are wildcards ([`Wildcard`]), and only leaves have them.
//!
//! Invariant: the children of a class have smaller numbers than the class. Start at [`Shapes::page_shape`].

use crate::reading::{NodeId, NodeKind, Page, is_excluded, squash};
use crate::splitmix::SplitMix;
use rustc_hash::FxHashMap;

/// Most vertices of a page; the rest of a larger page is left out.
const MOST_VERTICES: usize = 20_000;
/// Characters of a text that its label keeps; a hash distinguishes longer texts.
const MOST_LABEL_CHARS: usize = 80;

/// The number of subtrees that a wildcard of a pattern matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Wildcard {
    /// `.`: one subtree.
    One,
    /// `+`: one or more siblings.
    OneOrMore,
    /// `?`: one subtree or none.
    ZeroOrOne,
    /// `*`: any number of siblings.
    ZeroOrMore,
}

impl Wildcard {
    /// All wildcards; the index is the number of their label.
    pub const ALL: [Wildcard; 4] =
        [Wildcard::One, Wildcard::OneOrMore, Wildcard::ZeroOrOne, Wildcard::ZeroOrMore];

    fn new(is_optional: bool, is_repeated: bool) -> Wildcard {
        match (is_optional, is_repeated) {
            (false, false) => Wildcard::One,
            (false, true) => Wildcard::OneOrMore,
            (true, false) => Wildcard::ZeroOrOne,
            (true, true) => Wildcard::ZeroOrMore,
        }
    }

    /// Whether it may match nothing.
    #[must_use]
    pub fn is_optional(self) -> bool {
        matches!(self, Wildcard::ZeroOrOne | Wildcard::ZeroOrMore)
    }

    /// Whether it may match several siblings.
    #[must_use]
    pub fn is_repeated(self) -> bool {
        matches!(self, Wildcard::OneOrMore | Wildcard::ZeroOrMore)
    }

    /// The narrowest wildcard that accepts everything that either accepts.
    #[must_use]
    pub fn or(self, other: Wildcard) -> Wildcard {
        Wildcard::new(self.is_optional() || other.is_optional(), self.is_repeated() || other.is_repeated())
    }

    /// This wildcard, made optional.
    #[must_use]
    pub fn optional(self) -> Wildcard {
        self.or(Wildcard::ZeroOrOne)
    }

    /// The usual character for it.
    #[must_use]
    pub fn sign(self) -> char {
        match self {
            Wildcard::One => '.',
            Wildcard::OneOrMore => '+',
            Wildcard::ZeroOrOne => '?',
            Wildcard::ZeroOrMore => '*',
        }
    }
}

/// A set of equal subtrees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SubtreeClass(pub(super) u32);

/// An interned label.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VertexLabel(u32);

impl VertexLabel {
    /// The wildcard behind this label, if it is one.
    #[must_use]
    pub fn wildcard(self) -> Option<Wildcard> {
        Wildcard::ALL.get(self.0 as usize).copied()
    }
}

#[derive(Clone, Debug)]
struct Subtree {
    label: VertexLabel,
    children: Box<[SubtreeClass]>,
    /// Number of vertices.
    size: u32,
    has_wildcard: bool,
    /// A hash of labels and shape, which does not depend on what else was interned.
    hash: u64,
}

/// All distinct labels and subtrees of a set of pages.
#[derive(Clone, Debug)]
pub struct Shapes {
    labels: Vec<Box<str>>,
    label_hashes: Vec<u64>,
    by_name: FxHashMap<Box<str>, VertexLabel>,
    classes: Vec<Subtree>,
    by_shape: FxHashMap<(VertexLabel, Box<[SubtreeClass]>), SubtreeClass>,
}

impl Default for Shapes {
    fn default() -> Self {
        let mut shapes = Shapes {
            labels: Vec::new(),
            label_hashes: Vec::new(),
            by_name: FxHashMap::default(),
            classes: Vec::new(),
            by_shape: FxHashMap::default(),
        };
        for wildcard in Wildcard::ALL {
            // No element name and no text label begins like this: see `text_label`.
            shapes.intern_label(&format!("\u{0}{}", wildcard.sign()));
        }
        shapes
    }
}

impl Shapes {
    /// Interns a label.
    pub fn intern_label(&mut self, name: &str) -> VertexLabel {
        if let Some(label) = self.by_name.get(name) {
            return *label;
        }
        let label = VertexLabel(self.labels.len() as u32);
        self.labels.push(name.into());
        self.label_hashes.push(fnv(name));
        self.by_name.insert(name.into(), label);
        label
    }

    /// The label's text: an element's tag, or a text in quotes.
    #[must_use]
    pub fn name(&self, label: VertexLabel) -> &str {
        &self.labels[label.0 as usize]
    }

    /// The class of a subtree with this label and these children; a wildcard has no children.
    pub fn intern(&mut self, label: VertexLabel, children: Vec<SubtreeClass>) -> SubtreeClass {
        let children: Box<[SubtreeClass]> =
            if label.wildcard().is_some() { Box::default() } else { children.into() };
        let key = (label, children);
        if let Some(class) = self.by_shape.get(&key) {
            return *class;
        }
        let size = key.1.iter().fold(1_u32, |sum, &child| sum.saturating_add(self.size(child)));
        let has_wildcard = label.wildcard().is_some() || key.1.iter().any(|&child| self.has_wildcard(child));
        let own_hash = self.label_hashes.get(label.0 as usize).copied().unwrap_or_default();
        let hash = key
            .1
            .iter()
            .fold(SplitMix(own_hash).draw(), |hash, &child| SplitMix(hash ^ self.subtree(child).hash).draw());
        let class = SubtreeClass(self.classes.len() as u32);
        self.classes.push(Subtree { label, children: key.1.clone(), size, has_wildcard, hash });
        self.by_shape.insert(key, class);
        class
    }

    /// The class of a wildcard.
    pub fn wildcard(&mut self, wildcard: Wildcard) -> SubtreeClass {
        let number = Wildcard::ALL.iter().position(|other| *other == wildcard).unwrap_or_default();
        self.intern(VertexLabel(number as u32), Vec::new())
    }

    /// The label of a subtree's root.
    #[must_use]
    pub fn root_label(&self, class: SubtreeClass) -> VertexLabel {
        self.subtree(class).label
    }

    /// The children of a subtree's root.
    #[must_use]
    pub fn children(&self, class: SubtreeClass) -> &[SubtreeClass] {
        &self.subtree(class).children
    }

    /// The number of vertices of a subtree.
    #[must_use]
    pub fn size(&self, class: SubtreeClass) -> u32 {
        self.subtree(class).size
    }

    /// The place of a subtree in an order that depends on the subtrees alone, not on when they were interned.
    pub(super) fn order(&self, class: SubtreeClass) -> (u32, u64) {
        let subtree = self.subtree(class);
        (subtree.size, subtree.hash)
    }

    /// Whether a subtree holds a wildcard.
    #[must_use]
    pub fn has_wildcard(&self, class: SubtreeClass) -> bool {
        self.subtree(class).has_wildcard
    }

    fn subtree(&self, class: SubtreeClass) -> &Subtree {
        &self.classes[class.0 as usize]
    }

    /// The tree of a page's visible elements and texts.
    pub fn page_shape(&mut self, page: &Page) -> PageShape {
        let tree = &page.tree;
        let root = tree.body().unwrap_or(tree.root());
        let mut vertices: Vec<Vertex> = Vec::new();
        let mut parents: Vec<Option<usize>> = Vec::new();
        let mut open: Vec<(NodeId, usize)> = Vec::new();
        let (mut at, end) = (root.index(), tree.subtree_end(root).index());
        while let Some(node) = tree.node_at(at).filter(|_| at < end && vertices.len() < MOST_VERTICES) {
            at += 1;
            while open.last().is_some_and(|(last, _)| *last <= node) {
                open.pop();
            }
            let label = match tree.kind(node) {
                NodeKind::Text => match squash(tree.text(node).unwrap_or_default()) {
                    text if text.is_empty() => continue,
                    text => self.intern_label(&text_label(&text)),
                },
                _ => {
                    let tag = tree.tag(node).unwrap_or("#document");
                    if is_excluded(tag) {
                        at = tree.subtree_end(node).index();
                        continue;
                    }
                    self.intern_label(tag)
                }
            };
            parents.push(open.last().map(|(_, parent)| *parent));
            open.push((tree.subtree_end(node), vertices.len()));
            // `number_subtrees` fills in the end and the class.
            vertices.push(Vertex { node, end: 0, class: SubtreeClass(0), label });
        }
        self.number_subtrees(vertices, &parents)
    }

    /// Computes the ends and classes of the vertices, last to first.
    fn number_subtrees(&mut self, mut vertices: Vec<Vertex>, parents: &[Option<usize>]) -> PageShape {
        let mut children: Vec<Vec<SubtreeClass>> = vec![Vec::new(); vertices.len()];
        for at in (0..vertices.len()).rev() {
            // They were collected last to first.
            let mut own_children = std::mem::take(&mut children[at]);
            own_children.reverse();
            let class = self.intern(vertices[at].label, own_children);
            vertices[at].class = class;
            vertices[at].end = at as u32 + self.size(class);
            if let Some(parent) = parents[at] {
                children[parent].push(class);
            }
        }
        PageShape { vertices }
    }
}

/// The label of a text: its words in quotes, so no text is mistaken for an element. A long text is cut and gets a
/// hash (FNV-1a) of all of it.
fn text_label(text: &str) -> String {
    let mut chars = text.chars();
    let head: String = chars.by_ref().take(MOST_LABEL_CHARS).collect();
    if chars.next().is_none() {
        return format!("\"{head}\"");
    }
    format!("\"{head}…\" {:016x}", fnv(text))
}

/// The hash FNV-1a of a text.
fn fnv(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// One vertex of a page.
#[derive(Clone, Copy, Debug)]
pub struct Vertex {
    /// The node of the page.
    pub node: NodeId,
    /// One past the last vertex of its subtree.
    pub end: u32,
    /// The class of its subtree.
    pub class: SubtreeClass,
    label: VertexLabel,
}

/// A page's vertices in document order; there is at least one.
#[derive(Clone, Debug)]
pub struct PageShape {
    /// The vertices.
    pub vertices: Vec<Vertex>,
}

impl PageShape {
    /// The class of the whole page.
    #[must_use]
    pub fn class(&self) -> SubtreeClass {
        self.vertices[0].class
    }

    /// The numbers of a vertex's children.
    pub fn children(&self, vertex: usize) -> impl Iterator<Item = usize> {
        let end = self.vertices[vertex].end as usize;
        let next = move |at: &usize| Some(self.vertices[*at].end as usize).filter(|next| *next < end);
        std::iter::successors(Some(vertex + 1).filter(|first| *first < end), next)
    }
}
