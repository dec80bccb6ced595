//! The hierarchy as the contribution needs it: labels as numbered keys, the labelled node above each node, and
//! the leaves in groups. One pass each, as parents come before children.

use std::collections::BTreeMap;

use crate::contribution::PairUse;
use crate::hierarchy::{Hierarchy, NodeKind};
use rustc_hash::FxHashMap;

use crate::contribution::labels::LabelKeys;

/// Most labelled ancestors that make pairs with a label; higher levels are the frame of the page.
pub(in crate::contribution) const MAX_LEVEL: u8 = 4;

pub(super) struct LabelOutline {
    /// Distinct keys.
    keys: Vec<String>,
    /// The key of each node, as an index into `keys`.
    key_of_node: Vec<Option<u32>>,
    /// The nearest labelled node above; its label may have no key.
    labelled_above: Vec<Option<u32>>,
    is_header: Vec<bool>,
    grouped_leaves: Vec<bool>,
}

impl LabelOutline {
    pub(super) fn new(hierarchy: &Hierarchy, keys: &LabelKeys) -> LabelOutline {
        let nodes = &hierarchy.nodes;
        let mut outline = LabelOutline {
            keys: Vec::new(),
            key_of_node: Vec::with_capacity(nodes.len()),
            labelled_above: Vec::with_capacity(nodes.len()),
            is_header: vec![false; nodes.len()],
            grouped_leaves: vec![false; hierarchy.leaves as usize],
        };
        let mut key_ids: FxHashMap<String, u32> = FxHashMap::default();
        let mut in_group = vec![false; nodes.len()];
        // Parents come before children, so what holds for the parent is decided already.
        for (i, node) in nodes.iter().enumerate() {
            let above = node.parent.map(|parent| parent as usize);
            in_group[i] = node.kind == NodeKind::Group || above.is_some_and(|above| in_group[above]);
            let labelled_above = above.and_then(|above| match nodes[above].label {
                Some(_) => u32::try_from(above).ok(),
                None => outline.labelled_above[above],
            });
            outline.labelled_above.push(labelled_above);
            if let Some(above) = above {
                outline.is_header[above] = nodes[above].label.is_some();
            }
            let key = node.label.as_ref().and_then(|label| keys.key(&label.text));
            outline.key_of_node.push(key.map(|key| {
                *key_ids.entry(key).or_insert_with_key(|key| {
                    outline.keys.push(key.clone());
                    outline.keys.len() as u32 - 1
                })
            }));
            for leaf in node.label.iter().flat_map(|label| &label.leaves) {
                if let Some(grouped) = outline.grouped_leaves.get_mut(*leaf as usize) {
                    *grouped = in_group[i];
                }
            }
        }
        outline
    }

    /// The key of a node's label.
    pub(super) fn key(&self, node: usize) -> Option<&str> {
        self.key_of_node[node].map(|key| self.keys[key as usize].as_str())
    }

    /// Whether a node's label heads other nodes.
    pub(super) fn is_header(&self, node: usize) -> bool {
        self.is_header[node]
    }

    /// Whether a leaf is in a group, at any depth.
    pub(super) fn is_in_group(&self, leaf: usize) -> bool {
        self.grouped_leaves.get(leaf).copied().unwrap_or(false)
    }

    /// Each (broader, narrower) once, at its least level, sorted.
    pub(super) fn pairs(&self) -> Vec<PairUse> {
        let mut levels: BTreeMap<(&str, &str), u8> = BTreeMap::new();
        for node in 0..self.key_of_node.len() {
            let Some(narrower) = self.key(node) else { continue };
            let mut above = self.labelled_above[node];
            for level in 1..=MAX_LEVEL {
                let Some(node) = above else { break };
                if let Some(broader) = self.key(node as usize).filter(|broader| *broader != narrower) {
                    let least = levels.entry((broader, narrower)).or_insert(level);
                    *least = level.min(*least);
                }
                above = self.labelled_above[node as usize];
            }
        }
        levels
            .into_iter()
            .map(|((broader, narrower), level)| PairUse {
                broader: broader.to_owned(),
                narrower: narrower.to_owned(),
                level,
            })
            .collect()
    }
}
