use newslode_page::reading::Site;

use super::*;
use crate::mining::taxonomy::Form;

fn concept(n: usize, label: &str, parents: &[usize]) -> Concept {
    let key = |n: usize| format!("en:{n:03}");
    Concept {
        key: key(n),
        keys: vec![key(n)],
        label: label.into(),
        forms: vec![Form { text: label.into(), sites: 1, pages: 1 }],
        language: "en".into(),
        sites: (0..=n % 10).map(|site| Site::of_host(&format!("s{site}.test"))).collect(),
        score: 0.5,
        is_genre: false,
        parents: parents.iter().map(|parent| key(*parent)).collect(),
        parent: parents.first().map(|parent| key(*parent)),
        edited: Vec::new(),
        aligned: Vec::new(),
    }
}

/// A hundred concepts with labels of all lengths: eight wide trees of depth four, and ten single roots.
fn hundred() -> Taxonomy {
    let label = |n: usize| {
        "Broadcasting & the arts of public administration ".repeat(3)[..4 + n * 37 % 90].to_owned()
    };
    let concepts = (0..100).map(|n| match n {
        0..8 | 90.. => concept(n, &label(n), &[]),
        8..40 => concept(n, &label(n), &[n % 8]),
        40..70 => concept(n, &label(n), &[8 + n % 32, (n + 1) % 8]),
        _ => concept(n, &label(n), &[40 + n % 30]),
    });
    Taxonomy {
        support: 2,
        sites: 10,
        concepts: concepts.collect(),
        relations: Vec::new(),
        schemes: String::new(),
    }
}

#[test]
fn a_hundred_labels_are_drawn_without_overlap() {
    let taxonomy = hundred();
    let columns = columns(trees(&taxonomy));
    assert_eq!(columns.len(), 4);
    let lines: Vec<usize> = columns.iter().map(|column| column.iter().map(Vec::len).sum()).collect();
    assert_eq!(lines.iter().sum::<usize>(), 100);
    assert!(lines.iter().all(|lines| (12..=40).contains(lines)), "{lines:?}");
    for line in columns.iter().flatten().flatten() {
        // A line's words end before the bars of its column begin, and no two share a line.
        let words = line.left() + text_width(&line.label) + 14.0 + text_width(&line.note);
        assert!(words <= line.width() + 12.0, "{}", line.label);
        assert!(text_width(&line.label) <= WIDEST && text_width(&line.note) <= WIDEST);
    }
    let svg = tree_svg(&taxonomy);
    assert_eq!(svg.matches("<title>").count(), 100);
    assert_eq!(svg.matches("<path").count(), 82, "one edge for each concept that is no root");
    assert_eq!(svg.matches("also under").count(), 30);
    assert_eq!(svg.matches('&').count(), svg.matches("&amp;").count() + svg.matches("&#10;").count());
    assert_eq!(svg, tree_svg(&taxonomy));
}

#[test]
fn an_empty_taxonomy_and_a_deep_one_are_drawn() {
    assert!(tree_svg(&Taxonomy::default()).contains("0 concepts"));
    let concepts = (0..900).map(|n| concept(n, "x", &n.checked_sub(1).into_iter().collect::<Vec<_>>()));
    let deep = Taxonomy { concepts: concepts.collect(), sites: 10, ..Taxonomy::default() };
    assert_eq!(tree_svg(&deep).matches("<title>").count(), 900);
}

#[test]
fn genres_come_last_in_the_outline_and_in_the_picture() {
    // The genres are on more sites, and one of them has a genre below it.
    let genre = |n, label, parents: &[usize]| Concept { is_genre: true, ..concept(n, label, parents) };
    let concepts = vec![
        concept(1, "Sport", &[]),
        concept(2, "Europe", &[]),
        concept(3, "Chess", &[1]),
        genre(8, "Opinion", &[]),
        genre(9, "Video", &[]),
        genre(10, "Editorials", &[8]),
    ];
    let taxonomy = Taxonomy { sites: 10, concepts, ..Taxonomy::default() };
    let wanted = ["Europe", "Sport", "Chess", "Video", "Opinion", "Editorials"];
    let labels: Vec<&str> =
        taxonomy.in_order().into_iter().map(|(_, concept)| concept.label.as_str()).collect();
    assert_eq!(labels, wanted);
    let drawn: Vec<&str> =
        trees(&taxonomy).iter().flatten().map(|line| line.concept.label.as_str()).collect();
    assert_eq!(drawn, ["Sport", "Chess", "Europe", "Opinion", "Editorials", "Video"]);
}
