//! How likely a run is body, by trees that `train/bodies.py` learnt from pages with known bodies.

use std::sync::LazyLock;

use super::measures;
use crate::trees::Trees;
pub use crate::trees::TreesError;

/// The learnt trees, as written by `train/bodies.py`.
const WEIGHTS: &str = include_str!("bodies.txt");

/// Trees that score runs as body.
#[derive(Clone, Debug, Default)]
pub struct Scorer(Trees);

impl Scorer {
    /// The trees that are compiled in.
    ///
    /// # Panics
    /// Never: a test checks that the file can be parsed.
    #[must_use]
    pub fn shared() -> &'static Scorer {
        static SHARED: LazyLock<Scorer> = LazyLock::new(|| Scorer::parse(WEIGHTS).unwrap_or_default());
        &SHARED
    }

    /// Parses trees.
    ///
    /// # Errors
    /// A line is not a split, names an unknown measure or leads backwards.
    pub fn parse(text: &str) -> Result<Scorer, TreesError> {
        Trees::parse(text, measures::measure_names()).map(Scorer)
    }

    /// The likelihood of each run to be body, 0 to 1, from its row of measures.
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
