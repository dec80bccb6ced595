//! The words of a heading: its text, split at spaces, lines and blocks.
//!
//! Markup inside a word does not part it, as around the first letter or a subscript. But two elements side by side are
//! two lines if they hold several words: style sheets put them on lines of their own.

use super::super::plain::readable;
use super::super::shown::is_marked_hidden;
use crate::Page;
use crate::reading::{NodeId, is_excluded};
use crate::text::is_inside_run;

/// Most texts of a heading. Some pages are one heading as a whole.
const MOST_TEXTS: usize = 4096;

/// The texts of a heading in their order, none of them empty.
pub(super) fn heading_texts(page: &Page, heading: NodeId) -> Vec<String> {
    let tree = &page.tree;
    let end = tree.subtree_end(heading);
    let mut found: Vec<String> = Vec::new();
    // Whether something parts the next text from the last, and where the element of the last text ends.
    let (mut is_parted, mut last_element): (bool, Option<NodeId>) = (true, None);
    let mut at = heading.index();
    while let Some(node) = tree.node_at(at).filter(|node| *node < end && found.len() < MOST_TEXTS) {
        at += 1;
        let Some(tag) = tree.tag(node) else {
            let raw = tree.text(node).unwrap_or_default();
            let text = readable(raw);
            if text.is_empty() {
                is_parted |= !raw.is_empty();
                continue;
            }
            let element = tree.parent(node).filter(|parent| *parent != heading);
            is_parted |= raw.starts_with(char::is_whitespace);
            match found.last_mut().filter(|last| !is_parted && !are_lines(last, last_element, &text, element))
            {
                Some(last) => last.push_str(&text),
                None => found.push(text),
            }
            (is_parted, last_element) = (raw.ends_with(char::is_whitespace), element);
            continue;
        };
        if matches!(tag, "rt" | "rp" | "rtc")
            || is_excluded(tag)
            || (node != heading && is_marked_hidden(tree, node))
        {
            at = tree.subtree_end(node).index();
        } else if tag == "br" || tag == "img" || !is_inside_line(tag) {
            is_parted = true;
        }
    }
    found
}

/// Whether a tag in a heading does not begin a block. Unknown elements do not.
fn is_inside_line(tag: &str) -> bool {
    is_inside_run(tag)
        || !matches!(
            tag,
            "div"
                | "p"
                | "ul"
                | "ol"
                | "li"
                | "section"
                | "header"
                | "h1"
                | "h2"
                | "h3"
                | "h4"
                | "h5"
                | "h6"
                | "hr"
                | "table"
                | "tr"
                | "td"
        )
}

/// Whether two texts side by side are lines of their own: each a whole element, and one of them several words.
fn are_lines(last: &str, last_element: Option<NodeId>, text: &str, element: Option<NodeId>) -> bool {
    let are_elements = last_element.is_some() && element.is_some() && last_element != element;
    are_elements && [last, text].iter().any(|text| text.contains(' '))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(html: &str, expected: &[&str]) {
        let page = crate::testing::page(&format!("<h1>{html}</h1>"));
        let h1 = page.tree.node_ids().find(|&node| page.tree.tag(node) == Some("h1")).unwrap();
        assert_eq!(heading_texts(&page, h1), expected, "{html}");
    }

    #[test]
    fn markup_inside_words_does_not_part_them() {
        check(
            "<b>S</b>torm <i>hits</i>, CO<sub>2</sub> <!-- -->ri<!-- -->ses",
            &["Storm", "hits, CO2", "rises"],
        );
        check("<i>S</i><i>e</i><i>a</i> <i>i</i><i>s</i>", &["Sea", "is"]);
        check("<ruby>橋<rt>はし</rt></ruby>が開く", &["橋が開く"]);
        check("Storm<span class=sr-only> (video)</span>", &["Storm"]);
    }

    #[test]
    fn lines_are_parted() {
        check("Storm hits<br>the coast", &["Storm hits", "the coast"]);
        check("<span>Storm hits</span><span>the coast</span>", &["Storm hits", "the coast"]);
        check("<div>Storm</div><div>hits</div>", &["Storm", "hits"]);
        check("", &[]);
    }
}
