//! The console: what was mined, as pages for people and as JSON for programs.
//!
//! A [`Snapshot`] holds summaries of all that is shown and is renewed in the background ([`reading`]), so no
//! request reads the whole store; a single article, site or page is read when it is asked for. Everything is rendered here
//! ([`pages`], [`api`]), and no page needs a script. Those who may change things do so by forms ([`writing`]). [`guard`] keeps
//! the rules of browsers' security over every answer. Start at [`serve`].

mod answer;
mod api;
mod assets;
mod detail;
mod filter;
mod frame;
pub mod fuzzed;
mod guard;
mod pages;
mod reading;
mod search;
mod snapshot;
mod source;
mod state;
mod writing;

use std::future::IntoFuture;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::routing::get;
use newslode_common::shutdown;
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use self::reading::SnapshotStatus;
pub(crate) use self::source::{Run, Source};
use self::state::Console;
use self::writing::access::Access;
pub(crate) use self::writing::access::LEAST_TOKEN;
use self::writing::notices::Notices;

/// Time for open answers at the end.
const GRACE: Duration = Duration::from_secs(5);

/// How a console serves.
pub(crate) struct Options {
    /// Time between two snapshots.
    pub(crate) renew: Duration,
    /// People who know it may change things.
    pub(crate) token: Option<String>,
}

/// Serves until `stop`.
pub(crate) async fn serve(
    source: Source,
    listener: TcpListener,
    options: Options,
    stop: CancellationToken,
) -> anyhow::Result<()> {
    tokio::task::spawn_blocking(search::remove_leftovers).await?;
    let source = Arc::new(source);
    let (write, read) = watch::channel(SnapshotStatus::default());
    let addr = listener.local_addr()?;
    let console = Arc::new(Console {
        source: source.clone(),
        addr,
        read,
        access: Access::new(addr, options.token.as_deref())?,
        notices: Notices::default(),
        look: Arc::default(),
        work: TaskTracker::new(),
        turn: Arc::default(),
        listeners: Arc::new(Semaphore::new(api::events::MOST)),
        lines: api::lines::ArticleLines::default(),
        stop: stop.clone(),
    });
    let mut tasks = JoinSet::new();
    tasks.spawn(reading::renew_snapshots(source, write, (options.renew, console.look.clone()), stop.clone()));
    let work = console.work.clone();
    let serving =
        axum::serve(listener, router(console)).with_graceful_shutdown(stop.clone().cancelled_owned());
    let ended = tokio::select! {
        served = serving.into_future() => served,
        // A browser may hold a connection open for minutes.
        () = async { stop.cancelled().await; tokio::time::sleep(GRACE).await } => Ok(()),
    };
    stop.cancel();
    work.close();
    // Tasks that read articles again stop after the current page. What they did is kept, and the next run continues.
    tokio::time::timeout(GRACE, work.wait()).await.ok();
    shutdown::drain(&mut tasks, GRACE).await;
    Ok(ended?)
}

fn router(console: Arc<Console>) -> Router {
    Router::new()
        .route("/", get(pages::overview::page))
        .route("/taxonomy", get(pages::taxonomy::page))
        .route("/taxonomy/{concept}", get(pages::concept::page))
        .route("/articles", get(pages::articles::page))
        .route("/articles/{id}", get(pages::article::page))
        .route("/articles/{id}/page", get(pages::page_text::page))
        .route("/articles/{id}/hierarchy.svg", get(pages::article::drawing))
        .route("/articles/{id}/hierarchy.xml", get(pages::article::xml))
        .route("/sites", get(pages::sites::page))
        .route("/sites/{site}", get(pages::site::page))
        .route("/explain", get(pages::explain::page))
        .route("/operations", get(pages::operations::page))
        .route("/assets/{file}", get(assets::file))
        .merge(api::router())
        .merge(writing::router())
        .fallback(answer::not_found)
        .layer(axum::middleware::from_fn_with_state(console.clone(), guard::guard))
        .with_state(console)
}
