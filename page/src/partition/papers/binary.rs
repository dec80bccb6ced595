//! The hierarchy by binary partition (`[OM05 §4.3]`): a tree by the dynamic program, then groups and headers.
//!
//! Start at [`binary_hierarchy`].

use std::ops::Range;

use crate::hierarchy::Hierarchy;
use crate::partition::emphasis::emphasised;
use crate::partition::papers::params::Scope;
use crate::partition::params::Params;
use crate::reading::Page;

use super::builder::{HierarchyBuilder, Piece};
use super::cost::Costs;
use super::flat::{flat_boundaries, segments};
use super::promotion::PromotedPart;
use super::scope::{ScopeTree, max_depth};
use super::{dp, grouping, promotion, split};

/// The hierarchy by binary partition.
pub(crate) fn binary_hierarchy(page: &Page, params: &Params) -> Hierarchy {
    let boundaries = flat_boundaries(page, params);
    let mut builder = HierarchyBuilder::new(page, params, boundaries.clone());
    let mut partition = BinaryPartition {
        page,
        params,
        is_emphasised: emphasised(page),
        max_depth: max_depth(page),
        steps_left: params.papers.max_steps,
        is_coarse: false,
    };
    match params.papers.scope {
        Scope::Segment => {
            for segment in segments(page, &boundaries) {
                let parts = partition.partition_range(segment);
                builder.add_segment(&parts);
            }
        }
        Scope::Page => {
            let parts = partition.partition_range(0..page.leaves.len());
            builder.add_whole_page(&parts);
        }
    }
    builder.finish(partition.is_coarse)
}

struct BinaryPartition<'a> {
    page: &'a Page,
    params: &'a Params,
    is_emphasised: Vec<bool>,
    max_depth: u32,
    steps_left: u64,
    is_coarse: bool,
}

impl BinaryPartition<'_> {
    fn partition_range(&mut self, range: Range<usize>) -> Vec<Piece> {
        let most =
            dp::piece_len(range.len(), self.max_depth, self.params.papers.max_dp_leaves, self.steps_left);
        self.is_coarse |= range.len() > most;
        split::split_range(self.page, range, most)
            .into_iter()
            .map(|piece| self.partition_piece(piece))
            .collect()
    }

    fn partition_piece(&mut self, range: Range<usize>) -> Piece {
        let first = range.start;
        let steps = dp::steps_for(range.len(), self.max_depth);
        if steps > self.steps_left {
            self.is_coarse = true;
            return Piece { first, parts: flat_parts(range.len()) };
        }
        self.steps_left -= steps;
        let scope = ScopeTree::new(self.page, range);
        let mut costs = Costs::new(&scope, self.max_depth);
        let tree = dp::cheapest_tree(&scope, &mut costs);
        let grouped = grouping::group_nodes(&tree, &scope, &mut costs, self.params);
        let parts = promotion::promote_headers(&tree, &grouped, |leaf| self.is_emphasised[first + leaf]);
        Piece { first, parts }
    }
}

/// A piece of this many leaves without structure.
fn flat_parts(leaves: usize) -> Vec<PromotedPart> {
    let mut parts: Vec<PromotedPart> = (0..leaves).map(PromotedPart::Leaf).collect();
    parts.push(PromotedPart::Partition { header: None, parts: (0..leaves).collect() });
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::partition::papers::params::PaperParams;
    use crate::testing::page;

    /// No page takes more steps than it has, whatever its leaves.
    #[test]
    fn steps_are_never_overdrawn() {
        let html: String = (0..3_000).map(|n| format!("<section><h2>a{n}</h2><p>b<p>c</section>")).collect();
        let page = page(&html);
        for max_steps in [0, 100_000, 3_000_000, 60_000_000] {
            let papers = PaperParams { max_steps, ..PaperParams::default() };
            let params = Params { papers, ..Params::paper() };
            let mut partition = BinaryPartition {
                page: &page,
                params: &params,
                is_emphasised: vec![false; page.leaves.len()],
                max_depth: max_depth(&page),
                steps_left: max_steps,
                is_coarse: false,
            };
            let pieces = partition.partition_range(0..page.leaves.len());
            assert!(partition.is_coarse);
            let lens: Vec<u64> = pieces
                .iter()
                .map(|piece| {
                    piece.parts.iter().filter(|part| matches!(part, PromotedPart::Leaf(_))).count() as u64
                })
                .collect();
            assert_eq!(lens.iter().sum::<u64>(), 9_000);
            // With the largest number of steps the pieces are small enough to partition all of them.
            let all: u64 = lens.iter().map(|&len| dp::steps_for(len as usize, partition.max_depth)).sum();
            assert_eq!(all <= max_steps, max_steps == 60_000_000, "{lens:?}");
            assert_eq!(max_steps - partition.steps_left == all, max_steps == 60_000_000, "{lens:?}");
        }
    }
}
