//! A frontier that breaks one promise.

use std::time::Duration;

use async_trait::async_trait;
use newslode_common::schedule::{Class, Next, SiteSchedule};
use newslode_common::store::{
    Added, Again, Claim, Claimed, Completed, Completion, Entry, Frontier, NewUrl, Note, Pace, SiteSettings,
    SiteStatus, StoreResult,
};
use newslode_page::reading::{CanonicalUrl, Site};
use newslode_page::time::Timestamp;

use crate::store_suite::{Broken, Fault};

#[async_trait]
impl Frontier for Broken {
    async fn put_site(&self, site: &Site, settings: &SiteSettings) -> StoreResult<()> {
        let mut settings = settings.clone();
        if self.has(Fault::ForgetsDelays) {
            settings.delay_ms = 0;
        }
        if self.has(Fault::ForgetsPauses) {
            settings.paused = false;
        }
        if self.has(Fault::ForgetsBudgets) {
            settings.max_pages = u64::MAX;
        }
        self.good.put_site(site, &settings).await
    }
    async fn site(&self, site: &Site) -> StoreResult<Option<SiteSettings>> {
        self.good.site(site).await
    }
    async fn remove_site(&self, site: &Site) -> StoreResult<()> {
        self.good.remove_site(site).await
    }
    async fn add(&self, urls: &[NewUrl], now: Timestamp) -> StoreResult<Added> {
        let mut urls = urls.to_vec();
        for url in &mut urls {
            if self.has(Fault::MixesClasses) {
                url.class = Class::Listing;
            }
            if self.has(Fault::RevivesNothing) {
                url.again = Again::Never;
            }
        }
        // A day that never ends.
        let now = if self.has(Fault::BudgetsForLife) { Timestamp(now.0.min(1_700_000_000_000)) } else { now };
        if self.has(Fault::ForgetsByDayOfLeaving) {
            // What has left is not refreshed by being shown.
            let mut known = 0;
            let mut others = Vec::new();
            for url in urls {
                if self.good.left(&url.url, now).await?.is_some() && url.again == Again::Never {
                    known += 1;
                } else {
                    others.push(url);
                }
            }
            return Ok(Added { known, ..self.good.add(&others, now).await? });
        }
        let mut added = self.good.add(&urls, now).await?;
        if self.has(Fault::PromotesNothing) {
            added.promoted.clear();
        }
        Ok(added)
    }
    async fn claim(&self, now: Timestamp, lease: Duration, most: usize) -> StoreResult<Claimed> {
        let held = if self.has(Fault::ForgetsLeases) { Duration::ZERO } else { lease };
        // Otherwise a call could claim the same URL without end.
        let most = if self.has(Fault::ForgetsLeases) { most.min(1) } else { most };
        let mut claimed = self.good.claim(now, held, most).await?;
        if self.has(Fault::CountsNoRequests) {
            claimed.claims.iter_mut().for_each(|claim| claim.recent = 1);
        }
        if self.has(Fault::ForgetsTurns) {
            claimed.next = None;
        }
        Ok(claimed)
    }
    async fn complete(
        &self,
        claim: &Claim,
        completion: Completion,
        now: Timestamp,
    ) -> StoreResult<Completed> {
        let completion = match completion {
            Completion::Retry { due, counts, .. } if self.has(Fault::ForgetsRests) => {
                Completion::Retry { due, counts, rest_site_until: None }
            }
            Completion::Retry { due, rest_site_until, .. } if self.has(Fault::CountsNoAttempts) => {
                Completion::Retry { due, counts: false, rest_site_until }
            }
            Completion::Done { outcome, content, validators, next, schedule }
                if self.has(Fault::ForgetsClasses) =>
            {
                let next = next.map(|next| Next { class: Class::New, ..next });
                Completion::Done { outcome, content, validators, next, schedule }
            }
            Completion::Skipped { next: Some(next), .. } if self.has(Fault::ChargesSkips) => {
                Completion::Retry { due: next.due, counts: false, rest_site_until: None }
            }
            Completion::Done { outcome, content, validators, next: None, schedule }
                if self.has(Fault::LetsNothingLeave) =>
            {
                let next = Some(Next { due: Timestamp(u64::MAX >> 12), class: Class::Rest });
                Completion::Done { outcome, content, validators, next, schedule }
            }
            Completion::Released if self.has(Fault::ReleasesNothing) => return Ok(Completed::Recorded),
            other => other,
        };
        let completed = self.good.complete(claim, completion, now).await?;
        Ok(if self.has(Fault::KeepsLateClaims) { Completed::Recorded } else { completed })
    }
    async fn raise_delay(&self, site: &Site, delay: Duration) -> StoreResult<()> {
        self.good.raise_delay(site, delay).await
    }
    async fn schedule(&self, site: &Site) -> StoreResult<(SiteSchedule, u64)> {
        self.good.schedule(site).await
    }
    async fn put_schedule(
        &self,
        site: &Site,
        schedule: &SiteSchedule,
        expected: u64,
        pace: Pace,
        now: Timestamp,
    ) -> StoreResult<bool> {
        let held = self.good.schedule(site).await?.1;
        let expected = if self.has(Fault::OverwritesSchedules) { held } else { expected };
        let per_day = pace.per_day.filter(|_| !self.has(Fault::ForgetsAllowances));
        let delay_ms = if self.has(Fault::ForgetsLearntDelays) { 0 } else { pace.delay_ms };
        let rest_until = pace.rest_until.filter(|_| !self.has(Fault::ShortensRests));
        let beside_claims = if self.has(Fault::OverlooksRequestsBeside) { 0 } else { pace.beside_claims };
        let pace = Pace { per_day, delay_ms, rest_until, beside_claims };
        self.good.put_schedule(site, schedule, expected, pace, now).await
    }
    async fn forget_url(&self, url: &CanonicalUrl) -> StoreResult<bool> {
        if self.has(Fault::ForgetsNothing) { Ok(true) } else { self.good.forget_url(url).await }
    }
    async fn left(&self, url: &CanonicalUrl, now: Timestamp) -> StoreResult<Option<u32>> {
        self.good.left(url, now).await
    }
    async fn note(&self, note: &Note) -> StoreResult<bool> {
        let mut note = note.clone();
        if self.has(Fault::TakesAllNotes) {
            note.fetch = self.good.entry(&note.url).await?.map_or(0, |entry| entry.fetch);
        }
        self.good.note(&note).await
    }
    async fn entry(&self, url: &CanonicalUrl) -> StoreResult<Option<Entry>> {
        self.good.entry(url).await
    }
    async fn entries(&self, site: &Site) -> StoreResult<Vec<Entry>> {
        self.good.entries(site).await
    }
    async fn status(&self) -> StoreResult<Vec<SiteStatus>> {
        self.good.status().await
    }
    async fn release_leases(&self, now: Timestamp) -> StoreResult<u64> {
        self.good.release_leases(now).await
    }
}
