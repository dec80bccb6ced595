//! What it costs to join two neighbouring parts of a page (`[OM05 §4.3.1, Fig. 4 and 6]`).
//!
//! The parts are known by the lowest common ancestors A and B of their leaves. Five factors between 0 and
//! 1, higher = less alike: how far A and B are from their own common ancestor L (LCA), how unlike the tags
//! between are (PSIM), the sets of paths below (STSIM), their order (ORD), depth and size (NSIM). Three
//! special cases drop factors that mean nothing there. Readings: the sum in the print lists four terms and
//! says five, so all five count; NSIM as printed grows with similarity, so as a cost it is 1 minus that.
//!
//! Invariant: costs are integers in units of 2⁻²⁰, so sums do not depend on their order.

use rustc_hash::FxHashMap;

use super::lcs;
use super::scope::ScopeTree;
use crate::GroupCost;

/// A cost of 1.
pub(crate) const ONE: u64 = 1 << 20;

/// The factors of one pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Factors {
    sum: u64,
    applying: u64,
}

impl Factors {
    /// What the dynamic program adds up.
    pub(crate) fn sum(self) -> u64 {
        self.sum
    }

    /// What grouping holds against its threshold.
    pub(crate) fn for_grouping(self, by: GroupCost) -> u64 {
        match by {
            GroupCost::Sum => self.sum,
            GroupCost::Mean => self.sum / self.applying,
        }
    }
}

/// The costs of a scope's pairs, each computed once.
pub(crate) struct Costs<'s, 'p> {
    scope: &'s ScopeTree<'p>,
    /// Of the deepest leaf's parent, page-wide.
    max_depth: u64,
    known: FxHashMap<(u32, u32), Factors>,
}

impl<'s, 'p> Costs<'s, 'p> {
    pub(crate) fn new(scope: &'s ScopeTree<'p>, max_depth: u32) -> Costs<'s, 'p> {
        Costs { scope, max_depth: u64::from(max_depth).max(1), known: FxHashMap::default() }
    }

    /// The factors of a pair of the scope's elements.
    pub(crate) fn between(&mut self, a: u32, b: u32) -> Factors {
        if let Some(known) = self.known.get(&(a, b)) {
            return *known;
        }
        let factors = self.factors(a, b);
        self.known.insert((a, b), factors);
        factors
    }

    fn factors(&self, a: u32, b: u32) -> Factors {
        if a == b {
            return Factors { sum: self.unlike_sets(a, b), applying: 1 };
        }
        let tree = &self.scope.page.tree;
        let (node_a, node_b) = (self.scope.node(a), self.scope.node(b));
        let common = tree.lca(node_a, node_b);
        let below = |node| u64::from(tree.depth(node) - tree.depth(common));
        let (d1, d2) = (below(node_a), below(node_b));
        if d1 == 0 || d2 == 0 {
            let other = if d1 == 0 { b } else { a };
            let is_single = self.scope.path_sequence(other).len() == 1;
            let sets = if is_single { ONE - self.overlap(a, b) } else { self.unlike_sets(a, b) };
            return Factors { sum: ratio(d1 + d2, self.max_depth) + sets, applying: 2 };
        }
        let sum = self.distance(d1 + d2)
            + self.unlike_tags(a, d1, b, d2)
            + self.unlike_sets(a, b)
            + self.unlike_order(a, b)
            + self.unlike_nodes(a, b);
        Factors { sum, applying: 5 }
    }

    /// LCA.
    fn distance(&self, edges: u64) -> u64 {
        let share = edges as f64 / (2 * self.max_depth) as f64;
        (share.sqrt() * ONE as f64).round() as u64
    }

    /// PSIM: the tags from below the common ancestor down to A and B.
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

    /// STSIM: note that wholly unlike sets cost as little as equal ones; that is the print's.
    fn unlike_sets(&self, a: u32, b: u32) -> u64 {
        let overlap = self.overlap(a, b);
        // Separation is what overlap leaves of the union.
        ONE - overlap.max(ONE - overlap)
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

/// `part / whole` in units, rounded to the nearest; 0/0 is 0.
fn ratio(part: u64, whole: u64) -> u64 {
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
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::partition::max_depth;
    use crate::testing::{page, pages};

    /// Figure 4 and 6 in floating point, straight from the sets.
    fn plain(scope: &ScopeTree, deepest: u32, a: u32, b: u32) -> (f64, f64) {
        let tree = &scope.page.tree;
        let deepest = f64::from(deepest);
        let set = |e| scope.path_sequence(e).iter().copied().collect::<BTreeSet<u32>>();
        let (s1, s2) = (set(a), set(b));
        let union = s1.union(&s2).count() as f64;
        let overlap = s1.intersection(&s2).count() as f64 / union;
        let separation = s1.symmetric_difference(&s2).count() as f64 / union;
        let stsim = 1.0 - separation.max(overlap);
        let (na, nb) = (scope.node(a), scope.node(b));
        let l = tree.lca(na, nb);
        let tags = |node| {
            let mut up: Vec<u32> = std::iter::once(node)
                .chain(tree.ancestors(node))
                .take_while(|&n| n != l)
                .map(|n| tree.tag_id(n).unwrap().index() as u32)
                .collect();
            up.reverse();
            up
        };
        let (p1, p2) = (tags(na), tags(nb));
        if na == nb {
            return (stsim, 1.0);
        }
        if na == l || nb == l {
            let other = if na == l { b } else { a };
            let d = (p1.len() + p2.len()) as f64;
            let single = scope.path_sequence(other).len() == 1;
            return (d / deepest + if single { 1.0 - overlap } else { stsim }, 2.0);
        }
        let lca = ((p1.len() + p2.len()) as f64 / (2.0 * deepest)).sqrt();
        let plain_lcs = crate::partition::lcs::tests::plain;
        let psim = 1.0 - plain_lcs(&p1, &p2) as f64 / p1.len().max(p2.len()) as f64;
        let (q1, q2) = (scope.path_sequence(a), scope.path_sequence(b));
        let ord = 1.0 - plain_lcs(q1, q2) as f64 / q1.len().max(q2.len()) as f64;
        let (da, db) = (f64::from(tree.depth(na)), f64::from(tree.depth(nb)));
        let size = |n| tree.descendants(n).len() as f64;
        let nodes = size(na).min(size(nb)) / size(na).max(size(nb));
        let nsim = 1.0 - (0.5 * da.min(db) / da.max(db) + 0.5 * nodes);
        (lca + psim + stsim + ord + nsim, 5.0)
    }

    proptest! {
        #[test]
        fn fast_is_plain(page in pages(30)) {
            let scope = ScopeTree::new(&page, 0..page.leaves.len());
            let deepest = max_depth(&page);
            let mut costs = Costs::new(&scope, deepest);
            for i in 0..scope.len() {
                for j in i..scope.len() {
                    let (a, b) = (scope.parent(i), scope.parent(j));
                    let found = costs.between(a, b);
                    let (sum, applying) = plain(&scope, deepest, a, b);
                    prop_assert!((found.sum() as f64 / ONE as f64 - sum).abs() < 1e-4, "{found:?} {sum}");
                    let mean = found.for_grouping(GroupCost::Mean) as f64 / ONE as f64;
                    prop_assert!((mean - sum / applying).abs() < 1e-4);
                }
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
