//! A seeded, synthetic world of overlapping news sites, served on loopback, with the right answers.
//!
//! # README
//! The demo mines this world, end-to-end tests check against its gold, and benches measure on it. Accuracy is tuned
//! on real pages, not here.
//!
//! ```text
//! newslode-newsworld serve --seed 7 --sites 10      # prints the address, the seeds and how to mine them
//! newslode-newsworld gold --seed 7 --sites 10       # the right answers as JSON
//! newslode-newsworld replay DIR                     # recorded sites under their own host names
//! newslode-newsworld living --world 2 --sites 3     # a line for each site of a world that lives
//! ```
//!
//! A [`World`] follows from its [`WorldSpec`]: the same seed gives the same bytes, on any machine, at any time.
//! Sites share a fixed taxonomy per language. Each carries a large part of it, spells some of it in its own way, and
//! has its own era, character set, markup habits and metadata style. [`Gold`] is computed from the same plans as the
//! pages, never from their HTML. A [`Server`] serves any [`Content`] by virtual host: conditional requests,
//! compression, redirects and, on demand, faults that pass after one or two tries.
//!
//! Every page has a marked copy that ties each text to its gold ([`marks`]). Every figure that tests measure on this
//! world has a floor ([`floors`]).
//!
//! [`living`] is a world of its own: small pages of sites that publish, edit, move and delete through simulated days.
//! [`anonymous`] is a site whose single pages are read badly.
//!
//! Where to start: `site.rs` and `looks.rs` (what a site is), `story.rs` (what it writes), `desk/` and `view.rs` (what
//! its pages show, what heads what), `template/` (how that looks), `world.rs` (all of it behind one function).

pub mod anonymous;
mod book;
mod byline;
mod charset;
mod dates;
mod desk;
mod facts;
pub mod floors;
mod gold;
mod head;
mod language;
pub mod living;
mod looks;
mod mangle;
pub mod marks;
mod replay;
mod reply;
mod rng;
mod server;
mod services;
mod site;
mod story;
mod taxonomy;
mod template;
mod text;
mod view;
mod world;

pub use charset::{Charset, Declared};
pub use gold::{Gold, GoldArticle, GoldConcept, GoldHierarchy, GoldPair};
pub use language::Language;
pub use looks::{Bylines, Headings, Lists, Looks, TableHeads};
pub use replay::Replay;
pub use reply::{Content, Reply, Trouble};
pub use rng::Rng;
pub use server::{Arrival, Server};
pub use site::{Era, Metadata, Section, SitePlan};
pub use world::{MarkedPage, PageKind, World, WorldSpec};
