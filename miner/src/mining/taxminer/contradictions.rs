//! Removes the pairs that imply what lists deny.
//!
//! Two pairs may each be right on their sites and still imply a wrong one. "Video" is under "sports" on some sites and over
//! "world" on others, so "sports" would be broader than "world". But these two are side by side in the menus of many sites.
//! Invariant: the remaining pairs imply no pair whose ends are side by side on [`MIN_SITES`] sites, unless that pair itself
//! remains.

use std::collections::{BTreeSet, HashMap};

use super::related::Related;

/// Sites that must show two concepts side by side to deny that one is broader.
const MIN_SITES: usize = 2;

/// Removes relations of a DAG, worst first, until no implied pair is contradicted. The worst one has the most contradictions
/// for its number of sites. `siblings(a, b)` counts the sites with a and b in one list.
#[must_use]
pub fn uncontradicted(mut relations: Vec<Related>, siblings: impl Fn(&str, &str) -> usize) -> Vec<Related> {
    let all = relations.clone();
    let ends = all.iter().flat_map(|relation| [relation.broader.as_str(), relation.narrower.as_str()]);
    let names: Vec<&str> = ends.collect::<BTreeSet<_>>().into_iter().collect();
    let number = |name: &str| names.binary_search(&name).unwrap_or(0);
    let mut ends: Vec<(usize, usize)> =
        relations.iter().map(|relation| (number(&relation.broader), number(&relation.narrower))).collect();
    let mut denied: HashMap<(usize, usize), bool> = HashMap::new();
    loop {
        let reach = Reach::of(names.len(), &ends);
        let mut wrong = reach.implied();
        wrong.retain(|(a, b)| {
            *denied.entry((*a, *b)).or_insert_with(|| siblings(names[*a], names[*b]) >= MIN_SITES)
        });
        // The relation on the paths of most wrong pairs, for its number of sites, goes first.
        let mut worst: Option<(usize, usize, usize)> = None;
        for (at, (relation, ends)) in relations.iter().zip(&ends).enumerate() {
            let by = wrong.iter().filter(|pair| reach.passes(**pair, *ends)).count();
            let sites = relation.sites.len().max(1);
            // More contradictions for each site; ties go to the first by name.
            if by > 0 && worst.is_none_or(|(most, of, _)| by * of > most * sites) {
                worst = Some((by, sites, at));
            }
        }
        let Some((.., at)) = worst else { return relations };
        relations.remove(at);
        ends.remove(at);
    }
}

/// Which nodes are below which in a DAG, as bit sets.
struct Reach {
    /// Everything below each node, and the node itself.
    below: Vec<Vec<u64>>,
    /// Children.
    direct: Vec<Vec<u64>>,
}

impl Reach {
    fn of(count: usize, ends: &[(usize, usize)]) -> Reach {
        let words = count.div_ceil(64);
        let mut reach = Reach { direct: vec![vec![0; words]; count], below: Vec::new() };
        let mut open = vec![0usize; count];
        let mut above: Vec<Vec<usize>> = vec![Vec::new(); count];
        for &(a, b) in ends {
            set(&mut reach.direct[a], b);
            open[a] += 1;
            above[b].push(a);
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

    /// Pairs that follow from others and are not relations themselves.
    fn implied(&self) -> Vec<(usize, usize)> {
        let mut implied = Vec::new();
        for (a, (below, direct)) in self.below.iter().zip(&self.direct).enumerate() {
            for (word, (below, direct)) in below.iter().zip(direct).enumerate() {
                let mut left = below & !direct;
                while left != 0 {
                    let b = 64 * word + left.trailing_zeros() as usize;
                    left &= left - 1;
                    if b != a {
                        implied.push((a, b));
                    }
                }
            }
        }
        implied
    }

    /// Whether a path between the pair uses the relation.
    fn passes(&self, (a, b): (usize, usize), (from, to): (usize, usize)) -> bool {
        is_set(&self.below[a], from) && is_set(&self.below[to], b)
    }
}

fn set(bits: &mut [u64], at: usize) {
    bits[at / 64] |= 1 << (at % 64);
}

fn is_set(bits: &[u64], at: usize) -> bool {
    bits[at / 64] & (1 << (at % 64)) != 0
}
