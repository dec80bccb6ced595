//! Measures contributions counted per second: batches of a site against one call per page.

use std::sync::Arc;
use std::time::Instant;

use anyhow::Context;
use newslode_common::store::{Applied, Change, SiteState, state_digest};
use newslode_common::time;
use newslode_common::version::{ContentHash, Version};
use newslode_page::contribution::{Contribution, Delta};
use newslode_page::reading::{CanonicalUrl, Site};
use serde::Serialize;
use tokio::task::JoinSet;

use super::made::{MadeSite, REAL};

/// Number of sites whose pages are counted.
const SITES: usize = 4;
/// Number of pages of each site.
const PAGES: usize = 256;
/// Number of pages per call.
const BATCHES: [usize; 5] = [1, 4, 16, 64, 256];

/// Figures of calls of one size.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Row {
    /// Number of pages per call.
    pub(crate) batch: usize,
    /// Number of sites with concurrent calls.
    pub(crate) at_once: usize,
    pub(crate) pages_per_second: f64,
    /// Speed relative to sequential calls of one page.
    pub(crate) times: f64,
}

/// Figures of one store.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Applies {
    pub(crate) store: &'static str,
    pub(crate) pages: usize,
    pub(crate) counters_per_page: f64,
    pub(crate) rows: Vec<Row>,
}

/// A change that counts the first version of a generated page.
pub(super) fn change(site: &MadeSite, page: u64) -> anyhow::Result<Change> {
    Ok(first(site.url(page)?, &site.page(page, 1)?))
}

/// A change that counts the first version of a page.
pub(in crate::bench) fn first(url: CanonicalUrl, page: &Contribution) -> Change {
    let new = Version { fetch: 1, content: ContentHash::of(&url, None, &[]) };
    let delta = Delta::between(None, Some(page));
    Change { url, expected: None, new, fetched_at: time::now(), delta, again: false }
}

type Work = Vec<(Site, Vec<Change>)>;

/// Measures a store. All sizes must end in the same state.
pub(super) async fn measure(store: &'static str, state: Arc<dyn SiteState>) -> anyhow::Result<Applies> {
    let mut work: Work = Vec::new();
    for number in 0..SITES as u64 {
        let site = MadeSite::new(number, REAL)?;
        let changes = (0..PAGES as u64).map(|page| change(&site, page)).collect::<anyhow::Result<_>>()?;
        work.push((site.site, changes));
    }
    let counters: usize = work.iter().flat_map(|(_, changes)| changes).map(|change| change.delta.len()).sum();
    let (pages, work) = (work.len() * PAGES, Arc::new(work));
    let mut rows: Vec<Row> = Vec::new();
    let mut ends = Vec::new();
    for (batch, at_once) in [(1, 1)].into_iter().chain(BATCHES.map(|batch| (batch, SITES))) {
        let begun = Instant::now();
        count(&state, &work, batch, at_once).await?;
        let pages_per_second = pages as f64 / begun.elapsed().as_secs_f64();
        let times = pages_per_second / rows.first().map_or(pages_per_second, |first| first.pages_per_second);
        rows.push(Row { batch, at_once, pages_per_second, times });
        for (site, _) in work.iter() {
            ends.push((site.clone(), state_digest(state.as_ref(), site).await?));
            state.forget(site).await?;
        }
    }
    ends.sort_unstable_by_key(|(site, digest)| (site.clone(), digest.0));
    ends.dedup();
    anyhow::ensure!(ends.len() == work.len(), "calls of different sizes ended in different states");
    Ok(Applies { store, pages, counters_per_page: counters as f64 / pages as f64, rows })
}

/// Counts as the miner does: one task per site, batches one after another.
async fn count(
    state: &Arc<dyn SiteState>,
    work: &Arc<Work>,
    batch: usize,
    at_once: usize,
) -> anyhow::Result<()> {
    let mut tasks = JoinSet::new();
    for at in 0..work.len() {
        if tasks.len() >= at_once {
            tasks.join_next().await.transpose()?.transpose()?;
        }
        tasks.spawn(count_site(state.clone(), work.clone(), at, batch));
    }
    while let Some(ended) = tasks.join_next().await {
        ended??;
    }
    Ok(())
}

async fn count_site(
    state: Arc<dyn SiteState>,
    work: Arc<Work>,
    at: usize,
    batch: usize,
) -> anyhow::Result<()> {
    let (site, changes) = work.get(at).context("there is no such site")?;
    for part in changes.chunks(batch) {
        let verdicts = state.apply(site, part).await?;
        anyhow::ensure!(verdicts.iter().all(|verdict| *verdict == Applied::Applied), "not all counted");
    }
    Ok(())
}
