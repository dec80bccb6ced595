//! What is known of a page or a site, and when it is fetched next, and why: as a value for programs, and as facts for people.

use std::collections::BTreeMap;
use std::sync::Arc;

use newslode_common::outcome::Outcome;
use newslode_common::schedule::{
    Allowance, Class, FeedHints, Listing, ListingId, ListingKind, MassVanishing, PageSchedule, PastRead,
    Role, SiteSchedule, Verdict, Visit, Yields,
};
use newslode_common::store::{Entry, Frontier, SiteStatus, Why};
use newslode_common::time;
use newslode_crawler::listed_alternates;
use newslode_crawler::listing::Alternate;
use newslode_crawler::listing::discover::alternates_on_page;
use newslode_miner::work::archive;
use newslode_miner::work::copies::why_removed;
use newslode_miner::work::histories::events::PastEvent;
use newslode_miner::work::histories::history::ArticleHistory;
use newslode_miner::work::histories::read_history;
use newslode_miner::work::knowledge::Knowledge;
use newslode_miner::work::parts::Parts;
use newslode_miner::work::schemes::read_scheme;
use newslode_miner::work::stores::Stores;
use newslode_miner::work::views::LearningCut;
use newslode_page::Page;
use newslode_page::article::PageKind;
use newslode_page::extract::{KindExplanation, KindReason, explain_kind};
use newslode_page::reading::{CanonicalUrl, Site};
use newslode_page::time::Timestamp;
use serde::Serialize;

use crate::exit::hinted;
use crate::outcomes::outcomes_in_words;
use crate::queries::health::{HealthCause, NoArticlesCause, SiteHealth};
use crate::queries::past::SitePast;
use crate::queries::places::{PlaceExplanation, SchemeExplanation};
use crate::{out, seconds};

/// A name and a value that explain a page or a site to people.
pub(crate) type Fact = (String, String);

fn fact(name: impl Into<String>, value: impl std::fmt::Display) -> Fact {
    (name.into(), value.to_string())
}

/// Why a page is or is not an article, for people.
pub(crate) fn kind_facts(explained: &KindExplanation) -> Vec<Fact> {
    let KindExplanation { kind, probability, threshold, reasons, .. } = explained;
    let kind = match kind {
        PageKind::Article => "an article",
        PageKind::Home => "a front page",
        PageKind::Section => "a section",
        PageKind::Other => "no article",
    };
    let said = format!("{kind}: {probability:.2} likely to be an article, read as one above {threshold:.2}");
    let reasons = reasons.iter().map(|KindReason { text, log_odds }| match log_odds.is_finite() {
        true => fact(format!("  {log_odds:+.1}"), text),
        false => fact("  always", text),
    });
    [fact("reads as", said)].into_iter().chain(reasons).collect()
}

/// A page, explained.
#[derive(Serialize)]
pub(crate) struct PageExplanation {
    pub(crate) url: CanonicalUrl,
    /// Its record, while it is asked for.
    entry: Option<Entry>,
    /// The day (ISO 8601, UTC) on which it was last shown, if it is not asked for again.
    left: Option<String>,
    /// The address of the listing that showed it first.
    shown_by: Option<CanonicalUrl>,
    /// What it says of its own pace, if it is a feed that says something.
    #[serde(skip_serializing_if = "Option::is_none")]
    hints: Option<FeedHints>,
    /// The history of its article, if one was read.
    #[serde(rename = "life")]
    history: Option<ArticleHistory>,
    /// Why it is or is not an article, if it was read and is kept.
    kind: Option<KindExplanation>,
    /// Its places in the site's own scheme, or why it has none, if it is an article.
    places: Option<PlaceExplanation>,
    /// Where it says that it is in other languages, if it is kept.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    alternates: Vec<Alternate>,
    /// Where sitemaps of its site say that it is in other languages.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    listed_alternates: Vec<Alternate>,
    /// Whether it was read as a browser showed it, if it is kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    rendered: Option<bool>,
    /// When its bytes were removed; it still counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    removed: Option<Timestamp>,
    /// Why they were removed, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    why_removed: Option<&'static str>,
}

/// Explains a page.
///
/// # Errors
/// When the store fails, or does not know the page.
pub(crate) async fn explain_page(
    parts: &Parts,
    url: &CanonicalUrl,
    now: Timestamp,
) -> anyhow::Result<PageExplanation> {
    let frontier = parts.stores.frontier.as_ref();
    let entry = frontier.entry(url).await?;
    let left = frontier.left(url, now).await?;
    let history = read_history(parts.stores.archive.as_ref(), url).await?;
    if entry.is_none() && left.is_none() && history.is_none() {
        let site = url.site();
        return Err(match frontier.site(&site).await? {
            Some(settings) => match refused_news(frontier, &site, now).await? {
                0 => hinted(
                    format!("`{url}` is not known: no listing or page of `{site}` showed it"),
                    format!("see what its listings show: newslode explain {site}"),
                ),
                refused => hinted(
                    format!(
                        "`{url}` is not known: no listing or page of `{site}` showed it, or it is one of the {refused} \
                         links to news that its budget refused since yesterday: max_pages = {} a day",
                        settings.max_pages
                    ),
                    format!("see what was missed: newslode recall {site}"),
                ),
            },
            None => unknown_site(&site),
        });
    }
    let by = entry.as_ref().and_then(|entry| entry.schedule?.by);
    let (schedule, _) = frontier.schedule(&url.site()).await?;
    let listing = by.and_then(|by| schedule.listing(by)).map(|listing| listing.url.clone());
    let shown_by = listing.or_else(|| history.as_ref()?.discovered_on.clone());
    let hints = schedule.hints(ListingId::of(url)).cloned();
    let left = left.map(|day| time::iso(Timestamp(u64::from(day) * 86_400_000)).chars().take(10).collect());
    let page = archive::page(&parts.stores, url).await?;
    let rendered = page.as_ref().map(|(fetched, _)| fetched.rendered);
    let alternates = page.as_ref().map_or_else(Vec::new, |(_, page)| alternates_on_page(page));
    let listed_alternates = listed_alternates(parts.stores.archive.as_ref(), url).await?;
    let kind = match page {
        Some((_, page)) => Some(kind_of_page(&parts.stores, &url.site(), page).await?),
        None => None,
    };
    let places = PlaceExplanation::read(&parts.stores, url).await?;
    let removed = archive::removed(&parts.stores, url).await?;
    let why_removed = match removed {
        Some(_) => Some(why_removed(parts, url).await?),
        None => None,
    };
    Ok(PageExplanation {
        url: url.clone(),
        entry,
        left,
        shown_by,
        hints,
        history,
        kind,
        places,
        alternates,
        listed_alternates,
        rendered,
        removed,
        why_removed,
    })
}

/// Number of links to news that a site's page budget refused yesterday and today.
async fn refused_news(frontier: &dyn Frontier, site: &Site, now: Timestamp) -> anyhow::Result<u32> {
    let (schedule, _) = frontier.schedule(site).await?;
    let today = now.day();
    Ok(schedule.missed().refused(today) + schedule.missed().refused(today.saturating_sub(1)))
}

/// Why a page of the site is or is not an article.
async fn kind_of_page(stores: &Stores, site: &Site, page: Arc<Page>) -> anyhow::Result<KindExplanation> {
    let (knowledge, _) = Knowledge::read(stores.state.as_ref(), site).await?;
    let explain = move || explain_kind(&page, Some(&knowledge.site_knowledge()));
    Ok(tokio::task::spawn_blocking(explain).await?)
}

/// No seed named this site.
pub(crate) fn unknown_site(site: &Site) -> anyhow::Error {
    hinted(format!("`{site}` is not known: no seed named it"), format!("newslode seed add https://{site}/"))
}

impl PageExplanation {
    /// The explanation for people.
    pub(crate) fn facts(&self, now: Timestamp) -> Vec<Fact> {
        let mut facts: Vec<Fact> = self.shown_by.iter().map(|by| fact("shown first by", by)).collect();
        if let Some(entry) = &self.entry {
            facts.extend(entry_facts(entry, now));
        } else if let Some(day) = &self.left {
            facts.push(fact("is", format!("a page that is not asked for again; last shown on {day}")));
        } else {
            facts.push(fact("is", "a page that nobody shows any more"));
        }
        facts.extend(self.hints.iter().flat_map(hint_facts));
        if self.rendered == Some(true) {
            facts.push(fact(
                "bytes",
                "the document that the browser of `crawler.browser` made by the page's scripts",
            ));
        }
        facts.extend(self.kind.iter().flat_map(kind_facts));
        facts.extend(self.places.iter().flat_map(PlaceExplanation::facts));
        let alternate = |Alternate { language, url }: &Alternate| fact(format!("in {language}"), url);
        facts.extend(self.alternates.iter().map(alternate));
        let listed =
            |Alternate { language, url }: &Alternate| fact(format!("in {language}, by a sitemap"), url);
        facts.extend(self.listed_alternates.iter().map(listed));
        let why = self.why_removed.unwrap_or_default();
        let removed = |at| fact("bytes", format!("removed on {} {why}; the page still counts", out::day(at)));
        facts.extend(self.removed.map(removed));
        let Some(history) = &self.history else { return facts };
        facts.extend(history.twin_of.iter().map(|primary| fact("same article as", primary)));
        facts.extend(history.addresses.iter().map(|address| fact("also at", address)));
        facts.extend(history.same_text.iter().map(|other| fact("same text at", other)));
        for past in history.history() {
            let PastEvent { version, event, at, changed, reason, moved_to, .. } = past;
            let event = event.name();
            let changed: Vec<&str> = changed.iter().map(|field| field.name()).collect();
            let details = [
                (!changed.is_empty()).then(|| format!(": {}", changed.join(", "))),
                reason.map(|reason| format!(": {reason}")),
                moved_to.map(|target| format!(" to {target}")),
            ];
            let details: String = details.into_iter().flatten().collect();
            let at = out::time(at);
            facts.push(fact(format!("version {version}"), format!("{event} at {at}{details}")));
        }
        facts
    }
}

fn entry_facts(entry: &Entry, now: Timestamp) -> Vec<Fact> {
    let links = if entry.depth == 1 { "link" } else { "links" };
    let mut facts = vec![
        fact("is", entry_role(entry)),
        fact("found", format!("{}, {} {links} from the seed", reason_text(entry.why), entry.depth)),
    ];
    if let Some(first) = entry.schedule.and_then(|schedule| schedule.visits.first) {
        facts.push(fact("first read", out::time(Timestamp(first * 1_000))));
    }
    facts.extend(entry.seen.map(|seen| fact("last read", out::time(seen))));
    facts.push(fact("last outcome", entry.outcome.map_or("none yet".into(), outcome_text)));
    let unread = entry.schedule.map_or(entry.attempts, |schedule| schedule.unread);
    if unread > 0 {
        facts.push(fact("failed in a row", unread));
    }
    facts.push(fact("next visit", next_visit(entry, now)));
    for Visit { at, outcome, verdict } in entry.schedule.iter().flat_map(|schedule| schedule.visited.iter()) {
        let verdict = verdict.map_or("", verdict_text);
        facts.push(fact("visit", format!("{}: {}{verdict}", out::time(at), outcome_text(outcome))));
    }
    facts
}

/// What a feed says of its own pace.
fn hint_facts(hints: &FeedHints) -> Vec<Fact> {
    let FeedHints { ttl_s, period_s, skip_hours, skip_days, hubs } = hints;
    let list = |numbers: &[u8]| numbers.iter().map(u8::to_string).collect::<Vec<_>>().join(", ");
    let interval = |seconds: &u64| seconds::in_words(*seconds);
    let said = [
        ttl_s.as_ref().map(|ttl| ("may be kept for", interval(ttl))),
        period_s.as_ref().map(|period| ("changes every", interval(period))),
        (!skip_hours.is_empty()).then(|| ("asks to skip hours", format!("{} (UTC)", list(skip_hours)))),
        (!skip_days.is_empty()).then(|| ("asks to skip days", format!("{} (1: Monday)", list(skip_days)))),
    ];
    let said =
        said.into_iter().flatten().map(|(name, value)| fact(name, format!("{value}, as it says itself")));
    said.chain(hubs.iter().map(|hub| fact("hub", hub))).collect()
}

/// An outcome, and what it means if TLS failed.
fn outcome_text(outcome: Outcome) -> String {
    if outcome.is_tls() { format!("{outcome}: {}", outcome.meaning()) } else { outcome.to_string() }
}

/// What a page that was read turned out to be.
fn verdict_text(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::NewArticle => ": a new article",
        Verdict::Changed => ": another text",
        Verdict::Same => ": the same text",
        Verdict::NoArticle => ": no article",
        Verdict::Section => ": a section",
        Verdict::Twin => ": the same article as another page",
    }
}

/// What a page is to the crawl.
fn entry_role(entry: &Entry) -> String {
    let schedule = PageSchedule::of_record(entry.schedule);
    match schedule.role {
        Role::Once => "a page that is fetched once".into(),
        Role::Listing(kind) => kind_name(kind).into(),
        Role::Behind { depth, .. } => format!("a page {depth} behind a section"),
        Role::Archive => "a page that lists what is past".into(),
        Role::Past { read: PastRead::Article, .. } => "an article of the past".into(),
        Role::Past { read: PastRead::NoArticle, .. } => "a page of the past that is no article".into(),
        Role::Past { read: PastRead::Moved, .. } => "a page of the past that redirects".into(),
        Role::Past { read: PastRead::Waits, .. } => "a page of the past that was not read yet".into(),
        Role::Page if schedule.visits.first.is_some() => "an article".into(),
        Role::Page if entry.seen.is_some() && schedule.is_told => "no article, as it was last read".into(),
        Role::Page if entry.seen.is_some() => "read, and its text is still under way".into(),
        Role::Page => "a page that was not read yet".into(),
    }
}

/// Pages of the past that wait, if there are some.
fn past_in_words(waiting: usize) -> String {
    if waiting == 0 { String::new() } else { format!(", {waiting} of the past") }
}

pub(crate) fn kind_name(kind: ListingKind) -> &'static str {
    match kind {
        ListingKind::Front => "front page",
        ListingKind::Section => "section",
        ListingKind::Feed => "feed",
        ListingKind::NewsMap => "news sitemap",
        ListingKind::Map => "sitemap",
    }
}

fn reason_text(why: Why) -> &'static str {
    match why {
        Why::Seed => "as a seed",
        Why::Concept => "by a concept's label",
        Why::Instance => "on a concept's page",
        Why::Link => "by a link",
    }
}

/// When a page is asked for next, and in which queue it waits.
fn next_visit(entry: &Entry, now: Timestamp) -> String {
    let Some(due) = entry.due else { return "none: it has left".into() };
    let when = due_text(due, now);
    if entry.leased {
        return format!("a crawler holds it until {}", out::time(due));
    }
    let queue = match entry.class {
        Class::Listing => "among the listings, which go first",
        Class::New => "among new articles",
        Class::Recheck => "among first rechecks, while a fifth of the allowance is left",
        Class::Rest => "among later rechecks and the backlog, while two fifths of the allowance are left",
        Class::Past => "among what is past, while three fifths of the allowance are left",
    };
    if entry.schedule.is_none() { when } else { format!("{when}, {queue}") }
}

pub(crate) fn due_text(due: Timestamp, now: Timestamp) -> String {
    if due <= now { "now".into() } else { format!("in {}", seconds::in_words(now.until(due).as_secs())) }
}

/// A listing, explained.
#[derive(Serialize)]
pub(crate) struct ListingExplanation {
    pub(crate) url: CanonicalUrl,
    #[serde(flatten)]
    pub(crate) listing: Listing,
    pub(crate) due: Option<Timestamp>,
    pub(crate) outcome: Option<Outcome>,
}

/// A site, explained.
#[derive(Serialize)]
pub(crate) struct SiteExplanation {
    #[serde(flatten)]
    pub(crate) status: SiteStatus,
    /// The one that is visited most often first.
    pub(crate) listings: Vec<ListingExplanation>,
    /// Articles that were read, and pages that wait, by class.
    articles: usize,
    waiting: BTreeMap<Class, usize>,
    /// How much was read of its past, if somebody asked for that.
    past: Option<SitePast>,
    /// How the site is.
    #[serde(flatten)]
    pub(crate) health: SiteHealth,
    /// Since when the site is silent although its rhythm expects articles.
    silent_since: Option<Timestamp>,
    /// Many of its articles vanished within an hour, and that is its trouble.
    vanished: Option<MassVanishing>,
    /// What its pages turned out to be.
    yields: Yields,
    /// What learning its templates left out, because its pages are too large to compare.
    learning_cut: Option<LearningCut>,
    /// Its own scheme; nothing while that is not known.
    scheme: Option<SchemeExplanation>,
}

/// Explains a site.
///
/// # Errors
/// When the store fails.
pub(crate) async fn explain_site(
    stores: &Stores,
    status: SiteStatus,
    now: Timestamp,
) -> anyhow::Result<SiteExplanation> {
    let frontier = stores.frontier.as_ref();
    let cut = LearningCut::read(stores.state.as_ref(), &status.site).await?;
    let (schedule, _) = frontier.schedule(&status.site).await?;
    let entries = frontier.entries(&status.site).await?;
    let scheme = read_scheme(stores.state.as_ref(), &status.site).await?;
    let scheme = scheme.as_ref().map(SchemeExplanation::new);
    Ok(SiteExplanation { scheme, ..SiteExplanation::of(status, &schedule, entries, cut, now) })
}

impl SiteExplanation {
    /// Explains a site by what was read of it, without its scheme.
    pub(crate) fn of(
        status: SiteStatus,
        schedule: &SiteSchedule,
        entries: Vec<Entry>,
        learning_cut: Option<LearningCut>,
        now: Timestamp,
    ) -> SiteExplanation {
        let past = SitePast::of(&status.site, schedule, &entries);
        let mut waiting = BTreeMap::new();
        // What was read of the past stays, and is not asked for again.
        let is_read = |entry: &Entry| entry.schedule.is_some_and(|page| page.is_read_past());
        for entry in entries.iter().filter(|entry| entry.due.is_some() && !is_read(entry)) {
            *waiting.entry(entry.class).or_default() += 1;
        }
        let is_article = |entry: &&Entry| entry.schedule.is_some_and(|page| page.was_article());
        let articles = entries.iter().filter(is_article).count();
        let listing = |entry: Entry| {
            let listing = schedule.listing(ListingId::of(&entry.url))?.clone();
            Some(ListingExplanation { url: entry.url, listing, due: entry.due, outcome: entry.outcome })
        };
        let mut listings: Vec<_> = entries.into_iter().filter_map(listing).collect();
        listings.sort_by_key(|explained| explained.listing.interval);
        let silent_since = schedule.silence(now).map(|silence| Timestamp(silence.since * 1_000));
        let health = SiteHealth::of(schedule, &status.outcomes, now);
        let yields = schedule.yields();
        let scheme = None;
        SiteExplanation {
            health,
            vanished: schedule.mass_vanishing(now),
            yields,
            status,
            listings,
            articles,
            waiting,
            past,
            silent_since,
            learning_cut,
            scheme,
        }
    }

    /// The explanation for people, without the listings.
    pub(crate) fn facts(&self, now: Timestamp) -> Vec<Fact> {
        let status = &self.status;
        let (urls, left) = (status.urls, status.remembered);
        // Where pages are due once, nobody notes whether they were articles.
        let read = match self.articles {
            0 if self.listings.is_empty() => String::new(),
            articles => format!(", {articles} of them articles that were read"),
        };
        let mut facts =
            vec![fact("URLs", format!("{urls}{read}; {left} have left")), fact("is", self.health.in_words())];
        let outcomes = outcomes_in_words(&status.outcomes);
        if !outcomes.is_empty() {
            facts.push(fact("outcomes", outcomes));
        }
        let waiting = Class::ALL.map(|class| self.waiting.get(&class).copied().unwrap_or(0));
        let [listings, new, rechecks, rest, past] = waiting;
        facts.push(fact(
            "waiting",
            format!(
                "{listings} listings, {new} new pages, {rechecks} first rechecks, {rest} later{}",
                past_in_words(past)
            ),
        ));
        facts.extend(self.past.as_ref().map(|past| fact("the past", past.in_words())));
        facts.push(fact("delay", format!("{} ms, {}", status.settings.delay_ms, self.rest(now))));
        facts.extend(
            status.allowance.as_ref().map(|allowance| fact("allowance", allowance_text(allowance, now))),
        );
        let next = if status.settings.paused {
            "none: the site is paused".into()
        } else {
            status.ready.map_or("none: nothing waits".into(), |ready| due_text(ready, now))
        };
        facts.push(fact("next request", next));
        facts.extend(self.vanished.map(|mass| fact("vanished articles", vanished_text(mass))));
        facts.extend(yields_text(self.health.cause, self.yields).map(|text| fact("articles", text)));
        facts.extend(output_text(&self.health).map(|text| fact("brings", text)));
        if let Some(since) = self.silent_since {
            facts.push(fact("silent since", format!("{}: its rhythm does not explain it", out::time(since))));
        }
        if let Some(LearningCut { compared, sampled }) = self.learning_cut {
            facts.push(fact(
                "templates",
                format!("learnt from {compared} of {sampled} pages: the others are too large to compare"),
            ));
        }
        facts.extend(self.scheme.iter().flat_map(SchemeExplanation::facts));
        facts
    }

    fn rest(&self, now: Timestamp) -> String {
        let turn = self.status.turn;
        if turn > now {
            format!("rests for {}", seconds::in_words(now.until(turn).as_secs()))
        } else {
            "no rest".into()
        }
    }
}

/// Why no article of a site is taken out now.
fn vanished_text(MassVanishing { how, since, until }: MassVanishing) -> String {
    let [since, until] = [since, until].map(|time| out::time(Timestamp(time * 1_000)));
    format!(
        "{}, since {since}, the last one at {until}. That is taken for the site's trouble: nothing is taken out; what four visits \
         in a row find so is gone all the same",
        how.meaning()
    )
}

/// What a site brought lately, and since when.
fn output_text(health: &SiteHealth) -> Option<String> {
    let first = out::time(health.first_article?);
    let full =
        health.read_in_full.map(|full| format!(", {}.{} % of them read in full", full / 10, full % 10));
    let rate =
        health.articles_a_day.map(|rate| format!("{rate} new articles a day{}", full.unwrap_or_default()));
    Some(format!("{}the first one was read {first}", rate.map(|rate| rate + "; ").unwrap_or_default()))
}

/// When the last article was read; of a site without them, what may be the cause.
fn yields_text(cause: Option<HealthCause>, yields: Yields) -> Option<String> {
    let at = |seconds: u64| time::iso(Timestamp(seconds * 1_000));
    let read = match yields.articles {
        0 => "none was read yet".to_owned(),
        _ => format!("the last new one was read {}", at(yields.last)),
    };
    let cause = match cause {
        Some(HealthCause::NoArticles(NoArticlesCause::Noindex)) => {
            "; its pages ask not to be indexed (`noindex`), so they are not mined; `crawler.noindex = \"record\"` mines them"
        }
        Some(HealthCause::NoArticles(NoArticlesCause::Bare)) => {
            "; the other pages hold hardly any text: scripts fill them, or a consent or login page answers. If scripts do, \
             `crawler.browser` and `render = true` for the site in `crawler.sites_file` let a browser load them"
        }
        Some(HealthCause::NoArticles(NoArticlesCause::Unrecognised)) => {
            "; the other pages hold text: they are not recognised, or the site shows its articles elsewhere"
        }
        _ => "",
    };
    let is_known = yields.articles > 0 || yields.others > 0;
    is_known.then(|| format!("{read}; {} other pages since{cause}", yields.others))
}

fn allowance_text(allowance: &Allowance, now: Timestamp) -> String {
    let tokens = allowance.tokens(now).max(0) / 1_000;
    format!("{} requests a day; {tokens} of {} are there", allowance.per_day, allowance.capacity() / 1_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_without_articles_says_what_helps() {
        let yields = Yields { others: 40, bare: 39, ..Yields::default() };
        let said = |cause| yields_text(Some(HealthCause::NoArticles(cause)), yields).unwrap();
        assert!(said(NoArticlesCause::Noindex).contains("`crawler.noindex = \"record\"`"));
        assert!(said(NoArticlesCause::Bare).contains("`crawler.browser`"));
        assert_eq!(yields_text(None, Yields::default()), None);
    }
}
