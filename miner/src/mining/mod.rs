//! Mining, as functions of values: from the sums of the sites to the ontology.
//!
//! The path: a site's sums, or the [`part`] of them that the [`world`] of all sites needs, become its [`summary`]. The summaries
//! become an index, with the [`faults`] of each label's links. From the index a [`fold`] decides which labels are [`concepts`],
//! relates them ([`taxminer`]) and makes the [`taxonomy`], over which the [`corrections`] of editors are laid. With the [`members`] that [`concept_pages`] list, the [`filing`] of
//! articles under them, and the [`instances`] that concept pages lead to, this is the [`ontology`].
//!
//! Apart from that path, this is what a whole site says of one of its pages: the [`entropy`] of its terms, which gives the
//! informative [`blocks`]; its [`articles`], read again; the [scheme of its own](site_scheme), which gives articles their places; and the history of its
//! [`templates`]. [`fingerprints`] recognise two articles as one. [`schemes`] are vocabularies from outside.
//! The [`registry`] follows the taxonomy over time, and gives its concepts identifiers that last.
//!
//! Invariant: pure and deterministic. Equal sums give equal bytes, so any number of miners may write the same taxonomy.

pub mod articles;
pub mod blocks;
pub mod concept_pages;
pub mod concepts;
pub mod corrections;
pub mod entropy;
pub mod faults;
pub mod filing;
pub mod fingerprints;
pub mod fold;
mod index;
pub mod instances;
pub mod linked;
pub mod members;
pub mod ontology;
pub mod part;
pub mod registry;
pub mod schemes;
pub mod site_scheme;
pub mod summary;
pub mod taxminer;
pub mod taxonomy;
pub mod templates;
#[cfg(test)]
pub(crate) mod testing;
pub mod world;
