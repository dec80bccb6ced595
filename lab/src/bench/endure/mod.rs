//! Lets `watch`'s engine follow simulated sites while it is killed again and again, for `newslode-lab bench endure`.
//!
//! Crawler, partitioner, miner, queues and the run's file are those of `newslode watch`; network and time are simulated. Each life
//! of the killed run is a process of its own, which is killed as by `kill -9` at a random moment after every few simulated hours.
//! Another run of the same world is not killed. In the end the sites publish nothing for some days, so that the crawler reads all pages in
//! their last state; both runs are folded and viewed once more, and compared.
//!
//! Start at [`endure`]. [`live`] runs one life; `shown.rs` keeps what the sites answered; `compared.rs` compares the runs.

mod compared;
mod life;
mod shown;

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use newslode_newsworld::Rng;
use newslode_newsworld::living::{LivingSpec, LivingWorld};
use serde::Serialize;

pub(crate) use compared::Found;
use compared::{Differences, Held};
use life::CLOCK_FILE;
pub(crate) use life::{Life, live};

const HOUR_MS: u64 = 3_600_000;
/// A life is killed within this time after it said that it is time.
const KILLED_WITHIN: Duration = Duration::from_millis(300);

/// The world, and how it is followed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EndureSpec {
    pub(crate) world: LivingSpec,
    /// Days after the world's end.
    pub(crate) rest_days: u32,
    /// Simulated hours between two kills.
    pub(crate) kill_every_h: u32,
}

impl EndureSpec {
    /// When the runs end, in milliseconds since 1970.
    fn end(&self, world: &LivingWorld) -> u64 {
        world.end() + u64::from(self.rest_days) * 24 * HOUR_MS
    }
}

/// What came of both runs.
#[derive(Debug, Serialize)]
pub(crate) struct Endured {
    pub(crate) kills: usize,
    /// Counts of the run without kills: sites, counted pages, articles, events of articles, concepts, templates in use.
    pub(crate) sites: usize,
    pub(crate) pages: usize,
    pub(crate) articles: usize,
    pub(crate) events: usize,
    pub(crate) concepts: usize,
    pub(crate) templates: usize,
    pub(crate) differences: Differences,
    /// Time that both runs took, side by side, in seconds; 0 if they were only compared.
    pub(crate) seconds: f64,
}

/// Follows a world twice, in two folders of `folder`, and compares. `say` hears of the progress.
///
/// # Errors
/// When a life fails, or a run cannot be read.
pub(crate) async fn endure(
    spec: &EndureSpec,
    folder: &Path,
    life: impl Fn(&Path, Option<u64>) -> Command,
    say: &mut impl FnMut(&str),
) -> anyhow::Result<Endured> {
    let (undisturbed, killed) = (folder.join("undisturbed"), folder.join("killed"));
    let world = LivingWorld::generate(&spec.world);
    // Both runs go at once, in processes of their own.
    let begun = Instant::now();
    let mut without_kills = start(life(&undisturbed, None))?;
    let kills = match kill_again_and_again(spec, &world, &killed, life, say) {
        Ok(kills) => kills,
        Err(error) => {
            without_kills.kill().ok();
            return Err(error);
        }
    };
    say("wait for the run without kills");
    let status = without_kills.wait()?;
    ensure!(status.success(), "the run without kills failed: {status}");
    let seconds = begun.elapsed().as_secs_f64();
    let report = compare(spec, folder, say).await?;
    Ok(Endured { kills, seconds, ..report })
}

/// Folds both runs of a folder once more, and compares them. How often one was killed, and how long they took, is not known.
///
/// # Errors
/// When a run cannot be read.
pub(crate) async fn compare(
    spec: &EndureSpec,
    folder: &Path,
    say: &mut impl FnMut(&str),
) -> anyhow::Result<Endured> {
    let world = LivingWorld::generate(&spec.world);
    say("fold and look at both runs");
    let end = spec.end(&world);
    let one = Held::after_rest(&folder.join("undisturbed"), end, &world).await?;
    let other = Held::after_rest(&folder.join("killed"), end, &world).await?;
    Ok(Endured {
        kills: 0,
        sites: one.sums.len(),
        pages: one.pages.len(),
        articles: one.articles.len(),
        events: one.lives.values().map(Vec::len).sum(),
        concepts: one.concepts(),
        templates: one.templates.values().map(Vec::len).sum(),
        differences: one.differences(&other, &world),
        seconds: 0.0,
    })
}

/// Runs one life after the other until one reaches the end. Returns how many were killed.
fn kill_again_and_again(
    spec: &EndureSpec,
    world: &LivingWorld,
    folder: &Path,
    life: impl Fn(&Path, Option<u64>) -> Command,
    say: &mut impl FnMut(&str),
) -> anyhow::Result<usize> {
    let every = u64::from(spec.kill_every_h.max(1)) * HOUR_MS;
    let mut dice = Rng::new(spec.world.world);
    let mut kills = 0;
    loop {
        let now = read_clock(folder)?.unwrap_or(world.start());
        let next = now + every - (now - world.start()) % every;
        let mut process = start(life(folder, (next < world.end()).then_some(next)))?;
        if !says_that_it_is_time(&mut process)? {
            let status = process.wait()?;
            ensure!(status.success(), "after {kills} kills the run failed: {status}");
            return Ok(kills);
        }
        std::thread::sleep(KILLED_WITHIN.mul_f64(dice.between(0, 1_000) as f64 / 1_000.0));
        // It may have reached its end.
        process.kill().ok();
        process.wait()?;
        kills += 1;
        say(&format!("{kills} kills"));
    }
}

fn start(mut life: Command) -> anyhow::Result<Child> {
    life.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().context("cannot start a life")
}

/// Waits for a line of a life; `false`: it ended without one.
fn says_that_it_is_time(process: &mut Child) -> anyhow::Result<bool> {
    let output = process.stdout.take().context("a life has no output")?;
    let mut line = String::new();
    Ok(BufReader::new(output).read_line(&mut line)? > 0)
}

/// The simulated time at which a run is; `None` before its first life.
fn read_clock(folder: &Path) -> anyhow::Result<Option<u64>> {
    let file: PathBuf = folder.join(CLOCK_FILE);
    match std::fs::read(&file) {
        Ok(bytes) => {
            let bytes =
                bytes.try_into().ok().with_context(|| format!("`{}` holds no time", file.display()))?;
            Ok(Some(u64::from_le_bytes(bytes)))
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("cannot read `{}`", file.display())),
    }
}

/// A world small enough for tests.
#[cfg(test)]
const SMALL: LivingSpec =
    LivingSpec { world: 4, sites: 3, days: 1, mishaps: false, most_a_day: 40, is_steady: true };

#[cfg(test)]
mod tests;
