//! The company rule: a label is worth what stands beside it is worth.
//!
//! Menus and services stand in lists of their own, on site after site. A label's own score flows through
//! the lists it stands in, ten rounds, so that one which looks like a section among services sinks, and
//! one whose address does not spell it rises among sections. Start at [`keep`].

use std::collections::BTreeMap;
use std::ops::Range;

use super::verdict::Judged;
use crate::mining::index::Index;

/// Rounds; scores move by less than a hundredth after eight.
const ROUNDS: usize = 10;
/// Weight of a label's own score beside its company's.
const OWN: f64 = 0.15;

/// `s(l) = 0.15 own(l) + 0.85 · mean over sites, over its lists there, of the mean s of the OTHER labels`,
/// ten times from s = own. A list counts once a site: a footer that stands on every page says no more. A label in no list is its own
/// company. Labels that were dropped take part: junk sinks what stands beside it.
pub(super) fn keep(judged: &mut BTreeMap<String, Judged>, index: &Index) {
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

/// The lists of each site as numbers of labels; those with one label or none say nothing.
pub(super) struct Lists {
    members: Vec<u32>,
    /// In the members.
    lists: Vec<Range<usize>>,
    /// In the lists.
    sites: Vec<Range<usize>>,
}

impl Lists {
    /// `number` gives each label that takes part its number, the others `usize::MAX`.
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

    /// The lists of each site.
    fn by_site(&self) -> impl Iterator<Item = impl Iterator<Item = &[u32]>> {
        let lists = |site: &Range<usize>| self.lists.get(site.clone()).unwrap_or_default();
        let members = |list: &Range<usize>| self.members.get(list.clone()).unwrap_or_default();
        self.sites.iter().map(move |site| lists(site).iter().map(members))
    }
}

/// The mean over sites, over lists, of the other labels' scores; `None` for labels in no list.
pub(super) fn company(scores: &[f64], lists: &Lists) -> Vec<Option<f64>> {
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
