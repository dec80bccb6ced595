//! Cuts a range of leaves that is too long for the dynamic program along the page's elements.
//!
//! Top down: the range is divided between the children of its lowest common ancestor. Neighbouring children stay
//! together if they fit, and a child that is too long is cut in turn. Every leaf is in exactly one piece, pieces
//! are in page order, and none is longer than allowed.

use std::ops::Range;

use crate::reading::{NodeId, Page};

/// Cuts the range into pieces of at most `most` leaves (at least one).
pub(crate) fn split_range(page: &Page, range: Range<usize>, most: usize) -> Vec<Range<usize>> {
    let most = most.max(1);
    let mut pieces = Vec::new();
    let mut todo = vec![range];
    while let Some(range) = todo.pop() {
        if range.len() <= most {
            pieces.extend((!range.is_empty()).then_some(range));
            continue;
        }
        let packed = join_while_they_fit(ranges_of_children(page, &range), most);
        todo.extend(packed.into_iter().rev());
    }
    pieces
}

/// Joins neighbouring ranges while they fit.
fn join_while_they_fit(ranges: Vec<Range<usize>>, most: usize) -> Vec<Range<usize>> {
    let mut packed: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match packed.last_mut() {
            Some(last) if range.end - last.start <= most => last.end = range.end,
            _ => packed.push(range),
        }
    }
    packed
}

/// Divides the leaves between the children of their lowest common ancestor. Gives at least two ranges: otherwise
/// several leaves would have a lower common ancestor.
fn ranges_of_children(page: &Page, range: &Range<usize>) -> Vec<Range<usize>> {
    let (tree, leaves) = (&page.tree, &page.leaves);
    let (first, last) = (leaves.get(range.start), leaves.get(range.end - 1));
    let common = tree.lca(first.node, last.node);
    let is_child = |node: &NodeId| tree.parent(*node) == Some(common);
    let mut child = std::iter::once(first.node).chain(tree.ancestors(first.node)).find(is_child);
    let mut ranges = Vec::new();
    let mut start = range.start;
    while let Some(node) = child.filter(|_| start < range.end) {
        let end = leaves.range_under(tree, node).end.min(range.end);
        if end > start {
            ranges.push(start..end);
            start = end;
        }
        child = tree.next_sibling(node);
    }
    ranges
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::{page, pages};

    #[test]
    fn lists_are_cut_between_their_items() {
        let item = "<li><a>x</a> <i>y</i> <b>z</b></li>";
        let page = page(&format!("<h1>T</h1><ul>{}</ul>", item.repeat(10)));
        let cut = split_range(&page, 0..31, 10);
        assert_eq!(cut, [0..1, 1..10, 10..19, 19..28, 28..31]);
    }

    proptest! {
        #[test]
        fn pieces_are_the_range_in_order(page in pages(80), most in 1usize..20) {
            let cut = split_range(&page, 0..page.leaves.len(), most);
            prop_assert!(cut.iter().all(|piece| !piece.is_empty() && piece.len() <= most));
            let joined: Vec<usize> = cut.into_iter().flatten().collect();
            prop_assert_eq!(joined, (0..page.leaves.len()).collect::<Vec<_>>());
        }
    }
}
