//! The tree of a site's scheme: which place lies within which, and which place holds most articles of another one as well.
//!
//! Two witnesses say that a place is broader: the breadcrumbs of articles ("Sport > Tennis"), and an address below another
//! place's address. Each article has one voice for each step of its breadcrumbs. A step is accepted if enough articles show it,
//! most of those that show the narrower place show it there, and the narrower place is not on nearly all of them: a menu that
//! calls itself breadcrumbs is the same everywhere. A place has one broader place at most. Pairs are taken by their evidence, the
//! strongest first, and one that would close a circle is left out.
//!
//! Articles that two places share are no such witness: `broader` pairs taken from them were wrong more often than right. They are kept
//! apart ([`MostlyIn`]) and shown as what they are. Start at [`SchemeTree::of`].

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use newslode_page::article::NamedLink;
use newslode_page::reading::CanonicalUrl;
use serde::{Deserialize, Serialize};

use super::names::{bare, first_of_listing, join_key};
use super::{BROAD, PlaceKind, SchemeIndex, SchemePlace};

/// The fewest articles whose breadcrumbs show a step.
const LEAST_STEPS: u32 = 3;
/// Most places above a place that are looked at.
const MOST_LEVELS: usize = 16;
/// A place is mostly in another one if that has at least this share of its articles, of which there are at least so many, and
/// so many times the share that it has of all articles.
const MOSTLY: f64 = 0.8;
const LEAST_MOSTLY: usize = 10;
const MOSTLY_LIFT: f64 = 1.25;

/// What says that a place is broader than another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BroaderBy {
    /// Breadcrumbs of articles.
    Breadcrumbs,
    /// The address of the place is below that of the broader one.
    Address,
}

/// What says that a place is within another one; `articles`: of how many articles the breadcrumbs say so.
#[must_use]
pub fn broader_in_words(by: &[BroaderBy], articles: u32) -> String {
    let word = |by: &BroaderBy| match by {
        BroaderBy::Breadcrumbs => format!("breadcrumbs of {articles} articles"),
        BroaderBy::Address => "its address".to_owned(),
    };
    by.iter().map(word).collect::<Vec<_>>().join(" and ")
}

/// The place within which a place lies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BroaderPlace {
    /// Its number in the scheme.
    pub place: u32,
    /// What says so, sorted; not empty.
    pub by: Vec<BroaderBy>,
    /// Number of articles whose breadcrumbs say so.
    pub articles: u32,
}

/// A larger place that holds most articles of a place as well. The taxonomy takes no relation from this.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MostlyIn {
    /// Its number in the scheme.
    pub place: u32,
    /// Number of articles that name both.
    pub articles: u32,
}

/// The order of a site's places.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SchemeTree {
    /// By the number of the narrower place; without circles.
    pub(super) broader: BTreeMap<u32, BroaderPlace>,
    /// By the number of the place whose articles are counted.
    pub(super) mostly_in: BTreeMap<u32, MostlyIn>,
}

/// The steps of breadcrumbs, counted by articles.
#[derive(Default)]
struct Steps {
    /// Articles with breadcrumbs that name a place.
    articles: u32,
    /// (broader, narrower) → articles that name the narrower place right after the broader one.
    pairs: BTreeMap<(u32, u32), u32>,
    /// Place → articles that name it.
    named: BTreeMap<u32, u32>,
    /// Place → articles that name it after another one.
    below: BTreeMap<u32, u32>,
}

impl SchemeTree {
    /// The tree of these places, by the breadcrumbs of articles and by addresses; `articles` are those of each place, of
    /// `all` articles.
    pub(super) fn of<'a>(
        places: &[SchemePlace],
        index: &SchemeIndex,
        breadcrumbs: impl Iterator<Item = &'a [NamedLink]>,
        articles: &BTreeMap<u32, BTreeSet<usize>>,
        all: usize,
    ) -> SchemeTree {
        let mut candidates: BTreeMap<(u32, u32), BroaderPlace> = BTreeMap::new();
        for ((broader, narrower), count) in Steps::of(index, breadcrumbs).accepted() {
            let by = vec![BroaderBy::Breadcrumbs];
            candidates.insert((broader, narrower), BroaderPlace { place: broader, by, articles: count });
        }
        for (broader, narrower) in pairs_by_address(places) {
            let none = BroaderPlace { place: broader, by: Vec::new(), articles: 0 };
            candidates.entry((broader, narrower)).or_insert(none).by.push(BroaderBy::Address);
        }
        let mut tree = SchemeTree { broader: acyclic(candidates), mostly_in: BTreeMap::new() };
        tree.mostly_in = tree.mostly_in(places, articles, all);
        tree
    }

    /// The places above a place, the nearest first.
    pub(super) fn above(&self, place: u32) -> impl Iterator<Item = u32> {
        let next = |place: &u32| self.broader.get(place).map(|broader| broader.place);
        std::iter::successors(next(&place), next).take(MOST_LEVELS)
    }

    /// For each place, the place that holds most of its articles as well, unless the tree has it above. A section and a tag of the same
    /// name are left out.
    pub(super) fn mostly_in(
        &self,
        places: &[SchemePlace],
        articles: &BTreeMap<u32, BTreeSet<usize>>,
        all: usize,
    ) -> BTreeMap<u32, MostlyIn> {
        let mut of_article: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
        for (place, articles) in articles {
            articles.iter().for_each(|article| of_article.entry(*article).or_default().push(*place));
        }
        let mut found = BTreeMap::new();
        for (place, own) in articles.iter().filter(|(_, own)| own.len() >= LEAST_MOSTLY) {
            let mut beside: BTreeMap<u32, usize> = BTreeMap::new();
            let others = own.iter().filter_map(|article| of_article.get(article)).flatten();
            others.filter(|other| *other != place).for_each(|other| *beside.entry(*other).or_default() += 1);
            let above: BTreeSet<u32> = self.above(*place).collect();
            let called = |place: &u32| places.get(*place as usize).map(|place| join_key(&place.label));
            let own_name = called(place);
            let is_mostly = |other: &u32, both: usize| {
                let wider = articles.get(other).map_or(0, BTreeSet::len);
                let share = both as f64 / own.len() as f64;
                share >= MOSTLY
                    && wider > own.len()
                    && share >= MOSTLY_LIFT * wider as f64 / all.max(1) as f64
                    && !above.contains(other)
                    && (own_name.is_none() || called(other) != own_name)
            };
            let best = beside.into_iter().filter(|(other, both)| is_mostly(other, *both)).min_by_key(
                |(other, both)| (Reverse(*both), articles.get(other).map_or(0, BTreeSet::len), *other),
            );
            if let Some((other, both)) = best {
                let both = u32::try_from(both).unwrap_or(u32::MAX);
                found.insert(*place, MostlyIn { place: other, articles: both });
            }
        }
        found
    }
}

impl Steps {
    fn of<'a>(index: &SchemeIndex, breadcrumbs: impl Iterator<Item = &'a [NamedLink]>) -> Steps {
        let mut steps = Steps::default();
        for trail in breadcrumbs {
            let mut places: Vec<u32> = Vec::new();
            for place in trail.iter().filter_map(|crumb| place_of(index, crumb)) {
                if !places.contains(&place) {
                    places.push(place);
                }
            }
            steps.articles += u32::from(!places.is_empty());
            for place in &places {
                *steps.named.entry(*place).or_default() += 1;
            }
            for step in places.windows(2) {
                *steps.pairs.entry((step[0], step[1])).or_default() += 1;
                *steps.below.entry(step[1]).or_default() += 1;
            }
        }
        steps
    }

    /// The steps that behave like those of a tree, each with the number of articles that show it.
    fn accepted(&self) -> impl Iterator<Item = ((u32, u32), u32)> {
        let count = |counts: &BTreeMap<u32, u32>, place| counts.get(&place).copied().unwrap_or(0);
        self.pairs.iter().map(|(pair, count)| (*pair, *count)).filter(move |((broader, narrower), shown)| {
            let back = self.pairs.get(&(*narrower, *broader)).copied().unwrap_or(0);
            *shown >= LEAST_STEPS
                && *shown > back
                && 2 * shown > count(&self.below, *narrower)
                && f64::from(count(&self.named, *narrower)) <= BROAD * f64::from(self.articles)
        })
    }
}

/// The place that a step of breadcrumbs means: the one of its page, or one without a page that is called so.
fn place_of(index: &SchemeIndex, crumb: &NamedLink) -> Option<u32> {
    let by_page = crumb.address.as_deref().and_then(|address| index.by_page.get(first_of_listing(address)));
    let by_name = || index.by_name.get(&join_key(&crumb.name)).filter(|_| crumb.address.is_none());
    by_page.or_else(by_name).copied()
}

/// The pairs of places of which one's address is below the other's: the nearest one above each place. A tag is above no section.
fn pairs_by_address(places: &[SchemePlace]) -> Vec<(u32, u32)> {
    let path = |place: &SchemePlace| {
        let url = place.address.as_ref().map(CanonicalUrl::as_str).filter(|url| !url.contains('?'))?;
        Some(bare(url).to_owned())
    };
    let mut by_path: BTreeMap<String, u32> = BTreeMap::new();
    for (place, at) in places.iter().zip(0..) {
        path(place).map(|path| by_path.entry(path).or_insert(at));
    }
    let kind = |at: u32| places.get(at as usize).map(|place| place.kind);
    let mut pairs = Vec::new();
    for (path, at) in &by_path {
        let mut rest = path.as_str();
        while let Some((above, _)) = rest.rsplit_once('/') {
            rest = above;
            let broader = by_path
                .get(rest)
                .copied()
                .filter(|broader| kind(*broader) == Some(PlaceKind::Section) || kind(*broader) == kind(*at));
            if let Some(broader) = broader {
                pairs.push((broader, *at));
                break;
            }
        }
    }
    pairs
}

/// One broader place for each place: pairs by their evidence, the strongest first, without those that would close a circle.
fn acyclic(candidates: BTreeMap<(u32, u32), BroaderPlace>) -> BTreeMap<u32, BroaderPlace> {
    let mut sorted: Vec<((u32, u32), BroaderPlace)> = candidates.into_iter().collect();
    sorted.sort_by_key(|(pair, by)| (Reverse(by.articles), Reverse(by.by.len()), *pair));
    let mut tree: BTreeMap<u32, BroaderPlace> = BTreeMap::new();
    // Place → one above it, as near to the top as was seen: ways are shortened, because hostile breadcrumbs may be long chains.
    let mut upwards: BTreeMap<u32, u32> = BTreeMap::new();
    for ((broader, narrower), by) in sorted {
        let mut top = broader;
        let mut passed = Vec::new();
        while let Some(next) = upwards.get(&top) {
            passed.push(top);
            top = *next;
        }
        upwards.extend(passed.into_iter().map(|place| (place, top)));
        // A place without a broader one is the top of all below it.
        if top != narrower && !tree.contains_key(&narrower) {
            upwards.insert(narrower, top);
            tree.insert(narrower, by);
        }
    }
    tree
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(articles: u32, place: u32) -> BroaderPlace {
        BroaderPlace { place, by: vec![BroaderBy::Breadcrumbs], articles }
    }

    fn broader(pairs: &[(u32, u32, u32)]) -> Vec<(u32, u32)> {
        let candidates = pairs.iter().map(|(a, b, articles)| ((*a, *b), pair(*articles, *a))).collect();
        acyclic(candidates).into_iter().map(|(narrower, broader)| (broader.place, narrower)).collect()
    }

    #[test]
    fn a_circle_loses_its_weakest_pair_and_a_place_has_one_broader_place() {
        assert_eq!(broader(&[(1, 2, 5), (2, 3, 4), (3, 1, 3)]), [(1, 2), (2, 3)]);
        assert_eq!(broader(&[(1, 2, 3), (2, 3, 4), (3, 1, 5)]), [(3, 1), (2, 3)]);
        assert_eq!(broader(&[(1, 3, 4), (2, 3, 6)]), [(2, 3)]);
        assert_eq!(broader(&[(1, 1, 9)]), []);
    }

    #[test]
    fn a_long_chain_that_closes_a_circle_loses_one_pair_whatever_its_order() {
        let chain = |strength: fn(u32) -> u32| {
            let mut chain: Vec<(u32, u32, u32)> = (0..4_000).map(|at| (at, at + 1, strength(at))).collect();
            chain.push((4_000, 0, 1));
            broader(&chain)
        };
        let strengths: [fn(u32) -> u32; 3] = [|at| 3 + at, |at| 9_000 - at, |_| 3];
        for strength in strengths {
            let pairs = chain(strength);
            assert_eq!(pairs.len(), 4_000);
            assert!(!pairs.contains(&(4_000, 0)));
        }
    }
}
