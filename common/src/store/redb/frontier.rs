//! The frontier in one file: see [`index`](super::index) for the tables.
//!
//! Each call is one transaction. [`changes`](super::changes) says what becomes of a URL's record when it is added,
//! claimed or completed. The index keeps the order.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use ::redb::ReadableTable;
use async_trait::async_trait;

use super::changes::{add, claim, complete, forget, release, take_note};
use super::handle::RedbStore;
use super::index::{
    ENTRIES, Index, REMEMBERED, SCHEDULES, SITES, WAITING, after, first, is_living, read_schedule,
};
use super::records::{EntryRecord, SiteRecord, decode, url};
use crate::schedule::{Class, SiteSchedule, name};
use crate::store::{
    Added, Claim, Claimed, Completed, Completion, Entry, Frontier, NewUrl, Note, Pace, SiteSettings,
    SiteStatus, StoreResult,
};
use newslode_page::reading::{CanonicalUrl, Site};
use newslode_page::time::Timestamp;

/// Due URLs of a class that are looked at for one that was never visited.
const MOST_LOOKED_AT: usize = 500;

impl RedbStore {
    /// The sites that a run which began at a time still has something to ask for: a URL that was due by then, or one that was
    /// found since, was never visited and is due now; also the past, as long as it was asked for. What fell due again meanwhile
    /// is left to the next run.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn sites_with_work(&self, begun: Timestamp, now: Timestamp) -> StoreResult<BTreeSet<Site>> {
        self.read(move |transaction| {
            let (sites, waiting) = (transaction.open_table(SITES)?, transaction.open_table(WAITING)?);
            let entries = transaction.open_table(ENTRIES)?;
            let mut with_work = BTreeSet::new();
            for pair in sites.iter()? {
                let (name, _) = pair?;
                for class in Class::ALL {
                    let mut looked_at = 0;
                    let of_class = |due| (name.value(), class.number(), due, "");
                    for due in waiting.range(of_class(0)..of_class(now.0.saturating_add(1)))? {
                        let (key, _) = due?;
                        let (_, _, due, url) = key.value();
                        looked_at += 1;
                        let is_work =
                            match Timestamp(due) <= begun || matches!(class, Class::New | Class::Past) {
                                true => true,
                                false => match entries.get((name.value(), url))? {
                                    Some(bytes) => decode::<EntryRecord>(bytes.value())?.outcome.is_none(),
                                    None => false,
                                },
                            };
                        if is_work {
                            with_work.insert(Site::of_host(name.value()));
                        }
                        if is_work || looked_at == MOST_LOOKED_AT {
                            break;
                        }
                    }
                }
            }
            Ok(with_work)
        })
        .await
    }
}

#[async_trait]
impl Frontier for RedbStore {
    async fn put_site(&self, site: &Site, settings: &SiteSettings) -> StoreResult<()> {
        let (site, settings) = (site.clone(), settings.clone());
        self.write(move |transaction| {
            let mut index = Index::open(transaction)?;
            let mut record = index.site(site.as_str())?.unwrap_or_else(|| SiteRecord::new(settings.clone()));
            record.settings = settings.clone();
            index.save(site.as_str(), &mut record)
        })
        .await
    }

    async fn site(&self, site: &Site) -> StoreResult<Option<SiteSettings>> {
        let site = site.clone();
        self.read(move |transaction| {
            let sites = transaction.open_table(SITES)?;
            let record = sites.get(site.as_str())?.map(|bytes| decode::<SiteRecord>(bytes.value()));
            Ok(record.transpose()?.map(|record| record.settings))
        })
        .await
    }

    async fn remove_site(&self, site: &Site) -> StoreResult<()> {
        let site = site.clone();
        self.write(move |transaction| Index::open(transaction)?.remove(&site)).await
    }

    async fn add(&self, urls: &[NewUrl], now: Timestamp) -> StoreResult<Added> {
        let mut sites: BTreeMap<Site, Vec<NewUrl>> = BTreeMap::new();
        for new in urls {
            sites.entry(new.url.site()).or_default().push(new.clone());
        }
        self.write(move |transaction| {
            let mut index = Index::open(transaction)?;
            let mut added = Added::default();
            for (site, urls) in &sites {
                add(&mut index, site.as_str(), urls, now, &mut added)?;
            }
            Ok(added)
        })
        .await
    }

    async fn claim(&self, now: Timestamp, lease: Duration, most: usize) -> StoreResult<Claimed> {
        self.write(move |transaction| {
            let mut index = Index::open(transaction)?;
            let mut claims = Vec::new();
            for site in index.ready(now, most)? {
                claims.extend(claim(&mut index, &site, now, now.plus(lease))?);
            }
            Ok(Claimed { claims, next: index.first_turn()? })
        })
        .await
    }

    async fn complete(
        &self,
        claim: &Claim,
        completion: Completion,
        now: Timestamp,
    ) -> StoreResult<Completed> {
        let claim = claim.clone();
        self.write(move |transaction| complete(&mut Index::open(transaction)?, &claim, &completion, now))
            .await
    }

    async fn raise_delay(&self, site: &Site, delay: Duration) -> StoreResult<()> {
        let site = site.clone();
        let delay_ms = u64::try_from(delay.as_millis()).unwrap_or(u64::MAX);
        self.write(move |transaction| {
            let mut index = Index::open(transaction)?;
            let Some(mut record) = index.site(site.as_str())? else { return Ok(()) };
            record.settings.delay_ms = record.settings.delay_ms.max(delay_ms);
            index.save(site.as_str(), &mut record)
        })
        .await
    }

    async fn schedule(&self, site: &Site) -> StoreResult<(SiteSchedule, u64)> {
        let site = site.clone();
        self.read(move |transaction| read_schedule(&transaction.open_table(SCHEDULES)?, site.as_str())).await
    }

    async fn put_schedule(
        &self,
        site: &Site,
        schedule: &SiteSchedule,
        expected: u64,
        pace: Pace,
        now: Timestamp,
    ) -> StoreResult<bool> {
        let (site, schedule) = (site.clone(), schedule.clone());
        self.write(move |transaction| {
            let mut index = Index::open(transaction)?;
            let Some(mut record) = index.site(site.as_str())? else { return Ok(false) };
            if index.schedule(site.as_str())?.1 != expected {
                return Ok(false);
            }
            index.put_schedule(site.as_str(), &schedule, expected + 1)?;
            record.set_pace(pace, now);
            index.save(site.as_str(), &mut record)?;
            Ok(true)
        })
        .await
    }

    async fn note(&self, note: &Note) -> StoreResult<bool> {
        let note = note.clone();
        self.write(move |transaction| take_note(&mut Index::open(transaction)?, &note)).await
    }

    async fn forget_url(&self, page: &CanonicalUrl) -> StoreResult<bool> {
        let page = page.clone();
        self.write(move |transaction| {
            forget(&mut Index::open(transaction)?, page.site().as_str(), page.as_str())
        })
        .await
    }

    async fn left(&self, page: &CanonicalUrl, now: Timestamp) -> StoreResult<Option<u32>> {
        let page = page.clone();
        self.read(move |transaction| {
            let remembered = transaction.open_table(REMEMBERED)?;
            let day = remembered.get((page.site().as_str(), name(page.as_str())))?.map(|day| day.value());
            Ok(day.filter(|day| is_living(*day, now)))
        })
        .await
    }

    async fn entry(&self, page: &CanonicalUrl) -> StoreResult<Option<Entry>> {
        let page = page.clone();
        self.read(move |transaction| {
            let entries = transaction.open_table(ENTRIES)?;
            let found = entries.get((page.site().as_str(), page.as_str()))?;
            let record = found.map(|bytes| decode::<EntryRecord>(bytes.value())).transpose()?;
            Ok(record.map(|record| record.entry(page)))
        })
        .await
    }

    async fn entries(&self, site: &Site) -> StoreResult<Vec<Entry>> {
        let site = site.clone();
        self.read(move |transaction| {
            let table = transaction.open_table(ENTRIES)?;
            let mut entries = Vec::new();
            for pair in table.range((site.as_str(), "")..(after(site.as_str()).as_str(), ""))? {
                let (key, bytes) = pair?;
                entries.push(decode::<EntryRecord>(bytes.value())?.entry(url(key.value().1)?));
            }
            Ok(entries)
        })
        .await
    }

    async fn status(&self) -> StoreResult<Vec<SiteStatus>> {
        self.read(|transaction| {
            let (sites, waiting) = (transaction.open_table(SITES)?, transaction.open_table(WAITING)?);
            let mut all = Vec::new();
            for pair in sites.iter()? {
                let (name, bytes) = pair?;
                let mut next_due: Option<Timestamp> = None;
                for class in Class::ALL {
                    let due = first(&waiting, name.value(), class)?.map(|(due, _)| due);
                    next_due = next_due.into_iter().chain(due).min();
                }
                let record: SiteRecord = decode(bytes.value())?;
                all.push(record.status(Site::of_host(name.value()), next_due));
            }
            Ok(all)
        })
        .await
    }

    async fn release_leases(&self, now: Timestamp) -> StoreResult<u64> {
        self.write(move |transaction| {
            let mut index = Index::open(transaction)?;
            let leased = index.leased()?;
            for (site, url) in &leased {
                release(&mut index, site, url, now)?;
            }
            Ok(leased.len() as u64)
        })
        .await
    }
}
