//! The only module that writes to standard output.

use std::io::{IsTerminal, Write};

use newslode_page::time::Timestamp;
use serde::Serialize;

/// Writes a text and a newline.
pub(crate) fn line(text: impl std::fmt::Display) -> anyhow::Result<()> {
    Ok(writeln!(std::io::stdout().lock(), "{text}")?)
}

/// Writes a text unchanged.
pub(crate) fn text(text: &str) -> anyhow::Result<()> {
    bytes(text.as_bytes())
}

/// Writes bytes unchanged.
pub(crate) fn bytes(bytes: &[u8]) -> anyhow::Result<()> {
    Ok(std::io::stdout().lock().write_all(bytes)?)
}

/// Writes a value as indented JSON.
pub(crate) fn json(value: &impl Serialize) -> anyhow::Result<()> {
    line(serde_json::to_string_pretty(value)?)
}

/// Writes a value as one line of JSON.
pub(crate) fn json_line(value: &impl Serialize) -> anyhow::Result<()> {
    line(serde_json::to_string(value)?)
}

/// Whether to use colours: on a terminal, unless `NO_COLOR` is set.
pub(crate) fn is_coloured() -> bool {
    std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|set| set.is_empty())
}

/// Replaces control characters in a page's text, which could steer the terminal.
pub(crate) fn harmless(text: &str) -> String {
    text.replace(char::is_control, "\u{fffd}")
}

/// Formats a time for people: UTC, to the second.
pub(crate) fn time(at: Timestamp) -> String {
    let millis = i64::try_from(at.0).unwrap_or(i64::MAX);
    let at = jiff::Timestamp::from_millisecond(millis).unwrap_or(jiff::Timestamp::MAX);
    at.strftime("%Y-%m-%d %H:%M:%SZ").to_string()
}
