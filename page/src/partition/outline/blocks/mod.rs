//! The blocks of a page: where a reader sees something new begin.
//!
//! A block may begin at any label. What is measured there ([`measures`]: how much begins and ends, in what it
//! lies, how like its siblings it is, where the outline stands) says how likely it is that one does, by
//! trees that `train/blocks.py` learnt from pages whose blocks were marked by readers. Taken are all places
//! that are likely enough: one block too many costs less than one that is missed.

mod measures;

use std::sync::LazyLock;

pub(super) use measures::{NAMES, measure};

use super::OutlineParams;
use super::evidence::Evidence;
use super::forest::Forest;
use crate::trees::Trees;

/// What was learnt; see `train/blocks.py` for from what.
const WEIGHTS: &str = include_str!("blocks.txt");

/// The trees that are compiled in.
static TREES: LazyLock<Trees> = LazyLock::new(|| Trees::parse(WEIGHTS, &NAMES).unwrap_or_default());

/// The first leaves of the blocks after the first, ascending.
pub(super) fn boundaries(evidence: &Evidence, forest: &Forest, params: &OutlineParams) -> Vec<u32> {
    let least = params.block_permille as f32 / 1000.0;
    let gaps = measure(evidence, forest);
    let scores = TREES.scores(gaps.iter().map(|gap| gap.measures.as_slice()));
    gaps.iter().zip(scores).filter(|(_, score)| *score >= least).map(|(gap, _)| gap.leaf).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_compiled_in_can_be_read() {
        let trees = Trees::parse(WEIGHTS, &NAMES).unwrap();
        assert!(trees.len() >= 40, "{}", trees.len());
    }
}
