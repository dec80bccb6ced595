//! Articles that were read before and whose addresses answer something else now. One of them may be gone; many within an hour
//! are the trouble of their site.
//!
//! A site keeps what the last visits of such articles found. If five turned in the same way within an hour, and more of them than
//! stood, the site is in trouble since the first of the five: what their addresses answered since then says nothing of them. It
//! is over when as many stand. Nothing here ends an article, or keeps one for ever: that is for
//! [`PageSchedule`](super::PageSchedule). Start at [`TurnedArticles::note`].

use newslode_page::time::Timestamp;
use serde::{Deserialize, Serialize};

use super::{DAY, HOUR, MINUTE, seconds};

/// So many articles that turn in the same way within an hour are the trouble of their site.
const MANY: usize = 5;
/// Visits that are kept.
const KEPT: usize = 24;
/// So many articles that stand are enough while none has turned: then one a minute is noted.
const ENOUGH: usize = 8;
/// A trouble of which nothing was seen for this long is over, in seconds.
const FORGOTTEN: u64 = 2 * DAY;

/// What the address of an article that was read before answers now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Turn {
    /// 404 or 410.
    NotFound,
    /// robots.txt forbids to ask.
    Forbidden,
    /// A redirect.
    Moved,
    /// A page that is no article.
    OtherPage,
}

impl Turn {
    /// What is the matter with a site of which many articles turned so, for people.
    #[must_use]
    pub fn meaning(self) -> &'static str {
        match self {
            Turn::NotFound => "many articles that were read before are not found",
            Turn::Forbidden => "its robots.txt forbids many articles that were read before",
            Turn::Moved => "many articles that were read before redirect",
            Turn::OtherPage => "many articles that were read before show another page",
        }
    }
}

/// Many articles of a site turned in the same way within an hour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommonTurn {
    /// How.
    pub turn: Turn,
    /// When the first of them and the last of them did, in seconds since the epoch.
    pub since: u64,
    /// See `since`.
    pub until: u64,
}

impl CommonTurn {
    fn holds(&self, time: u64) -> bool {
        (self.since..=self.until).contains(&time)
    }
}

/// A visit of an article that was read before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Look {
    article: u64,
    /// In seconds since the epoch.
    at: u64,
    /// How it turned; nothing: it stands.
    turn: Option<Turn>,
}

/// The articles of a site that turned lately.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct TurnedArticles {
    /// The last visits of articles within an hour, each article once; the oldest first.
    looks: Vec<Look>,
    /// The last time that many turned.
    common: Option<CommonTurn>,
    /// Whether articles stand again since then.
    is_over: bool,
}

impl TurnedArticles {
    /// Notes an article of this name that turned. `before`: when the visit before did not find it either. Returns whether the
    /// site is in trouble now, or was then: one of the two visits says nothing of the article.
    pub(super) fn note(&mut self, article: u64, turn: Turn, before: Option<u64>, now: Timestamp) -> bool {
        let now = seconds(now);
        self.push(Look { article, at: now, turn: Some(turn) });
        let open = self.now(now).filter(|common| common.turn == turn);
        if let Some(open) = open {
            self.common = Some(CommonTurn { until: now.max(open.until), ..open });
        } else if self.count(Some(turn)) >= MANY && self.count(Some(turn)) > self.count(None) {
            let same = self.looks.iter().filter(|look| look.turn == Some(turn));
            let first = same.map(|look| look.at).min().unwrap_or(now);
            // Two that touch are one: an article may have been missed in the first one.
            let touching = self.now(now).or(self.common.filter(|common| common.holds(first)));
            let since = touching.map_or(first, |common| common.since.min(first));
            self.common = Some(CommonTurn { turn, since, until: now });
            self.is_over = false;
        }
        self.now(now).is_some_and(|common| common.turn == turn)
            || before.is_some_and(|before| self.common.is_some_and(|common| common.holds(before)))
    }

    /// Notes an article of this name that is read as ever.
    pub(super) fn stand(&mut self, article: u64, now: Timestamp) {
        let now = seconds(now);
        let last = self.looks.last().map_or(0, |look| look.at);
        let has_turned = self.looks.iter().any(|look| look.turn.is_some()) || self.now(now).is_some();
        if !has_turned && now < last + MINUTE && self.count(None) >= ENOUGH {
            return;
        }
        self.push(Look { article, at: now, turn: None });
        if let Some(common) = self.common {
            self.is_over |= self.count(None) >= self.count(Some(common.turn));
        }
    }

    /// The trouble that the site is in.
    pub(super) fn now(&self, now: u64) -> Option<CommonTurn> {
        self.common.filter(|common| !self.is_over && now < common.until + FORGOTTEN)
    }

    fn push(&mut self, new: Look) {
        self.looks.retain(|look| look.article != new.article && look.at + HOUR > new.at);
        if self.looks.len() >= KEPT {
            self.looks.remove(0);
        }
        self.looks.push(new);
    }

    fn count(&self, turn: Option<Turn>) -> usize {
        self.looks.iter().filter(|look| look.turn == turn).count()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::at;
    use super::*;

    const START: u64 = 1_700_000_000;

    /// Notes the articles of these names, a minute apart. Returns for which of them the site was in trouble.
    fn turn(turned: &mut TurnedArticles, names: std::ops::Range<u64>, start: u64) -> Vec<bool> {
        let noted = |(name, minute)| turned.note(name, Turn::NotFound, None, at(start + minute * MINUTE));
        names.zip(0..).map(noted).collect()
    }

    #[test]
    fn many_that_turn_within_an_hour_are_the_trouble_of_their_site() {
        let mut turned = TurnedArticles::default();
        assert_eq!(turn(&mut turned, 0..7, START), [false, false, false, false, true, true, true]);
        let common = turned.now(START + HOUR).unwrap();
        assert_eq!((common.since, common.until), (START, START + 6 * MINUTE), "since the first of them");
        // Hours later another one, and a day later the first of them again.
        assert!(turned.note(9, Turn::NotFound, None, at(START + 7 * HOUR)));
        turned.stand(10, at(START + 9 * HOUR));
        assert_eq!(turned.now(START + 9 * HOUR), None, "it is over");
        let first_again = turned.note(0, Turn::NotFound, Some(START), at(START + DAY));
        assert!(first_again, "the site was in trouble when it was missed before");
        let later = START + 10 * HOUR;
        assert!(!turned.note(5, Turn::NotFound, Some(later), at(later + DAY)), "both looks are its own");
    }

    #[test]
    fn few_or_different_or_slow_ones_are_their_own_trouble() {
        let mut turned = TurnedArticles::default();
        for n in 0..40 {
            assert!(!turned.note(n, Turn::NotFound, None, at(START + n * 15 * MINUTE)), "{n}: four an hour");
        }
        let mut turned = TurnedArticles::default();
        for n in 0..100 {
            assert!(!turned.note(n % 4, Turn::Moved, None, at(START + n)), "the same ones again and again");
        }
        let mut turned = TurnedArticles::default();
        for n in 0..4 {
            assert!(!turned.note(n, Turn::Moved, None, at(START)));
            assert!(!turned.note(10 + n, Turn::OtherPage, None, at(START)));
        }
    }

    #[test]
    fn articles_that_stand_outweigh_as_many_that_turned() {
        for (stand, is_trouble) in [(0, true), (1, true), (2, true), (4, false)] {
            let (mut turned, mut was_trouble) = (TurnedArticles::default(), false);
            for n in 0..60 {
                let now = at(START + n * MINUTE);
                // So many of six stand.
                match n % 6 < stand {
                    true => turned.stand(n, now),
                    false => was_trouble |= turned.note(n, Turn::NotFound, None, now),
                }
            }
            assert_eq!(
                (turned.now(START + HOUR).is_some(), was_trouble),
                (is_trouble, is_trouble),
                "{stand}"
            );
        }
        // Those that stood just before count, too, although nothing had turned then.
        let mut turned = TurnedArticles::default();
        (0..7).for_each(|n| turned.stand(n, at(START + n)));
        assert_eq!(
            turn(&mut turned, 10..18, START + 50 * MINUTE),
            [false, false, false, false, false, false, false, true]
        );
    }

    #[test]
    fn while_nothing_turns_little_is_noted() {
        let mut turned = TurnedArticles::default();
        let mut changes = 0;
        for second in 0..HOUR {
            let before = turned.clone();
            turned.stand(second, at(START + second));
            changes += usize::from(turned != before);
        }
        assert!(changes <= ENOUGH + 60, "{changes}");
    }

    #[test]
    fn a_trouble_that_nobody_saw_for_two_days_is_over() {
        let mut turned = TurnedArticles::default();
        turn(&mut turned, 0..5, START);
        assert!(turned.now(START + DAY).is_some());
        assert!(turned.now(START + 2 * DAY + HOUR).is_none());
        assert!(!turned.note(7, Turn::NotFound, None, at(START + 3 * DAY)));
    }

    proptest! {
        /// A visit may be worked on twice, and the memory is bounded.
        #[test]
        fn what_is_noted_twice_counts_once(
            events in prop::collection::vec((0_u64..30, 0_u64..900, 0_usize..6), 1..200)
        ) {
            let turns = [Turn::NotFound, Turn::Forbidden, Turn::Moved, Turn::OtherPage];
            let (mut once, mut now) = (TurnedArticles::default(), START);
            for (name, passed, what) in events {
                now += passed;
                let note = |turned: &mut TurnedArticles| match turns.get(what) {
                    Some(turn) => Some(turned.note(name, *turn, None, at(now))),
                    None => {
                        turned.stand(name, at(now));
                        None
                    }
                };
                let said = note(&mut once);
                let mut twice = once.clone();
                prop_assert_eq!(note(&mut twice), said);
                prop_assert_eq!(&twice, &once);
                prop_assert!(once.looks.len() <= KEPT);
                prop_assert!(once.common.is_none_or(|common| common.since <= common.until && common.until <= now));
            }
        }

        /// By a plain list of all visits: trouble begins when five turned within the last hour and fewer stood, and is over
        /// when as many stood.
        #[test]
        fn trouble_begins_and_ends_as_its_definition_says(
            events in prop::collection::vec((180_u64..1_500, prop::bool::weighted(0.6)), 1..150)
        ) {
            let (mut turned, mut all) = (TurnedArticles::default(), Vec::new());
            let (mut now, mut is_trouble) = (START, false);
            for (name, (passed, turns)) in (0..).zip(events) {
                now += passed;
                all.push((now, turns));
                // No more than twenty visits fit into an hour.
                let count = |what: bool| all.iter().filter(|(at, turns)| at + HOUR > now && *turns == what).count();
                if turns {
                    is_trouble |= count(true) >= 5 && count(true) > count(false);
                    prop_assert_eq!(turned.note(name, Turn::NotFound, None, at(now)), is_trouble);
                } else {
                    is_trouble &= count(true) > count(false);
                    turned.stand(name, at(now));
                }
                prop_assert_eq!(turned.now(now).is_some(), is_trouble);
            }
        }
    }
}
