//! Instances of a concept: the content of the pages that a concept page links to, without decoration (`[OM04
//! §4, OM05 §6]`).
//!
//! For every group of links of a concept page, two linked pages are fetched. Both are cut into flat segments,
//! and the two sequences are aligned by Levenshtein distance, where substituting a segment costs 1 − Jaccard of
//! the words. Aligned segments that are similar are decoration (menus, advertisements); the others are content,
//! and the paths of their leaves are the path set of the group. The most frequent path set is the instance
//! template; it extracts the content of all pages that the links lead to. Within the content, a text that is
//! set off or recurs on many pages is the label of an attribute and heads the texts after it ([`attributes`]). A text is what a
//! reader sees in one line or paragraph ([`lines`](mod@lines)).
//!
//! Invariants: pure; quadratic in the number of segments, which is bounded. Start at [`InstanceTemplate::new`].

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::reading::{CanonicalUrl, links};

use crate::contribution::labels::words;
use crate::partition::Params;
use crate::partition::flat_boundaries;
use crate::reading::Page;

use attributes::FrequentTexts;
use lines::{ContentLine, content_lines, fill_gaps};

mod attributes;
mod lines;

pub use attributes::Attribute;

/// Most segments of a page that are aligned.
const MOST_SEGMENTS: usize = 1000;
/// Least Jaccard similarity of decoration.
const ALIKE: f64 = 0.5;

/// The paths at which the pages of one concept have their content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstanceTemplate {
    /// Paths of tags, `div/table/tr/td`.
    pub paths: BTreeSet<String>,
    /// Number of groups with exactly these paths.
    pub groups: usize,
}

/// One instance: the content of one page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    /// The URL of the page.
    pub url: String,
    /// Its attributes, in page order; texts before the first label form one without a label.
    pub attributes: Vec<Attribute>,
}

/// Groups a page's links into its own site by their path of tags, in page order. Each target is listed once, in
/// the first group that leads there.
#[must_use]
pub fn link_groups(page: &Page) -> Vec<Vec<CanonicalUrl>> {
    let (site, url) = (page.url.site(), page.url.to_url());
    let mut groups: Vec<Vec<CanonicalUrl>> = Vec::new();
    let mut group_of_path: BTreeMap<String, usize> = BTreeMap::new();
    let mut seen_targets: BTreeSet<CanonicalUrl> = BTreeSet::new();
    for link in links(&page.tree, &page.leaves, &url) {
        if link.text.is_empty() || link.target.site() != site || !seen_targets.insert(link.target.clone()) {
            continue;
        }
        let tags: Vec<&str> = page.tree.ancestors(link.node).filter_map(|node| page.tree.tag(node)).collect();
        let at = *group_of_path.entry(tags.join("/")).or_insert_with(|| {
            groups.push(Vec::new());
            groups.len() - 1
        });
        groups[at].push(link.target);
    }
    groups
}

impl InstanceTemplate {
    /// The template of a concept page, from two linked pages per group; `None` if no pair has different
    /// content. Of equally frequent path sets the one with the more frequent paths wins, then the first.
    #[must_use]
    pub fn new(groups: &[(&Page, &Page)], params: &Params) -> Option<InstanceTemplate> {
        let sets: Vec<BTreeSet<String>> =
            groups.iter().map(|(a, b)| content_paths(a, b, params)).filter(|set| !set.is_empty()).collect();
        let mut path_counts: BTreeMap<&str, usize> = BTreeMap::new();
        for path in sets.iter().flatten() {
            *path_counts.entry(path).or_default() += 1;
        }
        // The most frequent set; of equally frequent ones the set of the more frequent paths. `max_by` takes the last of
        // equals, hence the reversed order.
        let equal_sets = |set: &BTreeSet<String>| sets.iter().filter(|other| *other == set).count();
        let mean_path_count = |set: &BTreeSet<String>| {
            set.iter().map(|path| path_counts[path.as_str()]).sum::<usize>() as f64 / set.len() as f64
        };
        let best = sets.iter().rev().max_by(|a, b| {
            equal_sets(a).cmp(&equal_sets(b)).then(mean_path_count(a).total_cmp(&mean_path_count(b)))
        })?;
        Some(InstanceTemplate { paths: best.clone(), groups: equal_sets(best) })
    }

    /// The instances of some pages, one each; frequent texts are counted over all of them.
    #[must_use]
    pub fn instances(&self, pages: &[&Page]) -> Vec<Instance> {
        let contents: Vec<(&Page, Vec<ContentLine>)> =
            pages.iter().map(|page| (*page, self.content(page))).collect();
        let frequent = FrequentTexts::new(&contents);
        let instance = |(page, content): &(&Page, Vec<ContentLine>)| Instance {
            url: page.url.as_str().to_owned(),
            attributes: attributes::read_attributes(page, content, &frequent),
        };
        contents.iter().map(instance).collect()
    }

    /// The lines of a page whose longest leaves are at the template's paths, since a line is kept or dropped as a whole,
    /// and the lines between such lines.
    fn content(&self, page: &Page) -> Vec<ContentLine> {
        let is_content: Vec<bool> =
            path_names(page).into_iter().map(|path| self.paths.contains(&path)).collect();
        let is_at_path = |leaf: usize| is_content[page.leaves.get(leaf).path.index()];
        let all = content_lines(page);
        let mut is_kept_line: Vec<bool> =
            all.iter().map(|line| line.longest(page).is_some_and(is_at_path)).collect();
        fill_gaps(page, &all, &mut is_kept_line);
        let kept_lines = all.into_iter().zip(is_kept_line).filter(|(_, is_kept)| *is_kept);
        kept_lines.map(|(line, _)| line).collect()
    }
}

fn path_names(page: &Page) -> Vec<String> {
    let leaves = &page.leaves;
    let mut paths = vec![String::new(); leaves.path_count()];
    for leaf in leaves.iter() {
        let path = &mut paths[leaf.path.index()];
        if path.is_empty() {
            *path = leaves.path_string(&page.tree, leaf.path);
        }
    }
    paths
}

/// The paths of the leaves in aligned segments of two pages that are not similar.
fn content_paths(a: &Page, b: &Page, params: &Params) -> BTreeSet<String> {
    let (left, right) = (flat_segments(a, params), flat_segments(b, params));
    let (in_a, in_b) = (segment_words(a, &left), segment_words(b, &right));
    let mut content = BTreeSet::new();
    let names = [path_names(a), path_names(b)];
    for (x, y) in align_segments(&in_a, &in_b) {
        if jaccard(&in_a[x], &in_b[y]) >= ALIKE {
            continue;
        }
        for ((page, names), segment) in [a, b].into_iter().zip(&names).zip([&left[x], &right[y]]) {
            let leaves = segment.clone().filter(|&leaf| !page.leaves.get(leaf).is_image);
            content.extend(leaves.map(|leaf| names[page.leaves.get(leaf).path.index()].clone()));
        }
    }
    content
}

fn flat_segments(page: &Page, params: &Params) -> Vec<Range<usize>> {
    let mut starts: Vec<usize> = vec![0];
    starts.extend(flat_boundaries(page, params).into_iter().map(|start| start as usize));
    let ends = starts.iter().skip(1).copied().chain([page.leaves.len()]);
    starts.iter().zip(ends).map(|(start, end)| *start..end).take(MOST_SEGMENTS).collect()
}

fn segment_words(page: &Page, segments: &[Range<usize>]) -> Vec<BTreeSet<String>> {
    let words_of =
        |segment: &Range<usize>| segment.clone().flat_map(|leaf| words(page.leaves.text(leaf))).collect();
    segments.iter().map(words_of).collect()
}

fn jaccard(a: &BTreeSet<String>, b: &BTreeSet<String>) -> f64 {
    let both = a.intersection(b).count();
    let all = a.len() + b.len() - both;
    if all == 0 { 1.0 } else { both as f64 / all as f64 }
}

/// The pairs of a cheapest alignment; gaps cost 1, substitutions 1 − Jaccard.
fn align_segments(a: &[BTreeSet<String>], b: &[BTreeSet<String>]) -> Vec<(usize, usize)> {
    let width = b.len() + 1;
    let mut table = vec![0.0_f64; (a.len() + 1) * width];
    (1..width).for_each(|column| table[column] = column as f64);
    for (row, x) in a.iter().enumerate() {
        let from = (row + 1) * width;
        table[from] = (row + 1) as f64;
        for (column, y) in b.iter().enumerate() {
            let at = from + column + 1;
            let substituted = table[at - width - 1] + 1.0 - jaccard(x, y);
            table[at] = substituted.min(table[at - width] + 1.0).min(table[at - 1] + 1.0);
        }
    }
    // Trace the cheapest path back; gaps are preferred to substitutions of the same cost.
    let (mut row, mut column) = (a.len(), b.len());
    let mut pairs = Vec::new();
    while row > 0 && column > 0 {
        let at = row * width + column;
        if table[at] == table[at - width] + 1.0 {
            row -= 1;
        } else if table[at] == table[at - 1] + 1.0 {
            column -= 1;
        } else {
            (row, column) = (row - 1, column - 1);
            pairs.push((row, column));
        }
    }
    pairs.reverse();
    pairs
}

#[cfg(test)]
mod tests;
