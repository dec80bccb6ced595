//! What readers get of an article's life: its state, its end, its history. Start at [`Told`].

use std::collections::{BTreeMap, BTreeSet};

use newslode_common::message::Ending;
use newslode_common::time::iso;
use newslode_page::article::Article;
use newslode_page::reading::CanonicalUrl;
use newslode_page::time::Timestamp;
use serde::{Serialize, Serializer};

use super::life::{EventKind, Field, Life};
use crate::mining::filing::{Filed, Witness};

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
    /// The address that the page declares as its own, if that is another one.
    pub canonical: Option<&'a CanonicalUrl>,
    /// Other addresses of the article.
    pub addresses: &'a BTreeSet<CanonicalUrl>,
    /// Articles of other sites with the same text.
    pub same_text: &'a BTreeSet<CanonicalUrl>,
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
    /// Where it is now, if it moved or is known under another address.
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
    /// When; written in ISO 8601, UTC.
    #[serde(serialize_with = "written")]
    pub at: Timestamp,
    /// What changed.
    pub changed: &'a [Field],
    /// Why it is gone.
    pub reason: Option<&'static str>,
    /// Where it is now, if it moved or is known under another address.
    pub moved_to: Option<&'a CanonicalUrl>,
}

/// What is told of an article, and why it is filed where it is.
#[derive(Debug, Serialize)]
pub struct Line<'a, T> {
    /// What is told.
    #[serde(flatten)]
    pub told: T,
    /// One for each of its concepts.
    pub filed: &'a [Placed<'a>],
}

/// A concept of an article, as readers see it.
#[derive(Debug, Serialize)]
pub struct Placed<'a> {
    /// The concept's label.
    pub concept: &'a str,
    /// The most trusted witness that says so.
    pub witness: Witness,
    /// 0 to 1.
    pub confidence: f32,
}

impl<'a> Placed<'a> {
    /// Where an article is filed.
    #[must_use]
    pub fn all(filed: &'a [Filed]) -> Vec<Placed<'a>> {
        let placed = |filed: &'a Filed| Placed {
            concept: &filed.label,
            witness: filed.witness,
            confidence: filed.confidence,
        };
        filed.iter().map(placed).collect()
    }
}

impl Life {
    /// All that happened.
    pub fn history(&self) -> impl Iterator<Item = Past<'_>> {
        self.events.iter().map(|event| Past {
            url: &self.url,
            version: event.version,
            event: event.event,
            at: event.at,
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
            canonical: life.canonical.as_ref(),
            addresses: &life.addresses,
            same_text: &life.same_text,
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

fn written<S: Serializer>(at: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&iso(*at))
}

fn target(ending: &Ending) -> Option<&CanonicalUrl> {
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
    }
}
