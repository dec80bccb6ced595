//! How the whole page uses a style of labels.
//!
//! A first pass decides every box by itself. The results then show for each style of labels (the four innermost
//! elements) how it is used, and a second pass decides again with these votes.

use rustc_hash::{FxHashMap, FxHashSet};

use super::evidence::Evidence;
use super::forest::Forest;
use super::rank::{self, Rank};

/// Least number of uses from which the page counts as evidence about a style.
const LEAST_USES: u32 = 3;
/// Share of a style's labels, in per cent, that must each head at least two others.
const SHARE: u32 = 60;
/// By how much the lists that begin with a style must outnumber the style's other uses.
const LEAD: u32 = 2;

/// The votes of the first pass.
#[derive(Default)]
pub(super) struct Votes {
    leaders: FxHashSet<u32>,
    kickers: FxHashSet<u32>,
}

impl Votes {
    /// Whether a label of this style heads the others if it is first in a list.
    pub(super) fn leads(&self, style: u32) -> bool {
        self.leaders.contains(&style)
    }
}

impl Votes {
    /// Whether almost all labels of this style precede a single headline.
    pub(super) fn is_kicker(&self, style: u32) -> bool {
        self.kickers.contains(&style)
    }
}

/// The votes while the first pass collects them.
#[derive(Default)]
pub(super) struct Ballot {
    firsts: FxHashMap<u32, u32>,
    /// By style: the number of boxes that it begins before one headline, and before several.
    kickers: FxHashMap<u32, (u32, u32)>,
}

impl Ballot {
    /// Counts a list of other styles that begins with this one.
    pub(super) fn count_first(&mut self, style: u32) {
        *self.firsts.entry(style).or_default() += 1;
    }

    /// Counts a box that begins with a heading of this style and has this number of headlines.
    pub(super) fn count_box(&mut self, style: u32, headlines: u32) {
        let (one, several) = self.kickers.entry(style).or_default();
        *(if headlines == 1 { one } else { several }) += 1;
    }

    /// Counts the votes. Labels of styles that head others get a better rank.
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

/// Gives labels a better rank if most labels of their style head at least two others. Returns the uses by style.
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
