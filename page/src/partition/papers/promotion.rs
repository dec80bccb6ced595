//! Moves headers above what they head (`[OM05 §4.3.3]`).
//!
//! Insider: an emphasised leaf that is the first child of a partition node (never of a group) takes the node's
//! place, again and again while that makes it a first child. Outsider: a leaf that is the first child of a
//! partition node also takes its place if the only other child is a group or a single leaf.
//! One pass in postorder suffices: a header that took its parent's place is examined again with the next parent.

use crate::hierarchy::Promotion;

use super::dp::Binary;
use super::grouping::{GroupNode, What};

/// A part of the tree after promotion. Leaves are counted from the scope's first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Part {
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
pub(crate) fn promotion(
    tree: &[Binary],
    grouped: &[GroupNode],
    is_emphasised: impl Fn(usize) -> bool,
) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::with_capacity(tree.len());
    for (node, grouped) in tree.iter().zip(grouped) {
        let next = match (*node, grouped.what) {
            (Binary::Leaf(leaf), _) => Part::Leaf(leaf),
            (Binary::Join(..), What::Group | What::Simple) => Part::Group(grouped.first, grouped.last),
            (Binary::Join(left, right), What::Partition) => join(&mut parts, left, right, &is_emphasised),
        };
        parts.push(next);
    }
    parts
}

fn join(parts: &mut [Part], left: usize, right: usize, is_emphasised: impl Fn(usize) -> bool) -> Part {
    let plain = Part::Partition { header: None, parts: vec![left, right] };
    let sibling_is_list = matches!(parts[right], Part::Leaf(_) | Part::Group(..));
    match &mut parts[left] {
        Part::Leaf(leaf) if is_emphasised(*leaf) => {
            Part::Partition { header: Some((*leaf, Promotion::Insider)), parts: vec![right] }
        }
        Part::Leaf(leaf) if sibling_is_list => {
            Part::Partition { header: Some((*leaf, Promotion::Outsider)), parts: vec![right] }
        }
        Part::Partition { header: Some((leaf, how @ Promotion::Insider)), parts } => {
            let mut below = std::mem::take(parts);
            below.push(right);
            Part::Partition { header: Some((*leaf, *how)), parts: below }
        }
        Part::Leaf(_) | Part::Group(..) | Part::Partition { .. } => plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grouped(what: What, first: usize, last: usize) -> GroupNode {
        GroupNode { what, first, last }
    }

    /// ((0 (1 2)) 3), all partitions.
    fn left_comb() -> (Vec<Binary>, Vec<GroupNode>) {
        use Binary::{Join, Leaf};
        use What::{Partition, Simple};
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
        let parts = promotion(&tree, &grouped, |leaf| leaf == 0);
        let header = Some((0, Promotion::Insider));
        assert_eq!(parts[6], Part::Partition { header, parts: vec![3, 5] });
        assert_eq!(parts[3], Part::Partition { header: Some((1, Promotion::Outsider)), parts: vec![2] });
    }

    #[test]
    fn a_plain_first_leaf_heads_a_lone_list_only() {
        let (tree, mut grouped) = left_comb();
        let parts = promotion(&tree, &grouped, |_| false);
        assert_eq!(parts[4], Part::Partition { header: None, parts: vec![0, 3] });
        grouped[3].what = What::Group;
        let parts = promotion(&tree, &grouped, |_| false);
        assert_eq!(parts[4], Part::Partition { header: Some((0, Promotion::Outsider)), parts: vec![3] });
        assert_eq!(parts[3], Part::Group(1, 2));
        // The header was promoted as an outsider, not by emphasis, so it goes no further.
        assert_eq!(parts[6], Part::Partition { header: None, parts: vec![4, 5] });
    }
}
