//! Errors of the stores.

use newslode_page::reading::CanonicalUrl;

use crate::retry::Retryable;

/// A store call that failed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum StoreError {
    /// No answer, no connection, or a server that restarts. The call may or may not have had its effect:
    /// repeat it (all calls are safe to repeat).
    #[error("the store did not answer: {0}")]
    Unavailable(String),
    /// The store refuses for a reason that a person must remove (out of memory, evicting policy, no
    /// functions).
    #[error("the store refuses: {0}")]
    Refused(String),
    /// Another process writes the file of an embedded store.
    #[error("{0}")]
    InUse(String),
    /// The disk, or a quota on it, is full.
    #[error("the disk is full: {0}")]
    Full(String),
    /// The stored data makes no sense.
    #[error("the store contains corrupt data: {0}")]
    Corrupt(String),
    /// The file of an embedded store is damaged: parts of it cannot be read.
    #[error("the store's file is damaged: {0}")]
    Damaged(String),
}

impl Retryable for StoreError {
    /// A refusal counts, too: a person repairs a server that is out of memory or has become a replica, or makes room, while
    /// the service keeps its work in hand.
    fn is_retryable(&self) -> bool {
        match self {
            StoreError::Unavailable(_)
            | StoreError::Refused(_)
            | StoreError::InUse(_)
            | StoreError::Full(_) => true,
            StoreError::Corrupt(_) | StoreError::Damaged(_) => false,
        }
    }
}

/// The result of a store call.
pub type StoreResult<T> = Result<T, StoreError>;

/// The URL that a store wrote in its short form under a site.
pub(super) fn long(site: &str, text: &str) -> StoreResult<CanonicalUrl> {
    newslode_page::reading::short::full_url(site, text)
        .map_err(|error| StoreError::Corrupt(format!("`{text}` of `{site}` is not a URL: {error}")))
}
