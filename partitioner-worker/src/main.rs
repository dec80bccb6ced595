//! The partitioner service: loads the configuration, connects to the servers, runs until it is stopped.

use std::process::ExitCode;
use std::sync::Arc;

use newslode_common::serve::{self, Service};
use newslode_partitioner::{Parts, run};

#[tokio::main]
async fn main() -> ExitCode {
    serve::main("newslode-partitioner", work).await
}

async fn work(service: Service) -> Result<(), serve::Error> {
    let archive = service.archive().await?;
    let broker = service.broker().await?;
    service.ready_when(serve::broker_ready(broker.clone()));
    let parts = Parts {
        broker: broker.clone(),
        archive,
        // Empty, since there is no crawler in this process.
        parsed: Arc::default(),
        metrics: service.metrics.clone(),
        clock: Default::default(),
    };
    let work = run(parts, service.config.partitioner.clone(), service.stop.clone());
    let ended = service.run(work).await;
    broker.close().await;
    Ok(ended?)
}
