//! The frontier's records of a site and of a URL. Their form is a version byte, then the wire form. The keys
//! (site, URL) are not repeated inside.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::message::wire;
use crate::outcome::Outcome;
use crate::store::{Entry, SiteSettings, SiteStatus, StoreError, StoreResult, Validators, Why};
use crate::version::ContentHash;
use newslode_page::reading::{CanonicalUrl, Site};
use newslode_page::time::Timestamp;

/// Version of the form of both records.
const VERSION: u8 = 1;

/// A site.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct SiteRecord {
    pub(super) settings: SiteSettings,
    pub(super) urls: u64,
    pub(super) pending: u64,
    pub(super) leased: u64,
    /// Start of the last request.
    pub(super) claimed: Option<Timestamp>,
    /// The server asked for a rest until this time.
    pub(super) rest_until: Timestamp,
    /// Key of the site in the table of turns; `None`: it is not there.
    pub(super) ready: Option<Timestamp>,
    pub(super) outcomes: BTreeMap<Outcome, u64>,
}

impl SiteRecord {
    pub(super) fn new(settings: SiteSettings) -> SiteRecord {
        SiteRecord {
            settings,
            urls: 0,
            pending: 0,
            leased: 0,
            claimed: None,
            rest_until: Timestamp(0),
            ready: None,
            outcomes: BTreeMap::new(),
        }
    }

    /// The site is not claimed before this time.
    pub(super) fn turn(&self) -> Timestamp {
        let delay = self.settings.delay_ms;
        let next = self.claimed.map_or(Timestamp(0), |claimed| Timestamp(claimed.0.saturating_add(delay)));
        next.max(self.rest_until)
    }

    /// Counts a URL under its new outcome instead of its old one.
    pub(super) fn tally(&mut self, old: Option<Outcome>, new: Outcome) {
        if let Some(old) = old {
            let left = self.outcomes.get(&old).copied().unwrap_or(0).saturating_sub(1);
            if left == 0 {
                self.outcomes.remove(&old);
            } else {
                self.outcomes.insert(old, left);
            }
        }
        *self.outcomes.entry(new).or_default() += 1;
    }

    pub(super) fn status(self, site: Site, next_due: Option<Timestamp>) -> SiteStatus {
        SiteStatus {
            site,
            turn: self.turn(),
            urls: self.urls,
            pending: self.pending,
            leased: self.leased,
            next_due,
            outcomes: self.outcomes,
            settings: self.settings,
        }
    }
}

/// A URL.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct EntryRecord {
    pub(super) depth: u32,
    pub(super) why: Why,
    pub(super) hops: u32,
    pub(super) fetch: u64,
    pub(super) attempts: u32,
    pub(super) due: Option<Timestamp>,
    pub(super) leased: bool,
    pub(super) outcome: Option<Outcome>,
    pub(super) content: Option<ContentHash>,
    pub(super) validators: Validators,
}

impl EntryRecord {
    pub(super) fn entry(self, url: CanonicalUrl) -> Entry {
        Entry {
            url,
            depth: self.depth,
            why: self.why,
            hops: self.hops,
            fetch: self.fetch,
            attempts: self.attempts,
            due: self.due,
            leased: self.leased,
            outcome: self.outcome,
            content: self.content,
            validators: self.validators,
        }
    }
}

pub(super) fn encode<T: Serialize>(record: &T) -> StoreResult<Vec<u8>> {
    let mut bytes = wire::encode(record).map_err(|error| StoreError::Corrupt(error.to_string()))?;
    bytes.insert(0, VERSION);
    Ok(bytes)
}

pub(super) fn decode<T: DeserializeOwned>(bytes: &[u8]) -> StoreResult<T> {
    match bytes.split_first() {
        Some((&VERSION, body)) => wire::decode(body).map_err(|error| StoreError::Corrupt(error.to_string())),
        Some((version, _)) => Err(StoreError::Corrupt(format!("a record of version {version}"))),
        None => Err(StoreError::Corrupt("an empty record".to_owned())),
    }
}

/// Parses a URL from a key.
pub(super) fn url(text: &str) -> StoreResult<CanonicalUrl> {
    text.parse().map_err(|error| StoreError::Corrupt(format!("`{text}` in a key: {error}")))
}
