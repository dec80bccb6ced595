//! What a page, a feed or a map shows.

use std::sync::Arc;

use anyhow::Context as _;
use bytes::Bytes;
use newslode_common::schedule::{ListingKind, PageSchedule, Role, name};
use newslode_common::store::Claim;
use newslode_common::version::ContentHash;
use newslode_page::article;
use newslode_page::article::PageKind;
use newslode_page::discovery::discover;
use newslode_page::reading::{CanonicalUrl, Page};
use newslode_page::time::Timestamp;

use crate::directives::Directives;
use crate::listing::discover::{PlaceKind, on_page};
use crate::listing::{Form, Item, ListingLimits, read, sniff};
use crate::shared::Shared;

/// Children of a map's index that are visited, the newest first.
const MOST_MAPS: usize = 10;

/// A page as it came.
#[derive(Clone)]
pub(super) struct Fetched {
    pub(super) content_type: Option<String>,
    pub(super) body: Bytes,
    /// What its header asks for.
    pub(super) directives: Directives,
}

/// What is asked of us, and who we are.
#[derive(Clone, Copy)]
struct Asked<'a> {
    directives: Directives,
    token: &'a str,
    now: Timestamp,
}

/// What may be an article.
#[derive(Clone, Debug)]
pub(super) struct Story {
    pub(super) url: CanonicalUrl,
    /// When it was changed last, if that is told.
    pub(super) modified: Option<Timestamp>,
    /// When it was published, or changed last, if that is told.
    pub(super) dated: Option<Timestamp>,
}

/// What a page shows.
#[derive(Debug, Default)]
pub(super) struct View {
    /// What may be articles.
    pub(super) stories: Vec<Story>,
    /// What may be sections.
    pub(super) sections: Vec<CanonicalUrl>,
    /// Other listings that it names.
    pub(super) listings: Vec<(CanonicalUrl, ListingKind)>,
    /// The page behind it.
    pub(super) behind: Option<CanonicalUrl>,
    /// What it turned out to be, if it was not known to be a listing.
    pub(super) kind: Option<ListingKind>,
    /// Whether it is a web page.
    pub(super) is_html: bool,
    /// Whether it must not be mined.
    pub(super) is_noindex: bool,
    /// Whether it brought the bytes of the last visit again; then nothing else of it was read.
    pub(super) is_same: bool,
}

impl View {
    /// Reads a page, off the reactor; what was parsed is kept.
    pub(super) async fn of(
        claim: &Claim,
        schedule: PageSchedule,
        page: Fetched,
        shared: &Shared,
        now: Timestamp,
    ) -> anyhow::Result<View> {
        let (url, last) = (claim.url.clone(), claim.content);
        let (token, parsed) = (shared.config.product_token().to_owned(), shared.parts.parsed.clone());
        let reading = move || {
            let Fetched { content_type, body, directives } = page;
            let content_type = content_type.as_deref();
            let content = ContentHash::of(&url, content_type, &body);
            // What the same bytes of a page link to and ask for was seen before.
            if matches!(schedule.role, Role::Page | Role::Once) && last == Some(content) {
                let is_noindex = directives.noindex;
                return View { is_html: true, is_same: true, is_noindex, ..View::default() };
            }
            let asked = Asked { directives, token: &token, now };
            let (view, page) = View::read(&url, schedule, content_type, &body, asked);
            page.into_iter().for_each(|page| parsed.keep(content, Arc::new(page)));
            view
        };
        tokio::task::spawn_blocking(reading).await.context("reading a page panicked")
    }

    fn read(
        url: &CanonicalUrl,
        schedule: PageSchedule,
        content_type: Option<&str>,
        body: &[u8],
        asked: Asked,
    ) -> (View, Option<Page>) {
        let now = asked.now;
        if schedule.role != Role::Once && sniff(content_type, body) {
            let view = View::of_listing(url, content_type, body, now);
            return (view.without_links(asked.directives.nofollow), None);
        }
        let page = Page::parse(url, content_type, body);
        let directives = asked.directives.and(Directives::of_page(&page, asked.token, now));
        if schedule.role == Role::Once {
            // The miner takes its links.
            let view = View { is_html: true, is_noindex: directives.noindex, ..View::default() };
            return (view, Some(page));
        }
        let may_list = schedule.is_in_menu || matches!(schedule.role, Role::Listing(_));
        let mut view = View::of_page(&page, may_list).without_links(directives.nofollow);
        view.is_noindex = directives.noindex;
        // A page that a menu leads to is judged here, so that it need not be fetched twice.
        let schedule = PageSchedule { stories: view.stories(), ..schedule };
        if schedule.is_in_menu && schedule.is_section() {
            let is_article = article(&page, now).0 == PageKind::Article;
            view.kind = (!is_article).then_some(ListingKind::Section);
        }
        (view, Some(page))
    }

    /// Forgets what a page shows whose links must not be followed.
    fn without_links(self, nofollow: bool) -> View {
        if !nofollow {
            return self;
        }
        View { kind: self.kind, is_html: self.is_html, ..View::default() }
    }

    fn of_page(page: &Page, may_list: bool) -> View {
        let found = discover(page);
        let kind = |kind| match kind {
            PlaceKind::Feed => ListingKind::Feed,
            PlaceKind::Map => ListingKind::Map,
        };
        let places = if may_list { on_page(page) } else { Vec::new() };
        View {
            stories: found
                .stories
                .into_iter()
                .map(|url| Story { url, modified: None, dated: None })
                .collect(),
            sections: found.sections,
            listings: places.into_iter().map(|place| (place.url, kind(place.kind))).collect(),
            behind: found.behind,
            kind: None,
            is_html: true,
            is_noindex: false,
            is_same: false,
        }
    }

    fn of_listing(url: &CanonicalUrl, content_type: Option<&str>, body: &[u8], now: Timestamp) -> View {
        let mut listing = match read(url, content_type, body, now, &ListingLimits::default()) {
            Ok(listing) => listing,
            Err(error) => {
                tracing::debug!(%error, "a listing cannot be read");
                return View::default();
            }
        };
        if listing.is_cut || listing.left_out.over_limit > 0 {
            tracing::info!(%url, items = listing.items.len(), is_cut = listing.is_cut,
                "a listing is too long or broken; its newest items are taken");
        }
        listing.maps.sort_by_key(|map| std::cmp::Reverse(map.modified));
        let kind = match listing.form {
            Form::Feed => ListingKind::Feed,
            Form::NewsMap => ListingKind::NewsMap,
            Form::Map | Form::MapIndex => ListingKind::Map,
        };
        let story =
            |Item { url, published, modified, .. }| Story { url, modified, dated: published.or(modified) };
        let maps = listing.maps.into_iter().take(MOST_MAPS).map(|map| (map.url, ListingKind::Map));
        let mut stories: Vec<Story> = listing.items.into_iter().map(story).collect();
        if kind != ListingKind::Feed {
            // The budget may not reach for all of a map, and maps are in any order.
            stories.sort_by_key(|story| std::cmp::Reverse(story.dated));
        }
        View { stories, listings: maps.collect(), kind: Some(kind), ..View::default() }
    }

    /// Number of stories.
    pub(super) fn stories(&self) -> u16 {
        u16::try_from(self.stories.len()).unwrap_or(u16::MAX)
    }

    /// Names the topmost story; 0 if there is none.
    pub(super) fn top(&self) -> u64 {
        self.stories.first().map_or(0, |story| name(story.url.as_str()))
    }

    /// Whether it shows the story of this name.
    pub(super) fn shows(&self, mark: u64) -> bool {
        self.stories.iter().any(|story| name(story.url.as_str()) == mark)
    }
}
