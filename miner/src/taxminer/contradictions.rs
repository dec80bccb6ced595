//! Takes out the pairs from which follows what lists deny.
//!
//! Each pair may be right on its sites, and what follows from two of them wrong: "video" stands under
//! "sports" on some and over "world" on others, so "sports" would be broader than "world". But these two
//! stand side by side in the menus of many sites. Invariant: what is left implies no pair whose ends
//! stand side by side on [`AT_LEAST`] sites, unless the pair itself is left.

use std::collections::BTreeMap;

use super::Related;

/// Sites that must show two concepts side by side to deny that one is broader.
const AT_LEAST: usize = 2;

/// Takes out relations of a DAG, worst first, until no implied pair is contradicted. The worst has most
/// contradictions for its sites. `siblings(a, b)` counts the sites with a and b in one list.
#[must_use]
pub fn uncontradicted(mut relations: Vec<Related>, siblings: impl Fn(&str, &str) -> usize) -> Vec<Related> {
    let mut denied: BTreeMap<(String, String), bool> = BTreeMap::new();
    loop {
        let reach = Reach::of(&relations);
        let implied = reach.implied().filter(|(a, b)| {
            let pair = ((*a).to_owned(), (*b).to_owned());
            *denied.entry(pair).or_insert_with(|| siblings(a, b) >= AT_LEAST)
        });
        let wrong: Vec<(&str, &str)> = implied.collect();
        let mut worst: Option<(usize, usize, usize)> = None;
        for (at, relation) in relations.iter().enumerate() {
            let by = wrong.iter().filter(|(a, b)| reach.passes(a, relation, b)).count();
            let sites = relation.sites.len().max(1);
            // More contradictions a site; of equals the first by name.
            if by > 0 && worst.is_none_or(|(most, of, _)| by * of > most * sites) {
                worst = Some((by, sites, at));
            }
        }
        let Some((.., at)) = worst else { return relations };
        relations.remove(at);
    }
}

/// Who is below whom in a DAG, as sets of bits.
struct Reach<'a> {
    names: BTreeMap<&'a str, usize>,
    /// All below each, with itself.
    below: Vec<Vec<u64>>,
    /// Children.
    direct: Vec<Vec<u64>>,
}

impl<'a> Reach<'a> {
    fn of(relations: &'a [Related]) -> Reach<'a> {
        let ends = relations.iter().flat_map(|r| [r.broader.as_str(), r.narrower.as_str()]);
        let mut names: BTreeMap<&str, usize> = ends.map(|name| (name, 0)).collect();
        names.values_mut().enumerate().for_each(|(at, number)| *number = at);
        let words = names.len().div_ceil(64);
        let mut reach = Reach { direct: vec![vec![0; words]; names.len()], below: Vec::new(), names };
        let mut open = vec![0usize; reach.names.len()];
        let mut above: Vec<Vec<usize>> = vec![Vec::new(); reach.names.len()];
        for relation in relations {
            if let Some((a, b)) = reach.ends(relation) {
                set(&mut reach.direct[a], b);
                open[a] += 1;
                above[b].push(a);
            }
        }
        reach.below = reach.direct.clone();
        reach.below.iter_mut().enumerate().for_each(|(at, set_of)| set(set_of, at));
        // From the leaves up: a node is done when all of its children are.
        let mut done: Vec<usize> = (0..open.len()).filter(|at| open[*at] == 0).collect();
        while let Some(child) = done.pop() {
            let below = reach.below[child].clone();
            for &parent in &above[child] {
                reach.below[parent].iter_mut().zip(&below).for_each(|(held, more)| *held |= more);
                open[parent] -= 1;
                if open[parent] == 0 {
                    done.push(parent);
                }
            }
        }
        reach
    }

    fn ends(&self, relation: &Related) -> Option<(usize, usize)> {
        Some((*self.names.get(relation.broader.as_str())?, *self.names.get(relation.narrower.as_str())?))
    }

    /// Pairs that follow from others and are not related themselves, by name.
    fn implied(&self) -> impl Iterator<Item = (&'a str, &'a str)> {
        let names: Vec<&'a str> = self.names.keys().copied().collect();
        let among = names.clone();
        names.into_iter().enumerate().flat_map(move |(a, broader)| {
            let is_implied =
                |b: &usize| *b != a && is_set(&self.below[a], *b) && !is_set(&self.direct[a], *b);
            let below: Vec<usize> = (0..among.len()).filter(is_implied).collect();
            below.into_iter().map(|b| (broader, among[b])).collect::<Vec<_>>()
        })
    }

    /// Whether a way from `a` to `b` goes through the relation.
    fn passes(&self, a: &str, relation: &Related, b: &str) -> bool {
        let (Some(&a), Some(&b)) = (self.names.get(a), self.names.get(b)) else { return false };
        self.ends(relation)
            .is_some_and(|(from, to)| is_set(&self.below[a], from) && is_set(&self.below[to], b))
    }
}

fn set(bits: &mut [u64], at: usize) {
    bits[at / 64] |= 1 << (at % 64);
}

fn is_set(bits: &[u64], at: usize) -> bool {
    bits[at / 64] & (1 << (at % 64)) != 0
}
