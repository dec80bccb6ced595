//! Stores that fail as servers do: a call has no effect, or its effect without an answer, or its effect
//! twice, or its effect later, after other calls. Or stores whose callers take turns, call by call.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use newslode_common::schedule::SiteSchedule;
use newslode_common::store::log::{History, Log};
use newslode_common::store::{
    Added, Applied, Change, Claim, Claimed, Completed, Completion, Entry, Expired, Frontier, Kind, NewUrl,
    Note, Pace, PageArchive, SiteSettings, SiteState, SiteStatus, StoreError, StoreResult, Sums,
};
use newslode_common::version::{ContentHash, Version};
use newslode_miner::work::stores::Stores;
use newslode_page::contribution::Table;
use newslode_page::reading::{CanonicalUrl, Site};
use newslode_page::time::Timestamp;
use tokio::task::JoinSet;

enum Fate {
    Fine,
    Before,
    After,
    Twice,
    Late,
}

/// Fails at random over good stores, or from one call on.
pub(crate) struct Flaky {
    pub(crate) frontier: Arc<dyn Frontier>,
    pub(crate) state: Arc<dyn SiteState>,
    pub(crate) archive: Arc<dyn PageArchive>,
    calls: AtomicU64,
    seed: u64,
    /// If set, this number of calls succeeds, and all later ones fail without effect, as if the caller had been killed.
    lives: Option<u64>,
    /// If set, a call waits for its caller's turn, and none fails.
    turns: Option<(Arc<Turns>, usize)>,
    late: Mutex<JoinSet<()>>,
}

impl Flaky {
    pub(crate) fn new(
        frontier: Arc<dyn Frontier>,
        state: Arc<dyn SiteState>,
        archive: Arc<dyn PageArchive>,
        seed: u64,
    ) -> Flaky {
        Flaky {
            frontier,
            state,
            archive,
            calls: AtomicU64::new(0),
            seed,
            lives: None,
            turns: None,
            late: Mutex::default(),
        }
    }

    /// Stores whose caller is killed after a number of calls.
    pub(crate) fn killed_after(good: &Stores, calls: u64) -> Flaky {
        let Stores { frontier, state, archive, .. } = good.clone();
        Flaky { lives: Some(calls), ..Flaky::new(frontier, state, archive, 0) }
    }

    /// Stores of one of two callers that take turns.
    pub(crate) fn taking_turns(good: &Stores, turns: &Arc<Turns>, caller: usize) -> Flaky {
        let Stores { frontier, state, archive, .. } = good.clone();
        Flaky { turns: Some((turns.clone(), caller)), ..Flaky::new(frontier, state, archive, 0) }
    }

    async fn fate(&self) -> Fate {
        if let Some((turns, caller)) = &self.turns {
            turns.wait(*caller).await;
            return Fate::Fine;
        }
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        if let Some(lives) = self.lives {
            return if call < lives { Fate::Fine } else { Fate::Before };
        }
        let mixed = (call ^ (self.seed << 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        match (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 59 {
            0..=2 => Fate::Before,
            3..=5 => Fate::After,
            6..=7 => Fate::Twice,
            8..=10 => Fate::Late,
            _ => Fate::Fine,
        }
    }

    fn later(&self, work: impl Future<Output = ()> + Send + 'static) {
        self.late.lock().unwrap().spawn(async move {
            tokio::time::sleep(Duration::from_millis(7)).await;
            work.await;
        });
    }

    /// Waits until nothing is under way any more.
    pub(crate) async fn settle(&self) {
        let late = std::mem::take(&mut *self.late.lock().unwrap());
        late.join_all().await;
    }
}

/// Two callers of which one runs at a time: from each call to its next one, or to its end. A seed decides who goes on.
pub(crate) struct Turns {
    all: Mutex<AllTurns>,
    changed: tokio::sync::Notify,
}

struct AllTurns {
    random: u64,
    /// Whether each caller waits at a call, and whether it has ended.
    waits: [bool; 2],
    has_ended: [bool; 2],
    running: Option<usize>,
}

impl Turns {
    pub(crate) fn new(seed: u64) -> Turns {
        let all = AllTurns { random: seed, waits: [false; 2], has_ended: [false; 2], running: None };
        Turns { all: Mutex::new(all), changed: tokio::sync::Notify::new() }
    }

    async fn wait(&self, caller: usize) {
        self.arrive(caller, false);
        loop {
            let changed = self.changed.notified();
            if self.all.lock().unwrap().running == Some(caller) {
                return;
            }
            changed.await;
        }
    }

    /// The caller makes no more calls.
    pub(crate) fn end(&self, caller: usize) {
        self.arrive(caller, true);
    }

    fn arrive(&self, caller: usize, is_end: bool) {
        let mut all = self.all.lock().unwrap();
        (all.waits[caller], all.has_ended[caller]) = (!is_end, is_end);
        if all.running == Some(caller) {
            all.running = None;
        }
        // Both are known to wait, or to have ended, before one goes on: so the seed alone decides.
        if all.running.is_none() && (0..2).all(|at| all.waits[at] || all.has_ended[at]) {
            all.random =
                all.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let first = usize::from(all.random >> 63 == 1);
            all.running = [first, 1 - first].into_iter().find(|at| all.waits[*at]);
            if let Some(running) = all.running {
                all.waits[running] = false;
            }
            self.changed.notify_waiters();
        }
    }
}

fn unanswered<T>() -> StoreResult<T> {
    Err(StoreError::Unavailable("on purpose".into()))
}

/// Gives a call its fate; a call that would take effect later fails instead.
macro_rules! fated {
    ($self:ident, $call:expr) => {
        match $self.fate().await {
            Fate::Before | Fate::Late => unanswered(),
            Fate::After => {
                $call.await?;
                unanswered()
            }
            Fate::Twice => {
                $call.await?;
                $call.await
            }
            Fate::Fine => $call.await,
        }
    };
}

#[async_trait]
impl SiteState for Flaky {
    async fn versions(&self, site: &Site, urls: &[CanonicalUrl]) -> StoreResult<Vec<Option<Version>>> {
        fated!(self, self.state.versions(site, urls))
    }
    async fn apply(&self, site: &Site, changes: &[Change]) -> StoreResult<Vec<Applied>> {
        match self.fate().await {
            Fate::Late => {
                let (state, site, changes) = (self.state.clone(), site.clone(), changes.to_vec());
                self.later(async move { drop(state.apply(&site, &changes).await) });
                unanswered()
            }
            Fate::Before => unanswered(),
            Fate::After => {
                self.state.apply(site, changes).await?;
                unanswered()
            }
            Fate::Twice => {
                self.state.apply(site, changes).await?;
                self.state.apply(site, changes).await
            }
            Fate::Fine => self.state.apply(site, changes).await,
        }
    }
    async fn sums(&self, site: &Site, tables: &[Table]) -> StoreResult<Sums> {
        // A summary reads nine tables: with the odds of the other calls it would never succeed.
        self.state.sums(site, tables).await
    }
    async fn history(&self, site: &Site, homes: &[String]) -> StoreResult<History> {
        fated!(self, self.state.history(site, homes))
    }
    async fn snapshot(&self, site: &Site, tables: &[Table]) -> StoreResult<(u64, Sums)> {
        fated!(self, self.state.snapshot(site, tables))
    }
    async fn log(&self, bucket: u16, after: u64, most: usize) -> StoreResult<Log> {
        fated!(self, self.state.log(bucket, after, most))
    }
    async fn pages(&self, site: &Site) -> StoreResult<Vec<(CanonicalUrl, Version)>> {
        fated!(self, self.state.pages(site))
    }
    async fn counted_before(
        &self,
        site: &Site,
        before: Timestamp,
    ) -> StoreResult<Vec<(CanonicalUrl, Version)>> {
        fated!(self, self.state.counted_before(site, before))
    }
    async fn sites(&self) -> StoreResult<Vec<(Site, u64)>> {
        fated!(self, self.state.sites())
    }
    async fn forget(&self, site: &Site) -> StoreResult<()> {
        fated!(self, self.state.forget(site))
    }
    async fn value(&self, name: &str) -> StoreResult<Option<(u64, Bytes)>> {
        fated!(self, self.state.value(name))
    }
    async fn put_value(&self, name: &str, expected: Option<u64>, bytes: Bytes) -> StoreResult<Option<u64>> {
        fated!(self, self.state.put_value(name, expected, bytes.clone()))
    }
    async fn ready(&self) -> StoreResult<()> {
        self.state.ready().await
    }
}

#[async_trait]
impl Frontier for Flaky {
    async fn put_site(&self, site: &Site, settings: &SiteSettings) -> StoreResult<()> {
        fated!(self, self.frontier.put_site(site, settings))
    }
    async fn site(&self, site: &Site) -> StoreResult<Option<SiteSettings>> {
        fated!(self, self.frontier.site(site))
    }
    async fn remove_site(&self, site: &Site) -> StoreResult<()> {
        fated!(self, self.frontier.remove_site(site))
    }
    async fn add(&self, urls: &[NewUrl], now: Timestamp) -> StoreResult<Added> {
        match self.fate().await {
            Fate::Late => {
                let (frontier, urls) = (self.frontier.clone(), urls.to_vec());
                self.later(async move { drop(frontier.add(&urls, now).await) });
                unanswered()
            }
            Fate::Before => unanswered(),
            Fate::After => {
                self.frontier.add(urls, now).await?;
                unanswered()
            }
            Fate::Twice | Fate::Fine => self.frontier.add(urls, now).await,
        }
    }
    async fn claim(&self, now: Timestamp, lease: Duration, most: usize) -> StoreResult<Claimed> {
        self.frontier.claim(now, lease, most).await
    }
    async fn complete(
        &self,
        claim: &Claim,
        completion: Completion,
        now: Timestamp,
    ) -> StoreResult<Completed> {
        self.frontier.complete(claim, completion, now).await
    }
    async fn raise_delay(&self, site: &Site, delay: Duration) -> StoreResult<()> {
        self.frontier.raise_delay(site, delay).await
    }
    async fn schedule(&self, site: &Site) -> StoreResult<(SiteSchedule, u64)> {
        self.frontier.schedule(site).await
    }
    async fn put_schedule(
        &self,
        site: &Site,
        schedule: &SiteSchedule,
        expected: u64,
        pace: Pace,
        now: Timestamp,
    ) -> StoreResult<bool> {
        self.frontier.put_schedule(site, schedule, expected, pace, now).await
    }
    async fn forget_url(&self, url: &CanonicalUrl) -> StoreResult<bool> {
        fated!(self, self.frontier.forget_url(url))
    }
    async fn left(&self, url: &CanonicalUrl, now: Timestamp) -> StoreResult<Option<u32>> {
        self.frontier.left(url, now).await
    }
    async fn note(&self, note: &Note) -> StoreResult<bool> {
        self.frontier.note(note).await
    }
    async fn entry(&self, url: &CanonicalUrl) -> StoreResult<Option<Entry>> {
        self.frontier.entry(url).await
    }
    async fn entries(&self, site: &Site) -> StoreResult<Vec<Entry>> {
        fated!(self, self.frontier.entries(site))
    }
    async fn status(&self) -> StoreResult<Vec<SiteStatus>> {
        fated!(self, self.frontier.status())
    }
    async fn release_leases(&self, now: Timestamp) -> StoreResult<u64> {
        self.frontier.release_leases(now).await
    }
}

#[async_trait]
impl PageArchive for Flaky {
    async fn put(&self, kind: Kind, content: ContentHash, bytes: Bytes, now: Timestamp) -> StoreResult<()> {
        fated!(self, self.archive.put(kind, content, bytes.clone(), now))
    }
    async fn get(&self, kind: Kind, content: ContentHash) -> StoreResult<Option<Bytes>> {
        fated!(self, self.archive.get(kind, content))
    }
    async fn delete(&self, kind: Kind, content: ContentHash) -> StoreResult<()> {
        fated!(self, self.archive.delete(kind, content))
    }
    async fn expire(&self, before: Timestamp) -> StoreResult<Expired> {
        fated!(self, self.archive.expire(before))
    }
}
