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
mod measures;
mod params;
pub mod partition;
pub mod reading;
pub mod splitmix;
pub mod tables;
pub mod tagging;
pub mod template;
#[cfg(test)]
mod testing;
mod text;
pub mod time;
mod trees;
pub mod wisdom;

pub use analysis::{Analysis, analyse};
pub use params::{GroupCost, Method, Params, Scope};
pub use partition::OutlineParams;
pub use reading::Page;
