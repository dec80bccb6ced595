//! One HTTP server on loopback for all hosts of a [`Content`]: the `Host` header chooses the site.
//!
//! It answers conditional requests with 304, compresses if content and client allow it, and plays delays and troubles.
//! It logs all requests (host, path, time of arrival), so that tests can judge politeness. "Fails twice, then works"
//! is counted in this log, so every new server fails again.

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Response, header};
use flate2::Compression;
use flate2::write::GzEncoder;
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::reply::{Content, Reply, Trouble};

/// How long [`Server::stop`] waits for open requests.
const GRACE: Duration = Duration::from_secs(2);

/// A running server; it ends when it is stopped or dropped.
#[derive(Debug)]
pub struct Server {
    addr: SocketAddr,
    log: Arc<Log>,
    stop: CancellationToken,
    task: JoinSet<io::Result<()>>,
}

/// A request as it arrived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arrival {
    /// Host, lower case, without port.
    pub host: String,
    /// Path with query.
    pub path: String,
    /// When its head was read.
    pub at: Instant,
}

#[derive(Debug, Default)]
struct Log(Mutex<LogState>);

#[derive(Debug, Default)]
struct LogState {
    arrivals: Vec<Arrival>,
    counts: BTreeMap<(String, String), u64>,
}

struct Shared<C> {
    content: C,
    log: Arc<Log>,
}

impl Server {
    /// Serves `content` at `addr`; port 0 takes a free one.
    ///
    /// # Errors
    /// When the address cannot be bound.
    pub async fn start(content: impl Content, addr: SocketAddr) -> io::Result<Self> {
        let listener = TcpListener::bind(addr).await?;
        let addr = listener.local_addr()?;
        let log = Arc::new(Log::default());
        let stop = CancellationToken::new();
        let shared = Arc::new(Shared { content, log: Arc::clone(&log) });
        let app = Router::new().fallback(answer).with_state(shared);
        let ended = stop.clone().cancelled_owned();
        let mut task = JoinSet::new();
        task.spawn(async move { axum::serve(listener, app).with_graceful_shutdown(ended).await });
        Ok(Self { addr, log, stop, task })
    }

    /// The address it listens on.
    #[must_use]
    pub const fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// Number of requests so far.
    #[must_use]
    pub fn requests(&self) -> u64 {
        self.log.with(|log| log.arrivals.len() as u64)
    }

    /// Number of requests for each host and path.
    #[must_use]
    pub fn counts(&self) -> BTreeMap<(String, String), u64> {
        self.log.with(|log| log.counts.clone())
    }

    /// All requests in the order of their arrival.
    #[must_use]
    pub fn arrivals(&self) -> Vec<Arrival> {
        self.log.with(|log| log.arrivals.clone())
    }

    /// Accepts no more requests, finishes the open ones (for up to two seconds) and ends.
    pub async fn stop(mut self) {
        self.stop.cancel();
        if tokio::time::timeout(GRACE, self.task.join_next()).await.is_err() {
            self.task.shutdown().await;
        }
    }
}

impl Log {
    fn with<T>(&self, read: impl FnOnce(&mut LogState) -> T) -> T {
        read(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Logs a request. Returns how many came before for the same address.
    fn arrive(&self, host: &str, path: &str) -> u64 {
        let at = Instant::now();
        self.with(|log| {
            log.arrivals.push(Arrival { host: host.to_owned(), path: path.to_owned(), at });
            let count = log.counts.entry((host.to_owned(), path.to_owned())).or_default();
            *count += 1;
            *count - 1
        })
    }
}

async fn answer<C: Content>(State(shared): State<Arc<Shared<C>>>, request: Request) -> Response<Body> {
    // Keep only the head: a borrowed body cannot cross an await, as it is not `Sync`.
    let request = request.into_parts().0;
    let text = |name| request.headers.get(name).and_then(|v| v.to_str().ok()).unwrap_or_default();
    let named = request.uri.host().unwrap_or_else(|| text(header::HOST));
    let host = named.rsplit_once(':').map_or(named, |(host, _)| host).to_ascii_lowercase();
    let path = request.uri.path_and_query().map_or("/", |p| p.as_str());
    let before = shared.log.arrive(&host, path);
    let reply = shared.content.respond(&host, path);
    if !reply.delay.is_zero() {
        tokio::time::sleep(reply.delay).await;
    }
    match reply.trouble {
        Some(Trouble::Status { status, times }) if before < times => {
            let busy = Reply { status, ..Reply::ok("text/plain", b"try again later\n".to_vec()) };
            plain(&[("retry-after", "1".to_owned())], busy)
        }
        Some(Trouble::Cut) if before == 0 => cut(reply),
        _ if not_modified(&reply, &request.headers) => {
            plain(&[], Reply { status: 304, body: Vec::new(), ..reply })
        }
        _ if reply.gzip && text(header::ACCEPT_ENCODING).contains("gzip") => compress(reply),
        _ => plain(&[], reply),
    }
}

/// Whether the client already has this reply. `If-None-Match` takes precedence over the date (RFC 9110).
fn not_modified(reply: &Reply, request: &HeaderMap) -> bool {
    let sent = |name: header::HeaderName| request.get(name).and_then(|v| v.to_str().ok());
    if reply.status != 200 {
        return false;
    }
    match (sent(header::IF_NONE_MATCH), reply.header("etag")) {
        (Some(tags), Some(tag)) => {
            tags.split(',').any(|t| t.trim().trim_start_matches("W/") == tag || t.trim() == "*")
        }
        (Some(_), None) => false,
        // Clients send back the date they were given, so equality is enough.
        (None, _) => {
            sent(header::IF_MODIFIED_SINCE).is_some_and(|d| Some(d) == reply.header("last-modified"))
        }
    }
}

fn plain(more: &[(&'static str, String)], reply: Reply) -> Response<Body> {
    respond(more, reply.status, &reply.headers, Body::from(reply.body))
}

fn compress(reply: Reply) -> Response<Body> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    match encoder.write_all(&reply.body).and_then(|()| encoder.finish()) {
        Ok(body) => {
            let more = [("content-encoding", "gzip".to_owned()), ("vary", "accept-encoding".to_owned())];
            respond(&more, reply.status, &reply.headers, Body::from(body))
        }
        Err(_) => plain(&[], reply),
    }
}

/// Sends half the body, then fails: the connection closes before the last chunk.
fn cut(reply: Reply) -> Response<Body> {
    let half = reply.body[..reply.body.len() / 2].to_vec();
    let parts = futures::stream::unfold(Some(half), |state| async move {
        if state.as_ref().is_some_and(Vec::is_empty) {
            // Let the first half go out before the connection closes.
            tokio::time::sleep(Duration::from_millis(20)).await;
            return Some((Err(io::Error::other("cut on purpose")), None));
        }
        state.map(|half| (Ok(half), Some(Vec::new())))
    });
    respond(&[], reply.status, &reply.headers, Body::from_stream(parts))
}

fn respond(
    more: &[(&'static str, String)],
    status: u16,
    headers: &[(&'static str, String)],
    body: Body,
) -> Response<Body> {
    let mut response = Response::builder().status(status);
    for (name, value) in headers.iter().chain(more) {
        response = response.header(*name, value);
    }
    // Only an invalid status or header can fail here; the client then gets a 500.
    response.body(body).unwrap_or_else(|_| {
        let mut failed = Response::new(Body::empty());
        *failed.status_mut() = axum::http::StatusCode::INTERNAL_SERVER_ERROR;
        failed
    })
}
