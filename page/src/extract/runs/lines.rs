//! Where line breaks part paragraphs, and where they only end lines.
//!
//! Single breaks part paragraphs if lines are indented, or if they are sentences throughout. The lines of a verse or an
//! address, and those of a typed text that was wrapped at some width, belong together.

use std::ops::Range;

use super::ends_sentence;
use crate::article::MarkKind;
use crate::reading::NodeId;

/// Most marked elements around a text.
pub(super) const MOST_OPEN: usize = 16;

/// Mean words of lines that are paragraphs.
const PARAGRAPH_WORDS: f32 = 12.0;
/// Share of the lines that must end like sentences.
const SENTENCES: f32 = 0.8;
/// Share of the lines behind the first that must be indented.
const INDENTED: f32 = 0.5;

/// A line of a block's text, with all its white space.
pub(super) struct Line {
    /// The first text node, and the last one.
    pub(super) first: NodeId,
    pub(super) last: NodeId,
    pub(super) text: String,
    pub(super) words: f32,
    pub(super) link_words: f32,
    pub(super) bold_words: f32,
    pub(super) italic_words: f32,
    /// The parts of the text that are inside marked elements, in bytes.
    pub(super) spans: Vec<Span>,
}

/// A part of a line inside a link or an element of emphasis.
pub(super) struct Span {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) kind: MarkKind,
    pub(super) node: NodeId,
}

impl Line {
    /// An empty line that begins at a node.
    pub(super) fn at(first: NodeId) -> Line {
        Line {
            first,
            last: first,
            text: String::new(),
            words: 0.0,
            link_words: 0.0,
            bold_words: 0.0,
            italic_words: 0.0,
            spans: Vec::new(),
        }
    }

    fn append(&mut self, next: Line) {
        self.text.push(' ');
        let behind = self.text.len();
        self.last = next.last;
        for span in next.spans {
            self.extend_span(span.kind, span.node, behind + span.start..behind + span.end);
        }
        self.text.push_str(&next.text);
        self.words += next.words;
        self.link_words += next.link_words;
        self.bold_words += next.bold_words;
        self.italic_words += next.italic_words;
    }

    /// Marks a part of the text, which continues the last part of the same element if only white space is between them.
    pub(super) fn extend_span(&mut self, kind: MarkKind, node: NodeId, part: Range<usize>) {
        let last = self.spans.iter_mut().rev().take(MOST_OPEN).find(|span| span.node == node);
        match last {
            Some(span) => span.end = part.end,
            None => self.spans.push(Span { start: part.start, end: part.end, kind, node }),
        }
    }

    /// Whether it begins with white space that is meant to be seen. In typed text common spaces are.
    fn is_indented(&self, is_typed: bool) -> bool {
        let wide = |c: char| matches!(c, '\u{3000}' | '\u{2000}'..='\u{2003}');
        let text = self.text.trim_start_matches(['\n', '\r']);
        let fixed =
            text.chars().take_while(|c| matches!(c, '\u{A0}' | ' ')).filter(|c| *c == '\u{A0}').count();
        text.trim_start_matches([' ', '\t', '\u{A0}']).starts_with(wide)
            || fixed >= 2
            || (is_typed && (text.starts_with("  ") || text.starts_with('\t')))
    }
}

/// The lines of a block, those that belong together joined.
pub(super) fn joined(lines: Vec<Line>, is_typed: bool) -> Vec<Line> {
    if lines.len() < 2 {
        return lines;
    }
    let indented: Vec<bool> = lines.iter().map(|line| line.is_indented(is_typed)).collect();
    let behind_first = indented.iter().skip(1).filter(|is_indented| **is_indented).count();
    let sentences = lines.iter().filter(|line| ends_sentence(line.text.trim_end())).count();
    let words: f32 = lines.iter().map(|line| line.words).sum();
    let count = lines.len() as f32;
    let are_paragraphs = sentences as f32 >= SENTENCES * count && words >= PARAGRAPH_WORDS * count;
    let are_indented = behind_first as f32 >= INDENTED * (count - 1.0) && words >= PARAGRAPH_WORDS;
    let mut found: Vec<Line> = Vec::new();
    for (line, is_indented) in lines.into_iter().zip(indented) {
        let begins = are_paragraphs || (are_indented && is_indented);
        match found.last_mut().filter(|_| !begins) {
            Some(last) => last.append(line),
            None => found.push(line),
        }
    }
    found
}
