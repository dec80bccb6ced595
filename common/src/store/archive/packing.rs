//! The packed form of archived values: zstd with a checksum.

use bytes::Bytes;

use crate::compression;
use crate::store::error::{StoreError, StoreResult};

/// Compresses a value.
pub(in crate::store) fn pack(bytes: &[u8]) -> StoreResult<Vec<u8>> {
    let packed = compression::compress(bytes);
    packed.map_err(|error| {
        StoreError::Refused(format!("cannot compress a value of {} bytes: {error}", bytes.len()))
    })
}

/// Decompresses a packed value.
pub(in crate::store) fn unpack(packed: &[u8]) -> StoreResult<Bytes> {
    let bytes = compression::decompress(packed, u64::MAX);
    bytes
        .map(Bytes::from)
        .map_err(|error| StoreError::Corrupt(format!("cannot decompress an archived value: {error}")))
}

/// Runs packing or unpacking off the reactor: it takes milliseconds per page.
pub(in crate::store) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> StoreResult<T> + Send + 'static,
) -> StoreResult<T> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(StoreError::Unavailable(format!("an archive call was aborted: {error}"))))
}
