//! The taxonomy: concepts, which is broader than which, and the sites that say so.
//!
//! A [`fold`](crate::mining::fold) makes a [`Taxonomy`]; [`tree_text`] and [`tree_svg`] show it to people.

mod model;
mod outline;
mod picture;
pub use model::{Concept, Edit, Form, OtherLanguages, Relation, Taxonomy};
pub use outline::{counted_sites, tree_text};
pub use picture::tree_svg;
