//! Our values as plain ones of Python.

use std::hash::{DefaultHasher, Hash, Hasher};

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::errors::{FormatError, InternalError, message};

/// What `json.loads` makes of a value.
pub(crate) fn plain<'py>(py: Python<'py>, value: &impl Serialize) -> PyResult<Bound<'py, PyAny>> {
    static LOADS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    LOADS.import(py, "json", "loads")?.call1((json(value)?,))
}

/// A value as JSON, in one line.
pub(crate) fn json(value: &impl Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|error| InternalError::new_err(message(error)))
}

/// A value of JSON that [`json`] wrote.
pub(crate) fn of_json<T: DeserializeOwned>(text: &str) -> PyResult<T> {
    serde_json::from_str(text).map_err(|error| FormatError::new_err(message(error)))
}

/// The name that a value of an enumeration has in JSON.
pub(crate) fn name(value: &impl Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}

/// A number with the digits that are written of it: 0.9, not 0.8999999761581421.
pub(crate) fn as_written(number: f32) -> f64 {
    number.to_string().parse().unwrap_or_else(|_| f64::from(number))
}

/// A hash for Python.
pub(crate) fn hash(value: &impl Hash) -> isize {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish() as isize
}
