//! Bytes to text to tree to leaves: the input of every algorithm.
//!
//! [`decode`] finds the character encoding, [`PageTree`] is the document as the HTML standard's parser builds
//! it (scripting off), [`Leaves`] are its visible texts and described images with their interned paths,
//! [`CanonicalUrl`] is the identity of a page, [`Site`] that of a publisher, and [`links`] are the pages this
//! one points to.
//!
//! Invariant: nothing here fails. Any bytes give a tree; parts that are too large, too deep or too slow to parse
//! are cut and recorded in [`ParseNotes`]. Start at [`PageTree::parse`].

mod attributes;
mod charset;
mod feeder;
mod guard;
pub(crate) mod language;
mod leaves;
pub(crate) mod letters;
mod limits;
mod links;
pub mod listed;
mod page;
mod parse;
mod prescan;
pub mod short;
mod sink;
mod tree;
mod url;

#[cfg(test)]
mod tests;

pub use self::charset::{CharsetSource, DecodedText, decode};
pub use self::language::is_unspaced;
pub use self::leaves::{Leaf, Leaves, PathId, is_excluded};
pub use self::letters::squash;
pub use self::limits::{PageLimits, ParseNotes};
pub(crate) use self::links::MAX_LINK_TEXT;
pub use self::links::{Link, document_base, links};
pub use self::listed::{Listed, ListedBy, ListedEntry};
pub use self::page::Page;
pub use self::tree::{NodeId, NodeKind, PageTree, TagId};
pub use self::url::{CanonicalUrl, CanonicalUrlError, Site, canonical, resolve};
