//! A frontier, a broker and an archive in memory that fail on command: away, full, refusing, panicking. The
//! conformance suites of `common` check the real ones. These are for the faults.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use newslode_common::broker::{Broker, BrokerError, Consumer, DeadLetter, Headers, PublishError, Queue};
use newslode_common::schedule::{Class, Next, SiteSchedule};
use newslode_common::store::{
    Added, Claim, Claimed, Completed, Completion, Entry, Expired, Frontier, Kind, NewUrl, Note, Pace,
    PageArchive, SiteSettings, SiteStatus, StoreError, StoreResult,
};
use newslode_common::version::ContentHash;
use newslode_page::reading::{CanonicalUrl, Site};
use newslode_page::time::Timestamp;

#[derive(Default)]
struct Sites {
    settings: BTreeMap<Site, (SiteSettings, Timestamp)>,
    entries: BTreeMap<CanonicalUrl, Entry>,
    schedules: BTreeMap<Site, (SiteSchedule, u64)>,
}

/// How late a late answer comes.
const LATE: Duration = Duration::from_millis(400);

/// Counts down. True while something is left.
fn take_one(left: &AtomicUsize) -> bool {
    left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |n| n.checked_sub(1)).is_ok()
}

#[derive(Default)]
pub(crate) struct MemoryFrontier {
    sites: Mutex<Sites>,
    /// Number of calls that find the store away.
    pub(crate) away: AtomicUsize,
    /// Number of calls that the store refuses.
    pub(crate) refusing: AtomicUsize,
    /// Number of claims whose answers come late.
    pub(crate) late: AtomicUsize,
    /// Whether the store holds nonsense.
    pub(crate) broken: AtomicBool,
    /// All completions.
    pub(crate) completions: Mutex<Vec<(CanonicalUrl, Completion)>>,
}

impl MemoryFrontier {
    fn fault(&self) -> StoreResult<()> {
        if self.broken.load(Ordering::SeqCst) {
            return Err(StoreError::Corrupt("not a record".into()));
        }
        if take_one(&self.refusing) {
            return Err(StoreError::Refused("out of memory".into()));
        }
        if take_one(&self.away) { Err(StoreError::Unavailable("restarting".into())) } else { Ok(()) }
    }

    /// Loses all claims.
    pub(crate) fn forget_all(&self) {
        *self.sites.lock().unwrap() = Sites::default();
    }

    pub(crate) fn all(&self) -> Vec<Entry> {
        self.sites.lock().unwrap().entries.values().cloned().collect()
    }

    fn claims(&self, now: Timestamp, lease: Duration, most: usize) -> Vec<Claim> {
        let mut sites = self.sites.lock().unwrap();
        let Sites { settings, entries, .. } = &mut *sites;
        let mut claims = Vec::new();
        for entry in entries.values_mut() {
            let site = entry.url.site();
            let Some((settings, turn)) = settings.get_mut(&site) else { continue };
            let is_due = !entry.leased && entry.due.is_some_and(|due| due <= now);
            if claims.len() == most || !is_due || *turn > now {
                continue;
            }
            *turn = now.plus(Duration::from_millis(settings.delay_ms));
            entry.leased = true;
            entry.fetch += 1;
            claims.push(Claim {
                url: entry.url.clone(),
                site,
                depth: entry.depth,
                why: entry.why,
                hops: entry.hops,
                fetch: entry.fetch,
                attempts: entry.attempts,
                was: Next { due: entry.due.unwrap_or(now), class: Class::New },
                lease_until: now.plus(lease),
                validators: entry.validators.clone(),
                content: entry.content,
                schedule: None,
                allowance: None,
                recent: 1,
            });
        }
        claims
    }
}

#[async_trait]
impl Frontier for MemoryFrontier {
    async fn put_site(&self, site: &Site, settings: &SiteSettings) -> StoreResult<()> {
        self.fault()?;
        self.sites.lock().unwrap().settings.insert(site.clone(), (settings.clone(), Timestamp(0)));
        Ok(())
    }

    async fn site(&self, site: &Site) -> StoreResult<Option<SiteSettings>> {
        self.fault()?;
        Ok(self.sites.lock().unwrap().settings.get(site).map(|(settings, _)| settings.clone()))
    }

    async fn remove_site(&self, site: &Site) -> StoreResult<()> {
        let mut sites = self.sites.lock().unwrap();
        sites.settings.remove(site);
        sites.entries.retain(|url, _| url.site() != *site);
        Ok(())
    }

    async fn add(&self, urls: &[NewUrl], now: Timestamp) -> StoreResult<Added> {
        self.fault()?;
        let mut sites = self.sites.lock().unwrap();
        let mut added = Added::default();
        for new in urls {
            if !sites.settings.contains_key(&new.url.site()) {
                added.unknown_site += 1;
            } else if sites.entries.contains_key(&new.url) {
                added.known += 1;
            } else {
                let NewUrl { url, depth, why, hops, .. } = new.clone();
                let entry = Entry {
                    url: url.clone(),
                    depth,
                    why,
                    hops,
                    fetch: 0,
                    attempts: 0,
                    due: Some(now),
                    leased: false,
                    class: Class::New,
                    seen: None,
                    schedule: None,
                    outcome: None,
                    content: None,
                    validators: Default::default(),
                };
                sites.entries.insert(url, entry);
                added.new += 1;
            }
        }
        Ok(added)
    }

    async fn claim(&self, now: Timestamp, lease: Duration, most: usize) -> StoreResult<Claimed> {
        self.fault()?;
        let claims = self.claims(now, lease, most);
        if !claims.is_empty() && take_one(&self.late) {
            tokio::time::sleep(LATE).await;
        }
        // It does not know: the crawler is to ask often.
        Ok(Claimed { claims, next: Some(now.plus(Duration::from_millis(10))) })
    }

    async fn complete(&self, claim: &Claim, end: Completion, now: Timestamp) -> StoreResult<Completed> {
        self.fault()?;
        let mut sites = self.sites.lock().unwrap();
        let Sites { settings, entries, .. } = &mut *sites;
        let Some(entry) = entries.get_mut(&claim.url).filter(|e| e.leased && e.fetch == claim.fetch) else {
            return Ok(Completed::Lost);
        };
        self.completions.lock().unwrap().push((claim.url.clone(), end.clone()));
        entry.leased = false;
        match end {
            Completion::Done { outcome, content, validators, next, .. } => {
                entry.outcome = Some(outcome);
                entry.content = content.or(entry.content);
                entry.validators = validators;
                entry.due = next.map(|next| next.due);
                entry.attempts = 0;
            }
            Completion::Retry { due, counts, rest_site_until } => {
                entry.due = Some(due);
                entry.attempts += u32::from(counts);
                if let (Some(rest), Some((_, turn))) = (rest_site_until, settings.get_mut(&claim.site)) {
                    *turn = rest.max(*turn);
                }
            }
            Completion::Released => entry.due = Some(now),
            Completion::Skipped { next, .. } => entry.due = next.map(|next| next.due),
        }
        Ok(Completed::Recorded)
    }

    async fn raise_delay(&self, site: &Site, delay: Duration) -> StoreResult<()> {
        if let Some((settings, _)) = self.sites.lock().unwrap().settings.get_mut(site) {
            settings.delay_ms = settings.delay_ms.max(delay.as_millis() as u64);
        }
        Ok(())
    }

    async fn schedule(&self, site: &Site) -> StoreResult<(SiteSchedule, u64)> {
        Ok(self.sites.lock().unwrap().schedules.get(site).cloned().unwrap_or_default())
    }

    async fn put_schedule(
        &self,
        site: &Site,
        schedule: &SiteSchedule,
        expected: u64,
        pace: Pace,
        _: Timestamp,
    ) -> StoreResult<bool> {
        assert_eq!(pace.per_day, None, "what is not scheduled has no allowance");
        let mut sites = self.sites.lock().unwrap();
        let Sites { settings, schedules, .. } = &mut *sites;
        let Some((settings, turn)) = settings.get_mut(site) else { return Ok(false) };
        let (kept, number) = schedules.entry(site.clone()).or_default();
        if *number != expected {
            return Ok(false);
        }
        (*kept, *number) = (schedule.clone(), expected + 1);
        settings.delay_ms = settings.delay_ms.max(pace.delay_ms);
        *turn = pace.rest_until.unwrap_or_default().max(*turn);
        Ok(true)
    }

    async fn forget_url(&self, url: &CanonicalUrl) -> StoreResult<bool> {
        Ok(self.sites.lock().unwrap().entries.remove(url).is_some())
    }

    async fn left(&self, _: &CanonicalUrl, _: Timestamp) -> StoreResult<Option<u32>> {
        Ok(None)
    }

    async fn note(&self, _: &Note) -> StoreResult<bool> {
        unreachable!("no URL of these tests is scheduled")
    }

    async fn entry(&self, url: &CanonicalUrl) -> StoreResult<Option<Entry>> {
        Ok(self.sites.lock().unwrap().entries.get(url).cloned())
    }

    async fn entries(&self, site: &Site) -> StoreResult<Vec<Entry>> {
        Ok(self.all().into_iter().filter(|entry| entry.url.site() == *site).collect())
    }

    async fn status(&self) -> StoreResult<Vec<SiteStatus>> {
        Ok(Vec::new())
    }

    async fn release_leases(&self, _now: Timestamp) -> StoreResult<u64> {
        Ok(0)
    }
}

#[derive(Default)]
pub(crate) struct MemoryArchive {
    pub(crate) kept: Mutex<BTreeMap<(Kind, ContentHash), Bytes>>,
}

#[async_trait]
impl PageArchive for MemoryArchive {
    async fn put(&self, kind: Kind, content: ContentHash, bytes: Bytes, _: Timestamp) -> StoreResult<()> {
        self.kept.lock().unwrap().insert((kind, content), bytes);
        Ok(())
    }

    async fn get(&self, kind: Kind, content: ContentHash) -> StoreResult<Option<Bytes>> {
        Ok(self.kept.lock().unwrap().get(&(kind, content)).cloned())
    }

    async fn delete(&self, kind: Kind, content: ContentHash) -> StoreResult<()> {
        self.kept.lock().unwrap().remove(&(kind, content));
        Ok(())
    }

    async fn expire(&self, _before: Timestamp) -> StoreResult<Expired> {
        Ok(Expired::default())
    }
}

#[derive(Default)]
pub(crate) struct MemoryBroker {
    pub(crate) pages: Mutex<Vec<Bytes>>,
    /// Number of publishes that find the queue full.
    pub(crate) full: AtomicUsize,
    /// Number of publishes that find the broker away.
    pub(crate) away: AtomicUsize,
    /// Number of publishes that panic.
    pub(crate) panics: AtomicUsize,
    /// Whether the queue was deleted.
    pub(crate) deleted: AtomicBool,
}

#[async_trait]
impl Broker for MemoryBroker {
    async fn publish(&self, queue: Queue, body: Bytes) -> Result<(), PublishError> {
        assert!(!take_one(&self.panics), "told to panic");
        if self.deleted.load(Ordering::SeqCst) {
            return Err(PublishError::Unroutable { queue: queue.to_string(), reason: "NO_ROUTE".into() });
        }
        if take_one(&self.full) {
            return Err(PublishError::Full { queue: queue.to_string() });
        }
        if take_one(&self.away) {
            return Err(PublishError::Unavailable { reason: "reconnecting".into() });
        }
        self.pages.lock().unwrap().push(body);
        Ok(())
    }

    async fn publish_article(
        &self,
        _topic: &str,
        _headers: Headers<'_>,
        _body: Bytes,
    ) -> Result<(), PublishError> {
        Ok(())
    }

    async fn consume(&self, queue: Queue, _prefetch: u16) -> Result<Box<dyn Consumer>, BrokerError> {
        Err(BrokerError(format!("nobody reads `{queue}` here")))
    }

    async fn depth(&self, _queue: Queue) -> Result<u64, BrokerError> {
        Ok(self.pages.lock().unwrap().len() as u64)
    }

    async fn dead(&self, _queue: Queue, _most: usize) -> Result<Vec<DeadLetter>, BrokerError> {
        Ok(Vec::new())
    }

    async fn replay(&self, _queue: Queue, _ids: &[String]) -> Result<u64, BrokerError> {
        Ok(0)
    }

    async fn drop_dead(&self, _queue: Queue, _ids: &[String]) -> Result<u64, BrokerError> {
        Ok(0)
    }

    async fn ready(&self) -> Result<(), BrokerError> {
        Ok(())
    }
}
