//! Pages as input, outlines as output.

use crate::hierarchy::NodeKind;
use proptest::prelude::*;

use super::GroupCost;
use super::*;
use crate::testing::{page, pages};

/// The labels, indented by depth. An unlabelled node is `*` (segment), `-` (partition) or `+` (group).
fn outline(hierarchy: &Hierarchy) -> String {
    let mut depths: Vec<usize> = Vec::new();
    let mut out = String::new();
    for node in &hierarchy.nodes {
        let depth = node.parent.map_or(0, |parent| depths[parent as usize] + 1);
        depths.push(depth);
        let sign = match node.kind {
            NodeKind::Page => continue,
            NodeKind::Segment => "*",
            NodeKind::Partition => "-",
            NodeKind::Group => "+",
            NodeKind::Label => "",
        };
        let text = node.label.as_ref().map_or("", |label| label.text.as_str());
        out.push_str(&format!("{}{sign}{text}\n", " ".repeat(depth - 1)));
    }
    out
}

#[track_caller]
fn check(html: &str, params: &Params, expected: &str) {
    assert_eq!(outline(&hierarchy(&page(html), params)), expected, "{html}");
}

/// The paper's parameters with these for its methods.
fn with(papers: PaperParams) -> Params {
    Params { papers, ..Params::paper() }
}

/// The dynamic program with the mean of the factors as cost for grouping.
fn dp() -> Params {
    with(PaperParams { group_cost: GroupCost::Mean, ..PaperParams::default() })
}

const MENU: &str = "<div><h3>Sport</h3><ul><li><a>Cup</a><li><a>Tour</a><li><a>Race</a></ul></div>";

#[test]
fn an_emphasised_first_child_heads_its_siblings() {
    check(MENU, &dp(), "*Sport\n +\n  Cup\n  Tour\n  Race\n");
    check(MENU, &Params::default(), "*\n -Sport\n  +\n   Cup\n   Tour\n   Race\n");
}

#[test]
fn the_flat_method_lists_the_leaves_of_each_segment() {
    let params = Params { method: Method::Flat, ..Params::paper() };
    check("<h1>T</h1><li>a<li>b<li>c<p>x<p>y<p>z<p>w", &params, "*\n T\n a\n b\n c\n*\n x\n y\n z\n w\n");
}

#[test]
fn grouping_by_the_sum_is_stricter_than_by_the_mean() {
    let html = "<ul><li><a>Cup</a><li><a>Tour</a></ul>";
    let mean = dp();
    check(html, &mean, "*\n +\n  Cup\n  Tour\n");
    check(html, &Params::paper(), "*Cup\n Tour\n");
}

#[test]
fn a_scope_over_the_limit_is_cut_and_the_page_says_so() {
    let params = with(PaperParams { max_dp_leaves: 2, ..dp().papers });
    let cut = hierarchy(&page(MENU), &params);
    assert_eq!(cut.coarse, ["leaves"]);
    assert!(hierarchy(&page(MENU), &dp()).coarse.is_empty());
}

#[test]
fn without_steps_a_segment_is_left_flat() {
    let params = with(PaperParams { max_steps: 0, ..dp().papers });
    let flat = hierarchy(&page(MENU), &params);
    assert_eq!(outline(&flat), "*\n Sport\n Cup\n Tour\n Race\n");
    assert_eq!(flat.coarse, ["leaves"]);
}

#[test]
fn repeated_records_are_groups_under_their_headers() {
    let record = |day: &str| format!("<div><h3>{day}</h3><ul><li><a>one</a><li><a>two</a></ul></div>");
    let html = format!("<h1>Title</h1>{}{}{}", record("Mon"), record("Tue"), record("Wed"));
    let params = Params { method: Method::Regex, ..Params::paper() };
    let made = hierarchy(&page(&html), &params);
    let shown = outline(&made);
    assert!(shown.contains("+Tue\n") && shown.contains("+Wed\n"), "{shown}");
    assert_eq!(hierarchies(&[page(&html)], &[], &params), [made]);
}

/// Two texts stand before the list, so a page alone cannot tell which of them heads it.
#[test]
fn the_pages_of_a_site_show_headers_that_none_of_them_shows_alone() {
    let html = |note: &str, items: [&str; 3]| {
        let items = items.map(|item| format!("<li>{item}"));
        page(&format!("<h2>Phones</h2><p>{note}</p><ul>{}</ul>", items.concat()))
    };
    let (one, two) = (html("New numbers", ["12", "13", "14"]), html("Ask the porter", ["21", "22", "23"]));
    let params = Params { method: Method::Regex, ..Params::paper() };
    let alone = outline(&hierarchy(&one, &params));
    let pages = [&one];
    let together = hierarchies(&pages, &[&two], &params);
    assert!(!alone.contains("+Phones"), "{alone}");
    assert_eq!(together.len(), 1, "the other page only helps");
    assert!(outline(&together[0]).contains("+Phones\n"), "{}", outline(&together[0]));
    // Other methods read each page by itself.
    let dp = Params::paper();
    assert_eq!(hierarchies(&pages, &[&two], &dp), [hierarchy(&one, &dp)]);
}

/// Every hostile page with every preset: all leaves are in exactly one label, and limits that were met are named.
/// That the test ends at all shows that time is bounded; `benches/hostile.rs` measures how long pages take.
#[test]
fn hostile_pages_become_coarser_and_lose_no_leaf() {
    let budget = std::time::Duration::from_millis(50);
    for hostile in measure::hostile_pages() {
        let page = page(&hostile.html);
        let paper = Params::paper().within(budget);
        let ways = [
            Params::default().within(budget),
            with(PaperParams { scope: Scope::Page, ..paper.papers }),
            paper.clone(),
        ];
        for params in ways {
            let made = hierarchy(&page, &params);
            assert_eq!(made.check(), Ok(()), "{}", hostile.name);
            let labels = made.nodes.iter().filter_map(|node| node.label.as_ref());
            let mut leaves: Vec<u32> = labels.flat_map(|label| label.leaves.iter().copied()).collect();
            leaves.sort_unstable();
            assert!(leaves.into_iter().eq(0..page.leaves.len() as u32), "{}", hostile.name);
            let is_named = |limit: &&str| made.coarse.iter().any(|met| met == *limit);
            assert!(hostile.coarse.iter().all(is_named), "{}: {:?}", hostile.name, made.coarse);
            let is_too_long = page.leaves.len() > params.papers.max_dp_leaves;
            if params.method == Method::Dp && params.papers.scope == Scope::Page && is_too_long {
                assert!(is_named(&"leaves"), "{}: {:?}", hostile.name, made.coarse);
            }
        }
    }
}

fn any_params() -> impl Strategy<Value = Params> {
    let method = prop_oneof![
        Just(Method::Flat),
        Just(Method::Entropy),
        Just(Method::Regex),
        Just(Method::Dp),
        Just(Method::Dp),
        Just(Method::Outline),
        Just(Method::Outline)
    ];
    let scope = prop_oneof![Just(Scope::Segment), Just(Scope::Page)];
    let steps = prop_oneof![Just(0), Just(3_000), Just(u64::MAX)];
    (method, scope, steps, 1usize..40).prop_map(|(method, scope, max_steps, max_dp_leaves)| {
        let default = Params::default();
        let papers = PaperParams { scope, max_steps, max_dp_leaves, ..default.papers };
        Params { method, papers, ..default }
    })
}

proptest! {
    #[test]
    fn every_leaf_is_in_exactly_one_label(page in pages(80), params in any_params()) {
        let hierarchy = hierarchy(&page, &params);
        prop_assert_eq!(hierarchy.check(), Ok(()));
        let labels = hierarchy.nodes.iter().filter_map(|node| node.label.as_ref());
        let mut leaves: Vec<u32> = labels.flat_map(|label| label.leaves.iter().copied()).collect();
        leaves.sort_unstable();
        prop_assert_eq!(leaves, (0..page.leaves.len() as u32).collect::<Vec<_>>());
    }
}
