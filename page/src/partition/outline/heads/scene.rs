//! The page as it is before heads are chosen: boxes, styles, the rules' outline, and the traits of each label.

use rustc_hash::FxHashMap;

use crate::measures::MeasureSink;

use super::super::evidence::Evidence;
use super::super::forest::Forest;
use super::super::rank::{self, Rank};
use super::super::skeleton::{Element, NONE};
use super::super::tags::TagKind;
use super::super::words::ClassWord;
use super::boxes::{Boxes, Branch};
use super::tree::LabelTree;

/// Children from which on a label counts as a head of its style.
const HEADS: u32 = 2;
/// The value of a measure where there is nothing to measure.
pub(super) const NOTHING: f32 = -1.0;
/// Number of traits of a label.
pub(super) const TRAITS: usize = 24;

/// How a page uses the labels of a style.
#[derive(Clone, Copy, Default)]
struct StyleUse {
    uses: u32,
    words: u32,
    images: u32,
    links: u32,
    /// How many are the first item of the box around them.
    firsts: u32,
    /// By the rules: labels directly under them, how many head several, how many are at the top.
    children: u32,
    heads: u32,
    tops: u32,
}

impl StyleUse {
    fn add(&mut self, other: StyleUse) {
        self.uses += other.uses;
        self.words += other.words;
        self.images += other.images;
        self.links += other.links;
        self.firsts += other.firsts;
        self.children += other.children;
        self.heads += other.heads;
        self.tops += other.tops;
    }

    /// A mean over its labels.
    fn mean(&self, of: u32) -> f32 {
        of as f32 / self.uses.max(1) as f32
    }
}

/// A page as candidates are measured on it.
pub(super) struct Scene<'a> {
    pub(super) evidence: &'a Evidence,
    pub(super) forest: &'a Forest,
    pub(super) boxes: Boxes,
    pub(super) tree: LabelTree,
    /// Ranks of the items.
    pub(super) ranks: Minima,
    styles: Styles,
    /// By the styles of a label and of its head by the rules: how often.
    pairs: FxHashMap<(u32, u32), u32>,
    /// The traits of all items, one row after another.
    traits: Vec<f32>,
}

/// The uses of styles on a page.
struct Styles {
    own: Vec<StyleUse>,
    /// Those of the elements that gave labels their rank.
    marks: Vec<StyleUse>,
    of_marks: Vec<u32>,
    /// By text: its labels.
    texts: Vec<u32>,
}

impl<'a> Scene<'a> {
    pub(super) fn new(evidence: &'a Evidence, forest: &'a Forest) -> Scene<'a> {
        let boxes = Boxes::new(evidence, &forest.ranks);
        let ranks = boxes.items.iter().map(|item| forest.ranks[item.label as usize]).collect();
        let styles = Styles::new(evidence, forest, &boxes);
        let mut pairs: FxHashMap<(u32, u32), u32> = FxHashMap::default();
        for item in &boxes.items {
            let above = forest.parent[item.label as usize];
            if above != NONE {
                let pair = (evidence.styles[item.label as usize], evidence.styles[above as usize]);
                *pairs.entry(pair).or_default() += 1;
            }
        }
        let (tree, ranks, traits) = (LabelTree::new(&forest.parent), Minima::new(ranks), Vec::new());
        let mut scene = Scene { evidence, forest, boxes, tree, ranks, styles, pairs, traits };
        let mut traits = Vec::with_capacity(scene.boxes.items.len() * TRAITS);
        (0..scene.boxes.items.len() as u32).for_each(|item| scene.measure_traits("", item, &mut traits));
        scene.traits = traits;
        scene
    }

    pub(super) fn label_of(&self, item: u32) -> usize {
        self.boxes.items[item as usize].label as usize
    }

    pub(super) fn rank(&self, item: u32) -> f32 {
        f32::from(self.forest.ranks[self.label_of(item)])
    }

    pub(super) fn style(&self, item: u32) -> u32 {
        self.evidence.styles[self.label_of(item)]
    }

    /// The style of the element that gave an item its rank.
    pub(super) fn mark_style(&self, item: u32) -> u32 {
        self.styles.of_marks[self.label_of(item)]
    }

    /// How often the rules put a label of one item's style under one of the other's.
    pub(super) fn votes(&self, item: u32, head: u32) -> f32 {
        self.pairs.get(&(self.style(item), self.style(head))).copied().unwrap_or(0) as f32
    }

    pub(super) fn uses(&self, style: u32) -> f32 {
        self.styles.own[style as usize].uses.max(1) as f32
    }

    pub(super) fn element(&self, branch: Branch) -> Option<&Element> {
        self.evidence.skeleton.elements.get(self.boxes.element_of(branch) as usize)
    }

    pub(super) fn branch_rank(&self, branch: Branch) -> Rank {
        match branch {
            Branch::Box(at) => self.boxes.boxes[at as usize].rank,
            Branch::Item(item) => self.forest.ranks[self.label_of(item)],
        }
    }

    /// Whether two items are side by side in equal elements and look the same: lines of one list.
    pub(super) fn are_twins(&self, a: u32, b: u32) -> bool {
        let place = |item: u32| {
            let place = &self.boxes.items[item as usize];
            let element = self.evidence.skeleton.elements.get(place.outer as usize);
            (place.up, element.map(|element| element.sig), self.style(item))
        };
        place(a) == place(b)
    }

    /// The traits of an item.
    pub(super) fn traits(&self, item: u32) -> &[f32] {
        &self.traits[item as usize * TRAITS..][..TRAITS]
    }

    /// The traits of a label, and how the page uses its style.
    pub(super) fn measure_traits(&self, who: &str, item: u32, sink: &mut impl MeasureSink) {
        let (at, evidence) = (self.label_of(item), self.evidence);
        let label = &evidence.labels[at];
        sink.add(format_args!("{who}rank"), f32::from(evidence.ranks[at]));
        sink.add(format_args!("{who}voted rank"), self.rank(item));
        sink.add(format_args!("{who}words"), label.words as f32);
        sink.flag(format_args!("{who}is image"), label.is_image);
        sink.flag(format_args!("{who}is barred"), evidence.barred[at]);
        sink.add(format_args!("{who}text uses"), self.styles.texts[label.text as usize] as f32);
        let mark = evidence.skeleton.elements.get(evidence.marks[at] as usize);
        sink.add(format_args!("{who}word"), mark.and_then(|mark| mark.word).map_or(NOTHING, of_word));
        sink.add(format_args!("{who}kind"), mark.map_or(NOTHING, |mark| of_kind(mark.kind)));
        let style = self.styles.own[evidence.styles[at] as usize];
        sink.add(format_args!("{who}style uses"), style.uses as f32);
        sink.add(format_args!("{who}style words"), style.mean(style.words));
        sink.add(format_args!("{who}style firsts"), style.mean(style.firsts));
        sink.add(format_args!("{who}style rule children"), style.mean(style.children));
        sink.add(format_args!("{who}style rule tops"), style.mean(style.tops));
        let mark = self.styles.marks[self.styles.of_marks[at] as usize];
        sink.add(format_args!("{who}mark uses"), mark.uses as f32);
        sink.add(format_args!("{who}mark words"), mark.mean(mark.words));
        sink.add(format_args!("{who}mark images"), mark.mean(mark.images));
        sink.add(format_args!("{who}mark links"), mark.mean(mark.links));
        sink.add(format_args!("{who}mark firsts"), mark.mean(mark.firsts));
        sink.add(format_args!("{who}mark rule heads"), mark.mean(mark.heads));
        sink.add(format_args!("{who}mark rule tops"), mark.mean(mark.tops));
        let place = &self.boxes.items[item as usize];
        let up = self.boxes.get(place.up);
        sink.add(format_args!("{who}box"), up.map_or(NOTHING, |up| up.items() as f32));
        sink.add(format_args!("{who}branches"), up.map_or(NOTHING, |up| up.branches as f32));
        sink.add(format_args!("{who}place"), place.place as f32);
        sink.add(format_args!("{who}twins"), self.boxes.twins_of(evidence, Branch::Item(item)) as f32);
    }
}

impl Styles {
    fn new(evidence: &Evidence, forest: &Forest, boxes: &Boxes) -> Styles {
        let of_marks = evidence.mark_styles();
        let most = |styles: &[u32]| styles.iter().max().map_or(0, |most| *most as usize + 1);
        let mut own = vec![StyleUse::default(); most(&evidence.styles)];
        let mut marks = vec![StyleUse::default(); most(&of_marks)];
        let texts = evidence.labels.iter().map(|label| label.text as usize + 1).max();
        let mut texts = vec![0; texts.unwrap_or(0)];
        for (item, place) in (0u32..).zip(&boxes.items) {
            let at = place.label as usize;
            let label = &evidence.labels[at];
            let children = forest.children[at];
            let one = StyleUse {
                uses: 1,
                words: label.words,
                images: u32::from(label.is_image),
                links: u32::from(label.link.is_some()),
                firsts: u32::from(boxes.get(place.up).is_some_and(|around| around.lo == item)),
                children,
                heads: u32::from(children >= HEADS),
                tops: u32::from(forest.parent[at] == NONE),
            };
            own[evidence.styles[at] as usize].add(one);
            marks[of_marks[at] as usize].add(one);
            texts[label.text as usize] += 1;
        }
        Styles { own, marks, of_marks, texts }
    }
}

/// A number for a kind of element. Trees split it where they like, so similar kinds have neighbouring numbers.
pub(super) fn of_kind(kind: TagKind) -> f32 {
    f32::from(match kind {
        TagKind::Heading(level) => level,
        TagKind::Header => 7,
        TagKind::Strong => 8,
        TagKind::Term => 9,
        TagKind::HeadCell => 10,
        TagKind::Link => 11,
        TagKind::Inline => 12,
        TagKind::Block => 13,
        TagKind::Paragraph => 14,
        TagKind::Article => 15,
        TagKind::Item => 16,
        TagKind::List => 17,
        TagKind::Nav => 18,
        TagKind::Table => 19,
        TagKind::Rows => 20,
        TagKind::Row => 21,
        TagKind::Cell => 22,
        TagKind::Detail => 23,
        TagKind::Meta => 24,
        TagKind::Image => 25,
        TagKind::Footer => 26,
    })
}

/// A number for what class names say.
pub(super) fn of_word(word: ClassWord) -> f32 {
    match word {
        ClassWord::Head => 0.0,
        ClassWord::Top => 1.0,
        ClassWord::Tab => 2.0,
        ClassWord::Control => 3.0,
        ClassWord::Kicker => 4.0,
        ClassWord::Meta => 5.0,
    }
}

/// The strongest ranks of spans of items.
pub(super) struct Minima(Vec<Vec<Rank>>);

impl Minima {
    fn new(ranks: Vec<Rank>) -> Minima {
        // Row k holds the minima of 2^k neighbours.
        let (mut rows, mut width) = (vec![ranks], 1);
        while let Some(last) = rows.last().filter(|last| last.len() > width) {
            let next = last.iter().zip(&last[width..]).map(|(a, b)| *a.min(b)).collect();
            rows.push(next);
            width *= 2;
        }
        Minima(rows)
    }

    /// The strongest rank of items `from..to`; that of the weakest label if there are none.
    pub(super) fn strongest(&self, from: u32, to: u32) -> Rank {
        let Some(row) = to.checked_sub(from).and_then(u32::checked_ilog2) else { return rank::META };
        let minima = &self.0[row as usize];
        minima[from as usize].min(minima[to as usize - (1 << row)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_strongest_of_each_span_is_that_of_a_scan() {
        let ranks: Vec<Rank> = (0..37u8).map(|at| at.wrapping_mul(97) % 61).collect();
        let minima = Minima::new(ranks.clone());
        for from in 0..37 {
            for to in from + 1..=37 {
                let scanned = ranks[from..to].iter().min().copied();
                assert_eq!(Some(minima.strongest(from as u32, to as u32)), scanned);
            }
        }
        assert_eq!(minima.strongest(5, 5), rank::META);
    }
}
