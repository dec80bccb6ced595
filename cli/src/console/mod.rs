//! The console: what was mined, as pages for people and as JSON for programs.
//!
//! [`listen`](newslode_common::listen) takes connections within limits, and [`access`] decides who may read and change things.
//! A [`Snapshot`] holds summaries of all that is shown and is renewed in the background ([`reading`]), so no
//! request reads the whole store; a single article, site or page is read when it is asked for. Everything is rendered here
//! ([`pages`], [`api`]), and no page needs a script. Those who may change things do so by forms ([`writing`]). [`guard`] keeps
//! the rules of browsers' security over every answer. Start at [`serve`].

pub(crate) mod access;
mod answer;
mod api;
mod assets;
mod changes;
mod detail;
mod downloads;
mod filter;
pub(crate) mod followed;
pub(crate) mod follows;
mod frame;
pub mod fuzzed;
mod guard;
pub(crate) mod oidc;
mod page_texts;
mod pages;
mod reading;
mod rising;
mod saved;
mod search;
mod shares;
mod snapshot;
mod source;
mod state;
pub(crate) mod tls;
mod whole;
mod writing;

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::routing::get;
use newslode_common::listen::connections::{Connections, Limits};
use newslode_common::listen::{self, GRACE, Listener, Serving};
use newslode_common::shutdown;
use newslode_common::telemetry::metrics::Metrics;
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use self::access::{Access, AccessOptions};
use self::follows::FollowsStore;
use self::oidc::{Oidc, OidcOptions};
use self::reading::SnapshotStatus;
use self::shares::{Budget, Shares};
pub(crate) use self::source::{Run, Source};
use self::state::Console;
use self::writing::notices::Notices;
use crate::queries::audit::{AuditLog, AuditPlace};

/// Fewer connections than the 1,024 descriptors that processes usually have.
const LIMITS: Limits = Limits { most: 512, most_of_peer: 64, most_fresh_of_peer: 256 };

/// How a console serves.
pub(crate) struct Options {
    /// Time between two snapshots.
    pub(crate) renew: Duration,
    /// Who may do what.
    pub(crate) access: AccessOptions,
    /// The identity provider through which people sign in.
    pub(crate) oidc: Option<OidcOptions>,
    pub(crate) metrics: Arc<Metrics>,
}

/// Serves until `stop`.
pub(crate) async fn serve(
    source: Source,
    listeners: Vec<Listener>,
    options: Options,
    stop: CancellationToken,
) -> anyhow::Result<()> {
    tokio::task::spawn_blocking(search::remove_leftovers).await?;
    let source = Arc::new(source);
    let (write, read) = watch::channel(SnapshotStatus::default());
    let addr = listeners.iter().find_map(|listener| match listener {
        Listener::Tcp(listener, _) => Some(listener.local_addr()),
        Listener::Socket(..) => None,
    });
    let access = Arc::new(Access::new(addr.transpose()?, options.access)?);
    let console = Arc::new(Console {
        source: source.clone(),
        read,
        access: access.clone(),
        oidc: options.oidc.map(Oidc::new).transpose()?,
        metrics: options.metrics.clone(),
        audit: AuditLog::new(match &source.run {
            Some(run) => AuditPlace::Folder(run.folder.clone()),
            None => AuditPlace::Services(source.parts.stores.state.clone()),
        }),
        follows: match &source.run {
            Some(run) => FollowsStore::Folder(run.folder.clone()),
            None => FollowsStore::Services(source.parts.stores.state.clone()),
        },
        notices: Notices::default(),
        look: Arc::default(),
        work: TaskTracker::new(),
        turn: Arc::default(),
        counting: Arc::default(),
        listeners: Arc::new(Semaphore::new(api::events::MOST)),
        listening: Arc::<Shares>::default(),
        requests: Arc::<Shares>::default(),
        reading: Semaphore::new(guard::READING),
        budget: Budget::default(),
        lines: api::lines::ArticleLines::default(),
        page_texts: page_texts::PageTexts::default(),
        stop: stop.clone(),
    });
    let mut tasks = JoinSet::new();
    tasks.spawn(reading::renew_snapshots(source, write, (options.renew, console.look.clone()), stop.clone()));
    tasks.spawn(access.clone().follow_tokens(stop.clone()));
    if console.oidc.is_some() {
        let (console, stop) = (console.clone(), stop.clone());
        tasks.spawn(async move {
            let warning = async {
                if let Some(oidc) = &console.oidc {
                    oidc.warn_early().await;
                }
            };
            stop.run_until_cancelled(warning).await;
        });
    }
    let work = console.work.clone();
    let dropped = options.metrics.connections_dropped.with_label_values(&["console"]);
    let connections = Arc::new(Connections::new(LIMITS, dropped));
    let is_proxy = Box::new(move |peer| access.is_proxy(peer));
    let serving = Arc::new(Serving { router: router(console), is_proxy, connections, stop: stop.clone() });
    let accepting = listeners.into_iter().map(|listener| listen::serve(serving.clone(), listener));
    futures::future::join_all(accepting).await;
    work.close();
    // Tasks that read articles again stop after the current page. What they did is kept, and the next run continues.
    tokio::time::timeout(GRACE, work.wait()).await.ok();
    shutdown::drain(&mut tasks, GRACE).await;
    Ok(())
}

fn router(console: Arc<Console>) -> Router {
    Router::new()
        .route("/", get(pages::news::page))
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
        .route("/operations/audit.jsonl", get(pages::operations::audit))
        .route("/assets/{file}", get(assets::file))
        .merge(api::router())
        .merge(downloads::router())
        .merge(writing::router())
        .fallback(answer::not_found)
        .layer(axum::middleware::from_fn_with_state(console.clone(), guard::guard))
        .with_state(console)
}
