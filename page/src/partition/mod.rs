//! Semantic partitioning: from the leaves of a page to its labelled hierarchy (`[OM05 §4]`).
//!
//! The default method is [`outline`], which finds headers by evidence of presentation. In the papers' method,
//! [`flat`] cuts the page into segments. Inside each segment, [`dp`] finds the cheapest binary tree by the five
//! factors of [`cost`], [`grouping`] finds the groups of like instances, and [`promotion`] moves headers above
//! what they head. [`split`] cuts scopes that are too long for the dynamic program.
//!
//! Invariants: every leaf of the page is in exactly one label; the result is a function of the page and the
//! parameters alone (limits count leaves and steps); nothing recurses. Start at [`hierarchy`].

use std::borrow::Borrow;
use std::ops::Range;

use crate::hierarchy::Hierarchy;

use crate::reading::Page;

mod build;
mod cost;
mod dp;
mod emphasis;
mod entropy;
mod flat;
mod grouping;
mod headers;
mod hostile;
mod inferred;
mod lcs;
pub(crate) mod measure;
pub(crate) mod outline;
mod params;
mod plain;
mod promotion;
mod regex;
mod scope;
mod split;
mod sums;

pub use outline::OutlineParams;
pub use params::{GroupCost, Method, Params, Scope};

pub use crate::trees::TreesError;

pub(crate) use emphasis::emphasised;

use build::{Builder, Piece};
use cost::Costs;
use flat::segments;
use outline::OutlineScorers;
use promotion::Part;
use scope::ScopeTree;

/// The hierarchies of pages that are from one site with the `others`. Only [`Method::Regex`] compares pages with one
/// another, to find headers; with any other method the results are those of [`hierarchy`].
#[must_use]
pub fn hierarchies<P: Borrow<Page>>(pages: &[P], others: &[P], params: &Params) -> Vec<Hierarchy> {
    match params.method {
        Method::Regex => {
            let all: Vec<&Page> = pages.iter().chain(others).map(Borrow::borrow).collect();
            inferred::hierarchies(&all, pages.len(), params)
        }
        _ => pages.iter().map(|page| hierarchy(page.borrow(), params)).collect(),
    }
}

/// The page's hierarchy: its labels under their headers.
///
/// ```
/// use newslode_page::{Page, Params, hierarchy};
///
/// let url = "https://news.example.org/".parse()?;
/// let html = "<h2>Sport</h2><ul><li><a href=/cup>Cup</a><li><a href=/tour>Tour</a></ul>\
///             <h2>Arts</h2><ul><li><a href=/film>Film</a><li><a href=/jazz>Jazz</a></ul>";
/// let found = hierarchy(&Page::parse(&url, None, html.as_bytes()), &Params::default());
///
/// let text = |node: usize| found.nodes[node].label.as_ref().map(|label| label.text.as_str());
/// let headed: Vec<_> = (0..found.nodes.len())
///     .filter_map(|node| Some((text(found.labelled_ancestor(node)?)?, text(node)?)))
///     .collect();
/// assert_eq!(headed, [("Sport", "Cup"), ("Sport", "Tour"), ("Arts", "Film"), ("Arts", "Jazz")]);
/// # Ok::<(), newslode_page::reading::CanonicalUrlError>(())
/// ```
#[must_use]
pub fn hierarchy(page: &Page, params: &Params) -> Hierarchy {
    hierarchy_by(page, params, OutlineScorers::shared())
}

/// The page's hierarchy; [`Method::Outline`] chooses heads and finds blocks by these trees.
#[must_use]
pub(crate) fn hierarchy_by(page: &Page, params: &Params, scorers: OutlineScorers<'_>) -> Hierarchy {
    match params.method {
        Method::Outline => outline::write(page, params, &outline::outline(page, &params.outline, scorers)),
        Method::Regex => inferred::hierarchy(page, params),
        Method::Flat => segments_alone(page, params, flat_boundaries(page, params)),
        Method::Entropy => {
            let boundaries = entropy::boundaries(page, &entropy::is_running(page), params.sibling_runs);
            segments_alone(page, params, boundaries)
        }
        Method::Dp => binary(page, params),
    }
}

fn segments_alone(page: &Page, params: &Params, boundaries: Vec<u32>) -> Hierarchy {
    let mut builder = Builder::new(page, params, boundaries.clone());
    segments(page, &boundaries).for_each(|segment| builder.flat_segment(segment));
    builder.finish(false)
}

/// The first leaf of each flat segment except the first one.
pub(crate) fn flat_boundaries(page: &Page, params: &Params) -> Vec<u32> {
    let paths: Vec<_> = page.leaves.iter().map(|leaf| leaf.path).collect();
    flat::boundaries(&paths, page.leaves.path_count(), params.flat_delta)
}

/// The hierarchy by binary partition.
fn binary(page: &Page, params: &Params) -> Hierarchy {
    let boundaries = flat_boundaries(page, params);
    let mut builder = Builder::new(page, params, boundaries.clone());
    let mut work = Work {
        page,
        params,
        is_emphasised: emphasis::emphasised(page),
        max_depth: max_depth(page),
        steps_left: params.max_steps,
        is_coarse: false,
    };
    match params.scope {
        Scope::Segment => {
            for segment in segments(page, &boundaries) {
                let parts = work.pieces(segment);
                builder.segment(&parts);
            }
        }
        Scope::Page => {
            let parts = work.pieces(0..page.leaves.len());
            builder.whole(&parts);
        }
    }
    builder.finish(work.is_coarse)
}

/// Depth of the deepest leaf's parent.
pub(crate) fn max_depth(page: &Page) -> u32 {
    page.leaves.iter().map(|leaf| page.tree.depth(leaf.parent)).max().unwrap_or(0)
}

struct Work<'a> {
    page: &'a Page,
    params: &'a Params,
    is_emphasised: Vec<bool>,
    max_depth: u32,
    steps_left: u64,
    is_coarse: bool,
}

impl Work<'_> {
    fn pieces(&mut self, range: Range<usize>) -> Vec<Piece> {
        let most = dp::piece_len(range.len(), self.max_depth, self.params.max_dp_leaves, self.steps_left);
        self.is_coarse |= range.len() > most;
        split::pieces(self.page, range, most).into_iter().map(|piece| self.piece(piece)).collect()
    }

    fn piece(&mut self, range: Range<usize>) -> Piece {
        let first = range.start;
        let steps = dp::steps(range.len(), self.max_depth);
        if steps > self.steps_left {
            self.is_coarse = true;
            return Piece { first, parts: list(range.len()) };
        }
        self.steps_left -= steps;
        let scope = ScopeTree::new(self.page, range);
        let mut costs = Costs::new(&scope, self.max_depth);
        let tree = dp::tree(&scope, &mut costs);
        let grouped = grouping::grouping(&tree, &scope, &mut costs, self.params);
        let parts = promotion::promotion(&tree, &grouped, |leaf| self.is_emphasised[first + leaf]);
        Piece { first, parts }
    }
}

/// A piece of this many leaves without structure.
fn list(leaves: usize) -> Vec<Part> {
    let mut parts: Vec<Part> = (0..leaves).map(Part::Leaf).collect();
    parts.push(Part::Partition { header: None, parts: (0..leaves).collect() });
    parts
}

#[cfg(test)]
mod tests;
