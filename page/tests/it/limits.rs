//! What is computed of a page keeps to the limits that the miner checks, and what does not is named.

use newslode_page::bounds::Excess;
use newslode_page::contribution::{Contribution, LabelUse, LinkUse, TermUse};
use newslode_page::{Analysis, CanonicalUrl, Params, Timestamp, analyse};
use proptest::prelude::*;

fn url() -> CanonicalUrl {
    "https://news.example.org/a".parse().unwrap()
}

fn check(found: &Analysis) -> Result<(), Excess> {
    found.contribution.check(&url())?;
    found.notes.check()?;
    found.article.as_ref().map_or(Ok(()), |article| article.check(&url()))
}

fn analysed(html: &str) -> Analysis {
    analyse(
        &url(),
        Some("text/html; charset=utf-8"),
        html.as_bytes(),
        Timestamp(1_700_000_000_000),
        &Params::default(),
    )
}

/// Text with letters whose normal form is long, controls, and what markup is made of.
fn texts() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        "[a-z]{1,12}",
        Just("ﷺ".to_owned()),
        Just("㍿".to_owned()),
        Just("İ".to_owned()),
        Just("ſt".to_owned()),
        Just("\u{1f}".to_owned()),
        Just("日本".to_owned()),
        "\\PC{0,4}",
    ];
    proptest::collection::vec(part, 1..30).prop_map(|parts| parts.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]
    #[test]
    fn no_page_exceeds_the_limits(parts in proptest::collection::vec((0..9, texts(), "[a-z0-9/]{0,20}"), 1..60)) {
        let mut html = String::from("<meta property=og:type content=article><title>A title of some words</title>");
        for (kind, text, path) in &parts {
            let text = text.replace('<', "&lt;");
            match kind {
                0 => html.push_str(&format!("<h2>{text}</h2>")),
                1 => html.push_str(&format!("<ul><li><a href=/{path}>{text}</a><li><a href=//b.test/{path}>{text}</a></ul>")),
                2 => html.push_str(&format!("<a href='/{path}/{path}'>{text}</a>")),
                3 => html.push_str(&format!("<meta name=author content='{}'>", text.replace('\'', ""))),
                4 => html.push_str(&format!("<div><b>{text}</b><p>{text}")),
                5 => html.push_str(&format!("<script type=application/ld+json>{{\"@type\":\"NewsArticle\",\"articleSection\":{},\"image\":{}}}</script>", serde_json::json!(text), serde_json::json!(path))),
                6 => html.push_str(&format!("<table><tr><th>{text}<td><a href=/{path}>{text}</a></table>")),
                _ => html.push_str(&format!("<p>{text} and then there were more words of prose here.</p>")),
            }
        }
        prop_assert_eq!(check(&analysed(&html)), Ok(()));
    }
}

#[test]
fn a_field_that_no_article_has_is_left_out() {
    let text =
        "After eleven dry weeks it rained over the valley on Thursday, and the farmers came out to see. "
            .repeat(9);
    let long = "x".repeat(5_000);
    let claims = serde_json::json!({ "@type": "NewsArticle", "headline": "Rain ends the drought", "articleSection": long });
    let found = analysed(&format!(
        "<meta property=og:type content=article><script type=application/ld+json>{claims}</script><h1>Rain ends the drought</h1><p>{text}"
    ));
    check(&found).unwrap();
    let article = found.article.unwrap();
    assert_eq!((article.section.as_deref(), article.title.as_deref()), (None, Some("Rain ends the drought")));
    assert!(!article.evidence.contains_key("section"));
}

#[test]
fn results_that_no_page_has_are_found_and_named() {
    fn named(change: impl FnOnce(&mut Contribution)) -> String {
        let mut changed =
            analysed("<h2>Arts</h2><ul><li><a href=/film>Film</a><li><a href=/jazz>Jazz</a></ul>")
                .contribution;
        changed.check(&url()).unwrap();
        change(&mut changed);
        changed.check(&url()).unwrap_err().to_string()
    }
    let label = |key: &str, form: &str| LabelUse { key: key.into(), form: form.into(), roles: vec![] };
    let huge = "x".repeat(9 << 20);
    assert!(named(|page| page.labels = vec![label("en:x", &huge)]).contains("`labels` has 9437188 bytes"));
    assert!(named(|page| page.labels = vec![label("x", "X")]).contains("not the key of a label"));
    assert!(named(|page| page.labels = vec![label("en:x", "X"), label("en:x", "X")]).contains("each once"));
    assert!(named(|page| page.pairs[0].level = 200).contains("level"));
    assert!(named(|page| page.terms[0].count = u32::MAX).contains("occurs more often"));
    assert!(
        named(|page| page.terms = vec![TermUse { term: "a".into(), count: 1 }; 20_001])
            .contains("20001 entries")
    );
    assert!(named(|page| page.directories = vec!["en:a".into(); 201]).contains("201 entries"));
    assert!(named(|page| page.filed.as_mut().unwrap().page = "0".repeat(16)).contains("another page"));
    let elsewhere =
        LinkUse { target: "https://b.test/".parse().unwrap(), label: None, in_group: false, inside: true };
    assert!(named(|page| page.links.push(elsewhere)).contains("another site"));
    assert!(named(|page| page.language = Some(huge)).contains("`language`"));
}
