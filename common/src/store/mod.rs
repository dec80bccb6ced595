//! Where things are kept: what to fetch ([`Frontier`]), what is mined ([`SiteState`]), what pages said
//! ([`PageArchive`]).
//!
//! Each trait has an embedded side (`redb`: one file, one process) and a served one (`redis`, and
//! `object_store` for the archive), and one conformance suite that runs on both and on a third that
//! breaks on purpose. All state of a site lives together: in Redis under the hash tag of
//! [`bucket`], so every call stays in one slot of a cluster. Nothing global is written by a page.
//! Stores read no clock: time is passed in.

pub mod archive;
#[cfg(any(test, feature = "conformance"))]
pub mod conformance;
pub mod redb;
pub mod redis;

use std::collections::BTreeMap;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::contribution::{Delta, Table};
use crate::outcome::Outcome;
use crate::page::{CanonicalUrl, Site};
use crate::time::Timestamp;
use crate::version::{ContentHash, Version};

/// Number of hash tags that sites are spread over; fixed for ever, it is part of every Redis key.
pub const BUCKETS: u16 = 1024;

/// The bucket of a site: the first ten bits of BLAKE3 over its name.
#[must_use]
pub fn bucket(site: &Site) -> u16 {
    let hash = blake3::hash(site.as_str().as_bytes());
    u16::from_be_bytes([hash.as_bytes()[0], hash.as_bytes()[1]]) % BUCKETS
}

/// A store call that failed.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// No answer, no connection, a server that restarts: the call may or may not have had its effect;
    /// repeat it (all calls are safe to repeat).
    #[error("the store did not answer: {0}")]
    Unavailable(String),
    /// The store refuses for a reason that a person must mend (out of memory, evicting policy, no functions).
    #[error("the store refuses: {0}")]
    Refused(String),
    /// What was read makes no sense.
    #[error("the store holds something broken: {0}")]
    Corrupt(String),
}

impl StoreError {
    /// Whether trying again may help.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        match self {
            StoreError::Unavailable(_) => true,
            StoreError::Refused(_) | StoreError::Corrupt(_) => false,
        }
    }
}

/// Result of a store call.
pub type StoreResult<T> = Result<T, StoreError>;

// ---------------------------------------------------------------------------------- frontier

/// Why a URL is in the frontier; a stronger reason replaces a weaker one. Ordered weak to strong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// A link (with `--follow all`).
    Link,
    /// A concept page lists it.
    Instance,
    /// A concept's label leads to it.
    Concept,
    /// An operator named it.
    Seed,
}

/// A site's limits and manners, from its seed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SiteSettings {
    /// URLs that the frontier admits for this site.
    pub max_pages: u64,
    /// Links away from the seed.
    pub max_depth: u32,
    /// Least time between the starts of two requests to the site.
    pub delay_ms: u64,
    /// Nothing of a paused site is claimed.
    pub paused: bool,
    /// The operator's own marks, handed through.
    pub labels: BTreeMap<String, String>,
}

/// A URL to fetch some time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewUrl {
    /// Its identity.
    pub url: CanonicalUrl,
    /// Links away from the seed.
    pub depth: u32,
    /// Why.
    pub why: Why,
    /// Redirects that led here in a row.
    pub hops: u32,
}

/// What became of added URLs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Added {
    /// Not known before, now due.
    pub new: u64,
    /// Known before.
    pub known: u64,
    /// Refused: the site's page budget is spent.
    pub over_budget: u64,
    /// Refused: deeper than the site's depth.
    pub too_deep: u64,
    /// Refused: no seed named the site.
    pub unknown_site: u64,
    /// Known and fetched before, and now with a stronger reason: their links want another look.
    pub promoted: Vec<CanonicalUrl>,
}

/// What the server gave for a conditional request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Validators {
    /// `ETag`.
    pub etag: Option<String>,
    /// `Last-Modified`.
    pub last_modified: Option<String>,
}

/// A URL handed to one crawler until its lease ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// What to fetch.
    pub url: CanonicalUrl,
    /// Its site.
    pub site: Site,
    /// Links away from the seed.
    pub depth: u32,
    /// Why.
    pub why: Why,
    /// Redirects that led here in a row.
    pub hops: u32,
    /// The number of this claim of the URL: 1, 2, …; becomes [`Version::fetch`]. It names the claim.
    pub fetch: u64,
    /// Failed attempts since the URL was last due anew.
    pub attempts: u32,
    /// Until when nobody else gets it.
    pub lease_until: Timestamp,
    /// From the last good fetch.
    pub validators: Validators,
    /// Content of the last good fetch.
    pub content: Option<ContentHash>,
}

/// How a claim ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Completion {
    /// For good, or until `next_due`.
    Done {
        /// Counted.
        outcome: Outcome,
        /// Of a fetched page; kept from before if `None` and the outcome is `Unchanged`.
        content: Option<ContentHash>,
        /// For the next conditional request.
        validators: Validators,
        /// When to fetch it again; `None`: never.
        next_due: Option<Timestamp>,
    },
    /// Try again later.
    Retry {
        /// Not before then.
        due: Timestamp,
        /// Whether this attempt counts (a 429 or 503 with `Retry-After` is none).
        counts: bool,
        /// The whole site rests until then.
        rest_site_until: Option<Timestamp>,
    },
    /// Given back unused: due at once, the claim never happened (its fetch number is spent).
    Released,
}

/// Whether a completion took effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completed {
    /// It did.
    Recorded,
    /// The lease had ended and the URL was claimed again, or completed before: nothing changed.
    Lost,
}

/// A URL's record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Its identity.
    pub url: CanonicalUrl,
    /// Least number of links away from the seed.
    pub depth: u32,
    /// Strongest reason.
    pub why: Why,
    /// Redirects in a row.
    pub hops: u32,
    /// Claims so far.
    pub fetch: u64,
    /// Failed attempts since it was last due anew.
    pub attempts: u32,
    /// Due then, or leased until then; `None`: done.
    pub due: Option<Timestamp>,
    /// Claimed now.
    pub leased: bool,
    /// The last outcome.
    pub outcome: Option<Outcome>,
    /// Content of the last good fetch.
    pub content: Option<ContentHash>,
    /// For a conditional request.
    pub validators: Validators,
}

/// A site's record and counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SiteStatus {
    /// Registrable domain.
    pub site: Site,
    /// From its seed.
    pub settings: SiteSettings,
    /// URLs known.
    pub urls: u64,
    /// URLs due now or later, not leased.
    pub pending: u64,
    /// URLs claimed now.
    pub leased: u64,
    /// Earliest due time among the pending ones.
    pub next_due: Option<Timestamp>,
    /// The site is not claimed from before then (delay or rest).
    pub turn: Timestamp,
    /// URLs by their last outcome.
    pub outcomes: BTreeMap<Outcome, u64>,
}

/// What to fetch, when, whose turn it is. Contract:
/// - a URL is its canonical form, known once per site; adding it again changes nothing but its depth
///   (the least wins) and its reason (the strongest wins), so adding is idempotent in any order;
/// - a URL that is due is claimed by exactly one crawler until its lease ends; then it is due again;
/// - between two claims of one site at least its delay passes, across all crawlers;
/// - a claim ends once: a completion after the lease went to another is `Lost`;
/// - budgets hold whatever the order: never more URLs than `max_pages`, none deeper than `max_depth`.
#[async_trait]
pub trait Frontier: Send + Sync {
    /// Makes a site known or changes its settings.
    async fn put_site(&self, site: &Site, settings: &SiteSettings) -> StoreResult<()>;

    /// A site's settings; `None` if no seed named it.
    async fn site(&self, site: &Site) -> StoreResult<Option<SiteSettings>>;

    /// Forgets a site's URLs and settings. Claims of it end as `Lost`.
    async fn remove_site(&self, site: &Site) -> StoreResult<()>;

    /// Adds URLs, due at `now`. URLs of several sites may be mixed; one call a site is made.
    async fn add(&self, urls: &[NewUrl], now: Timestamp) -> StoreResult<Added>;

    /// Up to `most` URLs, at most one a site, of sites whose turn it is. Empty: nothing is due now.
    async fn claim(&self, now: Timestamp, lease: Duration, most: usize) -> StoreResult<Vec<Claim>>;

    /// Ends a claim.
    async fn complete(&self, claim: &Claim, completion: Completion, now: Timestamp)
    -> StoreResult<Completed>;

    /// The site's delay is at least this (robots.txt's Crawl-delay): raises it, never lowers.
    async fn raise_delay(&self, site: &Site, delay: Duration) -> StoreResult<()>;

    /// A URL's record.
    async fn entry(&self, url: &CanonicalUrl) -> StoreResult<Option<Entry>>;

    /// All of a site's records, by URL.
    async fn entries(&self, site: &Site) -> StoreResult<Vec<Entry>>;

    /// All sites, by name.
    async fn status(&self) -> StoreResult<Vec<SiteStatus>>;

    /// Ends all leases at once: what was claimed is due again. Only for an embedded engine that starts,
    /// when no other crawler can be alive. Returns how many.
    async fn release_leases(&self, now: Timestamp) -> StoreResult<u64>;
}

// ---------------------------------------------------------------------------------- mined state

/// One page's change to its site's state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The page.
    pub url: CanonicalUrl,
    /// The version that `delta` subtracts; `None`: the page counts nothing yet.
    pub expected: Option<Version>,
    /// The version that counts afterwards; content [`ContentHash::NONE`] removes the page's counts
    /// (its fetch number stays, so that a late message cannot bring it back).
    pub new: Version,
    /// New contribution − old contribution.
    pub delta: Delta,
}

/// What became of one change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Applied {
    /// Counted.
    Applied,
    /// Not newer than what is counted: a duplicate or a late message; no effect.
    Stale,
    /// The stored version is not `expected` (here it is): read that version's contribution, try again.
    Conflict(Option<Version>),
}

/// The sums of the pages' contributions, a site at a time. Contract:
/// - `apply` is atomic for its batch: all of it or nothing; changes are judged in order;
/// - a change is judged first by version (not newer than the stored fetch number: `Stale`), then by
///   `expected` (differs: `Conflict`), else counted: the version is stored and the delta added;
/// - any order, duplication or repetition of calls ends in the same cells and versions' contents;
/// - cells that come to zero are gone; sums wrap, they never saturate or round.
#[async_trait]
pub trait SiteState: Send + Sync {
    /// The counted versions of these pages, in this order.
    async fn versions(&self, site: &Site, urls: &[CanonicalUrl]) -> StoreResult<Vec<Option<Version>>>;

    /// Counts pages of one site.
    async fn apply(&self, site: &Site, changes: &[Change]) -> StoreResult<Vec<Applied>>;

    /// A table of a site, by key.
    async fn cells(&self, site: &Site, table: Table) -> StoreResult<BTreeMap<String, i64>>;

    /// The pages that were counted, by URL, removed ones (content `NONE`) included.
    async fn pages(&self, site: &Site) -> StoreResult<Vec<(CanonicalUrl, Version)>>;

    /// All sites with a counter that grows whenever a cell of the site changed; by name.
    async fn sites(&self) -> StoreResult<Vec<(Site, u64)>>;

    /// Forgets a site's cells and versions.
    async fn forget(&self, site: &Site) -> StoreResult<()>;

    /// A versioned value (the taxonomy, a follow plan, a site's templates); `None` if never put.
    async fn value(&self, name: &str) -> StoreResult<Option<(u64, Bytes)>>;

    /// Puts a value if its version is still `expected` (`None`: not there). Returns the new version,
    /// or `None` if another writer was first.
    async fn put_value(&self, name: &str, expected: Option<u64>, bytes: Bytes) -> StoreResult<Option<u64>>;

    /// Whether the store can be used now; names what a person must mend.
    async fn ready(&self) -> StoreResult<()>;

    /// Names this run of the store's server: it changes when the server was restarted, and a restarted
    /// server may have lost its last writes, though never one without those after it. The same for
    /// ever where the store is no server.
    async fn incarnation(&self) -> StoreResult<String> {
        Ok("embedded".into())
    }
}

/// Digest of everything mined of a site: its cells, and its pages' URLs and contents. Fetch numbers
/// count attempts and are not part of it. Two stores with equal digests hold the same mined state.
pub async fn state_digest(state: &dyn SiteState, site: &Site) -> StoreResult<ContentHash> {
    let mut hasher = blake3::Hasher::new();
    for table in Table::ALL {
        for (key, count) in state.cells(site, *table).await? {
            hasher.update(format!("{}\u{1e}{key}\u{1e}{count}\n", table.code()).as_bytes());
        }
    }
    for (url, version) in state.pages(site).await? {
        if version.content != ContentHash::NONE {
            hasher.update(format!("{url}\u{1e}{}\n", version.content).as_bytes());
        }
    }
    let mut short = [0; 16];
    short.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    Ok(ContentHash(short))
}

// ---------------------------------------------------------------------------------- archive

/// What is kept of a page, each under the page's content hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// The page as fetched: a [`FetchedPage`](crate::message::FetchedPage) with its body inline.
    Page,
    /// Its [`Contribution`](crate::contribution::Contribution).
    Contribution,
    /// Its hierarchy as XML.
    Hierarchy,
    /// Its [`Article`](crate::article::Article) as JSON.
    Article,
}

impl Kind {
    /// All kinds.
    pub const ALL: &'static [Kind] = &[Kind::Page, Kind::Contribution, Kind::Hierarchy, Kind::Article];

    /// Folder and key part.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Kind::Page => "page",
            Kind::Contribution => "contribution",
            Kind::Hierarchy => "hierarchy",
            Kind::Article => "article",
        }
    }
}

/// Pages and what was computed of each, by content. Contract: what `put` returned `Ok` for, `get`
/// finds, byte for byte, until it is deleted or expired; putting again replaces; a get of what was
/// never put is `None`. Implementations compress (zstd).
#[async_trait]
pub trait PageArchive: Send + Sync {
    /// Keeps bytes.
    async fn put(&self, kind: Kind, content: ContentHash, bytes: Bytes, now: Timestamp) -> StoreResult<()>;

    /// Reads them back.
    async fn get(&self, kind: Kind, content: ContentHash) -> StoreResult<Option<Bytes>>;

    /// Forgets them; forgetting what is not there is fine.
    async fn delete(&self, kind: Kind, content: ContentHash) -> StoreResult<()>;

    /// Forgets everything put before `before`. Returns how many.
    async fn expire(&self, before: Timestamp) -> StoreResult<u64>;
}
