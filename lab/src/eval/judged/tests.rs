//! A small file of judgements, and runs that it judges.

use newslode_miner::mining::taxonomy::{Form, Relation};

use super::*;

const JUDGED: &str = r#"{
    "concepts": {"Sports": "subject", "tennis": "subject", "LOVE": "subject", "love": "subject", "U.S.": "subject",
        "Politics": "subject", "Politics Home": "house", "Food + Drink": "subject", "News": "form", "Mar »": "broken"},
    "same": [["Politics", "Politics Home"], ["Sports", "Sport desk"], ["Zoo", "Zoos and parks"]],
    "is_a": {"right": [["World", "Sports"], ["Sports", "tennis"]], "wrong": [["News", "Sports"]],
        "debatable": [["U.S.", "Politics"]], "missing": [["Sports", "Golf"], ["Politics", "Politics Home"]]},
    "mixed": {"LOVE": "relationships / film titles"}}"#;

fn judge(also: &str) -> Judge {
    let also = also.lines().map(|line| serde_json::from_str(line).unwrap());
    Judge::new(serde_json::from_str(JUDGED).unwrap(), also.collect())
}

/// Concepts, each with its forms after its label and on so many sites, and pairs of their labels.
fn taxonomy(concepts: &[(&[&str], usize)], is_a: &[(&str, &str)]) -> Taxonomy {
    let site = |number| Site::of_host(&format!("{number}.test"));
    let concept = |(forms, sites): &(&[&str], usize)| Concept {
        key: forms[0].into(),
        keys: vec![forms[0].into()],
        label: forms[0].into(),
        forms: forms.iter().map(|form| Form { text: (*form).into(), sites: 1, pages: 1 }).collect(),
        language: "en".into(),
        sites: (0..*sites).map(site).collect(),
        score: 1.0,
        is_genre: false,
        parents: Vec::new(),
        parent: None,
        edited: Vec::new(),
        aligned: Vec::new(),
    };
    let relation = |(broader, narrower): &(&str, &str)| Relation {
        broader: (*broader).into(),
        narrower: (*narrower).into(),
        level: 1,
        sites: vec![site(1), site(2)],
        is_listed: false,
        edited: false,
    };
    let mut concepts: Vec<Concept> = concepts.iter().map(concept).collect();
    concepts.sort_by(|a, b| a.key.cmp(&b.key));
    Taxonomy {
        support: 2,
        sites: 3,
        concepts,
        relations: is_a.iter().map(relation).collect(),
        schemes: String::new(),
    }
}

fn of_labels(labels: &[&str], is_a: &[(&str, &str)]) -> Taxonomy {
    let concepts: Vec<[&str; 1]> = labels.iter().map(|label| [*label]).collect();
    let concepts: Vec<(&[&str], usize)> = concepts.iter().map(|forms| (forms.as_slice(), 2)).collect();
    taxonomy(&concepts, is_a)
}

fn score(taxonomy: &Taxonomy) -> Score {
    judge("").score(taxonomy, &[])
}

fn labels(lines: &[JudgedLine]) -> Vec<String> {
    let label = |line: &JudgedLine| match line {
        JudgedLine::Concept { label, .. } => label.clone(),
        JudgedLine::Pair { broader, narrower, .. } => format!("{broader} > {narrower}"),
    };
    lines.iter().map(label).collect()
}

#[test]
fn case_punctuation_and_a_plural_s_do_not_part_labels() {
    for (one, other) in [
        ("Food + Drink", "food and drink"),
        ("U.S.", "US"),
        ("Mar »", "mars"),
        ("Children’s Book", "childrens books"),
    ] {
        assert_eq!(singular(one), singular(other));
    }
    assert_ne!(singular("US"), singular("U"));
    assert_ne!(singular("Market"), singular("Marketing"));
    assert_eq!(folded("»"), norm("»"));
}

#[test]
fn concepts_have_the_verdict_of_their_label_or_else_of_a_form() {
    let run = taxonomy(
        &[
            (&["Sport"], 3),
            (&["Politics", "Politics Home"], 2),
            (&["Headlines", "News"], 2),
            (&["Mars"], 2),
            (&["Opera"], 2),
            (&["Tennis"], 1),
        ],
        &[],
    );
    let Score { all, shared, unjudged, .. } = score(&run);
    let counts = [(Verdict::Subject, 3), (Verdict::Form, 1), (Verdict::Broken, 1)];
    assert_eq!(all.by_verdict, BTreeMap::from(counts));
    assert_eq!((all.concepts, all.unjudged, all.precision), (6, 1, Figure(Some(0.6))));
    assert_eq!((shared.concepts, shared.precision), (5, Figure(Some(0.5))));
    assert_eq!(labels(&unjudged), ["Opera"]);
}

#[test]
fn recall_counts_the_labels_that_the_file_calls_subjects() {
    let all = score(&of_labels(&["Sport", "Love", "US"], &[])).all;
    assert_eq!((all.hit, all.wanted), (4, 7));
    assert_eq!(all.missing, ["Food + Drink", "Politics", "tennis"]);
}

#[test]
fn a_concept_on_one_site_finds_no_shared_subject() {
    let Score { all, shared, .. } = score(&taxonomy(&[(&["Sports"], 1), (&["Tennis"], 2)], &[]));
    assert_eq!((all.hit, shared.hit), (2, 1));
}

#[test]
fn filled_in_lines_are_judgements_that_win() {
    let run =
        of_labels(&["Sports", "Opera", "News", "Mars", "Mar"], &[("Opera", "Sports"), ("Opera", "News")]);
    let open = score(&run).unjudged;
    assert_eq!(labels(&open), ["Opera", "Opera > Sports", "Opera > News"]);
    let lines: Vec<String> = open.iter().map(|line| serde_json::to_string(line).unwrap()).collect();
    let filled = [
        lines[0].replace("null", r#""subject""#),
        lines[1].replace("null", r#""right""#),
        lines[2].clone(),
        r#"{"label": "Mars", "verdict": "subject"}"#.into(),
        r#"{"label": "news", "verdict": "debatable"}"#.into(),
        r#"{"label": "NEWS", "verdict": "broken"}"#.into(),
    ];
    let Score { all, is_a, unjudged, .. } = judge(&filled.join("\n")).score(&run, &[]);
    let counts = [(Verdict::Subject, 3), (Verdict::Broken, 1), (Verdict::Debatable, 1)];
    assert_eq!(all.by_verdict, BTreeMap::from(counts));
    assert_eq!(all.precision, Figure(Some(0.75)));
    // Recall is over the subjects of the main file.
    assert_eq!(all.wanted, 7);
    assert_eq!((is_a.right, is_a.hit, is_a.wanted_in_run), (1, 1, 1));
    assert_eq!(labels(&unjudged), ["Opera > News"]);
}

#[test]
fn a_line_that_is_no_judgement_says_what_is_expected() {
    let error = serde_json::from_str::<JudgedLine>(r#"{"label": "Opera", "verdict": "good"}"#).unwrap_err();
    assert!(error.to_string().contains("a line needs `label` and `verdict` (subject,"), "{error}");
}

#[test]
fn articles_count_under_their_best_concept() {
    let run = of_labels(&["Sports", "News", "Mar", "Opera"], &[]);
    let filed: &[&[&str]] =
        &[&["News", "Sports"], &["News", "Mar"], &["News", "Opera"], &["Opera"], &[], &["Sports"]];
    let filed: Vec<Vec<String>> =
        filed.iter().map(|labels| labels.iter().map(|label| (*label).into()).collect()).collect();
    let Score { articles, verdicts, unjudged, .. } = judge("").score(&run, &filed);
    let expected =
        ArticleScore { articles: 6, filed: 5, under_subjects: 2, under_others: 2, under_junk_only: 1 };
    assert_eq!(articles, expected);
    assert_eq!(verdicts[&Verdict::Form], [Listed { label: "News".into(), sites: 2, articles: 3 }]);
    assert!(matches!(unjudged.as_slice(), [JudgedLine::Concept { articles: 2, .. }]));
}

#[test]
fn articles_of_each_site_fall_out_for_one_reason() {
    let run = of_labels(&["Sports", "News", "Opera"], &[]);
    let article = |site: &str, concepts: &[&str], has_place| PlacedArticle {
        site: site.into(),
        language: Some("en".into()),
        concepts: concepts.iter().map(|label| (*label).into()).collect(),
        has_place,
        is_known: has_place,
    };
    let articles = [
        article("a.test", &["Sports", "News"], true),
        article("b.test", &["News"], true),
        article("b.test", &["News", "Opera"], true),
        article("b.test", &[], true),
        article("b.test", &[], false),
    ];
    let site = |site: &str, articles| SiteScore {
        site: site.into(),
        language: "en".into(),
        articles,
        ..SiteScore::default()
    };
    let expected = [
        SiteScore {
            without_place: 1,
            without_concept: 1,
            under_junk_only: 1,
            under_others: 1,
            known: 3,
            ..site("b.test", 4)
        },
        SiteScore { under_subjects: 1, ..site("a.test", 1) },
    ];
    assert_eq!(judge("").score_sites(&run, &articles), expected);
}

#[test]
fn groups_are_apart_if_the_run_has_several_concepts_of_them() {
    let apart = score(&of_labels(&["Politics", "politics home", "Sports"], &[])).same;
    let groups = vec![vec!["Politics".to_owned(), "politics home".to_owned()]];
    assert_eq!(apart, SameScore { groups: 3, one_concept: 1, absent: 1, apart: groups });
    let merged = score(&taxonomy(&[(&["Politics", "Politics Home"], 2)], &[])).same;
    assert_eq!(merged, SameScore { groups: 3, one_concept: 1, absent: 2, apart: Vec::new() });
}

#[test]
fn pairs_are_right_wrong_debatable_or_not_judged() {
    let names = ["World", "Sports", "Tennis", "Golf", "News", "US", "Politics"];
    let is_a = [
        ("World", "Sports"),
        ("News", "Sports"),
        ("US", "Politics"),
        ("World", "News"),
        // Follows from World > Sports > tennis.
        ("World", "Tennis"),
        // Was missing.
        ("Sports", "Golf"),
    ];
    let is_a = score(&of_labels(&names, &is_a)).is_a;
    assert_eq!((is_a.pairs, is_a.right, is_a.debatable, is_a.unjudged), (6, 3, 1, 1));
    assert_eq!(is_a.wrong, [("News".to_owned(), "Sports".to_owned())]);
    assert_eq!(is_a.precision, Figure(Some(0.75)));
    // Politics Home is no concept, and Sports > tennis is missed.
    assert_eq!((is_a.hit, is_a.wanted_in_run, is_a.wanted), (2, 3, 4));
    assert_eq!(is_a.missed, [("Sports".to_owned(), "tennis".to_owned())]);
}

#[test]
fn what_follows_from_a_run_is_found_and_what_it_merged_is_not_asked_for() {
    let found =
        score(&of_labels(&["World", "Sports", "Team"], &[("World", "Team"), ("Team", "Sports")])).is_a;
    assert_eq!((found.hit, found.wanted_in_run, found.wanted), (1, 1, 4));
    let merged = score(&taxonomy(&[(&["Politics", "Politics Home"], 2)], &[])).is_a;
    assert_eq!((merged.hit, merged.wanted_in_run, merged.wanted), (0, 0, 3));
    assert_eq!(merged.recall_in_run, Figure(None));
}

#[test]
fn the_judgements_of_the_lab_are_read_and_each_thing_is_judged_once() {
    let lines = include_str!("../../../labels/concepts.jsonl").lines();
    let lines: Vec<JudgedLine> = lines.map(|line| serde_json::from_str(line).unwrap()).collect();
    let named = lines.iter().map(|line| match line {
        JudgedLine::Concept { label, verdict, .. } => (folded(label), String::new(), verdict.is_some()),
        JudgedLine::Pair { broader, narrower, verdict, .. } => {
            (folded(broader), folded(narrower), verdict.is_some())
        }
    });
    let named: BTreeSet<_> = named.collect();
    assert_eq!(named.len(), lines.len());
    assert!(named.iter().all(|(_, _, is_judged)| *is_judged));
}
