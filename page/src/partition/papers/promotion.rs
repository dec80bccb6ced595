//! Moves headers above what they head (`[OM05 §4.3.3]`).
//!
//! Insider: an emphasised leaf that is the first child of a partition node (never of a group) takes the node's
//! place, again and again while that makes it a first child. Outsider: a leaf that is the first child of a
//! partition node also takes its place if the only other child is a group or a single leaf.
//! One pass in postorder suffices: a header that took its parent's place is examined again with the next parent.

use crate::hierarchy::Promotion;

use super::dp::BinaryNode;
use super::grouping::{GroupKind, GroupNode};

/// A part of the tree after promotion. Leaves are counted from the scope's first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PromotedPart {
    /// One leaf.
    Leaf(usize),
    /// A group whose instances are the leaves `.0..=.1`.
    Group(usize, usize),
    /// Different parts, possibly with a header.
    Partition {
        /// The leaf that heads the parts; it is in none of them.
        header: Option<(usize, Promotion)>,
        /// Indices of the parts in the list.
        parts: Vec<usize>,
    },
}

/// The parts of a binary tree; the last is the whole. `is_emphasised` is called with leaves.
pub(crate) fn promote_headers(
    tree: &[BinaryNode],
    grouped: &[GroupNode],
    is_emphasised: impl Fn(usize) -> bool,
) -> Vec<PromotedPart> {
    let mut parts: Vec<PromotedPart> = Vec::with_capacity(tree.len());
    for (node, grouped) in tree.iter().zip(grouped) {
        let next = match (*node, grouped.kind) {
            (BinaryNode::Leaf(leaf), _) => PromotedPart::Leaf(leaf),
            (BinaryNode::Join(..), GroupKind::Group | GroupKind::Simple) => {
                PromotedPart::Group(grouped.first, grouped.last)
            }
            (BinaryNode::Join(left, right), GroupKind::Partition) => {
                join_parts(&mut parts, left, right, &is_emphasised)
            }
        };
        parts.push(next);
    }
    parts
}

/// The part that a partition node becomes: its first child may take its place as header.
fn join_parts(
    parts: &mut [PromotedPart],
    left: usize,
    right: usize,
    is_emphasised: impl Fn(usize) -> bool,
) -> PromotedPart {
    let plain = PromotedPart::Partition { header: None, parts: vec![left, right] };
    let sibling_is_list = matches!(parts[right], PromotedPart::Leaf(_) | PromotedPart::Group(..));
    match &mut parts[left] {
        PromotedPart::Leaf(leaf) if is_emphasised(*leaf) => {
            PromotedPart::Partition { header: Some((*leaf, Promotion::Insider)), parts: vec![right] }
        }
        PromotedPart::Leaf(leaf) if sibling_is_list => {
            PromotedPart::Partition { header: Some((*leaf, Promotion::Outsider)), parts: vec![right] }
        }
        // The first child is a partition whose header took its place. That header is now a first child itself, so it
        // rises again, and the parts below it get the sibling.
        PromotedPart::Partition { header: Some((leaf, promotion @ Promotion::Insider)), parts } => {
            let mut below = std::mem::take(parts);
            below.push(right);
            PromotedPart::Partition { header: Some((*leaf, *promotion)), parts: below }
        }
        PromotedPart::Leaf(_) | PromotedPart::Group(..) | PromotedPart::Partition { .. } => plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grouped(kind: GroupKind, first: usize, last: usize) -> GroupNode {
        GroupNode { kind, first, last }
    }

    /// ((0 (1 2)) 3), all partitions.
    fn left_comb() -> (Vec<BinaryNode>, Vec<GroupNode>) {
        use BinaryNode::{Join, Leaf};
        use GroupKind::{Partition, Simple};
        (
            vec![Leaf(0), Leaf(1), Leaf(2), Join(1, 2), Join(0, 3), Leaf(3), Join(4, 5)],
            vec![
                grouped(Simple, 0, 0),
                grouped(Simple, 1, 1),
                grouped(Simple, 2, 2),
                grouped(Partition, 1, 2),
                grouped(Partition, 0, 2),
                grouped(Simple, 3, 3),
                grouped(Partition, 0, 3),
            ],
        )
    }

    #[test]
    fn an_emphasised_first_child_rises_as_long_as_it_is_first() {
        let (tree, grouped) = left_comb();
        let parts = promote_headers(&tree, &grouped, |leaf| leaf == 0);
        let header = Some((0, Promotion::Insider));
        assert_eq!(parts[6], PromotedPart::Partition { header, parts: vec![3, 5] });
        assert_eq!(
            parts[3],
            PromotedPart::Partition { header: Some((1, Promotion::Outsider)), parts: vec![2] }
        );
    }

    #[test]
    fn a_plain_first_leaf_heads_a_lone_list_only() {
        let (tree, mut grouped) = left_comb();
        let parts = promote_headers(&tree, &grouped, |_| false);
        assert_eq!(parts[4], PromotedPart::Partition { header: None, parts: vec![0, 3] });
        grouped[3].kind = GroupKind::Group;
        let parts = promote_headers(&tree, &grouped, |_| false);
        assert_eq!(
            parts[4],
            PromotedPart::Partition { header: Some((0, Promotion::Outsider)), parts: vec![3] }
        );
        assert_eq!(parts[3], PromotedPart::Group(1, 2));
        // The header was promoted as an outsider, not by emphasis, so it goes no further.
        assert_eq!(parts[6], PromotedPart::Partition { header: None, parts: vec![4, 5] });
    }
}
