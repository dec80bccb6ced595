//! Filing: the concepts that an article belongs to, with the witness that says so and the confidence.
//!
//! Witnesses, most trusted first:
//! 1. The places that its site's own scheme gives it ([`site_scheme`](crate::mining::site_scheme)).
//! 2. Lists of concept pages ([`members`](crate::mining::members)); before a list is counted, the concept page that showed the
//!    article first (`shown`).
//! 3. The article's own section.
//! 4. A directory of its URL that is spelled like a concept.
//! 5. A place that a scheme knows under another name than the concept's (`topics`).
//! 6. A section or directory whose other articles agree (`places`), or a place that lies within the concept (`within`).
//! 7. Its words (`words`), if none of the others names a subject.
//!
//! A place is believed only if nine in ten of its articles agree; words only as far as they are right on sites that they were
//! not learnt from.
//!
//! Pure: equal articles in any order are filed alike. Start at [`Lessons`]; what they teach is a [`Filing`], a value that can be
//! stored and names concepts by their numbers in a catalogue of its own.

mod catalogue;
mod direct;
mod hash;
mod lessons;
mod model;
mod places;
mod shown;
mod topics;
mod within;
mod witness;
mod words;

pub(in crate::mining) use hash::hash;
pub use lessons::{Lessons, TaughtArticle, Teacher, sample};
pub use model::Filing;
pub use witness::{ArticleEvidence, Filed, Witness};
pub(in crate::mining) use words::term_weights;

#[cfg(test)]
mod tests;
