//! Meta-tagging: whether each label of a page is a concept, attribute, value or none (`[SP §6]`).
//!
//! The print reads the tags from the group hierarchy: headers of groups are attributes, their instances values
//! ([`mod@print`]). This misses attributes with a single value, a weakness that its own figures show. Here the
//! page is read in [`lines`]. A label is set off, ends in a colon, or heads a list of its own
//! ([`labels`]). Its values are the rest of its line, or the lines below ([`mod@pairs`]). The concept is the
//! heading that repeats the title ([`concept`]). Navigation, footers and what recurs unchanged over the
//! pages of a site are none ([`decoration`]). If several pages of a site are given, texts at the same
//! place on many of them separate labels from values ([`recurrence`], [`alike`]).
//!
//! Invariants: one tag for each leaf; a pure function of the pages in their order; a single page is treated as a
//! site with one page. Start at [`tags`] and [`pairs()`].

use std::borrow::Borrow;

use crate::Page;

mod alike;
mod concept;
mod decoration;
mod facts;
mod labels;
mod lines;
mod pairs;
pub mod print;
mod reading;
mod recurrence;
mod site;

pub use crate::hierarchy::Tag;
pub use pairs::Pair;

/// The tags of the leaves of each page. All pages must be from one site.
///
/// ```
/// use newslode_page::tagging::{Pair, Tag, pairs};
/// use newslode_page::{Page, tags};
///
/// let url = "https://shop.example.org/r5".parse()?;
/// let html = "<title>Roller R5</title><h1>Roller R5</h1><dl><dt>Weight:<dd>650 g<dt>Colour:<dd>black</dl>";
/// let pages = [Page::parse(&url, None, html.as_bytes())];
/// use Tag::{Attribute, Concept, Value};
/// assert_eq!(tags(&pages), [[Concept, Attribute, Value, Attribute, Value]]);
/// // The same as pairs of a label and a value.
/// assert_eq!(pairs(&pages)[0][1], Pair { label: "Colour".into(), value: "black".into() });
/// # Ok::<(), newslode_page::reading::CanonicalUrlError>(())
/// ```
#[must_use]
pub fn tags<P: Borrow<Page>>(pages: &[P]) -> Vec<Vec<Tag>> {
    site::read_site(&as_refs(pages)).into_iter().map(|reading| reading.tags()).collect()
}

/// The attribute-value pairs of each page in page order, without repetitions. All pages must be from one site.
#[must_use]
pub fn pairs<P: Borrow<Page>>(pages: &[P]) -> Vec<Vec<Pair>> {
    site::read_site(&as_refs(pages)).iter().map(pairs::label_value_pairs).collect()
}

fn as_refs<P: Borrow<Page>>(pages: &[P]) -> Vec<&Page> {
    pages.iter().map(Borrow::borrow).collect()
}

#[cfg(test)]
mod tests;
