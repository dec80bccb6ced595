//! The mined state's side of the file.

use std::collections::BTreeMap;

use ::redb::{ReadableTable, Table, WriteTransaction};
use async_trait::async_trait;
use bytes::Bytes;

use super::tables::{CELLS, CHANGES, LAST, PAGES, VALUES};
use super::{RedbStore, broken};
use crate::contribution::{self, Cell};
use crate::page::{CanonicalUrl, Site};
use crate::store::{Applied, Change, SiteState, StoreError, StoreResult};
use crate::version::{ContentHash, Version};

type Pages<'t> = Table<'t, (&'static str, &'static str), (u64, [u8; 16])>;
type Cells<'t> = Table<'t, (&'static str, &'static str), i64>;

fn cell_key(cell: &Cell) -> String {
    format!("{}{}", cell.table.code(), cell.key)
}

/// One change against what is stored; the order of the two questions is the contract's.
fn judge(site: &Site, change: &Change, pages: &mut Pages<'_>, cells: &mut Cells<'_>) -> StoreResult<Applied> {
    let key = (site.as_str(), change.url.as_str());
    let stored = pages.get(key).map_err(broken)?.map(|found| {
        let (fetch, content) = found.value();
        Version { fetch, content: ContentHash(content) }
    });
    if stored.is_some_and(|version| change.new.fetch <= version.fetch) {
        return Ok(Applied::Stale);
    }
    if stored != change.expected {
        return Ok(Applied::Conflict(stored));
    }
    for (cell, by) in change.delta.iter() {
        let key = cell_key(cell);
        let key = (site.as_str(), key.as_str());
        let sum = cells.get(key).map_err(broken)?.map_or(0, |held| held.value()).wrapping_add(by);
        if sum == 0 {
            cells.remove(key).map_err(broken)?;
        } else {
            cells.insert(key, sum).map_err(broken)?;
        }
    }
    pages.insert(key, (change.new.fetch, change.new.content.0)).map_err(broken)?;
    Ok(Applied::Applied)
}

fn apply(txn: &WriteTransaction, site: &Site, changes: &[Change]) -> StoreResult<Vec<Applied>> {
    let mut pages = txn.open_table(PAGES).map_err(broken)?;
    let mut cells = txn.open_table(CELLS).map_err(broken)?;
    let mut results = Vec::with_capacity(changes.len());
    let (mut changed, mut counted) = (false, false);
    for change in changes {
        let result = judge(site, change, &mut pages, &mut cells)?;
        counted |= result == Applied::Applied;
        changed |= result == Applied::Applied && !change.delta.is_empty();
        results.push(result);
    }
    let mut counters = txn.open_table(CHANGES).map_err(broken)?;
    let counter = counters.get(site.as_str()).map_err(broken)?.map(|held| held.value());
    if changed || (counted && counter.is_none()) {
        counters.insert(site.as_str(), counter.unwrap_or(0) + u64::from(changed)).map_err(broken)?;
    }
    Ok(results)
}

/// Forgets a range of a table whose keys begin with the site.
pub(super) fn clear<V: ::redb::Value + 'static>(
    table: &mut Table<'_, (&'static str, &'static str), V>,
    site: &str,
) -> StoreResult<()> {
    table.retain_in((site, "")..(site, LAST), |_, _| false).map_err(broken)
}

#[async_trait]
impl SiteState for RedbStore {
    async fn versions(&self, site: &Site, urls: &[CanonicalUrl]) -> StoreResult<Vec<Option<Version>>> {
        let (site, urls) = (site.clone(), urls.to_vec());
        self.read(move |txn| {
            let table = txn.open_table(PAGES).map_err(broken)?;
            let mut versions = Vec::with_capacity(urls.len());
            for url in &urls {
                let found = table.get((site.as_str(), url.as_str())).map_err(broken)?;
                versions.push(found.map(|found| {
                    let (fetch, content) = found.value();
                    Version { fetch, content: ContentHash(content) }
                }));
            }
            Ok(versions)
        })
        .await
    }

    async fn apply(&self, site: &Site, changes: &[Change]) -> StoreResult<Vec<Applied>> {
        let (site, changes) = (site.clone(), changes.to_vec());
        self.write(move |txn| apply(txn, &site, &changes)).await
    }

    async fn cells(&self, site: &Site, table: contribution::Table) -> StoreResult<BTreeMap<String, i64>> {
        let site = site.clone();
        self.read(move |txn| {
            let cells = txn.open_table(CELLS).map_err(broken)?;
            let first = table.code().to_string();
            let last = format!("{}{LAST}", table.code());
            let mut found = BTreeMap::new();
            for entry in cells
                .range((site.as_str(), first.as_str())..(site.as_str(), last.as_str()))
                .map_err(broken)?
            {
                let (key, count) = entry.map_err(broken)?;
                found.insert(key.value().1[1..].to_string(), count.value());
            }
            Ok(found)
        })
        .await
    }

    async fn pages(&self, site: &Site) -> StoreResult<Vec<(CanonicalUrl, Version)>> {
        let site = site.clone();
        self.read(move |txn| {
            let table = txn.open_table(PAGES).map_err(broken)?;
            let mut pages = Vec::new();
            for entry in table.range((site.as_str(), "")..(site.as_str(), LAST)).map_err(broken)? {
                let (key, value) = entry.map_err(broken)?;
                let url = key.value().1.parse().map_err(|_| StoreError::Corrupt("a page's URL".into()))?;
                let (fetch, content) = value.value();
                pages.push((url, Version { fetch, content: ContentHash(content) }));
            }
            Ok(pages)
        })
        .await
    }

    async fn sites(&self) -> StoreResult<Vec<(Site, u64)>> {
        self.read(|txn| {
            let table = txn.open_table(CHANGES).map_err(broken)?;
            let mut sites = Vec::new();
            for entry in table.iter().map_err(broken)? {
                let (site, counter) = entry.map_err(broken)?;
                sites.push((Site::of_host(site.value()), counter.value()));
            }
            Ok(sites)
        })
        .await
    }

    async fn forget(&self, site: &Site) -> StoreResult<()> {
        let site = site.clone();
        self.write(move |txn| {
            clear(&mut txn.open_table(CELLS).map_err(broken)?, site.as_str())?;
            clear(&mut txn.open_table(PAGES).map_err(broken)?, site.as_str())?;
            txn.open_table(CHANGES).map_err(broken)?.remove(site.as_str()).map_err(broken)?;
            Ok(())
        })
        .await
    }

    async fn value(&self, name: &str) -> StoreResult<Option<(u64, Bytes)>> {
        let name = name.to_string();
        self.read(move |txn| {
            let table = txn.open_table(VALUES).map_err(broken)?;
            let found = table.get(name.as_str()).map_err(broken)?;
            Ok(found.map(|found| (found.value().0, Bytes::copy_from_slice(found.value().1))))
        })
        .await
    }

    async fn put_value(&self, name: &str, expected: Option<u64>, bytes: Bytes) -> StoreResult<Option<u64>> {
        let name = name.to_string();
        self.write(move |txn| {
            let mut table = txn.open_table(VALUES).map_err(broken)?;
            let held = table.get(name.as_str()).map_err(broken)?.map(|found| found.value().0);
            if held != expected {
                return Ok(None);
            }
            let version = held.unwrap_or(0) + 1;
            table.insert(name.as_str(), (version, bytes.as_ref())).map_err(broken)?;
            Ok(Some(version))
        })
        .await
    }

    async fn ready(&self) -> StoreResult<()> {
        self.read(|txn| txn.open_table(CHANGES).map(|_| ()).map_err(broken)).await
    }
}
