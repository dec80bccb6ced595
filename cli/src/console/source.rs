//! What a console shows: a run, or the services.

use std::path::PathBuf;

use newslode_common::broker::rabbitmq::RabbitBroker;
use newslode_common::config::Config;
use newslode_common::room::Shortage;
use newslode_common::store::redb::RedbStore;
use newslode_miner::work::parts::Parts;
use tokio_util::sync::CancellationToken;

use super::answer::Problem;
use crate::control::{self, Change, Control};
use crate::installation::Target;
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
    /// Its file, which says what changed since a time.
    pub(crate) store: RedbStore,
    /// Whether this process holds the run, and so follows its sites.
    pub(crate) is_held: bool,
}

impl Source {
    /// Applies a change, and says in a sentence what it did. If another process holds the run, that process applies it.
    pub(super) async fn change(&self, change: Change) -> anyhow::Result<String> {
        match &self.run {
            Some(run) if !run.is_held => {
                control::apply(&Target::Run(run.folder.clone()), change, &self.config).await
            }
            run => {
                let (parts, config) = (self.parts.clone(), self.config.clone());
                let (folder, stop) = (run.as_ref().map(|run| run.folder.clone()), CancellationToken::new());
                Control { parts, config, folder, stop }.make(change).await
            }
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
            Some(Run { is_held: true, .. }) => "It counts from now on.".to_owned(),
            Some(run) => {
                let folder = run.folder.display();
                format!(
                    "A process that works on the run takes it up now, else the next `newslode mine --out {folder}`."
                )
            }
            None => "It counts as soon as a miner has read the message.".to_owned(),
        }
    }
}
