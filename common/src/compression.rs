//! Compression with zstd. Each thread keeps its compressor, since making one costs as much as compressing a small page.

use std::cell::RefCell;
use std::io::{self, Read as _};

use zstd::bulk::Compressor;
use zstd::stream::read::Decoder;
use zstd::zstd_safe::{DCtx, ResetDirective, get_error_name};

/// zstd's own default: pages shrink to about a fifth at hundreds of MB/s.
const LEVEL: i32 = 3;
/// How many times larger than its compressed form a value is expected to be.
const RATIO: usize = 6;

thread_local! {
    static COMPRESSOR: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) };
    static DECOMPRESSOR: RefCell<DCtx<'static>> = RefCell::new(DCtx::create());
}

/// Compresses bytes, with a checksum that shows later damage.
///
/// # Errors
/// When the compressor fails.
pub fn compress(bytes: &[u8]) -> io::Result<Vec<u8>> {
    COMPRESSOR.with_borrow_mut(|kept| {
        let compressor = match kept {
            Some(compressor) => compressor,
            None => {
                let mut new = Compressor::new(LEVEL)?;
                new.include_checksum(true)?;
                kept.insert(new)
            }
        };
        compressor.compress(bytes)
    })
}

/// Decompresses at most `most` bytes; the rest is left out.
///
/// # Errors
/// When the bytes are broken.
pub fn decompress(packed: &[u8], most: u64) -> io::Result<Vec<u8>> {
    DECOMPRESSOR.with_borrow_mut(|context| {
        // The last call may have stopped in the middle.
        let wrong = |code| io::Error::other(get_error_name(code));
        context.reset(ResetDirective::SessionOnly).map_err(wrong)?;
        let expected = packed.len().saturating_mul(RATIO).min(usize::try_from(most).unwrap_or(usize::MAX));
        let mut bytes = Vec::with_capacity(expected);
        Decoder::with_context(packed, context).take(most).read_to_end(&mut bytes)?;
        Ok(bytes)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_compressed_comes_back_up_to_the_limit_and_damage_is_seen() {
        let text = b"The cup that nobody wanted is won. ".repeat(100);
        for _ in 0..2 {
            let packed = compress(&text).unwrap();
            assert!(packed.len() < text.len() / 10);
            assert_eq!(decompress(&packed, u64::MAX).unwrap(), text);
            assert_eq!(decompress(&packed, 7).unwrap(), b"The cup");
            let mut damaged = packed.clone();
            *damaged.last_mut().unwrap() ^= 1;
            assert!(decompress(&damaged, u64::MAX).is_err());
            assert!(decompress(b"no", u64::MAX).is_err());
        }
    }
}
