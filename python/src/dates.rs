//! Dates of articles as `datetime` objects.

use jiff::fmt::temporal::Pieces;
use pyo3::prelude::*;
use pyo3::types::{PyDateTime, PyDelta, PyTzInfo};

/// Seconds of a day; a `datetime` is less than that away from UTC.
const DAY: i32 = 86_400;

/// The `datetime` of an ISO 8601 date or time: aware if it names a zone, else naive; midnight of a bare day. `None` if it is no
/// such text, or a year or a zone that `datetime` does not know.
pub(crate) fn datetime<'py>(py: Python<'py>, written: &str) -> PyResult<Option<Bound<'py, PyDateTime>>> {
    let Ok(pieces) = Pieces::parse(written) else { return Ok(None) };
    let (date, time) = (pieces.date(), pieces.time().unwrap_or_default());
    let offset = pieces.to_numeric_offset().map(|offset| offset.seconds());
    if date.year() < 1 || offset.is_some_and(|seconds| seconds.abs() >= DAY) {
        return Ok(None);
    }
    let zone = offset.map(|seconds| zone(py, seconds)).transpose()?;
    let field = |value: i8| value.unsigned_abs();
    let microsecond =
        u32::from(time.millisecond().unsigned_abs()) * 1_000 + u32::from(time.microsecond().unsigned_abs());
    PyDateTime::new(
        py,
        i32::from(date.year()),
        field(date.month()),
        field(date.day()),
        field(time.hour()),
        field(time.minute()),
        field(time.second()),
        microsecond,
        zone.as_ref(),
    )
    .map(Some)
}

/// A `datetime` in UTC, so that dates of many articles have one form; without a zone it is taken for UTC. `None` where that leaves
/// the years of `datetime`.
pub(crate) fn utc<'py>(
    py: Python<'py>,
    found: &Bound<'py, PyDateTime>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let utc = PyTzInfo::utc(py)?;
    if found.getattr("tzinfo")?.is_none() {
        let kwargs = pyo3::types::PyDict::new(py);
        kwargs.set_item("tzinfo", utc)?;
        return found.call_method("replace", (), Some(&kwargs)).map(Some);
    }
    match found.call_method1("astimezone", (utc,)) {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.is_instance_of::<pyo3::exceptions::PyOverflowError>(py) => Ok(None),
        Err(error) => Err(error),
    }
}

fn zone(py: Python<'_>, seconds: i32) -> PyResult<Bound<'_, PyTzInfo>> {
    if seconds == 0 {
        return PyTzInfo::utc(py).map(|utc| utc.to_owned());
    }
    PyTzInfo::fixed_offset(py, PyDelta::new(py, 0, seconds, 0, true)?)
}
