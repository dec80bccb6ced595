//! A handle of the store: its writer, and reads from snapshots.

use std::sync::Arc;

use ::redb::{Database, ReadTransaction, ReadableDatabase, WriteTransaction};

use super::writer::Writer;
use crate::store::archive::packing::blocking;
use crate::store::error::StoreResult;

/// A store in one file. Clones are handles of the same store.
#[derive(Clone)]
pub struct RedbStore {
    inner: Arc<Inner>,
}

struct Inner {
    // Dropped first: it makes all writes durable before the database closes.
    writer: Writer,
    database: Arc<Database>,
}

impl RedbStore {
    /// Starts the writer of a database whose tables exist.
    pub(super) fn new(database: Database) -> StoreResult<RedbStore> {
        let database = Arc::new(database);
        let writer = Writer::start(Arc::clone(&database))?;
        Ok(RedbStore { inner: Arc::new(Inner { writer, database }) })
    }

    /// Makes everything answered so far survive a crash.
    ///
    /// # Errors
    /// [`Refused`](crate::store::StoreError::Refused) if the disk is full, [`Unavailable`](crate::store::StoreError::Unavailable) if the disk failed.
    pub async fn flush(&self) -> StoreResult<()> {
        self.inner.writer.flush().await
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
    pub(super) async fn write<T: Send + 'static>(
        &self,
        change: impl FnMut(&WriteTransaction) -> StoreResult<T> + Send + 'static,
    ) -> StoreResult<T> {
        self.inner.writer.run(change).await
    }

    /// Reads from a snapshot that includes all answered writes.
    pub(super) async fn read<T: Send + 'static>(
        &self,
        look: impl FnOnce(&ReadTransaction) -> StoreResult<T> + Send + 'static,
    ) -> StoreResult<T> {
        let store = self.clone();
        blocking(move || look(&store.inner.database.begin_read()?)).await
    }
}
