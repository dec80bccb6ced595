//! Templates: what the pages of a site that one program made have in common \[R\].
//!
//! Pages become trees whose equal subtrees are one number ([`shape`]); the restricted top-down distance
//! ([`distance`]) tells which pages are alike ([`cluster`]); their composition is a pattern with wildcards
//! ([`pattern`]); matching a page with it gives the passages that vary ([`matching`]), and over all pages what
//! each is ([`induce()`]). No labels, no names of sites, no class words. [`plain`] is the textbook's
//! distance, for tests and benches.
//!
//! Invariants: pure and deterministic; walks are iterative; comparisons take a bounded number of steps.
//! Start at [`induce()`] and [`fit`].

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
