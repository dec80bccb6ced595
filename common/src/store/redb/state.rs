//! Mined state in one file: counted versions, sites' counters and values; `sums.rs` has the cells.
//!
//! A site's counter is never removed. A forgotten site keeps its counter, marked as not listed, so that a
//! reader notices when the site comes back.

use std::collections::BTreeMap;

use ::redb::{
    ReadTransaction, ReadableTable, ReadableTableMetadata, Table as WriteTable, TableDefinition,
    WriteTransaction,
};
use async_trait::async_trait;
use bytes::Bytes;

use super::handle::RedbStore;
use super::log::{self as redb_log, Logs};
use super::sums::{self, Added};
use crate::store::change::counts_again;
use crate::store::error::long;
use crate::store::log::{self, History, Log};
use crate::store::wholes::{Judged, Wholes, merged};
use crate::store::{Applied, Change, SiteState, StoreError, StoreResult, Sums, bucket};
use crate::version::{ContentHash, Version};
use newslode_page::contribution::Table;
use newslode_page::reading::short::short_url;
use newslode_page::reading::{CanonicalUrl, Site};
use newslode_page::time::Timestamp;

/// Number of the site, URL as written under the site.
pub(super) type PageKey = (u32, &'static str);
/// Fetch number, content, day of the fetch.
pub(super) type StoredVersion = (u64, [u8; 16], u32);
/// Counter of the site's changes, whether the site is listed, and its number. Never removed, so that no
/// number is given twice.
pub(super) type StoredSite = (u64, bool, u32);

pub(super) const PAGES: TableDefinition<'_, PageKey, StoredVersion> = TableDefinition::new("state_pages");
pub(super) const COUNTERS: TableDefinition<'_, &str, StoredSite> = TableDefinition::new("state_counters");
pub(super) const VALUES: TableDefinition<'_, &str, (u64, &[u8])> = TableDefinition::new("values");

/// The tables, open for writing.
pub(super) struct State<'t> {
    sums: sums::SumTables<'t>,
    logs: Logs<'t>,
    pages: WriteTable<'t, PageKey, StoredVersion>,
    counters: WriteTable<'t, &'static str, StoredSite>,
    values: WriteTable<'t, &'static str, (u64, &'static [u8])>,
}

impl<'t> State<'t> {
    pub(super) fn open(transaction: &'t WriteTransaction) -> StoreResult<State<'t>> {
        Ok(State {
            sums: sums::SumTables::open(transaction)?,
            logs: Logs::open(transaction)?,
            pages: transaction.open_table(PAGES)?,
            counters: transaction.open_table(COUNTERS)?,
            values: transaction.open_table(VALUES)?,
        })
    }

    /// Counts a batch if all its changes count.
    fn apply(&mut self, site: &str, batch: &Batch) -> StoreResult<Judged> {
        let held = self.counters.get(site)?.map(|held| held.value());
        let (counter, _, number) = match held {
            Some(held) => held,
            None => (0, true, next_number(self.counters.len()?)?),
        };
        let (verdicts, newest) = self.judged(number, &batch.heads)?;
        if verdicts.iter().any(|verdict| *verdict != Applied::Applied) {
            return Ok(Judged { counted: false, verdicts });
        }
        for (url, head) in newest {
            self.pages.insert((number, url), (head.new.fetch, head.new.content.0, head.day))?;
        }
        let flips = self.sums.add(number, &batch.added)?;
        self.logs.append(batch.bucket, &batch.entry, &flips)?;
        self.counters.insert(site, (counter + 1, true, number))?;
        Ok(Judged { counted: true, verdicts })
    }

    /// The verdicts on the changes, and the last change that counts for each page.
    fn judged<'c>(
        &self,
        number: u32,
        heads: &'c [Head],
    ) -> StoreResult<(Vec<Applied>, BTreeMap<&'c str, &'c Head>)> {
        let mut verdicts = Vec::with_capacity(heads.len());
        let mut newest: BTreeMap<&str, &Head> = BTreeMap::new();
        for head in heads {
            let url = head.url.as_str();
            let stored = match newest.get(url) {
                Some(earlier) => Some(earlier.new),
                None => self.pages.get((number, url))?.map(|held| version(held.value())),
            };
            let verdict = judge(stored, head);
            if verdict == Applied::Applied {
                newest.insert(url, head);
            }
            verdicts.push(verdict);
        }
        Ok((verdicts, newest))
    }

    fn forget(&mut self, of: &Site) -> StoreResult<()> {
        let (bucket, site) = (bucket(of), of.as_str());
        let held = self.counters.get(site)?.map(|held| held.value());
        let Some((counter, _, number)) = held else { return Ok(()) };
        let flips = self.sums.forget(number)?;
        self.logs.strip(bucket, of)?;
        self.logs.append(bucket, &log::entry(site, &[]), &flips)?;
        self.pages.retain_in((number, "")..(number + 1, ""), |_, _| false)?;
        self.counters.insert(site, (counter + 1, false, number))?;
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

/// A change without its delta, as the writer receives it.
struct Head {
    url: String,
    expected: Option<Version>,
    new: Version,
    day: u32,
    again: bool,
}

/// Changes that are counted together.
struct Batch {
    heads: Vec<Head>,
    added: Added,
    bucket: u16,
    /// The entry of the log without its flips.
    entry: Vec<u8>,
}

impl Batch {
    fn of(site: &Site, changes: &[&Change]) -> StoreResult<Batch> {
        let head = |change: &&Change| Head {
            url: short_url(site.as_str(), &change.url).into_owned(),
            expected: change.expected,
            new: change.new,
            day: change.fetched_at.day(),
            again: change.again,
        };
        let sums = merged(changes);
        let entry = log::entry(site.as_str(), &log::note(site, changes, &sums)?);
        let heads = changes.iter().map(head).collect();
        Ok(Batch { heads, added: Added::of(sums.into_iter()), bucket: bucket(site), entry })
    }
}

/// Judges by version first: a late message is stale whatever it expected.
fn judge(stored: Option<Version>, head: &Head) -> Applied {
    let is_newer = |stored| counts_again(head.again, head.new, stored) || head.new.is_newer(stored);
    if stored.is_some_and(|stored| !is_newer(stored)) {
        Applied::Stale
    } else if stored != head.expected {
        Applied::Conflict(stored)
    } else {
        Applied::Applied
    }
}

fn version((fetch, content, _): StoredVersion) -> Version {
    Version { fetch, content: ContentHash(content) }
}

fn next_number(sites: u64) -> StoreResult<u32> {
    u32::try_from(sites).map_err(|_| StoreError::Refused("more sites than this store can number".into()))
}

/// The numbers of all sites.
pub(super) fn numbers(transaction: &WriteTransaction) -> StoreResult<Vec<u32>> {
    let counters = transaction.open_table(COUNTERS)?;
    counters.iter()?.map(|pair| Ok(pair?.1.value().2)).collect()
}

/// The number of a site; `None` if it never had a page.
fn number(transaction: &ReadTransaction, site: &Site) -> StoreResult<Option<u32>> {
    Ok(transaction.open_table(COUNTERS)?.get(site.as_str())?.map(|held| held.value().2))
}

/// The pages of a site with the days of their fetches, by URL.
fn pages(transaction: &ReadTransaction, site: &Site) -> StoreResult<Vec<(CanonicalUrl, Version, u32)>> {
    let Some(number) = number(transaction, site)? else { return Ok(Vec::new()) };
    let mut pages = Vec::new();
    for pair in transaction.open_table(PAGES)?.range((number, "")..(number + 1, ""))? {
        let (key, stored) = pair?;
        pages.push((long(site.as_str(), key.value().1)?, version(stored.value()), stored.value().2));
    }
    pages.sort_unstable_by(|one, other| one.0.cmp(&other.0));
    Ok(pages)
}

#[async_trait]
impl SiteState for RedbStore {
    async fn versions(&self, site: &Site, urls: &[CanonicalUrl]) -> StoreResult<Vec<Option<Version>>> {
        let (site, urls) = (site.clone(), urls.to_vec());
        self.read(move |transaction| {
            let Some(number) = number(transaction, &site)? else { return Ok(vec![None; urls.len()]) };
            let pages = transaction.open_table(PAGES)?;
            let mut versions = Vec::with_capacity(urls.len());
            for url in &urls {
                let held = pages.get((number, short_url(site.as_str(), url).as_ref()))?;
                versions.push(held.map(|held| version(held.value())));
            }
            Ok(versions)
        })
        .await
    }

    async fn apply(&self, site: &Site, changes: &[Change]) -> StoreResult<Vec<Applied>> {
        let mut wholes = Wholes::new(changes);
        while let Some(batch) = wholes.batch() {
            let (site, batch) = (site.clone(), Batch::of(site, &batch)?);
            let judged =
                self.write(move |transaction| State::open(transaction)?.apply(site.as_str(), &batch)).await?;
            wholes.take(&judged);
        }
        Ok(wholes.verdicts())
    }

    async fn sums(&self, site: &Site, tables: &[Table]) -> StoreResult<Sums> {
        Ok(self.snapshot(site, tables).await?.1)
    }

    async fn snapshot(&self, site: &Site, tables: &[Table]) -> StoreResult<(u64, Sums)> {
        let (site, tables) = (site.clone(), tables.to_vec());
        self.read(move |transaction| {
            let (_, position) = redb_log::places(transaction, bucket(&site))?;
            let sums = match number(transaction, &site)? {
                Some(number) => sums::read_sums(transaction, number, &tables)?,
                None => Sums::new(),
            };
            Ok((position, sums))
        })
        .await
    }

    async fn history(&self, site: &Site, homes: &[String]) -> StoreResult<History> {
        let (site, homes) = (site.clone(), homes.to_vec());
        self.read(move |transaction| {
            let (_, position) = redb_log::places(transaction, bucket(&site))?;
            let cells = match number(transaction, &site)? {
                Some(number) => sums::at_homes(transaction, number, &homes)?,
                None => Vec::new(),
            };
            Ok(History { position, cells })
        })
        .await
    }

    async fn log(&self, bucket: u16, after: u64, most: usize) -> StoreResult<Log> {
        self.read(move |transaction| redb_log::read_log(transaction, bucket, after, most)).await
    }

    async fn pages(&self, site: &Site) -> StoreResult<Vec<(CanonicalUrl, Version)>> {
        let site = site.clone();
        self.read(move |transaction| {
            let pages = pages(transaction, &site)?;
            Ok(pages.into_iter().map(|(url, version, _)| (url, version)).collect())
        })
        .await
    }

    async fn counted_before(
        &self,
        site: &Site,
        before: Timestamp,
    ) -> StoreResult<Vec<(CanonicalUrl, Version)>> {
        let site = site.clone();
        self.read(move |transaction| {
            let old = pages(transaction, &site)?
                .into_iter()
                .filter(|(_, version, day)| *day < before.day() && version.content != ContentHash::NONE);
            Ok(old.map(|(url, version, _)| (url, version)).collect())
        })
        .await
    }

    async fn sites(&self) -> StoreResult<Vec<(Site, u64)>> {
        self.read(|transaction| {
            let counters = transaction.open_table(COUNTERS)?;
            let mut sites = Vec::new();
            for pair in counters.iter()? {
                let (name, held) = pair?;
                if let (counter, true, _) = held.value() {
                    sites.push((Site::of_host(name.value()), counter));
                }
            }
            Ok(sites)
        })
        .await
    }

    async fn forget(&self, site: &Site) -> StoreResult<()> {
        let site = site.clone();
        self.write(move |transaction| State::open(transaction)?.forget(&site)).await
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

    fn renew(&self) {
        self.renew_snapshot();
    }

    /// A file that failed once refuses writes until it is opened again. An empty write finds that out.
    async fn ready(&self) -> StoreResult<()> {
        self.write(|_| Ok(())).await
    }
}
