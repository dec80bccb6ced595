//! Exit codes, and errors with hints.

use std::process::ExitCode;

/// Exit codes, the same for every command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Done.
    Done,
    /// Failed; the message says why.
    Failed,
    /// Wrong usage or configuration.
    Usage,
    /// Interrupted; the state is kept.
    Interrupted,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(match exit {
            Exit::Done => 0,
            Exit::Failed => 1,
            Exit::Usage => 2,
            Exit::Interrupted => 130,
        })
    }
}

/// The kind of an input or output error among the causes of another one.
pub(crate) fn io_kind(cause: &(dyn std::error::Error + 'static)) -> Option<std::io::ErrorKind> {
    let written = cause.downcast_ref::<std::io::Error>().map(std::io::Error::kind);
    // serde_json does not name the cause of a failed write among its sources.
    let as_json = || cause.downcast_ref::<serde_json::Error>().and_then(serde_json::Error::io_error_kind);
    written.or_else(as_json)
}

/// An error with a hint at a remedy, which is printed on its own line.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct Hinted {
    /// What failed: what was tried, on which thing.
    pub message: String,
    /// What helps.
    pub hint: String,
}

/// Makes an error with a hint.
#[must_use]
pub fn hinted(message: impl Into<String>, hint: impl Into<String>) -> anyhow::Error {
    Hinted { message: message.into(), hint: hint.into() }.into()
}
