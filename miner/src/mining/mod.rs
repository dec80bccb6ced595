//! What is mined, as functions of values: from the sums of the sites to the ontology.
//!
//! A site's sums become its [`summary`]; summaries become an index, which labels are [`concepts`], the
//! relations of [`taxminer`], and the [`taxonomy`]; with articles that is the [`ontology`]. Beside them stand
//! the [`entropy`] of a site's terms and the history of its [`templates`].
//!
//! Invariant: pure and deterministic. Equal sums give equal bytes, so any number of miners may write the same
//! taxonomy.

pub mod concepts;
pub mod entropy;
mod index;
pub mod ontology;
pub mod summary;
pub mod taxminer;
pub mod taxonomy;
pub mod templates;
