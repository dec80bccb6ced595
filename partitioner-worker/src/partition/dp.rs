//! The cheapest binary tree over a scope's leaves, by dynamic programming (`[OM05 §4.3.1]`).
//!
//! `Cost(i,i) = 0`, `Cost(i,j) = min over k of Cost(i,k) + Cost(k+1,j) + G(A,B)` with A and B the lowest
//! common ancestors of the two sides; of equal costs the smallest k wins. Fast and exact: as k grows A
//! changes at most depth times, and so does B, so k falls into few runs of one G each; inside a run only
//! sums of two stored costs are compared, both contiguous in memory. G itself is computed once a pair.

use super::cost::Costs;
use super::scope::ScopeTree;

/// A node of a binary tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Binary {
    /// A leaf, counted from the scope's first.
    Leaf(usize),
    /// Two nodes that stand before it.
    Join(usize, usize),
}

/// Steps that [`tree`] takes for so many leaves, about; what budgets are counted in.
pub(crate) fn steps(leaves: usize) -> u64 {
    let n = leaves as u64;
    n * n * n / 6 + 40 * n * n
}

/// The cheapest binary tree in postorder, the root last; empty for no leaves.
pub(crate) fn tree(scope: &ScopeTree, costs: &mut Costs) -> Vec<Binary> {
    postorder(scope.len(), &splits(scope, costs))
}

/// The best k of each range: that of `i..=j` stands at `i * leaves + j`.
fn splits(scope: &ScopeTree, costs: &mut Costs) -> Vec<u32> {
    let n = scope.len();
    // over[i * n + k] is the lowest common ancestor of i..=k.
    let mut over = vec![0u32; n * n];
    for i in 0..n {
        for (k, above) in (i..).zip(scope.ancestors_from(i)) {
            over[i * n + k] = above;
        }
    }
    let last_of_run_left = ends_of_runs(n, |i, k| over[i * n + k]);
    // Read by columns: for the right side k + 1 ..= j the run is along k.
    let last_of_run_right = ends_of_runs(n, |j, k| if k < j { over[(k + 1) * n + j] } else { u32::MAX });
    let mut rows = vec![0u64; n * n];
    let mut columns = vec![0u64; n * n];
    let mut splits = vec![0u32; n * n];
    for length in 2..=n {
        for i in 0..=n - length {
            let j = i + length - 1;
            let (mut best, mut best_k, mut k) = (u64::MAX, i, i);
            while k < j {
                let a = over[i * n + k];
                let b = over[(k + 1) * n + j];
                let end = (last_of_run_left[i * n + k].min(last_of_run_right[j * n + k]) as usize).min(j - 1);
                let joining = costs.between(a, b).sum();
                let left = &rows[i * n + k..=i * n + end];
                let right = &columns[j * n + k + 1..=j * n + end + 1];
                let (at, cheapest) = cheapest(left, right);
                if cheapest + joining < best {
                    (best, best_k) = (cheapest + joining, k + at);
                }
                k = end + 1;
            }
            rows[i * n + j] = best;
            columns[j * n + i] = best;
            splits[i * n + j] = best_k as u32;
        }
    }
    splits
}

/// For each row, the last place of the run of equal values that each place belongs to.
fn ends_of_runs(n: usize, value: impl Fn(usize, usize) -> u32) -> Vec<u32> {
    let mut ends = vec![0u32; n * n];
    for row in 0..n {
        let mut end = n.saturating_sub(1);
        for k in (0..n).rev() {
            if k + 1 < n && value(row, k) != value(row, k + 1) {
                end = k;
            }
            ends[row * n + k] = end as u32;
        }
    }
    ends
}

/// The first place where the sum is least, and the sum.
fn cheapest(left: &[u64], right: &[u64]) -> (usize, u64) {
    let least = left.iter().zip(right).map(|(l, r)| l + r).min().unwrap_or(u64::MAX / 2);
    let at = left.iter().zip(right).position(|(l, r)| l + r == least).unwrap_or(0);
    (at, least)
}

fn postorder(n: usize, splits: &[u32]) -> Vec<Binary> {
    enum Todo {
        Range(usize, usize),
        Join,
    }
    let mut nodes = Vec::with_capacity(2 * n);
    let mut done: Vec<usize> = Vec::new();
    let mut todo = if n == 0 { Vec::new() } else { vec![Todo::Range(0, n - 1)] };
    while let Some(next) = todo.pop() {
        match next {
            Todo::Range(i, j) if i == j => {
                done.push(nodes.len());
                nodes.push(Binary::Leaf(i));
            }
            Todo::Range(i, j) => {
                let k = splits[i * n + j] as usize;
                todo.extend([Todo::Join, Todo::Range(k + 1, j), Todo::Range(i, k)]);
            }
            Todo::Join => {
                if let (Some(right), Some(left)) = (done.pop(), done.pop()) {
                    done.push(nodes.len());
                    nodes.push(Binary::Join(left, right));
                }
            }
        }
    }
    nodes
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::partition::max_depth;
    use crate::testing::{page, pages};

    /// The recurrence, word for word.
    fn plain(scope: &ScopeTree, costs: &mut Costs) -> (Vec<u32>, Vec<u64>) {
        let n = scope.len();
        let over: Vec<Vec<u32>> = (0..n).map(|i| scope.ancestors_from(i).collect()).collect();
        let mut cost = vec![0u64; n * n];
        let mut split = vec![0u32; n * n];
        for length in 2..=n {
            for i in 0..=n - length {
                let j = i + length - 1;
                cost[i * n + j] = u64::MAX;
                for k in i..j {
                    let g = costs.between(over[i][k - i], over[k + 1][j - k - 1]).sum();
                    let all = cost[i * n + k] + cost[(k + 1) * n + j] + g;
                    if all < cost[i * n + j] {
                        (cost[i * n + j], split[i * n + j]) = (all, k as u32);
                    }
                }
            }
        }
        (split, cost)
    }

    proptest! {
        #[test]
        fn fast_is_plain(page in pages(80)) {
            let scope = ScopeTree::new(&page, 0..page.leaves.len());
            let deepest = max_depth(&page);
            let fast = splits(&scope, &mut Costs::new(&scope, deepest));
            prop_assert_eq!(fast, plain(&scope, &mut Costs::new(&scope, deepest)).0);
        }
    }

    #[test]
    fn the_tree_is_a_postorder_over_all_leaves() {
        let page = page("<ul><li>a<li>b</ul><ol><li>c<li>d</ol>");
        let scope = ScopeTree::new(&page, 0..4);
        let tree = tree(&scope, &mut Costs::new(&scope, max_depth(&page)));
        use Binary::{Join, Leaf};
        assert_eq!(tree, [Leaf(0), Leaf(1), Join(0, 1), Leaf(2), Leaf(3), Join(3, 4), Join(2, 5)]);
    }
}
