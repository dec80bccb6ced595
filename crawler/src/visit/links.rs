//! The links of a listing: new stories, sections and listings go to the frontier, and the listing's next visit is set.
//! Start at [`Visit::take_in_listing`].

use anyhow::Context as _;
use newslode_common::schedule::past::Source;
use newslode_common::schedule::{
    Allowance, Class, FeedHints, Listing, ListingId, ListingKind, Next, PageSchedule, Role, Shown,
};
use newslode_common::store::{Added, Again, NewUrl, Why};
use newslode_page::reading::CanonicalUrl;
use newslode_page::time::Timestamp;

use super::maps;
use super::page_links::{PageLinks, StoryLink};
use super::state::Visit;
use crate::listing::discover::usual_places;

/// Maximum number of pages that are visited behind a section.
const MOST_BEHIND: u32 = 10;
/// A story that was published longer ago than this is no news, in milliseconds.
const OLD: u64 = 3 * 86_400_000;
/// Maximum number of URLs in one call of the store.
const MOST_AT_ONCE: usize = 1_000;
/// Number of URLs that are due at the same instant. A listing shows the newest story first, so the first URLs are due a
/// little earlier than those after them.
const DUE_TOGETHER: usize = 25;
/// Only this many URLs of a listing are put in order.
const IN_ORDER: usize = 8 * DUE_TOGETHER;
/// Visits of a front page before the usual places are tried for feeds, if nobody named one.
const VISITS_BEFORE_USUAL_PLACES: u64 = 2;
/// Menus of sections are read at every fourth visit.
const MENU_EVERY: u8 = 4;

impl Visit<'_> {
    /// Adds what a listing shows to the frontier, and returns when the listing is visited next. `before` is what earlier
    /// visits of it taught.
    pub(super) async fn take_in_listing(
        &mut self,
        page_links: &PageLinks,
        kind: ListingKind,
        before: &Listing,
    ) -> anyhow::Result<Option<Next>> {
        let id = self.listing_id();
        let looks = self.page.looks;
        self.page.looks = looks.wrapping_add(1);
        // 1. Stories. Those of a first visit are the backlog and not news, except on the front page, and no listing is
        //    credited for them.
        let is_first = before.visits == 0;
        let is_backlog = is_first && kind != ListingKind::Front;
        let with_the_news = if is_backlog || before.is_junky() {
            0
        } else if before.is_unproven() && !self.page.is_in_menu {
            self.site_schedule().await?.unproven_links_left(self.max_pages().await?)
        } else {
            u64::MAX
        };
        let new = self.add_stories(page_links, Some(id).filter(|_| !is_first), with_the_news).await?.new;
        // 2. What the menu leads to, and feeds and sitemaps that the page names.
        if kind == ListingKind::Front || looks.is_multiple_of(MENU_EVERY) {
            // Only the front page's menu is known to be small.
            let class = if kind == ListingKind::Front { Class::New } else { Class::Rest };
            self.add_sections(&self.live_sections(page_links), class).await?;
            self.add_listings(page_links.listings.clone()).await?;
        }
        if !page_links.maps.is_empty() {
            let site = self.site_schedule().await?;
            let maps = maps::to_visit(&page_links.maps, &site);
            self.add_listings(maps.iter().map(|map| (map.clone(), ListingKind::Map)).collect()).await?;
        }
        if kind == ListingKind::Front && before.visits == VISITS_BEFORE_USUAL_PLACES {
            self.try_usual_places().await?;
        }
        // 3. If the story that was on top last time is gone from the page, others went past between the two visits: they are
        //    on the pages behind it.
        let is_behind = kind == ListingKind::Section && before.mark != 0 && !page_links.shows(before.mark);
        if let Some(behind) = page_links.behind.as_ref().filter(|_| is_behind && new > 0) {
            self.visit_page_behind(behind, 1, before.mark).await?;
        }
        self.take_in_past(page_links).await?;
        // 4. What the visit teaches about the listing's rhythm.
        let link_count = u32::try_from(page_links.stories.len()).unwrap_or(u32::MAX);
        let new = u32::try_from(new).unwrap_or(u32::MAX);
        let shown = Shown { links: link_count, new, top: page_links.top() };
        self.note_listing_visit(kind, Some((shown, &page_links.hints))).await
    }

    /// The site's budget of a day.
    async fn max_pages(&self) -> anyhow::Result<u64> {
        let frontier = &self.shared.parts.frontier;
        let settings = self.shared.retry_store_call(|| frontier.site(&self.claim.site)).await;
        let settings = settings.context("cannot read a site's settings")?;
        Ok(settings.map_or(0, |settings| settings.max_pages))
    }

    /// Notes a visit of a listing. `shown`: its links, and what it says of its own pace; nothing after "not modified". A section
    /// that no menu leads to leaves if it is idle: it was a story with many links.
    pub(super) async fn note_listing_visit(
        &self,
        kind: ListingKind,
        shown: Option<(Shown, &FeedHints)>,
    ) -> anyhow::Result<Option<Next>> {
        let (id, now) = (self.listing_id(), self.now);
        // Without an allowance no interval is stretched.
        let allowance = self.claim.allowance.unwrap_or_else(|| Allowance::full(u64::from(u16::MAX), now));
        self.teach(|site| {
            site.meet(&self.claim.url, kind);
            shown.into_iter().for_each(|(_, hints)| site.hint(id, hints.clone()));
            let shown = shown.map(|(shown, _)| shown);
            let next = site.visit(id, shown, now, &allowance, &self.shared.schedule);
            let is_none = !self.page.is_in_menu && site.listing(id).is_some_and(Listing::is_idle);
            if is_none {
                site.retire(id);
            }
            (!is_none).then_some(next)
        })
        .await
    }

    pub(super) async fn take_in_page_behind(
        &mut self,
        page_links: &PageLinks,
        depth: u32,
        mark: u64,
    ) -> anyhow::Result<()> {
        let new = self.add_stories(page_links, None, u64::MAX).await?.new;
        match &page_links.behind {
            Some(behind) if new > 0 && depth < MOST_BEHIND && !page_links.shows(mark) => {
                self.visit_page_behind(behind, depth + 1, mark).await
            }
            _ => Ok(()),
        }
    }

    /// Makes the page behind a section due at once. If the frontier took it for a section of its own, and no menu leads to
    /// it, it stops being one.
    async fn visit_page_behind(&self, url: &CanonicalUrl, depth: u32, mark: u64) -> anyhow::Result<()> {
        let id = ListingId::of(url);
        if self.site_schedule().await?.listing(id).is_some() {
            let frontier = &self.shared.parts.frontier;
            let entry = self
                .shared
                .retry_store_call(|| frontier.entry(url))
                .await
                .context("cannot read a URL's record")?;
            if entry.and_then(|entry| entry.schedule).is_some_and(|schedule| schedule.is_in_menu) {
                return Ok(());
            }
            self.teach(|site| site.retire(id)).await?;
        }
        let schedule = PageSchedule::of(Role::Behind { depth, mark });
        // It is the same list, so it is as far from the seed.
        let depth = self.claim.depth;
        let new = NewUrl { depth, ..self.found(url, Class::Listing, Again::Now, schedule) };
        self.add(vec![new]).await?;
        Ok(())
    }

    /// Adds stories; `by` is the listing that showed them first. At most `with_the_news` of those that were not shown lately
    /// are read with the news; the others, and stories with an old date, wait with the backlog.
    pub(super) async fn add_stories(
        &self,
        page_links: &PageLinks,
        by: Option<ListingId>,
        with_the_news: u64,
    ) -> anyhow::Result<Added> {
        let schedule = PageSchedule::page(by, self.now);
        let story = |StoryLink { url, modified, dated, .. }: &StoryLink| {
            let again = modified.map_or(Again::Never, Again::IfFetchedBefore);
            let is_old = dated.is_some_and(|dated| dated.0 + OLD < self.now.0);
            self.found(url, if is_old { Class::Rest } else { Class::New }, again, schedule)
        };
        // What is said of a story must be there before a crawler can claim it.
        self.keep_notes(page_links).await;
        let mut stories: Vec<NewUrl> = page_links.stories.iter().map(story).collect();
        self.shared.recent_links.retain_new(&mut stories);
        let with_the_news = usize::try_from(with_the_news).unwrap_or(usize::MAX);
        stories.iter_mut().skip(with_the_news).for_each(|story| story.class = Class::Rest);
        let past = self.left_to_the_past(page_links);
        stories.retain(|story| story.class != Class::Rest || !past.contains(&story.url));
        self.add(stories).await
    }

    /// Keeps what a listing says of pages of its own site.
    pub(super) async fn keep_notes(&self, page_links: &PageLinks) {
        let said = |story: &StoryLink| Some((story.url.clone(), story.listed.as_deref()?.clone()));
        let said = page_links.stories.iter().filter_map(said).collect();
        self.shared.listed.keep(said, self.now).await;
        let is_own = |story: &&StoryLink| story.url.site() == self.claim.site && !story.alternates.is_empty();
        let with_alternates = page_links.stories.iter().filter(is_own);
        let alternates = with_alternates.map(|story| (story.url.clone(), story.alternates.clone())).collect();
        self.shared.listed.keep_alternates(alternates, self.now).await;
    }

    /// Adds the usual addresses of feeds and sitemaps, if the site has named none. Those that do not exist leave the frontier
    /// like any page that is not found.
    async fn try_usual_places(&self) -> anyhow::Result<()> {
        let is_named = |listing: &Listing| {
            matches!(listing.kind, ListingKind::Feed | ListingKind::NewsMap | ListingKind::Map)
        };
        if self.site_schedule().await?.listings().any(is_named) {
            return Ok(());
        }
        let places: Vec<CanonicalUrl> =
            usual_places(&self.claim.url).into_iter().map(|place| place.url).collect();
        self.add_sections(&places, Class::Rest).await
    }

    async fn add_sections(&self, sections: &[CanonicalUrl], class: Class) -> anyhow::Result<()> {
        let section = |url| self.found(url, class, Again::Never, PageSchedule::in_menu());
        self.add(sections.iter().map(section).collect()).await?;
        Ok(())
    }

    /// Adds feeds and sitemaps.
    pub(super) async fn add_listings(
        &self,
        listings: Vec<(CanonicalUrl, ListingKind)>,
    ) -> anyhow::Result<()> {
        let own: Vec<_> = listings.into_iter().filter(|(url, _)| url.site() == self.claim.site).collect();
        if own.is_empty() {
            return Ok(());
        }
        let new = self
            .teach(|site| {
                if let Some(past) = site.past_mut() {
                    let is_map = |kind| matches!(kind, ListingKind::Map | ListingKind::NewsMap);
                    for (url, _) in own.iter().filter(|(_, kind)| is_map(*kind)) {
                        past.meet(url, Source::Map);
                    }
                }
                let is_new = |(url, kind): &&(CanonicalUrl, ListingKind)| site.meet(url, *kind);
                own.iter().filter(is_new).cloned().collect::<Vec<_>>()
            })
            .await?;
        let listing = |(url, kind): &(CanonicalUrl, ListingKind)| {
            self.found(url, Class::Listing, Again::Now, PageSchedule::of(Role::Listing(*kind)))
        };
        self.add(new.iter().map(listing).collect()).await?;
        Ok(())
    }

    fn found(&self, url: &CanonicalUrl, class: Class, again: Again, schedule: PageSchedule) -> NewUrl {
        let depth = self.claim.depth.saturating_add(1);
        NewUrl { url: url.clone(), depth, why: Why::Link, hops: 0, class, again, schedule: Some(schedule) }
    }

    /// Adds the URLs that belong to this site; other sites have listings of their own.
    async fn add(&self, mut urls: Vec<NewUrl>) -> anyhow::Result<Added> {
        urls.retain(|new| new.url.site() == self.claim.site && new.url != self.claim.url);
        self.shared.recent_links.retain_new(&mut urls);
        if urls.is_empty() {
            return Ok(Added::default());
        }
        let frontier = &self.shared.parts.frontier;
        let (mut added, mut refused_news) = (Added::default(), 0);
        // Each chunk is due a millisecond before the next one, the last of them now.
        let (first, others) = urls.split_at(urls.len().min(IN_ORDER));
        let parts: Vec<&[NewUrl]> = first.chunks(DUE_TOGETHER).chain(others.chunks(MOST_AT_ONCE)).collect();
        for (place, some) in parts.iter().enumerate() {
            // Among URLs due at the same instant, the store's order is unspecified.
            let now = Timestamp(self.now.0.saturating_sub((parts.len() - place) as u64 - 1));
            let part =
                self.shared.retry_store_call(|| frontier.add(some, now)).await.context("cannot add URLs")?;
            added.new += part.new;
            added.over_budget += part.over_budget;
            // What was refused must be tried again at the next visit.
            if part.over_budget == 0 && part.unknown_site == 0 {
                self.shared.recent_links.remember(some, self.now);
            }
            refused_news += self.count_refused_news(some, &part);
        }
        if refused_news > 0 {
            self.teach(|site| site.refuse(refused_news, self.now)).await?;
        }
        if added.over_budget > 0 {
            tracing::debug!(site = %self.claim.site, refused = added.over_budget,
                "the site's page budget of the day is spent; the rest is met again later");
        }
        Ok(added)
    }

    /// Number of links to news that the budget refused now and had not refused within the last day. What is read with the
    /// backlog is refused first.
    fn count_refused_news(&self, urls: &[NewUrl], added: &Added) -> u64 {
        if added.over_budget == 0 {
            return 0;
        }
        let (mut news, backlog): (Vec<NewUrl>, Vec<NewUrl>) =
            urls.iter().cloned().partition(|new| new.class == Class::New);
        self.shared.refused_links.retain_new(&mut news);
        let refused = added.over_budget.saturating_sub(backlog.len() as u64);
        if refused > 0 {
            self.shared.refused_links.remember(&news, self.now);
        }
        refused.min(news.len() as u64)
    }
}
