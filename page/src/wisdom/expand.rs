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
        let mut kept = Vec::new();
        let mut end = 0;
        for node in nodes {
            if node >= end {
                end = self.coverage.nodes[node].end;
                self.condense(node, &mut kept);
            }
        }
        kept
    }

    /// The finds and the nodes that DSTM and k-CSTM merge with them.
    pub(super) fn expand(&self, finds: &[usize]) -> Vec<usize> {
        let mut nodes = finds.to_vec();
        for &find in finds {
            if self.search_params.siblings {
                self.merge_siblings(find, find, &mut nodes);
            }
            let mut at = find;
            for _ in 0..self.search_params.collateral {
                let Some(above) = self.collateral_ancestor(at) else { break };
                self.merge_siblings(above, find, &mut nodes);
                at = above;
            }
        }
        nodes
    }

    fn siblings(&self, node: usize) -> impl Iterator<Item = usize> {
        let parent = self.coverage.nodes[node].parent;
        let all = parent.into_iter().flat_map(|parent| self.coverage.children(parent));
        all.filter(move |&sibling| sibling != node)
    }

    /// DSTM for `node`, which is `find` or one of its ancestors.
    fn merge_siblings(&self, node: usize, find: usize, nodes: &mut Vec<usize>) {
        let most = self.value(node);
        let fits = |&sibling: &usize| {
            let value = self.value(sibling);
            value > 0 && value < most && self.fits(sibling) && self.is_alike(sibling, find)
        };
        nodes.extend(self.siblings(node).filter(fits));
    }

    /// Whether a node of an article is about as informative as a find. Always true for tables of contents.
    fn is_alike(&self, node: usize, find: usize) -> bool {
        let of = |node: usize| {
            let sum = &self.coverage.nodes[node].sum;
            (u128::from(sum.weight), u128::from(sum.terms))
        };
        let ((weight, terms), (most, all)) = (of(node), of(find));
        self.constraint == Constraint::Toc
            || weight * all * 100 >= most * terms * u128::from(self.params.least_alike)
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

    /// The nearest ancestor that has a sibling with the feature.
    fn collateral_ancestor(&self, node: usize) -> Option<usize> {
        let above = |&at: &usize| self.coverage.nodes[at].parent;
        let mut ancestors = std::iter::successors(above(&node), above);
        ancestors.find(|&at| self.siblings(at).any(|sibling| self.value(sibling) > 0))
    }

    /// Appends the leaves under a node, except those of subtrees that fail the constraint.
    fn condense(&self, node: usize, kept: &mut Vec<Range<usize>>) {
        let mut at = node;
        let mut from = self.coverage.nodes[node].leaves.start;
        let end = self.coverage.nodes[node].end;
        while at < end {
            let here = &self.coverage.nodes[at];
            if at > node && !self.fits(at) {
                push_range(kept, from..here.leaves.start);
                from = here.leaves.end;
                at = here.end;
            } else if (self.params.keep_even && self.is_even(at))
                || (self.params.keep_lines && self.is_line(at))
            {
                at = here.end;
            } else {
                at += 1;
            }
        }
        push_range(kept, from..self.coverage.nodes[node].leaves.end);
    }
}

/// Appends a range; joins it with the last one if they touch.
fn push_range(kept: &mut Vec<Range<usize>>, range: Range<usize>) {
    match kept.last_mut() {
        _ if range.is_empty() => {}
        Some(last) if last.end >= range.start => last.end = last.end.max(range.end),
        _ => kept.push(range),
    }
}
