//! Pages of web archives or saved files instead of a crawl: read, archived, and published to the queue of pages. From
//! there on they go the way of every page.
//!
//! A page's number is the time of its capture, so of several captures the newest counts, in any order of
//! files, and a page that counts already is passed over when the files are read again. Sites of the files are
//! made known to the frontier without a budget and paused, so nothing of them is ever fetched until an
//! operator adds them.
//! Invariants: memory grows with the number of sites and of pages on their way, not with the files; a full queue is
//! waited for. Start at [`feed`] for web archives, and at [`saved_pages`] for other files.

use anyhow::Context as _;
use newslode_common::config::Config;
use newslode_common::time;
use newslode_miner::work::parts::Parts;
use newslode_page::time::Timestamp;
use tokio::sync::mpsc::{self, Receiver};
use tokio::task::JoinSet;

mod capture;
mod fed;
mod feeder;
mod feeding;
mod files;

pub use self::fed::Fed;
pub(crate) use self::feeding::Feeding;

use self::capture::Capture;
use self::feeder::Feeder;
use self::files::Step;
use crate::input::Input;

/// Most pages, and about the most bytes of them, that are judged together.
const BATCH: (usize, usize) = (64, 16 << 20);
/// Records that wait between the reader and the feeder.
const WAITING: usize = 16;

/// Feeds all pages. Waits for full queues and servers that are away as long as it takes; whoever stops it
/// drops it, and feeds again later. `fed` counts along, and `show` is called after each batch.
///
/// # Errors
/// Only errors that waiting does not solve. A file that breaks off is none: it stands among
/// [`Fed::problems`].
pub(crate) async fn feed(
    parts: &Parts,
    feeding: &std::sync::Arc<Feeding>,
    fed: &mut Fed,
    mut show: impl FnMut(&Fed),
) -> anyhow::Result<()> {
    let (send, mut steps) = mpsc::channel(WAITING);
    let mut reading = JoinSet::new();
    let (read, now) = (feeding.clone(), time::now());
    reading.spawn_blocking(move || files::read(&read, now, &send));
    let mut feeder = Feeder::new(parts, feeding);
    while let Some(batch) = next_batch(&mut steps, fed).await {
        feeder.hand_over(batch, fed).await?;
        show(fed);
    }
    while let Some(ended) = reading.join_next().await {
        ended.context("reading the files broke off")?;
    }
    Ok(())
}

/// Feeds pages that were saved, each with the time at which it was fetched; of several of one URL the latest counts. What is
/// no page is counted in `fed` and passed over. Pass the future to [`Engine::mine`](crate::engine::Engine::mine).
///
/// # Errors
/// When the store, the archive or the broker fails in a way that waiting does not solve.
pub async fn saved_pages(
    parts: &Parts,
    config: &Config,
    pages: impl IntoIterator<Item = (Input, Timestamp)>,
    fed: &mut Fed,
) -> anyhow::Result<()> {
    let (feeding, now) = (Feeding::new(&[], &[], config)?, time::now());
    let mut feeder = Feeder::new(parts, &feeding);
    let mut pages = pages.into_iter().peekable();
    while pages.peek().is_some() {
        let (mut batch, mut bytes) = (Vec::new(), 0);
        while batch.len() < BATCH.0
            && bytes < BATCH.1
            && let Some((page, fetched_at)) = pages.next()
        {
            fed.records += 1;
            match Capture::saved(page, fetched_at, &feeding, now) {
                Ok(capture) => {
                    bytes += capture.bytes();
                    batch.push(capture);
                }
                Err(skip) => fed.end(Err(skip)),
            }
        }
        feeder.hand_over(batch, fed).await?;
    }
    Ok(())
}

/// The next captures: at least one, and what else is there. `None` at the end of the files.
async fn next_batch(steps: &mut Receiver<Step>, fed: &mut Fed) -> Option<Vec<Capture>> {
    let (mut batch, mut bytes, mut seen) = (Vec::new(), 0, 0);
    let mut next = Some(steps.recv().await?);
    while let Some(step) = next {
        if let Some(capture) = fed.count(step) {
            bytes += capture.bytes();
            batch.push(capture);
        }
        seen += 1;
        let is_full = batch.len() >= BATCH.0 || bytes >= BATCH.1 || seen >= 10 * BATCH.0;
        next = if is_full { None } else { steps.try_recv().ok() };
    }
    Some(batch)
}

#[cfg(test)]
mod tests;
