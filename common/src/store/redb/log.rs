//! The logs of the buckets in one file.

use ::redb::{ReadTransaction, ReadableTable, Table as Open, TableDefinition, WriteTransaction};

use crate::store::StoreResult;
use crate::store::log::{self, Flips, Log, MOST_BYTES};
use newslode_page::reading::Site;

/// Bucket and position → entry.
pub(super) const ENTRIES: TableDefinition<'_, (u16, u64), &[u8]> = TableDefinition::new("log_entries");
/// Bucket → position of the last entry that was dropped, of the last one, and the bytes of those between.
pub(super) const PLACES: TableDefinition<'_, u16, (u64, u64, u64)> = TableDefinition::new("log_places");

/// The tables, open for writing.
pub(super) struct Logs<'t> {
    entries: Open<'t, (u16, u64), &'static [u8]>,
    places: Open<'t, u16, (u64, u64, u64)>,
}

impl<'t> Logs<'t> {
    pub(super) fn open(transaction: &'t WriteTransaction) -> StoreResult<Logs<'t>> {
        Ok(Logs { entries: transaction.open_table(ENTRIES)?, places: transaction.open_table(PLACES)? })
    }

    /// Appends an entry, and drops the oldest ones.
    pub(super) fn append(&mut self, bucket: u16, entry: &[u8], flips: &Flips) -> StoreResult<()> {
        let held = self.places.get(bucket)?.map(|held| held.value());
        let (mut dropped, end, mut bytes) = held.unwrap_or_default();
        let mut entry = entry.to_vec();
        for (sign, names) in [(b'+', &flips.came), (b'-', &flips.went)] {
            for name in names {
                entry.push(sign);
                entry.extend(name.as_bytes());
            }
        }
        self.entries.insert((bucket, end + 1), entry.as_slice())?;
        bytes += entry.len() as u64;
        while bytes > MOST_BYTES && dropped < end {
            dropped += 1;
            bytes -= self.entries.remove((bucket, dropped))?.map_or(0, |gone| gone.value().len() as u64);
        }
        self.places.insert(bucket, (dropped, end + 1, bytes))?;
        Ok(())
    }

    /// Takes out of a site's entries what they added.
    pub(super) fn strip(&mut self, bucket: u16, site: &Site) -> StoreResult<()> {
        let Some((dropped, end, mut bytes)) = self.places.get(bucket)?.map(|held| held.value()) else {
            return Ok(());
        };
        let note = log::blank()?;
        for position in dropped + 1..=end {
            let held = self.entries.get((bucket, position))?.map(|entry| entry.value().to_vec());
            let Some(entry) = held else { continue };
            let Some(stripped) = log::stripped(site, &entry, &note) else { continue };
            self.entries.insert((bucket, position), stripped.as_slice())?;
            bytes = bytes + stripped.len() as u64 - entry.len() as u64;
        }
        self.places.insert(bucket, (dropped, end, bytes))?;
        Ok(())
    }
}

/// Part of a bucket's log.
pub(super) fn read_log(
    transaction: &ReadTransaction,
    bucket: u16,
    after: u64,
    most: usize,
) -> StoreResult<Log> {
    let (dropped, end) = places(transaction, bucket)?;
    let first = after.max(dropped).saturating_add(1);
    let mut entries = Vec::new();
    if first <= end {
        for pair in transaction.open_table(ENTRIES)?.range((bucket, first)..=(bucket, end))?.take(most) {
            let (key, entry) = pair?;
            entries.push(log::decode_entry(key.value().1, entry.value())?);
        }
    }
    Ok(Log { dropped, end, entries })
}

/// The positions of the last entry that was dropped, and of the last one.
pub(super) fn places(transaction: &ReadTransaction, bucket: u16) -> StoreResult<(u64, u64)> {
    let held = transaction.open_table(PLACES)?.get(bucket)?.map(|held| held.value());
    Ok(held.map_or((0, 0), |(dropped, end, _)| (dropped, end)))
}
