//! The console: what was mined, as pages for people and as JSON for programs.
//!
//! A [`Snapshot`] holds summaries of all that is shown and is renewed in the background ([`reading`]), so no
//! request reads the whole store; a single article, site or page is read when it is asked for. Everything is rendered here
//! ([`pages`], [`api`]), nothing is written, and no page needs a script. [`guard`] keeps the rules of browsers' security
//! over every answer. Start at [`serve`].

mod answer;
mod api;
mod assets;
mod detail;
mod filter;
mod guard;
mod pages;
mod reading;
mod search;
mod snapshot;

use std::future::IntoFuture;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::routing::get;
use newslode_common::broker::rabbitmq::RabbitBroker;
use newslode_common::shutdown;
use newslode_miner::work::parts::Parts;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use self::answer::Problem;
use self::reading::Read;
use self::snapshot::Snapshot;

/// Open answers get this long at the end.
const GRACE: Duration = Duration::from_secs(5);
/// A request waits this long for the first look at the store.
const FIRST_LOOK: Duration = Duration::from_secs(3);

/// What a console shows.
pub(crate) struct Source {
    /// For people.
    pub(crate) name: String,
    pub(crate) parts: Parts,
    /// Its queues, if it has some that live outside this process.
    pub(crate) broker: Option<RabbitBroker>,
}

/// What all requests share.
struct Console {
    source: Arc<Source>,
    addr: SocketAddr,
    read: watch::Receiver<Read>,
}

impl Console {
    /// What was read last; waits a little for the first.
    async fn snapshot(&self) -> Result<Arc<Snapshot>, Problem> {
        let mut read = self.read.clone();
        let first = read.wait_for(|read| read.snapshot.is_some() || read.failure.is_some());
        let read = match tokio::time::timeout(FIRST_LOOK, first).await {
            Ok(Ok(read)) => read.clone(),
            _ => self.read.borrow().clone(),
        };
        match (read.snapshot, read.failure) {
            (Some(snapshot), _) => Ok(snapshot),
            (None, Some(failure)) => Err(Problem::away(&failure)),
            (None, None) => Err(Problem::reading(read.articles)),
        }
    }

    /// Why the last look failed, if it did.
    fn failure(&self) -> Option<String> {
        self.read.borrow().failure.clone()
    }
}

/// Serves until `stop`.
pub(crate) async fn serve(
    source: Source,
    listener: TcpListener,
    renew: Duration,
    stop: CancellationToken,
) -> anyhow::Result<()> {
    let source = Arc::new(source);
    let (write, read) = watch::channel(Read::default());
    let console = Arc::new(Console { source: source.clone(), addr: listener.local_addr()?, read });
    let mut tasks = JoinSet::new();
    tasks.spawn(reading::renew(source, write, renew, stop.clone()));
    let serving =
        axum::serve(listener, router(console)).with_graceful_shutdown(stop.clone().cancelled_owned());
    let served = tokio::select! {
        served = serving.into_future() => served,
        // A browser may hold a connection open for minutes.
        () = async { stop.cancelled().await; tokio::time::sleep(GRACE).await } => Ok(()),
    };
    stop.cancel();
    shutdown::drain(&mut tasks, GRACE).await;
    Ok(served?)
}

fn router(console: Arc<Console>) -> Router {
    Router::new()
        .route("/", get(pages::overview::page))
        .route("/taxonomy", get(pages::taxonomy::page))
        .route("/taxonomy/{concept}", get(pages::concept::page))
        .route("/articles", get(pages::articles::page))
        .route("/articles/{id}", get(pages::article::page))
        .route("/articles/{id}/hierarchy.svg", get(pages::article::drawing))
        .route("/articles/{id}/hierarchy.xml", get(pages::article::xml))
        .route("/sites", get(pages::sites::page))
        .route("/sites/{site}", get(pages::site::page))
        .route("/explain", get(pages::explain::page))
        .route("/assets/{file}", get(assets::file))
        .merge(api::router())
        .fallback(answer::not_found)
        .layer(axum::middleware::from_fn_with_state(console.clone(), guard::guard))
        .with_state(console)
}
