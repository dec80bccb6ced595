//! An article as a row of a data frame: scalars alone, under the same keys for every article.

use newslode_page::Article;
use newslode_page::article::{Access, WrittenDate};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::dates::{datetime, utc};
use crate::value::name;

/// What joins the entries of a list.
const BETWEEN: &str = "; ";

/// The row of an article.
pub(crate) fn row<'py>(py: Python<'py>, article: &Article) -> PyResult<Bound<'py, PyDict>> {
    let row = PyDict::new(py);
    let joined = |list: &[String]| (!list.is_empty()).then(|| list.join(BETWEEN));
    let known = |text: &String| (!text.is_empty()).then(|| text.clone());
    row.set_item("url", known(&article.url))?;
    row.set_item("site", known(&article.site))?;
    row.set_item("title", &article.title)?;
    row.set_item("authors", joined(&article.authors))?;
    for (field, written) in [("published", &article.published), ("modified", &article.modified)] {
        let written = written.as_deref();
        let found = written.map_or(Ok(None), |written| datetime(py, written))?;
        row.set_item(field, written)?;
        row.set_item(format!("{field}_precision"), written.filter(|_| found.is_some()).map(precision))?;
        row.set_item(format!("{field}_at"), found.map_or(Ok(None), |found| utc(py, &found))?)?;
    }
    for (field, value) in [
        ("place", &article.place),
        ("section", &article.section),
        ("language", &article.language),
        ("description", &article.description),
        ("publisher", &article.publisher),
        ("licence", &article.licence),
        ("image", &article.image),
    ] {
        row.set_item(field, value)?;
    }
    row.set_item("keywords", joined(&article.keywords))?;
    row.set_item("concepts", joined(&article.concepts))?;
    row.set_item("access", article.access.map(Access::name))?;
    row.set_item("completeness", article.completeness.name())?;
    row.set_item("kind", name(&article.kind))?;
    row.set_item("method", known(&article.method))?;
    row.set_item("text", article.text())?;
    Ok(row)
}

/// How exactly a date is known.
fn precision(written: &str) -> &'static str {
    match WrittenDate::of(written) {
        WrittenDate { has_zone: true, .. } => "zone",
        WrittenDate { has_time: true, .. } => "time",
        _ => "day",
    }
}
