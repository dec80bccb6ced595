//! What a listing shows of the past that an operator asked for (`mine --since`), and which lists are asked for next.
//!
//! Live listings show it, too: a front page names archives and lists of pages, an index names sitemaps. So each listing of a site with a
//! [`Past`] is read here once more. Articles of the window are added in a class of their own, below all that the site publishes
//! now. Articles that a list dates outside the window are not requested. Start at [`Visit::take_in_past`].

use std::collections::{BTreeMap, HashSet};

use anyhow::Context as _;
use newslode_common::outcome::Outcome;
use newslode_common::schedule::past::{PageAddress, Reading, Source};
use newslode_common::schedule::url_days::{DatedAddress, story_days};
use newslode_common::schedule::{
    Class, Days, ListedDays, ListingKind, PageSchedule, Past, PastRead, Role, SiteSchedule,
};
use newslode_common::store::past::{DEPTH, start};
use newslode_common::store::{Added, Again, Completion, NewUrl, Why};
use newslode_page::reading::CanonicalUrl;
use newslode_page::time::Timestamp;

use super::page_links::{PageLinks, PastLinks, StoryLink};
use super::state::Visit;
use crate::fetch::FetchedBody;
use crate::listing::MapLink;
use crate::listing::discover::{PlaceKind, usual_places};

/// Stories with one and the same time that make it the time of the sitemap, not of its stories.
const SAME_TIMES: usize = 5;

/// The articles of the window that a listing shows, by their days.
#[derive(Default)]
struct Shown<'l> {
    wanted: BTreeMap<Days, Vec<&'l CanonicalUrl>>,
    /// The days of all listed articles, including those outside the window.
    days: Vec<u32>,
    undated: u64,
}

impl Shown<'_> {
    fn stories(&self) -> u64 {
        self.wanted.values().map(|stories| stories.len() as u64).sum()
    }

    /// The days of all articles, if most have one.
    fn listed_days(&mut self) -> Option<ListedDays> {
        self.days.sort_unstable();
        let is_dated = self.days.len() as u64 > self.undated;
        ListedDays::of_sorted(&self.days).filter(|_| is_dated)
    }
}

impl Visit<'_> {
    /// Adds the articles of the past that a listing shows, notes which lists it names, and starts those that are next.
    pub(super) async fn take_in_past(&self, page_links: &PageLinks) -> anyhow::Result<()> {
        let Some(links) = &page_links.past else { return Ok(()) };
        let site = self.site_schedule().await?;
        let Some(past) = site.past() else { return Ok(()) };
        let id = self.listing_id();
        let source = past.source(id).map(|open| open.source.clone());
        let mut shown = self.shown(page_links, source.as_ref(), past.window());
        let (added, refused) = self.add_past(&shown, past.window()).await?;
        let live = if added.known > 0 { self.visited_anyway(&shown).await? } else { Vec::new() };
        let reading = Reading::Read { stories: shown.stories(), new: added.new, days: shown.listed_days() };
        let is_list = matches!(source, Some(Source::Map | Source::Numbered(_) | Source::Archive(_)))
            || matches!(self.page.role, Role::Listing(ListingKind::Map | ListingKind::NewsMap));
        let shown = &shown;
        self.advance_past(|past| {
            self.meet_sources(past, links, source.as_ref(), shown, reading);
            if is_list {
                past.show(shown.wanted.keys().copied());
            }
            for (url, day) in &live {
                past.meet_live(url, *day);
            }
            if source.is_some() {
                past.leave_undated(shown.undated);
            }
            past.refuse(id, refused.clone());
            past.close(id, reading);
        })
        .await
    }

    /// Changes the past, and starts the lists that are next then.
    async fn advance_past(&self, lesson: impl Fn(&mut Past)) -> anyhow::Result<()> {
        let places = usual_places(&self.claim.url).into_iter().filter(|place| place.kind == PlaceKind::Map);
        let usual: Vec<CanonicalUrl> = places.map(|place| place.url).take(2).collect();
        let new = self
            .teach(|site: &mut SiteSchedule| {
                let Some(past) = site.past_mut() else { return Vec::new() };
                let before: Vec<_> = past.open().map(|open| open.url.clone()).collect();
                lesson(past);
                past.advance(&usual);
                let mut new: Vec<CanonicalUrl> = past.open().map(|open| open.url.clone()).collect();
                new.retain(|url| !before.contains(url));
                new
            })
            .await?;
        let frontier = self.shared.parts.frontier.as_ref();
        let starting = || start(frontier, &new, self.now);
        self.shared.retry_store_call(starting).await.context("cannot add lists of the past")
    }

    /// Notes the lists that a listing names.
    fn meet_sources(
        &self,
        past: &mut Past,
        links: &PastLinks,
        source: Option<&Source>,
        shown: &Shown<'_>,
        reading: Reading,
    ) {
        let window = past.window();
        // A map holds nothing that is newer than its last change.
        let is_wanted = |map: &&MapLink| map.modified.is_none_or(|modified| modified.day() >= window.first);
        let maps: Vec<CanonicalUrl> =
            links.maps.iter().filter(is_wanted).map(|map| map.url.clone()).collect();
        past.meet_maps(&maps);
        let this = &self.claim.url;
        match source {
            Some(Source::Archive(days)) => {
                let next = links.list.next.iter().chain(&links.list.targets);
                let mut next = next.filter(|target| goes_on(this, target));
                if let Some(next) = next.next().filter(|_| shown.stories() > 0) {
                    past.meet(next, Source::Archive(*days));
                }
            }
            Some(Source::Page { .. } | Source::Map | Source::Numbered(_)) => {}
            Some(Source::Overview) | None => {
                links.list.targets.iter().for_each(|target| past.meet_archive(target));
                if let Some(archives) = links.list.targets.iter().find(|target| is_list_of_archives(target)) {
                    past.meet_overview(archives);
                }
                let Reading::Read { days, .. } = reading else { return };
                let later = links.list.next.iter().chain(&links.list.targets);
                let later = later.filter(|target| DatedAddress::of(target).is_none());
                if let Some((later, _)) = later.filter_map(|target| PageAddress::of(this, target)).next() {
                    let is_front = self.page.role == Role::Listing(ListingKind::Front);
                    past.meet_list(this, later, days.map(|days| days.middle), is_front);
                }
            }
        }
    }

    /// The articles of the window that a listing shows.
    fn shown<'l>(&self, page_links: &'l PageLinks, source: Option<&Source>, window: Days) -> Shown<'l> {
        let own = match source {
            Some(Source::Archive(days)) => Some(*days),
            _ if page_links.is_html => None,
            _ => DatedAddress::of(&self.claim.url).map(|address| address.days),
        };
        let told = told_times(&page_links.stories);
        let mut shown = Shown::default();
        for story in &page_links.stories {
            let Some(days) = days_of(story, own, told) else {
                shown.undated += 1;
                continue;
            };
            shown.days.push(days.first);
            if let Some(days) = days.and(window) {
                shown.wanted.entry(days).or_default().push(&story.url);
            }
        }
        shown
    }

    /// Adds articles of the past, those of the newest day so that they go first. Returns also how many the site's page budget
    /// refused, by days.
    async fn add_past(
        &self,
        shown: &Shown<'_>,
        window: Days,
    ) -> anyhow::Result<(Added, BTreeMap<Days, u64>)> {
        let frontier = &self.shared.parts.frontier;
        let (mut added, mut refused) = (Added::default(), BTreeMap::new());
        for (days, stories) in shown.wanted.iter().rev() {
            let role = Role::Past { days: *days, read: PastRead::Waits };
            let schedule = PageSchedule { role, ..PageSchedule::page(None, self.now) };
            let story = |url: &&CanonicalUrl| NewUrl {
                url: (*url).clone(),
                depth: DEPTH,
                why: Why::Link,
                hops: 0,
                class: Class::Past,
                again: Again::Never,
                schedule: Some(schedule),
            };
            let mut stories: Vec<NewUrl> = stories.iter().map(story).collect();
            stories.retain(|new| new.url.site() == self.claim.site && new.url != self.claim.url);
            // Each day is due a millisecond before the one before it.
            let due = Timestamp(self.now.0.saturating_sub(u64::from(days.last.saturating_sub(window.first))));
            for some in stories.chunks(1_000) {
                let adding = || frontier.add(some, due);
                let part =
                    self.shared.retry_store_call(adding).await.context("cannot add URLs of the past")?;
                added.new += part.new;
                added.known += part.known;
                if part.over_budget > 0 {
                    *refused.entry(*days).or_default() += part.over_budget;
                }
            }
        }
        Ok((added, refused))
    }

    /// What may be sections among the links of a listing. Archives and further pages of a list are left to the past.
    pub(super) fn live_sections(&self, page_links: &PageLinks) -> Vec<CanonicalUrl> {
        let this = &self.claim.url;
        let is_past = |url: &CanonicalUrl| {
            DatedAddress::of(url).is_some_and(|address| address.is_of_a_list()) || goes_on(this, url)
        };
        let sections = page_links.sections.iter();
        sections.filter(|url| page_links.past.is_none() || !is_past(url)).cloned().collect()
    }

    /// The articles of single days that are visited because the site shows them as news.
    async fn visited_anyway(&self, shown: &Shown<'_>) -> anyhow::Result<Vec<(CanonicalUrl, u32)>> {
        let frontier = &self.shared.parts.frontier;
        let mut live = Vec::new();
        for (days, stories) in shown.wanted.iter().filter(|(days, _)| days.first == days.last) {
            for url in stories {
                let reading = || frontier.entry(url);
                let entry =
                    self.shared.retry_store_call(reading).await.context("cannot read a URL's record")?;
                let role = entry.and_then(|entry| entry.schedule).map(|schedule| schedule.role);
                if role == Some(Role::Page) {
                    live.push(((*url).clone(), days.first));
                }
            }
        }
        Ok(live)
    }

    /// The stories that do not wait with the backlog, because their days are known, and so whether they are wanted of the past.
    pub(super) fn left_to_the_past<'l>(&self, page_links: &'l PageLinks) -> HashSet<&'l CanonicalUrl> {
        let is_dated = |story: &&StoryLink| story.dated.is_some() || story_days(&story.url).is_some();
        let stories = page_links.stories.iter().filter(|_| page_links.past.is_some());
        stories.filter(is_dated).map(|story| &story.url).collect()
    }

    /// Completes the visit of a list of the past.
    pub(super) async fn read_archive(
        self,
        page_links: &PageLinks,
        outcome: Outcome,
    ) -> anyhow::Result<Completion> {
        self.site_answered().await?;
        // What is said of a story must be there before a crawler can claim it.
        self.keep_notes(page_links).await;
        self.take_in_past(page_links).await?;
        Ok(self.without_page(outcome, None))
    }

    /// Reads a list of the past at the address to which it redirects. One that leads to the list of other days, or to a page that is visited
    /// anyway, is not there.
    pub(super) async fn archive_elsewhere(
        self,
        at: &url::Url,
        fetched: FetchedBody,
    ) -> anyhow::Result<Completion> {
        self.site_answered().await?;
        let Some(target) = newslode_page::reading::canonical(at) else {
            return self.unreadable(Outcome::RedirectLoop).await;
        };
        let days = |url: &CanonicalUrl| DatedAddress::of(url).map(|address| address.days);
        if target.path() == "/" || days(&target) != days(&self.claim.url) || target.site() != self.claim.site
        {
            return self.unreadable(Outcome::Gone).await;
        }
        let place = newslode_common::store::Claim { url: target, content: None, ..self.claim.clone() };
        let page_links = PageLinks::of(&place, self.page, fetched, self.shared, self.now, true).await?;
        self.read_archive(&page_links, Outcome::Redirected).await
    }

    /// Whether a list of the past was read meanwhile, so that no request is needed.
    pub(super) async fn is_read_archive(&self) -> anyhow::Result<bool> {
        let is_archive = self.page.role == Role::Archive;
        let is_open =
            |site: &SiteSchedule| site.past().is_some_and(|past| past.source(self.listing_id()).is_some());
        Ok(is_archive && !is_open(&self.site_schedule().await?))
    }

    /// What follows for the past from the end of a visit: a page of the past keeps its record, and a list that could not be read makes
    /// way for others.
    pub(super) async fn end_in_the_past(&self, completion: &mut Completion) -> anyhow::Result<()> {
        let Completion::Done { outcome, next, schedule: Some(page), .. } = completion else { return Ok(()) };
        let is_good = matches!(outcome, Outcome::Fetched | Outcome::Unchanged | Outcome::Redirected);
        match page.role {
            Role::Past { read: PastRead::Waits, .. } if next.is_none() => {
                *next = page.past_is_over(PastRead::NoArticle, self.now);
            }
            Role::Archive | Role::Listing(_) if !is_good => {
                let is_archive = page.role == Role::Archive;
                // What is not there now was not there before.
                let is_missing = matches!(outcome, Outcome::Gone | Outcome::Disallowed | Outcome::NotHtml);
                if is_archive && is_missing {
                    *next = None;
                }
                let id = self.listing_id();
                let is_open = |site: &SiteSchedule| site.past().is_some_and(|past| past.source(id).is_some());
                if !is_open(&self.site_schedule().await?) {
                    return Ok(());
                }
                let is_over = next.is_none() || is_missing;
                self.advance_past(
                    |past| {
                        if is_over { past.close(id, Reading::Missing) } else { past.fail(id) }
                    },
                )
                .await?;
            }
            _ => {}
        }
        Ok(())
    }
}

/// Which times of its stories a listing tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Told {
    /// When each was published, or changed.
    Each,
    /// One and the same for all, such as when the sitemap was written.
    OneForAll,
}

fn told_times(stories: &[StoryLink]) -> Told {
    let mut times: Vec<Timestamp> = stories.iter().filter_map(|story| story.dated).collect();
    let count = times.len();
    times.sort_unstable();
    times.dedup();
    if count >= SAME_TIMES && times.len() == 1 { Told::OneForAll } else { Told::Each }
}

/// The days on which a story was published, as far as its listing and its address say. `own`: the days that the listing is of.
fn days_of(story: &StoryLink, own: Option<Days>, told: Told) -> Option<Days> {
    let by_address = story_days(&story.url);
    if by_address.is_some_and(|days| days.first == days.last) {
        return by_address;
    }
    let time = story.dated.filter(|_| told == Told::Each).map(Timestamp::day).map(Days::one);
    let is_changed_only = story.dated == story.modified;
    let wide = by_address.or(own);
    match (time, wide) {
        // A day outside the month of the address or of the listing is that of a change.
        (Some(day), Some(wide)) => Some(day.and(wide).unwrap_or(if is_changed_only { wide } else { day })),
        (Some(day), None) => Some(day),
        (None, wide) => wide,
    }
}

/// Whether a page is the next one of the same list.
fn goes_on(this: &CanonicalUrl, target: &CanonicalUrl) -> bool {
    let days = |url: &CanonicalUrl| DatedAddress::of(url).map(|address| address.days);
    if days(this) != days(target) {
        return false;
    }
    if let Some((_, number)) = PageAddress::of(this, target) {
        return number == 2;
    }
    // Both are pages of one list, with numbers that follow each other.
    let (this, target) = (this.as_str(), target.as_str());
    let same = this.bytes().zip(target.bytes()).take_while(|(one, other)| one == other).count();
    let from = this
        .get(..same)
        .map_or(0, |start| start.trim_end_matches(|letter: char| letter.is_ascii_digit()).len());
    let number = |text: &str| {
        let rest = text.get(from..).unwrap_or_default();
        let end = rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len());
        let (digits, rest) = rest.split_at_checked(end).unwrap_or((rest, ""));
        Some((digits.parse::<u32>().ok()?, rest.to_owned()))
    };
    matches!((number(this), number(target)), (Some((one, rest)), Some((other, same))) if one + 1 == other && rest == same)
}

/// Whether an address is that of a page that lists archives.
fn is_list_of_archives(url: &CanonicalUrl) -> bool {
    let last = url.path().rsplit('/').find(|part| !part.is_empty()).unwrap_or_default();
    last.split(['-', '_', '.']).any(|word| matches!(word, "archive" | "archives" | "archiv" | "archivo"))
}
