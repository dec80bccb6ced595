//! The slots of a site's articles: what each names over all of them, and whether that behaves like names of places.

use std::collections::{BTreeMap, BTreeSet};

use newslode_page::article::NamedLink;
use newslode_page::contribution::LinkUse;
use newslode_page::extract::{SEPARATORS, SlotUse};
use newslode_page::reading::CanonicalUrl;
use rustc_hash::{FxHashMap, FxHashSet};

use super::BROAD;
use super::names::{
    Target, bare, first_of_listing, folded, is_date, is_declared, is_profile, join_key, last_part,
    targets_of, without_rare_classes,
};

/// A slot whose targets differ less between articles is the same everywhere.
const LEAST_DIFFERENCE: f64 = 0.1;
/// The part of a slot's targets that must be shared by at least two articles.
const LEAST_SHARED: f64 = 0.1;
/// From this part on bylines, dates or documents, a slot names authors, days or other stories.
const MOST_BYLINES: f64 = 0.3;
const MOST_DATES: f64 = 0.5;
const MOST_DOCUMENTS: f64 = 0.3;
/// A slot's agreement must reach this part of the best among slots with the same targets.
const LEAST_AGREEMENT: f64 = 0.5;
/// Where they share few targets, because sections are listed in part and tags as a whole, it must reach this part.
const LEAST_BESIDE_OTHERS: f64 = 0.2;
/// With fewer pairs whose listing was read, agreement says nothing.
const LEAST_READ: usize = 3;
/// From this part of targets that are short periods, a slot names issues. A site that spans fewer months has none.
const MOST_PERIODS: f64 = 0.6;
const LEAST_MONTHS: i64 = 20;
/// From this part of uses that lead into folders of issues, a slot leads through these.
const MOST_INTO_PERIODS: f64 = 0.2;
/// The part of a site's time, as a divisor, within which a period lies; and the fewest dated articles that tell.
const SHORT: i64 = 10;
const LEAST_DATED: usize = 4;
/// The fewest names that differ in their numbers alone and are a series.
const LEAST_SERIES: usize = 3;
/// An article that more listings show is in a box of every page.
const MOST_LISTINGS: usize = 6;
/// A page without an article that was read is a listing of others if it links so many pages that were not read and that few
/// pages link.
const LEAST_UNREAD: usize = 3;
/// A slot whose targets were not read names places if so many of them are pages of one folder, and this part of its uses are
/// called as their addresses are.
const LEAST_FAMILY: usize = 3;
const LEAST_CALLED_SO: f64 = 0.6;
/// Fewest articles from which a scheme is learnt.
pub(super) const LEAST_ARTICLES: usize = 5;
/// The fewest targets that are part of a menu if they always occur together.
const BLOCK: usize = 3;
/// A link's text that leads to more pages names none of them.
const MOST_NAMESAKES: usize = 3;

/// A page of a site, for learning its scheme.
#[derive(Clone, Copy, Debug)]
pub struct SchemePage<'a> {
    /// Its address.
    pub url: &'a CanonicalUrl,
    /// The authors, if it is an article.
    pub authors: Option<&'a [String]>,
    /// When it was published: ISO 8601, a month at least.
    pub published: Option<&'a str>,
    /// What it says of its place.
    pub slots: &'a [SlotUse],
    /// The trail from the front page to it, if it is an article, without both ends.
    pub breadcrumbs: &'a [NamedLink],
    /// Where it leads.
    pub links: &'a [LinkUse],
}

/// Why a slot is not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rejected {
    /// It names the same on nearly all articles.
    Constant,
    /// It names many of few sets.
    Menu,
    /// No two articles share what it names.
    Unique,
    /// It names authors.
    Author,
    /// It names dates.
    Date,
    /// Its names do not tell its targets apart, such as "next".
    Unnamed,
    /// Its targets are periods, such as issues: each holds the articles of a short time.
    Period,
    /// It leads to articles, or to pages that list none.
    Documents,
    /// The pages it leads to do not list the articles.
    NotListedBack,
    /// Nothing says that it names places.
    NoWitness,
    /// Too few articles have it.
    Rare,
}

/// How a slot behaves.
#[derive(Clone, Debug)]
pub struct SlotReport {
    /// Its name, without rare classes.
    pub slot: String,
    /// Number of articles that have it, and of its targets.
    pub articles: usize,
    /// Number of different targets.
    pub targets: usize,
    /// Corrected agreement with listings, if enough were read.
    pub agreement: Option<f64>,
    /// Why it is rejected; `None` if it is accepted.
    pub rejected: Option<Rejected>,
    /// Some names.
    pub examples: Vec<String>,
}

/// What learning knows of the pages of a site.
pub(super) struct Site<'a> {
    pub(super) pages: &'a [SchemePage<'a>],
    /// Number of each article among the articles.
    pub(super) articles: Vec<usize>,
    /// Listing → the articles that it shows, without those that very many listings show.
    pub(super) listings: FxHashMap<&'a str, FxHashSet<usize>>,
    /// Pages that show no article of those read, but link pages that were not read and that may be articles.
    unread: FxHashSet<&'a str>,
    /// Addresses of articles.
    pub(super) article_urls: FxHashSet<&'a str>,
    pub(super) targets: Vec<Target>,
    pub(super) number: FxHashMap<Target, u32>,
    /// Names of listings: texts of links to them, and the last parts of their addresses.
    pub(super) listing_names: FxHashSet<String>,
    /// Address → what links call it, without texts that lead to many pages.
    pub(super) link_names: FxHashMap<String, String>,
    /// The pages that articles link, by the address of their first page.
    pub(super) linked: FxHashMap<&'a str, &'a CanonicalUrl>,
    /// Texts of links with commas.
    pub(super) joined: BTreeSet<String>,
}

impl<'a> Site<'a> {
    pub(super) fn new(pages: &'a [SchemePage<'a>]) -> Site<'a> {
        let articles: Vec<usize> = (0..pages.len()).filter(|at| pages[*at].authors.is_some()).collect();
        let number: FxHashMap<&str, usize> =
            articles.iter().enumerate().map(|(number, at)| (bare(pages[*at].url.as_str()), number)).collect();
        let mut listings: FxHashMap<&str, FxHashSet<usize>> = FxHashMap::default();
        for page in pages.iter().filter(|page| page.authors.is_none()) {
            let shown = page.links.iter().filter_map(|link| number.get(bare(link.target.as_str())).copied());
            listings.entry(first_of_listing(page.url.as_str())).or_default().extend(shown);
        }
        let mut shown_by: FxHashMap<usize, usize> = FxHashMap::default();
        for article in listings.values().flatten() {
            *shown_by.entry(*article).or_default() += 1;
        }
        let most = MOST_LISTINGS.max(listings.len() / 4);
        for shown in listings.values_mut() {
            shown.retain(|article| shown_by.get(article).is_none_or(|by| *by <= most));
        }
        remove_periods(
            &mut listings,
            |number: usize| month_of(articles.get(number).and_then(|at| pages.get(*at))?.published?),
            articles.len(),
        );
        let article_urls = number.keys().copied().collect();
        let mut site = Site {
            unread: listings_of_unread(pages, &listings, most),
            pages,
            articles,
            listings,
            article_urls,
            targets: Vec::new(),
            number: FxHashMap::default(),
            listing_names: FxHashSet::default(),
            link_names: FxHashMap::default(),
            linked: FxHashMap::default(),
            joined: BTreeSet::new(),
        };
        site.read_names();
        site
    }

    /// Reads how links name listings, and which names have commas.
    fn read_names(&mut self) {
        let mut texts: FxHashMap<&str, FxHashMap<&str, u32>> = FxHashMap::default();
        let mut leads_to: FxHashMap<&str, FxHashSet<&str>> = FxHashMap::default();
        for at in &self.articles {
            let links = self.pages[*at].slots.iter().filter(|slot| !slot.slot.starts_with("dir "));
            for name in links.flat_map(|slot| &slot.names) {
                let Some(target) = &name.target else { continue };
                let held = self.linked.entry(first_of_listing(target.as_str())).or_insert(target);
                if target.as_str().len() < held.as_str().len() {
                    *held = target;
                }
                if name.name.contains(SEPARATORS) {
                    self.joined.insert(folded(&name.name));
                }
                let first = first_of_listing(target.as_str());
                if self.listings.get(first).is_some_and(|listing| !listing.is_empty()) {
                    self.listing_names.insert(join_key(&name.name));
                    self.listing_names.insert(last_part(target));
                }
                *texts.entry(first).or_default().entry(&name.name).or_default() += 1;
                leads_to.entry(&name.name).or_default().insert(first);
            }
        }
        let tells = |text: &&str| leads_to.get(text).is_some_and(|targets| targets.len() <= MOST_NAMESAKES);
        for (target, texts) in &texts {
            let best = texts
                .iter()
                .filter(|(text, _)| tells(text))
                .max_by_key(|(text, count)| (**count, std::cmp::Reverse(**text)));
            if let Some((text, _)) = best {
                self.link_names.insert((*target).to_owned(), (*text).to_owned());
            }
        }
    }

    /// Whether a page was read at an address, or an article links it.
    fn is_known(&self, first: &str) -> bool {
        self.linked.contains_key(first) || self.listings.contains_key(first)
    }

    pub(super) fn article(&self, number: usize) -> &SchemePage<'a> {
        &self.pages[self.articles[number]]
    }

    fn target(&mut self, target: Target) -> u32 {
        if let Some(number) = self.number.get(&target) {
            return *number;
        }
        let number = u32::try_from(self.targets.len()).unwrap_or(u32::MAX);
        self.targets.push(target.clone());
        self.number.insert(target, number);
        number
    }

    /// The articles that a target's listing shows; `None` if it was not read.
    pub(super) fn listing(&self, target: u32) -> Option<&FxHashSet<usize>> {
        match self.targets.get(target as usize)? {
            Target::Page(url) => self.listings.get(url.as_str()),
            Target::Name(_) => None,
        }
    }

    /// Whether a target was read, and shows what it is: an article, a listing, or a page that is neither.
    fn is_judged(&self, target: u32) -> bool {
        match self.targets.get(target as usize) {
            Some(Target::Page(url)) => {
                self.article_urls.contains(url.as_str())
                    || self.listings.contains_key(url.as_str()) && !self.unread.contains(url.as_str())
            }
            _ => false,
        }
    }
}

/// The pages that show no article of those read, and link at least [`LEAST_UNREAD`] pages of their site that were not read and
/// that at most so many pages link, as menus do not. They may be listings of articles that a crawl has not come to.
fn listings_of_unread<'a>(
    pages: &'a [SchemePage<'a>],
    listings: &FxHashMap<&'a str, FxHashSet<usize>>,
    most: usize,
) -> FxHashSet<&'a str> {
    let read: FxHashSet<&str> = pages.iter().map(|page| bare(page.url.as_str())).collect();
    let unread = |page: &SchemePage<'a>| -> FxHashSet<&'a str> {
        let targets = page.links.iter().map(|link| &link.target);
        let own = targets.filter(|target| target.site() == page.url.site());
        own.map(|target| bare(target.as_str())).filter(|target| !read.contains(target)).collect()
    };
    let of_pages: Vec<(&str, FxHashSet<&str>)> = pages
        .iter()
        .filter(|page| page.authors.is_none())
        .map(|page| (first_of_listing(page.url.as_str()), unread(page)))
        .collect();
    let mut linked_by: FxHashMap<&str, usize> = FxHashMap::default();
    for target in of_pages.iter().flat_map(|(_, targets)| targets) {
        *linked_by.entry(target).or_default() += 1;
    }
    let rare =
        |targets: &FxHashSet<&str>| targets.iter().filter(|target| linked_by[**target] <= most).count();
    let found = of_pages.iter().filter(|(_, targets)| rare(targets) >= LEAST_UNREAD).map(|(first, _)| *first);
    found.filter(|first| listings.get(first).is_none_or(FxHashSet::is_empty)).collect()
}

/// Removes listings that are issues or archives of months: each shows articles of a short time, and together they are
/// spread over the time of the site. The first pages of sections, which show the newest articles, are not.
fn remove_periods(
    listings: &mut FxHashMap<&str, FxHashSet<usize>>,
    month: impl Fn(usize) -> Option<i64>,
    articles: usize,
) {
    let Some(all) = span((0..articles).filter_map(&month)).filter(|all| *all >= LEAST_MONTHS) else { return };
    let (mut short, mut dated) = (Vec::new(), 0_u32);
    for (url, listing) in listings.iter() {
        let mut months: Vec<i64> = listing.iter().copied().filter_map(&month).collect();
        months.sort_unstable();
        let Some(middle) = months.get(months.len() / 2).copied().filter(|_| months.len() >= LEAST_DATED)
        else {
            continue;
        };
        dated += 1;
        if span(months.into_iter()).is_some_and(|of| of * SHORT <= all) {
            short.push((middle, *url));
        }
    }
    short.sort_unstable();
    let quarter = short.len() / 4;
    let spread = short
        .get(short.len().saturating_sub(1 + quarter))
        .zip(short.get(quarter))
        .map_or(0, |(last, first)| last.0 - first.0);
    if short.len() as f64 >= MOST_PERIODS * f64::from(dated.max(1)) && short.len() >= 3 && spread * 4 >= all {
        for (_, url) in short {
            listings.remove(url);
        }
    }
}

/// What is counted of one slot.
#[derive(Default)]
pub(super) struct SlotSums {
    pub(super) sets: Vec<(usize, Vec<u32>)>,
    pub(super) names: FxHashMap<u32, BTreeMap<String, u32>>,
    /// Of each target, the number of articles whose byline it is.
    pub(super) bylines: FxHashMap<u32, usize>,
    /// Whether its targets are called as other links call them.
    pub(super) is_renamed: bool,
    /// Targets that follow each other on the page, with the number of articles; of the first two trail steps on.
    pub(super) steps: FxHashMap<(u32, u32), u32>,
    /// Targets that were left out: parts of menus, and service pages.
    pub(super) ignored: BTreeSet<u32>,
    /// How often each target comes first.
    pub(super) firsts: FxHashMap<u32, usize>,
}

/// The agreement that a slot must reach beside others of the same articles.
pub(super) fn best_beside(judged: &[(String, SlotSums, SlotReport)], sums: &SlotSums) -> f64 {
    let own: FxHashSet<usize> = sums.sets.iter().map(|(article, _)| *article).collect();
    let is_beside = |other: &SlotSums| {
        other.sets.iter().filter(|(article, _)| own.contains(article)).count() * 2 >= own.len()
    };
    let has_same_targets = |other: &SlotSums| {
        sums.names.keys().filter(|target| other.names.contains_key(target)).count() * 2 >= sums.names.len()
    };
    let candidates = judged.iter().filter(|(_, other, report)| report.rejected.is_none() && is_beside(other));
    let least = candidates.filter_map(|(_, other, report)| {
        let part = if has_same_targets(other) { LEAST_AGREEMENT } else { LEAST_BESIDE_OTHERS };
        Some(report.agreement? * part)
    });
    least.fold(0.0, f64::max)
}

/// Whether most of what it names are names of listings.
pub(super) fn names_listings(site: &Site<'_>, sums: &SlotSums) -> bool {
    let (mut known, mut all) = (0, 0);
    for (name, count) in sums.names.values().flatten() {
        all += count;
        known += if site.listing_names.contains(&join_key(name)) { *count } else { 0 };
    }
    known * 2 >= all
}

/// The folders of issues: where directories name periods, those up to that level. None if there are no issues.
pub(super) fn folders_of_periods<'a>(
    site: &Site<'a>,
    judged: &[(String, SlotSums, SlotReport)],
) -> FxHashSet<&'a str> {
    let mut folders = FxHashSet::default();
    for (name, sums, _) in judged.iter().filter(|(.., report)| report.rejected == Some(Rejected::Period)) {
        let level = name.strip_prefix("dir ").and_then(|level| level.parse::<usize>().ok());
        let Some(level) = level else { continue };
        let df = sums.document_frequencies();
        // Beside issues, directories of the same level may be sections.
        let mut issues = periods(site, sums, &df);
        if issues.is_empty() {
            issues = series(sums, &df);
        }
        let of_issues = sums.sets.iter().filter(|(_, set)| set.iter().any(|target| issues.contains(target)));
        let urls = of_issues.map(|(article, _)| site.pages[site.articles[*article]].url.as_str());
        folders.extend(urls.filter_map(|url| up_to(url, level)));
    }
    folders
}

/// An address up to a directory of this level; nothing if it has none.
fn up_to(url: &str, level: usize) -> Option<&str> {
    // Two slashes are before the host, and one before the first directory.
    let (end, _) = url.match_indices('/').nth(level + 2)?;
    url.get(..end)
}

/// Whether a slot links unread pages that lie side by side in a folder without articles, by texts that repeat their addresses: "open
/// data" for "/tag/open-data". Tags and sections look like this; stories and the sources of a text do not.
pub(super) fn links_family(site: &Site<'_>, sums: &SlotSums) -> bool {
    // Folder → the pages in it, and their uses.
    let mut folders: FxHashMap<&str, (usize, u32)> = FxHashMap::default();
    let (mut all, mut called_so) = (0, 0);
    for (target, names) in &sums.names {
        let uses: u32 = names.values().sum();
        all += uses;
        let Some(Target::Page(url)) = site.targets.get(*target as usize) else { continue };
        let Some((folder, _)) = url.rsplit_once('/') else { continue };
        // A host is no folder: beside its sections are all other pages.
        if folder.matches('/').count() < 3 || site.is_judged(*target) {
            continue;
        }
        let held = folders.entry(folder).or_default();
        *held = (held.0 + 1, held.1 + uses);
        let last = url.parse::<CanonicalUrl>().map(|url| last_part(&url)).unwrap_or_default();
        let so = names.iter().filter(|(name, _)| !last.is_empty() && join_key(name) == last);
        called_so += so.map(|(_, count)| count).sum::<u32>();
    }
    let Some((folder, (targets, uses))) = folders.into_iter().max_by_key(|(folder, held)| (*held, *folder))
    else {
        return false;
    };
    let holds_articles =
        || site.article_urls.iter().any(|url| url.rsplit_once('/').is_some_and(|(own, _)| own == folder));
    targets >= LEAST_FAMILY
        && f64::from(uses) > BROAD * f64::from(all)
        && f64::from(called_so) >= LEAST_CALLED_SO * f64::from(all)
        && !holds_articles()
}

/// The classes on the links of at least half of the articles.
pub(super) fn common_classes(site: &Site<'_>) -> BTreeSet<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for number in 0..site.articles.len() {
        let slots = site.article(number).slots.iter().filter(|slot| slot.slot.starts_with("a "));
        let classes: BTreeSet<&str> = slots
            .flat_map(|slot| {
                slot.slot
                    .rsplit_once(' ')
                    .map_or("", |(_, path)| path)
                    .split('>')
                    .flat_map(|element| element.split('.').skip(1))
            })
            .collect();
        classes.into_iter().for_each(|class| *counts.entry(class).or_default() += 1);
    }
    let least = site.articles.len().div_ceil(2);
    counts.into_iter().filter(|(_, count)| *count >= least).map(|(class, _)| class.to_owned()).collect()
}

/// What each slot names, over all articles.
pub(super) fn sums_of_slots(site: &mut Site<'_>, classes: &BTreeSet<String>) -> BTreeMap<String, SlotSums> {
    let mut slots: BTreeMap<String, SlotSums> = BTreeMap::new();
    let joined = site.joined.clone();
    for number in 0..site.articles.len() {
        let page = *site.article(number);
        let authors: BTreeSet<String> =
            page.authors.unwrap_or_default().iter().map(|author| folded(author)).collect();
        for slot in page.slots {
            let name = without_rare_classes(&slot.slot, |class| classes.contains(class));
            let mut set = Vec::new();
            let mut said = Vec::new();
            for (target, name) in slot.names.iter().flat_map(|entry| targets_of(entry, &joined)) {
                // A directory that has no page of its own is a name.
                let target = match target {
                    Target::Page(url) if slot.slot.starts_with("dir ") && !site.is_known(&url) => {
                        Target::Name(join_key(name))
                    }
                    target => target,
                };
                let target = site.target(target);
                set.push(target);
                said.push((target, name.to_owned(), authors.contains(&folded(name))));
            }
            let sums = slots.entry(name).or_default();
            for (target, name, is_byline) in said {
                *sums.names.entry(target).or_default().entry(name).or_default() += 1;
                if is_byline || slot.slot.contains("rel=author") {
                    *sums.bylines.entry(target).or_default() += 1;
                }
            }
            if let Some(first) = set.first() {
                *sums.firsts.entry(*first).or_default() += 1;
            }
            for step in set.windows(2) {
                *sums.steps.entry((step[0], step[1])).or_default() += 1;
            }
            match sums.sets.last_mut() {
                Some((last, all)) if *last == number => all.extend(set),
                _ => sums.sets.push((number, set)),
            }
        }
    }
    for (slot, sums) in &mut slots {
        for (_, set) in &mut sums.sets {
            set.sort_unstable();
            set.dedup();
        }
        if slot.starts_with("a ") && !is_declared(slot) {
            sums.remove_blocks();
            sums.remove_service_pages(site);
        }
        if sums.is_unnamed() {
            sums.rename(site);
        }
    }
    slots
}

impl SlotSums {
    /// Whether its names are the steps of a trail: nearly all begin with the same one.
    pub(super) fn is_trail(&self, slot: &str) -> bool {
        let first = self.firsts.values().max().copied().unwrap_or(0);
        slot == "json breadcrumb" || (first as f64 > BROAD * self.sets.len() as f64 && self.names.len() > 2)
    }
}

impl SlotSums {
    /// Keeps only some targets.
    fn retain(&mut self, keeps: impl Fn(u32) -> bool) {
        self.names.retain(|target, _| keeps(*target));
        for (_, set) in &mut self.sets {
            set.retain(|target| keeps(*target));
        }
        self.sets.retain(|(_, set)| !set.is_empty());
    }

    /// The number of articles that name each target.
    pub(super) fn document_frequencies(&self) -> FxHashMap<u32, usize> {
        let mut counts = FxHashMap::default();
        for target in self.sets.iter().flat_map(|(_, set)| set) {
            *counts.entry(*target).or_default() += 1;
        }
        counts
    }

    /// Removes what always stands together, as parts of a menu do that only some layouts have.
    fn remove_blocks(&mut self) {
        let mut articles: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (article, set) in &self.sets {
            set.iter().for_each(|target| articles.entry(*target).or_default().push(*article));
        }
        let mut blocks: BTreeMap<&[usize], Vec<u32>> = BTreeMap::new();
        for (target, of) in articles.iter().filter(|(_, of)| of.len() >= LEAST_ARTICLES) {
            blocks.entry(of).or_default().push(*target);
        }
        let removed: FxHashSet<u32> =
            blocks.into_values().filter(|block| block.len() >= BLOCK).flatten().collect();
        self.ignore(removed);
    }

    /// Leaves targets out, unless there are no others: then the slot itself is judged by them.
    fn ignore(&mut self, removed: FxHashSet<u32>) {
        if !removed.is_empty() && removed.len() < self.names.len() {
            self.retain(|target| !removed.contains(&target));
            self.ignored.extend(removed);
        }
    }

    /// Whether more than a few of its uses lead to pages in these folders.
    pub(super) fn leads_into(&self, site: &Site<'_>, folders: &FxHashSet<&str>) -> bool {
        let is_in = |target: u32| match site.targets.get(target as usize) {
            Some(Target::Page(url)) => {
                let ends = url.match_indices('/').map(|(end, _)| end).skip(3).chain([url.len()]);
                ends.into_iter().any(|end| url.get(..end).is_some_and(|folder| folders.contains(folder)))
            }
            _ => false,
        };
        let df = self.document_frequencies();
        let pairs: usize = df.values().sum();
        let inside: usize = df.iter().filter(|(target, _)| is_in(**target)).map(|(_, count)| *count).sum();
        inside as f64 > MOST_INTO_PERIODS * pairs as f64
    }

    /// Whether an article names one target as a rule, and most of these are in the site's menu: several sections, of which the
    /// article has one.
    pub(super) fn names_one_of(&self, menu: &FxHashSet<u32>) -> bool {
        let df = self.document_frequencies();
        let pairs: usize = df.values().sum();
        let in_menu: Vec<usize> =
            df.iter().filter(|(target, _)| menu.contains(target)).map(|(_, count)| *count).collect();
        in_menu.len() >= LEAST_FAMILY
            && in_menu.iter().sum::<usize>() * 2 > pairs
            && pairs * 2 <= self.sets.len() * 3
            && self.sets.len() >= LEAST_ARTICLES
    }

    /// Removes pages that nearly all of its articles link and that list no article: of contact, of the law, of feeds.
    fn remove_service_pages(&mut self, site: &Site<'_>) {
        let df = self.document_frequencies();
        let most = BROAD * self.sets.len() as f64;
        let lists = |target: u32| site.listing(target).is_some_and(|listing| !listing.is_empty());
        let removed: FxHashSet<u32> = df
            .iter()
            .filter(|(target, count)| **count as f64 > most && !lists(**target))
            .map(|(target, _)| *target)
            .collect();
        self.ignore(removed);
    }

    /// Whether its names do not tell its targets apart, such as "next".
    pub(super) fn is_unnamed(&self) -> bool {
        let names: BTreeSet<String> =
            self.names.values().flat_map(BTreeMap::keys).map(|name| folded(name)).collect();
        names.len() * 2 < self.names.len()
    }

    /// Names its targets as other links do; what no other link names is left out.
    fn rename(&mut self, site: &Site<'_>) {
        let named = |target: u32| match site.targets.get(target as usize)? {
            Target::Page(url) => site.link_names.get(url.as_str()).cloned(),
            Target::Name(_) => None,
        };
        let known: FxHashMap<u32, String> =
            self.names.keys().filter_map(|target| Some((*target, named(*target)?))).collect();
        if known.len() * 2 < self.names.len() {
            return;
        }
        self.retain(|target| known.contains_key(&target));
        for (target, names) in &mut self.names {
            let count = names.values().sum();
            *names = known.get(target).map(|name| (name.clone(), count)).into_iter().collect();
        }
        self.bylines.clear();
        for (article, set) in &self.sets {
            let authors: BTreeSet<String> = site
                .article(*article)
                .authors
                .unwrap_or_default()
                .iter()
                .map(|author| folded(author))
                .collect();
            for target in set
                .iter()
                .filter(|target| known.get(target).is_some_and(|name| authors.contains(&folded(name))))
            {
                *self.bylines.entry(*target).or_default() += 1;
            }
        }
        self.is_renamed = true;
    }
}

/// How a slot behaves, apart from its agreement beside the site's best.
pub(super) fn judge(site: &Site<'_>, slot: &str, sums: &SlotSums) -> SlotReport {
    let n = sums.sets.len();
    let df = sums.document_frequencies();
    let pairs: usize = df.values().sum();
    let share = |part: usize, of: usize| part as f64 / of.max(1) as f64;
    let difference: f64 =
        df.values().map(|count| *count as f64 * (1.0 - share(*count, n))).sum::<f64>() / pairs.max(1) as f64;
    let sets: BTreeSet<&[u32]> = sums.sets.iter().map(|(_, set)| set.as_slice()).collect();
    let shared: usize = df.values().filter(|count| **count >= 2).sum();
    let read: Vec<u32> = df.keys().copied().filter(|target| site.is_judged(*target)).collect();
    let documents =
        read.iter().filter(|target| site.listing(**target).is_none_or(FxHashSet::is_empty)).count();
    let (mut r, mut h, mut e) = (0_usize, 0_usize, 0.0);
    for (article, set) in &sums.sets {
        for listing in
            set.iter().filter_map(|target| site.listing(*target)).filter(|listing| !listing.is_empty())
        {
            r += 1;
            h += usize::from(listing.contains(article));
            e += share(listing.len(), site.articles.len());
        }
    }
    let agreement = (r >= LEAST_READ && r as f64 - e > 1e-9).then(|| (h as f64 - e) / (r as f64 - e));
    // What stands on nearly all of its articles tells nothing of the others.
    let varied = || df.iter().filter(|(_, count)| **count as f64 <= BROAD * n as f64);
    let n_varied: usize = varied().map(|(_, count)| *count).sum();
    let authors = targets_that_are_authors(site, sums);
    let bylines: usize =
        varied().filter(|(target, _)| authors.contains(target)).map(|(_, count)| *count).sum();
    let is_dated =
        |target: &u32| sums.names.get(target).is_some_and(|names| names.keys().any(|name| is_date(name)));
    let dates: usize = varied().filter(|(target, _)| is_dated(target)).map(|(_, count)| *count).sum();
    let rejected = if n < 2 || n * 50 < site.articles.len() {
        Some(Rejected::Rare)
    } else if difference < LEAST_DIFFERENCE {
        Some(Rejected::Constant)
    } else if sets.len() * 2 < df.len() && sets.len() * 2 < n {
        Some(Rejected::Menu)
    } else if share(shared, pairs) < LEAST_SHARED {
        Some(Rejected::Unique)
    } else if share(bylines, n_varied) >= MOST_BYLINES {
        Some(Rejected::Author)
    } else if share(dates, n_varied) >= MOST_DATES {
        Some(Rejected::Date)
    } else if share(documents, read.len()) > MOST_DOCUMENTS {
        Some(Rejected::Documents)
    } else if sums.is_unnamed() {
        Some(Rejected::Unnamed)
    } else if !periods(site, sums, &df).is_empty() || (may_be_issues(slot) && !series(sums, &df).is_empty()) {
        Some(Rejected::Period)
    } else {
        None
    };
    let mut examples: Vec<(usize, String)> = df
        .iter()
        .filter_map(|(target, count)| Some((*count, sums.names.get(target)?.keys().next()?.clone())))
        .collect();
    examples.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    let examples = examples.into_iter().take(8).map(|(count, name)| format!("{name} {count}")).collect();
    SlotReport { slot: slot.to_owned(), articles: n, targets: df.len(), agreement, rejected, examples }
}

/// The targets that are authors: most of their articles that have a byline have this one, or the address is that of a profile.
fn targets_that_are_authors(site: &Site<'_>, sums: &SlotSums) -> FxHashSet<u32> {
    let is_profile = |target: &u32| match site.targets.get(*target as usize) {
        Some(Target::Page(url)) => is_profile(url),
        _ => false,
    };
    let mut with_byline: FxHashMap<u32, usize> = FxHashMap::default();
    for (article, set) in &sums.sets {
        if site.article(*article).authors.is_some_and(|authors| !authors.is_empty()) {
            set.iter().for_each(|target| *with_byline.entry(*target).or_default() += 1);
        }
    }
    let is_author = |target: &u32| {
        let named = sums.bylines.get(target).copied().unwrap_or(0);
        named > 0 && named * 2 >= with_byline.get(target).copied().unwrap_or(0)
    };
    sums.names.keys().copied().filter(|target| is_author(target) || is_profile(target)).collect()
}

/// Whether a slot may name issues: what calls itself a tag or section does not.
fn may_be_issues(slot: &str) -> bool {
    slot.starts_with("dir ") || !is_declared(slot)
}

/// The targets that are called alike but for their numbers, such as the issues of a magazine; none unless most are.
fn series(sums: &SlotSums, df: &FxHashMap<u32, usize>) -> FxHashSet<u32> {
    let mut alike: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    for (target, names) in df.keys().filter_map(|target| Some((*target, sums.names.get(target)?))) {
        let Some(name) = names.keys().find(|name| name.contains(|letter: char| letter.is_ascii_digit()))
        else {
            continue;
        };
        let rest: String =
            folded(name).chars().filter(|letter| !letter.is_ascii_digit() && *letter != ' ').collect();
        alike.entry(rest).or_default().push(target);
    }
    let most = alike.values().map(Vec::len).max().unwrap_or(0);
    if most < LEAST_SERIES || most * 2 <= df.len() {
        return FxHashSet::default();
    }
    alike.into_values().filter(|group| group.len() >= LEAST_SERIES).flatten().collect()
}

/// The targets that are periods, if most are: their articles were published within a small part of the time that the slot's articles
/// span. Those of few articles are counted among them.
fn periods(site: &Site<'_>, sums: &SlotSums, df: &FxHashMap<u32, usize>) -> FxHashSet<u32> {
    let months = |article: usize| month_of(site.article(article).published?);
    let all = span(sums.sets.iter().filter_map(|(article, _)| months(*article)));
    let Some(all) = all.filter(|all| *all >= LEAST_MONTHS) else { return FxHashSet::default() };
    let mut dates: FxHashMap<u32, Vec<i64>> = FxHashMap::default();
    for (article, set) in &sums.sets {
        let Some(month) = months(*article) else { continue };
        set.iter()
            .filter(|target| df.get(target).is_some_and(|df| *df >= LEAST_DATED))
            .for_each(|target| dates.entry(*target).or_default().push(month));
    }
    let spans = dates.into_iter().filter_map(|(target, months)| Some((target, span(months.into_iter())?)));
    let (short, long): (Vec<(u32, i64)>, _) = spans.partition(|(_, of)| of * SHORT <= all);
    let told = short.len() + long.len();
    if told < 3 || (short.len() as f64) < MOST_PERIODS * told as f64 {
        return FxHashSet::default();
    }
    let long: FxHashSet<u32> = long.into_iter().map(|(target, _)| target).collect();
    df.keys().copied().filter(|target| !long.contains(target)).collect()
}

/// The months between the first and the last, each tenth at the ends left out.
fn span(months: impl Iterator<Item = i64>) -> Option<i64> {
    let mut months: Vec<i64> = months.collect();
    months.sort_unstable();
    let cut = months.len() / 10;
    Some(months.get(months.len().checked_sub(1 + cut)?)? - months.get(cut)?)
}

/// Months since year 0.
fn month_of(published: &str) -> Option<i64> {
    let (year, rest) = published.split_once('-')?;
    Some(year.parse::<i64>().ok()? * 12 + rest.get(..2)?.parse::<i64>().ok()?)
}
