//! What the whole page says of a style of labels.
//!
//! A first pass decides every box by itself; then each style of labels (the four innermost elements) is
//! judged by what became of its labels, and a second pass decides again with these votes.

use rustc_hash::{FxHashMap, FxHashSet};

use super::evidence::Evidence;
use super::forest::Forest;
use super::rank::{self, Rank};

/// Uses of a style below which the page says nothing of it.
const LEAST_USES: u32 = 3;
/// Share of a style's labels, in per cent, that must head two or more.
const SHARE: u32 = 60;
/// By how many lists the lists that a style leads must outnumber its other uses.
const LEAD: u32 = 2;

/// Votes of the first pass.
#[derive(Default)]
pub(super) struct Votes {
    leaders: FxHashSet<u32>,
    kickers: FxHashSet<u32>,
}

impl Votes {
    /// Whether a label of this style, first in a list of others, leads them.
    pub(super) fn leads(&self, style: u32) -> bool {
        self.leaders.contains(&style)
    }
}

impl Votes {
    /// Whether labels of this style stand before one headline nearly everywhere.
    pub(super) fn is_kicker(&self, style: u32) -> bool {
        self.kickers.contains(&style)
    }
}

/// Votes being given.
#[derive(Default)]
pub(super) struct Ballot {
    firsts: FxHashMap<u32, u32>,
    /// Boxes that a style begins: with one headline after it, with several.
    kickers: FxHashMap<u32, (u32, u32)>,
}

impl Ballot {
    /// A list of other styles begins with this one.
    pub(super) fn count_first(&mut self, style: u32) {
        *self.firsts.entry(style).or_default() += 1;
    }

    /// A heading of this style begins a box of so many headlines.
    pub(super) fn count_box(&mut self, style: u32, headlines: u32) {
        let (one, several) = self.kickers.entry(style).or_default();
        *(if headlines == 1 { one } else { several }) += 1;
    }

    /// Counts; styles that head others get a better rank.
    pub(super) fn count(self, evidence: &Evidence, forest: &Forest, ranks: &mut [Rank]) -> Votes {
        promote(&evidence.mark_styles(), forest, ranks);
        let uses = promote(&evidence.styles, forest, ranks);
        let leads = |&(style, firsts): &(u32, u32)| firsts >= uses[style as usize] - firsts + LEAD;
        let leaders = self.firsts.into_iter().filter(leads).map(|(style, _)| style).collect();
        let is_kicker =
            |&(_, (one, several)): &(u32, (u32, u32))| one >= LEAST_USES && one * 100 >= (one + several) * 80;
        let kickers = self.kickers.into_iter().filter(is_kicker).map(|(style, _)| style).collect();
        Votes { leaders, kickers }
    }
}

/// Labels whose style heads two or more on most of its uses get a better rank; returns the uses.
fn promote(styles: &[u32], forest: &Forest, ranks: &mut [Rank]) -> Vec<u32> {
    let most = styles.iter().max().map_or(0, |&style| style as usize + 1);
    let (mut uses, mut heads) = (vec![0u32; most], vec![0u32; most]);
    for (label, &style) in styles.iter().enumerate() {
        uses[style as usize] += 1;
        heads[style as usize] += u32::from(forest.children[label] >= 2);
    }
    for (label, &style) in styles.iter().enumerate() {
        let (uses, heads) = (uses[style as usize], heads[style as usize]);
        if uses >= LEAST_USES && heads * 100 >= uses * SHARE {
            ranks[label] = ranks[label].min(rank::VOTED);
        }
    }
    uses
}
