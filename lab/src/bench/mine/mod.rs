//! Measures the miner's state on this machine, for `newslode-lab bench mine`.
//!
//! Generated contributions ([`made`]) go into real stores. The benchmark measures how many are counted per
//! second, one by one and in batches ([`applies`]); how long the fold takes, from scratch and after a few
//! sites changed ([`folds`]); how many bytes a record takes ([`records`]); and, on request, whether memory
//! stays flat over very many pages ([`soak`]). Start at [`measure`].

mod applies;
mod folds;
mod made;
pub(crate) mod picture;
mod records;
mod server;
mod soak;

use std::sync::Arc;

use newslode_common::store::redb::RedbStore;
use serde::Serialize;

pub(crate) use applies::Applies;
pub(super) use applies::first;
pub(crate) use folds::Folds;
pub(super) use made::{Dice, word};
pub(crate) use records::Records;
pub(crate) use server::Server;
pub(crate) use soak::Soak;

/// Numbers of sites to fold.
const SITES: [u64; 5] = [50, 100, 200, 500, 1_000];

/// Selects the measurements.
#[derive(Debug, Default)]
pub(crate) struct Wanted {
    pub(crate) redb: bool,
    pub(crate) redis: bool,
    /// URL of a running server; without it, one is started.
    pub(crate) redis_url: Option<String>,
    /// Maximum number of sites to fold.
    pub(crate) sites: Option<u64>,
    /// Measure only the soak, over this number of pages.
    pub(crate) soak: Option<u64>,
}

/// All measurements.
#[derive(Debug, Default, Serialize)]
pub(crate) struct MineReport {
    pub(crate) applies: Vec<Applies>,
    pub(crate) folds: Vec<Folds>,
    pub(crate) records: Vec<Records>,
    pub(crate) soaks: Vec<Soak>,
}

/// Measures and reports progress to `say`.
pub(crate) async fn measure(wanted: &Wanted, say: &mut dyn FnMut(&str)) -> anyhow::Result<MineReport> {
    let mut report = MineReport::default();
    if wanted.redb {
        redb(wanted, &mut report, say).await?;
    }
    if wanted.redis {
        redis(wanted, &mut report, say).await?;
    }
    if wanted.soak.is_none() {
        for sites in SITES.into_iter().filter(|sites| wanted.sites.is_none_or(|most| *sites <= most)) {
            say(&format!("fold: {sites} sites"));
            report.folds.push(folds::measure(sites).await?);
        }
    }
    Ok(report)
}

async fn redb(wanted: &Wanted, report: &mut MineReport, say: &mut dyn FnMut(&str)) -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("state.redb");
    let store = RedbStore::open(&file)?;
    if let Some(pages) = wanted.soak {
        let size = async || Ok(std::fs::metadata(&file)?.len());
        report.soaks.push(soak::measure("redb", &store, pages, size, say).await?);
        return Ok(());
    }
    say("applies: redb");
    report.applies.push(applies::measure("redb", Arc::new(store.clone())).await?);
    say("records: redb");
    let fresh = RedbStore::open(&folder.path().join("records.redb"))?;
    let size = async || Ok(fresh.used_bytes().await?);
    report.records.push(records::measure("redb", &fresh, size).await?);
    Ok(())
}

async fn redis(wanted: &Wanted, report: &mut MineReport, say: &mut dyn FnMut(&str)) -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let server = match &wanted.redis_url {
        Some(url) => Server::at(url).await?,
        None => Server::start(folder.path()).await?,
    };
    let store = &server.store;
    let size = async || Ok(store.used_memory().await?);
    if let Some(pages) = wanted.soak {
        report.soaks.push(soak::measure("redis", store, pages, size, say).await?);
        return Ok(());
    }
    say("applies: Redis, appendfsync everysec");
    report.applies.push(applies::measure("redis", Arc::new(store.clone())).await?);
    say("records: Redis");
    report.records.push(records::measure("redis", store, size).await?);
    Ok(())
}
