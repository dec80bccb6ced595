//! The tables of the file and their records.
//!
//! Keys are tuples that begin with the site, so a site is one range of each table. Records are in the
//! wire form behind one byte of version.

use ::redb::{TableDefinition, WriteTransaction};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

use super::broken;
use crate::message::wire;
use crate::outcome::Outcome;
use crate::store::{SiteSettings, StoreError, StoreResult};
use crate::time::Timestamp;

/// Site → [`SiteRecord`].
pub(super) const SITES: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("frontier.sites");
/// (site, URL) → [`Entry`](crate::store::Entry).
pub(super) const URLS: TableDefinition<'_, (&str, &str), &[u8]> = TableDefinition::new("frontier.urls");
/// (site, due, URL): not claimed.
pub(super) const DUE: TableDefinition<'_, (&str, u64, &str), ()> = TableDefinition::new("frontier.due");
/// (site, lease's end, URL): claimed.
pub(super) const LEASES: TableDefinition<'_, (&str, u64, &str), ()> = TableDefinition::new("frontier.leases");
/// (time, site): when something of the site may be claimed.
pub(super) const READY: TableDefinition<'_, (u64, &str), ()> = TableDefinition::new("frontier.ready");
/// (site, table's code and key) → count.
pub(super) const CELLS: TableDefinition<'_, (&str, &str), i64> = TableDefinition::new("state.cells");
/// (site, URL) → (fetch, content).
pub(super) const PAGES: TableDefinition<'_, (&str, &str), (u64, [u8; 16])> =
    TableDefinition::new("state.pages");
/// Site → change counter.
pub(super) const CHANGES: TableDefinition<'_, &str, u64> = TableDefinition::new("state.changes");
/// Name → (version, bytes).
pub(super) const VALUES: TableDefinition<'_, &str, (u64, &[u8])> = TableDefinition::new("state.values");
/// (kind, content) → (put at, zstd bytes).
pub(super) const ARCHIVE: TableDefinition<'_, (u8, [u8; 16]), (u64, &[u8])> = TableDefinition::new("archive");

/// Makes sure that every table is there, so that readers need not ask.
pub(super) fn create(txn: &WriteTransaction) -> StoreResult<()> {
    txn.open_table(SITES).map_err(broken)?;
    txn.open_table(URLS).map_err(broken)?;
    txn.open_table(DUE).map_err(broken)?;
    txn.open_table(LEASES).map_err(broken)?;
    txn.open_table(READY).map_err(broken)?;
    txn.open_table(CELLS).map_err(broken)?;
    txn.open_table(PAGES).map_err(broken)?;
    txn.open_table(CHANGES).map_err(broken)?;
    txn.open_table(VALUES).map_err(broken)?;
    txn.open_table(ARCHIVE).map_err(broken)?;
    Ok(())
}

/// A site in the frontier.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SiteRecord {
    pub(super) settings: SiteSettings,
    /// Nothing is claimed before then.
    pub(super) turn: Timestamp,
    pub(super) urls: u64,
    pub(super) pending: u64,
    pub(super) leased: u64,
    pub(super) outcomes: BTreeMap<Outcome, u64>,
    /// Where it stands in [`READY`].
    pub(super) ready: Option<u64>,
}

const RECORD_VERSION: u8 = 1;

pub(super) fn pack(record: &impl Serialize) -> StoreResult<Vec<u8>> {
    let mut bytes = vec![RECORD_VERSION];
    bytes.extend(wire::encode(record).map_err(|error| StoreError::Corrupt(error.to_string()))?);
    Ok(bytes)
}

pub(super) fn unpack<T: DeserializeOwned>(bytes: &[u8]) -> StoreResult<T> {
    match bytes {
        [RECORD_VERSION, body @ ..] => {
            wire::decode(body).map_err(|error| StoreError::Corrupt(error.to_string()))
        }
        _ => Err(StoreError::Corrupt("a record of another version; it was written by another build".into())),
    }
}

/// The end of a site's range: no URL or key begins with this character.
pub(super) const LAST: &str = "\u{10ffff}";
