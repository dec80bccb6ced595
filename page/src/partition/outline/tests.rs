//! One small page for each principle: the result with it, and the result without it, by the rules alone.

use crate::hierarchy::{Hierarchy, NodeKind};

mod sections;

use super::*;
use crate::partition::Params;
use crate::partition::hierarchy;
use crate::testing::page;

fn made(html: &str, outline: OutlineParams) -> Hierarchy {
    let outline = OutlineParams { heads: false, ..outline };
    hierarchy(&page(html), &Params { outline, ..Params::default() })
}

/// The labels, indented by depth, without the nodes that carry none.
fn show(hierarchy: &Hierarchy) -> String {
    let mut depths: Vec<usize> = Vec::new();
    let mut out = String::new();
    for node in &hierarchy.nodes {
        let depth = node.parent.map_or(0, |parent| depths[parent as usize]);
        depths.push(depth + usize::from(node.label.is_some()));
        if let Some(label) = &node.label {
            out.push_str(&format!("{}{}\n", " ".repeat(depth), label.text));
        }
    }
    out
}

#[track_caller]
fn check(html: &str, expected: &str) {
    assert_eq!(show(&made(html, OutlineParams::default())), expected, "{html}");
}

/// Checks the outline with all evidence, and without one kind of it.
#[track_caller]
fn check_without(html: &str, switch: impl Fn(&mut OutlineParams), expected: &str, without: &str) {
    check(html, expected);
    let mut params = OutlineParams::default();
    switch(&mut params);
    assert_eq!(show(&made(html, params)), without, "without: {html}");
}

#[test]
fn a_stronger_heading_first_in_its_box_heads_the_rest() {
    check_without(
        "<div><h2>World</h2><h3>Storm</h3><p>It rains.<p>It pours.</div><ul><li>a<li>b</ul>",
        |params| params.lone_first = false,
        "World\n Storm\n  It rains.\n  It pours.\na\nb\n",
        "World\nStorm\nIt rains.\nIt pours.\na\nb\n",
    );
}

#[test]
fn a_class_that_says_title_makes_a_heading() {
    check_without(
        "<div><div class=box-title>World</div><p>one</p><ul><li>two<li>three</ul></div>",
        |params| params.words = false,
        "World\n one\n  two\n  three\n",
        "World\none\ntwo\nthree\n",
    );
}

#[test]
fn like_siblings_never_head_one_another() {
    check_without(
        "<ul><li><h3><a href=/a>Storm hits the coast</a></h3><li><a href=/b>Cup</a><li><a href=/c>Tour</a><p>text</ul>",
        |params| params.like_siblings = false,
        "Storm hits the coast\nCup\nTour\n text\n",
        "Storm hits the coast\n Cup\n Tour\n  text\n",
    );
}

#[test]
fn headings_of_one_style_head_what_follows_each() {
    check_without(
        "<div><p>intro</p><h2>A</h2><p>a<p>aa<h2>B</h2><p>b</div>",
        |params| params.following = false,
        "intro\nA\n a\n aa\nB\n b\n",
        "intro\nA\na\naa\nB\nb\n",
    );
}

#[test]
fn a_record_stands_under_its_strongest_label_wherever_that_is() {
    let record = |n: u32| {
        format!(
            "<div class=story><a href=/{n}><img alt=Pic{n}></a><h3><a href=/{n}>Story {n}</a></h3><p>Text {n}</p></div>"
        )
    };
    let html = [record(1), record(2)].concat();
    check_without(
        &html,
        |params| (params.records, params.lone_first) = (false, false),
        "Story 1\n Pic1\n Text 1\nStory 2\n Pic2\n Text 2\n",
        "Pic1\nStory 1\nText 1\nPic2\nStory 2\nText 2\n",
    );
}

#[test]
fn a_label_before_a_list_heads_it_whatever_its_look() {
    check_without(
        "<div><p>Topics</p><ul><li><a href=/a>A</a><li><a href=/b>B</a></ul></div><p class=z>end",
        |params| params.label_and_list = false,
        "Topics\n A\n B\nend\n",
        "Topics\nA\nB\nend\n",
    );
    check(
        "<ul><li><a href=/n>News</a><ul><li><a href=/w>World</a><li><a href=/l>Local</a></ul><li><a href=/s>Sport</a></ul>",
        "News\n World\n Local\nSport\n",
    );
}

#[test]
fn entries_and_lists_in_turn_are_sections() {
    check(
        "<div><p><a href=/s>Sport</a></p><ul><li>Cup<li>Tour</ul><p><a href=/m>Money</a></p><ul><li>Bank<li>Tax</ul></div>",
        "Sport\n Cup\n Tour\nMoney\n Bank\n Tax\n",
    );
}

#[test]
fn a_list_of_its_equals_ends_a_headings_scope() {
    check_without(
        "<div><h4><a href=/a>Lead</a></h4><p>text<ul><li><h4><a href=/b>B</a></h4><li><h4><a href=/c>C</a></h4></ul></div>",
        |params| params.peers = false,
        "Lead\n text\nB\nC\n",
        "Lead\ntext\nB\nC\n",
    );
}

#[test]
fn before_one_headline_everywhere_a_heading_is_its_kicker() {
    let story = |n: u32| {
        format!("<div class=s><h2>Kick {n}</h2><h3><a href=/{n}>Story {n}</a></h3><p>Text {n}</p></div>")
    };
    let html: String = (1..4).map(story).collect();
    let expected: String = (1..4).map(|n| format!("Story {n}\n Kick {n}\n Text {n}\n")).collect();
    let without: String = (1..4).map(|n| format!("Kick {n}\n Story {n}\n  Text {n}\n")).collect();
    check_without(&html, |params| params.votes = false, &expected, &without);
}

#[test]
fn a_style_that_begins_lists_all_over_the_page_leads_them() {
    let list = |n: u32| {
        format!(
            "<ul><li><a class=item href=/{n}>Sec {n}</a><li><a href=/{n}/a>one {n}</a><li><a href=/{n}/b>two {n}</a></ul>"
        )
    };
    let html: String = (1..4).map(list).collect();
    let expected: String = (1..4).map(|n| format!("Sec {n}\n one {n}\n two {n}\n")).collect();
    let without: String = (1..4).map(|n| format!("Sec {n}\none {n}\ntwo {n}\n")).collect();
    check_without(&html, |params| params.votes = false, &expected, &without);
}

#[test]
fn a_column_without_a_heading_goes_on_with_the_one_before() {
    check_without(
        "<div class=c><h2>Shows</h2><ul><li><a href=/a>A</a><li><a href=/b>B</a></ul></div>\
         <div class=c><ul><li><a href=/x>X</a><li><a href=/y>Y</a></ul></div>",
        |params| params.lead_in = false,
        "Shows\n A\n B\n X\n Y\n",
        "Shows\n A\n B\nX\nY\n",
    );
}

#[test]
fn classes_that_only_set_a_margin_make_nothing_alike() {
    check(
        "<ul><li><div class='headline red big pb'><h2>Storm</h2></div><div class='byline grey tiny pb'>By Ann</div>\
         <li><div class='headline red big pb'><h2>Flood</h2></div><div class='byline grey tiny pb'>By Bob</div></ul>",
        "Storm\n By Ann\nFlood\n By Bob\n",
    );
}

#[test]
fn the_sites_name_heads_nothing() {
    let rest: String =
        (0..9).map(|n| format!("<p><a href=https://www.daily.test/{n}>L{n}</a></p>")).collect();
    let listed: String = (0..9).map(|n| format!("L{n}\n")).collect();
    let under: String = (0..9).map(|n| format!(" L{n}\n")).collect();
    check_without(
        &format!("<div><h1>Daily</h1><div>{rest}</div></div>"),
        |params| params.site_name = false,
        &format!("Daily\n{listed}"),
        &format!("Daily\n{under}"),
    );
}

#[test]
fn header_cells_head_columns() {
    check_without(
        "<table><tr><th>Index</th><th>Now</th></tr><tr><td>DAX</td><td>7</td></tr><tr><td>Dow</td><td>9</td></tr></table>",
        |params| params.tables = false,
        "Index\n DAX\n Dow\nNow\n 7\n 9\n",
        "Index\nNow\nDAX\n7\nDow\n9\n",
    );
    check(
        "<table><tr><td>East<td>West<tr><td><ul><li>a<li>b</ul><td><ul><li>c<li>d</ul></table>",
        "East\n a\n b\nWest\n c\n d\n",
    );
}

#[test]
fn records_of_data_tables_stand_under_their_headers() {
    let row = |name: &str, price: &str| format!("<tr><td>{name}<td>{price}<td>Mon");
    let rows = [row("DAX", "7,012.5"), row("Dow", "9,113.2"), row("Nikkei", "8,090.1")].concat();
    let html = format!("<h2>Markets</h2><table border=1><tr><td><b>Index<td><b>Now<td><b>Day{rows}</table>");
    check_without(
        &html,
        |params| params.tables = false,
        "Markets\n Index\n  DAX\n  Dow\n  Nikkei\n Now\n  7,012.5\n  9,113.2\n  8,090.1\n Day\n  Mon\n  Mon\n  Mon\n",
        "Markets\n Index\n Now\n Day\n DAX\n 7,012.5\n Mon\n Dow\n 9,113.2\n Mon\n Nikkei\n 8,090.1\n Mon\n",
    );
}

#[test]
fn a_page_title_leaves_the_parts_to_the_headings_below_it() {
    let part = |name: &str| {
        let stories: String = (0..16).map(|n| format!("<div><h4><a href=/{name}{n}>{name} {n}</a></h4><img alt=Rain src=x><p>It rains.</p></div>")).collect();
        format!("<h2>{name}</h2><div>{stories}</div>")
    };
    let html = format!("<main><h1>Science</h1><p>updated today</p>{}{}</main>", part("Space"), part("Earth"));
    let shown = show(&made(&html, OutlineParams::default()));
    assert!(shown.starts_with("Science\nupdated today\nSpace\n Space 0\n"), "{shown}");
    assert!(shown.contains("\nEarth\n Earth 0\n"), "{shown}");
}

#[test]
fn decoration_stands_aside() {
    check_without(
        "<div><span>•</span><p>Menu</p><span>|</span><ul><li><a href=/a>A</a><li><a href=/b>B</a></ul></div>",
        |params| params.decoration = false,
        "Menu\n •\n |\n A\n B\n",
        "•\nMenu\n|\nA\nB\n",
    );
}

#[test]
fn markup_does_not_split_a_label() {
    check_without(
        "<h2><a href=/x>Top <b>stor</b>ies</a></h2><p>said <i>one</i> man in the street</p>",
        |params| params.merge = false,
        "Top stories\n said one man in the street\n",
        "Top\n stor\n ies\n said\n one\n man in the street\n",
    );
}

#[test]
fn what_is_set_off_inside_a_line_is_a_label_of_its_own() {
    check(
        "<div><h3><a href=/x>Burglar caught</a> <span class=duration>0:38</span></h3></div>",
        "Burglar caught\n 0:38\n",
    );
}

#[test]
fn no_weak_heading_heads_a_large_part_of_the_page() {
    let part = |n: u32| format!("<p><a href=/{n}>L{n}</a></p><section>text {n}<b>b</b></section>");
    let html = format!("<div><strong>Menu</strong>{}</div>", (0..60).map(part).collect::<String>());
    let top = |outline: OutlineParams| {
        let hierarchy = made(&html, outline);
        hierarchy
            .nodes
            .iter()
            .position(|node| node.label.as_ref().is_some_and(|label| label.text == "Menu"))
            .map(|at| hierarchy.children(at).count())
    };
    assert_eq!(top(OutlineParams::default()), Some(0));
    assert_ne!(top(OutlineParams { overreach: 100, ..OutlineParams::default() }), Some(0));
}

#[test]
fn like_siblings_are_groups_and_blocks_are_segments() {
    let list = |name: &str| {
        let items: String = (0..12).map(|n| format!("<li><a href=/{name}{n}>{name}{n}</a>")).collect();
        format!("<div class={name}><h2>{name}</h2><ul>{items}</ul></div>")
    };
    let hierarchy = made(&[list("a"), list("b"), list("c")].concat(), OutlineParams::default());
    let count = |kind: NodeKind| hierarchy.nodes.iter().filter(|node| node.kind == kind).count();
    assert_eq!(hierarchy.boundaries, [13, 26]);
    assert_eq!((count(NodeKind::Segment), count(NodeKind::Partition), count(NodeKind::Group)), (3, 3, 3));
    assert_eq!(count(NodeKind::Label), 36);
}

#[test]
fn a_page_of_few_leaves_is_one_block() {
    assert!(made("", OutlineParams::default()).boundaries.is_empty());
    let one = made("<p>one", OutlineParams::default());
    assert_eq!((one.boundaries.len(), show(&one).as_str()), (0, "one\n"));
}

/// Pages that invite quadratic work: each must finish within a test's time.
#[test]
fn hostile_pages_are_done_in_time() {
    let many = 60_000;
    let pages = [
        "<p>x".repeat(many),
        "<h2 class=a>x<h3 class=b>y".repeat(many / 2),
        format!("{}x", "<div><b>y</b>".repeat(500)).repeat(100),
        format!("<div>{}", "<b>x</b>".repeat(20)).repeat(400) + &"<li><h3>x</h3><p>y".repeat(many / 4),
        "<span>x".repeat(many / 10),
        "<table><tr><th>a<th>b".to_owned() + &"<tr><td>1<td>2<td>3".repeat(many / 3),
        (0..many / 2).map(|n| format!("<p class=c{n}>x")).collect(),
        "<p>| ".repeat(many) + "x",
    ];
    for html in pages {
        let page = page(&html);
        let hierarchy = hierarchy(&page, &Params::default());
        assert_eq!(hierarchy.check(), Ok(()));
        assert_eq!(hierarchy.leaves as usize, page.leaves.len());
    }
}

/// Found by fuzzing: a row whose cells went into columns was examined again.
#[test]
fn rows_that_went_into_columns_are_no_chain_any_more() {
    let html = "<table><th>A<th>B<tr><td>1<td>2<n>3<td>t<dt>K<dd>V<t>K<d>V<o>3<tr><td>l";
    let made = made(html, OutlineParams::default());
    assert_eq!(made.check(), Ok(()));
    let labels = made.nodes.iter().filter_map(|node| node.label.as_ref());
    let mut leaves: Vec<u32> = labels.flat_map(|label| label.leaves.clone()).collect();
    leaves.sort_unstable();
    assert!(leaves.into_iter().eq(0..made.leaves));
}
