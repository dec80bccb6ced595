//! What travels between services: the bodies, and the envelope around them.
//!
//! A message is an [`envelope`]: magic, kind, version, then the body in the [`wire`] form. A reader
//! refuses what it does not know, and the broker's dead letters keep it. Operators' seed messages are
//! JSON ([`seed`]), so that any AMQP client can send one.

use serde::{Deserialize, Serialize};

use crate::article::Article;
use crate::contribution::Contribution;
use crate::page::{CanonicalUrl, Site};
use crate::store::Why;
use crate::time::Timestamp;
use crate::version::{ContentHash, Version};

pub mod envelope;
pub mod seed;
pub mod wire;

/// Where a page's bytes are.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Body {
    /// Here, zstd-compressed.
    Inline(Vec<u8>),
    /// In the archive, under the message's content hash (too large for a message).
    Archived,
}

impl std::fmt::Debug for Body {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Body::Inline(bytes) => write!(f, "Inline({} bytes)", bytes.len()),
            Body::Archived => f.write_str("Archived"),
        }
    }
}

/// Crawler → partitioner: a page as fetched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FetchedPage {
    /// Its identity.
    pub url: CanonicalUrl,
    /// Its site.
    pub site: Site,
    /// Links away from the seed.
    pub depth: u32,
    /// Why it was fetched.
    pub why: Why,
    /// Which fetch, which content.
    pub version: Version,
    /// When.
    pub fetched_at: Timestamp,
    /// The `Content-Type` header.
    pub content_type: Option<String>,
    /// The bytes, content encoding undone.
    pub body: Body,
}

/// What went less than well with a page; each is counted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageNotes {
    /// Limits that made the result coarser: `bytes`, `nodes`, `depth`, `leaves`, `time`.
    pub coarse: Vec<String>,
    /// The page could not be worked on at all (a caught panic): its contribution is empty.
    pub failed: Option<String>,
    /// Leaves of the page.
    pub leaves: u32,
}

/// Partitioner → miner: what one page says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PartitionedPage {
    /// Its identity.
    pub url: CanonicalUrl,
    /// Its site.
    pub site: Site,
    /// Links away from the seed.
    pub depth: u32,
    /// Why it was fetched.
    pub why: Why,
    /// Which fetch, which content.
    pub version: Version,
    /// When it was fetched.
    pub fetched_at: Timestamp,
    /// What it adds to its site's state.
    pub contribution: Contribution,
    /// The article, if it is one.
    pub article: Option<Article>,
    /// What went less than well.
    pub notes: PageNotes,
}

impl FetchedPage {
    /// Where a page is filed in the archive and known by to readers of messages.
    #[must_use]
    pub fn content(&self) -> ContentHash {
        self.version.content
    }
}
