//! A site's place in the schedule: its record, its due and leased URLs, and when it is looked at next.
//!
//! Every change of a URL goes through [`Schedule::put`], which keeps the indices and the counts of the
//! site's record in step with the entry; [`Schedule::save`] moves the site in the index of ready sites.

use ::redb::{ReadableTable, Table, WriteTransaction};

use super::broken;
use super::tables::{DUE, LAST, LEASES, READY, SITES, SiteRecord, URLS, pack, unpack};
use crate::page::{CanonicalUrl, Site};
use crate::store::{Entry, StoreError, StoreResult};
use crate::time::Timestamp;

type Index<'t> = Table<'t, (&'static str, u64, &'static str), ()>;

/// One site within one transaction.
pub(super) struct Schedule<'t> {
    site: Site,
    pub(super) record: SiteRecord,
    sites: Table<'t, &'static str, &'static [u8]>,
    urls: Table<'t, (&'static str, &'static str), &'static [u8]>,
    due: Index<'t>,
    leases: Index<'t>,
    ready: Table<'t, (u64, &'static str), ()>,
}

impl<'t> Schedule<'t> {
    /// A known site.
    pub(super) fn open(txn: &'t WriteTransaction, site: &Site) -> StoreResult<Option<Schedule<'t>>> {
        let sites = txn.open_table(SITES).map_err(broken)?;
        let found = sites.get(site.as_str()).map_err(broken)?.map(|held| unpack(held.value())).transpose()?;
        let Some(record) = found else { return Ok(None) };
        Ok(Some(Schedule {
            site: site.clone(),
            record,
            sites,
            urls: txn.open_table(URLS).map_err(broken)?,
            due: txn.open_table(DUE).map_err(broken)?,
            leases: txn.open_table(LEASES).map_err(broken)?,
            ready: txn.open_table(READY).map_err(broken)?,
        }))
    }

    /// A URL's entry.
    pub(super) fn entry(&self, url: &CanonicalUrl) -> StoreResult<Option<Entry>> {
        let found = self.urls.get((self.site.as_str(), url.as_str())).map_err(broken)?;
        found.map(|held| unpack(held.value())).transpose()
    }

    /// Writes an entry in place of `old`.
    pub(super) fn put(&mut self, old: Option<&Entry>, new: &Entry) -> StoreResult<()> {
        let site = self.site.as_str();
        if let Some(old) = old {
            if let Some(at) = old.due {
                let index = if old.leased { &mut self.leases } else { &mut self.due };
                index.remove((site, at.0, old.url.as_str())).map_err(broken)?;
                *(if old.leased { &mut self.record.leased } else { &mut self.record.pending }) -= 1;
            }
            if let Some(outcome) = old.outcome
                && let Some(count) = self.record.outcomes.get_mut(&outcome)
            {
                *count -= 1;
                if *count == 0 {
                    self.record.outcomes.remove(&outcome);
                }
            }
        } else {
            self.record.urls += 1;
        }
        if let Some(at) = new.due {
            let index = if new.leased { &mut self.leases } else { &mut self.due };
            index.insert((site, at.0, new.url.as_str()), ()).map_err(broken)?;
            *(if new.leased { &mut self.record.leased } else { &mut self.record.pending }) += 1;
        }
        if let Some(outcome) = new.outcome {
            *self.record.outcomes.entry(outcome).or_insert(0) += 1;
        }
        self.urls.insert((site, new.url.as_str()), pack(new)?.as_slice()).map_err(broken)?;
        Ok(())
    }

    /// Makes leases that ended by `until` due again, at that time. Returns how many.
    pub(super) fn end_leases(&mut self, until: Timestamp, due: Timestamp) -> StoreResult<u64> {
        let ended = Self::upto(&self.leases, self.site.as_str(), until, usize::MAX)?;
        for url in &ended {
            let old = self
                .entry(url)?
                .ok_or_else(|| StoreError::Corrupt(format!("`{url}` is leased but unknown")))?;
            let new = Entry { due: Some(due), leased: false, ..old.clone() };
            self.put(Some(&old), &new)?;
        }
        Ok(ended.len() as u64)
    }

    /// The URL that has been due longest.
    pub(super) fn first_due(&self, now: Timestamp) -> StoreResult<Option<Entry>> {
        match Self::upto(&self.due, self.site.as_str(), now, 1)?.first() {
            Some(url) => self.entry(url),
            None => Ok(None),
        }
    }

    fn upto(index: &Index<'_>, site: &str, until: Timestamp, most: usize) -> StoreResult<Vec<CanonicalUrl>> {
        let mut urls = Vec::new();
        for entry in index.range((site, 0, "")..=(site, until.0, LAST)).map_err(broken)?.take(most) {
            let (key, ()) = entry.map(|(key, _)| (key, ())).map_err(broken)?;
            let url = key.value().2;
            urls.push(url.parse().map_err(|_| StoreError::Corrupt(format!("`{url}` is no canonical URL")))?);
        }
        Ok(urls)
    }

    fn earliest(index: &Index<'_>, site: &str) -> StoreResult<Option<u64>> {
        let first = index.range((site, 0, "")..=(site, u64::MAX, LAST)).map_err(broken)?.next();
        Ok(first.transpose().map_err(broken)?.map(|(key, _)| key.value().1))
    }

    /// Writes the site's record and its place among the ready sites.
    pub(super) fn save(mut self) -> StoreResult<()> {
        let site = self.site.as_str();
        let next = [Self::earliest(&self.due, site)?, Self::earliest(&self.leases, site)?]
            .into_iter()
            .flatten()
            .min();
        let ready = next.filter(|_| !self.record.settings.paused).map(|at| at.max(self.record.turn.0));
        if ready != self.record.ready {
            if let Some(old) = self.record.ready {
                self.ready.remove((old, site)).map_err(broken)?;
            }
            if let Some(at) = ready {
                self.ready.insert((at, site), ()).map_err(broken)?;
            }
            self.record.ready = ready;
        }
        self.sites.insert(site, pack(&self.record)?.as_slice()).map_err(broken)?;
        Ok(())
    }
}
