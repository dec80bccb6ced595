//! The blocks of a page: where a reader sees something new begin.
//!
//! A block may begin at any label. [`measures`] describe each place: how much begins and ends there, what holds
//! it, how similar its siblings are, where it is in the outline. From these, trees compute the likelihood that a
//! block begins; `train/blocks.py` learnt them from pages whose blocks readers had marked. All places that are
//! likely enough are taken: one block too many costs less than a missed one.

mod measures;

use std::sync::LazyLock;

pub(super) use measures::measure;

use super::evidence::Evidence;
use super::forest::Forest;
use super::passes::ruled;
use super::rules::OutlineParams;
use crate::trees::{Trees, TreesError};

/// The learnt trees; `train/blocks.py` names the training data.
const WEIGHTS: &str = include_str!("blocks.txt");

/// The names of the measures, in their order.
pub(super) fn names() -> &'static [String] {
    static NAMES: LazyLock<Vec<String>> = LazyLock::new(|| {
        let Some(page) = crate::measures::sample_page() else { return Vec::new() };
        let params = OutlineParams::default();
        let evidence = Evidence::new(&page, &params);
        measures::names(&evidence, &ruled(&page, &evidence, &params).forest)
    });
    &NAMES
}

/// Trees that tell where a block of a page begins.
#[derive(Clone, Debug, Default)]
pub struct BlockScorer(Trees);

impl BlockScorer {
    /// The trees that are compiled in.
    ///
    /// # Panics
    /// Never: a test checks that the file can be read.
    #[must_use]
    pub fn shared() -> &'static BlockScorer {
        static SHARED: LazyLock<BlockScorer> =
            LazyLock::new(|| BlockScorer::parse(WEIGHTS).unwrap_or_default());
        &SHARED
    }

    /// Parses trees.
    ///
    /// # Errors
    /// A line is not a split, names an unknown measure or leads backwards.
    pub fn parse(text: &str) -> Result<BlockScorer, TreesError> {
        Trees::parse(text, names()).map(BlockScorer)
    }
}

/// The first leaf of each block except the first one, ascending.
pub(super) fn boundaries(
    evidence: &Evidence,
    forest: &Forest,
    params: &OutlineParams,
    scorer: &BlockScorer,
) -> Vec<u32> {
    let least = params.block_permille as f32 / 1000.0;
    let places = measure(evidence, forest);
    let scores = scorer.0.scores(&places.values);
    places.leaves.into_iter().zip(scores).filter(|(_, score)| *score >= least).map(|(leaf, _)| leaf).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Params;
    use crate::partition::hierarchy_by;
    use crate::partition::outline::OutlineScorers;
    use crate::testing::page;

    #[test]
    fn what_is_compiled_in_can_be_read() {
        let scorer = BlockScorer::parse(WEIGHTS).unwrap();
        assert!(scorer.0.len() >= 40, "{}", scorer.0.len());
    }

    #[test]
    fn blocks_begin_where_the_given_trees_say() {
        let items: String = (0..9).map(|n| format!("<li>Item {n}")).collect();
        let page =
            page(&format!("<div><h2>One</h2><ul>{items}</ul></div><div><h2>Two</h2><ul>{items}</ul></div>"));
        let cut = |value: &str| {
            let scorer = BlockScorer::parse(&format!("tree\nbegins\t0\t={value}\t={value}\n")).unwrap();
            let scorers = OutlineScorers { blocks: &scorer, ..OutlineScorers::shared() };
            hierarchy_by(&page, &Params::default(), scorers).boundaries
        };
        assert!(cut("-9").is_empty());
        assert!(cut("9").contains(&10), "{:?}", cut("9"));
    }

    #[test]
    fn every_measure_has_a_name_of_its_own() {
        let distinct: std::collections::BTreeSet<&String> = names().iter().collect();
        assert_eq!((distinct.len(), names().len()), (45, 45));
        let items: String = (0..9).map(|n| format!("<li>Item {n}")).collect();
        let page = crate::testing::page(&format!("<div><h2>One</h2><ul>{items}</ul></div><p>Two<p>Three"));
        let params = OutlineParams::default();
        let evidence = Evidence::new(&page, &params);
        let places = measure(&evidence, &ruled(&page, &evidence, &params).forest);
        assert!(!places.leaves.is_empty());
        assert_eq!(places.values.len(), places.leaves.len() * names().len());
    }
}
