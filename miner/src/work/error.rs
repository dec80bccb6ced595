//! Errors of work on a site's pages.

use newslode_common::broker::PublishError;
use newslode_common::retry::Retryable;
use newslode_common::store::StoreError;
use newslode_page::reading::Site;

/// Why a batch, or a pass over a site, failed. It is safe to repeat all of it.
#[derive(Debug, thiserror::Error)]
pub enum BatchError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The broker did not take an event.
    #[error(transparent)]
    Publish(#[from] PublishError),
    /// Other miners were first at each attempt.
    #[error("other miners keep counting pages of `{0}`")]
    Contended(Site),
}

impl Retryable for BatchError {
    fn is_retryable(&self) -> bool {
        match self {
            BatchError::Store(error) => error.is_retryable(),
            BatchError::Publish(error) => error.is_retryable(),
            BatchError::Contended(_) => true,
        }
    }

    fn is_outage(&self) -> bool {
        match self {
            BatchError::Store(error) => error.is_outage(),
            BatchError::Publish(error) => error.is_outage(),
            BatchError::Contended(_) => false,
        }
    }
}
