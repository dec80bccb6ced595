//! The company rule: a label is worth as much as the labels beside it.
//!
//! Services ("log in", "newsletter") are listed together, on site after site. So a label's own score flows through the lists
//! that contain it, for ten rounds. A label with the traits of a section among services sinks; one whose URL does not spell it
//! rises among sections. Start at [`spread_scores`].

use std::collections::BTreeMap;
use std::ops::Range;

use rustc_hash::FxHashMap;

use super::verdict::Judged;
use crate::mining::index::Index;

/// Number of rounds; after eight the scores move by less than a hundredth.
const ROUNDS: usize = 10;
/// Weight of a label's own score beside its company's.
const OWN: f64 = 0.15;
/// Length from which lists count as equally long.
const LONG: usize = 40;

/// `s(l) = 0.15 own(l) + 0.85 · mean over sites, over its lists there, of the mean s of the OTHER labels`,
/// ten times from s = own. A list counts once for each site: a footer on every page says no more than on one.
/// A label in no list is its own company. Dropped labels take part: junk pulls down its neighbours.
pub(super) fn spread_scores(judged: &mut BTreeMap<String, Judged>, index: &Index) {
    let linked = || judged.iter().filter(|(_, label)| label.own > 0.0);
    let mut number = index.names.table(usize::MAX);
    for (at, id) in linked().enumerate().filter_map(|(at, (key, _))| Some((at, index.names.get(key)?))) {
        number[id as usize] = at;
    }
    let own: Vec<f64> = linked().map(|(_, label)| label.own).collect();
    let lists = Lists::of(&number, index);
    let mut scores = own.clone();
    for _ in 0..ROUNDS {
        let company = company(&scores, &lists);
        for ((score, own), company) in scores.iter_mut().zip(&own).zip(company) {
            *score = OWN * own + (1.0 - OWN) * company.unwrap_or(*own);
        }
    }
    let linked = judged.values_mut().filter(|label| label.own > 0.0);
    for (label, score) in linked.zip(scores) {
        label.score = score;
    }
}

/// Each site's lists, as numbers of labels; lists of fewer than two labels say nothing and are left out.
pub(super) struct Lists {
    members: Vec<u32>,
    /// Ranges of the members.
    lists: Vec<Range<usize>>,
    /// Ranges of the lists.
    sites: Vec<Range<usize>>,
}

impl Lists {
    /// `number` gives each label that takes part its number, and `usize::MAX` to the others.
    pub(super) fn of(number: &[usize], index: &Index) -> Lists {
        let mut lists = Lists { members: Vec::new(), lists: Vec::new(), sites: Vec::new() };
        for site in &index.sites {
            let first = lists.lists.len();
            for list in &site.lists {
                let from = lists.members.len();
                let known = list.iter().filter_map(|id| number.get(*id as usize));
                lists.members.extend(known.filter_map(|label| u32::try_from(*label).ok()));
                if lists.members.len() - from > 1 {
                    lists.lists.push(from..lists.members.len());
                } else {
                    lists.members.truncate(from);
                }
            }
            lists.sites.push(first..lists.lists.len());
        }
        lists
    }

    /// For each site the mean number of labels in the lists of each of its labels, at most [`LONG`].
    pub(super) fn sizes(&self) -> impl Iterator<Item = FxHashMap<u32, f64>> {
        self.by_site().map(|site| {
            let mut sizes: FxHashMap<u32, (f64, f64)> = FxHashMap::default();
            for members in site {
                for label in members {
                    let (sum, lists) = sizes.entry(*label).or_default();
                    *sum += members.len().min(LONG) as f64;
                    *lists += 1.0;
                }
            }
            sizes.into_iter().map(|(label, (sum, lists))| (label, sum / lists)).collect()
        })
    }

    /// The lists of each site.
    fn by_site(&self) -> impl Iterator<Item = impl Iterator<Item = &[u32]>> {
        let lists = |site: &Range<usize>| self.lists.get(site.clone()).unwrap_or_default();
        let members = |list: &Range<usize>| self.members.get(list.clone()).unwrap_or_default();
        self.sites.iter().map(move |site| lists(site).iter().map(members))
    }
}

/// The mean over sites, over lists, of the other labels' scores; `None` for labels in no list.
pub(super) fn company(scores: &[f64], lists: &Lists) -> Vec<Option<f64>> {
    // Sums with their numbers of addends: over the sites so far, and over the lists of the present site.
    let mut over_sites = vec![(0.0, 0.0); scores.len()];
    let mut here = vec![(0.0, 0.0); scores.len()];
    let mut met: Vec<u32> = Vec::new();
    let score = |label: &u32| scores.get(*label as usize).copied().unwrap_or(0.0);
    for site in lists.by_site() {
        for members in site {
            let sum: f64 = members.iter().map(score).sum();
            for label in members {
                if let Some((total, weight)) = here.get_mut(*label as usize) {
                    if *weight == 0.0 {
                        met.push(*label);
                    }
                    *total += (sum - score(label)) / (members.len() - 1) as f64;
                    *weight += 1.0;
                }
            }
        }
        for label in met.drain(..) {
            let label = label as usize;
            if let (Some(here), Some((sum, sites))) = (here.get_mut(label), over_sites.get_mut(label)) {
                let (total, weight) = std::mem::take(here);
                *sum += total / weight;
                *sites += 1.0;
            }
        }
    }
    over_sites.into_iter().map(|(sum, sites)| (sites > 0.0).then(|| sum / sites)).collect()
}
