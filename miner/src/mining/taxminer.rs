//! TaxMiner `[OM05 §5.2, Alg. 4]`: is-a pairs that enough sites agree on, and the DAG they form.
//!
//! The paper mines each level of ancestors in turn: `R_i = NFR_(i−1) ⊎ {i-related pairs}`; frequent pairs
//! leave, the rest is carried on. A pair only ever gains sites. So, with n_l(a,b) the number of sites where
//! the pair first occurs at level l, (a,b) becomes frequent at the least i with Σ_(l≤i) n_l ≥ Sup. The state
//! is therefore one level for each site and pair, sums over pages give it, and no loop over levels is needed
//! ([`frequent`]; the tests keep the paper's loop as their oracle).
//!
//! The fold's `evidence` says which pairs count, and where that departs from the paper.
//!
//! Then the pairs become relations: [`acyclic`] adds them to a DAG strongest first, so a cycle loses its weakest pair;
//! [`uncontradicted`] removes pairs that imply what lists deny; [`reduced`] removes those that follow from others.
//! Invariant: acyclic and antisymmetric; each relation names the sites that prove it.

use std::collections::{BTreeMap, BTreeSet};

mod contradictions;
mod related;
pub use contradictions::uncontradicted;
pub use related::{Related, joined};

/// The sites that show a pair: (site, least level there).
pub type Seen = BTreeMap<(String, String), Vec<(usize, u8)>>;

/// The frequent pairs, by name.
#[must_use]
pub fn frequent(seen: &Seen, support: u32) -> Vec<Related> {
    let mut relations = Vec::new();
    for ((broader, narrower), places) in seen.iter().filter(|((a, b), _)| a != b) {
        let mut levels: Vec<u8> = places.iter().map(|(_, level)| *level).collect();
        levels.sort_unstable();
        // The pair becomes frequent with its Sup-th nearest site.
        let Some(level) = levels.get((support.max(1) - 1) as usize).copied() else { continue };
        let mut sites: Vec<usize> =
            places.iter().filter(|(_, l)| *l <= level).map(|(site, _)| *site).collect();
        sites.sort_unstable();
        relations.push(Related {
            broader: broader.clone(),
            narrower: narrower.clone(),
            level,
            sites,
            is_listed: false,
        });
    }
    relations
}

/// Leaves out each pair that would close a cycle with stronger pairs; of two directions the stronger stays.
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

/// Transitive reduction of a DAG: leaves out (a, c) if a longer way from a to c remains.
#[must_use]
pub fn reduced(relations: Vec<Related>) -> Vec<Related> {
    let mut below: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for relation in &relations {
        below.entry(relation.broader.clone()).or_default().push(relation.narrower.clone());
    }
    // In a DAG the reduction is unique, so each pair may be judged against the whole graph.
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

#[cfg(test)]
mod tests;
