//! Keeps the histories of articles in the archive, and publishes an event to readers for each change.
//!
//! An event is published before its history is written, and the history is written before the page counts: at least once,
//! and always under the same number. The whole path of
//! a fetched article is one function, [`Histories::record`]; the end of an article is [`Histories::end`]. What an article
//! that is found under several URLs becomes is decided in `twins`; `similar_texts` finds such articles by their text.

pub mod events;
pub mod history;
mod similar_texts;
mod twins;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use newslode_common::broker::{Broker, Headers, PublishError};
use newslode_common::message::{Ending, GonePage};
use newslode_common::page_span;
use newslode_common::rights::{Rights, Use, read_rights, rights_key};
use newslode_common::schedule::{Class, PageSchedule, Role};
use newslode_common::store::{
    Again, Frontier, Kind, NewUrl, Note, PageArchive, SiteState, StoreError, StoreResult, Why,
    alternates_key, listed_key,
};
use newslode_common::telemetry::metrics::Metrics;
use newslode_common::version::ContentHash;
use newslode_page::article::Article;
use newslode_page::reading::CanonicalUrl;
use newslode_page::time::Timestamp;
use serde::Serialize;
use tracing::Instrument as _;

use crate::mining::filing::{ArticleEvidence, Filed, Witness};
use crate::mining::fingerprints::Fingerprint;
use crate::mining::site_scheme::Place;
use crate::work::announcements::Announcements;
use crate::work::error::BatchError;
use crate::work::filing::cache::FilingCache;
use crate::work::scheme_set::ConfiguredSchemes;
use crate::work::schemes::PlaceCache;
use events::{ArticleEvent, FiledUnder, GoneEvent, WithConcepts, concept_labels};
use history::{ArticleHistory, EventKind, Fetch, history_key, publication_delay};

/// An operator's labels of a site, which are part of each event.
type Labels = BTreeMap<String, String>;

/// The history of the article at this URL; `None` if no article was read there.
///
/// # Errors
/// When the archive cannot be read, or holds something else.
pub async fn read_history(
    archive: &dyn PageArchive,
    url: &CanonicalUrl,
) -> StoreResult<Option<ArticleHistory>> {
    read_by_key(archive, history_key(url)).await
}

async fn read_by_key(archive: &dyn PageArchive, key: ContentHash) -> StoreResult<Option<ArticleHistory>> {
    let Some(bytes) = archive.get(Kind::History, key).await? else { return Ok(None) };
    let history = serde_json::from_slice(&bytes);
    history
        .map(Some)
        .map_err(|error| StoreError::Corrupt(format!("the history {key} of an article: {error}")))
}

/// The operator's labels of a URL's site.
///
/// # Errors
/// When the store fails.
pub async fn site_labels(frontier: &dyn Frontier, url: &CanonicalUrl) -> StoreResult<Labels> {
    Ok(frontier.site(&url.site()).await?.map(|settings| settings.labels).unwrap_or_default())
}

/// Deletes the histories of the articles at these URLs, and those of their other URLs.
///
/// # Errors
/// When the archive fails.
pub(super) async fn forget(
    archive: &dyn PageArchive,
    urls: impl Iterator<Item = &CanonicalUrl>,
) -> StoreResult<()> {
    for url in urls {
        let addresses =
            read_history(archive, url).await?.map(|history| history.addresses).unwrap_or_default();
        for address in addresses.iter().chain([url]) {
            archive.delete(Kind::History, history_key(address)).await?;
            archive.delete(Kind::Listed, listed_key(address)).await?;
            archive.delete(Kind::Listed, alternates_key(address)).await?;
            archive.delete(Kind::Rights, rights_key(address)).await?;
        }
    }
    Ok(())
}

/// An article as a fetch brought it.
#[derive(Clone, Copy)]
pub(super) struct FetchedArticle<'r> {
    /// Its URL.
    pub(super) url: &'r CanonicalUrl,
    /// Its fields and text.
    pub(super) article: &'r Article,
    /// When it was fetched.
    pub(super) fetch: Fetch,
    /// The URL that the page declares as canonical.
    pub(super) canonical: Option<&'r CanonicalUrl>,
    /// Under which its contribution is archived; `None` if nothing counts.
    pub(super) content: Option<ContentHash>,
}

/// The histories of articles, and the readers who hear of their events.
#[derive(Clone, Copy)]
pub(super) struct Histories<'a> {
    /// Knows when a page was discovered, and fetches other URLs of an article again.
    pub(super) frontier: &'a dyn Frontier,
    /// Holds the index of similar texts.
    pub(super) state: &'a dyn SiteState,
    /// Holds the histories.
    pub(super) archive: &'a dyn PageArchive,
    /// Takes the events.
    pub(super) broker: &'a dyn Broker,
    /// Files the articles of events under concepts.
    pub(super) filing: &'a FilingCache,
    /// Finds the places of the articles of events.
    pub(super) places: &'a PlaceCache,
    /// The schemes whose codes the articles of events have.
    pub(super) schemes: &'a Arc<ConfiguredSchemes>,
    /// When readers hear of new articles.
    pub(super) announcements: &'a Announcements,
    /// Counts events.
    pub(super) metrics: &'a Metrics,
}

/// When readers hear of an article that they do not know yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Announced {
    /// After a view has read it.
    Later,
    /// Now. `is_provisional`: a view may soon say something else.
    Now { is_provisional: bool },
}

/// The headers of an event's message: the kind of the event, and for each use of the article whether it is allowed.
fn headers(event: EventKind, rights: &Rights) -> Vec<(String, &'static str)> {
    let uses = Use::ALL.map(|of| (format!("rights.{}", of.name()), rights.standing(of).name()));
    [("event".to_owned(), event.name())].into_iter().chain(uses).collect()
}

impl Histories<'_> {
    /// Records an article as it was fetched, and publishes an event if it is new or changed; a new one may have to wait for a
    /// view. Returns whether readers know the article under another URL.
    ///
    /// # Errors
    /// When a store or the broker fails; then it may be repeated.
    pub(super) async fn record_fetch(
        &self,
        labels: &Labels,
        fetched: FetchedArticle<'_>,
        now: Timestamp,
    ) -> Result<bool, BatchError> {
        let stored = read_history(self.archive, fetched.url).await?;
        let announced = match self.announcements.are_held() {
            true => Announced::Later,
            false => Announced::Now { is_provisional: false },
        };
        self.record(labels, stored, fetched, announced, now).await
    }

    /// Records an article as it is read with more knowledge of its site, and publishes an event if it changed. It counts
    /// as the fetch that was recorded last. If it waits, it is announced.
    ///
    /// # Errors
    /// When a store or the broker fails; then it may be repeated.
    pub(super) async fn revise(
        &self,
        article: &Article,
        fetch: Fetch,
        now: Timestamp,
    ) -> Result<(), BatchError> {
        self.read_again(article, Some(fetch), false, now).await
    }

    /// Announces an article that waits. `is_provisional`: its page alone was read.
    ///
    /// # Errors
    /// When a store or the broker fails; then it may be repeated.
    pub(super) async fn announce(
        &self,
        article: &Article,
        is_provisional: bool,
        now: Timestamp,
    ) -> Result<(), BatchError> {
        self.read_again(article, None, is_provisional, now).await
    }

    /// Records an article under the fetch that was recorded last; if none was, under this one.
    async fn read_again(
        &self,
        article: &Article,
        fetch: Option<Fetch>,
        is_provisional: bool,
        now: Timestamp,
    ) -> Result<(), BatchError> {
        let Ok(url) = article.url.parse::<CanonicalUrl>() else { return Ok(()) };
        let stored = read_history(self.archive, &url).await?;
        if stored.as_ref().is_some_and(|history| history.twin_of.is_some()) {
            return Ok(());
        }
        let recorded = |history: &ArticleHistory| Fetch { number: history.fetch, at: history.fetched_at };
        let Some(fetch) = stored.as_ref().map(recorded).or(fetch) else { return Ok(()) };
        let canonical = stored.as_ref().and_then(|history| history.canonical.clone());
        let counted = self.state.versions(&url.site(), std::slice::from_ref(&url)).await?;
        let content = counted.into_iter().flatten().next().map(|version| version.content);
        let fetched = FetchedArticle { url: &url, article, fetch, canonical: canonical.as_ref(), content };
        let labels = site_labels(self.frontier, &url).await?;
        self.record(&labels, stored, fetched, Announced::Now { is_provisional }, now).await.map(drop)
    }

    /// Ends an article that the other pages of its site show to be none.
    ///
    /// # Errors
    /// When a store or the broker fails; then it may be repeated.
    pub(super) async fn withdraw(&self, article: &Article, now: Timestamp) -> Result<(), BatchError> {
        let Ok(url) = article.url.parse::<CanonicalUrl>() else { return Ok(()) };
        let fetch = read_history(self.archive, &url).await?.map_or(0, |history| history.fetch);
        let gone = GonePage { site: url.site(), url, fetch, at: now, ending: Ending::NotAnArticle };
        self.end(&gone, fetch, now).await
    }

    /// The path of an article: decide in memory, publish, then write. Each write may be the last before a crash; the
    /// rest is then done when the broker delivers the page again.
    async fn record(
        &self,
        labels: &Labels,
        stored: Option<ArticleHistory>,
        fetched: FetchedArticle<'_>,
        announced: Announced,
        now: Timestamp,
    ) -> Result<bool, BatchError> {
        if let Some(history) = stored.as_ref().filter(|history| history.supersedes(fetched.fetch)) {
            return Ok(history.twin_of.is_some());
        }
        let mut history = match stored.clone() {
            Some(history) => history,
            None => self.discovered(fetched.url, fetched.fetch.at).await?,
        };
        (history.fingerprint, history.canonical) =
            (Fingerprint::of(fetched.article), fetched.canonical.cloned());

        // Do readers know this article under another URL? Then this URL becomes one of its addresses.
        let candidates = self.twin_candidates(&history, now).await?;
        if let Some(primary) = twins::find_primary(&history, &candidates) {
            let primary = primary.clone();
            self.join(labels, history, fetched.fetch, primary, now).await?;
            return Ok(true);
        }

        // Decide: what changes here, and in the histories of other articles.
        let mut others = twins::detach(&history, &candidates);
        let is_unknown = history.events.is_empty();
        let event = match announced {
            Announced::Later if is_unknown => {
                history.record_waiting(fetched.article, fetched.fetch, now);
                self.announcements.wait(&history.url, now);
                None
            }
            Announced::Later => history.record_fetch(fetched.article, fetched.fetch),
            Announced::Now { is_provisional } => {
                history.is_provisional = is_provisional;
                history.record_fetch(fetched.article, fetched.fetch)
            }
        };
        others.extend(twins::link_same_texts(&mut history, &candidates));
        let absorbed = twins::absorb_twins(&mut history, candidates);

        // Publish before writing: after a crash in between, the same event is published again under the same number.
        if let Some(event) = event {
            self.publish_article(labels, &history, fetched.article, fetched.content).await?;
            if event.event == EventKind::New {
                self.measure_new(fetched.article, now);
            }
        }

        // Write. An absorbed history may be among the others, too: it is written last, with its end.
        for other in others {
            self.write(&other, now).await?;
        }
        for twin in absorbed {
            self.end_absorbed(labels, twin, &history, now).await?;
        }
        if stored.as_ref() != Some(&history) {
            self.write(&history, now).await?;
        }
        Ok(false)
    }

    /// The history of a URL that has none. It begins when the frontier discovered the page, if that is known, otherwise at
    /// the time of this fetch.
    async fn discovered(&self, url: &CanonicalUrl, fetched_at: Timestamp) -> StoreResult<ArticleHistory> {
        let schedule = self.frontier.entry(url).await?.and_then(|entry| entry.schedule);
        let Some(schedule) =
            schedule.filter(|schedule| schedule.met > 0 && schedule.met * 1_000 <= fetched_at.0)
        else {
            return Ok(ArticleHistory::new(url, fetched_at, None));
        };
        let mut discovered_on = None;
        if let Some(listing) = schedule.by {
            let (site, _) = self.frontier.schedule(&url.site()).await?;
            discovered_on = site.listing(listing).map(|listing| listing.url.clone());
        }
        Ok(ArticleHistory::new(url, Timestamp(schedule.met * 1_000), discovered_on))
    }

    /// The histories that may be this article's: of nearly the same text, of the URL that the page declares as canonical,
    /// of the primary so far. A twin brings its primary along.
    async fn twin_candidates(
        &self,
        history: &ArticleHistory,
        now: Timestamp,
    ) -> StoreResult<Vec<ArticleHistory>> {
        let mut keys: BTreeSet<_> =
            history.canonical.iter().chain(&history.twin_of).map(history_key).collect();
        if history.fingerprint.words > 0 {
            let own = history_key(&history.url);
            keys.extend(
                similar_texts::insert_and_find(self.state, history.fingerprint.text, own, now).await?,
            );
        }
        let mut candidates: BTreeMap<CanonicalUrl, ArticleHistory> = BTreeMap::new();
        for key in keys {
            let Some(found) = read_by_key(self.archive, key).await? else { continue };
            if let Some(primary) = found.twin_of.as_ref().filter(|primary| **primary != history.url) {
                let primary = read_history(self.archive, primary).await?;
                candidates.extend(primary.map(|primary| (primary.url.clone(), primary)));
            }
            candidates.insert(found.url.clone(), found);
        }
        candidates.remove(&history.url);
        Ok(candidates.into_values().collect())
    }

    /// Makes a URL one of the primary's. If readers know it, they hear of its end.
    async fn join(
        &self,
        labels: &Labels,
        mut history: ArticleHistory,
        fetch: Fetch,
        mut primary: ArticleHistory,
        now: Timestamp,
    ) -> Result<(), BatchError> {
        if history.is_announced() {
            self.publish_end(labels, &mut history, Ending::SameAs(primary.url.clone()), fetch).await?;
        }
        let before = primary.clone();
        primary.absorb(&history);
        if primary != before {
            self.write(&primary, now).await?;
        }
        history.record_twin_fetch(fetch, &primary.url);
        Ok(self.write(&history, now).await?)
    }

    /// Ends the history of a twin that was absorbed by `primary`, if readers know it.
    async fn end_absorbed(
        &self,
        labels: &Labels,
        mut twin: ArticleHistory,
        primary: &ArticleHistory,
        now: Timestamp,
    ) -> Result<(), BatchError> {
        if twin.is_waiting() {
            // Readers never heard of it.
            twin.become_twin_of(&primary.url);
            self.unschedule(&twin.url, now).await?;
            return Ok(self.write(&twin, now).await?);
        }
        if !twin.is_announced() {
            return Ok(());
        }
        let fetch = Fetch { number: twin.fetch, at: primary.fetched_at };
        self.publish_end(labels, &mut twin, Ending::SameAs(primary.url.clone()), fetch).await?;
        twin.become_twin_of(&primary.url);
        self.unschedule(&twin.url, now).await?;
        Ok(self.write(&twin, now).await?)
    }

    /// Takes a URL out of the schedule. If a crawler holds it now, the URL's next change does that.
    async fn unschedule(&self, url: &CanonicalUrl, now: Timestamp) -> StoreResult<()> {
        let Some(entry) = self.frontier.entry(url).await? else { return Ok(()) };
        let Some(mut schedule) = entry.schedule.filter(|schedule| schedule.role == Role::Page) else {
            return Ok(());
        };
        schedule.told_elsewhere(now);
        let note = Note { url: url.clone(), fetch: entry.fetch, at: now, next: None, schedule };
        self.frontier.note(&note).await.map(drop)
    }

    /// Ends the history of an article and publishes that. Where the article moved to, its history goes on. Its other URLs
    /// are fetched at once, since it may live on there.
    ///
    /// # Errors
    /// When a store or the broker fails; then it may be repeated.
    pub(super) async fn end(&self, gone: &GonePage, number: u64, now: Timestamp) -> Result<(), BatchError> {
        let stored = read_history(self.archive, &gone.url).await?;
        if let Ending::Moved(target) = &gone.ending {
            self.carry_over(stored.as_ref(), gone, target, now).await?;
        }
        let Some(mut history) = stored else { return Ok(()) };
        let labels = site_labels(self.frontier, &gone.url).await?;
        let fetch = Fetch { number, at: gone.at };
        let was_waiting = history.is_waiting();
        if !self.publish_end(&labels, &mut history, gone.ending.clone(), fetch).await? {
            // Readers never heard of it, and will not.
            if was_waiting && !history.is_waiting() {
                self.write(&history, now).await?;
            }
            return Ok(());
        }
        if !matches!(gone.ending, Ending::Forgotten | Ending::NotAnArticle) {
            self.fetch_now(&history.addresses, now).await?;
        }
        Ok(self.write(&history, now).await?)
    }

    /// Lets the article of a URL go on where it moved to, with the time and place of its discovery.
    async fn carry_over(
        &self,
        stored: Option<&ArticleHistory>,
        gone: &GonePage,
        target: &CanonicalUrl,
        now: Timestamp,
    ) -> Result<(), BatchError> {
        let mut history = match stored {
            Some(history) => history.clone(),
            None => self.discovered(&gone.url, gone.at).await?,
        };
        let before = read_history(self.archive, target).await?;
        let twin_of = before.as_ref().and_then(|target| target.twin_of.as_ref());
        if target.site() != history.url.site() || twin_of.is_some_and(|primary| *primary != history.url) {
            return Ok(());
        }
        let mut after = match before.clone() {
            Some(target) => target,
            None => ArticleHistory::new(target, history.first_seen, history.discovered_on.clone()),
        };
        after.absorb(&history);
        after.twin_of = None;
        if before.as_ref() != Some(&after) {
            self.write(&after, now).await?;
        }
        if stored.is_none() {
            history.twin_of = Some(target.clone());
            self.write(&history, now).await?;
        }
        Ok(())
    }

    /// Has URLs fetched now.
    async fn fetch_now(&self, urls: &BTreeSet<CanonicalUrl>, now: Timestamp) -> StoreResult<()> {
        let recheck = |url: &CanonicalUrl| NewUrl {
            class: Class::Recheck,
            again: Again::Now,
            schedule: Some(PageSchedule::page(None, now)),
            ..NewUrl::once(url.clone(), 1, Why::Link, 0)
        };
        let urls: Vec<NewUrl> = urls.iter().map(recheck).collect();
        if !urls.is_empty() {
            self.frontier.add(&urls, now).await?;
        }
        Ok(())
    }

    /// Publishes the last event of an article, with its concepts.
    async fn publish_article(
        &self,
        labels: &Labels,
        history: &ArticleHistory,
        article: &Article,
        content: Option<ContentHash>,
    ) -> Result<(), BatchError> {
        let places = match content {
            Some(content) => {
                self.places.places_of(self.state, self.archive, (&history.url, content), article).await?
            }
            None => Vec::new(),
        };
        let (article, filed, codes) = self.file(history, article, places.clone()).await?;
        let Some(event) = ArticleEvent::latest(history, &article, labels) else { return Ok(()) };
        let id = history_key(&history.url);
        // What the site's files say today was said at the fetch just now.
        let rights = &read_rights(self.archive, &history.url).await?;
        let filed = &FiledUnder::all(&filed);
        let headers = headers(event.event, rights);
        let codes = codes.as_deref();
        let event = WithConcepts { id, event, filed, places: &places, codes, rights };
        self.publish(history, &headers, &event).await
    }

    /// Ends a history and publishes that. Returns false if there is nothing to publish.
    async fn publish_end(
        &self,
        labels: &Labels,
        history: &mut ArticleHistory,
        ending: Ending,
        fetch: Fetch,
    ) -> Result<bool, BatchError> {
        if history.record_end(ending, fetch).is_none() {
            return Ok(false);
        }
        if let Some(event) = GoneEvent::latest(history, labels) {
            let rights = read_rights(self.archive, &history.url).await?;
            self.publish(history, &headers(EventKind::Gone, &rights), &event).await?;
        }
        Ok(true)
    }

    /// Publishes an event to the readers who subscribed to its language and site.
    async fn publish(
        &self,
        ArticleHistory { language, url, .. }: &ArticleHistory,
        headers: Headers<'_>,
        event: &impl Serialize,
    ) -> Result<(), BatchError> {
        let json = serde_json::to_vec(event).map_err(|e| StoreError::Corrupt(e.to_string()))?;
        let topic = format!("{}.{}", language.as_deref().unwrap_or("und"), url.site());
        let span = page_span!("publish", otel.kind = "producer", otel.name = "publish article");
        match self.broker.publish_article(&topic, headers, json.into()).instrument(span).await {
            Ok(()) => self.metrics.articles.inc(),
            Err(error @ PublishError::TooLarge { .. }) => {
                // The page will count and its article is archived; another attempt cannot make the event smaller.
                tracing::warn!(%url, %error, "cannot publish an event; readers will not hear of this change");
            }
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }

    /// Files an article under its concepts, as far as they are known now, and finds its codes; nothing while no concepts are.
    async fn file(
        &self,
        history: &ArticleHistory,
        article: &Article,
        places: Vec<Place>,
    ) -> Result<(Article, Vec<Filed>, Option<Vec<String>>), BatchError> {
        let mut article = article.clone();
        let Some(filing) = self.filing.now() else { return Ok((article, Vec::new(), None)) };
        let schemes = self.schemes.clone();
        let found_on = history.discovered_on.clone();
        let work = move || {
            let asked = ArticleEvidence {
                article: &article,
                listed: None,
                found_on: found_on.as_ref(),
                places: &places,
            };
            let filed = filing.file(asked);
            article.concepts = concept_labels(&filed);
            // A miner has read the schemes at its start. Without them places have no codes.
            let set = schemes.set().ok();
            let codes = filing.codes(&filed, &places, article.language.as_deref(), set.as_deref());
            (article, filed, codes)
        };
        let failed = |error| StoreError::Corrupt(format!("cannot file an article under concepts: {error}"));
        let (article, filed, codes) = tokio::task::spawn_blocking(work).await.map_err(failed)?;
        let best = filed.iter().map(|filed| filed.witness).min();
        let witness = best.map_or("none", Witness::name);
        self.metrics.filed.with_label_values(&[witness]).inc();
        Ok((article, filed, Some(codes)))
    }

    /// Measures how late a new article was found, and counts the fields that it lacks.
    fn measure_new(&self, article: &Article, now: Timestamp) {
        if let Some(delay) = publication_delay(article, now) {
            self.metrics.article_delay.observe(delay.as_secs_f64());
        }
        let (title, day) = (article.title.is_some(), article.published.is_some());
        for (field, is_present) in [("title", title), ("day", day), ("text", !article.body.is_empty())] {
            self.metrics.articles_without.with_label_values(&[field]).inc_by(u64::from(!is_present));
        }
    }

    async fn write(&self, history: &ArticleHistory, now: Timestamp) -> StoreResult<()> {
        let json = serde_json::to_vec(history).map_err(|error| StoreError::Corrupt(error.to_string()))?;
        self.archive.put(Kind::History, history_key(&history.url), json.into(), now).await
    }
}
