//! The default method: headers by evidence of presentation.
//!
//! A reader sees the outline of a page because the page shows it: by headings, by boxes, and by repeating the
//! same forms. [`evidence`] gathers what is shown: [`labels`] (leaves, or runs of leaves that inline markup
//! split), how strongly each is set off ([`rank`]), and styles. Then [`compose`] works from the leaves up. Each
//! element decides how its parts are related: similar siblings ([`siblings`]), headings over what follows
//! ([`headings`]), a label over a list ([`lists`]), a record under its strongest label ([`records`]), tabs over
//! panels ([`tabs`], [`panels`]), header cells over columns ([`tables`]). There are two passes: the first votes
//! on styles ([`votes`]), the second decides with these votes. In the result of these rules, [`blocks`] finds the
//! borders of blocks. Last, learnt trees choose the head of each label again ([`heads`]): what the rules say is
//! evidence among other evidence.
//!
//! Invariants: every leaf is in exactly one label; nothing depends on a site or language; only [`heads`] and
//! [`blocks`] use learnt numbers; nothing recurses; a page of n leaves and nesting d costs at most O(n d), and O(n)
//! on real pages. Start at [`outline`].

mod blocks;
mod compose;
mod data;
mod decoration;
mod draft;
mod evidence;
mod forest;
mod headings;
mod heads;
mod labels;
mod lists;
mod panels;
mod parts;
mod passes;
mod rank;
mod records;
mod result;
mod rules;
mod sections;
mod siblings;
mod site_name;
mod skeleton;
mod tables;
mod tabs;
mod tags;
mod votes;
mod words;
mod write;

#[cfg(test)]
mod tests;

pub use blocks::BlockScorer;
pub use heads::{HeadEvidence, HeadScorer};
pub use rules::OutlineParams;
pub(crate) use write::write_hierarchy;

use crate::Page;
use compose::Composition;
use evidence::Evidence;
use passes::ruled;
use result::Outline;
use skeleton::NONE;

/// The trees that decide about outlines.
#[derive(Clone, Copy, Debug)]
pub struct OutlineScorers<'a> {
    /// They choose heads.
    pub heads: &'a HeadScorer,
    /// They find blocks.
    pub blocks: &'a BlockScorer,
}

impl OutlineScorers<'static> {
    /// Those that are compiled in.
    #[must_use]
    pub fn shared() -> OutlineScorers<'static> {
        OutlineScorers { heads: HeadScorer::shared(), blocks: BlockScorer::shared() }
    }
}

/// The outline of a page.
pub(crate) fn outline(page: &Page, params: &OutlineParams, scorers: OutlineScorers<'_>) -> Outline {
    let evidence = Evidence::new(page, params);
    let Composition { mut forest, done, .. } = ruled(page, &evidence, params);
    // Blocks were learnt from outlines by the rules.
    let boundaries = blocks::boundaries(&evidence, &forest, params, scorers.blocks);
    if params.heads {
        heads::place_heads(&evidence, &mut forest, scorers.heads);
        if params.decoration {
            decoration::place_decoration(&evidence, &done, &mut forest);
        }
    }
    let mut outline = Outline {
        labels: evidence.labels.iter().map(|label| label.lo..label.hi).collect(),
        parents: forest.parent.iter().map(|&above| (above != NONE).then_some(above)).collect(),
        lists: forest.list,
        boundaries,
    };
    if params.tables {
        data::place_cells(page, &mut outline);
    }
    outline
}

/// The names of the measures that sift candidates for heads, and of those that choose, for training.
#[must_use]
pub(crate) fn head_measures() -> &'static [Vec<String>; 2] {
    heads::names()
}

/// The candidates for the heads of a page's labels, with all their measures, for training.
#[must_use]
pub(crate) fn head_evidence(page: &Page) -> HeadEvidence {
    let params = OutlineParams::default();
    let evidence = Evidence::new(page, &params);
    heads::evidence_of(&evidence, &ruled(page, &evidence, &params).forest)
}

/// The names of the measures of a place where a block may begin, in the order of [`block_evidence`].
#[must_use]
pub(crate) fn block_measures() -> &'static [String] {
    blocks::names()
}

/// The leaves before which a block may begin, each with the measures of that place, for training.
#[must_use]
pub(crate) fn block_evidence(page: &Page) -> Vec<(u32, Vec<f32>)> {
    let params = OutlineParams::default();
    let evidence = Evidence::new(page, &params);
    let places = blocks::measure(&evidence, &ruled(page, &evidence, &params).forest);
    let rows = places.values.chunks_exact(blocks::names().len().max(1)).map(<[f32]>::to_vec);
    places.leaves.into_iter().zip(rows).collect()
}
