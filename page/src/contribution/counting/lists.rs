//! Lists of labels: adjacent links.
//!
//! A list is all links that share a nearest ancestor with two or more links. An exception is an entry that is
//! alone in such an element because the element also holds a list below the entry (a menu entry with its
//! submenu): the entry belongs to the outer list, and is above the inner one ([`NestedUse`]).

use crate::contribution::{ListUse, NestedUse};
use rustc_hash::FxHashMap;

use super::anchors::Anchor;
use crate::reading::Page;

/// Most pairs of an entry and a label below it; menus have some hundred.
pub(in crate::contribution) const MAX_NESTED: usize = 2000;
/// Most elements with lists between an entry and the list below it.
const MAX_LAYOUT: usize = 6;

/// The distinct lists of at least two labels, and which label is above which; both sorted.
pub(super) fn label_lists(page: &Page, anchors: &[Anchor]) -> (Vec<ListUse>, Vec<NestedUse>) {
    let holders = link_holders(page, anchors);
    // Members of the list that each element holds. Elements are in page order, so inner ones come after outer
    // ones.
    let mut members_by_holder: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
    // Links in running text are never a list.
    for (i, anchor) in anchors.iter().enumerate().filter(|(_, anchor)| !anchor.in_text) {
        let parent = page.tree.parent(anchor.node);
        if let Some(holder) = parent.and_then(|parent| holders[parent.index()]) {
            members_by_holder.entry(holder).or_default().push(i);
        }
    }
    let mut elements: Vec<usize> =
        (0..page.tree.len()).filter(|element| members_by_holder.contains_key(element)).collect();
    let (mut lists, mut nested) = (Vec::new(), Vec::new());
    // For each element that holds a list or a single entry: the lists directly below it, as first link and
    // labels.
    let mut lists_below: FxHashMap<usize, Vec<(usize, Vec<String>)>> = FxHashMap::default();
    while let Some(element) = elements.pop() {
        let Some(members) = members_by_holder.remove(&element) else { continue };
        let outer = page.tree.node_at(element).and_then(|node| page.tree.parent(node));
        let outer = outer.and_then(|outer| holders[outer.index()]);
        if let (&[member], Some(outer)) = (members.as_slice(), outer) {
            if !members_by_holder.contains_key(&outer) {
                let place = elements.partition_point(|&element| element < outer);
                elements.insert(place, outer);
            }
            members_by_holder.entry(outer).or_default().push(member);
            if let Some(entry) = &anchors[member].key {
                let lists = lists_below.remove(&element).unwrap_or_default();
                // A list that comes before the entry is not the entry's.
                let after = lists.into_iter().filter(|(first, _)| *first > member);
                let narrower = after.flat_map(|(_, labels)| labels).filter(|label| label != entry);
                nested.extend(narrower.map(|narrower| NestedUse { broader: entry.clone(), narrower }));
            }
            continue;
        }
        let mut labels: Vec<String> = members.iter().filter_map(|&i| anchors[i].key.clone()).collect();
        labels.sort_unstable();
        labels.dedup();
        // Layout elements may lie between an entry and the columns of its menu.
        let above = |element: usize| {
            let parent = page.tree.node_at(element).and_then(|node| page.tree.parent(node));
            parent.and_then(|parent| holders[parent.index()])
        };
        let entry = std::iter::successors(outer, |&outer| above(outer)).take(MAX_LAYOUT);
        if let Some(entry) = entry.into_iter().find(|outer| members_by_holder.contains_key(outer)) {
            let first = members.iter().min().copied().unwrap_or_default();
            lists_below.entry(entry).or_default().push((first, labels.clone()));
        }
        lists.extend((labels.len() > 1).then_some(ListUse { labels }));
    }
    lists.sort_unstable_by(|a, b| a.labels.cmp(&b.labels));
    lists.dedup();
    nested.sort_unstable();
    nested.dedup();
    nested.truncate(MAX_NESTED);
    (lists, nested)
}

/// For each node the nearest element, itself included, with at least two links below. One pass.
fn link_holders(page: &Page, anchors: &[Anchor]) -> Vec<Option<usize>> {
    let tree = &page.tree;
    let links_before = |node| anchors.partition_point(|anchor| anchor.node < node);
    let mut holders: Vec<Option<usize>> = vec![None; tree.len()];
    for node in tree.node_ids() {
        let above = tree.parent(node).and_then(|parent| holders[parent.index()]);
        let is_holder = links_before(tree.subtree_end(node)) - links_before(node) > 1;
        holders[node.index()] = if is_holder { Some(node.index()) } else { above };
    }
    holders
}
