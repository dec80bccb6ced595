//! A site's own scheme: its sections and tags, and which of them an article belongs to.
//!
//! An article names its place in some of its [slots](SlotUse): a link in its header, a meta name, a directory of its
//! address. Beside them are menus, bylines, dates and links to other stories, which look alike on one page. They behave
//! differently over many: a slot that names places differs between articles, but is shared by several; it leads to pages that
//! list the articles back. So each slot is accepted or rejected by its behaviour, whatever it is called and whatever system
//! made the site.
//!
//! The scheme is a view: it follows from the pages of the site alone, equal pages give an equal scheme, and it enters no sum.
//! Start at [`SiteScheme::learn`].

use std::collections::{BTreeMap, BTreeSet};

use newslode_page::contribution::LinkUse;
use newslode_page::extract::{SEPARATORS, SlotName, SlotUse};
use newslode_page::reading::CanonicalUrl;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

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
/// And it must reach this much, if nothing but links to listings says that the slot names places.
const LEAST_LISTED_BACK: f64 = 0.1;
/// With fewer pairs whose listing was read, agreement says nothing.
const LEAST_READ: usize = 3;
/// From this part of targets that are short periods, a slot names issues. A site that spans fewer months has none.
const MOST_PERIODS: f64 = 0.6;
const LEAST_MONTHS: i64 = 20;
/// The part of a site's time, as a divisor, within which a period lies; and the fewest dated articles that tell.
const SHORT: i64 = 10;
const LEAST_DATED: usize = 4;
/// A place of more than this part of a slot's articles serves only where nothing else does.
const BROAD: f64 = 0.9;
/// A place lies within one that this part of its articles have, too, if that one has so many times its articles.
const NEARLY_ALL: f64 = 0.95;
const WIDER: f64 = 1.2;
const LEAST_WITHIN: usize = 3;
/// The share of a site's articles that a good section has.
const GOOD_SHARE: f64 = 0.13;
/// An article that more listings show is in a box of every page.
const MOST_LISTINGS: usize = 6;
/// Fewest articles from which a scheme is learnt.
const LEAST_ARTICLES: usize = 5;
/// Most places of a scheme. A site may have more tags; those of few articles are found on the articles themselves.
const MOST_PLACES: usize = 20_000;
/// So many targets that always stand together are a part of a menu.
const BLOCK: usize = 4;
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
    /// Where it leads.
    pub links: &'a [LinkUse],
}

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
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct AcceptedSlot {
    /// Names by which only articles without another place are filed.
    broad: BTreeSet<u32>,
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
    /// Places of the same kind that nearly all of its articles have, too; by number.
    within: BTreeSet<u32>,
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

/// A name compared without case, accents and punctuation.
#[must_use]
pub fn folded(name: &str) -> String {
    let letters = name.nfkd().filter(|letter| !is_combining_mark(*letter)).flat_map(char::to_lowercase);
    let spaced: String = letters.map(|letter| if letter.is_alphanumeric() { letter } else { ' ' }).collect();
    spaced.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The last part of an address as a name; empty for a front page.
fn last_part(url: &CanonicalUrl) -> String {
    let path = url.path().trim_end_matches('/');
    let path = path.strip_suffix("/index.html").or_else(|| path.strip_suffix("/index.php")).unwrap_or(path);
    let last = path.rsplit('/').next().unwrap_or_default();
    let last = last.rsplit_once('.').map_or(last, |(name, _)| name);
    let decoded = url::form_urlencoded::parse(last.as_bytes()).next().map(|(text, _)| text.into_owned());
    folded(&decoded.unwrap_or_default())
}

/// An address without what does not tell pages apart.
fn bare(url: &str) -> &str {
    url.strip_suffix("/index.html").unwrap_or(url).trim_end_matches('/')
}

/// The first page of a listing that is spread over several.
fn first_of_listing(url: &str) -> &str {
    let bare = bare(url);
    let page =
        bare.rsplit_once("/page/").filter(|(_, number)| number.bytes().all(|byte| byte.is_ascii_digit()));
    match page {
        Some((first, _)) => first,
        None => bare,
    }
}

/// A slot's name without classes that fewer than half of the articles have.
fn without_rare_classes(slot: &str, is_common: impl Fn(&str) -> bool) -> String {
    if !slot.starts_with("a ") {
        return slot.to_owned();
    }
    let (head, path) = slot.rsplit_once(' ').unwrap_or(("a", slot));
    let mut name = format!("{head} ");
    for (at, element) in path.split('>').enumerate() {
        if at > 0 {
            name.push('>');
        }
        let mut parts = element.split('.');
        name.push_str(parts.next().unwrap_or_default());
        for class in parts.filter(|class| is_common(class)) {
            name.push('.');
            name.push_str(class);
        }
    }
    name
}

/// The kind of evidence that a slot is.
fn evidence_of(slot: &str) -> &'static str {
    match slot.split(' ').next().unwrap_or_default() {
        "a" => "link",
        "meta" => "meta",
        "json" => "json-ld",
        "item" => "microdata",
        "dir" => "directory",
        _ => "class",
    }
}

/// Whether a slot declares by its own name that it names places.
fn is_declared(slot: &str) -> bool {
    /// What publishing systems call places in meta names and JSON-LD.
    const NAMES: [&str; 11] = [
        "section",
        "tag",
        "keyword",
        "categor",
        "topic",
        "subject",
        "channel",
        "genre",
        "about",
        "breadcrumb",
        "theme",
    ];
    match slot.split_once(' ').unwrap_or((slot, "")) {
        ("a", path) => path.starts_with("rel=tag") || path.starts_with("rel=category"),
        // The theme's colour is none.
        ("meta" | "json", name) => {
            NAMES.iter().any(|word| name.to_ascii_lowercase().contains(word)) && !name.contains("color")
        }
        _ => true,
    }
}

fn is_tag_slot(slot: &str) -> bool {
    let lower = slot.to_ascii_lowercase();
    (lower.contains("tag") || lower.contains("keyword"))
        && !lower.contains("categor")
        && !lower.contains("section")
}

/// Whether a name is a date, a month or a year.
fn is_date(name: &str) -> bool {
    let digits = name.chars().filter(char::is_ascii_digit).count();
    let letters = name.chars().filter(|letter| letter.is_alphanumeric()).count();
    let is_year = digits == letters && matches!(digits, 1 | 2 | 4 | 6 | 8);
    is_year || (digits >= 1 && newslode_page::extract::written_date(name, false).is_some())
}

/// A target in a slot while learning: an address or a folded name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Target {
    Page(String),
    Name(String),
}

/// What learning knows of the pages of a site.
struct Site<'a> {
    pages: &'a [SchemePage<'a>],
    /// Number of each article among the articles.
    articles: Vec<usize>,
    /// Listing → the articles that it shows, without those that very many listings show.
    listings: FxHashMap<&'a str, FxHashSet<usize>>,
    /// Addresses of articles.
    article_urls: FxHashSet<&'a str>,
    targets: Vec<Target>,
    number: FxHashMap<Target, u32>,
    /// Names of listings: texts of links to them, and the last parts of their addresses.
    listing_names: FxHashSet<String>,
    /// Address → what links call it, without texts that lead to many pages.
    link_names: FxHashMap<String, String>,
    /// Texts of links with commas.
    joined: BTreeSet<String>,
}

impl<'a> Site<'a> {
    fn new(pages: &'a [SchemePage<'a>]) -> Site<'a> {
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
            pages,
            articles,
            listings,
            article_urls,
            targets: Vec::new(),
            number: FxHashMap::default(),
            listing_names: FxHashSet::default(),
            link_names: FxHashMap::default(),
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
            for name in self.pages[*at].slots.iter().flat_map(|slot| &slot.names) {
                let Some(target) = &name.target else { continue };
                if name.name.contains(SEPARATORS) {
                    self.joined.insert(folded(&name.name));
                }
                let first = first_of_listing(target.as_str());
                if self.listings.get(first).is_some_and(|listing| !listing.is_empty()) {
                    self.listing_names.insert(folded(&name.name));
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

    fn article(&self, number: usize) -> &SchemePage<'a> {
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
    fn listing(&self, target: u32) -> Option<&FxHashSet<usize>> {
        match self.targets.get(target as usize)? {
            Target::Page(url) => self.listings.get(url.as_str()),
            Target::Name(_) => None,
        }
    }

    fn is_article(&self, target: u32) -> bool {
        match self.targets.get(target as usize) {
            Some(Target::Page(url)) => self.article_urls.contains(url.as_str()),
            _ => false,
        }
    }
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

/// The names in a text that commas may join. A name that is known with its commas stays whole.
fn split_names<'n>(text: &'n str, joined: &BTreeSet<String>) -> Vec<&'n str> {
    /// Most parts of one name.
    const MOST_PARTS: usize = 4;
    let mut bounds: Vec<(usize, usize)> = Vec::new();
    let mut from = 0;
    for (at, separator) in text.match_indices(SEPARATORS) {
        bounds.push((from, at));
        from = at + separator.len();
    }
    bounds.push((from, text.len()));
    let mut names = Vec::new();
    let mut at = 0;
    while let Some((start, end)) = bounds.get(at).copied() {
        let longest = (at + 1..bounds.len().min(at + MOST_PARTS)).rev();
        let whole = longest
            .filter_map(|last| Some((last, text.get(start..bounds[last].1)?)))
            .find(|(_, name)| joined.contains(&folded(name)));
        let (last, name) = whole.unwrap_or((at, text.get(start..end).unwrap_or_default()));
        if !name.trim().is_empty() {
            names.push(name.trim());
        }
        at = last + 1;
    }
    names
}

/// What an entry of a slot names.
fn targets_of<'n>(entry: &'n SlotName, joined: &BTreeSet<String>) -> Vec<(Target, &'n str)> {
    match &entry.target {
        Some(url) => vec![(Target::Page(first_of_listing(url.as_str()).to_owned()), entry.name.as_str())],
        None => split_names(&entry.name, joined)
            .into_iter()
            .map(|name| (Target::Name(folded(name)), name))
            .collect(),
    }
}

/// What is counted of one slot.
#[derive(Default)]
struct SlotSums {
    sets: Vec<(usize, Vec<u32>)>,
    names: FxHashMap<u32, BTreeMap<String, u32>>,
    /// Of each target, the number of articles whose byline it is.
    bylines: FxHashMap<u32, usize>,
    /// Whether its targets are called as other links call them.
    is_renamed: bool,
}

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
        let mut names: BTreeMap<u32, BTreeMap<String, (u32, bool)>> = BTreeMap::new();
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
        for (target, of) in &names {
            let Some(Target::Page(url)) = site.targets.get(*target as usize) else { continue };
            for name in of.keys() {
                page_of_name.entry(folded(name)).or_insert(*target);
            }
            if let Ok(url) = url.parse::<CanonicalUrl>() {
                page_of_name.entry(last_part(&url)).or_insert(*target);
            }
        }
        page_of_name.remove("");
        let joined = |target: u32| match site.targets.get(target as usize) {
            Some(Target::Name(name)) => page_of_name.get(name).copied().unwrap_or(target),
            _ => target,
        };
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
        let places: Vec<SchemePlace> = order
            .iter()
            .map(|(target, count)| {
                let of = names.get(target);
                let best = of.and_then(|of| {
                    of.iter().max_by_key(|(name, (count, is_link))| {
                        (*is_link, *count, std::cmp::Reverse((*name).clone()))
                    })
                });
                let (tags, sections) = is_tag.get(target).copied().unwrap_or_default();
                let address = match site.targets.get(*target as usize) {
                    Some(Target::Page(url)) => address_of(site, url),
                    _ => None,
                };
                SchemePlace {
                    label: best.map_or_else(String::new, |(name, _)| name.clone()),
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
                (name.clone(), AcceptedSlot { broad, is_renamed: sums.is_renamed })
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
        self.places.iter_mut().zip(within).for_each(|(place, within)| place.within = within);
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

/// The address of a listing as the site links it.
fn address_of(site: &Site<'_>, first: &str) -> Option<CanonicalUrl> {
    let stored = site.pages.iter().map(|page| page.url).find(|url| {
        first_of_listing(url.as_str()) == first && url.as_str().len() <= first.len() + "/index.html".len()
    });
    stored.cloned().or_else(|| format!("{first}/").parse().ok())
}

/// The agreement that a slot must reach beside others of the same articles.
fn best_beside(judged: &[(String, SlotSums, SlotReport)], sums: &SlotSums) -> f64 {
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
fn names_listings(site: &Site<'_>, sums: &SlotSums) -> bool {
    let (mut known, mut all) = (0, 0);
    for (name, count) in sums.names.values().flatten() {
        all += count;
        known += if site.listing_names.contains(&folded(name)) { *count } else { 0 };
    }
    known * 2 >= all
}

/// The classes on the links of at least half of the articles.
fn common_classes(site: &Site<'_>) -> BTreeSet<String> {
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
fn sums_of_slots(site: &mut Site<'_>, classes: &BTreeSet<String>) -> BTreeMap<String, SlotSums> {
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
        if slot.starts_with("a ") {
            sums.remove_blocks();
        }
        if sums.is_unnamed() {
            sums.rename(site);
        }
    }
    slots
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
        if !removed.is_empty() {
            self.retain(|target| !removed.contains(&target));
        }
    }

    /// Whether its names do not tell its targets apart, such as "next".
    fn is_unnamed(&self) -> bool {
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
fn judge(site: &Site<'_>, slot: &str, sums: &SlotSums) -> SlotReport {
    let n = sums.sets.len();
    let mut df: FxHashMap<u32, usize> = FxHashMap::default();
    sums.sets.iter().flat_map(|(_, set)| set).for_each(|target| *df.entry(*target).or_default() += 1);
    let pairs: usize = df.values().sum();
    let share = |part: usize, of: usize| part as f64 / of.max(1) as f64;
    let difference: f64 =
        df.values().map(|count| *count as f64 * (1.0 - share(*count, n))).sum::<f64>() / pairs.max(1) as f64;
    let sets: BTreeSet<&[u32]> = sums.sets.iter().map(|(_, set)| set.as_slice()).collect();
    let shared: usize = df.values().filter(|count| **count >= 2).sum();
    let read: Vec<u32> = df
        .keys()
        .copied()
        .filter(|target| site.is_article(*target) || site.listing(*target).is_some())
        .collect();
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
    let bylines: usize =
        varied().map(|(target, count)| sums.bylines.get(target).copied().unwrap_or(0).min(*count)).sum();
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
    } else if is_period(site, sums, &df) {
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

/// Whether the articles of most targets were published within a small part of the time that the slot's articles span.
fn is_period(site: &Site<'_>, sums: &SlotSums, df: &FxHashMap<u32, usize>) -> bool {
    let months = |article: usize| month_of(site.article(article).published?);
    let all = span(sums.sets.iter().filter_map(|(article, _)| months(*article)));
    let Some(all) = all.filter(|all| *all >= LEAST_MONTHS) else { return false };
    let mut dates: FxHashMap<u32, Vec<i64>> = FxHashMap::default();
    for (article, set) in &sums.sets {
        let Some(month) = months(*article) else { continue };
        set.iter()
            .filter(|target| df.get(target).is_some_and(|df| *df >= 4))
            .for_each(|target| dates.entry(*target).or_default().push(month));
    }
    let spans: Vec<i64> = dates.into_values().filter_map(|months| span(months.into_iter())).collect();
    let short = spans.iter().filter(|of| **of * SHORT <= all).count();
    spans.len() >= 3 && short as f64 >= MOST_PERIODS * spans.len() as f64
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
                Some([(folded(label), place.clone()), (last_part(&address.parse().ok()?), place.clone())])
            }
            _ => None,
        })
        .flatten()
        .collect();
    let mut joined = Named::new();
    for (place, slots) in named {
        let at = match &place {
            PlaceRef::New(label, None) => names.get(&folded(label)).cloned().unwrap_or(place),
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
                index.by_name.entry(folded(&place.label)).or_insert(at);
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
            for (target, text) in slot.names.iter().flat_map(|entry| targets_of(entry, &self.joined)) {
                if is_date(text) {
                    continue;
                }
                let (known, address) = match &target {
                    Target::Page(url) => (index.by_page.get(url), Some(format!("{url}/"))),
                    Target::Name(name) => (index.by_name.get(name), None),
                };
                let place = match known {
                    Some(at) => PlaceRef::Known(*at),
                    None if accepted.is_renamed => continue,
                    None => PlaceRef::New(text.to_owned(), address),
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

    /// The places of an article, best first: sections before tags, what lies within another place before that, what more
    /// kinds of evidence name, and what divides the site well.
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
            found.push((Place { label, address, kind, evidence, probability: 0.9 }, rank));
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
                    Place { label, address, kind, evidence: vec!["listing".into()], probability: 0.7 },
                    rank,
                ));
            }
        }
        found.sort_by(|(a, a_rank), (b, b_rank)| a_rank.cmp(b_rank).then_with(|| a.label.cmp(&b.label)));
        found.into_iter().map(|(place, _)| place).collect()
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
