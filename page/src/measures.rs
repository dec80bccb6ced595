//! Measures: named numbers about one thing.
//!
//! Learnt weights and trees find a measure by its name; a measured thing is a row of numbers. Both come from
//! the same lines of code, so that their order cannot differ: measuring code passes each name with its value to
//! a [`MeasureSink`]. A row (`Vec<f32>`) keeps the values and ignores the names; [`names`] runs the same code
//! once, on a [`sample_page`], and keeps the names.
//!
//! Invariant: measuring code adds the same names in the same order, whatever it measures.

use std::fmt::{self, Display};

use crate::reading::Page;

/// Takes measures, one name and value at a time.
pub(crate) trait MeasureSink {
    /// Takes one measure. Pass a composed name as `format_args!`: it costs nothing if nobody reads it.
    fn add(&mut self, name: impl Display, value: f32);

    /// Takes a measure that is 1 or 0.
    fn flag(&mut self, name: impl Display, is_so: bool) {
        self.add(name, f32::from(u8::from(is_so)));
    }
}

impl MeasureSink for Vec<f32> {
    #[inline]
    fn add(&mut self, _: impl Display, value: f32) {
        self.push(value);
    }
}

/// The name of a variant in small letters, for the name of a measure: it costs nothing if nobody reads it.
#[derive(Clone, Copy)]
pub(crate) struct LowerCase<T>(pub(crate) T);

impl<T: fmt::Debug> Display for LowerCase<T> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(&format!("{:?}", self.0).to_lowercase())
    }
}

/// Keeps the names.
pub(crate) struct NameSink(Vec<String>);

impl MeasureSink for NameSink {
    fn add(&mut self, name: impl Display, _: f32) {
        self.0.push(name.to_string());
    }
}

/// The names of the measures that `measure` adds, in order.
pub(crate) fn measure_names(measure: impl FnOnce(&mut NameSink)) -> Vec<String> {
    let mut names = NameSink(Vec::new());
    measure(&mut names);
    names.0
}

/// A small page on which every measuring function finds something to measure.
pub(crate) fn sample_page() -> Option<Page> {
    let url = "http://sample.invalid/".parse().ok()?;
    let html = "<h1>One</h1><p>Two three.</p><table><tr><td>four<td>five<tr><td>six<td>seven</table>";
    Some(Page::parse(&url, Some("text/html; charset=utf-8"), html.as_bytes()))
}

/// One weight for each measure, in the order of the measures.
#[derive(Clone, Debug, Default)]
pub(crate) struct Weights(Vec<f32>);

/// The weights do not match the measures.
#[derive(Debug, thiserror::Error, PartialEq)]
pub(crate) enum WeightsError {
    #[error("there is no measure `{0}`, or it has two weights")]
    Unknown(String),
    #[error("the measure `{0}` has no weight")]
    Missing(String),
}

impl Weights {
    /// The weights for measures with these names.
    ///
    /// # Errors
    /// A weight has no measure, or a measure has no weight.
    pub(crate) fn new(weights: &[(&str, f32)], names: &[String]) -> Result<Weights, WeightsError> {
        let weight = |name: &String| {
            let weight = weights.iter().find(|(other, _)| other == name);
            weight.map(|(_, weight)| *weight).ok_or_else(|| WeightsError::Missing(name.clone()))
        };
        let found: Vec<f32> = names.iter().map(weight).collect::<Result<_, _>>()?;
        let is_used = |at: usize| {
            let name = weights[at].0;
            names.iter().any(|other| other == name) && weights[..at].iter().all(|(other, _)| *other != name)
        };
        match (0..weights.len()).find(|&at| !is_used(at)) {
            Some(at) => Err(WeightsError::Unknown(weights[at].0.to_owned())),
            None => Ok(Weights(found)),
        }
    }

    /// The weighted sum of a row: the log odds that something is so.
    pub(crate) fn sum(&self, row: &[f32]) -> f32 {
        debug_assert_eq!(self.0.len(), row.len(), "a row of other measures");
        self.0.iter().zip(row).map(|(weight, measure)| weight * measure).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measure(sink: &mut impl MeasureSink) {
        sink.add("words", 3.0);
        for size in [2, 4] {
            sink.flag(format_args!("from {size}"), size < 3);
        }
    }

    #[test]
    fn names_and_values_come_from_the_same_lines() {
        assert_eq!(measure_names(measure), ["words", "from 2", "from 4"]);
        let mut row = Vec::new();
        measure(&mut row);
        assert_eq!(row, [3.0, 1.0, 0.0]);
    }

    #[test]
    fn weights_are_found_by_name() {
        let names = measure_names(measure);
        let weights = [("from 4", 8.0), ("words", 2.0), ("from 2", 0.5)];
        assert_eq!(Weights::new(&weights, &names).unwrap().sum(&[3.0, 1.0, 1.0]), 14.5);
        let check = |weights: &[(&str, f32)], error| {
            assert_eq!(Weights::new(weights, &names).unwrap_err(), error);
        };
        check(&weights[..2], WeightsError::Missing("from 2".into()));
        check(&[&weights[..], &[("form 2", 1.0)]].concat(), WeightsError::Unknown("form 2".into()));
        check(&[&weights[..], &[("words", 1.0)]].concat(), WeightsError::Unknown("words".into()));
    }
}
