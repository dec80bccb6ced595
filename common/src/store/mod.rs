//! Where things are kept: what to fetch ([`Frontier`]), what is mined ([`SiteState`]), what pages said
//! ([`PageArchive`]).
//!
//! Each trait has an embedded side (`redb`: one file, one process) and a served one (`redis`, and
//! `object_store` for the archive), and one conformance suite that runs on both and on a third that
//! breaks on purpose. All state of a site lives together: in Redis under the hash tag of
//! [`bucket`], so every call stays in one slot of a cluster. Nothing global is written by a page.
//! Stores read no clock: time is passed in.

pub mod archive;
#[cfg(any(test, feature = "conformance"))]
pub mod conformance;
mod frontier;
pub mod redb;
pub mod redis;
mod short;
mod state;
mod wholes;

use async_trait::async_trait;
use bytes::Bytes;
use serde::{Deserialize, Serialize};

pub use self::frontier::{
    Added, Claim, Completed, Completion, Entry, Frontier, NewUrl, SiteSettings, SiteStatus, Validators, Why,
};
pub use self::state::{Applied, Change, SiteState, state_digest};
use crate::retry::Retryable;
use crate::version::ContentHash;
use newslode_page::reading::Site;
use newslode_page::time::Timestamp;

/// Number of hash tags that sites are spread over; fixed for ever, it is part of every Redis key.
pub const BUCKETS: u16 = 1024;

/// The bucket of a site: the first ten bits of BLAKE3 over its name.
#[must_use]
pub fn bucket(site: &Site) -> u16 {
    let hash = blake3::hash(site.as_str().as_bytes());
    u16::from_be_bytes([hash.as_bytes()[0], hash.as_bytes()[1]]) % BUCKETS
}

/// A store call that failed.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// No answer, no connection, a server that restarts: the call may or may not have had its effect;
    /// repeat it (all calls are safe to repeat).
    #[error("the store did not answer: {0}")]
    Unavailable(String),
    /// The store refuses for a reason that a person must mend (out of memory, evicting policy, no functions).
    #[error("the store refuses: {0}")]
    Refused(String),
    /// What was read makes no sense.
    #[error("the store holds something broken: {0}")]
    Corrupt(String),
}

impl Retryable for StoreError {
    /// Also what the store refuses: a server out of memory or turned to a replica is mended by a person
    /// while the service holds what it has.
    fn is_retryable(&self) -> bool {
        match self {
            StoreError::Unavailable(_) | StoreError::Refused(_) => true,
            StoreError::Corrupt(_) => false,
        }
    }
}

/// Result of a store call.
pub type StoreResult<T> = Result<T, StoreError>;

/// What is kept of a page, each under the page's content hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// The page as fetched: a [`FetchedPage`](crate::message::FetchedPage) with its body inline.
    Page,
    /// Its [`Contribution`](newslode_page::contribution::Contribution).
    Contribution,
    /// Its hierarchy as XML.
    Hierarchy,
    /// Its [`Article`](newslode_page::article::Article) as JSON.
    Article,
}

impl Kind {
    /// All kinds.
    pub const ALL: &'static [Kind] = &[Kind::Page, Kind::Contribution, Kind::Hierarchy, Kind::Article];

    /// Folder and key part.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Kind::Page => "page",
            Kind::Contribution => "contribution",
            Kind::Hierarchy => "hierarchy",
            Kind::Article => "article",
        }
    }
}

/// Pages and what was computed of each, by content. Contract: what `put` returned `Ok` for, `get`
/// finds, byte for byte, until it is deleted or expired; putting again replaces; a get of what was
/// never put is `None`. Implementations compress (zstd).
#[async_trait]
pub trait PageArchive: Send + Sync {
    /// Keeps bytes.
    async fn put(&self, kind: Kind, content: ContentHash, bytes: Bytes, now: Timestamp) -> StoreResult<()>;

    /// Reads them back.
    async fn get(&self, kind: Kind, content: ContentHash) -> StoreResult<Option<Bytes>>;

    /// Forgets them; forgetting what is not there is fine.
    async fn delete(&self, kind: Kind, content: ContentHash) -> StoreResult<()>;

    /// Forgets everything put before `before`. Returns how many.
    async fn expire(&self, before: Timestamp) -> StoreResult<u64>;
}
