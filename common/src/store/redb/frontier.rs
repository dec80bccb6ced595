//! The frontier's side of the file.

use std::collections::BTreeMap;
use std::time::Duration;

use ::redb::{ReadableTable, WriteTransaction};
use async_trait::async_trait;

use super::schedule::Schedule;
use super::state::clear;
use super::tables::{DUE, LAST, LEASES, READY, SITES, SiteRecord, URLS, pack, unpack};
use super::{RedbStore, broken};
use crate::outcome::Outcome;
use crate::page::{CanonicalUrl, Site};
use crate::store::{
    Added, Claim, Completed, Completion, Entry, Frontier, NewUrl, SiteSettings, SiteStatus, StoreError,
    StoreResult,
};
use crate::time::Timestamp;

fn put_site(txn: &WriteTransaction, site: &Site, settings: SiteSettings) -> StoreResult<()> {
    if let Some(mut schedule) = Schedule::open(txn, site)? {
        schedule.record.settings = settings;
        return schedule.save();
    }
    let record = SiteRecord {
        settings,
        turn: Timestamp(0),
        urls: 0,
        pending: 0,
        leased: 0,
        outcomes: BTreeMap::new(),
        ready: None,
    };
    txn.open_table(SITES)
        .map_err(broken)?
        .insert(site.as_str(), pack(&record)?.as_slice())
        .map_err(broken)?;
    Ok(())
}

fn remove_site(txn: &WriteTransaction, site: &Site) -> StoreResult<()> {
    let Some(schedule) = Schedule::open(txn, site)? else { return Ok(()) };
    let ready = schedule.record.ready;
    drop(schedule);
    let name = site.as_str();
    if let Some(at) = ready {
        txn.open_table(READY).map_err(broken)?.remove((at, name)).map_err(broken)?;
    }
    for table in [DUE, LEASES] {
        let range = (name, 0, "")..=(name, u64::MAX, LAST);
        txn.open_table(table).map_err(broken)?.retain_in(range, |_, ()| false).map_err(broken)?;
    }
    clear(&mut txn.open_table(URLS).map_err(broken)?, name)?;
    txn.open_table(SITES).map_err(broken)?.remove(name).map_err(broken)?;
    Ok(())
}

/// Adds one URL of a known site.
fn add_one(schedule: &mut Schedule<'_>, url: &NewUrl, now: Timestamp, added: &mut Added) -> StoreResult<()> {
    let settings = &schedule.record.settings;
    if let Some(old) = schedule.entry(&url.url)? {
        added.known += 1;
        let new = Entry { depth: old.depth.min(url.depth), why: old.why.max(url.why), ..old.clone() };
        if new.why > old.why && old.content.is_some() {
            added.promoted.push(url.url.clone());
        }
        return if new == old { Ok(()) } else { schedule.put(Some(&old), &new) };
    }
    if url.depth > settings.max_depth {
        added.too_deep += 1;
    } else if schedule.record.urls >= settings.max_pages {
        added.over_budget += 1;
    } else {
        added.new += 1;
        let entry = Entry {
            url: url.url.clone(),
            depth: url.depth,
            why: url.why,
            hops: url.hops,
            fetch: 0,
            attempts: 0,
            due: Some(now),
            leased: false,
            outcome: None,
            content: None,
            validators: Default::default(),
        };
        schedule.put(None, &entry)?;
    }
    Ok(())
}

fn add(txn: &WriteTransaction, urls: &[NewUrl], now: Timestamp) -> StoreResult<Added> {
    let mut by_site: BTreeMap<Site, Vec<&NewUrl>> = BTreeMap::new();
    for url in urls {
        by_site.entry(url.url.site()).or_default().push(url);
    }
    let mut added = Added::default();
    for (site, urls) in by_site {
        let Some(mut schedule) = Schedule::open(txn, &site)? else {
            added.unknown_site += urls.len() as u64;
            continue;
        };
        for url in urls {
            add_one(&mut schedule, url, now, &mut added)?;
        }
        schedule.save()?;
    }
    Ok(added)
}

fn claim(txn: &WriteTransaction, now: Timestamp, lease: Duration, most: usize) -> StoreResult<Vec<Claim>> {
    let ready: Vec<String> = {
        let table = txn.open_table(READY).map_err(broken)?;
        let due = table.range(..=(now.0, LAST)).map_err(broken)?.take(most);
        due.map(|entry| entry.map(|(key, _)| key.value().1.to_string()).map_err(broken))
            .collect::<StoreResult<_>>()?
    };
    let mut claims = Vec::new();
    for name in ready {
        let site = Site::of_host(&name);
        let Some(mut schedule) = Schedule::open(txn, &site)? else { continue };
        schedule.end_leases(now, now)?;
        if let Some(old) = schedule.first_due(now)? {
            let lease_until = now.plus(lease);
            let new = Entry { due: Some(lease_until), leased: true, fetch: old.fetch + 1, ..old.clone() };
            schedule.put(Some(&old), &new)?;
            schedule.record.turn = now.plus(Duration::from_millis(schedule.record.settings.delay_ms));
            claims.push(claimed(site, new, lease_until));
        }
        schedule.save()?;
    }
    Ok(claims)
}

fn claimed(site: Site, entry: Entry, lease_until: Timestamp) -> Claim {
    Claim {
        url: entry.url,
        site,
        depth: entry.depth,
        why: entry.why,
        hops: entry.hops,
        fetch: entry.fetch,
        attempts: entry.attempts,
        lease_until,
        validators: entry.validators,
        content: entry.content,
    }
}

/// What an entry becomes when its claim ends.
fn ended(old: &Entry, completion: Completion, now: Timestamp) -> Entry {
    let entry = Entry { leased: false, ..old.clone() };
    match completion {
        Completion::Done { outcome, content, validators, next_due } => {
            let content = if outcome == Outcome::Unchanged { content.or(old.content) } else { content };
            Entry { outcome: Some(outcome), content, validators, due: next_due, attempts: 0, ..entry }
        }
        Completion::Retry { due, counts, .. } => {
            Entry { due: Some(due), attempts: old.attempts + u32::from(counts), ..entry }
        }
        Completion::Released => Entry { due: Some(now), ..entry },
    }
}

fn complete(
    txn: &WriteTransaction,
    claim: &Claim,
    completion: Completion,
    now: Timestamp,
) -> StoreResult<Completed> {
    let Some(mut schedule) = Schedule::open(txn, &claim.site)? else { return Ok(Completed::Lost) };
    let old = match schedule.entry(&claim.url)? {
        // A site that was removed and came back counts its fetches anew: the lease tells claims apart.
        Some(entry) if entry.leased && entry.fetch == claim.fetch && entry.due == Some(claim.lease_until) => {
            entry
        }
        _ => return Ok(Completed::Lost),
    };
    if let Completion::Retry { rest_site_until: Some(until), .. } = completion {
        schedule.record.turn = schedule.record.turn.max(until);
    }
    schedule.put(Some(&old), &ended(&old, completion, now))?;
    schedule.save()?;
    Ok(Completed::Recorded)
}

#[async_trait]
impl Frontier for RedbStore {
    async fn put_site(&self, site: &Site, settings: &SiteSettings) -> StoreResult<()> {
        let (site, settings) = (site.clone(), settings.clone());
        self.write(move |txn| put_site(txn, &site, settings)).await
    }

    async fn site(&self, site: &Site) -> StoreResult<Option<SiteSettings>> {
        let site = site.clone();
        self.read(move |txn| {
            let found = txn.open_table(SITES).map_err(broken)?.get(site.as_str()).map_err(broken)?;
            found.map(|held| unpack::<SiteRecord>(held.value()).map(|record| record.settings)).transpose()
        })
        .await
    }

    async fn remove_site(&self, site: &Site) -> StoreResult<()> {
        let site = site.clone();
        self.write(move |txn| remove_site(txn, &site)).await
    }

    async fn add(&self, urls: &[NewUrl], now: Timestamp) -> StoreResult<Added> {
        let urls = urls.to_vec();
        self.write(move |txn| add(txn, &urls, now)).await
    }

    async fn claim(&self, now: Timestamp, lease: Duration, most: usize) -> StoreResult<Vec<Claim>> {
        let quiet = self
            .read(move |txn| {
                let table = txn.open_table(READY).map_err(broken)?;
                Ok(table.range(..=(now.0, LAST)).map_err(broken)?.next().is_none())
            })
            .await?;
        if quiet {
            return Ok(Vec::new());
        }
        self.write(move |txn| claim(txn, now, lease, most)).await
    }

    async fn complete(
        &self,
        claim: &Claim,
        completion: Completion,
        now: Timestamp,
    ) -> StoreResult<Completed> {
        let claim = claim.clone();
        self.write(move |txn| complete(txn, &claim, completion, now)).await
    }

    async fn raise_delay(&self, site: &Site, delay: Duration) -> StoreResult<()> {
        let site = site.clone();
        let delay = u64::try_from(delay.as_millis()).unwrap_or(u64::MAX);
        self.write(move |txn| {
            let Some(mut schedule) = Schedule::open(txn, &site)? else { return Ok(()) };
            schedule.record.settings.delay_ms = schedule.record.settings.delay_ms.max(delay);
            schedule.save()
        })
        .await
    }

    async fn entry(&self, url: &CanonicalUrl) -> StoreResult<Option<Entry>> {
        let url = url.clone();
        self.read(move |txn| {
            let table = txn.open_table(URLS).map_err(broken)?;
            let found = table.get((url.site().as_str(), url.as_str())).map_err(broken)?;
            found.map(|held| unpack(held.value())).transpose()
        })
        .await
    }

    async fn entries(&self, site: &Site) -> StoreResult<Vec<Entry>> {
        let site = site.clone();
        self.read(move |txn| {
            let table = txn.open_table(URLS).map_err(broken)?;
            let range = table.range((site.as_str(), "")..(site.as_str(), LAST)).map_err(broken)?;
            range.map(|entry| unpack(entry.map_err(broken)?.1.value())).collect()
        })
        .await
    }

    async fn status(&self) -> StoreResult<Vec<SiteStatus>> {
        self.read(|txn| {
            let table = txn.open_table(SITES).map_err(broken)?;
            let due = txn.open_table(DUE).map_err(broken)?;
            let mut sites = Vec::new();
            for entry in table.iter().map_err(broken)? {
                let (name, record) = entry.map_err(broken)?;
                let record: SiteRecord = unpack(record.value())?;
                let first =
                    due.range((name.value(), 0, "")..=(name.value(), u64::MAX, LAST)).map_err(broken)?.next();
                let next_due = first.transpose().map_err(broken)?.map(|(key, _)| Timestamp(key.value().1));
                sites.push(status_of(name.value(), record, next_due));
            }
            Ok(sites)
        })
        .await
    }

    async fn release_leases(&self, now: Timestamp) -> StoreResult<u64> {
        self.write(move |txn| {
            let names = txn.open_table(SITES).map_err(broken)?;
            let sites: Vec<Site> = names
                .iter()
                .map_err(broken)?
                .map(|entry| entry.map(|(name, _)| Site::of_host(name.value())).map_err(broken))
                .collect::<StoreResult<_>>()?;
            drop(names);
            let mut released = 0;
            for site in sites {
                let unknown = || StoreError::Corrupt(format!("`{site}` has no record"));
                let mut schedule = Schedule::open(txn, &site)?.ok_or_else(unknown)?;
                released += schedule.end_leases(Timestamp(u64::MAX), now)?;
                schedule.save()?;
            }
            Ok(released)
        })
        .await
    }
}

fn status_of(site: &str, record: SiteRecord, next_due: Option<Timestamp>) -> SiteStatus {
    SiteStatus {
        site: Site::of_host(site),
        settings: record.settings,
        urls: record.urls,
        pending: record.pending,
        leased: record.leased,
        next_due,
        turn: record.turn,
        outcomes: record.outcomes,
    }
}
