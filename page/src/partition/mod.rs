//! Semantic partitioning: from the leaves of a page to its labelled hierarchy (`[OM05 §4]`).
//!
//! The default method, [`outline`], finds headers by evidence of presentation. [`papers`] holds the printed methods,
//! which `newslode partition --method` and the preset `paper` offer.
//!
//! Invariants: every leaf of the page is in exactly one label; the result is a function of the page and the
//! parameters alone (limits count leaves and steps); nothing recurses. Start at [`hierarchy`].

use std::borrow::Borrow;

use crate::hierarchy::Hierarchy;
use crate::reading::Page;

mod emphasis;
mod hostile;
pub(crate) mod measure;
pub(crate) mod outline;
mod papers;
mod params;

pub use outline::OutlineParams;
pub use papers::params::{GroupCost, PaperParams, Scope};
pub use params::{Method, Params};

pub use crate::trees::TreesError;

pub(crate) use emphasis::emphasised;
use outline::OutlineScorers;
pub(crate) use papers::flat_boundaries;

/// The hierarchies of pages that are from one site with the `others`. Only [`Method::Regex`] compares pages with one
/// another, to find headers; with any other method the results are those of [`hierarchy`].
#[must_use]
pub fn hierarchies<P: Borrow<Page>>(pages: &[P], others: &[P], params: &Params) -> Vec<Hierarchy> {
    match params.method {
        Method::Regex => {
            let all: Vec<&Page> = pages.iter().chain(others).map(Borrow::borrow).collect();
            papers::inferred_hierarchies(&all, pages.len(), params)
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
        Method::Outline => {
            outline::write_hierarchy(page, params, &outline::outline(page, &params.outline, scorers))
        }
        Method::Flat => papers::flat_hierarchy(page, params),
        Method::Entropy => papers::entropy_hierarchy(page, params),
        Method::Regex => papers::inferred_hierarchy(page, params),
        Method::Dp => papers::binary_hierarchy(page, params),
    }
}

#[cfg(test)]
mod tests;
