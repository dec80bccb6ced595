//! What the other pages of a site say of one of them.
//!
//! Scores of pages alone order the pages of a site almost perfectly, but their level differs from site to site: briefs are
//! short everywhere on a site. Two things help. Pages with addresses of the same form, or with their text or headline
//! in the same place, are mostly of one kind, so a page's score takes in the mean of theirs. And a site's scores form two
//! clusters; the border between them is the site's own threshold.
//!
//! Invariants: what is learnt depends on the set of pages, not on their order, since all sums are of whole numbers. It is
//! bounded: a sample of pages is enough. A page's own score is not among those of the others.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::KindEvidence;
use super::alike::hash;
use super::weights::WEIGHTS;
use crate::reading::CanonicalUrl;

/// The largest log odds of one page; more would let one page decide for all.
const MOST: f32 = 4.0;
/// How many undecided pages a mean is made with, so that a mean of few pages is near 0.
const PRIOR: f64 = 2.0;
/// The least and the greatest threshold of a site, the number of pages with which half of it counts, and the least number of
/// pages for one.
const CUTS: std::ops::RangeInclusive<f64> = -3.5..=0.5;
const CUT_PRIOR: f64 = 10.0;
const LEAST_PAGES: usize = 4;
/// A threshold below 0 counts where the mean of the pages above it is high: not at all up to the first, fully from the second.
const SURE_MEANS: std::ops::RangeInclusive<f64> = 2.0..=4.0;
/// The largest log odds that the search for a threshold distinguishes.
const MOST_FOR_CUT: f64 = 6.0;
/// Steps of one unit of log odds: sums of whole numbers do not depend on the order.
const STEPS: f32 = 1024.0;

/// What some pages of a site say of its other pages.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SiteKinds {
    /// For each of four ways to be alike: the group, the sum of its pages' scores in steps, and their number.
    groups: [BTreeMap<u32, (i64, u32)>; 4],
    /// The same of all pages.
    all: (i64, u32),
    /// The hashes of the pages' addresses.
    pages: BTreeSet<u32>,
    /// The site's own threshold, in log odds.
    threshold: f64,
}

impl SiteKinds {
    /// What these pages say of others of their site, and of each other. Front pages are not like any other page and do not
    /// count.
    #[must_use]
    pub fn learn(pages: &[(CanonicalUrl, KindEvidence)]) -> SiteKinds {
        let mut kinds = SiteKinds::default();
        for (url, evidence) in pages.iter().filter(|(url, _)| !url.is_home()) {
            if !kinds.pages.insert(hash(url.as_str())) {
                continue;
            }
            let score = steps(evidence);
            kinds.all = (kinds.all.0 + score, kinds.all.1 + 1);
            for (groups, group) in kinds.groups.iter_mut().zip(evidence.likeness.groups) {
                let held = groups.entry(group).or_default();
                *held = (held.0 + score, held.1 + 1);
            }
        }
        let front = |url: &CanonicalUrl| url.is_home();
        let odds =
            pages.iter().filter(|(url, _)| !front(url)).map(|(url, evidence)| kinds.weighed(url, evidence));
        // In steps, so that it is the same after it was stored as text.
        kinds.threshold = (threshold(odds.collect()) * f64::from(STEPS)).round() / f64::from(STEPS);
        kinds
    }

    /// Whether enough pages are known to say more than a page alone.
    #[must_use]
    pub fn is_enough(&self) -> bool {
        self.all.1 as usize >= LEAST_PAGES
    }

    /// The log odds that a page of the site is an article, above 0 if it is to be taken for one.
    pub(super) fn log_odds(&self, url: &CanonicalUrl, evidence: &KindEvidence) -> f64 {
        self.weighed(url, evidence) - self.threshold
    }

    /// The weighted sum of the page's own score and those of the others.
    fn weighed(&self, url: &CanonicalUrl, evidence: &KindEvidence) -> f64 {
        let inputs = self.inputs(url, evidence).map(|(mean, _)| mean);
        let constant = WEIGHTS.last().map_or(0.0, |(_, constant)| *constant);
        WEIGHTS.iter().zip(inputs).map(|((_, weight), input)| weight * input).sum::<f64>() + constant
    }

    /// The page's own score, the mean of each group's other pages and that of the whole site's, each with the number of pages.
    fn inputs(&self, url: &CanonicalUrl, evidence: &KindEvidence) -> [(f64, u32); 6] {
        let own = steps(evidence);
        let is_known = self.pages.contains(&hash(url.as_str()));
        let others = |(sum, count): (i64, u32)| {
            if is_known { (sum - own, count.saturating_sub(1)) } else { (sum, count) }
        };
        let mean =
            |(sum, count): (i64, u32)| (sum as f64 / f64::from(STEPS) / (f64::from(count) + PRIOR), count);
        let group = |at: usize| {
            let held = self.groups.get(at).and_then(|groups| groups.get(evidence.likeness.groups.get(at)?));
            held.map_or((0.0, 0), |held| mean(others(*held)))
        };
        let own = own as f64 / f64::from(STEPS);
        [(own, 1), group(0), group(1), group(2), group(3), mean(self.all)]
    }

    /// The weight of a page's own score.
    pub(super) fn own_weight(&self) -> f32 {
        WEIGHTS.first().map_or(1.0, |(_, weight)| *weight as f32)
    }

    /// What the other pages of the site add to a page's log odds.
    pub(super) fn reasons(&self, url: &CanonicalUrl, evidence: &KindEvidence) -> Vec<SiteReason> {
        /// In the order of the inputs.
        const ALIKE: [&str; 6] = [
            "",
            "in the same folder",
            "with an address of the same form",
            "with their text in the same place",
            "with their headline in the same place",
            "",
        ];
        let inputs = self.inputs(url, evidence);
        let mut reasons: Vec<SiteReason> = WEIGHTS
            .iter()
            .zip(inputs)
            .zip(ALIKE)
            .filter(|((_, (_, pages)), alike)| !alike.is_empty() && *pages > 0)
            .map(|(((_, weight), (mean, pages)), alike)| SiteReason {
                alike: Some(alike),
                pages,
                log_odds: weight * mean,
            })
            .collect();
        // The level of the site's scores: what all of its pages add, and its threshold.
        let all = WEIGHTS.get(5).zip(inputs.get(5)).map_or(0.0, |((_, weight), (mean, _))| weight * mean);
        reasons.push(SiteReason { alike: None, pages: self.all.1, log_odds: all - self.threshold });
        reasons
    }
}

/// What other pages of a site say of one of them.
pub(super) struct SiteReason {
    /// What makes them like it; `None` for the level of all scores.
    pub(super) alike: Option<&'static str>,
    /// How many they are.
    pub(super) pages: u32,
    /// The log odds that they add.
    pub(super) log_odds: f64,
}

fn steps(evidence: &KindEvidence) -> i64 {
    (evidence.log_odds.clamp(-MOST, MOST) * STEPS).round() as i64
}

/// Where the pages fall into two parts that differ most (Otsu 1979), near the middle; nearer the fewer they are.
fn threshold(mut odds: Vec<f64>) -> f64 {
    let count = odds.len() as f64;
    if odds.len() < LEAST_PAGES {
        return 0.0;
    }
    odds.iter_mut().for_each(|odds| *odds = odds.clamp(-MOST_FOR_CUT, MOST_FOR_CUT));
    odds.sort_unstable_by(f64::total_cmp);
    let all: f64 = odds.iter().sum();
    let (mut sum, mut best) = (0.0, (0.0, 0.0, 0.0));
    for (at, pair) in (1..).zip(odds.windows(2)) {
        let [low, high] = pair else { continue };
        sum += low;
        let cut = f64::midpoint(*low, *high);
        if CUTS.contains(&cut) {
            let at = f64::from(at);
            let (below, above) = (sum / at, (all - sum) / (count - at));
            let between = at * (count - at) * (above - below).powi(2);
            if between > best.0 {
                best = (between, cut, above);
            }
        }
    }
    let (_, cut, above) = best;
    // A site without articles falls into two parts, too; there the upper one is low. It does not lower the threshold.
    let (least, most) = (SURE_MEANS.start(), SURE_MEANS.end());
    let trust = if cut < 0.0 { ((above - least) / (most - least)).clamp(0.0, 1.0) } else { 1.0 };
    cut * trust * count / (count + CUT_PRIOR)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::alike::Likeness;
    use super::*;

    fn page(number: u32, log_odds: f32, group: u32) -> (CanonicalUrl, KindEvidence) {
        let url = format!("https://a.example/{number}").parse().unwrap();
        (url, KindEvidence { log_odds, likeness: Likeness { groups: [group; 4] } })
    }

    fn learnt(pages: &[(CanonicalUrl, KindEvidence)]) -> SiteKinds {
        SiteKinds::learn(pages)
    }

    #[test]
    fn a_brief_is_an_article_where_pages_like_it_are() {
        let pages: Vec<_> = (0..40)
            .map(|number| if number < 20 { page(number, 3.0, 1) } else { page(number, -3.0, 2) })
            .collect();
        let kinds = learnt(&pages);
        let odds =
            |group| kinds.log_odds(&"https://a.example/new".parse().unwrap(), &page(99, -0.4, group).1);
        assert!(odds(1) > 0.0 && odds(2) < 0.0, "{} {}", odds(1), odds(2));
    }

    #[test]
    fn a_site_whose_articles_all_score_low_has_a_lower_threshold() {
        let pages: Vec<_> = (0..60)
            .map(|number| match number {
                0..30 => page(number, 3.9 - number as f32 / 6.0, 1),
                _ => page(number, -3.9, 2),
            })
            .collect();
        let kinds = learnt(&pages);
        assert!(kinds.threshold < -0.3, "{}", kinds.threshold);
        let none: Vec<_> = (0..60).map(|number| page(number, -2.0 - number as f32 / 60.0, number)).collect();
        assert_eq!(learnt(&none).threshold, 0.0, "a site without articles");
    }

    proptest! {
        /// A page's verdict follows from the set of known pages, not from the order in which they came.
        #[test]
        fn the_order_of_the_pages_does_not_matter(scores in prop::collection::vec((-6.0_f32..6.0, 0..5_u32), 1..60), seed in any::<u64>()) {
            let pages: Vec<_> = (0..).zip(&scores).map(|(number, (score, group))| page(number, *score, *group)).collect();
            let mut shuffled = pages.clone();
            let mut random = crate::splitmix::SplitMix(seed);
            for at in (1..shuffled.len()).rev() {
                shuffled.swap(at, (random.draw() % (at as u64 + 1)) as usize);
            }
            prop_assert_eq!(learnt(&pages), learnt(&shuffled));
        }
    }
}
