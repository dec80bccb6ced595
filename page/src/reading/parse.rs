//! A page's limits, what they cut, and the run of the parser between them.
//!
//! Text is fed in small chunks; between chunks and at each token the limits are asked. Past one of them the
//! rest of the page is left out and the tree is what a browser would show had the
//! connection broken there. A page that seems to have tags with thousands of attributes is fed anew by
//! [`attributes`], which bounds them. Start at [`PageLimits`].

use html5ever::TokenizerResult;
use html5ever::buffer_queue::BufferQueue;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{Tokenizer, TokenizerOpts};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts, TreeSink};

use super::attributes::{self, Silence};
use super::guard::Guard;
use super::sink::{MAX_ATTRIBUTES, Scratch, Sink, cut};

/// Text fed at once, in bytes: between chunks it is asked whether one tag goes on and on.
const CHUNK: usize = 4 * 1024;
/// Elements may nest at least this deep whatever the limit: the parser makes `html`, `body` and the rows of
/// tables by itself.
pub(super) const LEAST_DEPTH: usize = 16;

/// How much of a page is parsed. Beyond any of these the tree is coarser, and [`ParseNotes`] tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageLimits {
    /// Bytes of HTML (as UTF-8). The rest is left out.
    pub max_bytes: usize,
    /// Nodes made while parsing, comments included. The rest is left out.
    pub max_nodes: usize,
    /// Depth of elements below the document, where `html` is 1; at least 16. Deeper elements become siblings.
    pub max_depth: usize,
}

impl Default for PageLimits {
    /// 20 MB of HTML, 1,000,000 nodes, 512 levels (as browsers).
    fn default() -> Self {
        Self { max_bytes: 20_000_000, max_nodes: 1_000_000, max_depth: 512 }
    }
}

/// What the limits cut from a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ParseNotes {
    /// Bytes of HTML beyond `max_bytes` or not reached because another limit ended the parse.
    pub unread_bytes: usize,
    /// Whether `max_nodes` ended the parse.
    pub node_limit: bool,
    /// Elements that stood deeper than `max_depth` and became siblings (or, rarely, were left out).
    pub too_deep: u32,
    /// Attribute values over 64 KiB, attributes beyond 256 of an element, and strings beyond four times the
    /// page's size in all: cut or left out.
    pub cut_strings: u32,
}

impl ParseNotes {
    /// Whether the tree is not the whole page as the standard has it.
    pub fn is_coarse(&self) -> bool {
        *self != Self::default()
    }
}

/// Runs the parser over `html`.
pub(super) fn run(html: &str, limits: &PageLimits) -> (Scratch, ParseNotes) {
    let html_kept = cut(html, limits.max_bytes);
    let left_out = html.len() - html_kept.len();
    let mut parse = Parse::new(html_kept, limits);
    if parse.pass_all() {
        return parse.finish(left_out, 0);
    }
    let mut parse = Parse::new(html_kept, limits);
    let cut_tags = attributes::feed(&mut parse, MAX_ATTRIBUTES);
    parse.finish(left_out, cut_tags)
}

/// As [`run`], the careful way, with at most so many attributes to a tag; also the number of tags cut.
#[cfg(test)]
pub(super) fn run_carefully(html: &str, limits: &PageLimits, most: usize) -> (Scratch, ParseNotes, u32) {
    let mut parse = Parse::new(html, limits);
    let cut_tags = attributes::feed(&mut parse, most);
    let (scratch, notes) = parse.finish(0, cut_tags);
    (scratch, notes, cut_tags)
}

/// A parse under way.
pub(super) struct Parse<'a> {
    tokenizer: Tokenizer<Guard>,
    queue: BufferQueue,
    html: &'a str,
    /// What is passed or skipped of `html`.
    at: usize,
    /// Bytes passed since the limits were asked.
    unasked: usize,
    /// Whether the guard was full when asked last.
    stopped: bool,
}

impl<'a> Parse<'a> {
    fn new(html: &'a str, limits: &PageLimits) -> Self {
        let max_string_bytes = html.len().saturating_mul(4).saturating_add(64 * 1024).min(i32::MAX as usize);
        let options = TreeBuilderOpts { scripting_enabled: false, ..TreeBuilderOpts::default() };
        let builder = TreeBuilder::new(Sink::new(max_string_bytes), options);
        let max_depth = limits.max_depth.max(LEAST_DEPTH);
        let guard = Guard::new(builder, max_depth, limits.max_nodes);
        let tokenizer = Tokenizer::new(guard, TokenizerOpts::default());
        let stopped = tokenizer.sink.is_full();
        Self { tokenizer, queue: BufferQueue::default(), html, at: 0, unasked: 0, stopped }
    }

    pub(super) fn html(&self) -> &'a str {
        self.html
    }

    /// How far the page is passed or skipped.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// A number that changes whenever something comes out of the tokenizer.
    pub(super) fn came(&self) -> u32 {
        self.tokenizer.sink.tokens()
    }

    /// Whether a limit ended the parse or the page is at its end.
    pub(super) fn is_stopped(&self) -> bool {
        self.stopped || self.at >= self.html.len()
    }

    /// Leaves out so many bytes.
    pub(super) fn skip(&mut self, bytes: usize) {
        self.at += bytes;
    }

    /// Passes the page on up to `end`, as long as no limit is met.
    pub(super) fn pass(&mut self, end: usize) {
        while self.at < end && !self.stopped {
            let rest = self.html.get(self.at..end).unwrap_or_default();
            self.pass_some(cut(rest, CHUNK));
        }
    }

    /// Passes all of the page; not so if it is suspicious of tags with very many attributes.
    fn pass_all(&mut self) -> bool {
        let mut silence = Silence::default();
        while !self.is_stopped() {
            let came = self.came();
            let chunk = cut(&self.html[self.at..], CHUNK);
            self.pass_some(chunk);
            let something_came = self.came() != came;
            if silence.is_suspicious(chunk, something_came) || self.tokenizer.sink.is_toiling() {
                return false;
            }
        }
        true
    }

    /// Passes the next bytes, not more than a chunk.
    fn pass_some(&mut self, chunk: &str) {
        self.queue.push_back(StrTendril::from_slice(chunk));
        // Scripts and declared encodings interrupt the tokenizer; neither matters here.
        while !matches!(self.tokenizer.feed(&self.queue), TokenizerResult::Done) {}
        self.at += chunk.len();
        self.unasked += chunk.len();
        if self.unasked >= CHUNK / 2 {
            self.unasked = 0;
            self.stopped = self.tokenizer.sink.is_full();
        }
    }

    fn finish(self, left_out: usize, cut_tags: u32) -> (Scratch, ParseNotes) {
        self.tokenizer.end();
        let guard = self.tokenizer.sink;
        let rest = self.html.len() - self.at;
        let mut notes = ParseNotes {
            unread_bytes: left_out + rest,
            node_limit: rest > 0 && guard.is_full(),
            too_deep: guard.too_deep.get(),
            cut_strings: 0,
        };
        let scratch = guard.builder.sink.finish();
        notes.cut_strings = scratch.cut_strings.saturating_add(cut_tags);
        (scratch, notes)
    }
}
