//! The Semantic Partitioner's hierarchy: entropy segments, inferred groups, promoted headers (`[SP §3-5]`).
//!
//! Every folded run of at least two instances is a group; an instance of several parts is a partition. A
//! promoted header moves from its place to its group. The pages of a site are processed together because two of
//! the header rules need them; a single page counts as a site of one.

use std::collections::HashMap;
use std::ops::Range;

use crate::hierarchy::{Hierarchy, NodeKind, Promotion};

use super::builder::{HierarchyBuilder, ROOT};
use super::entropy;
use super::flat::segments;
use super::headers::{HeadlessGroup, find_headers};
use super::regex::{FoldedPart, Folding, infer_groups};
use crate::partition::params::Params;
use crate::reading::Page;

/// A page with its segments and what they fold to.
struct Inference<'a> {
    page: &'a Page,
    boundaries: Vec<u32>,
    /// For each segment: its leaves, those that are not running text, and what these fold to.
    segments: Vec<(Range<usize>, Vec<usize>, Folding)>,
    running: Vec<bool>,
    /// Groups as segment and part, in page order.
    groups: Vec<(usize, usize)>,
    headless: Vec<HeadlessGroup>,
    is_cut: bool,
}

/// The hierarchy of a single page.
pub(crate) fn inferred_hierarchy(page: &Page, params: &Params) -> Hierarchy {
    let inference = Inference::new(page, params);
    let headers = find_headers(&[(page, inference.headless.clone())]).pop().unwrap_or_default();
    inference.build(params, &headers)
}

/// The hierarchies of the first `wanted` pages; all pages are of one site.
pub(crate) fn inferred_hierarchies(pages: &[&Page], wanted: usize, params: &Params) -> Vec<Hierarchy> {
    let inferred: Vec<Inference<'_>> = pages.iter().map(|page| Inference::new(page, params)).collect();
    let headless: Vec<(&Page, Vec<HeadlessGroup>)> =
        inferred.iter().map(|inference| (inference.page, inference.headless.clone())).collect();
    inferred
        .iter()
        .zip(find_headers(&headless))
        .take(wanted)
        .map(|(inference, headers)| inference.build(params, &headers))
        .collect()
}

impl<'a> Inference<'a> {
    fn new(page: &'a Page, params: &Params) -> Inference<'a> {
        let running = entropy::find_running_text(page);
        let boundaries = entropy::entropy_boundaries(page, &running, params.papers.sibling_runs);
        let mut steps = params.papers.max_steps;
        let mut is_cut = false;
        let mut folded = Vec::new();
        for segment in segments(page, &boundaries) {
            let leaves: Vec<usize> = segment.clone().filter(|&leaf| !running[leaf]).collect();
            let symbols: Vec<u32> =
                leaves.iter().map(|&leaf| page.leaves.get(leaf).path.index() as u32).collect();
            let inferred = infer_groups(&symbols, &mut steps);
            is_cut |= inferred.is_cut;
            folded.push((segment, leaves, inferred));
        }
        let mut inference = Inference {
            page,
            boundaries,
            segments: folded,
            running,
            groups: Vec::new(),
            headless: Vec::new(),
            is_cut,
        };
        inference.find_groups();
        inference
    }

    /// Finds the groups in page order. The leaves before a group are its candidates if they are in the same sequence:
    /// that of the page, or that of the instance that holds both.
    fn find_groups(&mut self) {
        let mut groups: Vec<((usize, usize), HeadlessGroup)> = Vec::new();
        // Leaves after the last group of a segment may head the first group of the next one.
        let mut carried_candidates: Vec<usize> = Vec::new();
        for (number, (_, leaves, folded)) in self.segments.iter().enumerate() {
            let mut todo: Vec<(Vec<usize>, bool)> = vec![(folded.top.clone(), true)];
            while let Some((sequence, is_top_level)) = todo.pop() {
                let mut candidates =
                    if is_top_level { std::mem::take(&mut carried_candidates) } else { Vec::new() };
                for part in sequence {
                    let FoldedPart::Group(instances) = &folded.parts[part] else {
                        candidates.extend(leaves_below(folded, leaves, part));
                        continue;
                    };
                    todo.extend(instances.iter().map(|instance| (instance.clone(), false)));
                    if instances.len() < 2 {
                        continue;
                    }
                    let members = leaves_below(folded, leaves, part);
                    groups.push((
                        (number, part),
                        HeadlessGroup { candidates: std::mem::take(&mut candidates), members },
                    ));
                }
                if is_top_level {
                    carried_candidates = candidates;
                }
            }
        }
        groups.sort_by_key(|(_, group)| group.members.first().copied());
        (self.groups, self.headless) = groups.into_iter().unzip();
    }

    fn build(&self, params: &Params, headers: &[Option<usize>]) -> Hierarchy {
        let header: HashMap<(usize, usize), usize> =
            self.groups.iter().zip(headers).filter_map(|(&group, leaf)| Some((group, (*leaf)?))).collect();
        let mut is_promoted = vec![false; self.page.leaves.len()];
        header.values().for_each(|&leaf| is_promoted[leaf] = true);
        let mut builder = HierarchyBuilder::new(self.page, params, self.boundaries.clone());
        for (number, (range, leaves, folded)) in self.segments.iter().enumerate() {
            let segment = builder.add_node(ROOT, NodeKind::Segment, None);
            self.running_from(range.start, range.end).for_each(|leaf| builder.add_leaf(segment, leaf));
            // Preorder by a stack: the parts of a sequence are pushed last first.
            let mut todo: Vec<(u32, PendingNode<'_>)> =
                folded.top.iter().rev().map(|&part| (segment, PendingNode::Part(part))).collect();
            while let Some((parent, work)) = todo.pop() {
                let (parent, parts) = match work {
                    PendingNode::Part(part) => match &folded.parts[part] {
                        FoldedPart::Leaf(leaf) => {
                            let leaf = leaves[*leaf];
                            let own = (!is_promoted[leaf]).then_some(leaf);
                            own.into_iter()
                                .chain(self.running_from(leaf + 1, range.end))
                                .for_each(|leaf| builder.add_leaf(parent, leaf));
                            continue;
                        }
                        FoldedPart::Group(instances) => {
                            let header = header.get(&(number, part)).map(|&leaf| (leaf, Promotion::Evidence));
                            let is_group = instances.len() > 1;
                            let over = if is_group {
                                builder.add_node(parent, NodeKind::Group, header)
                            } else {
                                parent
                            };
                            todo.extend(
                                instances
                                    .iter()
                                    .rev()
                                    .map(|parts| (over, PendingNode::Instance(parts, is_group))),
                            );
                            continue;
                        }
                    },
                    PendingNode::Instance(parts, true) if parts.len() > 1 => {
                        (builder.add_node(parent, NodeKind::Partition, None), parts)
                    }
                    PendingNode::Instance(parts, _) => (parent, parts),
                };
                todo.extend(parts.iter().rev().map(|&part| (parent, PendingNode::Part(part))));
            }
        }
        builder.finish(self.is_cut)
    }

    /// The running text from a leaf on, up to the next leaf that is part of a pattern.
    fn running_from(&self, from: usize, end: usize) -> impl Iterator<Item = usize> {
        (from..end).take_while(|&leaf| self.running[leaf])
    }
}

/// A task of the writer.
enum PendingNode<'a> {
    Part(usize),
    /// The parts of one instance; `true` inside a group.
    Instance(&'a [usize], bool),
}

/// The leaves of the page under a part, in order.
fn leaves_below(folded: &Folding, leaves: &[usize], part: usize) -> Vec<usize> {
    let mut found = Vec::new();
    let mut todo = vec![part];
    while let Some(part) = todo.pop() {
        match &folded.parts[part] {
            FoldedPart::Leaf(leaf) => found.push(leaves[*leaf]),
            FoldedPart::Group(instances) => todo.extend(instances.iter().flatten().rev()),
        }
    }
    found
}
