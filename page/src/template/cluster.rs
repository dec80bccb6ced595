//! Clusters the pages of a site by similarity: agglomerative clustering with average link (\[R\], "Page
//! clustering").
//!
//! The similarity of two clusters is the average over their pairs of pages. The most similar clusters are
//! merged as long as their similarity reaches a threshold. Sketches of the pages (MinHash of their paths) are
//! compared first, and trees only if their pages may be similar; a pair that is not compared has similarity 0.
//! The nearest-neighbour chain finds the same merges as a search for the best pair, in quadratic time.
//!
//! Invariants: equal input gives equal clusters; each lists ascending page numbers, and clusters are ordered by
//! their first. Whether the comparisons fit into a number of steps does not depend on the order of the pages.

use std::collections::BTreeSet;

use crate::splitmix::SplitMix;

use super::distance::Distances;
use super::shape::{PageShape, Shapes};

/// Least similarity of pages of one template.
pub const SIMILARITY_THRESHOLD: f64 = 0.8;
/// Hashes per sketch, and how many of them must be equal before two pages are compared.
const HASHES: usize = 64;
const LEAST_EQUAL_HASHES: usize = 20;

/// A MinHash sketch of a page: for each of 64 orders of all paths, the page's first path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sketch([u64; HASHES]);

impl Sketch {
    /// The sketch of a page's element paths.
    #[must_use]
    pub fn new(shapes: &Shapes, page: &PageShape) -> Sketch {
        let mut paths = BTreeSet::new();
        let mut open: Vec<(u32, u64)> = Vec::new();
        for (at, vertex) in page.vertices.iter().enumerate() {
            while open.last().is_some_and(|(end, _)| *end as usize <= at) {
                open.pop();
            }
            let name = shapes.name(shapes.root_label(vertex.class));
            if name.starts_with('"') {
                continue;
            }
            // The hash of a path is FNV-1a of the tag, begun with the mixed hash of the parent's path.
            let parent_path = open.last().map_or(0xcbf2_9ce4_8422_2325, |(_, path)| *path);
            let path = name.bytes().fold(SplitMix(parent_path).draw(), |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
            });
            paths.insert(path);
            open.push((vertex.end, path));
        }
        // Each further draw from a path's hash is its rank in another order of all paths.
        let mut least_hashes = [u64::MAX; HASHES];
        for path in paths {
            let mut hash = path;
            for least in &mut least_hashes {
                hash = SplitMix(hash).draw();
                *least = (*least).min(hash);
            }
        }
        Sketch(least_hashes)
    }

    /// Whether the pages of two sketches may be similar.
    #[must_use]
    pub fn is_near(&self, other: &Sketch) -> bool {
        self.0.iter().zip(&other.0).filter(|(a, b)| a == b).count() >= LEAST_EQUAL_HASHES
    }
}

/// Clusters the pages whose similarity is at least `similar`; returns page numbers. `None` if comparing them takes more than
/// `most_steps`.
pub fn cluster_pages(
    shapes: &Shapes,
    distances: &mut Distances,
    pages: &[&PageShape],
    similar: f64,
    most_steps: u64,
) -> Option<Vec<Vec<usize>>> {
    let sketches: Vec<Sketch> = pages.iter().map(|page| Sketch::new(shapes, page)).collect();
    let before = distances.steps();
    let mut similarity_of = |a: usize, b: usize| {
        // Once there are too many steps, the result does not count.
        if distances.steps() - before > most_steps || !sketches[a].is_near(&sketches[b]) {
            return 0.0;
        }
        // A pair somewhat below the threshold still counts in an average.
        let least = similar - (1.0 - similar);
        distances.similarity(shapes, pages[a].class(), pages[b].class(), least).unwrap_or(0.0)
    };
    let clusters = cluster_by_average_link(pages.len(), &mut similarity_of, similar);
    (distances.steps() - before <= most_steps).then_some(clusters)
}

/// Clusters the numbers below `count` by a similarity between 0 and 1, with the nearest-neighbour chain: follow
/// nearest neighbours until two are each other's, and merge these.
fn cluster_by_average_link(
    count: usize,
    similarity_of: &mut impl FnMut(usize, usize) -> f64,
    least: f64,
) -> Vec<Vec<usize>> {
    let mut table = vec![0.0; count * count];
    for a in 0..count {
        for b in a + 1..count {
            let similarity = similarity_of(a, b);
            (table[a * count + b], table[b * count + a]) = (similarity, similarity);
        }
    }
    let mut members: Vec<Vec<usize>> = (0..count).map(|page| vec![page]).collect();
    let mut chain: Vec<usize> = Vec::new();
    let mut is_merged: Vec<bool> = vec![false; count];
    // Once a chain ends below the threshold, its last cluster cannot be merged any more.
    let mut is_final: Vec<bool> = vec![false; count];
    loop {
        let last = match chain.last() {
            Some(last) => *last,
            None => match (0..count).find(|&at| !is_merged[at] && !is_final[at]) {
                Some(first) => {
                    chain.push(first);
                    first
                }
                None => break,
            },
        };
        // The nearest neighbour of the chain's last cluster. On a tie it is the one before it in the chain; otherwise the
        // chain could run in a circle.
        let before = chain.len().checked_sub(2).map(|at| chain[at]);
        let mut nearest = before.map(|before| (before, table[last * count + before]));
        for other in (0..count).filter(|&other| other != last && !is_merged[other]) {
            let similarity = table[last * count + other];
            if nearest.is_none_or(|(_, best)| similarity > best) {
                nearest = Some((other, similarity));
            }
        }
        match nearest {
            // The two are nearest to each other, so the search for the best pair would merge them, too.
            Some((other, similarity)) if Some(other) == before && similarity >= least => {
                chain.truncate(chain.len() - 2);
                merge_clusters(&mut table, &mut members, &mut is_merged, last.min(other), last.max(other));
            }
            Some((other, similarity)) if similarity >= least => chain.push(other),
            _ => {
                is_final[last] = true;
                chain.pop();
            }
        }
    }
    let mut found: Vec<Vec<usize>> = members.into_iter().filter(|pages| !pages.is_empty()).collect();
    found.iter_mut().for_each(|pages| pages.sort_unstable());
    found.sort();
    found
}

/// Merges the cluster `from` into `into`; similarities are averages over pages.
fn merge_clusters(
    table: &mut [f64],
    members: &mut [Vec<usize>],
    is_merged: &mut [bool],
    into: usize,
    from: usize,
) {
    let count = members.len();
    let (a, b) = (members[into].len() as f64, members[from].len() as f64);
    for other in (0..count).filter(|&other| other != into && other != from) {
        let average = (a * table[into * count + other] + b * table[from * count + other]) / (a + b);
        (table[into * count + other], table[other * count + into]) = (average, average);
    }
    let moved = std::mem::take(&mut members[from]);
    members[into].extend(moved);
    is_merged[from] = true;
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The same clustering by a search for the best pair.
    fn plain(count: usize, table: &[f64], least: f64) -> Vec<Vec<usize>> {
        let mut clusters: Vec<Vec<usize>> = (0..count).map(|page| vec![page]).collect();
        let average = |a: &[usize], b: &[usize]| {
            let sum: f64 = a.iter().flat_map(|a| b.iter().map(move |b| table[a * count + b])).sum();
            sum / (a.len() * b.len()) as f64
        };
        loop {
            let mut best: Option<(usize, usize, f64)> = None;
            for a in 0..clusters.len() {
                for b in a + 1..clusters.len() {
                    let similarity = average(&clusters[a], &clusters[b]);
                    if similarity >= least && best.is_none_or(|(_, _, best)| similarity > best) {
                        best = Some((a, b, similarity));
                    }
                }
            }
            let Some((a, b, _)) = best else { break };
            let moved = clusters.remove(b);
            clusters[a].extend(moved);
        }
        clusters.iter_mut().for_each(|pages| pages.sort_unstable());
        clusters.sort();
        clusters
    }

    proptest! {
        #[test]
        fn the_chain_finds_what_a_search_finds(count in 0_usize..9, values in prop::collection::vec(0.0..1.0, 81)) {
            let at = |a: usize, b: usize| values[a.min(b) * 9 + a.max(b)];
            let table: Vec<f64> = (0..count).flat_map(|a| (0..count).map(move |b| at(a, b))).collect();
            for least in [0.3, 0.5, 0.8] {
                let found = cluster_by_average_link(count, &mut |a, b| at(a, b), least);
                prop_assert_eq!(&found, &plain(count, &table, least));
            }
        }
    }

    #[test]
    fn groups_of_like_things_are_found() {
        let group = [0, 1, 0, 1, 2, 0];
        let mut similarity_of = |a: usize, b: usize| if group[a] == group[b] { 0.9 } else { 0.5 };
        assert_eq!(cluster_by_average_link(6, &mut similarity_of, 0.8), [vec![0, 2, 5], vec![1, 3], vec![4]]);
        assert!(cluster_by_average_link(0, &mut similarity_of, 0.8).is_empty());
    }
}
