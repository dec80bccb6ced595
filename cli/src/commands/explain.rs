//! `newslode explain`: what is known of a page or a site, and when it is asked for next, and why.

use std::collections::BTreeMap;

use newslode_common::config::Config;
use newslode_common::outcome::Outcome;
use newslode_common::schedule::{Allowance, Class, Listing, ListingId, ListingKind, Role};
use newslode_common::store::{Entry, Frontier, SiteStatus, Why};
use newslode_common::time;
use newslode_page::reading::{CanonicalUrl, Site};
use newslode_page::time::Timestamp;
use serde::Serialize;

use super::taxonomy::installation;
use crate::args::ExplainArgs;
use crate::exit::{Exit, hinted};
use crate::input::parse_url;
use crate::outcomes::spelled;
use crate::{out, seconds};

pub(crate) async fn run(args: ExplainArgs, config: &Config) -> anyhow::Result<Exit> {
    let parts = installation(args.dir.as_deref(), config).await?;
    let frontier = parts.frontier.as_ref();
    let now = time::now();
    if args.target.contains("://") {
        let page = page(frontier, &parse_url(&args.target)?).await?;
        return if args.json {
            out::json(&page)?;
            Ok(Exit::Done)
        } else {
            page.tell(now)
        };
    }
    let site = site(frontier, &Site::of_host(&args.target), now).await?;
    if args.json {
        out::json(&site)?;
        return Ok(Exit::Done);
    }
    site.tell(now)
}

/// A page, explained.
#[derive(Serialize)]
struct PageStory {
    #[serde(flatten)]
    entry: Entry,
    /// The address of the listing that showed it first.
    shown_by: Option<CanonicalUrl>,
}

async fn page(frontier: &dyn Frontier, url: &CanonicalUrl) -> anyhow::Result<PageStory> {
    let Some(entry) = frontier.entry(url).await? else {
        return Err(match frontier.site(&url.site()).await? {
            Some(_) => hinted(
                format!("`{url}` is not known: no listing or page of `{}` showed it", url.site()),
                format!("see what its listings show: newslode explain {}", url.site()),
            ),
            None => unknown(&url.site()),
        });
    };
    let by = entry.schedule.and_then(|known| known.by);
    let entries = if by.is_some() { frontier.entries(&url.site()).await? } else { Vec::new() };
    let shown_by = entries.into_iter().map(|entry| entry.url).find(|url| by == Some(ListingId::of(url)));
    Ok(PageStory { entry, shown_by })
}

fn unknown(site: &Site) -> anyhow::Error {
    hinted(format!("`{site}` is not known: no seed named it"), format!("newslode seed add https://{site}/"))
}

impl PageStory {
    fn tell(&self, now: Timestamp) -> anyhow::Result<Exit> {
        let entry = &self.entry;
        out::line(&entry.url)?;
        row("is", what(entry))?;
        row("found", format!("{}, {} links from the seed", found(entry.why), entry.depth))?;
        if let Some(by) = &self.shown_by {
            row("shown first by", by)?;
        }
        if let Some(first) = entry.schedule.and_then(|known| known.visits.first) {
            row("first read", out::time(Timestamp(first * 1_000)))?;
        }
        if let Some(seen) = entry.seen {
            row("last read", out::time(seen))?;
        }
        row("last outcome", entry.outcome.map_or("none yet".into(), |outcome| outcome.to_string()))?;
        let unread = entry.schedule.map_or(entry.attempts, |known| known.unread);
        if unread > 0 {
            row("failed in a row", unread)?;
        }
        row("claims", entry.fetch)?;
        row("next visit", next(entry, now))?;
        Ok(Exit::Done)
    }
}

/// What a page is to the crawl.
fn what(entry: &Entry) -> String {
    let Some(known) = entry.schedule else { return "a page that is fetched once".into() };
    match known.role {
        Role::Listing(kind) => kind_name(kind).into(),
        Role::Behind { depth, .. } => format!("a page {depth} behind a section"),
        Role::Page if known.visits.first.is_some() => "an article".into(),
        Role::Page if entry.seen.is_some() && known.is_told => "no article, as it was last read".into(),
        Role::Page if entry.seen.is_some() => "read, and its text is still under way".into(),
        Role::Page => "a page that was not read yet".into(),
    }
}

fn kind_name(kind: ListingKind) -> &'static str {
    match kind {
        ListingKind::Front => "front page",
        ListingKind::Section => "section",
        ListingKind::Feed => "feed",
        ListingKind::NewsMap => "news sitemap",
        ListingKind::Map => "sitemap",
    }
}

fn found(why: Why) -> &'static str {
    match why {
        Why::Seed => "as a seed",
        Why::Concept => "by a concept's label",
        Why::Instance => "on a concept's page",
        Why::Link => "by a link",
    }
}

/// When a page is asked for next, and in which queue it waits.
fn next(entry: &Entry, now: Timestamp) -> String {
    let Some(due) = entry.due else { return "none: it has left".into() };
    let when = when(due, now);
    if entry.leased {
        return format!("a crawler holds it until {}", out::time(due));
    }
    let queue = match entry.class {
        Class::Listing => "among the listings, which go first",
        Class::New => "among new articles",
        Class::Recheck => "among first rechecks, while a fifth of the allowance is left",
        Class::Rest => "among later rechecks and the backlog, while two fifths of the allowance are left",
    };
    if entry.schedule.is_none() { when } else { format!("{when}, {queue}") }
}

fn when(due: Timestamp, now: Timestamp) -> String {
    if due <= now { "now".into() } else { format!("in {}", seconds::spelled(now.until(due).as_secs())) }
}

/// A listing, explained.
#[derive(Serialize)]
struct ListingStory {
    url: CanonicalUrl,
    #[serde(flatten)]
    known: Listing,
    due: Option<Timestamp>,
    outcome: Option<Outcome>,
}

/// A site, explained.
#[derive(Serialize)]
struct SiteStory {
    #[serde(flatten)]
    status: SiteStatus,
    /// The one that is visited most often first.
    listings: Vec<ListingStory>,
    /// Articles that were read, and pages that wait, by class.
    articles: usize,
    waiting: BTreeMap<Class, usize>,
    /// Since when the site is silent although its rhythm expects articles.
    silent_since: Option<Timestamp>,
}

async fn site(frontier: &dyn Frontier, site: &Site, now: Timestamp) -> anyhow::Result<SiteStory> {
    let all = frontier.status().await?;
    let Some(status) = all.into_iter().find(|status| status.site == *site) else { return Err(unknown(site)) };
    let (schedule, _) = frontier.schedule(site).await?;
    let entries = frontier.entries(site).await?;
    let mut waiting = BTreeMap::new();
    for entry in entries.iter().filter(|entry| entry.due.is_some()) {
        *waiting.entry(entry.class).or_default() += 1;
    }
    let is_article = |entry: &&Entry| entry.schedule.is_some_and(|known| known.visits.first.is_some());
    let articles = entries.iter().filter(is_article).count();
    let listing = |entry: Entry| {
        let known = schedule.listing(ListingId::of(&entry.url))?.clone();
        Some(ListingStory { url: entry.url, known, due: entry.due, outcome: entry.outcome })
    };
    let mut listings: Vec<_> = entries.into_iter().filter_map(listing).collect();
    listings.sort_by_key(|listing| listing.known.interval);
    let silent_since = schedule.silence(now).map(|silence| Timestamp(silence.since * 1_000));
    Ok(SiteStory { status, listings, articles, waiting, silent_since })
}

/// Listings that are shown to a person.
const SHOWN: usize = 30;

impl SiteStory {
    fn tell(&self, now: Timestamp) -> anyhow::Result<Exit> {
        let status = &self.status;
        out::line(&status.site)?;
        row("URLs", format!("{}, {} of them articles that were read", status.urls, self.articles))?;
        row("outcomes", spelled(&status.outcomes))?;
        let waiting = Class::ALL.map(|class| self.waiting.get(&class).copied().unwrap_or(0));
        let [listings, new, rechecks, rest] = waiting;
        row(
            "waiting",
            format!("{listings} listings, {new} new pages, {rechecks} first rechecks, {rest} later"),
        )?;
        row("delay", format!("{} ms, {}", status.settings.delay_ms, self.rest(now)))?;
        if let Some(allowance) = &status.allowance {
            row("allowance", spent(allowance, now))?;
        }
        let next = if status.settings.paused {
            "none: the site is paused".into()
        } else {
            status.ready.map_or("none: nothing waits".into(), |ready| when(ready, now))
        };
        row("next request", next)?;
        if let Some(since) = self.silent_since {
            row("silent since", format!("{}: its rhythm does not explain it", out::time(since)))?;
        }
        if self.listings.is_empty() {
            return Ok(Exit::Done);
        }
        out::line(format!(
            "\n{:12} {:>8} {:>9} {:>12}  listing",
            "kind", "visits", "articles", "next visit"
        ))?;
        for ListingStory { url, known, due, .. } in self.listings.iter().take(SHOWN) {
            let due = due.map_or("none".into(), |due| when(due, now));
            let kind = kind_name(known.kind);
            out::line(format!("{kind:12} {:>8} {:>9} {due:>12}  {url}", known.visits, known.confirmed))?;
        }
        if self.listings.len() > SHOWN {
            out::line(format!("… and {} more: --json shows all", self.listings.len() - SHOWN))?;
        }
        Ok(Exit::Done)
    }

    fn rest(&self, now: Timestamp) -> String {
        let turn = self.status.turn;
        if turn > now {
            format!("rests for {}", seconds::spelled(now.until(turn).as_secs()))
        } else {
            "no rest".into()
        }
    }
}

fn spent(allowance: &Allowance, now: Timestamp) -> String {
    let tokens = allowance.tokens(now).max(0) / 1_000;
    format!("{} requests a day; {tokens} of {} are there", allowance.per_day, allowance.capacity() / 1_000)
}

fn row(name: &str, value: impl std::fmt::Display) -> anyhow::Result<()> {
    out::line(format!("  {name:16} {value}"))
}
