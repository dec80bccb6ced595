//! Which nodes of the binary tree are groups of like instances (`[OM05 §4.3.2]`).
//!
//! In postorder: two similar simple siblings become a group of two instances, similar groups merge, and a simple
//! node joins a similar sibling group. Every other node is a partition. Only leaves start as simple, so the
//! instances of a group are neighbouring leaves. Two groups are compared by the last instance of the first and
//! the first instance of the second.

use super::cost::{Costs, ONE};
use super::dp::BinaryNode;
use super::scope::ScopeTree;
use crate::partition::params::Params;

/// The kind of a node of the binary tree, with its first and last leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GroupNode {
    pub(crate) kind: GroupKind,
    pub(crate) first: usize,
    pub(crate) last: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GroupKind {
    Simple,
    Group,
    Partition,
}

/// The kinds of the nodes of a binary tree, in the tree's order.
pub(crate) fn group_nodes(
    tree: &[BinaryNode],
    scope: &ScopeTree,
    costs: &mut Costs,
    params: &Params,
) -> Vec<GroupNode> {
    let threshold = u64::from(params.papers.group_below) * ONE / 100;
    let mut grouped: Vec<GroupNode> = Vec::with_capacity(tree.len());
    for node in tree {
        let next = match *node {
            BinaryNode::Leaf(leaf) => GroupNode { kind: GroupKind::Simple, first: leaf, last: leaf },
            BinaryNode::Join(left, right) => {
                // The paper's three cases (two simple nodes, a group and a simple node, two groups) differ only in which leaves
                // are compared, and these are always the neighbours at the seam.
                let (left, right) = (grouped[left], grouped[right]);
                let mut cost = || {
                    let factors = costs.between(scope.parent(left.last), scope.parent(right.first));
                    factors.for_grouping(params.papers.group_cost)
                };
                let groups = left.kind != GroupKind::Partition && right.kind != GroupKind::Partition;
                let kind = if groups && cost() < threshold { GroupKind::Group } else { GroupKind::Partition };
                GroupNode { kind, first: left.first, last: right.last }
            }
        };
        grouped.push(next);
    }
    grouped
}
