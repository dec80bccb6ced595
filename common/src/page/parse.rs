//! A page's limits, what they cut, and the run of the parser between them.
//!
//! Text is fed in small chunks; between chunks, and every few tokens inside one, the limits are asked. Past
//! one of them the rest of the page is left out and the tree is what a browser would show had the
//! connection broken there. Start at [`PageLimits`].

use std::time::{Duration, Instant};

use html5ever::TokenizerResult;
use html5ever::buffer_queue::BufferQueue;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{Tokenizer, TokenizerOpts};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts, TreeSink};

use super::guard::{Guard, Stop};
use super::sink::{Scratch, Sink, cut};

/// Text fed at once, in bytes: the tokenizer can take quadratic time in the attributes of one tag, and the
/// clock is looked at between chunks.
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
    /// Time for parsing. The rest is left out.
    pub max_parse_time: Duration,
}

impl Default for PageLimits {
    /// 20 MB of HTML, 1,000,000 nodes, 512 levels (as browsers), 5 s.
    fn default() -> Self {
        let max_parse_time = Duration::from_secs(5);
        Self { max_bytes: 20_000_000, max_nodes: 1_000_000, max_depth: 512, max_parse_time }
    }
}

/// What the limits cut from a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ParseNotes {
    /// Bytes of HTML beyond `max_bytes` or not reached because another limit ended the parse.
    pub unread_bytes: usize,
    /// Whether `max_nodes` ended the parse.
    pub node_limit: bool,
    /// Whether `max_parse_time` ended the parse.
    pub time_limit: bool,
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
    let deadline = Instant::now().checked_add(limits.max_parse_time);
    let html_kept = cut(html, limits.max_bytes);
    let max_string_bytes = html_kept.len().saturating_mul(4).saturating_add(64 * 1024).min(i32::MAX as usize);
    let options = TreeBuilderOpts { scripting_enabled: false, ..TreeBuilderOpts::default() };
    let builder = TreeBuilder::new(Sink::new(max_string_bytes), options);
    let max_depth = limits.max_depth.max(LEAST_DEPTH);
    let guard = Guard::new(builder, max_depth, limits.max_nodes, deadline);
    let tokenizer = Tokenizer::new(guard, TokenizerOpts::default());

    let queue = BufferQueue::default();
    let mut rest = html_kept;
    while !rest.is_empty() && tokenizer.sink.stopped().is_none() {
        let chunk = cut(rest, CHUNK);
        rest = rest.get(chunk.len()..).unwrap_or_default();
        queue.push_back(StrTendril::from_slice(chunk));
        // Scripts and declared encodings interrupt the tokenizer; neither matters here.
        while !matches!(tokenizer.feed(&queue), TokenizerResult::Done) {}
    }
    tokenizer.end();

    let guard = tokenizer.sink;
    let stopped = guard.stopped().filter(|_| !rest.is_empty());
    let mut notes = ParseNotes {
        unread_bytes: html.len() - html_kept.len() + rest.len(),
        node_limit: stopped == Some(Stop::Nodes),
        time_limit: stopped == Some(Stop::Time),
        too_deep: guard.too_deep.get(),
        cut_strings: 0,
    };
    let scratch = guard.builder.sink.finish();
    notes.cut_strings = scratch.cut_strings;
    (scratch, notes)
}
