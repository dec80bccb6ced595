//! Writes an outline as a [`Hierarchy`] in preorder.
//!
//! A label over others becomes a partition with that label, promoted by evidence. Two or more neighbours from one
//! list of similar siblings are put in a group. The page's top level is divided into segments where a block
//! begins at one of its labels.

use crate::hierarchy::{Hierarchy, Label, Node, NodeKind, Promotion};
use crate::reading::NodeId;

use super::result::Outline;
use super::skeleton::NONE;
use crate::partition::Params;
use crate::reading::Page;

const ROOT: u32 = 0;

/// The hierarchy of this page's outline.
pub(crate) fn write_hierarchy(page: &Page, params: &Params, outline: &Outline) -> Hierarchy {
    Writer { page, outline, nodes: Vec::with_capacity(outline.labels.len() + 1), link: None }.run(params)
}

struct Writer<'a> {
    page: &'a Page,
    outline: &'a Outline,
    nodes: Vec<Node>,
    /// The last link and its target: consecutive labels are often in one link.
    link: Option<(NodeId, Option<String>)>,
}

/// Labels under one node that are still to be written.
struct OpenNode {
    /// The node.
    node: u32,
    /// Index in `children` of the next one, and one past the last.
    next: usize,
    end: usize,
    /// The list whose members are being written, and its group.
    group: Option<(u32, u32)>,
}

impl Writer<'_> {
    fn run(mut self, params: &Params) -> Hierarchy {
        self.push(None, NodeKind::Page, None, None);
        let (children, starts) = self.children();
        let range = |label: usize| (starts[label], starts[label + 1]);
        let top = self.outline.labels.len();
        let (next, end) = range(top);
        let mut open = vec![OpenNode { node: ROOT, next, end, group: None }];
        let mut boundaries = self.outline.boundaries.iter().copied().peekable();
        while let Some(this) = open.last_mut() {
            if this.next == this.end {
                open.pop();
                continue;
            }
            let label = children[this.next] as usize;
            if open.len() == 1
                && (self.nodes.len() == 1 || begins_block(&self.outline.labels[label], &mut boundaries))
            {
                open[0].group = None;
                open[0].node = self.push(Some(ROOT), NodeKind::Segment, None, None);
            }
            let Some(this) = open.last_mut() else { break };
            this.next += 1;
            let list = self.outline.lists[label];
            let goes_on = this.next < this.end
                && list != NONE
                && self.outline.lists[children[this.next] as usize] == list;
            if this.group.is_some_and(|(known, _)| known != list) {
                this.group = None;
            }
            if this.group.is_none() && goes_on {
                let node = this.node;
                let group = self.push(Some(node), NodeKind::Group, None, None);
                this.group = Some((list, group));
            }
            let parent = this.group.map_or(this.node, |(_, group)| group);
            let (next, end) = range(label);
            let (kind, promotion) = match next < end {
                true => (NodeKind::Partition, Some(Promotion::Evidence)),
                false => (NodeKind::Label, None),
            };
            let text = self.label(label);
            let node = self.push(Some(parent), kind, Some(text), promotion);
            if next < end {
                open.push(OpenNode { node, next, end, group: None });
            }
        }
        Hierarchy {
            url: self.page.url.as_str().to_owned(),
            title: self.page.title.clone(),
            method: params.digest(),
            coarse: self.page.coarse.clone(),
            leaves: self.page.leaves.len() as u32,
            boundaries: self.outline.boundaries.clone(),
            site_version: None,
            nodes: self.nodes,
        }
    }

    /// The labels by parent, in order, those of the top level last; and where each parent's labels start.
    fn children(&self) -> (Vec<u32>, Vec<usize>) {
        let count = self.outline.labels.len();
        let above = |label: usize| self.outline.parents[label].map_or(count, |above| above as usize);
        let mut starts = vec![0usize; count + 2];
        for label in 0..count {
            starts[above(label) + 1] += 1;
        }
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        let mut next = starts.clone();
        let mut children = vec![0u32; count];
        for label in 0..count {
            let place = &mut next[above(label)];
            children[*place] = label as u32;
            *place += 1;
        }
        (children, starts)
    }

    fn push(
        &mut self,
        parent: Option<u32>,
        kind: NodeKind,
        label: Option<Label>,
        promotion: Option<Promotion>,
    ) -> u32 {
        self.nodes.push(Node { parent, kind, label, promotion, block: None });
        self.nodes.len() as u32 - 1
    }

    fn label(&mut self, label: usize) -> Label {
        let range = self.outline.labels[label].clone();
        let (tree, leaves) = (&self.page.tree, &self.page.leaves);
        let first = range.start as usize;
        let mut text = leaves.text(first).to_owned();
        for leaf in first + 1..range.end as usize {
            if is_apart(tree, leaves.get(leaf - 1).node, leaves.get(leaf).node) {
                text.push(' ');
            }
            text.push_str(leaves.text(leaf));
        }
        let href = range.clone().find_map(|leaf| leaves.link(leaf as usize)).and_then(|link| self.href(link));
        Label { text, leaves: range.collect(), href, image: leaves.get(first).is_image, tags: Vec::new() }
    }

    fn href(&mut self, link: NodeId) -> Option<String> {
        match &self.link {
            Some((last, href)) if *last == link => href.clone(),
            _ => {
                let href = self.page.target(link).map(String::from);
                self.link = Some((link, href.clone()));
                href
            }
        }
    }
}

/// Whether white space or a line break separates two leaves.
fn is_apart(tree: &crate::reading::PageTree, a: NodeId, b: NodeId) -> bool {
    let is_space = |letter: char| letter.is_ascii_whitespace() || letter == '\u{A0}';
    let ends = tree.text(a).is_none_or(|text| text.ends_with(is_space));
    let begins = tree.text(b).is_none_or(|text| text.starts_with(is_space));
    let between = || (a.index() + 1..b.index()).filter_map(|index| tree.node_at(index));
    ends || begins || between().any(|node| tree.text(node).is_some() || tree.tag(node) == Some("br"))
}

/// Whether a block begins at a label of the top level. Consumes the boundaries up to it.
fn begins_block(
    label: &std::ops::Range<u32>,
    boundaries: &mut std::iter::Peekable<impl Iterator<Item = u32>>,
) -> bool {
    let mut begins = false;
    while boundaries.next_if(|&boundary| boundary <= label.start).is_some() {
        begins = true;
    }
    begins
}
