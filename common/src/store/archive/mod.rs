//! The archive's served side, and the compression that both sides share.
//!
//! Values are zstd frames. Start at [`ObjectArchive`].

mod object;

pub use object::ObjectArchive;

use bytes::Bytes;

use super::{StoreError, StoreResult};

/// No archived value is larger than this when decompressed.
const MAX_VALUE: usize = 256 << 20;

/// Fast enough to keep up with fetching, and a third smaller than level 1.
const LEVEL: i32 = 3;

/// Compresses off the event loop.
pub(super) async fn compress(bytes: Bytes) -> StoreResult<Vec<u8>> {
    let packed = tokio::task::spawn_blocking(move || zstd::bulk::compress(&bytes, LEVEL)).await;
    packed
        .map_err(|error| StoreError::Unavailable(error.to_string()))?
        .map_err(|error| StoreError::Corrupt(format!("zstd: {error}")))
}

/// Reads a zstd frame back, up to a limit.
pub(super) fn decompress(packed: &[u8]) -> StoreResult<Bytes> {
    use std::io::Read;
    let wrong = |error: std::io::Error| StoreError::Corrupt(format!("zstd: {error}"));
    let mut bytes = Vec::new();
    let decoder = zstd::stream::read::Decoder::new(packed).map_err(wrong)?;
    decoder.take(MAX_VALUE as u64 + 1).read_to_end(&mut bytes).map_err(wrong)?;
    if bytes.len() > MAX_VALUE {
        return Err(StoreError::Corrupt(format!("an archived value is over {MAX_VALUE} bytes")));
    }
    Ok(bytes.into())
}
