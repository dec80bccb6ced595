//! The only thread that writes. It runs all waiting calls in one transaction and answers each after the
//! commit.
//!
//! So many small calls cost one commit. While callers come at the same time, the thread waits for them a little, because a
//! commit costs two writes to the disk; a caller that is alone is answered at once. A call that fails must not spoil the
//! others: its transaction is given up, and each of the calls runs again alone.

use std::panic::{AssertUnwindSafe, Location, catch_unwind};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use ::redb::{Database, Durability, WriteTransaction};
use tokio::sync::{mpsc, oneshot};

use super::errors::{self, Failure};
use crate::failpoint;
use crate::store::{StoreError, StoreResult};

/// Largest number of waiting calls. Further callers wait for a place.
const QUEUE: usize = 1_024;
/// Largest number of calls in one transaction, so that answers never take long.
const BATCH: usize = 512;
/// A transaction waits this long for more calls, if there are few and the one before had several.
const GATHER: Duration = Duration::from_millis(4);
/// With this many calls it waits no longer.
const ENOUGH: usize = 32;

/// When an answered call survives a crash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Commits {
    /// When it is answered.
    Durable,
    /// Never, for a store that ends with its process anyway.
    Lazy,
}

/// A queued call.
trait Work: Send {
    fn run(&mut self, transaction: &WriteTransaction) -> StoreResult<()>;
    fn answer(self: Box<Self>, committed: StoreResult<()>);
    /// Where the program called the store.
    fn caller(&self) -> &'static Location<'static>;
}

struct Call<T, F> {
    caller: &'static Location<'static>,
    change: F,
    value: Option<T>,
    reply: oneshot::Sender<StoreResult<T>>,
}

impl<T: Send, F: FnMut(&WriteTransaction) -> StoreResult<T> + Send> Work for Call<T, F> {
    fn run(&mut self, transaction: &WriteTransaction) -> StoreResult<()> {
        self.value = Some((self.change)(transaction)?);
        Ok(())
    }

    fn answer(self: Box<Self>, committed: StoreResult<()>) {
        let Call { value, reply, .. } = *self;
        let answer = committed.and_then(|()| value.ok_or_else(stopped));
        // The caller may be gone. The effect stands all the same.
        drop(reply.send(answer));
    }

    fn caller(&self) -> &'static Location<'static> {
        self.caller
    }
}

/// The writer's queue. When it is dropped, the thread finishes the waiting calls and ends.
pub(super) struct Writer {
    queue: Option<mpsc::Sender<Box<dyn Work>>>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    pub(super) fn start(
        database: Arc<Database>,
        failure: Arc<Failure>,
        commits: Commits,
    ) -> StoreResult<Writer> {
        let (queue, waiting) = mpsc::channel(QUEUE);
        let thread = std::thread::Builder::new()
            .name("store-writer".to_owned())
            .spawn(move || work(&database, &failure, commits, waiting))
            .map_err(|error| {
                StoreError::Unavailable(format!("cannot start the store's writer thread: {error}"))
            })?;
        Ok(Writer { queue: Some(queue), thread: Some(thread) })
    }

    pub(super) async fn run<T: Send + 'static>(
        &self,
        caller: &'static Location<'static>,
        change: impl FnMut(&WriteTransaction) -> StoreResult<T> + Send + 'static,
    ) -> StoreResult<T> {
        let (reply, answer) = oneshot::channel();
        self.enqueue(Box::new(Call { caller, change, value: None, reply })).await?;
        answer.await.unwrap_or_else(|_| Err(stopped()))
    }

    async fn enqueue(&self, work: Box<dyn Work>) -> StoreResult<()> {
        let queue = self.queue.as_ref().ok_or_else(stopped)?;
        queue.send(work).await.map_err(|_| stopped())
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        drop(self.queue.take());
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!(
                "the writer thread of the store panicked; all writes fail until the program is started again"
            );
        }
    }
}

fn stopped() -> StoreError {
    StoreError::Refused("the store's writer has stopped; start again to check the file".to_owned())
}

fn work(
    database: &Database,
    failure: &Failure,
    commits: Commits,
    mut waiting: mpsc::Receiver<Box<dyn Work>>,
) {
    let most = if failpoint::is_armed() { 1 } else { BATCH };
    let mut had_several = false;
    while let Some(first) = waiting.blocking_recv() {
        let mut batch = vec![first];
        take_waiting(&mut waiting, &mut batch, most);
        if commits == Commits::Durable && had_several && batch.len() < ENOUGH.min(most) {
            std::thread::sleep(GATHER);
            take_waiting(&mut waiting, &mut batch, most);
        }
        had_several = batch.len() > 1;
        answer(database, failure, commits, batch);
    }
}

/// Adds the calls that wait.
fn take_waiting(waiting: &mut mpsc::Receiver<Box<dyn Work>>, batch: &mut Vec<Box<dyn Work>>, most: usize) {
    while batch.len() < most
        && let Ok(next) = waiting.try_recv()
    {
        batch.push(next);
    }
}

fn answer(database: &Database, failure: &Failure, commits: Commits, mut batch: Vec<Box<dyn Work>>) {
    if transact(database, failure, commits, &mut batch).is_ok() {
        for work in batch {
            let caller = work.caller();
            failpoint::effect(|| format!("store call at {}:{}", caller.file(), caller.line()));
            work.answer(Ok(()));
        }
        return;
    }
    for mut work in batch {
        let result = transact(database, failure, commits, std::slice::from_mut(&mut work));
        work.answer(result);
    }
}

/// Runs all calls in one transaction. If one fails, the drop gives the transaction up.
fn transact(
    database: &Database,
    failure: &Failure,
    commits: Commits,
    batch: &mut [Box<dyn Work>],
) -> StoreResult<()> {
    let transacted = catch_unwind(AssertUnwindSafe(|| {
        let mut transaction = database.begin_write()?;
        let is_durable = commits == Commits::Durable;
        transaction.set_durability(if is_durable { Durability::Immediate } else { Durability::None })?;
        // What this costs at a commit, it saves after a kill: no page is read to open the file.
        transaction.set_quick_repair(is_durable);
        for work in batch {
            work.run(&transaction)?;
        }
        Ok(transaction.commit()?)
    }));
    let transacted = transacted.unwrap_or_else(|panic| Err(errors::damaged(&*panic)));
    transacted.map_err(|error| failure.note(errors::of_file(error)))
}
