//! Places of a site that lie within a concept, though few of their articles say so.
//!
//! A paper about sports files some stories of its section "Hawks" under "Hockey" and others under the names of players alone.
//! Hockey, baseball and football are parts of one whole, sports. Of the stories of "Hawks" that are under any part of it, nearly
//! all are under hockey, while those of the whole paper are under all three. So what is in "Hawks" is hockey.
//!
//! A place lies within a concept if, of its articles under any part of the same whole,
//! - enough are under the concept, and nine in ten of all ([`LEAST`], [`AGREEING`]);
//! - these are more than chance gives by the articles of the whole site ([`CERTAIN`]). Therefore "Featured" lies in nothing: its
//!   articles are as mixed as the site.
//!
//! A place that itself names a concept says by its name what it is. Start at [`WithinTally`].

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::{Deserialize, Serialize};

use super::catalogue::{Catalogue, Number};
use super::places::{AGREEING, LEAST};

/// By Hoeffding's inequality, n articles of which a share s agrees, where chance gives a share c, are so by chance with a
/// probability of at most e to the power of −2n(s − c)². This is the least 2n(s − c)², for one in a hundred.
const CERTAIN: f32 = 4.6;

/// Articles by the parts of the concepts that have some.
#[derive(Default)]
struct PartCounts {
    /// Those under each concept, or under what lies below it.
    under: BTreeMap<Number, i64>,
    /// Those under any part of each whole.
    under_part: BTreeMap<Number, i64>,
}

/// The articles of one site.
#[derive(Default)]
struct SiteCounts {
    all: PartCounts,
    /// By place.
    places: HashMap<String, PartCounts>,
}

/// By site and place: the articles under parts of wholes.
#[derive(Default)]
pub(super) struct WithinTally {
    sites: HashMap<String, SiteCounts>,
    settled: PlacesWithin,
}

/// By place: the concepts in which it lies, each with the share of its articles that say so.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct PlacesWithin(BTreeMap<String, Vec<(Number, f32)>>);

/// What an article's concepts are parts of.
struct Parts {
    /// The concepts and all above them, without genres.
    concepts: BTreeSet<Number>,
    /// The concepts right above these.
    wholes: BTreeSet<Number>,
}

impl Parts {
    fn of(catalogue: &Catalogue, named: impl IntoIterator<Item = Number>) -> Parts {
        let concepts = catalogue.with_all_above(named);
        let parents = concepts.iter().filter_map(|concept| catalogue.get(*concept));
        let wholes = parents.flat_map(|entry| &entry.parents).copied().collect();
        Parts { concepts, wholes }
    }
}

impl PartCounts {
    fn add(&mut self, parts: &Parts) {
        parts.concepts.iter().for_each(|concept| *self.under.entry(*concept).or_default() += 1);
        parts.wholes.iter().for_each(|whole| *self.under_part.entry(*whole).or_default() += 1);
    }

    /// The articles under a concept, those under any part of one of its wholes, and the share of them.
    fn share(&self, concept: Number, whole: Number) -> Option<(i64, f32)> {
        let all = *self.under_part.get(&whole)?;
        Some((all, *self.under.get(&concept)? as f32 / all as f32))
    }
}

impl WithinTally {
    /// Adds an article of a site that has these places and is filed under these concepts.
    pub(super) fn add(
        &mut self,
        catalogue: &Catalogue,
        site: &str,
        places: impl IntoIterator<Item = String>,
        named: impl IntoIterator<Item = Number>,
    ) {
        let parts = Parts::of(catalogue, named);
        if parts.wholes.is_empty() {
            return;
        }
        let counts = match self.sites.get_mut(site) {
            Some(counts) => counts,
            None => self.sites.entry(site.to_owned()).or_default(),
        };
        counts.all.add(&parts);
        let places: BTreeSet<String> = places.into_iter().collect();
        places.into_iter().for_each(|place| counts.places.entry(place).or_default().add(&parts));
    }

    /// Decides for all sites seen so far, and drops their counts. No more of their articles may follow.
    pub(super) fn settle(&mut self, catalogue: &Catalogue) {
        for (_, SiteCounts { all, places }) in self.sites.drain() {
            for (place, counts) in places {
                let within: Vec<(Number, f32)> = counts
                    .under
                    .iter()
                    .filter(|(_, count)| **count >= LEAST)
                    .filter_map(|(concept, _)| {
                        let wholes = &catalogue.get(*concept)?.parents;
                        let shares = wholes.iter().filter_map(|whole| {
                            let ((articles, share), (_, usual)) =
                                (counts.share(*concept, *whole)?, all.share(*concept, *whole)?);
                            let is_certain = 2.0 * articles as f32 * (share - usual) * (share - usual);
                            (share >= AGREEING && share > usual && is_certain >= CERTAIN).then_some(share)
                        });
                        Some((*concept, shares.max_by(f32::total_cmp)?))
                    })
                    .collect();
                if !within.is_empty() {
                    self.settled.0.insert(place, within);
                }
            }
        }
    }

    pub(super) fn places(mut self, catalogue: &Catalogue) -> PlacesWithin {
        self.settle(catalogue);
        self.settled
    }
}

impl PlacesWithin {
    /// The concepts in which one of these places lies, of an article that is filed under `found`: not those of which it is already
    /// under another part of the same whole.
    pub(super) fn concepts_of(
        &self,
        catalogue: &Catalogue,
        places: impl Iterator<Item = String>,
        found: impl IntoIterator<Item = Number>,
    ) -> BTreeMap<Number, f32> {
        let mut within: BTreeMap<Number, f32> = BTreeMap::new();
        for (concept, share) in places.filter_map(|place| self.0.get(&place)).flatten() {
            let held = within.entry(*concept).or_default();
            *held = held.max(*share);
        }
        if !within.is_empty() {
            let Parts { concepts, wholes } = Parts::of(catalogue, found);
            within.retain(|concept, _| {
                let entry = catalogue.get(*concept);
                let is_parted =
                    entry.is_none_or(|entry| entry.parents.iter().any(|whole| wholes.contains(whole)));
                !is_parted && !concepts.contains(concept)
            });
        }
        within
    }
}
