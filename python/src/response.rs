//! What `fetch` returns: a server's response, which every function accepts in place of a page.

use bytes::Bytes;
use newslode_page::CanonicalUrl;
use newslode_page::reading::decode;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use url::Url;

use crate::errors::message;
use crate::guard::guarded;

/// A server's answer to `fetch`. `extract`, `kind`, `partition`, `tables`, `links` and `feeds` take it in the place of HTML, with
/// its address and content type.
#[pyclass(frozen, module = "newslode", name = "Response")]
pub(crate) struct Response {
    url: Url,
    status: u16,
    headers: Vec<(String, String)>,
    body: Bytes,
    redirects: Vec<String>,
}

impl Response {
    pub(crate) fn new(
        url: Url,
        status: u16,
        headers: Vec<(String, String)>,
        body: Bytes,
        redirects: Vec<String>,
    ) -> Response {
        Response { url, status, headers, body, redirects }
    }

    /// Its bytes.
    pub(crate) fn bytes(&self) -> Bytes {
        self.body.clone()
    }

    /// Its address, if pages can have it.
    pub(crate) fn canonical(&self) -> Option<CanonicalUrl> {
        newslode_page::reading::canonical(&self.url)
    }

    /// Its content type.
    pub(crate) fn kind(&self) -> Option<&str> {
        self.headers.iter().find(|(name, _)| name == "content-type").map(|(_, value)| value.as_str())
    }
}

#[pymethods]
impl Response {
    /// The address that answered: the last one of a chain of redirects.
    #[getter]
    fn url(&self) -> &str {
        self.url.as_str()
    }

    /// The status.
    #[getter]
    fn status(&self) -> u16 {
        self.status
    }

    /// Whether the status is a success.
    #[getter]
    fn ok(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// The headers, with names in lower case; the values of one name are joined by commas.
    #[getter]
    fn headers<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let headers = PyDict::new(py);
        for (name, value) in &self.headers {
            headers.set_item(name, value)?;
        }
        Ok(headers)
    }

    /// The `Content-Type` header.
    #[getter]
    fn content_type(&self) -> Option<&str> {
        self.kind()
    }

    /// The bytes after decompression; empty if the status is no success.
    #[getter]
    fn body<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.body)
    }

    /// The body as text, decoded as browsers decode a page.
    #[getter]
    fn text(&self, py: Python<'_>) -> PyResult<String> {
        guarded(py, || decode(&self.body, self.kind()).text)
    }

    /// The addresses that redirected, first to last.
    #[getter]
    fn redirects(&self) -> Vec<String> {
        self.redirects.clone()
    }

    fn __repr__(&self) -> String {
        format!("<Response {} {}>", self.status, message(&self.url))
    }
}
