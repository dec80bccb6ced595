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
