//! Connects to the services' servers, for commands that read an installation instead of a folder.

use newslode_common::broker::rabbitmq::RabbitBroker;
use newslode_common::config::Config;
use newslode_common::store::archive::ObjectArchive;
use newslode_common::store::redis::RedisStore;

use crate::exit::hinted;

/// The name of this process in dead letters and log lines.
pub(crate) fn process_name() -> String {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    format!("newslode@{}", host.trim())
}

/// Connects to the broker, or says how to configure it.
pub(crate) async fn connect_broker(config: &Config) -> anyhow::Result<RabbitBroker> {
    RabbitBroker::connect(&config.broker, &process_name(), None).await.map_err(|error| {
        hinted(
            format!("cannot use the broker at {}: {error}", config.broker.url),
            "start it, or set NEWSLODE__BROKER__URL to where it is",
        )
    })
}

/// Connects to the store, or says how to configure it.
pub(crate) async fn connect_store(config: &Config) -> anyhow::Result<RedisStore> {
    RedisStore::connect(&config.store).await.map_err(|error| {
        hinted(
            format!("cannot use the store at {}: {error}", config.store.url),
            "start it, or set NEWSLODE__STORE__URL to where it is",
        )
    })
}

/// Opens the archive.
pub(crate) fn open_archive(config: &Config) -> anyhow::Result<ObjectArchive> {
    ObjectArchive::open(&config.archive.url).map_err(|error| {
        hinted(
            format!("cannot use the archive at {}: {error}", config.archive.url),
            "set NEWSLODE__ARCHIVE__URL",
        )
    })
}
