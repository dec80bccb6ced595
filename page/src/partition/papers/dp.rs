//! The cheapest binary tree over a scope's leaves, by dynamic programming (`[OM05 §4.3.1]`).
//!
//! `Cost(i,i) = 0`, `Cost(i,j) = min over k of Cost(i,k) + Cost(k+1,j) + G(A,B)`, where A and B are the lowest
//! common ancestors of the two sides; on a tie, the smallest k wins. The result is exact. It is fast because A
//! and B rarely both differ from L, the lowest common ancestor of `i..=j`:
//!
//! - *near*: k is so small that A is below L. Then B = L (except at the seam), and `Cost(i,k) + G(A,L)` is one
//!   row for every j with this L.
//! - *far*: k is so large that B is below L. Then A = L, and `Cost(k+1,j) + G(L,B)` is one column for every i
//!   with this L.
//! - *the seam*: both are below L, in neighbouring children of L. There is at most one such k, and only there
//!   G joins two unrelated elements.
//! - *between*: A = B = L, and G(L,L) = 0. Let k' be the best split of `i..=k`. Unless that is a seam, splitting
//!   `i..=j` at k' costs no more than at k, because G is symmetric and `Cost(k'+1,j)` is at most
//!   `Cost(k'+1,k) + Cost(k+1,j)` + the cost of joining these two. So of all these k only those in the child of
//!   L right after that of i are tried (and i itself if L is its parent).
//!
//! So each cell is the minimum of three scans of contiguous memory. [`super::plain`] is the literal recurrence.
//! Only costs are stored; the splits of the final tree are recomputed from them. Memory: two triangles of 4
//! bytes, 4·n² bytes for n leaves, and 8·n² for a scope whose cost does not fit.

use super::cost::Costs;
use super::scope::ScopeTree;
use super::sums::{Sum, least_sum};

/// A node of a binary tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryNode {
    /// A leaf, counted from the scope's first.
    Leaf(usize),
    /// Two earlier nodes.
    Join(usize, usize),
}

/// Least length of a piece when a scope is cut to fit the remaining steps.
const LEAST_PIECE: usize = 32;

/// About the most steps that [`cheapest_tree`] takes for this number of leaves on a page of this depth; budgets are counted
/// in them. A step takes about a nanosecond, the time of three additions. Rows and columns are rebuilt for each L.
pub(crate) fn steps_for(leaves: usize, max_depth: u32) -> u64 {
    let n = leaves as u64;
    let levels = u64::from(max_depth).min(n);
    (n * n * n / 6 + (40 + levels) * n * n) / 3
}

/// The length, at most `most` leaves, of the pieces into which a scope is cut so that all of it fits into
/// `steps_left`. If it does not fit even in pieces of 32, the last pieces are left without structure.
pub(crate) fn piece_len(leaves: usize, max_depth: u32, most: usize, steps_left: u64) -> usize {
    let fits =
        |len: usize| (leaves.div_ceil(len) as u64).saturating_mul(steps_for(len, max_depth)) <= steps_left;
    let mut len = leaves.min(most).max(1);
    while len > LEAST_PIECE && !fits(len) {
        len = (len * 7 / 8).max(LEAST_PIECE);
    }
    len
}

/// The cheapest binary tree in postorder, the root last; empty for no leaves.
pub(crate) fn cheapest_tree(scope: &ScopeTree, costs: &mut Costs) -> Vec<BinaryNode> {
    match CostTable::<i32>::fill(scope, costs) {
        Some(table) => table.tree(costs),
        None => CostTable::<i64>::fill(scope, costs).map(|table| table.tree(costs)).unwrap_or_default(),
    }
}

/// Bytes of the tables for this number of leaves, if costs fit into four bytes.
pub(crate) fn table_bytes(leaves: usize) -> usize {
    2 * triangle_cells(leaves) * size_of::<i32>()
}

/// Number of cells in a triangle of `n` columns.
fn triangle_cells(n: usize) -> usize {
    n * (n + 1) / 2
}

/// The costs of all ranges.
struct CostTable<'s, 'p, T> {
    scope: &'s ScopeTree<'p>,
    /// Column j holds `Cost(x,j)` for x in `0..=j`, less the usual costs of joining. The columns are stored one
    /// after another.
    cost: Vec<T>,
}

/// The columns with the costs of joining, while rows are filled from the last leaf upwards.
struct FarColumns<T> {
    /// Laid out like `CostTable::cost`: `Cost(x,j) + G(L,B)` for x from `start[j]` on.
    cost: Vec<T>,
    /// By column j: its L in the row filled last.
    over: Vec<u32>,
    /// By column j: the first x for which the common ancestor of `x..=j` is below L.
    start: Vec<usize>,
}

impl<'s, 'p, T: Sum> CostTable<'s, 'p, T> {
    /// Returns `None` if some cost is too large for `T`.
    fn fill(scope: &'s ScopeTree<'p>, costs: &mut Costs) -> Option<CostTable<'s, 'p, T>> {
        let n = scope.len();
        let zeros = || vec![T::from_units(0); triangle_cells(n)];
        let mut table = CostTable { scope, cost: zeros() };
        let over = (0..n).map(|j| scope.parent(j)).collect();
        let mut far = FarColumns { cost: zeros(), over, start: (1..=n).collect() };
        let mut row =
            NearRow { first: 0, cost: vec![T::from_units(0); n], over: vec![0; n], near: Vec::new() };
        for i in (0..n).rev() {
            row.start(scope, i);
            let mut start = i;
            while start < n {
                let run = row.over[start..].iter().take_while(|&&over| over == row.over[start]).count();
                table.fill_run(&mut row, &mut far, start..start + run, costs)?;
                start += run;
            }
        }
        Some(table)
    }

    /// Fills the cells of a row that share one L. This L is over the leaf `run.start` and over none before it, so the
    /// near range ends at `run.start - 1`.
    fn fill_run(
        &mut self,
        row: &mut NearRow<T>,
        far: &mut FarColumns<T>,
        run: std::ops::Range<usize>,
        costs: &mut Costs,
    ) -> Option<()> {
        // All j of the run have the same L (`over`). What changes along it are `next`, the ancestor of the leaves from the
        // seam to j, and the columns, which are rebuilt only where their last L was another one.
        let (i, seam, over) = (row.first, run.start, row.over[run.start]);
        row.fill_near(seam, over, costs);
        // The common ancestor of the leaves from the seam to j, and the first j for which it is L.
        let mut next = self.scope.parent(seam);
        let mut next_end = if next == over { seam } else { usize::MAX };
        for j in run {
            if j > seam && next != over {
                next = self.scope.above(next, j);
                next_end = if next == over { j } else { usize::MAX };
            }
            if j == i {
                continue;
            }
            if far.over[j] != over {
                self.lift_column(far, i, j, over, costs);
            }
            let column = &self.cost[triangle_cells(j)..];
            let lifted = &far.cost[triangle_cells(j)..];
            let (start, near_end) = (far.start[j], if next == over { seam } else { seam.saturating_sub(1) });
            let mut best = T::MOST;
            // Near: the left side ends before the seam.
            if seam > i {
                let near_len = near_end - i;
                best = best.min(least_sum(&row.near[..near_len], &column[i + 1..][..near_len]));
                if next == over {
                    // Between: the left side ends in the child of L that begins at the seam.
                    let end = next_end.min(start - 1);
                    best = best.min(least_sum(&row.cost[seam..end], &column[seam + 1..]));
                } else {
                    let joining = T::from_units(costs.between(row.over[seam - 1], next).sum());
                    best = best.min(row.cost[seam - 1] + column[seam] + joining);
                }
            } else if start > i + 1 {
                best = column[i + 1];
            }
            // Far: the right side is below L.
            let first = if next == over { start } else { seam + 1 };
            let first = first.max(i + 1);
            best = best.min(least_sum(&row.cost[first - 1..j], &lifted[first..=j]));
            best = best - T::USUAL;
            if best >= T::LIMIT || best <= -T::LIMIT {
                return None;
            }
            row.cost[j] = best;
            self.cost[triangle_cells(j) + i] = best;
        }
        Some(())
    }

    /// Rebuilds column j for a new L, from row i upwards: the right sides from i + 1 on are below it.
    fn lift_column(&self, far: &mut FarColumns<T>, i: usize, j: usize, over: u32, costs: &mut Costs) {
        let column = &self.cost[triangle_cells(j)..];
        let lifted = &mut far.cost[triangle_cells(j)..];
        let mut below = self.scope.parent(j);
        let mut joining = T::from_units(costs.between(over, below).sum());
        for x in (i + 1..=j).rev() {
            let above = if x < j { self.scope.above(below, x + 1) } else { below };
            if above != below {
                below = above;
                joining = T::from_units(costs.between(over, below).sum());
            }
            lifted[x] = column[x] + joining;
        }
        (far.over[j], far.start[j]) = (over, i + 1);
    }

    fn cost(&self, i: usize, j: usize) -> T {
        self.cost[triangle_cells(j) + i]
    }

    /// The smallest k that gives the cost of `i..=j`, where i < j.
    fn split(&self, i: usize, j: usize, rights: &mut Vec<u32>, costs: &mut Costs) -> usize {
        let least = self.cost(i, j);
        // rights[j - x] is the common ancestor of x..=j.
        rights.clear();
        rights.extend(self.scope.ancestors_to(j).take(j - i));
        for (k, left) in (i..j).zip(self.scope.ancestors_from(i)) {
            let sides = self.cost(i, k) + self.cost(k + 1, j) - T::USUAL;
            if sides <= least {
                let joining = T::from_units(costs.between(left, rights[j - k - 1]).sum());
                if sides + joining == least {
                    return k;
                }
            }
        }
        i
    }

    fn tree(&self, costs: &mut Costs) -> Vec<BinaryNode> {
        let mut rights = Vec::new();
        postorder(self.scope.len(), |i, j| self.split(i, j, &mut rights, costs))
    }
}

/// The row being filled.
struct NearRow<T> {
    /// The row's i.
    first: usize,
    /// `Cost(i,k)` by k.
    cost: Vec<T>,
    /// The common ancestor of `i..=k` by k.
    over: Vec<u32>,
    /// `Cost(i,k) + G(A,L)` by k - i.
    near: Vec<T>,
}

impl<T: Sum> NearRow<T> {
    fn start(&mut self, scope: &ScopeTree, i: usize) {
        self.first = i;
        self.cost[i] = T::from_units(0);
        for (k, above) in (i..).zip(scope.ancestors_from(i)) {
            self.over[k] = above;
        }
    }

    fn fill_near(&mut self, end: usize, over: u32, costs: &mut Costs) {
        self.near.clear();
        let mut last_joining = None;
        for k in self.first..end {
            let joining = match last_joining {
                Some((below, joining)) if below == self.over[k] => joining,
                _ => T::from_units(costs.between(self.over[k], over).sum()),
            };
            last_joining = Some((self.over[k], joining));
            self.near.push(self.cost[k] + joining);
        }
    }
}

/// The binary tree in postorder, where `split` divides `i..=j` into `i..=k` and `k+1..=j`.
pub(super) fn postorder(n: usize, mut split: impl FnMut(usize, usize) -> usize) -> Vec<BinaryNode> {
    enum Task {
        Range(usize, usize),
        Join,
    }
    let mut nodes = Vec::with_capacity(2 * n);
    let mut finished: Vec<usize> = Vec::new();
    let mut todo = if n == 0 { Vec::new() } else { vec![Task::Range(0, n - 1)] };
    while let Some(next) = todo.pop() {
        match next {
            Task::Range(i, j) if i == j => {
                finished.push(nodes.len());
                nodes.push(BinaryNode::Leaf(i));
            }
            Task::Range(i, j) => {
                let k = split(i, j);
                todo.extend([Task::Join, Task::Range(k + 1, j), Task::Range(i, k)]);
            }
            Task::Join => {
                if let (Some(right), Some(left)) = (finished.pop(), finished.pop()) {
                    finished.push(nodes.len());
                    nodes.push(BinaryNode::Join(left, right));
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
    use crate::partition::papers::plain;
    use crate::partition::papers::scope::max_depth;
    use crate::testing::{page, pages};

    proptest! {
        #[test]
        fn fast_is_plain(page in pages(80)) {
            let scope = ScopeTree::new(&page, 0..page.leaves.len());
            let fast = cheapest_tree(&scope, &mut Costs::new(&scope, max_depth(&page)));
            prop_assert_eq!(fast, plain::cheapest_tree(&scope, &mut plain::Costs::cached(&scope, max_depth(&page))));
        }

        #[test]
        fn fast_is_plain_inside_a_page(page in pages(60), from in 0usize..30, len in 0usize..30) {
            let range = from.min(page.leaves.len())..(from + len).min(page.leaves.len());
            let scope = ScopeTree::new(&page, range);
            let fast = cheapest_tree(&scope, &mut Costs::new(&scope, max_depth(&page)));
            prop_assert_eq!(fast, plain::cheapest_tree(&scope, &mut plain::Costs::new(&scope, max_depth(&page))));
        }

        #[test]
        fn wide_sums_are_narrow_ones(page in pages(60)) {
            let scope = ScopeTree::new(&page, 0..page.leaves.len());
            let mut costs = Costs::new(&scope, max_depth(&page));
            let narrow = CostTable::<i32>::fill(&scope, &mut costs).unwrap();
            let wide = CostTable::<i64>::fill(&scope, &mut costs).unwrap();
            let widened: Vec<i64> = narrow.cost.iter().map(|&cost| i64::from(cost)).collect();
            prop_assert_eq!(widened, wide.cost.clone());
            prop_assert_eq!(narrow.tree(&mut costs), wide.tree(&mut costs));
        }
    }

    #[test]
    fn the_tree_is_a_postorder_over_all_leaves() {
        let page = page("<ul><li>a<li>b</ul><ol><li>c<li>d</ol>");
        let scope = ScopeTree::new(&page, 0..4);
        let tree = cheapest_tree(&scope, &mut Costs::new(&scope, max_depth(&page)));
        use BinaryNode::{Join, Leaf};
        assert_eq!(tree, [Leaf(0), Leaf(1), Join(0, 1), Leaf(2), Leaf(3), Join(3, 4), Join(2, 5)]);
    }

    #[test]
    fn pieces_shrink_until_the_steps_suffice() {
        assert_eq!(piece_len(900, 20, 1_000, u64::MAX), 900);
        assert_eq!(piece_len(5_000, 20, 1_000, u64::MAX), 1_000);
        let len = piece_len(5_000, 20, 1_000, 100_000_000);
        assert!(len < 600 && len > 200, "{len}");
        assert!(5_000usize.div_ceil(len) as u64 * steps_for(len, 20) <= 100_000_000);
        assert_eq!(piece_len(5_000, 20, 1_000, 0), LEAST_PIECE);
        assert!(piece_len(5_000, 400, 1_000, 100_000_000) < len, "depth costs");
        assert_eq!(piece_len(9, 20, 1_000, 0), 9);
    }
}
