//! Which parts of the binary tree are groups of like instances (`[OM05 §4.3.2]`).
//!
//! In postorder: two simple siblings that are alike become a group of two instances; alike groups merge; a
//! simple node alike to its sibling group joins it. Everything else is a partition node. Since only leaves
//! begin as simple, the instances of a group are neighbouring leaves; two groups are compared by the last
//! instance of the one and the first of the other.

use super::Params;
use super::cost::{Costs, ONE};
use super::dp::Binary;
use super::scope::ScopeTree;

/// What a node of the binary tree is, with its first and last leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GroupNode {
    pub(crate) what: What,
    pub(crate) first: usize,
    pub(crate) last: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    Simple,
    Group,
    Partition,
}

/// The kinds of the nodes of a binary tree, in its order.
pub(crate) fn grouping(
    tree: &[Binary],
    scope: &ScopeTree,
    costs: &mut Costs,
    params: &Params,
) -> Vec<GroupNode> {
    let threshold = u64::from(params.group_below) * ONE / 100;
    let mut grouped: Vec<GroupNode> = Vec::with_capacity(tree.len());
    for node in tree {
        let next = match *node {
            Binary::Leaf(leaf) => GroupNode { what: What::Simple, first: leaf, last: leaf },
            Binary::Join(left, right) => {
                let (left, right) = (grouped[left], grouped[right]);
                let mut cost = || {
                    let factors = costs.between(scope.parent(left.last), scope.parent(right.first));
                    factors.for_grouping(params.group_cost)
                };
                let groups = left.what != What::Partition && right.what != What::Partition;
                let what = if groups && cost() < threshold { What::Group } else { What::Partition };
                GroupNode { what, first: left.first, last: right.last }
            }
        };
        grouped.push(next);
    }
    grouped
}
