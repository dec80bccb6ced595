//! Measures the fold over many sites, from scratch and after a few sites changed.

use std::time::Instant;

use newslode_common::store::redb::RedbStore;
use newslode_common::store::{Change, SiteState};
use newslode_common::version::{ContentHash, Version};
use newslode_miner::mining::fold::{FoldParams, Folder};
use newslode_miner::mining::taxonomy::Taxonomy;
use newslode_miner::work::summary_cache::SummaryCache;
use newslode_page::contribution::{Contribution, Delta};
use newslode_page::time::Timestamp;
use serde::Serialize;

use super::made::{MadeSite, REAL};
use crate::bench::ratios::ms;

/// Number of pages per site: the front page with its 268 labels, and sections, which raise that to about 357.
const PAGES: u64 = 12;
/// Number of sites that change.
const CHANGED: usize = 10;

/// Figures for one number of sites.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Folds {
    pub(crate) sites: usize,
    pub(crate) labels_per_site: f64,
    pub(crate) concepts: usize,
    pub(crate) relations: usize,
    /// Time until the parts of all sites are read from the store.
    pub(crate) read_ms: f64,
    /// Time from counters to the taxonomy, from scratch.
    pub(crate) fold_ms: f64,
    /// Times after ten sites changed: to follow these, and to fold all.
    pub(crate) again_read_ms: f64,
    pub(crate) again_fold_ms: f64,
    /// Whether both folds give the same taxonomy, to the bit.
    pub(crate) equal: bool,
}

/// Measures folds over `count` sites.
pub(super) async fn measure(count: u64) -> anyhow::Result<Folds> {
    let store = RedbStore::in_memory()?;
    for number in 0..count {
        let site = MadeSite::new(number, REAL)?;
        let mut changes = Vec::new();
        for page in 0..PAGES {
            changes.push(changed(&site, page, None, Some(&site.page(page, 1)?))?);
        }
        store.apply(&site.site, &changes).await?;
    }
    let (params, mut followed, mut folder) =
        (FoldParams::default(), SummaryCache::default(), Folder::default());
    let begun = Instant::now();
    let (sites, _) = followed.refresh(&store, params.support).await?;
    let read_ms = begun.elapsed().as_secs_f64() * 1e3;
    let mut first = Taxonomy::default();
    let fold_ms = ms(|| first = folder.fold(&sites, &params));
    for number in 0..CHANGED as u64 {
        let site = MadeSite::new(number, REAL)?;
        let (old, new) = (site.page(0, 1)?, site.page(0, 2)?);
        store.apply(&site.site, &[changed(&site, 0, Some(&old), Some(&new))?]).await?;
    }
    let begun = Instant::now();
    let (sites, changed) = followed.refresh(&store, params.support).await?;
    let again_read_ms = begun.elapsed().as_secs_f64() * 1e3;
    // More than these change if a label becomes frequent.
    anyhow::ensure!(changed >= CHANGED.min(sites.len()), "{changed} sites changed");
    let mut again = Taxonomy::default();
    let again_fold_ms = ms(|| again = folder.fold(&sites, &params));
    let scratch = Folder::default().fold(&sites, &params);
    let labels: usize = sites.iter().map(|site| site.labels.len()).sum();
    Ok(Folds {
        sites: sites.len(),
        labels_per_site: labels as f64 / sites.len().max(1) as f64,
        concepts: first.concepts.len(),
        relations: first.relations.len(),
        read_ms,
        fold_ms,
        again_read_ms,
        again_fold_ms,
        equal: serde_json::to_vec(&again)? == serde_json::to_vec(&scratch)?,
    })
}

fn changed(
    site: &MadeSite,
    page: u64,
    old: Option<&Contribution>,
    new: Option<&Contribution>,
) -> anyhow::Result<Change> {
    let version =
        |fetch: u64| Version { fetch, content: ContentHash([u8::try_from(fetch).unwrap_or(9); 16]) };
    Ok(Change {
        url: site.url(page)?,
        expected: old.map(|_| version(1)),
        new: version(1 + u64::from(old.is_some())),
        fetched_at: Timestamp(0),
        delta: Delta::between(old, new),
        again: false,
    })
}
