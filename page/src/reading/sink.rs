//! The sink into which html5ever builds: a scratch tree that can be rearranged cheaply.
//!
//! The standard's parser moves nodes about (foster parenting, the adoption agency), so creation order is not
//! document order. Here nodes are doubly linked, a text is a chain of pieces, and each operation takes constant
//! time; the module `tree` renumbers the result once. Comments are kept until then, without their text, because they
//! separate the texts beside them. A probe is a comment that is not inserted and only records where it would
//! have gone; `guard` uses it to learn the current element.
//! Invariant: adjacent text is one node, as the standard demands. Start at the `TreeSink` implementation.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

use html5ever::tendril::StrTendril;
use html5ever::tree_builder::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::{Attribute, ExpandedName, LocalName, QualName, ns};
use rustc_hash::FxHashMap;

/// No node, no piece.
pub(super) const NONE: u32 = u32::MAX;
/// Name of a text node.
pub(super) const TEXT: u32 = u32::MAX;
/// Name of a comment node.
pub(super) const COMMENT: u32 = u32::MAX - 1;
/// Name of the document node, and of the fragment with a template's contents; the fragment's `a` is the
/// template.
pub(super) const FRAGMENT: u32 = u32::MAX - 2;
/// Longest attribute value kept, in bytes; some pages put whole images into attributes.
const MAX_VALUE: usize = 64 * 1024;
/// Maximum number of attributes kept per element.
pub(super) const MAX_ATTRIBUTES: usize = 256;

/// A node of the scratch tree. `a` and `b` are the first and last piece of a text, or the start and number of
/// an element's attributes.
#[derive(Clone, Copy, Debug)]
pub(super) struct ScratchNode {
    pub(super) parent: u32,
    pub(super) prev: u32,
    pub(super) next: u32,
    pub(super) first: u32,
    pub(super) last: u32,
    pub(super) name: u32,
    pub(super) a: u32,
    pub(super) b: u32,
    pub(super) is_html: bool,
}

/// A range of `Scratch::bytes`; the pieces of one text are chained.
#[derive(Clone, Copy, Debug)]
pub(super) struct TextPiece {
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) next: u32,
}

/// An attribute: its interned name, and its value as a range of a string buffer.
#[derive(Clone, Copy, Debug)]
pub(super) struct AttrSpan {
    pub(super) name: u32,
    pub(super) start: u32,
    pub(super) end: u32,
}

/// The tree that the parser has built so far.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    pub(super) nodes: Vec<ScratchNode>,
    pub(super) pieces: Vec<TextPiece>,
    pub(super) attrs: Vec<AttrSpan>,
    pub(super) bytes: String,
    pub(super) names: Vec<LocalName>,
    /// Texts, values and attributes that were cut or left out.
    pub(super) cut_strings: u32,
    name_ids: FxHashMap<LocalName, u32>,
    template_contents: FxHashMap<u32, u32>,
    max_string_bytes: usize,
}

/// html5ever's reference to a node. It carries the name because the parser asks for it all the time.
#[derive(Clone, Debug)]
pub(super) struct Handle {
    pub(super) id: u32,
    name: Rc<QualName>,
}

/// The sink itself: interior mutability around [`Scratch`].
#[derive(Debug)]
pub(super) struct Sink {
    pub(super) scratch: RefCell<Scratch>,
    /// While this is `Some`, comments are probes; it holds the parent that the last probe would have had.
    probe: Cell<Option<u32>>,
    nameless: Rc<QualName>,
}

impl Sink {
    /// `max_string_bytes` bounds all texts and values together: formatting elements that are reopened again and
    /// again copy their attributes each time.
    pub(super) fn new(max_string_bytes: usize) -> Self {
        let mut scratch = Scratch { max_string_bytes, ..Scratch::default() };
        scratch.push(ScratchNode::new(FRAGMENT, 0, 0));
        let nameless = Rc::new(QualName::new(None, ns!(), LocalName::from("")));
        Self { scratch: RefCell::new(scratch), probe: Cell::new(None), nameless }
    }

    /// Number of nodes made so far, including those no longer in the tree.
    pub(super) fn created(&self) -> usize {
        self.scratch.borrow().nodes.len()
    }

    /// The element (or the document) to which `pass_comment` would append a comment.
    pub(super) fn probe(&self, pass_comment: impl FnOnce()) -> u32 {
        self.probe.set(Some(NONE));
        pass_comment();
        let id = self.probe.take().unwrap_or(NONE);
        let scratch = self.scratch.borrow();
        match scratch.nodes.get(id as usize) {
            Some(contents) if contents.name == FRAGMENT => contents.a,
            _ => id,
        }
    }

    fn handle(&self, id: u32) -> Handle {
        Handle { id, name: Rc::clone(&self.nameless) }
    }
}

impl ScratchNode {
    fn new(name: u32, a: u32, b: u32) -> Self {
        let (parent, prev, next, first, last) = (NONE, NONE, NONE, NONE, NONE);
        Self { parent, prev, next, first, last, name, a, b, is_html: true }
    }
}

impl Scratch {
    pub(super) fn node(&self, id: u32) -> &ScratchNode {
        &self.nodes[id as usize]
    }

    fn node_mut(&mut self, id: u32) -> &mut ScratchNode {
        &mut self.nodes[id as usize]
    }

    fn push(&mut self, node: ScratchNode) -> u32 {
        self.nodes.push(node);
        (self.nodes.len() - 1) as u32
    }

    fn is_text(&self, id: u32) -> bool {
        id != NONE && self.node(id).name == TEXT
    }

    fn intern(&mut self, name: LocalName) -> u32 {
        let next = self.names.len() as u32;
        let id = *self.name_ids.entry(name.clone()).or_insert(next);
        if id == next {
            self.names.push(name);
        }
        id
    }

    /// Stores as much of `text` as the bounds allow.
    fn store(&mut self, text: &str, max: usize) -> (u32, u32) {
        let room = max.min(self.max_string_bytes.saturating_sub(self.bytes.len()));
        let stored = truncate(text, room);
        self.cut_strings += u32::from(stored.len() < text.len());
        let start = self.bytes.len() as u32;
        self.bytes.push_str(stored);
        (start, self.bytes.len() as u32)
    }

    fn push_attr(&mut self, attr: Attribute) {
        let name = self.intern(attr.name.local);
        let (start, end) = self.store(&attr.value, MAX_VALUE);
        self.attrs.push(AttrSpan { name, start, end });
    }

    /// Appends to a text in time proportional to the appended text, even if other text was stored in between.
    fn extend_text(&mut self, id: u32, text: &str) {
        let (start, end) = self.store(text, usize::MAX);
        let last = self.node(id).b as usize;
        if self.pieces[last].end == start {
            self.pieces[last].end = end;
            return;
        }
        let piece = self.pieces.len() as u32;
        self.pieces.push(TextPiece { start, end, next: NONE });
        self.pieces[last].next = piece;
        self.node_mut(id).b = piece;
    }

    fn new_text(&mut self, text: &str) -> u32 {
        let (start, end) = self.store(text, usize::MAX);
        let piece = self.pieces.len() as u32;
        self.pieces.push(TextPiece { start, end, next: NONE });
        self.push(ScratchNode::new(TEXT, piece, piece))
    }

    fn detach(&mut self, id: u32) {
        let ScratchNode { parent, prev, next, .. } = *self.node(id);
        if parent == NONE {
            return;
        }
        match prev {
            NONE => self.node_mut(parent).first = next,
            prev => self.node_mut(prev).next = next,
        }
        match next {
            NONE => self.node_mut(parent).last = prev,
            next => self.node_mut(next).prev = prev,
        }
        let node = self.node_mut(id);
        (node.parent, node.prev, node.next) = (NONE, NONE, NONE);
    }

    /// Puts a detached node under `parent`, before `next` or at the end.
    fn link(&mut self, parent: u32, id: u32, next: u32) {
        let prev = match next {
            NONE => self.node(parent).last,
            next => self.node(next).prev,
        };
        let node = self.node_mut(id);
        (node.parent, node.prev, node.next) = (parent, prev, next);
        match prev {
            NONE => self.node_mut(parent).first = id,
            prev => self.node_mut(prev).next = id,
        }
        match next {
            NONE => self.node_mut(parent).last = id,
            next => self.node_mut(next).prev = id,
        }
    }

    /// Puts the contents of templates that are shadow trees into the tree: browsers attach these to the element around
    /// the template, and show them.
    pub(super) fn open_shadow_trees(&mut self) {
        let mut templates: Vec<(u32, u32)> =
            self.template_contents.iter().map(|(&id, &inner)| (id, inner)).collect();
        templates.sort_unstable();
        for (template, contents) in templates {
            let ScratchNode { a: start, b: count, .. } = *self.node(template);
            let mut attrs =
                self.attrs.get(start as usize..(start + count) as usize).unwrap_or_default().iter();
            let is_shadow = attrs.any(|attr| {
                self.names
                    .get(attr.name as usize)
                    .is_some_and(|name| matches!(&**name, "shadowrootmode" | "shadowroot"))
            });
            if is_shadow {
                self.move_children(contents, template);
            }
        }
    }

    fn move_children(&mut self, from: u32, to: u32) {
        loop {
            let child = self.node(from).first;
            if child == NONE {
                break;
            }
            self.detach(child);
            self.link(to, child, NONE);
        }
    }

    fn insert(&mut self, parent: u32, next: u32, child: NodeOrText<Handle>) {
        match child {
            NodeOrText::AppendNode(node) => {
                self.detach(node.id);
                self.link(parent, node.id, next);
            }
            NodeOrText::AppendText(text) => {
                let prev = match next {
                    NONE => self.node(parent).last,
                    next => self.node(next).prev,
                };
                if self.is_text(prev) {
                    self.extend_text(prev, &text);
                } else {
                    let id = self.new_text(&text);
                    self.link(parent, id, next);
                }
            }
        }
    }
}

/// The longest prefix of `text` with at most `max` bytes.
pub(super) fn truncate(text: &str, max: usize) -> &str {
    if text.len() <= max {
        return text;
    }
    let end = (0..=max).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
    text.get(..end).unwrap_or_default()
}

impl TreeSink for Sink {
    type Handle = Handle;
    type Output = Scratch;
    type ElemName<'a> = ExpandedName<'a>;

    fn finish(self) -> Scratch {
        self.scratch.into_inner()
    }

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> Handle {
        self.handle(0)
    }

    fn elem_name<'a>(&'a self, target: &'a Handle) -> ExpandedName<'a> {
        target.name.expanded()
    }

    fn create_element(&self, name: QualName, attrs: Vec<Attribute>, _: ElementFlags) -> Handle {
        let mut scratch = self.scratch.borrow_mut();
        let tag = scratch.intern(name.local.clone());
        let start = scratch.attrs.len() as u32;
        scratch.cut_strings += u32::from(attrs.len() > MAX_ATTRIBUTES);
        for attr in attrs.into_iter().take(MAX_ATTRIBUTES) {
            scratch.push_attr(attr);
        }
        let count = scratch.attrs.len() as u32 - start;
        let id = scratch
            .push(ScratchNode { is_html: name.ns == ns!(html), ..ScratchNode::new(tag, start, count) });
        Handle { id, name: Rc::new(name) }
    }

    fn create_comment(&self, _: StrTendril) -> Handle {
        match self.probe.get() {
            Some(_) => self.handle(NONE),
            None => self.handle(self.scratch.borrow_mut().push(ScratchNode::new(COMMENT, 0, 0))),
        }
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> Handle {
        self.create_comment(StrTendril::new())
    }

    fn append(&self, parent: &Handle, child: NodeOrText<Handle>) {
        match child {
            NodeOrText::AppendNode(probe) if probe.id == NONE => self.probe.set(Some(parent.id)),
            child => self.scratch.borrow_mut().insert(parent.id, NONE, child),
        }
    }

    fn append_based_on_parent_node(&self, element: &Handle, previous: &Handle, child: NodeOrText<Handle>) {
        if self.scratch.borrow().node(element.id).parent == NONE {
            self.append(previous, child);
        } else {
            self.append_before_sibling(element, child);
        }
    }

    fn append_before_sibling(&self, sibling: &Handle, child: NodeOrText<Handle>) {
        let mut scratch = self.scratch.borrow_mut();
        let parent = scratch.node(sibling.id).parent;
        let is_probe = matches!(&child, NodeOrText::AppendNode(node) if node.id == NONE);
        if parent != NONE && !is_probe {
            scratch.insert(parent, sibling.id, child);
        }
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    /// A separate fragment that is never linked: the contents of a template are not part of the page.
    fn get_template_contents(&self, target: &Handle) -> Handle {
        let mut scratch = self.scratch.borrow_mut();
        if let Some(&contents) = scratch.template_contents.get(&target.id) {
            return self.handle(contents);
        }
        let contents = scratch.push(ScratchNode::new(FRAGMENT, target.id, 0));
        scratch.template_contents.insert(target.id, contents);
        self.handle(contents)
    }

    fn same_node(&self, x: &Handle, y: &Handle) -> bool {
        x.id == y.id
    }

    fn set_quirks_mode(&self, _: QuirksMode) {}

    fn add_attrs_if_missing(&self, target: &Handle, attrs: Vec<Attribute>) {
        let mut scratch = self.scratch.borrow_mut();
        let ScratchNode { a: start, b: count, .. } = *scratch.node(target.id);
        let old = start as usize..(start + count) as usize;
        let new_start = scratch.attrs.len();
        let mut copied = false;
        for attr in attrs {
            let name = scratch.intern(attr.name.local.clone());
            let has = |spans: &[AttrSpan]| spans.iter().any(|span| span.name == name);
            if has(&scratch.attrs[old.clone()]) || (copied && has(&scratch.attrs[new_start..])) {
                continue;
            }
            if old.len() + scratch.attrs[new_start..].len() >= MAX_ATTRIBUTES {
                scratch.cut_strings += 1;
                break;
            }
            if !copied {
                scratch.attrs.extend_from_within(old.clone());
                copied = true;
            }
            scratch.push_attr(attr);
        }
        if copied {
            let count = (scratch.attrs.len() - new_start) as u32;
            let node = scratch.node_mut(target.id);
            (node.a, node.b) = (new_start as u32, count);
        }
    }

    fn remove_from_parent(&self, target: &Handle) {
        self.scratch.borrow_mut().detach(target.id);
    }

    fn reparent_children(&self, node: &Handle, new_parent: &Handle) {
        self.scratch.borrow_mut().move_children(node.id, new_parent.id);
    }
}
