//! `newslode recompute`: recounts pages with the current page algorithms, at full speed instead of beside
//! other work.

use std::path::Path;
use std::sync::Arc;

use newslode_common::config::Follow;
use newslode_common::shutdown;
use newslode_miner::work::parts::Parts;
use newslode_miner::work::recompute::{Recomputed, recompute};
use newslode_miner::work::views::Pace;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::args::RecomputeArgs;
use crate::engine::claim;
use crate::exit::Exit;
use crate::installation::{self, Setup, Target};
use crate::progress::ProgressDisplay;
use crate::queries::articles::count_pages;
use crate::{out, services};

pub(crate) async fn run(args: RecomputeArgs, setup: &Setup) -> anyhow::Result<Exit> {
    let (config, target) = (&setup.config, args.run.target(setup));
    let mut parts = installation::open_to_change(&target, config).await?;
    if target == Target::Services {
        // Articles that changed go to their readers.
        parts.broker = Arc::new(services::connect_broker(config).await?);
    }
    let mut waiter = JoinSet::new();
    let stop = shutdown::on_signal(&mut waiter, || std::process::abort())?;
    let done = recompute_all(&parts, config.miner.follow, &stop, setup.quiet).await?;
    let is_whole = !stop.is_cancelled();
    stop.cancel();
    if args.json {
        out::json(&done)?;
    } else {
        out::line(result_text(&done))?;
        if let Some(folder) = target.folder().filter(|_| done.counted + done.lost > 0) {
            out::line(mine_hint(folder))?;
        }
    }
    Ok(if is_whole { Exit::Done } else { Exit::Interrupted })
}

/// Claims the state for the current algorithms and recounts all older pages at full speed.
pub(crate) async fn recompute_all(
    parts: &Parts,
    follow: Follow,
    stop: &CancellationToken,
    quiet: bool,
) -> anyhow::Result<Recomputed> {
    claim(parts).await?;
    let at_once = std::thread::available_parallelism().map_or(1, usize::from);
    let (pace, mut display) = (Pace { at_once, share: 100 }, ProgressDisplay::new(quiet));
    let all = count_pages(parts).await?;
    let done = recompute(parts, follow, pace, stop, |done| {
        let counted = done.counted;
        display.work(counted, Some(all.saturating_sub(counted)), |pace| {
            format!("the page algorithms changed: {counted} of {all} pages counted again{pace}")
        });
    })
    .await?;
    display.end();
    if done.lost + done.stuck > 0 {
        tracing::warn!(lost = done.lost, stuck = done.stuck, "some pages could not be counted again");
    }
    Ok(done)
}

fn result_text(done: &Recomputed) -> String {
    let Recomputed { pages, counted, lost, removed, stuck } = done;
    let mut text = format!("{pages} pages, {counted} counted again");
    if *lost > 0 {
        text.push_str(&format!(", {lost} taken out because the archive no longer holds them"));
    }
    if *removed > 0 {
        text.push_str(&format!(
            ", {removed} left as they are because their bytes were removed, to save space or because they ask for no copy"
        ));
    }
    if *stuck > 0 {
        text.push_str(&format!(", {stuck} left as they are because they cannot be read or subtracted"));
    }
    text
}

fn mine_hint(folder: &Path) -> String {
    format!(
        "taxonomy, articles and report follow with the next run: newslode mine --out {}",
        folder.display()
    )
}
