//! The origins of a site that answer: a host that never did, or no longer does while others do, says nothing of its site.
//!
//! A site links to its shop, to last decade's archive, to the `https` that it never set up. If these cannot be reached, or refuse us, their pages wait, and
//! the site goes on. An origin is scheme, host and port.

use serde::{Deserialize, Serialize};

use super::{HOUR, MINUTE, name};

/// Most origins that are remembered of a site.
const MOST: usize = 8;
/// Of many answers within this time, in seconds, one is noted.
const APART: u64 = 10 * MINUTE;
/// An origin that answered this much earlier than another one, in seconds, does not speak for the site.
const LATER: u64 = HOUR;

/// The origins that gave a good answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Origins {
    /// Names of origins, and when each gave its last good answer, in seconds since the epoch; the last one is the latest.
    answered: Vec<(u64, u64)>,
}

impl Origins {
    /// Notes a good answer.
    pub(super) fn note(&mut self, origin: &str, now: u64) {
        let origin = name(origin);
        if self.last(origin).is_some_and(|last| now < last.saturating_add(APART)) {
            return;
        }
        self.answered.retain(|(known, _)| *known != origin);
        if self.answered.len() >= MOST {
            self.answered.remove(0);
        }
        self.answered.push((origin, now));
    }

    /// Brings back what a clock noted that was ahead.
    pub(super) fn bring_back(&mut self, now: u64) {
        self.answered.iter_mut().for_each(|(_, last)| *last = (*last).min(now));
    }

    /// Whether others answer and this one does not.
    pub(super) fn is_stranger(&self, origin: &str) -> bool {
        let Some((_, latest)) = self.answered.last() else { return false };
        self.last(name(origin)).is_none_or(|last| last.saturating_add(LATER) < *latest)
    }

    fn last(&self, origin: u64) -> Option<u64> {
        self.answered.iter().find(|(known, _)| *known == origin).map(|(_, last)| *last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: u64 = 1_700_000_000;

    #[test]
    fn an_origin_that_does_not_answer_while_others_do_is_a_stranger() {
        let mut origins = Origins::default();
        assert!(!origins.is_stranger("http://a.test"), "nothing is known");
        origins.note("http://a.test", START);
        assert!(!origins.is_stranger("http://a.test"));
        assert!(origins.is_stranger("https://a.test"));
        origins.note("http://news.a.test", START + HOUR);
        assert!(!origins.is_stranger("http://a.test"), "an hour later");
        origins.note("http://news.a.test", START + 2 * HOUR);
        assert!(origins.is_stranger("http://a.test"));
        origins.note("http://a.test", START + 2 * HOUR + 1);
        assert!(!origins.is_stranger("http://a.test") && !origins.is_stranger("http://news.a.test"));
    }

    #[test]
    fn few_answers_are_noted_of_few_origins() {
        let mut origins = Origins::default();
        origins.note("http://a.test", START);
        let before = origins.clone();
        origins.note("http://a.test", START + APART - 1);
        assert_eq!(origins, before);
        (0..100).for_each(|n| origins.note(&format!("http://{n}.a.test"), START + n));
        assert_eq!(origins.answered.len(), MOST);
        assert!(!origins.is_stranger("http://99.a.test") && origins.is_stranger("http://a.test"));
    }
}
