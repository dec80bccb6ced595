//! The header of every message: magic, kind and version, by which a reader knows the message before it decodes the body.
//!
//! Layout: `NL` `01`, one byte of kind, one byte of version, then the body ([`wire`]). Raise a version
//! whenever the bytes of its body change. Readers keep reading every old version they can and refuse the
//! rest. Golden bytes of each version are in `common/tests/golden`.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::pages::{FetchedPage, GonePage, PartitionedPage};
use super::wire::{self, WireError};
use newslode_page::contribution::Contribution;

const MAGIC: [u8; 3] = [b'N', b'L', 1];

/// Bytes that are not a message of ours, or a message that this build cannot read.
#[derive(Debug, thiserror::Error)]
pub enum EnvelopeError {
    /// Too short, or the magic is missing.
    #[error("not a Newslode message (it starts with {0:02x?})")]
    Foreign(Vec<u8>),
    /// Not the kind of message that this queue carries.
    #[error("a message of kind {found}, where kind {wanted} is expected")]
    Kind {
        /// Kind of the message.
        found: u8,
        /// Kind that the queue carries.
        wanted: u8,
    },
    /// Written by a newer or a much older build.
    #[error(
        "version {found} of a `{what}` message, this build reads version {known}: update the older service"
    )]
    Version {
        /// Name of the message.
        what: &'static str,
        /// Version of the message.
        found: u8,
        /// Newest version that this build reads.
        known: u8,
    },
    /// Larger than any message of ours.
    #[error("a message of {0} bytes is over the limit of {limit}", limit = wire::MAX_BODY)]
    TooLarge(usize),
    /// The body cannot be decoded.
    #[error(transparent)]
    Body(#[from] WireError),
}

/// A type that travels in messages.
pub trait Message: Serialize + DeserializeOwned {
    /// Stable number of the kind.
    const KIND: u8;
    /// Version of the body's bytes.
    const VERSION: u8;
    /// Name for error messages.
    const NAME: &'static str;

    /// The body of an older version, as the present one has it; `None` if it cannot be read any more.
    #[must_use]
    fn renewed(_version: u8, _body: &[u8]) -> Option<Vec<u8>> {
        None
    }
}

impl Message for FetchedPage {
    const KIND: u8 = 1;
    const VERSION: u8 = 1;
    const NAME: &'static str = "page";
}

impl Message for PartitionedPage {
    const KIND: u8 = 2;
    const VERSION: u8 = 3;
    const NAME: &'static str = "partition";

    /// Version 2, of 0.1.0, ends before the canonical URL: a zero says that there is none.
    fn renewed(version: u8, body: &[u8]) -> Option<Vec<u8>> {
        (version == 2).then(|| [body, &[0]].concat())
    }
}

impl Message for Contribution {
    const KIND: u8 = 3;
    const VERSION: u8 = 2;
    const NAME: &'static str = "contribution";
}

impl Message for GonePage {
    const KIND: u8 = 4;
    const VERSION: u8 = 1;
    const NAME: &'static str = "gone page";
}

/// Puts a message into an envelope.
///
/// # Errors
/// When the message cannot be encoded or is too large.
pub fn seal<M: Message>(message: &M) -> Result<Vec<u8>, EnvelopeError> {
    let body = wire::encode(message)?;
    if body.len() > wire::MAX_BODY {
        return Err(EnvelopeError::TooLarge(body.len()));
    }
    let mut bytes = Vec::with_capacity(body.len() + 5);
    bytes.extend_from_slice(&MAGIC);
    bytes.extend_from_slice(&[M::KIND, M::VERSION]);
    bytes.extend_from_slice(&body);
    Ok(bytes)
}

/// Whether bytes say that they hold a message of this kind.
#[must_use]
pub fn holds<M: Message>(bytes: &[u8]) -> bool {
    matches!(bytes, [b'N', b'L', 1, kind, ..] if *kind == M::KIND)
}

/// Takes a message out of its envelope.
///
/// # Errors
/// When the message is foreign, of another kind or version, too large, or broken.
pub fn open<M: Message>(bytes: &[u8]) -> Result<M, EnvelopeError> {
    let [b'N', b'L', 1, kind, version, body @ ..] = bytes else {
        return Err(EnvelopeError::Foreign(bytes.iter().take(5).copied().collect()));
    };
    if *kind != M::KIND {
        return Err(EnvelopeError::Kind { found: *kind, wanted: M::KIND });
    }
    if body.len() > wire::MAX_BODY {
        return Err(EnvelopeError::TooLarge(body.len()));
    }
    if *version == M::VERSION {
        return Ok(wire::decode(body)?);
    }
    match M::renewed(*version, body) {
        Some(body) => Ok(wire::decode(&body)?),
        None => Err(EnvelopeError::Version { what: M::NAME, found: *version, known: M::VERSION }),
    }
}
