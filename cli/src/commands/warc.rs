//! `newslode warc`: feeds the services with pages of web archives.

use std::sync::Arc;

use newslode_common::shutdown;
use tokio::task::JoinSet;

use crate::args::{FeedArgs, WarcArgs, WarcCommand};
use crate::exit::Exit;
use crate::feed::{Fed, Feeding, feed};
use crate::installation::{self, Setup, Target};
use crate::progress::Shown;
use crate::{engine, out, served};

pub(crate) async fn run(args: WarcArgs, setup: &Setup) -> anyhow::Result<Exit> {
    match args.command {
        WarcCommand::Feed(args) => feed_services(args, setup).await,
    }
}

async fn feed_services(args: FeedArgs, setup: &Setup) -> anyhow::Result<Exit> {
    Target::require_services(setup, "pages are fed to")?;
    let config = &setup.config;
    let feeding = Arc::new(Feeding::new(&args.files, &args.site, config)?);
    let mut parts = installation::open(&Target::Services, config).await?;
    parts.broker = Arc::new(served::broker(config).await?);
    engine::claim(&parts).await?;
    let mut waiter = JoinSet::new();
    let stop = shutdown::on_signal(&mut waiter, || std::process::abort())?;
    let (mut fed, mut shown) = (Fed::new(&args.files), Shown::new(setup.quiet));
    let feeding = feed(&parts, &feeding, &mut fed, |fed| fed.show(&mut shown));
    let ended = stop.run_until_cancelled(feeding).await;
    shown.end();
    let is_whole = ended.transpose()?.is_some();
    stop.cancel();
    if args.json {
        out::json(&fed)?;
    } else {
        let state = if is_whole { "complete" } else { "interrupted; run the same command again to continue" };
        out::line(format!("{state}: {}", fed.line()))?;
    }
    if !is_whole {
        return Ok(Exit::Interrupted);
    }
    fed.verdict()?;
    Ok(Exit::Done)
}
