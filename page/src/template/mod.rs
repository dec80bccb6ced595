//! Templates: what the pages that one program made have in common \[R\].
//!
//! The steps are those of the paper's section on the extraction of news:
//!
//! 1. [`shape`] turns pages into trees in which equal subtrees share a number.
//! 2. [`cluster`] clusters similar pages. Their similarity is the restricted top-down distance ([`distance`]).
//! 3. [`pattern`] composes the pages of a cluster into one pattern, with wildcards where they differ.
//! 4. [`matching`] matches pages with the pattern, which yields the passages that vary.
//! 5. `induce` labels the wildcards by what they match on all pages: body, title, other.
//!
//! Nothing here uses labelled pages, names of sites or words in `class` attributes. [`plain`] is the textbook
//! distance, for tests and benches.
//!
//! Invariants: pure and deterministic; walks are iterative; comparisons take a bounded number of steps, linear in
//! the pages. Start
//! at [`induce_templates`] and [`match_templates`].

pub mod cluster;
pub mod distance;
mod induce;
pub mod matching;
pub mod pattern;
pub mod plain;
pub mod shape;

pub use induce::{
    LEAST_TEMPLATE_PAGES, Learnt, MOST_COMPARED_PAGES, MOST_LEARNING_STEPS, Slot, SlotRole, Template,
    TemplateMatch, induce_templates, match_templates,
};

#[cfg(test)]
mod tests;
