//! The frontier in one file: see [`index`](super::index) for the tables.
//!
//! Each call is one transaction. The small functions here decide what becomes of a URL's record when it is
//! added, claimed or completed. The index keeps the order.

use std::collections::BTreeMap;
use std::time::Duration;

use ::redb::ReadableTable;
use async_trait::async_trait;

use super::index::{DUE, ENTRIES, Index, SITES, first};
use super::records::{EntryRecord, SiteRecord, decode, url};
use super::{RedbStore, after};
use crate::outcome::Outcome;
use crate::store::{
    Added, Claim, Completed, Completion, Entry, Frontier, NewUrl, SiteSettings, SiteStatus, StoreError,
    StoreResult, Validators,
};
use newslode_page::reading::{CanonicalUrl, Site};
use newslode_page::time::Timestamp;

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

    async fn claim(&self, now: Timestamp, lease: Duration, most: usize) -> StoreResult<Vec<Claim>> {
        self.write(move |transaction| {
            let mut index = Index::open(transaction)?;
            let mut claims = Vec::new();
            for site in index.ready(now, most)? {
                claims.extend(claim(&mut index, &site, now, now.plus(lease))?);
            }
            Ok(claims)
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
            let (sites, due) = (transaction.open_table(SITES)?, transaction.open_table(DUE)?);
            let mut all = Vec::new();
            for pair in sites.iter()? {
                let (name, bytes) = pair?;
                let next_due = first(&due, name.value())?.map(|(time, _)| time);
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

fn add(
    index: &mut Index<'_>,
    site: &str,
    urls: &[NewUrl],
    now: Timestamp,
    added: &mut Added,
) -> StoreResult<()> {
    let Some(mut record) = index.site(site)? else {
        added.unknown_site += urls.len() as u64;
        return Ok(());
    };
    for new in urls {
        if let Some(known) = index.entry(site, new.url.as_str())? {
            added.known += 1;
            if promote(index, site, new, known)? {
                added.promoted.push(new.url.clone());
            }
        } else if new.depth > record.settings.max_depth {
            added.too_deep += 1;
        } else if record.urls >= record.settings.max_pages {
            added.over_budget += 1;
        } else {
            index.put(site, new.url.as_str(), None, &fresh(new, now))?;
            record.urls += 1;
            record.pending += 1;
            added.new += 1;
        }
    }
    index.save(site, &mut record)
}

fn fresh(new: &NewUrl, now: Timestamp) -> EntryRecord {
    EntryRecord {
        depth: new.depth,
        why: new.why,
        hops: new.hops,
        fetch: 0,
        attempts: 0,
        due: Some(now),
        leased: false,
        outcome: None,
        content: None,
        validators: Validators::default(),
    }
}

/// Takes over the smaller depth and the stronger reason. Returns true if the page was fetched and its links
/// deserve another look.
fn promote(index: &mut Index<'_>, site: &str, new: &NewUrl, known: EntryRecord) -> StoreResult<bool> {
    let (depth, why) = (known.depth.min(new.depth), known.why.max(new.why));
    let stronger = why > known.why;
    if stronger || depth < known.depth {
        let better = EntryRecord { depth, why, ..known.clone() };
        index.put(site, new.url.as_str(), Some(&known), &better)?;
    }
    Ok(stronger && known.content.is_some())
}

/// Claims the first URL of the site, if it is due.
fn claim(
    index: &mut Index<'_>,
    site: &str,
    now: Timestamp,
    lease_until: Timestamp,
) -> StoreResult<Option<Claim>> {
    let broken = |what: &str| StoreError::Corrupt(format!("the frontier of `{site}` {what}"));
    let mut record = index.site(site)?.ok_or_else(|| broken("has a turn but no record"))?;
    let Some((time, text)) = index.next(site)? else {
        return Err(broken("has a turn but nothing due"));
    };
    if time > now || record.turn() > now {
        return Err(broken("has a turn before its time"));
    }
    let old = index.entry(site, &text)?.ok_or_else(|| broken("has something due without a record"))?;
    let new = EntryRecord { fetch: old.fetch + 1, due: Some(lease_until), leased: true, ..old.clone() };
    index.put(site, &text, Some(&old), &new)?;
    if !old.leased {
        record.pending = record.pending.saturating_sub(1);
        record.leased += 1;
    }
    record.claimed = Some(now);
    index.save(site, &mut record)?;
    Ok(Some(Claim {
        url: url(&text)?,
        site: Site::of_host(site),
        depth: new.depth,
        why: new.why,
        hops: new.hops,
        fetch: new.fetch,
        attempts: new.attempts,
        lease_until,
        validators: new.validators,
        content: new.content,
    }))
}

fn complete(
    index: &mut Index<'_>,
    claim: &Claim,
    completion: &Completion,
    now: Timestamp,
) -> StoreResult<Completed> {
    let (site, page) = (claim.site.as_str(), claim.url.as_str());
    let (Some(mut record), Some(old)) = (index.site(site)?, index.entry(site, page)?) else {
        return Ok(Completed::Lost);
    };
    // Claim numbers start again after a site was removed. The end of the lease tells old claims from new
    // ones.
    if !old.leased || old.fetch != claim.fetch || old.due != Some(claim.lease_until) {
        return Ok(Completed::Lost);
    }
    let mut new = EntryRecord { leased: false, ..old.clone() };
    match completion {
        Completion::Done { outcome, content, validators, next_due } => {
            record.tally(old.outcome, *outcome);
            new.outcome = Some(*outcome);
            new.attempts = 0;
            new.due = *next_due;
            new.validators = validators.clone();
            let kept = old.content.filter(|_| *outcome == Outcome::Unchanged);
            new.content = content.or(kept);
        }
        Completion::Retry { due, counts, rest_site_until } => {
            new.due = Some(*due);
            new.attempts = old.attempts.saturating_add(u32::from(*counts));
            record.rest_until = record.rest_until.max(rest_site_until.unwrap_or_default());
        }
        Completion::Released => new.due = Some(now),
    }
    record.leased = record.leased.saturating_sub(1);
    record.pending += u64::from(new.due.is_some());
    index.put(site, page, Some(&old), &new)?;
    index.save(site, &mut record)?;
    Ok(Completed::Recorded)
}

fn release(index: &mut Index<'_>, site: &str, page: &str, now: Timestamp) -> StoreResult<()> {
    let (Some(mut record), Some(old)) = (index.site(site)?, index.entry(site, page)?) else {
        return Err(StoreError::Corrupt(format!("`{page}` is leased but has no record")));
    };
    let new = EntryRecord { leased: false, due: Some(now), ..old.clone() };
    index.put(site, page, Some(&old), &new)?;
    record.leased = record.leased.saturating_sub(1);
    record.pending += 1;
    index.save(site, &mut record)
}
