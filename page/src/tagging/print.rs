//! The print's own tagging (`[SP §6]`): headers of groups are attributes, their instances are values, the
//! label that repeats the title is the concept, everything else is none.

use std::borrow::Borrow;
use std::collections::{BTreeMap, BTreeSet};

use crate::hierarchy::{Hierarchy, NodeKind};

use super::{Pair, Tag};
use crate::contribution::labels::words;
use crate::partition::hierarchies;
use crate::partition::{Method, Params};
use crate::reading::Page;

/// The tags of the leaves of each page by the paper's method. All pages must be from one site.
#[must_use]
pub fn tags<P: Borrow<Page>>(pages: &[P]) -> Vec<Vec<Tag>> {
    let read = |(page, hierarchy): (&P, Hierarchy)| {
        let page: &Page = page.borrow();
        let mut tags = vec![Tag::None; page.leaves.len()];
        let mut in_group = vec![false; hierarchy.nodes.len()];
        for (index, node) in hierarchy.nodes.iter().enumerate() {
            let above = node.parent.is_some_and(|parent| in_group[parent as usize]);
            in_group[index] = above || node.kind == NodeKind::Group;
            let tag = match (node.kind, above, node.promotion) {
                (NodeKind::Label, true, _) => Tag::Value,
                (_, _, Some(_)) => Tag::Attribute,
                _ => continue,
            };
            node.label.iter().flat_map(|label| &label.leaves).for_each(|&leaf| tags[leaf as usize] = tag);
        }
        if let Some(leaf) = title_leaf(page) {
            tags[leaf] = Tag::Concept;
        }
        tags
    };
    pages.iter().zip(hierarchies(pages, &[], &regex_params())).map(read).collect()
}

/// The first leaf with exactly the words of the title.
fn title_leaf(page: &Page) -> Option<usize> {
    let title: BTreeSet<String> = words(page.title.as_deref()?).into_iter().collect();
    (0..page.leaves.len()).find(|&leaf| BTreeSet::from_iter(words(page.leaves.text(leaf))) == title)
}

/// The attribute-value pairs of each page by the paper's method: a group's header with each of its instances.
#[must_use]
pub fn pairs<P: Borrow<Page>>(pages: &[P]) -> Vec<Vec<Pair>> {
    hierarchies(pages, &[], &regex_params()).iter().map(pairs_of).collect()
}

fn pairs_of(hierarchy: &Hierarchy) -> Vec<Pair> {
    let mut pairs: Vec<Pair> = Vec::new();
    // The header and the instance above each node.
    let mut above: Vec<Option<(usize, Option<usize>)>> = Vec::with_capacity(hierarchy.nodes.len());
    let mut values: BTreeMap<(usize, usize), String> = BTreeMap::new();
    for (index, node) in hierarchy.nodes.iter().enumerate() {
        let outer = node.parent.and_then(|parent| above[parent as usize]);
        let own = match (outer, node.kind, &node.label) {
            (_, NodeKind::Group, Some(_)) => Some((index, None)),
            (Some((group, None)), ..) => Some((group, Some(index))),
            _ => outer,
        };
        above.push(own);
        if let (Some((group, Some(instance))), NodeKind::Label, Some(label)) = (own, node.kind, &node.label) {
            let value = values.entry((group, instance)).or_default();
            value.push_str(if value.is_empty() { "" } else { " " });
            value.push_str(&label.text);
        }
    }
    for ((group, _), value) in values {
        let label =
            hierarchy.nodes[group].label.as_ref().map_or("", |label| label.text.trim_matches([':', ' ']));
        if !label.is_empty() {
            pairs.push(Pair { label: label.to_owned(), value });
        }
    }
    pairs
}

fn regex_params() -> Params {
    Params { method: Method::Regex, ..Params::paper() }
}
