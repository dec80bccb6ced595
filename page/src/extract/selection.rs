//! Which runs are taken for the body, by how likely each is, and whether precision or recall counts more ([`Focus`]).

use std::fmt;
use std::str::FromStr;

use super::runs::Run;
use super::scorer::Scorer;

/// What counts more in a body: that all of it is the story's, or that all of the story is in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Focus {
    /// Both alike.
    #[default]
    Balanced,
    /// What is doubtful is left out.
    Precision,
    /// What is doubtful is taken.
    Recall,
}

impl Focus {
    /// All of them.
    pub const ALL: [Focus; 3] = [Focus::Balanced, Focus::Precision, Focus::Recall];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Focus::Balanced => "balanced",
            Focus::Precision => "precision",
            Focus::Recall => "recall",
        }
    }

    /// β² of the F-measure whose expectation is greatest: below 1 for precision, above 1 for recall.
    fn beta_squared(self) -> f64 {
        match self {
            Focus::Balanced => 1.0,
            Focus::Precision => 0.25,
            Focus::Recall => 4.0,
        }
    }
}

/// An unknown name of a focus.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a focus: it is `balanced`, `precision` or `recall`")]
pub struct UnknownFocus(String);

impl fmt::Display for Focus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Focus {
    type Err = UnknownFocus;

    fn from_str(name: &str) -> Result<Focus, UnknownFocus> {
        let found = Focus::ALL.into_iter().find(|focus| focus.name() == name);
        found.ok_or_else(|| UnknownFocus(name.into()))
    }
}

/// How runs are chosen: scored by what, and with which focus.
#[derive(Clone, Copy)]
pub(super) struct Choice<'a> {
    pub(super) scorer: &'a Scorer,
    pub(super) focus: Focus,
}

impl Default for Choice<'_> {
    fn default() -> Self {
        Choice { scorer: Scorer::shared(), focus: Focus::Balanced }
    }
}

/// Chooses the runs with the greatest expected F-measure, whose β the focus gives. Only sets of all runs above some score are
/// compared. The measure is (1 + β²)·(expected body words in the set) / (words in the set + β²·(expected body words of the page)).
pub(super) fn with_best_f(runs: &[Run], scores: &[f32], focus: Focus) -> Vec<bool> {
    let beta = focus.beta_squared();
    let mut order: Vec<usize> = (0..runs.len()).collect();
    order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
    let words = |at: usize| f64::from(runs[at].words);
    let expected_all: f64 = order.iter().map(|&at| words(at) * f64::from(scores[at])).sum();
    // Lower the threshold run by run, and remember where the expected measure was greatest.
    let (mut taken, mut expected_taken, mut best, mut threshold) = (0.0, 0.0, 0.0, f32::INFINITY);
    for at in order {
        taken += words(at);
        expected_taken += words(at) * f64::from(scores[at]);
        let f = (1.0 + beta) * expected_taken / (taken + beta * expected_all);
        if f > best {
            (best, threshold) = (f, scores[at]);
        }
    }
    scores.iter().map(|score| *score >= threshold).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::runs::Runs;
    use crate::testing::page;

    #[test]
    fn likely_runs_are_taken_while_they_gain() {
        let page = page("<p>one two three four<p>five six seven eight<p>nine ten");
        let runs = Runs::new(&page).runs;
        let check = |scores: [f32; 3], expected: [bool; 3]| {
            assert_eq!(with_best_f(&runs, &scores, Focus::Balanced), expected, "{scores:?}");
        };
        check([0.9, 0.1, 0.2], [true, false, false]);
        // If nothing is certain, more is taken.
        check([0.3, 0.25, 0.05], [true, true, false]);
        check([0.0, 0.0, 0.0], [false, false, false]);
        assert!(with_best_f(&[], &[], Focus::Balanced).is_empty());
    }

    #[test]
    fn a_focus_moves_the_threshold() {
        let page = page("<p>one two three four<p>five six seven eight<p>nine ten");
        let runs = Runs::new(&page).runs;
        let taken = |focus| with_best_f(&runs, &[0.9, 0.6, 0.3], focus).iter().filter(|is| **is).count();
        assert_eq!([Focus::Precision, Focus::Balanced, Focus::Recall].map(taken), [1, 2, 3]);
    }
}
