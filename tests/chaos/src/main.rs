//! `newslode-chaos`: the whole installation under faults in the default mode, and whether all is in order in the end.
//!
//! It starts RabbitMQ, Redis and two copies of each service on loopback over a newsworld. For some minutes it adds sites,
//! so that work is always under way, and lets faults befall in an order that follows from the seed ([`plan`]): services
//! and servers are killed, restarted and paused, their connections are cut, refused, slowed and held ([`mod@line`]), the
//! archive's disk is full ([`disk`]), services get another time of day, pages and messages are poison ([`poison`]). Then
//! it lets all come to rest and checks ([`checks`], [`pace`], [`memory`]): the archive proves the sums; every article of
//! the world is there once, and says what it says in an undisturbed run; each event came, once a version; every URL
//! has an outcome; the dead letters are the poison.
//!
//! Every difference is a fault of Newslode, or of this program. Where to start: [`faults`] and [`mod@bench`].

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program for developers: the report on standard output, progress on standard error"
)]

mod bench;
mod checks;
mod disk;
mod faults;
mod kills;
mod line;
mod memory;
mod pace;
mod plan;
mod poison;
mod report;
mod waves;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use clap::Parser;
use newslode_e2e::lab::Lab;
use newslode_newsworld::{World, WorldSpec};
use tokio::signal::unix::{SignalKind, signal};

use crate::bench::{Bench, DELAY_MS};
use crate::checks::Undisturbed;
use crate::poison::Poisoned;
use crate::report::Report;

/// Runs the whole installation under faults in the default mode, and checks that nothing was lost or counted twice.
///
/// Ends with 1 if anything is not as it should be. The same seed gives the same faults at the same times.
#[derive(Parser)]
#[command(
    version,
    after_help = "Example:\n  newslode-chaos --minutes 3 --seed 7 --json report.json\n  newslode-chaos --kills 200\n\n\
                  Build the services first: cargo build --workspace. RabbitMQ needs root, as does a full disk."
)]
struct Args {
    /// How long faults befall, in minutes
    #[arg(long, default_value_t = 15.0)]
    minutes: f64,
    /// What the faults and the world follow from
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Instead, kill single processes so often, at chosen effects and at random moments, each time comparing the end
    #[arg(long, value_name = "N", conflicts_with = "minutes")]
    kills: Option<u64>,
    /// Also write the report to this file, as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Sites to draw for each minute, and in any case: more than a run gets to.
const SITES: (f64, usize) = (20.0, 12);

#[tokio::main]
async fn main() -> anyhow::Result<ExitCode> {
    let args = Args::parse();
    let mut asked_to_end = signal(SignalKind::terminate())?;
    let (text, json, is_clean) = tokio::select! {
        report = run_as_asked(&args) => report?,
        // So that servers and services end with this program.
        _ = tokio::signal::ctrl_c() => anyhow::bail!("interrupted"),
        _ = asked_to_end.recv() => anyhow::bail!("asked to end"),
    };
    print!("{text}");
    if let Some(file) = &args.json {
        std::fs::write(file, json).with_context(|| format!("cannot write `{}`", file.display()))?;
    }
    Ok(if is_clean { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The report as text and as JSON, and whether nothing differs.
async fn run_as_asked(args: &Args) -> anyhow::Result<(String, String, bool)> {
    if let Some(times) = args.kills {
        let report = kills::run(times, args.seed).await?;
        let json = serde_json::to_string_pretty(&report)?;
        return Ok((report.to_string(), json, report.differences.is_empty()));
    }
    let report = run(args).await?;
    Ok((report.to_string(), serde_json::to_string_pretty(&report)?, report.differences.is_empty()))
}

/// The shortest run over a world whose pages fail at first. A site with such a page rests for up to seven minutes.
const WITH_FAILING_PAGES: Duration = Duration::from_secs(180);

async fn run(args: &Args) -> anyhow::Result<Report> {
    let lasts = Duration::try_from_secs_f64(args.minutes * 60.0).context("`--minutes` is no time")?;
    let sites = SITES.1 + (args.minutes * SITES.0) as usize;
    let faults = lasts >= WITH_FAILING_PAGES;
    let spec = WorldSpec { seed: args.seed, sites, articles_per_section: 1, faults, ..WorldSpec::default() };
    let world = World::generate(&spec);
    let gold: Vec<String> = world.gold().articles.iter().map(|article| article.url.clone()).collect();
    let mut sites = world.seeds().into_iter();
    let world = Arc::new(Poisoned(world));
    let lab = Lab::serving(world.clone(), &[]).await;
    let bench = Bench::start(&lab).await?;
    if !faults {
        let what = "pages that fail at first: their sites rest for minutes, so runs of three minutes or more have them";
        bench.notes().left_out.insert(what.into());
    }
    eprintln!("all is ready; {:.1} minutes of faults by seed {}", args.minutes, args.seed);
    let (steps, began) = (plan::plan(args.seed, lasts), Instant::now());
    tokio::join!(faults::all(&bench, &steps), waves::keep_busy(&bench, &mut sites, lasts));
    eprintln!("no more faults");
    let ended = Instant::now();
    checks::settle(&bench).await;
    let settled_s = ended.elapsed().as_secs_f64();
    checks::view_again(&bench).await?;
    bench.end_watch();
    let seeds = bench.notes().seeds.clone();
    eprintln!("at rest after {settled_s:.0} s; mining {} sites undisturbed", seeds.len());
    let still = Lab::serving(world, &seeds).await;
    let wanted = Undisturbed::run(&still).await?;
    eprintln!("comparing");
    checks::compare(&bench, &lab, &wanted, gold).await?;
    let excuses = bench.notes().excuses.clone();
    let pace = pace::judge(&lab.arrivals(), Duration::from_millis(DELAY_MS), &excuses, began);
    checks::tell(&bench, "a request", pace.closer.clone());
    let urls = checks::number_of_urls(&bench).await?;
    let notes = bench.notes();
    Ok(Report {
        seed: args.seed,
        minutes: args.minutes,
        sites: seeds.len(),
        hostile: notes.hostile,
        urls,
        articles: wanted.articles(),
        garbage: notes.poison.values().map(|bodies| bodies.len()).sum(),
        faults: notes.faults.clone(),
        left_out: notes.left_out.clone(),
        pace,
        memory: notes.memory.all(),
        settled_s,
        differences: notes.differences.clone(),
    })
}
