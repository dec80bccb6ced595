//! Between tokenizer and tree builder: no page may open too many elements or make too many nodes.
//!
//! html5ever walks its stack of open elements for most tags, so nesting costs quadratic time. At the limit this
//! guard closes the current element before the next one opens, as browsers do: deeper elements become siblings.
//! The stack is private to the tree builder, but it can be observed: a comment is appended to the current
//! element, and `trace_handles` walks the stack. Both are used only when the elements made since the last look
//! could have reached the limit, so a few times on an ordinary page.
//! Invariant: at most `max_depth` elements are open, plus the formatting elements that were reopened together.
//! Start at [`Guard::admits`].

use std::cell::{Cell, RefCell};

use html5ever::LocalName;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{Tag, TagKind, Token, TokenSink, TokenSinkResult};
use html5ever::tree_builder::{Tracer, TreeBuilder};
use rustc_hash::FxHashMap;

use super::sink::{Handle, Sink};

/// Roughly how many comparisons of attribute names the tokenizer may make (some tenths of a second) before the
/// page is fed with bounded tags instead. A tag of 100 attributes takes 5,000.
const MAX_COMPARISONS: u64 = 100_000_000;

/// How many of the innermost open elements are compared before the whole stack is walked.
const NEAR: usize = 4;

/// Elements that do not nest: they never stay open, or their content is text.
const FLAT: [&str; 29] = [
    "area",
    "base",
    "basefont",
    "bgsound",
    "br",
    "col",
    "embed",
    "frame",
    "hr",
    "iframe",
    "image",
    "img",
    "input",
    "keygen",
    "link",
    "meta",
    "noembed",
    "noframes",
    "param",
    "plaintext",
    "script",
    "source",
    "style",
    "textarea",
    "title",
    "track",
    "wbr",
    "xmp",
    "isindex",
];

/// Passes tokens on while the page stays within its limits.
pub(super) struct Guard {
    pub(super) builder: TreeBuilder<Handle, Sink>,
    /// Number of elements closed early or left out because they were nested too deeply.
    pub(super) too_deep: Cell<u32>,
    max_depth: usize,
    max_nodes: usize,
    tokens: Cell<u32>,
    comparisons: Cell<u64>,
    /// The open elements when the stack was last observed, `html` first.
    open: RefCell<Vec<u32>>,
    /// Nodes made at that time.
    nodes_made: Cell<usize>,
    /// Names of elements that were closed early and whose end tags are still to come: these tags must close
    /// nothing else.
    pending_end_tags: RefCell<FxHashMap<LocalName, u32>>,
}

impl Guard {
    pub(super) fn new(builder: TreeBuilder<Handle, Sink>, max_depth: usize, max_nodes: usize) -> Self {
        let (tokens, open, nodes_made) = (Cell::new(0), RefCell::default(), Cell::new(0));
        let (too_deep, pending_end_tags) = (Cell::new(0), RefCell::default());
        let comparisons = Cell::new(0);
        Self {
            builder,
            too_deep,
            max_depth,
            max_nodes,
            tokens,
            comparisons,
            open,
            nodes_made,
            pending_end_tags,
        }
    }

    /// Whether the page has as many nodes as it may.
    pub(super) fn is_full(&self) -> bool {
        self.builder.sink.created() >= self.max_nodes
    }

    /// Number of tokens so far, modulo 2³².
    pub(super) fn tokens(&self) -> u32 {
        self.tokens.get()
    }

    /// Whether the tokenizer has compared too many attribute names.
    pub(super) fn is_too_costly(&self) -> bool {
        self.comparisons.get() > MAX_COMPARISONS
    }

    /// Whether a tag may reach the tree builder; makes room for a start tag at the limit.
    fn admits(&self, tag: &Tag, line: u64) -> bool {
        let attributes = tag.attrs.len() as u64;
        self.comparisons.set(self.comparisons.get() + attributes * attributes / 2);
        let most_open =
            self.open.borrow().len() + self.builder.sink.created().saturating_sub(self.nodes_made.get());
        let has_pending = !self.pending_end_tags.borrow().is_empty();
        if (most_open < self.max_depth && !has_pending) || self.is_flat(tag) {
            return true;
        }
        let Some((open, name)) = self.observe_stack(line) else { return true };
        if open + 1 < self.max_depth {
            self.pending_end_tags.borrow_mut().clear();
            return true;
        }
        match tag.kind {
            TagKind::StartTag => self.make_room(tag, (open, name), line),
            TagKind::EndTag => open >= self.max_depth || !self.settle_end_tag(&tag.name),
        }
    }

    /// Closes open elements until one more fits. If an element does not close with its own end tag (a form
    /// without its form pointer), the new one is left out.
    fn make_room(&self, tag: &Tag, innermost: (usize, LocalName), line: u64) -> bool {
        let mut closed = Vec::new();
        let mut fits = true;
        let mut last = Some(innermost);
        while let Some((open, name)) = last.take_if(|(open, _)| *open >= self.max_depth) {
            self.pass_end_tag(name.clone(), line);
            last = self.observe_stack(line);
            fits = last.as_ref().is_some_and(|&(now, _)| now < open);
            closed.push(if fits { name } else { tag.name.clone() });
            if !fits {
                break;
            }
        }
        self.too_deep.set(self.too_deep.get().saturating_add(closed.len() as u32));
        let mut pending_end_tags = self.pending_end_tags.borrow_mut();
        for name in closed {
            *pending_end_tags.entry(name).or_default() += 1;
        }
        fits
    }

    /// Whether an end tag belongs to an element that was closed early.
    fn settle_end_tag(&self, name: &LocalName) -> bool {
        let mut pending_end_tags = self.pending_end_tags.borrow_mut();
        let Some(count) = pending_end_tags.get_mut(name) else { return false };
        *count -= 1;
        if *count == 0 {
            pending_end_tags.remove(name);
        }
        true
    }

    /// The number of open elements and the name of the innermost; `None` where the parser would append
    /// elsewhere (before and after the body).
    fn observe_stack(&self, line: u64) -> Option<(usize, LocalName)> {
        let sink = &self.builder.sink;
        let comment = || drop(self.builder.process_token(Token::CommentToken(StrTendril::new()), line));
        let current = sink.probe(comment);
        if !self.follow_current(current) {
            let stack =
                StackTracer { until: current, handles: RefCell::default(), is_found: Cell::new(false) };
            self.builder.trace_handles(&stack);
            if !stack.is_found.get() {
                return None;
            }
            *self.open.borrow_mut() = stack.handles.take();
        }
        self.nodes_made.set(sink.created());
        let scratch = sink.scratch.borrow();
        let name = scratch.names.get(scratch.node(current).name as usize)?;
        Some((self.open.borrow().len(), name.clone()))
    }

    /// Updates `open` without walking the stack. This works if the current element is among the innermost known
    /// ones, or is the only node made since, inside one of those.
    fn follow_current(&self, current: u32) -> bool {
        let sink = &self.builder.sink;
        let mut open = self.open.borrow_mut();
        let near = |open: &[u32], id: u32| open.iter().rev().take(NEAR).position(|&other| other == id);
        if let Some(above) = near(&open, current) {
            let n_open = open.len() - above;
            if n_open > 1 {
                open.truncate(n_open);
            }
            return n_open > 1;
        }
        let scratch = sink.scratch.borrow();
        let Some(node) = scratch.nodes.get(current as usize) else { return false };
        match near(&open, node.parent) {
            Some(above) if sink.created() == self.nodes_made.get() + 1 => {
                let n_open = open.len() - above;
                open.truncate(n_open);
                open.push(current);
                true
            }
            _ => false,
        }
    }

    fn pass_end_tag(&self, name: LocalName, line: u64) {
        let (kind, self_closing, attrs) = (TagKind::EndTag, false, Vec::new());
        let tag = Tag { kind, name, self_closing, attrs, had_duplicate_attributes: false };
        drop(self.builder.process_token(Token::TagToken(tag), line));
    }

    /// Whether a tag passes unchecked. For elements that contain text this is required, not only faster: the
    /// tree builder takes no comment before their end tag.
    fn is_flat(&self, tag: &Tag) -> bool {
        FLAT.contains(&&*tag.name) && !self.builder.adjusted_current_node_present_but_not_in_html_namespace()
    }
}

impl TokenSink for Guard {
    type Handle = Handle;

    fn process_token(&self, token: Token, line_number: u64) -> TokenSinkResult<Handle> {
        let passes = match &token {
            Token::EOFToken => true,
            Token::ParseError(_) => false,
            token => {
                self.tokens.set(self.tokens.get().wrapping_add(1));
                match token {
                    _ if self.is_full() => false,
                    Token::TagToken(tag) => self.admits(tag, line_number),
                    _ => true,
                }
            }
        };
        if passes { self.builder.process_token(token, line_number) } else { TokenSinkResult::Continue }
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder.adjusted_current_node_present_but_not_in_html_namespace()
    }
}

/// Collects the stack of open elements down to the current one. The tracer sees the document before the stack
/// and the formatting elements after it.
struct StackTracer {
    until: u32,
    handles: RefCell<Vec<u32>>,
    is_found: Cell<bool>,
}

impl Tracer for StackTracer {
    type Handle = Handle;

    fn trace_handle(&self, node: &Handle) {
        if node.id == 0 || self.is_found.get() {
            return;
        }
        let mut handles = self.handles.borrow_mut();
        handles.push(node.id);
        // After the body, comments go to `html`, whatever is still open.
        self.is_found.set(node.id == self.until && handles.len() > 1);
    }
}
