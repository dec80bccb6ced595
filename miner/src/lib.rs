//! Everything that looks at many pages: which labels are concepts, how they are ordered, what to follow, and
//! what is written at the end.
//!
//! There are two trees. [`mining`] is pure: it goes from the sums of the sites to concepts, the taxonomy and
//! the ontology, in functions of values alone. [`work`] has the effects and uses `mining`: it counts pages,
//! folds, tells the frontier what is worth fetching, views pages again, and does all of this from the queues.
//! Nothing in `mining` knows `work`, a store, a queue or the time.

pub mod mining;
pub mod work;
