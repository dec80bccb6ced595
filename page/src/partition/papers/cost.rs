//! The cost of joining two neighbouring parts of a page (`[OM05 §4.3.1, Fig. 4 and 6]`).
//!
//! Each part stands for the lowest common ancestor of its leaves, A or B. Five factors between 0 and 1 grow
//! with the difference: the distance of A and B from their common ancestor L (LCA), and the differences of the
//! tags between (PSIM), the sets of paths below (STSIM), the order of these paths (ORD), and depth and size
//! (NSIM). Three special cases drop factors without meaning there. Readings of the print: its sum lists four
//! terms and says five, so all five count; its NSIM grows with similarity, so the cost is 1 minus that.
//!
//! Invariants: costs are integers in units of 2⁻²⁰, so sums do not depend on their order; they are symmetric
//! and two equal elements cost nothing, which [`super::dp`] relies on. [`super::plain`] is the print's text.

use rustc_hash::FxHashMap;

use super::lcs;
use super::scope::ScopeTree;
use crate::partition::papers::params::GroupCost;

/// A cost of 1.
pub(crate) const ONE: u64 = 1 << 20;

/// The factors of one pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Factors {
    pub(super) sum: u64,
    pub(super) applying: u64,
}

impl Factors {
    /// The cost for the dynamic program.
    pub(crate) fn sum(self) -> u64 {
        self.sum
    }

    /// The cost that grouping compares with its threshold.
    pub(crate) fn for_grouping(self, by: GroupCost) -> u64 {
        match by {
            GroupCost::Sum => self.sum,
            GroupCost::Mean => self.sum / self.applying,
        }
    }
}

/// The costs of a scope's pairs. Those that depend on the leaves' paths are computed once.
pub(crate) struct Costs<'s, 'p> {
    scope: &'s ScopeTree<'p>,
    /// Depth of the parent of the page's deepest leaf, at least 1.
    max_depth: u64,
    cached: FxHashMap<(u32, u32), Factors>,
}

impl<'s, 'p> Costs<'s, 'p> {
    pub(crate) fn new(scope: &'s ScopeTree<'p>, max_depth: u32) -> Costs<'s, 'p> {
        Costs { scope, max_depth: u64::from(max_depth).max(1), cached: FxHashMap::default() }
    }

    /// The factors of two elements of the scope. Symmetric; two equal elements cost nothing.
    pub(crate) fn between(&mut self, a: u32, b: u32) -> Factors {
        if a == b {
            // Equal sets overlap completely.
            return Factors { sum: 0, applying: 1 };
        }
        let (outer, inner) = if self.scope.depth(a) < self.scope.depth(b) { (a, b) } else { (b, a) };
        let tree = &self.scope.page.tree;
        if tree.is_ancestor(self.scope.node(outer), self.scope.node(inner)) {
            return self.nested_factors(outer, inner);
        }
        if let Some(cached) = self.cached.get(&(a, b)) {
            return *cached;
        }
        let factors = self.unrelated_factors(a, b);
        self.cached.insert((a, b), factors);
        factors
    }

    /// Cases 1 and 2. The paths below `inner` are also below `outer`, so the sizes of the sets suffice.
    fn nested_factors(&self, outer: u32, inner: u32) -> Factors {
        let edges = u64::from(self.scope.depth(inner) - self.scope.depth(outer));
        let [few, many] = [inner, outer].map(|element| self.scope.path_set(element).len() as u64);
        let overlap = ratio(few, many);
        let is_single = self.scope.path_sequence(inner).len() == 1;
        let sets = if is_single { ONE - overlap } else { unlike_sets(overlap) };
        Factors { sum: ratio(edges, self.max_depth) + sets, applying: 2 }
    }

    fn unrelated_factors(&self, a: u32, b: u32) -> Factors {
        let (node_a, node_b) = (self.scope.node(a), self.scope.node(b));
        let common = self.scope.page.tree.depth(self.scope.page.tree.lca(node_a, node_b));
        let (d1, d2) = (u64::from(self.scope.depth(a) - common), u64::from(self.scope.depth(b) - common));
        let sum = self.distance(d1 + d2)
            + self.unlike_tags(a, d1, b, d2)
            + unlike_sets(self.overlap(a, b))
            + self.unlike_order(a, b)
            + self.unlike_nodes(a, b);
        Factors { sum, applying: 5 }
    }

    /// LCA.
    fn distance(&self, edges: u64) -> u64 {
        let share = edges as f64 / (2 * self.max_depth) as f64;
        (share.sqrt() * ONE as f64).round() as u64
    }

    /// PSIM: compares the tags from below the common ancestor down to A and B.
    fn unlike_tags(&self, a: u32, d1: u64, b: u32, d2: u64) -> u64 {
        let common = lcs::length(&self.tags_up(a, d1), &self.tags_up(b, d2));
        ONE - ratio(common as u64, d1.max(d2))
    }

    fn tags_up(&self, element: u32, edges: u64) -> Vec<u32> {
        let tree = &self.scope.page.tree;
        let node = self.scope.node(element);
        let up = std::iter::once(node).chain(tree.ancestors(node)).take(edges as usize);
        up.filter_map(|node| tree.tag_id(node)).map(|tag| tag.index() as u32).collect()
    }

    fn overlap(&self, a: u32, b: u32) -> u64 {
        let (first, second) = (self.scope.path_set(a), self.scope.path_set(b));
        let common = common_members(first, second);
        ratio(common as u64, (first.len() + second.len() - common) as u64)
    }

    /// ORD.
    fn unlike_order(&self, a: u32, b: u32) -> u64 {
        let (first, second) = (self.scope.path_sequence(a), self.scope.path_sequence(b));
        ONE - ratio(lcs::length(first, second) as u64, first.len().max(second.len()) as u64)
    }

    /// NSIM.
    fn unlike_nodes(&self, a: u32, b: u32) -> u64 {
        let tree = &self.scope.page.tree;
        let (a, b) = (self.scope.node(a), self.scope.node(b));
        let depths = [u64::from(tree.depth(a)), u64::from(tree.depth(b))];
        let sizes = [a, b].map(|node| (tree.subtree_end(node).index() - node.index()) as u64);
        let alike = [depths, sizes].map(|[x, y]| ratio(x.min(y), x.max(y)));
        ONE - (alike[0] + alike[1]) / 2
    }
}

/// STSIM, where separation is 1 minus overlap. As printed, completely different sets cost as little as equal
/// ones.
fn unlike_sets(overlap: u64) -> u64 {
    ONE - overlap.max(ONE - overlap)
}

/// `part / whole` in units, rounded to the nearest; 0/0 is 0.
pub(super) fn ratio(part: u64, whole: u64) -> u64 {
    (part * ONE + whole / 2).checked_div(whole).unwrap_or(0)
}

/// Size of the intersection of two sorted sets.
fn common_members(a: &[u32], b: &[u32]) -> usize {
    let (mut i, mut j, mut common) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        match a[i].cmp(&b[j]) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => {
                (i, j, common) = (i + 1, j + 1, common + 1);
            }
        }
    }
    common
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::partition::papers::plain;
    use crate::partition::papers::scope::max_depth;
    use crate::testing::{page, pages};

    proptest! {
        #[test]
        fn fast_is_plain(page in pages(30)) {
            let scope = ScopeTree::new(&page, 0..page.leaves.len());
            let deepest = max_depth(&page);
            let mut costs = Costs::new(&scope, deepest);
            let mut print = plain::Costs::new(&scope, deepest);
            let elements: Vec<u32> = (0..scope.len()).flat_map(|i| scope.ancestors_from(i)).collect();
            for (&a, &b) in elements.iter().zip(elements.iter().rev()).chain(elements.iter().zip(&elements)) {
                let found = costs.between(a, b);
                prop_assert_eq!(found, print.between(a, b));
                prop_assert_eq!(found, costs.between(b, a));
                let (sum, applying) = plain::factors_as_floats(&scope, deepest, a, b);
                prop_assert!((found.sum() as f64 / ONE as f64 - sum).abs() < 1e-4, "{found:?} {sum}");
                let mean = found.for_grouping(GroupCost::Mean) as f64 / ONE as f64;
                prop_assert!((mean - sum / applying).abs() < 1e-4);
            }
        }
    }

    #[test]
    fn siblings_alike_cost_their_distance_alone() {
        let page = page("<ul><li>a</li><li>b</li></ul>");
        let scope = ScopeTree::new(&page, 0..2);
        let mut costs = Costs::new(&scope, 8);
        let cost = costs.between(scope.parent(0), scope.parent(1));
        assert_eq!(cost.sum(), ((2.0f64 / 16.0).sqrt() * ONE as f64).round() as u64);
    }
}
