//! Writes parts as a [`Hierarchy`] in preorder.
//!
//! A partition becomes a node with its header as label, a group a node over its instances, a leaf a label.
//! If a segment is one piece and all of it is one partition, the segment takes the partition's header and parts.

use std::ops::Range;

use crate::hierarchy::{Hierarchy, Label, Node, NodeKind, Promotion};
use crate::reading::NodeId;

use super::promotion::PromotedPart;
use crate::partition::params::Params;
use crate::reading::Page;

pub(super) const ROOT: u32 = 0;

/// A piece of a scope: its first leaf, and its parts; the last part is the whole piece.
pub(crate) struct Piece {
    pub(crate) first: usize,
    pub(crate) parts: Vec<PromotedPart>,
}

pub(crate) struct HierarchyBuilder<'a> {
    page: &'a Page,
    hierarchy: Hierarchy,
    /// The last link and its target: consecutive leaves are often in one link.
    last_link: Option<(NodeId, Option<String>)>,
}

impl<'a> HierarchyBuilder<'a> {
    pub(crate) fn new(page: &'a Page, params: &Params, boundaries: Vec<u32>) -> HierarchyBuilder<'a> {
        let root = Node { parent: None, kind: NodeKind::Page, label: None, promotion: None, block: None };
        let hierarchy = Hierarchy {
            url: page.url.as_str().to_owned(),
            title: page.title.clone(),
            method: params.digest(),
            coarse: page.coarse.clone(),
            leaves: page.leaves.len() as u32,
            boundaries,
            site_version: None,
            nodes: vec![root],
        };
        HierarchyBuilder { page, hierarchy, last_link: None }
    }

    /// Adds a segment without inner structure.
    pub(crate) fn add_flat_segment(&mut self, leaves: Range<usize>) {
        let segment = self.add_node(ROOT, NodeKind::Segment, None);
        leaves.for_each(|leaf| self.add_leaf(segment, leaf));
    }

    /// Adds a segment made of these pieces.
    pub(crate) fn add_segment(&mut self, pieces: &[Piece]) {
        if let [piece] = pieces
            && let Some(PromotedPart::Partition { header, parts }) = piece.parts.last()
        {
            let header = header.map(|(leaf, promotion)| (piece.first + leaf, promotion));
            let segment = self.add_node(ROOT, NodeKind::Segment, header);
            self.add_parts(segment, piece, parts);
            return;
        }
        let segment = self.add_node(ROOT, NodeKind::Segment, None);
        pieces.iter().for_each(|piece| self.add_piece(segment, piece));
    }

    /// Adds the whole page, without segments.
    pub(crate) fn add_whole_page(&mut self, pieces: &[Piece]) {
        pieces.iter().for_each(|piece| self.add_piece(ROOT, piece));
    }

    /// The finished hierarchy; `is_coarse` if some scope was cut or left flat.
    pub(crate) fn finish(mut self, is_coarse: bool) -> Hierarchy {
        let coarse = &mut self.hierarchy.coarse;
        if is_coarse && !coarse.iter().any(|limit| limit == "leaves") {
            coarse.push("leaves".into());
            coarse.sort_unstable();
        }
        self.hierarchy
    }

    fn add_piece(&mut self, parent: u32, piece: &Piece) {
        if let Some(whole) = piece.parts.len().checked_sub(1) {
            self.add_parts(parent, piece, &[whole]);
        }
    }

    fn add_parts(&mut self, parent: u32, piece: &Piece, parts: &[usize]) {
        let mut todo: Vec<(u32, usize)> = parts.iter().rev().map(|&part| (parent, part)).collect();
        while let Some((parent, part)) = todo.pop() {
            match &piece.parts[part] {
                PromotedPart::Leaf(leaf) => self.add_leaf(parent, piece.first + leaf),
                PromotedPart::Group(first, last) => {
                    let group = self.add_node(parent, NodeKind::Group, None);
                    (*first..=*last).for_each(|leaf| self.add_leaf(group, piece.first + leaf));
                }
                PromotedPart::Partition { header, parts } => {
                    let header = header.map(|(leaf, promotion)| (piece.first + leaf, promotion));
                    let partition = self.add_node(parent, NodeKind::Partition, header);
                    todo.extend(parts.iter().rev().map(|&part| (partition, part)));
                }
            }
        }
    }

    pub(super) fn add_leaf(&mut self, parent: u32, leaf: usize) {
        let label = Some(self.label(leaf));
        self.hierarchy.nodes.push(Node {
            parent: Some(parent),
            kind: NodeKind::Label,
            label,
            promotion: None,
            block: None,
        });
    }

    pub(super) fn add_node(
        &mut self,
        parent: u32,
        kind: NodeKind,
        header: Option<(usize, Promotion)>,
    ) -> u32 {
        let label = header.map(|(leaf, _)| self.label(leaf));
        let promotion = header.map(|(_, promotion)| promotion);
        self.hierarchy.nodes.push(Node { parent: Some(parent), kind, label, promotion, block: None });
        self.hierarchy.nodes.len() as u32 - 1
    }

    fn label(&mut self, leaf: usize) -> Label {
        let leaves = &self.page.leaves;
        let href = leaves.link(leaf).and_then(|link| self.href(link));
        Label {
            text: leaves.text(leaf).to_owned(),
            leaves: vec![leaf as u32],
            href,
            image: leaves.get(leaf).is_image,
            tags: Vec::new(),
        }
    }

    fn href(&mut self, link: NodeId) -> Option<String> {
        match &self.last_link {
            Some((last, href)) if *last == link => href.clone(),
            _ => {
                let href = self.page.target(link).map(String::from);
                self.last_link = Some((link, href.clone()));
                href
            }
        }
    }
}
