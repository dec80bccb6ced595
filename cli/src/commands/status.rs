//! `newslode status`: sites, pages by outcome, queues.

use std::collections::BTreeMap;

use newslode_common::broker::depths;
use newslode_common::config::Config;
use newslode_common::outcome::Outcome;
use newslode_common::store::{Frontier, SiteStatus};
use serde::Serialize;

use crate::args::StatusArgs;
use crate::exit::Exit;
use crate::{engine, out, served};

#[derive(Serialize)]
struct Status {
    sites: Vec<SiteStatus>,
    outcomes: BTreeMap<Outcome, u64>,
    /// Empty for a run's folder: its queues live only while it runs.
    queues: BTreeMap<String, u64>,
}

pub(crate) async fn run(args: StatusArgs, config: &Config) -> anyhow::Result<Exit> {
    let (sites, queues) = match &args.dir {
        Some(folder) => (Frontier::status(&engine::open_state(folder)?).await?, BTreeMap::new()),
        None => {
            let mut queues = BTreeMap::new();
            for (queue, depth) in depths(&served::broker(config).await?).await {
                queues.insert(queue.to_string(), depth?);
            }
            (Frontier::status(&served::store(config).await?).await?, queues)
        }
    };
    let status = Status { outcomes: tally(&sites), sites, queues };
    if args.json {
        out::json(&status)?
    } else {
        print(&status)?
    }
    Ok(Exit::Done)
}

/// Outcomes over all sites.
pub(crate) fn tally(sites: &[SiteStatus]) -> BTreeMap<Outcome, u64> {
    let mut sums = BTreeMap::new();
    for (outcome, count) in sites.iter().flat_map(|site| &site.outcomes) {
        *sums.entry(*outcome).or_insert(0) += count;
    }
    sums
}

/// `fetched 812, gone 3`: most frequent first.
pub(crate) fn spelled(outcomes: &BTreeMap<Outcome, u64>) -> String {
    let mut counts: Vec<_> = outcomes.iter().filter(|(_, count)| **count > 0).collect();
    counts.sort_by_key(|(outcome, count)| (std::cmp::Reverse(**count), **outcome));
    counts.iter().map(|(outcome, count)| format!("{outcome} {count}")).collect::<Vec<_>>().join(", ")
}

fn print(status: &Status) -> anyhow::Result<()> {
    let width = status.sites.iter().map(|site| site.site.as_str().len()).max().unwrap_or(4).max(4);
    out::line(format!("{:width$}  {:>6}  {:>7}  {:>6}  outcomes", "site", "urls", "pending", "leased"))?;
    for site in &status.sites {
        let paused = if site.settings.paused { " (paused)" } else { "" };
        out::line(format!(
            "{:width$}  {:>6}  {:>7}  {:>6}  {}{paused}",
            site.site.as_str(),
            site.urls,
            site.pending,
            site.leased,
            spelled(&site.outcomes)
        ))?;
    }
    out::line(format!("all: {}", spelled(&status.outcomes)))?;
    for (queue, depth) in &status.queues {
        out::line(format!("queue {queue}: {depth} waiting"))?;
    }
    Ok(())
}
