//! Takes connections and serves them, so that no client can use up what others need.
//!
//! What can run out, and what guards it:
//! - connections: [`connections`] limits them in all and for a peer, and closes the one that has waited longest when another wants in;
//! - time: a connection waits a limited time for a request, a body for its bytes ([`BODY`]), an answer for a reader ([`patient`]);
//! - memory: heads, and answers inside a connection, have a limit ([`BUFFER`]); who serves more than a few kilobytes limits the rest.
//!
//! The console and the admin port are served so. Only HTTP/1.1 is spoken: a connection then has one request at a time, so all these limits hold by connection
//! (docs/decisions/0061-console-limits-by-connection.md). Start at [`serve`].

pub mod connections;
mod patient;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, UnixListener};
use tokio::sync::watch;
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use self::connections::{Connections, Peer, Place, WAITING};
use self::patient::Patient;

/// Time for the bytes of a body.
pub const BODY: Duration = Duration::from_secs(20);
/// The most bytes of a request's head, and of an answer that waits inside the connection.
const BUFFER: usize = 64 << 10;
/// The most headers of a request.
const HEADERS: usize = 64;
/// Time before the next try when a connection cannot be taken.
const AGAIN: Duration = Duration::from_millis(50);
/// Time for open answers at the end.
pub const GRACE: Duration = Duration::from_secs(5);

/// Where connections come from.
pub enum Listener {
    /// An address; with TLS if there is an acceptor, of which the newest counts.
    Tcp(TcpListener, Option<watch::Receiver<TlsAcceptor>>),
    /// A Unix socket, whose file is removed at the end.
    Socket(UnixListener, PathBuf),
}

/// What every connection needs.
pub struct Serving {
    /// Answers requests; each has its [`Way`] as an extension.
    pub router: Router,
    /// Whether a peer is a proxy that connects for many.
    pub is_proxy: Box<dyn Fn(Peer) -> bool + Send + Sync>,
    /// The open connections of all listeners.
    pub connections: Arc<Connections>,
    /// Ends it.
    pub stop: CancellationToken,
}

/// The way of a request: who is at the other end of its connection, and the connection's place.
#[derive(Clone)]
pub struct Way {
    /// The other end.
    pub peer: Peer,
    /// The place.
    pub place: Arc<Place>,
}

/// Takes connections until `stop`, then waits a little for their answers.
pub async fn serve(serving: Arc<Serving>, listener: Listener) {
    let tasks = TaskTracker::new();
    let stop = serving.stop.clone();
    while let Some(taken) = stop.run_until_cancelled(take(&serving, &tasks, &listener)).await {
        // Whoever connects at a great rate must not keep us from reading what those before sent.
        tokio::task::yield_now().await;
        if let Err(error) = taken
            && is_about_us(&error)
        {
            // No descriptor is left, most likely: those who keep theirs without a request give it back.
            tracing::warn!("a connection cannot be taken: {error}");
            serving.connections.close_longest_waiting();
            tokio::time::sleep(AGAIN).await;
        }
    }
    if let Listener::Socket(_, file) = &listener {
        std::fs::remove_file(file).ok();
    }
    tasks.close();
    tokio::time::timeout(GRACE, tasks.wait()).await.ok();
}

/// Whether an error is about this process, not about a client that went away.
fn is_about_us(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    !matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

/// Takes one connection and starts its task.
async fn take(serving: &Arc<Serving>, tasks: &TaskTracker, listener: &Listener) -> io::Result<()> {
    match listener {
        Listener::Tcp(listener, tls) => {
            let (stream, addr) = listener.accept().await?;
            let peer = Peer::tcp(addr, tls.is_some());
            let Some(place) = serving.connections.admit(peer, (serving.is_proxy)(peer)) else {
                return Ok(());
            };
            stream.set_nodelay(true).ok();
            let (serving, tls) = (serving.clone(), tls.as_ref().map(|newest| newest.borrow().clone()));
            tasks.spawn(async move {
                match tls {
                    None => serve_connection(&serving, Patient::new(stream), peer, place).await,
                    Some(tls) => {
                        let close = place.close.clone();
                        let accepted = tokio::time::timeout(WAITING, tls.accept(Patient::new(stream)));
                        if let Some(Ok(Ok(stream))) = close.run_until_cancelled(accepted).await {
                            serve_connection(&serving, stream, peer, place).await;
                        }
                    }
                }
            });
        }
        Listener::Socket(listener, _) => {
            let (stream, _) = listener.accept().await?;
            let Some(place) = serving.connections.admit(Peer::Socket, false) else { return Ok(()) };
            let serving = serving.clone();
            tasks.spawn(async move {
                serve_connection(&serving, Patient::new(stream), Peer::Socket, place).await;
            });
        }
    }
    Ok(())
}

async fn serve_connection<S>(serving: &Serving, stream: S, peer: Peer, place: Place)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let place = Arc::new(place);
    let router = TowerToHyperService::new(serving.router.clone());
    let way = Way { peer, place: place.clone() };
    let service = service_fn(move |mut request: axum::http::Request<Incoming>| {
        request.extensions_mut().insert(way.clone());
        hyper::service::Service::call(&router, request)
    });
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(WAITING);
    builder.max_buf_size(BUFFER).max_headers(HEADERS);
    let connection = builder.serve_connection(TokioIo::new(stream), service);
    let mut connection = std::pin::pin!(connection);
    // How a client ends a connection is its own matter.
    tokio::select! {
        _ = connection.as_mut() => {}
        () = place.close.cancelled() => {}
        () = serving.stop.cancelled() => {
            connection.as_mut().graceful_shutdown();
            tokio::time::timeout(GRACE, connection).await.ok();
        }
    }
}
