//! The miner service: reads the configuration, connects to the servers, runs until it is stopped.

use std::process::ExitCode;
use std::sync::Arc;

use newslode_common::parsed::ParsedPages;
use newslode_common::serve::{self, Service};
use newslode_common::telemetry::process::instance;
use newslode_common::time::Clock;
use newslode_miner::mining::fold::Rules;
use newslode_miner::work::owners::Owners;
use newslode_miner::work::parts::Parts;
use newslode_miner::work::scheme_set::ConfiguredSchemes;
use newslode_miner::work::service::run;
use newslode_miner::work::stores::Stores;

#[tokio::main]
async fn main() -> ExitCode {
    serve::main("newslode-miner", work).await
}

/// Memory for parsed pages, which are read again and again while templates are learnt.
const PARSED_BYTES: usize = 64 << 20;

async fn work(service: Service) -> Result<(), serve::Error> {
    let archive = service.archive().await?;
    let store = service.store().await?;
    let broker = service.broker().await?;
    service.ready_when(serve::servers_ready(store.clone(), broker.clone()));
    let schemes = Arc::new(ConfiguredSchemes::of_config(&service.config.miner));
    // Before any work, so that a file that is wrong is seen at the start.
    schemes.set().map_err(anyhow::Error::from)?;
    let parts = Parts {
        stores: Stores {
            frontier: store.clone(),
            state: store,
            archive,
            parsed: Arc::new(ParsedPages::within(PARSED_BYTES)),
        },
        owners: Arc::new(Owners::named(instance())),
        filing: Arc::default(),
        places: Arc::default(),
        schemes,
        announcements: Arc::default(),
        broker: broker.clone(),
        metrics: service.metrics.clone(),
        rules: Rules::of_preset(service.config.partitioner.params),
        params: service.config.page_params().into(),
        schedule: service.config.schedule.clone().into(),
        retention: service.config.miner.retention,
        noarchive: service.config.crawler.noarchive,
        clock: Clock::Machine,
    };
    let work = run(parts, service.config.miner.clone(), service.stop.clone());
    let ended = service.run(work).await;
    broker.close().await;
    Ok(ended?)
}
