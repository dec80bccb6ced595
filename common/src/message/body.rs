//! The bytes of a page in a message: compressed, or only in the archive.

use serde::{Deserialize, Serialize};

use crate::compression;

/// Largest page after decompression, in bytes.
/// [`max_page_bytes`](crate::config::CrawlerConfig::max_page_bytes) may not exceed it, so crawlers stop below
/// it.
pub const MAX_PAGE: u64 = 64 << 20;

/// Where a page's bytes are.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Body {
    /// Here, zstd-compressed.
    Inline(Vec<u8>),
    /// In the archive, under the message's content hash (too large for a message).
    Archived,
}

/// Why a body yields no bytes.
#[derive(Debug, thiserror::Error)]
pub enum BodyError {
    /// The bytes cannot be compressed.
    #[error("cannot compress a page: {0}")]
    Unpackable(#[source] std::io::Error),
    /// The body is in the archive, not in the message.
    #[error("the page's body is in the archive")]
    Elsewhere,
    /// The body is broken.
    #[error("the page's body is not zstd: {0}")]
    Broken(#[source] std::io::Error),
    /// A decompression bomb: no page is archived that is so large.
    #[error("the page's body is over {MAX_PAGE} bytes when decompressed")]
    TooLarge,
}

impl Body {
    /// Compresses bytes into a body.
    ///
    /// # Errors
    /// When the compressor fails.
    pub fn pack(bytes: &[u8]) -> Result<Body, BodyError> {
        compression::compress(bytes).map(Body::Inline).map_err(BodyError::Unpackable)
    }

    /// Decompresses the bytes, up to a limit that no archived page reaches.
    ///
    /// # Errors
    /// When the body is in the archive, broken or a bomb.
    pub fn unpack(&self) -> Result<Vec<u8>, BodyError> {
        let Body::Inline(packed) = self else { return Err(BodyError::Elsewhere) };
        let bytes = compression::decompress(packed, MAX_PAGE + 1).map_err(BodyError::Broken)?;
        if bytes.len() as u64 > MAX_PAGE { Err(BodyError::TooLarge) } else { Ok(bytes) }
    }

    /// Number of bytes that the body takes in the message.
    #[must_use]
    pub fn packed_len(&self) -> usize {
        match self {
            Body::Inline(packed) => packed.len(),
            Body::Archived => 0,
        }
    }
}

impl std::fmt::Debug for Body {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Body::Inline(bytes) => write!(f, "Inline({} bytes)", bytes.len()),
            Body::Archived => f.write_str("Archived"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    #[test]
    fn a_packed_body_gives_its_bytes_and_broken_ones_say_why() {
        assert_eq!(Body::pack(b"<p>x").unwrap().unpack().unwrap(), b"<p>x");
        assert!(matches!(Body::Archived.unpack(), Err(BodyError::Elsewhere)));
        assert!(matches!(Body::Inline(b"no".to_vec()).unpack(), Err(BodyError::Broken(_))));
        let bomb = zstd::encode_all(std::io::repeat(b'x').take(MAX_PAGE + 1), 1).unwrap();
        assert!(matches!(Body::Inline(bomb).unpack(), Err(BodyError::TooLarge)));
    }
}
