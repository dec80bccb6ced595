//! Log lines through `tracing` to standard error, as text or as JSON.
//!
//! What is logged may hold text that strangers wrote, and addresses of servers. Each entry passes one filter on its way: it
//! stays one line, controls of a terminal and credentials in addresses are hidden.

use std::io::{self, IsTerminal, Write};

use newslode_page::neutral::{for_log, for_terminal};
use tracing::{Level, Metadata};
use tracing_subscriber::filter::ParseError;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Layer as _};

use super::trace::Traces;
use crate::config::{TelemetryConfig, hide_credentials};

/// The client of S3 tells of every try; we tell of what lasts. A filter that names it overrides this. Spans of traces are not
/// for the log.
const QUIET: &str = "object_store=warn,newslode_trace=off";

/// Checks that `telemetry.log` can be parsed.
///
/// # Errors
/// Says what is wrong with the filter.
pub fn check(filter: &str) -> Result<(), ParseError> {
    EnvFilter::try_new(filter).map(drop)
}

/// Starts logging and traces for this process, and has panics told through the same filter. A second call changes nothing.
///
/// # Errors
/// When the filter cannot be parsed.
pub fn init(config: &TelemetryConfig, traces: Option<&Traces>) -> Result<(), ParseError> {
    let filter = EnvFilter::try_new(format!("{QUIET},{}", config.log))?;
    let has_colours = !config.log_json
        && io::stderr().is_terminal()
        && std::env::var_os("NO_COLOR").is_none_or(|set| set.is_empty());
    let lines = tracing_subscriber::fmt::layer().with_writer(Entries { has_colours });
    let lines = if config.log_json { lines.json().boxed() } else { lines.boxed() };
    let subscriber = tracing_subscriber::registry().with(lines.with_filter(filter));
    let started = subscriber.with(traces.map(Traces::layer)).try_init();
    if started.is_err() {
        tracing::debug!("logging has already been started");
    } else {
        std::panic::set_hook(Box::new(tell_panic));
    }
    Ok(())
}

/// A panic may quote the page that caused it.
#[allow(clippy::print_stderr, reason = "a panic is told even where nothing is logged")]
fn tell_panic(panic: &std::panic::PanicHookInfo<'_>) {
    let thread = std::thread::current();
    let backtrace = std::backtrace::Backtrace::capture();
    let told = format!("thread '{}' {panic}", thread.name().unwrap_or("<unnamed>"));
    let told = for_terminal(&told);
    match backtrace.status() {
        std::backtrace::BacktraceStatus::Captured => eprintln!("\n{told}\n{backtrace}"),
        _ => eprintln!("\n{told}"),
    }
}

/// Makes the writer of each entry.
struct Entries {
    has_colours: bool,
}

/// Writes one entry.
struct Entry {
    colour: &'static str,
}

impl<'a> MakeWriter<'a> for Entries {
    type Writer = Entry;

    fn make_writer(&'a self) -> Entry {
        Entry { colour: "" }
    }

    fn make_writer_for(&'a self, about: &Metadata<'_>) -> Entry {
        let colour = match *about.level() {
            _ if !self.has_colours => "",
            Level::ERROR => "\x1b[31m",
            Level::WARN => "\x1b[33m",
            Level::INFO => "",
            Level::DEBUG | Level::TRACE => "\x1b[2m",
        };
        Entry { colour }
    }
}

impl Write for Entry {
    /// `tracing-subscriber` writes an entry as a whole.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        io::stderr().lock().write_all(shown(&String::from_utf8_lossy(bytes), self.colour).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

/// An entry as it is written.
fn shown(entry: &str, colour: &str) -> String {
    let entry = hide_credentials(entry.trim_end_matches('\n'));
    let end = if colour.is_empty() { "" } else { "\x1b[0m" };
    format!("{colour}{}{end}\n", for_log(&entry))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_one_line_without_controls_and_credentials() {
        let entry =
            "WARN cannot read: \u{1b}]52;c;cm0=\u{7} of `amqp://me:hunter2@rabbit/`\n2026 ERROR forged\n";
        let wanted =
            "WARN cannot read: \u{fffd}]52;c;cm0=\u{fffd} of `amqp://me:***@rabbit/`\\n2026 ERROR forged";
        assert_eq!(shown(entry, ""), format!("{wanted}\n"));
        assert_eq!(shown(entry, "\x1b[33m"), format!("\x1b[33m{wanted}\x1b[0m\n"));
    }
}
