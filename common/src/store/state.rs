//! What is mined: the sums of the pages' contributions, and values that miners keep beside them.
//!
//! Every change is addition and subtraction of integers under a page's version, so that any order,
//! duplication or repetition ends in the same state. Start at [`SiteState::apply`].

use std::collections::BTreeMap;

use async_trait::async_trait;
use bytes::Bytes;

use super::StoreResult;
use crate::version::{ContentHash, Version};
use newslode_page::contribution::{Delta, Table};
use newslode_page::reading::{CanonicalUrl, Site};
use newslode_page::time::Timestamp;

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
    /// When that version was fetched; kept to the day, for [`SiteState::counted_before`].
    pub fetched_at: Timestamp,
    /// New contribution − old contribution.
    pub delta: Delta,
    /// The same fetch is counted again, as other algorithms see it: `new` takes the place of another version
    /// of its own fetch, if that still counts.
    pub again: bool,
}

impl Change {
    /// Whether it takes the place of a stored version.
    #[must_use]
    pub fn is_newer(&self, stored: Version) -> bool {
        counts_again(self.again, self.new, stored) || self.new.is_newer(stored)
    }
}

/// Whether `new` is what other algorithms see in the fetch that `stored` counts.
pub(super) fn counts_again(again: bool, new: Version, stored: Version) -> bool {
    let counts = |version: Version| version.content != ContentHash::NONE;
    again && new.fetch == stored.fetch && new.content != stored.content && counts(new) && counts(stored)
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
/// - a change is judged first by version (not [newer](Change::is_newer) than the stored one: `Stale`), then
///   by `expected` (differs: `Conflict`), else counted: the version is stored and the delta added;
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

    /// Those of them that count something and were fetched on a day (UTC) before the day of `before`, by URL.
    async fn counted_before(
        &self,
        site: &Site,
        before: Timestamp,
    ) -> StoreResult<Vec<(CanonicalUrl, Version)>>;

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
