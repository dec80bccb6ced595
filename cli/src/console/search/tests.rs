//! Searches a few articles.

use std::collections::BTreeMap;

use newslode_page::article::{Block, BlockKind, PageKind};

use super::*;

fn article(title: &str, body: &[&str]) -> Article {
    let block = |text: &&str| Block::new(BlockKind::Paragraph, (*text).to_owned());
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
        ..Article::default()
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
    let mut writer = SearchWriter::open(None, None).unwrap();
    articles.iter().zip(ids()).for_each(|(article, id)| writer.put(id, article).unwrap());
    assert!(writer.commit().unwrap().is_none(), "not every article is known to be there");
    writer.set_whole();
    let search = writer.commit().unwrap().unwrap();
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

fn finds(search: &SearchIndex, word: &str) -> bool {
    let positions = Positions::of([ContentHash([1; 16])].into_iter());
    search.find(&WordQuery::parse(word), &positions, 1).unwrap().unwrap()[0]
}

#[test]
fn an_article_that_is_put_again_or_deleted_is_found_by_its_new_words_only() {
    let mut writer = SearchWriter::open(None, None).unwrap();
    let id = ContentHash([1; 16]);
    writer.put(id, &article("Rain", &[])).unwrap();
    writer.set_whole();
    let first = writer.commit().unwrap().unwrap();
    writer.put(id, &article("Snow", &[])).unwrap();
    let second = writer.commit().unwrap().unwrap();
    writer.delete(id);
    let third = writer.commit().unwrap().unwrap();
    let found = [&first, &second, &third].map(|search| (finds(search, "rain"), finds(search, "snow")));
    assert_eq!(found, [(true, false), (false, true), (false, false)]);
}

#[test]
fn a_runs_index_is_opened_again_if_it_is_the_one_that_is_asked_for() {
    let run = tempfile::tempdir().unwrap();
    let open = |edition: Option<&str>| SearchWriter::open(Some(run.path()), edition).unwrap();
    let id = ContentHash([1; 16]);
    let mut writer = open(None);
    writer.put(id, &article("Rain", &[])).unwrap();
    assert!(writer.commit().unwrap().is_none() && writer.kept_edition().is_none());
    writer.set_whole();
    writer.commit().unwrap();
    let edition = writer.kept_edition().unwrap().to_owned();
    // Another process has an index of its own meanwhile.
    assert!(!open(Some(&edition)).is_whole());
    // What was not committed is gone with the process.
    writer.put(id, &article("Snow", &[])).unwrap();
    drop(writer);
    let mut again = open(Some(&edition));
    assert!(again.is_whole());
    let search = again.commit().unwrap().unwrap();
    assert!(finds(&search, "rain") && !finds(&search, "snow"));
    drop((again, search));
    // A damaged one, and one of another edition, is begun anew.
    let other = open(Some("another"));
    assert!(!other.is_whole());
    drop(other);
    std::fs::write(run.path().join(kept::FOLDER).join("meta.json"), "{").unwrap();
    assert!(!open(Some(&edition)).is_whole());
}
