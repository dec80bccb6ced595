//! Knowledge about a site that helps to read its pages: people's corrections of some pages, and the common features of
//! its pages.
//!
//! A correction teaches by *places* (three elements with their classes, see [`place`]): which hold body, and
//! where fields are. Unlabelled pages show what the site repeats. Both shift the likelihoods of runs that the
//! single-page reader gives, so nothing changes on a site without knowledge. Pages that are laid out alike
//! ([`peers`]) tell the site's own title, names and dates from the story's. The value is small, belongs to no
//! page, and serialises without the templates; its keeper stores those together with facts about their use.
//! [`SiteContext`] applies the knowledge to one page.
//!
//! Invariants: pure; a correction that its page does not show is refused; learning from a page again replaces
//! what it taught before. Start at [`SiteKnowledge::teach`].

mod alignment;
mod context;
mod fields;
mod knowledge;
mod lesson;
mod peers;
mod place;
mod repeats;
mod summary;
mod teach;

pub use fields::{FieldLesson, Source, TitleSource};
pub use knowledge::SiteKnowledge;
pub use lesson::{Lesson, PlaceWords};
pub use teach::{Correction, TeachError};

pub(super) use context::{SiteContext, template_witness};
pub(super) use peers::{Peers, SIBLINGS};

#[cfg(test)]
mod tests;
