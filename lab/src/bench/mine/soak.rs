//! Counts many pages into a store and measures memory: of this process, and of the state per page.

use std::time::Instant;

use newslode_common::store::SiteState;
use serde::Serialize;

use super::applies::change;
use super::made::{MadeSite, SMALL};
use crate::bench::memory::held;

/// Number of pages per call.
const BATCH: u64 = 256;
/// Number of pages per site.
const PER_SITE: u64 = 10_000;
/// Number of memory measurements.
const LOOKS: u64 = 20;

/// Memory at one moment.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Look {
    pub(crate) pages: u64,
    pub(crate) seconds: f64,
    /// Resident memory of this process, if the system reports it.
    pub(crate) resident_bytes: Option<u64>,
    /// Size of the store: the server's memory or the file.
    pub(crate) state_bytes: u64,
}

/// Figures of one run.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Soak {
    pub(crate) store: &'static str,
    pub(crate) pages: u64,
    pub(crate) sites: u64,
    pub(crate) seconds: f64,
    pub(crate) pages_per_second: f64,
    pub(crate) counters_per_page: f64,
    pub(crate) state_bytes_per_page: f64,
    pub(crate) looks: Vec<Look>,
}

/// Counts pages, with sites taking turns as in a crawl. `size` returns the store's bytes.
pub(super) async fn measure(
    store: &'static str,
    state: &dyn SiteState,
    pages: u64,
    size: impl AsyncFn() -> anyhow::Result<u64>,
    say: &mut dyn FnMut(&str),
) -> anyhow::Result<Soak> {
    let count = pages.div_ceil(PER_SITE);
    let sites = (0..count).map(|number| MadeSite::new(number, SMALL)).collect::<anyhow::Result<Vec<_>>>()?;
    let mut counters = 0;
    let begun = Instant::now();
    let mut looks = Vec::new();
    let (mut done, mut first) = (0, 0);
    let before = size().await?;
    while done < pages {
        for site in &sites {
            let last = (first + BATCH).min(PER_SITE).min(first + pages - done);
            let changes = (first..last).map(|page| change(site, page)).collect::<anyhow::Result<Vec<_>>>()?;
            state.apply(&site.site, &changes).await?;
            done += changes.len() as u64;
            counters += changes.iter().map(|change| change.delta.len() as u64).sum::<u64>();
            if done * LOOKS / pages >= looks.len() as u64 && !changes.is_empty() {
                let look = Look {
                    pages: done,
                    seconds: begun.elapsed().as_secs_f64(),
                    resident_bytes: held("VmRSS:"),
                    state_bytes: size().await?.saturating_sub(before),
                };
                say(&format!(
                    "soak, {store}: {done} pages, {:.0} s, {} MiB resident",
                    look.seconds,
                    look.resident_bytes.unwrap_or(0) >> 20
                ));
                looks.push(look);
            }
        }
        first += BATCH;
        anyhow::ensure!(first < PER_SITE || done >= pages, "the sites have no more pages");
    }
    let seconds = begun.elapsed().as_secs_f64();
    let state_bytes = size().await?.saturating_sub(before);
    Ok(Soak {
        store,
        pages: done,
        sites: count,
        seconds,
        pages_per_second: done as f64 / seconds,
        counters_per_page: counters as f64 / done as f64,
        state_bytes_per_page: state_bytes as f64 / done as f64,
        looks,
    })
}
