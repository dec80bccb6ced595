//! Learns a site's scheme: accepts slots, joins what they name, and puts the places in order.

use std::collections::{BTreeMap, BTreeSet};

use newslode_page::reading::CanonicalUrl;
use rustc_hash::{FxHashMap, FxHashSet};

use super::names::{Target, first_of_listing, folded, is_declared, is_tag_slot, join_key, last_part};
use super::slots::{
    LEAST_ARTICLES, Rejected, SchemePage, Site, SlotReport, SlotSums, best_beside, common_classes, judge,
    names_listings, sums_of_slots,
};
use super::{AcceptedSlot, BROAD, PlaceKind, SchemePlace, SiteScheme};

/// The least agreement of a slot, if nothing but links to listings says that the slot names places.
const LEAST_LISTED_BACK: f64 = 0.1;
/// A place lies within one that this part of its articles have, too, if that one has so many times its articles.
const NEARLY_ALL: f64 = 0.95;
const WIDER: f64 = 1.2;
const LEAST_WITHIN: usize = 3;
/// Most places of a scheme. A site may have more tags; those of few articles are found on the articles themselves.
const MOST_PLACES: usize = 20_000;
/// Most pages that a slot is known to link without meaning them.
const MOST_IGNORED: usize = 400;

/// The names of a target: each with its number of uses, and whether a link is called so.
type Names = BTreeMap<String, (u32, bool)>;

impl SiteScheme {
    /// The scheme of a site with these pages, and how each slot behaves, for people who ask why.
    #[must_use]
    pub fn learn(pages: &[SchemePage<'_>]) -> (SiteScheme, Vec<SlotReport>) {
        let mut site = Site::new(pages);
        let n_articles = site.articles.len();
        if n_articles < LEAST_ARTICLES {
            return (SiteScheme::default(), Vec::new());
        }
        let classes = common_classes(&site);
        let slots = sums_of_slots(&mut site, &classes);
        let judged: Vec<(String, SlotSums, SlotReport)> = slots
            .into_iter()
            .map(|(name, sums)| {
                let report = judge(&site, &name, &sums);
                (name, sums, report)
            })
            .collect();
        let mut accepted: Vec<(String, SlotSums)> = Vec::new();
        let mut reports = Vec::new();
        let best: Vec<f64> = judged.iter().map(|(_, sums, _)| best_beside(&judged, sums)).collect();
        for ((name, sums, mut report), best) in judged.into_iter().zip(best) {
            if report.rejected.is_none() {
                report.rejected = match report.agreement {
                    Some(agreement) if agreement < best => Some(Rejected::NotListedBack),
                    _ if is_declared(&name) || names_listings(&site, &sums) => None,
                    Some(agreement)
                        if agreement >= LEAST_LISTED_BACK && sums.sets.len() >= LEAST_ARTICLES =>
                    {
                        None
                    }
                    _ => Some(Rejected::NoWitness),
                };
            }
            if report.rejected.is_none() {
                accepted.push((name, sums));
            }
            reports.push(report);
        }
        (SiteScheme::of_slots(&site, classes, &accepted), reports)
    }

    /// The scheme by its accepted slots.
    fn of_slots(site: &Site<'_>, classes: BTreeSet<String>, accepted: &[(String, SlotSums)]) -> SiteScheme {
        let n = site.articles.len();
        // Names and last parts of addresses join the pages of accepted links.
        let mut page_of_name: BTreeMap<String, u32> = BTreeMap::new();
        let mut names: BTreeMap<u32, Names> = BTreeMap::new();
        let mut is_tag: BTreeMap<u32, (u32, u32)> = BTreeMap::new();
        for (slot, sums) in accepted {
            for (target, of) in &sums.names {
                for (name, count) in of {
                    // A link's text is how the site writes it; a directory is not.
                    let entry = names.entry(*target).or_default().entry(name.clone()).or_insert((0, false));
                    entry.0 += count;
                    entry.1 |= slot.starts_with("a ");
                    let votes = is_tag.entry(*target).or_default();
                    if is_tag_slot(slot) { votes.0 += count } else { votes.1 += count }
                }
            }
        }
        // A name of two pages means the one that more articles name.
        let mut by_use: Vec<(u32, &Names)> = names.iter().map(|(target, of)| (*target, of)).collect();
        by_use.sort_by_key(|(target, of)| {
            let uses: u32 = of.values().map(|(count, _)| count).sum();
            (std::cmp::Reverse(uses), site.targets.get(*target as usize))
        });
        for (target, of) in by_use {
            let Some(Target::Page(url)) = site.targets.get(target as usize) else { continue };
            for name in of.keys() {
                page_of_name.entry(join_key(name)).or_insert(target);
            }
            if let Ok(url) = url.parse::<CanonicalUrl>() {
                page_of_name.entry(last_part(&url)).or_insert(target);
            }
        }
        page_of_name.remove("");
        // How many slots say a name, however it is written: what only links in running text say names no place.
        let mut said_by: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
        for (slot, sums) in accepted {
            for name in sums.names.values().flat_map(BTreeMap::keys) {
                said_by.entry(join_key(name)).or_default().insert(slot);
            }
        }
        let joined = |target: u32| match site.targets.get(target as usize) {
            Some(Target::Name(name)) => page_of_name.get(name).copied().unwrap_or(target),
            _ => target,
        };
        let mut merged: BTreeMap<u32, Names> = BTreeMap::new();
        for (target, of) in &names {
            let all = merged.entry(joined(*target)).or_default();
            for (name, (count, is_link)) in of {
                let held = all.entry(name.clone()).or_default();
                *held = (held.0 + count, held.1 | is_link);
            }
        }
        let mut articles: BTreeMap<u32, BTreeSet<usize>> = BTreeMap::new();
        for (_, sums) in accepted {
            for (article, set) in &sums.sets {
                set.iter().for_each(|target| {
                    articles.entry(joined(*target)).or_default().insert(*article);
                });
            }
        }
        let mut order: Vec<(u32, usize)> = articles.iter().map(|(target, of)| (*target, of.len())).collect();
        order.sort_by_key(|(target, count)| (std::cmp::Reverse(*count), site.targets.get(*target as usize)));
        // What a single article names is found again when that article is read.
        order.retain(|(_, count)| *count >= 2);
        order.truncate(MOST_PLACES);
        let place_of: BTreeMap<u32, u32> = order
            .iter()
            .enumerate()
            .map(|(at, (target, _))| (*target, u32::try_from(at).unwrap_or(u32::MAX)))
            .collect();
        // The address of a listing as its first page is stored.
        let mut stored: FxHashMap<&str, &CanonicalUrl> = FxHashMap::default();
        for url in site.pages.iter().map(|page| page.url) {
            let held = stored.entry(first_of_listing(url.as_str())).or_insert(url);
            if url.as_str().len() < held.as_str().len() {
                *held = url;
            }
        }
        let places: Vec<SchemePlace> = order
            .iter()
            .map(|(target, count)| {
                let label = match (site.targets.get(*target as usize), merged.get(target)) {
                    (Some(target), Some(names)) => label_of(target, names, site, &said_by),
                    _ => String::new(),
                };
                let (tags, sections) = is_tag.get(target).copied().unwrap_or_default();
                let address = match site.targets.get(*target as usize) {
                    Some(Target::Page(url)) => match stored.get(url.as_str()) {
                        Some(stored) => Some((*stored).clone()),
                        None => format!("{url}/").parse().ok(),
                    },
                    _ => None,
                };
                SchemePlace {
                    label,
                    address,
                    kind: if tags > sections { PlaceKind::Tag } else { PlaceKind::Section },
                    articles: u32::try_from(*count).unwrap_or(u32::MAX),
                    within: BTreeSet::new(),
                }
            })
            .collect();
        let slots = accepted
            .iter()
            .map(|(name, sums)| {
                let mut df: BTreeMap<u32, usize> = BTreeMap::new();
                sums.sets
                    .iter()
                    .flat_map(|(_, set)| set)
                    .for_each(|target| *df.entry(*target).or_default() += 1);
                let is_broad = |count: usize| count as f64 > BROAD * sums.sets.len() as f64;
                let broad = df
                    .into_iter()
                    .filter(|(_, count)| is_broad(*count))
                    .filter_map(|(target, _)| place_of.get(&joined(target)).copied())
                    .collect();
                let ignored =
                    sums.ignored.iter().filter_map(|target| match site.targets.get(*target as usize)? {
                        Target::Page(url) => Some(url.clone()),
                        Target::Name(_) => None,
                    });
                let ignored = ignored.take(MOST_IGNORED).collect();
                (name.clone(), AcceptedSlot { broad, ignored, is_renamed: sums.is_renamed })
            })
            .collect();
        let mut scheme = SiteScheme {
            classes,
            slots,
            places,
            articles: u32::try_from(n).unwrap_or(u32::MAX),
            joined: site.joined.clone(),
            listed: BTreeMap::new(),
        };
        for (_, sums) in accepted.iter().filter(|(slot, sums)| sums.is_trail(slot)) {
            for ((broader, narrower), count) in &sums.steps {
                let is_one_way = sums.steps.get(&(*narrower, *broader)).is_none_or(|back| back < count);
                let (broader, narrower) = (place_of.get(&joined(*broader)), place_of.get(&joined(*narrower)));
                if let (true, Some(broader), Some(narrower)) = (is_one_way, broader, narrower) {
                    scheme.places.get_mut(*narrower as usize).map(|place| place.within.insert(*broader));
                }
            }
        }
        scheme.nest(
            &articles.into_iter().filter_map(|(target, of)| Some((*place_of.get(&target)?, of))).collect(),
        );
        scheme.add_listed(site);
        let labels: BTreeSet<String> = scheme.places.iter().map(|place| folded(&place.label)).collect();
        scheme.joined.retain(|name| labels.contains(name));
        scheme
    }

    /// Finds places within others of their kind.
    fn nest(&mut self, articles: &BTreeMap<u32, BTreeSet<usize>>) {
        let mut of_article: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
        for (place, articles) in articles {
            articles.iter().for_each(|article| of_article.entry(*article).or_default().push(*place));
        }
        let mut within: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); self.places.len()];
        for (place, articles) in articles {
            let Some(own) = self.places.get(*place as usize) else { continue };
            let mut beside: BTreeMap<u32, usize> = BTreeMap::new();
            let others = articles.iter().filter_map(|article| of_article.get(article)).flatten();
            others.filter(|other| *other != place).for_each(|other| *beside.entry(*other).or_default() += 1);
            for (other, count) in beside {
                let Some(wider) = self.places.get(other as usize) else { continue };
                let is_within =
                    count as f64 >= NEARLY_ALL * articles.len() as f64 && articles.len() >= LEAST_WITHIN;
                if is_within
                    && wider.kind == own.kind
                    && f64::from(wider.articles) > WIDER * articles.len() as f64
                {
                    within.get_mut(*place as usize).map(|within| within.insert(other));
                }
            }
        }
        self.places.iter_mut().zip(within).for_each(|(place, within)| place.within.extend(within));
    }

    /// Files articles that name no place under the places whose listings show them.
    fn add_listed(&mut self, site: &Site<'_>) {
        let names = self.index();
        let without: Vec<usize> = (0..site.articles.len())
            .filter(|number| self.named(&names, site.article(*number).slots).is_empty())
            .collect();
        let without: FxHashSet<usize> = without.into_iter().collect();
        for (at, place) in self.places.iter().enumerate() {
            let Some(listing) =
                place.address.as_ref().and_then(|url| site.listings.get(first_of_listing(url.as_str())))
            else {
                continue;
            };
            if listing.len() * 2 > site.articles.len() {
                continue;
            }
            for article in listing.iter().filter(|article| without.contains(*article)) {
                let url = site.article(*article).url.as_str().to_owned();
                self.listed.entry(url).or_default().push(u32::try_from(at).unwrap_or(u32::MAX));
            }
        }
    }
}

/// What a place is called: the name that most witnesses say, which are slots, the address and the links of the whole site; of
/// equals a link's text, then the most frequent one.
fn label_of(
    target: &Target,
    names: &Names,
    site: &Site<'_>,
    said_by: &BTreeMap<String, BTreeSet<&str>>,
) -> String {
    let (last, linked) = match target {
        Target::Page(url) => {
            (url.parse().map(|url| last_part(&url)).unwrap_or_default(), site.link_names.get(url.as_str()))
        }
        Target::Name(_) => (String::new(), None),
    };
    let witnesses = |name: &str| {
        let key = join_key(name);
        let slots = said_by.get(&key).map_or(0, BTreeSet::len);
        slots + usize::from(key == last) + usize::from(linked.is_some_and(|linked| linked == name))
    };
    let said = names.iter().map(|(name, (count, is_link))| (name, *is_link, *count));
    let said = said.chain(linked.map(|name| (name, true, 0)));
    let best = said
        .max_by_key(|(name, is_link, count)| (witnesses(name), *is_link, *count, std::cmp::Reverse(*name)));
    best.map(|(name, _, _)| name.clone()).unwrap_or_default()
}
