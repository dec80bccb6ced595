//! Mining, as functions of values: from the sums of the sites to the ontology.
//!
//! A site's sums, or the [`part`] of them that the [`world`] of all sites asks for, become its [`summary`]; the summaries become an index, with the [`faults`] of each label's
//! links. From the index a [`fold`] finds which labels are [`concepts`], relates them ([`taxminer`]) and
//! makes the [`taxonomy`]. Together with the [`members`] that [`concept_pages`] list, the [`filing`] of articles, and the
//! [`instances`] that concept pages lead to, this is the [`ontology`].
//!
//! Beside it stands what a whole site says of one of its pages: the [`entropy`] of its terms, which gives the
//! informative [`blocks`]; its [`articles`], read again; and the history of its [`templates`]. [`prints`] tell that two
//! articles are one.
//!
//! Invariant: pure and deterministic. Equal sums give equal bytes, so any number of miners may write the same
//! taxonomy.

pub mod articles;
pub mod blocks;
pub mod concept_pages;
pub mod concepts;
pub mod entropy;
pub mod faults;
pub mod filing;
pub mod fold;
mod index;
pub mod instances;
pub mod linked;
pub mod members;
pub mod ontology;
pub mod part;
pub mod prints;
pub mod summary;
pub mod taxminer;
pub mod taxonomy;
pub mod templates;
#[cfg(test)]
pub(crate) mod testing;
pub mod world;
