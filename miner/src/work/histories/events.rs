//! The events that readers get: an article that is new or changed, one that is gone, and events of the past.
//!
//! The names of the fields are those of the messages. Start at [`ArticleEvent`].

use std::collections::{BTreeMap, BTreeSet};

use newslode_common::message::Ending;
use newslode_common::rights::Rights;
use newslode_common::time::iso;
use newslode_common::version::ContentHash;
use newslode_page::article::Article;
use newslode_page::reading::CanonicalUrl;
use newslode_page::time::Timestamp;
use serde::{Serialize, Serializer};

use super::history::{ArticleHistory, EventKind, Field, history_key};
use crate::mining::filing::{Filed, Witness};
use crate::mining::site_scheme::Place;

/// An article that is new or changed.
#[derive(Debug, Serialize)]
pub struct ArticleEvent<'a> {
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
    /// The URL that the page declares as canonical, if that is another one.
    pub canonical: Option<&'a CanonicalUrl>,
    /// Other URLs of the article.
    pub addresses: &'a BTreeSet<CanonicalUrl>,
    /// Articles of other sites with the same text.
    pub same_text: &'a BTreeSet<CanonicalUrl>,
    /// The operator's labels of the site.
    pub labels: &'a BTreeMap<String, String>,
    /// Whether its page alone said this, because its site is too young or a view was late. A `changed` may follow soon.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub provisional: bool,
    /// The article.
    #[serde(flatten)]
    pub article: &'a Article,
}

/// The end of an article.
#[derive(Debug, Serialize)]
pub struct GoneEvent<'a> {
    /// The article's name in the archive and in the console's addresses.
    pub id: ContentHash,
    /// Always `gone`.
    pub event: EventKind,
    /// The number of the event.
    pub version: u64,
    /// The article's URL.
    pub url: &'a CanonicalUrl,
    /// Registrable domain.
    pub site: String,
    /// Why it is gone.
    pub reason: &'static str,
    /// Where it is now, if it moved or is known under another URL.
    pub moved_to: Option<&'a CanonicalUrl>,
    /// When that was seen: ISO 8601, UTC.
    pub gone_at: String,
    /// When the article was found.
    pub first_seen: String,
    /// The operator's labels of the site.
    pub labels: &'a BTreeMap<String, String>,
}

/// An event of the past.
#[derive(Debug, Serialize)]
pub struct PastEvent<'a> {
    /// The article's name in the archive and in the console's addresses.
    pub id: ContentHash,
    /// The article's URL.
    pub url: &'a CanonicalUrl,
    /// The event's number.
    pub version: u64,
    /// What happened.
    pub event: EventKind,
    /// When it happened; written in ISO 8601, UTC.
    #[serde(serialize_with = "iso_8601")]
    pub at: Timestamp,
    /// What changed.
    pub changed: &'a [Field],
    /// Why it is gone.
    pub reason: Option<&'static str>,
    /// Where it is now, if it moved or is known under another URL.
    pub moved_to: Option<&'a CanonicalUrl>,
}

/// An event with the concepts and places of its article.
#[derive(Debug, Serialize)]
pub struct WithConcepts<'a, T> {
    /// The article's name in the archive and in the console's addresses: its [`history_key`].
    pub id: ContentHash,
    /// The event.
    #[serde(flatten)]
    pub event: T,
    /// One entry for each concept.
    pub filed: &'a [FiledUnder<'a>],
    /// Its places in the site's own scheme, best first; none while the site has no scheme.
    pub places: &'a [Place],
    /// The codes of its concepts and places in schemes from outside, sorted; left out where they are not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub codes: Option<&'a [String]>,
    /// What may be done with it.
    pub rights: &'a Rights,
}

/// The labels of an article's concepts, the most trusted first. Concepts of two languages may share a label.
#[must_use]
pub fn concept_labels(filed: &[Filed]) -> Vec<String> {
    let mut seen = BTreeSet::new();
    filed.iter().filter(|filed| seen.insert(&filed.label)).map(|filed| filed.label.clone()).collect()
}

/// A concept under which an article is filed.
#[derive(Debug, Serialize)]
pub struct FiledUnder<'a> {
    /// The concept's label.
    pub concept: &'a str,
    /// The most trusted witness that says so.
    pub witness: Witness,
    /// 0 to 1.
    pub confidence: f32,
}

impl<'a> FiledUnder<'a> {
    /// The concepts of a filed article.
    #[must_use]
    pub fn all(filed: &'a [Filed]) -> Vec<FiledUnder<'a>> {
        let placed = |filed: &'a Filed| FiledUnder {
            concept: &filed.label,
            witness: filed.witness,
            confidence: filed.confidence,
        };
        filed.iter().map(placed).collect()
    }
}

impl ArticleHistory {
    /// All events, in order.
    pub fn history(&self) -> impl Iterator<Item = PastEvent<'_>> {
        let id = history_key(&self.url);
        self.events.iter().map(move |event| PastEvent {
            id,
            url: &self.url,
            version: event.version,
            event: event.event,
            at: event.at,
            changed: &event.changed,
            reason: event.ending.as_ref().map(reason),
            moved_to: event.ending.as_ref().and_then(moved_to),
        })
    }
}

impl<'a> ArticleEvent<'a> {
    /// The last event of an article that is not gone.
    #[must_use]
    pub fn latest(
        history: &'a ArticleHistory,
        article: &'a Article,
        labels: &'a BTreeMap<String, String>,
    ) -> Option<ArticleEvent<'a>> {
        let last = history.events.last().filter(|event| event.event != EventKind::Gone)?;
        Some(ArticleEvent {
            event: last.event,
            version: last.version,
            changed: &last.changed,
            first_seen: iso(history.first_seen),
            discovered_on: history.discovered_on.as_ref(),
            fetched_at: iso(history.fetched_at),
            canonical: history.canonical.as_ref(),
            addresses: &history.addresses,
            same_text: &history.same_text,
            labels,
            provisional: history.is_provisional,
            article,
        })
    }
}

impl<'a> GoneEvent<'a> {
    /// The last event of an article that is gone.
    #[must_use]
    pub fn latest(
        history: &'a ArticleHistory,
        labels: &'a BTreeMap<String, String>,
    ) -> Option<GoneEvent<'a>> {
        let last = history.events.last()?;
        let ending = last.ending.as_ref()?;
        Some(GoneEvent {
            id: history_key(&history.url),
            event: last.event,
            version: last.version,
            url: &history.url,
            site: history.url.site().to_string(),
            reason: reason(ending),
            moved_to: moved_to(ending),
            gone_at: iso(last.at),
            first_seen: iso(history.first_seen),
            labels,
        })
    }
}

fn iso_8601<S: Serializer>(at: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&iso(*at))
}

fn moved_to(ending: &Ending) -> Option<&CanonicalUrl> {
    if let Ending::Moved(target) | Ending::SameAs(target) = ending { Some(target) } else { None }
}

fn reason(ending: &Ending) -> &'static str {
    match ending {
        Ending::NotFound => "not_found",
        Ending::Disallowed => "disallowed",
        Ending::Noindex => "noindex",
        Ending::Moved(_) => "moved",
        Ending::Forgotten => "forgotten",
        Ending::SameAs(_) => "same_article",
        Ending::NotAnArticle => "not_an_article",
    }
}
