//! WISDOM: the informative blocks of a page (`[W]`), which are its tables of contents (TOC) and its article.
//!
//! A block informs if its terms are not on every page of the site. The paper's three phases:
//!
//! 1. `coverage` (`[W §3.1]`): the entropy of the terms over the site weighs texts (CII) and anchors (API), and
//!    both are summed up the page tree.
//! 2. `search` (`[W §3.2]`): from the root down, it finds the nodes that have the most of a feature and whose
//!    children share it evenly.
//! 3. `expand` (`[W §3.3]`): these nodes take in siblings that fit and lose parts that do not.
//!
//! Invariant: a function of the page, of its site's terms ([`SiteTerms`]) and of the parameters; blocks are
//! disjoint ranges of leaves in order. Start at [`find_blocks`].

mod coverage;
mod expand;
mod params;
mod search;
mod site;
#[cfg(test)]
mod tests;

use std::ops::Range;

use coverage::{CoverageTree, Feature};
pub use params::{SearchParams, WisdomParams};
use search::{Constraint, Search};
pub use site::SiteTerms;

use crate::reading::Page;

/// The informative blocks of a page, as ranges of its leaves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InformativeBlocks {
    /// Tables of contents: links to news.
    pub toc: Vec<Range<usize>>,
    /// The article.
    pub article: Vec<Range<usize>>,
    /// Whether tables of contents were searched by the length of anchors because too few anchors have an API.
    pub by_length: bool,
    /// Whether terms beside links were left out because there are too many of both.
    pub is_coarse: bool,
}

/// Finds the informative blocks of a page of a site.
#[must_use]
pub fn find_blocks(page: &Page, site: &SiteTerms, params: &WisdomParams) -> InformativeBlocks {
    let coverage = CoverageTree::new(page, site, params);
    // Where most anchors have no API, it orders nothing; then the length of the anchors must do.
    let by_length = coverage.without_api * 100 > coverage.meaningful * params.most_without_api as usize;
    let (toc_feature, toc_search) =
        if by_length { (Feature::Alen, params.fallback) } else { (Feature::Api, params.toc) };
    let search = |feature, constraint, search_params| {
        Search { coverage: &coverage, feature, constraint, search_params, params }.blocks()
    };
    InformativeBlocks {
        toc: search(toc_feature, Constraint::Toc, toc_search),
        article: search(Feature::Clen, Constraint::Article, params.article),
        by_length,
        is_coarse: coverage.is_coarse,
    }
}
