//! Schemes from outside: lists of concepts in SKOS, those that users bring and those that come with the product.
//!
//! [`read`](read()) turns a file in Turtle, N-Triples, RDF/XML or JSON-LD into [`Scheme`]s. [`builtin`] holds four of our own: topics,
//! regions, genres, and the furniture of sites. [`lookup`] finds the concepts of several schemes that a label names. A [`set`] is
//! the schemes that are in use, and [`align`](mod@align) says which of their concepts the concepts of a taxonomy are.
//!
//! Invariant: what a file says decides its scheme, not the order in which it says so, nor its syntax. Equal statements give
//! equal numbers of concepts and equal digests. Nothing here opens a file or an address: bytes come in, values go out.
//! What comes with the product, and where it is from, is described in docs/schemes.md. Start at [`read::read`].

pub mod align;
pub mod builtin;
mod guard;
pub mod known;
pub mod lookup;
pub mod read;
pub mod results;
pub mod scheme;
pub mod set;
mod statements;
#[cfg(test)]
mod tests;

pub use self::align::{Alignment, align, align_label, align_taxonomy};
pub use self::builtin::Builtin;
pub use self::known::KnownLabels;
pub use self::lookup::{Facet, Match, SchemeIndex, Step};
pub use self::read::read;
pub use self::results::{Format, Limits, ReadError};
pub use self::scheme::{Concept, Label, LabelKind, Scheme};
pub use self::set::{Aligned, NamedScheme, SchemeSet, codes_of};
