//! A handle of the store: its writer, and reads from snapshots.

use std::panic::{AssertUnwindSafe, Location, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
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
struct Snapshot {
    /// It is taken anew after this time: while it is held, pages of the file that the writer replaces are not used again.
    kept_for: Duration,
    held: Mutex<Option<(Instant, Arc<ReadTransaction>)>>,
}

impl Snapshot {
    fn transaction(&self, database: &ReadOnlyDatabase) -> StoreResult<Arc<ReadTransaction>> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        match &*held {
            Some((taken, transaction)) if taken.elapsed() < self.kept_for => Ok(Arc::clone(transaction)),
            _ => {
                let transaction = Arc::new(database.begin_read()?);
                *held = Some((Instant::now(), Arc::clone(&transaction)));
                Ok(transaction)
            }
        }
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
    pub(super) fn reading(database: ReadOnlyDatabase, one_state_for: Option<Duration>) -> RedbStore {
        let snapshot = one_state_for.map(|kept_for| Snapshot { kept_for, held: Mutex::default() });
        let access = Access::Read { database, snapshot };
        RedbStore { inner: Arc::new(Inner { access, failure: Arc::default() }) }
    }

    /// The failure after which no call works any more until the file is opened again: its disk was full, or it is damaged.
    #[must_use]
    pub fn failure(&self) -> Option<StoreError> {
        self.inner.failure.cause()
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
