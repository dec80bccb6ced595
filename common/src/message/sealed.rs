//! A fetched page as it is archived and sent: sealed, with its body or without.

use bytes::Bytes;

use super::body::{Body, BodyError};
use super::envelope::{self, EnvelopeError};
use super::pages::FetchedPage;

/// Largest compressed body in a message, in bytes. A larger one is read from the archive.
const MAX_INLINE: usize = 1 << 20;

/// A fetched page in its two sealed forms.
#[derive(Clone, Debug)]
pub struct SealedPage {
    /// With its body, for the archive.
    pub whole: Bytes,
    /// For the queue: without its body if that is too large for a message.
    pub message: Bytes,
}

impl FetchedPage {
    /// The page's bytes after decoding the content encoding.
    ///
    /// # Errors
    /// As [`Body::unpack`].
    pub fn bytes(&self) -> Result<Vec<u8>, BodyError> {
        self.body.unpack()
    }

    /// Seals the page for archive and queue.
    ///
    /// # Errors
    /// When the page is too large for any message.
    pub fn sealed(mut self) -> Result<SealedPage, EnvelopeError> {
        let is_large = self.body.packed_len() > MAX_INLINE;
        let whole = Bytes::from(envelope::seal(&self)?);
        if !is_large {
            return Ok(SealedPage { message: whole.clone(), whole });
        }
        self.body = Body::Archived;
        Ok(SealedPage { whole, message: Bytes::from(envelope::seal(&self)?) })
    }
}
