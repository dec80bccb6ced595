//! What every program of the project does around its work: options, configuration, logs, the runtime, exit codes.
//!
//! Only this module turns errors into exit codes; commands return and never exit. Data goes to standard
//! output, everything else to standard error. A closed pipe is success.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use newslode_common::config::{self, Config, ConfigError, TelemetryConfig};
use newslode_common::store::StoreError;
use newslode_common::telemetry::trace::Traces;
use newslode_page::neutral::is_control;

use crate::exit::{Exit, Hinted, io_kind};
use crate::installation::Setup;
use crate::{out, zone};

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
    /// Print what pages say unchanged, control characters included.
    #[arg(long, global = true)]
    pub raw: bool,
    /// Configuration file (TOML) [default: see `newslode config show`].
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
}

impl CommonArgs {
    /// Loads the configuration, and sets up logs and traces as it says.
    fn configure(&self) -> anyhow::Result<(Setup, Option<Traces>)> {
        let file = config::find_file(self.config.as_deref());
        let mut config: Config = config::load(file.as_deref())?;
        let TelemetryConfig { traces, trace_ratio, .. } = config.telemetry.clone();
        if config.telemetry == (TelemetryConfig { traces, trace_ratio, ..TelemetryConfig::default() }) {
            config.telemetry.log = ["warn", "info", "debug"][usize::from(self.verbose.min(2))].into();
            if self.quiet {
                config.telemetry.log = "error".into();
            }
        }
        let traces = Traces::start(&config.telemetry, "newslode")?;
        newslode_common::telemetry::log::init(&config.telemetry, traces.as_ref())?;
        zone::set_zone(config.console.zone()?);
        let servers = find_named_servers(file.as_deref(), std::env::vars().map(|(name, _)| name));
        Ok((Setup { config, file, quiet: self.quiet, servers }, traces))
    }
}

/// What sets the URL of a store or broker: a variable, else a key of the file.
fn find_named_servers(file: Option<&Path>, mut variables: impl Iterator<Item = String>) -> Option<String> {
    let is_url =
        |name: &String| ["NEWSLODE__STORE__URL", "NEWSLODE__BROKER__URL"].contains(&&*name.to_uppercase());
    if let Some(variable) = variables.find(|name| name.starts_with("NEWSLODE__") && is_url(name)) {
        return Some(variable);
    }
    let file = file?;
    // The file was read and understood before.
    let table: toml::Table = std::fs::read_to_string(file).ok()?.parse().ok()?;
    let sets = |section: &&str| table.get(*section).is_some_and(|section| section.get("url").is_some());
    let section = ["store", "broker"].into_iter().find(|section| sets(section))?;
    Some(format!("`{section}.url` in `{}`", file.display()))
}

/// Runs a command with the configuration in force, and tells people what failed.
pub fn run<W>(common: &CommonArgs, command: impl FnOnce(Setup) -> W) -> ExitCode
where
    W: Future<Output = anyhow::Result<Exit>>,
{
    keep_quiet_about_damaged_pages();
    out::set_raw(common.raw);
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = match runtime.enable_all().max_blocking_threads(MOST_BLOCKING).build() {
        Ok(runtime) => runtime,
        Err(error) => return report_failure(&error.into()).into(),
    };
    let work = async {
        let (setup, traces) = common.configure()?;
        let exit = command(setup).await;
        if let Some(traces) = traces {
            traces.end().await;
        }
        exit
    };
    let exit = runtime.block_on(work).unwrap_or_else(|error| report_failure(&error));
    // Abandoned work must not keep the process alive.
    runtime.shutdown_timeout(Duration::from_secs(2));
    exit.into()
}

/// The database panics where a page of its file is damaged. The store turns that into an error, which names the file and the
/// remedy; the panic's own words would only hide it.
fn keep_quiet_about_damaged_pages() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !panic.location().is_some_and(|place| place.file().contains("/redb-")) {
            usual(panic);
        }
    }));
}

/// Prints help, the version, or what is wrong with the arguments, which may be names of files that strangers chose.
#[must_use]
pub fn answer_usage(error: &clap::Error) -> ExitCode {
    // With colours, clap quotes the arguments as they are; without, escape sequences are taken out.
    if std::env::args_os().any(|given| given.to_string_lossy().contains(is_control)) {
        out::notice(error.render().to_string().trim_end());
    } else {
        // Where it cannot be written, nobody reads it.
        error.print().ok();
    }
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(u8::MAX))
}

/// Prints an error and its hint, and returns its exit code.
fn report_failure(error: &anyhow::Error) -> Exit {
    if error.chain().any(is_closed_pipe) {
        return Exit::Done;
    }
    out::notice(format!("error: {error:#}"));
    if let Some(hinted) = error.chain().find_map(|cause| cause.downcast_ref::<Hinted>()) {
        out::notice(format!("hint: {}", hinted.hint));
    } else if error.chain().any(is_held_elsewhere) {
        out::notice(
            "hint: stop that process, or name another folder; what only reads works beside it, and so do `newslode seed` and \
             `newslode template`",
        );
    } else if error.chain().any(is_damage) {
        out::notice(
            "hint: newslode repair --dir DIR keeps what can be read, and moves the damaged file aside",
        );
    }
    if error.chain().any(|cause| cause.is::<ConfigError>()) { Exit::Usage } else { Exit::Failed }
}

fn is_held_elsewhere(cause: &(dyn std::error::Error + 'static)) -> bool {
    matches!(cause.downcast_ref::<StoreError>(), Some(StoreError::InUse(_)))
}

fn is_damage(cause: &(dyn std::error::Error + 'static)) -> bool {
    matches!(cause.downcast_ref::<StoreError>(), Some(StoreError::Damaged(_)))
}

fn is_closed_pipe(cause: &(dyn std::error::Error + 'static)) -> bool {
    io_kind(cause) == Some(std::io::ErrorKind::BrokenPipe)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn servers_are_named_by_the_url_of_a_store_or_broker_alone() {
        let check = |toml: &str, variables: &[&str], expected: Option<&str>| {
            let mut file = tempfile::NamedTempFile::new().unwrap();
            file.write_all(toml.as_bytes()).unwrap();
            let found = find_named_servers(Some(file.path()), variables.iter().map(ToString::to_string));
            let shown = file.path().display().to_string();
            assert_eq!(
                found.map(|found| found.replace(&shown, "FILE")).as_deref(),
                expected,
                "{toml} {variables:?}"
            );
        };
        check(
            "[crawler]\nworkers = 3\n[store]\nprefix = 'a'\n",
            &["NEWSLODE__CRAWLER__WORKERS", "HOME"],
            None,
        );
        check("[store]\nurl = 'redis://a'\n", &[], Some("`store.url` in `FILE`"));
        check("broker = { url = 'amqp://a' }\n", &[], Some("`broker.url` in `FILE`"));
        check("", &["NEWSLODE__BROKER__URL"], Some("NEWSLODE__BROKER__URL"));
        check("[store]\nurl = 'redis://a'\n", &["NEWSLODE__STORE__URL"], Some("NEWSLODE__STORE__URL"));
        assert_eq!(find_named_servers(None, std::iter::once("NEWSLODE__ARCHIVE__URL".into())), None);
    }
}
