//! All that one page is and says: bytes and a URL in; hierarchy, tables, tags, article and contribution out.
//!
//! The idea: each algorithm is a pure function of a page and the parameters: no clock, no I/O, nothing
//! learnt from the site, so equal bytes give equal results on every machine and what a page says can be
//! computed again at any time. [`analyse`] is the whole path.
//!
//! Invariants: a page never ends the process (limits, and a border for panics: [`analysis`]); limits are
//! counted in leaves and steps, never in seconds.

pub mod analysis;
pub mod article;
pub mod contribution;
pub mod extract;
pub mod hierarchy;
pub mod instances;
pub mod partition;
pub mod reading;
pub mod splitmix;
pub mod tables;
pub mod tagging;
pub mod template;
#[cfg(test)]
mod testing;
pub mod time;
mod trees;
pub mod wisdom;

pub use analysis::{Analysis, analyse};
pub use article::Article;
pub use contribution::Contribution;
pub use contribution::counting::contribution;
pub use extract::{SiteKnowledge, article};
pub use hierarchy::Hierarchy;
pub use partition::{Params, hierarchy};
pub use reading::{CanonicalUrl, Page};
pub use tables::tables;
pub use tagging::tags;
pub use time::Timestamp;
