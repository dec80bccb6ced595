//! How the costs of the mined state grow with the pages of a site, in Redis.
//!
//! Contributions are drawn from recorded sites ([`drawn`]). At each size it is measured what counting a batch costs, what a
//! fold costs after a batch of each site changed (by following the logs, and by reading whole sites, which must give the
//! same taxonomy to the bit), and what the server and a miner keep. Start at [`measure`].

mod drawn;
pub(crate) mod picture;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use newslode_common::store::redis::{RedisStore, Work};
use newslode_common::store::{Applied, SiteState};
use newslode_miner::mining::fold::{FoldParams, Folder};
use newslode_miner::mining::summary::SiteSummary;
use newslode_miner::work::summaries::summaries;
use newslode_miner::work::summary_cache::SummaryCache;
use serde::Serialize;

use super::mine::first;
use drawn::{Common, Drawn, Recorded};

/// Pages of a batch.
const BATCH: usize = 64;
/// Batches of each site at each size whose cost is measured.
const MEASURED: usize = 4;

/// What is measured.
#[derive(Clone, Debug)]
pub(crate) struct ScaleSpec {
    /// Folder of recorded sites.
    pub(crate) pages: PathBuf,
    pub(crate) sites: u64,
    /// Pages of each site at which is measured, ascending.
    pub(crate) sizes: Vec<usize>,
}

/// The figures at one size. Times are processor time in milliseconds.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Scale {
    pub(crate) sites: u64,
    pub(crate) pages_per_site: usize,
    /// Bytes of the server for a page, log and versions included.
    pub(crate) redis_bytes_per_page: f64,
    /// Of a page in batches of 64.
    pub(crate) apply_server_ms: f64,
    pub(crate) apply_client_ms: f64,
    /// Of a changed page, until the summaries are right again: by following the logs.
    pub(crate) follow_server_ms: f64,
    pub(crate) follow_client_ms: f64,
    /// The same by reading every changed site whole.
    pub(crate) read_server_ms: f64,
    pub(crate) read_client_ms: f64,
    /// Of a site, when a follower keeps it in the store for its successor.
    pub(crate) keep_server_ms: f64,
    pub(crate) keep_client_ms: f64,
    /// Of a site, when that successor takes it over, a batch later.
    pub(crate) succeed_server_ms: f64,
    pub(crate) succeed_client_ms: f64,
    /// Of a fold of all sites, after all changed.
    pub(crate) fold_ms: f64,
    /// What a miner keeps of a site: cells, and bytes of memory.
    pub(crate) kept_cells: f64,
    pub(crate) kept_bytes: f64,
    pub(crate) frequent_labels: usize,
    pub(crate) concepts: usize,
    /// Whether all ways give the same taxonomy, to the bit.
    pub(crate) equal: bool,
}

/// Fills a store, and measures at each size.
pub(crate) async fn measure(
    spec: &ScaleSpec,
    store: &RedisStore,
    say: &mut dyn FnMut(&str),
) -> anyhow::Result<Vec<Scale>> {
    let (sites, common) = drawn::read(&spec.pages, say)?;
    let mut bench = Bench {
        store,
        sites: &sites,
        common: &common,
        count: spec.sites,
        empty: store.used_memory().await?,
        pages: 0,
        followed: SummaryCache::default(),
    };
    let mut rows = Vec::new();
    for size in &spec.sizes {
        say(&format!("{} sites of {size} pages", spec.sites));
        bench.grow(*size).await?;
        rows.push(bench.row(say).await?);
    }
    Ok(rows)
}

/// What some work costs the server and us.
async fn spent<T>(store: &RedisStore, work: impl Future<Output = T>) -> anyhow::Result<(T, Cost)> {
    let (before, begun) = (store.work().await?, cpu_ms()?);
    let done = work.await;
    let (ended, after) = (cpu_ms()?, store.work().await?);
    Ok((done, Cost { server_ms: server_ms(&before, &after), client_ms: ended - begun }))
}

struct Bench<'a> {
    store: &'a RedisStore,
    sites: &'a [Recorded],
    common: &'a Common,
    count: u64,
    empty: u64,
    /// Counted pages of each site.
    pages: usize,
    followed: SummaryCache,
}

impl Bench<'_> {
    /// Counts pages until each site has nearly this many; those that are measured are still to come.
    async fn grow(&mut self, size: usize) -> anyhow::Result<()> {
        while self.pages + (MEASURED + 2) * BATCH <= size {
            self.count_batches().await?;
        }
        // Parts of a follower that was not away.
        self.followed.refresh(self.store, 0).await?;
        self.count_batches().await?;
        self.followed.refresh(self.store, 0).await?;
        Ok(())
    }

    /// Counts the next batch of each site; returns its cost.
    async fn count_batches(&mut self) -> anyhow::Result<Cost> {
        let mut cost = Cost::default();
        for number in 0..self.count {
            let site = Drawn::new(self.sites, self.common, number);
            let changes = (self.pages..self.pages + BATCH)
                .map(|page| site.page(page).map(|(url, drawn)| first(url, &drawn)))
                .collect::<Result<Vec<_>, _>>()?;
            let (verdicts, counting) = spent(self.store, self.store.apply(&site.site, &changes)).await?;
            let is_counted = |verdict: &Applied| *verdict == Applied::Applied;
            anyhow::ensure!(verdicts?.iter().all(is_counted), "a drawn page did not count");
            cost.add(&counting);
        }
        self.pages += BATCH;
        Ok(cost)
    }

    async fn row(&mut self, say: &mut dyn FnMut(&str)) -> anyhow::Result<Scale> {
        let (mut apply, mut follow) = (Cost::default(), Cost::default());
        for _ in 0..MEASURED {
            apply.add(&self.count_batches().await?);
            let (refreshed, refreshing) = spent(self.store, self.followed.refresh(self.store, 0)).await?;
            refreshed?;
            follow.add(&refreshing);
        }
        let (kept, keep) = spent(self.store, self.followed.save(self.store)).await?;
        kept?;
        apply.add(&self.count_batches().await?);
        let mut successor = SummaryCache::default();
        let (taken, succeed) = spent(self.store, successor.refresh(self.store, 0)).await?;
        let taken = taken?.0;
        let (refreshed, refreshing) = spent(self.store, self.followed.refresh(self.store, 0)).await?;
        let parts = refreshed?.0;
        follow.add(&refreshing);
        say("reading whole sites");
        let (whole, reading) = spent(self.store, summaries(self.store)).await?;
        let params = FoldParams::default();
        let begun = Instant::now();
        let taxonomy = Folder::default().fold(&parts, &params);
        let fold_ms = begun.elapsed().as_secs_f64() * 1e3;
        let same = |sites: &[Arc<SiteSummary>]| Folder::default().fold(sites, &params) == taxonomy;
        let sites = self.count as f64;
        let (changed, all) = (((MEASURED + 1) * BATCH) as f64 * sites, self.pages as f64 * sites);
        let one_batch = BATCH as f64 * sites;
        Ok(Scale {
            sites: self.count,
            pages_per_site: self.pages,
            redis_bytes_per_page: (self.store.used_memory().await?.saturating_sub(self.empty)) as f64 / all,
            apply_server_ms: apply.server_ms / changed,
            apply_client_ms: apply.client_ms / changed,
            follow_server_ms: follow.server_ms / changed,
            follow_client_ms: follow.client_ms / changed,
            read_server_ms: reading.server_ms / one_batch,
            read_client_ms: reading.client_ms / one_batch,
            keep_server_ms: keep.server_ms / sites,
            keep_client_ms: keep.client_ms / sites,
            succeed_server_ms: succeed.server_ms / sites,
            succeed_client_ms: succeed.client_ms / sites,
            fold_ms,
            kept_cells: self.followed.cells() as f64 / sites,
            kept_bytes: self.kept_bytes()?,
            frequent_labels: self.followed.frequent(),
            concepts: taxonomy.concepts.len(),
            equal: same(&whole?) && same(&taken),
        })
    }

    /// Memory that what is kept of a site takes: that of some copies of it.
    fn kept_bytes(&self) -> anyhow::Result<f64> {
        let copies = (8_000_000 / self.followed.cells().max(1)).clamp(1, 100);
        let before = resident_bytes()?;
        let held: Vec<SummaryCache> = (0..copies).map(|_| self.followed.copied()).collect();
        let taken = resident_bytes()? - before;
        drop(held);
        Ok(taken / copies as f64 / self.count as f64)
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Cost {
    server_ms: f64,
    client_ms: f64,
}

impl Cost {
    fn add(&mut self, other: &Cost) {
        self.server_ms += other.server_ms;
        self.client_ms += other.client_ms;
    }
}

fn server_ms(before: &Work, after: &Work) -> f64 {
    after.cpu_us.saturating_sub(before.cpu_us) as f64 / 1e3
}

/// Processor time of this process so far, in milliseconds.
fn cpu_ms() -> anyhow::Result<f64> {
    let mut total = 0.0;
    for thread in std::fs::read_dir("/proc/self/task")? {
        let text = std::fs::read_to_string(thread?.path().join("schedstat"))?;
        let nanoseconds = text.split(' ').next().and_then(|first| first.parse::<f64>().ok());
        total += nanoseconds.unwrap_or(0.0) / 1e6;
    }
    Ok(total)
}

fn resident_bytes() -> anyhow::Result<f64> {
    let text = std::fs::read_to_string("/proc/self/statm")?;
    let pages = text.split(' ').nth(1).and_then(|pages| pages.parse::<f64>().ok());
    Ok(pages.unwrap_or(0.0) * 4096.0)
}
