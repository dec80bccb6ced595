//! Pages as input; tags and pairs as output.

use proptest::prelude::*;

use super::*;
use crate::testing::{page, pages};

/// The letters of one page's tags.
fn letters(html: &str) -> String {
    tags(&[page(html)])[0].iter().map(|tag| tag.letter()).collect()
}

#[track_caller]
fn check(html: &str, expected: &str) {
    assert_eq!(letters(html), expected, "{html}");
}

/// The pairs of the first of several pages that one template makes from different values.
fn first_pairs(template: &str, values: &[[&str; 3]]) -> Vec<(String, String)> {
    let fill = |values: &[&str; 3]| {
        let html = template.replace("{0}", values[0]).replace("{1}", values[1]).replace("{2}", values[2]);
        page(&html)
    };
    let pages: Vec<Page> = values.iter().map(fill).collect();
    pairs(&pages)[0].iter().map(|pair| (pair.label.clone(), pair.value.clone())).collect()
}

const RIVERS: [[&str; 3]; 4] = [
    ["Aare", "288 km", "Rhine"],
    ["Ticino", "248 km", "Po"],
    ["Reuss", "164 km", "Aare"],
    ["Thur", "131 km", "Rhine"],
];

#[track_caller]
fn check_pairs(template: &str) {
    let found = first_pairs(template, &RIVERS);
    let expected = [("Length".to_owned(), "288 km".to_owned()), ("Mouth".to_owned(), "Rhine".to_owned())];
    assert_eq!(found, expected, "{template}");
}

#[test]
fn headings_name_the_lists_under_them() {
    check("<title>Ann Lee</title><h1>Ann Lee</h1>Reader<h2>Books</h2><ul><li>One<li>Two</ul>", "CVAVV");
    check("<h1>Course</h1><h2>Staff</h2><ul><li>Ann</ul><h2>Rooms</h2><p>12", "CAVAV");
}

#[test]
fn headings_under_the_title_that_head_nothing_are_values() {
    check("<h1>Course</h1><h3>Spring Term</h3><hr><h2>Staff</h2><p>Ann", "CVAV");
}

#[test]
fn a_colon_or_a_change_of_face_ends_an_inline_label() {
    check("<h1>T</h1><p>Phone: <a>12 34</a><br><b>Room</b> 7<br>plain <b>bold</b> text", "CAVAVVVV");
    check("<h1>T</h1><table><tr><td><b>Area</b><td>12<tr><td><b>People</b><td>7</table>", "CAVAV");
    check("<h1>T</h1><font size=+1>News</font><br>old<br>older", "CAVV");
    check("<h1>T</h1><dl><dt>Area<dd>12<dt>People<dd>7</dl>", "CAVAV");
}

#[test]
fn links_in_a_list_without_a_heading_name_what_they_lead_to() {
    let list = "<ul><li><a href=/a>Papers</a><li><a href=/b>Talks</a></ul>";
    check(&format!("<h1>Ann</h1>Reads logic.{list}"), "CVAA");
    check(&format!("<h1>Ann</h1><h2>Work</h2>{list}<h2>Mail</h2><p>x"), "CAVVAV");
}

#[test]
fn without_headings_the_line_that_says_the_title_is_the_concept() {
    check("<title>Ann Lee, Reader</title><p>University<p><b>Ann Lee</b><p>text", "VCV");
}

#[test]
fn emphasis_around_a_list_makes_no_labels() {
    check("<h1>T</h1><h2>Areas</h2><ul><h4><li>Logic<li>Sets</h4></ul>", "CAVV");
}

#[test]
fn what_speaks_of_the_page_is_none() {
    check("<h1>T</h1><p>text<hr>Last modified: May 7<br><a href='mailto:a@b.test'>Ann</a>", "CVNN");
    check("<a href=/>Home</a> | <a href=/x>Staff</a><h1>T</h1><p>text [<a href=/y>y</a>]", "NNNCVVN");
}

#[test]
fn pairs_are_found_in_any_layout() {
    for template in [
        "<h1>{0}</h1><p><b>Length:</b> {1}<br><b>Mouth:</b> {2}<p>A river.",
        "<h1>{0}</h1><h2>Length</h2><ul><li>{1}</ul><h2>Mouth</h2><ul><li>{2}</ul>",
        "<h1>{0}</h1><dl><dt>Length<dd>{1}<dt>Mouth<dd>{2}</dl>",
        "<h1>{0}</h1><table><tr><th>Length<td>{1}<tr><th>Mouth<td>{2}</table>A river.",
        "<h1>{0}</h1><table><tr><td>Length<td>{1}<tr><td>Mouth<td>{2}</table>A river.",
        "<h1>{0}</h1><div><span>Length</span> <span>{1}</span></div><div><span>Mouth</span> <span>{2}</span></div>",
        "<h1>{0}</h1><div>Length</div><div>{1}</div><div>Mouth</div><div>{2}</div>",
        "<h1>{0}</h1><ul><li>Length: {1}<li>Mouth: {2}</ul>",
        "<h1>{0}</h1><table><tr><td><a href=/l>Length</a>:<tr><td>{1}<tr><td><a href=/m>Mouth</a>:<tr><td>{2}</table>",
    ] {
        check_pairs(template);
    }
}

#[test]
fn an_attribute_of_one_page_looks_like_the_others() {
    let row = |label: &str, value: &str| format!("<div class=k>{label}</div><div class=v>{value}</div>");
    let html = |values: &[&str; 3]| {
        let rows = [
            row("Length", values[1]),
            row("Mouth", values[2]),
            row("Source", &format!("{} Glacier", values[0])),
        ];
        format!("<h1>{}</h1>{}", values[0], rows.concat())
    };
    let mut pages: Vec<Page> = RIVERS[1..].iter().map(|values| page(&html(values))).collect();
    pages.push(page(&format!("{}{}", html(&RIVERS[0]), row("Bridges", "seven"))));
    let found = pairs(&pages);
    let last = found[3].last().map(|pair| (&*pair.label, &*pair.value));
    assert_eq!(last, Some(("Bridges", "seven")));
}

proptest! {
    #[test]
    fn every_leaf_has_a_tag_and_no_pair_is_empty(pages in prop::collection::vec(pages(40), 1..5)) {
        for (page, tags) in pages.iter().zip(tags(&pages)) {
            prop_assert_eq!(tags.len(), page.leaves.len());
        }
        for pair in pairs(&pages).into_iter().chain(print::pairs(&pages)).flatten() {
            prop_assert!(!pair.label.is_empty() && !pair.value.is_empty(), "{:?}", pair);
        }
    }
}

#[test]
fn headings_that_vary_from_page_to_page_are_values() {
    let html = |stories: [&str; 2]| {
        let story = |title: &str| format!("<h3><a href=/{title}>{title}</a></h3><p>About {title}.");
        page(&format!("<h1>News</h1><h2>Latest</h2>{}<h2>Older</h2><p>None.", stories.map(story).concat()))
    };
    let pages = [html(["Rain", "Snow"]), html(["Wind", "Hail"]), html(["Frost", "Sleet"])];
    let letters: String = tags(&pages)[0].iter().map(|tag| tag.letter()).collect();
    assert_eq!(letters, "CAVVVVAV");
}

#[test]
fn an_aside_takes_its_line_and_the_field_goes_on() {
    let html = "<h1>T</h1><div>Exports:</div><div>12</div><span>Rank: <a>3</a></span><div>13</div>";
    let found = pairs(&[page(html)]);
    let found: Vec<(&str, &str)> = found[0].iter().map(|pair| (&*pair.label, &*pair.value)).collect();
    assert_eq!(found, [("Exports", "12"), ("Rank", "3"), ("Exports", "13")]);
}

#[test]
fn values_end_with_their_list_even_where_an_outer_one_was_never_closed() {
    for html in [
        "<h1>T</h1><h2>Help</h2><ul><li>Ann</ul><p>Room 5<h2>Mail</h2><ul><li>x</ul>",
        "<h1>T</h1><ul><h2>Help</h2><ul><li>Ann</ul><p>Room 5<h2>Mail</h2><ul><li>x</ul>",
    ] {
        let found = pairs(&[page(html)]);
        let found: Vec<(&str, &str)> = found[0].iter().map(|pair| (&*pair.label, &*pair.value)).collect();
        assert_eq!(found, [("Help", "Ann"), ("Mail", "x")], "{html}");
    }
}

#[test]
fn a_page_that_repeats_its_name_has_it_as_concept() {
    let html = |name: &str, value: &str| {
        let part = |title: &str| format!("<p><i>{title} <u>{name}</u></i><p>Size:<p>{value} of {title}");
        page(&format!(
            "<p><a href=/>World</a> <s>{name}</s>{}{}{}",
            part("Land"),
            part("People"),
            part("Trade")
        ))
    };
    let pages = [html("Chad", "1"), html("Mali", "2"), html("Togo", "3"), html("Peru", "4")];
    for tags in tags(&pages) {
        let letters: String = tags.iter().map(|tag| tag.letter()).collect();
        assert_eq!(letters, format!("NC{}", "ACAV".repeat(3)));
    }
}

#[test]
fn pages_of_others_change_nothing_for_a_page_alone() {
    let one = page("<h1>T</h1><p>Phone: <a>12</a>");
    let alone = tags(std::slice::from_ref(&one));
    assert_eq!(alone[0], tags(&[one.clone(), one])[0]);
}
