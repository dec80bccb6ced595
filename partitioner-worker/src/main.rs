//! The partitioner service: configuration, servers, run until told to stop.

use std::process::ExitCode;
use std::sync::Arc;

use newslode_common::broker::Broker;
use newslode_common::broker::rabbitmq::RabbitBroker;
use newslode_common::serve::{self, Asked, Service};
use newslode_common::store::archive::ObjectArchive;
use newslode_partitioner::service::{Parts, run};

const NAME: &str = "newslode-partitioner";

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
    let metrics = Some(service.metrics.clone());
    let broker =
        Arc::new(RabbitBroker::connect_patiently(&config.broker, &service.by, metrics, &stop).await?);
    let asked: Arc<dyn Broker> = broker.clone();
    service.ready_when(serve::broker_ready(asked));
    let parts = Parts { broker: broker.clone(), archive, metrics: service.metrics.clone() };
    let ended = service.run(run(parts, config.partitioner, stop)).await;
    broker.close().await;
    Ok(ended.map(|()| None)?)
}
