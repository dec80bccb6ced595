//! Magic, kind and version in front of every message, so that a reader knows what it holds before
//! it reads it.
//!
//! Layout: `NL` `01`, one byte of kind, one byte of version, then the body ([`wire`]). A
//! version is raised whenever the body's bytes change; readers keep reading every old version they
//! can and refuse the rest. Golden bytes of each version are in `common/tests/golden`.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::wire::{self, WireError};
use super::{FetchedPage, PartitionedPage};
use newslode_page::contribution::Contribution;

const MAGIC: [u8; 3] = [b'N', b'L', 1];

/// Bytes that are no message of ours, or one that this build does not read.
#[derive(Debug, thiserror::Error)]
pub enum EnvelopeError {
    /// Too short, or the magic is missing.
    #[error("not a Newslode message (it starts with {0:02x?})")]
    Foreign(Vec<u8>),
    /// Another kind of message than this queue carries.
    #[error("a message of kind {found}, where kind {wanted} is expected")]
    Kind {
        /// In the message.
        found: u8,
        /// Of this queue.
        wanted: u8,
    },
    /// Written by a newer or much older build.
    #[error(
        "version {found} of a `{what}` message, this build reads version {known}: update the older service"
    )]
    Version {
        /// Name of the message.
        what: &'static str,
        /// In the message.
        found: u8,
        /// Of this build.
        known: u8,
    },
    /// Larger than any message of ours.
    #[error("a message of {0} bytes is over the limit of {limit}", limit = wire::MAX_BODY)]
    TooLarge(usize),
    /// The body is broken.
    #[error(transparent)]
    Body(#[from] WireError),
}

/// A type that travels.
pub trait Message: Serialize + DeserializeOwned {
    /// Stable number of the kind.
    const KIND: u8;
    /// Version of the body's bytes.
    const VERSION: u8;
    /// For messages to people.
    const NAME: &'static str;
}

impl Message for FetchedPage {
    const KIND: u8 = 1;
    const VERSION: u8 = 1;
    const NAME: &'static str = "page";
}

impl Message for PartitionedPage {
    const KIND: u8 = 2;
    const VERSION: u8 = 2;
    const NAME: &'static str = "partition";
}

impl Message for Contribution {
    const KIND: u8 = 3;
    const VERSION: u8 = 2;
    const NAME: &'static str = "contribution";
}

/// Puts a message into its envelope.
///
/// # Errors
/// When it cannot be encoded or is too large.
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

/// Takes a message out of its envelope.
///
/// # Errors
/// When it is foreign, of another kind or version, too large, or broken.
pub fn open<M: Message>(bytes: &[u8]) -> Result<M, EnvelopeError> {
    let [b'N', b'L', 1, kind, version, body @ ..] = bytes else {
        return Err(EnvelopeError::Foreign(bytes.iter().take(5).copied().collect()));
    };
    if *kind != M::KIND {
        return Err(EnvelopeError::Kind { found: *kind, wanted: M::KIND });
    }
    if *version != M::VERSION {
        return Err(EnvelopeError::Version { what: M::NAME, found: *version, known: M::VERSION });
    }
    if body.len() > wire::MAX_BODY {
        return Err(EnvelopeError::TooLarge(body.len()));
    }
    Ok(wire::decode(body)?)
}
