//! The header of every message: magic, kind and version, by which a reader knows the message before it decodes the body.
//!
//! Layout: `NL` `01`, one byte of kind, one byte of version, then the body ([`wire`]), then for versions from
//! [`Message::CHECKED_FROM`] on a checksum of all before it. Raise a version whenever the bytes of its body
//! change. Readers keep reading every old version they can and refuse the rest. Golden bytes of each version
//! are in `common/tests/golden`.
//!
//! The checksum detects damage, not forgery: anyone who may publish can compute it. Pages have one although their content hash
//! covers URL, content type and bytes, because a flipped bit elsewhere would change the fetch number or the depth.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::older;
use super::pages::{CountedPage, FetchedPage, GonePage, PartitionedPage};
use super::wire::{self, WireError};
use crate::broker::MAX_MESSAGE;

const MAGIC: [u8; 3] = [b'N', b'L', 1];
/// Bytes of magic, kind and version.
const HEADER: usize = 5;
/// Bytes of the checksum: of BLAKE3, as in content hashes.
const CHECKSUM: usize = 8;

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
    #[error("a message of {size} bytes is over the limit of {limit}")]
    TooLarge {
        /// Its size, in bytes.
        size: usize,
        /// The limit, in bytes.
        limit: usize,
    },
    /// The bytes changed on their way.
    #[error("a damaged `{0}` message: its checksum does not match")]
    Damaged(&'static str),
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
    /// The first version whose messages end with a checksum; none if it is above [`Message::VERSION`].
    const CHECKED_FROM: u8 = u8::MAX;

    /// The body of an older version, as the present one has it; `None` if it cannot be read any more.
    #[must_use]
    fn renewed(_version: u8, _body: &[u8]) -> Option<Vec<u8>> {
        None
    }
}

impl Message for FetchedPage {
    const KIND: u8 = 1;
    const VERSION: u8 = 4;
    const NAME: &'static str = "page";
    const CHECKED_FROM: u8 = 2;

    /// Versions 1, of 0.1.0, and 2 end before what a listing says: a zero says that nothing is known. Version 3 ends before the
    /// mark of rendered pages: there were none. Version 1 has no checksum.
    fn renewed(version: u8, body: &[u8]) -> Option<Vec<u8>> {
        match version {
            1 | 2 => Some([body, &[0, 0]].concat()),
            3 => Some([body, &[0]].concat()),
            _ => None,
        }
    }
}

impl Message for PartitionedPage {
    const KIND: u8 = 2;
    const VERSION: u8 = 7;
    const NAME: &'static str = "partition";
    const CHECKED_FROM: u8 = 4;

    /// Version 2, of 0.1.0, ends before the canonical URL, versions 3 and 4 before what a listing says, and version 5 before
    /// the slots: zeros say that there are none. All of them have the article in the wire form. Versions up to 3 have no
    /// checksum.
    fn renewed(version: u8, body: &[u8]) -> Option<Vec<u8>> {
        let missing: &[u8] = match version {
            2 => &[0, 0, 0],
            3 | 4 => &[0, 0],
            5 => &[0],
            6 => &[],
            _ => return None,
        };
        older::renewed(&[body, missing].concat()).ok()
    }
}

impl Message for CountedPage {
    const KIND: u8 = 3;
    const VERSION: u8 = 3;
    const NAME: &'static str = "contribution";

    /// Version 2, of 0.1.0, is a contribution alone: a zero before it says that there are no slots.
    fn renewed(version: u8, body: &[u8]) -> Option<Vec<u8>> {
        (version == 2).then(|| [&[0], body].concat())
    }
}

impl Message for GonePage {
    const KIND: u8 = 4;
    const VERSION: u8 = 2;
    const NAME: &'static str = "gone page";
    const CHECKED_FROM: u8 = 2;

    /// Version 1 has no checksum.
    fn renewed(version: u8, body: &[u8]) -> Option<Vec<u8>> {
        (version == 1).then(|| body.to_vec())
    }
}

/// Puts a message into an envelope.
///
/// # Errors
/// When the message cannot be encoded or is too large.
pub fn seal<M: Message>(message: &M) -> Result<Vec<u8>, EnvelopeError> {
    let body = wire::encode(message)?;
    if body.len() > wire::MAX_BODY {
        return Err(EnvelopeError::TooLarge { size: body.len(), limit: wire::MAX_BODY });
    }
    let mut bytes = Vec::with_capacity(HEADER + body.len() + CHECKSUM);
    bytes.extend_from_slice(&MAGIC);
    bytes.extend_from_slice(&[M::KIND, M::VERSION]);
    bytes.extend_from_slice(&body);
    if M::VERSION >= M::CHECKED_FROM {
        let checksum = checksum(&bytes);
        bytes.extend_from_slice(&checksum);
    }
    Ok(bytes)
}

fn checksum(bytes: &[u8]) -> [u8; CHECKSUM] {
    let mut short = [0; CHECKSUM];
    short.copy_from_slice(&blake3::hash(bytes).as_bytes()[..CHECKSUM]);
    short
}

/// Whether bytes say that they hold a message of this kind.
#[must_use]
pub fn holds<M: Message>(bytes: &[u8]) -> bool {
    matches!(bytes, [b'N', b'L', 1, kind, ..] if *kind == M::KIND)
}

/// Takes a message out of its envelope that came by a queue.
///
/// # Errors
/// As [`open`], and when it is larger than any message that is published. Older brokers take larger ones from strangers.
pub fn open_delivered<M: Message>(bytes: &[u8]) -> Result<M, EnvelopeError> {
    if bytes.len() > MAX_MESSAGE {
        return Err(EnvelopeError::TooLarge { size: bytes.len(), limit: MAX_MESSAGE });
    }
    open(bytes)
}

/// Takes a message out of its envelope.
///
/// # Errors
/// When the message is foreign, of another kind or version, too large, damaged, or broken.
pub fn open<M: Message>(bytes: &[u8]) -> Result<M, EnvelopeError> {
    let [b'N', b'L', 1, kind, version, body @ ..] = bytes else {
        return Err(EnvelopeError::Foreign(bytes.iter().take(HEADER).copied().collect()));
    };
    if *kind != M::KIND {
        return Err(EnvelopeError::Kind { found: *kind, wanted: M::KIND });
    }
    if body.len() > wire::MAX_BODY + CHECKSUM {
        return Err(EnvelopeError::TooLarge { size: body.len(), limit: wire::MAX_BODY });
    }
    let is_checked = (M::CHECKED_FROM..=M::VERSION).contains(version);
    let body = if is_checked { checked_body::<M>(bytes)? } else { body };
    if *version == M::VERSION {
        return Ok(wire::decode(body)?);
    }
    match M::renewed(*version, body) {
        Some(body) => Ok(wire::decode(&body)?),
        None => Err(EnvelopeError::Version { what: M::NAME, found: *version, known: M::VERSION }),
    }
}

/// The body of a message that ends with its checksum.
fn checked_body<M: Message>(bytes: &[u8]) -> Result<&[u8], EnvelopeError> {
    let damaged = EnvelopeError::Damaged(M::NAME);
    let Some((sealed, given)) = bytes.split_last_chunk::<CHECKSUM>() else { return Err(damaged) };
    match sealed.get(HEADER..) {
        Some(body) if checksum(sealed) == *given => Ok(body),
        _ => Err(damaged),
    }
}
