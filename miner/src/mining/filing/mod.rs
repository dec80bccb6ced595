//! Filing: the concepts that an article belongs to, with the witness that says so and the confidence.
//!
//! Witnesses, most trusted first:
//! 1. Lists of concept pages ([`members`](crate::mining::members)); before a list is counted, the concept page that showed the
//!    article first (`shown`).
//! 2. The article's own section.
//! 3. A directory of its URL that is spelled like a concept.
//! 4. A section or directory whose other articles agree (`places`).
//! 5. Its words (`words`), if none of the others names a subject.
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
mod witness;
mod words;

pub use lessons::{Lessons, Teacher, sample};
pub use model::Filing;
pub use witness::{ArticleEvidence, Filed, Witness};

#[cfg(test)]
mod tests;
