//! The life of an article: when and where it was found, how its text changed, and how it ended.
//!
//! Readers want to hear of an article when it is new, when it says something else, and when it is gone; not
//! when a teaser beside it changes. So a life keeps hashes of what the article says, and each difference is an
//! event with a number of its own: the same event again has the same number. Start at [`Life::read`].

use std::collections::BTreeMap;
use std::time::Duration;

use newslode_common::message::Ending;
use newslode_common::schedule::name;
use newslode_common::time::iso;
use newslode_common::version::ContentHash;
use newslode_page::article::Article;
use newslode_page::reading::CanonicalUrl;
use newslode_page::time::Timestamp;
use serde::{Deserialize, Serialize};

/// Events that a life keeps: the first one and the last ones.
const KEPT: usize = 64;

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

/// Where and when an article was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Discovery {
    /// When a listing or a page showed it first.
    pub at: Option<Timestamp>,
    /// That listing.
    pub on: Option<CanonicalUrl>,
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
    /// What happened, in order. Of very many the oldest but the first are left out.
    pub events: Vec<Event>,
}

/// The name under which the archive keeps the life of an article with this address.
#[must_use]
pub fn name_of(url: &CanonicalUrl) -> ContentHash {
    ContentHash::of(url, Some("life"), b"")
}

impl Life {
    /// The life of an article after it was read, with the event to tell of, if there is one. An older fetch than
    /// the last one changes nothing. The same fetch may be read again, with more knowledge of its site.
    #[must_use]
    pub fn read(
        held: Option<Life>,
        url: &CanonicalUrl,
        article: &Article,
        fetch: Fetch,
        found: Discovery,
    ) -> (Life, Option<Event>) {
        let said = said(article);
        let Some(mut life) = held else {
            let mut life = Life {
                url: url.clone(),
                first_seen: found.at.filter(|at| *at <= fetch.at).unwrap_or(fetch.at),
                discovered_on: found.on,
                language: article.language.clone(),
                fetch: fetch.number,
                fetched_at: fetch.at,
                said,
                events: Vec::new(),
            };
            let event = life.happen(EventKind::New, fetch.at, Vec::new(), None);
            return (life, Some(event));
        };
        let is_late = fetch.number < life.fetch || (life.is_gone() && fetch.number == life.fetch);
        if is_late {
            return (life, None);
        }
        let changed = life.differences(said);
        (life.fetch, life.fetched_at, life.said) = (fetch.number, fetch.at, said);
        let event = if life.is_gone() {
            Some(life.happen(EventKind::New, fetch.at, Vec::new(), None))
        } else if changed.is_empty() {
            None
        } else {
            Some(life.happen(EventKind::Changed, fetch.at, changed, None))
        };
        (life, event)
    }

    /// Notes that the article is not to be kept any longer. `None` if that is known, or was overtaken.
    pub fn end(&mut self, ending: Ending, fetch: Fetch) -> Option<Event> {
        if self.is_gone() || fetch.number < self.fetch {
            return None;
        }
        self.fetch = fetch.number;
        Some(self.happen(EventKind::Gone, fetch.at, Vec::new(), Some(ending)))
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

/// An article with its life, as readers get it.
#[derive(Debug, Serialize)]
pub struct Told<'a> {
    /// What happened last.
    pub event: EventKind,
    /// The number of that event.
    pub version: u64,
    /// What changed with it.
    pub changed: &'a [Field],
    /// When the article was found: ISO 8601, UTC.
    pub first_seen: String,
    /// The listing that showed it first.
    pub discovered_on: Option<&'a CanonicalUrl>,
    /// When this text was fetched.
    pub fetched_at: String,
    /// The operator's marks on the site.
    pub labels: &'a BTreeMap<String, String>,
    /// The article.
    #[serde(flatten)]
    pub article: &'a Article,
}

/// An article's end, as readers get it.
#[derive(Debug, Serialize)]
pub struct Lost<'a> {
    /// Always `gone`.
    pub event: EventKind,
    /// The number of the event.
    pub version: u64,
    /// The article's address.
    pub url: &'a CanonicalUrl,
    /// Registrable domain.
    pub site: String,
    /// Why it is gone.
    pub reason: &'static str,
    /// Where it is now, if it moved.
    pub moved_to: Option<&'a CanonicalUrl>,
    /// When that was seen: ISO 8601, UTC.
    pub gone_at: String,
    /// When the article was found.
    pub first_seen: String,
    /// The operator's marks on the site.
    pub labels: &'a BTreeMap<String, String>,
}

/// An event of the past, as readers get it.
#[derive(Debug, Serialize)]
pub struct Past<'a> {
    /// The article's address.
    pub url: &'a CanonicalUrl,
    /// The event's number.
    pub version: u64,
    /// What happened.
    pub event: EventKind,
    /// When: ISO 8601, UTC.
    pub at: String,
    /// What changed.
    pub changed: &'a [Field],
    /// Why it is gone.
    pub reason: Option<&'static str>,
    /// Where it is now, if it moved.
    pub moved_to: Option<&'a CanonicalUrl>,
}

impl Life {
    /// All that happened.
    pub fn history(&self) -> impl Iterator<Item = Past<'_>> {
        self.events.iter().map(|event| Past {
            url: &self.url,
            version: event.version,
            event: event.event,
            at: iso(event.at),
            changed: &event.changed,
            reason: event.ending.as_ref().map(reason),
            moved_to: event.ending.as_ref().and_then(target),
        })
    }
}

impl<'a> Told<'a> {
    /// The last state of an article that is not gone.
    #[must_use]
    pub fn of(
        life: &'a Life,
        article: &'a Article,
        labels: &'a BTreeMap<String, String>,
    ) -> Option<Told<'a>> {
        let last = life.events.last().filter(|event| event.event != EventKind::Gone)?;
        Some(Told {
            event: last.event,
            version: last.version,
            changed: &last.changed,
            first_seen: iso(life.first_seen),
            discovered_on: life.discovered_on.as_ref(),
            fetched_at: iso(life.fetched_at),
            labels,
            article,
        })
    }
}

impl<'a> Lost<'a> {
    /// The end of an article that is gone.
    #[must_use]
    pub fn of(life: &'a Life, labels: &'a BTreeMap<String, String>) -> Option<Lost<'a>> {
        let last = life.events.last()?;
        let ending = last.ending.as_ref()?;
        Some(Lost {
            event: last.event,
            version: last.version,
            url: &life.url,
            site: life.url.site().to_string(),
            reason: reason(ending),
            moved_to: target(ending),
            gone_at: iso(last.at),
            first_seen: iso(life.first_seen),
            labels,
        })
    }
}

fn target(ending: &Ending) -> Option<&CanonicalUrl> {
    if let Ending::Moved(target) = ending { Some(target) } else { None }
}

fn reason(ending: &Ending) -> &'static str {
    match ending {
        Ending::NotFound => "not_found",
        Ending::Disallowed => "disallowed",
        Ending::Noindex => "noindex",
        Ending::Moved(_) => "moved",
        Ending::Forgotten => "forgotten",
    }
}

#[cfg(test)]
mod tests;
