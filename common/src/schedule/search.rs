//! The search for the pages of a list that show some days, when only the list's own order leads there.
//!
//! Start at [`Search`].

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::days::Days;

/// Finds the pages of a list that show some days: page 1 is the newest, and each further page is older.
///
/// Pages are ordered by the day in the middle of those that they show, since a few articles on each page may be out of order. From a
/// page that is newer than the days sought, the search doubles its steps until it has one that is not; then it halves what lies
/// between, where possible in proportion to the days. Then the pages are read one by one until one is older.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Search {
    wanted: Days,
    /// The highest page that is newer than the days, with its day.
    newer: Option<(u32, u32)>,
    /// The lowest page that is known not to be, with its day if it is there.
    reached: Option<(u32, Option<u32>)>,
    /// The lowest page that is known to be older than the days, or not to be there.
    end: Option<u32>,
    read: BTreeSet<u32>,
}

impl Search {
    /// Nothing is known of the list yet.
    #[must_use]
    pub(super) fn new(wanted: Days) -> Search {
        Search { wanted, newer: None, reached: None, end: None, read: BTreeSet::new() }
    }

    /// Asks for some of the days only. What is known of the pages stays.
    pub(super) fn narrow(&mut self, wanted: Days) {
        let known = self.newer.into_iter().chain(self.reached.and_then(|(page, day)| Some((page, day?))));
        let known: Vec<(u32, u32)> = known.collect();
        *self = Search { read: std::mem::take(&mut self.read), ..Search::new(wanted) };
        known.into_iter().for_each(|(page, day)| self.read(page, Some(day)));
    }

    /// Notes the day in the middle of those that a page shows; `None`: the page is not there, or shows none.
    pub(super) fn read(&mut self, page: u32, middle: Option<u32>) {
        self.read.insert(page);
        match middle {
            Some(day) if day > self.wanted.last => {
                self.newer = self.newer.max(Some((page, day)));
            }
            _ => {
                let is_lower = self.reached.is_none_or(|(lowest, _)| page < lowest);
                if is_lower {
                    self.reached = Some((page, middle));
                }
                if middle.is_none_or(|day| day < self.wanted.first) {
                    self.end = Some(self.end.map_or(page, |end| end.min(page)));
                }
            }
        }
    }

    /// Notes a page whose days are not known. The search goes on as if it showed some that are wanted, so that it misses none on
    /// either side of it.
    pub(super) fn read_unknown(&mut self, page: u32) {
        self.read(page, Some(self.wanted.last));
    }

    /// The page to read next. `None`: all pages that show the days were read.
    #[must_use]
    pub(super) fn next(&self) -> Option<u32> {
        let newer = self.newer.map_or(0, |(page, _)| page);
        let Some((reached, day)) = self.reached else {
            return Some(if newer == 0 {
                1
            } else {
                newer.saturating_mul(2).min(newer.saturating_add(4_096))
            });
        };
        if reached > newer + 1 {
            return Some(self.between(newer, (reached, day)));
        }
        // The page before may show the first of the days below its middle, and the page after the last ones the rest.
        let first = reached.saturating_sub(1).max(1);
        let end = self.end.unwrap_or(u32::MAX);
        (first..=end).find(|page| !self.read.contains(page))
    }

    /// A page between one that is newer and one that is not.
    fn between(&self, newer: u32, (reached, day): (u32, Option<u32>)) -> u32 {
        let middle = newer + (reached - newer) / 2;
        let (Some((_, from)), Some(to)) = (self.newer, day) else { return middle };
        // In proportion at every second step, so that the steps stay few however the days are spread.
        let known = u32::try_from(self.read.len()).unwrap_or(u32::MAX);
        if from <= to || known.is_multiple_of(2) {
            return middle;
        }
        let part = u64::from(reached - newer) * u64::from(from - self.wanted.last.max(to).min(from))
            / u64::from(from - to);
        let guess = newer + u32::try_from(part).unwrap_or(u32::MAX);
        guess.clamp(newer + 1, reached - 1)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The day in the middle of each page of a list, and the articles on it.
    fn pages(days: &[u32], size: usize) -> Vec<Vec<u32>> {
        days.chunks(size).map(<[u32]>::to_vec).collect()
    }

    fn middle(page: &[u32]) -> u32 {
        let mut days = page.to_vec();
        days.sort_unstable();
        days[days.len() / 2]
    }

    /// The articles that the search finds, and its requests.
    fn searched(pages: &[Vec<u32>], wanted: Days) -> (Vec<u32>, usize) {
        let mut search = Search::new(wanted);
        let (mut found, mut requests) = (Vec::new(), 0);
        while let Some(page) = search.next() {
            requests += 1;
            assert!(requests <= pages.len() + 40, "the search does not end");
            let shown = pages.get(page as usize - 1);
            found.extend(shown.into_iter().flatten().filter(|day| wanted.contains(**day)));
            search.read(page, shown.map(|shown| middle(shown)));
        }
        found.sort_unstable();
        (found, requests)
    }

    proptest! {
        #[test]
        fn the_search_finds_what_a_walk_through_all_pages_finds(
            steps in prop::collection::vec(0_u32..4, 0..1_500),
            size in 1_usize..30,
            first in 0_u32..2_500,
            count in 0_u32..200,
        ) {
            let days: Vec<u32> = steps
                .iter()
                .scan(5_000, |day, step| {
                    *day -= step;
                    Some(*day)
                })
                .collect();
            let wanted = Days { first: 5_000 - first, last: 5_000 - first + count };
            let mut walked: Vec<u32> = days.iter().copied().filter(|day| wanted.contains(*day)).collect();
            walked.sort_unstable();
            let pages = pages(&days, size);
            let (found, requests) = searched(&pages, wanted);
            prop_assert_eq!(&found, &walked);
            let showing = pages.iter().filter(|page| page.iter().any(|day| wanted.contains(*day))).count();
            let steps = usize::BITS - pages.len().leading_zeros();
            prop_assert!(requests <= showing + 4 + 3 * steps as usize, "{} requests for {} pages of {}", requests, showing, pages.len());
        }
    }
}
