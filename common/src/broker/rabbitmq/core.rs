//! What publishing, consuming and reading dead letters share: the connection, the names of queues, and requests with a time
//! limit.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use lapin::options::QueueDeclareOptions;
use lapin::types::FieldTable;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::super::BrokerError;
use super::link::Links;
use super::topology::Topology;
use crate::time;

/// Messages that may wait for their confirm at once. A queue takes a few hundred messages per second one by
/// one, and thousands with a window of 256.
pub(super) const WINDOW: usize = 256;

/// The state that publishing, consuming and reading dead letters share.
pub(super) struct Core {
    pub(super) links: Links,
    pub(super) topology: Topology,
    /// `service@host`: named as the one who gave a message up.
    pub(super) by: String,
    pub(super) timeout: Duration,
    pub(super) window: Semaphore,
    pub(super) ids: MessageIds,
}

/// Owns the supervisor's task and short tasks that clean up. The connection ends with its last owner.
pub(super) struct Keeper {
    pub(super) stop: CancellationToken,
    pub(super) tasks: Mutex<JoinSet<()>>,
}

impl Keeper {
    /// Runs a task that ends by itself. Outside of a runtime, or once everything is closed, nothing is left
    /// to clean up.
    pub(super) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        while tasks.try_join_next().is_some() {}
        if !self.stop.is_cancelled() {
            tasks.spawn_on(task, &runtime);
        }
    }
}

impl Core {
    /// Runs a short exchange on a channel of its own, within the time limit.
    pub(super) async fn ask<T>(
        &self,
        what: &str,
        asking: impl Future<Output = Result<T, BrokerError>>,
    ) -> Result<T, BrokerError> {
        match timeout(self.timeout, asking).await {
            Ok(answer) => answer,
            Err(_) => {
                self.links.suspect();
                Err(BrokerError(format!("{what}: no answer within {} ms", self.timeout.as_millis())))
            }
        }
    }

    pub(super) fn failed(&self, what: &str, error: &lapin::Error) -> BrokerError {
        self.links.suspect();
        BrokerError(format!("{what}: {}", self.topology.with_remedy(error)))
    }

    pub(super) async fn count(&self, name: &str) -> Result<u64, BrokerError> {
        let what = format!("cannot query queue `{name}`");
        let asking = async {
            let link = self.links.now()?;
            let channel = link.channel().await.map_err(|error| self.failed(&what, &error))?;
            let passive = QueueDeclareOptions { passive: true, ..Default::default() };
            let queue = channel
                .queue_declare(name.into(), passive, FieldTable::default())
                .await
                .map_err(|error| self.failed(&what, &error))?;
            Ok(u64::from(queue.message_count()))
        };
        self.ask(&what, asking).await
    }
}

/// Makes message ids. Two processes of one name share them only with equal process ids and equal start times.
pub(super) struct MessageIds {
    start: String,
    next: AtomicU64,
}

impl MessageIds {
    pub(super) fn new(by: &str) -> MessageIds {
        let seed = format!("{by} {} {}", std::process::id(), time::now().0);
        let start = blake3::hash(seed.as_bytes()).to_hex()[..12].to_string();
        MessageIds { start, next: AtomicU64::new(1) }
    }

    pub(super) fn next(&self) -> String {
        format!("{}-{:08x}", self.start, self.next.fetch_add(1, Ordering::Relaxed))
    }
}
