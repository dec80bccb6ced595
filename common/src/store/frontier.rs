//! The contract of a frontier: what to fetch, when, and whose turn it is.
//!
//! A URL is added with a reason, claimed by one crawler for the time of a lease, and completed with an
//! outcome. Start at [`Frontier`].

use std::collections::BTreeMap;
use std::time::Duration;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use super::StoreResult;
use crate::outcome::Outcome;
use crate::schedule::{Allowance, Class, Next, PageSchedule, SiteSchedule};
use crate::version::ContentHash;
use newslode_page::reading::{CanonicalUrl, Site};
use newslode_page::time::Timestamp;

/// Why a URL is in the frontier, ordered from weak to strong. A stronger reason replaces a weaker one.
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

/// A site's limits and pace, from its seed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SiteSettings {
    /// Most URLs that the frontier admits for this site within a day.
    pub max_pages: u64,
    /// Largest number of links away from the seed.
    pub max_depth: u32,
    /// Shortest time between the starts of two requests to the site.
    pub delay_ms: u64,
    /// A paused site is not claimed.
    pub paused: bool,
    /// The operator's own marks, passed through.
    pub labels: BTreeMap<String, String>,
}

/// A URL to add.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewUrl {
    /// Its identity.
    pub url: CanonicalUrl,
    /// Links away from the seed.
    pub depth: u32,
    /// The reason.
    pub why: Why,
    /// Number of redirects in a row that led here.
    pub hops: u32,
    /// The queue in which it waits.
    #[serde(default)]
    pub class: Class,
    /// If the URL is known, when it is asked for again.
    #[serde(default)]
    pub again: Again,
    /// What is known of it. `None`: it is due once.
    #[serde(default)]
    pub schedule: Option<PageSchedule>,
}

impl NewUrl {
    /// A URL that is due once.
    #[must_use]
    pub fn once(url: CanonicalUrl, depth: u32, why: Why, hops: u32) -> NewUrl {
        NewUrl { url, depth, why, hops, class: Class::New, again: Again::Never, schedule: None }
    }
}

/// When a known URL that is added again is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Again {
    /// As before.
    #[default]
    Never,
    /// Now, as a recheck, if its last good fetch was before this time: it was changed then.
    IfFetchedBefore(Timestamp),
    /// Now, in the class and with the schedule that come with it.
    Now,
}

/// The result of adding URLs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Added {
    /// URLs that were new and are now due.
    pub new: u64,
    /// URLs that were known before.
    pub known: u64,
    /// URLs refused because the site's page budget of the day is spent.
    pub over_budget: u64,
    /// URLs refused because they are deeper than the site allows.
    pub too_deep: u64,
    /// URLs refused because no seed named their site.
    pub unknown_site: u64,
    /// Fetched URLs that now have a stronger reason: their links deserve another look.
    pub promoted: Vec<CanonicalUrl>,
}

/// The server's validators for a conditional request.
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
    /// The reason.
    pub why: Why,
    /// Number of redirects in a row that led here.
    pub hops: u32,
    /// When it was due, and in which queue it waited.
    pub was: Next,
    /// The number of this claim of the URL (1, 2, …), which names it. Becomes
    /// [`Version::fetch`](crate::version::Version::fetch).
    pub fetch: u64,
    /// Failed attempts since the URL was last due anew.
    pub attempts: u32,
    /// Nobody else gets the URL before this time.
    pub lease_until: Timestamp,
    /// The validators of the last good fetch.
    pub validators: Validators,
    /// The content of the last good fetch.
    pub content: Option<ContentHash>,
    /// What is known of the URL. `None`: it is due once.
    pub schedule: Option<PageSchedule>,
    /// The site's allowance after this claim, if it has one.
    pub allowance: Option<Allowance>,
    /// Number of requests to the site within the last ten minutes, this one included; an estimate.
    pub recent: u32,
}

/// What a call to claim brought.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Claimed {
    /// The claims.
    pub claims: Vec<Claim>,
    /// If there are fewer than asked for: when the next can be had, as far as is known now. `None`: nothing waits. What
    /// others add or complete meanwhile can be had sooner.
    pub next: Option<Timestamp>,
}

/// How a claim ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Completion {
    /// The URL is done, for good or until `next_due`.
    Done {
        /// The outcome, which is counted.
        outcome: Outcome,
        /// The content of a fetched page. If `None` and the outcome is `Unchanged`, the old one is kept.
        content: Option<ContentHash>,
        /// For the next conditional request.
        validators: Validators,
        /// When to fetch the URL again; `None`: never.
        next: Option<Next>,
        /// What is known of it now.
        schedule: Option<PageSchedule>,
    },
    /// No request was sent: the URL waits until another time, and the site's turn and token are given back.
    Skipped {
        /// When to fetch the URL; `None`: never.
        next: Option<Next>,
        /// What is known of it now.
        schedule: Option<PageSchedule>,
    },
    /// Try again later, in the same queue.
    Retry {
        /// The earliest time.
        due: Timestamp,
        /// Whether this attempt counts. A 429 or 503 with `Retry-After` does not.
        counts: bool,
        /// The whole site rests until this time.
        rest_site_until: Option<Timestamp>,
    },
    /// The claim is given back unused: the URL is due at once. The claim never happened, but its fetch number
    /// is spent.
    Released,
}

/// Whether a completion took effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completed {
    /// It did.
    Recorded,
    /// It did not: the lease had ended and the URL was claimed again, or it was completed before.
    Lost,
}

/// A URL's record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Its identity.
    pub url: CanonicalUrl,
    /// Smallest number of links away from the seed.
    pub depth: u32,
    /// The strongest reason.
    pub why: Why,
    /// Number of redirects in a row that led here.
    pub hops: u32,
    /// Number of claims so far.
    pub fetch: u64,
    /// Failed attempts since it was last due anew.
    pub attempts: u32,
    /// When the URL is due, or when its lease ends; `None`: it is done.
    pub due: Option<Timestamp>,
    /// Whether it is claimed now.
    pub leased: bool,
    /// The queue in which it waits, or waited last.
    pub class: Class,
    /// When it was last fetched or found unchanged, if it is scheduled.
    pub seen: Option<Timestamp>,
    /// What is known of it. `None`: it is due once.
    pub schedule: Option<PageSchedule>,
    /// The last outcome.
    pub outcome: Option<Outcome>,
    /// The content of the last good fetch.
    pub content: Option<ContentHash>,
    /// The validators for a conditional request.
    pub validators: Validators,
}

/// A site's record with its counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SiteStatus {
    /// Registrable domain.
    pub site: Site,
    /// Its settings, from the seed.
    pub settings: SiteSettings,
    /// Number of URLs with a record.
    pub urls: u64,
    /// Number of URLs that have left and are remembered.
    pub remembered: u64,
    /// Number of URLs that are due now or later and not leased.
    pub pending: u64,
    /// Number of URLs that are claimed now.
    pub leased: u64,
    /// The earliest due time of the pending URLs.
    pub next_due: Option<Timestamp>,
    /// When a URL of the site can be claimed next: it is due, it is the site's turn, and a token is there.
    /// `None`: never, or the site is paused.
    pub ready: Option<Timestamp>,
    /// The site's allowance, if it has one.
    pub allowance: Option<Allowance>,
    /// The site is not claimed before this time (delay or rest).
    pub turn: Timestamp,
    /// Number of URLs by last outcome.
    pub outcomes: BTreeMap<Outcome, u64>,
}

/// What is known of a page after its claim ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The page.
    pub url: CanonicalUrl,
    /// The claim that fetched it.
    pub fetch: u64,
    /// When that was.
    pub at: Timestamp,
    /// When to fetch it again; `None`: never.
    pub next: Option<Next>,
    /// What is known of it now.
    pub schedule: PageSchedule,
}

/// How fast a site may be asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pace {
    /// Requests a day; `None`: as many as the delay allows.
    pub per_day: Option<u64>,
    /// Least time between the starts of two requests that experience has taught, in milliseconds.
    pub delay_ms: u64,
    /// The site rests until then. A rest is never shortened.
    pub rest_until: Option<Timestamp>,
    /// Requests that were made beside claims, such as the hops of redirects. Each takes a token of the allowance.
    pub beside_claims: u32,
}

/// A URL that has left is forgotten when nobody has shown it for this many days. A site that shows its archive keeps it
/// known; forgetting by the day of discovery would fetch everything again.
pub const REMEMBERED_DAYS: u32 = 90;

/// The first claim of a URL that is added now gets the number after this one.
#[must_use]
pub fn first_fetch(now: Timestamp) -> u64 {
    u64::from(now.day()) * 1_000
}

/// What to fetch, when, and whose turn it is. Contract:
/// - A URL is its canonical form, known once per site. Adding it again changes only its depth (the smallest
///   wins) and its reason (the strongest wins), so adding is idempotent in any order.
/// - Exactly one crawler claims a due URL until its lease ends; then it is due again.
/// - At least a site's delay passes between two claims of the site, across all crawlers.
/// - A claim ends once: a completion after the lease went to another crawler is `Lost`.
/// - Of the URLs that are due, those whose lease has ended go first, then those of the first class; within a
///   class, the one that has been due longest. A site with an allowance spends a token on each claim, and a class
///   waits while there are fewer tokens than its [threshold](Class::threshold).
/// - A URL without a schedule is due once: its record stays when it is done.
/// - A scheduled URL that is not asked for again leaves: of it only a name of eight bytes is remembered, with the day
///   on which it was last added. It is known until nobody has added it for [`REMEMBERED_DAYS`]; [`Again::Now`] brings
///   it back.
/// - The number of a URL's claims grows for ever, also if it was forgotten and comes back: it begins at a thousand
///   times the day on which the URL is added.
/// - Budgets hold in any order: never more new URLs than `max_pages` within a day, which begins with the first of
///   them, and no URL deeper than `max_depth`. URLs of the last two classes are refused from half of the budget on.
#[async_trait]
pub trait Frontier: Send + Sync {
    /// Makes a site known or changes its settings.
    async fn put_site(&self, site: &Site, settings: &SiteSettings) -> StoreResult<()>;

    /// A site's settings; `None` if no seed named it.
    async fn site(&self, site: &Site) -> StoreResult<Option<SiteSettings>>;

    /// Forgets a site's URLs and settings. Its claims end as `Lost`.
    async fn remove_site(&self, site: &Site) -> StoreResult<()>;

    /// Adds URLs, due at `now`. URLs of several sites may be mixed; each site takes one call.
    async fn add(&self, urls: &[NewUrl], now: Timestamp) -> StoreResult<Added>;

    /// Claims up to `most` URLs of sites whose turn it is, at most one per site. Empty: no URL is due now.
    async fn claim(&self, now: Timestamp, lease: Duration, most: usize) -> StoreResult<Claimed>;

    /// Ends a claim.
    async fn complete(&self, claim: &Claim, completion: Completion, now: Timestamp)
    -> StoreResult<Completed>;

    /// Raises the site's delay to at least this (the `Crawl-delay` of robots.txt). Never lowers it.
    async fn raise_delay(&self, site: &Site, delay: Duration) -> StoreResult<()>;

    /// What a site's visits have taught, and the number of that value: 0 if there is none.
    async fn schedule(&self, site: &Site) -> StoreResult<(SiteSchedule, u64)>;

    /// Replaces what a site's visits have taught, and sets its pace. Returns whether it did: not if the value's
    /// number is no longer `expected`, or if no seed named the site.
    async fn put_schedule(
        &self,
        site: &Site,
        schedule: &SiteSchedule,
        expected: u64,
        pace: Pace,
        now: Timestamp,
    ) -> StoreResult<bool>;

    /// Notes what a fetched page turned out to be. Returns whether it did: not if the page is claimed, or was
    /// claimed again since, or is not known.
    async fn note(&self, note: &Note) -> StoreResult<bool>;

    /// Forgets a URL, whether it waits or has left: its claim ends as `Lost`, and adding it again is new. Returns
    /// whether it was known.
    async fn forget_url(&self, url: &CanonicalUrl) -> StoreResult<bool>;

    /// The day (UTC) on which a URL was last shown that has left and is remembered.
    async fn left(&self, url: &CanonicalUrl, now: Timestamp) -> StoreResult<Option<u32>>;

    /// A URL's record.
    async fn entry(&self, url: &CanonicalUrl) -> StoreResult<Option<Entry>>;

    /// All records of a site, by URL.
    async fn entries(&self, site: &Site) -> StoreResult<Vec<Entry>>;

    /// All sites, by name.
    async fn status(&self) -> StoreResult<Vec<SiteStatus>>;

    /// Ends all leases at once: the claimed URLs are due again. Only for an embedded engine at its start,
    /// when no other crawler can be alive. Returns how many leases it ended.
    async fn release_leases(&self, now: Timestamp) -> StoreResult<u64>;
}
