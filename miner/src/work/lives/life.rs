//! The life of an article: when and where it was found, how its text changed, and how it ended.
//!
//! Readers want to hear of an article when it is new, when it says something else, and when it is gone; not
//! when a teaser beside it changes. So a life keeps hashes of what the article says, and each difference is an
//! event with a number of its own: the same event again has the same number. An article has one life under the address
//! that readers know; its other addresses have lives that point there. Start at [`Life::read`].

use std::collections::BTreeSet;
use std::time::Duration;

use newslode_common::message::Ending;
use newslode_common::schedule::name;
use newslode_common::version::ContentHash;
use newslode_page::article::Article;
use newslode_page::reading::CanonicalUrl;
use newslode_page::time::Timestamp;
use serde::{Deserialize, Serialize};

use crate::mining::prints::Print;

/// Events that a life keeps: the first one and the last ones.
const KEPT: usize = 64;

/// Addresses that a life keeps.
const MOST_ADDRESSES: usize = 32;

/// What is older when it is found was not late, but old.
const LONGEST_DELAY: Duration = Duration::from_secs(7 * 86_400);

/// What happened to an article.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EventKind {
    /// It was read for the first time, or again after it was gone.
    New,
    /// It says something else.
    Changed,
    /// It is not to be kept any longer.
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

/// What of an article changed.
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
    /// Its number in the article's life: 1, 2, …
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

/// The life of an article.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Life {
    /// Its address.
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
    /// Hashes of title, authors, date and body.
    said: [u64; 4],
    /// What tells whether another article is this one.
    #[serde(default)]
    pub print: Print,
    /// The address that its page declares as its own, if that is another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub canonical: Option<CanonicalUrl>,
    /// The address under which readers hear of this article, if that is another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub twin_of: Option<CanonicalUrl>,
    /// Its other addresses.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub addresses: BTreeSet<CanonicalUrl>,
    /// Articles of other sites with the same text.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub same_text: BTreeSet<CanonicalUrl>,
    /// What happened, in order. Of very many the oldest but the first are left out.
    pub events: Vec<Event>,
}

/// The name under which the archive keeps the life of an article with this address.
#[must_use]
pub fn name_of(url: &CanonicalUrl) -> ContentHash {
    ContentHash::of(url, Some("life"), b"")
}

impl Life {
    /// The life of an address at which nothing was read yet.
    #[must_use]
    pub fn unread(url: &CanonicalUrl, first_seen: Timestamp, discovered_on: Option<CanonicalUrl>) -> Life {
        Life {
            url: url.clone(),
            first_seen,
            discovered_on,
            language: None,
            fetch: 0,
            fetched_at: first_seen,
            said: [0; 4],
            print: Print::default(),
            canonical: None,
            twin_of: None,
            addresses: BTreeSet::new(),
            same_text: BTreeSet::new(),
            events: Vec::new(),
        }
    }

    /// Whether what this fetch brought is known, or was overtaken. The same fetch may be read again, with more
    /// knowledge of its site.
    #[must_use]
    pub fn has_overtaken(&self, fetch: Fetch) -> bool {
        fetch.number < self.fetch || (self.is_gone() && fetch.number == self.fetch)
    }

    /// Takes in what a fetch brought that was not overtaken. Returns the event to tell of, if there is one.
    pub fn read(&mut self, article: &Article, fetch: Fetch) -> Option<Event> {
        let said = said(article);
        let changed = self.differences(said);
        (self.fetch, self.fetched_at, self.said) = (fetch.number, fetch.at, said);
        self.language.clone_from(&article.language);
        self.first_seen = self.first_seen.min(fetch.at);
        self.twin_of = None;
        if !self.is_told() {
            Some(self.happen(EventKind::New, fetch.at, Vec::new(), None))
        } else if changed.is_empty() {
            None
        } else {
            Some(self.happen(EventKind::Changed, fetch.at, changed, None))
        }
    }

    /// Takes in that a fetch brought the article that readers know under another address.
    pub fn read_as_twin(&mut self, fetch: Fetch, primary: &CanonicalUrl) {
        (self.fetch, self.fetched_at) = (fetch.number, fetch.at);
        self.first_seen = self.first_seen.min(fetch.at);
        self.twin_of = Some(primary.clone());
        self.addresses.clear();
    }

    /// Makes the other life's addresses this one's, and its beginning if that was earlier.
    pub fn take_over(&mut self, other: &Life) {
        self.addresses.insert(other.url.clone());
        self.addresses.extend(other.addresses.iter().cloned());
        self.addresses.remove(&self.url);
        while self.addresses.len() > MOST_ADDRESSES {
            self.addresses.pop_last();
        }
        if other.first_seen < self.first_seen {
            self.first_seen = other.first_seen;
            self.discovered_on.clone_from(&other.discovered_on);
        }
    }

    /// Notes that the article is not to be kept any longer. `None` if that is known, or was overtaken.
    pub fn end(&mut self, ending: Ending, fetch: Fetch) -> Option<Event> {
        if self.is_gone() || fetch.number < self.fetch {
            return None;
        }
        self.fetch = fetch.number;
        if self.events.is_empty() {
            return None;
        }
        Some(self.happen(EventKind::Gone, fetch.at, Vec::new(), Some(ending)))
    }

    /// Whether readers know it, and not as gone.
    #[must_use]
    pub fn is_told(&self) -> bool {
        self.events.last().is_some_and(|event| event.event != EventKind::Gone)
    }

    /// Whether it is gone.
    #[must_use]
    pub fn is_gone(&self) -> bool {
        self.events.last().is_some_and(|event| event.event == EventKind::Gone)
    }

    fn differences(&self, said: [u64; 4]) -> Vec<Field> {
        let fields = [Field::Title, Field::Authors, Field::Published, Field::Body];
        let pairs = fields.into_iter().zip(self.said.iter().zip(said));
        pairs.filter(|(_, (before, now))| *before != now).map(|(field, _)| field).collect()
    }

    fn happen(
        &mut self,
        event: EventKind,
        at: Timestamp,
        changed: Vec<Field>,
        ending: Option<Ending>,
    ) -> Event {
        let version = self.events.last().map_or(1, |last| last.version + 1);
        let event = Event { version, event, at, changed, ending };
        if self.events.len() >= KEPT {
            self.events.remove(1);
        }
        self.events.push(event.clone());
        event
    }
}

/// The time since the instant at which an article says it was published; `None` if it names no instant, or one that
/// lies ahead or more than a week back.
#[must_use]
pub fn delay(article: &Article, now: Timestamp) -> Option<Duration> {
    let published: jiff::Timestamp = article.published.as_deref()?.parse().ok()?;
    let published = u64::try_from(published.as_millisecond()).ok()?;
    let passed = Duration::from_millis(now.0.checked_sub(published)?);
    (passed <= LONGEST_DELAY).then_some(passed)
}

fn said(article: &Article) -> [u64; 4] {
    let title = article.title.as_deref().unwrap_or_default();
    let published = article.published.as_deref().unwrap_or_default();
    [name(title), name(&article.authors.join("\n")), name(published), name(&article.text())]
}

#[cfg(test)]
mod tests;
