//! The evidence that one concept is broader than another, site by site.
//!
//! The paper uses a page's outline alone ([`outlined`]). A site shows a pair in four more ways:
//! - a menu whose broader entry has a list with the narrower one;
//! - one link whose path spells both (`/sports/tennis`), in the summary's `nested` like the menu;
//! - links of the two whose paths nest (`/a12` and `/a12/b7`);
//! - breadcrumbs of its articles, which its scheme has ([`Breadcrumbs`]).
//!
//! Each kind is wrong now and then, but two are rarely wrong together, so sites are counted over all kinds. How far a heading
//! reaches is a guess, and sites made alike get it wrong alike, so a pair that only outlines show needs one site more. Start at
//! [`seen`].

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::mining::index::{Id, Index, NONE, SiteIndex};
use crate::mining::taxminer::{Related, Seen};

/// Kept label key → the key of its concept.
pub(super) type Concepts<'a> = BTreeMap<&'a str, &'a str>;

/// A label's number → its concept's number; `NONE` for a label of no concept.
pub(super) fn numbered(concepts: &Concepts, index: &Index) -> Vec<Id> {
    let mut of = index.names.table(NONE);
    for (key, concept) in concepts {
        if let (Some(key), Some(concept)) = (index.names.get(key), index.names.get(concept)) {
            of[key as usize] = concept;
        }
    }
    of
}

/// Each label as its own concept.
pub(super) fn themselves(index: &Index) -> Vec<Id> {
    (0..).take(index.names.table(()).len()).collect()
}

/// For each site the pairs of labels that breadcrumbs of its articles show, the broader one first.
pub(super) type Breadcrumbs = Vec<Vec<(Id, Id)>>;

/// The pairs of concepts that a menu, breadcrumbs or a path show and that addresses confirm: the usual page of the narrower label lies below
/// that of the broader one. A menu "Travel" may have a list with "Asia"; but if that site keeps Asia below its page "World",
/// Asia is no kind of travel. One site is enough for such a pair. Sites for which `is_heard` is false are left out.
pub(super) fn at_home(
    index: &Index,
    of: &[Id],
    breadcrumbs: &Breadcrumbs,
    is_heard: impl Fn(usize) -> bool,
) -> Vec<Related> {
    let mut found: BTreeMap<(Id, Id), Vec<usize>> = BTreeMap::new();
    for (at, site) in index.sites.iter().enumerate().filter(|(at, _)| is_heard(*at)) {
        let places: FxHashMap<Id, usize> =
            site.labels.iter().filter_map(|label| Some((label.id, label.place?))).collect();
        let is_below = |narrower: &Id, broader: &Id| {
            let (Some(narrower), Some(broader)) = (places.get(narrower), places.get(broader)) else {
                return false;
            };
            site.places_above(*narrower).any(|above| above == *broader)
        };
        for (broader, narrower) in site.nested.iter().chain(shown_by(breadcrumbs, at)) {
            let Some(pair) = pair(of, *broader, *narrower) else { continue };
            if is_below(narrower, broader) {
                let sites = found.entry(pair).or_default();
                if sites.last() != Some(&at) {
                    sites.push(at);
                }
            }
        }
    }
    let name = |id: Id| index.names.name(id).to_owned();
    let related = |((broader, narrower), sites)| Related {
        broader: name(broader),
        narrower: name(narrower),
        level: 1,
        sites,
        is_listed: false,
    };
    found.into_iter().map(related).collect()
}

/// The pairs of concepts, each with the sites that show it and the least level there.
pub(super) fn seen(index: &Index, of: &[Id], breadcrumbs: &Breadcrumbs, support: u32) -> Seen {
    let mut said: FxHashSet<(Id, Id)> = FxHashSet::default();
    let mut seen = Places::default();
    for (at, site) in index.sites.iter().enumerate() {
        let by_path = site.by_path(|id| concept(of, id).is_some());
        let said_here = site.nested.iter().chain(&by_path).chain(shown_by(breadcrumbs, at));
        for pair in said_here.filter_map(|(a, b)| pair(of, *a, *b)) {
            said.insert(pair);
            add(&mut seen, pair, at, 1);
        }
        add_outline(&mut seen, at, site, of);
    }
    seen.retain(|pair, places| said.contains(pair) || places.len() > support as usize);
    listed(seen, index)
}

/// The pairs that breadcrumbs of a site's articles show.
fn shown_by(breadcrumbs: &Breadcrumbs, site: usize) -> &[(Id, Id)] {
    breadcrumbs.get(site).map(Vec::as_slice).unwrap_or_default()
}

/// The pairs that outlines show, as in the paper.
pub(super) fn outlined(index: &Index, of: &[Id]) -> Seen {
    let mut seen = Places::default();
    for (at, site) in index.sites.iter().enumerate() {
        add_outline(&mut seen, at, site, of);
    }
    listed(seen, index)
}

/// For each pair its sites, ascending, with the least level there.
type Places = FxHashMap<(Id, Id), Vec<(usize, u8)>>;

fn add(seen: &mut Places, pair: (Id, Id), at: usize, level: u8) {
    let places = seen.entry(pair).or_default();
    match places.last_mut() {
        Some((last, least)) if *last == at => *least = level.min(*least),
        _ => places.push((at, level)),
    }
}

fn add_outline(seen: &mut Places, at: usize, site: &SiteIndex, of: &[Id]) {
    for (broader, narrower, level) in &site.pairs {
        if let Some(pair) = pair(of, *broader, *narrower) {
            add(seen, pair, at, *level);
        }
    }
}

fn listed(seen: Places, index: &Index) -> Seen {
    let name = |id: Id| index.names.name(id).to_owned();
    seen.into_iter().map(|((a, b), places)| ((name(a), name(b)), places)).collect()
}

pub(super) fn concept(of: &[Id], label: Id) -> Option<Id> {
    of.get(label as usize).copied().filter(|concept| *concept != NONE)
}

/// The concepts of two labels, if both have one and these differ.
fn pair(of: &[Id], broader: Id, narrower: Id) -> Option<(Id, Id)> {
    let (broader, narrower) = (concept(of, broader)?, concept(of, narrower)?);
    (broader != narrower).then_some((broader, narrower))
}
