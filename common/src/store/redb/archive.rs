//! The archive's side of the file: zstd values by kind and content.

use ::redb::ReadableTable;
use async_trait::async_trait;
use bytes::Bytes;

use super::tables::ARCHIVE;
use super::{RedbStore, broken};
use crate::store::archive::{compress, decompress};
use crate::store::{Kind, PageArchive, StoreResult};
use crate::time::Timestamp;
use crate::version::ContentHash;

fn code(kind: Kind) -> u8 {
    match kind {
        Kind::Page => 0,
        Kind::Contribution => 1,
        Kind::Hierarchy => 2,
        Kind::Article => 3,
    }
}

#[async_trait]
impl PageArchive for RedbStore {
    async fn put(&self, kind: Kind, content: ContentHash, bytes: Bytes, now: Timestamp) -> StoreResult<()> {
        let packed = compress(bytes).await?;
        self.write(move |txn| {
            let mut table = txn.open_table(ARCHIVE).map_err(broken)?;
            table.insert((code(kind), content.0), (now.0, packed.as_slice())).map_err(broken)?;
            Ok(())
        })
        .await
    }

    async fn get(&self, kind: Kind, content: ContentHash) -> StoreResult<Option<Bytes>> {
        self.read(move |txn| {
            let table = txn.open_table(ARCHIVE).map_err(broken)?;
            let found = table.get((code(kind), content.0)).map_err(broken)?;
            found.map(|packed| decompress(packed.value().1)).transpose()
        })
        .await
    }

    async fn delete(&self, kind: Kind, content: ContentHash) -> StoreResult<()> {
        self.write(move |txn| {
            let mut table = txn.open_table(ARCHIVE).map_err(broken)?;
            table.remove((code(kind), content.0)).map_err(broken)?;
            Ok(())
        })
        .await
    }

    async fn expire(&self, before: Timestamp) -> StoreResult<u64> {
        self.write(move |txn| {
            let mut table = txn.open_table(ARCHIVE).map_err(broken)?;
            let mut old = Vec::new();
            for entry in table.iter().map_err(broken)? {
                let (key, value) = entry.map_err(broken)?;
                if value.value().0 < before.0 {
                    old.push(key.value());
                }
            }
            for key in &old {
                table.remove(key).map_err(broken)?;
            }
            Ok(old.len() as u64)
        })
        .await
    }
}
