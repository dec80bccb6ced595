//! `newslode status`: shows sites, pages by outcome, queues, due work and a disk that is short of room, once or repeatedly with rates.

use std::time::{Duration, Instant};

use newslode_common::schedule::Health;
use newslode_common::time;
use newslode_page::time::Timestamp;

use crate::args::StatusArgs;
use crate::engine::space::Space;
use crate::exit::Exit;
use crate::installation::Setup;
use crate::out::{self, Styled};
use crate::outcomes::outcomes_in_words;
use crate::queries::health::{HealthCause, NoArticlesCause};
use crate::queries::status::{SiteWithHealth, Source, Status};

/// Time between two refreshes of `--watch`.
const PAUSE: Duration = Duration::from_secs(2);

pub(crate) async fn run(args: StatusArgs, setup: &Setup) -> anyhow::Result<Exit> {
    let source = Source::open(&args.run.target(setup), &setup.config).await?;
    if !args.watch {
        print_or_json(&source.look().await?, &args)?;
        return Ok(Exit::Done);
    }
    let mut last: Option<(Instant, u64)> = None;
    loop {
        let mut status = source.look().await?;
        let (now, ended) = (Instant::now(), status.outcomes.values().sum());
        status.rate = last.map(|(then, before)| per_second(ended, before, now - then));
        last = Some((now, ended));
        if !args.json && out::is_terminal() {
            // Clear the screen and move to its top.
            Styled::default().style("\x1b[2J\x1b[H").print()?;
        }
        print_or_json(&status, &args)?;
        tokio::select! {
            () = tokio::time::sleep(PAUSE) => {}
            _ = tokio::signal::ctrl_c() => return Ok(Exit::Done),
        }
    }
}

/// Rate of a count; 0 if the count shrank, because a removed site takes its counts along.
fn per_second(now: u64, before: u64, passed: Duration) -> f64 {
    now.saturating_sub(before) as f64 / passed.as_secs_f64().max(0.001)
}

fn print_or_json(status: &Status, args: &StatusArgs) -> anyhow::Result<()> {
    match (args.json, args.watch) {
        (true, false) => out::json(status),
        (true, true) => out::json_line(status),
        (false, _) => print_status(status, time::now()),
    }
}

fn print_status(status: &Status, now: Timestamp) -> anyhow::Result<()> {
    let width = status.sites.iter().map(|line| line.status.site.as_str().len()).max().unwrap_or(4).max(4);
    out::line(format!("{:width$}  {:>6}  {:>7}  {:>6}  outcomes", "site", "urls", "pending", "leased"))?;
    for SiteWithHealth { status: site, health, learning_cut } in &status.sites {
        let mark = match (site.settings.paused, health.health, health.cause) {
            (true, ..) => " (paused)".to_owned(),
            (false, Health::Healthy, _) => String::new(),
            (false, Health::NoArticles, Some(cause)) => {
                let helps = match cause {
                    HealthCause::NoArticles(NoArticlesCause::Noindex) => ": `crawler.noindex`",
                    HealthCause::NoArticles(NoArticlesCause::Bare) => {
                        "; `newslode explain` says what may help"
                    }
                    _ => "",
                };
                format!(" ({}{helps})", cause.meaning())
            }
            (false, Health::RobotsClosed, None) => " (robots.txt cannot be read)".to_owned(),
            (false, ..) => format!(" ({})", health.in_words()),
        };
        let cut = if learning_cut.is_some() { " (pages too large to compare)" } else { "" };
        out::line(format!(
            "{:width$}  {:>6}  {:>7}  {:>6}  {}{mark}{cut}",
            site.site.as_str(),
            site.urls,
            site.pending,
            site.leased,
            outcomes_in_words(&site.outcomes)
        ))?;
    }
    out::line(format!("all: {}", outcomes_in_words(&status.outcomes)))?;
    if let Some(rate) = status.rate {
        out::line(format!("{rate:.1} URLs per second"))?;
    }
    if let Some(due) = status.oldest_due {
        let seconds = due.0.abs_diff(now.0).div_ceil(1000);
        let when =
            if due <= now { format!("was due {seconds} s ago") } else { format!("is due in {seconds} s") };
        out::line(format!("the longest-waiting URL {when}"))?;
    }
    if let Some(network) = &status.network {
        out::line(network.in_words(out::time(network.since)))?;
    }
    if let Some(shortage) = &status.shortage {
        out::line(format!("fetching waits for room: {shortage}"))?;
    }
    for (name, value) in status.space.iter().flat_map(Space::facts) {
        out::line(format!("space: {name}: {value}"))?;
    }
    for (queue, depth) in &status.queues {
        out::line(format!("queue {queue}: {depth} waiting"))?;
    }
    Ok(())
}
