//! Archived pages: their packed form, and the archive in folders and buckets.
//!
//! All archives pack alike (`pack`, `unpack`): zstd with a checksum, so that a broken value is detected and
//! never read as another page. The embedded archive is part of [`RedbStore`](super::redb::RedbStore);
//! [`ObjectArchive`] stores objects; [`CountedArchive`] counts what fails.

mod bucket;
mod counted;
mod object;

use bytes::Bytes;

pub use self::counted::CountedArchive;
pub use self::object::ObjectArchive;
use super::{StoreError, StoreResult};
use crate::compression;

/// Compresses a value.
pub(super) fn pack(bytes: &[u8]) -> StoreResult<Vec<u8>> {
    let packed = compression::compress(bytes);
    packed.map_err(|error| StoreError::Refused(format!("a value of {} bytes: {error}", bytes.len())))
}

/// Decompresses a packed value.
pub(super) fn unpack(packed: &[u8]) -> StoreResult<Bytes> {
    let bytes = compression::decompress(packed, u64::MAX);
    bytes.map(Bytes::from).map_err(|error| StoreError::Corrupt(format!("an archived value: {error}")))
}

/// Runs packing or unpacking off the reactor: it takes milliseconds per page.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> StoreResult<T> + Send + 'static,
) -> StoreResult<T> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(StoreError::Unavailable(format!("an archive call broke off: {error}"))))
}
