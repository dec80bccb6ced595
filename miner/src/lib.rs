//! Everything that looks at many pages: which labels are concepts, how they are ordered, what to follow,
//! and what is handed out at the end.
//!
//! Two halves. The first counts: [`apply`] turns partitioned pages into changes of their site's sums,
//! [`seeds`] does what operators say, [`service`] runs both off their queues. The second folds: [`fold`]
//! reads the sites' [`summary`]s and makes the [`taxonomy`] of [`concepts`] and [`taxminer`]'s relations,
//! a pure and deterministic function of the sums, so that any number of miners write the same bytes; what
//! it finds worth fetching ([`follow`]) goes to the frontier, the only way back in the whole system.
//! [`views`] says what only the whole site can say of a page: it looks at sites, shows new pages to their
//! [`templates`], and keeps what is [`known`] of each; [`window`] takes old pages out again, [`verify`] recomputes the
//! sums, [`ontology`] writes what was mined for others to read, with the [`instances`] of concepts.

pub mod apply;
pub mod concepts;
pub mod entropy;
pub mod fold;
pub mod follow;
mod index;
pub mod instances;
pub mod known;
pub mod members;
pub mod ontology;
pub mod reconcile;
pub mod seeds;
pub mod service;
pub mod summary;
pub mod taxminer;
pub mod taxonomy;
pub mod templates;
pub mod verify;
pub mod views;
pub mod window;
