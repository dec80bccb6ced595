//! The stores: what to fetch ([`Frontier`]), what is mined ([`SiteState`]), and the pages with their results
//! ([`PageArchive`]).
//!
//! Each trait has an embedded side (`redb`: one file, one process) and a served one (`redis`, or
//! `object_store` for the archive). One conformance suite per trait runs on both, and on a third side that
//! fails on purpose. All state of a site lives together: in Redis it is under the hash tag of its [`bucket`],
//! so every call stays in one slot of a cluster. No page writes global state. Stores read no clock: callers
//! pass the time in.

pub mod archive;
mod change;
pub mod conformance;
mod error;
mod frontier;
mod layout;
pub mod log;
pub mod past;
pub mod redb;
pub mod redis;
mod state;
pub mod teach;
mod wholes;

use std::collections::BTreeMap;

use async_trait::async_trait;
use bytes::Bytes;
use serde::{Deserialize, Serialize};

pub use self::change::{Applied, Change};
pub use self::error::{StoreError, StoreResult};
pub use self::frontier::{
    Added, Again, Claim, Claimed, Completed, Completion, Entry, Frontier, NewUrl, Note, Pace,
    REMEMBERED_DAYS, SiteSettings, SiteStatus, Validators, Why, first_fetch,
};
pub use self::state::{Memory, SiteState, Sums, state_digest};
use crate::version::ContentHash;
use newslode_page::reading::{CanonicalUrl, Site};
use newslode_page::time::Timestamp;

/// Number of hash tags over which sites are spread. Fixed for ever: it is part of every Redis key.
pub const BUCKETS: u16 = 1024;

/// The bucket of a site: the first ten bits of BLAKE3 over its name.
#[must_use]
pub fn bucket(site: &Site) -> u16 {
    let hash = blake3::hash(site.as_str().as_bytes());
    u16::from_be_bytes([hash.as_bytes()[0], hash.as_bytes()[1]]) % BUCKETS
}

/// The kinds of data kept for a page, each under the page's content hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// The fetched page: a [`FetchedPage`](crate::message::FetchedPage) with its body inline.
    Page,
    /// Its [`Contribution`](newslode_page::contribution::Contribution).
    Contribution,
    /// Its hierarchy as XML.
    Hierarchy,
    /// Its [`Article`](newslode_page::article::Article) as JSON.
    Article,
    /// The history of an article as JSON: when it was found, how it changed, how it ended. Stored under a hash of its URL, not
    /// of its content, in folders and keys called `life`.
    #[serde(rename = "life")]
    History,
    /// The robots.txt of an origin as it was read last, as JSON. Stored under a hash of its address.
    Robots,
    /// What a listing says of a page, as JSON. The crawler writes it when it reads the listing. Stored under a hash of the
    /// page's address.
    Listed,
    /// What was said at the fetch of a page of what may be done with it, as JSON. Stored under a hash of the page's address.
    Rights,
}

impl Kind {
    /// All kinds.
    pub const ALL: &'static [Kind] = &[
        Kind::Page,
        Kind::Contribution,
        Kind::Hierarchy,
        Kind::Article,
        Kind::History,
        Kind::Robots,
        Kind::Listed,
        Kind::Rights,
    ];

    /// The name of the kind in folders and keys.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Kind::Page => "page",
            Kind::Contribution => "contribution",
            Kind::Hierarchy => "hierarchy",
            Kind::Article => "article",
            Kind::History => "life",
            Kind::Robots => "robots",
            Kind::Listed => "listed",
            Kind::Rights => "rights",
        }
    }
}

/// The key in the archive of what a listing says of the page at this address ([`Kind::Listed`]).
#[must_use]
pub fn listed_key(url: &CanonicalUrl) -> ContentHash {
    ContentHash::of(url, Some(Kind::Listed.name()), b"")
}

/// The key in the archive of where sitemaps say that the page at this address is in other languages ([`Kind::Listed`]).
#[must_use]
pub fn alternates_key(url: &CanonicalUrl) -> ContentHash {
    ContentHash::of(url, Some("alternates"), b"")
}

/// The key in the archive of the robots.txt at this address ([`Kind::Robots`]).
#[must_use]
pub fn robots_key(file: &CanonicalUrl) -> ContentHash {
    ContentHash::of(file, Some(Kind::Robots.name()), b"")
}

/// The result of an expiry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expired {
    /// Number of values that were deleted.
    pub values: u64,
    /// Bytes of each kind that were left, packed; nothing from an archive that does not look at all of them.
    pub left: BTreeMap<Kind, u64>,
}

/// Pages and the results computed from them, by content. Contract: bytes that `put` returned `Ok` for are
/// found by `get`, byte for byte, until they are deleted, discarded or expire. A second put replaces the first. `get`
/// returns `None` for content that was never put. Implementations compress (zstd).
#[async_trait]
pub trait PageArchive: Send + Sync {
    /// Stores bytes.
    async fn put(&self, kind: Kind, content: ContentHash, bytes: Bytes, now: Timestamp) -> StoreResult<()>;

    /// Reads bytes back.
    async fn get(&self, kind: Kind, content: ContentHash) -> StoreResult<Option<Bytes>>;

    /// Deletes bytes. Deleting absent ones is fine.
    async fn delete(&self, kind: Kind, content: ContentHash) -> StoreResult<()>;

    /// Deletes everything put before `before`.
    async fn expire(&self, before: Timestamp) -> StoreResult<Expired>;

    /// Deletes bytes and notes when, for [`removed`](PageArchive::removed). Returns whether they were there; what is not there is
    /// not noted. An archive that keeps no notes deletes them.
    async fn discard(&self, kind: Kind, content: ContentHash, _now: Timestamp) -> StoreResult<bool> {
        let was_there = self.get(kind, content).await?.is_some();
        self.delete(kind, content).await?;
        Ok(was_there)
    }

    /// When these bytes were [discarded](PageArchive::discard), or [removed](AgedArchive::remove) to save space, if they were
    /// not put or deleted since and the note did not expire.
    async fn removed(&self, _kind: Kind, _content: ContentHash) -> StoreResult<Option<Timestamp>> {
        Ok(None)
    }

    /// Whether [`removed`](PageArchive::removed) is answered without a request to a server.
    fn knows_removals(&self) -> bool {
        true
    }
}

/// A value of an archive, without its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Aged {
    /// Its name.
    pub content: ContentHash,
    /// When it was put.
    pub put_at: Timestamp,
    /// Its packed bytes.
    pub bytes: u64,
}

/// How much an archive holds of a kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KindUse {
    /// Number of values.
    pub values: u64,
    /// Their packed bytes.
    pub bytes: u64,
}

/// An archive whose oldest values can be removed to save space. Contract: a removed value is not found by `get`; `removed` says
/// since when, until it is put again, deleted or expires.
#[async_trait]
pub trait AgedArchive: PageArchive {
    /// The values of a kind by the time of their put, the oldest first, after one of them; at most `most`.
    async fn oldest(&self, kind: Kind, after: Option<Aged>, most: usize) -> StoreResult<Vec<Aged>>;

    /// Removes values, but not those that were put again after they were listed. Returns how many.
    async fn remove(&self, kind: Kind, values: &[Aged], now: Timestamp) -> StoreResult<u64>;

    /// Puts other bytes in place of a value, with another time, if it was not put again after it was listed. Returns whether it
    /// did.
    async fn replace(&self, kind: Kind, value: Aged, bytes: Bytes, at: Timestamp) -> StoreResult<bool>;

    /// How much there is of each kind.
    async fn usage(&self) -> StoreResult<BTreeMap<Kind, KindUse>>;
}
