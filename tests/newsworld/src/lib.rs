//! Synthetic worlds for tests and benches, with the right answers.
//!
//! ```text
//! newslode-newsworld serve --seed 7 --sites 10      # prints the address, the seeds and how to mine them
//! newslode-newsworld gold --seed 7 --sites 10       # the right answers as JSON
//! newslode-newsworld replay DIR                     # recorded sites under their own host names
//! newslode-newsworld archived --without maps        # a site with two years of archives
//! newslode-newsworld serve --placed --sites 11      # sites that name the places of their articles in different ways
//! newslode-newsworld living --world 2 --sites 3     # a line for each site of a world that lives
//! ```
//!
//! The world of overlapping sites is that of `newslode demo`, the crate `newslode-demo-world`, which this crate
//! re-exports. Every figure that tests measure on it has a floor ([`floors`]).
//!
//! [`living`] is a world of its own: small pages of sites that publish, edit, move and delete through simulated days.
//! [`archived`] is a site with two years of archives. [`anonymous`] is a site whose single pages are read badly. [`placed`] has sites that name
//! the sections and tags of their articles in different ways, or have none. [`scripted`] hides the pages of another world behind scripts, [`headed`] adds a header to them. [`Replay`] serves recorded sites.

pub mod anonymous;
pub mod archived;
pub mod floors;
pub mod headed;
pub mod living;
pub mod placed;
mod replay;
pub mod scripted;

pub use newslode_demo_world::*;
pub use replay::Replay;
