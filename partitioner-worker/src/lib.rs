//! Everything that looks at ONE page: semantic partitioning, article extraction, the page's contribution.
//!
//! The idea: each algorithm is a pure function of a page and the parameters — no clock, no I/O, nothing
//! learnt from the site — so copies of this service scale without talking, and what a page says can be
//! computed again at any time. [`work()`] is the whole path from bytes to a message; [`service`] runs it
//! between the queues and is the one module that knows of them.
//!
//! Invariants: a page never ends the process (limits and a border for panics, see [`mod@work`]); limits are
//! counted in leaves and steps, never in seconds, so that equal bytes give equal contributions.
//! Start at [`work::work`], then [`partition::hierarchy`] and [`contribution::contribution`].

pub mod contribution;
pub mod extract;
pub mod instances;
pub mod labels;
mod language;
mod letters;
mod page;
mod params;
pub mod partition;
pub mod service;
pub mod tables;
pub mod tagging;
pub mod template;
pub mod terms;
#[cfg(test)]
mod testing;
mod trees;
pub mod wisdom;
pub mod work;

pub use page::Page;
pub use params::{GroupCost, Method, Params, Scope};
pub use partition::OutlineParams;
pub use work::work;
