//! How likely a run is body, by trees that `train/bodies.py` learnt from pages of known body.

use std::sync::LazyLock;

use super::measures;
use crate::trees::Trees;
pub use crate::trees::TreesError;

/// What was learnt; see `train/bodies.py` for from what.
const WEIGHTS: &str = include_str!("bodies.txt");

/// Trees that tell body from the rest of a page.
#[derive(Clone, Debug, Default)]
pub struct Scorer(Trees);

impl Scorer {
    /// The trees that are compiled in.
    ///
    /// # Panics
    /// Never: that the file can be read is a test.
    #[must_use]
    pub fn shared() -> &'static Scorer {
        static SHARED: LazyLock<Scorer> = LazyLock::new(|| Scorer::parse(WEIGHTS).unwrap_or_default());
        &SHARED
    }

    /// Reads trees.
    ///
    /// # Errors
    /// A line that is no split, names an unknown measure or leads backwards.
    pub fn parse(text: &str) -> Result<Scorer, TreesError> {
        Trees::parse(text, measures::names()).map(Scorer)
    }

    /// The likelihood of each run that it is body, 0 to 1, by its row of measures.
    pub(super) fn scores(&self, rows: &[f32]) -> Vec<f32> {
        self.0.scores(rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_compiled_in_can_be_read() {
        let scorer = Scorer::parse(WEIGHTS).unwrap();
        assert!(scorer.0.len() >= 40, "{}", scorer.0.len());
    }
}
