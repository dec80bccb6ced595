//! The miner service: configuration, servers, run until told to stop.

use std::process::ExitCode;
use std::sync::Arc;

use newslode_common::broker::Broker;
use newslode_common::broker::rabbitmq::RabbitBroker;
use newslode_common::serve::{self, Asked, Service, patiently};
use newslode_common::store::SiteState;
use newslode_common::store::archive::ObjectArchive;
use newslode_common::store::redis::RedisStore;
use newslode_miner::service::{Parts, run};

const NAME: &str = "newslode-miner";

#[tokio::main]
async fn main() -> ExitCode {
    serve::end(NAME, work().await)
}

async fn work() -> Result<Option<String>, serve::Error> {
    let file = match serve::arguments(NAME, std::env::args().skip(1))? {
        Asked::Run(file) => file,
        Asked::Say(text) => return Ok(Some(text)),
    };
    let service = Service::start(NAME, file, || std::process::abort()).await?;
    let (config, stop) = (service.config.clone(), service.stop.clone());
    let archive = Arc::new(ObjectArchive::open(&config.archive.url)?);
    let store = Arc::new(patiently(&stop, || RedisStore::connect(&config.store)).await?);
    let metrics = Some(service.metrics.clone());
    let broker =
        Arc::new(RabbitBroker::connect_patiently(&config.broker, &service.by, metrics, &stop).await?);
    let (state, asked): (Arc<dyn SiteState>, Arc<dyn Broker>) = (store.clone(), broker.clone());
    service.ready_when(serve::servers_ready(state, asked));
    let parts = Parts {
        frontier: store.clone(),
        state: store,
        archive,
        broker: broker.clone(),
        metrics: service.metrics.clone(),
    };
    let ended = service.run(run(parts, config.miner, stop)).await;
    broker.close().await;
    Ok(ended.map(|()| None)?)
}
