//! The embedded engine: crawler, partitioner and miner in one process, over redb and in-process queues.
//!
//! The engine wires the services' own `run` functions to the embedded implementation of every trait. `watch` lets them run
//! until it is stopped, and they fold, view and file beside the crawl as they do as services. `mine` ends: it notices when all
//! work is done.
//!
//! *Quiet*: no site that is not paused has a pending or leased URL, and no message is waiting or held. Work moves while the
//! engine checks, so two checks must agree and the broker's change counter must not move between them. Then the engine folds, gives
//! the frontier what the fold wants fetched, and waits for quiet again. When a fold finds nothing new, it views the sites'
//! pages, and the run ends. It folds only at rest, so the result does not depend on timing.
//!
//! *Resume*: the state is one redb file, and a call returns only after its changes are on disk. When a run starts, it ends all
//! leases (no other crawler can be alive), finishes a follow plan that was cut short (docs/decisions/0007-follow-plan.md), and
//! publishes again, from the archive, every page that was fetched or imported and is not counted, since the queues died with
//! the process.
//!
//! Start at [`Engine::mine`] and [`Engine::watch`].

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;
use newslode_common::broker::Limits;
use newslode_common::broker::in_process::InProcessBroker;
use newslode_common::config::{Config, Follow, Noarchive};
use newslode_common::network::NoNetwork;
use newslode_common::parsed::ParsedPages;
use newslode_common::room::{self, Room, Shortage};
use newslode_common::schedule::{Days, ScheduleConfig, SiteSchedule};
use newslode_common::shutdown;
use newslode_common::store::redb::RedbStore;
use newslode_common::store::{Frontier, Kind, PageArchive as _, SiteState, SiteStatus, StoreError};
use newslode_common::telemetry::metrics::Metrics;
use newslode_common::time::Clock;
use newslode_crawler::Surroundings;
use newslode_crawler::network::{self, Network};
use newslode_miner::mining::fold::Rules;
use newslode_miner::work::announcements::Announcements;
use newslode_miner::work::announcing;
use newslode_miner::work::copies::{self, CopyMemory, Waits};
use newslode_miner::work::fold::{FoldMemory, FoldReport, fold_once};
use newslode_miner::work::generations::{Claimed, Generations};
use newslode_miner::work::histories::history::ArticleHistory;
use newslode_miner::work::parts::Parts as MinerParts;
use newslode_miner::work::reconcile;
use newslode_miner::work::scheme_set::ConfiguredSchemes;
use newslode_miner::work::stores::Stores;
use newslode_miner::work::views::{self, Pace};
use newslode_page::reading::Site;
use newslode_page::time::Timestamp;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

pub(crate) mod event_file;
mod readers;
pub(crate) mod run_schemes;
pub(crate) mod seed_file;
pub mod seeds;
pub(crate) mod space;

use self::event_file::EventFile;
use self::readers::StoppedReader;
pub use seeds::add_seeds;

/// Name of the state file within a run's folder.
pub const STATE_FILE: &str = "newslode.redb";

/// Name of the file that says which process opened the run's file for writing last.
const HOLDER_FILE: &str = "newslode.holder";

/// The folder of a run, unless another one is named.
pub const DEFAULT_FOLDER: &str = "newslode-run";

/// The value that says that all articles of a run have their histories. Versions before count a page first, so a kill could
/// cost them; a run without this value is looked through once.
const HISTORIES: &str = "histories";
const COMPLETE: &str = "complete";
const INCOMPLETE: &str = "incomplete";

/// A command that reads sees one state for this long. Most end before; while it is held, the file grows faster.
pub(crate) const ONE_STATE_FOR: Duration = Duration::from_secs(600);

/// The same for a command that goes through all pages of a run, and may wait long for somebody to take what it prints.
pub(crate) const ONE_OF_MANY_FOR: Duration = Duration::from_secs(10);

/// Sites that are not asked for so long rest.
const SHORT_REST: Duration = Duration::from_secs(60);
/// Most sites that are named because they rest.
pub(crate) const MOST_NAMED: usize = 3;
/// A file that is in use is tried again for this long.
const HELD_FOR_THE_MOMENT: Duration = Duration::from_secs(2);

/// Time between two looks at whether the file of the store has failed.
const FAILURE_CHECK_EVERY: Duration = Duration::from_secs(1);

/// A run that follows the news does not wait for a site that rests longer than this.
const LONGEST_REST: Duration = Duration::from_secs(90);

/// Time between two searches for readers that were stopped.
const READERS_CHECK_EVERY: Duration = Duration::from_secs(60);

/// A clock that was ahead by less is not worth a word.
const CLOCK_IS_AHEAD: Duration = Duration::from_secs(60);

/// Time between two checks for quiet.
const QUIET_CHECK_EVERY: Duration = Duration::from_millis(25);

/// Time between two reports of the progress of a run that goes on, or of work that lasts.
const SHOW_EVERY: Duration = Duration::from_secs(1);

/// Events that wait to be written; each may be as large as an article.
const EVENTS_AHEAD: usize = 64;

/// Articles that wait to be announced at the end of a process were read this long before its last one, at most: by `watch` minutes, by
/// `mine` a whole run.
const WAITING_SINCE: Duration = Duration::from_secs(86_400);

/// Time for the last events to be written at the end of a run.
const EVENTS_END_WITHIN: Duration = Duration::from_secs(10);

/// A run that ends reads all articles with what their sites tell before it ends, so none is announced earlier.
const UNTIL_VIEWED: Duration = Duration::from_secs(100 * 365 * 86_400);

/// Memory for pages on their way from the crawler to the partitioner, and for those that templates are learnt from.
const PARSED_BYTES: usize = 96 << 20;

/// An open run.
pub struct Engine {
    /// The state.
    pub store: RedbStore,
    /// The queues between the parts.
    pub broker: Arc<InProcessBroker>,
    /// What is counted during the run.
    pub metrics: Arc<Metrics>,
    /// Whether the machine has a network.
    pub(crate) network: Arc<Network>,
    parsed: Arc<ParsedPages>,
    announcements: Arc<Announcements>,
    schemes: Arc<ConfiguredSchemes>,
    config: Config,
    /// The run's folder.
    folder: PathBuf,
    /// Whether nothing is crawled: all pages are imported, and due URLs stay in the frontier.
    is_offline: bool,
    /// Whether the run goes on until it is stopped.
    is_watching: bool,
    /// The space that fetching leaves free on the folder's disk.
    room: Arc<Room>,
    /// Tells the time.
    clock: Clock,
    /// Another network than the internet, for simulations.
    surroundings: Option<Surroundings>,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Nothing is left to fetch or to follow.
    Complete,
    /// The run was told to stop; the state is kept.
    Stopped,
}

/// A part of a run, which ends with a fold.
struct Round {
    /// When the run began.
    begun: Timestamp,
    /// From 1.
    number: u32,
    /// What the fold before it came to.
    fold: Option<FoldReport>,
}

/// What a run that ends does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Step {
    /// It fetches, reads and counts pages.
    #[default]
    Reading,
    /// It folds all sites into the taxonomy.
    Folding,
    /// It looks at the pages of a site beside each other, and learns the site's sections: so many sites are done, of so many.
    Viewing(usize, usize),
    /// It tells of articles that waited for the taxonomy, and drops copies of pages that ask for none.
    Ending,
}

/// The counts that progress shows.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    /// The sites.
    pub sites: Vec<SiteStatus>,
    /// Pages in the queues.
    pub unfinished: u64,
    /// Number of the round, from 1: each ends with a fold.
    pub round: u32,
    /// What the last fold came to.
    pub fold: Option<FoldReport>,
    /// What the run does.
    pub step: Step,
    /// Why nothing is fetched now: the disk is short of space.
    pub shortage: Option<Shortage>,
    /// The machine has no network.
    pub(crate) network: Option<NoNetwork>,
    /// What is known of the first sites that [rest](Progress::resting), while sites are followed.
    pub(crate) troubles: BTreeMap<Site, SiteSchedule>,
    /// Sites of the news that this run still has something to ask for.
    with_work: BTreeSet<Site>,
    is_offline: bool,
}

impl Progress {
    /// The sites, without paused ones, that are not asked for a minute or more.
    pub(crate) fn resting(&self, now: Timestamp) -> impl Iterator<Item = &SiteStatus> {
        self.sites.iter().filter(move |site| !site.settings.paused && now.until(site.turn) > SHORT_REST)
    }

    /// Number of URLs with an outcome.
    #[must_use]
    pub fn done(&self) -> u64 {
        self.sites.iter().flat_map(|site| site.outcomes.values()).sum()
    }

    /// Number of URLs in the frontier.
    #[must_use]
    pub fn urls(&self) -> u64 {
        self.sites.iter().map(|site| site.urls).sum()
    }

    /// Whether nothing is claimed, in a queue, or to be fetched by this run. What falls due later, as rechecks and listings do,
    /// is left to another run, and so are sites that rest for long. Paused sites do not count.
    fn is_quiet(&self, follow: Follow, now: Timestamp) -> bool {
        // Without a network all sites rest.
        let is_cut_off = self.network.is_some_and(|network| network.since.plus(LONGEST_REST) < now);
        let waits = |site: &SiteStatus| match follow {
            Follow::News => {
                let rests = site.ready.is_some_and(|ready| ready > now.plus(LONGEST_REST));
                !rests && self.with_work.contains(&site.site)
            }
            Follow::Concepts | Follow::All => site.pending > 0,
        };
        let mut active = self.sites.iter().filter(|site| !site.settings.paused);
        self.unfinished == 0
            && (self.is_offline || active.all(|site| site.leased == 0 && (is_cut_off || !waits(site))))
    }
}

/// Opens a run's state for reading only, as it is now: several commands may do that at once, also while a process works on
/// the run. All calls read the same state, for up to ten minutes.
///
/// # Errors
/// When the folder holds no run, or it must be upgraded, or recovered and cannot be.
pub fn open_state(folder: &Path) -> anyhow::Result<RedbStore> {
    Ok(RedbStore::open_snapshot(&existing_state(folder)?, ONE_STATE_FOR)?)
}

/// The same for a command that goes through all sites and needs no state of all at one time: a newer one wherever it renews it, and
/// after `kept_for`.
///
/// # Errors
/// As those of [`open_state`].
pub fn open_states(folder: &Path, kept_for: Duration) -> anyhow::Result<RedbStore> {
    Ok(RedbStore::open_snapshots(&existing_state(folder)?, kept_for)?)
}

/// The same for a process that goes on: each call reads the newest state.
///
/// # Errors
/// As those of [`open_state`].
pub fn open_newest_state(folder: &Path) -> anyhow::Result<RedbStore> {
    Ok(RedbStore::open_read_only(&existing_state(folder)?)?)
}

/// Opens a run's state for commands that change it.
///
/// # Errors
/// When the folder holds no run, or another process works on it.
pub fn open_state_to_change(folder: &Path) -> anyhow::Result<RedbStore> {
    existing_state(folder)?;
    hold(folder)
}

/// Opens the run's file for writing, and notes who holds it.
fn hold(folder: &Path) -> anyhow::Result<RedbStore> {
    if let Some(kind) = room::network_drive(folder).unwrap_or_default() {
        return Err(crate::exit::hinted(
            format!(
                "`{}` is on a network drive ({kind}), where neither locks nor writes can be relied on",
                folder.display()
            ),
            "keep the run on a disk of this machine, and copy it elsewhere with `newslode backup`, which also reads it here",
        ));
    }
    let (note, begun) = (folder.join(HOLDER_FILE), Instant::now());
    let opened = loop {
        match RedbStore::open(&folder.join(STATE_FILE)) {
            // After a kill, a reader opens the file for writing for the moment, to recover it.
            Err(StoreError::InUse(_)) if begun.elapsed() < HELD_FOR_THE_MOMENT => {
                std::thread::sleep(QUIET_CHECK_EVERY);
            }
            opened => break opened,
        }
    };
    match opened {
        Ok(store) => {
            let args: Vec<String> = std::env::args().skip(1).take(1).collect();
            let holder = format!("`newslode {}`, process {}", args.join(" "), std::process::id());
            // It only makes an error clearer.
            std::fs::write(note, holder).ok();
            Ok(store)
        }
        Err(StoreError::InUse(what)) => {
            let holder = std::fs::read_to_string(note).unwrap_or_else(|_| "which is unknown".to_owned());
            Err(StoreError::InUse(format!("{what} ({holder})")).into())
        }
        Err(error) => Err(error.into()),
    }
}

/// The state file of a run that exists.
pub(crate) fn existing_state(folder: &Path) -> anyhow::Result<PathBuf> {
    let file = folder.join(STATE_FILE);
    if !file.exists() {
        return Err(crate::exit::hinted(
            format!("`{}` holds no run (there is no {STATE_FILE})", folder.display()),
            "name the folder that `newslode mine --out` wrote with --dir, or start a run: newslode mine URL…; to ask the services, set \
             NEWSLODE__STORE__URL, or store.url in the file that --config names",
        ));
    }
    Ok(file)
}

/// Makes the algorithms of this program those that count the pages of a store.
///
/// # Errors
/// When a newer version counts them already, or the store fails.
pub(crate) async fn claim(parts: &MinerParts) -> anyhow::Result<()> {
    let ours = parts.params.generation();
    if let Claimed::Newer(newer) = Generations::claim(parts.stores.state.as_ref(), &ours).await? {
        return Err(crate::exit::hinted(
            format!("its pages are counted by {newer}; this program has {ours}"),
            "update this program; nothing was changed",
        ));
    }
    Ok(())
}

impl Engine {
    /// Opens the run in a folder, or creates one.
    ///
    /// # Errors
    /// When the folder cannot be made, another process works on it, or a configured scheme cannot be read.
    pub fn open(folder: &Path, mut config: Config) -> anyhow::Result<Engine> {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot make `{}`", folder.display()))?;
        let store = hold(folder)?;
        let schemes = run_schemes::settle(folder, &mut config)?;
        let limits = Limits { max_length: 512, max_bytes: 256 << 20, timeout: Duration::from_secs(30) };
        let (broker, metrics) = (Arc::new(InProcessBroker::new(limits)), Metrics::new()?);
        let parsed = Arc::new(ParsedPages::within(PARSED_BYTES));
        let room = Arc::new(Room::new(folder, config.archive.reserve_mb));
        let (is_offline, is_watching) = (false, false);
        let announcements = Arc::new(Announcements::held(UNTIL_VIEWED));
        let folder = folder.to_owned();
        Ok(Engine {
            store,
            broker,
            metrics,
            network: Arc::default(),
            parsed,
            announcements,
            schemes,
            config,
            folder,
            is_offline,
            is_watching,
            room,
            clock: Clock::steady(),
            surroundings: None,
        })
    }

    /// The same run without a crawler, so that it does not use the network.
    #[must_use]
    pub fn offline(self) -> Engine {
        Engine { is_offline: true, ..self }
    }

    /// The same run for a process that goes on until it is stopped: it folds, views and files beside the crawl, and spreads the
    /// requests to a site over the day.
    #[must_use]
    pub fn watching(self) -> Engine {
        let longest = Duration::from_secs(self.config.watch.announce_s);
        let announcements = match self.config.watch.announce_s > 0 && self.config.miner.views_s > 0 {
            true => Arc::new(Announcements::held(longest)),
            false => Arc::default(),
        };
        Engine { is_watching: true, announcements, ..self }
    }

    /// The same run on another network, by another clock.
    #[must_use]
    pub fn in_surroundings(self, surroundings: Surroundings) -> Engine {
        Engine { clock: surroundings.clock.clone(), surroundings: Some(surroundings), ..self }
    }

    /// The time by the run's clock.
    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// The links of a site that the run follows.
    #[must_use]
    pub fn follow(&self) -> Follow {
        self.config.miner.follow
    }

    /// Mines until nothing is left to fetch, or until `stop`. First `import` publishes pages of its own; a stop
    /// drops it. Calls `show` a few times a second.
    ///
    /// # Errors
    /// When a store, a part of the engine or `import` fails, or a newer version of the program counts the run's pages.
    pub async fn mine(
        &self,
        import: impl Future<Output = anyhow::Result<()>>,
        stop: &CancellationToken,
        mut show: impl FnMut(&Progress),
    ) -> anyhow::Result<Ended> {
        self.with_services(stop, self.run_rounds(import, stop, self.clock.now(), &mut show)).await
    }

    /// Follows the sites of the run until `stop`. Calls `show` every second.
    ///
    /// # Errors
    /// When a store or a part of the engine fails, or a newer version of the program counts the run's pages.
    pub async fn watch(
        &self,
        stop: &CancellationToken,
        mut show: impl FnMut(&Progress),
    ) -> anyhow::Result<()> {
        let following = async {
            self.take_over(&self.miner_parts()).await?;
            let mut has_caught_up = false;
            let (mut stopped, mut searched) = (Vec::new(), Instant::now());
            loop {
                let mut progress = self.read_progress(None).await?;
                let resting = progress.resting(self.clock.now()).take(MOST_NAMED);
                let resting: Vec<Site> = resting.map(|site| site.site.clone()).collect();
                for site in resting {
                    let (schedule, _) = self.store.schedule(&site).await?;
                    progress.troubles.insert(site, schedule);
                }
                if !has_caught_up && progress.unfinished == 0 {
                    has_caught_up = true;
                    self.note_complete_histories().await?;
                }
                show(&progress);
                if searched.elapsed() >= READERS_CHECK_EVERY {
                    (stopped, searched) = (self.warn_of_stopped_readers(&stopped), Instant::now());
                }
                if stop.run_until_cancelled(tokio::time::sleep(SHOW_EVERY)).await.is_none() {
                    return Ok(Ended::Stopped);
                }
            }
        };
        self.with_services(stop, following).await.map(drop)
    }

    /// Names the readers that were stopped, unless they are `known`. Returns all that are stopped now.
    fn warn_of_stopped_readers(&self, known: &[StoppedReader]) -> Vec<StoppedReader> {
        let stopped = readers::stopped(&self.folder.join(STATE_FILE));
        for StoppedReader { id, command } in stopped.iter().filter(|reader| !known.contains(reader)) {
            tracing::warn!(
                "process {id} (`{command}`) reads the run and is stopped: until it goes on (`kill -CONT {id}`) or ends, \
                 the run's file grows with each page"
            );
        }
        stopped
    }

    /// Undoes what a clock did that was ahead when the run was last worked on: its sites would be quiet until that time.
    async fn bring_back_times(&self, now: Timestamp) -> anyhow::Result<()> {
        let revisit = Duration::from_secs(self.config.crawler.revisit_s);
        let longest = self.schedule().longest_wait().max(revisit);
        let ahead = self.store.bring_back_times(now, longest).await?;
        if let Some(ahead) = ahead.filter(|ahead| *ahead >= CLOCK_IS_AHEAD) {
            let ahead = crate::seconds::in_words(ahead.as_secs());
            tracing::warn!(
                "the clock was {ahead} ahead when this run was last worked on: its sites are asked as if their last visits \
                 were now"
            );
        }
        Ok(())
    }

    /// Runs crawler, partitioner and miner beside this work, until it ends or one of them fails.
    async fn with_services(
        &self,
        stop: &CancellationToken,
        work: impl Future<Output = anyhow::Result<Ended>>,
    ) -> anyhow::Result<Ended> {
        let (now, parts) = (self.clock.now(), self.miner_parts());
        claim(&parts).await?;
        self.store.release_leases(now).await?;
        self.bring_back_times(now).await?;
        newslode_miner::work::fold::resume_plan(&parts, now).await?;
        let services = stop.child_token();
        let mut writing = self.write_events()?;
        let mut loops = self.spawn_services(parts, &services);
        let ended = tokio::select! {
            ended = work => ended,
            Some(first) = loops.join_next() => match first {
                // The parts may hear of a stop first.
                Ok(Ok(())) if stop.is_cancelled() => Ok(Ended::Stopped),
                Ok(Ok(())) => Err(anyhow::anyhow!("a part of the engine ended too early")),
                Ok(Err(error)) => Err(error),
                Err(panic) => Err(panic.into()),
            },
        };
        services.cancel();
        shutdown::drain(&mut loops, Duration::from_millis(self.config.crawler.grace_ms + 1_000)).await;
        // Nothing is published any more. What is not written now is appended at the next start.
        self.broker.end_subscriptions();
        shutdown::drain(&mut writing, EVENTS_END_WITHIN).await;
        ended
    }

    /// Writes the events of articles to the run's file from now on.
    fn write_events(&self) -> anyhow::Result<JoinSet<()>> {
        let (most, mut writing) = (self.config.watch.events_mb, JoinSet::new());
        if most == 0 {
            return Ok(writing);
        }
        let file = EventFile::open(&self.folder, most << 20)?;
        let (store, events) = (self.store.clone(), self.broker.subscribe_articles(EVENTS_AHEAD));
        writing.spawn(async move {
            if let Err(error) = file.follow(store, events).await {
                tracing::warn!("events are not written until the next start: {error:#}");
            }
        });
        Ok(writing)
    }

    /// Starts crawler, partitioner, miner and the loop that looks after the store.
    fn spawn_services(&self, miner: MinerParts, stop: &CancellationToken) -> JoinSet<anyhow::Result<()>> {
        let mut loops = JoinSet::new();
        if self.is_watching {
            let retaining = space::Retaining {
                store: self.store.clone(),
                folder: self.folder.clone(),
                stores: miner.stores.clone(),
                config: self.config.clone(),
                metrics: self.metrics.clone(),
                clock: self.clock.clone(),
            };
            loops.spawn(space::retain(retaining, stop.clone()));
        }
        let (store, broker) = (Arc::new(self.store.clone()), self.broker.clone());
        let crawler = newslode_crawler::Parts {
            frontier: store.clone(),
            broker: broker.clone(),
            archive: store.clone(),
            parsed: self.parsed.clone(),
            metrics: self.metrics.clone(),
            network: self.network.clone(),
            room: Some(self.room.clone()),
        };
        let partitioner = newslode_partitioner::Parts {
            broker,
            archive: store.clone(),
            parsed: self.parsed.clone(),
            metrics: self.metrics.clone(),
            clock: self.clock.clone(),
        };
        let config = self.config.miner.clone();
        let miner_config = match self.is_watching {
            true => config,
            // A run that ends does these itself: it recounts pages at the start, and the rest when all is quiet. Nobody listens
            // to its events, so it does not file them.
            false => newslode_common::config::MinerConfig {
                fold_s: 0,
                views_s: 0,
                filing_s: 0,
                instances_s: 0,
                window_days: 0,
                recompute_share: 0,
                ..config
            },
        };
        if !self.is_offline {
            let (config, schedule) = (self.config.crawler.clone(), self.schedule());
            let warc = self.config.archive.warc.clone();
            match self.surroundings.clone() {
                Some(around) => {
                    loops.spawn(newslode_crawler::run_in(crawler, config, schedule, around, stop.clone()))
                }
                None => {
                    let clock = self.clock.clone();
                    loops.spawn(newslode_crawler::run(crawler, config, schedule, warc, clock, stop.clone()))
                }
            };
            // Nobody else works on the run, so it needs no name.
            let report = network::report(
                self.network.clone(),
                store.clone(),
                String::new(),
                self.clock.clone(),
                stop.clone(),
            );
            loops.spawn(async move {
                report.await;
                Ok(())
            });
        }
        loops.spawn(newslode_partitioner::run(partitioner, self.config.partitioner.clone(), stop.clone()));
        loops.spawn(newslode_miner::work::service::run(miner, miner_config, stop.clone()));
        let stopped = stop.clone();
        loops.spawn(async move {
            while tokio::time::timeout(FAILURE_CHECK_EVERY, stopped.cancelled()).await.is_err() {
                // A file that failed answers nothing more: the run ends with the cause.
                if let Some(failure) = store.failure() {
                    return Err(failure.into());
                }
            }
            Ok(())
        });
        loops
    }

    /// When pages are fetched again. Where a run ends when nothing is due, no allowance spreads its requests over a day.
    fn schedule(&self) -> ScheduleConfig {
        let allowance = self.is_watching && self.config.schedule.allowance;
        ScheduleConfig { allowance, ..self.config.schedule.clone() }
    }

    /// What the miner works with.
    #[must_use]
    pub fn miner_parts(&self) -> MinerParts {
        let store = Arc::new(self.store.clone());
        MinerParts {
            stores: Stores {
                frontier: store.clone(),
                state: store.clone(),
                archive: store,
                parsed: self.parsed.clone(),
            },
            owners: Arc::default(),
            filing: Arc::default(),
            places: Arc::default(),
            schemes: self.schemes.clone(),
            announcements: self.announcements.clone(),
            broker: self.broker.clone(),
            metrics: self.metrics.clone(),
            rules: Rules::of_preset(self.config.partitioner.params),
            params: Arc::new(self.config.page_params()),
            schedule: Arc::new(self.schedule()),
            retention: self.config.miner.retention,
            noarchive: self.config.crawler.noarchive,
            clock: self.clock.clone(),
        }
    }

    /// Asks for what the sites of the run published on these days. What was read for the same days before is not read again.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn ask_for_past(&self, window: Days) -> anyhow::Result<()> {
        let (config, now) = (self.schedule(), self.clock.now());
        for status in Frontier::status(&self.store).await? {
            newslode_common::store::past::ask_for(&self.store, &status.site, &config, window, now)
                .await
                .with_context(|| format!("cannot ask for the past of `{}`", status.site))?;
        }
        Ok(())
    }

    /// Waits for quiet, folds and follows, until a fold finds nothing new.
    async fn run_rounds(
        &self,
        import: impl Future<Output = anyhow::Result<()>>,
        stop: &CancellationToken,
        begun: Timestamp,
        show: &mut impl FnMut(&Progress),
    ) -> anyhow::Result<Ended> {
        let parts = self.miner_parts();
        self.take_over(&parts).await?;
        let Some(imported) = stop.run_until_cancelled(import).await else { return Ok(Ended::Stopped) };
        imported?;
        let mut memory = FoldMemory::default();
        let mut round = Round { begun, number: 1, fold: None };
        loop {
            // 1. Everything that is due was fetched, partitioned and counted.
            if self.wait_for_quiet(stop, &round, show).await? == Ended::Stopped {
                return Ok(Ended::Stopped);
            }
            // 2. Pages older than the window leave before the fold, so that it does not see them.
            let now = self.clock.now();
            newslode_miner::work::window::slide(&parts.stores, self.config.miner.window_days, now).await?;
            let folding = fold_once(&parts, &self.config.miner, &mut memory, true, now);
            let report = showing(&self.at_step(Step::Folding, &round).await?, show, folding).await?;
            // 3. If the fold wanted nothing new, and nothing became due meanwhile, the sites are viewed. The schemes learnt from them
            //    may give other concepts, so it is folded once more. If that wants nothing new either, this is the result.
            let mut followed = report.followed_new;
            round.fold = Some(report);
            if followed == 0 && self.is_quiet(&self.read_progress(Some(&round)).await?) {
                let has_new_schemes = self.view_sites(&parts, stop, &round, show).await?;
                if has_new_schemes {
                    let folding = fold_once(&parts, &self.config.miner, &mut memory, true, now);
                    let report = showing(&self.at_step(Step::Folding, &round).await?, show, folding).await?;
                    followed = report.followed_new;
                    round.fold = Some(report);
                }
            }
            if followed == 0 && self.is_quiet(&self.read_progress(Some(&round)).await?) {
                let ending = async {
                    announcing::announce_all(&parts, self.clock.now()).await?;
                    self.drop_copies(&parts, stop).await
                };
                showing(&self.at_step(Step::Ending, &round).await?, show, ending).await?;
                self.note_complete_histories().await?;
                memory.save(parts.stores.state.as_ref()).await?;
                show(&self.read_progress(Some(&round)).await?);
                return Ok(Ended::Complete);
            }
            round.number += 1;
        }
    }

    /// Publishes again what the last process fetched without counting it, since its queues are gone, and lets the articles wait on
    /// that it did not come to announce.
    async fn take_over(&self, parts: &MinerParts) -> anyhow::Result<()> {
        let store = &self.store;
        self.let_articles_wait_on().await?;
        let again = reconcile::reconcile(store, store, store, self.broker.as_ref()).await?;
        if again > 0 {
            tracing::info!(pages = again, "pages that were fetched but not counted are processed again");
        }
        self.complete_histories(parts).await
    }

    /// Notes the articles that wait to be announced since the last process: only their histories say so.
    async fn let_articles_wait_on(&self) -> anyhow::Result<()> {
        if !self.announcements.are_held() {
            return Ok(());
        }
        let Some(last) = self.store.last_archived(Kind::History).await? else { return Ok(()) };
        let since = Timestamp(last.0.saturating_sub(WAITING_SINCE.as_millis() as u64));
        for (_, key) in self.store.archived_since(Kind::History, since).await? {
            let Some(bytes) = self.store.get(Kind::History, key).await? else { continue };
            // What cannot be read is reported by those who need it.
            let Ok(history) = serde_json::from_slice::<ArticleHistory>(&bytes) else { continue };
            if history.is_waiting() {
                self.announcements.wait(&history.url, self.clock.now());
            }
        }
        Ok(())
    }

    /// Lets the histories be written that a kill of version 0.1.0 cost, once for each run.
    async fn complete_histories(&self, parts: &MinerParts) -> anyhow::Result<()> {
        let store = &self.store;
        if store.value(HISTORIES).await?.is_some_and(|(_, held)| held == COMPLETE) {
            return Ok(());
        }
        let lost = reconcile::publish_incomplete(store, store, store, parts.broker.as_ref()).await?;
        if lost > 0 {
            tracing::info!(articles = lost, "articles without a history are processed again");
        }
        Ok(())
    }

    /// Makes the next [`mine`](Engine::mine) look for articles that lack their history.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn look_for_incomplete_histories(&self) -> anyhow::Result<()> {
        if let Some((version, _)) = self.store.value(HISTORIES).await? {
            self.store.put_value(HISTORIES, Some(version), INCOMPLETE.into()).await?;
        }
        Ok(())
    }

    async fn note_complete_histories(&self) -> anyhow::Result<()> {
        let (version, held) = self.store.value(HISTORIES).await?.unzip();
        if held.is_none_or(|held| held != COMPLETE) {
            self.store.put_value(HISTORIES, version, COMPLETE.into()).await?;
        }
        Ok(())
    }

    /// Views all sites that changed, as fast as possible. Sites left at `stop` are due at the next run. Returns whether a site was
    /// viewed whole, and its scheme learnt.
    async fn view_sites(
        &self,
        parts: &MinerParts,
        stop: &CancellationToken,
        round: &Round,
        show: &mut impl FnMut(&Progress),
    ) -> anyhow::Result<bool> {
        let at_once = std::thread::available_parallelism().map_or(1, usize::from);
        let pace = Pace { at_once, share: 100 };
        let sites = parts.stores.state.sites().await?;
        let mut progress = self.at_step(Step::Viewing(0, sites.len()), round).await?;
        let mut has_new_schemes = false;
        for (at, (site, _)) in sites.iter().enumerate() {
            if stop.is_cancelled() {
                break;
            }
            progress.step = Step::Viewing(at, sites.len());
            let report = showing(&progress, show, views::view_site(parts, site, pace, stop)).await?;
            has_new_schemes |= report.sites > 0;
            tracing::debug!(%site, ?report, "viewed the pages of a site with its values");
        }
        Ok(has_new_schemes)
    }

    /// How far the work is at a step other than reading.
    async fn at_step(&self, step: Step, round: &Round) -> anyhow::Result<Progress> {
        Ok(Progress { step, ..self.read_progress(Some(round)).await? })
    }

    /// Deletes the copies of viewed pages that ask for none, if that is configured. The run ends, so they wait for nothing more.
    async fn drop_copies(&self, parts: &MinerParts, stop: &CancellationToken) -> anyhow::Result<()> {
        if parts.noarchive != Noarchive::Drop {
            return Ok(());
        }
        let how = (Waits::default(), Pace { at_once: 1, share: 100 });
        let dropped = copies::drop_copies(parts, how, &mut CopyMemory::default(), stop).await?;
        tracing::info!(?dropped, "deleted copies of pages that ask for none");
        Ok(())
    }

    /// Waits until all work is done, or until `stop`.
    async fn wait_for_quiet(
        &self,
        stop: &CancellationToken,
        round: &Round,
        show: &mut impl FnMut(&Progress),
    ) -> anyhow::Result<Ended> {
        loop {
            // Work moves on during the check, so only a check without movement counts.
            let before = *self.broker.changes().borrow();
            let first = self.read_progress(Some(round)).await?;
            let is_quiet = self.is_quiet(&first) && self.is_quiet(&self.read_progress(Some(round)).await?);
            show(&first);
            if is_quiet && *self.broker.changes().borrow() == before {
                return Ok(Ended::Complete);
            }
            if tokio::time::timeout(QUIET_CHECK_EVERY, stop.cancelled()).await.is_ok() {
                return Ok(Ended::Stopped);
            }
        }
    }

    fn is_quiet(&self, progress: &Progress) -> bool {
        progress.is_quiet(self.follow(), self.clock.now())
    }

    /// How far the work is; in a run that ends, with the sites that its round waits for.
    async fn read_progress(&self, round: Option<&Round>) -> anyhow::Result<Progress> {
        use newslode_common::broker::Queue;
        let sites = Frontier::status(&self.store).await?;
        let unfinished = [Queue::Pages, Queue::Partitions, Queue::Gone]
            .map(|queue| self.broker.unfinished(queue))
            .iter()
            .sum();
        let shortage = self.room.look().err().filter(|_| !self.is_offline);
        let with_work = match round {
            // While anything is under way, the answer would change nothing.
            Some(round) if unfinished == 0 && self.follow() == Follow::News => {
                self.store.sites_with_work(round.begun, self.clock.now()).await?
            }
            _ => BTreeSet::new(),
        };
        let (round, fold) = round.map_or((1, None), |round| (round.number, round.fold.clone()));
        let is_offline = self.is_offline;
        let network = self.network.outage().map(|outage| outage.no_network(self.clock.now()));
        let troubles = BTreeMap::new();
        let step = Step::Reading;
        Ok(Progress {
            sites,
            unfinished,
            round,
            fold,
            step,
            shortage,
            network,
            troubles,
            with_work,
            is_offline,
        })
    }
}

/// Does some work, and shows while it lasts that it goes on.
async fn showing<T>(
    progress: &Progress,
    show: &mut impl FnMut(&Progress),
    work: impl Future<Output = T>,
) -> T {
    let mut work = std::pin::pin!(work);
    loop {
        show(progress);
        if let Ok(done) = tokio::time::timeout(SHOW_EVERY, work.as_mut()).await {
            return done;
        }
    }
}

/// Digest of each site's mined state. Equal digests mean states that are equal to the bit.
///
/// # Errors
/// When the store fails.
pub async fn state_digests(state: &dyn SiteState) -> anyhow::Result<Vec<(String, String)>> {
    let mut digests = Vec::new();
    for (site, _) in state.sites().await? {
        digests
            .push((site.to_string(), newslode_common::store::state_digest(state, &site).await?.to_string()));
    }
    Ok(digests)
}

/// The files of a run's articles and of its ontology.
#[must_use]
pub fn output_files(folder: &Path) -> (PathBuf, PathBuf) {
    (folder.join("articles.jsonl"), folder.join("ontology.ttl"))
}

/// The file of a run's report.
#[must_use]
pub fn report_file(folder: &Path) -> PathBuf {
    folder.join("report.html")
}

#[cfg(test)]
mod tests {
    use newslode_common::message::{Body, FetchedPage, PartitionedPage, envelope};
    use newslode_common::store::Why;
    use newslode_common::time;
    use newslode_common::version::{ContentHash, Version};
    use newslode_miner::work::apply::count_batch;
    use newslode_miner::work::histories::history::{Event, EventKind};
    use newslode_miner::work::histories::read_history;
    use newslode_miner::work::views::{ViewMemory, When};
    use newslode_page::analysis::analyse;
    use newslode_page::reading::CanonicalUrl;

    use super::*;

    /// The events of an article that a process counted and viewed, and that waited when the process was killed, after the next one.
    async fn told_after_a_kill(events_mb: u64) -> Vec<Event> {
        let folder = tempfile::tempdir().unwrap();
        let mut config = Config::default();
        config.watch.events_mb = events_mb;
        let url: CanonicalUrl = "http://a.test/rain".parse().unwrap();
        let text = "The rain came to the valley again and stayed for long. ".repeat(12);
        let html = format!(
            "<meta property=og:type content=article><h1>The rain of the valley</h1><p>By Ann Lee</p><p>{text}"
        );
        let engine = Engine::open(folder.path(), config.clone()).unwrap().offline().watching();
        let parts = engine.miner_parts();
        let seeds = ["http://a.test/".parse().unwrap()];
        add_seeds(&parts, &seeds, (None, None, None), &config.miner).await.unwrap();
        claim(&parts).await.unwrap();
        let content = ContentHash::of(&url, None, html.as_bytes());
        let fetched = FetchedPage {
            url: url.clone(),
            site: url.site(),
            depth: 1,
            why: Why::Link,
            version: Version { fetch: 1, content },
            fetched_at: time::now(),
            content_type: None,
            body: Body::pack(html.as_bytes()).unwrap(),
            listed: None,
            rendered: false,
        };
        let sealed = envelope::seal(&fetched).unwrap();
        parts.stores.archive.put(Kind::Page, content, sealed.into(), time::now()).await.unwrap();
        let mut said = analyse(&url, None, html.as_bytes(), time::now(), &parts.params);
        let page = PartitionedPage::new(&parts.params.generation(), &fetched, &mut said);
        count_batch(&parts, Follow::News, &url.site(), &[page], time::now()).await.unwrap();
        // One page tells nothing of its site, so the article waits on.
        let (pace, stop) = (Pace { at_once: 1, share: 100 }, CancellationToken::new());
        views::view_sites(&parts, When::Grown, pace, &mut ViewMemory::new(), &stop).await.unwrap();
        let waiting = read_history(&engine.store, &url).await.unwrap().unwrap();
        assert!(waiting.is_waiting() && waiting.events.is_empty(), "{waiting:?}");
        drop((parts, engine));
        let engine = Engine::open(folder.path(), config).unwrap().offline();
        let ended = engine.mine(async { Ok(()) }, &stop, |_| {}).await.unwrap();
        assert_eq!(ended, Ended::Complete);
        read_history(&engine.store, &url).await.unwrap().unwrap().events
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn an_article_that_waited_when_the_process_was_killed_is_announced_by_the_next_one() {
        for events_mb in [0, 16] {
            let told = told_after_a_kill(events_mb).await;
            let kinds: Vec<EventKind> = told.iter().map(|event| event.event).collect();
            assert_eq!(kinds, [EventKind::New], "{events_mb}");
        }
    }
}
