//! `newslode watch`: follows sites until it is stopped, and serves the console beside that.

use std::collections::VecDeque;
use std::path::Path;
use std::time::{Duration, Instant};

use newslode_common::config::{Config, WatchConfig};
use newslode_common::schedule::Health;
use newslode_common::shutdown;
use newslode_common::store::SiteStatus;
use newslode_miner::work::parts::Parts;
use newslode_miner::work::views::Pace;
use newslode_page::time::Timestamp;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::mine::{configure_crawl, full_disk, require_contact, wait_for_room};
use super::serve::BoundConsole;
use crate::args::WatchArgs;
use crate::console::{Run, Source};
use crate::control::{self, Control};
use crate::engine::seed_file::SeedFile;
use crate::engine::{self, Engine, MOST_NAMED, Progress, add_seeds, seeds};
use crate::exit::{Exit, hinted};
use crate::installation::Setup;
use crate::notify::Notifier;
use crate::out;
use crate::outputs::write_outputs;
use crate::progress::ProgressDisplay;
use crate::queries::health::SiteHealth;

/// The files are written at a stop if that took no longer than this the last time.
const LONGEST_LAST_WRITING: Duration = Duration::from_secs(5);
/// Time that the console and the files have to end at a stop.
const GRACE: Duration = Duration::from_secs(10);
/// Time between two lines about the state where standard error is no terminal.
const LINE_EVERY: Duration = Duration::from_secs(60);
/// New articles are counted over this time.
const LATELY: Duration = Duration::from_secs(600);

pub(crate) async fn run(args: WatchArgs, setup: Setup) -> anyhow::Result<Exit> {
    let Setup { mut config, quiet, .. } = setup;
    configure_crawl(&args.crawl, &mut config);
    config.validate()?;
    let urls = seeds::collect(&args.urls, None)?;
    if urls.is_empty() && !args.out.join(engine::STATE_FILE).exists() {
        match &args.seeds {
            Some(file) if file.exists() => {}
            Some(file) => {
                return Err(hinted(
                    format!("cannot read seeds from `{}`: there is no such file", file.display()),
                    "name a file with one URL per line",
                ));
            }
            None => {
                return Err(hinted(
                    "no site was named",
                    "newslode watch https://www.example.com https://news.example.org --contact you@example.org",
                ));
            }
        }
    }
    require_contact(&config)?;
    let mut waiter = JoinSet::new();
    // A second signal aborts the process, which the state survives.
    let stop = shutdown::on_signal(&mut waiter, || std::process::abort())?;
    let notifier = Notifier::from_environment();
    loop {
        let console = BoundConsole::bind(&args.console).await?;
        let engine = Engine::open(&args.out, config.clone())?.watching();
        match watch(&engine, console, &args, &urls, &config, &stop, (quiet, &notifier)).await {
            Ok(()) => return Ok(Exit::Done),
            // The file of a full disk must be opened again. What was not yet on the disk is done again.
            Err(error) => match full_disk(&error, &engine) {
                Some(what) => {
                    drop(engine);
                    let waiting = wait_for_room(&args.out, config.archive.reserve_mb, &what, &stop);
                    if !notifier.while_waiting("waiting for room: the disk is full", &stop, waiting).await {
                        return Ok(Exit::Done);
                    }
                }
                None => return Err(error),
            },
        }
    }
}

/// Follows the sites until the stop.
async fn watch(
    engine: &Engine,
    console: BoundConsole,
    args: &WatchArgs,
    urls: &[seeds::Seed],
    config: &Config,
    stop: &CancellationToken,
    (quiet, notifier): (bool, &Notifier),
) -> anyhow::Result<()> {
    let parts = engine.miner_parts();
    engine::claim(&parts).await?;
    add_seeds(&parts, urls, args.crawl.limits(), &config.miner).await?;
    // Everything beside the engine ends with it, whatever it ends by. The files are written last.
    let (beside, has_ended) = (stop.child_token(), CancellationToken::new());
    let source = Source {
        name: args.out.display().to_string(),
        parts: parts.clone(),
        run: Some(Run { folder: args.out.clone(), store: engine.store.clone(), is_held: true }),
        broker: None,
        config: config.clone(),
    };
    let control = Control {
        parts: parts.clone(),
        config: config.clone(),
        folder: Some(args.out.clone()),
        stop: beside.clone(),
    };
    let followed = async {
        let Some(file) = &args.seeds else { return Ok(()) };
        let file = SeedFile::new(file.clone(), args.crawl.limits());
        file.follow(parts.clone(), config.miner.clone(), beside.clone()).await
    };
    let mut display = StatusDisplay::new(quiet, notifier);
    let working = async {
        let watched = engine.watch(&beside, |progress| display.show(progress, engine)).await;
        beside.cancel();
        has_ended.cancel();
        watched
    };
    let serving = console.serve(source, &args.console, engine.metrics.clone(), beside.clone());
    let controlled = async {
        control::serve(control, &args.out).await;
        Ok(())
    };
    let told = async {
        beside.cancelled().await;
        notifier.stopping();
        Ok(())
    };
    let written = write_files(&parts, &args.out, &config.watch, &has_ended);
    let all = async { tokio::try_join!(working, serving, followed, controlled, told, written) };
    let ended = tokio::select! {
        ended = all => ended.map(drop),
        () = async { stop.cancelled().await; tokio::time::sleep(stop_time(config)).await } => {
            tracing::warn!("the time for the stop is over; the next start continues with what is unfinished");
            Ok(())
        }
    };
    display.end();
    ended
}

/// The longest that a stop takes.
fn stop_time(config: &Config) -> Duration {
    let longest = config.crawler.grace_ms.max(config.miner.grace_ms).max(config.partitioner.grace_ms);
    Duration::from_millis(longest) + GRACE
}

/// Writes the run's files now and then, within a share of a core, and at the end.
async fn write_files(
    parts: &Parts,
    folder: &Path,
    config: &WatchConfig,
    end: &CancellationToken,
) -> anyhow::Result<()> {
    // New articles are counted before they are announced; others change by a view alone. Instances of pages whose bytes were removed
    // are left out.
    let state = async || {
        let removed = parts.metrics.retention_removed.with_label_values(&["page"]).get();
        (parts.stores.state.sites().await.ok(), parts.metrics.articles.get(), removed)
    };
    let mut written = state().await;
    let between = if config.files_s > 0 { Duration::from_secs(config.files_s) } else { Duration::MAX };
    let pace = Pace { at_once: 1, share: config.files_share };
    let mut took = Duration::ZERO;
    loop {
        let waiting = tokio::time::sleep(between.max(pace.rest_after(took)));
        let goes_on = end.run_until_cancelled(waiting).await.is_some();
        let current = state().await;
        let is_due = current != written || !engine::output_files(folder).0.exists();
        if is_due && (goes_on || took < LONGEST_LAST_WRITING) {
            let begun = Instant::now();
            match write_outputs(parts, folder, false).await {
                Ok(_) => written = current,
                Err(error) => tracing::warn!("cannot write the run's files: {error:#}"),
            }
            took = begun.elapsed();
        }
        if !goes_on {
            return Ok(());
        }
    }
}

/// Shows the run's status in one line, which is redrawn on a terminal and written once a minute elsewhere, and passes it to the
/// service manager.
struct StatusDisplay<'n> {
    notifier: &'n Notifier,
    display: ProgressDisplay,
    /// Articles so far, at times within [`LATELY`], oldest first.
    counts: VecDeque<(Instant, u64)>,
}

impl StatusDisplay<'_> {
    fn new(quiet: bool, notifier: &Notifier) -> StatusDisplay<'_> {
        let display = ProgressDisplay::every(LINE_EVERY, quiet);
        StatusDisplay { notifier, display, counts: VecDeque::new() }
    }

    fn show(&mut self, progress: &Progress, engine: &Engine) {
        let (at, articles) = (Instant::now(), engine.metrics.articles.get());
        while self.counts.front().is_some_and(|(then, _)| at.duration_since(*then) > LATELY) {
            self.counts.pop_front();
        }
        let (since, before) = *self.counts.front().unwrap_or(&(at, articles));
        self.counts.push_back((at, articles));
        let minutes = at.duration_since(since).as_secs_f64() / 60.0;
        let rate = if minutes > 0.0 { articles.saturating_sub(before) as f64 / minutes } else { 0.0 };
        let line = status_line(progress, articles, rate, engine.now());
        self.notifier.tick(&line);
        self.display.say(|| line);
    }

    fn end(self) {
        self.display.end();
    }
}

/// What the run does now, in one line.
fn status_line(progress: &Progress, articles: u64, rate: f64, now: Timestamp) -> String {
    if let Some(shortage) = &progress.shortage {
        return format!("waiting for room: {shortage}");
    }
    if let Some(network) = &progress.network {
        return network.in_words(out::time(network.since));
    }
    if progress.sites.is_empty() {
        return "no site is followed yet (newslode seed add URL adds one)".to_owned();
    }
    let active: Vec<_> = progress.sites.iter().filter(|site| !site.settings.paused).collect();
    let paused = progress.sites.len() - active.len();
    let paused = if paused > 0 { format!(" and {paused} paused") } else { String::new() };
    let next = active.iter().filter_map(|site| Some((site.ready?, &site.site))).min();
    let next = match next {
        _ if active.iter().any(|site| site.leased > 0) => "asking now".to_owned(),
        Some((ready, _)) if ready <= now => "asking now".to_owned(),
        Some((ready, site)) => format!("next {site} in {} s", now.until(ready).as_secs()),
        None => "nothing is due".to_owned(),
    };
    let resting: Vec<&SiteStatus> = progress.resting(now).collect();
    let named: Vec<String> =
        resting.iter().take(MOST_NAMED).map(|site| with_trouble(site, progress, now)).collect();
    let troubles = match resting.len() {
        0 => String::new(),
        count if count <= MOST_NAMED => format!("; resting: {}", named.join(", ")),
        count => format!("; resting: {} and {} more", named.join(", "), count - MOST_NAMED),
    };
    format!(
        "{} sites{paused}, {articles} new articles since the start, {rate:.1} a minute; {next}{troubles}",
        active.len()
    )
}

/// A site that rests, with what is the matter if that is known.
fn with_trouble(site: &SiteStatus, progress: &Progress, now: Timestamp) -> String {
    let health = progress.troubles.get(&site.site).map(|known| SiteHealth::of(known, &site.outcomes, now));
    match health.filter(|health| health.health != Health::Healthy) {
        Some(health) => format!("{} ({})", site.site, health.in_words()),
        None => site.site.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use newslode_common::outcome::Outcome;
    use newslode_common::schedule::{SiteSchedule, Trouble};
    use newslode_common::store::SiteSettings;

    use super::*;

    const NOW: Timestamp = Timestamp(1_700_000_000_000);

    fn site(name: &str, rests_for: Duration) -> SiteStatus {
        SiteStatus {
            site: name.parse().unwrap(),
            settings: SiteSettings {
                max_pages: 9,
                max_depth: 9,
                delay_ms: 0,
                paused: false,
                labels: BTreeMap::new(),
            },
            urls: 1,
            remembered: 0,
            pending: 1,
            leased: 0,
            next_due: None,
            ready: Some(NOW.plus(rests_for)),
            allowance: None,
            turn: NOW.plus(rests_for),
            outcomes: [(Outcome::TlsExpired, 1)].into(),
        }
    }

    #[test]
    fn the_status_says_why_sites_rest() {
        let hour = Duration::from_secs(3_600);
        let mut progress = Progress::default();
        progress.sites.extend([
            site("a.test", hour),
            site("b.test", Duration::from_secs(9)),
            site("c.test", hour),
        ]);
        let mut failing = SiteSchedule::default();
        failing.trouble(Trouble::Failing, 1, NOW);
        progress.troubles =
            [("a.test".parse().unwrap(), failing), ("c.test".parse().unwrap(), SiteSchedule::default())]
                .into();
        let line = status_line(&progress, 7, 0.5, NOW);
        assert_eq!(
            line,
            "3 sites, 7 new articles since the start, 0.5 a minute; next b.test in 9 s; resting: a.test (fails: the \
             server's certificate has expired), c.test"
        );
        progress.sites.extend(["d.test", "e.test"].map(|name| site(name, hour)));
        let line = status_line(&progress, 7, 0.5, NOW);
        assert!(line.ends_with(", c.test, d.test and 1 more"), "{line}");
    }
}
