//! An article as an HTML fragment of plain elements: no script, no style, no frame. A sanitiser leaves it as it is.

use super::{embed_name, is_link, write_nested};
use crate::article::{Article, Block, BlockKind, Embed, Mark, MarkKind, Picture, Table};
use crate::neutral::is_control;

/// Addresses that links may lead to: those that every sanitiser passes.
const SCHEMES: [&str; 5] = ["http://", "https://", "mailto:", "tel:", "ftp://"];

/// What links say of their targets: what sanitisers write, too; and where the page is ours.
const REL: &str = "noopener noreferrer";
const BODY_REL: &str = "noopener noreferrer nofollow";

/// One `article` element with title, byline and body.
#[must_use]
pub fn html(article: &Article) -> String {
    let mut out = Writer::new("<article>\n", true, REL);
    if let Some(title) = &article.title {
        out.line(&format!("<h1>{}</h1>", escaped(title)));
    }
    let byline = article.byline();
    if !byline.is_empty() {
        out.line(&format!("<p>{}</p>", escaped(&byline)));
    }
    article.body.iter().for_each(|block| out.block(block));
    out.close_all();
    out.out.push_str("</article>\n");
    out.out
}

/// The body alone, for pages that load nothing from the publisher: a link stands for each picture.
#[must_use]
pub fn html_body(article: &Article) -> String {
    let mut out = Writer::new("", false, BODY_REL);
    article.body.iter().for_each(|block| out.block(block));
    out.close_all();
    out.out
}

struct Writer {
    out: String,
    /// Whether pictures are shown; else a link stands for each.
    shows_pictures: bool,
    /// What links say of their targets.
    rel: &'static str,
    /// The names of the open lists, outer ones first.
    lists: Vec<&'static str>,
    /// Whether the last item of each open list is still open.
    is_item_open: Vec<bool>,
    /// The number of open quotations.
    quotes: usize,
}

impl Writer {
    fn new(begin: &str, shows_pictures: bool, rel: &'static str) -> Writer {
        Writer {
            rel,
            out: begin.to_owned(),
            shows_pictures,
            lists: Vec::new(),
            is_item_open: Vec::new(),
            quotes: 0,
        }
    }

    fn line(&mut self, text: &str) {
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn close_all(&mut self) {
        self.close_lists(0);
        self.close_quotes();
    }

    fn close_lists(&mut self, left: usize) {
        while self.lists.len() > left {
            if self.is_item_open.pop() == Some(true) {
                self.out.push_str("</li>\n");
            }
            if let Some(list) = self.lists.pop() {
                self.line(&format!("</{list}>"));
            }
        }
    }

    fn close_quotes(&mut self) {
        for _ in 0..std::mem::take(&mut self.quotes) {
            self.out.push_str("</blockquote>\n");
        }
    }

    fn block(&mut self, block: &Block) {
        if block.kind != BlockKind::ListItem {
            self.close_lists(0);
        }
        if block.kind != BlockKind::Quote || !block.continues {
            self.close_quotes();
        }
        match block.kind {
            BlockKind::ListItem => return self.item(block),
            BlockKind::Quote => {
                let level = usize::from(block.level.unwrap_or(1));
                while self.quotes < level {
                    self.out.push_str("<blockquote>\n");
                    self.quotes += 1;
                }
                let text = format!("<p>{}</p>", inline(block, self.rel));
                return self.line(&text);
            }
            _ => {}
        }
        let text = match block.kind {
            BlockKind::Heading => {
                let level = block.level.unwrap_or(2).clamp(2, 6);
                format!("<h{level}>{}</h{level}>", inline(block, self.rel))
            }
            BlockKind::Preformatted => format!("<pre>{}</pre>", escaped(&block.text)),
            BlockKind::Table => {
                block.table.as_ref().map_or_else(|| format!("<p>{}</p>", inline(block, self.rel)), table)
            }
            BlockKind::Picture => {
                let shown = block.picture.as_ref().map(|shown| picture(shown, self.shows_pictures, self.rel));
                shown.unwrap_or_default()
            }
            BlockKind::Embed => block.embed.as_ref().map(|shown| embed(shown, self.rel)).unwrap_or_default(),
            BlockKind::Paragraph | BlockKind::ListItem | BlockKind::Quote => {
                format!("<p>{}</p>", inline(block, self.rel))
            }
        };
        self.line(&text);
    }

    fn item(&mut self, block: &Block) {
        if block.continues && self.is_item_open.last() == Some(&true) {
            let text = format!("<br>{}", inline(block, self.rel));
            return self.out.push_str(&text);
        }
        let list = if block.number.is_some() { "ol" } else { "ul" };
        let level = usize::from(block.level.unwrap_or(1)).clamp(1, self.lists.len() + 1);
        self.close_lists(level);
        if self.lists.len() == level && self.lists.last() != Some(&list) {
            self.close_lists(level - 1);
        }
        if self.lists.len() == level {
            if self.is_item_open.last() == Some(&true) {
                self.out.push_str("</li>\n");
            }
        } else {
            let start = block.number.filter(|number| *number != 1);
            let start = start.map(|start| format!(" start=\"{start}\"")).unwrap_or_default();
            // An inner list stands in the open item of the outer one.
            if !self.lists.is_empty() {
                self.out.push('\n');
            }
            self.line(&format!("<{list}{start}>"));
            self.lists.push(list);
            self.is_item_open.push(false);
        }
        if let Some(is_open) = self.is_item_open.last_mut() {
            *is_open = true;
        }
        self.out.push_str("<li>");
        self.out.push_str(&inline(block, self.rel));
    }
}

fn inline(block: &Block, rel: &str) -> String {
    let mut out = String::with_capacity(block.text.len() + block.text.len() / 8);
    // The parser ends a link where another begins, so only the outer one of nested links is written.
    let mut links = 0;
    let mut depth: Vec<bool> = Vec::new();
    let opened = std::cell::RefCell::new((&mut links, &mut depth));
    let mut open = |mark: &Mark, out: &mut String| {
        let (links, depth) = &mut *opened.borrow_mut();
        let is_written = if mark.kind == MarkKind::Link {
            **links += 1;
            let address = mark
                .address
                .as_deref()
                .filter(|address| SCHEMES.iter().any(|scheme| address.starts_with(scheme)));
            match address.filter(|_| **links == 1 && is_link(mark)) {
                Some(address) => {
                    out.push_str(&format!("<a href=\"{}\" rel=\"{rel}\">", quoted(address)));
                    true
                }
                None => false,
            }
        } else {
            out.push_str(&format!("<{}>", name_of(mark.kind)));
            true
        };
        depth.push(is_written);
    };
    let mut close = |mark: &Mark, out: &mut String| {
        let (links, depth) = &mut *opened.borrow_mut();
        **links -= i32::from(mark.kind == MarkKind::Link);
        if depth.pop() == Some(true) {
            out.push_str(&format!("</{}>", name_of(mark.kind)));
        }
    };
    write_nested(block, &mut out, &mut open, &mut close, &mut |text, out| out.push_str(&escaped(text)));
    out
}

fn name_of(kind: MarkKind) -> &'static str {
    match kind {
        MarkKind::Link => "a",
        MarkKind::Strong => "strong",
        MarkKind::Emphasis => "em",
        MarkKind::Code => "code",
        MarkKind::Superscript => "sup",
        MarkKind::Subscript => "sub",
        MarkKind::Deleted => "del",
    }
}

fn table(table: &Table) -> String {
    let mut out = String::from("<table>");
    if let Some(caption) = &table.caption {
        out.push_str(&format!("<caption>{}</caption>", escaped(caption)));
    }
    out.push_str("<tbody>\n");
    for (number, row) in table.rows.iter().enumerate() {
        out.push_str("<tr>");
        for cell in row {
            let name = if cell.is_header { "th" } else { "td" };
            let span = |name: &str, number: u32| {
                if number > 1 { format!(" {name}=\"{number}\"") } else { String::new() }
            };
            let (columns, rows) = (span("colspan", cell.columns), span("rowspan", cell.rows));
            let scope = match (cell.is_header, number) {
                (false, _) => "",
                (true, 0) => " scope=\"col\"",
                (true, _) => " scope=\"row\"",
            };
            out.push_str(&format!("<{name}{columns}{rows}{scope}>{}</{name}>", escaped(&cell.text)));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody></table>");
    out
}

fn picture(picture: &Picture, is_shown: bool, rel: &str) -> String {
    let mut out = String::from("<figure>");
    let alternative = picture.alternative.as_deref();
    if is_shown {
        out.push_str(&format!("<img src=\"{}\"", quoted(&picture.address)));
        out.extend(alternative.map(|text| format!(" alt=\"{}\"", quoted(text))));
        for (name, size) in [("width", picture.width), ("height", picture.height)] {
            out.extend(size.map(|size| format!(" {name}=\"{size}\"")));
        }
        out.push('>');
    } else {
        let name = alternative.filter(|text| !text.trim().is_empty()).unwrap_or("Picture");
        out.push_str(&link(&picture.address, name, rel));
    }
    let caption = picture.caption.as_deref().map(escaped);
    let credit = picture.credit.as_deref().map(|credit| format!("<cite>{}</cite>", escaped(credit)));
    let caption: Vec<String> = caption.into_iter().chain(credit).collect();
    if !caption.is_empty() {
        out.push_str(&format!("<figcaption>{}</figcaption>", caption.join(" ")));
    }
    out.push_str("</figure>");
    out
}

fn embed(embed: &Embed, rel: &str) -> String {
    let name = embed_name(embed);
    match &embed.address {
        Some(address) => format!("<p>{}</p>", link(address, &name, rel)),
        None => format!("<p>{}</p>", escaped(&name)),
    }
}

/// A link, or its text alone if it leads where no reader should go.
fn link(address: &str, text: &str, rel: &str) -> String {
    match SCHEMES.iter().any(|scheme| address.starts_with(scheme)) {
        true => format!("<a href=\"{}\" rel=\"{rel}\">{}</a>", quoted(address), escaped(text)),
        false => escaped(text),
    }
}

/// A text between tags, as the serialisation of HTML writes it.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len() + text.len() / 16);
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '\u{A0}' => safe.push_str("&nbsp;"),
            '\r' => safe.push('\n'),
            // The parser drops some of these, and terminals obey them.
            letter if is_control(letter) => safe.push('\u{FFFD}'),
            letter => safe.push(letter),
        }
    }
    safe
}

/// The value of an attribute between quotation marks.
fn quoted(text: &str) -> String {
    escaped(text).replace('"', "&quot;")
}
