//! Documents as rows of steps.

use super::*;

/// The steps, written as `+name` and `-name`, with the text of each title in brackets.
fn steps(xml: &str) -> (String, bool) {
    let url = "https://a.test/dir/feed".parse().unwrap();
    let mut walk = Walk::new(Input::new(xml.as_bytes(), None, usize::MAX), &url);
    let mut out = String::new();
    while let Some(next_event) = walk.next_event() {
        match next_event {
            WalkEvent::Open(name, _) => out += &format!("+{name:?}"),
            WalkEvent::Close(name, _) => out += &format!("-{name:?}"),
        }
        if matches!(next_event, WalkEvent::Open(ElementName::Title, _)) {
            walk.keep_text();
        }
        if let (WalkEvent::Close(ElementName::Title, _), Some(text)) = (next_event, walk.text()) {
            out += &format!("[{text}]");
        }
    }
    (out, walk.is_whole())
}

#[track_caller]
fn check(xml: &str, expected: &str, is_whole: bool) {
    assert_eq!(steps(xml), (expected.to_owned(), is_whole), "{xml}");
}

#[test]
fn elements_open_and_close() {
    check(
        "<?xml version='1.0'?><!-- c --><rss><item/><title >a &amp; <b>b</b><![CDATA[<c>]]>&#33;</title ></rss>x",
        "+Rss+Item-Item+Title+Other-Other-Title[a & b<c>!]-Rss",
        true,
    );
    check("<rss><title>a", "+Rss+Title", false);
    check("plain", "", false);
}

#[test]
fn broken_markup_is_forgiven() {
    check("<rss><item><title>a<br>b</item></rss>", "+Rss+Item+Title+Other-Other-Title[ab]-Item-Rss", true);
    check(
        "<rss></item><title>AT&T &eacute; & b</title></rss>",
        "+Rss+Title-Title[AT&T &eacute; & b]-Rss",
        true,
    );
    check("<rss><item a=b c='d\"><title></rss>", "+Rss", false);
}

#[test]
fn prefixes_are_scoped() {
    check(
        "<rss xmlns:n='http://purl.org/dc/terms/'><n:modified/><item xmlns:n='urn:x'><n:modified/></item><n:modified/></rss>",
        "+Rss+Modified-Modified+Item+Other-Other-Item+Modified-Modified-Rss",
        true,
    );
    check("<x:urlset xmlns:x='http://www.sitemaps.org/schemas/sitemap/0.9'/>", "+UrlSet-UrlSet", true);
}

#[test]
fn bases_are_scoped() {
    let url = "https://a.test/dir/feed".parse().unwrap();
    let xml = "<rss xml:base='/b/'><item xml:base='c/'/><item xml:base='mailto:x'/></rss>";
    let mut walk = Walk::new(Input::new(xml.as_bytes(), None, usize::MAX), &url);
    let mut bases = Vec::new();
    while let Some(next_event) = walk.next_event() {
        if matches!(next_event, WalkEvent::Open(..)) {
            bases.push(walk.base().unwrap().to_string());
        }
    }
    assert_eq!(bases, ["https://a.test/b/", "https://a.test/b/c/", "https://a.test/b/"]);
}

#[test]
fn depth_and_open_elements_are_bounded() {
    let deep = format!("<rss>{}{}<item/></rss>", "<b>".repeat(9000), "</b>".repeat(9000));
    let (out, is_whole) = steps(&deep);
    assert!(is_whole && out.ends_with("+Item-Item-Rss"), "{}", out.len());
    let (_, is_whole) = steps(&format!("<rss>{}</rss>", "<b>".repeat(MAX_UNCLOSED)));
    assert!(!is_whole);
}
