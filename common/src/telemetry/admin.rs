//! The admin port: `/metrics`, `/health/live`, `/health/ready`.
//!
//! Live means that the event loop turns; no server is asked. Ready means that the service is not stopping and
//! can reach what it needs now. The answer names what is missing. [`listen`] limits the
//! connections, so that clients of this port cannot use up the file descriptors that the service needs.

use std::future::Future;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use axum::routing::get;
use axum::{Extension, Router};
use tokio_util::sync::CancellationToken;

use super::metrics::Metrics;
use crate::listen::connections::{Connections, Limits};
use crate::listen::{self, Listener, Serving, Way};

/// Asks whether the service can work now. `Err` names what is missing.
pub type Ready = Arc<dyn Fn() -> Pin<Box<dyn Future<Output = Result<(), String>> + Send>> + Send + Sync>;

/// Longest wait for the readiness answer.
const READY_TIMEOUT: Duration = Duration::from_secs(2);
/// A few scrapers and an orchestrator need this port.
const LIMITS: Limits = Limits { most: 64, most_of_peer: 16, most_fresh_of_peer: 32 };

#[derive(Clone)]
struct Shared {
    metrics: Arc<Metrics>,
    ready: Ready,
    stop: CancellationToken,
}

/// The admin port, bound.
pub struct Admin {
    listener: tokio::net::TcpListener,
}

impl Admin {
    /// Binds the port (0: any free one).
    ///
    /// # Errors
    /// When the address cannot be bound.
    pub async fn bind(addr: SocketAddr) -> std::io::Result<Admin> {
        Ok(Admin { listener: tokio::net::TcpListener::bind(addr).await? })
    }

    /// The address it listens on.
    ///
    /// # Errors
    /// When the socket is gone.
    pub fn addr(&self) -> std::io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serves until `stop`.
    ///
    /// # Errors
    /// When the listener fails.
    pub async fn serve(
        self,
        metrics: Arc<Metrics>,
        ready: Ready,
        stop: CancellationToken,
    ) -> std::io::Result<()> {
        let router = Router::new()
            .route("/metrics", get(metrics_text))
            .route("/health/live", get(|| async { "live\n" }))
            .route("/health/ready", get(readiness))
            .layer(from_fn(keep_place))
            .with_state(Shared { metrics: metrics.clone(), ready, stop: stop.clone() });
        let dropped = metrics.connections_dropped.with_label_values(&["admin"]);
        let connections = Arc::new(Connections::new(LIMITS, dropped));
        let serving = Serving { router, is_proxy: Box::new(|_| false), connections, stop };
        listen::serve(Arc::new(serving), Listener::Tcp(self.listener, None)).await;
        Ok(())
    }
}

/// A connection keeps its place while its request is under way.
async fn keep_place(Extension(way): Extension<Way>, request: Request, next: Next) -> Response {
    way.place.works();
    let response = next.run(request).await;
    way.place.waits();
    response
}

async fn metrics_text(State(shared): State<Shared>) -> Result<String, (StatusCode, String)> {
    shared.metrics.text().map_err(|error| (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()))
}

async fn readiness(State(shared): State<Shared>) -> (StatusCode, String) {
    if shared.stop.is_cancelled() {
        return (StatusCode::SERVICE_UNAVAILABLE, "stopping\n".into());
    }
    match tokio::time::timeout(READY_TIMEOUT, (shared.ready)()).await {
        Ok(Ok(())) => (StatusCode::OK, "ready\n".into()),
        Ok(Err(missing)) => (StatusCode::SERVICE_UNAVAILABLE, format!("{missing}\n")),
        Err(_) => (StatusCode::SERVICE_UNAVAILABLE, "no answer in time\n".into()),
    }
}
