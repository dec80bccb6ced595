//! `newslode dead`: lists, shows, replays or drops the services' dead letters.

use newslode_common::broker::{Broker, Queue};

use crate::args::{DeadArgs, DeadCommand, QueueArg};
use crate::exit::{Exit, hinted};
use crate::installation::{Setup, Target};
use crate::queries::dead::{ListedLetter, printable};
use crate::{out, services};

/// Maximum number of letters in a list: more than anyone reads.
const MOST: usize = 10_000;

pub(crate) async fn run(args: DeadArgs, setup: &Setup) -> anyhow::Result<Exit> {
    Target::require_services(setup, "dead letters are in")?;
    let broker = services::connect_broker(&setup.config).await?;
    match args.command {
        DeadCommand::List { queue, json } => list_letters(&broker, queue.into(), json).await,
        DeadCommand::Show { queue, id, json } => show_letter(&broker, queue.into(), &id, json).await,
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

async fn list_letters(broker: &dyn Broker, queue: Queue, json: bool) -> anyhow::Result<Exit> {
    let letters = broker.dead(queue, MOST).await?;
    let rows: Vec<ListedLetter> = letters.iter().map(ListedLetter::new).collect();
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

async fn show_letter(broker: &dyn Broker, queue: Queue, id: &str, json: bool) -> anyhow::Result<Exit> {
    let letters = broker.dead(queue, MOST).await?;
    let Some(letter) = letters.into_iter().find(|letter| letter.id == id) else {
        return Err(hinted(
            format!("`{queue}` has no dead letter `{id}`"),
            format!("see `newslode dead list {queue}`"),
        ));
    };
    let row = ListedLetter { what: printable(&letter.body), ..ListedLetter::new(&letter) };
    if json {
        out::json(&row)?;
        return Ok(Exit::Done);
    }
    out::line(format!("id:   {}\nwhy:  {}\nwho:  {}\nwhen: {}\n", row.id, row.why, row.who, row.at))?;
    out::line(row.what)?;
    Ok(Exit::Done)
}

impl From<QueueArg> for Queue {
    fn from(queue: QueueArg) -> Queue {
        match queue {
            QueueArg::Seeds => Queue::Seeds,
            QueueArg::Removals => Queue::Removals,
            QueueArg::Gone => Queue::Gone,
            QueueArg::Pages => Queue::Pages,
            QueueArg::Partitions => Queue::Partitions,
        }
    }
}
