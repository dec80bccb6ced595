//! Marks on a hierarchy: the informative block of each node.
//!
//! Blocks are found leaf by leaf; the hierarchy stores them with the fewest marks. A mark holds for a node and
//! its descendants until a descendant has another mark. A whole table of contents is one mark, a foreign label
//! inside it a second one. A node without a mark on or above it is in [`Block::Rest`].
//! Invariant: each label is in exactly the block that was given for it. Start at [`Hierarchy::mark`].

use super::marks::Block;
use super::{Hierarchy, Label};

/// A cost larger than the number of nodes of any hierarchy.
const NEVER: u64 = u32::MAX as u64 * 4;

impl Hierarchy {
    /// Replaces all marks: each label is in the block that `block_of` gives it, with the fewest marks.
    /// `site_version` names the version of the site's value that the blocks were computed with.
    pub fn mark(&mut self, site_version: String, block_of: impl Fn(&Label) -> Block) {
        self.site_version = Some(site_version);
        // Two passes. From the leaves up: by node and block, the fewest marks below the node if it is in that block. From
        // the root down: each node takes the cheapest block, given that of its parent.
        let mut marks_below = vec![[0_u64; 3]; self.nodes.len()];
        for (at, node) in self.nodes.iter().enumerate().rev() {
            if let Some(label) = &node.label {
                let own = block_of(label);
                for block in Block::ALL.into_iter().filter(|block| *block != own) {
                    marks_below[at][block as usize] = NEVER;
                }
            }
            if let Some(parent) = node.parent {
                for block in Block::ALL {
                    let marks = marks_below[at][cheapest_block(&marks_below[at], block) as usize];
                    let marks = marks + u64::from(cheapest_block(&marks_below[at], block) != block);
                    marks_below[parent as usize][block as usize] += marks;
                }
            }
        }
        let mut resolved: Vec<Block> = Vec::with_capacity(self.nodes.len());
        for (at, node) in self.nodes.iter_mut().enumerate() {
            let above = node.parent.map_or(Block::Rest, |parent| resolved[parent as usize]);
            let own = cheapest_block(&marks_below[at], above);
            node.block = (own != above).then_some(own);
            resolved.push(own);
        }
    }

    /// Removes all marks.
    pub fn unmark(&mut self) {
        self.site_version = None;
        self.nodes.iter_mut().for_each(|node| node.block = None);
    }

    /// The block of each node, by its own mark or the nearest one above.
    #[must_use]
    pub fn blocks(&self) -> Vec<Block> {
        let mut blocks: Vec<Block> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let above = node.parent.map_or(Block::Rest, |parent| blocks[parent as usize]);
            blocks.push(node.block.unwrap_or(above));
        }
        blocks
    }
}

/// The cheapest block for a node under one in block `above`; on a tie, `above` itself.
fn cheapest_block(marks: &[u64; 3], above: Block) -> Block {
    let cost = |block: Block| (marks[block as usize] + u64::from(block != above), block != above);
    Block::ALL.into_iter().min_by_key(|block| cost(*block)).unwrap_or(above)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hierarchy::{Node, NodeKind};

    fn node(parent: u32, leaf: Option<u32>) -> Node {
        let label = leaf.map(|leaf| Label {
            text: "x".into(),
            leaves: vec![leaf],
            href: None,
            image: false,
            tags: Vec::new(),
        });
        Node { parent: Some(parent), kind: NodeKind::Partition, label, promotion: None, block: None }
    }

    /// A page with these nodes below its root.
    fn page(below: Vec<Node>) -> Hierarchy {
        let root = Node { parent: None, kind: NodeKind::Page, label: None, promotion: None, block: None };
        Hierarchy {
            url: String::new(),
            title: None,
            method: String::new(),
            coarse: vec![],
            leaves: 0,
            boundaries: vec![],
            site_version: None,
            nodes: std::iter::once(root).chain(below).collect(),
        }
    }

    #[test]
    fn a_block_is_one_mark_and_a_stranger_in_it_another() {
        let list = (0..5).map(|leaf| node(2, Some(leaf)));
        let mut page = page([node(0, None), node(1, None)].into_iter().chain(list).collect());
        page.mark("v".into(), |label| if label.leaves[0] == 3 { Block::Rest } else { Block::Toc });
        let marks: Vec<_> = page.nodes.iter().map(|node| node.block).collect();
        assert_eq!(marks.iter().flatten().count(), 2, "{marks:?}");
        assert_eq!(marks[6], Some(Block::Rest));
        page.unmark();
        assert!(page.site_version.is_none() && page.blocks().iter().all(|block| *block == Block::Rest));
    }

    #[test]
    fn a_header_outside_of_the_block_stays_outside() {
        let mut page = page(vec![node(0, Some(0)), node(1, Some(1)), node(1, Some(2))]);
        page.mark("v".into(), |label| if label.leaves[0] == 0 { Block::Rest } else { Block::Article });
        assert_eq!(page.blocks(), [Block::Rest, Block::Rest, Block::Article, Block::Article]);
        assert_eq!(page.nodes[1].block, None);
    }
}
