//! What to fetch, when, and whose turn it is: the contract of a frontier.
//!
//! A URL is added with its reason, claimed by one crawler for the time of a lease, and completed with an
//! outcome. Start at [`Frontier`].

use std::collections::BTreeMap;
use std::time::Duration;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use super::StoreResult;
use crate::outcome::Outcome;
use crate::version::ContentHash;
use newslode_page::reading::{CanonicalUrl, Site};
use newslode_page::time::Timestamp;

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
    /// The number of this claim of the URL: 1, 2, …; becomes [`Version::fetch`](crate::version::Version::fetch). It names the claim.
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
