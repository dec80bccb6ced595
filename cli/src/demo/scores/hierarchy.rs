//! Scores hierarchies against outlines by (ancestor, descendant) pairs of the transitive closure.
//!
//! Only judged leaves count. The first leaf identifies a label; a predicted label that covers leaves of
//! one gold label counts as that label. Each segment boundary is matched once, within a window of leaves.

use std::collections::{BTreeMap, BTreeSet};

use newslode_page::hierarchy::Hierarchy;
use serde::{Deserialize, Serialize};

use super::Prf;
use super::outline::Gold;

/// Leaves on both sides within which a boundary counts as found. The papers' window comes first.
pub const WINDOWS: [u32; 3] = [5, 1, 0];

/// The prediction for a page, in the scorers' format.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Prediction {
    /// Names the page.
    pub page: String,
    /// Leaf → the leaf above it.
    pub parent: BTreeMap<u32, Option<u32>>,
    /// Leaf → first leaf of its label.
    #[serde(default)]
    pub label: BTreeMap<u32, u32>,
    /// First leaves of blocks.
    #[serde(default)]
    pub boundaries: Vec<u32>,
}

impl Prediction {
    /// The prediction that a hierarchy makes.
    #[must_use]
    pub fn of(page: &str, hierarchy: &Hierarchy) -> Prediction {
        let first = |node: usize| {
            hierarchy.nodes[node].label.as_ref().and_then(|label| label.leaves.first().copied())
        };
        // The first block begins with the page, even if the hierarchy does not say so.
        let first_block = (hierarchy.leaves > 0).then_some(0);
        let boundaries = first_block.into_iter().chain(hierarchy.boundaries.iter().copied()).collect();
        let mut prediction = Prediction { page: page.into(), boundaries, ..Default::default() };
        for (index, node) in hierarchy.nodes.iter().enumerate() {
            let Some(label) = &node.label else { continue };
            let above = hierarchy.labelled_ancestor(index).and_then(first);
            for &leaf in &label.leaves {
                prediction.parent.insert(leaf, above);
                prediction.label.insert(leaf, label.leaves[0]);
            }
        }
        prediction
    }

    fn pairs(&self, gold: &Gold) -> BTreeSet<(u32, u32)> {
        let name = |leaf: u32| self.label.get(&leaf).copied().unwrap_or(leaf);
        let leaves: BTreeSet<u32> = self.parent.keys().chain(self.label.keys()).copied().collect();
        let firsts = leaves
            .into_iter()
            .map(|leaf| (leaf, self.parent.get(&name(leaf)).copied().flatten().map(name)))
            .collect();
        transitive_pairs(&firsts)
            .into_iter()
            .filter_map(|(above, below)| Some((*gold.label.get(&above)?, *gold.label.get(&below)?)))
            .filter(|(above, below)| above != below)
            .collect()
    }
}

fn transitive_pairs(parent: &BTreeMap<u32, Option<u32>>) -> BTreeSet<(u32, u32)> {
    let mut pairs = BTreeSet::new();
    for &leaf in parent.keys() {
        let mut seen = BTreeSet::from([leaf]);
        let mut above = parent[&leaf];
        while let Some(one) = above.filter(|one| !seen.contains(one)) {
            pairs.insert((one, leaf));
            seen.insert(one);
            above = parent.get(&one).copied().flatten();
        }
    }
    pairs
}

/// Figures of one page.
#[derive(Clone, Debug, Serialize)]
pub struct HierarchyScores {
    /// Names the page.
    pub page: String,
    /// Scores of the pairs.
    pub pairs: Prf,
    /// Scores of block starts, one for each of [`WINDOWS`].
    pub boundaries: [Prf; 3],
    /// Number of pairs in the gold.
    pub wanted_pairs: usize,
}

/// Scores one page.
#[must_use]
pub fn score_hierarchy(gold: &Gold, prediction: &Prediction) -> HierarchyScores {
    let (wanted, found) = (transitive_pairs(&gold.parent), prediction.pairs(gold));
    let predicted: BTreeSet<u32> = prediction.boundaries.iter().copied().collect();
    let boundaries = WINDOWS.map(|window| {
        let hit = match_boundaries(&predicted, &gold.boundaries, window);
        Prf::of(hit, predicted.len(), gold.boundaries.len())
    });
    HierarchyScores {
        page: prediction.page.clone(),
        pairs: Prf::of(wanted.intersection(&found).count(), found.len(), wanted.len()),
        boundaries,
        wanted_pairs: wanted.len(),
    }
}

/// Matches greedily from left to right, each boundary once. On a line with equal windows this is optimal.
fn match_boundaries(predicted: &BTreeSet<u32>, gold: &[u32], window: u32) -> usize {
    let wanted: BTreeSet<u32> = gold.iter().copied().collect();
    let mut left = predicted.iter().copied().peekable();
    let mut hits = 0;
    for mark in wanted {
        while left.next_if(|found| found + window < mark).is_some() {}
        hits += usize::from(left.next_if(|found| *found <= mark + window).is_some());
    }
    hits
}

#[cfg(test)]
mod tests {
    use super::super::outline::parse_outline;
    use super::*;

    fn prediction(parents: &[(u32, Option<u32>)]) -> Prediction {
        Prediction { parent: parents.iter().copied().collect(), ..Default::default() }
    }

    #[test]
    fn grandparents_count_and_unjudged_leaves_do_not() {
        let gold = parse_outline("0\ta\n  1\tb\n    2-3\tc\n~ 9\n| 2\n").unwrap();
        let right = prediction(&[(0, None), (1, Some(0)), (2, Some(1)), (3, Some(1)), (9, Some(0))]);
        assert_eq!(score_hierarchy(&gold, &right).pairs.f1, 1.0);
        let flat = prediction(&[(1, Some(0)), (2, Some(0))]);
        let row = score_hierarchy(&gold, &flat);
        assert_eq!((row.pairs.precision, row.wanted_pairs), (1.0, 3));
        assert!((row.pairs.recall - 2.0 / 3.0).abs() < 1e-9);
    }

    #[test]
    fn a_cycle_ends() {
        let gold = parse_outline("0\ta\n1\tb\n").unwrap();
        assert_eq!(score_hierarchy(&gold, &prediction(&[(0, Some(1)), (1, Some(0))])).pairs.precision, 0.0);
    }

    #[test]
    fn each_boundary_is_matched_once() {
        let predicted = BTreeSet::from([10, 11, 40]);
        assert_eq!(match_boundaries(&predicted, &[12, 30, 36], 5), 2);
    }
}
