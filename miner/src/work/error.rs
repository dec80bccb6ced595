//! How work on a site fails.

use newslode_common::broker::PublishError;
use newslode_common::store::StoreError;
use newslode_page::reading::Site;

/// Why a batch, or a look at a site, was not finished. What was done of it may be done again.
#[derive(Debug, thiserror::Error)]
pub enum BatchError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The broker did not take an article.
    #[error(transparent)]
    Publish(#[from] PublishError),
    /// Other miners were first, each time.
    #[error("pages of `{0}` are being counted by others")]
    Contended(Site),
}

impl BatchError {
    /// Whether trying the same again may help.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        match self {
            // A refusing store is mended by a person; until then nothing may be given up.
            BatchError::Store(error) => error.is_waited_for(),
            BatchError::Contended(_) => true,
            BatchError::Publish(error) => error.is_retryable(),
        }
    }
}
