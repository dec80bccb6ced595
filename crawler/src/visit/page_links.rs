//! What a page, a feed or a sitemap links to, and what kind of page it turned out to be.
//!
//! Reading is pure and takes milliseconds, so it runs off the reactor. Start at [`PageLinks::of`].

use std::cell::LazyCell;
use std::collections::HashMap;
use std::sync::Arc;

use anyhow::Context as _;
use newslode_common::rights::Rights;
use newslode_common::schedule::{FeedHints, ListingKind, PageSchedule, Role, name};
use newslode_common::store::Claim;
use newslode_common::time;
use newslode_common::version::ContentHash;
use newslode_page::article::PageKind;
use newslode_page::discovery::{ListLinks, discover, list_links};
use newslode_page::extract::crawled_article;
use newslode_page::reading::{CanonicalUrl, Listed, ListedBy, ListedEntry, Page};
use newslode_page::time::Timestamp;

use super::{maps, queries};
use crate::directives::Directives;
use crate::fetch::FetchedBody;
use crate::listing::dates::parse as listing_time;
use crate::listing::discover::{PlaceKind, on_page};
use crate::listing::{self, Alternate, Form, Item, ListingLimits, MapLink};
use crate::recent_links::RecentLinks;
use crate::refresh;
use crate::rights::{Reader, of_markup};
use crate::shared::Shared;

/// The directives of the header, for which crawler and time they are read, and what other pages linked to lately.
#[derive(Clone, Copy)]
struct ReadingContext<'a> {
    directives: Directives,
    token: &'a str,
    now: Timestamp,
    recent_links: &'a RecentLinks,
    may_list_past: bool,
}

/// A link to what may be an article.
#[derive(Clone, Debug)]
pub(super) struct StoryLink {
    pub(super) url: CanonicalUrl,
    /// When it was changed last, if that is told.
    pub(super) modified: Option<Timestamp>,
    /// When it was published, or changed last, if that is told.
    pub(super) dated: Option<Timestamp>,
    /// What else the listing says of it.
    pub(super) listed: Option<Box<Listed>>,
    /// Where a sitemap says that it is in other languages.
    pub(super) alternates: Vec<Alternate>,
}

/// What a listing shows that only matters for the past.
#[derive(Debug, Default)]
pub(super) struct PastLinks {
    /// All maps of an index.
    pub(super) maps: Vec<MapLink>,
    /// The links of a page.
    pub(super) list: ListLinks,
}

/// What a page links to, and what kind of page it is.
#[derive(Debug, Default)]
pub(super) struct PageLinks {
    /// What may be articles.
    pub(super) stories: Vec<StoryLink>,
    /// What may be sections.
    pub(super) sections: Vec<CanonicalUrl>,
    /// Other listings that it names.
    pub(super) listings: Vec<(CanonicalUrl, ListingKind)>,
    /// The maps that an index names, those that may have the news first.
    pub(super) maps: Vec<CanonicalUrl>,
    /// The page behind it.
    pub(super) behind: Option<CanonicalUrl>,
    /// What it turned out to be, if it was not known to be a listing.
    pub(super) kind: Option<ListingKind>,
    /// Whether it is a web page.
    pub(super) is_html: bool,
    /// Whether it must not be mined.
    pub(super) is_noindex: bool,
    /// What its elements say of its uses; nothing if they were not read.
    pub(super) rights: Rights,
    /// Whether it is an article, if that was asked: of a page that nobody has judged yet.
    pub(super) is_article: Option<bool>,
    /// Whether the address of an article shows none now.
    pub(super) is_no_article: bool,
    /// Names its text if that is no article, though its address may be a story's. Other addresses of the site may show the same.
    pub(super) text: Option<u64>,
    /// The other page that it asks browsers to show instead.
    pub(super) refresh: Option<CanonicalUrl>,
    /// Whether it brought the bytes of the last visit again; then nothing else of it was read.
    pub(super) is_same: bool,
    /// What a feed says of its own pace.
    pub(super) hints: FeedHints,
    /// What it shows that only matters for the past, if an operator asked for that.
    pub(super) past: Option<Box<PastLinks>>,
}

impl PageLinks {
    /// Reads a page, off the reactor; what was parsed is kept.
    pub(super) async fn of(
        claim: &Claim,
        schedule: PageSchedule,
        page: FetchedBody,
        shared: &Shared,
        now: Timestamp,
        may_list_past: bool,
    ) -> anyhow::Result<PageLinks> {
        let (url, last) = (claim.url.clone(), claim.content);
        let (token, parsed) = (shared.config.product_token().to_owned(), shared.parts.parsed.clone());
        let recent_links = shared.recent_links.clone();
        let reading = move || {
            let FetchedBody { content_type, body, directives, refresh, hubs, listed, .. } = page;
            let content_type = content_type.as_deref();
            let content = ContentHash::of(&url, content_type, &body);
            // What the same bytes of a page link to and ask for was seen before.
            if matches!(schedule.role, Role::Page | Role::Once) && last == Some(content) {
                let is_noindex = directives.noindex;
                return PageLinks { is_html: true, is_same: true, is_noindex, ..PageLinks::default() };
            }
            let recent_links = &*recent_links;
            let context = ReadingContext { directives, token: &token, now, recent_links, may_list_past };
            let (mut page_links, page) =
                PageLinks::read(&url, schedule, content_type, &body, listed, context);
            if page_links.kind == Some(ListingKind::Feed) {
                hubs.into_iter().for_each(|hub| page_links.hints.add_hub(hub));
            }
            page_links.refresh =
                refresh::target(&url, refresh.as_deref(), page.as_ref()).filter(|target| *target != url);
            page.into_iter().for_each(|page| parsed.keep(content, Arc::new(page)));
            page_links
        };
        tokio::task::spawn_blocking(reading).await.context("reading a page panicked")
    }

    fn read(
        url: &CanonicalUrl,
        schedule: PageSchedule,
        content_type: Option<&str>,
        body: &[u8],
        listed: Option<Listed>,
        context: ReadingContext<'_>,
    ) -> (PageLinks, Option<Page>) {
        let now = context.now;
        if schedule.role != Role::Once && listing::sniff(content_type, body) {
            let page_links = PageLinks::of_listing(url, content_type, body, context);
            return (page_links.without_links(context.directives.nofollow), None);
        }
        let page = Page::parse(url, content_type, body).with_listed(listed);
        let directives = context.directives.and(Directives::of_page(&page, context.token, now));
        let rights = of_markup(&page, Reader { token: context.token, at: now });
        if schedule.role == Role::Once {
            // The miner takes its links.
            let is_noindex = directives.noindex;
            let page_links = PageLinks { is_html: true, is_noindex, rights, ..PageLinks::default() };
            return (page_links, Some(page));
        }
        let may_list = schedule.is_in_menu || matches!(schedule.role, Role::Listing(_));
        let mut page_links =
            PageLinks::of_page(&page, may_list, context.may_list_past).without_links(directives.nofollow);
        (page_links.is_noindex, page_links.rights) = (directives.noindex, rights);
        let was_article = schedule.role == Role::Page && schedule.visits.first.is_some();
        let is_article = LazyCell::new(|| crawled_article(&page, now).0 == PageKind::Article);
        page_links.is_no_article = was_article && !*is_article;
        // Whether its links are news depends on what it is itself.
        let is_unjudged = schedule.role == Role::Page && !was_article && !schedule.is_in_menu;
        if is_unjudged && page_links.stories.iter().any(|story| context.recent_links.is_new(&story.url)) {
            page_links.is_article = Some(*is_article);
        }
        // Addresses that nobody shows as news may well have nothing but one page for all of them.
        let may_be_story = schedule.role == Role::Page && (schedule.by.is_some() || was_article);
        page_links.text = may_be_story.then(|| text_of(&page)).flatten().filter(|_| !*is_article);
        // A page that a menu leads to is judged here, so that it need not be fetched twice.
        let schedule = PageSchedule { stories: page_links.stories(), ..schedule };
        if schedule.is_in_menu && schedule.is_section() {
            page_links.kind = (!*is_article).then_some(ListingKind::Section);
        }
        (page_links, Some(page))
    }

    /// Forgets what a page shows whose links must not be followed.
    fn without_links(self, nofollow: bool) -> PageLinks {
        if !nofollow {
            return self;
        }
        PageLinks { kind: self.kind, is_html: self.is_html, ..PageLinks::default() }
    }

    fn of_page(page: &Page, may_list: bool, may_list_past: bool) -> PageLinks {
        let found = discover(page);
        let past = may_list_past.then(|| PastLinks { maps: Vec::new(), list: list_links(page) });
        let times: HashMap<&CanonicalUrl, &str> = past
            .iter()
            .flat_map(|past| past.list.times.iter().map(|(url, time)| (url, time.as_str())))
            .collect();
        let dated = |url: &CanonicalUrl| times.get(url).and_then(|time| listing_time(time));
        let kind = |kind| match kind {
            PlaceKind::Feed => ListingKind::Feed,
            PlaceKind::Map => ListingKind::Map,
        };
        let places = if may_list { on_page(page) } else { Vec::new() };
        PageLinks {
            stories: found
                .stories
                .into_iter()
                .map(|url| StoryLink {
                    modified: None,
                    dated: dated(&url),
                    listed: None,
                    alternates: Vec::new(),
                    url,
                })
                .collect(),
            sections: found.sections,
            listings: places.into_iter().map(|place| (place.url, kind(place.kind))).collect(),
            maps: Vec::new(),
            behind: found.behind,
            kind: None,
            is_html: true,
            is_noindex: false,
            rights: Rights::default(),
            is_article: None,
            is_no_article: false,
            text: None,
            refresh: None,
            is_same: false,
            hints: FeedHints::default(),
            past: past.map(Box::new),
        }
    }

    fn of_listing(
        url: &CanonicalUrl,
        content_type: Option<&str>,
        body: &[u8],
        context: ReadingContext<'_>,
    ) -> PageLinks {
        let now = context.now;
        let listing = match listing::read(url, content_type, body, now, &ListingLimits::default()) {
            Ok(listing) => listing,
            Err(error) => {
                tracing::debug!(%error, "a listing cannot be read");
                return PageLinks::default();
            }
        };
        if listing.is_cut || listing.left_out.over_limit > 0 {
            tracing::info!(%url, items = listing.items.len(), is_cut = listing.is_cut,
                "a listing is too long or broken; its newest items are taken");
        }
        let kind = match listing.form {
            Form::Feed => ListingKind::Feed,
            Form::NewsMap => ListingKind::NewsMap,
            Form::Map | Form::MapIndex => ListingKind::Map,
        };
        let story = |mut item: Item| StoryLink {
            alternates: item
                .details
                .as_deref_mut()
                .map(|details| std::mem::take(&mut details.alternates))
                .unwrap_or_default(),
            modified: item.modified,
            dated: item.published.or(item.modified),
            listed: what_it_says(url, kind, &item, now).map(Box::new),
            url: item.url,
        };
        let past = context
            .may_list_past
            .then(|| Box::new(PastLinks { maps: listing.maps.clone(), list: ListLinks::default() }));
        let maps = maps::likely_order(listing.maps);
        let mut stories: Vec<StoryLink> = listing.items.into_iter().map(story).collect();
        if kind != ListingKind::Feed {
            // The budget may not reach for all of a map, and maps are in any order.
            stories.sort_by_key(|story| std::cmp::Reverse(story.dated));
        }
        let hints = listing.hints;
        PageLinks { stories, maps, kind: Some(kind), hints, past, ..PageLinks::default() }
    }

    /// Number of stories.
    pub(super) fn stories(&self) -> u16 {
        u16::try_from(self.stories.len()).unwrap_or(u16::MAX)
    }

    /// Removes query parameters from the links if the server invents new ones at each visit. `mark` names the story that was on
    /// top at the last visit.
    pub(super) fn drop_invented_queries(&mut self, mark: u64) {
        if !self.is_html {
            let mut urls: Vec<_> = self.stories.iter_mut().map(|story| &mut story.url).collect();
            queries::drop_invented(&mut urls, mark);
        }
    }

    /// Names the topmost story; 0 if there is none.
    pub(super) fn top(&self) -> u64 {
        self.stories.first().map_or(0, |story| {
            if self.is_html { name(story.url.as_str()) } else { queries::mark_of(&story.url) }
        })
    }

    /// Whether it shows the story of this name.
    pub(super) fn shows(&self, mark: u64) -> bool {
        self.stories.iter().any(|story| name(story.url.as_str()) == mark)
    }
}

/// What a listing says of an item, if it is of a kind that says more than the address.
fn what_it_says(listing: &CanonicalUrl, kind: ListingKind, item: &Item, now: Timestamp) -> Option<Listed> {
    let by = match kind {
        ListingKind::Feed => ListedBy::Feed,
        ListingKind::NewsMap => ListedBy::NewsMap,
        ListingKind::Front | ListingKind::Section | ListingKind::Map => return None,
    };
    let details = item.details.as_deref().cloned().unwrap_or_default();
    let language = details.language.map(|code| code.to_ascii_lowercase());
    let entry = ListedEntry {
        title: item.title.clone(),
        published: item.published.filter(|published| *published <= now).map(time_or_day),
        authors: details.authors,
        section: details.section,
        summary: details.summary,
        // The region says nothing that an article tells.
        language: language.and_then(|code| code.split(['-', '_']).next().map(str::to_owned)),
        keywords: details.keywords,
        image: details.image.map(|image| image.as_str().to_owned()),
        ..ListedEntry::new(listing.clone(), by)
    };
    let listed = Listed { entry, html: details.html }.within_limits();
    (!listed.is_empty()).then_some(listed)
}

/// A time in ISO 8601; the start of a day is the day, since listings that know no time give it so.
fn time_or_day(at: Timestamp) -> String {
    let time = time::iso(at);
    match time.split_once('T') {
        Some((day, _)) if at.0.is_multiple_of(86_400_000) => day.to_owned(),
        _ => time,
    }
}

/// Other addresses with the same text that make it a wall, and least words of a text that is compared.
pub(super) const WALL_ADDRESSES: usize = 2;
const LEAST_WORDS: usize = 3;

/// Names the text of a page, so that it can be compared with those of other addresses: a consent wall, a login, a bot check or a
/// maintenance page shows the same at all of them. Words with digits, which differ from answer to answer, are left out.
fn text_of(page: &Page) -> Option<u64> {
    let texts = (0..page.leaves.len()).map(|leaf| page.leaves.text(leaf));
    let is_word = |word: &&str| word.chars().all(char::is_alphabetic);
    let words: Vec<&str> = texts.flat_map(str::split_whitespace).filter(is_word).collect();
    (words.len() >= LEAST_WORDS).then(|| name(&words.join(" ")))
}
