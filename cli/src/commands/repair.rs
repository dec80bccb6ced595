//! `newslode repair`: recovers a run or an installation, and says what cannot be recovered.

use std::path::Path;
use std::sync::Arc;

use newslode_common::shutdown;
use newslode_common::store::Kind;
use newslode_common::store::redb::repair::{FileRepair, repair};
use newslode_common::time;
use newslode_miner::work::reconcile::{publish_incomplete, reconcile};
use newslode_miner::work::repair::{Prepared, prepare};
use newslode_miner::work::verify::VerifyReport;
use serde::Serialize;
use tokio::task::JoinSet;

use super::mine;
use super::verify::prove_run;
use crate::args::RepairArgs;
use crate::engine::{self, Ended, Engine};
use crate::exit::{Exit, hinted};
use crate::installation::{self, Setup, Target};
use crate::{out, services};

/// What was recovered, and what could not be.
#[derive(Serialize)]
struct Report {
    /// What became of the run's file.
    file: FileRepair,
    #[serde(flatten)]
    prepared: Prepared,
    /// The proof afterwards.
    proof: VerifyReport,
}

/// What was sent to the services.
#[derive(Serialize)]
struct Sent {
    /// Pages that were fetched and do not count.
    uncounted: u64,
    /// Pages whose articles have no history at the version that counts.
    incomplete: u64,
}

pub(crate) async fn run(args: RepairArgs, setup: Setup) -> anyhow::Result<Exit> {
    match args.run.target(&setup) {
        Target::Run(folder) => repair_run(&folder, args.json, setup).await,
        Target::Services => repair_services(args.json, &setup).await,
    }
}

async fn repair_run(folder: &Path, json: bool, setup: Setup) -> anyhow::Result<Exit> {
    let state = engine::existing_state(folder)?;
    let mut waiter = JoinSet::new();
    let stop = shutdown::on_signal(&mut waiter, || std::process::abort())?;
    // 1. The file.
    let file = tokio::task::spawn_blocking(move || repair(&state)).await?.map_err(|error| {
        hinted(
            error.to_string(),
            "stop what works on the run; if the file is lost, `newslode mine` begins anew in another folder",
        )
    })?;
    // 2. What the archive holds is counted again, and what no page needs is deleted.
    let engine = Engine::open(folder, setup.config.clone())?.offline();
    engine::claim(&engine.miner_parts()).await?;
    let (parts, store) = (engine.miner_parts(), &engine.store);
    let archived = store.archived(Kind::Page).await?;
    let prepared = prepare(&parts.stores, &archived, parts.retention, time::now()).await?;
    // 3. The histories of articles: the engine publishes pages that are not counted, then these.
    engine.look_for_incomplete_histories().await?;
    let (ended, _) = mine::mine(&engine, folder, &[], &stop, setup.quiet).await?;
    stop.cancel();
    // 4. The proof.
    let proof = prove_run(store, &setup).await?;
    let is_sound = proof.is_proof();
    let report = Report { file, prepared, proof };
    if json {
        out::json(&report)?;
    } else {
        print(&report, folder)?;
    }
    Ok(match ended {
        Ended::Stopped => Exit::Interrupted,
        Ended::Complete if is_sound => Exit::Done,
        Ended::Complete => Exit::Failed,
    })
}

fn print(report: &Report, folder: &Path) -> anyhow::Result<()> {
    match &report.file {
        FileRepair::Whole => out::line("the run's file is whole")?,
        FileRepair::Recovered => out::line("the run's file was not closed, and was recovered")?,
        FileRepair::Rebuilt(rebuilt) => {
            for fault in &rebuilt.found.faults {
                out::line(format!("damaged: {fault}"))?;
            }
            out::line(format!(
                "the run's file was damaged in {} places: {} records were moved to a new file, and the damaged one is `{}`",
                rebuilt.found.faulty,
                rebuilt.kept,
                rebuilt.damaged.display()
            ))?;
        }
    }
    let Prepared { recounted, fetched_again, deleted } = &report.prepared;
    for site in recounted {
        out::line(format!("counted again from the archive: {site}"))?;
    }
    for url in fetched_again {
        out::line(format!("lost, and fetched again at the next run: {url}"))?;
    }
    if !fetched_again.is_empty() {
        let folder = folder.display();
        out::line(format!(
            "{} pages are lost: newslode mine --out {folder} fetches them again",
            fetched_again.len()
        ))?;
    }
    if *deleted > 0 {
        out::line(format!("deleted: {deleted} pages that nothing needs any more"))?;
    }
    let proof = &report.proof;
    for fault in &proof.histories {
        out::line(format!("cannot be recovered: the history of {}: {}", fault.url, fault.what))?;
    }
    let end = if proof.is_proof() { "proved" } else { "NOT proved (newslode verify says what differs)" };
    out::line(format!("{} sites, {} pages, {} articles: {end}", proof.sites, proof.pages, proof.articles))
}

async fn repair_services(json: bool, setup: &Setup) -> anyhow::Result<Exit> {
    let config = &setup.config;
    let mut parts = installation::open(&Target::Services, config).await?;
    parts.broker = Arc::new(services::connect_broker(config).await?);
    engine::claim(&parts).await?;
    let stores = &parts.stores;
    let (frontier, state, archive) =
        (stores.frontier.as_ref(), stores.state.as_ref(), stores.archive.as_ref());
    let broker = parts.broker.as_ref();
    let uncounted = reconcile(frontier, state, archive, broker).await?;
    let incomplete = publish_incomplete(frontier, state, archive, broker).await?;
    let sent = Sent { uncounted, incomplete };
    if json {
        out::json(&sent)?;
    } else {
        out::line(format!(
            "sent to the services again: {uncounted} pages that do not count, {incomplete} pages whose articles lack their \
             history\nnewslode verify proves the result once the queues are empty"
        ))?;
    }
    Ok(Exit::Done)
}
