//! Hostile pages on the whole path: each gives an analysis within the limits.

use std::time::Duration;

use super::*;

/// Analysing a page with this path panics.
const PANIC: &str = "/panic";

pub(super) fn panic_if_asked(url: &CanonicalUrl) {
    assert!(url.path() != PANIC, "the page asked for it");
}

fn analysis(path: &str, html: &[u8]) -> Analysis {
    let url = format!("https://news.example.org{path}").parse().unwrap();
    let params = Params::default().within(Duration::from_millis(200));
    analyse(&url, Some("text/html"), html, Timestamp(1_717_200_000_000), &params)
}

/// Analyses a page twice and checks that the results are equal and bounded.
fn run(html: &[u8]) -> Analysis {
    let analysis_of_it = analysis("/a", html);
    assert_eq!(analysis("/a", html), analysis_of_it);
    assert_eq!(analysis_of_it.notes.failed, None);
    assert_eq!(analysis_of_it.hierarchy.check(), Ok(()));
    assert!(serde_json::to_vec(&analysis_of_it.contribution).unwrap().len() < 16 << 20);
    analysis_of_it
}

#[test]
fn nesting_without_end() {
    let html = format!("{}deep down{}", "<div>".repeat(100_000), "</div>".repeat(100_000));
    let page = run(html.as_bytes());
    assert_eq!(page.notes.coarse, ["depth"]);
    assert_eq!(page.hierarchy.leaves, 1);
}

#[test]
fn nested_formatting_without_end() {
    let page = run(format!("{}x", "<b><a href=/x>y".repeat(20_000)).as_bytes());
    assert!(page.notes.leaves > 1_000);
}

#[test]
fn more_leaves_than_any_page() {
    let html: String = (0..200_000).map(|n| format!("<p>w{n}<i>x</i>")).take(100_000).collect();
    let page = run(html.as_bytes());
    assert_eq!(page.hierarchy.leaves, 200_000);
    assert!(page.notes.coarse.is_empty(), "the outline takes them all: {:?}", page.notes.coarse);
}

#[test]
fn one_path_without_end() {
    let page = run("<li>Sport".repeat(100_000).as_bytes());
    assert_eq!(page.hierarchy.leaves, 100_000);
    assert_eq!(page.contribution.labels.len(), 1);
}

#[test]
fn bytes_that_are_no_text() {
    let noise: Vec<u8> = (0..60_000u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    run(&noise);
    run(b"\xFF\xFE<\xD8<p>\xC3\x28\x80");
    assert_eq!(run(b"").hierarchy.nodes.len(), 1);
}

#[test]
fn attributes_of_a_megabyte() {
    let big = "x ".repeat(1 << 19);
    let page = run(format!("<a href='/{big}' class='{big}' rel='{big}' title='{big}'>Sport</a>").as_bytes());
    assert_eq!(page.contribution.labels.len(), 1);
}

#[test]
fn metadata_of_a_megabyte() {
    let deep = format!("{}1{}", "[".repeat(50_000), "]".repeat(50_000));
    let wide = format!("[{}1]", "{\"@type\":\"Article\",\"author\":[\"A\"]},".repeat(30_000));
    for json in [deep, wide] {
        run(format!("<script type='application/ld+json'>{json}</script><p>x").as_bytes());
    }
}

#[test]
fn a_panic_ends_the_page_and_no_more() {
    let page = analysis(PANIC, b"<p>x");
    assert_eq!(page.notes.failed.as_deref(), Some("the page asked for it"));
    assert_eq!(page.contribution, Contribution::default());
    assert_eq!(page.hierarchy.check(), Ok(()));
}
