//! Mined state: the sums of the pages' contributions, and values that miners keep beside them.
//!
//! Every change adds and subtracts integers under a page's version, so any order, duplication or repetition
//! ends in the same state. Start at [`SiteState::apply`].

use std::collections::BTreeMap;

use async_trait::async_trait;
use bytes::Bytes;

use super::change::{Applied, Change};
use super::error::StoreResult;
use super::log::{History, Log};
use crate::version::{ContentHash, Version};
use newslode_page::contribution::Table;
use newslode_page::reading::{CanonicalUrl, Site};
use newslode_page::time::Timestamp;

/// The cells of some tables of a site, by table and key. A table without cells may be absent.
pub type Sums = BTreeMap<Table, BTreeMap<String, i64>>;

/// The sums of the pages' contributions, one site at a time. Contract:
/// - `apply` is atomic for its batch, and changes are judged in order.
/// - A change that is not [newer](Change::is_newer) than the stored version is `Stale`. Otherwise, if the
///   stored version is not `expected`, it is a `Conflict`. Otherwise it counts: the version is stored and the
///   delta added.
/// - Any order, duplication or repetition of calls ends in the same cells and the same contents of versions.
/// - Cells that come to zero are gone. Sums wrap; they never saturate or round.
#[async_trait]
pub trait SiteState: Send + Sync {
    /// The counted versions of these pages, in this order.
    async fn versions(&self, site: &Site, urls: &[CanonicalUrl]) -> StoreResult<Vec<Option<Version>>>;

    /// Counts pages of one site.
    async fn apply(&self, site: &Site, changes: &[Change]) -> StoreResult<Vec<Applied>>;

    /// The cells of these tables of a site. Reads the site's state once, however many tables are asked for. Pages that
    /// are counted meanwhile may be in part of the answer.
    async fn sums(&self, site: &Site, tables: &[Table]) -> StoreResult<Sums>;

    /// The cells of one table of a site, by key.
    async fn cells(&self, site: &Site, table: Table) -> StoreResult<BTreeMap<String, i64>> {
        Ok(self.sums(site, &[table]).await?.remove(&table).unwrap_or_default())
    }

    /// The cells at these [homes](newslode_page::contribution::Cell::home) of a site, and the position of its bucket's log at which they are right. The
    /// empty home has the counters of the whole site.
    async fn history(&self, site: &Site, homes: &[String]) -> StoreResult<History>;

    /// The same as [`sums`](SiteState::sums), of one moment, with the position of the log at which they are right. If pages are
    /// counted meanwhile, the store may have to stop for as long as it takes to read the site.
    async fn snapshot(&self, site: &Site, tables: &[Table]) -> StoreResult<(u64, Sums)>;

    /// The log of a bucket after a position, at most `most` entries. Each call that counts a page, or forgets a site, appends
    /// one entry.
    async fn log(&self, bucket: u16, after: u64, most: usize) -> StoreResult<Log>;

    /// The pages that were ever counted, by URL, including removed ones (content `NONE`).
    async fn pages(&self, site: &Site) -> StoreResult<Vec<(CanonicalUrl, Version)>>;

    /// The pages that still count and were fetched on a day (UTC) before the day of `before`, by URL.
    async fn counted_before(
        &self,
        site: &Site,
        before: Timestamp,
    ) -> StoreResult<Vec<(CanonicalUrl, Version)>>;

    /// All sites by name, each with a counter that grows whenever a cell of the site changes.
    async fn sites(&self) -> StoreResult<Vec<(Site, u64)>>;

    /// Forgets a site's cells and versions. Its bucket's log goes on; of the site's entries the flips are left.
    async fn forget(&self, site: &Site) -> StoreResult<()>;

    /// A versioned value (the taxonomy, a follow plan, a site's templates); `None` if never put.
    async fn value(&self, name: &str) -> StoreResult<Option<(u64, Bytes)>>;

    /// Puts a value if its stored version is still `expected` (`None`: there is no value yet). Returns the
    /// new version, or `None` if another writer was first.
    async fn put_value(&self, name: &str, expected: Option<u64>, bytes: Bytes) -> StoreResult<Option<u64>>;

    /// Lets a reader that works on a snapshot take a new one at its next call. All other stores always show the newest state and do nothing.
    fn renew(&self) {}

    /// Whether the store can be used now. The error names what a person must fix.
    async fn ready(&self) -> StoreResult<()>;

    /// The name of the current run of the store's server, which changes with a restart. A restarted server
    /// may have lost its last writes, but never a write without those after it. An embedded store always
    /// returns the same name.
    async fn incarnation(&self) -> StoreResult<String> {
        Ok("embedded".into())
    }

    /// Memory of the store's server, or of the fullest one of a cluster; `None` for an embedded store.
    async fn memory(&self) -> StoreResult<Option<Memory>> {
        Ok(None)
    }
}

/// Memory of a store's server, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// Memory in use.
    pub used: u64,
    /// Its limit: as configured, otherwise the memory of the machine.
    pub limit: u64,
}

/// A digest of all mined state of a site: its cells, and the URLs and contents of its pages. Fetch numbers
/// count attempts and are not part of it. Two stores with equal digests hold the same mined state.
pub async fn state_digest(state: &dyn SiteState, site: &Site) -> StoreResult<ContentHash> {
    let mut hasher = blake3::Hasher::new();
    for (table, cells) in state.sums(site, Table::ALL).await? {
        for (key, count) in cells {
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
