//! One life of a run: the engine of `watch` on simulated time, from where the last life ended.
//!
//! The simulated clock does not run by itself. When every task of the engine sleeps and the queues are empty, the clock is set to the
//! next time at which a task wakes. Start at [`live`].

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use newslode::engine::{Engine, add_seeds};
use newslode_common::config::Config;
use newslode_common::message::seed::web_url;
use newslode_common::store::Frontier as _;
use newslode_common::time::Clock;
use newslode_crawler::Surroundings;
use newslode_newsworld::living::{Answer, LivingWorld};
use newslode_page::Timestamp;
use tokio_util::sync::CancellationToken;
use url::Url;

use super::shown::Diary;
use super::{EndureSpec, read_clock};
use crate::bench::follow::SimulatedWeb;

/// Name of the file with the simulated time, in the run's folder.
pub(super) const CLOCK_FILE: &str = "clock";
/// Tasks of the engine that sleep by its clock when nothing moves: the crawler's dispatcher, the miner's loops that fold, view and
/// announce, and the one that removes old bytes.
const LOOPS: usize = 5;
/// The longest step of the clock while the sites publish, and afterwards. The engine's loops need no shorter ones.
const LONGEST_STEP: Duration = Duration::from_secs(60);
const LONGEST_STEP_AT_REST: Duration = Duration::from_secs(900);
/// The step while a visit waits before its next request.
const STEP_OF_VISITS: Duration = Duration::from_millis(100);
/// The step while something can be claimed at once: the dispatcher looks again.
const STEP_OF_CLAIMS: Duration = Duration::from_millis(10);
/// Nothing takes longer between two steps, unless the engine hangs. A look at all articles of a large folder takes minutes.
const PATIENCE: Duration = Duration::from_secs(900);
/// Time between two looks at whether all sleep, after the first ones.
const LOOK_EVERY: Duration = Duration::from_micros(500);
const FIRST_LOOKS: usize = 100;

/// Is called after each step of the engine's clock, and may set it.
pub(crate) type AtStep<'l> = Box<dyn FnMut(&Clock, &LivingWorld) + Send + 'l>;

/// How a life goes.
pub(crate) struct Life<'l> {
    pub(crate) at_step: AtStep<'l>,
    /// The clock of the network, if it is not the engine's, which may be wrong.
    pub(crate) network_clock: Option<Clock>,
}

/// The configuration of a run: that of `watch`, but views wait for nothing, since time stands while they work.
fn config() -> Config {
    let mut config = Config::default();
    config.crawler.contact = "you@example.org".to_owned();
    (config.miner.views_share, config.miner.fold_share) = (100, 100);
    // The simulated sites publish while the disk of this machine may be full of other things.
    config.archive.reserve_mb = 0;
    config
}

/// The engine of a run at a simulated time.
pub(super) fn open(folder: &Path, surroundings: Surroundings) -> anyhow::Result<Engine> {
    Ok(Engine::open(folder, config())?.in_surroundings(surroundings))
}

/// Follows the world's sites in the run of a folder, from the time at which its last life ended, to the end. Returns the
/// simulated servers, which know the requests that they got.
///
/// # Errors
/// When the engine fails or hangs, or a folder cannot be written.
pub(crate) async fn live(
    spec: &EndureSpec,
    folder: &Path,
    mut life: Life<'_>,
) -> anyhow::Result<Arc<LivingWorld>> {
    let world = Arc::new(LivingWorld::generate(&spec.world));
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make `{}`", folder.display()))?;
    let now = Timestamp(read_clock(folder)?.unwrap_or(world.start()));
    let clock = Clock::stepped(now);
    let diary = Diary::open(folder)?;
    let note = move |url: &Url, answer: &Answer, at: Timestamp| {
        if let Err(error) = diary.note(url, answer, at) {
            tracing::error!(%url, %error, "cannot write an answer down; the comparison will lack it");
        }
    };
    let network_clock = life.network_clock.clone().unwrap_or_else(|| clock.clone());
    let web = Arc::new(SimulatedWeb::new(world.clone(), network_clock).heard_by(Box::new(note)));
    let engine = open(folder, Surroundings { web, clock: clock.clone() })?.watching();
    let seeds = world.seeds().iter().map(|seed| web_url(seed)).collect::<Result<Vec<_>, _>>()?;
    // Also in a later life, as in each `newslode watch URL…`.
    add_seeds(&engine.miner_parts(), &seeds, (None, None, None), &config().miner).await?;
    let (stop, has_begun) = (CancellationToken::new(), AtomicBool::new(false));
    let stepping = async {
        let steps = Steps {
            engine: &engine,
            clock: &clock,
            has_begun: &has_begun,
            world: &world,
            file: File::options().create(true).write(true).truncate(false).open(folder.join(CLOCK_FILE))?,
        };
        let stepped = steps.until(Timestamp(spec.end(&world)), &mut life).await;
        stop.cancel();
        stepped
    };
    let watching = engine.watch(&stop, |_| has_begun.store(true, Ordering::SeqCst));
    tokio::try_join!(watching, stepping)?;
    Ok(world)
}

/// Moves the clock.
struct Steps<'s> {
    engine: &'s Engine,
    clock: &'s Clock,
    /// Whether what the last life left in the queues is published again.
    has_begun: &'s AtomicBool,
    world: &'s LivingWorld,
    file: File,
}

impl Steps<'_> {
    async fn until(&self, end: Timestamp, life: &mut Life<'_>) -> anyhow::Result<()> {
        loop {
            let next = self.wait_until_all_sleep().await?;
            let now = self.clock.now();
            if now >= end {
                return Ok(());
            }
            // A kill comes at a time that the next life knows.
            self.file.write_all_at(&next.0.to_le_bytes(), 0)?;
            if let Some(network_clock) = &life.network_clock {
                network_clock.set(network_clock.now().plus(now.until(next)));
            }
            self.clock.set(next);
            (life.at_step)(self.clock, self.world);
        }
    }

    /// Waits until nothing moves before a later time. Returns that time.
    async fn wait_until_all_sleep(&self) -> anyhow::Result<Timestamp> {
        let (begun, mut looks) = (Instant::now(), 0);
        loop {
            if let Some(next) = self.next_time().await? {
                return Ok(next);
            }
            looks += 1;
            match looks < FIRST_LOOKS {
                true => tokio::task::yield_now().await,
                false => tokio::time::sleep(LOOK_EVERY).await,
            }
            if begun.elapsed() > PATIENCE {
                let sites = self.engine.store.status().await?;
                let leased: u64 = sites.iter().map(|site| site.leased).sum();
                let (at, sleepers) = (self.clock.now(), self.clock.sleepers());
                bail!("the engine hangs at {at:?}: {sleepers} sleepers, {leased} visits");
            }
        }
    }

    /// When something happens next; `None`: something moves now.
    async fn next_time(&self) -> anyhow::Result<Option<Timestamp>> {
        let is_still = |visits: u64| {
            self.has_begun.load(Ordering::SeqCst)
                && self.engine.broker.is_idle()
                && self.clock.sleepers() as u64 == LOOPS as u64 + visits
        };
        if self.clock.sleepers() < LOOPS || !self.engine.broker.is_idle() {
            return Ok(None);
        }
        let sites = self.engine.store.status().await?;
        let visits = sites.iter().map(|site| site.leased).sum();
        if !is_still(visits) {
            return Ok(None);
        }
        let now = self.clock.now();
        let longest = if now.0 < self.world.end() { LONGEST_STEP } else { LONGEST_STEP_AT_REST };
        let latest = now.plus(longest);
        let ready = sites.iter().filter_map(|site| site.ready).min().unwrap_or(latest);
        let next = match visits {
            0 => ready.max(now.plus(STEP_OF_CLAIMS)),
            _ => now.plus(STEP_OF_VISITS),
        };
        Ok(Some(next.min(latest)))
    }
}
