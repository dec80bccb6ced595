//! The flat partition of a page into segments (`[OM05 §4.1, Alg. 2]`).
//!
//! Each leaf links to the later leaves with the same path. A segment ends where nearly all links that began in
//! it have ended. For the candidate boundary after leaf `c`, `total` is the number of distinct paths among the
//! links' targets since the segment began, and `out` the number of those with targets beyond `c`. The segment
//! ends at `c` if `out / total < δ`. As in the print, paths are counted as sets, not as bags of leaves: bags
//! would cut every uniform list at each third item.
//!
//! One pass with a counter per path suffices: for a path with a target in the segment, the last target is the
//! last leaf with that path, so `out` changes only at the current leaf.

use std::ops::Range;

use crate::partition::params::Params;
use crate::reading::{Page, PathId};

/// The first leaf of each flat segment except the first one.
pub(crate) fn flat_boundaries(page: &Page, params: &Params) -> Vec<u32> {
    let paths: Vec<_> = page.leaves.iter().map(|leaf| leaf.path).collect();
    boundaries_of_paths(&paths, page.leaves.path_count(), params.papers.flat_delta)
}

/// The first leaf of each segment except the first one, ascending. `delta` is δ in per cent.
pub(crate) fn boundaries_of_paths(paths: &[PathId], path_count: usize, delta: u32) -> Vec<u32> {
    let mut later_leaves = vec![0u32; path_count];
    for path in paths {
        later_leaves[path.index()] += 1;
    }
    if let Some(first) = paths.first() {
        later_leaves[first.index()] -= 1;
    }
    // By path: the segment in which it last got a target. Segments are numbered from 1.
    let mut last_linked_segment = vec![0u32; path_count];
    let (mut segment, mut out, mut total) = (1, 0u64, 0u64);
    let mut boundaries = Vec::new();
    for (c, path) in paths.iter().enumerate().skip(1) {
        let path = path.index();
        later_leaves[path] -= 1;
        // Whether the path has a target beyond this leaf, and whether one inside the segment was counted before.
        match (later_leaves[path] > 0, last_linked_segment[path] == segment) {
            (true, false) => {
                last_linked_segment[path] = segment;
                out += 1;
                total += 1;
            }
            (false, true) => out -= 1,
            (true, true) | (false, false) => {}
        }
        if total > 0 && out * 100 < total * u64::from(delta) {
            if c + 1 < paths.len() {
                boundaries.push(c as u32 + 1);
            }
            segment += 1;
            (out, total) = (0, 0);
        }
    }
    boundaries
}

/// The leaves of each segment between boundaries; empty segments are left out.
pub(crate) fn segments<'a>(
    page: &Page,
    boundaries: &'a [u32],
) -> impl Iterator<Item = Range<usize>> + use<'a> {
    let ends = boundaries.iter().map(|&first| first as usize).chain([page.leaves.len()]);
    ends.scan(0, |start, end| Some(std::mem::replace(start, end)..end)).filter(|range| !range.is_empty())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::testing::{page, pages};

    fn paths(page: &Page) -> Vec<PathId> {
        page.leaves.iter().map(|leaf| leaf.path).collect()
    }

    fn fast(page: &Page) -> Vec<u32> {
        boundaries_of_paths(&paths(page), page.leaves.path_count(), 34)
    }

    /// Algorithm 2, line by line.
    fn plain(paths: &[PathId], delta: f64) -> Vec<u32> {
        let mut boundaries = Vec::new();
        let mut partition_nodes: BTreeSet<usize> = BTreeSet::new();
        for l in 0..paths.len() {
            let current = l + 1;
            if current >= paths.len() {
                break;
            }
            if let Some(n) = (current + 1..paths.len()).find(|&n| paths[n] == paths[current]) {
                partition_nodes.insert(n);
            }
            let out: BTreeSet<PathId> =
                partition_nodes.iter().filter(|&&m| m > current).map(|&m| paths[m]).collect();
            let total: BTreeSet<PathId> = partition_nodes.iter().map(|&m| paths[m]).collect();
            if !total.is_empty() && (out.len() as f64) / (total.len() as f64) < delta {
                if current + 1 < paths.len() {
                    boundaries.push(current as u32 + 1);
                }
                partition_nodes.clear();
            }
        }
        boundaries
    }

    #[test]
    fn a_list_ends_where_its_path_ends() {
        let page = page("<h1>T</h1><ul><li>a<li>b<li>c</ul><p>x<p>y<p>z<p>w");
        assert_eq!(fast(&page), [4]);
    }

    #[test]
    fn a_uniform_list_is_one_segment_and_an_empty_page_none() {
        assert_eq!(fast(&page(&"<li>x".repeat(50))), Vec::<u32>::new());
        assert_eq!(fast(&page("")), Vec::<u32>::new());
    }

    proptest! {
        #[test]
        fn fast_is_plain(page in pages(60), delta in 1u32..100) {
            let fast = boundaries_of_paths(&paths(&page), page.leaves.path_count(), delta);
            prop_assert_eq!(fast, plain(&paths(&page), f64::from(delta) / 100.0));
        }

        #[test]
        fn fast_is_plain_on_any_sequence(picks in prop::collection::vec(0usize..6, 0..40)) {
            let page = page("<a>0</a><b>1</b><i>2</i><u>3</u><p>4</p><h1>5</h1>");
            let page_paths = paths(&page);
            let paths: Vec<PathId> = picks.iter().map(|&pick| page_paths[pick]).collect();
            prop_assert_eq!(boundaries_of_paths(&paths, 6, 34), plain(&paths, 0.34));
        }
    }
}
