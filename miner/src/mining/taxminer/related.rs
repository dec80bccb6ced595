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
    /// Whether a list that comes with the product has the pair.
    pub is_listed: bool,
}

/// Joins the proofs of equal pairs: their sites, and the nearest level.
#[must_use]
pub fn joined(mut relations: Vec<Related>) -> Vec<Related> {
    relations.sort();
    relations.dedup_by(|next, held| {
        let is_same = (&next.broader, &next.narrower) == (&held.broader, &held.narrower);
        if is_same {
            held.level = held.level.min(next.level);
            held.is_listed |= next.is_listed;
            held.sites.append(&mut next.sites);
            held.sites.sort_unstable();
            held.sites.dedup();
        }
        is_same
    });
    relations
}

impl Related {
    /// Sorts strong before weak: more sites, then a nearer level, then by name. No two relations are equal.
    pub(super) fn strength(&self) -> (Reverse<usize>, u8, &str, &str) {
        (Reverse(self.sites.len()), self.level, &self.broader, &self.narrower)
    }
}
