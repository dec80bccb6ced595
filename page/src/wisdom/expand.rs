//! Expanding and condensing (`[W §3.3]`): from skeleton nodes to blocks.
//!
//! DSTM merges a node with its siblings that meet the type constraint and have less of the feature (siblings
//! with more were examined before). k-CSTM does the same at the first k ancestors that have siblings with the
//! feature. Condensing then drops every subtree that fails the constraint.

use std::ops::Range;

use super::search::{Constraint, Search};

impl Search<'_> {
    /// The blocks of the page as ranges of leaves, in order; adjacent ranges are joined.
    pub(super) fn blocks(&self) -> Vec<Range<usize>> {
        let mut nodes = self.expand(&self.skeleton());
        nodes.sort_unstable();
        nodes.dedup();
        let mut blocks = Vec::new();
        // A node inside one that was merged is part of its block already.
        let mut end = 0;
        for node in nodes {
            if node >= end {
                end = self.coverage.nodes[node].end;
                self.condense(node, &mut blocks);
            }
        }
        blocks
    }

    /// The skeleton and the nodes that DSTM and k-CSTM merge with it.
    pub(super) fn expand(&self, skeleton: &[usize]) -> Vec<usize> {
        let mut nodes = skeleton.to_vec();
        for &start in skeleton {
            if self.search_params.siblings {
                self.merge_siblings(start, start, &mut nodes);
            }
            let mut at = start;
            for _ in 0..self.search_params.collateral {
                let Some(ancestor) = self.collateral_ancestor(at) else { break };
                self.merge_siblings(ancestor, start, &mut nodes);
                at = ancestor;
            }
        }
        nodes
    }

    fn siblings(&self, node: usize) -> impl Iterator<Item = usize> {
        let parent = self.coverage.nodes[node].parent;
        let all = parent.into_iter().flat_map(|parent| self.coverage.children(parent));
        all.filter(move |&sibling| sibling != node)
    }

    /// DSTM for `node`, which is the skeleton node or one of its ancestors.
    fn merge_siblings(&self, node: usize, skeleton_node: usize, nodes: &mut Vec<usize>) {
        let most = self.value(node);
        let is_merged = |&sibling: &usize| {
            let value = self.value(sibling);
            value > 0 && value < most && self.fits(sibling) && self.is_alike(sibling, skeleton_node)
        };
        nodes.extend(self.siblings(node).filter(is_merged));
    }

    /// Whether a node of an article is about as informative as a skeleton node. Always true for tables of contents.
    fn is_alike(&self, node: usize, skeleton_node: usize) -> bool {
        let weight_and_terms = |node: usize| {
            let sum = &self.coverage.nodes[node].sum;
            (u128::from(sum.weight), u128::from(sum.terms))
        };
        // The mean weights (CII) of both, compared crosswise instead of divided.
        let (weight, terms) = weight_and_terms(node);
        let (skeleton_weight, skeleton_terms) = weight_and_terms(skeleton_node);
        self.constraint == Constraint::Toc
            || weight * skeleton_terms * 100 >= skeleton_weight * terms * u128::from(self.params.least_alike)
    }

    /// Whether a node is a line of text: at least half of its text is in no child element.
    fn is_line(&self, node: usize) -> bool {
        let length = |node: usize| {
            let sum = &self.coverage.nodes[node].sum;
            sum.alen + sum.clen
        };
        let elements = self.coverage.children(node).filter(|&child| !self.coverage.nodes[child].is_text);
        let below: u64 = elements.map(length).sum();
        below * 2 <= length(node)
    }

    /// The nearest ancestor that has a sibling with the feature (the paper's "nonsingleton ancestor").
    fn collateral_ancestor(&self, node: usize) -> Option<usize> {
        let above = |&at: &usize| self.coverage.nodes[at].parent;
        let mut ancestors = std::iter::successors(above(&node), above);
        ancestors.find(|&at| self.siblings(at).any(|sibling| self.value(sibling) > 0))
    }

    /// Appends the leaves under a node, except those of subtrees that fail the constraint.
    fn condense(&self, node: usize, blocks: &mut Vec<Range<usize>>) {
        let mut at = node;
        let mut start = self.coverage.nodes[node].leaves.start;
        let end = self.coverage.nodes[node].end;
        while at < end {
            let here = &self.coverage.nodes[at];
            if at > node && !self.fits(at) {
                // Cut the subtree out: the block ends before it, and another begins after it.
                push_range(blocks, start..here.leaves.start);
                start = here.leaves.end;
                at = here.end;
            } else if (self.params.keep_even && self.is_even(at))
                || (self.params.keep_lines && self.is_line(at))
            {
                // Keep the whole subtree, whatever its parts.
                at = here.end;
            } else {
                at += 1;
            }
        }
        push_range(blocks, start..self.coverage.nodes[node].leaves.end);
    }
}

/// Appends a range; joins it with the last one if they touch.
fn push_range(ranges: &mut Vec<Range<usize>>, range: Range<usize>) {
    match ranges.last_mut() {
        _ if range.is_empty() => {}
        Some(last) if last.end >= range.start => last.end = last.end.max(range.end),
        _ => ranges.push(range),
    }
}
