//! A handle of the store: its writer, and reads from snapshots.

use std::panic::{AssertUnwindSafe, Location, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use ::redb::{Database, ReadOnlyDatabase, ReadTransaction, ReadableDatabase, WriteTransaction};

use super::errors::{self, Failure};
use super::writer::{Commits, Writer};
use crate::store::archive::packing::blocking;
use crate::store::error::{StoreError, StoreResult};

/// A store in one file. Clones are handles of the same store.
#[derive(Clone)]
pub struct RedbStore {
    inner: Arc<Inner>,
}

struct Inner {
    access: Access,
    failure: Arc<Failure>,
}

/// How the file is open.
enum Access {
    /// The writer is dropped first: it commits the waiting calls before the database closes.
    Write { writer: Writer, database: Arc<Database> },
    /// Nothing of the file changes.
    Read { database: ReadOnlyDatabase, snapshot: Option<Snapshot> },
}

/// The state of the file at one time, for all calls of a reader.
///
/// It is released after a time, also if the reader makes no call meanwhile because nobody takes what it prints: while it is held,
/// pages of the file that the writer replaces are not used again, and the file grows.
struct Snapshot {
    kept_for: Duration,
    /// Whether the reader may ask for a newer state before.
    is_renewed: bool,
    shared: Arc<Held>,
    /// Releases it; it ends with the snapshot.
    keeper: Option<JoinHandle<()>>,
}

/// How long all calls of a reader see the state at one time.
#[derive(Clone, Copy, Debug)]
pub(super) struct OneState {
    pub(super) kept_for: Duration,
    pub(super) is_renewed: bool,
}

#[derive(Default)]
struct Held {
    state: Mutex<HeldState>,
    changed: Condvar,
}

#[derive(Default)]
struct HeldState {
    taken: Option<(Instant, Arc<ReadTransaction>)>,
    is_closed: bool,
}

impl Snapshot {
    fn new(OneState { kept_for, is_renewed }: OneState) -> StoreResult<Snapshot> {
        let shared = Arc::new(Held::default());
        let held = Arc::clone(&shared);
        let keeper =
            std::thread::Builder::new().name("snapshot".into()).spawn(move || held.release_after(kept_for));
        let keeper = keeper.map_err(|error| StoreError::Refused(format!("no thread for it: {error}")))?;
        Ok(Snapshot { kept_for, is_renewed, shared, keeper: Some(keeper) })
    }

    /// Releases the transaction, if the reader may; calls that use it end first.
    fn renew(&self) {
        if self.is_renewed {
            self.shared.state().taken = None;
        }
    }

    fn transaction(&self, database: &ReadOnlyDatabase) -> StoreResult<Arc<ReadTransaction>> {
        let mut state = self.shared.state();
        match &state.taken {
            Some((taken, transaction)) if taken.elapsed() < self.kept_for => Ok(Arc::clone(transaction)),
            _ => {
                let transaction = Arc::new(database.begin_read()?);
                state.taken = Some((Instant::now(), Arc::clone(&transaction)));
                self.shared.changed.notify_all();
                Ok(transaction)
            }
        }
    }
}

impl Held {
    fn state(&self) -> MutexGuard<'_, HeldState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Releases each transaction so long after it was taken, until the snapshot is closed. A call that uses it ends first.
    fn release_after(&self, kept_for: Duration) {
        let mut state = self.state();
        while !state.is_closed {
            let left = state.taken.as_ref().map(|(taken, _)| kept_for.saturating_sub(taken.elapsed()));
            state = match left {
                Some(Duration::ZERO) => {
                    state.taken = None;
                    state
                }
                Some(left) => {
                    self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0
                }
                None => self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }
}

impl Drop for Snapshot {
    fn drop(&mut self) {
        self.shared.state().is_closed = true;
        self.shared.changed.notify_all();
        // It does not panic.
        self.keeper.take().map(JoinHandle::join);
    }
}

impl RedbStore {
    /// Starts the writer of a database whose tables exist.
    pub(super) fn writing(database: Database, commits: Commits) -> StoreResult<RedbStore> {
        let (database, failure) = (Arc::new(database), Arc::default());
        let writer = Writer::start(Arc::clone(&database), Arc::clone(&failure), commits)?;
        Ok(RedbStore { inner: Arc::new(Inner { access: Access::Write { writer, database }, failure }) })
    }

    /// A store that only reads: each call what was answered before, or all calls the state at one time.
    ///
    /// # Errors
    /// When the machine gives no thread.
    pub(super) fn reading(database: ReadOnlyDatabase, one_state: Option<OneState>) -> StoreResult<RedbStore> {
        let access = Access::Read { database, snapshot: one_state.map(Snapshot::new).transpose()? };
        Ok(RedbStore { inner: Arc::new(Inner { access, failure: Arc::default() }) })
    }

    /// The failure after which no call works any more until the file is opened again: its disk was full, or it is damaged.
    #[must_use]
    pub fn failure(&self) -> Option<StoreError> {
        self.inner.failure.cause()
    }

    /// Releases the state that all calls of a reader share, so that the next call takes the newest, if it was opened for that.
    pub(super) fn renew_snapshot(&self) {
        if let Access::Read { snapshot: Some(snapshot), .. } = &self.inner.access {
            snapshot.renew();
        }
    }

    /// Bytes of the file that are in use: records, the trees over them, and the free space in their pages.
    /// Reads the whole file.
    ///
    /// # Errors
    /// As for any write.
    pub async fn used_bytes(&self) -> StoreResult<u64> {
        self.write(|transaction| {
            let stats = transaction.stats()?;
            Ok(stats.stored_bytes() + stats.metadata_bytes() + stats.fragmented_bytes())
        })
        .await
    }

    /// Runs a change in the writer's next transaction and returns once it is committed. The change may run
    /// again after a failed transaction, so all its effects must be inside the transaction.
    #[track_caller]
    pub(super) fn write<T: Send + 'static>(
        &self,
        change: impl FnMut(&WriteTransaction) -> StoreResult<T> + Send + 'static,
    ) -> impl Future<Output = StoreResult<T>> + Send {
        let caller = Location::caller();
        async move {
            match &self.inner.access {
                Access::Write { writer, .. } => writer.run(caller, change).await,
                Access::Read { .. } => Err(StoreError::Refused("it was opened for reading only".to_owned())),
            }
        }
    }

    /// Reads from a snapshot that includes all answered writes.
    pub(super) async fn read<T: Send + 'static>(
        &self,
        look: impl FnOnce(&ReadTransaction) -> StoreResult<T> + Send + 'static,
    ) -> StoreResult<T> {
        let store = self.clone();
        blocking(move || {
            let begun = match &store.inner.access {
                Access::Write { database, .. } => database.begin_read().map(Arc::new).map_err(Into::into),
                Access::Read { database, snapshot: None } => {
                    database.begin_read().map(Arc::new).map_err(Into::into)
                }
                Access::Read { database, snapshot: Some(snapshot) } => snapshot.transaction(database),
            };
            let looked = catch_unwind(AssertUnwindSafe(|| look(&*begun?)));
            let looked = looked.unwrap_or_else(|panic| Err(errors::damaged(&*panic)));
            looked.map_err(|error| store.inner.failure.note(errors::of_file(error)))
        })
        .await
    }
}
