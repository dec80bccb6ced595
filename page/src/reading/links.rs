//! The links of a page.
//!
//! Links are the HTML elements `a` and `area` whose `href` leads to a web page, in document order, also those
//! without a leaf (in `noscript`). Targets are canonical and may repeat. Start at [`links`].

use ::url::Url;

use super::leaves::Leaves;
use super::letters::squash;
use super::sink::truncate;
use super::tree::{NodeId, PageTree};
use super::url::{CanonicalUrl, resolve};

/// Longest link text kept, in bytes: links may nest through tables, and each would hold the whole text.
pub(crate) const MAX_LINK_TEXT: usize = 1024;

/// A link and its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The `a` or `area`.
    pub node: NodeId,
    /// Where it leads.
    pub target: CanonicalUrl,
    /// Whether its `rel` asks crawlers not to follow it.
    pub rel_nofollow: bool,
    /// The leaves inside, joined by spaces, or the `alt` of an `area`; at most 1 KiB.
    pub text: String,
}

/// The links of a page whose own URL is `page`.
pub fn links(tree: &PageTree, leaves: &Leaves, page: &Url) -> Vec<Link> {
    let base = document_base(tree, page);
    let link = |node| {
        let tag = tree.tag(node).filter(|&tag| tag == "a" || tag == "area")?;
        let target = resolve(&base, tree.attr(node, "href")?)?;
        let rel = tree.attr(node, "rel").unwrap_or_default();
        let rel_nofollow = rel.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case("nofollow"));
        let text = match tag {
            "area" => truncate(&squash(tree.attr(node, "alt").unwrap_or_default()), MAX_LINK_TEXT).to_owned(),
            _ => text_under(tree, leaves, node),
        };
        Some(Link { node, target, rel_nofollow, text })
    };
    tree.node_ids().filter(|&node| tree.is_html(node)).filter_map(link).collect()
}

/// The URL against which the page's links are resolved: the first `base` with an `href`, else the page's own
/// URL.
pub fn document_base(tree: &PageTree, page: &Url) -> Url {
    let mut bases = tree.node_ids().filter(|&node| tree.is_html(node) && tree.tag(node) == Some("base"));
    bases
        .find_map(|node| tree.attr(node, "href"))
        .and_then(|href| page.join(href.trim_ascii()).ok())
        .filter(|base| matches!(base.scheme(), "http" | "https"))
        .unwrap_or_else(|| page.clone())
}

fn text_under(tree: &PageTree, leaves: &Leaves, node: NodeId) -> String {
    let mut text = String::new();
    for i in leaves.range_under(tree, node) {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(truncate(leaves.text(i), MAX_LINK_TEXT.saturating_sub(text.len())));
        if text.len() >= MAX_LINK_TEXT {
            break;
        }
    }
    text.truncate(text.trim_end().len());
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::PageLimits;

    fn found(html: &str) -> Vec<(String, String, bool)> {
        let tree = PageTree::parse(html, &PageLimits::default());
        let page = Url::parse("https://example.org/news/today.html").unwrap();
        let links = links(&tree, &Leaves::new(&tree), &page);
        links.into_iter().map(|link| (link.target.to_string(), link.text, link.rel_nofollow)).collect()
    }

    #[track_caller]
    fn check(html: &str, expected: &[(&str, &str, bool)]) {
        let expected: Vec<(String, String, bool)> = expected
            .iter()
            .map(|&(url, text, nofollow)| (url.to_owned(), text.to_owned(), nofollow))
            .collect();
        assert_eq!(found(html), expected, "{html}");
    }

    #[test]
    fn a_and_area_lead_to_pages() {
        check(
            "<a href=' /sport '><h3>Cup</h3><p>Tour</p></a><a name=x>no</a><a href=mailto:a@b.c>no</a>\
             <map><area href=b alt=' B  b '></map><a href=c rel='x NoFollow'><img alt=C src=c></a>",
            &[
                ("https://example.org/sport", "Cup Tour", false),
                ("https://example.org/news/b", "B b", false),
                ("https://example.org/news/c", "C", true),
            ],
        );
    }

    #[test]
    fn base_moves_relative_links() {
        check(
            "<base target=x><base href=/a/><base href=/b/><a href=c>c</a>",
            &[("https://example.org/a/c", "c", false)],
        );
        check("<base href=javascript:x><a href=c>c</a>", &[("https://example.org/news/c", "c", false)]);
    }

    #[test]
    fn a_long_text_is_cut() {
        let html = format!("<a href=c>{}<b>{}</b></a>", "é".repeat(300), "é".repeat(3000));
        let text = found(&html).remove(0).1;
        assert!(text.len() <= MAX_LINK_TEXT && text.len() > MAX_LINK_TEXT - 3, "{}", text.len());
    }
}
