//! What callers pass: HTML as text or bytes, addresses, and the time of the fetch.
//!
//! Text is taken as it is: what the page says of its encoding concerned its bytes. Bytes are decoded as everywhere in
//! Newslode, by the server's content type, the page's own word and the bytes themselves. Text that cannot be encoded
//! (lone surrogates) is no error: each becomes U+FFFD, as in a browser.
//!
//! A page without an address gets the one that it declares as its own; else one under the reserved name
//! `file.invalid`, which no result shows as the page's own.

use std::time::{SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use newslode_page::discovery::declared_address;
use newslode_page::reading::{CanonicalUrl, document_base};
use newslode_page::{Page, Timestamp};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::{PyByteArray, PyBytes, PyString};

use crate::errors::{InvalidUrl, message};
use crate::response::Response;

/// The content type of what was text already.
const TEXT: &str = "text/html; charset=utf-8";
/// The address of a page that has none.
const NOWHERE: &str = "http://file.invalid/page";
/// The host of that address.
pub(crate) const NO_HOST: &str = "file.invalid";

/// The HTML of a page; it borrows from Python where that can be.
pub(crate) enum Html {
    Text(PyBackedStr),
    OwnText(String),
    Bytes(PyBackedBytes),
    OwnBytes(Vec<u8>),
    /// The answer of a server, with its address and content type.
    Fetched(Bytes, Option<CanonicalUrl>, Option<String>),
}

impl<'py> FromPyObject<'_, 'py> for Html {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Html> {
        if let Ok(text) = object.cast::<PyString>() {
            let borrowed = PyBackedStr::try_from(text.to_owned());
            return Ok(borrowed.map_or_else(|_| Html::OwnText(mended(&text)), Html::Text));
        }
        if object.is_instance_of::<PyBytes>() || object.is_instance_of::<PyByteArray>() {
            return Ok(Html::Bytes(object.extract()?));
        }
        if let Ok(response) = object.cast::<Response>() {
            let response = response.get();
            let kind = response.kind().map(str::to_owned);
            return Ok(Html::Fetched(response.bytes(), response.canonical(), kind));
        }
        let kind = object.get_type().name()?;
        Err(PyTypeError::new_err(format!("a page is str, bytes, bytearray or Response, not {kind}")))
    }
}

/// Text with each lone surrogate replaced.
fn mended(text: &Bound<'_, PyString>) -> String {
    // The bytes of a lone surrogate are three, and each would be replaced.
    text.to_string_lossy().replace("\u{fffd}\u{fffd}\u{fffd}", "\u{fffd}")
}

impl Html {
    fn bytes(&self) -> &[u8] {
        match self {
            Html::Text(text) => text.as_bytes(),
            Html::OwnText(text) => text.as_bytes(),
            Html::Bytes(bytes) => bytes,
            Html::OwnBytes(bytes) => bytes,
            Html::Fetched(bytes, ..) => bytes,
        }
    }

    fn owned(self) -> Html {
        match self {
            Html::Text(text) => Html::OwnText(text.as_str().to_owned()),
            Html::Bytes(bytes) => Html::OwnBytes(bytes.to_vec()),
            owned => owned,
        }
    }
}

/// The address of a page.
pub(crate) struct Address(pub(crate) CanonicalUrl);

impl<'py> FromPyObject<'_, 'py> for Address {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Address> {
        let Ok(text) = object.cast::<PyString>() else {
            let kind = object.get_type().name()?;
            return Err(PyTypeError::new_err(format!("a URL is str, not {kind}")));
        };
        let text = text.to_string_lossy();
        text.parse().map(Address).map_err(|error| InvalidUrl::new_err(message(error)))
    }
}

/// A page as it is given, ready to be parsed by any thread.
pub(crate) struct Given {
    html: Html,
    url: Option<CanonicalUrl>,
    content_type: Option<String>,
}

impl Given {
    pub(crate) fn new(html: Html, url: Option<Address>, content_type: Option<String>) -> Given {
        let (fetched_from, fetched_type) = match &html {
            Html::Fetched(_, url, kind) => (url.clone(), kind.clone()),
            _ => (None, None),
        };
        let url = url.map(|Address(url)| url).or(fetched_from);
        Given { html, url, content_type: content_type.or(fetched_type) }
    }

    /// Whether the caller gave an address.
    pub(crate) fn has_url(&self) -> bool {
        self.url.is_some()
    }

    /// Bytes of the page.
    pub(crate) fn len(&self) -> usize {
        self.html.bytes().len()
    }

    /// The page with a copy of what it borrowed from Python: other threads may hold and drop it.
    pub(crate) fn owned(self) -> Given {
        Given { html: self.html.owned(), ..self }
    }

    /// Parses the page.
    pub(crate) fn parse(&self) -> Page {
        let content_type = match self.html {
            Html::Text(_) | Html::OwnText(_) => Some(TEXT),
            Html::Bytes(_) | Html::OwnBytes(_) | Html::Fetched(..) => self.content_type.as_deref(),
        };
        match &self.url {
            Some(url) => Page::parse(url, content_type, self.html.bytes()),
            None => placed(Page::parse(&nowhere(), content_type, self.html.bytes())),
        }
    }
}

/// The page under the address that it declares, if it declares one.
fn placed(mut page: Page) -> Page {
    if let Some(url) = declared_address(&page).filter(|url| url.host() != NO_HOST) {
        page.base = document_base(&page.tree, &url.to_url());
        page.url = url;
    }
    page
}

#[allow(clippy::expect_used, reason = "a constant; every call without an address tests it")]
fn nowhere() -> CanonicalUrl {
    NOWHERE.parse().expect("an address")
}

/// The time of the fetch; without one the present.
pub(crate) fn fetched_at(given: Option<&Bound<'_, PyAny>>) -> PyResult<Timestamp> {
    let Some(time) = given else {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        return Ok(Timestamp(u64::try_from(since.as_millis()).unwrap_or(u64::MAX)));
    };
    let Ok(seconds) = time.call_method0("timestamp") else {
        let kind = time.get_type().name()?;
        return Err(PyTypeError::new_err(format!("a time is a datetime, not {kind}")));
    };
    // A float that is no time of a fetch (negative, not a number) becomes the nearest one.
    Ok(Timestamp((seconds.extract::<f64>()? * 1e3) as u64))
}
