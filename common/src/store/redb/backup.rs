//! Copies a file while a process writes it: all records of one snapshot, in batches, into a new file.
//!
//! The snapshot is held until the end, so pages that the writer replaces meanwhile are not used again, and its file grows. The copy holds
//! the same records and is a file of its own. A table that is not copied is an error, so none is forgotten. Start at [`back_up`].

use std::collections::BTreeSet;
use std::path::Path;

use ::redb::{
    Database, Key, ReadTransaction, ReadableDatabase as _, ReadableTable as _, ReadableTableMetadata as _,
    TableDefinition, TableHandle as _, Value,
};

use super::{RedbStore, archive, builder, cannot_open, index, log, prepare, state, sums, without_panic};
use crate::store::{StoreError, StoreResult};

/// A transaction of the copy takes records of about so many bytes.
const BATCH_BYTES: usize = 16 << 20;

/// Copies the state that a file has now to a file that does not exist yet; returns the number of records. Blocks. After each batch it
/// calls `show` with the number of records that are copied and of all, and ends with the error of that.
///
/// # Errors
/// As those of [`RedbStore::open_read_only`]; also if the copy cannot be written, or `show` fails. What was written is left.
pub fn back_up(
    path: &Path,
    copy: &Path,
    show: &mut dyn FnMut(u64, u64) -> StoreResult<()>,
) -> StoreResult<u64> {
    let shown = path.display().to_string();
    let database = RedbStore::open_database_read_only(path)?;
    without_panic(&shown, || {
        let source = database.begin_read()?;
        let (mut left, mut of) = (BTreeSet::new(), 0);
        for table in source.list_tables()? {
            left.insert(table.name().to_owned());
            of += source.open_untyped_table(table)?.len()?;
        }
        let shown = copy.display().to_string();
        let target = builder(&shown).create(copy).map_err(|error| cannot_open(&shown, error))?;
        prepare(&target, &shown)?;
        let mut copying = Copying { source: &source, target: &target, left, done: 0, of, show };
        copying.table(super::META)?;
        copying.table(index::SITES)?;
        copying.table(index::ENTRIES)?;
        copying.table(index::SCHEDULES)?;
        copying.table(index::WAITING)?;
        copying.table(index::REMEMBERED)?;
        copying.table(index::LEASES)?;
        copying.table(index::TURNS)?;
        copying.table(state::PAGES)?;
        copying.table(state::COUNTERS)?;
        copying.table(state::VALUES)?;
        copying.table(sums::CELLS)?;
        copying.table(sums::WORDS)?;
        copying.table(log::ENTRIES)?;
        copying.table(log::PLACES)?;
        copying.table(archive::BLOBS)?;
        copying.table(archive::BY_AGE)?;
        copying.table(archive::TOTALS)?;
        match copying.left.first() {
            None => Ok(copying.done),
            Some(name) => {
                Err(StoreError::Refused(format!("the table `{name}` is not known, so it was not copied")))
            }
        }
    })
}

struct Copying<'a> {
    source: &'a ReadTransaction,
    target: &'a Database,
    /// Names of tables that are not copied yet.
    left: BTreeSet<String>,
    done: u64,
    of: u64,
    show: &'a mut dyn FnMut(u64, u64) -> StoreResult<()>,
}

impl Copying<'_> {
    fn table<K: Key + 'static, V: Value + 'static>(
        &mut self,
        definition: TableDefinition<'_, K, V>,
    ) -> StoreResult<()> {
        let table = self.source.open_table(definition)?;
        let mut records = table.iter()?;
        let mut is_end = false;
        while !is_end {
            let transaction = self.target.begin_write()?;
            {
                let (mut into, mut bytes) = (transaction.open_table(definition)?, 0);
                while bytes < BATCH_BYTES {
                    let Some(record) = records.next() else {
                        is_end = true;
                        break;
                    };
                    let (key, value) = record?;
                    bytes += K::as_bytes(&key.value()).as_ref().len();
                    bytes += V::as_bytes(&value.value()).as_ref().len();
                    into.insert(key.value(), value.value())?;
                    self.done += 1;
                }
            }
            transaction.commit()?;
            (self.show)(self.done, self.of)?;
        }
        self.left.remove(definition.name());
        Ok(())
    }
}
