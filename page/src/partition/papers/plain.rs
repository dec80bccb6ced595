//! The dynamic program and its costs as printed, without optimisation: the oracle for the fast versions.
//!
//! Every cost is computed from the leaves' paths each time it is needed, and k runs over all places. Tests check
//! that [`super::dp`] and [`super::cost`] give exactly the same results; measurements show how much faster they
//! are. [`Costs::cached`] caches costs, so that larger pages can be compared; this changes nothing but time.

use std::collections::{BTreeSet, HashMap};

use crate::reading::NodeId;

use super::cost::{Factors, ONE, ratio};
use super::dp::{BinaryNode, postorder};
use super::scope::ScopeTree;

/// The costs of pairs of elements.
pub(crate) struct Costs<'s, 'p> {
    scope: &'s ScopeTree<'p>,
    max_depth: u64,
    cached: Option<HashMap<(u32, u32), Factors>>,
}

impl<'s, 'p> Costs<'s, 'p> {
    pub(crate) fn new(scope: &'s ScopeTree<'p>, max_depth: u32) -> Costs<'s, 'p> {
        Costs { scope, max_depth: u64::from(max_depth).max(1), cached: None }
    }

    /// Costs that are each computed only once.
    pub(crate) fn cached(scope: &'s ScopeTree<'p>, max_depth: u32) -> Costs<'s, 'p> {
        Costs { cached: Some(HashMap::new()), ..Costs::new(scope, max_depth) }
    }

    pub(crate) fn between(&mut self, a: u32, b: u32) -> Factors {
        if let Some(factors) = self.cached.as_ref().and_then(|cached| cached.get(&(a, b))) {
            return *factors;
        }
        let factors = self.factors(a, b);
        if let Some(cached) = &mut self.cached {
            cached.insert((a, b), factors);
        }
        factors
    }

    /// Figures 4 and 6.
    fn factors(&self, a: u32, b: u32) -> Factors {
        let tree = &self.scope.page.tree;
        let (node_a, node_b) = (self.scope.node(a), self.scope.node(b));
        let common = tree.lca(node_a, node_b);
        let (p1, p2) = (self.tags(common, node_a), self.tags(common, node_b));
        let (d1, d2) = (p1.len() as u64, p2.len() as u64);
        let (q1, q2) = (self.scope.path_sequence(a), self.scope.path_sequence(b));
        let (s1, s2) = (distinct_paths(q1), distinct_paths(q2));
        let union = s1.union(&s2).count() as u64;
        let overlap = ratio(s1.intersection(&s2).count() as u64, union);
        let separation = ratio(s1.symmetric_difference(&s2).count() as u64, union);
        // The two add up to one; rounding both up must not exceed it.
        let stsim = ONE - overlap.max(separation.min(ONE - overlap));
        if a == b {
            return Factors { sum: stsim, applying: 1 };
        }
        if common == node_a || common == node_b {
            let other = if common == node_a { q2 } else { q1 };
            let sets = if other.len() == 1 { ONE - overlap } else { stsim };
            return Factors { sum: ratio(d1 + d2, self.max_depth) + sets, applying: 2 };
        }
        let lca = (((d1 + d2) as f64 / (2 * self.max_depth) as f64).sqrt() * ONE as f64).round() as u64;
        let psim = ONE - ratio(common_subsequence(&p1, &p2) as u64, d1.max(d2));
        let ord = ONE - ratio(common_subsequence(q1, q2) as u64, q1.len().max(q2.len()) as u64);
        let depths = [node_a, node_b].map(|node| u64::from(tree.depth(node)));
        let sizes = [node_a, node_b].map(|node| tree.descendants(node).count() as u64);
        let [depth_ratio, node_ratio] = [depths, sizes].map(|[x, y]| ratio(x.min(y), x.max(y)));
        let nsim = ONE - (depth_ratio + node_ratio) / 2;
        Factors { sum: lca + psim + stsim + ord + nsim, applying: 5 }
    }

    /// The tags from below an element down to another.
    fn tags(&self, above: NodeId, node: NodeId) -> Vec<u32> {
        let tree = &self.scope.page.tree;
        let up = std::iter::once(node).chain(tree.ancestors(node)).take_while(|&node| node != above);
        let mut tags: Vec<u32> =
            up.map(|node| tree.tag_id(node).map_or(u32::MAX, |tag| tag.index() as u32)).collect();
        tags.reverse();
        tags
    }
}

/// The recurrence.
pub(crate) fn cheapest_tree(scope: &ScopeTree, costs: &mut Costs) -> Vec<BinaryNode> {
    let n = scope.len();
    // over[i][k - i] is the lowest common ancestor of i..=k.
    let over: Vec<Vec<u32>> = (0..n).map(|i| scope.ancestors_from(i).collect()).collect();
    let mut cost = vec![0u64; n * n];
    let mut split = vec![0; n * n];
    for len in 2..=n {
        for i in 0..=n - len {
            let j = i + len - 1;
            cost[i * n + j] = u64::MAX;
            for k in i..j {
                let joining = costs.between(over[i][k - i], over[k + 1][j - k - 1]).sum();
                let all = cost[i * n + k] + cost[(k + 1) * n + j] + joining;
                if all < cost[i * n + j] {
                    (cost[i * n + j], split[i * n + j]) = (all, k);
                }
            }
        }
    }
    postorder(n, |i, j| split[i * n + j])
}

fn distinct_paths(paths: &[u32]) -> BTreeSet<u32> {
    paths.iter().copied().collect()
}

/// The textbook's table.
pub(crate) fn common_subsequence(a: &[u32], b: &[u32]) -> usize {
    let mut table = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..a.len() {
        for j in 0..b.len() {
            table[i + 1][j + 1] =
                if a[i] == b[j] { table[i][j] + 1 } else { table[i][j + 1].max(table[i + 1][j]) };
        }
    }
    table[a.len()][b.len()]
}

/// Sum and number of the factors, computed independently in floating point.
#[cfg(test)]
pub(crate) fn factors_as_floats(scope: &ScopeTree, deepest: u32, a: u32, b: u32) -> (f64, f64) {
    let tree = &scope.page.tree;
    let deepest = f64::from(deepest);
    let (q1, q2) = (scope.path_sequence(a), scope.path_sequence(b));
    let (s1, s2) = (distinct_paths(q1), distinct_paths(q2));
    let union = s1.union(&s2).count() as f64;
    let overlap = s1.intersection(&s2).count() as f64 / union;
    let separation = s1.symmetric_difference(&s2).count() as f64 / union;
    let stsim = 1.0 - separation.max(overlap);
    let (na, nb) = (scope.node(a), scope.node(b));
    let l = tree.lca(na, nb);
    let costs = Costs::new(scope, deepest as u32);
    let (p1, p2) = (costs.tags(l, na), costs.tags(l, nb));
    if na == nb {
        return (stsim, 1.0);
    }
    let edges = (p1.len() + p2.len()) as f64;
    if na == l || nb == l {
        let other = if na == l { q2 } else { q1 };
        return (edges / deepest + if other.len() == 1 { 1.0 - overlap } else { stsim }, 2.0);
    }
    let lca = (edges / (2.0 * deepest)).sqrt();
    let psim = 1.0 - common_subsequence(&p1, &p2) as f64 / p1.len().max(p2.len()) as f64;
    let ord = 1.0 - common_subsequence(q1, q2) as f64 / q1.len().max(q2.len()) as f64;
    let (da, db) = (f64::from(tree.depth(na)), f64::from(tree.depth(nb)));
    let size = |n| tree.descendants(n).len() as f64;
    let nodes = size(na).min(size(nb)) / size(na).max(size(nb));
    let nsim = 1.0 - (0.5 * da.min(db) / da.max(db) + 0.5 * nodes);
    (lca + psim + stsim + ord + nsim, 5.0)
}
