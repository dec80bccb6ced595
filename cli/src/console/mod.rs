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
mod guard;
mod pages;
mod reading;
mod search;
mod snapshot;
mod writing;

use std::future::IntoFuture;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::routing::get;
use newslode_common::broker::rabbitmq::RabbitBroker;
use newslode_common::config::Config;
use newslode_common::shutdown;
use newslode_common::store::StoreResult;
use newslode_common::store::redb::RedbStore;
use newslode_miner::work::parts::Parts;
use newslode_page::reading::Site;
use tokio::net::TcpListener;
use tokio::sync::{Mutex, Notify, Semaphore, watch};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use self::answer::Problem;
use self::reading::Read;
use self::snapshot::Snapshot;
use self::writing::access::Access;
pub(crate) use self::writing::access::LEAST_TOKEN;
use self::writing::notices::Notices;
use crate::commands::template;

/// Open answers get this long at the end.
const GRACE: Duration = Duration::from_secs(5);
/// A request waits this long for the first look at the store.
const FIRST_LOOK: Duration = Duration::from_secs(3);

/// What a console shows.
pub(crate) struct Source {
    /// For people.
    pub(crate) name: String,
    pub(crate) parts: Parts,
    /// The run; none: the services.
    pub(crate) run: Option<Run>,
    /// Its queues, if it has some that live outside this process.
    pub(crate) broker: Option<RabbitBroker>,
    pub(crate) config: Config,
}

/// A run's folder.
pub(crate) struct Run {
    pub(crate) folder: PathBuf,
    pub(crate) store: RedbStore,
}

impl Source {
    /// Makes what was changed survive a crash.
    async fn flush(&self) -> StoreResult<()> {
        match &self.run {
            Some(run) => run.store.flush().await,
            None => Ok(()),
        }
    }

    /// The services' queues.
    ///
    /// # Errors
    /// When there are none, or they were away at the start.
    fn broker(&self) -> Result<&RabbitBroker, Problem> {
        let none = || match &self.run {
            Some(_) => Problem::bad("A run's folder has no queues."),
            None => Problem::without_queues(&"RabbitMQ did not answer when the console started"),
        };
        self.broker.as_ref().ok_or_else(none)
    }

    /// When a seed that was sent has an effect, for people.
    fn when_seeds_count(&self) -> String {
        match &self.run {
            Some(run) => format!("The next `newslode mine --out {}` goes on from it.", run.folder.display()),
            None => "It counts as soon as a miner has read the message.".to_owned(),
        }
    }
}

/// What all requests share.
struct Console {
    source: Arc<Source>,
    addr: SocketAddr,
    read: watch::Receiver<Read>,
    access: Access,
    notices: Notices,
    /// Asks for a look at the store now.
    look: Arc<Notify>,
    /// Sites that are read again, one after another, and listeners.
    work: TaskTracker,
    turn: Arc<Mutex<()>>,
    /// Places for those who listen to new articles.
    listeners: Arc<Semaphore>,
    lines: api::lines::Lines,
    stop: CancellationToken,
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

    /// Has the store looked at soon, since something was changed.
    fn look_again(&self) {
        self.look.notify_one();
    }

    /// Has a site's articles read again with what it was taught; tells people when that is done.
    fn read_again(&self, site: Site) -> String {
        let Some(run) = &self.source.run else {
            let seconds = self.source.config.miner.views_s;
            return format!("Running miners read its articles again within about {seconds} s.");
        };
        let (source, folder, look) = (self.source.clone(), run.folder.clone(), self.look.clone());
        let (turn, stop) = (self.turn.clone(), self.stop.clone());
        self.work.spawn(async move {
            let _turn = turn.lock().await;
            match template::apply(&source.parts, &site, Some(&folder), &source.config, &stop).await {
                Ok(done) => tracing::info!(%site, "taught: {done}"),
                Err(error) => tracing::warn!(%site, "its articles cannot be read again: {error:#}"),
            }
            look.notify_one();
        });
        "Its articles are read again now; load this page again in a moment.".to_owned()
    }

    /// Why the last look failed, if it did.
    fn failure(&self) -> Option<String> {
        self.read.borrow().failure.clone()
    }
}

/// How a console serves.
pub(crate) struct Options {
    /// Time between two looks at the store.
    pub(crate) renew: Duration,
    /// Whoever knows it may change things.
    pub(crate) token: Option<String>,
}

/// Serves until `stop`.
pub(crate) async fn serve(
    source: Source,
    listener: TcpListener,
    options: Options,
    stop: CancellationToken,
) -> anyhow::Result<()> {
    let source = Arc::new(source);
    let (write, read) = watch::channel(Read::default());
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
        lines: api::lines::Lines::default(),
        stop: stop.clone(),
    });
    let mut tasks = JoinSet::new();
    tasks.spawn(reading::renew(source, write, (options.renew, console.look.clone()), stop.clone()));
    let work = console.work.clone();
    let serving =
        axum::serve(listener, router(console)).with_graceful_shutdown(stop.clone().cancelled_owned());
    let served = tokio::select! {
        served = serving.into_future() => served,
        // A browser may hold a connection open for minutes.
        () = async { stop.cancelled().await; tokio::time::sleep(GRACE).await } => Ok(()),
    };
    stop.cancel();
    work.close();
    // What reads articles again stops after the page at hand; what it did stands, and the next look at the site goes on.
    tokio::time::timeout(GRACE, work.wait()).await.ok();
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
