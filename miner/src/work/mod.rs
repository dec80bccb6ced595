//! The miner at work: everything that reads and writes stores and queues.
//!
//! [`apply`] turns partitioned pages into changes of their site's sums, [`seeds`] does what operators say, and
//! [`service`] runs both off their queues. [`fold`] reads the sites' [`summaries`], writes the taxonomy, and gives
//! the frontier what is worth fetching ([`follow`]), the only way back in the whole system. [`views`] says what
//! only the whole site can say of a page: it looks at sites, shows new pages to their templates, and keeps what
//! is [`known`] of each. [`window`] takes old pages out again, [`reconcile`] brings lost ones back, [`recompute`]
//! counts them again when the algorithms changed ([`generations`]), [`verify`] proves the sums. [`members`] and [`instances`] read what the ontology says of articles and concepts.
//!
//! All of them stand on [`parts`] (what the miner works with), the [`archive`], `readers` (to whom articles
//! go), [`error`] and `waiting`.

pub mod apply;
pub mod archive;
pub mod error;
pub mod fold;
pub mod follow;
pub mod generations;
pub mod instances;
pub mod known;
pub mod members;
pub mod parts;
mod readers;
pub mod recompute;
pub mod reconcile;
pub mod seeds;
pub mod service;
pub mod summaries;
pub mod verify;
pub mod views;
mod waiting;
pub mod window;
