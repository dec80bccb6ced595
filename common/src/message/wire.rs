//! The wire form of message bodies: bincode 2, standard configuration.
//!
//! No other module names bincode. Its author ended the crate at 3.0 (see `docs/decisions`): to replace it,
//! change this file and raise every message's version.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Bytes that are not the expected body.
#[derive(Debug, thiserror::Error)]
pub enum WireError {
    /// Cut short, too long, or of another shape.
    #[error("not a `{what}` body: {reason}")]
    Malformed {
        /// The type that was expected.
        what: &'static str,
        /// Why decoding failed.
        reason: String,
    },
    /// A value that cannot be encoded.
    #[error("cannot encode a `{what}`: {reason}")]
    Unencodable {
        /// The type.
        what: &'static str,
        /// Why encoding failed.
        reason: String,
    },
}

/// Largest body, in bytes, so that a forged length cannot ask for more memory.
pub const MAX_BODY: usize = 64 << 20;

/// Number of optional fields at the end of a body that [`decode_without_last`] does without.
pub const MOST_MISSING: usize = 9;

/// The name of a type without its modules.
fn name<T>() -> &'static str {
    let path = std::any::type_name::<T>();
    let end = path.find('<').unwrap_or(path.len());
    path[..end].rsplit("::").next().map_or(path, |last| &path[end - last.len()..])
}

/// Encodes a body.
///
/// # Errors
/// When the value has a shape that the wire form does not know.
pub fn encode<T: Serialize>(value: &T) -> Result<Vec<u8>, WireError> {
    bincode::serde::encode_to_vec(value, bincode::config::standard())
        .map_err(|error| WireError::Unencodable { what: name::<T>(), reason: error.to_string() })
}

/// Decodes a body that may have been encoded before some of its last fields were added, at most [`MOST_MISSING`] of them, which are
/// `Option`s; then these are `None`.
///
/// # Errors
/// As [`decode`].
pub fn decode_without_last<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, WireError> {
    // A body that lacks more fields is cut short until all of them are there.
    let without = |missing: usize| decode(&[bytes, &vec![0; missing]].concat()).ok();
    decode(bytes).or_else(|error| (1..=MOST_MISSING).find_map(without).ok_or(error))
}

/// Decodes a body; all bytes must be used.
///
/// # Errors
/// When the bytes are cut short, longer than the value, over [`MAX_BODY`], or of another shape.
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, WireError> {
    let what = name::<T>();
    let malformed = |reason: String| WireError::Malformed { what, reason };
    let config = bincode::config::standard().with_limit::<MAX_BODY>();
    let (value, used) =
        bincode::serde::decode_from_slice(bytes, config).map_err(|e| malformed(e.to_string()))?;
    if used == bytes.len() {
        Ok(value)
    } else {
        Err(malformed(format!("{} bytes follow its end", bytes.len() - used)))
    }
}
