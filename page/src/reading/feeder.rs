//! Feeds a page's text to the tokenizer in small chunks, within the limits.
//!
//! The limits are checked between chunks and at each token. Past a limit the rest of the page is left out, and
//! the tree is what a browser would show if the connection had broken there. The caller decides what to pass
//! and what to skip: all of the text ([`parse`](super::parse)), or tag by tag
//! ([`attributes`](super::attributes)).

use html5ever::TokenizerResult;
use html5ever::buffer_queue::BufferQueue;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{Tokenizer, TokenizerOpts};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts, TreeSink};

use super::guard::Guard;
use super::limits::{LEAST_DEPTH, PageLimits, ParseNotes};
use super::sink::{Scratch, Sink, truncate};

/// Text fed at once, in bytes. Between chunks the caller checks for a tag that does not end.
const CHUNK: usize = 4 * 1024;

/// A page on its way through the tokenizer.
pub(super) struct Feeder<'a> {
    tokenizer: Tokenizer<Guard>,
    queue: BufferQueue,
    html: &'a str,
    /// Bytes of `html` that have been passed or skipped.
    at: usize,
    /// Bytes passed since the limits were last checked.
    unchecked: usize,
    /// Whether the guard was full at the last check.
    stopped: bool,
}

impl<'a> Feeder<'a> {
    pub(super) fn new(html: &'a str, limits: &PageLimits) -> Self {
        let max_string_bytes = html.len().saturating_mul(4).saturating_add(64 * 1024).min(i32::MAX as usize);
        let options = TreeBuilderOpts { scripting_enabled: false, ..TreeBuilderOpts::default() };
        let builder = TreeBuilder::new(Sink::new(max_string_bytes), options);
        let max_depth = limits.max_depth.max(LEAST_DEPTH);
        let guard = Guard::new(builder, max_depth, limits.max_nodes);
        let tokenizer = Tokenizer::new(guard, TokenizerOpts::default());
        let stopped = tokenizer.sink.is_full();
        Self { tokenizer, queue: BufferQueue::default(), html, at: 0, unchecked: 0, stopped }
    }

    pub(super) fn html(&self) -> &'a str {
        self.html
    }

    /// How many bytes of the page have been passed or skipped.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// A number that changes whenever the tokenizer emits something.
    pub(super) fn output_count(&self) -> u32 {
        self.tokenizer.sink.tokens()
    }

    /// Whether a limit ended the parse or the page is at its end.
    pub(super) fn is_stopped(&self) -> bool {
        self.stopped || self.at >= self.html.len()
    }

    /// Leaves out the next `bytes` bytes.
    pub(super) fn skip(&mut self, bytes: usize) {
        self.at += bytes;
    }

    /// Passes the page on up to `end`, or until a limit is met.
    pub(super) fn pass(&mut self, end: usize) {
        while self.at < end && !self.stopped {
            let rest = self.html.get(self.at..end).unwrap_or_default();
            self.pass_some(truncate(rest, CHUNK));
        }
    }

    /// Passes the next chunk of the page, and returns it.
    pub(super) fn pass_chunk(&mut self) -> &'a str {
        let chunk = truncate(&self.html[self.at..], CHUNK);
        self.pass_some(chunk);
        chunk
    }

    /// Whether the page costs the tokenizer too much work.
    pub(super) fn is_too_costly(&self) -> bool {
        self.tokenizer.sink.is_too_costly()
    }

    /// Passes `chunk`, the next bytes of the page; at most [`CHUNK`].
    fn pass_some(&mut self, chunk: &str) {
        self.queue.push_back(StrTendril::from_slice(chunk));
        // Scripts and declared encodings interrupt the tokenizer; neither matters here.
        while !matches!(self.tokenizer.feed(&self.queue), TokenizerResult::Done) {}
        self.at += chunk.len();
        self.unchecked += chunk.len();
        if self.unchecked >= CHUNK / 2 {
            self.unchecked = 0;
            self.stopped = self.tokenizer.sink.is_full();
        }
    }

    /// Ends the parse. `left_out`: bytes beyond the byte limit; `cut_tags`: tags that lost attributes.
    pub(super) fn finish(self, left_out: usize, cut_tags: u32) -> (Scratch, ParseNotes) {
        self.tokenizer.end();
        let guard = self.tokenizer.sink;
        let rest = self.html.len() - self.at;
        let mut notes = ParseNotes {
            unread_bytes: left_out + rest,
            node_limit: rest > 0 && guard.is_full(),
            too_deep: guard.too_deep.get(),
            cut_strings: 0,
        };
        let mut scratch = guard.builder.sink.finish();
        scratch.open_shadow_trees();
        notes.cut_strings = scratch.cut_strings.saturating_add(cut_tags);
        (scratch, notes)
    }
}
