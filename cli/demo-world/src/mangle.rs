//! Turns clean HTML into the kind that people wrote by hand: capitals, missing quotes, missing end tags, repeated
//! attributes, bold and italic closed in the wrong order.
//!
//! It is a pass over the finished text, so that templates stay readable. End tags are dropped only where the standard
//! implies them. Every other change is a parse error with a defined result: a conforming parser's tree keeps the gold's
//! paragraphs and items whole.

use crate::rng::Rng;

/// Habits of a site's markup.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Habits {
    /// `<TD>` instead of `<td>`.
    pub capitals: bool,
    /// `width=100` instead of `width="100"`.
    pub unquoted: bool,
    /// No `</p>`, `</li>`, `</td>`, `</tr>` where a parser implies them.
    pub unclosed: bool,
    /// `class="a" class="b"` here and there; parsers ignore the second one.
    pub doubled: bool,
    /// `<b><i>..</b></i>`.
    pub misnested: bool,
}

impl Habits {
    /// Whether pages stay unchanged.
    #[must_use]
    pub fn clean(self) -> bool {
        self == Self::default()
    }
}

/// Rewrites `html` with the site's habits.
#[must_use]
pub(crate) fn mangle(html: &str, habits: Habits, rng: &mut Rng) -> String {
    if habits.clean() {
        return html.to_owned();
    }
    let mut out = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(start) = rest.find('<') {
        out.push_str(&rest[..start]);
        rest = &rest[start..];
        let raw_end = raw_text_end(rest);
        if raw_end > 0 {
            out.push_str(&rest[..raw_end]);
            rest = &rest[raw_end..];
            continue;
        }
        let end = rest.find('>').map_or(rest.len(), |i| i + 1);
        let (tag, after) = rest.split_at(end);
        rest = after;
        if habits.misnested && tag == "</i>" && rest.starts_with("</b>") {
            out.push_str("</b></i>");
            rest = &rest["</b>".len()..];
        } else if !(habits.unclosed && is_implied(tag, rest)) {
            rewrite_tag(&mut out, tag, habits, rng);
        }
    }
    out.push_str(rest);
    out
}

/// Length of the script, style, comment or doctype at the start of `html`, which must not change; 0 if none is there.
fn raw_text_end(html: &str) -> usize {
    let end_mark = if html.starts_with("<script") {
        "</script>"
    } else if html.starts_with("<style") {
        "</style>"
    } else if html.starts_with("<!--") {
        "-->"
    } else if html.starts_with("<!") {
        ">"
    } else {
        return 0;
    };
    html.find(end_mark).map_or(html.len(), |i| i + end_mark.len())
}

/// Whether a parser implies this end tag from what follows.
fn is_implied(tag: &str, after: &str) -> bool {
    let next = after.trim_start();
    let follows = |openers: &[&str]| openers.iter().any(|o| next.starts_with(o));
    match tag {
        "</p>" => follows(&["<p>", "<p ", "<div", "<table", "<ul", "<h2", "<h3", "</div>", "</td>", "<hr"]),
        "</li>" => follows(&["<li>", "<li ", "</ul>", "</ol>"]),
        "</td>" => follows(&["<td>", "<td ", "</tr>"]),
        "</tr>" => follows(&["<tr>", "<tr ", "</table>"]),
        _ => false,
    }
}

fn rewrite_tag(out: &mut String, tag: &str, habits: Habits, rng: &mut Rng) {
    let name_end =
        tag[1..].find(|c: char| !c.is_ascii_alphanumeric() && c != '/').map_or(tag.len(), |i| i + 1);
    let (name, attributes) = tag.split_at(name_end);
    if habits.capitals {
        out.push_str(&name.to_ascii_uppercase());
    } else {
        out.push_str(name);
    }
    let mut attributes = attributes.to_owned();
    if habits.doubled && attributes.contains("class=\"") && rng.chance(6) {
        attributes.insert_str(attributes.len() - 1, " class=\"clear\"");
    }
    if habits.unquoted {
        attributes = unquote(&attributes);
    }
    out.push_str(&attributes);
}

/// Removes quotes where the value parses the same without them.
fn unquote(attributes: &str) -> String {
    let mut out = String::with_capacity(attributes.len());
    for (i, part) in attributes.split('"').enumerate() {
        let is_value = i % 2 == 1;
        let safe = !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || "#-_.%".contains(c));
        if is_value && !safe {
            out.push('"');
            out.push_str(part);
            out.push('"');
        } else {
            out.push_str(part);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: Habits =
        Habits { capitals: true, unquoted: true, unclosed: true, doubled: false, misnested: true };

    #[track_caller]
    fn check(html: &str, expected: &str) {
        assert_eq!(mangle(html, ALL, &mut Rng::new(1)), expected);
    }

    #[test]
    fn habits_show() {
        check(
            "<td width=\"10%\"><p>a</p><p>b <b><i>c</i></b></p> tail</td></tr>",
            "<TD width=10%><P>a<P>b <B><I>c</b></i></P> tail</TR>",
        );
    }

    #[test]
    fn scripts_and_urls_stay() {
        check(
            "<script>if (a < \"b\") {}</script><a href=\"/x?y=1\">z</a>",
            "<script>if (a < \"b\") {}</script><A href=\"/x?y=1\">z</A>",
        );
    }

    #[test]
    fn a_paragraph_before_text_keeps_its_end() {
        check("<p>a</p>b", "<P>a</P>b");
    }
}
