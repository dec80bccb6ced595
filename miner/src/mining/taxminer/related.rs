//! A pair of concepts of which one is broader, with its proof.

use std::cmp::Reverse;

/// `narrower` is a kind or part of `broader`, according to at least `Sup` sites.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Related {
    /// Concept key.
    pub broader: String,
    /// Concept key.
    pub narrower: String,
    /// Level at which the pair became frequent; 1 = parent.
    pub level: u8,
    /// Sites that show the pair at this level or a nearer one, as indices, ascending.
    pub sites: Vec<usize>,
}

impl Related {
    /// Sorts strong before weak: more sites, then a nearer level, then by name. No two relations are equal.
    pub(super) fn strength(&self) -> (Reverse<usize>, u8, &str, &str) {
        (Reverse(self.sites.len()), self.level, &self.broader, &self.narrower)
    }
}
