//! A site's own scheme: its sections and tags, and which of them an article belongs to.
//!
//! An article names its place in some of its [slots](SlotUse): a link in its header, a meta name, a directory of its
//! address. Beside them are menus, bylines, dates and links to other stories, which look alike on one page. They behave
//! differently over many: a slot that names places differs between articles, but is shared by several; it leads to pages that
//! list the articles back. So each slot must behave so, whatever it calls itself and whatever system made the site.
//!
//! The scheme is a view: it follows from the pages of the site alone, equal pages give an equal scheme, and it enters no sum.
//! Start at [`SiteScheme::learn`].

use std::collections::{BTreeMap, BTreeSet};

use newslode_page::extract::SlotUse;
use newslode_page::reading::CanonicalUrl;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

mod full_names;
mod learning;
mod names;
mod slots;
mod spellings;
mod summary;
mod tree;

pub use names::folded;
use names::{
    Target, evidence_of, first_of_listing, is_date, is_declared, is_tag_slot, join_key, last_part,
    targets_of, without_rare_classes,
};
pub use slots::{Rejected, SchemePage, SlotReport};
pub use summary::{PlacedLabel, SchemeSummary};
use tree::SchemeTree;
pub use tree::{BroaderBy, BroaderPlace, MostlyIn, broader_in_words};

/// The share of a site's articles that a good section has.
const GOOD_SHARE: f64 = 0.13;
/// How likely a place is that only a listing of the site names.
const LISTED_ONLY: f32 = 0.7;
/// A place of more than this part of a slot's articles serves only where nothing else does.
const BROAD: f64 = 0.9;

/// Whether a place is one of few into which a site is divided, or one of many that are attached to articles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlaceKind {
    /// A section.
    Section,
    /// A tag.
    Tag,
}

/// A place of an article in its site.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Place {
    /// As the site writes it.
    pub label: String,
    /// The page of the section or tag, if it is known.
    pub address: Option<String>,
    /// Section or tag.
    pub kind: PlaceKind,
    /// What names it: `link`, `meta`, `json-ld`, `microdata`, `directory`, `class`, `listing`; sorted.
    pub evidence: Vec<String>,
    /// How likely the publisher means this place.
    pub probability: f32,
}

/// A site's sections and tags, and the slots that name them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SiteScheme {
    /// The classes that are part of slots' names: those on at least half of the articles.
    classes: BTreeSet<String>,
    /// The accepted slots.
    slots: BTreeMap<String, AcceptedSlot>,
    /// The places, those of most articles first.
    places: Vec<SchemePlace>,
    /// Number of articles it was learnt from.
    articles: u32,
    /// Names that have commas.
    joined: BTreeSet<String>,
    /// Articles that name no place of their own, with the places whose listings show them.
    listed: BTreeMap<String, Vec<u32>>,
    /// The order of the places; nothing in schemes that were stored before there was one.
    tree: Option<SchemeTree>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct AcceptedSlot {
    /// Places of nearly all of its articles, which serve where nothing else does.
    broad: BTreeSet<u32>,
    /// Addresses of pages that it links and that are no places.
    ignored: BTreeSet<String>,
    /// Whether its own texts name nothing, so that it tells only known places.
    is_renamed: bool,
}

/// A section or tag of a site.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SchemePlace {
    /// As the site writes it most often.
    pub label: String,
    /// Its page.
    pub address: Option<CanonicalUrl>,
    /// Section or tag.
    pub kind: PlaceKind,
    /// Number of articles that name it, of those learnt from.
    pub articles: u32,
    /// The places within which it lies, by number: steps before it in trails, and larger ones of its kind that nearly all of its
    /// articles have, too.
    within: BTreeSet<u32>,
}

/// What an article names: each place with the slots.
type Named = BTreeMap<PlaceRef, BTreeSet<String>>;

/// A place of the scheme, or one that it does not know yet.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum PlaceRef {
    Known(u32),
    New(String, Option<String>),
}

/// Joins names that the scheme does not know with the pages of the same name that the article links.
fn with_addresses(named: Named) -> Named {
    let names: BTreeMap<String, PlaceRef> = named
        .keys()
        .filter_map(|place| match place {
            PlaceRef::New(label, Some(address)) => {
                Some([(join_key(label), place.clone()), (last_part(&address.parse().ok()?), place.clone())])
            }
            _ => None,
        })
        .flatten()
        .collect();
    let mut joined = Named::new();
    for (place, slots) in named {
        let at = match &place {
            PlaceRef::New(label, None) => names.get(&join_key(label)).cloned().unwrap_or(place),
            _ => place,
        };
        joined.entry(at).or_default().extend(slots);
    }
    joined
}

/// Finds places by address and name.
struct SchemeIndex {
    by_page: FxHashMap<String, u32>,
    by_name: FxHashMap<String, u32>,
}

impl SiteScheme {
    /// Whether it names no place.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// The places, those of most articles first.
    #[must_use]
    pub fn places(&self) -> &[SchemePlace] {
        &self.places
    }

    /// The place within which a place lies, by number, with what says so.
    #[must_use]
    pub fn broader(&self, place: usize) -> Option<(&SchemePlace, &BroaderPlace)> {
        let broader = self.tree.as_ref()?.broader.get(&u32::try_from(place).ok()?)?;
        Some((self.places.get(broader.place as usize)?, broader))
    }

    /// A larger place that holds most articles of the place with this number as well. That makes neither place broader than the other.
    #[must_use]
    pub fn mostly_in(&self, place: usize) -> Option<(&SchemePlace, MostlyIn)> {
        let mostly = *self.tree.as_ref()?.mostly_in.get(&u32::try_from(place).ok()?)?;
        Some((self.places.get(mostly.place as usize)?, mostly))
    }

    /// Number of articles from which it was learnt.
    #[must_use]
    pub fn articles(&self) -> u32 {
        self.articles
    }

    /// What names the places on the pages of the site, in the words of [`Place::evidence`].
    #[must_use]
    pub fn evidence(&self) -> BTreeSet<&'static str> {
        let listings = (!self.listed.is_empty()).then_some("listing");
        self.slots.keys().map(|slot| evidence_of(slot)).chain(listings).collect()
    }

    fn index(&self) -> SchemeIndex {
        let mut index = SchemeIndex { by_page: FxHashMap::default(), by_name: FxHashMap::default() };
        for (at, place) in self.places.iter().enumerate() {
            let at = u32::try_from(at).unwrap_or(u32::MAX);
            if let Some(url) = &place.address {
                index.by_page.entry(first_of_listing(url.as_str()).to_owned()).or_insert(at);
            }
        }
        for with_page in [true, false] {
            for (at, place) in
                self.places.iter().enumerate().filter(|(_, place)| place.address.is_some() == with_page)
            {
                let at = u32::try_from(at).unwrap_or(u32::MAX);
                index.by_name.entry(join_key(&place.label)).or_insert(at);
                if let Some(url) = &place.address {
                    index.by_name.entry(last_part(url)).or_insert(at);
                }
            }
        }
        index
    }

    /// What the accepted slots of an article name.
    fn named(&self, index: &SchemeIndex, slots: &[SlotUse]) -> Named {
        let mut named = Named::new();
        let mut broad: BTreeSet<u32> = BTreeSet::new();
        for slot in slots {
            let name = without_rare_classes(&slot.slot, |class| self.classes.contains(class));
            let Some(accepted) = self.slots.get(&name) else { continue };
            broad.extend(&accepted.broad);
            let said = |entry| targets_of(entry, &self.joined).into_iter().map(move |said| (entry, said));
            for (entry, (target, text)) in slot.names.iter().flat_map(said) {
                if is_date(text) {
                    continue;
                }
                if matches!(&target, Target::Page(url) if accepted.ignored.contains(url)) {
                    continue;
                }
                let (known, address) = match &target {
                    // A directory may be a section whose page is elsewhere, or nowhere.
                    Target::Page(url) if slot.slot.starts_with("dir ") => {
                        (index.by_page.get(url).or_else(|| index.by_name.get(&join_key(text))), None)
                    }
                    Target::Page(url) => (index.by_page.get(url), entry.target.as_ref()),
                    Target::Name(name) => (index.by_name.get(name), None),
                };
                let place = match known {
                    Some(at) => PlaceRef::Known(*at),
                    None if accepted.is_renamed => continue,
                    None => PlaceRef::New(text.to_owned(), address.map(|url| url.as_str().to_owned())),
                };
                named.entry(place).or_default().insert(name.clone());
            }
        }
        let is_broad = |place: &PlaceRef| matches!(place, PlaceRef::Known(at) if broad.contains(at));
        named = with_addresses(named);
        if named.keys().any(|place| !is_broad(place)) {
            named.retain(|place, slots| !is_broad(place) || slots.iter().any(|slot| is_declared(slot)));
        }
        named
    }

    /// How far a place of so many articles is from one that divides the site well; in thousandths of the logarithm.
    fn distance(&self, articles: u32) -> u64 {
        let share = f64::from(articles.max(1)) / f64::from(self.articles.max(1));
        ((share / GOOD_SHARE).ln().abs() * 1_000.0) as u64
    }
}

/// Finds the places of a site's articles.
pub struct PlaceFinder {
    scheme: SiteScheme,
    index: SchemeIndex,
}

impl PlaceFinder {
    /// A finder by this scheme.
    #[must_use]
    pub fn new(scheme: SiteScheme) -> PlaceFinder {
        PlaceFinder { index: scheme.index(), scheme }
    }

    /// The scheme.
    #[must_use]
    pub fn scheme(&self) -> &SiteScheme {
        &self.scheme
    }

    /// The places of an article, best first: sections before tags; then what several slots and more kinds of evidence name, what
    /// lies within another place of the article before that one, and what divides the site well.
    #[must_use]
    pub fn places_of(&self, url: &CanonicalUrl, authors: &[String], slots: &[SlotUse]) -> Vec<Place> {
        let authors: BTreeSet<String> = authors.iter().map(|author| folded(author)).collect();
        let scheme = &self.scheme;
        let named = scheme.named(&self.index, slots);
        let known: BTreeSet<u32> = named.keys().filter_map(PlaceRef::number).collect();
        let wider: BTreeSet<u32> = known
            .iter()
            .filter_map(|at| scheme.places.get(*at as usize))
            .flat_map(|place| place.within.intersection(&known).copied())
            .collect();
        let mut found: Vec<(Place, Rank)> = Vec::new();
        for (place, slots) in named {
            let evidence: BTreeSet<&str> = slots.iter().map(|slot| evidence_of(slot)).collect();
            let number = place.number();
            let (label, address, kind, articles) = match place {
                PlaceRef::Known(at) => {
                    let Some(place) = scheme.places.get(at as usize) else { continue };
                    (place.label.clone(), place.written_address(), place.kind, place.articles)
                }
                PlaceRef::New(label, address) => {
                    let is_tag = slots.iter().all(|slot| is_tag_slot(slot));
                    (label, address, if is_tag { PlaceKind::Tag } else { PlaceKind::Section }, 1)
                }
            };
            if authors.contains(&folded(&label)) || label.is_empty() {
                continue;
            }
            let rank = Rank {
                is_broad: f64::from(articles) > BROAD * f64::from(scheme.articles),
                kind,
                is_wider: number.is_some_and(|at| wider.contains(&at)),
                is_named_once: slots.len() < 2,
                evidence: std::cmp::Reverse(evidence.len()),
                distance: scheme.distance(articles),
            };
            let evidence: Vec<String> = evidence.into_iter().map(str::to_owned).collect();
            let probability = probability(evidence.len());
            found.push((Place { label, address, kind, evidence, probability }, rank));
        }
        if found.is_empty() {
            for at in scheme.listed.get(url.as_str()).into_iter().flatten() {
                let Some(place) = scheme.places.get(*at as usize) else { continue };
                let rank = Rank {
                    is_broad: false,
                    kind: place.kind,
                    is_wider: false,
                    is_named_once: true,
                    evidence: std::cmp::Reverse(1),
                    distance: scheme.distance(place.articles),
                };
                let (label, address, kind) = (place.label.clone(), place.written_address(), place.kind);
                found.push((
                    Place {
                        label,
                        address,
                        kind,
                        evidence: vec!["listing".into()],
                        probability: LISTED_ONLY,
                    },
                    rank,
                ));
            }
        }
        found.sort_by(|(a, a_rank), (b, b_rank)| a_rank.cmp(b_rank).then_with(|| a.label.cmp(&b.label)));
        found.into_iter().map(|(place, _)| place).collect()
    }
}

/// How often a place that so many kinds of evidence name is one that the publisher names: measured on whole recorded sites, see
/// docs/results.md.
fn probability(kinds: usize) -> f32 {
    match kinds {
        0 | 1 => 0.89,
        2 => 0.93,
        _ => 0.99,
    }
}

/// What places are ordered by, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    is_broad: bool,
    kind: PlaceKind,
    is_named_once: bool,
    evidence: std::cmp::Reverse<usize>,
    is_wider: bool,
    distance: u64,
}

impl SchemePlace {
    /// The place of no article in particular, without evidence.
    pub(crate) fn to_place(&self) -> Place {
        let (label, address) = (self.label.clone(), self.written_address());
        Place { label, address, kind: self.kind, evidence: Vec::new(), probability: 1.0 }
    }

    fn written_address(&self) -> Option<String> {
        self.address.as_ref().map(|url| url.as_str().to_owned())
    }
}

impl PlaceRef {
    fn number(&self) -> Option<u32> {
        match self {
            PlaceRef::Known(at) => Some(*at),
            PlaceRef::New(..) => None,
        }
    }
}

#[cfg(test)]
impl SiteScheme {
    /// A scheme of sections without pages of which the first of each pair is broader by breadcrumbs of three articles.
    pub(crate) fn nested(pairs: &[(&str, &str)]) -> SiteScheme {
        let labels: BTreeSet<&str> = pairs.iter().flat_map(|(a, b)| [*a, *b]).collect();
        let number =
            |label: &str| labels.iter().zip(0..).find(|(own, _)| **own == label).map_or(0, |(_, at)| at);
        let place = |label: &&str| SchemePlace {
            label: (*label).to_owned(),
            address: None,
            kind: PlaceKind::Section,
            articles: 3,
            within: BTreeSet::new(),
        };
        let by = vec![BroaderBy::Breadcrumbs];
        let broader = pairs.iter().map(|(broader, narrower)| {
            (number(narrower), BroaderPlace { place: number(broader), by: by.clone(), articles: 3 })
        });
        let tree = SchemeTree { broader: broader.collect(), mostly_in: BTreeMap::new() };
        SiteScheme { places: labels.iter().map(place).collect(), tree: Some(tree), ..SiteScheme::default() }
    }
}

#[cfg(test)]
mod tests;
