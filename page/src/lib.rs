//! What a news page says: bytes and a URL in; hierarchy, tables, tags, article and contribution out.
//!
//! The idea: each algorithm is a pure function of a page and its parameters. There is no clock, no file, no
//! network and nothing learnt in secret, so equal bytes give equal results, and what a page says can be
//! computed again at any time. What other pages of its site say of it is a value that is passed in.
//!
//! # What comes in
//!
//! A [`CanonicalUrl`], the content type that the server named, and the body's bytes, content encoding undone:
//! they make a [`Page`]. Articles also want the [`Timestamp`] of the fetch, which no date may be after.
//!
//! # What comes out
//!
//! | question | ask | answer |
//! |---|---|---|
//! | all at once, whatever the bytes are | [`analyse`] | [`Analysis`] |
//! | who heads whom? | [`hierarchy()`] by [`Params`] | [`Hierarchy`], as XML by [`hierarchy::xml`] |
//! | which tables hold data, and which records? | [`tables()`] | [`tables::DataTable`] |
//! | concept, attribute or value? | [`tags`] | [`tagging::Tag`] of each leaf |
//! | is it an article, and what does it say? | [`article()`] | [`Article`] |
//! | the same, knowing its site | [`SiteKnowledge::article`] | templates, siblings and corrected pages |
//! | what does the page add to its site's sums? | [`contribution()`] | [`Contribution`] |
//!
//! # The rooms
//!
//! Everything that is not at this door stands in a room. Rooms use one another one way: a page is read first,
//! and articles come last.
//!
//! - Reading a page: [`reading`] (bytes → text → tree → leaves, addresses, language), [`time`].
//! - Tables: [`mod@tables`].
//! - What is counted: [`mod@contribution`], of a page and its [`mod@hierarchy`].
//! - Who heads whom: [`partition`] (the methods), [`mod@hierarchy`] (what they make, as XML and as a picture),
//!   [`tagging`] (what each label is), [`wisdom`] (which of it is there to be read).
//! - Templates: [`template`] (what pages of one program have in common), [`instances`] (what a concept's
//!   links lead to).
//! - Articles: [`extract`] (the reader, and what is known of a site), [`mod@article`] (its form).
//! - The whole path: [`analysis`], the border that no page crosses; [`generation`], by which algorithms something
//!   was computed. Beside them [`preset`], names of parameters, and [`splitmix`], numbers that look random.
//!
//! # Invariants
//!
//! - A page never ends the process: past a limit the result is coarser and says so, and [`analyse`] turns a
//!   panic into a note.
//! - Limits count bytes, nodes, leaves and steps, never seconds. Walks over trees are iterative.
//! - No clock, file, network, environment, thread or output: `clippy.toml` names what is banned, and a test
//!   looks through the dependencies. Another test finds rooms that use one another.

pub mod analysis;
pub mod article;
pub mod contribution;
pub mod extract;
pub mod generation;
pub mod hierarchy;
pub mod instances;
mod measures;
pub mod partition;
pub mod preset;
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

/// The README's examples, as doc tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
