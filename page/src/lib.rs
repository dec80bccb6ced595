//! Reads one news page: bytes and a URL in; hierarchy, tables, tags, article and contribution out.
//!
//! Each algorithm is a pure function of a page and its parameters. It uses no clock, file, network or hidden
//! learnt state. Equal bytes give equal results, so any result can be computed again at any time. What the other
//! pages of the site say about a page is passed in as a value.
//!
//! # Input
//!
//! A [`Page`] is made of a [`CanonicalUrl`], the content type that the server named, and the bytes of the body
//! after content decoding. Articles also need the [`Timestamp`] of the fetch: no date may be later.
//!
//! # Output
//!
//! | question | function | answer |
//! |---|---|---|
//! | everything at once, for any bytes | [`analyse`] | [`Analysis`] |
//! | which label heads which? | [`hierarchy()`] by [`Params`] | [`Hierarchy`], as XML by [`hierarchy::xml`] |
//! | which tables hold data, and which records? | [`tables()`] | [`tables::DataTable`] |
//! | concept, attribute or value? | [`tags`] | [`tagging::Tag`] of each leaf |
//! | is it an article, and what does it say? | [`article()`] | [`Article`] |
//! | the same, knowing its site | [`SiteKnowledge::article`] | templates, siblings and corrected pages |
//! | what does the page add to its site's sums? | [`contribution()`] | [`Contribution`] |
//!
//! # Modules
//!
//! Dependencies between the modules have no cycles: reading a page comes first, articles come last.
//!
//! - Reading a page: [`reading`] (bytes → text → tree → leaves, addresses, language, what feeds say of it), [`time`].
//! - Tables: [`mod@tables`].
//! - Counting: [`mod@contribution`], from a page and its [`mod@hierarchy`].
//! - Hierarchies: [`partition`] (the methods), [`mod@hierarchy`] (the result, as XML and as a picture),
//!   [`tagging`] (the role of each label), [`wisdom`] (the informative blocks).
//! - Templates: [`template`] (what pages of one program have in common), [`instances`] (what a concept's
//!   links lead to).
//! - Articles: [`extract`] (the reader, and what is known of a site), [`mod@article`] (its form).
//! - What results can hold at most: [`bounds`].
//! - The whole path: [`analysis`], which contains the failures of a page; [`generation`], which names the
//!   algorithms behind a result. Also [`preset`], names of parameters, [`splitmix`], pseudorandom numbers,
//!   [`trees`], learnt numbers, and [`neutral`], strangers' texts on terminals and in Markdown.
//!
//! # Invariants
//!
//! - A page never ends the process: past a limit the result is coarser and says so, and [`analyse`] turns a
//!   panic into a note.
//! - Limits count bytes, nodes, leaves and steps, never seconds. Walks over trees are iterative.
//! - No clock, file, network, environment, thread or output: `clippy.toml` lists what is banned, and a test
//!   checks the dependencies. Another test finds cycles between modules.

pub mod analysis;
pub mod article;
pub mod bounds;
pub mod contribution;
pub mod discovery;
pub mod extract;
pub mod formats;
pub mod generation;
pub mod hierarchy;
pub mod instances;
mod measures;
pub mod neutral;
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
#[doc(hidden)]
pub mod training;
pub mod trees;
pub mod wisdom;

pub use analysis::{Analysis, analyse, analyse_page};
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
