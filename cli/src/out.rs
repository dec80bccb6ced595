//! The only module that writes to standard output, and to standard error beside logs and progress.
//!
//! What is printed often holds text that strangers wrote, so everything passes [`newslode_page::neutral`] on its way. Text for
//! people ([`line()`], [`text`], [`Styled`], [`notice`]) always does: it may reach a terminal through a pager. Data for programs
//! ([`json`], [`data`], [`writer`]) does on a terminal only. `--raw` turns the filter of standard output off.

#![allow(clippy::disallowed_methods, reason = "everything else writes through this module")]

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use newslode_common::config::hide_credentials;
use newslode_page::neutral::for_terminal;
use newslode_page::time::Timestamp;
use serde::Serialize;

/// Whether `--raw` was given. Standard output belongs to the process, and so does this.
static IS_RAW: AtomicBool = AtomicBool::new(false);

/// Turns the filter of standard output off or on.
pub(crate) fn set_raw(is_raw: bool) {
    IS_RAW.store(is_raw, Ordering::Relaxed);
}

fn is_raw() -> bool {
    IS_RAW.load(Ordering::Relaxed)
}

/// Writes a text for people and a newline.
///
/// # Errors
/// When standard output cannot be written.
pub fn line(line: impl std::fmt::Display) -> anyhow::Result<()> {
    text(&format!("{line}\n"))
}

/// Writes a text for people.
///
/// # Errors
/// When standard output cannot be written.
pub fn text(text: &str) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    Ok(if is_raw() { out.write_all(text.as_bytes()) } else { out.write_all(for_terminal(text).as_bytes()) }?)
}

/// Writes data for programs: unchanged, except on a terminal.
///
/// # Errors
/// When standard output cannot be written.
pub fn data(bytes: &[u8]) -> anyhow::Result<()> {
    let mut out = writer();
    out.write_all(bytes)?;
    Ok(out.flush()?)
}

/// Writes a value as indented JSON.
///
/// # Errors
/// When standard output cannot be written.
pub fn json(value: &impl Serialize) -> anyhow::Result<()> {
    data(format!("{}\n", serde_json::to_string_pretty(value)?).as_bytes())
}

/// Writes a value as one line of JSON.
///
/// # Errors
/// When standard output cannot be written.
pub fn json_line(value: &impl Serialize) -> anyhow::Result<()> {
    data(format!("{}\n", serde_json::to_string(value)?).as_bytes())
}

/// Standard output for data that is written piece by piece.
#[must_use]
pub fn writer() -> Box<dyn Write> {
    let out = std::io::stdout();
    if is_raw() || !out.is_terminal() { Box::new(out.lock()) } else { Box::new(Neutral::new(out.lock())) }
}

/// Passes text on as a terminal may see it. Bytes that are no UTF-8 are replaced, too: some terminals take them for controls.
struct Neutral<W: Write> {
    to: W,
    /// The end of what was written, if it is the beginning of a character or of a line end: at most three bytes.
    held: Vec<u8>,
}

impl<W: Write> Neutral<W> {
    fn new(to: W) -> Neutral<W> {
        Neutral { to, held: Vec::new() }
    }
}

impl<W: Write> Write for Neutral<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let mut all = std::mem::take(&mut self.held);
        all.extend_from_slice(bytes);
        let begun = match all.utf8_chunks().last() {
            Some(chunk) if !chunk.invalid().is_empty() => chunk.invalid().len(),
            Some(chunk) => usize::from(chunk.valid().ends_with('\r')),
            None => 0,
        };
        self.held = all.split_off(all.len() - begun);
        self.to.write_all(for_terminal(&String::from_utf8_lossy(&all)).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.to.flush()
    }
}

impl<W: Write> Drop for Neutral<W> {
    fn drop(&mut self) {
        let rest = String::from_utf8_lossy(&self.held);
        // An error would have shown in the writes before.
        self.to.write_all(for_terminal(&rest).as_bytes()).ok();
    }
}

/// A text for people with colours. The escape sequences come from the program: they are literals.
#[derive(Debug, Default)]
pub struct Styled(String);

impl Styled {
    /// Adds an escape sequence; an empty one adds nothing.
    pub fn style(&mut self, sequence: &'static str) -> &mut Styled {
        self.0.push_str(sequence);
        self
    }

    /// Adds a text, filtered.
    pub fn text(&mut self, text: &str) -> &mut Styled {
        if is_raw() {
            self.0.push_str(text);
        } else {
            self.0.push_str(&for_terminal(text));
        }
        self
    }

    /// The text with its escape sequences.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Writes it.
    ///
    /// # Errors
    /// When standard output cannot be written.
    pub fn print(&self) -> anyhow::Result<()> {
        Ok(std::io::stdout().lock().write_all(self.0.as_bytes())?)
    }
}

/// Tells people something beside the output: a line on standard error. Credentials in addresses are hidden.
#[allow(clippy::print_stderr, reason = "the one place that does")]
pub fn notice(line: impl std::fmt::Display) {
    eprintln!("{}", for_terminal(&hide_credentials(&line.to_string())));
}

/// Whether standard output is a terminal.
#[must_use]
pub fn is_terminal() -> bool {
    std::io::stdout().is_terminal()
}

/// Whether to use colours: on a terminal, unless `NO_COLOR` is set.
#[must_use]
pub fn is_coloured() -> bool {
    is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|set| set.is_empty())
}

/// A number of things in words: `1 page`, `2 pages`. `what` takes an `s` where there are more or none.
pub(crate) fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// The day of a time (ISO 8601, UTC).
pub(crate) fn day(at: Timestamp) -> String {
    newslode_common::time::iso(at).chars().take(10).collect()
}

/// Formats a time for people: UTC, to the second.
#[must_use]
pub fn time(at: Timestamp) -> String {
    let millis = i64::try_from(at.0).unwrap_or(i64::MAX);
    let at = jiff::Timestamp::from_millisecond(millis).unwrap_or(jiff::Timestamp::MAX);
    at.strftime("%Y-%m-%d %H:%M:%SZ").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_is_filtered_alike_however_it_is_cut() {
        let bytes = "a\u{1b}[2J\u{202e}é\r\nb\rc\u{9b}東\n".as_bytes();
        let bytes = [bytes, b"\xff\x9b\xe6\x9d", b"\r"].concat();
        let wanted = "a\u{fffd}[2J\u{fffd}é\r\nb\u{fffd}c\u{fffd}東\n\u{fffd}\u{fffd}\u{fffd}\u{fffd}";
        for cut in 0..=bytes.len() {
            for second in cut..=bytes.len() {
                let mut shown = Vec::new();
                let mut filter = Neutral::new(&mut shown);
                for part in [&bytes[..cut], &bytes[cut..second], &bytes[second..]] {
                    filter.write_all(part).unwrap();
                }
                drop(filter);
                assert_eq!(String::from_utf8(shown).unwrap(), wanted, "{cut} {second}");
            }
        }
    }

    #[test]
    fn only_the_programs_own_sequences_style_a_text() {
        let mut styled = Styled::default();
        styled.style("\x1b[1m").text("\x1b[31mred\n").style("\x1b[0m");
        assert_eq!(styled.as_str(), "\x1b[1m\u{fffd}[31mred\n\x1b[0m");
    }
}
