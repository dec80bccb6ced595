//! Segments by the entropy of paths (`[SP §3, Alg. 1]`).
//!
//! A node whose leaves have few different paths shows one kind of thing. With p(i) the share of path i among the
//! leaves under N, H(N) = −Σ p(i) log p(i). The algorithm walks from the root down, breadth first. A node whose
//! entropy is at most the median of all nodes is a segment; any other is replaced by its children.
//! `[SP]` compares the average over "each subset of nodes" with the median. The paper preset takes nodes one by
//! one; otherwise, runs of neighbouring siblings grow while their average is at most the median.
//!
//! Leaves with a modal verb are running text, not patterns: they are not counted and go with the leaf before
//! them. The median is over nodes with at least two counted leaves; over all nodes it is almost always 0.
//! Time is O(leaves log leaves · depth of branching) for all entropies: the smaller table of counts is merged
//! into the larger. Entropies come from sums of integers, which do not depend on their order.

use std::collections::VecDeque;

use crate::reading::{NodeId, Page};
use rustc_hash::FxHashMap;

/// Verbs that indicate running text (`[SP §3]`), in lower case.
const MODAL: [&str; 9] = ["can", "could", "may", "might", "must", "shall", "should", "will", "would"];
/// The value 1 in the sums of c·ln c.
const ONE: f64 = (1u64 << 32) as f64;

/// Whether each leaf is running text: it has a modal verb or "ought".
pub(crate) fn find_running_text(page: &Page) -> Vec<bool> {
    let is_modal = |word: &str| word == "ought" || MODAL.contains(&word);
    let has_modal = |text: &str| {
        text.split(|c: char| !c.is_alphanumeric())
            .any(|word| word.len() <= 6 && is_modal(&word.to_ascii_lowercase()))
    };
    (0..page.leaves.len()).map(|leaf| has_modal(page.leaves.text(leaf))).collect()
}

/// The first leaf of each segment except the first one, ascending. With `runs`, neighbouring siblings may form
/// one segment.
pub(crate) fn entropy_boundaries(page: &Page, running: &[bool], runs: bool) -> Vec<u32> {
    let counts = path_counts_by_node(page, running);
    cut_by_entropy(page, running, &counts, runs)
}

/// Counts for the paths under a node: its leaves n, and Σ round(2³²·c·ln c) over its paths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct PathCounts {
    leaves: u64,
    spread: u64,
}

impl PathCounts {
    /// H in nats.
    fn entropy(self) -> f64 {
        if self.leaves == 0 {
            return 0.0;
        }
        let n = self.leaves as f64;
        (n.ln() - self.spread as f64 / (ONE * n)).max(0.0)
    }
}

/// round(2³²·c·ln c).
fn spread_of(count: u64) -> u64 {
    let count = count as f64;
    if count < 2.0 { 0 } else { (ONE * count * count.ln()).round() as u64 }
}

/// The sums of every node of the page, from the leaves up.
fn path_counts_by_node(page: &Page, running: &[bool]) -> Vec<PathCounts> {
    let tree = &page.tree;
    let mut counts: Vec<FxHashMap<usize, u64>> = vec![FxHashMap::default(); tree.len()];
    let mut sums = vec![PathCounts::default(); tree.len()];
    for (leaf, _) in page.leaves.iter().zip(running).filter(|(_, running)| !**running) {
        counts[leaf.node.index()].insert(leaf.path.index(), 1);
        sums[leaf.node.index()] = PathCounts { leaves: 1, spread: 0 };
    }
    for node in tree.node_ids().rev() {
        let Some(parent) = tree.parent(node) else { continue };
        // The smaller table of counts is merged into the larger one, so each entry moves at most log n times.
        let mut smaller = std::mem::take(&mut counts[node.index()]);
        let (mut all, mut less) = (sums[parent.index()], sums[node.index()]);
        let larger = &mut counts[parent.index()];
        if smaller.len() > larger.len() {
            std::mem::swap(&mut smaller, larger);
            std::mem::swap(&mut all, &mut less);
        }
        for (path, count) in smaller {
            let path_count = larger.entry(path).or_default();
            all.spread = all.spread - spread_of(*path_count) + spread_of(*path_count + count);
            *path_count += count;
        }
        all.leaves += less.leaves;
        sums[parent.index()] = all;
    }
    sums
}

/// The median entropy of nodes with at least two counted leaves; 0 if there are none.
fn median_entropy(sums: &[PathCounts]) -> f64 {
    let mut all: Vec<f64> = sums.iter().filter(|sums| sums.leaves >= 2).map(|sums| sums.entropy()).collect();
    all.sort_by(f64::total_cmp);
    match (all.get(all.len().wrapping_sub(1) / 2), all.get(all.len() / 2)) {
        (Some(low), Some(high)) => (low + high) / 2.0,
        _ => 0.0,
    }
}

/// Algorithm 1 (`[SP §3]`): the queue holds the children of nodes that were too mixed.
fn cut_by_entropy(page: &Page, running: &[bool], sums: &[PathCounts], runs: bool) -> Vec<u32> {
    let (tree, leaves) = (&page.tree, &page.leaves);
    let median = median_entropy(sums);
    let mut todo: VecDeque<Vec<NodeId>> = VecDeque::from([vec![tree.root()]]);
    let mut starts: Vec<u32> = Vec::new();
    while let Some(siblings) = todo.pop_front() {
        let mut at = 0;
        while let Some(&node) = siblings.get(at) {
            let mut total = sums[node.index()].entropy();
            at += 1;
            if total > median {
                let is_full = |child: &NodeId| !leaves.range_under(tree, *child).is_empty();
                todo.push_back(tree.children(node).filter(is_full).collect());
                continue;
            }
            // The node begins a segment. The siblings after it join while the average entropy stays low enough.
            starts.push(leaves.range_under(tree, node).start as u32);
            let mut length = 1.0;
            while let Some(next) = siblings.get(at).filter(|_| runs) {
                total += sums[next.index()].entropy();
                length += 1.0;
                if total > median * length {
                    break;
                }
                at += 1;
            }
        }
    }
    starts.sort_unstable();
    starts.retain(|&start| start > 0 && !running[start as usize]);
    starts
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::testing::{page, pages};

    fn segments(html: &str, runs: bool) -> Vec<u32> {
        let page = page(html);
        entropy_boundaries(&page, &find_running_text(&page), runs)
    }

    /// Definition 31 for one node, counted anew.
    fn plain(page: &Page, running: &[bool], node: NodeId) -> f64 {
        let mut counts: BTreeMap<usize, u64> = BTreeMap::new();
        for leaf in page.leaves.range_under(&page.tree, node).filter(|&leaf| !running[leaf]) {
            *counts.entry(page.leaves.get(leaf).path.index()).or_default() += 1;
        }
        let n: u64 = counts.values().sum();
        -counts.values().map(|&count| count as f64 / n as f64).map(|p| p * p.ln()).sum::<f64>()
    }

    /// Algorithm 1 by recursion over single nodes.
    fn plain_cut(page: &Page, sums: &[PathCounts], median: f64, node: NodeId, starts: &mut Vec<u32>) {
        let range = page.leaves.range_under(&page.tree, node);
        if range.is_empty() {
            return;
        }
        if sums[node.index()].entropy() <= median {
            starts.push(range.start as u32);
        } else {
            page.tree.children(node).for_each(|child| plain_cut(page, sums, median, child, starts));
        }
    }

    const PAGE: &str = "<h1>T</h1><ul><li><a>a</a><li><a>b</a><li><a>c</a></ul>\
        <table><tr><td>x<td><b>1</b><tr><td>y<td><b>2</b></table>";

    #[test]
    fn a_list_is_one_segment_and_a_mixed_page_is_not() {
        // Entropies: list 0, row and table ln 2 each, the page more. The median is ln 2.
        assert_eq!(segments(PAGE, false), [1, 4]);
        assert_eq!(segments("<ul><li>a<li>b</ul>", false), Vec::<u32>::new());
        assert_eq!(segments("", true), Vec::<u32>::new());
    }

    #[test]
    fn neighbours_with_a_low_average_are_one_segment() {
        assert_eq!(segments(PAGE, true), Vec::<u32>::new());
        let mixed = format!("<div>{PAGE}</div><p>z");
        assert_eq!(segments(&mixed, false), [1, 4, 8]);
    }

    #[test]
    fn running_text_goes_with_what_is_before_it() {
        let page = page("<h1>T</h1><p>You should read on.<ul><li>a<li>b</ul>");
        assert_eq!(find_running_text(&page), [false, true, false, false]);
        assert!(!entropy_boundaries(&page, &find_running_text(&page), false).contains(&1));
    }

    proptest! {
        #[test]
        fn sums_give_the_entropy(page in pages(60)) {
            let running = vec![false; page.leaves.len()];
            let sums = path_counts_by_node(&page, &running);
            for node in page.tree.node_ids().filter(|&node| !page.leaves.range_under(&page.tree, node).is_empty()) {
                let plain = plain(&page, &running, node);
                prop_assert!((sums[node.index()].entropy() - plain).abs() < 1e-6);
            }
        }

        #[test]
        fn single_nodes_are_cut_as_printed(page in pages(60)) {
            let running = vec![false; page.leaves.len()];
            let sums = path_counts_by_node(&page, &running);
            let mut starts = Vec::new();
            plain_cut(&page, &sums, median_entropy(&sums), page.tree.root(), &mut starts);
            starts.retain(|&start| start > 0);
            prop_assert_eq!(cut_by_entropy(&page, &running, &sums, false), starts);
        }
    }
}
