//! By what events are filed under concepts: a value of the store that the leader learns and every miner reads.
//!
//! Exports file by all articles. Events need their concepts at once and at a bounded cost, so the leader [`learn`]s now and
//! then, beside the folds, from a sample of the articles that concept pages list. Each miner reads that value and keeps a
//! copy ([`FilingCache`]).

pub(in crate::work) mod cache;
mod learning;
pub(super) use cache::refresh_loop;
pub use cache::{FilingCache, write_filing};
pub use learning::learn;
pub(super) use learning::renew;
