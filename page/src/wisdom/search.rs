//! k-MIB: the nodes with the most of a feature whose children share it evenly (`[W §3.2.2]`).
//!
//! The search takes the node with the most of the feature from a heap, beginning with the root (on a tie, the
//! first in the page). An even node or a leaf is a candidate; one that meets the type constraint joins the
//! *skeleton*. Any other node is replaced by its children. So no skeleton node lies inside another.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::coverage::{CoverageTree, Feature, Features, UNIT};
use super::params::{SearchParams, WisdomParams};

/// The type constraint of a block (TC).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Constraint {
    /// The anchor texts describe the pages they lead to.
    Toc,
    /// The terms are not spread all over the site.
    Article,
}

impl Constraint {
    /// Whether a node with these features meets the constraint.
    pub(super) fn is_met(self, features: &Features, params: &WisdomParams) -> bool {
        // Whether the mean exceeds a per cent, in integers, so that the result is the same on every machine.
        let mean_exceeds = |sum: u64, count: u64, least: u32| {
            let (sum, count) = (u128::from(sum) * 100, u128::from(count));
            count > 0 && sum > count * u128::from(least) * u128::from(UNIT)
        };
        match self {
            Constraint::Toc => mean_exceeds(features.api, features.anchors, params.least_api),
            Constraint::Article => {
                let length = features.alen + features.clen;
                let is_linked = features.alen * 100 > length * u64::from(params.most_linked);
                mean_exceeds(features.weight, features.terms, params.least_cii) && !is_linked
            }
        }
    }
}

/// One search for blocks of one type.
#[derive(Clone, Copy, Debug)]
pub(super) struct Search<'a> {
    pub(super) coverage: &'a CoverageTree,
    pub(super) feature: Feature,
    pub(super) constraint: Constraint,
    pub(super) search_params: SearchParams,
    pub(super) params: &'a WisdomParams,
}

impl Search<'_> {
    pub(super) fn value(&self, node: usize) -> u64 {
        self.coverage.nodes[node].sum.get(self.feature)
    }

    pub(super) fn fits(&self, node: usize) -> bool {
        self.constraint.is_met(&self.coverage.nodes[node].sum, self.params)
    }

    pub(super) fn is_even(&self, node: usize) -> bool {
        self.coverage.evenness(node, self.feature) >= f64::from(self.search_params.evenness) / 100.0
    }

    /// Algorithm MIB: the skeleton nodes, in the order in which they are found.
    pub(super) fn skeleton(&self) -> Vec<usize> {
        let mut skeleton = Vec::new();
        let mut heap = BinaryHeap::from([(self.value(0), Reverse(0))]);
        while skeleton.len() < self.search_params.most {
            let Some((_, Reverse(node))) = heap.pop() else { break };
            let is_candidate = self.coverage.is_leaf(node) || self.is_even(node);
            if is_candidate && self.fits(node) {
                skeleton.push(node);
            } else if !is_candidate || self.search_params.search_on {
                heap.extend(self.coverage.children(node).map(|child| (self.value(child), Reverse(child))));
            }
        }
        skeleton
    }
}
