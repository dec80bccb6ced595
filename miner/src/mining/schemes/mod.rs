//! Schemes from outside: lists of concepts in SKOS, those that users bring and those that come with the product.
//!
//! [`read`](read()) turns a file in Turtle, N-Triples, RDF/XML or JSON-LD into [`Scheme`]s. [`builtin`] holds four of our own: topics,
//! regions, genres, and the furniture of sites. [`lookup`] finds the concepts of several schemes that a label names.
//!
//! Invariant: what a file says decides its scheme, not the order in which it says so, nor its syntax. Equal statements give
//! equal numbers of concepts and equal digests. Nothing here opens a file or an address: bytes come in, values go out.
//! What comes with the product, and where it is from, is described in docs/schemes.md. Start at [`read::read`].

pub mod builtin;
pub mod known;
pub mod lookup;
pub mod read;
pub mod scheme;
#[cfg(test)]
mod tests;

pub use self::builtin::Builtin;
pub use self::known::KnownLabels;
pub use self::lookup::{Facet, Match, SchemeIndex};
pub use self::read::{Format, Limits, ReadError, read};
pub use self::scheme::{Concept, Label, LabelKind, Scheme};
