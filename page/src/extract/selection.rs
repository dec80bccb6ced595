//! Which runs are taken for the body, by how likely each is.

use super::runs::Run;

/// The runs with the greatest expected F1. Of all sets of runs above a score it is the one with the greatest
/// 2·(expected body words in it) / (words in it + expected body words of the page).
pub(super) fn with_best_f1(runs: &[Run], scores: &[f32]) -> Vec<bool> {
    let mut order: Vec<usize> = (0..runs.len()).collect();
    order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
    let words = |at: usize| f64::from(runs[at].words);
    let expected_all: f64 = order.iter().map(|&at| words(at) * f64::from(scores[at])).sum();
    // Lower the threshold run by run, and remember where the expected F1 was greatest.
    let (mut taken, mut expected_taken, mut best, mut threshold) = (0.0, 0.0, 0.0, f32::INFINITY);
    for at in order {
        taken += words(at);
        expected_taken += words(at) * f64::from(scores[at]);
        let f1 = 2.0 * expected_taken / (taken + expected_all);
        if f1 > best {
            (best, threshold) = (f1, scores[at]);
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
            assert_eq!(with_best_f1(&runs, &scores), expected, "{scores:?}");
        };
        check([0.9, 0.1, 0.2], [true, false, false]);
        // If nothing is certain, more is taken.
        check([0.3, 0.25, 0.05], [true, true, false]);
        check([0.0, 0.0, 0.0], [false, false, false]);
        assert!(with_best_f1(&[], &[]).is_empty());
    }
}
