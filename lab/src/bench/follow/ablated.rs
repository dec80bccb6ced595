//! The frontier of a simulated site: the embedded one, with a part of the policy taken away, and a log of the
//! articles whose addresses answered without a new page.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use newslode_common::outcome::Outcome;
use newslode_common::schedule::{Class, Next, Role, ScheduleConfig, SiteSchedule};
use newslode_common::store::redb::RedbStore;
use newslode_common::store::teach::teach;
use newslode_common::store::{
    Added, Claim, Claimed, Completed, Completion, Entry, Frontier, NewUrl, Note, Pace, SiteSettings,
    SiteStatus, StoreResult,
};
use newslode_page::reading::{CanonicalUrl, Site};
use newslode_page::time::Timestamp;

use super::ablation::Ablation;
use super::log::Log;

/// Failures after which a page leaves, if sites do not rest.
const MOST_FAILURES: u32 = 4;

/// A frontier with a part of the policy taken away.
pub(super) struct Ablated {
    store: Arc<RedbStore>,
    ablation: Ablation,
    config: ScheduleConfig,
    log: Log,
    /// Failures in a row, if sites do not rest.
    failures: Mutex<HashMap<CanonicalUrl, u32>>,
}

impl Ablated {
    pub(super) fn new(
        store: Arc<RedbStore>,
        ablation: Ablation,
        config: ScheduleConfig,
        log: Log,
    ) -> Ablated {
        Ablated { store, ablation, config, log, failures: Mutex::default() }
    }

    fn class(&self, class: Class) -> Class {
        match self.ablation {
            Ablation::OneQueue => Class::Listing,
            Ablation::BacklogFirst if class == Class::Rest => Class::New,
            _ => class,
        }
    }

    fn next(&self, next: Option<Next>) -> Option<Next> {
        let class = |class| if self.ablation == Ablation::OneQueue { Class::Listing } else { class };
        next.map(|next| Next { class: class(next.class), ..next })
    }

    /// The next visit after a failure, if sites do not rest.
    fn without_rest(
        &self,
        claim: &Claim,
        outcome: Outcome,
        next: Option<Next>,
        now: Timestamp,
    ) -> Option<Next> {
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        match outcome {
            Outcome::Refused => None,
            Outcome::ServerError | Outcome::Timeout | Outcome::Unreachable | Outcome::RobotsUnreachable => {
                let failed = failures.entry(claim.url.clone()).or_default();
                *failed += 1;
                let due = Timestamp(now.0 + (1_000 << *failed));
                (*failed < MOST_FAILURES).then_some(Next { due, class: claim.was.class })
            }
            _ => {
                failures.remove(&claim.url);
                next
            }
        }
    }

    /// Writes down an article's address that answered without a new page.
    fn see(&self, claim: &Claim, completion: &Completion, now: Timestamp) {
        let Completion::Done { outcome, .. } = completion else { return };
        let Some(known) = claim.schedule.filter(|known| known.role == Role::Page) else { return };
        let is_article = known.visits.first.is_some();
        if *outcome == Outcome::Gone || (*outcome == Outcome::Unchanged && is_article) {
            self.log.see(&claim.url, now);
        }
    }
}

#[async_trait]
impl Frontier for Ablated {
    async fn put_site(&self, site: &Site, settings: &SiteSettings) -> StoreResult<()> {
        self.store.put_site(site, settings).await
    }
    async fn site(&self, site: &Site) -> StoreResult<Option<SiteSettings>> {
        Frontier::site(self.store.as_ref(), site).await
    }
    async fn remove_site(&self, site: &Site) -> StoreResult<()> {
        self.store.remove_site(site).await
    }
    async fn add(&self, urls: &[NewUrl], now: Timestamp) -> StoreResult<Added> {
        let mut urls = urls.to_vec();
        let mut shown_by = None;
        for new in &mut urls {
            new.class = self.class(new.class);
            if let Some(known) = new.schedule.as_mut().filter(|_| self.ablation == Ablation::AllNewLinks) {
                shown_by = shown_by.or(known.by.take().map(|by| (by, new.url.site())));
            }
        }
        let added = self.store.add(&urls, now).await?;
        if let Some((by, site)) = shown_by {
            for _ in 0..added.new {
                teach(self, &site, &self.config, now, |site| site.confirm(Some(by), false, now)).await?;
            }
        }
        Ok(added)
    }
    async fn claim(&self, now: Timestamp, lease: Duration, most: usize) -> StoreResult<Claimed> {
        self.store.claim(now, lease, most).await
    }
    async fn complete(
        &self,
        claim: &Claim,
        completion: Completion,
        now: Timestamp,
    ) -> StoreResult<Completed> {
        self.see(claim, &completion, now);
        let completion = match completion {
            Completion::Done { outcome, content, validators, next, schedule } => {
                let mut next = self.next(next);
                if self.ablation == Ablation::NoRests {
                    next = self.without_rest(claim, outcome, next, now);
                }
                Completion::Done { outcome, content, validators, next, schedule }
            }
            Completion::Skipped { next, schedule } => Completion::Skipped { next: self.next(next), schedule },
            other => other,
        };
        self.store.complete(claim, completion, now).await
    }
    async fn raise_delay(&self, site: &Site, delay: Duration) -> StoreResult<()> {
        self.store.raise_delay(site, delay).await
    }
    async fn schedule(&self, site: &Site) -> StoreResult<(SiteSchedule, u64)> {
        self.store.schedule(site).await
    }
    async fn put_schedule(
        &self,
        site: &Site,
        schedule: &SiteSchedule,
        expected: u64,
        pace: Pace,
        now: Timestamp,
    ) -> StoreResult<bool> {
        let rest_until = pace.rest_until.filter(|_| self.ablation != Ablation::NoRests);
        self.store.put_schedule(site, schedule, expected, Pace { rest_until, ..pace }, now).await
    }
    async fn forget_url(&self, url: &CanonicalUrl) -> StoreResult<bool> {
        self.store.forget_url(url).await
    }
    async fn left(&self, url: &CanonicalUrl, now: Timestamp) -> StoreResult<Option<u32>> {
        self.store.left(url, now).await
    }
    async fn note(&self, note: &Note) -> StoreResult<bool> {
        self.store.note(&Note { next: self.next(note.next), ..note.clone() }).await
    }
    async fn entry(&self, url: &CanonicalUrl) -> StoreResult<Option<Entry>> {
        self.store.entry(url).await
    }
    async fn entries(&self, site: &Site) -> StoreResult<Vec<Entry>> {
        self.store.entries(site).await
    }
    async fn status(&self) -> StoreResult<Vec<SiteStatus>> {
        self.store.status().await
    }
    async fn release_leases(&self, now: Timestamp) -> StoreResult<u64> {
        self.store.release_leases(now).await
    }
}
