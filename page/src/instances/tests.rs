//! Small pages made by hand: a menu, an instance, a footer.

use super::*;
use crate::testing::page_at;

const MENU: &str =
    "<ul><li><a href=/1>Home</a><li><a href=/2>News</a><li><a href=/3>Travel</a><li><a href=/4>Jobs</a></ul>";
const FOOT: &str = "<p><i>All rights</i><p><i>Imprint</i><p><i>Contact</i>";

/// A hotel with its attributes.
fn hotel(name: &str, street: &str, rooms: &str) -> Page {
    let html = format!(
        "{MENU}<table><tr><td>{name}<tr><td><b>Address:</b><tr><td>{street}<tr><td><b>Rooms:</b><tr><td>{rooms}</table>{FOOT}"
    );
    page_at(&format!("https://hotels.example/{}", name.replace(' ', "-")), &html)
}

fn hotels() -> [Page; 4] {
    [
        hotel("Grand Palace", "Harbour Street 12", "140 doubles, quiet"),
        hotel("Blue Anchor", "Mill Lane 7", "9 singles above the river"),
        hotel("Old Mill", "Castle Hill 80", "33 suites with a view"),
        hotel("Sea View", "Long Beach 4", "60 of all kinds"),
    ]
}

fn story(title: &str, text: &str) -> Page {
    page_at("https://hotels.example/s", &format!("{MENU}<div><h2>{title}</h2><div>{text}</div></div>{FOOT}"))
}

fn pair(pages: &[Page], a: usize, b: usize) -> (&Page, &Page) {
    (&pages[a], &pages[b])
}

#[test]
fn what_is_not_alike_is_the_instance() {
    let pages = hotels();
    let template = InstanceTemplate::new(&[pair(&pages, 0, 1)], &Params::paper()).unwrap();
    assert!(template.paths.iter().any(|path| path.ends_with("tr/td")), "{template:?}");
    assert!(!template.paths.iter().any(|path| path.contains("ul") || path == "p/i"), "{template:?}");
    assert_eq!(template.groups, 1);
}

#[test]
fn the_set_that_most_groups_have_is_the_template() {
    let pages = hotels();
    let others = [story("One", "It rains again."), story("Two", "Trains are late today.")];
    let groups = [pair(&others, 0, 1), pair(&pages, 0, 1), pair(&pages, 2, 3)];
    let template = InstanceTemplate::new(&groups, &Params::paper()).unwrap();
    assert_eq!(template.groups, 2);
    assert!(template.paths.iter().all(|path| path.contains("table")), "{template:?}");
}

#[test]
fn attributes_are_headed_by_what_all_pages_say() {
    let pages = hotels();
    let template = InstanceTemplate::new(&[pair(&pages, 0, 1)], &Params::paper()).unwrap();
    let all: Vec<&Page> = pages.iter().collect();
    let instances = template.instances(&all);
    let found = &instances[2];
    let value = |label: &str| {
        let of = |attribute: &&Attribute| attribute.label.as_deref() == Some(label);
        found.attributes.iter().find(of).map(|attribute| attribute.values.join("|"))
    };
    assert_eq!(value("Address").as_deref(), Some("Castle Hill 80"), "{found:?}");
    assert_eq!(value("Rooms").as_deref(), Some("33 suites with a view"), "{found:?}");
    assert_eq!(
        (found.attributes[0].label.as_deref(), &found.attributes[0].values[..]),
        (None, &["Old Mill".to_owned()][..])
    );
    assert_eq!(found.url, "https://hotels.example/Old-Mill");
}

#[test]
fn equal_pages_and_none_give_no_template() {
    let pages = hotels();
    assert_eq!(InstanceTemplate::new(&[pair(&pages, 0, 0)], &Params::paper()), None);
    assert_eq!(InstanceTemplate::new(&[], &Params::paper()), None);
    let empty = page_at("https://a.example/", "");
    assert_eq!(InstanceTemplate::new(&[(&empty, &empty)], &Params::paper()), None);
}

#[test]
fn alignments_are_the_cheapest() {
    let sets = |texts: &[&str]| -> Vec<BTreeSet<String>> {
        texts.iter().map(|text| BTreeSet::from_iter(words(text))).collect()
    };
    let check = |a: &[&str], b: &[&str], expected: &[(usize, usize)]| {
        assert_eq!(align_segments(&sets(a), &sets(b)), expected, "{a:?} {b:?}");
    };
    check(&["menu", "story", "foot"], &["menu", "other", "foot"], &[(0, 0), (1, 1), (2, 2)]);
    check(&["menu", "advert", "foot"], &["menu", "foot"], &[(0, 0), (2, 1)]);
    check(&[], &["menu"], &[]);
}

#[test]
fn links_at_one_path_are_a_group() {
    let page = page_at(
        "https://hotels.example/rome",
        "<ul><li><a href=/a>A</a><li><a href=/b>B</a><li><a href=https://other.example/>C</a></ul>\
         <div><h3><a href=/c>Grand</a></h3><p><a href=/c>more</a></div><div><h3><a href=/d>Old</a></h3></div>",
    );
    let groups = link_groups(&page);
    let paths: Vec<Vec<&str>> =
        groups.iter().map(|group| group.iter().map(CanonicalUrl::path).collect()).collect();
    assert_eq!(paths, [vec!["/a", "/b"], vec!["/c", "/d"]]);
}

/// The instances that a template with all paths of the pages reads.
fn attributes_of(pages: &[Page]) -> Vec<Vec<(Option<String>, String)>> {
    let all: Vec<&Page> = pages.iter().collect();
    let paths = all.iter().flat_map(|page| path_names(page)).collect();
    let instances = InstanceTemplate { paths, groups: 1 }.instances(&all);
    let pairs = |instance: Instance| {
        let pair = |attribute: Attribute| (attribute.label, attribute.values.join("|"));
        instance.attributes.into_iter().map(pair).collect()
    };
    instances.into_iter().map(pairs).collect()
}

fn pairs(expected: &[(Option<&str>, &str)]) -> Vec<(Option<String>, String)> {
    expected.iter().map(|(label, value)| (label.map(str::to_owned), (*value).to_owned())).collect()
}

#[test]
fn what_many_pages_say_is_decoration_unless_it_is_short_or_leads_to_one_page() {
    let story = |at: u32, title: &str, author: &str, text: &str| {
        let html = format!(
            "<h1>{title}</h1><p>By <a href=/{author}>{author}</a><p><a href=https://share.example/{at}>Share</a>\
             <p><a href=/news>News</a><p><a href=/{at}/say>Comments</a><p><button>Close</button>\
             <p>{text}<p>We would like to hear what you think of this page."
        );
        page_at(&format!("https://papers.example/{at}"), &html)
    };
    let pages = [
        story(1, "Rain", "Ann", "It rains again over all of the town."),
        story(2, "Trains", "Bob", "Trains are late today because of the rain."),
        story(3, "Cats", "Cy", "A cat sat on the rails for an hour."),
    ];
    assert_eq!(
        attributes_of(&pages)[0],
        pairs(&[(None, "Rain"), (Some("By"), "Ann"), (None, "News|It rains again over all of the town."),])
    );
}

#[test]
fn subheads_are_labels_and_headlines_are_none() {
    let html = "<h1>Old Mill</h1><p>The mill is as old as the town itself.<h2>How you get to the mill from the town</h2>\
                <p>Take the bus.<p><b>It is</b> <a href=/far>far</a> on foot, and there is no shade at all.\
                <p><b>Open:</b> all day<p>Bring water.<p><a href=/9>Seven hotels close before the summer has begun</a>";
    let pages = [page_at("https://hotels.example/1", html)];
    assert_eq!(
        attributes_of(&pages)[0],
        pairs(&[
            (None, "Old Mill|The mill is as old as the town itself."),
            (
                Some("How you get to the mill from the town"),
                "Take the bus.|It is far on foot, and there is no shade at all."
            ),
            (Some("Open"), "all day"),
            (Some("How you get to the mill from the town"), "Bring water."),
        ])
    );
}

#[test]
fn what_stands_between_paragraphs_is_content() {
    let html =
        "<div><p>You need for the way:<ul><li>water<li>a hat</ul><p>Start early.</div><ul><li>Imprint</ul>";
    let page = page_at("https://hotels.example/1", html);
    let template = InstanceTemplate { paths: BTreeSet::from(["div/p".to_owned()]), groups: 1 };
    let found = template.instances(&[&page]).remove(0).attributes;
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].values, ["You need for the way:", "water", "a hat", "Start early."]);
}

#[test]
fn a_day_that_many_pages_share_is_a_value() {
    let story = |at: u32, text: &str| {
        page_at(&format!("https://papers.example/{at}"), &format!("<p>{text}<p>Published<p>3 May 2017"))
    };
    let found = attributes_of(&[story(1, "It rains again."), story(2, "Trains are late.")]);
    assert_eq!(found[0], pairs(&[(None, "It rains again."), (Some("Published"), "3 May 2017")]));
}
