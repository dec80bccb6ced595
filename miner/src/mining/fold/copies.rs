//! Sites that copy each other are one witness.
//!
//! A label is shared if several sites file stories under it. Mirrors, editions of one paper and sites that take over another's
//! stories have these labels because they have the stories. So sites that have half of the smaller one's headlines in common
//! count as one. Agencies' stories alone are no reason: few sites have half of their headlines from one source. Start at
//! [`Origins::of`].

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use crate::mining::site_scheme::SchemeSummary;

/// The part of the smaller site's headlines that both have.
const MOST_IN_COMMON: f64 = 0.5;
/// The fewest common headlines that tell.
const LEAST_IN_COMMON: usize = 5;
/// If more sites than this share a headline, each is compared only with the first of them and with the next.
const MOST_COMPARED: usize = 16;

/// Which sites count as one, by their numbers.
#[derive(Debug, Default)]
pub(super) struct Origins {
    /// Site → the first of the sites that count as one with it; only those that are not the first themselves.
    first: BTreeMap<usize, usize>,
}

impl Origins {
    /// Finds the sites that copy each other by samples of their headlines.
    pub(super) fn of(schemes: &[Option<&SchemeSummary>]) -> Origins {
        // 1. The sites that have each headline.
        let mut sites_of: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
        for (at, scheme) in schemes.iter().enumerate() {
            for mark in scheme.iter().flat_map(|scheme| scheme.headlines()) {
                sites_of.entry(*mark).or_default().push(at);
            }
        }
        // 2. How many headlines two sites have in common.
        let mut common: BTreeMap<(usize, usize), usize> = BTreeMap::new();
        for sites in sites_of.values().filter(|sites| sites.len() > 1) {
            let next = |from: usize| sites.iter().skip(from + 1);
            for (from, one) in sites.iter().enumerate() {
                let most = if sites.len() <= MOST_COMPARED || from == 0 { usize::MAX } else { 1 };
                next(from).take(most).for_each(|other| *common.entry((*one, *other)).or_default() += 1);
            }
        }
        // 3. Those that have enough are one. Samples are compared as far as both are whole.
        let mut origins = Origins::default();
        for ((one, other), count) in common {
            let (Some(Some(a)), Some(Some(b))) = (schemes.get(one), schemes.get(other)) else { continue };
            let to = a.headlines_kept_to().min(b.headlines_kept_to());
            let kept = |scheme: &SchemeSummary| scheme.headlines().partition_point(|mark| *mark <= to);
            let fewer = kept(a).min(kept(b));
            if count >= LEAST_IN_COMMON && count as f64 >= MOST_IN_COMMON * fewer as f64 {
                origins.join(one, other);
            }
        }
        origins
    }

    fn first(&self, site: usize) -> usize {
        self.first.get(&site).copied().unwrap_or(site)
    }

    fn join(&mut self, one: usize, other: usize) {
        let (a, b) = (self.first(one), self.first(other));
        if a == b {
            return;
        }
        let (first, joined) = (a.min(b), a.max(b));
        self.first.values_mut().filter(|own| **own == joined).for_each(|own| *own = first);
        self.first.insert(joined, first);
    }

    /// Whether two sites count as one.
    pub(super) fn are_one(&self, one: usize, other: usize) -> bool {
        self.first(one) == self.first(other)
    }

    /// Whether there are enough sites, but not if those that copy each other count as one.
    pub(super) fn are_fewer(&self, sites: &[usize], support: u32) -> bool {
        let count = self.count(sites);
        count < sites.len() && count < support as usize
    }

    /// Those of these sites that count as one, group by group.
    pub(super) fn groups(&self, sites: &[usize]) -> Vec<Vec<usize>> {
        let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        sites.iter().for_each(|site| groups.entry(self.first(*site)).or_default().push(*site));
        groups.into_values().filter(|group| group.len() > 1).collect()
    }

    /// As how many sites these count.
    pub(super) fn count(&self, sites: &[usize]) -> usize {
        if self.first.is_empty() {
            return sites.len();
        }
        let firsts: BTreeSet<usize> = sites.iter().map(|site| self.first(*site)).collect();
        firsts.len()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn origins(sites: &[Vec<u32>]) -> Origins {
        let summaries: Vec<SchemeSummary> = sites
            .iter()
            .map(|marks| SchemeSummary::default().with_headlines(marks.iter().copied()))
            .collect();
        let schemes: Vec<Option<&SchemeSummary>> = summaries.iter().map(Some).collect();
        Origins::of(&schemes)
    }

    /// Marks that are spread over all numbers, as hashes are.
    fn marks(numbers: std::ops::Range<u32>) -> Vec<u32> {
        numbers.map(|number| number.wrapping_mul(2_654_435_761)).collect()
    }

    #[test]
    fn sites_that_have_half_of_the_headlines_of_one_are_one() {
        // The second has all stories of the first, the fourth some stories of an agency, the last is small and has all from the third.
        let sites =
            [marks(0..900), marks(0..1_000), marks(2_000..9_000), marks(8_000..11_000), marks(2_000..2_040)];
        let found = origins(&sites);
        assert!(found.are_one(0, 1) && !found.are_one(1, 2) && !found.are_one(2, 3), "{found:?}");
        assert_eq!((found.count(&[0, 1]), found.count(&[0, 1, 2, 3]), found.count(&[3])), (1, 3, 1));
        assert_eq!(found.groups(&[0, 1, 2, 3]), [[0, 1]]);
        // Few headlines tell nothing.
        assert!(!origins(&[marks(0..4), marks(0..4)]).are_one(0, 1));
        assert_eq!(origins(&[]).count(&[]), 0);
    }

    #[test]
    fn any_number_of_copies_is_one() {
        let found = origins(&vec![marks(0..300); 60]);
        assert_eq!(found.count(&(0..60).collect::<Vec<_>>()), 1);
    }

    proptest! {
        #[test]
        fn being_one_does_not_depend_on_the_order_of_sites(
            sites in proptest::collection::vec((0_u32..40, 5_u32..60), 2..7),
        ) {
            let sites: Vec<Vec<u32>> = sites.into_iter().map(|(from, many)| marks(from..from + many)).collect();
            let reversed: Vec<Vec<u32>> = sites.iter().rev().cloned().collect();
            let (found, back) = (origins(&sites), origins(&reversed));
            let last = sites.len() - 1;
            for one in 0..sites.len() {
                for other in 0..sites.len() {
                    prop_assert_eq!(found.are_one(one, other), back.are_one(last - one, last - other));
                }
            }
        }
    }
}
