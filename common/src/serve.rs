//! What every service's main does around its `run`: configuration, log, signals, admin port.
//!
//! A service waits for its servers ([`Retry`]) and reports on `/health/ready` whether they are there. It ends
//! on a signal or when its work fails. Start at [`main`].

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use newslode_page::neutral::for_terminal;
use newslode_page::time::Timestamp;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::broker::Broker;
use crate::broker::rabbitmq::RabbitBroker;
use crate::config::{self, Config};
use crate::retry::{Outage, Retry};
use crate::shutdown;
use crate::store::archive::{CountedArchive, ObjectArchive};
use crate::store::redis::RedisStore;
use crate::store::{Kind, PageArchive, SiteState, StoreError, StoreResult};
use crate::telemetry::admin::{Admin, Ready};
use crate::telemetry::log;
use crate::telemetry::metrics::Metrics;
use crate::telemetry::process::host;
use crate::telemetry::trace::Traces;
use crate::time;
use crate::version::ContentHash;

/// Boxed, since a main only prints it.
pub type Error = Box<dyn std::error::Error + Send + Sync>;

/// A service that has been configured and serves its admin port.
pub struct Service {
    /// The configuration in force.
    pub config: Config,
    /// The metrics of this process.
    pub metrics: Arc<Metrics>,
    /// Cancelled by the first signal.
    pub stop: CancellationToken,
    /// `service@host`, for dead letters and log lines.
    pub by: String,
    ready: Arc<std::sync::Mutex<Ready>>,
    tasks: JoinSet<()>,
    traces: Option<Traces>,
}

/// A service was stopped while it waited for its servers: it did nothing, and nothing failed.
#[derive(Debug, thiserror::Error)]
#[error("stopped before it started")]
struct StoppedEarly;

/// What the command line asks a service to do.
#[derive(Debug, PartialEq, Eq)]
pub enum Invocation {
    /// Run, with this configuration file.
    Run(Option<PathBuf>),
    /// Print this text and end.
    Print(String),
}

/// Reads a service's arguments: `--config FILE`, `--help`, `--version`; nothing else.
///
/// # Errors
/// Names the argument that is not understood.
pub fn arguments(name: &str, mut given: impl Iterator<Item = String>) -> Result<Invocation, Error> {
    let usage = format!(
        "{name} {}\n\nusage: {name} [--config FILE]\n\nEverything else is configuration: the file (TOML) and the environment\n(NEWSLODE__SECTION__KEY). See `newslode config show`.\n\nExample:\n  NEWSLODE__BROKER__URL=amqp://user:password@rabbitmq:5672/%2f {name} --config newslode.toml",
        env!("CARGO_PKG_VERSION")
    );
    match (given.next().as_deref(), given.next()) {
        (None, _) => Ok(Invocation::Run(None)),
        (Some("--config"), Some(file)) => Ok(Invocation::Run(Some(file.into()))),
        (Some("--help" | "-h"), _) => Ok(Invocation::Print(usage)),
        (Some("--version" | "-V"), _) => {
            Ok(Invocation::Print(format!("{name} {}", env!("CARGO_PKG_VERSION"))))
        }
        (Some(other), _) => Err(format!("unknown argument `{other}`\n\n{usage}").into()),
    }
}

impl Service {
    /// Loads the configuration, starts the log, the signal handlers and the admin port. `on_second` is called
    /// at the second signal.
    ///
    /// # Errors
    /// When the configuration is wrong or the admin port is taken.
    pub async fn start(
        name: &str,
        file: Option<PathBuf>,
        on_second: impl FnOnce() + Send + 'static,
    ) -> Result<Service, Error> {
        let config = config::load(config::find_file(file.as_deref()).as_deref())?;
        let traces = Traces::start(&config.telemetry, name)?;
        log::init(&config.telemetry, traces.as_ref())?;
        let mut tasks = JoinSet::new();
        let stop = shutdown::on_signal(&mut tasks, on_second)?;
        let metrics = Metrics::new()?;
        let starting: Ready = Arc::new(|| Box::pin(async { Err("starting".into()) }));
        let ready = Arc::new(std::sync::Mutex::new(starting));
        let admin = Admin::bind(config.telemetry.admin).await.map_err(|error| {
            format!("cannot serve the admin port `telemetry.admin = {}`: {error}", config.telemetry.admin)
        })?;
        tracing::info!(service = name, admin = %admin.addr()?, "starting");
        let asked = ready.clone();
        let answer: Ready = Arc::new(move || {
            let now = asked.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone();
            now()
        });
        let (shown, until) = (metrics.clone(), stop.clone());
        tasks.spawn(async move {
            if let Err(error) = admin.serve(shown, answer, until).await {
                tracing::error!(%error, "the admin server failed; metrics and health checks are gone");
            }
        });
        let by = format!("{name}@{}", host());
        Ok(Service { config, metrics, stop, by, ready, tasks, traces })
    }

    /// Opens the configured archive, whose failures count among the metrics, and waits until it answers.
    ///
    /// # Errors
    /// When it cannot be opened, or at the stop.
    pub async fn archive(&self) -> Result<Arc<CountedArchive<ObjectArchive>>, Error> {
        let archive = ObjectArchive::open(&self.config.archive.url)?;
        let archive = CountedArchive::new(archive, self.metrics.clone());
        // Nothing has this name. The answer shows at the start, and not with the first page, that server, bucket and
        // credentials are right.
        let asking = || archive.get(Kind::Page, ContentHash::NONE);
        self.begun(Retry::for_ever().until(&self.stop).run(&Outage::new("archive"), asking).await)?;
        Ok(Arc::new(archive))
    }

    /// Waits for the store and connects to it; then waits until this machine's clock agrees with the store's.
    ///
    /// # Errors
    /// When a person must act, or at the stop.
    pub async fn store(&self) -> Result<Arc<RedisStore>, Error> {
        let connect = || async {
            match RedisStore::connect(&self.config.store).await {
                // At start, report at once what a person must fix. A service at work would wait for that
                // person.
                Err(error @ StoreError::Refused(_)) => Ok(Err(error)),
                other => other.map(Ok),
            }
        };
        let retry = Retry::for_ever().until(&self.stop);
        let store = self.begun(retry.run(&Outage::new("store"), connect).await)??;
        let agree = || async { clocks_agree(time::now(), store.clock().await?) };
        self.begun(retry.run(&Outage::new("clock"), agree).await)?;
        Ok(Arc::new(store))
    }

    /// Waits for the broker and connects to it.
    ///
    /// # Errors
    /// When a person must act, or at the stop.
    pub async fn broker(&self) -> Result<Arc<RabbitBroker>, Error> {
        let metrics = Some(self.metrics.clone());
        let connecting = RabbitBroker::connect_patiently(&self.config.broker, &self.by, metrics, &self.stop);
        self.begun(connecting.await).map(Arc::new)
    }

    /// A wait that the stop ended has not failed.
    fn begun<T>(&self, waited: Result<T, impl Into<Error>>) -> Result<T, Error> {
        waited.map_err(|error| if self.stop.is_cancelled() { StoppedEarly.into() } else { error.into() })
    }

    /// Sets the check behind `/health/ready`.
    pub fn ready_when(&self, ready: Ready) {
        *self.ready.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = ready;
    }

    /// Runs the service's work to its end, then ends the admin port.
    ///
    /// # Errors
    /// The error that the work ended with.
    pub async fn run<E>(mut self, work: impl Future<Output = Result<(), E>>) -> Result<(), E> {
        let ended = work.await;
        self.stop.cancel();
        self.tasks.shutdown().await;
        if let Some(traces) = self.traces {
            traces.end().await;
        }
        tracing::info!("stopped");
        ended
    }
}

/// Greatest difference between two clocks that the network may explain.
const CLOCKS_DIFFER: Duration = Duration::from_secs(10);

/// Checks the clock against the store's. A service whose clock is ahead would claim sites before they are due, and keep them
/// from all others until then.
fn clocks_agree(ours: Timestamp, theirs: Timestamp) -> StoreResult<()> {
    let (ahead, behind) = (theirs.until(ours), ours.until(theirs));
    let (by, how) = if ahead > behind { (ahead, "ahead of") } else { (behind, "behind") };
    if by <= CLOCKS_DIFFER {
        return Ok(());
    }
    Err(StoreError::Refused(format!(
        "this machine's clock is {} s {how} that of the store's machine: set the wrong one right (`chronyc tracking`)",
        by.as_secs()
    )))
}

/// Ready while the broker can be used.
#[must_use]
pub fn broker_ready(broker: Arc<dyn Broker>) -> Ready {
    Arc::new(move || {
        let broker = broker.clone();
        Box::pin(async move { broker.ready().await.map_err(|error| error.to_string()) })
    })
}

/// Ready while the store and the broker can be used.
#[must_use]
pub fn servers_ready(state: Arc<dyn SiteState>, broker: Arc<dyn Broker>) -> Ready {
    let broker = broker_ready(broker);
    Arc::new(move || {
        let (state, broker) = (state.clone(), broker.clone());
        Box::pin(async move {
            state.ready().await.map_err(|error| error.to_string())?;
            broker().await
        })
    })
}

/// The `main` of a service. It runs the work unless the command line asks for something else, and prints the error that ended
/// it. A wrong configuration exits with code 2, any other failure with 1. A second signal ends the process at once, which is as
/// safe as a kill.
#[allow(clippy::print_stdout, clippy::print_stderr, reason = "a service's last words")]
pub async fn main<F>(name: &str, work: impl FnOnce(Service) -> F) -> ExitCode
where
    F: Future<Output = Result<(), Error>>,
{
    let ended = async {
        match arguments(name, std::env::args().skip(1))? {
            Invocation::Print(text) => println!("{text}"),
            Invocation::Run(file) => {
                work(Service::start(name, file, || std::process::abort()).await?).await?
            }
        }
        Ok::<(), Error>(())
    };
    match ended.await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.is::<StoppedEarly>() => {
            tracing::info!("stopped");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{name}: {}", for_terminal(&config::hide_credentials(&error.to_string())));
            ExitCode::from(if error.is::<config::ConfigError>() { 2 } else { 1 })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::retry::Retryable as _;

    fn asked(line: &[&str]) -> Result<Invocation, Error> {
        arguments("newslode-x", line.iter().map(ToString::to_string))
    }

    #[test]
    fn clocks_that_differ_are_an_outage_that_says_how() {
        let (early, late) = (Timestamp(1_000_000), Timestamp(4_600_000));
        assert!(clocks_agree(early, Timestamp(1_009_000)).is_ok());
        let ahead = clocks_agree(late, early).unwrap_err();
        assert!(ahead.is_retryable() && ahead.to_string().contains("clock is 3600 s ahead of"), "{ahead}");
        let behind = clocks_agree(early, late).unwrap_err().to_string();
        assert!(behind.contains("clock is 3600 s behind"), "{behind}");
    }

    #[test]
    fn only_the_configuration_file_is_an_argument() {
        assert_eq!(asked(&[]).unwrap(), Invocation::Run(None));
        assert_eq!(asked(&["--config", "a.toml"]).unwrap(), Invocation::Run(Some("a.toml".into())));
        assert!(matches!(asked(&["--help"]).unwrap(), Invocation::Print(text) if text.contains("Example")));
        assert!(asked(&["--workers"]).unwrap_err().to_string().contains("--workers"));
    }
}
