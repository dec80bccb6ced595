//! Scores of what was read or mined against the right answers, for `newslode demo` and for measurements on labelled data.
//!
//! The measures agree with the scorers of the public data sets to the third decimal.

pub mod articles;
pub mod blocks;
pub mod hierarchy;
pub mod outline;

use std::fmt;

use serde::Serialize;

/// Precision, recall and F1 of one page.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Prf {
    /// Share of the found items that are right.
    pub precision: f64,
    /// Share of the expected items that were found.
    pub recall: f64,
    /// Harmonic mean of both.
    pub f1: f64,
}

impl Prf {
    /// Computes the figures for `hit` right items among `found`, with `wanted` expected. Finding nothing
    /// where nothing is expected is perfect.
    #[must_use]
    pub fn of(hit: usize, found: usize, wanted: usize) -> Prf {
        let precision = match (found, wanted) {
            (0, 0) => 1.0,
            (0, _) => 0.0,
            _ => hit as f64 / found as f64,
        };
        let recall = if wanted == 0 { 1.0 } else { hit as f64 / wanted as f64 };
        Prf { precision, recall, f1: harmonic_mean(precision, recall) }
    }
}

/// Harmonic mean; 0 if both values are 0.
#[must_use]
pub fn harmonic_mean(a: f64, b: f64) -> f64 {
    if a + b > 0.0 { 2.0 * a * b / (a + b) } else { 0.0 }
}

/// A figure of a set; none if the set judges nothing of the kind. Shown as `–`, in JSON as null.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Figure(pub Option<f64>);

impl Figure {
    /// The ratio of part and whole; none if the whole is 0.
    #[must_use]
    pub fn ratio(part: usize, whole: usize) -> Figure {
        Figure((whole > 0).then(|| part as f64 / whole as f64))
    }

    /// F1 of precision and recall.
    #[must_use]
    pub fn f1(precision: Figure, recall: Figure) -> Figure {
        Figure(precision.0.zip(recall.0).map(|(precision, recall)| harmonic_mean(precision, recall)))
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(value) => value.fmt(f),
            None => f.write_str("–"),
        }
    }
}

/// Mean; none without values.
#[must_use]
pub fn mean(values: &[f64]) -> Figure {
    Figure((!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_found_where_nothing_is_wanted_is_perfect() {
        assert_eq!(Prf::of(0, 0, 0), Prf { precision: 1.0, recall: 1.0, f1: 1.0 });
        assert_eq!(Prf::of(0, 0, 3), Prf { precision: 0.0, recall: 0.0, f1: 0.0 });
        assert_eq!(Prf::of(1, 2, 4), Prf { precision: 0.5, recall: 0.25, f1: 1.0 / 3.0 });
    }
}
