//! The frontier's records of a site and of a URL. Their form is a version byte, then the wire form. The keys
//! (site, URL) are not repeated inside.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::message::wire;
use crate::outcome::Outcome;
use crate::schedule::{Allowance, Class, PageSchedule, Recent, SiteSchedule};
use crate::store::{Entry, Pace, SiteSettings, SiteStatus, StoreError, StoreResult, Validators, Why};
use crate::version::ContentHash;
use newslode_page::reading::{CanonicalUrl, Site};
use newslode_page::time::Timestamp;

/// Version of the form of both records.
const VERSION: u8 = 2;

/// Time within which a site's page budget is spent, in milliseconds.
const DAY_MS: u64 = 86_400_000;

/// A record that was stored in another form before.
pub(super) trait Record: Serialize + DeserializeOwned {
    /// Its first form.
    type First: DeserializeOwned + Into<Self>;
}

/// A site.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct SiteRecord {
    pub(super) settings: SiteSettings,
    /// When the day of the page budget began, and the URLs admitted since.
    pub(super) day_began: Timestamp,
    pub(super) admitted: u64,
    pub(super) urls: u64,
    pub(super) remembered: u64,
    pub(super) pending: u64,
    pub(super) leased: u64,
    /// Start of the last request.
    pub(super) claimed: Option<Timestamp>,
    /// The server asked for a rest until this time.
    pub(super) rest_until: Timestamp,
    /// Key of the site in the table of turns; `None`: it is not there.
    pub(super) ready: Option<Timestamp>,
    pub(super) outcomes: BTreeMap<Outcome, u64>,
    pub(super) allowance: Option<Allowance>,
    /// The delay that experience has taught, in milliseconds.
    pub(super) slow_ms: u64,
    pub(super) recent: Recent,
}

impl SiteRecord {
    pub(super) fn new(settings: SiteSettings) -> SiteRecord {
        SiteRecord {
            settings,
            day_began: Timestamp(0),
            admitted: 0,
            urls: 0,
            remembered: 0,
            pending: 0,
            leased: 0,
            claimed: None,
            rest_until: Timestamp(0),
            ready: None,
            outcomes: BTreeMap::new(),
            allowance: None,
            slow_ms: 0,
            recent: Recent::default(),
        }
    }

    /// Whether the page budget admits another URL; then it is counted. The backlog leaves half of it to the news.
    pub(super) fn admits(&mut self, class: Class, now: Timestamp) -> bool {
        if now.0.saturating_sub(self.day_began.0) >= DAY_MS {
            self.day_began = now;
            self.admitted = 0;
        }
        let most = self.settings.max_pages;
        let admits = self.admitted < if class.leaves_half_to_the_news() { most.div_ceil(2) } else { most };
        self.admitted += u64::from(admits);
        admits
    }

    /// When a URL of this class that is due at `due` can be claimed.
    pub(super) fn ready(&self, class: Class, due: Timestamp) -> Timestamp {
        let from = due.max(self.turn());
        match &self.allowance {
            Some(allowance) => allowance.when(class.threshold(allowance.capacity()), from),
            None => from,
        }
    }

    /// Whether there are tokens for this class.
    pub(super) fn affords(&self, class: Class, now: Timestamp) -> bool {
        self.allowance.is_none_or(|allowance| allowance.affords(class, now))
    }

    /// Sets how fast the site may be asked.
    pub(super) fn set_pace(&mut self, pace: Pace, now: Timestamp) {
        self.slow_ms = pace.delay_ms;
        self.rest_until = self.rest_until.max(pace.rest_until.unwrap_or_default());
        self.allowance = pace.per_day.map(|per_day| match self.allowance {
            Some(mut allowance) => {
                allowance.resize(per_day, now);
                allowance
            }
            None => Allowance::full(per_day, now),
        });
        if let Some(allowance) = &mut self.allowance {
            (0..pace.beside_claims).for_each(|_| allowance.take(now));
        }
    }

    /// The site is not claimed before this time.
    pub(super) fn turn(&self) -> Timestamp {
        let delay = self.settings.delay_ms.max(self.slow_ms);
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
            remembered: self.remembered,
            pending: self.pending,
            leased: self.leased,
            next_due,
            ready: self.ready,
            allowance: self.allowance,
            outcomes: self.outcomes,
            settings: self.settings,
        }
    }
}

/// A URL.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
    pub(super) class: Class,
    pub(super) seen: Option<Timestamp>,
    pub(super) schedule: Option<PageSchedule>,
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
            class: self.class,
            seen: self.seen,
            schedule: self.schedule,
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

pub(super) fn decode<T: Record>(bytes: &[u8]) -> StoreResult<T> {
    let broken = |error: wire::WireError| StoreError::Corrupt(error.to_string());
    match bytes.split_first() {
        Some((&VERSION, body)) => wire::decode(body).map_err(broken),
        Some((1, body)) => wire::decode::<T::First>(body).map(Into::into).map_err(broken),
        Some((version, _)) => Err(StoreError::Corrupt(format!("a record of version {version}"))),
        None => Err(StoreError::Corrupt("an empty record".to_owned())),
    }
}

/// Reads what a site's visits have taught, with its number.
pub(super) fn decode_schedule(bytes: &[u8]) -> StoreResult<(u64, SiteSchedule)> {
    match bytes.split_first() {
        Some((&VERSION, body)) => {
            wire::decode_without_last(body).map_err(|error| StoreError::Corrupt(error.to_string()))
        }
        _ => Err(StoreError::Corrupt("a site's schedule of an unknown format".to_owned())),
    }
}

/// Parses a URL from a key.
pub(super) fn url(text: &str) -> StoreResult<CanonicalUrl> {
    text.parse().map_err(|error| StoreError::Corrupt(format!("`{text}` in a key: {error}")))
}

/// A site in its first form.
#[derive(Deserialize)]
pub(super) struct FirstSite {
    settings: SiteSettings,
    urls: u64,
    pending: u64,
    leased: u64,
    claimed: Option<Timestamp>,
    rest_until: Timestamp,
    ready: Option<Timestamp>,
    outcomes: BTreeMap<Outcome, u64>,
}

impl From<FirstSite> for SiteRecord {
    fn from(first: FirstSite) -> SiteRecord {
        SiteRecord {
            urls: first.urls,
            pending: first.pending,
            leased: first.leased,
            claimed: first.claimed,
            rest_until: first.rest_until,
            ready: first.ready,
            outcomes: first.outcomes,
            ..SiteRecord::new(first.settings)
        }
    }
}

impl Record for SiteRecord {
    type First = FirstSite;
}

/// A URL in its first form.
#[derive(Deserialize)]
pub(super) struct FirstEntry {
    depth: u32,
    why: Why,
    hops: u32,
    fetch: u64,
    attempts: u32,
    due: Option<Timestamp>,
    leased: bool,
    outcome: Option<Outcome>,
    content: Option<ContentHash>,
    validators: Validators,
}

impl From<FirstEntry> for EntryRecord {
    fn from(first: FirstEntry) -> EntryRecord {
        EntryRecord {
            depth: first.depth,
            why: first.why,
            hops: first.hops,
            fetch: first.fetch,
            attempts: first.attempts,
            due: first.due,
            leased: first.leased,
            outcome: first.outcome,
            content: first.content,
            validators: first.validators,
            class: Class::New,
            seen: None,
            schedule: None,
        }
    }
}

impl Record for EntryRecord {
    type First = FirstEntry;
}
