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
mod errors;
mod frontier;
mod handle;
mod index;
mod log;
mod records;
mod state;
mod sums;
pub mod writer;

use std::path::Path;

use ::redb::{Builder, Database, DatabaseError, ReadableTable, TableDefinition};

pub use self::handle::RedbStore;
use super::error::{StoreError, StoreResult};

/// Number of the file's layout. A file with a higher number is refused.
const FORMAT: u64 = 4;
/// The layout of 0.1.0, which is upgraded when a file is opened.
const FIRST_FORMAT: u64 = 2;
/// Memory for caching pages of the file, in bytes.
const CACHE_BYTES: usize = 128 << 20;

const META: TableDefinition<'_, &str, u64> = TableDefinition::new("meta");

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
                "the store was not closed properly; checking its file"
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
        RedbStore::new(database)
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
                sums::SumTables::upgrade(&transaction, &state::numbers(&transaction)?)?;
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
