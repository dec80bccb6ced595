//! What a command works on, and how it is opened: a run's folder, or the services' servers.
//!
//! Servers are asked only where a configuration or the environment sets the URL of a store or broker, and no folder is named. A
//! configuration with other keys, such as limits of a crawl, leaves commands on this machine.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use newslode_common::broker::Limits;
use newslode_common::broker::in_process::InProcessBroker;
use newslode_common::config::Config;
use newslode_common::store::redb::RedbStore;
use newslode_common::store::{Frontier, PageArchive, SiteState};
use newslode_common::telemetry::metrics::Metrics;
use newslode_common::time::Clock;
use newslode_miner::mining::fold::Rules;
use newslode_miner::work::parts::Parts;
use newslode_miner::work::scheme_set::ConfiguredSchemes;

use crate::engine::run_schemes;
use crate::exit::hinted;
use crate::{engine, services};

/// What a command runs with.
#[derive(Clone, Debug, Default)]
pub struct Setup {
    /// The configuration in force.
    pub config: Config,
    /// The file that it was read from.
    pub file: Option<PathBuf>,
    /// Whether only errors are shown.
    pub quiet: bool,
    /// What names the services' servers: the variable or the key that sets the URL of a store or broker. Without one,
    /// commands work on a run of this machine.
    pub servers: Option<String>,
}

/// What a command works on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A run of this machine, in a folder.
    Run(PathBuf),
    /// The services' store, archive and queues.
    Services,
}

impl Target {
    /// The run in the named folder; without one the services, if the configuration names their servers, else the run in
    /// the default folder. The folder of a command line wins, since a configuration may be found without being named.
    #[must_use]
    pub fn new(folder: Option<&Path>, setup: &Setup) -> Target {
        match folder {
            Some(folder) => Target::Run(folder.to_path_buf()),
            None if setup.servers.is_some() => Target::Services,
            None => Target::Run(engine::DEFAULT_FOLDER.into()),
        }
    }

    /// The services, for commands that only they understand; `what` is in their queues.
    ///
    /// # Errors
    /// When the configuration names no servers.
    pub(crate) fn require_services(setup: &Setup, what: &str) -> anyhow::Result<()> {
        if setup.servers.is_some() {
            return Ok(());
        }
        Err(hinted(
            format!("no server is named, and {what} the services' queues"),
            "set NEWSLODE__BROKER__URL and NEWSLODE__STORE__URL, or name a file that sets broker.url and store.url: --config FILE",
        ))
    }

    /// The run's folder.
    #[must_use]
    pub fn folder(&self) -> Option<&Path> {
        match self {
            Target::Run(folder) => Some(folder),
            Target::Services => None,
        }
    }
}

/// The option that names a run.
#[derive(Clone, Debug, Default, Args)]
pub struct DirArgs {
    /// Folder of the run [default: newslode-run; the services, if the configuration names a store or broker].
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
}

impl DirArgs {
    /// What the command works on.
    #[must_use]
    pub fn target(&self, setup: &Setup) -> Target {
        Target::new(self.dir.as_deref(), setup)
    }
}

/// The option that names a run, and the argument by which version 0.1.0 named it.
#[derive(Clone, Debug, Default, Args)]
pub struct RunArgs {
    #[command(flatten)]
    named: DirArgs,
    /// The same folder.
    #[arg(value_name = "DIR", hide = true, conflicts_with = "dir")]
    folder: Option<PathBuf>,
}

impl RunArgs {
    /// What the command works on.
    #[must_use]
    pub fn target(&self, setup: &Setup) -> Target {
        Target::new(self.folder.as_deref().or(self.named.dir.as_deref()), setup)
    }

    /// Names a folder.
    #[must_use]
    pub fn of(folder: &Path) -> RunArgs {
        RunArgs { folder: Some(folder.to_path_buf()), ..RunArgs::default() }
    }
}

/// The option that names schemes.
#[derive(Clone, Debug, Default, Args)]
pub struct SchemeArgs {
    /// File with a scheme of concepts in SKOS (Turtle, N-Triples, RDF/XML or JSON-LD) instead of those of the configuration and of
    /// the run; may be repeated. `none`: no file.
    #[arg(long, value_name = "FILE")]
    pub scheme: Vec<String>,
}

impl SchemeArgs {
    /// Overrides the configured files.
    pub(crate) fn configure(&self, config: &mut Config) {
        if !self.scheme.is_empty() {
            config.miner.schemes.clone_from(&self.scheme);
        }
    }

    /// Gives an installation these schemes, if there are any, instead of its own.
    pub(crate) fn override_schemes(&self, parts: &mut Parts, config: &Config) {
        if !self.scheme.is_empty() {
            let files = self.scheme.iter().filter(|file| *file != run_schemes::NONE).map(PathBuf::from);
            let schemes = ConfiguredSchemes::new(files.collect(), &config.miner.builtin_schemes);
            parts.schemes = Arc::new(schemes.overriding());
        }
    }
}

/// Opens an installation for reading. A reader publishes nothing, so it gets an empty broker of its own; a run's file is
/// opened so that nothing of it changes.
///
/// # Errors
/// When the folder holds no run, or a server cannot be reached.
pub async fn open(target: &Target, config: &Config) -> anyhow::Result<Parts> {
    open_with(target, config, engine::open_state).await
}

/// The same for a command that goes through all pages, so that it does not keep the room of what is replaced meanwhile.
///
/// # Errors
/// As those of [`open`].
pub async fn open_for_all_pages(target: &Target, config: &Config) -> anyhow::Result<Parts> {
    open_with(target, config, |folder| engine::open_states(folder, engine::ONE_OF_MANY_FOR)).await
}

/// Opens an installation for a command that changes it.
///
/// # Errors
/// As those of [`open`].
pub async fn open_to_change(target: &Target, config: &Config) -> anyhow::Result<Parts> {
    open_with(target, config, engine::open_state_to_change).await
}

async fn open_with(
    target: &Target,
    config: &Config,
    open_run: impl FnOnce(&Path) -> anyhow::Result<RedbStore>,
) -> anyhow::Result<Parts> {
    match target {
        Target::Run(folder) => parts_of_run(folder, open_run(folder)?, config),
        Target::Services => {
            let store = Arc::new(services::connect_store(config).await?);
            parts_over((store.clone(), store, Arc::new(services::open_archive(config)?)), config)
        }
    }
}

/// The run in a folder whose state is open, with the schemes by which it was mined.
///
/// # Errors
/// When the run's folder cannot be read, or metrics cannot be made.
pub(crate) fn parts_of_run(folder: &Path, store: RedbStore, config: &Config) -> anyhow::Result<Parts> {
    let schemes = Arc::new(run_schemes::recall(folder, &config.miner)?);
    Ok(Parts { schemes, ..parts_of(store, config)? })
}

/// A run whose state is open.
///
/// # Errors
/// When metrics cannot be made.
pub(crate) fn parts_of(store: RedbStore, config: &Config) -> anyhow::Result<Parts> {
    let store = Arc::new(store);
    parts_over((store.clone(), store.clone(), store), config)
}

/// The stores of an installation.
pub(crate) type Stores = (Arc<dyn Frontier>, Arc<dyn SiteState>, Arc<dyn PageArchive>);

/// An installation over these stores.
pub(crate) fn parts_over((frontier, state, archive): Stores, config: &Config) -> anyhow::Result<Parts> {
    let (broker, metrics) = (Arc::new(InProcessBroker::new(Limits::default())), Metrics::new()?);
    let rules = Rules::of_preset(config.partitioner.params);
    let params = Arc::new(config.page_params());
    let schedule = Arc::new(config.schedule.clone());
    let (retention, noarchive) = (config.miner.retention, config.crawler.noarchive);
    let (parsed, owners, filing) = (Arc::default(), Arc::default(), Arc::default());
    let schemes = Arc::new(ConfiguredSchemes::of_config(&config.miner));
    Ok(Parts {
        stores: newslode_miner::work::stores::Stores { frontier, state, archive, parsed },
        owners,
        filing,
        places: Arc::default(),
        schemes,
        announcements: Arc::default(),
        broker,
        metrics,
        rules,
        params,
        schedule,
        retention,
        noarchive,
        clock: Clock::Machine,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setup(servers: Option<&str>) -> Setup {
        Setup { servers: servers.map(str::to_owned), ..Setup::default() }
    }

    #[test]
    fn servers_are_asked_where_they_are_named_and_no_folder_is() {
        let target = |folder: Option<&str>, servers| Target::new(folder.map(Path::new), &setup(servers));
        assert_eq!(target(None, None), Target::Run("newslode-run".into()));
        assert_eq!(target(Some("run"), None), Target::Run("run".into()));
        assert_eq!(target(None, Some("NEWSLODE__STORE__URL")), Target::Services);
        assert_eq!(target(Some("run"), Some("`store.url` in `a.toml`")), Target::Run("run".into()));
    }

    #[test]
    fn what_only_services_have_needs_servers() {
        assert!(
            Target::require_services(&setup(Some("NEWSLODE__BROKER__URL")), "dead letters are in").is_ok()
        );
        let error = Target::require_services(&setup(None), "dead letters are in").unwrap_err();
        assert!(error.to_string().contains("no server is named"), "{error}");
    }
}
