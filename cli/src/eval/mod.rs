//! Figures on labelled data.
//!
//! The measures are those of the scorers that the data sets come with, to the third decimal; what is
//! predicted can be written out (`--predictions`), so that anyone can score it independently. Every
//! figure is a macro average over pages, with its standard error by bootstrap.

pub(crate) mod articles;
pub(crate) mod attributes;
pub(crate) mod blocks;
pub(crate) mod hierarchy;
pub(crate) mod outline;
pub(crate) mod segments;
pub(crate) mod tables;
pub(crate) mod tags;
pub(crate) mod taxonomy;
pub(crate) mod world;

use std::path::Path;

use anyhow::Context;
use serde::de::DeserializeOwned;

/// Reads a file of gold.
pub(crate) fn read_text(path: &Path) -> anyhow::Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("cannot read `{}`", path.display()))
}

/// Reads JSON Lines; blank lines do not count.
pub(crate) fn read_lines<T: DeserializeOwned>(path: &Path) -> anyhow::Result<Vec<T>> {
    let text = read_text(path)?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(n, line)| {
            serde_json::from_str(line).with_context(|| format!("in `{}`, line {}", path.display(), n + 1))
        })
        .collect()
}

/// Precision, recall and F1 of one page.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub(crate) struct Prf {
    pub(crate) precision: f64,
    pub(crate) recall: f64,
    pub(crate) f1: f64,
}

impl Prf {
    /// Of `hit` right ones among `found`, where `wanted` were to be found. Nothing found where
    /// nothing is wanted is perfect.
    pub(crate) fn of(hit: usize, found: usize, wanted: usize) -> Prf {
        let precision = match (found, wanted) {
            (0, 0) => 1.0,
            (0, _) => 0.0,
            _ => hit as f64 / found as f64,
        };
        let recall = if wanted == 0 { 1.0 } else { hit as f64 / wanted as f64 };
        Prf { precision, recall, f1: harmonic(precision, recall) }
    }
}

/// Harmonic mean; 0 if both are.
pub(crate) fn harmonic(a: f64, b: f64) -> f64 {
    if a + b > 0.0 { 2.0 * a * b / (a + b) } else { 0.0 }
}

/// Mean; NaN of nothing.
pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Standard error of the mean by 2,000 bootstrap rounds with a fixed seed.
pub(crate) fn bootstrap_error(values: &[f64]) -> f64 {
    const ROUNDS: usize = 2000;
    if values.is_empty() {
        return f64::NAN;
    }
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % values.len() as u64) as usize
    };
    let means: Vec<f64> = (0..ROUNDS)
        .map(|_| (0..values.len()).map(|_| values[next()]).sum::<f64>() / values.len() as f64)
        .collect();
    let centre = mean(&means);
    (means.iter().map(|m| (m - centre).powi(2)).sum::<f64>() / ROUNDS as f64).sqrt()
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

    #[test]
    fn the_error_of_equal_values_is_zero_and_of_a_coin_is_its_own() {
        assert_eq!(bootstrap_error(&[0.5; 20]), 0.0);
        let coin: Vec<f64> = (0..100).map(|i| f64::from(i % 2)).collect();
        assert!((bootstrap_error(&coin) - 0.05).abs() < 0.005);
    }
}
