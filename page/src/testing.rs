//! Pages for tests.

use proptest::prelude::*;

use crate::reading::Page;

/// A page with this HTML at `https://news.example.org/`.
pub(crate) fn page(html: &str) -> Page {
    page_at("https://news.example.org/", html)
}

pub(crate) fn page_at(url: &str, html: &str) -> Page {
    Page::parse(&url.parse().unwrap(), Some("text/html; charset=utf-8"), html.as_bytes())
}

/// Small pages of nested boxes, lists, headings and links.
pub(crate) fn pages(most: u32) -> impl Strategy<Value = Page> {
    let leaf = prop_oneof![
        Just("<a href=/x>Alpha</a>".to_owned()),
        Just("<b>BETA</b>".to_owned()),
        Just("gamma <i>delta</i>".to_owned()),
        Just("<h2>Head</h2>".to_owned()),
        Just("<p>para<br>graph</p>".to_owned()),
        Just("<img alt=pic>".to_owned()),
    ];
    let tree = leaf.prop_recursive(5, most, 6, |inner| {
        let tag = prop_oneof![Just("div"), Just("ul"), Just("li"), Just("span"), Just("td")];
        (tag, prop::collection::vec(inner, 1..6))
            .prop_map(|(tag, children)| format!("<{tag}>{}</{tag}>", children.concat()))
    });
    prop::collection::vec(tree, 0..5).prop_map(|parts| page(&parts.concat()))
}
