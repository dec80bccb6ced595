//! The only thread that writes. It runs all waiting calls in one transaction and answers each after the
//! commit.
//!
//! So many small calls cost one commit. A call that fails must not spoil the others: its transaction is given
//! up, and each of the calls runs again alone. Not every commit is durable; one that is makes all earlier
//! ones durable, too.

use std::panic::{AssertUnwindSafe, Location, catch_unwind};
use std::sync::Arc;
use std::thread::JoinHandle;

use ::redb::{Database, Durability, WriteTransaction};
use tokio::sync::{mpsc, oneshot};

use super::errors::{self, Failure};
use crate::failpoint;
use crate::store::{StoreError, StoreResult};

/// Largest number of waiting calls. Further callers wait for a place.
const QUEUE: usize = 1_024;
/// Largest number of calls in one transaction, so that answers never take long.
const BATCH: usize = 256;
/// After this many calls the store makes them durable by itself.
pub const MOST_UNFLUSHED: usize = 2_000;

/// A queued call.
trait Work: Send {
    fn run(&mut self, transaction: &WriteTransaction) -> StoreResult<()>;
    fn answer(self: Box<Self>, committed: StoreResult<()>);
    /// Whether the commit must be durable.
    fn durable(&self) -> bool {
        false
    }
    /// Where the program called the store; `None` for a call that changes nothing.
    fn caller(&self) -> Option<&'static Location<'static>> {
        None
    }
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

    fn caller(&self) -> Option<&'static Location<'static>> {
        Some(self.caller)
    }
}

struct Flush(oneshot::Sender<StoreResult<()>>);

impl Work for Flush {
    fn run(&mut self, _: &WriteTransaction) -> StoreResult<()> {
        Ok(())
    }

    fn answer(self: Box<Self>, committed: StoreResult<()>) {
        drop(self.0.send(committed));
    }

    fn durable(&self) -> bool {
        true
    }
}

/// The writer's queue. When it is dropped, the thread finishes the waiting calls durably and ends.
pub(super) struct Writer {
    queue: Option<mpsc::Sender<Box<dyn Work>>>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    pub(super) fn start(database: Arc<Database>, failure: Arc<Failure>) -> StoreResult<Writer> {
        let (queue, waiting) = mpsc::channel(QUEUE);
        let thread = std::thread::Builder::new()
            .name("store-writer".to_owned())
            .spawn(move || work(&database, &failure, waiting))
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

    pub(super) async fn flush(&self) -> StoreResult<()> {
        let (reply, answer) = oneshot::channel();
        self.enqueue(Box::new(Flush(reply))).await?;
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

fn work(database: &Database, failure: &Failure, mut waiting: mpsc::Receiver<Box<dyn Work>>) {
    let mut unflushed = 0;
    let at_once = if failpoint::is_armed() { 1 } else { BATCH };
    while let Some(first) = waiting.blocking_recv() {
        let mut batch = vec![first];
        while batch.len() < at_once
            && let Ok(next) = waiting.try_recv()
        {
            batch.push(next);
        }
        unflushed += batch.len();
        let durable =
            unflushed >= MOST_UNFLUSHED || failpoint::is_armed() || batch.iter().any(|work| work.durable());
        if durable {
            unflushed = 0;
        }
        answer(database, failure, batch, durable);
    }
    if let Err(error) = transact(database, failure, &mut [], true) {
        tracing::error!(%error, "cannot flush the store; its last writes may be lost");
    }
}

fn answer(database: &Database, failure: &Failure, mut batch: Vec<Box<dyn Work>>, durable: bool) {
    if transact(database, failure, &mut batch, durable).is_ok() {
        for work in batch {
            if let Some(caller) = work.caller() {
                failpoint::effect(|| format!("store call at {}:{}", caller.file(), caller.line()));
            }
            work.answer(Ok(()));
        }
        return;
    }
    for mut work in batch {
        let result = transact(database, failure, std::slice::from_mut(&mut work), durable);
        work.answer(result);
    }
}

/// Runs all calls in one transaction. If one fails, the drop gives the transaction up.
fn transact(
    database: &Database,
    failure: &Failure,
    batch: &mut [Box<dyn Work>],
    durable: bool,
) -> StoreResult<()> {
    let transacted = catch_unwind(AssertUnwindSafe(|| {
        let mut transaction = database.begin_write()?;
        transaction.set_durability(if durable { Durability::Immediate } else { Durability::None })?;
        // What this costs at a durable commit, it saves after a kill: no page is read to open the file.
        transaction.set_quick_repair(durable);
        for work in batch {
            work.run(&transaction)?;
        }
        Ok(transaction.commit()?)
    }));
    let transacted = transacted.unwrap_or_else(|panic| Err(errors::damaged(&*panic)));
    transacted.map_err(|error| failure.note(errors::of_file(error)))
}
