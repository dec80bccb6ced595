//! The embedded store: one file with the frontier, mined state, values and archive of one process.
//!
//! One process writes, and any number of others read ([`RedbStore::open_read_only`]), each call from a snapshot, without
//! stopping the writer. Writes queue for one writer thread, which runs all waiting ones in one transaction and answers
//! them once it is on the disk (see [`writer`]): readers see what is durable, and nothing that was answered is lost.
//! `docs/decisions/0081-one-writer-many-readers.md` says why.
//!
//! A commit also says which pages of the file are free, so a file that was not closed opens at once. What a page
//! of the file holds is not checked at every read: [`check`] does that on request, and [`repair`] mends what it can. A
//! damaged page that is met on the way ends the work with [`StoreError::Damaged`]. Start at [`RedbStore`].

mod ahead;
mod archive;
pub mod backup;
mod changes;
pub mod check;
pub mod compact;
mod errors;
mod frontier;
mod handle;
mod index;
mod log;
mod records;
pub mod repair;
mod state;
mod sums;
pub mod writer;

use std::io::ErrorKind;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::Duration;

use ::redb::{
    Builder, ConcurrencyMode, Database, DatabaseError, ReadOnlyDatabase, ReadTransaction,
    ReadableDatabase as _, TableDefinition, TableError, TableHandle as _,
};

use self::handle::OneState;
pub use self::handle::RedbStore;
use self::writer::Commits;
use super::error::{StoreError, StoreResult};

/// Number of the file's layout. A file with a higher number is refused.
const FORMAT: u64 = 5;
/// The layout of 0.1.0, which is upgraded when a file is opened.
const FIRST_FORMAT: u64 = 2;
/// The first layout whose cells are ordered by label (docs/decisions/0041-cells-by-label.md).
const BY_LABEL_FORMAT: u64 = 4;
/// Memory for caching pages of the file, in bytes.
const CACHE_BYTES: usize = 128 << 20;
/// The same for a process that only reads.
const READER_CACHE_BYTES: usize = 32 << 20;

const META: TableDefinition<'_, &str, u64> = TableDefinition::new("meta");

impl RedbStore {
    /// Opens a store, or makes one if the file is missing or empty. Blocks.
    ///
    /// # Errors
    /// [`StoreError::InUse`] if another process writes the file; [`StoreError::Refused`] if it may not be read and written, or
    /// if it has another format; [`StoreError::Damaged`] or [`StoreError::Corrupt`] if it is no store. Each names the file.
    pub fn open(path: &Path) -> StoreResult<RedbStore> {
        let shown = path.display().to_string();
        let opening = || -> StoreResult<Database> {
            let database = builder(&shown).create(path).map_err(|error| cannot_open(&shown, error))?;
            prepare(&database, &shown)?;
            Ok(database)
        };
        RedbStore::writing(without_panic(&shown, opening)?, Commits::Durable)
    }

    /// Opens a store that exists, for reading. Several processes may read at once, also while another one writes. Nothing
    /// of the file changes, unless its last writer was killed and no other has opened it since: then it is recovered first.
    /// Blocks.
    ///
    /// # Errors
    /// As those of [`RedbStore::open`]; also [`StoreError::Refused`] if the file must be recovered and cannot be written, or
    /// if it must be upgraded first, which opening it for writing does.
    pub fn open_read_only(path: &Path) -> StoreResult<RedbStore> {
        RedbStore::reading(RedbStore::open_database_read_only(path)?, None)
    }

    /// The same, but all calls read the state at one time, whatever is written meanwhile; after `kept_for`, a newer one. Until then
    /// the writer cannot use again what it replaces in the file. After it, a reader that makes no calls holds nothing.
    ///
    /// # Errors
    /// As those of [`RedbStore::open_read_only`].
    pub fn open_snapshot(path: &Path, kept_for: Duration) -> StoreResult<RedbStore> {
        let one_state = OneState { kept_for, is_renewed: false };
        RedbStore::reading(RedbStore::open_database_read_only(path)?, Some(one_state))
    }

    /// The same for a reader that goes through all sites and needs no state of all at one time: it gets a newer one also whenever it
    /// [renews](super::SiteState::renew) it.
    ///
    /// # Errors
    /// As those of [`RedbStore::open_read_only`].
    pub fn open_snapshots(path: &Path, kept_for: Duration) -> StoreResult<RedbStore> {
        let one_state = OneState { kept_for, is_renewed: true };
        RedbStore::reading(RedbStore::open_database_read_only(path)?, Some(one_state))
    }

    fn open_database_read_only(path: &Path) -> StoreResult<ReadOnlyDatabase> {
        let shown = path.display().to_string();
        let mut reader = builder(&shown);
        reader.set_cache_size(READER_CACHE_BYTES);
        let opening = || -> StoreResult<_> {
            let opened = match reader.open_read_only(path) {
                // The writer was killed. Who opens the file for writing recovers it; a new writer may be first.
                Err(DatabaseError::RepairAborted) => {
                    match builder(&shown).open(path) {
                        Ok(database) => drop(database),
                        Err(DatabaseError::DatabaseAlreadyOpen) => {}
                        Err(error) => return Err(cannot_recover(&shown, error)),
                    }
                    reader.open_read_only(path)
                }
                opened => opened,
            };
            let database = opened.map_err(|error| cannot_open(&shown, error))?;
            match format_of(&database.begin_read()?, &shown)? {
                Some(FORMAT) => Ok(database),
                Some(older @ FIRST_FORMAT..FORMAT) => Err(StoreError::Refused(format!(
                    "`{shown}` has format {older}, which an older version of Newslode wrote: `newslode repair` upgrades it \
                     to {FORMAT}, as `newslode mine` does"
                ))),
                other => Err(wrong_format(&shown, other)),
            }
        };
        without_panic(&shown, opening)
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
        RedbStore::writing(database, Commits::Lazy)
    }
}

fn builder(shown: &str) -> Builder {
    let mut builder = Builder::new();
    builder.set_cache_size(CACHE_BYTES).set_concurrency_mode(ConcurrencyMode::SingleWriter);
    let file = shown.to_owned();
    builder.set_repair_callback(move |session| {
        let progress = session.progress();
        tracing::info!(file, progress, "the store was not closed properly; checking its file");
    });
    builder
}

/// Opens a file, which may be damaged in ways that the database does not expect.
fn without_panic<T>(shown: &str, opening: impl FnOnce() -> StoreResult<T>) -> StoreResult<T> {
    let opened = catch_unwind(AssertUnwindSafe(opening));
    let opened = opened.unwrap_or_else(|panic| Err(errors::damaged(&*panic)));
    opened.map_err(|error| match error {
        StoreError::Damaged(what) if !what.contains(shown) => {
            StoreError::Damaged(format!("`{shown}`: {what}"))
        }
        error => error,
    })
}

/// The format of a file; `None` if it holds nothing yet.
fn format_of(transaction: &ReadTransaction, shown: &str) -> StoreResult<Option<u64>> {
    match transaction.open_table(META) {
        Ok(meta) => Ok(meta.get("format")?.map(|format| format.value())),
        Err(TableError::TableDoesNotExist(_)) => match transaction.list_tables()?.next() {
            None => Ok(None),
            Some(table) => Err(StoreError::Refused(format!(
                "`{shown}` is a redb file of another program (it has the table `{}`); nothing was changed",
                table.name()
            ))),
        },
        Err(error) => Err(error.into()),
    }
}

/// Checks the format and makes all tables, so that reads find them.
fn prepare(database: &Database, shown: &str) -> StoreResult<()> {
    let found = format_of(&database.begin_read()?, shown)?;
    let transaction = database.begin_write()?;
    {
        let mut meta = transaction.open_table(META)?;
        match found {
            Some(FORMAT) => {}
            None => drop(meta.insert("format", FORMAT)?),
            Some(found @ FIRST_FORMAT..FORMAT) => {
                if found == FIRST_FORMAT {
                    index::upgrade(&transaction)?;
                }
                if found < BY_LABEL_FORMAT {
                    sums::SumTables::upgrade(&transaction, &state::numbers(&transaction)?)?;
                }
                drop(meta.insert("format", FORMAT)?);
            }
            other => return Err(wrong_format(shown, other)),
        }
    }
    index::Index::open(&transaction)?;
    state::State::open(&transaction)?;
    archive::Blobs::open(&transaction)?;
    transaction.commit()?;
    archive::upgrade(database)
}

fn wrong_format(shown: &str, format: Option<u64>) -> StoreError {
    StoreError::Refused(match format {
        None => format!("`{shown}` holds no run yet"),
        Some(newer) if newer > FORMAT => format!(
            "`{shown}` has format {newer}, written by a newer version of Newslode; this one reads {FORMAT}: update this \
             program"
        ),
        Some(older) => {
            format!("`{shown}` has format {older}, from before 0.1.0; this program reads {FORMAT}")
        }
    })
}

/// The error of a reader whose file must be recovered.
fn cannot_recover(shown: &str, error: DatabaseError) -> StoreError {
    match error {
        DatabaseError::Storage(::redb::StorageError::Io(error))
            if matches!(error.kind(), ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem) =>
        {
            StoreError::Refused(format!(
                "`{shown}` was not closed, and it cannot be recovered here, because it may not be written ({error}): any command \
                 that may write it recovers it"
            ))
        }
        error => cannot_open(shown, error),
    }
}

fn cannot_open(shown: &str, error: DatabaseError) -> StoreError {
    match error {
        DatabaseError::DatabaseAlreadyOpen => {
            StoreError::InUse(format!("`{shown}` is being written by another process"))
        }
        DatabaseError::UpgradeRequired(format) => {
            StoreError::Refused(format!("`{shown}` has an older file format ({format})"))
        }
        // Only a reader gives up here.
        DatabaseError::RepairAborted => StoreError::Refused(format!(
            "`{shown}` was not closed, and nothing may be written to recover it: `newslode repair` does that, as \
             `newslode mine` does when it continues the run"
        )),
        DatabaseError::Storage(::redb::StorageError::Io(error))
            if !matches!(error.kind(), ErrorKind::InvalidData | ErrorKind::UnexpectedEof) =>
        {
            match error.kind() {
                ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
                    StoreError::Full(format!("`{shown}` cannot be opened: {error}"))
                }
                _ => StoreError::Refused(format!("`{shown}` cannot be opened: {error}")),
            }
        }
        DatabaseError::Storage(::redb::StorageError::Io(error)) if error.kind() == ErrorKind::InvalidData => {
            StoreError::Corrupt(format!("`{shown}` is not a store: {error}"))
        }
        error => StoreError::Damaged(format!("`{shown}`: {error}")),
    }
}
