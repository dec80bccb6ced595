//! What learning the numbers anew and measuring the methods needs of the inside: measures of candidates, scorers that were
//! trained on other sites, and the dynamic program without the pages around it.
//!
//! It is hidden because nothing of it is kept stable; `newslode-lab` and the scripts in `train/` use it. It is no Cargo
//! feature, because features unify over a workspace build: tests would run another library than the one that is shipped.

use crate::extract;
use crate::hierarchy::Hierarchy;
use crate::partition::{self, Params};
use crate::reading::Page;
use crate::tables::{self, TableParams};
use crate::time::Timestamp;

pub use crate::partition::outline::{BlockScorer, HeadEvidence, HeadScorer, OutlineScorers};
pub use crate::tables::TableEvidence;

/// The dynamic program beside its plain form, and generated pages.
pub mod measure {
    pub use crate::partition::measure::*;
}

/// The names of the measures of a run, in the order of [`body_evidence`].
#[must_use]
pub fn body_measures() -> &'static [String] {
    extract::body_measures()
}

/// The text and the measures of each run of a page.
#[must_use]
pub fn body_evidence(page: &Page, fetched_at: Timestamp) -> Vec<(String, Vec<f32>)> {
    extract::body_evidence(page, fetched_at)
}

/// The names of the measures of a text that may be the title, in the order of [`title_evidence`].
#[must_use]
pub fn title_measures() -> &'static [String] {
    extract::title_measures()
}

/// The texts of a page that may be its title, and their measures.
#[must_use]
pub fn title_evidence(page: &Page, fetched_at: Timestamp) -> Vec<(String, Vec<f32>)> {
    extract::title_evidence(page, fetched_at)
}

/// The names of the measures of a name that may be an author's, in the order of [`author_evidence`].
#[must_use]
pub fn author_measures() -> &'static [String] {
    extract::author_measures()
}

/// The names on a page that may be an author's, and their measures.
#[must_use]
pub fn author_evidence(page: &Page, fetched_at: Timestamp) -> Vec<(String, Vec<f32>)> {
    extract::author_evidence(page, fetched_at)
}

/// The names of the measures of a day that may be the article's, in the order of [`day_evidence`].
#[must_use]
pub fn day_measures() -> &'static [String] {
    extract::day_measures()
}

/// The days that a page says, and their measures.
#[must_use]
pub fn day_evidence(page: &Page, fetched_at: Timestamp) -> Vec<(String, Vec<f32>)> {
    extract::day_evidence(page, fetched_at)
}

/// The names of the measures of a page that may be an article, in the order of [`kind_evidence`].
#[must_use]
pub fn kind_measures() -> &'static [String] {
    extract::kind_measures()
}

/// The measures of a page that may be an article, and the groups of its site that it belongs to.
#[must_use]
pub fn kind_evidence(page: &Page, fetched_at: Timestamp) -> (Vec<f32>, [u32; 4]) {
    extract::kind_evidence(page, fetched_at)
}

/// The names of the measures that sift candidates for heads, and of those that choose.
#[must_use]
pub fn head_measures() -> &'static [Vec<String>; 2] {
    partition::outline::head_measures()
}

/// The candidates for the heads of a page's labels, with all their measures.
#[must_use]
pub fn head_evidence(page: &Page) -> HeadEvidence {
    partition::outline::head_evidence(page)
}

/// The names of the measures of a place where a block may begin, in the order of [`block_evidence`].
#[must_use]
pub fn block_measures() -> &'static [String] {
    partition::outline::block_measures()
}

/// The leaves before which a block may begin, each with the measures of that place.
#[must_use]
pub fn block_evidence(page: &Page) -> Vec<(u32, Vec<f32>)> {
    partition::outline::block_evidence(page)
}

/// The names of the measures in [`TableEvidence`]: those of `data` and those of `top`.
#[must_use]
pub fn table_measures() -> (Vec<String>, Vec<String>) {
    tables::measure_names()
}

/// The measures of every `table` of a page.
#[must_use]
pub fn table_evidence(page: &Page, params: &TableParams) -> Vec<TableEvidence> {
    tables::evidence(page, params)
}

/// A page's hierarchy by scorers that were trained on other sites.
#[must_use]
pub fn hierarchy_by(page: &Page, params: &Params, scorers: OutlineScorers<'_>) -> Hierarchy {
    partition::hierarchy_by(page, params, scorers)
}
