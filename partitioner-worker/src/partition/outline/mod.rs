//! Outline.

mod blocks;
mod compose;
mod decoration;
mod forest;
mod headings;
mod labels;
mod lists;
mod rank;
mod records;
mod rules;
mod siblings;
mod site_name;
mod skeleton;
mod tables;
mod tabs;
mod tags;
mod votes;
mod words;
mod write;

use rustc_hash::FxHashMap;

pub use rules::OutlineParams;
pub(crate) use write::write;

use compose::Composer;
use forest::Forest;
use labels::Label;
use skeleton::{NONE, Skeleton};
use votes::Votes;

use crate::Page;

/// Who stands under whom.
pub(crate) struct Outline {
    /// Leaves of each label, in order.
    pub labels: Vec<std::ops::Range<u32>>,
    /// The label above each; `None` at the top.
    pub parents: Vec<Option<u32>>,
    /// First leaves of the blocks after the first.
    pub boundaries: Vec<u32>,
    /// The list of like siblings each is in.
    pub lists: Vec<u32>,
    /// ranks for looking at
    pub ranks: Vec<u8>,
}

/// The outline of a page.
pub(crate) fn outline(page: &Page, params: &OutlineParams) -> Outline {
    let skeleton = Skeleton::new(page);
    let labels = labels::labels(page, &skeleton, params);
    let spans = spans(&skeleton, &labels, page.leaves.len());
    let only = only(&labels, &spans, params);
    let (ranks, marks) = rank::ranks(&skeleton, &labels, &spans, &only, params);
    let styles = styles(&skeleton, &labels);
    let barred = site_name::barred(page, &skeleton, &labels, &ranks, params);
    let mut votes = Votes::default();
    let stuff = stuff(&labels);
    let pass = |ranks: Vec<rank::Rank>, votes: &Votes| {
        let mut composer = Composer {
            skeleton: &skeleton,
            labels: &labels,
            spans: &spans,
            params,
            votes,
            styles: &styles,
            marks: &marks,
            barred: &barred,
            stuff: &stuff,
            forest: Forest::new(ranks),
            ballot: votes::Ballot::default(),
            done: vec![None; skeleton.elements.len()],
        };
        composer.run();
        (composer.forest, composer.ballot, composer.done)
    };
    let (mut forest, ballot, mut done) = pass(ranks.clone(), &votes);
    if params.votes {
        let mut ranks = ranks;
        let mark_styles: Vec<u32> = marks.iter().map(|&mark| skeleton.get(mark).sig).collect();
        votes = ballot.count(&styles, &mark_styles, &forest, &mut ranks);
        (forest, _, done) = pass(ranks, &votes);
    }
    if params.decoration {
        decoration::place(&skeleton, &labels, &spans, &done, &mut forest);
    }
    let boundaries = blocks::boundaries(&skeleton, &forest, &done, params);
    Outline {
        boundaries,
        lists: forest.list.clone(),
        parents: forest.parent.iter().map(|&up| (up != NONE).then_some(up)).collect(),
        labels: labels.iter().map(|label| label.lo..label.hi).collect(),
        ranks: forest.ranks,
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
        let counts = !label.is_decoration && (label.is_image || label.words >= LONG);
        before.push(before[before.len() - 1] + u32::from(counts));
    }
    before
}

/// Words of a long text.
const LONG: u32 = 15;
