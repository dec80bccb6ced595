//! `newslode`: the embedded engine and every command.
//!
//! Only this module turns errors into exit codes; commands return and never exit. Data goes to standard
//! output, everything else to standard error. A closed pipe is success.

mod args;
mod bench;
mod commands;
mod console;
mod csv;
mod engine;
mod eval;
mod exit;
mod feed;
mod html;
mod input;
mod out;
mod outcomes;
mod params;
mod progress;
mod reference;
mod report;
mod seconds;
mod served;
mod site;

use std::process::ExitCode;

use clap::Parser;
use newslode_common::config::{self, ConfigError};

use crate::args::Cli;
use crate::exit::{Exit, Hinted};

/// Most threads for work off the reactor. Each keeps memory and vocabularies of its own; names of hosts are looked up there,
/// too, which may take seconds.
const MOST_BLOCKING: usize = 24;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = match runtime.enable_all().max_blocking_threads(MOST_BLOCKING).build() {
        Ok(runtime) => runtime,
        Err(error) => return failed(&error.into()).into(),
    };
    let exit = runtime.block_on(run(cli)).unwrap_or_else(|error| failed(&error));
    // Abandoned work must not keep the process alive.
    runtime.shutdown_timeout(std::time::Duration::from_secs(2));
    exit.into()
}

async fn run(cli: Cli) -> anyhow::Result<Exit> {
    let mut config = config::load(cli.config.as_deref())?;
    if config.telemetry == config::TelemetryConfig::default() {
        config.telemetry.log = ["warn", "info", "debug"][usize::from(cli.verbose.min(2))].into();
        if cli.quiet {
            config.telemetry.log = "error".into();
        }
    }
    newslode_common::telemetry::log::init(&config.telemetry)?;
    commands::run(cli.command, config, cli.quiet).await
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
