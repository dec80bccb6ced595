//! The blocks of a page: where a reader sees something new begin.
//!
//! From the root down: an element is a block if it is small, or one thing (a box under one head, or a list)
//! that is not too large; else its parts are looked at. A list of sections is no one thing. Short runs join
//! what follows, and the limits are raised until there are few enough.

use super::OutlineParams;
use super::forest::{Forest, Part};
use super::skeleton::{NONE, Skeleton};

/// Labels under the head of a section, directly.
const SECTION: u32 = 4;
/// How often the limits are doubled, until there are at most so many blocks to merge.
const DOUBLINGS: u32 = 16;
const MOST: usize = 400;
/// Blocks of the shortest page.
const LEAST: u32 = 8;

/// The first leaves of the blocks after the first, ascending.
pub(super) fn boundaries(
    skeleton: &Skeleton,
    forest: &Forest,
    done: &[Option<Part>],
    params: &OutlineParams,
) -> Vec<u32> {
    let mut starts = Vec::new();
    for doubling in 0..=DOUBLINGS {
        starts = Cut { skeleton, forest, done, params, doubling }.starts();
        if starts.len() <= MOST {
            break;
        }
    }
    let leaves = skeleton.of_leaf.len() as u32;
    let most = params.most_blocks.min(LEAST + leaves / params.leaves_a_block.max(1));
    merge(skeleton, starts, leaves, most as usize)
}

/// The smallest block joins the neighbour it is more closely related to, until there are few enough.
fn merge(skeleton: &Skeleton, starts: Vec<u32>, leaves: u32, most: usize) -> Vec<u32> {
    // Each block's first leaf, and how deep the element is that holds its border with the block before.
    let mut blocks: Vec<(u32, u32)> =
        starts.into_iter().map(|start| (start, border(skeleton, start))).collect();
    while blocks.len() > most.max(1) {
        let end = |i: usize| blocks.get(i + 1).map_or(leaves, |next| next.0);
        let Some(smallest) = (0..blocks.len()).min_by_key(|&i| (end(i) - blocks[i].0, i)) else { break };
        let before = blocks[smallest].1;
        let after = blocks.get(smallest + 1).map_or(0, |next| next.1);
        let joins_next = smallest + 1 < blocks.len() && (smallest == 0 || after >= before);
        blocks.remove(if joins_next { smallest + 1 } else { smallest });
    }
    blocks.into_iter().map(|block| block.0).filter(|&start| start > 0).collect()
}

/// How many elements hold both a leaf and the one before.
fn border(skeleton: &Skeleton, leaf: u32) -> u32 {
    let Some(before) = leaf.checked_sub(1) else { return 0 };
    let up = |&element: &u32| Some(skeleton.get(element).parent).filter(|&parent| parent != NONE);
    let chain = std::iter::successors(Some(skeleton.of_leaf[before as usize]).filter(|&at| at != NONE), up);
    chain.skip_while(|&element| skeleton.get(element).hi <= leaf).count() as u32
}

struct Cut<'a> {
    skeleton: &'a Skeleton,
    forest: &'a Forest,
    done: &'a [Option<Part>],
    params: &'a OutlineParams,
    doubling: u32,
}

impl Cut<'_> {
    fn starts(&self) -> Vec<u32> {
        let mut starts: Vec<u32> = Vec::new();
        let mut element = 0;
        // First leaf of what no block holds yet.
        let mut open: Option<u32> = None;
        while element < self.skeleton.elements.len() as u32 {
            let this = self.skeleton.get(element);
            if !self.is_block(element) {
                element += 1;
                continue;
            }
            let start = *open.get_or_insert(this.lo);
            if this.hi - start >= self.params.short_block << self.doubling.min(2) {
                starts.push(start);
                open = None;
            }
            element = this.end;
        }
        starts.extend(open);
        starts
    }

    fn is_block(&self, element: u32) -> bool {
        let leaves = self.skeleton.get(element).leaves();
        let Some(part) = self.done[element as usize] else { return true };
        let most = |limit: u32| leaves <= limit.saturating_mul(1 << self.doubling);
        most(self.params.small_block)
            || part.labels == part.tops
            || (part.is_closed() && most(self.params.closed_block))
            || (part.is_list && most(self.params.list_block) && !self.are_sections(&part))
    }

    /// Whether most tops of a list head several labels.
    fn are_sections(&self, part: &Part) -> bool {
        let sections =
            self.forest.some_tops(part).filter(|&top| self.forest.children[top as usize] >= SECTION).count();
        sections * 2 > self.forest.some_tops(part).count()
    }
}
