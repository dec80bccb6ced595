//! Whether everything in the file can be read.
//!
//! A damaged page shows itself in one of these ways: it makes no sense to the database; the keys of a table do not ascend, or
//! are not as many as the table says; a record or an archived value cannot be decoded. What is damaged and still makes sense
//! (a bit of a number, say) is not found here: the sums are proved from the archive, and the checksums of all pages are
//! checked when the file is repaired.

use std::cmp::Ordering;
use std::panic::{AssertUnwindSafe, catch_unwind};

use ::redb::{
    Key, ReadTransaction, ReadableTable as _, ReadableTableMetadata as _, TableDefinition, TableHandle as _,
    Value,
};

use super::records::{EntryRecord, SiteRecord, decode, decode_schedule};
use super::{RedbStore, archive, errors, index, log, state, sums};
use crate::store::archive::packing::unpack;
use crate::store::{StoreError, StoreResult};

/// Most faults that are named; all are counted.
const NAMED: usize = 50;

/// What a read of all records found.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct FileCheck {
    /// Records that were read.
    pub records: u64,
    /// Faults that were found.
    pub faulty: u64,
    /// The first of them, each with its table.
    pub faults: Vec<String>,
}

impl FileCheck {
    /// Whether all of the file can be read.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.faulty == 0
    }

    /// Of a file of which nothing can be read.
    pub(super) fn of_file(what: &str) -> FileCheck {
        FileCheck { faulty: 1, faults: vec![what.to_owned()], ..FileCheck::default() }
    }

    fn fault(&mut self, table: &str, what: &str) {
        self.faulty += 1;
        if self.faults.len() < NAMED {
            self.faults.push(format!("table `{table}`: {what}"));
        }
    }
}

impl RedbStore {
    /// Reads every record of the file.
    ///
    /// # Errors
    /// When the file cannot be read at all. What is damaged in it is part of the answer.
    pub async fn check(&self) -> StoreResult<FileCheck> {
        self.read(|transaction| Ok(check(transaction))).await
    }
}

pub(super) fn check(transaction: &ReadTransaction) -> FileCheck {
    let mut found = FileCheck::default();
    let checked = &mut found;
    check_table(transaction, checked, super::META, |_, _| Ok(()));
    check_table(transaction, checked, index::SITES, |_, record| decode::<SiteRecord>(record).map(drop));
    check_table(transaction, checked, index::ENTRIES, |_, record| decode::<EntryRecord>(record).map(drop));
    check_table(transaction, checked, index::SCHEDULES, |_, record| decode_schedule(record).map(drop));
    check_table(transaction, checked, index::WAITING, |_, ()| Ok(()));
    check_table(transaction, checked, index::REMEMBERED, |_, _| Ok(()));
    check_table(transaction, checked, index::LEASES, |_, ()| Ok(()));
    check_table(transaction, checked, index::TURNS, |_, ()| Ok(()));
    check_table(transaction, checked, state::PAGES, |_, _| Ok(()));
    check_table(transaction, checked, state::COUNTERS, |_, _| Ok(()));
    check_table(transaction, checked, state::VALUES, |_, (_, value)| check_value(value));
    check_table(transaction, checked, sums::CELLS, |_, _| Ok(()));
    check_table(transaction, checked, sums::WORDS, |_, _| Ok(()));
    check_table(transaction, checked, log::ENTRIES, |(_, position), entry| {
        crate::store::log::decode_entry(position, entry).map(drop)
    });
    check_table(transaction, checked, log::PLACES, |_, _| Ok(()));
    // An empty value says when it was removed.
    check_table(transaction, checked, archive::BLOBS, |_, (_, packed)| match packed {
        [] => Ok(()),
        packed => unpack(packed).map(drop),
    });
    check_table(transaction, checked, archive::BY_AGE, |_, _| Ok(()));
    check_table(transaction, checked, archive::TOTALS, |_, _| Ok(()));
    found
}

/// Checks the compressed part of a value, if it has one: after a byte that says in which form, or at its beginning.
pub(super) fn check_value(value: &[u8]) -> StoreResult<()> {
    const FRAME: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
    let frame = [Some(value), value.get(1..)].into_iter().flatten().find(|part| part.starts_with(&FRAME));
    frame.map_or(Ok(()), |frame| unpack(frame).map(drop))
}

/// Reads all records of a table.
fn check_table<K: Key + 'static, V: Value + 'static>(
    transaction: &ReadTransaction,
    found: &mut FileCheck,
    definition: TableDefinition<'_, K, V>,
    decode: impl for<'a> Fn(K::SelfType<'a>, V::SelfType<'a>) -> StoreResult<()>,
) {
    let name = definition.name().to_owned();
    let mut read = 0;
    let reading = AssertUnwindSafe(|| -> StoreResult<u64> {
        let table = transaction.open_table(definition)?;
        let mut last: Option<Vec<u8>> = None;
        for pair in table.iter()? {
            let (key, value) = pair?;
            let bytes = K::as_bytes(&key.value()).as_ref().to_vec();
            if last.as_ref().is_some_and(|last| K::compare(last, &bytes) != Ordering::Less) {
                return Err(StoreError::Damaged("its keys do not ascend".to_owned()));
            }
            if let Err(error) = decode(key.value(), value.value()) {
                found.fault(&name, &format!("record {read}: {}", reason(error)));
            }
            last = Some(bytes);
            read += 1;
        }
        Ok(table.len()?)
    });
    let ended = catch_unwind(reading).unwrap_or_else(|panic| Err(errors::damaged(&*panic)));
    found.records += read;
    match ended {
        // A page outside of the file was asked for: the database answers nothing more, and this table may be whole.
        Err(error) if errors::is_consequence(&error) => {
            if found.is_whole() {
                found.fault(&name, &error.to_string());
            }
        }
        Ok(recorded) if recorded != read => {
            found.fault(&name, &format!("it should have {recorded} records, and {read} can be read"));
        }
        Ok(_) => {}
        Err(error) => found.fault(&name, &format!("after {read} records: {}", reason(error))),
    }
}

/// What an error says beside that the file is damaged.
pub(super) fn reason(error: StoreError) -> String {
    match error {
        StoreError::Damaged(what) | StoreError::Corrupt(what) => what,
        error => error.to_string(),
    }
}
