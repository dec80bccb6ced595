//! Articles are filed by what they, their lists and their likes say.

use std::collections::BTreeMap;

use newslode_page::article::{Article, Block, BlockKind, PageKind};

use super::*;
use crate::mining::taxonomy::{Concept, Form};

fn concept(label: &str, key: &str, parents: &[&str]) -> Concept {
    Concept {
        key: key.into(),
        keys: vec![key.into()],
        label: label.into(),
        forms: vec![Form { text: label.into(), sites: 2, pages: 3 }],
        language: "en".into(),
        sites: Vec::new(),
        score: 0.5,
        is_genre: false,
        parents: parents.iter().map(|key| (*key).into()).collect(),
        parent: None,
    }
}

fn taxonomy() -> Taxonomy {
    let concepts = [
        concept("News", "en:news", &[]),
        concept("Sports", "en:sport", &[]),
        concept("Tennis", "en:tenni", &["en:sport"]),
        concept("World", "en:world", &[]),
    ];
    Taxonomy { support: 2, sites: 2, concepts: concepts.into(), relations: Vec::new() }
}

fn article(url: &str, section: Option<&str>, text: &str) -> Article {
    let site = url.parse::<CanonicalUrl>().unwrap().site().as_str().to_owned();
    Article {
        url: url.into(),
        site,
        title: None,
        authors: Vec::new(),
        published: None,
        modified: None,
        place: None,
        section: section.map(str::to_owned),
        concepts: Vec::new(),
        language: Some("en".into()),
        body: vec![Block { kind: BlockKind::Paragraph, text: text.into() }],
        image: None,
        kind: PageKind::Article,
        method: "test".into(),
        evidence: BTreeMap::new(),
    }
}

#[track_caller]
fn check(filing: &Filing<'_>, article: &Article, expected: &[(&str, Witness)]) {
    let filed = filing.of(article);
    let found: Vec<_> = filed.iter().map(|filed| (filed.concept.as_str(), filed.witness)).collect();
    assert_eq!(found, expected, "{} {:?}", article.url, article.section);
}

#[test]
fn sections_and_addresses_name_concepts() {
    let (taxonomy, members) = (taxonomy(), Members::new());
    let filing = Lessons::new(&taxonomy, &members).learn();
    let at = |section, url: &str| article(url, section, "");
    let one = "https://a.test/x/story";
    check(&filing, &at(Some(" SPORTS "), one), &[("en:sport", Witness::Section)]);
    check(
        &filing,
        &at(Some("Sport / Tennis"), one),
        &[("en:sport", Witness::Section), ("en:tenni", Witness::Section)],
    );
    check(
        &filing,
        &at(Some("World news"), one),
        &[("en:news", Witness::Section), ("en:world", Witness::Section)],
    );
    // Of a name of which a part is unknown nothing is known.
    check(&filing, &at(Some("Table tennis"), one), &[]);
    check(&filing, &at(None, "https://a.test/sports/2024/05/story"), &[("en:sport", Witness::Address)]);
    check(&filing, &at(None, "https://tennis.a.test/story"), &[("en:tenni", Witness::Address)]);
    // The last part is the story itself.
    check(&filing, &at(None, "https://a.test/sports"), &[]);
    let of_nobody = Article { language: None, ..at(Some("Sports"), one) };
    check(&filing, &of_nobody, &[]);
}

#[test]
fn a_place_is_learnt_from_articles_that_agree() {
    let taxonomy = taxonomy();
    let url = |number: usize, directory: &str| format!("https://a.test/{directory}/{number}");
    let list = |directory: &str, concept: &str, count| {
        let member = |number| (url(number, directory).parse().unwrap(), [concept.to_owned()].into());
        (0..count).map(member).collect::<Vec<_>>()
    };
    let members: Members =
        [list("courts", "en:tenni", 4), list("mixed", "en:tenni", 2), list("few", "en:sport", 2)]
            .concat()
            .into_iter()
            .collect();
    let mut lessons = Lessons::new(&taxonomy, &members);
    for (directory, count) in [("courts", 4), ("mixed", 2), ("few", 2)] {
        (0..count).for_each(|number| lessons.see(&article(&url(number, directory), Some("Matches"), "")));
    }
    (2..4).for_each(|number| lessons.see(&article(&url(number, "mixed"), Some("World"), "")));
    let filing = lessons.learn();
    check(&filing, &article(&url(9, "courts"), None, ""), &[("en:tenni", Witness::Place)]);
    check(&filing, &article(&url(0, "courts"), None, ""), &[("en:tenni", Witness::List)]);
    for directory in ["mixed", "few"] {
        check(&filing, &article(&url(9, directory), None, ""), &[]);
    }
    // Another site's directory of the same name teaches nothing.
    check(&filing, &article("https://b.test/courts/9", None, ""), &[]);
}

/// Texts of two subjects, told apart by half of their words.
fn text(subject: usize, number: usize) -> String {
    let word = |at: usize| {
        let own = [
            ["racket", "serve", "court", "umpire", "volley"],
            ["treaty", "border", "summit", "envoy", "accord"],
        ];
        own[subject][(number + at) % 5].to_owned()
    };
    (0..6)
        .map(|at| format!("{} common{} words", word(at), (number * 7 + at) % 9))
        .collect::<Vec<_>>()
        .join(" ")
}

#[test]
fn words_file_what_nothing_else_does_if_they_are_right_on_other_sites() {
    let (taxonomy, members) = (taxonomy(), Members::new());
    let learnt = |is_swapped: bool| {
        let mut lessons = Lessons::new(&taxonomy, &members);
        for site in 0..12 {
            for number in 0..4 {
                let subject = number % 2;
                // Sites that file one thing here and another there teach nothing.
                let said = if is_swapped && site % 2 == 0 { 1 - subject } else { subject };
                let section = ["Tennis", "World"][said];
                lessons.see(&article(
                    &format!("https://s{site}.test/{number}"),
                    Some(section),
                    &text(subject, number + site),
                ));
            }
        }
        lessons.learn()
    };
    let unfiled = |subject| article("https://new.test/1", None, &text(subject, 3));
    check(&learnt(false), &unfiled(0), &[("en:tenni", Witness::Words)]);
    check(&learnt(false), &unfiled(1), &[("en:world", Witness::Words)]);
    assert!(learnt(false).of(&unfiled(0))[0].confidence >= 0.9);
    check(&learnt(true), &unfiled(0), &[]);
    // What its site says is not overruled.
    check(
        &learnt(false),
        &article("https://new.test/1", Some("News"), &text(0, 3)),
        &[("en:news", Witness::Section)],
    );
}

#[test]
fn a_hidden_witness_says_nothing() {
    let (taxonomy, members) = (taxonomy(), Members::new());
    let filing = Lessons::without(&taxonomy, &members, Some(Witness::Section)).learn();
    check(&filing, &article("https://a.test/tennis/1", Some("World"), ""), &[("en:tenni", Witness::Address)]);
}
