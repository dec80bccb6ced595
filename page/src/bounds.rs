//! Results that no page has: what a check of a page's results finds.
//!
//! Results travel from the process that read the page to the one that counts it, which must not believe that the sender kept to
//! the limits. So [`crate::analyse`] keeps to the limits, and `check` of [`crate::Contribution`], [`crate::Article`] and
//! [`crate::analysis::PageNotes`] finds results that do not. A check costs one pass over the results.

/// Results that no page has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Excess {
    /// Too many, or too large.
    #[error("`{what}` has {found} {unit}, more than the {most} that a page can have")]
    TooMuch {
        /// The field.
        what: &'static str,
        /// What is counted.
        unit: &'static str,
        /// What was found.
        found: usize,
        /// The limit.
        most: usize,
    },
    /// Not of the shape that pages have.
    #[error("`{what}` {problem}")]
    Shape {
        /// The field.
        what: &'static str,
        /// What is wrong with it.
        problem: &'static str,
    },
}

pub(crate) fn most(what: &'static str, unit: &'static str, found: usize, most: usize) -> Result<(), Excess> {
    if found <= most { Ok(()) } else { Err(Excess::TooMuch { what, unit, found, most }) }
}

pub(crate) fn holds(what: &'static str, is_so: bool, problem: &'static str) -> Result<(), Excess> {
    if is_so { Ok(()) } else { Err(Excess::Shape { what, problem }) }
}

pub(crate) fn bytes(what: &'static str, text: &str, limit: usize) -> Result<(), Excess> {
    most(what, "bytes", text.len(), limit)
}
