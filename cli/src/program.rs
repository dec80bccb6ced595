//! What every program of the project does around its work: options, configuration, logs, the runtime, exit codes.
//!
//! Only this module turns errors into exit codes; commands return and never exit. Data goes to standard
//! output, everything else to standard error. A closed pipe is success.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use newslode_common::config::{self, Config, ConfigError, TelemetryConfig};

use crate::exit::{Exit, Hinted};

/// Most threads for work off the reactor. Each keeps memory and vocabularies of its own; names of hosts are looked up there,
/// too, which may take seconds.
const MOST_BLOCKING: usize = 24;

/// The options of every command.
#[derive(Clone, Debug, Args)]
pub struct CommonArgs {
    /// Print only errors on standard error.
    #[arg(long, short, global = true)]
    pub quiet: bool,
    /// Log more; repeat to log everything.
    #[arg(long, short, global = true, action = clap::ArgAction::Count)]
    pub verbose: u8,
    /// Configuration file (TOML); the environment (NEWSLODE__…) overrides it.
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
}

impl CommonArgs {
    /// The configuration in force. Logs are told to standard error by its rules.
    fn configure(&self) -> anyhow::Result<Config> {
        let mut config = config::load(self.config.as_deref())?;
        if config.telemetry == TelemetryConfig::default() {
            config.telemetry.log = ["warn", "info", "debug"][usize::from(self.verbose.min(2))].into();
            if self.quiet {
                config.telemetry.log = "error".into();
            }
        }
        newslode_common::telemetry::log::init(&config.telemetry)?;
        Ok(config)
    }
}

/// Runs a command with the configuration in force, and tells people what failed.
pub fn run<W>(common: &CommonArgs, command: impl FnOnce(Config) -> W) -> ExitCode
where
    W: Future<Output = anyhow::Result<Exit>>,
{
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = match runtime.enable_all().max_blocking_threads(MOST_BLOCKING).build() {
        Ok(runtime) => runtime,
        Err(error) => return failed(&error.into()).into(),
    };
    let work = async { command(common.configure()?).await };
    let exit = runtime.block_on(work).unwrap_or_else(|error| failed(&error));
    // Abandoned work must not keep the process alive.
    runtime.shutdown_timeout(Duration::from_secs(2));
    exit.into()
}

/// Prints an error and its hint, and returns its exit code.
#[allow(clippy::print_stderr, reason = "the one place that tells people what failed")]
fn failed(error: &anyhow::Error) -> Exit {
    if error.chain().any(is_closed_pipe) {
        return Exit::Done;
    }
    eprintln!("error: {error:#}");
    if let Some(hinted) = error.chain().find_map(|cause| cause.downcast_ref::<Hinted>()) {
        eprintln!("hint: {}", hinted.hint);
    }
    if error.chain().any(|cause| cause.is::<ConfigError>()) { Exit::Usage } else { Exit::Failed }
}

fn is_closed_pipe(cause: &(dyn std::error::Error + 'static)) -> bool {
    let written = cause.downcast_ref::<std::io::Error>().map(std::io::Error::kind);
    // serde_json does not name the cause of a failed write among its sources.
    let as_json = || cause.downcast_ref::<serde_json::Error>().and_then(serde_json::Error::io_error_kind);
    written.or_else(as_json) == Some(std::io::ErrorKind::BrokenPipe)
}
