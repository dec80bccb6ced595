//! `newslode dead`: lists, shows, replays or drops the services' dead letters.

use newslode_common::broker::{Broker, DeadLetter, Queue};
use newslode_common::config::Config;
use serde::Serialize;

use crate::args::{DeadArgs, DeadCommand, QueueArg};
use crate::exit::{Exit, hinted};
use crate::{out, served};

/// Maximum number of letters in a list: more than anyone reads.
const MOST: usize = 10_000;

/// Number of bytes that a list shows of a body.
const CUT: usize = 200;

/// A dead letter as a list shows it.
#[derive(Serialize)]
struct Row {
    id: String,
    why: String,
    who: String,
    at: String,
    what: String,
    bytes: usize,
}

impl Row {
    fn of(letter: &DeadLetter) -> Row {
        Row {
            id: letter.id.clone(),
            why: letter.reason.clone(),
            who: letter.by.clone(),
            at: time(letter.at),
            what: printable(&letter.body[..letter.body.len().min(CUT)]),
            bytes: letter.body.len(),
        }
    }
}

pub(crate) async fn run(args: DeadArgs, config: &Config) -> anyhow::Result<Exit> {
    let broker = served::broker(config).await?;
    match args.command {
        DeadCommand::List { queue, json } => list(&broker, queue.into(), json).await,
        DeadCommand::Show { queue, id, json } => show(&broker, queue.into(), &id, json).await,
        DeadCommand::Replay { queue, ids } => {
            out::line(format!(
                "{} put back into `{}`",
                broker.replay(queue.into(), &ids).await?,
                Queue::from(queue)
            ))?;
            Ok(Exit::Done)
        }
        DeadCommand::Drop { queue, ids, all } => {
            if ids.is_empty() && !all {
                return Err(hinted("no id was given", "name the dead letters, or say --all"));
            }
            out::line(format!("{} forgotten", broker.drop_dead(queue.into(), &ids).await?))?;
            Ok(Exit::Done)
        }
    }
}

async fn list(broker: &dyn Broker, queue: Queue, json: bool) -> anyhow::Result<Exit> {
    let letters = broker.dead(queue, MOST).await?;
    let rows: Vec<Row> = letters.iter().map(Row::of).collect();
    if json {
        out::json(&rows)?;
        return Ok(Exit::Done);
    }
    for row in &rows {
        out::line(format!(
            "{}  {}  {}\n    why:  {}\n    what: {} ({} bytes)",
            row.id, row.at, row.who, row.why, row.what, row.bytes
        ))?;
    }
    out::line(format!("{} dead letters of `{queue}`", rows.len()))?;
    Ok(Exit::Done)
}

async fn show(broker: &dyn Broker, queue: Queue, id: &str, json: bool) -> anyhow::Result<Exit> {
    let letters = broker.dead(queue, MOST).await?;
    let Some(letter) = letters.into_iter().find(|letter| letter.id == id) else {
        return Err(hinted(
            format!("`{queue}` has no dead letter `{id}`"),
            format!("see `newslode dead list {queue}`"),
        ));
    };
    let row = Row { what: printable(&letter.body), ..Row::of(&letter) };
    if json {
        out::json(&row)?;
        return Ok(Exit::Done);
    }
    out::line(format!("id:   {}\nwhy:  {}\nwho:  {}\nwhen: {}\n", row.id, row.why, row.who, row.at))?;
    out::line(row.what)?;
    Ok(Exit::Done)
}

/// Keeps text and replaces other bytes with dots, so that they cannot disturb a terminal.
pub(crate) fn printable(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes)
        .chars()
        .map(|c| if c.is_control() || c == '\u{fffd}' { '.' } else { c })
        .collect()
}

fn time(at: u64) -> String {
    i64::try_from(at)
        .ok()
        .and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok())
        .filter(|_| at > 0)
        .map_or_else(|| "at an unknown time".into(), |time| time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string())
}

impl From<QueueArg> for Queue {
    fn from(queue: QueueArg) -> Queue {
        match queue {
            QueueArg::Seeds => Queue::Seeds,
            QueueArg::Pages => Queue::Pages,
            QueueArg::Partitions => Queue::Partitions,
        }
    }
}
