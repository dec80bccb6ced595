//! Scores flat boundaries against blocks that people marked.
//!
//! Gold boundaries are the first leaf of every block and the leaf after its last; leaf 0 never counts.
//! Boundaries are matched one to one within a window, nearest pairs first. Windows 0, 1 and 5 are
//! reported, because 5 (the papers' window) flatters guesses.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{Figure, harmonic_mean, mean};

/// A block.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Block {
    level: u8,
    first: u32,
    last: u32,
}

/// A page's gold: one line of the file.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Gold {
    pub(crate) page: String,
    pub(crate) leaves: u32,
    blocks: Vec<Block>,
}

impl Gold {
    /// The leaves where a block up to this level begins, or has ended just before.
    pub(crate) fn boundaries(&self, level: u8) -> BTreeSet<u32> {
        let marked = self.blocks.iter().filter(|block| block.level <= level);
        marked
            .flat_map(|block| [block.first, block.last + 1])
            .filter(|&leaf| 0 < leaf && leaf < self.leaves)
            .collect()
    }
}

/// Sums over pages for one window.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Figures {
    pub(crate) window: u32,
    pub(crate) precision: f64,
    pub(crate) recall: f64,
    pub(crate) f1: f64,
    pub(crate) right: usize,
    pub(crate) said: usize,
    pub(crate) wanted: usize,
    /// Means of the pages' own figures.
    pub(crate) page_precision: Figure,
    pub(crate) page_recall: Figure,
}

/// Scores `(gold, said)` pairs of pages.
pub(crate) fn score(pages: &[(BTreeSet<u32>, BTreeSet<u32>)], window: u32) -> Figures {
    let ratio = |part: usize, whole: usize| if whole == 0 { 0.0 } else { part as f64 / whole as f64 };
    let rows: Vec<(usize, usize, usize)> = pages
        .iter()
        .map(|(gold, said)| {
            let said: BTreeSet<u32> = said.iter().copied().filter(|leaf| *leaf > 0).collect();
            (matched(gold, &said, window), said.len(), gold.len())
        })
        .collect();
    let sum = |pick: fn(&(usize, usize, usize)) -> usize| rows.iter().map(pick).sum::<usize>();
    let (right, said, wanted) = (sum(|r| r.0), sum(|r| r.1), sum(|r| r.2));
    let (precision, recall) = (ratio(right, said), ratio(right, wanted));
    Figures {
        window,
        precision,
        recall,
        f1: harmonic_mean(precision, recall),
        right,
        said,
        wanted,
        page_precision: mean(&rows.iter().map(|r| ratio(r.0, r.1)).collect::<Vec<_>>()),
        page_recall: mean(&rows.iter().map(|r| ratio(r.0, r.2)).collect::<Vec<_>>()),
    }
}

/// Counts matches, one to one, nearest pairs first.
fn matched(gold: &BTreeSet<u32>, said: &BTreeSet<u32>, window: u32) -> usize {
    let mut pairs: Vec<(u32, u32, u32)> = said
        .iter()
        .flat_map(|&s| {
            gold.range(s.saturating_sub(window)..=s.saturating_add(window))
                .map(move |&g| (g.abs_diff(s), g, s))
        })
        .collect();
    pairs.sort_unstable();
    let (mut used_gold, mut used_said) = (BTreeSet::new(), BTreeSet::new());
    for (_, g, s) in pairs {
        if !used_gold.contains(&g) && !used_said.contains(&s) {
            used_gold.insert(g);
            used_said.insert(s);
        }
    }
    used_gold.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_bound_on_both_sides_and_leaf_zero_never_counts() {
        let line = r#"{"page":"a","leaves":20,"blocks":[{"level":1,"type":"Menu","first":0,"last":4},
            {"level":2,"type":"Ad","first":7,"last":9}]}"#;
        let gold: Gold = serde_json::from_str(line).unwrap();
        assert_eq!(gold.boundaries(1), BTreeSet::from([5]));
        assert_eq!(gold.boundaries(2), BTreeSet::from([5, 7, 10]));
    }

    #[test]
    fn the_nearest_pair_is_taken_first() {
        assert_eq!(matched(&BTreeSet::from([10, 12]), &BTreeSet::from([11, 12]), 1), 2);
        assert_eq!(matched(&BTreeSet::from([10]), &BTreeSet::from([9, 11]), 5), 1);
        let figures = score(&[(BTreeSet::from([10]), BTreeSet::from([0, 10, 50]))], 0);
        assert_eq!((figures.precision, figures.recall), (0.5, 1.0));
    }
}
