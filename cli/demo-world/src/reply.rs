//! Replies as values: worlds and replays make them, the server sends them.
//!
//! Faults are part of a reply: a delay, or a [`Trouble`] that only the first requests for an address meet. The server
//! counts requests, so that content stays a pure function of the request.

use std::time::Duration;

/// An answer to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// HTTP status.
    pub status: u16,
    /// Headers, names in lower case.
    pub headers: Vec<(&'static str, String)>,
    /// Body, not compressed.
    pub body: Vec<u8>,
    /// Whether the body may be sent compressed.
    pub gzip: bool,
    /// How long the server waits before it answers.
    pub delay: Duration,
    /// What goes wrong at first.
    pub trouble: Option<Trouble>,
}

/// What goes wrong with the first requests for an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    /// The first `times` requests get `status` with `Retry-After: 1`.
    Status {
        /// 429 or 503.
        status: u16,
        /// How many requests.
        times: u64,
    },
    /// The connection of the first request closes in the middle of the body.
    Cut,
}

/// Answers requests. [`World`](crate::World) does.
pub trait Content: Send + Sync + 'static {
    /// The answer for a host (lower case, without port) and a path with its query. The same request always gets
    /// the same answer.
    fn respond(&self, host: &str, path_and_query: &str) -> Reply;
}

impl<T: Content> Content for std::sync::Arc<T> {
    fn respond(&self, host: &str, path_and_query: &str) -> Reply {
        T::respond(self, host, path_and_query)
    }
}

impl Reply {
    /// A 200 with a body.
    #[must_use]
    pub fn ok(content_type: impl Into<String>, body: Vec<u8>) -> Self {
        Self {
            status: 200,
            headers: vec![("content-type", content_type.into())],
            body,
            gzip: false,
            delay: Duration::ZERO,
            trouble: None,
        }
    }

    /// A 301 to `location`.
    #[must_use]
    pub fn redirect(location: &str) -> Self {
        let mut reply = Self::ok("text/html", format!("<a href=\"{location}\">Moved</a>").into_bytes());
        reply.status = 301;
        reply.headers.push(("location", location.to_owned()));
        reply
    }

    /// A 404.
    #[must_use]
    pub fn not_found() -> Self {
        let body = b"<html><head><title>Not found</title></head><body><h1>Not found</h1></body></html>";
        Self { status: 404, ..Self::ok("text/html", body.to_vec()) }
    }

    /// The value of a header, by its lower-case name.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| *n == name).map(|(_, value)| value.as_str())
    }
}
