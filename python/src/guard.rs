//! Work with the interpreter's lock released, and panics as exceptions.
//!
//! PyO3 would turn a panic into `PanicException`, which is no `Exception`: `except Exception` would not catch it,
//! and one page could end a program that reads millions. So all work on pages goes through [`guarded`] or
//! [`caught`], and a panic becomes `newslode.InternalError` with its message and place.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook};
use std::sync::Once;

use pyo3::prelude::*;

use crate::errors::{InternalError, message};

thread_local! {
    /// What the last panic of this thread said, and where.
    static LAST: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Keeps what panics say for [`caught`], instead of printing it. This is about this library alone: other
/// libraries of the process have hooks of their own.
pub(crate) fn keep_panics_quiet() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| set_hook(Box::new(|panic| LAST.set(Some(panic.to_string().replacen('\n', " ", 1))))));
}

/// Does the work; `Err` says what panicked.
pub(crate) fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work))
        .map_err(|_| LAST.take().unwrap_or_else(|| "a panic without a message".into()))
}

/// Does the work while other threads of Python run.
pub(crate) fn guarded<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    py.detach(|| caught(work)).map_err(|told| InternalError::new_err(message(told)))
}

/// Panics behind the guard, so that a test can see what becomes of a panic.
#[pyfunction]
#[pyo3(name = "_fail")]
#[allow(clippy::panic, reason = "this is what it is for")]
pub(crate) fn fail(py: Python<'_>, message: &str) -> PyResult<()> {
    guarded(py, || panic!("{message}"))
}
