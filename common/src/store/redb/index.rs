//! The frontier's tables and their relations.
//!
//! `sites` and `entries` hold the records. `due` and `leases` order a site's URLs by the time at which they
//! may be claimed: the due time of waiting URLs, the end of the lease of claimed ones. `turns` orders the
//! sites by the time at which they next have a URL to claim, so a claim reads only what it hands out.
//! Invariant: a URL that is not done is in exactly one of `due` and `leases`. A site is in `turns` if it is
//! not paused and has such a URL. [`Index::save`] keeps this: call it after every change of a site.

use ::redb::{ReadableTable, Table, TableDefinition, WriteTransaction};

use super::after;
use super::records::{EntryRecord, SiteRecord, decode, encode};
use crate::store::StoreResult;
use newslode_page::reading::Site;
use newslode_page::time::Timestamp;

pub(super) type Queue<'d> = TableDefinition<'d, (&'static str, u64, &'static str), ()>;

pub(super) const SITES: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("frontier_sites");
pub(super) const ENTRIES: TableDefinition<'_, (&str, &str), &[u8]> = TableDefinition::new("frontier_entries");
pub(super) const DUE: Queue<'_> = TableDefinition::new("frontier_due");
const LEASES: Queue<'_> = TableDefinition::new("frontier_leases");
const TURNS: TableDefinition<'_, (u64, &str), ()> = TableDefinition::new("frontier_turns");

/// The frontier's tables, open for writing.
pub(super) struct Index<'t> {
    sites: Table<'t, &'static str, &'static [u8]>,
    entries: Table<'t, (&'static str, &'static str), &'static [u8]>,
    due: Table<'t, (&'static str, u64, &'static str), ()>,
    leases: Table<'t, (&'static str, u64, &'static str), ()>,
    turns: Table<'t, (u64, &'static str), ()>,
}

impl<'t> Index<'t> {
    pub(super) fn open(transaction: &'t WriteTransaction) -> StoreResult<Index<'t>> {
        Ok(Index {
            sites: transaction.open_table(SITES)?,
            entries: transaction.open_table(ENTRIES)?,
            due: transaction.open_table(DUE)?,
            leases: transaction.open_table(LEASES)?,
            turns: transaction.open_table(TURNS)?,
        })
    }

    pub(super) fn site(&self, site: &str) -> StoreResult<Option<SiteRecord>> {
        self.sites.get(site)?.map(|bytes| decode(bytes.value())).transpose()
    }

    pub(super) fn entry(&self, site: &str, url: &str) -> StoreResult<Option<EntryRecord>> {
        self.entries.get((site, url))?.map(|bytes| decode(bytes.value())).transpose()
    }

    /// Writes a URL's record and moves it to its place in `due` or `leases`. `old` is the previous record.
    pub(super) fn put(
        &mut self,
        site: &str,
        url: &str,
        old: Option<&EntryRecord>,
        new: &EntryRecord,
    ) -> StoreResult<()> {
        if let Some(EntryRecord { due: Some(time), leased, .. }) = old {
            self.queue(*leased).remove((site, time.0, url))?;
        }
        if let EntryRecord { due: Some(time), leased, .. } = new {
            self.queue(*leased).insert((site, time.0, url), ())?;
        }
        self.entries.insert((site, url), encode(new)?.as_slice())?;
        Ok(())
    }

    fn queue(&mut self, leased: bool) -> &mut Table<'t, (&'static str, u64, &'static str), ()> {
        if leased { &mut self.leases } else { &mut self.due }
    }

    /// Writes a site's record and moves it to its place in `turns`.
    pub(super) fn save(&mut self, site: &str, record: &mut SiteRecord) -> StoreResult<()> {
        if let Some(old) = record.ready {
            self.turns.remove((old.0, site))?;
        }
        let next = if record.settings.paused { None } else { self.next(site)? };
        record.ready = next.map(|(time, _)| time.max(record.turn()));
        if let Some(ready) = record.ready {
            self.turns.insert((ready.0, site), ())?;
        }
        self.sites.insert(site, encode(record)?.as_slice())?;
        Ok(())
    }

    /// The first URL of a site that may be claimed, and when.
    pub(super) fn next(&self, site: &str) -> StoreResult<Option<(Timestamp, String)>> {
        let waiting = first(&self.due, site)?;
        let leased = first(&self.leases, site)?;
        Ok(waiting.into_iter().chain(leased).min())
    }

    /// Sites whose turn it is, the longest waiting first.
    pub(super) fn ready(&self, now: Timestamp, most: usize) -> StoreResult<Vec<String>> {
        let mut sites = Vec::new();
        // The range ends before the first name of the next millisecond, so it includes every turn at `now`.
        for turn in self.turns.range((0, "")..(now.0.saturating_add(1), ""))?.take(most) {
            sites.push(turn?.0.value().1.to_owned());
        }
        Ok(sites)
    }

    /// All claimed URLs, by site.
    pub(super) fn leased(&self) -> StoreResult<Vec<(String, String)>> {
        let mut leased = Vec::new();
        for lease in self.leases.iter()? {
            let (key, _) = lease?;
            let (site, _, url) = key.value();
            leased.push((site.to_owned(), url.to_owned()));
        }
        Ok(leased)
    }

    /// Takes a site out of all tables.
    pub(super) fn remove(&mut self, site: &Site) -> StoreResult<()> {
        let site = site.as_str();
        if let Some(SiteRecord { ready: Some(ready), .. }) = self.site(site)? {
            self.turns.remove((ready.0, site))?;
        }
        self.sites.remove(site)?;
        let end = after(site);
        self.entries.retain_in((site, "")..(end.as_str(), ""), |_, _| false)?;
        for queue in [&mut self.due, &mut self.leases] {
            queue.retain_in((site, 0, "")..(end.as_str(), 0, ""), |_, ()| false)?;
        }
        Ok(())
    }
}

/// The earliest entry of a site in `due` or `leases`.
pub(super) fn first(
    queue: &impl ReadableTable<(&'static str, u64, &'static str), ()>,
    site: &str,
) -> StoreResult<Option<(Timestamp, String)>> {
    let end = after(site);
    let first = queue.range((site, 0, "")..(end.as_str(), 0, ""))?.next().transpose()?;
    Ok(first.map(|(key, _)| (Timestamp(key.value().1), key.value().2.to_owned())))
}
