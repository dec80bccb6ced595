//! The lesson of one corrected page about its site: which places hold body, and where its fields are.
//!
//! At each place of the page the words that the right text contains are counted. On the site's other pages a
//! run's likelihood is shifted by the odds of its place. Few words shift it little, so a lesson outweighs the
//! single-page reader only where it knows more. Fields are learnt only where that reader was wrong.

use std::collections::BTreeMap;

use crate::reading::PageTree;
use serde::{Deserialize, Serialize};

use super::fields::FieldLesson;
use super::place::place_of_run;
use super::repeats::{LONG, SitePage};
use crate::extract::hashes::text_hash;
use crate::extract::runs::Runs;

/// The weight of a place's odds, and the words of either kind that every place starts with: they keep a line or
/// two from outweighing a clear page.
const WEIGHT: f32 = 1.5;
const PRIOR: f32 = 3.0;
/// A text counts as body wherever the site repeats it if at least this share of it is body.
const LEAST_BODY_SHARE: f32 = 0.85;

/// The words at a place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PlaceWords {
    /// All words.
    pub all: f32,
    /// The words of the body.
    pub body: f32,
}

impl PlaceWords {
    /// The logarithm of the odds that a run of this place is body, relative to an unknown place.
    fn log_odds(self) -> f32 {
        WEIGHT * ((self.body + PRIOR) / ((self.all - self.body).max(0.0) + PRIOR)).ln()
    }
}

/// The lesson of one corrected page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lesson {
    /// The page's URL.
    pub url: String,
    /// The words at each of its places, named by three elements with their classes (` ¶`: runs of sentences);
    /// empty if the body was not corrected.
    pub places: BTreeMap<String, PlaceWords>,
    /// The sources of its fields that were corrected and wrong.
    pub fields: FieldLesson,
    /// Hashes of texts that are never body on this site.
    pub(super) dropped: Vec<u64>,
    /// Hashes of texts that are body although the site may repeat them: headings of boxes and the like.
    #[serde(default)]
    pub(super) kept: Vec<u64>,
    /// The page as others are compared with it.
    pub(super) page: SitePage,
}

impl Lesson {
    pub(super) fn new(url: &str, runs: &Runs) -> Lesson {
        let page = SitePage::new(url, runs);
        Lesson {
            url: url.into(),
            places: BTreeMap::new(),
            fields: FieldLesson::default(),
            dropped: Vec::new(),
            kept: Vec::new(),
            page,
        }
    }

    /// Counts the words at the page's places; `body` is the share of each run that is body.
    pub(super) fn count(&mut self, tree: &PageTree, runs: &Runs, body: &[f32]) {
        for (run, body) in runs.runs.iter().zip(body) {
            let words = self.places.entry(place_of_run(tree, run)).or_default();
            words.all += run.words;
            words.body += run.words * body;
            if *body >= LEAST_BODY_SHARE && run.words < LONG {
                self.kept.push(text_hash(&run.text));
            }
        }
    }
}

/// The places of all lessons together, for reading one page.
pub(super) struct TaughtPlaces {
    places: BTreeMap<String, PlaceWords>,
    dropped: Vec<u64>,
}

impl TaughtPlaces {
    pub(super) fn new(lessons: &[Lesson]) -> Option<TaughtPlaces> {
        let mut taught = TaughtPlaces { places: BTreeMap::new(), dropped: Vec::new() };
        for lesson in lessons {
            for (place, words) in &lesson.places {
                let sum = taught.places.entry(place.clone()).or_default();
                sum.all += words.all;
                sum.body += words.body;
            }
            taught.dropped.extend(&lesson.dropped);
        }
        (!taught.places.is_empty() || !taught.dropped.is_empty()).then_some(taught)
    }

    /// Shifts the likelihoods of runs whose places are known; returns whether one of the chosen runs is among
    /// them.
    pub(super) fn rescore(&self, tree: &PageTree, runs: &Runs, scores: &mut [f32], chosen: &[bool]) -> bool {
        let mut is_known = false;
        for ((run, score), is_chosen) in runs.runs.iter().zip(scores).zip(chosen) {
            if self.dropped.contains(&text_hash(&run.text)) {
                *score = 0.0;
                is_known |= is_chosen;
            } else if let Some(words) = self.places.get(&place_of_run(tree, run)) {
                *score = shift_log_odds(*score, words.log_odds());
                is_known |= is_chosen;
            }
        }
        is_known
    }
}

/// Adds to the log-odds of a likelihood.
fn shift_log_odds(score: f32, log_odds: f32) -> f32 {
    let score = score.clamp(1e-4, 1.0 - 1e-4);
    let sum = (score / (1.0 - score)).ln() + log_odds;
    1.0 / (1.0 + (-sum).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn much_evidence_moves_much_and_none_nothing() {
        let odds = |all, body| PlaceWords { all, body }.log_odds();
        assert_eq!(odds(0.0, 0.0), 0.0);
        assert!(odds(4.0, 0.0) < 0.0 && odds(400.0, 0.0) < 3.0 * odds(4.0, 0.0));
        assert!((odds(400.0, 400.0) + odds(400.0, 0.0)).abs() < 1e-4);
        assert!((shift_log_odds(0.3, 0.0) - 0.3).abs() < 1e-6);
        // Three words do not outweigh a clear page, two hundred do.
        assert!(shift_log_odds(0.97, odds(3.0, 0.0)) > 0.9);
        assert!(shift_log_odds(0.97, odds(200.0, 0.0)) < 0.1);
        assert!(shift_log_odds(0.1, odds(200.0, 200.0)) > 0.9);
        assert!(shift_log_odds(0.0, 0.0) > 0.0 && shift_log_odds(1.0, 0.0) < 1.0);
    }
}
