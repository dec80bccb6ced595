//! Pages of web archives instead of a crawl: read from WARC files, archived, and published to the queue of
//! pages. From there on they go the way of every page.
//!
//! A page's number is the time of its capture, so of several captures the newest counts, in any order of
//! files, and a page that counts already is passed over when the files are read again. Sites of the files are
//! made known to the frontier without a budget and paused, so nothing of them is ever fetched until an
//! operator adds them.
//! Invariants: memory grows with the number of sites and of pages on their way, not with the files; a full queue is
//! waited for. Start at
//! [`feed`].

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context as _;
use newslode_common::config::Config;
use newslode_common::store::SiteSettings;
use newslode_common::time;
use newslode_common::warc::{Limits, Reader};
use newslode_miner::work::parts::Parts;
use newslode_page::reading::Site;
use newslode_page::time::Timestamp;
use tokio::sync::mpsc::{self, Receiver};
use tokio::task::JoinSet;

mod capture;
mod fed;
mod feeder;
mod files;

pub(crate) use self::fed::Fed;

use self::capture::Capture;
use self::feeder::Feeder;
use self::files::Step;

const DAY: Duration = Duration::from_secs(86_400);
/// Most pages, and about the most bytes of them, that are judged together.
const BATCH: (usize, usize) = (64, 16 << 20);
/// Records that wait between the reader and the feeder.
const WAITING: usize = 16;
/// What a record holds beyond its page's body: heads, and what compresses badly.
const HEADS: u64 = 1 << 20;

/// What to feed.
pub(crate) struct Feeding {
    files: Vec<PathBuf>,
    /// Only pages of these; all if empty.
    sites: BTreeSet<Site>,
    max_page_bytes: u64,
    window_days: u32,
    delay_ms: u64,
    max_depth: u32,
}

impl Feeding {
    /// Pages of these files, of these sites (by name, host or URL; all if none), within the limits of the
    /// configuration. Each file is opened and its first record looked at, so that mistakes show at once.
    ///
    /// # Errors
    /// When a file cannot be read or is no WARC.
    pub(crate) fn new(files: &[PathBuf], sites: &[String], config: &Config) -> anyhow::Result<Feeding> {
        let feeding = Feeding {
            files: files.to_vec(),
            sites: sites.iter().map(|name| site(name)).collect(),
            max_page_bytes: config.crawler.max_page_bytes,
            window_days: config.miner.window_days,
            delay_ms: config.miner.delay_ms,
            max_depth: config.miner.max_depth,
        };
        for file in files {
            if let Some(first) = Reader::open(file, feeding.limits())?.next() {
                first?;
            }
        }
        Ok(feeding)
    }

    fn limits(&self) -> Limits {
        Limits { block: self.max_page_bytes.saturating_add(HEADS), ..Limits::default() }
    }

    /// The first day that counts; `None`: all do.
    fn oldest_day(&self, now: Timestamp) -> Option<u32> {
        let back = u64::from(self.window_days).saturating_mul(86_400_000);
        (self.window_days > 0).then(|| Timestamp(now.0.saturating_sub(back)).day())
    }

    /// Settings of a site that only archives know: nothing of it is fetched.
    fn settings(&self) -> SiteSettings {
        SiteSettings {
            max_pages: 0,
            max_depth: self.max_depth,
            delay_ms: self.delay_ms,
            paused: true,
            labels: BTreeMap::new(),
        }
    }
}

/// The site of a name, a host or a URL.
fn site(text: &str) -> Site {
    let host = url::Url::parse(text).ok().and_then(|url| url.host_str().map(str::to_owned));
    Site::of_host(host.as_deref().unwrap_or(text))
}

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
