//! What is known about a site apart from the page that is read: people's corrections of some pages, and what
//! its pages have in common.
//!
//! A correction teaches by *places* (three elements with their classes, see [`place`]): which hold body, and
//! where fields are. Unlabelled pages show what the site repeats. Both shift the likelihoods of runs that the
//! single-page reader gives, so nothing changes on a site without knowledge. Pages that are laid out alike
//! ([`peers`]) tell the site's own title, names and dates from the story's. The value is small, belongs to no
//! page, and serialises without the templates; its keeper stores those together with facts about their use.
//! What is known of one page is asked of [`SiteContext`].
//!
//! Invariants: pure; a correction that its page does not show is refused; learning from a page again replaces
//! what it taught before. Start at [`SiteKnowledge::teach`].

mod alignment;
mod context;
mod fields;
mod hashes;
mod knowledge;
mod lesson;
mod peers;
mod place;
mod repeats;
mod summary;
mod teach;

pub use fields::{FieldLesson, Source, TitleSource};
pub use knowledge::SiteKnowledge;
pub use lesson::{Lesson, Words};
pub use teach::{Correction, TeachError};

pub(super) use context::{SiteContext, template_witness};
pub(super) use peers::{Peers, SIBLINGS};

#[cfg(test)]
mod tests;
