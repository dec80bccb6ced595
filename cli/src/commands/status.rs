//! `newslode status`: shows sites, pages by outcome, queues and due work, once or repeatedly with rates.

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

use futures::{StreamExt as _, TryStreamExt as _};
use newslode_common::broker::depths;
use newslode_common::broker::rabbitmq::RabbitBroker;
use newslode_common::config::Config;
use newslode_common::outcome::Outcome;
use newslode_common::schedule::Health;
use newslode_common::store::redb::RedbStore;
use newslode_common::store::redis::RedisStore;
use newslode_common::store::{Frontier, SiteStatus};
use newslode_common::time;
use newslode_page::time::Timestamp;
use serde::Serialize;

use crate::args::StatusArgs;
use crate::exit::Exit;
use crate::outcomes::{spelled, tally};
use crate::{engine, out, served};

/// Sites of which the store is asked at once.
const AT_ONCE: usize = 32;
/// Time between two refreshes of `--watch`.
const PAUSE: Duration = Duration::from_secs(2);

/// A site and how its visits show it.
#[derive(Serialize)]
struct SiteLine {
    #[serde(flatten)]
    status: SiteStatus,
    health: Health,
}

#[derive(Serialize)]
struct Status {
    sites: Vec<SiteLine>,
    outcomes: BTreeMap<Outcome, u64>,
    /// Empty for a run's folder, whose queues exist only during the run.
    queues: BTreeMap<String, u64>,
    /// Due time of the URL that has waited longest, over the sites that are not paused.
    oldest_due: Option<Timestamp>,
    /// URLs finished per second since the last refresh; none at the first.
    rate: Option<f64>,
}

pub(crate) async fn run(args: StatusArgs, config: &Config) -> anyhow::Result<Exit> {
    let source = Source::open(&args, config).await?;
    if !args.watch {
        show(&source.look().await?, &args)?;
        return Ok(Exit::Done);
    }
    let mut last: Option<(Instant, u64)> = None;
    loop {
        let mut status = source.look().await?;
        let (now, ended) = (Instant::now(), status.outcomes.values().sum());
        status.rate = last.map(|(then, before)| per_second(ended, before, now - then));
        last = Some((now, ended));
        if !args.json && std::io::stdout().is_terminal() {
            // Clear the screen and move to its top.
            out::text("\x1b[2J\x1b[H")?;
        }
        show(&status, &args)?;
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

/// The source of the figures; it connects once and serves every refresh.
enum Source {
    Folder(RedbStore),
    Services(RabbitBroker, RedisStore),
}

impl Source {
    async fn open(args: &StatusArgs, config: &Config) -> anyhow::Result<Source> {
        Ok(match &args.dir {
            Some(folder) => Source::Folder(engine::open_state(folder)?),
            None => Source::Services(served::broker(config).await?, served::store(config).await?),
        })
    }

    async fn look(&self) -> anyhow::Result<Status> {
        let mut queues = BTreeMap::new();
        let (frontier, sites): (&dyn Frontier, _) = match self {
            Source::Folder(state) => (state, Frontier::status(state).await?),
            Source::Services(broker, store) => {
                for (queue, depth) in depths(broker).await {
                    queues.insert(queue.to_string(), depth?);
                }
                (store, Frontier::status(store).await?)
            }
        };
        let outcomes = tally(&sites);
        let at_work = sites.iter().filter(|site| !site.settings.paused);
        let oldest_due = at_work.filter_map(|site| site.next_due).min();
        let now = time::now();
        let line = async |status: SiteStatus| {
            let (schedule, _) = frontier.schedule(&status.site).await?;
            anyhow::Ok(SiteLine { health: schedule.health(now), status })
        };
        let sites =
            futures::stream::iter(sites.into_iter().map(line)).buffered(AT_ONCE).try_collect().await?;
        Ok(Status { outcomes, sites, queues, oldest_due, rate: None })
    }
}

fn show(status: &Status, args: &StatusArgs) -> anyhow::Result<()> {
    match (args.json, args.watch) {
        (true, false) => out::json(status),
        (true, true) => out::json_line(status),
        (false, _) => print(status, time::now()),
    }
}

fn print(status: &Status, now: Timestamp) -> anyhow::Result<()> {
    let width = status.sites.iter().map(|line| line.status.site.as_str().len()).max().unwrap_or(4).max(4);
    out::line(format!("{:width$}  {:>6}  {:>7}  {:>6}  outcomes", "site", "urls", "pending", "leased"))?;
    for SiteLine { status: site, health } in &status.sites {
        let mark = match (site.settings.paused, health) {
            (true, _) => " (paused)",
            (false, Health::Healthy) => "",
            (false, Health::Quiet) => " (quiet)",
            (false, Health::Blocked) => " (blocks us)",
            (false, Health::Failing) => " (fails)",
            (false, Health::RobotsClosed) => " (robots.txt cannot be read)",
        };
        out::line(format!(
            "{:width$}  {:>6}  {:>7}  {:>6}  {}{mark}",
            site.site.as_str(),
            site.urls,
            site.pending,
            site.leased,
            spelled(&site.outcomes)
        ))?;
    }
    out::line(format!("all: {}", spelled(&status.outcomes)))?;
    if let Some(rate) = status.rate {
        out::line(format!("{rate:.1} URLs per second"))?;
    }
    if let Some(due) = status.oldest_due {
        let seconds = due.0.abs_diff(now.0).div_ceil(1000);
        let when =
            if due <= now { format!("was due {seconds} s ago") } else { format!("is due in {seconds} s") };
        out::line(format!("the longest-waiting URL {when}"))?;
    }
    for (queue, depth) in &status.queues {
        out::line(format!("queue {queue}: {depth} waiting"))?;
    }
    Ok(())
}
