//! Fetches the pages whose turn it is, politely, and publishes them.
//!
//! [`run`] claims URLs from the frontier (which knows whose turn it is, across all crawlers) for a number of equal
//! workers. Each asks robots.txt, fetches within limits of time, size and address, archives and publishes the page,
//! and completes the claim. A worker holds one page at a time: while the queue of pages is full, the workers wait,
//! so the crawl is as fast as its readers.
//!
//! Invariants: every claim ends in one counted [`Outcome`](newslode_common::outcome::Outcome), goes back to
//! the frontier for another try, or is released. A page is complete in the frontier only after it is in the
//! archive and in the queue. Start at [`run`], then read `worker` and `visit`.

use std::sync::Arc;
use std::time::Duration;

use newslode_common::config::{CrawlerConfig, Noarchive};
use newslode_common::schedule::ScheduleConfig;
use newslode_common::shutdown;
use newslode_common::time::Clock;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use recorder::Recorder;
use shared::Shared;
use web::{Internet, Web};

pub use listed::listed_alternates;
pub use shared::{Parts, Surroundings};
pub use worker::Step;

mod chain;
pub mod directives;
pub mod error;
pub mod fetch;
mod gate;
pub mod guard;

pub mod html;
mod lateness;
mod link_header;
mod listed;
pub mod listing;
pub mod network;
mod path_pattern;
mod politeness;
mod publish;
mod recent_links;
pub mod recorder;
mod refresh;
mod render;
mod response_times;
pub mod retry_after;
pub mod rights;
pub mod robots;
mod shared;
pub mod site_files;
mod site_requests;
mod tls;
mod visit;
pub mod web;
mod worker;

/// A crawler that its caller drives, on simulated time.
pub struct Crawler {
    shared: Shared,
}

impl Crawler {
    /// A crawler in these surroundings.
    #[must_use]
    pub fn new(
        parts: Parts,
        config: CrawlerConfig,
        schedule: ScheduleConfig,
        surroundings: Surroundings,
    ) -> Crawler {
        let stop = CancellationToken::new();
        Crawler { shared: Shared::new(parts, config, schedule, surroundings, stop) }
    }

    /// Fetches what can be claimed now: at most one URL.
    ///
    /// # Errors
    /// As those of [`run`].
    pub async fn step(&self) -> anyhow::Result<Step> {
        worker::step(&self.shared).await
    }
}

/// Crawls until `stop`. Then it claims nothing new, and finishes its work within the grace or gives it back
/// to the frontier. `warc`: a folder to which every exchange is written as a web archive; empty: none.
///
/// # Errors
/// When the configuration cannot be used, or a server refuses for a reason that waiting does not solve.
/// Servers that are away are waited for.
pub async fn run(
    parts: Parts,
    config: CrawlerConfig,
    schedule: ScheduleConfig,
    warc: String,
    clock: Clock,
    stop: CancellationToken,
) -> anyhow::Result<()> {
    let internet = Internet::new(&config)?;
    internet.warn_of_unchecked_certificates();
    if config.browser.is_empty() {
        internet.warn_of_missing_browser();
    }
    let mut web: Arc<dyn Web> = Arc::new(internet);
    if !warc.is_empty() {
        let hides = (config.noarchive != Noarchive::Record).then(|| config.product_token().to_owned());
        web = Arc::new(Recorder::open(web, warc.as_ref(), &config.agent()?, hides, clock.clone())?);
    }
    run_in(parts, config, schedule, Surroundings { web, clock }, stop).await
}

/// As [`run`], on another network.
///
/// # Errors
/// As those of [`run`].
pub async fn run_in(
    parts: Parts,
    config: CrawlerConfig,
    schedule: ScheduleConfig,
    surroundings: Surroundings,
    stop: CancellationToken,
) -> anyhow::Result<()> {
    let grace = Duration::from_millis(config.grace_ms);
    // A worker that fails ends this crawler, but not other work that the caller stops with the same token.
    let stop = stop.child_token();
    let shared = Arc::new(Shared::new(parts, config, schedule, surroundings, stop.clone()));
    shared.probe_browser().await;
    let mut working = JoinSet::new();
    let ended = worker::dispatch(&shared, &mut working).await;
    stop.cancel();
    let aborted = shutdown::drain(&mut working, grace).await;
    if aborted > 0 {
        tracing::warn!(aborted, "workers did not end within the grace period; their leases will expire");
    }
    ended
}
