//! Filing: which concepts an article belongs to, who says so, and how far to trust it.
//!
//! Witnesses, most trusted first: lists of concept pages ([`members`](crate::mining::members)), and before a list is counted the concept
//! page that showed the article first (`shown`); the article's own section;
//! a directory of its address that is spelled like a concept; a section or directory whose other articles agree (`places`);
//! and where none of these speaks, its words (`words`). A filing that was learnt is believed only if nine in ten of what it
//! was learnt from agree; words only as far as they are right on sites that they were not learnt from.
//!
//! Pure: equal articles in any order are filed alike; callers read them by site and address. Start at [`Lessons`]. What was
//! learnt is a value that can be kept: it names concepts by their numbers in a catalogue of its own.

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
pub use witness::{Asked, Filed, Witness};

#[cfg(test)]
mod tests;
