//! An article as a TEI P5 document.
//!
//! It keeps to the modules that all customisations of TEI share, so it is valid without those for tables and figures: a table is a
//! list of rows, a picture a `graphic` with a note, and a heading an `ab`, because `head` may only begin a division.

use super::{embed_name, is_link, write_nested};
use crate::article::{Article, Block, BlockKind, EmbedKind, Mark, MarkKind, NamedLink, Picture, Table};
use crate::neutral::is_control;

/// The whole document.
#[must_use]
pub fn tei(article: &Article) -> String {
    let mut out = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<TEI xmlns=\"http://www.tei-c.org/ns/1.0\">\n",
    );
    header(article, &mut out);
    out.push_str("<text>\n<body>\n<div type=\"article\">\n");
    let (mut lists, mut is_in_quote): (usize, bool) = (0, false);
    // A division holds something.
    if article.body.is_empty() {
        out.push_str("<p/>\n");
    }
    let mut blocks = article.body.iter().peekable();
    while let Some(block) = blocks.next() {
        match block.kind {
            BlockKind::ListItem => {
                let level = usize::from(block.level.unwrap_or(1)).clamp(1, lists + 1);
                close_lists(&mut out, &mut lists, level);
                let numbered = if block.number.is_some() { "numbered" } else { "bulleted" };
                // A part of an item may follow a list in that item.
                let goes_on = block.continues && lists == level;
                if lists < level {
                    out.push_str(&format!("<list rend=\"{numbered}\">\n"));
                    lists += 1;
                } else if !goes_on {
                    out.push_str("</item>\n");
                }
                let number = block.number.map(|number| format!(" n=\"{number}\"")).unwrap_or_default();
                match goes_on {
                    true => out.push_str(&format!("<p>{}</p>", inline(block))),
                    false => out.push_str(&format!("<item{number}><p>{}</p>", inline(block))),
                }
                if blocks.peek().is_none_or(|next| next.kind != BlockKind::ListItem) {
                    close_lists(&mut out, &mut lists, 0);
                }
                continue;
            }
            BlockKind::Quote => {
                let begins = if block.continues && is_in_quote { "" } else { "<quote>" };
                let ends = blocks.peek().is_none_or(|next| next.kind != BlockKind::Quote || !next.continues);
                is_in_quote = !ends;
                let end = if ends { "</quote>\n" } else { "" };
                out.push_str(&format!("{begins}<p>{}</p>{end}", inline(block)));
                continue;
            }
            BlockKind::Paragraph => out.push_str(&format!("<p>{}</p>", inline(block))),
            BlockKind::Heading => {
                let level = block.level.unwrap_or(2);
                out.push_str(&format!("<ab type=\"head\" n=\"{level}\">{}</ab>", inline(block)));
            }
            BlockKind::Preformatted => {
                out.push_str(&format!(
                    "<ab type=\"preformatted\" xml:space=\"preserve\">{}</ab>",
                    escaped(&block.text)
                ));
            }
            BlockKind::Table => match &block.table {
                Some(cells) => table(cells, &mut out),
                None => out.push_str(&format!("<p>{}</p>", inline(block))),
            },
            BlockKind::Picture => block.picture.iter().for_each(|shown| picture(shown, &mut out)),
            BlockKind::Embed => {
                if let Some(embed) = &block.embed {
                    let kind = match embed.kind {
                        EmbedKind::Post => "post",
                        EmbedKind::Video => "video",
                        EmbedKind::Audio => "audio",
                        EmbedKind::Other => "other",
                    };
                    let target =
                        embed.address.as_deref().map(|address| format!(" target=\"{}\"", escaped(address)));
                    let (target, name) = (target.unwrap_or_default(), escaped(&embed_name(embed)));
                    out.push_str(&format!("<p><ref type=\"{kind}\"{target}>{name}</ref></p>"));
                }
            }
        }
        out.push('\n');
    }
    out.push_str("</div>\n</body>\n</text>\n</TEI>\n");
    out
}

fn close_lists(out: &mut String, lists: &mut usize, left: usize) {
    while *lists > left {
        out.push_str("</item>\n</list>\n");
        *lists -= 1;
    }
}

fn header(article: &Article, out: &mut String) {
    let element = |name: &str, text: &str| format!("<{name}>{}</{name}>\n", escaped(text));
    out.push_str("<teiHeader>\n<fileDesc>\n<titleStmt>\n");
    out.push_str(&element("title", article.title.as_deref().unwrap_or_default()));
    for author in &article.authors {
        let page = article.author_pages.iter().find(|page| page.name == *author);
        let address = page.and_then(|page: &NamedLink| page.address.as_deref());
        match address {
            Some(address) => out.push_str(&format!(
                "<author><ref target=\"{}\">{}</ref></author>\n",
                escaped(address),
                escaped(author)
            )),
            None => out.push_str(&element("author", author)),
        }
    }
    out.push_str("</titleStmt>\n<publicationStmt>\n");
    out.push_str(&element("publisher", article.publisher.as_deref().unwrap_or(&article.site)));
    if let Some(licence) = &article.licence {
        let target =
            if licence.contains("://") { format!(" target=\"{}\"", escaped(licence)) } else { String::new() };
        out.push_str(&format!(
            "<availability><licence{target}>{}</licence></availability>\n",
            escaped(licence)
        ));
    }
    for (kind, date) in [("published", &article.published), ("modified", &article.modified)] {
        if let Some(date) = date {
            let date = escaped(date);
            out.push_str(&format!("<date type=\"{kind}\" when=\"{date}\">{date}</date>\n"));
        }
    }
    out.push_str("</publicationStmt>\n<sourceDesc>\n");
    let url = escaped(&article.url);
    out.push_str(&format!("<bibl><ptr type=\"URL\" target=\"{url}\"/></bibl>\n</sourceDesc>\n</fileDesc>\n"));
    out.push_str("<profileDesc>\n");
    if let Some(description) = &article.description {
        out.push_str(&format!("<abstract>\n<p>{}</p>\n</abstract>\n", escaped(description)));
    }
    if let Some(language) = &article.language {
        let language = escaped(language);
        out.push_str(&format!(
            "<langUsage>\n<language ident=\"{language}\">{language}</language>\n</langUsage>\n"
        ));
    }
    if !article.keywords.is_empty() {
        out.push_str("<textClass>\n<keywords>\n");
        article.keywords.iter().for_each(|keyword| out.push_str(&element("term", keyword)));
        out.push_str("</keywords>\n</textClass>\n");
    }
    out.push_str("</profileDesc>\n</teiHeader>\n");
}

fn inline(block: &Block) -> String {
    let mut out = String::with_capacity(block.text.len() + block.text.len() / 8);
    let mut open = |mark: &Mark, out: &mut String| match &mark.address {
        Some(address) if is_link(mark) => out.push_str(&format!("<ref target=\"{}\">", escaped(address))),
        _ if mark.kind == MarkKind::Link => out.push_str("<seg>"),
        _ => out.push_str(&format!("<hi rend=\"{}\">", rend(mark.kind))),
    };
    let mut close = |mark: &Mark, out: &mut String| {
        out.push_str(match mark.kind {
            MarkKind::Link if is_link(mark) => "</ref>",
            MarkKind::Link => "</seg>",
            _ => "</hi>",
        });
    };
    write_nested(block, &mut out, &mut open, &mut close, &mut |text, out| out.push_str(&escaped(text)));
    out
}

fn rend(kind: MarkKind) -> &'static str {
    match kind {
        MarkKind::Strong | MarkKind::Link => "bold",
        MarkKind::Emphasis => "italic",
        MarkKind::Code => "code",
        MarkKind::Superscript => "superscript",
        MarkKind::Subscript => "subscript",
        MarkKind::Deleted => "strikethrough",
    }
}

fn table(table: &Table, out: &mut String) {
    out.push_str("<list type=\"table\">\n");
    if let Some(caption) = &table.caption {
        out.push_str(&format!("<head>{}</head>\n", escaped(caption)));
    }
    for row in table.rows.iter().filter(|row| !row.is_empty()) {
        out.push_str("<item><list type=\"row\">");
        for cell in row {
            let kind = if cell.is_header { "label" } else { "data" };
            out.push_str(&format!("<item rend=\"{kind}\">{}</item>", escaped(&cell.text)));
        }
        out.push_str("</list></item>\n");
    }
    out.push_str("</list>");
}

fn picture(picture: &Picture, out: &mut String) {
    let size =
        |name: &str, size: Option<u32>| size.map(|size| format!(" {name}=\"{size}px\"")).unwrap_or_default();
    let (width, height) = (size("width", picture.width), size("height", picture.height));
    out.push_str(&format!("<p><graphic url=\"{}\"{width}{height}>", escaped(&picture.address)));
    if let Some(alternative) = &picture.alternative {
        out.push_str(&format!("<desc>{}</desc>", escaped(alternative)));
    }
    out.push_str("</graphic>");
    for (kind, text) in [("caption", &picture.caption), ("credit", &picture.credit)] {
        if let Some(text) = text {
            out.push_str(&format!("<note type=\"{kind}\">{}</note>", escaped(text)));
        }
    }
    out.push_str("</p>");
}

/// A text in an element or in an attribute; what XML forbids is replaced.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len() + text.len() / 16);
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\t' | '\n' => safe.push(letter),
            '\u{FFFE}' | '\u{FFFF}' => safe.push('\u{FFFD}'),
            letter if is_control(letter) => safe.push('\u{FFFD}'),
            letter => safe.push(letter),
        }
    }
    safe
}
