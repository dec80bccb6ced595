//! `tracing` to standard error, for people or as JSON.

use tracing_subscriber::EnvFilter;

use crate::config::TelemetryConfig;

/// Starts logging for this process. A second call changes nothing.
pub fn init(config: &TelemetryConfig) {
    let filter = EnvFilter::try_new(&config.log).unwrap_or_else(|_| EnvFilter::new("info"));
    let lines = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    let started = if config.log_json { lines.json().try_init() } else { lines.try_init() };
    if started.is_err() {
        tracing::debug!("logging was started before");
    }
}
