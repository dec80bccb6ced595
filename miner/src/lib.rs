//! Everything that needs many pages: which labels are concepts, how they are ordered, what to fetch next, and the ontology.
//!
//! There are two trees. [`mining`] is pure: it goes from the sums of the sites to concepts, the taxonomy and the ontology, in
//! functions of values alone. [`work`] has the effects and uses `mining`: it counts pages, folds, adds URLs to the frontier,
//! views pages, publishes events, and does all of this from the queues. Nothing in `mining` knows `work`, a store, a queue or
//! the time. Start at [`work::apply`] for a page's way into the sums, and at [`work::fold`] for the taxonomy.

pub mod mining;
pub mod work;
