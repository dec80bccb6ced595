//! The crawler service: configuration, servers, run until told to stop.

use std::process::ExitCode;

use newslode_common::serve::{self, Service};
use newslode_crawler::{Parts, run};

const NAME: &str = "newslode-crawler";

#[tokio::main]
async fn main() -> ExitCode {
    serve::end(NAME, work().await)
}

async fn work() -> Result<Option<String>, serve::Error> {
    let service = match Service::from_command_line(NAME).await? {
        Ok(service) => service,
        Err(text) => return Ok(Some(text)),
    };
    let archive = service.archive()?;
    let store = service.store().await?;
    let broker = service.broker().await?;
    service.ready_when(serve::servers_ready(store.clone(), broker.clone()));
    let parts = Parts { frontier: store, broker: broker.clone(), archive, metrics: service.metrics.clone() };
    let work = run(parts, service.config.crawler.clone(), service.stop.clone());
    let ended = service.run(work).await;
    broker.close().await;
    Ok(ended.map(|()| None)?)
}
