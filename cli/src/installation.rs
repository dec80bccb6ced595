//! Opens what a command works on: a run's folder, or the services' servers.

use std::path::Path;
use std::sync::Arc;

use newslode_common::broker::Limits;
use newslode_common::broker::in_process::InProcessBroker;
use newslode_common::config::Config;
use newslode_common::store::{Frontier, PageArchive, SiteState};
use newslode_common::telemetry::metrics::Metrics;
use newslode_miner::mining::fold::Rules;
use newslode_miner::work::parts::Parts;

use crate::{engine, served};

/// Opens an installation for reading: a run's folder, or the services' servers. A reader publishes nothing,
/// so it gets an empty broker of its own.
///
/// # Errors
/// When the folder holds no run, or a server cannot be reached.
pub async fn open(dir: Option<&Path>, config: &Config) -> anyhow::Result<Parts> {
    let stores: Stores = match dir {
        Some(folder) => {
            let store = Arc::new(engine::open_state(folder)?);
            (store.clone(), store.clone(), store)
        }
        None => {
            let store = Arc::new(served::store(config).await?);
            (store.clone(), store, Arc::new(served::archive(config)?))
        }
    };
    over(stores, config)
}

/// The stores of an installation.
pub(crate) type Stores = (Arc<dyn Frontier>, Arc<dyn SiteState>, Arc<dyn PageArchive>);

/// An installation over these stores.
pub(crate) fn over((frontier, state, archive): Stores, config: &Config) -> anyhow::Result<Parts> {
    let (broker, metrics) = (Arc::new(InProcessBroker::new(Limits::default())), Metrics::new()?);
    let rules = Rules::of_preset(config.partitioner.params);
    let params = Arc::new(config.page_params());
    let schedule = Arc::new(config.schedule.clone());
    let retention = config.miner.retention;
    let (parsed, owners, filing) = (Arc::default(), Arc::default(), Arc::default());
    Ok(Parts {
        frontier,
        state,
        archive,
        parsed,
        owners,
        filing,
        broker,
        metrics,
        rules,
        params,
        schedule,
        retention,
    })
}
