//! The only module that writes to standard output.

use std::io::{IsTerminal, Write};

use newslode_page::time::Timestamp;
use serde::Serialize;

/// Writes a text and a newline.
///
/// # Errors
/// When standard output cannot be written.
pub fn line(text: impl std::fmt::Display) -> anyhow::Result<()> {
    Ok(writeln!(std::io::stdout().lock(), "{text}")?)
}

/// Writes a text unchanged.
///
/// # Errors
/// When standard output cannot be written.
pub fn text(text: &str) -> anyhow::Result<()> {
    bytes(text.as_bytes())
}

/// Writes bytes unchanged.
///
/// # Errors
/// When standard output cannot be written.
pub fn bytes(bytes: &[u8]) -> anyhow::Result<()> {
    Ok(std::io::stdout().lock().write_all(bytes)?)
}

/// Writes a value as indented JSON.
///
/// # Errors
/// When standard output cannot be written.
pub fn json(value: &impl Serialize) -> anyhow::Result<()> {
    line(serde_json::to_string_pretty(value)?)
}

/// Writes a value as one line of JSON.
///
/// # Errors
/// When standard output cannot be written.
pub fn json_line(value: &impl Serialize) -> anyhow::Result<()> {
    line(serde_json::to_string(value)?)
}

/// Whether to use colours: on a terminal, unless `NO_COLOR` is set.
#[must_use]
pub fn is_coloured() -> bool {
    std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|set| set.is_empty())
}

/// Replaces control characters in a page's text, which could steer the terminal.
#[must_use]
pub fn harmless(text: &str) -> String {
    text.replace(char::is_control, "\u{fffd}")
}

/// Formats a time for people: UTC, to the second.
#[must_use]
pub fn time(at: Timestamp) -> String {
    let millis = i64::try_from(at.0).unwrap_or(i64::MAX);
    let at = jiff::Timestamp::from_millisecond(millis).unwrap_or(jiff::Timestamp::MAX);
    at.strftime("%Y-%m-%d %H:%M:%SZ").to_string()
}
