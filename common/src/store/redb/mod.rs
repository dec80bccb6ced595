//! The embedded side: frontier, mined state, values and archive in one redb file, for one process.
//!
//! redb has one writer, so one thread writes: calls queue up for it, and all that wait are committed
//! together, which makes many small calls cheap. Commits are not flushed one by one; a durable commit
//! (each [`RedbStore::flush`], and every [`FLUSH_AFTER`] commits) makes everything before it durable.
//! Invariant: after a crash the file holds a prefix of the commits, so frontier, counts and archive
//! always agree with one another. Start at [`RedbStore::open`].

use std::path::Path;
use std::sync::Arc;

use ::redb::{Database, DatabaseError, Durability, ReadTransaction, ReadableDatabase, WriteTransaction};
use tokio::sync::{mpsc, oneshot};

use super::{StoreError, StoreResult};

mod archive;
mod frontier;
mod schedule;
mod state;
mod tables;

/// Commits after which one is made durable unasked, so that redb can free pages.
const FLUSH_AFTER: u32 = 2_000;

/// Calls committed together at most.
const GROUP: usize = 128;

/// Calls that wait for the writer at most.
const WAITING: usize = 1_024;

/// Does its writes and returns what answers the caller once they are committed (or not).
type Job = Box<dyn FnOnce(&WriteTransaction) -> StoreResult<Answer> + Send>;
type Answer = Box<dyn FnOnce() + Send>;

struct Call {
    job: Job,
    durable: bool,
    failed: oneshot::Sender<StoreError>,
}

/// The embedded store; clones share it.
#[derive(Clone)]
pub struct RedbStore {
    db: Arc<Database>,
    calls: mpsc::Sender<Call>,
}

fn broken(error: impl Into<::redb::Error>) -> StoreError {
    match error.into() {
        ::redb::Error::Io(error) => StoreError::Refused(format!("redb: {error}; is the disk full?")),
        ::redb::Error::Corrupted(what) => StoreError::Corrupt(format!("redb: {what}")),
        other => StoreError::Refused(format!("redb: {other}")),
    }
}

impl RedbStore {
    /// Opens or makes the file. A file that was left by a crash is repaired first.
    ///
    /// # Errors
    /// When another process has it open, or it cannot be made, read or repaired.
    pub fn open(path: &Path) -> StoreResult<RedbStore> {
        let shown = path.display();
        let db = Database::builder().create(path).map_err(|error| match error {
            DatabaseError::DatabaseAlreadyOpen => StoreError::Refused(format!(
                "`{shown}` is open in another process; wait for it to end, or use another folder"
            )),
            other => StoreError::Refused(format!("cannot open `{shown}`: {other}")),
        })?;
        let setup = db.begin_write().map_err(broken)?;
        tables::create(&setup)?;
        setup.commit().map_err(broken)?;
        let db = Arc::new(db);
        let (calls, waiting) = mpsc::channel(WAITING);
        let writer = db.clone();
        std::thread::Builder::new()
            .name("newslode-redb".into())
            .spawn(move || write_loop(&writer, waiting))
            .map_err(|error| StoreError::Refused(format!("cannot start the writer's thread: {error}")))?;
        Ok(RedbStore { db, calls })
    }

    /// Makes everything that was written so far durable.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub async fn flush(&self) -> StoreResult<()> {
        self.call(true, |_| Ok(())).await
    }

    async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&WriteTransaction) -> StoreResult<T> + Send + 'static,
    ) -> StoreResult<T> {
        self.call(false, work).await
    }

    async fn call<T: Send + 'static>(
        &self,
        durable: bool,
        work: impl FnOnce(&WriteTransaction) -> StoreResult<T> + Send + 'static,
    ) -> StoreResult<T> {
        let (answer, answered) = oneshot::channel();
        let (failed, failure) = oneshot::channel();
        let job: Job = Box::new(move |txn| {
            let result = work(txn)?;
            Ok(Box::new(move || {
                // A caller that has gone wants no answer.
                answer.send(result).ok();
            }))
        });
        let gone = || StoreError::Unavailable("the writer's thread has ended".into());
        self.calls.send(Call { job, durable, failed }).await.map_err(|_| gone())?;
        tokio::select! {
            biased;
            Ok(error) = failure => Err(error),
            result = answered => result.map_err(|_| gone()),
        }
    }

    async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&ReadTransaction) -> StoreResult<T> + Send + 'static,
    ) -> StoreResult<T> {
        let db = self.db.clone();
        let done = tokio::task::spawn_blocking(move || work(&db.begin_read().map_err(broken)?)).await;
        done.map_err(|error| StoreError::Unavailable(error.to_string()))?
    }
}

/// Commits all waiting calls together until every handle is gone, then flushes.
fn write_loop(db: &Database, mut waiting: mpsc::Receiver<Call>) {
    let mut unflushed = 0;
    while let Some(first) = waiting.blocking_recv() {
        let mut group = vec![first];
        while group.len() < GROUP
            && let Ok(call) = waiting.try_recv()
        {
            group.push(call);
        }
        let durable = group.iter().any(|call| call.durable) || unflushed >= FLUSH_AFTER;
        commit(db, group, durable);
        unflushed = if durable { 0 } else { unflushed + 1 };
    }
    commit(db, Vec::new(), true);
}

/// One transaction for a group of calls. If one of them fails, none of them had an effect, and every
/// caller hears why: all calls are safe to repeat.
fn commit(db: &Database, group: Vec<Call>, durable: bool) {
    let mut failures = Vec::with_capacity(group.len());
    let mut jobs = Vec::with_capacity(group.len());
    for call in group {
        failures.push(call.failed);
        jobs.push(call.job);
    }
    let outcome = db.begin_write().map_err(broken).and_then(|mut txn| {
        let kind = if durable { Durability::Immediate } else { Durability::None };
        txn.set_durability(kind).map_err(|error| StoreError::Refused(error.to_string()))?;
        let answers = jobs.into_iter().map(|job| job(&txn)).collect::<StoreResult<Vec<Answer>>>()?;
        txn.commit().map_err(broken)?;
        Ok(answers)
    });
    match outcome {
        // The failure channels close unused here; the callers wait for their answers.
        Ok(answers) => answers.into_iter().for_each(|answer| answer()),
        Err(error) => failures.into_iter().for_each(|failed| {
            failed.send(StoreError::Unavailable(error.to_string())).ok();
        }),
    }
}
