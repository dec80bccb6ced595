//! A seeded, synthetic web of overlapping news sites, served on loopback, with the right answers.
//!
//! `newslode demo` mines this world and scores the result. Tests and the lab build on it, too: `tests/newsworld` adds a
//! program that serves it, sites that publish through simulated days, and recorded sites. Accuracy is tuned on real pages,
//! not here.
//!
//! A [`World`] follows from its [`WorldSpec`]: the same seed gives the same bytes, on any machine, at any time.
//! Sites share a fixed taxonomy per language. Each carries a large part of it, spells some of it in its own way, and
//! has its own era, character set, markup habits and metadata style. [`Gold`] is computed from the same plans as the
//! pages, never from their HTML. A [`Server`] serves any [`Content`] by virtual host: conditional requests,
//! compression, redirects and, on demand, faults that pass after one or two tries.
//!
//! Every page has a marked copy that ties each text to its gold ([`marks`]).
//!
//! Where to start: `site.rs` and `looks.rs` (what a site is), `story.rs` (what it writes), `desk/` and `view.rs` (what
//! its pages show, what heads what), `template/` (how that looks), `world.rs` (all of it behind one function).

mod book;
mod byline;
mod charset;
pub mod dates;
mod desk;
mod era;
mod facts;
mod gold;
mod head;
pub mod language;
mod looks;
mod mangle;
pub mod marks;
mod reply;
mod rng;
mod server;
mod services;
mod site;
mod spec;
mod story;
pub mod taxonomy;
mod template;
pub mod text;
mod view;
mod world;

pub use charset::{Charset, Declared};
pub use era::Era;
pub use gold::{Gold, GoldArticle, GoldConcept, GoldHierarchy, GoldPair};
pub use language::Language;
pub use looks::{Bylines, Headings, Lists, Looks, TableHeads};
pub use reply::{Content, Reply, Trouble};
pub use rng::Rng;
pub use server::{Arrival, Server};
pub use site::{Metadata, Section, SitePlan};
pub use spec::WorldSpec;
pub use world::{MarkedPage, PageKind, World};
