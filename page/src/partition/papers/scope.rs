//! The input of the dynamic program: a range of leaves, and the elements over them.
//!
//! An *element of the scope* is the lowest common ancestor of some range of its leaves (for one leaf: its
//! parent). There are at most twice as many as leaves, and they are numbered densely. Where the papers say "the
//! leaves in the subtree of A", only those inside the scope count: a segment is treated as a page of its own.
//! With the whole page as scope this is exactly the print. Depths are those in the page.

use std::ops::Range;

use crate::reading::{NodeId, Page};

/// A range of leaves and the elements over them.
pub(crate) struct ScopeTree<'a> {
    pub(crate) page: &'a Page,
    elements: Vec<NodeId>,
    depths: Vec<u32>,
    /// Path ids of the leaves.
    paths: Vec<u32>,
    /// The leaves of each element, counted from the scope's first.
    spans: Vec<Range<usize>>,
    /// The distinct paths of each element, sorted.
    sets: Vec<Vec<u32>>,
    parents: Vec<u32>,
    /// By k: the lowest common ancestor of leaves `k` and `k + 1`.
    joints: Vec<u32>,
}

impl<'a> ScopeTree<'a> {
    pub(crate) fn new(page: &'a Page, range: Range<usize>) -> ScopeTree<'a> {
        let (tree, leaves) = (&page.tree, &page.leaves);
        let parents: Vec<NodeId> = range.clone().map(|i| leaves.get(i).parent).collect();
        let joints: Vec<NodeId> = parents.windows(2).map(|pair| tree.lca(pair[0], pair[1])).collect();
        let mut elements: Vec<NodeId> = parents.iter().chain(&joints).copied().collect();
        elements.sort_unstable();
        elements.dedup();
        let number = |node: &NodeId| elements.partition_point(|other| other < node) as u32;
        let paths: Vec<u32> = range.clone().map(|i| leaves.get(i).path.index() as u32).collect();
        let spans: Vec<Range<usize>> =
            elements.iter().map(|&node| clip_to_scope(&leaves.range_under(tree, node), &range)).collect();
        let sets = spans.iter().map(|span| sorted_distinct(&paths[span.clone()])).collect();
        let parents = parents.iter().map(number).collect();
        let joints = joints.iter().map(number).collect();
        let depths = elements.iter().map(|&node| tree.depth(node)).collect();
        ScopeTree { page, elements, depths, paths, spans, sets, parents, joints }
    }

    /// Number of leaves.
    pub(crate) fn len(&self) -> usize {
        self.paths.len()
    }

    /// The element's node in the page tree.
    pub(crate) fn node(&self, element: u32) -> NodeId {
        self.elements[element as usize]
    }

    /// The parent of a leaf; leaves are counted from the scope's first.
    pub(crate) fn parent(&self, leaf: usize) -> u32 {
        self.parents[leaf]
    }

    /// Distinct paths of the leaves under an element, sorted.
    pub(crate) fn path_set(&self, element: u32) -> &[u32] {
        &self.sets[element as usize]
    }

    /// Paths of the leaves under an element, in page order.
    pub(crate) fn path_sequence(&self, element: u32) -> &[u32] {
        &self.paths[self.spans[element as usize].clone()]
    }

    /// Depth of an element in the page.
    pub(crate) fn depth(&self, element: u32) -> u32 {
        self.depths[element as usize]
    }

    /// The lowest common ancestor of leaf `k - 1` and leaf `k`.
    pub(crate) fn joint(&self, k: usize) -> u32 {
        self.joints[k - 1]
    }

    /// Extends a range by one leaf: `over` is the common ancestor of a range that ends on one side of the gap before
    /// leaf `k`; the result is the common ancestor once the leaf on the other side joins. `over` and the gap's
    /// ancestor contain the same leaf, so one contains the other.
    pub(crate) fn above(&self, over: u32, k: usize) -> u32 {
        let joint = self.joint(k);
        if self.depth(joint) < self.depth(over) { joint } else { over }
    }

    /// The lowest common ancestors of `i..=i`, `i..=i+1`, … up to the last leaf. O(leaves).
    pub(crate) fn ancestors_from(&self, i: usize) -> impl Iterator<Item = u32> {
        let mut over = self.parents[i];
        (i..self.len()).map(move |k| {
            over = if k > i { self.above(over, k) } else { over };
            over
        })
    }

    /// The lowest common ancestors of `j..=j`, `j-1..=j`, … down to the first leaf. O(leaves).
    pub(crate) fn ancestors_to(&self, j: usize) -> impl Iterator<Item = u32> {
        let mut over = self.parents[j];
        (0..=j).rev().map(move |x| {
            over = if x < j { self.above(over, x + 1) } else { over };
            over
        })
    }
}

/// Depth of the deepest leaf's parent.
pub(crate) fn max_depth(page: &Page) -> u32 {
    page.leaves.iter().map(|leaf| page.tree.depth(leaf.parent)).max().unwrap_or(0)
}

/// `span` cut to `range` and counted from its start.
fn clip_to_scope(span: &Range<usize>, range: &Range<usize>) -> Range<usize> {
    span.start.max(range.start) - range.start..span.end.min(range.end) - range.start
}

fn sorted_distinct(paths: &[u32]) -> Vec<u32> {
    let mut set = paths.to_vec();
    set.sort_unstable();
    set.dedup();
    set
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::pages;

    proptest! {
        #[test]
        fn ancestors_are_the_lowest_common_ones(page in pages(40)) {
            let leaves = &page.leaves;
            let scope = ScopeTree::new(&page, 0..leaves.len());
            for i in 0..leaves.len() {
                for (k, found) in (i..).zip(scope.ancestors_from(i)) {
                    let all = (i..=k).map(|leaf| leaves.get(leaf).parent);
                    let lowest = all.reduce(|a, b| page.tree.lca(a, b)).unwrap();
                    prop_assert_eq!(scope.node(found), lowest);
                    prop_assert_eq!(scope.ancestors_to(k).nth(k - i), Some(found));
                }
            }
        }
    }
}
