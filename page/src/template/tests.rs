//! Properties on random trees, and small pages made by hand.

use proptest::prelude::*;

use super::cluster::{SIMILARITY_THRESHOLD, Sketch, cluster_pages};
use super::distance::{Distances, EditStep};
use super::induce::induce_within;
use super::matching::Matcher;
use super::pattern::{Pattern, compose_all, compose_pair};
use super::shape::{PageShape, Shapes, SubtreeClass, Wildcard};
use super::*;
use crate::reading::Page;
use crate::testing::page_at;

/// A tree of labels, independent of any [`Shapes`].
#[derive(Clone, Debug)]
struct Tree {
    label: &'static str,
    children: Vec<Tree>,
}

impl Tree {
    fn class(&self, shapes: &mut Shapes) -> SubtreeClass {
        let children = self.children.iter().map(|child| child.class(shapes)).collect();
        let label = shapes.intern_label(self.label);
        shapes.intern(label, children)
    }

    fn size(&self) -> u32 {
        1 + self.children.iter().map(Tree::size).sum::<u32>()
    }

    fn html(&self) -> String {
        let inner: String = self.children.iter().map(Tree::html).collect();
        format!("<{0}>{inner}</{0}>", self.label)
    }
}

/// The cost of the cheapest mapping of two roots to each other, by trying all; `None` if they may not be
/// mapped.
fn brute(a: &Tree, b: &Tree) -> Option<u32> {
    if a.label == b.label {
        return Some(brute_lists(&a.children, &b.children));
    }
    // Unequal vertices are mapped only if none of their descendants is.
    (a.children.is_empty() || b.children.is_empty()).then(|| 1 + (a.size() - 1) + (b.size() - 1))
}

fn brute_lists(a: &[Tree], b: &[Tree]) -> u32 {
    match (a, b) {
        ([], rest) | (rest, []) => rest.iter().map(Tree::size).sum(),
        ([x, left @ ..], [y, right @ ..]) => {
            let deleted = x.size() + brute_lists(left, b);
            let inserted = y.size() + brute_lists(a, right);
            let mapped = brute(x, y).map(|cost| cost + brute_lists(left, right));
            deleted.min(inserted).min(mapped.unwrap_or(u32::MAX))
        }
    }
}

fn trees() -> impl Strategy<Value = Tree> {
    let label = || prop_oneof![Just("b"), Just("i"), Just("u")];
    let leaf = label().prop_map(|label| Tree { label, children: Vec::new() });
    let tree = leaf.prop_recursive(3, 16, 4, move |inner| {
        (label(), prop::collection::vec(inner, 0..4)).prop_map(|(label, children)| Tree { label, children })
    });
    prop::collection::vec(tree, 0..4).prop_map(|children| Tree { label: "div", children })
}

proptest! {
    #[test]
    fn rtdm_is_the_cheapest_restricted_mapping(a in trees(), b in trees()) {
        let mut shapes = Shapes::default();
        let (x, y) = (a.class(&mut shapes), b.class(&mut shapes));
        let cost = brute(&a, &b).unwrap();
        let mut distances = Distances::default();
        prop_assert_eq!(distances.cost_within(&shapes, x, y, u32::MAX), Some(cost));
        // The bound only ends the work early; it does not change a cost within it.
        for most in 0..cost + 2 {
            let found = Distances::default().cost_within(&shapes, x, y, most);
            prop_assert_eq!(found, (cost <= most).then_some(cost));
        }
        prop_assert_eq!(distances.cost_within(&shapes, y, x, u32::MAX), Some(cost));
        prop_assert_eq!(distances.cost_within(&shapes, x, x, 0), Some(0));
    }

    #[test]
    fn rtdm_is_the_plain_distance_of_pages(a in trees(), b in trees()) {
        let mut shapes = Shapes::default();
        let pages = [a, b].map(|tree| page_at("https://a.example/", &tree.html()));
        let [x, y] = [&pages[0], &pages[1]].map(|page| shapes.page_shape(page));
        let plain = plain::top_down_distance(&shapes, &x, &y, true);
        let mut distances = Distances::default();
        prop_assert_eq!(distances.cost_within(&shapes, x.class(), y.class(), u32::MAX), Some(plain));
        prop_assert!(plain::top_down_distance(&shapes, &x, &y, false) <= plain);
    }

    #[test]
    fn an_alignment_costs_what_its_trees_do(a in trees(), b in trees()) {
        let mut shapes = Shapes::default();
        let (x, y) = (a.class(&mut shapes), b.class(&mut shapes));
        let mut distances = Distances::default();
        let steps = distances.align(&shapes, x, y).unwrap();
        let mut sum = 0;
        let (mut left, mut right) = (Vec::new(), Vec::new());
        for step in steps {
            match step {
                EditStep::Match(a, b) => {
                    sum += distances.cost_within(&shapes, a, b, u32::MAX).unwrap();
                    left.push(a);
                    right.push(b);
                }
                EditStep::Delete(a) => {
                    sum += shapes.size(a);
                    left.push(a);
                }
                EditStep::Insert(b) => {
                    sum += shapes.size(b);
                    right.push(b);
                }
            }
        }
        prop_assert_eq!(Some(sum), distances.cost_within(&shapes, x, y, u32::MAX));
        prop_assert_eq!((&left[..], &right[..]), (shapes.children(x), shapes.children(y)));
    }

    #[test]
    fn a_composition_accepts_what_its_parts_accept(parts in prop::collection::vec(trees(), 1..6), other in trees()) {
        let mut shapes = Shapes::default();
        let classes: Vec<SubtreeClass> = parts.iter().map(|part| part.class(&mut shapes)).collect();
        let other = other.class(&mut shapes);
        let mut distances = Distances::default();
        let all = compose_all(&mut shapes, &mut distances, &classes).unwrap();
        let mut matcher = Matcher::default();
        for part in &classes {
            prop_assert!(matcher.cost(&shapes, all, *part).is_some());
        }
        // The same holds for the composition of two patterns.
        let half = compose_all(&mut shapes, &mut distances, &classes[..classes.len().div_ceil(2)]).unwrap();
        let rest = compose_pair(&mut shapes, &mut distances, other, classes[classes.len() - 1]);
        let both = compose_pair(&mut shapes, &mut distances, half, rest);
        for part in classes[..classes.len().div_ceil(2)].iter().chain([&other, &classes[classes.len() - 1]]) {
            prop_assert!(matcher.cost(&shapes, both, *part).is_some());
        }
    }

    #[test]
    fn a_pattern_of_one_tree_accepts_it_for_nothing(tree in trees(), other in trees()) {
        let mut shapes = Shapes::default();
        let (tree, other) = (tree.class(&mut shapes), other.class(&mut shapes));
        let mut matcher = Matcher::default();
        prop_assert_eq!(matcher.cost(&shapes, tree, tree), Some(0));
        prop_assert_eq!(matcher.cost(&shapes, tree, other).is_some(), tree == other);
    }

    #[test]
    fn a_match_has_every_vertex_once(parts in prop::collection::vec(trees(), 2..5)) {
        let mut shapes = Shapes::default();
        let pages: Vec<Page> = parts.iter().map(|part| page_at("https://a.example/", &part.html())).collect();
        let trees: Vec<_> = pages.iter().map(|page| shapes.page_shape(page)).collect();
        let classes: Vec<SubtreeClass> = trees.iter().map(|tree| tree.class()).collect();
        let mut distances = Distances::default();
        let pattern = compose_all(&mut shapes, &mut distances, &classes).unwrap();
        let mut matcher = Matcher::default();
        for tree in &trees {
            let matched = matcher.match_page(&shapes, pattern, tree).unwrap();
            let consumed = matched.passages.iter().flat_map(|passage| passage.vertices.clone());
            let mut all: Vec<usize> = matched.fixed.iter().copied().chain(consumed.clone()).collect();
            all.sort_unstable();
            prop_assert_eq!(all, (0..tree.vertices.len()).collect::<Vec<_>>());
            prop_assert_eq!(Some(consumed.count() as u32), matcher.cost(&shapes, pattern, tree.class()));
        }
        // A stored pattern is the same pattern, also in other shapes.
        let stored = Pattern::new(&shapes, pattern);
        prop_assert_eq!(stored.intern(&mut shapes), Some(pattern));
        let mut fresh = Shapes::default();
        let again = stored.intern(&mut fresh).unwrap();
        prop_assert_eq!(Pattern::new(&fresh, again), stored);
    }
}

fn page(html: &str) -> Page {
    page_at("https://a.example/", html)
}

/// The pattern of some pages in one line: `div(. p)`.
fn pattern(htmls: &[&str]) -> String {
    let mut shapes = Shapes::default();
    let mut distances = Distances::default();
    let classes: Vec<SubtreeClass> =
        htmls.iter().map(|html| shapes.page_shape(&page(html)).class()).collect();
    let all = compose_all(&mut shapes, &mut distances, &classes).unwrap();
    let mut text = String::new();
    let mut open = vec![(Some(all), ' ')];
    while let Some((class, sign)) = open.pop() {
        let Some(class) = class else {
            text.push(sign);
            continue;
        };
        if !text.is_empty() && !text.ends_with('(') {
            text.push(' ');
        }
        let label = shapes.root_label(class);
        match label.wildcard() {
            Some(wildcard) => text.push(wildcard.sign()),
            None => text.push_str(shapes.name(label)),
        }
        let children = shapes.children(class);
        if !children.is_empty() {
            text.push('(');
            open.push((None, ')'));
            open.extend(children.iter().rev().map(|child| (Some(*child), ' ')));
        }
    }
    text
}

#[test]
fn a_pattern_has_wildcards_where_pages_differ() {
    let check = |htmls: &[&str], expected: &str| assert_eq!(pattern(htmls), expected, "{htmls:?}");
    check(&["<p>a", "<p>a"], "body(p(\"a\"))");
    check(&["<p>a", "<p>b"], "body(p(.))");
    check(&["<h1>x</h1><p>a<hr>", "<h1>x</h1><hr>"], "body(h1(\"x\") ? hr)");
    check(&["<h1>x</h1><p>a<p>b<p>c<hr>", "<h1>x</h1><hr>"], "body(h1(\"x\") * hr)");
    check(&["<p>a<hr>", "<p>b<hr>", "<hr>"], "body(? hr)");
    // A plain vertex between two wildcards joins them.
    check(&["<i>a</i><hr><b>a</b><u>z</u>", "<hr><u>z</u>"], "body(+ u(\"z\"))");
}

#[test]
fn the_union_of_two_wildcards_accepts_what_either_accepts() {
    use Wildcard::{One, OneOrMore, ZeroOrMore, ZeroOrOne};
    assert_eq!(One.or(OneOrMore), OneOrMore);
    assert_eq!(One.or(ZeroOrOne), ZeroOrOne);
    assert_eq!(OneOrMore.or(ZeroOrOne), ZeroOrMore);
    assert_eq!(ZeroOrMore.or(One), ZeroOrMore);
    assert_eq!(Wildcard::ALL.map(Wildcard::optional), [ZeroOrOne, ZeroOrMore, ZeroOrOne, ZeroOrMore]);
}

#[test]
fn broken_patterns_are_refused() {
    let mut shapes = Shapes::default();
    let vertex = |label: &str, is_wild, size| pattern::PatternVertex { label: label.into(), is_wild, size };
    let mut check =
        |vertices: Vec<pattern::PatternVertex>| assert_eq!(Pattern { vertices }.intern(&mut shapes), None);
    check(vec![]);
    check(vec![vertex("p", false, 2)]);
    check(vec![vertex("p", false, 0)]);
    check(vec![vertex("p", false, 1), vertex("p", false, 1)]);
    check(vec![vertex(".", true, 2), vertex("p", false, 1)]);
    check(vec![vertex("p", false, u32::MAX), vertex("p", false, 1)]);
}

/// A page of one of two layouts.
fn story(layout: usize, number: usize) -> Page {
    let menu: String = (0..12).map(|n| format!("<li><a href=/{n}>Section {n}</a></li>")).collect();
    let paragraph = |n: usize| {
        format!(
            "<p>Story {number} goes on here with its sentence number {n}, which no other story {number} has.</p>"
        )
    };
    let text: String = (0..3 + number % 3).map(paragraph).collect();
    let foot: String = (0..12).map(|n| format!("<td><i>Note {n}</i></td>")).collect();
    let html = match layout {
        0 => format!(
            "<ul>{menu}</ul><div><h1>Headline of story {number}</h1><div>{text}</div></div><table><tr>{foot}</tr></table>"
        ),
        _ => format!(
            "<nav>{menu}</nav><main><section><article><h2>Headline of story {number}</h2>{text}</article></section></main><table><tr>{foot}</tr></table>"
        ),
    };
    page_at(&format!("https://a.example/{layout}/{number}"), &html)
}

#[test]
fn two_layouts_give_two_labelled_templates() {
    let pages: Vec<Page> = (0..12).map(|n| story(n % 2, n)).collect();
    let templates = induce_templates(&pages.iter().collect::<Vec<_>>()).templates;
    assert_eq!(templates.iter().map(|template| template.pages).collect::<Vec<_>>(), [6, 6]);
    for template in &templates {
        let with_role = |role| template.slots.iter().filter(move |slot| slot.role == role);
        let titles: Vec<&str> = with_role(SlotRole::Title).map(|slot| &slot.example[..8]).collect();
        assert_eq!(titles, ["Headline"]);
        let body_words: f64 = with_role(SlotRole::Body).map(|slot| slot.words).sum();
        assert!(body_words > 50.0, "{:?}", template.slots);
    }
    let template_idx = |page: &Page| match_templates(&templates, page).map(|found| found.template);
    assert!(template_idx(&story(0, 17)).is_some() && template_idx(&story(1, 17)).is_some());
    assert_ne!(template_idx(&story(0, 17)), template_idx(&story(1, 17)));
    assert_eq!(template_idx(&page("<p>Something else</p>")), None);
}

#[test]
fn fixed_texts_have_no_role_and_varying_ones_have() {
    let pages: Vec<Page> = (0..5).map(|n| story(0, n)).collect();
    let templates = induce_templates(&pages.iter().collect::<Vec<_>>()).templates;
    let new = story(0, 7);
    let template_match = match_templates(&templates, &new).unwrap();
    let role = |text: &str| {
        let holds = |node| new.tree.text(node).is_some_and(|own| own.contains(text));
        template_match.roles.iter().find(|(node, _)| holds(*node)).unwrap().1
    };
    assert_eq!((role("Section 3"), role("Note 4")), (None, None));
    assert_eq!(role("its sentence"), Some(SlotRole::Body));
}

#[test]
fn no_pages_and_pages_that_are_not_alike_give_no_template() {
    assert!(induce_templates(&[]).templates.is_empty());
    let other = page("<h1>Other</h1>");
    let pages = [story(0, 1), story(0, 2), story(1, 1), story(1, 2), other];
    assert!(induce_templates(&pages.iter().collect::<Vec<_>>()).templates.is_empty());
}

#[test]
fn sketches_of_one_layout_are_near_and_those_of_two_are_not() {
    let mut shapes = Shapes::default();
    let pages = [story(0, 1), story(0, 5), story(1, 1)].map(|page| shapes.page_shape(&page));
    let sketches: Vec<Sketch> = pages.iter().map(|page| Sketch::new(&shapes, page)).collect();
    assert!(sketches[0].is_near(&sketches[1]) && !sketches[0].is_near(&sketches[2]));
    let pages: Vec<&PageShape> = pages.iter().collect();
    let found = cluster_pages(&shapes, &mut Distances::default(), &pages, SIMILARITY_THRESHOLD, u64::MAX);
    assert_eq!(found, Some(vec![vec![0, 1], vec![2]]));
}

/// Pages of one layout with this number of short paragraphs, all different.
fn flat_pages(paragraphs: usize, pages: usize) -> Vec<Page> {
    let paragraph = |page: usize, n: usize| format!("<p>Line {n} of {page}</p>");
    let html = |page| (0..paragraphs).map(|n| paragraph(page, n)).collect::<String>();
    (0..pages).map(|page| self::page(&format!("<h1>Story {page}</h1><div>{}</div>", html(page)))).collect()
}

fn learnt_within(pages: &[Page], most_steps: u64) -> Learnt {
    induce_within(&pages.iter().collect::<Vec<_>>(), most_steps)
}

#[test]
fn the_steps_of_learning_are_linear_in_the_paragraphs_of_the_worst_pages() {
    let steps = |paragraphs| learnt_within(&flat_pages(paragraphs, 3), u64::MAX).steps;
    // As long as the tables of whole lists are within the budget, steps grow with the square.
    let (small, double) = (steps(100), steps(200));
    assert!(double > 3 * small, "{small}, {double}");
    // Beyond it, a comparison takes what its pages' vertices allow, up to the most that any may take.
    let (large, double) = (steps(2_500), steps(5_000));
    assert!(double <= 2 * large + large / 10, "{large}, {double}");
    let (largest, double) = (steps(9_900), steps(19_800));
    assert!(double <= largest + largest / 10, "{largest}, {double}");
}

#[test]
fn the_steps_of_a_match_are_linear_in_the_paragraphs_of_the_worst_pages() {
    // Every paragraph of the pattern may be each of the page's, and none is like another.
    let steps = |paragraphs: usize| {
        let mut shapes = Shapes::default();
        let text = |n: usize| format!("<p>Line {n}<i>of</i></p>");
        let html: String = (0..paragraphs).map(text).collect();
        let tree = shapes.page_shape(&page(&html));
        let label = |shapes: &mut Shapes, name: &str| shapes.intern_label(name);
        let (body, p, i) = (label(&mut shapes, "body"), label(&mut shapes, "p"), label(&mut shapes, "i"));
        let any = shapes.wildcard(Wildcard::One);
        let i = shapes.intern(i, vec![any]);
        let p = shapes.intern(p, vec![any, i]);
        let some = shapes.wildcard(Wildcard::ZeroOrMore);
        let parts = (0..paragraphs).flat_map(|_| [some, p]).collect();
        let pattern = shapes.intern(body, parts);
        let mut matcher = Matcher::default();
        let is_accepted = matcher.match_page(&shapes, pattern, &tree).is_some();
        (is_accepted, matcher.steps())
    };
    let (is_accepted, small) = steps(100);
    assert!(is_accepted && small < 1_000_000, "{small}");
    let ((is_accepted, large), (_, double)) = (steps(1_400), steps(2_800));
    assert!(!is_accepted && double <= 2 * large + large / 10, "{large}, {double}");
}

#[test]
fn whether_pages_fit_into_the_steps_does_not_depend_on_their_order() {
    let mut pages: Vec<Page> = (0..6).flat_map(|n| flat_pages(20 + 3 * n, 2)).collect();
    let steps = |pages: &[Page]| {
        let mut shapes = Shapes::default();
        let trees: Vec<PageShape> = pages.iter().map(|page| shapes.page_shape(page)).collect();
        let mut distances = Distances::default();
        let found = cluster_pages(&shapes, &mut distances, &trees.iter().collect::<Vec<_>>(), 0.6, u64::MAX);
        (distances.steps(), found.unwrap().iter().map(Vec::len).max())
    };
    let found = steps(&pages);
    for turn in [5, 7, 1] {
        pages.rotate_left(turn);
        pages.swap(0, 3);
        assert_eq!(steps(&pages), found);
    }
}

#[test]
fn pages_too_large_to_compare_are_left_out_and_the_others_are_learnt() {
    let mut pages = flat_pages(400, 3);
    pages.extend((0..5).map(|n| story(0, n)));
    let all = learnt_within(&pages, u64::MAX);
    assert_eq!((all.compared, all.sampled, all.is_cut()), (8, 8, false));
    let cut = learnt_within(&pages, 40_000);
    assert_eq!((cut.compared, cut.sampled, cut.is_cut()), (4, 8, true));
    assert_eq!(cut.templates.iter().map(|template| template.pages).collect::<Vec<_>>(), [4]);
    pages.reverse();
    assert_eq!(learnt_within(&pages, 40_000).compared, 4);
    assert!(learnt_within(&pages, 0).templates.is_empty());
}
