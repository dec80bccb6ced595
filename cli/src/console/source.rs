//! What a console shows: a run, or the services.

use std::path::PathBuf;

use newslode_common::broker::rabbitmq::RabbitBroker;
use newslode_common::config::Config;
use newslode_common::room::Shortage;
use newslode_common::store::StoreResult;
use newslode_common::store::redb::RedbStore;
use newslode_miner::work::parts::Parts;

use super::answer::Problem;
use crate::queries::status;

/// What a console shows.
pub(crate) struct Source {
    /// For people.
    pub(crate) name: String,
    pub(crate) parts: Parts,
    /// The run; none: the services.
    pub(crate) run: Option<Run>,
    /// Its queues, if it has some that live outside this process.
    pub(crate) broker: Option<RabbitBroker>,
    pub(crate) config: Config,
}

/// A run's folder.
pub(crate) struct Run {
    pub(crate) folder: PathBuf,
    pub(crate) store: RedbStore,
}

impl Source {
    /// Makes what was changed survive a crash.
    pub(super) async fn flush(&self) -> StoreResult<()> {
        match &self.run {
            Some(run) => run.store.flush().await,
            None => Ok(()),
        }
    }

    /// Whether fetching waits for room on the disk. Services on other machines may have others.
    pub(super) fn shortage(&self) -> Option<Shortage> {
        status::shortage(self.run.as_ref().map(|run| run.folder.as_path()), &self.config)
    }

    /// The services' queues.
    ///
    /// # Errors
    /// When there are none, or they were away at the start.
    pub(super) fn broker(&self) -> Result<&RabbitBroker, Problem> {
        let none = || match &self.run {
            Some(_) => Problem::bad("A run's folder has no queues."),
            None => Problem::without_queues(&"RabbitMQ did not answer when the console started"),
        };
        self.broker.as_ref().ok_or_else(none)
    }

    /// When a seed that was sent has an effect, for people.
    pub(super) fn when_seeds_count(&self) -> String {
        match &self.run {
            Some(run) => format!("The next `newslode mine --out {}` goes on from it.", run.folder.display()),
            None => "It counts as soon as a miner has read the message.".to_owned(),
        }
    }
}
