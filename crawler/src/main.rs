//! The crawler service: loads the configuration, connects to the servers, runs until told to stop.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use newslode_common::room::Room;
use newslode_common::serve::{self, Service};
use newslode_common::shutdown;
use newslode_common::telemetry::process;
use newslode_common::time::Clock;
use newslode_crawler::network::{Network, report};
use newslode_crawler::{Parts, run};
use tokio::task::JoinSet;

/// Time to take back that the machine has no network.
const LAST_WORD: Duration = Duration::from_secs(2);

#[tokio::main]
async fn main() -> ExitCode {
    serve::main("newslode-crawler", work).await
}

async fn work(service: Service) -> Result<(), serve::Error> {
    service.config.crawler.agent()?;
    let archive = service.archive().await?;
    let store = service.store().await?;
    let broker = service.broker().await?;
    service.ready_when(serve::servers_ready(store.clone(), broker.clone()));
    let config = &service.config;
    let network: Arc<Network> = Arc::default();
    let mut beside = JoinSet::new();
    let (name, stop) = (process::instance(), service.stop.clone());
    beside.spawn(report(network.clone(), store.clone(), name, Clock::Machine, stop));
    let parts = Parts {
        frontier: store,
        broker: broker.clone(),
        archive,
        // Nobody else in this process needs the pages.
        parsed: Arc::default(),
        metrics: service.metrics.clone(),
        network,
        room: Room::of_archive(&config.archive.url, config.archive.reserve_mb).map(Arc::new),
    };
    let (crawler, schedule, warc) =
        (config.crawler.clone(), config.schedule.clone(), config.archive.warc.clone());
    let work = run(parts, crawler, schedule, warc, Clock::Machine, service.stop.clone());
    let ended = service.run(work).await;
    // It takes back what it said, and must not keep the process.
    shutdown::drain(&mut beside, LAST_WORD).await;
    broker.close().await;
    Ok(ended?)
}
