//! Everything that looks at many pages: which labels are concepts, how they are ordered, what to follow,
//! and what is handed out at the end.
//!
//! Two trees. [`mining`] is pure: from the sums of the sites to concepts, the taxonomy and the ontology, as
//! functions of values alone. [`work`] has the effects and uses it: it counts pages, folds, gives the
//! frontier what is worth fetching, views pages again, and runs all of that off the queues. Nothing in
//! `mining` knows `work`, a store, a queue or the time.

pub mod mining;
pub mod work;
