//! Properties of page trees, checked on random pages and on hostile pages.
//!
//! No test looks at a clock. The notes and the depth show that a hostile page was bounded; an unbounded parse
//! would not end.

#![allow(clippy::unwrap_used, reason = "compiled for tests alone, which say what broke by panicking")]

use std::collections::HashMap;

use ::url::Url;
use proptest::prelude::*;

use super::*;

fn parse(html: &str) -> PageTree {
    PageTree::parse(html, &PageLimits::default())
}

/// Checks what holds for every tree.
fn check_tree(tree: &PageTree, max_depth: u32) {
    let mut preorder = Vec::new();
    let mut stack = vec![tree.root()];
    while let Some(node) = stack.pop() {
        preorder.push(node);
        let children: Vec<NodeId> = tree.children(node).collect();
        let mut previous = None;
        for &child in &children {
            assert_eq!(tree.parent(child), Some(node));
            assert_eq!(tree.prev_sibling(child), previous);
            assert_eq!(tree.depth(child), tree.depth(node) + 1);
            assert!(tree.is_ancestor(node, child) && !tree.is_ancestor(child, node));
            previous = Some(child);
        }
        assert_eq!(tree.first_child(node), children.first().copied());
        assert_eq!(tree.last_child(node), previous);
        assert_eq!(tree.text(node).is_some(), tree.kind(node) == NodeKind::Text);
        assert_eq!(tree.tag(node).is_some(), tree.kind(node) == NodeKind::Element);
        assert!(tree.kind(node) != NodeKind::Element || tree.depth(node) <= max_depth);
        stack.extend(children.into_iter().rev());
    }
    assert!(preorder.into_iter().eq(tree.node_ids()), "index order is preorder");
}

/// Tags that make the parser move nodes about, nested at random and left open.
pub(super) fn markup() -> impl Strategy<Value = String> {
    let names = prop::sample::select(vec![
        "a",
        "b",
        "i",
        "p",
        "div",
        "table",
        "tr",
        "td",
        "tbody",
        "caption",
        "ul",
        "li",
        "form",
        "button",
        "select",
        "option",
        "template",
        "svg",
        "title",
        "math",
        "mi",
        "foreignObject",
        "noscript",
        "body",
        "html",
        "head",
        "frameset",
        "font",
        "nobr",
        "h1",
        "pre",
        "script",
        "textarea",
        "img",
        "br",
        "applet",
        "ruby",
        "rt",
        "plaintext",
    ]);
    let piece = prop_oneof![
        4 => names.clone().prop_map(|name| format!("<{name}>")),
        3 => names.clone().prop_map(|name| format!("</{name}>")),
        1 => (names, "[a-z]{1,2}").prop_map(|(name, value)| format!("<{name} href={value} class='{value} x'>")),
        2 => "[ a-z&;\n]{1,4}",
        1 => Just("<!-- c -->".to_owned()),
    ];
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

/// Writes a tree as pseudo-HTML: every attribute with its value, no quotes, `<` in texts escaped.
pub(super) fn written(tree: &PageTree) -> String {
    let mut out = String::new();
    let mut open: Vec<NodeId> = Vec::new();
    for node in tree.node_ids().skip(1) {
        while let Some(above) = open.pop_if(|above| node >= tree.subtree_end(*above)) {
            out.push_str(&format!("</{}>", tree.tag(above).unwrap()));
        }
        match tree.tag(node) {
            Some(tag) => {
                let attrs: String =
                    tree.attrs(node).map(|(name, value)| format!(" {name}={value}")).collect();
                out.push_str(&format!("<{tag}{attrs}>"));
                open.push(node);
            }
            None => out.push_str(&tree.text(node).unwrap().replace('<', "&lt;")),
        }
    }
    for above in open.into_iter().rev() {
        out.push_str(&format!("</{}>", tree.tag(above).unwrap()));
    }
    out
}

fn naive_lca(tree: &PageTree, a: NodeId, b: NodeId) -> NodeId {
    let above: Vec<NodeId> = std::iter::once(a).chain(tree.ancestors(a)).collect();
    std::iter::once(b).chain(tree.ancestors(b)).find(|node| above.contains(node)).unwrap()
}

proptest! {
    #[test]
    fn any_bytes_make_a_tree(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let page = decode(&bytes, None);
        check_tree(&parse(&page.text), 512);
    }

    #[test]
    fn any_markup_makes_a_tree(html in markup(), pick in any::<(prop::sample::Index, prop::sample::Index)>()) {
        let tree = parse(&html);
        prop_assert!(!tree.notes().is_coarse());
        check_tree(&tree, 512);
        let node = |index: prop::sample::Index| tree.node_at(index.index(tree.len())).unwrap();
        let (a, b) = (node(pick.0), node(pick.1));
        prop_assert_eq!(tree.lca(a, b), naive_lca(&tree, a, b));
    }

    #[test]
    fn a_low_limit_bounds_any_markup(html in prop::collection::vec(markup(), 1..8)) {
        let limits = PageLimits { max_depth: 16, max_nodes: 300, ..PageLimits::default() };
        let tree = PageTree::parse(&html.concat(), &limits);
        check_tree(&tree, 16);
    }

    #[test]
    fn leaves_are_in_order_and_subtrees_are_ranges(html in markup(), pick in any::<prop::sample::Index>()) {
        let tree = parse(&html);
        let leaves = Leaves::new(&tree);
        prop_assert!(leaves.iter().map(|leaf| leaf.node).is_sorted_by(|a, b| a < b));
        let mut paths = HashMap::new();
        for (i, leaf) in leaves.iter().enumerate() {
            prop_assert!(!leaves.text(i).is_empty());
            let above = std::iter::once(leaf.parent).chain(tree.ancestors(leaf.parent));
            let mut path: Vec<TagId> = above
                .filter(|&node| tree.depth(node) > 1 && tree.body() != Some(node))
                .filter_map(|node| tree.tag_id(node))
                .collect();
            path.reverse();
            prop_assert_eq!(leaves.path(leaf.path), &path[..]);
            prop_assert_eq!(*paths.entry(path).or_insert(leaf.path), leaf.path);
        }
        prop_assert_eq!(paths.len(), leaves.path_count());
        let under = tree.node_at(pick.index(tree.len())).unwrap();
        let plain: Vec<usize> = (0..leaves.len())
            .filter(|&i| leaves.get(i).node == under || tree.is_ancestor(under, leaves.get(i).node))
            .collect();
        prop_assert_eq!(leaves.range_under(&tree, under).collect::<Vec<_>>(), plain);
    }

    #[test]
    fn a_canonical_url_is_its_own(text in "(https?://)?[a-zA-Z0-9.:@\\-\\[\\]]{0,12}(/[a-zA-Z0-9%.~/é &=?#;+\\\\]{0,24})?") {
        let base = Url::parse("https://example.org/a/b?c").unwrap();
        if let Some(url) = resolve(&base, &text) {
            prop_assert!(url.as_str().starts_with(url.origin()) && url.path().starts_with('/'));
            let parsed = url.to_url();
            prop_assert_eq!(Some(url.host()), parsed.host_str());
            prop_assert_eq!(Site::of_host(url.site().as_str()), url.site());
            prop_assert_eq!(url.as_str().parse::<CanonicalUrl>(), Ok(url.clone()));
            prop_assert_eq!(canonical(&parsed), Some(url));
        }
    }
}

/// Checks that a hostile page is parsed within the default limits; returns its tree.
#[track_caller]
fn bounded(html: &str) -> PageTree {
    let tree = parse(html);
    check_tree(&tree, 512);
    assert!(Leaves::new(&tree).len() <= tree.len());
    tree
}

#[test]
fn deep_nesting_becomes_siblings_and_keeps_its_text() {
    for tag in ["div", "b", "font", "a href=x", "span", "ul><li", "table><tr><td", "x-y", "svg", "template"] {
        let tree = bounded(&format!("{}end", format!("<{tag}>").repeat(20_000)));
        // Each start tag of `a` closes the `a` before it, and the contents of a template are dropped.
        assert!(tree.notes().too_deep > 0 || tag == "a href=x", "{tag}");
        let is_shown = !["svg", "template"].contains(&tag);
        assert_eq!(Leaves::new(&tree).iter().count(), usize::from(is_shown), "{tag}");
    }
}

#[test]
fn end_tags_of_elements_closed_early_close_nothing_else() {
    let (open, close) = ("<div>".repeat(2_000), "</div>".repeat(2_000));
    let tree = bounded(&format!("<main>{open}deep{close}after</main><p>last"));
    let leaves = Leaves::new(&tree);
    let paths: Vec<String> = leaves.iter().skip(1).map(|leaf| leaves.path_string(&tree, leaf.path)).collect();
    assert_eq!(paths, ["main", "p"]);
    assert!(tree.notes().too_deep >= 1_400);
}

#[test]
fn a_page_within_the_depth_is_untouched() {
    let tree = bounded(&format!("{}end{}", "<div>".repeat(400), "</div>".repeat(400)));
    assert!(!tree.notes().is_coarse());
    assert_eq!(tree.depth(tree.node_at(tree.len() - 1).unwrap()), 403);
}

#[test]
fn formatting_that_is_never_closed_stops_at_the_node_limit() {
    let paragraphs: String = (0..5_000).map(|i| format!("<p><b id={i}>x</p>")).collect();
    let tree = bounded(&paragraphs);
    assert!(tree.notes().node_limit && tree.len() < 1_100_000);
    assert!(tree.notes().unread_bytes > 0);
}

#[test]
fn forms_that_no_end_tag_closes_are_left_out() {
    let tree = bounded(&"<form><table></form></table>".repeat(5_000));
    assert!(tree.notes().too_deep > 0);
}

#[test]
fn misnested_formatting_and_fostered_text_end() {
    bounded(&"<a><b><i><p></a></b>".repeat(5_000));
    let tree = bounded(&format!("<table>{}", "x<tr><td>y</td></tr>".repeat(20_000)));
    let leaves = Leaves::new(&tree);
    assert_eq!((leaves.text(0).len(), leaves.len()), (20_000, 20_001));
}

#[test]
fn long_values_and_many_attributes_are_cut() {
    let tree = bounded(&format!("<p title='{}'>x", "é".repeat(1_000_000)));
    assert_eq!(tree.notes().cut_strings, 1);
    let values: Vec<usize> =
        tree.node_ids().flat_map(|n| tree.attrs(n)).map(|(_, value)| value.len()).collect();
    assert_eq!(values, [64 * 1024]);
    let attrs: String = (0..2_000).map(|i| format!(" a{i}")).collect();
    let tree = bounded(&format!("<p{attrs}>x"));
    assert_eq!(tree.node_ids().map(|n| tree.attrs(n).count()).max(), Some(256));
    let bodies: String = (0..2_000).map(|i| format!("<body b{i}>")).collect();
    let tree = bounded(&bodies);
    assert_eq!(tree.attrs(tree.body().unwrap()).count(), 256);
}

#[test]
fn a_tag_of_a_million_attributes_ends() {
    let attrs: String = (0..1_000_000).map(|i| format!(" a{i}")).collect();
    for html in [
        format!("<p>x<p{attrs}>y<p>z"),
        format!("<p>x<p {}>y<p>z", attrs.replace(' ', "/")),
        format!("<p>x<p {}>y<p>z", attrs.replace(' ', "=''")),
        format!("<svg><style><p>x<p{attrs}>y<p>z"),
        format!("<p>x</p{attrs}><p>y<p>z"),
    ] {
        let tree = bounded(&html);
        assert!(tree.notes().cut_strings == 1 && tree.notes().unread_bytes == 0);
        assert!(tree.node_ids().all(|n| tree.attrs(n).count() <= 256));
        assert_eq!(tree.text_content(tree.root()), "xyz");
    }
}

#[test]
fn many_tags_of_many_attributes_end() {
    let names: String = (0..1_500).map(|i| format!(" {i}")).collect();
    let tree = bounded(&format!("<p{names}>x").repeat(1_000));
    assert_eq!((tree.notes().cut_strings, Leaves::new(&tree).len()), (1_000, 1_000));
}

#[test]
fn what_is_silent_for_long_is_not_cut() {
    let words = "word ".repeat(50_000);
    let tree = bounded(&format!("<p>x<!-- {words} --><script>{words}</script><p title='{words}'>y"));
    assert_eq!(tree.notes().cut_strings, 1, "the value is too long");
    let words = "w ".repeat(20_000);
    let tree = bounded(&format!("<p>x<!-- {words} --><script>a<b {words}</script><p title='{words}'>y"));
    assert!(!tree.notes().is_coarse());
    let title = tree.node_ids().find_map(|n| tree.attr(n, "title"));
    assert_eq!(title, Some(words.as_str()));
}

#[test]
fn copies_of_attributes_are_bounded_by_the_size_of_the_page() {
    let html = format!("<b title='{}'>{}", "x".repeat(60_000), "<p>y</p></b><b>".repeat(10));
    assert!(!bounded(&html).notes().is_coarse());
    let html = format!("<p><b title='{}'></p>{}", "x".repeat(60_000), "<p>y</p>".repeat(2_000));
    assert!(bounded(&html).notes().cut_strings > 0);
}

#[test]
fn bytes_have_a_limit() {
    let limits = PageLimits { max_bytes: 10, ..PageLimits::default() };
    let tree = PageTree::parse("<p>aéé</p>and more", &limits);
    assert_eq!((tree.text_content(tree.root()).as_str(), tree.notes().unread_bytes), ("aéé</", 10));
    check_tree(&tree, 512);
}
