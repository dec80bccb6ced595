//! The embedded store: one file with the frontier, mined state, values and archive of one process.
//!
//! Reads take a snapshot and run beside the writer. Writes queue for one writer thread, which runs all
//! waiting ones in one transaction (see [`writer`]). Commits reach the file lazily: after a kill the file
//! holds an earlier state, made of whole calls in the order they were answered, never half of one.
//! [`RedbStore::flush`] makes all answered calls durable. The store also does this itself, every
//! [`writer::MOST_UNFLUSHED`] calls and when its last handle is dropped.
//!
//! A file that was not closed is checked from end to end when it is opened again. Start at [`RedbStore`].

mod archive;
mod changes;
mod frontier;
mod index;
mod log;
mod records;
mod state;
mod sums;
pub mod writer;

use std::path::Path;
use std::sync::Arc;

use ::redb::{
    Builder, Database, DatabaseError, ReadTransaction, ReadableDatabase, ReadableTable, TableDefinition,
    WriteTransaction,
};

use self::writer::Writer;
use super::archive::blocking;
use super::{StoreError, StoreResult};

/// Number of the file's layout. A file with a higher number is refused.
const FORMAT: u64 = 4;
/// The layout of 0.1.0, which is upgraded when a file is opened.
const FIRST_FORMAT: u64 = 2;
/// Memory for caching pages of the file, in bytes.
const CACHE_BYTES: usize = 128 << 20;

const META: TableDefinition<'_, &str, u64> = TableDefinition::new("meta");

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
    /// Opens a store, or makes one if the file is missing or empty. Blocks; after a crash for as long as it
    /// takes to read the whole file.
    ///
    /// # Errors
    /// [`StoreError::Refused`] if another process has the file open, if it may not be read and written, or if
    /// it has another format; [`StoreError::Corrupt`] if it is no store. Each names the file.
    pub fn open(path: &Path) -> StoreResult<RedbStore> {
        let shown = path.display().to_string();
        let mut builder = Builder::new();
        builder.set_cache_size(CACHE_BYTES);
        let repaired = shown.clone();
        builder.set_repair_callback(move |session| {
            tracing::info!(
                file = repaired,
                progress = session.progress(),
                "checking a store that was not closed"
            );
        });
        let database = builder.create(path).map_err(|error| cannot_open(&shown, error))?;
        RedbStore::of(database, &shown)
    }

    /// Makes a store in memory, for tests and trials. It vanishes with its last handle.
    ///
    /// # Errors
    /// As for any write to a store.
    pub fn in_memory() -> StoreResult<RedbStore> {
        let backend = ::redb::backends::InMemoryBackend::new();
        let database = Builder::new()
            .set_cache_size(CACHE_BYTES)
            .create_with_backend(backend)
            .map_err(|error| cannot_open("memory", error))?;
        RedbStore::of(database, "memory")
    }

    fn of(database: Database, shown: &str) -> StoreResult<RedbStore> {
        prepare(&database, shown)?;
        let database = Arc::new(database);
        let writer = Writer::start(Arc::clone(&database))?;
        Ok(RedbStore { inner: Arc::new(Inner { writer, database }) })
    }

    /// Makes everything answered so far survive a crash.
    ///
    /// # Errors
    /// [`StoreError::Refused`] if the disk is full, [`StoreError::Unavailable`] if the disk failed.
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
    async fn write<T: Send + 'static>(
        &self,
        change: impl FnMut(&WriteTransaction) -> StoreResult<T> + Send + 'static,
    ) -> StoreResult<T> {
        self.inner.writer.run(change).await
    }

    /// Reads from a snapshot that includes all answered writes.
    async fn read<T: Send + 'static>(
        &self,
        look: impl FnOnce(&ReadTransaction) -> StoreResult<T> + Send + 'static,
    ) -> StoreResult<T> {
        let store = self.clone();
        blocking(move || look(&store.inner.database.begin_read()?)).await
    }
}

/// Checks the format and makes all tables, so that reads find them.
fn prepare(database: &Database, shown: &str) -> StoreResult<()> {
    let transaction = database.begin_write()?;
    {
        let mut meta = transaction.open_table(META)?;
        let found = meta.get("format")?.map(|format| format.value());
        match found {
            None => drop(meta.insert("format", FORMAT)?),
            Some(FORMAT) => {}
            Some(found @ FIRST_FORMAT..FORMAT) => {
                if found == FIRST_FORMAT {
                    index::upgrade(&transaction)?;
                }
                sums::Held::upgrade(&transaction, &state::numbers(&transaction)?)?;
                drop(meta.insert("format", FORMAT)?);
            }
            Some(other) => {
                let refusal = if other > FORMAT {
                    format!(
                        "`{shown}` has format {other}, written by a newer version of Newslode; this one reads \
                         {FORMAT}: update this program"
                    )
                } else {
                    format!("`{shown}` has format {other}, from before 0.1.0; this program reads {FORMAT}")
                };
                return Err(StoreError::Refused(refusal));
            }
        }
    }
    index::Index::open(&transaction)?;
    state::State::open(&transaction)?;
    archive::Blobs::open(&transaction)?;
    transaction.commit()?;
    Ok(())
}

fn cannot_open(shown: &str, error: DatabaseError) -> StoreError {
    match error {
        DatabaseError::DatabaseAlreadyOpen => StoreError::Refused(format!(
            "`{shown}` is open in another process; stop it, or name another file"
        )),
        DatabaseError::UpgradeRequired(format) => {
            StoreError::Refused(format!("`{shown}` has an older file format ({format})"))
        }
        DatabaseError::Storage(::redb::StorageError::Io(error))
            if error.kind() != std::io::ErrorKind::InvalidData =>
        {
            StoreError::Refused(format!("`{shown}` cannot be opened: {error}"))
        }
        error => StoreError::Corrupt(format!("`{shown}` is not a store: {error}")),
    }
}

/// The error that a failure of the file means to the caller.
fn meaning(error: ::redb::Error) -> StoreError {
    use std::io::ErrorKind;
    match error {
        ::redb::Error::Io(error) => match error.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::ReadOnlyFilesystem => {
                StoreError::Refused(format!("the store's file cannot be written: {error}"))
            }
            _ => StoreError::Unavailable(format!("the store's file: {error}")),
        },
        ::redb::Error::PreviousIo => {
            StoreError::Refused("the store's file failed before; start again to check it".to_owned())
        }
        error => StoreError::Corrupt(error.to_string()),
    }
}

macro_rules! store_errors {
    ($($error:ident),*) => {
        $(impl From<::redb::$error> for StoreError {
            fn from(error: ::redb::$error) -> StoreError {
                meaning(error.into())
            }
        })*
    };
}
store_errors!(StorageError, TableError, TransactionError, CommitError, SetDurabilityError);

/// The first key after all that continue `text` with another part: the upper end of a site's range.
fn after(text: &str) -> String {
    format!("{text}\0")
}
