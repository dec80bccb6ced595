//! The context that all work of a crawler shares: its services, configuration, clock, HTTP client and caches.
//!
//! Everything above it takes a `&Shared`; it knows none of what uses it. Start at [`Shared`].

use std::sync::Arc;
use std::time::Duration;

use newslode_common::broker::Broker;
use newslode_common::config::CrawlerConfig;
use newslode_common::parsed::ParsedPages;
use newslode_common::retry::{Outage, Retry};
use newslode_common::room::Room;
use newslode_common::schedule::ScheduleConfig;
use newslode_common::store::{Frontier, PageArchive, StoreResult};
use newslode_common::telemetry::metrics::Metrics;
use newslode_common::time::Clock;
use tokio_util::sync::CancellationToken;

use crate::fetch::Fetcher;
use crate::lateness::Lateness;
use crate::listed::ListedNotes;
use crate::network::Network;
use crate::recent_links::RecentLinks;
use crate::render::Renderer;
use crate::response_times::ResponseTimes;
use crate::robots::Robots;
use crate::site_files::SiteFiles;
use crate::web::Web;

/// The services that a crawler uses.
#[derive(Clone)]
pub struct Parts {
    /// Knows what to fetch, when, and whose turn it is.
    pub frontier: Arc<dyn Frontier>,
    /// Takes the pages.
    pub broker: Arc<dyn Broker>,
    /// Keeps the pages.
    pub archive: Arc<dyn PageArchive>,
    /// Keeps what was parsed for a partitioner in the same process.
    pub parsed: Arc<ParsedPages>,
    /// Counts events.
    pub metrics: Arc<Metrics>,
    /// Knows whether this machine has a network.
    pub network: Arc<Network>,
    /// The space that fetching leaves free where pages are written; `None`: that is no disk of this machine.
    pub room: Option<Arc<Room>>,
}

/// The network and the clock of a crawler.
#[derive(Clone)]
pub struct Surroundings {
    /// Answers the requests.
    pub web: Arc<dyn Web>,
    /// Tells the time.
    pub clock: Clock,
}

/// The state that all workers of a crawler share.
pub(crate) struct Shared {
    pub(crate) parts: Parts,
    pub(crate) config: CrawlerConfig,
    pub(crate) schedule: ScheduleConfig,
    pub(crate) clock: Clock,
    pub(crate) fetcher: Fetcher,
    pub(crate) robots: Robots,
    /// The browser that loads pages; `None`: none is configured.
    pub(crate) renderer: Option<Renderer>,
    pub(crate) site_files: SiteFiles,
    pub(crate) outages: Outages,
    pub(crate) recent_links: Arc<RecentLinks>,
    pub(crate) listed: ListedNotes,
    /// Links to news that a site's budget refused within the last day.
    pub(crate) refused_links: RecentLinks,
    pub(crate) response_times: ResponseTimes,
    pub(crate) lateness: Lateness,
    pub(crate) stop: CancellationToken,
}

/// The servers that a crawler may have to wait for.
pub(crate) struct Outages {
    pub(crate) store: Outage,
    pub(crate) archive: Outage,
    pub(crate) broker: Outage,
}

impl Default for Outages {
    fn default() -> Self {
        Outages {
            store: Outage::new("store"),
            archive: Outage::new("archive"),
            broker: Outage::new("broker"),
        }
    }
}

impl Shared {
    pub(crate) fn new(
        parts: Parts,
        config: CrawlerConfig,
        schedule: ScheduleConfig,
        surroundings: Surroundings,
        stop: CancellationToken,
    ) -> Shared {
        let Surroundings { web, clock } = surroundings;
        let fetcher = Fetcher::new(web, clock.clone(), &config);
        let robots = Robots::new(fetcher.clone(), clock.clone(), &config, parts.archive.clone());
        let site_files = SiteFiles::new(fetcher.clone(), clock.clone(), &config, parts.archive.clone());
        let renderer = Renderer::of(&config);
        Shared {
            renderer,
            listed: ListedNotes::new(parts.archive.clone()),
            parts,
            config,
            schedule,
            clock,
            fetcher,
            robots,
            site_files,
            outages: Outages::default(),
            recent_links: Arc::default(),
            refused_links: RecentLinks::for_ms(86_400_000),
            response_times: ResponseTimes::default(),
            lateness: Lateness::default(),
            stop,
        }
    }

    /// Probes the browser, so that its faults show at the start. One that is away is probed when it is there.
    pub(crate) async fn probe_browser(&self) {
        let Some(renderer) = &self.renderer else { return };
        tokio::select! {
            endpoint = renderer.endpoint() => {
                if let Err(error) = endpoint {
                    tracing::warn!(%error, "pages of sites with `render = true` wait for it");
                }
            }
            () = self.stop.cancelled() => {}
        }
    }

    /// Repeats a store call until it is answered. Returns errors that repeating does not change.
    pub(crate) async fn retry_store_call<T, F>(&self, call: impl FnMut() -> F) -> StoreResult<T>
    where
        F: Future<Output = StoreResult<T>>,
    {
        Retry::for_ever().run(&self.outages.store, call).await
    }

    /// Returns when work in hand must be given back: near the end of the grace, with time left to do so.
    pub(crate) async fn must_release(&self) {
        self.stop.cancelled().await;
        tokio::time::sleep(Duration::from_millis(self.config.grace_ms) * 4 / 5).await;
    }
}
