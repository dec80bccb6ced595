use std::collections::{BTreeMap, BTreeSet};

use newslode_miner::mining::taxonomy::{Concept, Relation};
use newslode_page::article::{Article, Block, BlockKind, PageKind};
use newslode_page::time::Timestamp;

use super::contents::{ArticleExcerpt, NewestArticles, SHOWN};
use super::*;
use crate::html::taxonomy::tests::test_concept;

fn article(number: usize, title: &str, published: Option<&str>) -> Article {
    Article {
        url: format!("https://a.test/{number}"),
        site: "a.test".into(),
        title: Some(title.into()),
        authors: vec!["Ann <Ace>".into()],
        published: published.map(str::to_owned),
        modified: None,
        place: None,
        section: None,
        concepts: Vec::new(),
        language: None,
        body: vec![Block::new(BlockKind::Paragraph, "<script>alert(1)</script> & more")],
        image: None,
        kind: PageKind::Article,
        method: "made".into(),
        evidence: BTreeMap::new(),
        listed: None,
        ..Article::default()
    }
}

fn concept(key: &str, parent: Option<&str>) -> Concept {
    Concept {
        label: format!("<b>{key}</b>"),
        sites: vec![Site::of_host("a.test")],
        parents: parent.into_iter().map(str::to_owned).collect(),
        parent: parent.map(str::to_owned),
        ..test_concept(key)
    }
}

fn taxonomy() -> Taxonomy {
    let concepts = vec![concept("en:a", None), concept("en:b", Some("en:a")), concept("en:c", Some("en:b"))];
    let relation = |broader: &str, narrower: &str| Relation {
        broader: broader.into(),
        narrower: narrower.into(),
        level: 1,
        sites: Vec::new(),
        is_listed: false,
        edited: false,
    };
    let relations = vec![relation("en:a", "en:b"), relation("en:b", "en:c")];
    Taxonomy { support: 2, sites: 1, concepts, relations, schemes: String::new() }
}

#[test]
fn a_shelf_shows_the_newest_and_counts_all() {
    let mut newest = NewestArticles::default();
    for number in 0..50 {
        let day = format!("2024-01-{:02}", number % 25 + 1);
        let published = (number % 5 != 0).then_some(day.as_str());
        newest.put(ArticleExcerpt::of(&article(number, &format!("t{number}"), published)));
    }
    assert_eq!((newest.count, newest.newest.len()), (50, SHOWN));
    assert!(newest.newest.is_sorted_by(|a, b| a.published >= b.published));
    assert_eq!(newest.newest[0].published.as_deref(), Some("2024-01-25"));
}

#[test]
fn one_story_under_two_addresses_is_shown_once() {
    let mut newest = NewestArticles::default();
    for (number, title) in [(1, "same"), (2, "same"), (3, "other")] {
        newest.put(ArticleExcerpt::of(&article(number, title, Some("2024-01-02"))));
    }
    assert_eq!((newest.count, newest.newest.len()), (3, 2));
}

#[test]
fn no_text_of_a_page_is_markup_and_every_link_inside_leads_somewhere() {
    let taxonomy = taxonomy();
    let mut articles = ArticlesByConcept::default();
    articles
        .put(&article(1, "<img src=x onerror=alert(1)>", Some("2024-01-02")), &["en:c".to_owned()].into());
    articles.put(&article(2, "plain", None), &BTreeSet::new());
    let report = Report {
        taxonomy: &taxonomy,
        articles: &articles,
        sites: Vec::new(),
        drawings: Vec::new(),
        made: Timestamp(0),
    };
    let html = html::report_page(&report);
    for unsafe_text in ["<script", "<img", "<b>en", "<Ace>"] {
        assert!(!html.contains(unsafe_text), "{unsafe_text}");
    }
    let inside: Vec<&str> =
        html.split("href=\"#").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert!(inside.len() > 10, "{inside:?}");
    for at in inside {
        assert!(html.contains(&format!("id=\"{at}\"")), "{at}");
    }
    let (_, section) = html.split_once("<section id=\"c1\">").unwrap();
    let (broader, rest) = section.split_once("Narrower").unwrap();
    assert!(broader.contains("href=\"#c0\"") && rest.split_once("</dl>").unwrap().0.contains("href=\"#c2\""));
}
