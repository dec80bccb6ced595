//! The archive in one file: packed values, and an index by age, so that expiry reads only what it deletes.

use ::redb::{ReadableTable, Table, TableDefinition, WriteTransaction};
use async_trait::async_trait;
use bytes::Bytes;

use super::handle::RedbStore;
use crate::store::archive::packing::{blocking, pack, unpack};
use crate::store::{Expired, Kind, PageArchive, StoreResult};
use crate::version::ContentHash;
use newslode_page::time::Timestamp;

pub(super) type Name = (&'static str, [u8; 16]);

/// Kind's name and content → time of the put, packed bytes.
pub(super) const BLOBS: TableDefinition<'_, Name, (u64, &[u8])> = TableDefinition::new("archive");
pub(super) const AGES: TableDefinition<'_, (u64, &str, [u8; 16]), ()> = TableDefinition::new("archive_ages");

/// Most values that one transaction deletes, since other calls wait for the writer meanwhile.
const EXPIRE_AT_ONCE: usize = 500;

/// The tables, open for writing.
pub(super) struct Blobs<'t> {
    blobs: Table<'t, Name, (u64, &'static [u8])>,
    ages: Table<'t, (u64, &'static str, [u8; 16]), ()>,
}

impl<'t> Blobs<'t> {
    pub(super) fn open(transaction: &'t WriteTransaction) -> StoreResult<Blobs<'t>> {
        Ok(Blobs { blobs: transaction.open_table(BLOBS)?, ages: transaction.open_table(AGES)? })
    }

    fn put(&mut self, kind: &str, content: ContentHash, packed: &[u8], now: Timestamp) -> StoreResult<()> {
        let old = self.blobs.insert((kind, content.0), (now.0, packed))?.map(|held| held.value().0);
        if let Some(old) = old {
            self.ages.remove((old, kind, content.0))?;
        }
        self.ages.insert((now.0, kind, content.0), ())?;
        Ok(())
    }

    /// Puts a packed value as another file held it.
    pub(super) fn restore(
        &mut self,
        kind: &str,
        content: [u8; 16],
        at: u64,
        packed: &[u8],
    ) -> StoreResult<()> {
        self.put(kind, ContentHash(content), packed, Timestamp(at))
    }

    fn delete(&mut self, kind: &str, content: ContentHash) -> StoreResult<()> {
        let old = self.blobs.remove((kind, content.0))?.map(|held| held.value().0);
        if let Some(old) = old {
            self.ages.remove((old, kind, content.0))?;
        }
        Ok(())
    }

    fn expire(&mut self, before: Timestamp) -> StoreResult<usize> {
        let none = ContentHash::NONE.0;
        let mut count = 0;
        let mut old = Vec::new();
        {
            for pair in self.ages.range((0, "", none)..(before.0, "", none))?.take(EXPIRE_AT_ONCE) {
                let (key, _) = pair?;
                let (_, kind, content) = key.value();
                old.push((kind.to_owned(), ContentHash(content)));
            }
        }
        for (kind, content) in old {
            self.delete(&kind, content)?;
            count += 1;
        }
        Ok(count)
    }
}

impl RedbStore {
    /// The contents of which the archive holds this kind.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub async fn archived(&self, kind: Kind) -> StoreResult<Vec<ContentHash>> {
        self.read(move |transaction| {
            let blobs = transaction.open_table(BLOBS)?;
            let all = blobs.range((kind.name(), [0; 16])..=(kind.name(), [0xff; 16]))?;
            all.map(|pair| Ok(ContentHash(pair?.0.value().1))).collect()
        })
        .await
    }
}

impl RedbStore {
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
            let ages = transaction.open_table(AGES)?;
            let mut found = Vec::new();
            for pair in ages.range((since.0, "", [0; 16])..)? {
                let (key, _) = pair?;
                let (at, of, content) = key.value();
                if of == kind.name() {
                    found.push((Timestamp(at), ContentHash(content)));
                }
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
            held.map(|held| unpack(held.value().1)).transpose()
        })
        .await
    }

    async fn delete(&self, kind: Kind, content: ContentHash) -> StoreResult<()> {
        self.write(move |transaction| Blobs::open(transaction)?.delete(kind.name(), content)).await
    }

    async fn expire(&self, before: Timestamp) -> StoreResult<Expired> {
        let mut expired = Expired::default();
        loop {
            let gone = self.write(move |transaction| Blobs::open(transaction)?.expire(before)).await?;
            expired.values += gone as u64;
            if gone < EXPIRE_AT_ONCE {
                return Ok(expired);
            }
        }
    }
}
