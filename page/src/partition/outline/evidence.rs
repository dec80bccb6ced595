//! What the page shows of its labels and elements, gathered before anything is decided.
//!
//! Numbers only: from here on no text is looked at. Start at [`Evidence::new`].

use rustc_hash::FxHashMap;

use super::OutlineParams;
use super::labels::{self, Label};
use super::rank::{self, Rank};
use super::site_name;
use super::skeleton::{NONE, Skeleton};
use crate::Page;

/// Uses from which on a text that leads nowhere is no name.
const REPEATED: u32 = 3;
/// Words of a long text.
const LONG_TEXT_WORDS: u32 = 15;

pub(super) struct Evidence {
    pub(super) skeleton: Skeleton,
    pub(super) labels: Vec<Label>,
    /// The labels of each element, first and one past the last.
    pub(super) spans: Vec<(u32, u32)>,
    /// How strongly each label is set off.
    pub(super) ranks: Vec<Rank>,
    /// The element that gave each label its rank.
    pub(super) marks: Vec<u32>,
    /// Equal for labels whose four innermost elements are alike.
    pub(super) styles: Vec<u32>,
    /// Labels that head nothing.
    pub(super) barred: Vec<bool>,
    /// Images and long texts before each label.
    pub(super) stuff: Vec<u32>,
}

impl Evidence {
    pub(super) fn new(page: &Page, params: &OutlineParams) -> Evidence {
        let skeleton = Skeleton::new(page);
        let labels = labels::labels(page, &skeleton, params);
        let spans = spans(&skeleton, &labels, page.leaves.len());
        let only = only(&labels, &spans, params);
        let (mut ranks, marks) = rank::ranks(&skeleton, &labels, &spans, &only, params);
        let styles = styles(&skeleton, &labels);
        let mut barred = site_name::barred(page, &skeleton, &labels, &ranks, params);
        if params.generic {
            generic(&labels, &mut ranks, &mut barred);
        }
        let stuff = stuff(&labels);
        Evidence { skeleton, labels, spans, ranks, marks, styles, barred, stuff }
    }

    /// The style of the element that gave each label its rank.
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

/// For each element the one label that it holds, decoration not counted.
fn only(labels: &[Label], spans: &[(u32, u32)], params: &OutlineParams) -> Vec<u32> {
    // Labels that count, before each.
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

/// Images and long texts before each label: what no heading over half of a page has under it.
fn stuff(labels: &[Label]) -> Vec<u32> {
    let mut before = vec![0];
    for label in labels {
        let counts = !label.is_decoration && (label.is_image || label.words >= LONG_TEXT_WORDS);
        before.push(before[before.len() - 1] + u32::from(counts));
    }
    before
}

/// Links and pictures of one text that lead nowhere, and often, name what can be done there and not what is
/// there ("more", "play"): they head nothing.
fn generic(labels: &[Label], ranks: &mut [Rank], barred: &mut [bool]) {
    let counts = |i: usize, rank: Rank| {
        let label = &labels[i];
        label.hi == label.lo + 1
            && rank >= rank::LINK
            && label.target == NONE
            && (label.link.is_some() || label.is_image)
    };
    let mut uses: FxHashMap<u32, u32> = FxHashMap::default();
    for i in (0..labels.len()).filter(|&i| counts(i, ranks[i])) {
        *uses.entry(labels[i].text).or_default() += 1;
    }
    for (i, label) in labels.iter().enumerate() {
        if counts(i, ranks[i]) && uses[&label.text] >= REPEATED {
            ranks[i] = ranks[i].max(rank::KICKER);
            barred[i] = true;
        }
    }
}
