//! Templates: what a site's pages that were made by one program have in common \[R\].
//!
//! Pages become trees in which equal subtrees share a number ([`shape`]). The restricted top-down distance
//! ([`distance`]) tells which pages are similar ([`cluster`]). Their composition is a pattern with wildcards
//! ([`pattern`]). Matching a page with it gives the passages that vary ([`matching`]); over all pages they get
//! their roles ([`induce()`]). It uses no labelled pages, no site names and no class words. [`plain`] is the
//! textbook distance, for tests and benches.
//!
//! Invariants: pure and deterministic; walks are iterative; comparisons take a bounded number of steps. Start
//! at [`induce()`] and [`fit`].

pub mod cluster;
pub mod distance;
mod induce;
pub mod matching;
pub mod pattern;
pub mod plain;
pub mod shape;

pub use induce::{Fit, LEAST_PAGES, MOST_PAGES, Role, Slot, Template, fit, induce};

#[cfg(test)]
mod tests;
