//! The history of an article: when and where it was found, how its text changed, and how it ended.
//!
//! Readers want to hear of an article when it is new, when its text changes and when it is gone, but not when a teaser
//! beside it changes. So a history keeps hashes of the article's fields, and each difference is an event with a number.
//! The same event always has the same number. An article has one history, under the URL that readers know; histories of
//! its other URLs point there. Start at [`ArticleHistory::record_fetch`].

use std::collections::BTreeSet;
use std::time::Duration;

use newslode_common::message::Ending;
use newslode_common::schedule::name;
use newslode_common::version::ContentHash;
use newslode_page::article::Article;
use newslode_page::reading::CanonicalUrl;
use newslode_page::time::Timestamp;
use serde::{Deserialize, Serialize};

use crate::mining::fingerprints::Fingerprint;

/// Number of events that a history keeps: the first one and the last ones.
const MAX_EVENTS: usize = 64;

/// Number of other URLs that a history keeps.
const MAX_ADDRESSES: usize = 32;

/// An article that was published longer ago when it was found does not measure how fast we are: it is simply old.
const LONGEST_DELAY: Duration = Duration::from_secs(7 * 86_400);
/// Time for which a page stays an article, or none, after the other pages of its site changed that.
const LEAST_TIME_AS_ONE_KIND: Duration = Duration::from_secs(7 * 86_400);

/// What happened to an article.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EventKind {
    /// It was read for the first time, or again after it was gone.
    New,
    /// One of its fields changed.
    Changed,
    /// It is gone, or must not be kept any longer.
    Gone,
}

impl EventKind {
    /// Its name in messages.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            EventKind::New => "new",
            EventKind::Changed => "changed",
            EventKind::Gone => "gone",
        }
    }
}

/// A field of an article that readers hear of when it changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Field {
    /// Its headline.
    Title,
    /// Its authors.
    Authors,
    /// When it says it was published.
    Published,
    /// Its body.
    Body,
}

impl Field {
    /// Its name in messages.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Field::Title => "title",
            Field::Authors => "authors",
            Field::Published => "published",
            Field::Body => "body",
        }
    }
}

/// Something that happened to an article.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// Its number in the article's history: 1, 2, …
    pub version: u64,
    /// What happened.
    pub event: EventKind,
    /// When it was seen.
    pub at: Timestamp,
    /// What changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<Field>,
    /// Why it is gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ending: Option<Ending>,
}

/// When a page was fetched: the number of the fetch that counts, and its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fetch {
    /// The number.
    pub number: u64,
    /// The time.
    pub at: Timestamp,
}

/// The history of an article.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArticleHistory {
    /// Its URL.
    pub url: CanonicalUrl,
    /// When it was found.
    pub first_seen: Timestamp,
    /// The listing that showed it first.
    pub discovered_on: Option<CanonicalUrl>,
    /// ISO 639-1 code of its language; readers choose by it.
    pub language: Option<String>,
    /// Number of the fetch that was read last.
    pub fetch: u64,
    /// When that was.
    pub fetched_at: Timestamp,
    /// Hashes of title, authors, date and body, in the order of [`Field`].
    #[serde(rename = "said")]
    field_hashes: [u64; 4],
    /// Tells whether another article is this one.
    #[serde(default, rename = "print")]
    pub fingerprint: Fingerprint,
    /// The URL that its page declares as canonical, if that is another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub canonical: Option<CanonicalUrl>,
    /// The URL under which readers hear of this article, if that is another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub twin_of: Option<CanonicalUrl>,
    /// Its other URLs.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub addresses: BTreeSet<CanonicalUrl>,
    /// Articles of other sites with the same text.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub same_text: BTreeSet<CanonicalUrl>,
    /// Since when it waits for a view before readers hear of it for the first time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting_since: Option<Timestamp>,
    /// When its site's other pages showed that it is no article, if readers never heard of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub withdrawn_at: Option<Timestamp>,
    /// Whether its page alone said what the last event says, because its site is too young or the wait was too long.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_provisional: bool,
    /// What happened, in order: the first event and the last ones.
    pub events: Vec<Event>,
}

/// The key under which the archive keeps the history of the article at this URL.
#[must_use]
pub fn history_key(url: &CanonicalUrl) -> ContentHash {
    ContentHash::of(url, Some("life"), b"")
}

impl ArticleHistory {
    /// The history of a URL at which nothing was read yet.
    #[must_use]
    pub fn new(
        url: &CanonicalUrl,
        first_seen: Timestamp,
        discovered_on: Option<CanonicalUrl>,
    ) -> ArticleHistory {
        ArticleHistory {
            url: url.clone(),
            first_seen,
            discovered_on,
            language: None,
            fetch: 0,
            fetched_at: first_seen,
            field_hashes: [0; 4],
            fingerprint: Fingerprint::default(),
            canonical: None,
            twin_of: None,
            addresses: BTreeSet::new(),
            same_text: BTreeSet::new(),
            waiting_since: None,
            withdrawn_at: None,
            is_provisional: false,
            events: Vec::new(),
        }
    }

    /// Whether a newer fetch was recorded, or the article is gone since this one. The same fetch may be read again, with
    /// more knowledge of its site.
    #[must_use]
    pub fn supersedes(&self, fetch: Fetch) -> bool {
        let is_ended = self.is_gone() && !self.is_no_article();
        fetch.number < self.fetch || (is_ended && fetch.number == self.fetch)
    }

    /// Whether its site's other pages showed that it is no article. Then only they can show that it is one after all.
    #[must_use]
    pub fn is_no_article(&self) -> bool {
        let is_end = |event: &Event| event.ending == Some(Ending::NotAnArticle);
        self.withdrawn_at.is_some() || self.events.last().is_some_and(is_end)
    }

    /// Whether the other pages of its site may show now that it is no article, or that it is one after all: once a week, so that
    /// readers do not see it come and go while a site grows.
    #[must_use]
    pub fn may_change_kind(&self, now: Timestamp) -> bool {
        if let Some(at) = self.withdrawn_at {
            return at.plus(LEAST_TIME_AS_ONE_KIND) <= now;
        }
        let is_end = |event: &Event| event.ending == Some(Ending::NotAnArticle);
        let Some(end) = self.events.iter().rposition(is_end) else { return true };
        // It ended then, or came back right after.
        let changed = self.events.get(end + 1).or(self.events.get(end)).map(|event| event.at);
        changed.is_none_or(|at| at.plus(LEAST_TIME_AS_ONE_KIND) <= now)
    }

    /// Records the article as a fetch brought it; the fetch must not be superseded. Returns the event to publish, if any.
    pub fn record_fetch(&mut self, article: &Article, fetch: Fetch) -> Option<Event> {
        let changed = self.take_fields(article, fetch);
        self.waiting_since = None;
        if !self.is_announced() {
            // What a view brings back was fetched before it ended.
            let at = self.events.last().map_or(fetch.at, |last| last.at.max(fetch.at));
            Some(self.push_event(EventKind::New, at, Vec::new(), None))
        } else if changed.is_empty() {
            None
        } else {
            Some(self.push_event(EventKind::Changed, fetch.at, changed, None))
        }
    }

    /// Records an article as a fetch brought it; readers hear of it later.
    pub fn record_waiting(&mut self, article: &Article, fetch: Fetch, now: Timestamp) {
        self.take_fields(article, fetch);
        self.waiting_since.get_or_insert(now);
    }

    /// Takes over what a fetch brought. Returns the fields that changed.
    fn take_fields(&mut self, article: &Article, fetch: Fetch) -> Vec<Field> {
        let field_hashes = field_hashes(article);
        let mut changed = self.changed_fields(field_hashes);
        // Earlier versions kept the date as it is written.
        if self.field_hashes[2] == name(article.published.as_deref().unwrap_or_default()) {
            changed.retain(|field| *field != Field::Published);
        }
        (self.fetch, self.fetched_at, self.field_hashes) = (fetch.number, fetch.at, field_hashes);
        self.language.clone_from(&article.language);
        self.first_seen = self.first_seen.min(fetch.at);
        (self.twin_of, self.withdrawn_at) = (None, None);
        changed
    }

    /// Records that a fetch brought the article that readers know under another URL.
    pub fn record_twin_fetch(&mut self, fetch: Fetch, primary: &CanonicalUrl) {
        (self.fetch, self.fetched_at) = (fetch.number, fetch.at);
        self.first_seen = self.first_seen.min(fetch.at);
        self.become_twin_of(primary);
    }

    /// Makes this the history of another URL of the primary's article.
    pub fn become_twin_of(&mut self, primary: &CanonicalUrl) {
        self.twin_of = Some(primary.clone());
        self.waiting_since = None;
        self.addresses.clear();
    }

    /// Takes over the other history's URLs, and its beginning if that was earlier.
    pub fn absorb(&mut self, other: &ArticleHistory) {
        self.addresses.insert(other.url.clone());
        self.addresses.extend(other.addresses.iter().cloned());
        self.addresses.remove(&self.url);
        while self.addresses.len() > MAX_ADDRESSES {
            self.addresses.pop_last();
        }
        if other.first_seen < self.first_seen {
            self.first_seen = other.first_seen;
            self.discovered_on.clone_from(&other.discovered_on);
        }
    }

    /// Records that the article is gone, or must not be kept any longer. Returns the event to publish; `None` if it was
    /// gone already, if a newer fetch was recorded, or if readers never heard of it.
    pub fn record_end(&mut self, ending: Ending, fetch: Fetch) -> Option<Event> {
        if self.is_gone() || fetch.number < self.fetch {
            return None;
        }
        self.fetch = fetch.number;
        let was_waiting = self.waiting_since.take().is_some();
        if self.events.is_empty() {
            if was_waiting && ending == Ending::NotAnArticle {
                self.withdrawn_at = Some(fetch.at);
            }
            return None;
        }
        Some(self.push_event(EventKind::Gone, fetch.at, Vec::new(), Some(ending)))
    }

    /// Whether readers know the article, and not as gone.
    #[must_use]
    pub fn is_announced(&self) -> bool {
        self.events.last().is_some_and(|event| event.event != EventKind::Gone)
    }

    /// Whether it is an article of which readers will hear for the first time.
    #[must_use]
    pub fn is_waiting(&self) -> bool {
        self.waiting_since.is_some()
    }

    /// Whether it is an article that readers know, or will hear of.
    #[must_use]
    pub fn is_living(&self) -> bool {
        self.is_announced() || self.is_waiting()
    }

    /// Whether it is gone.
    #[must_use]
    pub fn is_gone(&self) -> bool {
        self.events.last().is_some_and(|event| event.event == EventKind::Gone)
    }

    /// Whether it has had more events than are kept.
    #[must_use]
    pub fn is_abridged(&self) -> bool {
        self.events.len() >= MAX_EVENTS
    }

    fn changed_fields(&self, now: [u64; 4]) -> Vec<Field> {
        let fields = [Field::Title, Field::Authors, Field::Published, Field::Body];
        let pairs = fields.into_iter().zip(self.field_hashes.iter().zip(now));
        pairs.filter(|(_, (before, now))| *before != now).map(|(field, _)| field).collect()
    }

    fn push_event(
        &mut self,
        event: EventKind,
        at: Timestamp,
        changed: Vec<Field>,
        ending: Option<Ending>,
    ) -> Event {
        let version = self.events.last().map_or(1, |last| last.version + 1);
        let event = Event { version, event, at, changed, ending };
        // The first event stays, since it says when readers heard of the article.
        if self.events.len() >= MAX_EVENTS {
            self.events.remove(1);
        }
        self.events.push(event.clone());
        event
    }
}

/// The time since an article's instant of publication. `None` if it gives only a day or nothing, or if the instant is in
/// the future or more than a week back.
#[must_use]
pub fn publication_delay(article: &Article, now: Timestamp) -> Option<Duration> {
    let published: jiff::Timestamp = article.published.as_deref()?.parse().ok()?;
    let published = u64::try_from(published.as_millisecond()).ok()?;
    let passed = Duration::from_millis(now.0.checked_sub(published)?);
    (passed <= LONGEST_DELAY).then_some(passed)
}

/// Title, authors, publication and text as hashes. An instant counts as the same in whatever zone it is written: the page says it in
/// several places, and which of them is read may depend on the site's other pages.
fn field_hashes(article: &Article) -> [u64; 4] {
    let title = article.title.as_deref().unwrap_or_default();
    let published = article.published.as_deref().unwrap_or_default();
    let instant = published.parse::<jiff::Timestamp>().map(|instant| instant.to_string());
    let published = instant.as_deref().unwrap_or(published);
    [name(title), name(&article.authors.join("\n")), name(published), name(&article.text())]
}

#[cfg(test)]
mod tests;
