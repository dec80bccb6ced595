//! What benches and checks need of the dynamic program: equal input for the fast and the plain version, and the bare
//! additions to compare them with.
//!
//! The product does not use this module. Start at [`Dp`].

use std::ops::Range;

use crate::reading::Page;

pub use super::dp::BinaryNode;

use super::cost::Costs;
use super::scope::{ScopeTree, max_depth};
use super::sums::least_sum;
use super::{dp, plain};

/// A range of a page's leaves as input of the dynamic program.
pub struct Dp<'p> {
    scope: ScopeTree<'p>,
    max_depth: u32,
}

impl<'p> Dp<'p> {
    /// Takes these leaves of a page, counted from its first; panics beyond the last.
    #[must_use]
    pub fn new(page: &'p Page, leaves: Range<usize>) -> Dp<'p> {
        Dp { scope: ScopeTree::new(page, leaves), max_depth: max_depth(page) }
    }

    /// The cheapest binary tree in postorder (`[OM05 §4.3.1]`).
    #[must_use]
    pub fn fast(&self) -> Vec<BinaryNode> {
        dp::cheapest_tree(&self.scope, &mut Costs::new(&self.scope, self.max_depth))
    }

    /// The same by the literal recurrence; each cost is computed whenever it is needed.
    #[must_use]
    pub fn plain(&self) -> Vec<BinaryNode> {
        plain::cheapest_tree(&self.scope, &mut plain::Costs::new(&self.scope, self.max_depth))
    }

    /// Like [`Dp::plain`], but each cost is computed only once.
    #[must_use]
    pub fn plain_cached(&self) -> Vec<BinaryNode> {
        plain::cheapest_tree(&self.scope, &mut plain::Costs::cached(&self.scope, self.max_depth))
    }
}

/// Only the n³/6 additions of the recurrence for this number of leaves: the least sum over all k for each range,
/// with four-byte numbers, rows and columns both contiguous.
#[must_use]
pub fn additions(leaves: usize) -> i32 {
    let mut row = vec![1; leaves];
    let mut columns = vec![1; leaves * leaves];
    for i in (0..leaves).rev() {
        for j in i + 1..leaves {
            let least = least_sum(&row[i..j], &columns[j * leaves + i + 1..=j * leaves + j]);
            row[j] = least & 0xFFFF;
            columns[j * leaves + i] = row[j];
        }
    }
    row.last().copied().unwrap_or_default()
}

/// Bytes of the dynamic program's tables for this number of leaves: four times its square.
#[must_use]
pub fn table_bytes(leaves: usize) -> usize {
    dp::table_bytes(leaves)
}
