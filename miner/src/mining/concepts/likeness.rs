//! How much a label is like a concept, by learnt trees.
//!
//! All traits of a label's links, and of the links beside it, say more than any one share, and they say the same on few sites
//! as on many. So trees weigh the traits of the label, the mean traits of its company, its score, and the rank of the score
//! among the labels of its language (the scores themselves depend on the sites). They were trained on labels that people
//! judged, over many small samples of sites (`page/train/concepts.py`), and know no words.
//!
//! Invariant: a function of the labels that enough sites link, so the other cells of a site may be missing. The values are
//! added in a fixed order. Start at [`sums`].

use std::collections::BTreeMap;
use std::sync::LazyLock;

use newslode_page::trees::Trees;
use rustc_hash::FxHashSet;

use super::company::{Lists, company};
use super::key::language;
use super::verdict::Judged;
use crate::mining::faults::Fault;
use crate::mining::index::{Index, SiteIndex};

const TREES: &str = include_str!("likeness.txt");
/// Least sum of the trees of a concept: a probability of .6.
pub(super) const LEAST: f32 = 0.405;

/// The traits of a label: means over the sites that link it.
const TRAITS: [&str; 15] = [
    "spelled",
    "inside",
    "leads somewhere",
    "followed",
    "before the end",
    "grouped",
    "second name",
    "leads anywhere",
    "depth",
    "query",
    "labels below",
    "share of host",
    "child",
    "list",
    "directory",
];
/// The place of `directory`, which is counted separately.
const DIRECTORY: usize = TRAITS.len() - 1;
/// Number of labels below a page from which more make no difference.
const MOST: usize = 15;

type Traits = [f64; TRAITS.len()];

/// The names of the measures in each row of [`rows`].
pub(super) fn measures() -> Vec<String> {
    let own = TRAITS.iter().map(|name| format!("own {name}"));
    let beside = TRAITS.iter().map(|name| format!("beside {name}"));
    own.chain(beside).chain(["score", "rank"].map(str::to_owned)).collect()
}

/// The sum of the trees for each label whose own score is above 0, in the order of the keys.
pub(super) fn sums(judged: &BTreeMap<String, Judged>, index: &Index) -> Vec<f32> {
    static SHARED: LazyLock<Trees> = LazyLock::new(|| Trees::parse(TREES, &measures()).unwrap_or_default());
    SHARED.sums(&rows(judged, index))
}

/// The measures of these labels, one row after another.
pub(super) fn rows(judged: &BTreeMap<String, Judged>, index: &Index) -> Vec<f32> {
    let linked: Vec<(&String, &Judged)> = judged.iter().filter(|(_, label)| label.own > 0.0).collect();
    let mut number = index.names.table(usize::MAX);
    for (at, id) in linked.iter().enumerate().filter_map(|(at, (key, _))| Some((at, index.names.get(key)?))) {
        number[id as usize] = at;
    }
    let lists = Lists::of(&number, index);
    let own = traits(linked.len(), &number, index, &lists);
    let mut beside = own.clone();
    for trait_ in 0..TRAITS.len() {
        let values: Vec<f64> = own.iter().map(|traits| traits[trait_]).collect();
        for (beside, company) in beside.iter_mut().zip(company(&values, &lists)) {
            // A label in no list is its own company.
            beside[trait_] = company.unwrap_or(beside[trait_]);
        }
    }
    let mut rows = Vec::with_capacity(linked.len() * (2 * TRAITS.len() + 2));
    for (((own, beside), (_, label)), rank) in own.iter().zip(&beside).zip(&linked).zip(ranks(&linked)) {
        rows.extend(own.iter().chain(beside).chain([&label.score, &rank]).map(|value| *value as f32));
    }
    rows
}

/// The rank of each label's score among the labels of its language, 0 to 1. Equal scores share the middle of their
/// ranks.
fn ranks(linked: &[(&String, &Judged)]) -> Vec<f64> {
    let mut scores: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for (key, label) in linked {
        scores.entry(language(key)).or_default().push(label.score);
    }
    scores.values_mut().for_each(|scores| scores.sort_by(f64::total_cmp));
    let rank = |(key, label): &(&String, &Judged)| {
        let sorted = scores.get(language(key)).map_or(&[][..], Vec::as_slice);
        let below = sorted.partition_point(|other| *other < label.score);
        let up_to = sorted.partition_point(|other| *other <= label.score);
        (below + up_to) as f64 / (2 * sorted.len().max(1)) as f64
    };
    linked.iter().map(rank).collect()
}

/// The means of the traits over the sites that link each label.
fn traits(labels: usize, number: &[usize], index: &Index, lists: &Lists) -> Vec<Traits> {
    let mut sums = vec![(Traits::default(), 0.0); labels];
    for (site, sizes) in index.sites.iter().zip(lists.sizes()) {
        let of = |id: u32| number.get(id as usize).copied().filter(|label| *label != usize::MAX);
        let around = Around::of(site, of);
        for label in site.labels.iter().filter(|label| label.is_linked) {
            let Some((sum, sites)) = of(label.id).and_then(|label| sums.get_mut(label)) else { continue };
            let (below, host) = around.of_place(label.place);
            let is = |fault: Fault| f64::from(u8::from(label.fault == Some(fault)));
            let here: Traits = [
                label.spelled,
                label.inside,
                1.0 - label.empty,
                1.0 - label.no_follow,
                1.0 - label.tail,
                label.grouped,
                is(Fault::SecondName),
                is(Fault::LeadsAnywhere),
                label.depth,
                label.query,
                below,
                host,
                f64::from(u8::from(around.children.contains(&label.id))),
                of(label.id).and_then(|label| sizes.get(&(label as u32))).copied().unwrap_or(0.0),
                0.0,
            ];
            sum.iter_mut().zip(here).for_each(|(sum, here)| *sum += here);
            *sites += 1.0;
        }
        for label in site.directories.iter().filter_map(|id| of(*id)) {
            sums[label].0[DIRECTORY] += 1.0;
        }
    }
    let mean = |(sum, sites): (Traits, f64)| {
        let mut mean = sum.map(|sum| sum / f64::max(sites, 1.0));
        mean[DIRECTORY] = mean[DIRECTORY].min(1.0);
        mean
    };
    sums.into_iter().map(mean).collect()
}

/// The surroundings of the labels of one site: menus and paths.
struct Around {
    /// Labels directly below another.
    children: FxHashSet<u32>,
    /// For each place in the site's paths: labels whose pages lie below it, and the place of its host.
    places: Vec<(usize, usize)>,
    /// Labels whose pages the site's places hold.
    placed: usize,
}

impl Around {
    /// `of` gives the number of each label that takes part.
    fn of(site: &SiteIndex, of: impl Fn(u32) -> Option<usize>) -> Around {
        let near =
            site.pairs.iter().filter(|(a, b, level)| *level == 1 && of(*a).is_some() && of(*b).is_some());
        let mut around = Around {
            children: near.map(|(_, narrower, _)| *narrower).collect(),
            places: vec![(0, 0); site.above.len()],
            placed: 0,
        };
        // A place comes after the one above it, so that one's host is known.
        for (place, above) in site.above.iter().enumerate() {
            let host = above.and_then(|above| around.places.get(above)).map_or(place, |(_, host)| *host);
            around.places[place].1 = host;
        }
        let placed = site.labels.iter().filter(|label| label.is_linked && of(label.id).is_some());
        for place in placed.filter_map(|label| label.place) {
            around.placed += 1;
            let mut above = site.above.get(place).copied().flatten();
            while let Some(place) = above {
                around.places[place].0 += 1;
                above = site.above.get(place).copied().flatten();
            }
        }
        around
    }

    /// How many labels' pages lie below a place, and the share of the site's labels whose pages are on its host.
    fn of_place(&self, place: Option<usize>) -> (f64, f64) {
        let Some((below, host)) = place.and_then(|place| self.places.get(place)).copied() else {
            return (0.0, 0.0);
        };
        let on_host = self.places.get(host).map_or(0, |(below, _)| *below);
        // Every page of a host is below its front page, so the number would say nothing.
        let below = if place == Some(host) { 0 } else { below.min(MOST) };
        (below as f64, on_host as f64 / self.placed.max(1) as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_ranked_within_their_language() {
        let scored = |score: f64| Judged { score, ..Judged::made(2) };
        let labels: BTreeMap<String, Judged> = [("de:a", 0.1), ("en:a", 0.2), ("en:b", 0.2), ("en:c", 0.9)]
            .map(|(key, score)| (key.to_owned(), scored(score)))
            .into();
        let ranks = ranks(&labels.iter().collect::<Vec<_>>());
        assert_eq!(ranks, [0.5, 1.0 / 3.0, 1.0 / 3.0, 2.5 / 3.0]);
    }

    #[test]
    fn the_checked_in_trees_can_be_read() {
        let trees = Trees::parse(TREES, &measures()).unwrap();
        assert!(trees.sums(&vec![0.0; measures().len()]).iter().all(|sum| *sum < LEAST));
    }
}
