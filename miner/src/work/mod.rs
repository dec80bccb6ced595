//! The miner at work: everything that reads and writes stores and queues.
//!
//! [`apply`] turns partitioned pages into changes of their site's sums, [`seeds`] obeys operators, and
//! [`service`] runs both from their queues. [`fold`] reads the sites' summaries, which are [`followed`], writes the taxonomy, and
//! tells the frontier what is worth fetching ([`follow`]); this is the only way back in the whole system.
//! [`views`] adds what only the whole site can say of a page: it looks at sites, shows new pages to their
//! templates, and keeps what is [`known`] of each site. [`window`] takes old pages out, [`reconcile`] brings
//! lost ones back (`losses` says when), [`recompute`] counts pages again when the algorithms changed ([`generations`]), and
//! [`verify`] proves the sums. [`fed`] names pages of web archives on their way. [`members`] and [`instances`] read what the ontology says of articles and
//! concepts. What the leader makes anew now and then is a `renewal`.
//!
//! Several miners share this work: [`owners`] says who cares for which site.
//!
//! All of them use [`parts`] (the miner's connections and settings), the [`archive`], `readers` (to whom
//! articles go), `values` of the store, [`error`] and `waiting`. What they measure of servers and sites is in `measures`.

pub mod apply;
pub mod archive;
mod deliveries;
pub mod ending;
pub mod error;
pub mod fed;
pub mod filing;
pub mod fold;
pub mod follow;
pub mod followed;
mod gather;
pub mod generations;
pub mod histories;
pub mod instances;
pub mod known;
mod losses;
mod measures;
pub mod members;
pub mod notes;
pub mod owners;
pub mod parts;
pub mod recompute;
pub mod reconcile;
mod renewal;
pub mod seeds;
pub mod service;
pub mod stores;
pub mod summaries;
mod values;
pub mod verify;
pub mod views;
mod waiting;
pub mod window;
