//! Log lines through `tracing` to standard error, as text or as JSON.

use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::ParseError;

use crate::config::TelemetryConfig;

/// The client of S3 tells of every try; we tell of what lasts. A filter that names it overrides this.
const QUIET: &str = "object_store=warn";

/// Checks that `telemetry.log` can be parsed.
///
/// # Errors
/// Says what is wrong with the filter.
pub fn check(filter: &str) -> Result<(), ParseError> {
    EnvFilter::try_new(filter).map(drop)
}

/// Starts logging for this process. A second call changes nothing.
///
/// # Errors
/// When the filter cannot be parsed.
pub fn init(config: &TelemetryConfig) -> Result<(), ParseError> {
    let filter = EnvFilter::try_new(format!("{QUIET},{}", config.log))?;
    let lines = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    let started = if config.log_json { lines.json().try_init() } else { lines.try_init() };
    if started.is_err() {
        tracing::debug!("logging has already been started");
    }
    Ok(())
}
