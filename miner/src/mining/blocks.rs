//! The informative blocks of a page (WISDOM, `[W]`) as marks of its hierarchy: which block each label is in.
//!
//! Blocks are ranges of leaves, and a label may have several leaves: the majority decides. If a text is in both kinds of block,
//! a link belongs to the table of contents; anything else, such as a paragraph with links, to the article.

use std::ops::Range;

use newslode_page::hierarchy::{Block, Label};
use newslode_page::wisdom::InformativeBlocks;

/// The block that each label is in.
pub fn of_labels(blocks: &InformativeBlocks) -> impl Fn(&Label) -> Block + '_ {
    |label| {
        let in_toc = is_in(label, &blocks.toc);
        let in_article = is_in(label, &blocks.article);
        match (in_toc, in_article) {
            (true, true) if label.href.is_some() && label.leaves.len() == 1 => Block::Toc,
            (_, true) => Block::Article,
            (true, false) => Block::Toc,
            (false, false) => Block::Rest,
        }
    }
}

/// Whether at least half of a label's leaves are in these ranges, which are in order.
fn is_in(label: &Label, ranges: &[Range<usize>]) -> bool {
    let is_in = |leaf: &&u32| {
        let leaf = **leaf as usize;
        let after = ranges.partition_point(|range| range.start <= leaf);
        after.checked_sub(1).and_then(|at| ranges.get(at)).is_some_and(|range| range.contains(&leaf))
    };
    label.leaves.iter().filter(is_in).count() * 2 >= label.leaves.len().max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_in_both_blocks_counts_as_contents_and_a_text_as_article() {
        let blocks = InformativeBlocks {
            toc: vec![0..2, 4..6],
            article: vec![1..3, 5..9],
            by_length: false,
            is_coarse: false,
        };
        let block = |leaves: &[u32], is_link: bool| {
            let href = is_link.then(|| "https://a.test/".to_owned());
            of_labels(&blocks)(&Label {
                text: "x".into(),
                leaves: leaves.to_vec(),
                href,
                image: false,
                tags: Vec::new(),
            })
        };
        let found = [block(&[0], true), block(&[1], true), block(&[1], false), block(&[3], true)];
        assert_eq!(found, [Block::Toc, Block::Toc, Block::Article, Block::Rest]);
        assert_eq!([block(&[2, 3], false), block(&[3, 4, 9], false)], [Block::Article, Block::Rest]);
    }
}
