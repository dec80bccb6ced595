//! TaxMiner `[OM05 §5.2, Alg. 4]`: is-a pairs that enough sites agree on, and the DAG they form.
//!
//! In the paper each level of ancestors is mined in turn: `R_i = NFR_(i−1) ⊎ {i-related pairs}`, frequent
//! pairs leave, the rest is carried on. Since a pair only ever gains sites, that is: with n_l(a,b) the
//! sites where the pair occurs at level l first, (a,b) becomes frequent at the least i with
//! Σ_(l≤i) n_l ≥ Sup. So the state is one level a (site, pair), summed pages give it, and levels need no
//! loop ([`frequent`]; the paper's loop is kept in the tests as its oracle).
//!
//! Which pairs count, and where that departs from the paper, is the taxonomy's `evidence`.
//!
//! The pairs are made a DAG strongest first, so what closes a cycle is always its weakest pair
//! ([`acyclic`]); pairs from which follows what lists deny are taken out ([`uncontradicted`]); what follows
//! from two other pairs is left out ([`reduced`]). Invariant: acyclic and antisymmetric; each relation names the sites that prove it.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// `narrower` is a kind or part of `broader`, to at least `Sup` sites.
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
    /// Strong to weak: more sites, then a nearer level, then by name. No two relations are equal.
    fn strength(&self) -> (Reverse<usize>, u8, &str, &str) {
        (Reverse(self.sites.len()), self.level, &self.broader, &self.narrower)
    }
}

/// Where a pair stands: (site, least level there).
pub type Seen = BTreeMap<(String, String), Vec<(usize, u8)>>;

/// The frequent pairs, by name.
#[must_use]
pub fn frequent(seen: &Seen, support: u32) -> Vec<Related> {
    let mut relations = Vec::new();
    for ((broader, narrower), places) in seen.iter().filter(|((a, b), _)| a != b) {
        let mut levels: Vec<u8> = places.iter().map(|(_, level)| *level).collect();
        levels.sort_unstable();
        // The Sup-th nearest site is the one that makes the pair frequent.
        let Some(level) = levels.get((support.max(1) - 1) as usize).copied() else { continue };
        let mut sites: Vec<usize> =
            places.iter().filter(|(_, l)| *l <= level).map(|(site, _)| *site).collect();
        sites.sort_unstable();
        relations.push(Related { broader: broader.clone(), narrower: narrower.clone(), level, sites });
    }
    relations
}

/// Leaves out each pair that would close a cycle with stronger ones; of two directions the stronger stays.
#[must_use]
pub fn acyclic(mut relations: Vec<Related>) -> Vec<Related> {
    relations.sort_by(|a, b| a.strength().cmp(&b.strength()));
    let mut below: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut kept = Vec::with_capacity(relations.len());
    for relation in relations {
        if relation.broader != relation.narrower && !reaches(&below, &relation.narrower, &relation.broader) {
            below.entry(relation.broader.clone()).or_default().push(relation.narrower.clone());
            kept.push(relation);
        }
    }
    kept.sort();
    kept
}

/// Whether `to` is `from` or below it.
fn reaches(below: &BTreeMap<String, Vec<String>>, from: &str, to: &str) -> bool {
    let (mut open, mut visited) = (vec![from], BTreeSet::from([from]));
    while let Some(node) = open.pop() {
        if node == to {
            return true;
        }
        for next in below.get(node).into_iter().flatten() {
            if visited.insert(next) {
                open.push(next);
            }
        }
    }
    false
}

/// Transitive reduction of a DAG: leaves out (a, c) where a longer way from a to c is left.
#[must_use]
pub fn reduced(relations: Vec<Related>) -> Vec<Related> {
    let mut below: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for relation in &relations {
        below.entry(relation.broader.clone()).or_default().push(relation.narrower.clone());
    }
    // In a DAG the reduction is unique: judging all pairs against the whole graph is sound.
    let follows = |relation: &Related| {
        let others = below.get(&relation.broader).into_iter().flatten();
        others
            .filter(|next| **next != relation.narrower)
            .any(|next| reaches(&below, next, &relation.narrower))
    };
    let implied: Vec<bool> = relations.iter().map(follows).collect();
    relations.into_iter().zip(implied).filter(|(_, implied)| !implied).map(|(relation, _)| relation).collect()
}

/// Narrower → its one parent for display: most sites, then the nearest level, then by name.
#[must_use]
pub fn parents(relations: &[Related]) -> BTreeMap<&str, &Related> {
    let mut parents: BTreeMap<&str, &Related> = BTreeMap::new();
    for relation in relations {
        let held = parents.entry(&relation.narrower).or_insert(relation);
        if relation.strength() < held.strength() {
            *held = relation;
        }
    }
    parents
}

mod contradictions;
pub use contradictions::uncontradicted;

#[cfg(test)]
mod tests;
