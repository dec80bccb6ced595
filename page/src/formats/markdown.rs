//! An article as Markdown: CommonMark with the tables and strikethrough of GitHub's.

use super::{caption_line, embed_name, grid, is_link, segments};
use crate::article::{Article, Block, BlockKind, Mark, MarkKind, Table};
use crate::neutral::{for_markdown, markdown_part};

/// Deepest heading.
const MOST_LEVELS: u8 = 6;

/// Title, byline and body as Markdown, which shows each text as it is: what looks like markup in it is escaped.
#[must_use]
pub fn markdown(article: &Article) -> String {
    let mut parts: Vec<String> = Vec::new();
    parts.extend(article.title.as_deref().map(|title| format!("# {}", for_markdown(title))));
    parts.extend(
        Some(article.byline()).filter(|byline| !byline.is_empty()).map(|byline| for_markdown(&byline)),
    );
    let mut lists = Lists::default();
    let mut before = None;
    for block in &article.body {
        let was_quote = before.replace(block.kind) == Some(BlockKind::Quote);
        let text = match block.kind {
            BlockKind::ListItem => {
                let is_first = lists.open.is_empty();
                let (item, is_apart) = lists.item(block);
                // The items of a list follow each other without an empty line.
                match parts.last_mut().filter(|_| !is_first) {
                    Some(list) => {
                        list.push_str(if is_apart { "\n\n" } else { "\n" });
                        list.push_str(&item);
                    }
                    None => parts.push(item),
                }
                continue;
            }
            BlockKind::Quote => {
                let marks = "> ".repeat(usize::from(block.level.unwrap_or(1)));
                let quote = format!("{marks}{}", inline(block));
                if let Some(before) = parts.last_mut().filter(|_| block.continues && was_quote) {
                    before.push_str(&format!("\n{}\n{quote}", marks.trim_end()));
                    continue;
                }
                quote
            }
            BlockKind::Paragraph => inline(block),
            BlockKind::Heading => {
                let level = block.level.unwrap_or(2).clamp(2, MOST_LEVELS);
                format!("{} {}", "#".repeat(usize::from(level)), inline(block))
            }
            BlockKind::Preformatted => fenced(&block.text),
            BlockKind::Table => block.table.as_ref().map_or_else(|| inline(block), table),
            BlockKind::Picture => picture(block),
            BlockKind::Embed => embed(block),
        };
        lists = Lists::default();
        parts.extend(Some(text).filter(|text| !text.is_empty()));
    }
    let mut text = parts.join("\n\n");
    text.push('\n');
    text
}

/// The lists around the current item.
#[derive(Default)]
struct Lists {
    open: Vec<List>,
}

/// A list by its last item.
#[derive(Clone, Copy)]
struct List {
    /// The column where the text of the item begins.
    column: usize,
    is_numbered: bool,
}

impl Lists {
    /// Writes an item, and says whether an empty line must precede it. A second paragraph of an item needs one; so does a numbered
    /// list, because Markdown takes a list that does not begin with 1 for part of the paragraph above.
    fn item(&mut self, block: &Block) -> (String, bool) {
        let column = |list: Option<&List>| list.map_or(0, |list| list.column);
        if block.continues && !self.open.is_empty() {
            return (format!("{}{}", " ".repeat(column(self.open.last())), inline(block)), true);
        }
        let level = usize::from(block.level.unwrap_or(1)).clamp(1, self.open.len() + 1);
        // Markdown knows no numbers below 0 and none of more than nine digits.
        let number = block.number.filter(|number| (0..1_000_000_000).contains(number));
        let goes_on = self.open.get(level - 1).is_some_and(|list| list.is_numbered);
        self.open.truncate(level - 1);
        let indent = column(self.open.last());
        let marker = number.map_or("-".to_owned(), |number| format!("{number}."));
        self.open.push(List { column: indent + marker.len() + 1, is_numbered: number.is_some() });
        (format!("{}{marker} {}", " ".repeat(indent), inline(block)), number.is_some() && !goes_on)
    }
}

/// The text of a block in one line, with links and emphasis.
fn inline(block: &Block) -> String {
    let parts = segments(block);
    let mut text = String::with_capacity(block.text.len() + block.text.len() / 8);
    let (mut open, mut done): (Vec<&Mark>, usize) = (Vec::new(), 0);
    let drawn = |mark: &Mark| is_link(mark) || (mark.kind != MarkKind::Link && can_draw(block, mark));
    for segment in &parts {
        let mut wanted: Vec<&Mark> = Vec::new();
        let mut is_in_link = false;
        for mark in segment.marks.iter().filter(|mark| drawn(mark)) {
            // A link inside a link is none.
            if mark.kind != MarkKind::Link || !is_in_link {
                wanted.push(mark);
            }
            is_in_link |= mark.kind == MarkKind::Link;
        }
        let kept = open.iter().zip(&wanted).take_while(|(one, other)| std::ptr::eq(**one, **other)).count();
        while open.len() > kept {
            open.pop().into_iter().for_each(|mark| text.push_str(&end_of(mark)));
        }
        for mark in wanted.into_iter().skip(kept) {
            if mark.kind == MarkKind::Link {
                // An exclamation mark before the bracket would make the link a picture.
                if text.ends_with('!') {
                    text.insert(text.len() - 1, '\\');
                }
                text.push('[');
            } else {
                text.push_str(delimiter(mark.kind));
            }
            open.push(mark);
        }
        text.push_str(&markdown_part(segment.text, &block.text[..done]));
        done += segment.text.len();
    }
    while let Some(mark) = open.pop() {
        text.push_str(&end_of(mark));
    }
    text.trim().to_owned()
}

fn end_of(mark: &Mark) -> String {
    match &mark.address {
        Some(address) if mark.kind == MarkKind::Link => format!("]({})", destination(address)),
        _ => delimiter(mark.kind).to_owned(),
    }
}

fn delimiter(kind: MarkKind) -> &'static str {
    match kind {
        MarkKind::Strong => "**",
        MarkKind::Emphasis => "*",
        MarkKind::Deleted => "~~",
        // Code shows its text as it is, which escapes would change; raised and lowered letters have no form.
        MarkKind::Link | MarkKind::Code | MarkKind::Superscript | MarkKind::Subscript => "",
    }
}

/// Whether readers of Markdown take the delimiters of emphasis for such: they must touch the emphasised text and must not touch
/// other delimiters, and punctuation inside must not touch letters outside.
fn can_draw(block: &Block, mark: &Mark) -> bool {
    if delimiter(mark.kind).is_empty() {
        return false;
    }
    let is_in_the_way = |other: &Mark| {
        let touches = [mark.start, mark.end].iter().any(|end| [other.start, other.end].contains(end));
        let begins_inside = (mark.start..mark.end).contains(&other.start);
        let crosses = begins_inside != (mark.start + 1..=mark.end).contains(&other.end)
            && (other.start < mark.end && mark.start < other.end)
            && !(other.start <= mark.start && mark.end <= other.end);
        crosses || (touches && !delimiter(other.kind).is_empty())
    };
    let mut others = block.marks.iter().filter(|other| !std::ptr::eq(*other, mark));
    if block.marks.len() > MOST_COMPARED || others.any(is_in_the_way) {
        return false;
    }
    let letters: Vec<char> = block
        .text
        .chars()
        .skip(mark.start.saturating_sub(1) as usize)
        .take((mark.end - mark.start) as usize + 2)
        .collect();
    let lead = usize::from(mark.start > 0);
    let length = (mark.end - mark.start) as usize;
    let (before, after) = (letters.get(lead.wrapping_sub(1)), letters.get(lead + length));
    let (Some(first), Some(last)) = (letters.get(lead), letters.get(lead + length - 1)) else { return false };
    let is_open = |letter: Option<&char>| letter.is_none_or(|letter| letter.is_whitespace());
    // A link that begins or ends with the emphasis puts its brackets there.
    let links = || block.marks.iter().filter(|other| is_link(other));
    let is_first_letter = first.is_alphanumeric() && !links().any(|link| link.start == mark.start);
    let is_last_letter = last.is_alphanumeric() && !links().any(|link| link.end == mark.end);
    let begins = !first.is_whitespace() && (is_first_letter || is_open(before.filter(|_| lead > 0)));
    let ends = !last.is_whitespace() && (is_last_letter || is_open(after));
    begins && ends
}

/// Most marks of a block that are compared with each other.
const MOST_COMPARED: usize = 200;

/// An address as the destination of a link.
fn destination(address: &str) -> String {
    let mut safe = String::with_capacity(address.len() + 2);
    safe.push('<');
    for letter in address.chars() {
        match letter {
            '<' => safe.push_str("%3C"),
            '>' => safe.push_str("%3E"),
            '\\' => safe.push_str("%5C"),
            '&' => safe.push_str("&amp;"),
            letter if letter.is_control() || letter == ' ' => safe.push_str("%20"),
            letter => safe.push(letter),
        }
    }
    safe.push('>');
    safe
}

/// A text between fences that are longer than any in it.
fn fenced(text: &str) -> String {
    let longest = text.split(|letter| letter != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat((longest + 1).max(3));
    let text: String = text.chars().map(|letter| if letter == '\0' { '\u{fffd}' } else { letter }).collect();
    format!("{fence}\n{text}\n{fence}")
}

fn table(table: &Table) -> String {
    let rows = grid(table);
    let Some(width) = rows.first().map(Vec::len).filter(|width| *width > 0) else { return String::new() };
    let line = |cells: &[Option<&crate::article::TableCell>]| {
        let cells = cells.iter().map(|cell| cell.map(|cell| for_markdown(&cell.text)).unwrap_or_default());
        format!("| {} |", cells.collect::<Vec<_>>().join(" | "))
    };
    let mut lines: Vec<String> = Vec::new();
    let has_head = rows[0].iter().flatten().all(|cell| cell.is_header);
    let mut body = rows.iter();
    match has_head {
        true => lines.extend(body.next().map(|row| line(row))),
        // A table must have a head.
        false => lines.push(line(&vec![None; width])),
    }
    lines.push(format!("|{}", " --- |".repeat(width)));
    lines.extend(body.map(|row| line(row)));
    let caption = table.caption.as_deref().map(|caption| format!("{}\n\n", for_markdown(caption)));
    format!("{}{}", caption.unwrap_or_default(), lines.join("\n"))
}

fn picture(block: &Block) -> String {
    let Some(picture) = &block.picture else { return String::new() };
    let alternative = picture.alternative.as_deref().map(for_markdown).unwrap_or_default();
    let caption = caption_line(picture).map(|caption| format!("\n\n{}", for_markdown(&caption)));
    format!("![{alternative}]({}){}", destination(&picture.address), caption.unwrap_or_default())
}

fn embed(block: &Block) -> String {
    let Some(embed) = &block.embed else { return String::new() };
    let name = for_markdown(&embed_name(embed));
    embed
        .address
        .as_ref()
        .map_or_else(|| name.clone(), |address| format!("[{name}]({})", destination(address)))
}
