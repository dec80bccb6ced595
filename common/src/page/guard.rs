//! Between tokenizer and tree builder: no page may open too many elements, make too many nodes or take too
//! long.
//!
//! html5ever walks its stack of open elements for most tags, so nesting costs quadratic time. At the limit
//! this guard closes the current element before the next one opens, as browsers do: deeper elements become
//! siblings. The stack is private to the tree builder, but a comment is appended to the current element and
//! `trace_handles` walks the stack; both are asked only when the number of elements made since the last
//! look could have reached the limit, so an ordinary page is asked a few times.
//! Invariant: at most `max_depth` plus the formatting elements reopened at once are open. Start at
//! [`Guard::admits`].

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::time::Instant;

use html5ever::LocalName;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{Tag, TagKind, Token, TokenSink, TokenSinkResult};
use html5ever::tree_builder::{Tracer, TreeBuilder};

use super::sink::{Handle, Sink};

/// Tokens between two looks at the clock; one token may take about half a millisecond at worst.
const TOKENS_PER_LOOK: u32 = 32;

/// Elements that never stay open, and those whose content is text: they do not nest.
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

/// A limit that ended the parse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    Nodes,
    Time,
}

/// Passes tokens on while the page stays within its limits.
pub(super) struct Guard {
    pub(super) builder: TreeBuilder<Handle, Sink>,
    /// Elements closed or left out because they stood too deep.
    pub(super) too_deep: Cell<u32>,
    stop: Cell<Option<Stop>>,
    max_depth: usize,
    max_nodes: usize,
    deadline: Option<Instant>,
    tokens: Cell<u32>,
    /// Open elements when last counted, and nodes made by then.
    counted: Cell<(usize, usize)>,
    /// Names of elements closed early whose end tags are still to come: these must close nothing else.
    owed: RefCell<HashMap<LocalName, u32>>,
}

impl Guard {
    pub(super) fn new(
        builder: TreeBuilder<Handle, Sink>,
        max_depth: usize,
        max_nodes: usize,
        deadline: Option<Instant>,
    ) -> Self {
        let (tokens, counted) = (Cell::new(0), Cell::new((0, 0)));
        let (too_deep, stop, owed) = (Cell::new(0), Cell::new(None), RefCell::default());
        Self { builder, too_deep, stop, max_depth, max_nodes, deadline, tokens, counted, owed }
    }

    /// The limit that was passed, if any; looks at the clock each time.
    pub(super) fn stopped(&self) -> Option<Stop> {
        if self.stop.get().is_none() {
            if self.builder.sink.created() >= self.max_nodes {
                self.stop.set(Some(Stop::Nodes));
            } else if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                self.stop.set(Some(Stop::Time));
            }
        }
        self.stop.get()
    }

    fn is_stopped(&self) -> bool {
        let tokens = self.tokens.get().wrapping_add(1);
        self.tokens.set(tokens);
        if tokens.is_multiple_of(TOKENS_PER_LOOK) || self.builder.sink.created() >= self.max_nodes {
            return self.stopped().is_some();
        }
        self.stop.get().is_some()
    }

    /// Whether a tag may reach the tree builder; makes room for a start tag at the limit.
    fn admits(&self, tag: &Tag, line: u64) -> bool {
        let (open, made) = self.counted.get();
        let at_most = open + self.builder.sink.created().saturating_sub(made);
        let owes = !self.owed.borrow().is_empty();
        if (at_most < self.max_depth && !owes) || self.is_flat(tag) {
            return true;
        }
        let Some((open, _)) = self.count(line) else { return true };
        if open + 1 < self.max_depth {
            self.owed.borrow_mut().clear();
            return true;
        }
        match tag.kind {
            TagKind::StartTag => self.make_room(tag, line),
            TagKind::EndTag => open >= self.max_depth || !self.settles(&tag.name),
        }
    }

    /// Closes open elements until one more fits. An element that cannot be closed by its own end tag (a
    /// form without its form pointer) keeps the new one out.
    fn make_room(&self, tag: &Tag, line: u64) -> bool {
        let mut closed = Vec::new();
        let mut fits = true;
        while let Some((open, name)) = self.count(line) {
            if open < self.max_depth {
                break;
            }
            self.pass_end_tag(name.clone(), line);
            if self.count(line).is_none_or(|(now, _)| now >= open) {
                fits = false;
                closed.push(tag.name.clone());
                break;
            }
            closed.push(name);
        }
        self.too_deep.set(self.too_deep.get().saturating_add(closed.len() as u32));
        let mut owed = self.owed.borrow_mut();
        for name in closed {
            *owed.entry(name).or_default() += 1;
        }
        fits
    }

    /// Whether an end tag belongs to an element that was closed early.
    fn settles(&self, name: &LocalName) -> bool {
        let mut owed = self.owed.borrow_mut();
        let Some(count) = owed.get_mut(name) else { return false };
        *count -= 1;
        if *count == 0 {
            owed.remove(name);
        }
        true
    }

    /// The number of open elements and the name of the innermost; `None` where the parser would not append
    /// to that one (before and after the body).
    fn count(&self, line: u64) -> Option<(usize, LocalName)> {
        let sink = &self.builder.sink;
        let comment = || drop(self.builder.process_token(Token::CommentToken(StrTendril::new()), line));
        let current = sink.probe(comment);
        let position = Position { of: current, seen: Cell::new(0), found: Cell::new(None) };
        self.builder.trace_handles(&position);
        // The document is traced first, then the stack from `html` on.
        let open = position.found.get().filter(|&open| open > 1)?;
        self.counted.set((open, sink.created()));
        let scratch = sink.scratch.borrow();
        let name = scratch.names.get(scratch.node(current).name as usize)?;
        Some((open, name.clone()))
    }

    fn pass_end_tag(&self, name: LocalName, line: u64) {
        let (kind, self_closing, attrs) = (TagKind::EndTag, false, Vec::new());
        let tag = Tag { kind, name, self_closing, attrs, had_duplicate_attributes: false };
        drop(self.builder.process_token(Token::TagToken(tag), line));
    }

    /// Such tags pass unseen. For those with text inside this is more than speed: the tree builder takes
    /// no comment before their end tag.
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
            _ if self.is_stopped() => false,
            Token::TagToken(tag) => self.admits(tag, line_number),
            _ => true,
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

/// Finds at which place a node is traced first.
struct Position {
    of: u32,
    seen: Cell<usize>,
    found: Cell<Option<usize>>,
}

impl Tracer for Position {
    type Handle = Handle;

    fn trace_handle(&self, node: &Handle) {
        if self.found.get().is_none() && node.id == self.of {
            self.found.set(Some(self.seen.get()));
        }
        self.seen.set(self.seen.get() + 1);
    }
}
