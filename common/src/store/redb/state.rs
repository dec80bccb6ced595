//! Mined state in one file: cells, counted versions, sites' counters and values.
//!
//! A site's counter is never taken away: a forgotten site keeps it, marked as not listed, so that who
//! read the site before notices when it comes back.

use std::collections::BTreeMap;

use ::redb::{ReadableTable, Table as Held, TableDefinition, WriteTransaction};
use async_trait::async_trait;
use bytes::Bytes;

use super::records::url;
use super::{RedbStore, after};
use crate::contribution::{Cell, Table};
use crate::page::{CanonicalUrl, Site};
use crate::store::{Applied, Change, SiteState, StoreError, StoreResult};
use crate::version::{ContentHash, Version};

type CellKey = (&'static str, char, &'static str);
type StoredVersion = (u64, [u8; 16]);

const CELLS: TableDefinition<'_, CellKey, i64> = TableDefinition::new("state_cells");
const PAGES: TableDefinition<'_, (&str, &str), StoredVersion> = TableDefinition::new("state_pages");
/// Site → counter of its changes, whether the site is listed.
const COUNTERS: TableDefinition<'_, &str, (u64, bool)> = TableDefinition::new("state_counters");
const VALUES: TableDefinition<'_, &str, (u64, &[u8])> = TableDefinition::new("values");

/// The tables, open for writing.
pub(super) struct State<'t> {
    cells: Held<'t, CellKey, i64>,
    pages: Held<'t, (&'static str, &'static str), StoredVersion>,
    counters: Held<'t, &'static str, (u64, bool)>,
    values: Held<'t, &'static str, (u64, &'static [u8])>,
}

impl<'t> State<'t> {
    pub(super) fn open(transaction: &'t WriteTransaction) -> StoreResult<State<'t>> {
        Ok(State {
            cells: transaction.open_table(CELLS)?,
            pages: transaction.open_table(PAGES)?,
            counters: transaction.open_table(COUNTERS)?,
            values: transaction.open_table(VALUES)?,
        })
    }

    fn apply(&mut self, site: &str, changes: &[Change]) -> StoreResult<Vec<Applied>> {
        let mut verdicts = Vec::with_capacity(changes.len());
        for change in changes {
            let stored = self.pages.get((site, change.url.as_str()))?.map(|held| version(held.value()));
            let verdict = judge(stored, change);
            if verdict == Applied::Applied {
                let held = (change.new.fetch, change.new.content.0);
                self.pages.insert((site, change.url.as_str()), held)?;
                for (cell, by) in change.delta.iter() {
                    self.add(site, cell, by)?;
                }
            }
            verdicts.push(verdict);
        }
        if verdicts.contains(&Applied::Applied) {
            let counter = self.counters.get(site)?.map_or(0, |held| held.value().0);
            self.counters.insert(site, (counter + 1, true))?;
        }
        Ok(verdicts)
    }

    fn add(&mut self, site: &str, cell: &Cell, by: i64) -> StoreResult<()> {
        let key = (site, cell.table.code(), cell.key.as_str());
        let held = self.cells.get(key)?.map_or(0, |held| held.value());
        let sum = held.wrapping_add(by);
        if sum == 0 {
            self.cells.remove(key)?;
        } else {
            self.cells.insert(key, sum)?;
        }
        Ok(())
    }

    fn forget(&mut self, site: &str) -> StoreResult<()> {
        let end = after(site);
        self.cells.retain_in((site, '\0', "")..(end.as_str(), '\0', ""), |_, _| false)?;
        self.pages.retain_in((site, "")..(end.as_str(), ""), |_, _| false)?;
        let counter = self.counters.get(site)?.map(|held| held.value().0);
        if let Some(counter) = counter {
            self.counters.insert(site, (counter + 1, false))?;
        }
        Ok(())
    }

    fn put_value(&mut self, name: &str, expected: Option<u64>, bytes: &[u8]) -> StoreResult<Option<u64>> {
        let held = self.values.get(name)?.map(|held| held.value().0);
        if held != expected {
            return Ok(None);
        }
        let next = held.unwrap_or(0) + 1;
        self.values.insert(name, (next, bytes))?;
        Ok(Some(next))
    }
}

/// By version first: a late message is stale whatever it expected.
fn judge(stored: Option<Version>, change: &Change) -> Applied {
    if stored.is_some_and(|stored| change.new.fetch <= stored.fetch) {
        Applied::Stale
    } else if stored != change.expected {
        Applied::Conflict(stored)
    } else {
        Applied::Applied
    }
}

fn version((fetch, content): StoredVersion) -> Version {
    Version { fetch, content: ContentHash(content) }
}

#[async_trait]
impl SiteState for RedbStore {
    async fn versions(&self, site: &Site, urls: &[CanonicalUrl]) -> StoreResult<Vec<Option<Version>>> {
        let (site, urls) = (site.clone(), urls.to_vec());
        self.read(move |transaction| {
            let pages = transaction.open_table(PAGES)?;
            let mut versions = Vec::with_capacity(urls.len());
            for url in &urls {
                let held = pages.get((site.as_str(), url.as_str()))?;
                versions.push(held.map(|held| version(held.value())));
            }
            Ok(versions)
        })
        .await
    }

    async fn apply(&self, site: &Site, changes: &[Change]) -> StoreResult<Vec<Applied>> {
        let (site, changes) = (site.clone(), changes.to_vec());
        self.write(move |transaction| State::open(transaction)?.apply(site.as_str(), &changes)).await
    }

    async fn cells(&self, site: &Site, table: Table) -> StoreResult<BTreeMap<String, i64>> {
        let site = site.clone();
        self.read(move |transaction| {
            let held = transaction.open_table(CELLS)?;
            let (site, code) = (site.as_str(), table.code());
            // Codes are ASCII letters, so the next character is one past the table.
            let next = char::from_u32(u32::from(code) + 1).unwrap_or(char::MAX);
            let mut cells = BTreeMap::new();
            for pair in held.range((site, code, "")..(site, next, ""))? {
                let (key, sum) = pair?;
                cells.insert(key.value().2.to_owned(), sum.value());
            }
            Ok(cells)
        })
        .await
    }

    async fn pages(&self, site: &Site) -> StoreResult<Vec<(CanonicalUrl, Version)>> {
        let site = site.clone();
        self.read(move |transaction| {
            let held = transaction.open_table(PAGES)?;
            let mut pages = Vec::new();
            for pair in held.range((site.as_str(), "")..(after(site.as_str()).as_str(), ""))? {
                let (key, stored) = pair?;
                pages.push((url(key.value().1)?, version(stored.value())));
            }
            Ok(pages)
        })
        .await
    }

    async fn sites(&self) -> StoreResult<Vec<(Site, u64)>> {
        self.read(|transaction| {
            let counters = transaction.open_table(COUNTERS)?;
            let mut sites = Vec::new();
            for pair in counters.iter()? {
                let (name, held) = pair?;
                if let (counter, true) = held.value() {
                    sites.push((Site::of_host(name.value()), counter));
                }
            }
            Ok(sites)
        })
        .await
    }

    async fn forget(&self, site: &Site) -> StoreResult<()> {
        let site = site.clone();
        self.write(move |transaction| State::open(transaction)?.forget(site.as_str())).await
    }

    async fn value(&self, name: &str) -> StoreResult<Option<(u64, Bytes)>> {
        let name = name.to_owned();
        self.read(move |transaction| {
            let held = transaction.open_table(VALUES)?.get(name.as_str())?;
            Ok(held.map(|held| {
                let (version, bytes) = held.value();
                (version, Bytes::copy_from_slice(bytes))
            }))
        })
        .await
    }

    async fn put_value(&self, name: &str, expected: Option<u64>, bytes: Bytes) -> StoreResult<Option<u64>> {
        let name = name.to_owned();
        self.write(move |transaction| State::open(transaction)?.put_value(&name, expected, &bytes)).await
    }

    /// A file that failed once refuses until it was opened again; an empty write finds that out.
    async fn ready(&self) -> StoreResult<()> {
        self.write(|_| Ok(())).await.map_err(|error| match error {
            StoreError::Corrupt(what) => StoreError::Refused(what),
            error => error,
        })
    }
}
