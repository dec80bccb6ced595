//! The frontier's tables and their relations.
//!
//! `sites` and `entries` hold the records, `schedules` what a site's visits have taught. `waiting` and `leases`
//! order a site's URLs by the time at which they may be claimed: waiting URLs by class and due time, claimed
//! ones by the end of their lease. `turns` orders the sites by the time at which they next have a URL to claim,
//! so a claim reads only what it hands out. Invariant: a URL that is not done is in exactly one of `waiting` and
//! `leases`. A site is in `turns` if it is not paused and has such a URL. [`Index::save`] keeps this: call it
//! after every change of a site.

use ::redb::{ReadableTable, Table, TableDefinition, WriteTransaction};

use super::records::{EntryRecord, SiteRecord, decode, decode_schedule, encode};
use crate::schedule::{Class, SiteSchedule};
use crate::store::StoreResult;
use crate::store::frontier::REMEMBERED_DAYS;
use newslode_page::reading::Site;
use newslode_page::time::Timestamp;

/// Site, number of the class, due time, URL.
pub(super) type WaitingKey = (&'static str, u8, u64, &'static str);
/// Site, end of the lease, URL.
pub(super) type LeaseKey = (&'static str, u64, &'static str);

pub(super) const SITES: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("frontier_sites");
pub(super) const ENTRIES: TableDefinition<'_, (&str, &str), &[u8]> = TableDefinition::new("frontier_entries");
pub(super) const SCHEDULES: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("frontier_schedules");
pub(super) const WAITING: TableDefinition<'_, WaitingKey, ()> = TableDefinition::new("frontier_waiting");
/// Site, name of a URL that has left → the day on which it was last shown.
pub(super) const REMEMBERED: TableDefinition<'_, (&str, u64), u32> =
    TableDefinition::new("frontier_remembered");
pub(super) const LEASES: TableDefinition<'_, LeaseKey, ()> = TableDefinition::new("frontier_leases");
/// Waiting URLs of all classes, as formats before 3 held them.
const DUE: TableDefinition<'_, LeaseKey, ()> = TableDefinition::new("frontier_due");
pub(super) const TURNS: TableDefinition<'_, (u64, &str), ()> = TableDefinition::new("frontier_turns");

/// Forgotten names that are dropped when one is added, at most.
const DROPPED_AT_ONCE: usize = 4;

/// Whether a URL that was last shown on this day is still remembered.
pub(super) fn is_living(day: u32, now: Timestamp) -> bool {
    day.saturating_add(REMEMBERED_DAYS) >= now.day()
}

/// The frontier's tables, open for writing.
pub(super) struct Index<'t> {
    sites: Table<'t, &'static str, &'static [u8]>,
    entries: Table<'t, (&'static str, &'static str), &'static [u8]>,
    schedules: Table<'t, &'static str, &'static [u8]>,
    waiting: Table<'t, WaitingKey, ()>,
    leases: Table<'t, LeaseKey, ()>,
    turns: Table<'t, (u64, &'static str), ()>,
    remembered: Table<'t, (&'static str, u64), u32>,
}

impl<'t> Index<'t> {
    pub(super) fn open(transaction: &'t WriteTransaction) -> StoreResult<Index<'t>> {
        Ok(Index {
            sites: transaction.open_table(SITES)?,
            entries: transaction.open_table(ENTRIES)?,
            schedules: transaction.open_table(SCHEDULES)?,
            waiting: transaction.open_table(WAITING)?,
            leases: transaction.open_table(LEASES)?,
            turns: transaction.open_table(TURNS)?,
            remembered: transaction.open_table(REMEMBERED)?,
        })
    }

    pub(super) fn site(&self, site: &str) -> StoreResult<Option<SiteRecord>> {
        self.sites.get(site)?.map(|bytes| decode(bytes.value())).transpose()
    }

    pub(super) fn entry(&self, site: &str, url: &str) -> StoreResult<Option<EntryRecord>> {
        self.entries.get((site, url))?.map(|bytes| decode(bytes.value())).transpose()
    }

    /// All records of a site.
    pub(super) fn entries_of(&self, site: &str) -> StoreResult<Vec<(String, EntryRecord)>> {
        let mut entries = Vec::new();
        for pair in self.entries.range((site, "")..(after(site).as_str(), ""))? {
            let (key, bytes) = pair?;
            entries.push((key.value().1.to_owned(), decode(bytes.value())?));
        }
        Ok(entries)
    }

    /// Writes a URL's record and moves it to its place in `waiting` or `leases`. `old` is the previous record.
    pub(super) fn put(
        &mut self,
        site: &str,
        url: &str,
        old: Option<&EntryRecord>,
        new: &EntryRecord,
    ) -> StoreResult<()> {
        if let Some(EntryRecord { due: Some(time), leased, class, .. }) = old {
            if *leased {
                self.leases.remove((site, time.0, url))?;
            } else {
                self.waiting.remove((site, class.number(), time.0, url))?;
            }
        }
        if let EntryRecord { due: Some(time), leased, class, .. } = new {
            if *leased {
                self.leases.insert((site, time.0, url), ())?;
            } else {
                self.waiting.insert((site, class.number(), time.0, url), ())?;
            }
        }
        self.entries.insert((site, url), encode(new)?.as_slice())?;
        Ok(())
    }

    /// Takes a URL out of all tables.
    pub(super) fn take(&mut self, site: &str, url: &str, old: &EntryRecord) -> StoreResult<()> {
        if let Some(time) = old.due {
            if old.leased {
                self.leases.remove((site, time.0, url))?;
            } else {
                self.waiting.remove((site, old.class.number(), time.0, url))?;
            }
        }
        self.entries.remove((site, url))?;
        Ok(())
    }

    /// Remembers a URL that leaves, and drops some of those that nobody has shown for long. Returns how many it
    /// dropped, or replaced.
    pub(super) fn remember(&mut self, site: &str, name: u64, now: Timestamp) -> StoreResult<u64> {
        let mut dropped = 0;
        for _ in 0..DROPPED_AT_ONCE {
            let next = self.remembered.range((site, name)..(site, u64::MAX))?.next().transpose()?;
            let Some((key, day)) = next.map(|(key, day)| (key.value().1, day.value())) else { break };
            if is_living(day, now) {
                break;
            }
            self.remembered.remove((site, key))?;
            dropped += 1;
        }
        let before = self.remembered.insert((site, name), now.day())?;
        Ok(dropped + u64::from(before.is_some()))
    }

    /// Notes that a URL which has left is shown. Returns whether it is remembered.
    pub(super) fn show(&mut self, site: &str, name: u64, now: Timestamp) -> StoreResult<bool> {
        let Some(day) = self.remembered.get((site, name))?.map(|day| day.value()) else { return Ok(false) };
        if is_living(day, now) && day < now.day() {
            self.remembered.insert((site, name), now.day())?;
        }
        Ok(is_living(day, now))
    }

    /// Forgets a URL that has left. Returns whether it was remembered.
    pub(super) fn forget(&mut self, site: &str, name: u64) -> StoreResult<bool> {
        Ok(self.remembered.remove((site, name))?.is_some())
    }

    /// Writes a site's record and moves it to its place in `turns`.
    pub(super) fn save(&mut self, site: &str, record: &mut SiteRecord) -> StoreResult<()> {
        if let Some(old) = record.ready {
            self.turns.remove((old.0, site))?;
        }
        record.ready = if record.settings.paused { None } else { self.when(site, record)? };
        if let Some(ready) = record.ready {
            self.turns.insert((ready.0, site), ())?;
        }
        self.sites.insert(site, encode(record)?.as_slice())?;
        Ok(())
    }

    /// When a URL of the site can be claimed next.
    fn when(&self, site: &str, record: &SiteRecord) -> StoreResult<Option<Timestamp>> {
        let mut times = Vec::new();
        if let Some((ends, _)) = self.first_lease(site)? {
            times.push(record.ready(Class::Listing, ends));
        }
        for class in Class::ALL {
            if let Some((due, _)) = first(&self.waiting, site, class)? {
                times.push(record.ready(class, due));
            }
        }
        Ok(times.into_iter().min())
    }

    /// The URL of a site that is claimed now, if one is.
    pub(super) fn next(
        &self,
        site: &str,
        record: &SiteRecord,
        now: Timestamp,
    ) -> StoreResult<Option<String>> {
        if let Some((ends, url)) = self.first_lease(site)?
            && record.ready(Class::Listing, ends) <= now
        {
            return Ok(Some(url));
        }
        for class in Class::ALL {
            if let Some((due, url)) = first(&self.waiting, site, class)?
                && due.max(record.turn()) <= now
                && record.affords(class, now)
            {
                return Ok(Some(url));
            }
        }
        Ok(None)
    }

    fn first_lease(&self, site: &str) -> StoreResult<Option<(Timestamp, String)>> {
        let end = after(site);
        let first = self.leases.range((site, 0, "")..(end.as_str(), 0, ""))?.next().transpose()?;
        Ok(first.map(|(key, _)| (Timestamp(key.value().1), key.value().2.to_owned())))
    }

    /// What a site's visits have taught, with its number.
    pub(super) fn schedule(&self, site: &str) -> StoreResult<(SiteSchedule, u64)> {
        read_schedule(&self.schedules, site)
    }

    /// Writes what a site's visits have taught.
    pub(super) fn put_schedule(
        &mut self,
        site: &str,
        schedule: &SiteSchedule,
        number: u64,
    ) -> StoreResult<()> {
        self.schedules.insert(site, encode(&(number, schedule))?.as_slice())?;
        Ok(())
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

    /// When a URL of any site can be claimed next.
    pub(super) fn first_turn(&self) -> StoreResult<Option<Timestamp>> {
        Ok(self.turns.first()?.map(|(turn, _)| Timestamp(turn.value().0)))
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
        self.schedules.remove(site)?;
        let end = after(site);
        self.entries.retain_in((site, "")..(end.as_str(), ""), |_, _| false)?;
        self.waiting.retain_in((site, 0, 0, "")..(end.as_str(), 0, 0, ""), |_, ()| false)?;
        self.leases.retain_in((site, 0, "")..(end.as_str(), 0, ""), |_, ()| false)?;
        self.remembered.retain_in((site, 0)..(end.as_str(), 0), |_, _| false)?;
        Ok(())
    }
}

/// The URL of a class that has been due longest.
pub(super) fn first(
    waiting: &impl ReadableTable<WaitingKey, ()>,
    site: &str,
    class: Class,
) -> StoreResult<Option<(Timestamp, String)>> {
    let number = class.number();
    let first = waiting.range((site, number, 0, "")..(site, number + 1, 0, ""))?.next().transpose()?;
    Ok(first.map(|(key, _)| (Timestamp(key.value().2), key.value().3.to_owned())))
}

/// What a site's visits have taught, with its number.
pub(super) fn read_schedule(
    schedules: &impl ReadableTable<&'static str, &'static [u8]>,
    site: &str,
) -> StoreResult<(SiteSchedule, u64)> {
    let held = schedules.get(site)?.map(|bytes| decode_schedule(bytes.value())).transpose()?;
    let (number, schedule) = held.unwrap_or_default();
    Ok((schedule, number))
}

/// Moves the waiting URLs of formats before 3 to their place: all of them wait to be fetched.
pub(super) fn upgrade(transaction: &WriteTransaction) -> StoreResult<()> {
    let mut waiting = transaction.open_table(WAITING)?;
    for pair in transaction.open_table(DUE)?.iter()? {
        let (key, ()) = (pair?.0, ());
        let (site, due, url) = key.value();
        waiting.insert((site, Class::New.number(), due, url), ())?;
    }
    transaction.delete_table(DUE)?;
    Ok(())
}

/// The first key after all that continue `text` with another part: the upper end of a site's range.
pub(super) fn after(text: &str) -> String {
    format!("{text}\0")
}
