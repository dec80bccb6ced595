//! `newslode compact`: makes the file of a run as small as what it holds.

use std::time::Instant;

use newslode_common::store::redb::compact::compact;
use serde::Serialize;

use crate::args::CompactArgs;
use crate::engine::{self, space};
use crate::exit::{Exit, hinted};
use crate::out;

/// What it came to.
#[derive(Serialize)]
struct Report {
    /// Bytes of the file on the disk before and after.
    before: u64,
    after: u64,
    /// How long it took.
    seconds: f64,
}

pub(crate) async fn run(args: CompactArgs) -> anyhow::Result<Exit> {
    let CompactArgs { folder, json } = args;
    let state = engine::existing_state(&folder)?;
    let (before, begun) = (space::file_bytes(&folder), Instant::now());
    let compacted = tokio::task::spawn_blocking(move || compact(&state)).await?;
    compacted.map_err(|error| {
        hinted(error.to_string(), "stop what works on the run, and what reads it, and try again")
    })?;
    let report = Report { before, after: space::file_bytes(&folder), seconds: begun.elapsed().as_secs_f64() };
    if json {
        out::json(&report)?;
    } else {
        out::line(format!(
            "`{}`: {} before, {} now, in {:.1} s",
            folder.display(),
            space::size(report.before),
            space::size(report.after),
            report.seconds
        ))?;
    }
    Ok(Exit::Done)
}
