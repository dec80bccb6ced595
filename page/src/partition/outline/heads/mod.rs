//! Heads by learnt trees: which label is under which, given the outline of the rules.
//!
//! The rules decide box by box. Trees see at once what the rules say and what they cannot: how far apart two labels are, what
//! stands between, how alike the branches are that hold them, how the page uses their styles. Each label has some
//! [`candidates`]; a few measures sift these, trees say of the rest how likely each is the head ([`measures`]), and
//! [`decode`] takes the likeliest that close no circle. Half of the trees cannot see the rules: the others learnt from
//! pages on which the rules were made, and would trust them too much. `train/heads.py` trains both.
//!
//! Invariants: equal pages give equal heads, since scores are sums in one order and ties have an order; a page of n labels
//! costs O(n) walks over its nesting. Start at [`place_heads`].

mod boxes;
mod candidates;
mod decode;
mod measures;
mod scene;
mod tree;

use std::sync::LazyLock;

use super::evidence::Evidence;
use super::forest::Forest;
use super::passes::ruled;
use super::rules::OutlineParams;
use super::skeleton::NONE;
use crate::measures::measure_names as names_of;
use crate::trees::{Trees, TreesError};
use candidates::CandidateFinder;
use decode::{Arc, decode};
use scene::Scene;

/// The learnt trees, as written by `train/heads.py`.
const TREES: &str = include_str!("heads.txt");
/// The line between the trees that sift and those that choose.
const BORDER: &str = "\nchoose\n";
/// Candidates of a label that are left when they are sifted.
const LEFT: usize = 4;
/// Labels whose candidates are scored at once: enough to fill the lanes, few enough to stay in the cache.
const AT_ONCE: usize = 16;
/// Subtracted from the score of being at the top. A missing head loses all pairs with the labels under this one, a wrong
/// head adds only one pair of several.
const TOP: f32 = 1.5;

/// The trees that choose heads.
#[derive(Clone, Debug)]
pub struct HeadScorer {
    sift: Trees,
    choose: Trees,
}

impl HeadScorer {
    /// Parses trees in the text form that `train/heads.py` writes.
    ///
    /// # Errors
    /// A part is missing, a line is not a split, names an unknown measure or leads backwards.
    pub fn parse(text: &str) -> Result<HeadScorer, TreesError> {
        let (sift, choose) = text.split_once(BORDER).unwrap_or((text, ""));
        let [glances, measures] = names();
        Ok(HeadScorer { sift: Trees::parse(sift, glances)?, choose: Trees::parse(choose, measures)? })
    }

    /// The trees that are compiled in.
    #[must_use]
    pub fn shared() -> &'static HeadScorer {
        /// Never empty: a test checks that the file can be parsed.
        static SHARED: LazyLock<HeadScorer> = LazyLock::new(|| {
            let empty = || HeadScorer { sift: Trees::default(), choose: Trees::default() };
            HeadScorer::parse(TREES).unwrap_or_else(|_| empty())
        });
        &SHARED
    }
}

/// Gives the labels of a page that are no decoration their heads.
pub(super) fn place_heads(evidence: &Evidence, forest: &mut Forest, scorer: &HeadScorer) {
    let scene = Scene::new(evidence, forest);
    let items: Vec<u32> = (0..scene.boxes.items.len() as u32).collect();
    let (mut finder, mut arcs) = (CandidateFinder::new(&scene), Vec::new());
    for some in items.chunks(AT_ONCE) {
        score(some, &scene, &mut finder, scorer, &mut arcs);
    }
    let labels: Vec<u32> = scene.boxes.items.iter().map(|item| item.label).collect();
    let heads = decode(labels.len(), arcs);
    let heads = heads.iter().map(|&head| labels.get(head as usize).copied().unwrap_or(NONE));
    forest.place(labels.iter().copied().zip(heads.collect::<Vec<u32>>()));
}

/// Scores the likelier candidates of some items, and the possibility that each is at the top.
fn score(
    items: &[u32],
    scene: &Scene,
    finder: &mut CandidateFinder,
    scorer: &HeadScorer,
    arcs: &mut Vec<Arc>,
) {
    let found: Vec<Vec<u32>> = items.iter().map(|&item| finder.next(item)).collect();
    let mut glances = Vec::new();
    for (&item, heads) in items.iter().zip(&found) {
        for &head in heads {
            scene.glance(item, Some(head), Some(scene.boxes.meet(item, head)), &mut glances);
        }
    }
    let mut scores = scorer.sift.sums(&glances).into_iter();
    let (first, mut rows) = (arcs.len(), Vec::new());
    for (&item, heads) in items.iter().zip(found) {
        let scored = heads.into_iter().zip(scores.by_ref()).collect();
        for head in likeliest(scored).map(Some).chain([None]) {
            scene.row(item, head, &mut rows);
            arcs.push(Arc { item, head: head.unwrap_or(NONE), score: 0.0 });
        }
    }
    for (arc, score) in arcs[first..].iter_mut().zip(scorer.choose.sums(&rows)) {
        arc.score = if arc.head == NONE { score - TOP } else { score };
    }
}

/// The candidates that are left when they are sifted; of equals the first.
fn likeliest(mut scored: Vec<(u32, f32)>) -> impl Iterator<Item = u32> {
    scored.sort_by(|a, b| b.1.total_cmp(&a.1));
    scored.into_iter().take(LEFT).map(|(head, _)| head)
}

/// The names of the measures that sift and of those that choose.
pub(super) fn names() -> &'static [Vec<String>; 2] {
    static NAMES: LazyLock<[Vec<String>; 2]> = LazyLock::new(|| {
        let Some(page) = crate::measures::sample_page() else { return Default::default() };
        let params = OutlineParams::default();
        let evidence = Evidence::new(&page, &params);
        let forest = ruled(&page, &evidence, &params).forest;
        let scene = Scene::new(&evidence, &forest);
        let meeting = Some(scene.boxes.meet(1, 0));
        [names_of(|sink| scene.glance(1, Some(0), meeting, sink)), names_of(|sink| scene.name(1, 0, sink))]
    });
    &NAMES
}

/// Training data for the trees: a page's labels, and the candidates of each.
#[derive(Debug, Default)]
pub struct HeadEvidence {
    /// The leaves of each label: the first, and one past the last.
    pub labels: Vec<(u32, u32)>,
    /// A label and a candidate; `None` means the top.
    pub arcs: Vec<(u32, Option<u32>)>,
    /// The measures of each, one row after another.
    pub measures: Vec<f32>,
}

/// All candidates with all measures.
pub(super) fn evidence_of(evidence: &Evidence, forest: &Forest) -> HeadEvidence {
    let scene = Scene::new(evidence, forest);
    let mut finder = CandidateFinder::new(&scene);
    let labels = evidence.labels.iter().map(|label| (label.lo, label.hi)).collect();
    let mut all = HeadEvidence { labels, ..HeadEvidence::default() };
    for item in 0..scene.boxes.items.len() as u32 {
        for head in finder.next(item).into_iter().map(Some).chain([None]) {
            let label = |item: u32| scene.boxes.items[item as usize].label;
            all.arcs.push((label(item), head.map(label)));
            scene.row(item, head, &mut all.measures);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::partition::outline::{self, OutlineScorers};

    #[test]
    fn what_is_compiled_in_can_be_read() {
        let scorer = HeadScorer::parse(TREES).unwrap();
        assert!(scorer.sift.len() >= 10 && scorer.choose.len() >= 100);
    }

    #[test]
    fn every_measure_has_a_name_of_its_own_and_a_value() {
        let [glances, measures] = names();
        for names in [glances, measures] {
            let distinct: std::collections::BTreeSet<&String> = names.iter().collect();
            assert_eq!(distinct.len(), names.len());
        }
        let page = crate::testing::page("<h2>One</h2><ul><li>Two<li>Three</ul><p>Four * <b>*</b>");
        let found = outline::head_evidence(&page);
        assert_eq!(found.measures.len(), found.arcs.len() * measures.len());
        assert!(found.arcs.contains(&(1, Some(0))) && found.arcs.contains(&(1, None)));
    }

    /// The parents of a page's labels by trees of one split each, which sift nothing.
    fn parents(html: &str, choose: &str) -> Vec<Option<u32>> {
        let page = crate::testing::page(html);
        let scorer =
            HeadScorer::parse(&format!("tree\ndistance\t0\t=0\t=0\n\nchoose\ntree\n{choose}\n")).unwrap();
        let scorers = OutlineScorers { heads: &scorer, ..OutlineScorers::shared() };
        outline::outline(&page, &OutlineParams::default(), scorers).parents
    }

    #[test]
    fn heads_are_those_that_the_trees_say() {
        let html = "<h2>One</h2><p>Two</p><div>Three</div>";
        assert_eq!(parents(html, "top\t0\t=-9\t=9"), [None, None, None], "the top is likeliest");
        // No label heads itself through others.
        let above = parents(html, "top\t0\t=9\t=-9");
        assert_eq!(above.iter().filter(|above| above.is_none()).count(), 1, "{above:?}");
    }

    #[test]
    fn equals_in_one_box_never_head_one_another() {
        let lines = |what: &str| (0..3).map(|n| format!("<li>{what} {n}")).collect::<String>();
        let above = parents(&format!("<ul>{}</ul><p>Two</p>", lines("One")), "top\t0\t=9\t=-9");
        assert!(above[..3].iter().all(|above| above.is_none_or(|above| above > 2)), "{above:?}");
    }

    #[test]
    fn the_trees_see_sections_stories_and_menus() {
        let story = |n: u32| {
            format!(
                "<li><h3><a href=/{n}>Storm number {n} hits the coast</a></h3><p>Thousands are without power.</p>"
            )
        };
        let section = |name: &str, from: u32| {
            format!("<section><h2>{name}</h2><ul>{}{}</ul></section>", story(from), story(from + 1))
        };
        let html = format!(
            "<nav><ul><li><a href=/w>World</a><li><a href=/s>Sport</a></ul></nav>{}{}",
            section("World", 1),
            section("Sport", 3)
        );
        let parents = outline::outline(
            &crate::testing::page(&html),
            &OutlineParams::default(),
            OutlineScorers::shared(),
        )
        .parents;
        let under = |section: u32| [None, Some(section), Some(section + 1), Some(section), Some(section + 3)];
        assert_eq!(parents, [[None, None].as_slice(), &under(2), &under(7)].concat());
    }

    #[test]
    fn decoration_heads_nothing_and_goes_where_its_neighbours_are() {
        let above = parents("<div><h2>One</h2><p>Two</p><p>*</p><p>Three</p></div>", "rule says\t0\t=-9\t=9");
        assert_eq!(above, [None, Some(0), Some(0), Some(0)]);
    }
}
