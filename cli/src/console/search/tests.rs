//! Searches a few articles.

use std::collections::BTreeMap;

use newslode_page::article::{Block, BlockKind, PageKind};

use super::*;

fn article(title: &str, body: &[&str]) -> Article {
    let block = |text: &&str| Block { kind: BlockKind::Paragraph, text: (*text).to_owned() };
    Article {
        url: "https://a.test/".into(),
        site: "a.test".into(),
        title: Some(title.into()),
        authors: Vec::new(),
        published: None,
        modified: None,
        place: None,
        section: None,
        concepts: Vec::new(),
        language: None,
        body: body.iter().map(block).collect(),
        image: None,
        kind: PageKind::Article,
        method: "runs".into(),
        evidence: BTreeMap::new(),
        listed: None,
    }
}

#[test]
fn articles_are_found_by_words_phrases_and_letters() {
    let articles = [
        article("Rain ends the drought", &["The farmers of the valley came out.", "New York was dry."]),
        article("Été à Zürich", &["York is new to the league."]),
        article("東京都で大雨", &["気象庁は警報を出した。"]),
    ];
    let ids = || (0_u8..).map(|n| ContentHash([n; 16])).take(articles.len());
    let builder = IndexBuilder::new().unwrap();
    articles.iter().zip(ids()).for_each(|(article, id)| builder.add(id, article).unwrap());
    let search = builder.finish().unwrap();
    let positions = Positions::of(ids());
    let find = |wanted: &str| -> Vec<usize> {
        let wanted = WordQuery::parse(wanted);
        let found = search.find(&wanted, &positions, articles.len()).unwrap().unwrap();
        // Without the index the same is found.
        let matches = |article: &Article| {
            wanted.matches(
                article
                    .title
                    .as_deref()
                    .into_iter()
                    .chain(article.body.iter().map(|block| block.text.as_str())),
            )
        };
        assert_eq!(found, articles.iter().map(matches).collect::<Vec<_>>());
        (0..found.len()).filter(|at| found[*at]).collect()
    };
    assert_eq!(find("FARMERS"), [0]);
    assert_eq!(find("farm"), [0; 0]);
    assert_eq!(find("farm*"), [0]);
    assert_eq!(find("new york"), [0, 1]);
    assert_eq!(find("\"new york\""), [0]);
    assert_eq!(find("new -league"), [0]);
    assert_eq!(find("-rain"), [1, 2]);
    assert_eq!(find("ete zurich"), [1]);
    assert_eq!(find("大雨"), [2]);
    assert_eq!(find("雨"), [2]);
    assert_eq!(find("東京都"), [2]);
    assert_eq!(find("京東"), [0; 0]);
    // A phrase does not reach over the end of a paragraph.
    assert_eq!(find("\"out new\""), [0; 0]);
    assert!(search.find(&WordQuery::parse("!?"), &positions, 3).unwrap().is_none());
}
