//! The measures of a place where one label ends and the next begins.
//!
//! There are three families: the boxes that end and begin there and what holds them ([`Gaps::boxes`]), the place
//! among its neighbours and on the page ([`Gaps::places`]), and the outline above and below it
//! ([`Gaps::outline`]). Sizes are in leaves. Each line adds a name and its value, see
//! [`measures`](crate::measures). Invariant: a page of n leaves and nesting d costs O(n d).

use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::measures::{self, MeasureSink};

use super::super::evidence::Evidence;
use super::super::forest::Forest;
use super::super::skeleton::{Element, NONE, Skeleton};
use super::super::tags::TagKind;

/// Least sizes for which boxes that begin or end are counted.
const SIZES: [u32; 4] = [2, 4, 8, 16];
/// Least number of leaves in the innermost element around a place where a block may begin. This keeps 98 of 100
/// places that readers marked and excludes more than two of three other borders.
const LEAST_HOLDER: u32 = 8;
/// The value for no heading: above all levels.
const NO_HEADING: f32 = 9.0;
/// The place's heading is looked for in this many leaves.
const NEAR_HEADING: u32 = 3;
/// Most labels above another that are followed.
const MOST_ABOVE: usize = 60;

/// The places of a page where a block may begin.
pub(in super::super) struct BlockPlaces {
    /// The leaf after each place.
    pub(in super::super) leaves: Vec<u32>,
    /// The measures of all places, one row after another.
    pub(in super::super) values: Vec<f32>,
}

/// Measures all places of a page.
pub(in super::super) fn measure(evidence: &Evidence, forest: &Forest) -> BlockPlaces {
    let gaps = Gaps::new(evidence, forest);
    let mut places = BlockPlaces { leaves: Vec::new(), values: Vec::new() };
    for label in (1..evidence.labels.len()).filter(|&label| gaps.is_place(label)) {
        gaps.measure(label, &mut places.values);
        places.leaves.push(evidence.labels[label].lo);
    }
    places
}

/// The names of the measures in order, collected by measuring a page with at least two labels.
pub(super) fn names(evidence: &Evidence, forest: &Forest) -> Vec<String> {
    if evidence.labels.len() < 2 {
        return Vec::new();
    }
    measures::measure_names(|sink| Gaps::new(evidence, forest).measure(1, sink))
}

/// The surroundings of the border before a label.
#[derive(Clone, Copy, Default)]
struct Border {
    /// The innermost element that holds both sides; `NONE` if none does.
    holder: u32,
    depth: u32,
    /// The outermost elements that begin and end there; `NONE`: text of the holder itself.
    begins: u32,
    ends: u32,
    /// Leaves of the smaller of the two.
    smaller: u32,
}

struct Gaps<'a> {
    evidence: &'a Evidence,
    skeleton: &'a Skeleton,
    forest: &'a Forest,
    /// By label. The first label has no border; its entry is not read.
    borders: Vec<Border>,
    /// By parent and style: number of siblings, and their leaves. By parent and tag: number of siblings. By element:
    /// number of children.
    twins: FxHashMap<(u32, u32), (u32, u32)>,
    tags: FxHashMap<(u32, u32), u32>,
    parts: Vec<u32>,
    /// By label: number of labels in its tree.
    trees: Vec<u32>,
    /// Depths and smaller sides of all borders, ascending.
    depths: Vec<u32>,
    smallers: Vec<u32>,
}

impl<'a> Gaps<'a> {
    fn new(evidence: &'a Evidence, forest: &'a Forest) -> Gaps<'a> {
        let skeleton = &evidence.skeleton;
        let mut gaps = Gaps {
            evidence,
            skeleton,
            forest,
            borders: Vec::new(),
            twins: FxHashMap::default(),
            tags: FxHashMap::default(),
            parts: vec![0; skeleton.elements.len()],
            trees: trees(forest),
            depths: Vec::new(),
            smallers: Vec::new(),
        };
        for element in &skeleton.elements {
            let twins = gaps.twins.entry((element.parent, element.sig)).or_default();
            *twins = (twins.0 + 1, twins.1 + element.leaves());
            *gaps.tags.entry((element.parent, element.tag)).or_default() += 1;
            if let Some(parts) = gaps.parts.get_mut(element.parent as usize) {
                *parts += 1;
            }
        }
        let borders = (0..evidence.labels.len()).map(|label| border(skeleton, evidence.labels[label].lo));
        gaps.borders = borders.collect();
        let ascending = |of: fn(&Border) -> u32| {
            let mut all: Vec<u32> = gaps.borders.iter().skip(1).map(of).collect();
            all.sort_unstable();
            all
        };
        gaps.depths = ascending(|border| border.depth);
        gaps.smallers = ascending(|border| border.smaller);
        gaps
    }

    /// Whether a block may begin there: boxes end or begin, and the holder is large enough.
    fn is_place(&self, label: usize) -> bool {
        let border = self.borders[label];
        let leaves = |element: u32, none: u32| self.element(element).map_or(none, Element::leaves);
        leaves(border.holder, u32::MAX) >= LEAST_HOLDER
            && leaves(border.begins, 1) + leaves(border.ends, 1) > 2
    }

    fn element(&self, element: u32) -> Option<&Element> {
        self.skeleton.elements.get(element as usize)
    }

    /// Measures the border before a label, with the same names for every label.
    fn measure(&self, label: usize, measures: &mut impl MeasureSink) {
        self.boxes(label, measures);
        self.siblings(label, measures);
        self.places(label, measures);
        self.outline(label, measures);
    }

    fn boxes(&self, label: usize, measures: &mut impl MeasureSink) {
        let border = self.borders[label];
        let leaf = self.evidence.labels[label].lo;
        let leaves = self.skeleton.of_leaf.len() as f32;
        let size = |element: u32, alone: u32| self.element(element).map_or(alone, Element::leaves) as f32;
        let holder = self.element(border.holder);
        let above = holder.map_or(NONE, |holder| holder.parent);
        let begins = size(border.begins, 1);
        let held = size(border.holder, leaves as u32);
        measures.add("begins", begins);
        measures.add("begins share", begins / leaves);
        measures.add("ends", size(border.ends, 1));
        measures.add("smaller side", border.smaller as f32);
        measures.add("holder", held);
        measures.add("holder share", held / leaves);
        measures.add("holder of holder", size(above, leaves as u32));
        measures.add("twins of holder", holder.map_or(0, |holder| self.twins_of(holder).0) as f32);
        measures.add("parts of holder", self.parts.get(border.holder as usize).map_or(0, |n| *n) as f32);
        let begun = Chain::new(self.skeleton, leaf, border.holder);
        let ended = Chain::new(self.skeleton, leaf - 1, border.holder);
        measures.add("boxes begin", begun.boxes as f32);
        measures.add("boxes end", ended.boxes as f32);
        for (side, chain) in [("begin", &begun), ("end", &ended)] {
            for (size, count) in SIZES.iter().zip(chain.from) {
                measures.add(format_args!("{side} from {size}"), count as f32);
            }
        }
        measures.add("items begin", begun.items as f32);
        measures.add("items end", ended.items as f32);
        measures.add("plain boxes begin", begun.plain as f32);
        measures.add("plain boxes end", ended.plain as f32);
        let near = leaf + 1..(leaf + NEAR_HEADING).min(self.skeleton.of_leaf.len() as u32);
        let near = near.map(|leaf| Chain::new(self.skeleton, leaf, border.holder).heading);
        measures.add("heading begins", begun.heading);
        measures.add("heading ended", ended.heading);
        measures.add("heading is near", near.fold(begun.heading, f32::min));
    }

    fn twins_of(&self, element: &Element) -> (u32, u32) {
        self.twins.get(&(element.parent, element.sig)).copied().unwrap_or_default()
    }

    fn siblings(&self, label: usize, measures: &mut impl MeasureSink) {
        let border = self.borders[label];
        let (begins, ends) = (self.element(border.begins), self.element(border.ends));
        let (count, leaves) = begins.map_or((0, 0), |begins| self.twins_of(begins));
        let tags = begins.and_then(|begins| self.tags.get(&(begins.parent, begins.tag)));
        let is_both = |is: fn(&Element, &Element) -> bool| {
            begins.zip(ends).is_some_and(|(begins, ends)| is(begins, ends))
        };
        measures.add("twins", count as f32);
        measures.add("mean of twins", leaves as f32 / count.max(1) as f32);
        measures.add("siblings of its tag", tags.map_or(0, |n| *n) as f32);
        measures.flag("like the one before", is_both(|begins, ends| begins.sig == ends.sig));
        measures.flag("tag like the one before", is_both(|begins, ends| begins.tag == ends.tag));
    }

    fn places(&self, label: usize, measures: &mut impl MeasureSink) {
        let border = self.borders[label];
        let leaves = self.skeleton.of_leaf.len() as f32;
        let shallower = self.depths.partition_point(|depth| *depth < border.depth);
        let larger = self.smallers.len() - self.smallers.partition_point(|size| *size <= border.smaller);
        let most = self.around(label, 6).iter().map(|border| border.smaller).max();
        measures.add("place on page", self.evidence.labels[label].lo as f32 / leaves);
        measures.add("depth among all", shallower as f32 / self.depths.len() as f32);
        measures.add("smaller side among all", larger as f32);
        measures.add("smaller side among 6", border.smaller as f32 / most.unwrap_or(1).max(1) as f32);
        for reach in [3, 10] {
            let around = self.around(label, reach).iter();
            let shallower = around.filter(|other| other.depth < border.depth).count();
            measures.add(format_args!("shallower within {reach}"), shallower as f32);
        }
    }

    /// The borders of up to `reach` labels before and after one.
    fn around(&self, label: usize, reach: usize) -> &[Border] {
        let around: Range<usize> =
            label.saturating_sub(reach).max(1)..self.borders.len().min(label + reach + 1);
        &self.borders[around]
    }

    fn outline(&self, label: usize, measures: &mut impl MeasureSink) {
        let (mine, before) = (self.above(label), self.above(label - 1));
        // The paths of both labels down from their tops.
        let common = mine.iter().rev().zip(before.iter().rev()).take_while(|(a, b)| a == b).count();
        let tree = |at: Option<&u32>| at.map_or(0, |&label| self.trees[label as usize]) as f32;
        let beyond = |line: &[u32]| line.len().checked_sub(common + 1).map_or(0.0, |at| tree(line.get(at)));
        let both = mine.len().checked_sub(common).filter(|_| common > 0).and_then(|at| mine.get(at));
        let held = both.map_or(self.trees.len() as f32, |at| tree(Some(at)));
        measures.add("label depth", (mine.len() - 1) as f32);
        measures.add("label depth before", (before.len() - 1) as f32);
        measures.add("labels above both", common as f32);
        measures.flag("is top", mine.len() == 1);
        measures.add("labels under it", self.trees[label] as f32);
        measures.add("labels of what begins", beyond(&mine));
        measures.add("labels of what ends", beyond(&before));
        measures.add("labels of what holds both", held);
    }

    /// A label and those above it, innermost first.
    fn above(&self, label: usize) -> Vec<u32> {
        let up = |&at: &u32| Some(self.forest.parent[at as usize]).filter(|&above| above != NONE);
        std::iter::successors(Some(label as u32), up).take(MOST_ABOVE).collect()
    }
}

/// The elements that hold a leaf, below the one that holds both sides.
#[derive(Default)]
struct Chain {
    boxes: u32,
    from: [u32; 4],
    items: u32,
    plain: u32,
    /// Level of the highest heading among them.
    heading: f32,
}

impl Chain {
    fn new(skeleton: &Skeleton, leaf: u32, holder: u32) -> Chain {
        let mut chain = Chain { heading: NO_HEADING, ..Chain::default() };
        let mut at = skeleton.of_leaf[leaf as usize];
        while at != holder && at != NONE {
            let element = skeleton.get(at);
            chain.boxes += 1;
            for (from, size) in chain.from.iter_mut().zip(SIZES) {
                *from += u32::from(element.leaves() >= size);
            }
            match element.kind {
                TagKind::Item => chain.items += 1,
                TagKind::Block => chain.plain += 1,
                TagKind::Heading(level) => chain.heading = chain.heading.min(f32::from(level)),
                _ => {}
            }
            at = element.parent;
        }
        chain
    }
}

/// The border before a leaf.
fn border(skeleton: &Skeleton, leaf: u32) -> Border {
    let Some(before) = leaf.checked_sub(1) else { return Border::default() };
    let up = |&at: &u32| Some(skeleton.get(at).parent).filter(|&parent| parent != NONE);
    let chain =
        |leaf: u32| std::iter::successors(Some(skeleton.of_leaf[leaf as usize]).filter(|&at| at != NONE), up);
    let ends = chain(before).take_while(|&at| skeleton.get(at).hi <= leaf).last().unwrap_or(NONE);
    let begins = chain(leaf).take_while(|&at| skeleton.get(at).lo == leaf).last().unwrap_or(NONE);
    let mut holders = chain(before).skip_while(|&at| skeleton.get(at).hi <= leaf);
    let holder = holders.next().unwrap_or(NONE);
    let size = |at: u32| if at == NONE { 1 } else { skeleton.get(at).leaves() };
    let depth = if holder == NONE { 0 } else { 1 + holders.count() as u32 };
    Border { holder, depth, begins, ends, smaller: size(begins).min(size(ends)) }
}

/// The number of labels in each label's tree. Parents may stand before or after their children.
fn trees(forest: &Forest) -> Vec<u32> {
    let mut trees = vec![1; forest.parent.len()];
    let mut open: Vec<u32> = vec![0; forest.parent.len()];
    for &parent in forest.parent.iter().filter(|&&parent| parent != NONE) {
        open[parent as usize] += 1;
    }
    let mut ready: Vec<u32> = (0..open.len() as u32).filter(|&at| open[at as usize] == 0).collect();
    while let Some(at) = ready.pop() {
        let parent = forest.parent[at as usize];
        if parent != NONE {
            trees[parent as usize] += trees[at as usize];
            open[parent as usize] -= 1;
            if open[parent as usize] == 0 {
                ready.push(parent);
            }
        }
    }
    trees
}
