//! The past of a site that an operator asked for: which days, what lists them, and how far that was read.
//!
//! There are three kinds of lists, the cheapest first. *Sitemaps* name hundreds of articles with a day each. *Archives* are pages of a
//! month or of a day. *Lists of pages* (`/sport/page/2`) go back in time page by page; a [`Search`] finds the page
//! of a day in a few steps. A kind is used only for months that the kinds before it do not show. What lies outside the
//! window is not asked for.
//!
//! Every list is asked for once. Pages of the past wait in [`Class::Past`](super::Class::Past), so they go after everything
//! that the site publishes now. Start at [`Past`].

use std::collections::{BTreeMap, BTreeSet};

use newslode_page::reading::CanonicalUrl;
use serde::{Deserialize, Serialize};

use super::days::{Days, ListedDays};
use super::numbered_maps::{AfterMap, NumberedMaps};
use super::search::Search;
use super::url_days::DatedAddress;
use super::{DAY, ListingId, name};

/// The record of a page of the past is kept this long after it was read, in seconds, since it counts for its day.
pub(super) const KEPT: u64 = 90 * DAY;
/// Maximum number of lists of a site that are asked for.
const MOST_SOURCES: usize = 5_000;
/// Maximum number of lists of pages of a site.
const MOST_LISTS: usize = 40;
/// Archives that are guessed from the address of another one are given up after this many failures if none was there.
const MOST_WRONG_GUESSES: u32 = 3;
/// Maximum number of articles that are counted though they are visited anyway.
const MOST_LIVE: usize = 5_000;
/// Articles that a further list of pages must show before it is known to show nothing of its own.
const JUDGED_STORIES: u64 = 8;

/// What lists articles of the past.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Source {
    /// A page of the site that shows what it is made of: the front page, or the list of its archives.
    Overview,
    /// A sitemap, or an index of some.
    Map,
    /// The archive of some days, or a further page of it.
    Archive(Days),
    /// A page of the list of pages with this place among [`Past::lists`].
    Page {
        /// The place of the list.
        list: u32,
        /// The number of the page.
        number: u32,
    },
    /// A sitemap of a long list whose names differ in a number only. It carries the search for those of the window.
    Numbered(Box<NumberedMaps>),
}

/// A kind of source, the cheapest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SourceKind {
    /// Front pages, and lists of archives.
    Overview,
    /// Sitemaps.
    Map,
    /// Archives of a month or of a day.
    Archive,
    /// Lists of pages.
    Page,
}

impl Source {
    /// Its kind.
    #[must_use]
    pub fn kind(&self) -> SourceKind {
        match self {
            Source::Overview => SourceKind::Overview,
            Source::Map | Source::Numbered(_) => SourceKind::Map,
            Source::Archive(_) => SourceKind::Archive,
            Source::Page { .. } => SourceKind::Page,
        }
    }
}

/// A source that is to be asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenSource {
    /// Its address.
    pub url: CanonicalUrl,
    /// What it is.
    pub source: Source,
    /// Whether it was asked for and did not answer. It is tried again, but nothing waits for it.
    pub has_failed: bool,
}

/// How many sources were read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Sources that were read.
    pub read: u32,
    /// Sources that were asked for and are not there.
    pub failed: u32,
}

/// What a source showed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// It was read.
    Read {
        /// Articles of the window.
        stories: u64,
        /// Those of them that no other source had shown.
        new: u64,
        /// The days of all its articles; `None`: most have none.
        days: Option<ListedDays>,
    },
    /// It is not there.
    Missing,
}

/// How far the reading has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
enum Stage {
    #[default]
    Maps,
    Archives,
    Pages,
    Over,
}

/// The past of a site that an operator asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Past {
    window: Days,
    stage: Stage,
    open: BTreeMap<ListingId, OpenSource>,
    closed: BTreeSet<ListingId>,
    /// Days of the window on which dated sources show articles.
    shown: BTreeSet<u32>,
    /// Days that sources list which are dated by their addresses.
    named: Vec<Days>,
    /// The address of an archive of a month, and of a day.
    archives: [Option<CanonicalUrl>; 2],
    /// A page that may list the archives.
    overview: Option<CanonicalUrl>,
    lists: Vec<PagedList>,
    tallies: BTreeMap<SourceKind, Tally>,
    /// Names of articles that are visited anyway, and their days.
    live: BTreeMap<u64, u32>,
    /// Articles that were listed without a day, by a source that is not dated either. They are not asked for.
    undated: u64,
    /// Sources of which the site's page budget refused articles. They are read again at the next run.
    refused: BTreeMap<ListingId, OpenSource>,
    /// The numbers of these articles, by source and days.
    refused_stories: BTreeMap<ListingId, BTreeMap<Days, u64>>,
}

impl Past {
    /// Nothing was read yet of these days.
    #[must_use]
    pub fn new(window: Days) -> Past {
        Past {
            window,
            stage: Stage::Maps,
            open: BTreeMap::new(),
            closed: BTreeSet::new(),
            shown: BTreeSet::new(),
            named: Vec::new(),
            archives: [None, None],
            overview: None,
            lists: Vec::new(),
            tallies: BTreeMap::new(),
            live: BTreeMap::new(),
            undated: 0,
            refused: BTreeMap::new(),
            refused_stories: BTreeMap::new(),
        }
    }

    /// The days that are asked for.
    #[must_use]
    pub fn window(&self) -> Days {
        self.window
    }

    /// Whether nothing is left to ask for.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.stage == Stage::Over && self.open.is_empty() && self.refused.is_empty()
    }

    /// The sources that are to be asked for.
    pub fn open(&self) -> impl Iterator<Item = &OpenSource> {
        self.open.values()
    }

    /// A source that is to be asked for.
    #[must_use]
    pub fn source(&self, id: ListingId) -> Option<&OpenSource> {
        self.open.get(&id)
    }

    /// How many sources of each kind were read.
    #[must_use]
    pub fn tallies(&self) -> &BTreeMap<SourceKind, Tally> {
        &self.tallies
    }

    /// Articles that sources list without any day.
    #[must_use]
    pub fn undated(&self) -> u64 {
        self.undated
    }

    /// Articles that the site's page budget refused, by days. They are listed and not read yet.
    #[must_use]
    pub fn refused(&self) -> BTreeMap<Days, u64> {
        let mut refused = BTreeMap::new();
        for (days, stories) in self.refused_stories.values().flatten() {
            *refused.entry(*days).or_default() += stories;
        }
        refused
    }

    /// Notes that the site's page budget refused so many articles of a source that is closed next.
    pub fn refuse(&mut self, id: ListingId, stories: BTreeMap<Days, u64>) {
        if !stories.is_empty() && self.open.contains_key(&id) {
            self.refused_stories.insert(id, stories);
        }
    }

    /// Number of sources that did not answer yet.
    #[must_use]
    pub fn unanswered(&self) -> usize {
        self.open.values().filter(|source| source.has_failed).count()
    }

    /// Makes a source known, unless it is a sitemap of other days by its name. Returns whether it is new.
    pub fn meet(&mut self, url: &CanonicalUrl, source: Source) -> bool {
        if self.knows(url) {
            return false;
        }
        let id = ListingId::of(url);
        let named = DatedAddress::of(url).filter(|_| source == Source::Map);
        let is_outside = named.is_some_and(|named| named.days.and(self.window).is_none());
        if is_outside || self.open.len() + self.closed.len() >= MOST_SOURCES {
            return false;
        }
        self.open.insert(id, OpenSource { url: url.clone(), source, has_failed: false });
        true
    }

    /// Whether a source is to be asked for, or was.
    fn knows(&self, url: &CanonicalUrl) -> bool {
        let id = ListingId::of(url);
        self.open.contains_key(&id) || self.closed.contains(&id)
    }

    /// Adds the sitemaps of an index. If many of them have names that differ in a number only, a search finds those of the window.
    pub fn meet_maps(&mut self, maps: &[CanonicalUrl]) {
        let (dated, others): (Vec<_>, Vec<_>) =
            maps.iter().cloned().partition(|map| DatedAddress::of(map).is_some());
        let (lists, singles) = NumberedMaps::of_index(&others, self.window);
        for map in dated.iter().chain(&singles) {
            self.meet(map, Source::Map);
        }
        for list in lists {
            // The index is read again and again.
            let is_new = list.pattern().is_none_or(|pattern| self.closed.insert(ListingId::of(&pattern)));
            if is_new {
                let after = list.begin(|url| self.knows(url));
                self.meet_numbered(after);
            }
        }
    }

    fn meet_numbered(&mut self, after: AfterMap) {
        match after {
            AfterMap::Read(url, list) => {
                self.meet(&url, Source::Numbered(Box::new(list)));
            }
            AfterMap::ReadAll(maps) => maps.iter().for_each(|map| {
                self.meet(map, Source::Map);
            }),
            AfterMap::Over => {}
        }
    }

    /// Makes a page known that may list archives. It is asked for if nothing else names one.
    pub fn meet_overview(&mut self, url: &CanonicalUrl) {
        self.overview.get_or_insert_with(|| url.clone());
    }

    /// Makes an archive known by a link to it. The archives of other months are found by its address; the one whose address leaves the
    /// names of other months least open counts.
    pub fn meet_archive(&mut self, url: &CanonicalUrl) {
        let Some(address) = DatedAddress::of(url).filter(DatedAddress::is_of_a_list) else { return };
        if !address.is_pattern() {
            if address.days.and(self.window).is_some() {
                self.meet(url, Source::Archive(address.days));
            }
            return;
        }
        let Some(held) = self.archives.get_mut(usize::from(address.is_of_a_day())) else { return };
        let known = held.as_ref().and_then(DatedAddress::of);
        if known.is_none_or(|known| address.readings() < known.readings()) {
            *held = Some(url.clone());
            // Lists may have been begun already.
            self.stage = Stage::Maps;
        }
    }

    /// Makes a list of pages known by its first page and the address of a later one. `middle` is the day in the middle of those on
    /// the first page; a list that shows no days cannot be searched.
    pub fn meet_list(
        &mut self,
        first: &CanonicalUrl,
        later: PageAddress,
        middle: Option<u32>,
        is_front: bool,
    ) {
        let id = ListingId::of(first);
        let is_known = self.lists.iter().any(|list| list.id == id || list.later == later);
        if is_known || self.lists.len() >= MOST_LISTS {
            return;
        }
        let Some(middle) = middle else { return };
        let mut search = Search::new(self.window);
        search.read(1, Some(middle));
        self.stage = self.stage.min(Stage::Pages);
        let list = PagedList { id, later, search, is_front, stories: 0, new: 0, is_begun: false };
        // The front page may show what all others show.
        let at = if is_front && self.stage < Stage::Pages { 0 } else { self.lists.len() };
        self.lists.insert(at, list);
    }

    /// Notes the days of articles that a sitemap or an archive lists.
    pub fn show(&mut self, days: impl IntoIterator<Item = Days>) {
        let single = days.into_iter().filter(|days| days.first == days.last);
        self.shown.extend(single.map(|days| days.first).filter(|day| self.window.contains(*day)));
    }

    /// Notes an article of the window that is visited anyway, since the site shows it as news.
    pub fn meet_live(&mut self, url: &CanonicalUrl, day: u32) {
        if self.live.len() < MOST_LIVE {
            self.live.insert(name(url.as_str()), day);
        }
    }

    /// The day of an article that is visited anyway, if a dated source lists it in the window.
    #[must_use]
    pub fn live_day(&self, url: &CanonicalUrl) -> Option<u32> {
        self.live.get(&name(url.as_str())).copied()
    }

    /// Notes articles that are listed without any day.
    pub fn leave_undated(&mut self, stories: u64) {
        self.undated = self.undated.saturating_add(stories);
    }

    /// Notes what a source showed, or that it is not there.
    pub fn close(&mut self, id: ListingId, reading: Reading) {
        let Some(source) = self.open.remove(&id) else { return };
        self.closed.insert(id);
        let tally = self.tallies.entry(source.source.kind()).or_default();
        match reading {
            Reading::Read { .. } => tally.read += 1,
            Reading::Missing => tally.failed += 1,
        }
        let gives_up = tally.read == 0 && tally.failed >= MOST_WRONG_GUESSES;
        match (&source.source, reading) {
            (Source::Map, Reading::Read { stories, .. }) if stories > 0 => {
                self.named.extend(DatedAddress::of(&source.url).map(|address| address.days));
            }
            (Source::Archive(days), Reading::Read { .. }) => self.named.push(*days),
            (Source::Archive(_), Reading::Missing) if gives_up => {
                self.open.retain(|_, open| open.source.kind() != SourceKind::Archive);
            }
            (Source::Page { list, number }, reading) => self.read_page(*list, *number, reading),
            (Source::Numbered(list), Reading::Read { days, .. }) => {
                self.read_numbered((**list).clone(), days)
            }
            (Source::Numbered(list), Reading::Missing) => self.read_numbered((**list).clone(), None),
            _ => {}
        }
        if self.refused_stories.contains_key(&id) {
            // The search among numbered maps went on without it.
            let is_map = source.source.kind() == SourceKind::Map;
            let source = if is_map { OpenSource { source: Source::Map, ..source } } else { source };
            self.refused.insert(id, source);
        }
    }

    /// Goes on with the search among numbered maps.
    fn read_numbered(&mut self, list: NumberedMaps, days: Option<ListedDays>) {
        let after = list.read(days, |url| self.knows(url));
        self.meet_numbered(after);
    }

    fn read_page(&mut self, list: u32, number: u32, reading: Reading) {
        // One that did not answer before was left behind.
        self.stage = self.stage.min(Stage::Pages);
        let Some(list) = self.lists.get_mut(list as usize) else { return };
        match reading {
            Reading::Read { stories, new, days } => {
                list.stories += stories;
                list.new += new;
                list.search.read(number, days.map(|days| days.middle));
            }
            Reading::Missing => list.search.read(number, None),
        }
    }

    /// Notes that a source did not answer, so that nothing waits for it.
    pub fn fail(&mut self, id: ListingId) {
        if let Some(source) = self.open.get_mut(&id) {
            source.has_failed = true;
        }
    }

    /// Sources that were refused are asked for again, and so are those that did not answer.
    pub fn try_again(&mut self) {
        self.refused_stories.clear();
        for (id, source) in std::mem::take(&mut self.refused) {
            self.closed.remove(&id);
            self.open.insert(id, source);
        }
        self.open.values_mut().for_each(|source| source.has_failed = false);
    }

    /// Opens the next sources where all of a kind were read. `usual` are the addresses at which sitemaps usually are. Returns
    /// the sources that are new.
    pub fn advance(&mut self, usual: &[CanonicalUrl]) -> Vec<OpenSource> {
        let before: BTreeSet<ListingId> = self.open.keys().copied().collect();
        while self.stage != Stage::Over && self.open.values().all(|source| source.has_failed) {
            match self.stage {
                Stage::Maps => {
                    let is_known = self.tallies.contains_key(&SourceKind::Map)
                        || self.open.values().any(|source| source.source.kind() == SourceKind::Map);
                    if !is_known {
                        for url in usual {
                            self.meet(url, Source::Map);
                        }
                    }
                    if self.archives == [None, None]
                        && !self.uncovered().is_empty()
                        && let Some(overview) = self.overview.take()
                    {
                        self.meet(&overview, Source::Overview);
                    }
                    if self.open.len() == before.len() {
                        self.stage = Stage::Archives;
                        self.open_archives();
                    }
                }
                Stage::Archives => {
                    self.stage = Stage::Pages;
                }
                Stage::Pages => {
                    if !self.open_next_page() {
                        self.stage = Stage::Over;
                    }
                }
                Stage::Over => {}
            }
            if self.open.keys().any(|id| !before.contains(id)) {
                break;
            }
        }
        self.open.iter().filter(|(id, _)| !before.contains(id)).map(|(_, source)| source.clone()).collect()
    }

    /// The months of the window that no dated source shows yet, the newest first.
    fn uncovered(&self) -> Vec<Days> {
        let is_named =
            |month: &Days| self.named.iter().any(|days| days.first <= month.first && month.last <= days.last);
        let is_shown =
            |month: &Days| self.shown.range(month.first..=month.last).count() * 2 >= month.count() as usize;
        self.window.months().into_iter().filter(|month| !is_named(month) && !is_shown(month)).collect()
    }

    fn open_archives(&mut self) {
        let address = self.archives.iter().flatten().find_map(DatedAddress::of);
        let Some(address) = address else { return };
        for month in self.uncovered() {
            let days: Vec<Days> = match address.is_of_a_day() {
                true => (month.first..=month.last).rev().map(Days::one).collect(),
                false => vec![month],
            };
            for days in days {
                if let Some(url) = address.for_day(days.first) {
                    self.meet(&url, Source::Archive(days));
                }
            }
        }
    }

    /// Opens the next page of the list that is searched now. Returns whether there is one.
    fn open_next_page(&mut self) -> bool {
        let uncovered = self.uncovered();
        let Some(wanted) = uncovered
            .first()
            .zip(uncovered.last())
            .map(|(newest, oldest)| Days { first: oldest.first, last: newest.last })
        else {
            return false;
        };
        let has_front = self.lists.first().is_some_and(|list| list.is_front && list.is_begun);
        for place in 0..self.lists.len() {
            let Some(list) = self.lists.get_mut(place) else { continue };
            if !list.is_begun {
                list.search.narrow(wanted);
                list.is_begun = true;
            }
            while let Some(number) = list.search.next() {
                let source = Source::Page { list: place as u32, number };
                let Some(url) = list.later.with(number) else {
                    list.search.read(number, None);
                    continue;
                };
                if self.meet(&url, source) {
                    return true;
                }
                if self.open.contains_key(&ListingId::of(&url)) {
                    // It does not answer now.
                    break;
                }
                // It was read as something else.
                let Some(list) = self.lists.get_mut(place) else { break };
                list.search.read(number, None);
                return self.open_next_page();
            }
            let Some(list) = self.lists.get(place) else { continue };
            if has_front && !list.is_front && list.stories >= JUDGED_STORIES && list.new * 50 < list.stories {
                return false;
            }
        }
        false
    }
}

/// A list that is continued on further pages, the newest article first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct PagedList {
    /// Names its first page.
    id: ListingId,
    later: PageAddress,
    search: Search,
    is_front: bool,
    /// Articles of the window that its pages showed, and those that nothing else had shown.
    stories: u64,
    new: u64,
    is_begun: bool,
}

/// The address pattern of a paginated list: the text before and after the page number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageAddress {
    before: String,
    after: String,
}

impl PageAddress {
    /// The address of the pages of the list to which `later` belongs, and its number: `/sport/page/2`, `/sport?page=2`. `first` is the
    /// address of the first page.
    #[must_use]
    pub fn of(first: &CanonicalUrl, later: &CanonicalUrl) -> Option<(PageAddress, u32)> {
        let (first, later) = (first.as_str(), later.as_str());
        let bytes = later.as_bytes();
        // The last number that is none of the first page's address.
        let mut end = later.len();
        while end > 0 {
            let digit = (0..end).rev().find(|at| bytes.get(*at).is_some_and(u8::is_ascii_digit))?;
            let start = (0..digit).rev().find(|at| !bytes.get(*at).is_some_and(u8::is_ascii_digit))? + 1;
            let (before, digits, after) =
                (later.get(..start)?, later.get(start..=digit)?, later.get(digit + 1..)?);
            let number = digits.parse::<u32>().ok().filter(|number| *number >= 2 && digits.len() <= 6);
            if let Some(number) = number.filter(|_| is_page_number(first, before, after)) {
                return Some((PageAddress { before: before.into(), after: after.into() }, number));
            }
            end = start;
        }
        None
    }

    /// The address of the page with this number. `None`: it cannot be one.
    #[must_use]
    pub fn with(&self, number: u32) -> Option<CanonicalUrl> {
        format!("{}{number}{}", self.before, self.after).parse().ok()
    }
}

/// Whether a number between these texts counts the pages of a list that begins at `first`.
fn is_page_number(first: &str, before: &str, after: &str) -> bool {
    let path = |text: &str| text.split('?').next().unwrap_or_default().trim_end_matches('/').to_owned();
    let names = ["page", "paged", "p", "pg", "seite", "pagina", "offset"];
    if before.contains('?') {
        let name = before.rsplit(['?', '&']).next().unwrap_or_default().trim_end_matches('=');
        let is_whole = after.is_empty() || after.starts_with('&');
        return is_whole
            && before.ends_with('=')
            && path(before) == path(first)
            && names[..6].contains(&name);
    }
    // `/sport/page/2`, `/sport/page-2`, `/sport/2`, of `/sport`.
    let is_whole = after.is_empty() || after == "/" || after.starts_with('.') || after.starts_with('?');
    let list = path(first);
    let rest = before.strip_prefix(list.as_str()).or_else(|| {
        let stem = list.rsplit_once('.').map(|(stem, _)| stem)?;
        before.strip_prefix(stem)
    });
    let Some(rest) = rest else { return false };
    let rest = rest.trim_matches(['/', '-', '_', '=']);
    is_whole && (rest.is_empty() || names[..6].contains(&rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(path: &str) -> CanonicalUrl {
        format!("https://a.example{path}").parse().unwrap()
    }

    const READ: Reading = Reading::Read { stories: 9, new: 9, days: None };

    /// 2024-04-01 to 2024-06-30.
    const QUARTER: Days = Days { first: 19_814, last: 19_904 };

    fn opened(past: &mut Past) -> Vec<String> {
        past.advance(&[]).iter().map(|open| open.url.path().to_owned()).collect()
    }

    #[test]
    fn months_of_days_come_newest_first() {
        let months = QUARTER.months();
        assert_eq!(months.iter().map(Days::count).collect::<Vec<_>>(), [30, 31, 30]);
        assert_eq!(Days { first: 19_900, last: 19_910 }.months().len(), 2);
        assert_eq!(Days::one(0).months(), [Days::one(0)]);
    }

    #[test]
    fn archives_are_asked_for_only_of_months_that_no_sitemap_shows() {
        let mut past = Past::new(QUARTER);
        past.meet(&url("/"), Source::Overview);
        past.meet_archive(&url("/2026/11"));
        past.meet_archive(&url("/2026/11/a-story"));
        past.close(ListingId::of(&url("/")), READ);
        assert!(past.meet(&url("/map-2024-05.xml"), Source::Map));
        assert_eq!(opened(&mut past), [] as [&str; 0], "the map comes first");
        past.show([Days::one(19_850)]);
        past.close(ListingId::of(&url("/map-2024-05.xml")), READ);
        let mut found = opened(&mut past);
        found.sort();
        assert_eq!(found, ["/2024/04", "/2024/06"]);
        for path in found {
            past.close(ListingId::of(&url(&path)), READ);
        }
        assert_eq!(opened(&mut past), [] as [&str; 0]);
        assert!(past.is_over());
    }

    #[test]
    fn archives_whose_months_are_names_are_asked_for_in_the_language_of_the_one_that_tells_most() {
        let mut past = Past::new(QUARTER);
        // "April" is English, German, Dutch and more; "maart" is Dutch and few others.
        for path in ["/2026/april", "/2026/maart", "/2026/april/a-story", "/2026/best"] {
            past.meet_archive(&url(path));
        }
        let mut found = opened(&mut past);
        found.sort();
        assert_eq!(found, ["/2024/april", "/2024/juni", "/2024/mei"]);
        // A name whose marks are not known is taken where it is linked.
        let mut past = Past::new(Days { first: 19_755, last: 19_780 });
        for path in ["/2024/f%C3%A9vrier", "/2024/ao%C3%BBt"] {
            past.meet_archive(&url(path));
        }
        assert_eq!(past.open().map(|open| open.url.path()).collect::<Vec<_>>(), ["/2024/f%C3%A9vrier"]);
    }

    #[test]
    fn a_search_among_numbered_maps_goes_on_where_it_was_and_is_not_begun_again() {
        let mut past = Past::new(QUARTER);
        let maps: Vec<CanonicalUrl> = (1..=60).map(|number| url(&format!("/posts-{number}.xml"))).collect();
        past.meet_maps(&[maps.clone(), vec![url("/pages.xml"), url("/map-2023-05.xml")]].concat());
        let mut read = Vec::new();
        let first = |past: &Past| past.open().next().cloned();
        while let Some(open) = first(&past) {
            read.push(open.url.path().to_owned());
            let id = ListingId::of(&open.url);
            // Ten days a map: that with the number 60 ends a day before the quarter's last.
            let number: Option<u32> = open
                .url
                .path()
                .strip_prefix("/posts-")
                .and_then(|rest| rest.strip_suffix(".xml")?.parse().ok());
            let shown: Vec<u32> = number
                .map_or(vec![], |number| (0..10).map(|day| 19_904 - (61 - number) * 10 + day).collect());
            // The newest map has more than the budget allows.
            if number == Some(60) {
                past.refuse(id, [(Days::one(19_900), 3)].into());
            }
            past.close(id, Reading::Read { stories: 3, new: 3, days: ListedDays::of_sorted(&shown) });
            past = crate::message::wire::decode(&crate::message::wire::encode(&past).unwrap()).unwrap();
            past.meet_maps(&maps);
        }
        assert!(
            read.len() <= 20 && (52..=60).all(|number| read.contains(&format!("/posts-{number}.xml"))),
            "{read:?}"
        );
        past.try_again();
        let again: Vec<_> = past.open().map(|open| (open.url.path(), &open.source)).collect();
        assert_eq!(again, [("/posts-60.xml", &Source::Map)]);
    }

    #[test]
    fn guessed_archives_are_given_up_if_none_is_there() {
        let mut past = Past::new(QUARTER);
        past.meet_archive(&url("/2026/11/03"));
        assert_eq!(opened(&mut past).len(), 91, "an archive for each day");
        for _ in 0..3 {
            let id = ListingId::of(&past.open().next().unwrap().url.clone());
            past.close(id, Reading::Missing);
        }
        assert_eq!(past.open().count(), 0);
    }

    #[test]
    fn what_was_refused_or_did_not_answer_is_asked_for_again_at_the_next_run() {
        let mut past = Past::new(QUARTER);
        let (refused, silent) = (url("/map-2024-05.xml"), url("/map-2024-06.xml"));
        past.meet(&refused, Source::Map);
        past.meet(&silent, Source::Map);
        past.refuse(ListingId::of(&refused), [(Days::one(19_850), 7)].into());
        past.close(ListingId::of(&refused), READ);
        past.fail(ListingId::of(&silent));
        opened(&mut past);
        assert!(!past.is_over());
        assert_eq!((past.refused(), past.unanswered()), ([(Days::one(19_850), 7)].into(), 1));
        past.try_again();
        assert_eq!((past.open().count(), past.refused().len(), past.unanswered()), (2, 0, 0));
    }

    #[test]
    fn a_list_of_pages_is_known_by_the_number_in_its_address() {
        for (first, later, third) in [
            ("/sport", "/sport/page/2", Some("/sport/page/3")),
            ("/sport/", "/sport/page/2/", Some("/sport/page/3/")),
            ("/", "/page/2", Some("/page/3")),
            ("/sport", "/sport?page=2", Some("/sport?page=3")),
            ("/sport?x=1", "/sport?page=2&x=1", Some("/sport?page=3&x=1")),
            ("/", "/?paged=2", Some("/?paged=3")),
            ("/sport.html", "/sport-2.html", Some("/sport-3.html")),
            ("/sport", "/sport/2", Some("/sport/3")),
            ("/sport", "/culture/page/2", None),
            ("/sport", "/sport/the-7-best", None),
            ("/sport", "/sport?story=2", None),
            ("/", "/2024/05", None),
            ("/sport", "/sport/page/1", None),
        ] {
            let found = PageAddress::of(&url(first), &url(later));
            assert_eq!(found.as_ref().map(|(_, number)| *number), third.map(|_| 2), "{first} {later}");
            assert_eq!(found.and_then(|(address, _)| address.with(3)), third.map(url), "{first} {later}");
        }
    }
}
