//! A page's last visits: when they were, how they ended, and what the page turned out to be.
//!
//! So that a person who asks why an article is late or missing gets an answer. It is kept with every page that waits,
//! so it is small: two to four bytes a visit. Start at [`Visited`].

use newslode_page::time::Timestamp;
use serde::{Deserialize, Serialize};

use super::{MINUTE, at, seconds};
use crate::outcome::Outcome;

/// Visits that are kept.
const KEPT: usize = 8;

/// What a page that was handed on for mining turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// An article that was never read before.
    NewArticle,
    /// An article with another text than before.
    Changed,
    /// The article as it was.
    Same,
    /// No article.
    NoArticle,
    /// A section.
    Section,
    /// An article that readers know under another address.
    Twin,
}

const VERDICTS: [Verdict; 6] = [
    Verdict::NewArticle,
    Verdict::Changed,
    Verdict::Same,
    Verdict::NoArticle,
    Verdict::Section,
    Verdict::Twin,
];

/// One visit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Visit {
    /// When it was, to the minute.
    pub at: Timestamp,
    /// How it ended.
    pub outcome: Outcome,
    /// What the page turned out to be, if it was handed on and somebody told.
    pub verdict: Option<Verdict>,
}

/// The last visits of a page. Its serialised form is packed: minutes since the visit before (of the first, since the
/// epoch), and a code of outcome and verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Vec<(u32, u8)>", into = "Vec<(u32, u8)>")]
pub struct Visited {
    /// Minutes since the epoch, and a code; unused ones are zero and stand at the end.
    visits: [(u32, u8); KEPT],
}

impl Visited {
    /// The visits, the oldest first.
    pub fn iter(&self) -> impl Iterator<Item = Visit> {
        self.packed().filter_map(|(minutes, code)| {
            let outcome = Outcome::ALL.get(usize::from(code / 8)).copied()?;
            let verdict = usize::from(code % 8).checked_sub(1).and_then(|place| VERDICTS.get(place).copied());
            Some(Visit { at: at(u64::from(minutes) * MINUTE), outcome, verdict })
        })
    }

    /// Notes a visit.
    pub fn note(&mut self, now: Timestamp, outcome: Outcome) {
        let place = Outcome::ALL.iter().position(|other| *other == outcome).unwrap_or_default();
        let minutes = u32::try_from(seconds(now) / MINUTE).unwrap_or(u32::MAX).max(1);
        self.push((minutes, u8::try_from(place * 8).unwrap_or_default()));
    }

    /// Notes what the page of the last visit turned out to be.
    pub(super) fn judge(&mut self, verdict: Verdict) {
        let place = VERDICTS.iter().position(|other| *other == verdict).unwrap_or_default();
        if let Some((_, code)) = self.visits.iter_mut().rev().find(|(minutes, _)| *minutes > 0) {
            *code = *code / 8 * 8 + u8::try_from(place + 1).unwrap_or_default();
        }
    }

    /// Brings back what a clock noted that was ahead.
    pub(super) fn bring_back(&mut self, now: Timestamp) {
        let now = u32::try_from(seconds(now) / MINUTE).unwrap_or(u32::MAX).max(1);
        self.visits.iter_mut().for_each(|(minutes, _)| *minutes = (*minutes).min(now));
    }

    fn packed(&self) -> impl Iterator<Item = (u32, u8)> {
        self.visits.into_iter().take_while(|(minutes, _)| *minutes > 0)
    }

    fn push(&mut self, visit: (u32, u8)) {
        let held = self.packed().count();
        if held == KEPT {
            self.visits.rotate_left(1);
        }
        if let Some(place) = self.visits.get_mut(held.min(KEPT - 1)) {
            *place = visit;
        }
    }
}

impl From<Visited> for Vec<(u32, u8)> {
    fn from(visited: Visited) -> Self {
        let mut before = 0;
        let apart = |(minutes, code): (u32, u8)| {
            (minutes.saturating_sub(std::mem::replace(&mut before, minutes)), code)
        };
        visited.packed().map(apart).collect()
    }
}

impl From<Vec<(u32, u8)>> for Visited {
    fn from(packed: Vec<(u32, u8)>) -> Self {
        let mut visited = Visited::default();
        let mut minutes = 0_u32;
        for (apart, code) in packed {
            minutes = minutes.saturating_add(apart);
            visited.push((minutes, code));
        }
        visited
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::wire;

    const NOW: u64 = 1_700_000_040_000;

    #[test]
    fn the_last_visits_come_back() {
        let mut visited = Visited::default();
        let wanted: Vec<Visit> = (0..11_usize)
            .map(|number| {
                let (at, outcome) = (Timestamp(NOW + number as u64 * 3_600_000), Outcome::ALL[number]);
                visited.note(at, outcome);
                let verdict = VERDICTS.get(number.wrapping_sub(4)).copied();
                verdict.into_iter().for_each(|verdict| visited.judge(verdict));
                Visit { at, outcome, verdict }
            })
            .collect();
        let back: Visited = wire::decode(&wire::encode(&visited).unwrap()).unwrap();
        assert_eq!(back.iter().collect::<Vec<_>>(), wanted[3..]);
        assert_eq!(back, visited);
    }

    #[test]
    fn they_are_small() {
        let mut visited = Visited::default();
        assert_eq!(wire::encode(&visited).unwrap().len(), 1);
        visited.judge(Verdict::Same);
        assert_eq!(visited, Visited::default(), "a verdict without a visit is none");
        for hour in [0, 1, 2, 6, 24, 72, 168, 672] {
            visited.note(Timestamp(NOW + hour * 3_600_000), Outcome::Noindex);
        }
        assert!(wire::encode(&visited).unwrap().len() <= 1 + 6 + 7 * 4);
    }
}
