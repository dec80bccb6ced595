//! Learns a site's scheme: accepts slots, joins what they name, and puts the places in order.

use std::collections::{BTreeMap, BTreeSet};

use newslode_page::reading::CanonicalUrl;
use rustc_hash::{FxHashMap, FxHashSet};

use super::names::{Target, first_of_listing, folded, is_declared, is_tag_slot, join_key, last_part};
use super::slots::{
    LEAST_ARTICLES, Rejected, SchemePage, Site, SlotReport, SlotSums, best_beside, common_classes,
    folders_of_periods, judge, links_family, names_listings, sums_of_slots,
};
use super::{AcceptedSlot, BROAD, PlaceKind, SchemePlace, SchemeTree, SiteScheme};

/// The least agreement of a slot, if nothing but links to listings says that the slot names places.
const LEAST_LISTED_BACK: f64 = 0.1;
/// A place lies within another if at least this share of its articles are in the other, and the other has more than `WIDER`
/// times as many articles.
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
        let mut judged: Vec<(String, SlotSums, SlotReport)> = slots
            .into_iter()
            .map(|(name, sums)| {
                let report = judge(&site, &name, &sums);
                (name, sums, report)
            })
            .collect();
        // What leads into the folders of issues leads through the issues, and names no places of the site.
        let issues = folders_of_periods(&site, &judged);
        if !issues.is_empty() {
            for (_, sums, report) in judged.iter_mut().filter(|(name, ..)| name.starts_with("a ")) {
                if report.rejected.is_none() && sums.leads_into(&site, &issues) {
                    report.rejected = Some(Rejected::Period);
                }
            }
        }
        let menu: FxHashSet<u32> = judged
            .iter()
            .filter(|(name, _, report)| name.starts_with("a ") && report.rejected == Some(Rejected::Constant))
            .flat_map(|(_, sums, _)| sums.names.keys().copied())
            .collect();
        let mut accepted: Vec<(String, SlotSums)> = Vec::new();
        let mut reports = Vec::new();
        let best: Vec<f64> = judged.iter().map(|(_, sums, _)| best_beside(&judged, sums)).collect();
        for ((name, sums, mut report), best) in judged.into_iter().zip(best) {
            if report.rejected.is_none() {
                report.rejected = match report.agreement {
                    Some(agreement) if agreement < best => Some(Rejected::NotListedBack),
                    _ if is_declared(&name)
                        || names_listings(&site, &sums)
                        || links_family(&site, &sums)
                        || sums.names_one_of(&menu) =>
                    {
                        None
                    }
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
        let targets = JoinedTargets::of(site, accepted);
        // 1. What at least two articles name is a place, that of most articles first. What a single article names is found
        //    again when that article is read.
        let mut articles: BTreeMap<u32, BTreeSet<usize>> = BTreeMap::new();
        for (article, set) in accepted.iter().flat_map(|(_, sums)| &sums.sets) {
            for target in set {
                articles.entry(targets.joined(*target)).or_default().insert(*article);
            }
        }
        let mut order: Vec<(u32, usize)> = articles.iter().map(|(target, of)| (*target, of.len())).collect();
        order.sort_by_key(|(target, count)| (std::cmp::Reverse(*count), site.targets.get(*target as usize)));
        order.retain(|(_, count)| *count >= 2);
        order.truncate(MOST_PLACES);
        let places = order.iter().map(|(target, count)| targets.place(*target, *count)).collect();
        let numbers = order.iter().zip(0..).map(|((target, _), at)| (*target, at));
        let place_of: BTreeMap<u32, u32> = numbers.collect();
        let place_of = |target: u32| place_of.get(&targets.joined(target)).copied();
        // 2. The slots, with what of each counts only where nothing else does, and what never counts.
        let slots = accepted.iter().map(|(name, sums)| {
            let most = BROAD * sums.sets.len() as f64;
            let broad = sums.document_frequencies().into_iter().filter(|(_, count)| *count as f64 > most);
            let ignored =
                sums.ignored.iter().filter_map(|target| match site.targets.get(*target as usize)? {
                    Target::Page(url) => Some(url.clone()),
                    Target::Name(_) => None,
                });
            let slot = AcceptedSlot {
                broad: broad.filter_map(|(target, _)| place_of(target)).collect(),
                ignored: ignored.take(MOST_IGNORED).collect(),
                is_renamed: sums.is_renamed,
            };
            (name.clone(), slot)
        });
        let mut scheme = SiteScheme {
            classes,
            slots: slots.collect(),
            places,
            articles: u32::try_from(site.articles.len()).unwrap_or(u32::MAX),
            joined: BTreeSet::new(),
            listed: BTreeMap::new(),
            tree: None,
        };
        // 3. Places within places: the steps of trails, and what lies within another for nearly all of its articles.
        for (_, sums) in accepted.iter().filter(|(slot, sums)| sums.is_trail(slot)) {
            for ((broader, narrower), count) in &sums.steps {
                let is_one_way = sums.steps.get(&(*narrower, *broader)).is_none_or(|back| back < count);
                if let (true, Some(broader), Some(narrower)) =
                    (is_one_way, place_of(*broader), place_of(*narrower))
                {
                    scheme.places.get_mut(narrower as usize).map(|place| place.within.insert(broader));
                }
            }
        }
        let articles =
            articles.into_iter().filter_map(|(target, of)| Some((place_of(target)?, of))).collect();
        scheme.nest(&articles);
        // 4. The tree.
        let trails = (0..site.articles.len()).map(|number| site.article(number).breadcrumbs);
        let tree = SchemeTree::of(&scheme.places, &scheme.index(), trails, &articles, site.articles.len());
        scheme.tree = Some(tree);
        // 5. Names with commas, and articles that name nothing.
        let labels: BTreeSet<String> = scheme.places.iter().map(|place| folded(&place.label)).collect();
        scheme.joined = site.joined.intersection(&labels).cloned().collect();
        scheme.add_listed(site);
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

/// What accepted slots name, joined: names and last parts of addresses mean the pages of links that are called so.
struct JoinedTargets<'s> {
    site: &'s Site<'s>,
    /// What each joined target is called.
    names: BTreeMap<u32, Names>,
    /// Uses of each joined target in slots of tags, and in others.
    uses: BTreeMap<u32, (u32, u32)>,
    page_of_name: BTreeMap<String, u32>,
    /// The slots that say a name, however it is written.
    said_by: BTreeMap<String, BTreeSet<&'s str>>,
    /// The addresses of listings as their first pages are stored.
    stored: FxHashMap<&'s str, &'s CanonicalUrl>,
}

impl<'s> JoinedTargets<'s> {
    fn of(site: &'s Site<'s>, accepted: &'s [(String, SlotSums)]) -> JoinedTargets<'s> {
        let mut targets = JoinedTargets {
            site,
            names: BTreeMap::new(),
            uses: BTreeMap::new(),
            page_of_name: pages_of_names(site, accepted),
            said_by: BTreeMap::new(),
            stored: FxHashMap::default(),
        };
        for (slot, sums) in accepted {
            for (target, of) in &sums.names {
                let target = targets.joined(*target);
                for (name, count) in of {
                    // A link's text is how the site writes it; a directory is not.
                    let held = targets.names.entry(target).or_default().entry(name.clone()).or_default();
                    *held = (held.0 + count, held.1 | slot.starts_with("a "));
                    let uses = targets.uses.entry(target).or_default();
                    *(if is_tag_slot(slot) { &mut uses.0 } else { &mut uses.1 }) += count;
                    targets.said_by.entry(join_key(name)).or_default().insert(slot);
                }
            }
        }
        for url in site.pages.iter().map(|page| page.url) {
            let held = targets.stored.entry(first_of_listing(url.as_str())).or_insert(url);
            if url.as_str().len() < held.as_str().len() {
                *held = url;
            }
        }
        targets
    }

    /// The target that a target means.
    fn joined(&self, target: u32) -> u32 {
        match self.site.targets.get(target as usize) {
            Some(Target::Name(name)) => self.page_of_name.get(name).copied().unwrap_or(target),
            _ => target,
        }
    }

    /// A joined target as a place of so many articles.
    fn place(&self, target: u32, articles: usize) -> SchemePlace {
        let (tags, others) = self.uses.get(&target).copied().unwrap_or_default();
        let address = match self.site.targets.get(target as usize) {
            Some(Target::Page(url)) => {
                let known = self.stored.get(url.as_str()).or_else(|| self.site.linked.get(url.as_str()));
                known.map(|url| (*url).clone())
            }
            _ => None,
        };
        SchemePlace {
            label: self.label(target),
            address,
            kind: if tags > others { PlaceKind::Tag } else { PlaceKind::Section },
            articles: u32::try_from(articles).unwrap_or(u32::MAX),
            within: BTreeSet::new(),
        }
    }

    /// What a joined target is called: the name that most witnesses say, which are slots, the address and the links of the
    /// whole site; of equals a link's text, then the most frequent one.
    fn label(&self, target: u32) -> String {
        let (last, linked) = match self.site.targets.get(target as usize) {
            Some(Target::Page(url)) => (
                url.parse().map(|url| last_part(&url)).unwrap_or_default(),
                self.site.link_names.get(url.as_str()),
            ),
            _ => (String::new(), None),
        };
        let witnesses = |name: &str| {
            let key = join_key(name);
            let slots = self.said_by.get(&key).map_or(0, BTreeSet::len);
            slots + usize::from(key == last) + usize::from(linked.is_some_and(|linked| linked == name))
        };
        let said = self.names.get(&target).into_iter().flatten();
        let said = said.map(|(name, (count, is_link))| (name, *is_link, *count));
        let said = said.chain(linked.map(|name| (name, true, 0)));
        let best = said.max_by_key(|(name, is_link, count)| {
            (witnesses(name), *is_link, *count, std::cmp::Reverse(*name))
        });
        best.map(|(name, _, _)| name.clone()).unwrap_or_default()
    }
}

/// Which page a name means: by what links call it, and by the last part of its address. A name of two pages means the one
/// that more articles name.
fn pages_of_names(site: &Site<'_>, accepted: &[(String, SlotSums)]) -> BTreeMap<String, u32> {
    let mut names: BTreeMap<u32, BTreeMap<&str, u32>> = BTreeMap::new();
    for (target, of) in accepted.iter().flat_map(|(_, sums)| &sums.names) {
        for (name, count) in of {
            *names.entry(*target).or_default().entry(name).or_default() += count;
        }
    }
    let mut by_use: Vec<_> = names.into_iter().collect();
    by_use.sort_by_key(|(target, of)| {
        (std::cmp::Reverse(of.values().sum::<u32>()), site.targets.get(*target as usize))
    });
    let mut pages = BTreeMap::new();
    for (target, of) in by_use {
        let Some(Target::Page(url)) = site.targets.get(target as usize) else { continue };
        for name in of.into_keys() {
            pages.entry(join_key(name)).or_insert(target);
        }
        if let Ok(url) = url.parse::<CanonicalUrl>() {
            pages.entry(last_part(&url)).or_insert(target);
        }
    }
    pages.remove("");
    pages
}
