//! The evidence about a page's labels and elements, gathered before anything is decided.
//!
//! It consists of numbers only: later steps do not read any text. Start at [`Evidence::new`].

use rustc_hash::FxHashMap;

use super::labels::{self, Label};
use super::rank::{self, Rank};
use super::rules::OutlineParams;
use super::site_name;
use super::skeleton::{NONE, Skeleton};
use crate::Page;

/// Least number of words of a long text.
const LONG_TEXT_WORDS: u32 = 15;

pub(super) struct Evidence {
    pub(super) skeleton: Skeleton,
    pub(super) labels: Vec<Label>,
    /// By element: its labels, as the first and one past the last.
    pub(super) spans: Vec<(u32, u32)>,
    /// By label: how strongly it is set off.
    pub(super) ranks: Vec<Rank>,
    /// By label: the element that gave it its rank.
    pub(super) marks: Vec<u32>,
    /// By label: a number that is equal for labels whose four innermost elements are alike.
    pub(super) styles: Vec<u32>,
    /// By label: whether it may not head anything.
    pub(super) barred: Vec<bool>,
    /// By label: the number of images and long texts before it.
    pub(super) stuff: Vec<u32>,
}

impl Evidence {
    pub(super) fn new(page: &Page, params: &OutlineParams) -> Evidence {
        let skeleton = Skeleton::new(page);
        let labels = labels::find_labels(page, &skeleton, params);
        let spans = spans(&skeleton, &labels, page.leaves.len());
        let only = only(&labels, &spans, params);
        let (ranks, marks) = rank::rank_labels(&skeleton, &labels, &spans, &only, params);
        let styles = styles(&skeleton, &labels);
        let barred = site_name::barred_labels(page, &skeleton, &labels, &ranks, params);
        let stuff = stuff(&labels);
        Evidence { skeleton, labels, spans, ranks, marks, styles, barred, stuff }
    }

    /// By label: the style of the element that gave it its rank.
    pub(super) fn mark_styles(&self) -> Vec<u32> {
        self.marks.iter().map(|&mark| self.skeleton.get(mark).sig).collect()
    }
}

/// The labels of each element: those that have a leaf in it.
fn spans(skeleton: &Skeleton, labels: &[Label], leaves: usize) -> Vec<(u32, u32)> {
    let mut of_leaf = Vec::with_capacity(leaves);
    for (i, label) in (0u32..).zip(labels) {
        of_leaf.extend((label.lo..label.hi).map(|_| i));
    }
    let span = |lo: u32, hi: u32| (of_leaf[lo as usize], of_leaf[hi as usize - 1] + 1);
    skeleton.elements.iter().map(|element| span(element.lo, element.hi)).collect()
}

/// For each element that holds exactly one label, that label; decoration does not count.
fn only(labels: &[Label], spans: &[(u32, u32)], params: &OutlineParams) -> Vec<u32> {
    // By label: number of labels before it that count.
    let mut before = vec![0u32];
    let mut next = vec![labels.len() as u32; labels.len() + 1];
    for label in labels {
        let counts = !(params.decoration && label.is_decoration);
        before.push(before[before.len() - 1] + u32::from(counts));
    }
    for i in (0..labels.len()).rev() {
        let counts = before[i + 1] > before[i];
        next[i] = if counts { i as u32 } else { next[i + 1] };
    }
    let only = |&(lo, hi): &(u32, u32)| {
        if before[hi as usize] - before[lo as usize] == 1 { next[lo as usize] } else { NONE }
    };
    spans.iter().map(only).collect()
}

/// A number for each label's style: its four innermost elements.
fn styles(skeleton: &Skeleton, labels: &[Label]) -> Vec<u32> {
    let mut known: FxHashMap<[u32; 4], u32> = FxHashMap::default();
    labels
        .iter()
        .map(|label| {
            let mut key = [NONE; 4];
            let mut at = label.element;
            for slot in &mut key {
                if at == NONE {
                    break;
                }
                *slot = skeleton.get(at).sig;
                at = skeleton.get(at).parent;
            }
            let next = known.len() as u32;
            *known.entry(key).or_insert(next)
        })
        .collect()
}

/// The number of images and long texts before each label. A heading over half of a page has none under it.
fn stuff(labels: &[Label]) -> Vec<u32> {
    let mut before = vec![0];
    for label in labels {
        let counts = !label.is_decoration && (label.is_image || label.words >= LONG_TEXT_WORDS);
        before.push(before[before.len() - 1] + u32::from(counts));
    }
    before
}
