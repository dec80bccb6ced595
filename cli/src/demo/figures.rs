//! Figures on the synthetic world, whose gold is exact to the leaf.
//!
//! [`Figures`] is a list of names and values, so that one piece of code each can print them, write them as JSON and
//! check them against floors (`tests/newsworld/floors.txt`). A figure for which nothing was judged is left out.

use serde::{Serialize, Serializer};

use super::scores::{self, Prf};

/// Names and values between 0 and 1, in the order in which they were measured.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figures(Vec<(String, f64)>);

impl Figures {
    /// Adds the mean of `judged`, unless it is empty.
    pub fn mean(&mut self, name: &str, judged: &[f64]) {
        if let Some(mean) = scores::mean(judged).0 {
            self.0.push((name.to_owned(), mean));
        }
    }

    /// Adds the share of right answers, unless there are no answers.
    pub fn share(&mut self, name: &str, right: &[bool]) {
        let values: Vec<f64> = right.iter().map(|is_right| f64::from(u8::from(*is_right))).collect();
        self.mean(name, &values);
    }

    /// Adds precision, recall and F1.
    pub fn prf(&mut self, name: &str, prf: &Prf) {
        for (part, value) in [("precision", prf.precision), ("recall", prf.recall), ("f1", prf.f1)] {
            self.0.push((format!("{name}.{part}"), value));
        }
    }

    /// Appends other figures.
    pub fn extend(&mut self, others: Figures) {
        self.0.extend(others.0);
    }

    /// All names and values.
    pub fn iter(&self) -> impl Iterator<Item = (&str, f64)> {
        self.0.iter().map(|(name, value)| (name.as_str(), *value))
    }
}

impl Serialize for Figures {
    /// An object whose values have three decimals, as in print.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter().map(|(name, value)| (name, (value * 1000.0).round() / 1000.0)))
    }
}
