//! k-MIB: the nodes with the most of a feature whose children share it evenly (`[W §3.2.2]`).
//!
//! The search takes the node with the most of the feature from a heap, beginning with the root (on a tie, the
//! first in the page). An even node or a leaf is a find; it is kept if it meets the type constraint. Any other
//! node is replaced by its children. So no find lies inside another.

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
    pub(super) fn is_met(self, of: &Features, params: &WisdomParams) -> bool {
        let exceeds = |sum: u64, count: u64, least: u32| {
            let (sum, count) = (u128::from(sum) * 100, u128::from(count));
            count > 0 && sum > count * u128::from(least) * u128::from(UNIT)
        };
        match self {
            Constraint::Toc => exceeds(of.api, of.anchors, params.least_api),
            Constraint::Article => {
                let is_linked = of.alen * 100 > (of.alen + of.clen) * u64::from(params.most_linked);
                exceeds(of.weight, of.terms, params.least_cii) && !is_linked
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

    /// The skeleton nodes, in the order in which they are found.
    pub(super) fn skeleton(&self) -> Vec<usize> {
        let mut found = Vec::new();
        let mut heap = BinaryHeap::from([(self.value(0), Reverse(0))]);
        while found.len() < self.search_params.most {
            let Some((_, Reverse(node))) = heap.pop() else { break };
            let is_leaf = self.coverage.is_leaf(node);
            let is_find = is_leaf || self.is_even(node);
            if is_find && self.fits(node) {
                found.push(node);
            } else if !is_find || self.search_params.search_on {
                heap.extend(self.coverage.children(node).map(|child| (self.value(child), Reverse(child))));
            }
        }
        found
    }
}
