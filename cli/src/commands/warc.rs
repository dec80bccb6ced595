//! `newslode warc`: imports pages of web archives into the services, and writes indexes of web archives.

use std::sync::Arc;

use newslode_common::shutdown;
use tokio::task::JoinSet;

use crate::args::{FeedArgs, WarcArgs, WarcCommand};
use crate::exit::Exit;
use crate::import::{ImportCounts, ImportPlan, import_captures};
use crate::installation::{self, Setup, Target};
use crate::progress::ProgressDisplay;
use crate::{engine, out, services};

mod index;

pub(crate) async fn run(args: WarcArgs, setup: &Setup) -> anyhow::Result<Exit> {
    match args.command {
        WarcCommand::Feed(args) => import_into_services(args, setup).await,
        WarcCommand::Index(args) => index::run(&args),
    }
}

async fn import_into_services(args: FeedArgs, setup: &Setup) -> anyhow::Result<Exit> {
    Target::require_services(setup, "pages are fed to")?;
    let config = &setup.config;
    let plan = Arc::new(ImportPlan::new(&args.files, &args.site, args.dates, config)?);
    let mut parts = installation::open(&Target::Services, config).await?;
    parts.broker = Arc::new(services::connect_broker(config).await?);
    // A newer version may count in this store: check that before anything changes.
    engine::claim(&parts).await?;
    let mut waiter = JoinSet::new();
    let stop = shutdown::on_signal(&mut waiter, || std::process::abort())?;
    let (mut counts, mut display) = (ImportCounts::new(plan.files()), ProgressDisplay::new(setup.quiet));
    let importing = import_captures(&parts, &plan, &mut counts, |counts| counts.show_progress(&mut display));
    let ended = stop.run_until_cancelled(importing).await;
    display.end();
    let is_whole = ended.transpose()?.is_some();
    stop.cancel();
    if args.json {
        out::json(&counts)?;
    } else {
        let state = if is_whole { "complete" } else { "interrupted; run the same command again to continue" };
        out::line(format!("{state}: {}", counts.summary_line()))?;
    }
    if !is_whole {
        return Ok(Exit::Interrupted);
    }
    counts.check()?;
    Ok(Exit::Done)
}
