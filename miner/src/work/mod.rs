//! The miner at work: everything that reads and writes stores and queues.
//!
//! [`service`] runs it all. From the queues, [`apply`] counts partitioned pages, [`removal`] removes pages that are gone, and
//! [`seeds`] carries out operators' messages (`gather` and `deliveries` handle the messages themselves, `admission` says which
//! are believed). Beside the queues:
//! - [`fold`] reads the sites' summaries from the [`summary_cache`], writes the taxonomy and adds URLs to the frontier
//!   ([`links`]): the only way back in the whole system. [`corrections`] lays over it what editors corrected, and the [`registry`] of
//!   concepts follows it.
//! - [`views`] computes what only the whole site can say of a page, with the [`knowledge`] of the site.
//! - [`histories`] keeps what happened to each article and publishes its events, at the time that [`announcements`] says
//!   ([`announcing`]);
//!   [`filing`] says under which concepts, and
//!   [`feedback`] reports to the schedule what a page turned out to be.
//! - [`copies`] deletes the bytes of pages that ask for no copy.
//! - [`window`] removes old pages, [`reconcile`] publishes lost ones again (`losses` says when), [`recompute`] counts pages again
//!   after the algorithms changed ([`generations`]), and [`verify`] proves the sums.
//! - [`captures`] names pages of web archives on their way. [`members`] and [`instances`] read what the ontology says of articles
//!   and concepts.
//!
//! Several miners share this work. [`owners`] says which of them owns which site and which one leads; a `leader_task` is what the
//! leader computes again now and then.
//!
//! All of them use [`stores`], the [`archive`] and the `values` of the store; [`parts`] holds all connections and settings
//! of a miner.

mod admission;
pub mod announcements;
pub mod announcing;
pub mod apply;
pub mod archive;
pub mod captures;
pub mod copies;
pub mod corrections;
mod deliveries;
pub mod error;
pub mod feedback;
pub mod filing;
pub mod fold;
mod gather;
mod gauges;
pub mod generations;
pub mod histories;
pub mod instances;
pub mod knowledge;
mod leader_task;
pub mod links;
mod losses;
pub mod members;
pub mod owners;
pub mod parts;
pub mod places;
pub mod recompute;
pub mod reconcile;
pub mod registry;
pub mod removal;
pub mod repair;
pub mod retention;
pub mod scheme_claim;
pub mod scheme_set;
pub mod scheme_summaries;
pub mod schemes;
pub mod seeds;
pub mod service;
pub mod stores;
pub mod summaries;
pub mod summary_cache;
mod values;
pub mod verify;
pub mod views;
mod waiting;
pub mod window;
