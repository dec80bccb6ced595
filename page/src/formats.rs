//! An article as a document: text, Markdown, HTML, TEI and JSON-LD, one writer for each.
//!
//! Each writer makes the same bytes wherever it is used. Texts, addresses and names are strangers' and may hold markup of the
//! format; it is escaped, so that a reader of the format sees each text as it is.
//!
//! Invariants: every text of the body is in the result, in order; no writer fails.

use crate::article::{Article, Block, Embed, EmbedKind, Mark, MarkKind, Picture, Table};
use crate::neutral::for_terminal;

mod html;
mod json_ld;
mod markdown;
mod tei;

pub use html::{html, html_body};
pub use json_ld::{date_type, json_ld};
pub use markdown::markdown;
pub use tei::tei;

/// A form in which an article can be written as a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Title, byline and text, without markup.
    Text,
    /// CommonMark with the tables and strikethrough of GitHub.
    Markdown,
    /// An HTML fragment: one `article` element.
    Html,
    /// TEI P5 XML: a document.
    Tei,
    /// JSON-LD: a schema.org `NewsArticle`.
    JsonLd,
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 5] = [Format::Text, Format::Markdown, Format::Html, Format::Tei, Format::JsonLd];

    /// Its name in options and addresses.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Format::Text => "text",
            Format::Markdown => "markdown",
            Format::Html => "html",
            Format::Tei => "tei",
            Format::JsonLd => "json-ld",
        }
    }

    /// The format with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Format> {
        Format::ALL.into_iter().find(|format| format.name() == name)
    }

    /// The media type of its documents.
    #[must_use]
    pub fn media_type(self) -> &'static str {
        match self {
            Format::Text => "text/plain; charset=utf-8",
            Format::Markdown => "text/markdown; charset=utf-8",
            Format::Html => "text/html; charset=utf-8",
            Format::Tei => "application/tei+xml; charset=utf-8",
            Format::JsonLd => "application/ld+json",
        }
    }

    /// The article in this format, with a line end at its end.
    ///
    /// ```
    /// use newslode_page::article::{Article, Block, BlockKind};
    /// use newslode_page::formats::Format;
    ///
    /// let article = Article {
    ///     title: Some("Rain *at last*".into()),
    ///     body: vec![Block::new(BlockKind::Paragraph, "It rained.")],
    ///     ..Article::default()
    /// };
    /// assert_eq!(Format::Markdown.write(&article), "# Rain \\*at last\\*\n\nIt rained.\n");
    /// assert_eq!(Format::Text.write(&article), "Rain *at last*\n\nIt rained.\n");
    /// ```
    #[must_use]
    pub fn write(self, article: &Article) -> String {
        match self {
            Format::Text => text(article),
            Format::Markdown => markdown(article),
            Format::Html => html(article),
            Format::Tei => tei(article),
            Format::JsonLd => json_ld(article),
        }
    }
}

/// Title, byline and text; control characters are replaced, because people read it on terminals.
#[must_use]
pub fn text(article: &Article) -> String {
    let head = [article.title.clone().unwrap_or_default(), article.byline()];
    let head = head.into_iter().filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n");
    let parts = [head, article.text()];
    let text = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n");
    let mut text = for_terminal(&text).into_owned();
    text.push('\n');
    text
}

/// A part of a block's text, and the marks on all of it, outer ones first.
struct Segment<'a> {
    text: &'a str,
    marks: Vec<&'a Mark>,
}

/// The parts of a block's text between the ends of its marks.
fn segments(block: &Block) -> Vec<Segment<'_>> {
    if block.marks.is_empty() {
        return vec![Segment { text: &block.text, marks: Vec::new() }];
    }
    // Where each character begins, so that the ranges of marks are ranges of bytes.
    let bytes: Vec<usize> = block.text.char_indices().map(|(at, _)| at).chain([block.text.len()]).collect();
    let byte = |at: u32| bytes.get(at as usize).copied().unwrap_or(block.text.len());
    let mut ends: Vec<u32> = block.marks.iter().flat_map(|mark| [mark.start, mark.end]).collect();
    ends.extend([0, bytes.len() as u32 - 1]);
    ends.sort_unstable();
    ends.dedup();
    // Marks begin in order, so those over a part are among the ones that were opened before it.
    let (mut open, mut next): (Vec<&Mark>, usize) = (Vec::new(), 0);
    let mut found = Vec::new();
    for pair in ends.windows(2) {
        let &[start, end] = pair else { continue };
        open.retain(|mark| mark.end > start);
        while let Some(mark) = block.marks.get(next).filter(|mark| mark.start <= start) {
            open.extend((mark.end > start).then_some(mark));
            next += 1;
        }
        let text = block.text.get(byte(start)..byte(end)).unwrap_or_default();
        found.push(Segment { text, marks: open.clone() });
    }
    found
}

/// Writes the segments of a block with a beginning and an end for each mark, properly nested.
fn write_nested(
    block: &Block,
    to: &mut String,
    open: &mut dyn FnMut(&Mark, &mut String),
    close: &mut dyn FnMut(&Mark, &mut String),
    text: &mut dyn FnMut(&str, &mut String),
) {
    let mut stack: Vec<&Mark> = Vec::new();
    for segment in segments(block) {
        let kept =
            stack.iter().zip(&segment.marks).take_while(|(one, other)| std::ptr::eq(**one, **other)).count();
        while stack.len() > kept {
            if let Some(mark) = stack.pop() {
                close(mark, to);
            }
        }
        for mark in segment.marks.iter().skip(kept) {
            open(mark, to);
            stack.push(mark);
        }
        text(segment.text, to);
    }
    while let Some(mark) = stack.pop() {
        close(mark, to);
    }
}

/// What stands for an embed where it cannot be shown.
fn embed_name(embed: &Embed) -> String {
    let kind = match embed.kind {
        EmbedKind::Post => "post",
        EmbedKind::Video => "video",
        EmbedKind::Audio => "audio",
        EmbedKind::Other => "embedded",
    };
    match &embed.provider {
        Some(provider) => format!("{kind}: {provider}"),
        None => kind.to_owned(),
    }
}

/// The cells of a table with every slot filled: where a cell spans several, the others are empty.
fn grid(table: &Table) -> Vec<Vec<Option<&crate::article::TableCell>>> {
    let width = |row: &Vec<crate::article::TableCell>| {
        row.iter().map(|cell| cell.columns.min(MOST_COLUMNS) as usize).sum()
    };
    let width: usize = table.rows.iter().map(width).max().unwrap_or(0);
    let mut grid: Vec<Vec<Option<&crate::article::TableCell>>> = Vec::with_capacity(table.rows.len());
    // How many more rows the cell above reaches down, by column.
    let mut reach = vec![0_u32; width];
    for row in &table.rows {
        let mut slots = Vec::with_capacity(width);
        let mut cells = row.iter();
        while slots.len() < width {
            if reach[slots.len()] > 0 {
                reach[slots.len()] -= 1;
                slots.push(None);
                continue;
            }
            let Some(cell) = cells.next() else {
                slots.push(None);
                continue;
            };
            for part in 0..cell.columns.clamp(1, MOST_COLUMNS) {
                if slots.len() < width {
                    reach[slots.len()] = cell.rows.saturating_sub(1);
                    slots.push((part == 0).then_some(cell));
                }
            }
        }
        grid.push(slots);
    }
    grid
}

/// Most columns of a cell.
const MOST_COLUMNS: u32 = 1000;

/// Caption and credit of a picture in one line.
fn caption_line(picture: &Picture) -> Option<String> {
    match (&picture.caption, &picture.credit) {
        (Some(caption), Some(credit)) => Some(format!("{caption} ({credit})")),
        (caption, credit) => caption.clone().or_else(|| credit.clone()),
    }
}

/// Whether a mark can be shown as an element of its own.
fn is_link(mark: &Mark) -> bool {
    mark.kind == MarkKind::Link && mark.address.is_some()
}

#[cfg(test)]
mod tests;
