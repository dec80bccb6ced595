//! The archive in one file: packed values, and an index of each kind by age, so that expiry and retention read only what they
//! delete.
//!
//! A value that was discarded, or removed to save space, leaves an empty one with the time of its removal, which no packed value
//! is: readers can tell it from one that was lost.

use std::collections::BTreeMap;

use ::redb::{
    Database, ReadableDatabase as _, ReadableTable, Table, TableDefinition, TableHandle as _,
    WriteTransaction,
};
use async_trait::async_trait;
use bytes::Bytes;

use super::handle::RedbStore;
use crate::store::archive::packing::{blocking, pack, unpack};
use crate::store::{Aged, AgedArchive, Expired, Kind, KindUse, PageArchive, StoreResult};
use crate::version::ContentHash;
use newslode_page::time::Timestamp;

pub(super) type Name = (&'static str, [u8; 16]);
type AgeKey = (&'static str, u64, [u8; 16]);

/// Kind's name and content → time of the put, packed bytes; or the time of the removal, nothing.
pub(super) const BLOBS: TableDefinition<'_, Name, (u64, &[u8])> = TableDefinition::new("archive");
/// Kind's name, or the name of its removals; time of the put or removal; content → packed bytes.
pub(super) const BY_AGE: TableDefinition<'_, AgeKey, u64> = TableDefinition::new("archive_by_age");
/// Kind's name → values that are there, and their packed bytes.
pub(super) const TOTALS: TableDefinition<'_, &str, (u64, u64)> = TableDefinition::new("archive_totals");
/// The index of formats before 5, whose entries are moved to [`BY_AGE`].
const AGES: TableDefinition<'_, (u64, &str, [u8; 16]), ()> = TableDefinition::new("archive_ages");

/// Most values that one transaction deletes, since other calls wait for the writer meanwhile.
const EXPIRE_AT_ONCE: usize = 500;
/// Most entries that one transaction moves from the index of an older format.
const MOVED_AT_ONCE: usize = 5_000;
/// What precedes a kind's name in the index of its removals.
const REMOVED: &str = "removed ";

/// The tables, open for writing.
pub(super) struct Blobs<'t> {
    blobs: Table<'t, Name, (u64, &'static [u8])>,
    by_age: Table<'t, AgeKey, u64>,
    totals: Table<'t, &'static str, (u64, u64)>,
}

/// A record that was replaced or deleted.
struct Former {
    at: u64,
    /// Packed bytes; 0: it was a removal.
    bytes: u64,
}

impl<'t> Blobs<'t> {
    pub(super) fn open(transaction: &'t WriteTransaction) -> StoreResult<Blobs<'t>> {
        Ok(Blobs {
            blobs: transaction.open_table(BLOBS)?,
            by_age: transaction.open_table(BY_AGE)?,
            totals: transaction.open_table(TOTALS)?,
        })
    }

    /// Puts a packed value, or a removal, as another file may have held it.
    pub(super) fn put(
        &mut self,
        kind: &str,
        content: ContentHash,
        packed: &[u8],
        at: Timestamp,
    ) -> StoreResult<()> {
        let former = self.blobs.insert((kind, content.0), (at.0, packed))?;
        let former = former.map(|held| Former { at: held.value().0, bytes: held.value().1.len() as u64 });
        self.forget(kind, content, former)?;
        self.note(kind, content, at.0, packed.len() as u64)
    }

    fn delete(&mut self, kind: &str, content: ContentHash) -> StoreResult<()> {
        let former = self.blobs.remove((kind, content.0))?;
        let former = former.map(|held| Former { at: held.value().0, bytes: held.value().1.len() as u64 });
        self.forget(kind, content, former)
    }

    /// Replaces a value, if it was not put again meanwhile; by its removal, if there are no bytes. Returns whether it did.
    fn replace(&mut self, kind: Kind, value: &Aged, packed: &[u8], at: Timestamp) -> StoreResult<bool> {
        let held = self.blobs.get((kind.name(), value.content.0))?;
        let is_same = held.is_some_and(|held| held.value().0 == value.put_at.0 && !held.value().1.is_empty());
        if is_same {
            self.put(kind.name(), value.content, packed, at)?;
        }
        Ok(is_same)
    }

    /// Leaves the removal of a value in its place. Returns whether it was there.
    fn discard(&mut self, kind: Kind, content: ContentHash, at: Timestamp) -> StoreResult<bool> {
        let held = self.blobs.get((kind.name(), content.0))?;
        let is_there = held.is_some_and(|held| !held.value().1.is_empty());
        if is_there {
            self.put(kind.name(), content, &[], at)?;
        }
        Ok(is_there)
    }

    /// Enters a record into the index and the totals.
    fn note(&mut self, kind: &str, content: ContentHash, at: u64, bytes: u64) -> StoreResult<()> {
        let is_new = self.by_age.insert((index_name(kind, bytes).as_str(), at, content.0), bytes)?.is_none();
        if is_new && bytes > 0 {
            let (values, all) = self.totals.get(kind)?.map_or((0, 0), |held| held.value());
            self.totals.insert(kind, (values + 1, all + bytes))?;
        }
        Ok(())
    }

    fn forget(&mut self, kind: &str, content: ContentHash, former: Option<Former>) -> StoreResult<()> {
        let Some(Former { at, bytes }) = former else { return Ok(()) };
        let name = index_name(kind, bytes);
        let was_noted = self.by_age.remove((name.as_str(), at, content.0))?.is_some();
        if was_noted && bytes > 0 {
            let (values, all) = self.totals.get(kind)?.map_or((0, 0), |held| held.value());
            self.totals.insert(kind, (values.saturating_sub(1), all.saturating_sub(bytes)))?;
        }
        Ok(())
    }

    fn expire(&mut self, before: Timestamp) -> StoreResult<Vec<(Kind, ContentHash)>> {
        let mut old = Vec::new();
        for kind in Kind::ALL {
            for name in [kind.name().to_owned(), index_name(kind.name(), 0)] {
                let (from, to) = ((name.as_str(), 0, [0; 16]), (name.as_str(), before.0, [0; 16]));
                for pair in self.by_age.range(from..to)?.take(EXPIRE_AT_ONCE.saturating_sub(old.len())) {
                    old.push((*kind, ContentHash(pair?.0.value().2)));
                }
            }
        }
        for (kind, content) in &old {
            self.delete(kind.name(), *content)?;
        }
        Ok(old)
    }
}

/// The name in the index of a kind's values, or of its removals.
fn index_name(kind: &str, bytes: u64) -> String {
    if bytes > 0 { kind.to_owned() } else { format!("{REMOVED}{kind}") }
}

/// Moves the index of an older format to [`BY_AGE`], in transactions of a bounded size: a kill in the midst costs nothing.
pub(super) fn upgrade(database: &Database) -> StoreResult<()> {
    if !database.begin_read()?.list_tables()?.any(|table| table.name() == AGES.name()) {
        return Ok(());
    }
    let mut moved = 0_usize;
    loop {
        let transaction = database.begin_write()?;
        let batch = {
            let (mut ages, mut blobs) = (transaction.open_table(AGES)?, Blobs::open(&transaction)?);
            let mut batch: Vec<(u64, String, ContentHash)> = Vec::new();
            for pair in ages.iter()?.take(MOVED_AT_ONCE) {
                let (key, _) = pair?;
                let (at, kind, content) = key.value();
                batch.push((at, kind.to_owned(), ContentHash(content)));
            }
            for (at, kind, content) in &batch {
                ages.remove((*at, kind.as_str(), content.0))?;
                let held = blobs.blobs.get((kind.as_str(), content.0))?;
                let bytes = held.filter(|held| held.value().0 == *at).map(|held| held.value().1.len() as u64);
                if let Some(bytes) = bytes {
                    blobs.note(kind, *content, *at, bytes)?;
                }
            }
            batch.len()
        };
        moved += batch;
        let is_end = batch < MOVED_AT_ONCE;
        if is_end {
            transaction.delete_table(AGES)?;
        }
        transaction.commit()?;
        tracing::info!(values = moved, "the archive is being indexed by age");
        if is_end {
            return Ok(());
        }
    }
}

impl RedbStore {
    /// The contents of which the archive holds this kind, by age.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub async fn archived(&self, kind: Kind) -> StoreResult<Vec<ContentHash>> {
        let all = self.archived_since(kind, Timestamp(0)).await?;
        Ok(all.into_iter().map(|(_, content)| content).collect())
    }

    /// The contents of this kind that were put since a time, in that order, with the times of the puts.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub async fn archived_since(
        &self,
        kind: Kind,
        since: Timestamp,
    ) -> StoreResult<Vec<(Timestamp, ContentHash)>> {
        self.read(move |transaction| {
            let by_age = transaction.open_table(BY_AGE)?;
            let name = kind.name();
            let found = by_age.range((name, since.0, [0; 16])..=(name, u64::MAX, [0xff; 16]))?;
            let found = found.map(|pair| {
                let (key, _) = pair?;
                let (_, at, content) = key.value();
                Ok((Timestamp(at), ContentHash(content)))
            });
            found.collect()
        })
        .await
    }

    /// When something of this kind was put last; `None` if there is nothing.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub async fn last_archived(&self, kind: Kind) -> StoreResult<Option<Timestamp>> {
        self.read(move |transaction| {
            let by_age = transaction.open_table(BY_AGE)?;
            let name = kind.name();
            let last = by_age.range((name, 0, [0; 16])..=(name, u64::MAX, [0xff; 16]))?.next_back();
            Ok(last.transpose()?.map(|(key, _)| Timestamp(key.value().1)))
        })
        .await
    }
}

#[async_trait]
impl AgedArchive for RedbStore {
    async fn oldest(&self, kind: Kind, after: Option<Aged>, most: usize) -> StoreResult<Vec<Aged>> {
        self.read(move |transaction| {
            let (by_age, name) = (transaction.open_table(BY_AGE)?, kind.name());
            let from = after.map_or((name, 0, [0; 16]), |after| (name, after.put_at.0, after.content.0));
            let found = by_age.range(from..=(name, u64::MAX, [0xff; 16]))?;
            let mut values = Vec::new();
            for pair in found {
                let (key, bytes) = pair?;
                let (_, at, content) = key.value();
                let value =
                    Aged { content: ContentHash(content), put_at: Timestamp(at), bytes: bytes.value() };
                if after.is_none_or(|after| (after.put_at, after.content) != (value.put_at, value.content)) {
                    values.push(value);
                }
                if values.len() == most {
                    break;
                }
            }
            Ok(values)
        })
        .await
    }

    async fn remove(&self, kind: Kind, values: &[Aged], now: Timestamp) -> StoreResult<u64> {
        let values = values.to_vec();
        self.write(move |transaction| {
            let (mut blobs, mut removed) = (Blobs::open(transaction)?, 0);
            for value in &values {
                removed += u64::from(blobs.replace(kind, value, &[], now)?);
            }
            Ok(removed)
        })
        .await
    }

    async fn replace(&self, kind: Kind, value: Aged, bytes: Bytes, at: Timestamp) -> StoreResult<bool> {
        let packed = blocking(move || pack(&bytes)).await?;
        self.write(move |transaction| Blobs::open(transaction)?.replace(kind, &value, &packed, at)).await
    }

    async fn usage(&self) -> StoreResult<BTreeMap<Kind, KindUse>> {
        self.read(|transaction| {
            let totals = transaction.open_table(TOTALS)?;
            let mut found = BTreeMap::new();
            for kind in Kind::ALL {
                let (values, bytes) = totals.get(kind.name())?.map_or((0, 0), |held| held.value());
                found.insert(*kind, KindUse { values, bytes });
            }
            Ok(found)
        })
        .await
    }
}

#[async_trait]
impl PageArchive for RedbStore {
    async fn put(&self, kind: Kind, content: ContentHash, bytes: Bytes, now: Timestamp) -> StoreResult<()> {
        let packed = blocking(move || pack(&bytes)).await?;
        self.write(move |transaction| Blobs::open(transaction)?.put(kind.name(), content, &packed, now)).await
    }

    async fn get(&self, kind: Kind, content: ContentHash) -> StoreResult<Option<Bytes>> {
        self.read(move |transaction| {
            let held = transaction.open_table(BLOBS)?.get((kind.name(), content.0))?;
            let held = held.filter(|held| !held.value().1.is_empty());
            held.map(|held| unpack(held.value().1)).transpose()
        })
        .await
    }

    async fn discard(&self, kind: Kind, content: ContentHash, now: Timestamp) -> StoreResult<bool> {
        self.write(move |transaction| Blobs::open(transaction)?.discard(kind, content, now)).await
    }

    async fn removed(&self, kind: Kind, content: ContentHash) -> StoreResult<Option<Timestamp>> {
        self.read(move |transaction| {
            let held = transaction.open_table(BLOBS)?.get((kind.name(), content.0))?;
            Ok(held.filter(|held| held.value().1.is_empty()).map(|held| Timestamp(held.value().0)))
        })
        .await
    }

    async fn delete(&self, kind: Kind, content: ContentHash) -> StoreResult<()> {
        self.write(move |transaction| Blobs::open(transaction)?.delete(kind.name(), content)).await
    }

    async fn expire(&self, before: Timestamp) -> StoreResult<Expired> {
        let mut expired = Expired::default();
        loop {
            let gone =
                self.write(move |transaction| Ok(Blobs::open(transaction)?.expire(before)?.len())).await?;
            expired.values += gone as u64;
            if gone < EXPIRE_AT_ONCE {
                return Ok(expired);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use ::redb::{ReadableTable as _, ReadableTableMetadata as _};
    use proptest::prelude::*;

    use super::super::{META, builder};
    use super::*;

    /// Makes the archive of a file what format 4 had: an index of all kinds, and no sizes.
    fn downgrade(path: &std::path::Path, indexed: u64) {
        let database = builder("older").open(path).unwrap();
        let transaction = database.begin_write().unwrap();
        {
            let mut ages = transaction.open_table(AGES).unwrap();
            let blobs = transaction.open_table(BLOBS).unwrap();
            let mut by_age = transaction.open_table(BY_AGE).unwrap();
            let mut totals = transaction.open_table(TOTALS).unwrap();
            for pair in blobs.iter().unwrap() {
                let (key, value) = pair.unwrap();
                if value.value().0 >= indexed {
                    continue;
                }
                let (kind, content) = key.value();
                ages.insert((value.value().0, kind, content), ()).unwrap();
                let bytes = by_age.remove((kind, value.value().0, content)).unwrap().unwrap().value();
                let (values, all) = totals.get(kind).unwrap().unwrap().value();
                totals.insert(kind, (values - 1, all - bytes)).unwrap();
            }
            transaction.open_table(META).unwrap().insert("format", 4).unwrap();
        }
        transaction.commit().unwrap();
    }

    #[tokio::test]
    async fn an_older_file_is_indexed_when_it_is_opened_even_after_a_kill_in_the_midst() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store");
        let store = RedbStore::open(&path).unwrap();
        for number in 0..40_u8 {
            let (content, bytes) = (ContentHash([number; 16]), Bytes::from(vec![number; 500]));
            let kind = if number % 3 == 0 { Kind::Hierarchy } else { Kind::Page };
            store.put(kind, content, bytes, Timestamp(u64::from(number) * 100)).await.unwrap();
        }
        let expected = (store.usage().await.unwrap(), store.oldest(Kind::Page, None, 99).await.unwrap());
        drop(store);
        // All of it, and what a kill left to do.
        for indexed in [u64::MAX, 2_000] {
            downgrade(&path, indexed);
            let store = RedbStore::open(&path).unwrap();
            let found = (store.usage().await.unwrap(), store.oldest(Kind::Page, None, 99).await.unwrap());
            assert_eq!(found, expected);
            assert!(store.check().await.unwrap().is_whole());
            drop(store);
            let database = builder("newer").open(&path).unwrap();
            assert!(
                database
                    .begin_read()
                    .unwrap()
                    .list_tables()
                    .unwrap()
                    .all(|table| table.name() != AGES.name())
            );
        }
    }

    proptest! {
        /// Whatever is done in whatever order, the index has exactly what is there, and the totals are its sums.
        #[test]
        fn index_and_totals_agree_with_the_values(
            steps in prop::collection::vec((0_u8..5, 0_u8..6, 0_u64..20, 0_usize..900), 1..60),
        ) {
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            runtime.block_on(async {
                let store = RedbStore::in_memory().unwrap();
                for (what, name, at, bytes) in steps {
                    let (content, at) = (ContentHash([name; 16]), Timestamp(at));
                    match what {
                        0 | 1 => store.put(Kind::Page, content, vec![name; bytes].into(), at).await.unwrap(),
                        2 => store.delete(Kind::Page, content).await.unwrap(),
                        3 => {
                            let oldest = store.oldest(Kind::Page, None, 1 + usize::from(name)).await.unwrap();
                            store.remove(Kind::Page, &oldest, at).await.unwrap();
                        }
                        _ => _ = store.expire(at).await.unwrap(),
                    }
                    check_agreement(&store).await;
                }
            });
        }
    }

    async fn check_agreement(store: &RedbStore) {
        let (values, indexed, totals) = store
            .read(|transaction| {
                let mut values = Vec::new();
                for pair in transaction.open_table(BLOBS)?.iter()? {
                    let (key, value) = pair?;
                    let ((kind, content), (at, packed)) = (key.value(), value.value());
                    values.push((index_name(kind, packed.len() as u64), at, content, packed.len() as u64));
                }
                let mut indexed = Vec::new();
                for pair in transaction.open_table(BY_AGE)?.iter()? {
                    let (key, bytes) = pair?;
                    let (name, at, content) = key.value();
                    indexed.push((name.to_owned(), at, content, bytes.value()));
                }
                let totals = transaction.open_table(TOTALS)?;
                assert!(totals.len()? <= Kind::ALL.len() as u64);
                Ok((values, indexed, totals.get("page")?.map_or((0, 0), |held| held.value())))
            })
            .await
            .unwrap();
        let there = values.iter().filter(|(name, ..)| name == "page");
        let sums = there.fold((0, 0), |(count, all), (_, _, _, bytes)| (count + 1, all + bytes));
        assert_eq!(totals, sums);
        let mut values = values;
        values.sort();
        assert_eq!(indexed, values);
    }
}
