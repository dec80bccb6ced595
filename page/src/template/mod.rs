//! Templates: what a site's pages that were made by one program have in common \[R\].
//!
//! Pages become trees in which equal subtrees share a number ([`shape`]). The restricted top-down distance
//! ([`distance`]) tells which pages are similar ([`cluster`]). Their composition is a pattern with wildcards
//! ([`pattern`]). Matching a page with it gives the passages that vary ([`matching`]); over all pages they get
//! their roles ([`induce_templates`]). It uses no labelled pages, no site names and no class words. [`plain`] is the
//! textbook distance, for tests and benches.
//!
//! Invariants: pure and deterministic; walks are iterative; comparisons take a bounded number of steps. Start
//! at [`induce_templates`] and [`match_templates`].

pub mod cluster;
pub mod distance;
mod induce;
pub mod matching;
pub mod pattern;
pub mod plain;
pub mod shape;

pub use induce::{
    LEAST_TEMPLATE_PAGES, MOST_COMPARED_PAGES, Slot, SlotRole, Template, TemplateMatch, induce_templates,
    match_templates,
};

#[cfg(test)]
mod tests;
