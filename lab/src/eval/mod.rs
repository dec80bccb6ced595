//! Measures accuracy on labelled data.
//!
//! The measures agree with the scorers of the data sets to the third decimal. `--predictions` writes the
//! predictions, so that anyone can score them independently. Every figure is a macro average over pages,
//! with its standard error by bootstrap.

pub(crate) mod articles;
pub(crate) mod attributes;
pub(crate) mod blocks;
pub(crate) mod instances;
pub(crate) mod judged;
pub(crate) mod outline;
pub(crate) mod segments;
pub(crate) mod splits;
pub(crate) mod tables;
pub(crate) mod tags;
pub(crate) mod taxonomy;
pub(crate) mod world;

use std::path::Path;

use anyhow::Context;
pub(crate) use newslode::demo::scores::{Figure, Prf, harmonic_mean, mean};
use newslode_page::splitmix::SplitMix;
use serde::de::DeserializeOwned;

/// Reads a file of gold.
pub(crate) fn read_text(path: &Path) -> anyhow::Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("cannot read `{}`", path.display()))
}

/// Reads JSON Lines and skips blank lines.
pub(crate) fn read_lines<T: DeserializeOwned>(path: &Path) -> anyhow::Result<Vec<T>> {
    let text = read_text(path)?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(n, line)| {
            serde_json::from_str(line).with_context(|| format!("in `{}`, line {}", path.display(), n + 1))
        })
        .collect()
}

fn average(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Standard deviation of values around their mean.
fn deviation(values: &[f64]) -> f64 {
    let centre = average(values);
    (values.iter().map(|value| (value - centre).powi(2)).sum::<f64>() / values.len() as f64).sqrt()
}

/// Standard error of the mean by 2,000 bootstrap rounds with a fixed seed.
pub(crate) fn bootstrap_error(values: &[f64]) -> Figure {
    const ROUNDS: usize = 2000;
    if values.is_empty() {
        return Figure(None);
    }
    let mut numbers = SplitMix(0x9e37_79b9_7f4a_7c15);
    let mut next = || (numbers.draw() % values.len() as u64) as usize;
    let means: Vec<f64> = (0..ROUNDS)
        .map(|_| (0..values.len()).map(|_| values[next()]).sum::<f64>() / values.len() as f64)
        .collect();
    Figure(Some(deviation(&means)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_of_equal_values_is_zero_and_of_a_coin_is_its_own() {
        assert_eq!(bootstrap_error(&[0.5; 20]).0, Some(0.0));
        let coin: Vec<f64> = (0..100).map(|i| f64::from(i % 2)).collect();
        assert!((bootstrap_error(&coin).0.unwrap() - 0.05).abs() < 0.005);
    }

    #[test]
    fn what_a_set_does_not_judge_has_no_figure() {
        let none =
            [mean(&[]), bootstrap_error(&[]), Figure::ratio(0, 0), Figure::f1(mean(&[]), mean(&[1.0]))];
        for figure in none {
            assert_eq!(format!("{figure:.3}"), "–");
            assert_eq!(serde_json::to_string(&figure).unwrap(), "null");
        }
        assert_eq!(format!("{:.3}", mean(&[0.5, 1.0])), "0.750");
        assert_eq!(serde_json::to_string(&Figure::ratio(1, 2)).unwrap(), "0.5");
    }
}
