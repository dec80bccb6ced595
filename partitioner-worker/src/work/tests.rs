//! Hostile pages through the whole path: each ends in a message, within its limits.

use newslode_common::message::Body;
use newslode_common::message::envelope::seal;
use newslode_common::page::CanonicalUrl;
use newslode_common::store::Why;
use newslode_common::time::Timestamp;
use newslode_common::version::{ContentHash, Version};

use super::*;

/// Pages of this path end in a panic.
const PANIC: &str = "/panic";

pub(super) fn panic_if_asked(fetched: &FetchedPage) {
    assert!(fetched.url.path() != PANIC, "the page asked for it");
}

fn fetched(path: &str) -> FetchedPage {
    let url: CanonicalUrl = format!("https://news.example.org{path}").parse().unwrap();
    FetchedPage {
        site: url.site(),
        url,
        depth: 1,
        why: Why::Link,
        version: Version { fetch: 1, content: ContentHash::NONE },
        fetched_at: Timestamp(1_717_200_000_000),
        content_type: Some("text/html".into()),
        body: Body::Archived,
    }
}

/// Works on a page twice: the results are equal and fit into a message.
fn run(html: &[u8]) -> (PartitionedPage, Hierarchy) {
    let budget = Duration::from_millis(200);
    let (page, hierarchy) = work(&fetched("/a"), html, &Params::default(), budget);
    assert_eq!(work(&fetched("/a"), html, &Params::default(), budget).0, page);
    assert_eq!(page.notes.failed, None);
    assert_eq!(hierarchy.check(), Ok(()));
    assert!(seal(&page).unwrap().len() < 16 << 20);
    (page, hierarchy)
}

#[test]
fn nesting_without_end() {
    let html = format!("{}deep down{}", "<div>".repeat(100_000), "</div>".repeat(100_000));
    let (page, hierarchy) = run(html.as_bytes());
    assert_eq!(page.notes.coarse, ["depth"]);
    assert_eq!(hierarchy.leaves, 1);
}

#[test]
fn nested_formatting_without_end() {
    let (page, _) = run(format!("{}x", "<b><a href=/x>y".repeat(20_000)).as_bytes());
    assert!(page.notes.leaves > 1_000);
}

#[test]
fn more_leaves_than_any_page() {
    let html: String = (0..200_000).map(|n| format!("<p>w{n}<i>x</i>")).take(100_000).collect();
    let (page, hierarchy) = run(html.as_bytes());
    assert_eq!(hierarchy.leaves, 200_000);
    assert!(page.notes.coarse.is_empty(), "the outline takes them all: {:?}", page.notes.coarse);
}

#[test]
fn one_path_without_end() {
    let (page, hierarchy) = run("<li>Sport".repeat(100_000).as_bytes());
    assert_eq!(hierarchy.leaves, 100_000);
    assert_eq!(page.contribution.labels.len(), 1);
}

#[test]
fn bytes_that_are_no_text() {
    let noise: Vec<u8> = (0..60_000u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    run(&noise);
    run(b"\xFF\xFE<\xD8<p>\xC3\x28\x80");
    assert_eq!(run(b"").1.nodes.len(), 1);
}

#[test]
fn attributes_of_a_megabyte() {
    let big = "x ".repeat(1 << 19);
    let (page, _) =
        run(format!("<a href='/{big}' class='{big}' rel='{big}' title='{big}'>Sport</a>").as_bytes());
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
    let (page, hierarchy) = work(&fetched(PANIC), b"<p>x", &Params::default(), Duration::from_millis(10));
    assert_eq!(page.notes.failed.as_deref(), Some("the page asked for it"));
    assert_eq!(page.contribution, Contribution::default());
    assert_eq!(hierarchy.check(), Ok(()));
}
