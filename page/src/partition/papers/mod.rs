//! The papers' methods: what was printed, and what the default method is compared with.
//!
//! - [`flat`] (`[OM05 §4.1]`) cuts the page into segments where few paths go on.
//! - [`entropy`] (`[SP §3]`) cuts it where the paths under a node are alike.
//! - [`binary`] (`[OM05 §4.3]`): in each flat segment, [`dp`] finds the cheapest binary tree by the five factors of
//!   [`cost`], [`grouping`] finds the groups of like instances, and [`promotion`] moves headers above what they head.
//!   [`split`] cuts scopes that are too long for the dynamic program.
//! - [`inferred`] (`[SP §3-5]`): in each entropy segment, [`regex`] infers groups, which [`headers`] then names.
//!
//! [`plain`] is the print's recurrence, the oracle of `dp`. Start at [`binary_hierarchy`].

use crate::hierarchy::Hierarchy;
use crate::partition::params::Params;
use crate::reading::Page;

mod binary;
mod builder;
mod cost;
mod dp;
mod entropy;
mod flat;
mod grouping;
mod headers;
mod inferred;
mod lcs;
pub(super) mod measure;
pub(super) mod params;
mod plain;
mod promotion;
mod regex;
mod scope;
mod split;
mod sums;

pub(crate) use binary::binary_hierarchy;
pub(crate) use flat::flat_boundaries;
pub(crate) use inferred::{inferred_hierarchies, inferred_hierarchy};

use builder::HierarchyBuilder;
use flat::segments;

/// The page's flat segments, each a list of its leaves.
pub(crate) fn flat_hierarchy(page: &Page, params: &Params) -> Hierarchy {
    segments_alone(page, params, flat_boundaries(page, params))
}

/// The page's entropy segments, each a list of its leaves.
pub(crate) fn entropy_hierarchy(page: &Page, params: &Params) -> Hierarchy {
    let boundaries =
        entropy::entropy_boundaries(page, &entropy::find_running_text(page), params.papers.sibling_runs);
    segments_alone(page, params, boundaries)
}

fn segments_alone(page: &Page, params: &Params, boundaries: Vec<u32>) -> Hierarchy {
    let mut builder = HierarchyBuilder::new(page, params, boundaries.clone());
    segments(page, &boundaries).for_each(|segment| builder.add_flat_segment(segment));
    builder.finish(false)
}
