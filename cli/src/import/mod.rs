//! Imports captures from web archives, or pages that somebody saved: archives the pages, and publishes these to the queue
//! of pages. From there on they go the way of every page.
//!
//! A capture's fetch number is its time, so the newest of several captures counts, in any order of files, and importing the
//! same files again changes nothing. The frontier learns of the sites in the files without a budget and paused, so nothing is
//! fetched from them until an operator adds them.
//!
//! Invariants: memory grows with the number of sites and of pages on their way, not with the size of the files; a full queue
//! is waited for. Start at [`import_captures`] for WARC files, and at [`import_saved_pages`] for other files.

use anyhow::Context as _;
use newslode_common::config::Config;
use newslode_common::time;
use newslode_miner::work::parts::Parts;
use newslode_page::time::Timestamp;
use tokio::sync::mpsc::{self, Receiver};
use tokio::task::JoinSet;

mod capture;
mod counts;
mod dates;
mod files;
mod importer;
mod plan;
mod reader;
mod recorded;

pub use self::counts::ImportCounts;
pub(crate) use self::dates::Dates;
pub(crate) use self::files::archive_files;
pub(crate) use self::plan::ImportPlan;

use self::capture::Capture;
use self::importer::{Batch, Importer};
use self::reader::ReadEvent;
use crate::input::Input;

/// Maximum number of pages in a batch, and about their maximum size in bytes.
const BATCH: (usize, usize) = (64, 16 << 20);
/// Number of records that may wait between the reader and the importer.
const WAITING: usize = 16;

/// Imports all pages of the plan. Waits for full queues and unreachable servers as long as it takes. To stop it, drop it; a
/// later import continues. `counts` is updated as it goes, and `show` is called after each batch.
///
/// # Errors
/// Only errors that waiting does not solve. A file that breaks off is listed in [`ImportCounts::problems`] instead.
pub(crate) async fn import_captures(
    parts: &Parts,
    plan: &std::sync::Arc<ImportPlan>,
    counts: &mut ImportCounts,
    mut show: impl FnMut(&ImportCounts),
) -> anyhow::Result<()> {
    let (send, mut events) = mpsc::channel(WAITING);
    // Decompressing files blocks, so a thread of its own reads them, at most `WAITING` records ahead.
    let mut reading = JoinSet::new();
    let (files, now) = (plan.clone(), time::now());
    reading.spawn_blocking(move || reader::read_files(&files, now, &send));
    let mut importer = Importer::new(parts, plan);
    while let Some(batch) = next_batch(&mut events, counts).await {
        importer.import_batch(batch, counts).await?;
        show(counts);
    }
    // The channel also closes when the reader panics.
    while let Some(ended) = reading.join_next().await {
        ended.context("reading the files broke off")?;
    }
    Ok(())
}

/// Imports saved pages, each with the time at which it was fetched. If several have the same URL, the latest counts. A file that is no page is counted in `counts` and skipped. Pass the future to
/// [`Engine::mine`](crate::engine::Engine::mine).
///
/// # Errors
/// When the store, the archive or the broker fails in a way that waiting does not solve.
pub async fn import_saved_pages(
    parts: &Parts,
    config: &Config,
    pages: impl IntoIterator<Item = (Input, Timestamp)>,
    counts: &mut ImportCounts,
) -> anyhow::Result<()> {
    let (plan, now) = (ImportPlan::new(&[], &[], Dates::default(), config)?, time::now());
    let mut importer = Importer::new(parts, &plan);
    let mut pages = pages.into_iter().peekable();
    while pages.peek().is_some() {
        let (mut captures, mut bytes) = (Vec::new(), 0);
        while captures.len() < BATCH.0
            && bytes < BATCH.1
            && let Some((page, fetched_at)) = pages.next()
        {
            counts.records += 1;
            match Capture::of_saved_page(page, fetched_at, &plan, now) {
                Ok(capture) => {
                    bytes += capture.bytes();
                    captures.push(capture);
                }
                Err(skip) => counts.count_skipped(skip),
            }
        }
        importer.import_batch(Batch { captures, files: Vec::new() }, counts).await?;
    }
    Ok(())
}

/// The next captures, and what else is there. `None` at the end of the files.
async fn next_batch(events: &mut Receiver<ReadEvent>, counts: &mut ImportCounts) -> Option<Batch> {
    let (mut batch, mut bytes, mut seen) = (Batch::default(), 0, 0);
    let mut next = Some(events.recv().await?);
    while let Some(event) = next {
        match event {
            ReadEvent::Rights(file) => batch.files.push(*file),
            event => {
                if let Some(capture) = counts.count_event(event) {
                    bytes += capture.bytes();
                    batch.captures.push(capture);
                }
            }
        }
        seen += 1;
        // Records that give no page also fill a batch; otherwise a file of images would show no progress.
        let is_full = batch.captures.len() >= BATCH.0 || bytes >= BATCH.1 || seen >= 10 * BATCH.0;
        next = if is_full { None } else { events.try_recv().ok() };
    }
    Some(batch)
}

#[cfg(test)]
mod tests;
