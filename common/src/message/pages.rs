//! The messages about pages.

use newslode_page::Params;
use newslode_page::analysis::{Analysis, PageNotes, analyse_by};
use newslode_page::generation::Generation;
use serde::{Deserialize, Serialize};

use super::body::Body;
use crate::store::Why;
use crate::version::{ContentHash, Version};
use newslode_page::article::Article;
use newslode_page::contribution::Contribution;
use newslode_page::extract::SlotUse;
use newslode_page::reading::{CanonicalUrl, Listed, Page, Site};
use newslode_page::time::Timestamp;

/// Crawler → partitioner: a page as it was fetched.
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
    /// Number of the fetch, and its content.
    pub version: Version,
    /// Time of the fetch.
    pub fetched_at: Timestamp,
    /// The `Content-Type` header.
    pub content_type: Option<String>,
    /// The bytes, after decoding the content encoding.
    pub body: Body,
    /// What a listing of the site says of the page; `None` if the crawler has read no listing that says more than the address.
    /// The content hash does not cover it: the same pages must end in the same state, whichever source the crawler reads first.
    pub listed: Option<Listed>,
    /// Whether the bytes are the document that a browser made of the server's answer by running its scripts.
    pub rendered: bool,
}

/// Partitioner → miner: the results for one page.
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
    /// Number of the fetch, and its content as seen by the algorithms. Version 0.1.0 wrote the content
    /// itself.
    pub version: Version,
    /// Time of the fetch.
    pub fetched_at: Timestamp,
    /// What the page adds to its site's state.
    pub contribution: Contribution,
    /// The article, if it is one. It travels as JSON, the form in which the archive keeps it, so that older and newer services
    /// understand each other when an article gets a new field.
    #[serde(with = "as_json")]
    pub article: Option<Article>,
    /// Limits that were met, a failure, the number of leaves.
    pub notes: PageNotes,
    /// The URL that the page declares as canonical, if that is another one.
    pub canonical: Option<CanonicalUrl>,
    /// Where the page may name its place in the site.
    pub slots: Vec<SlotUse>,
}

/// Miner → archive: what the archive keeps of a counted page. The miner subtracts the contribution when the page is replaced, and
/// finds the places of its article by the slots.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CountedPage {
    /// Where it may name its place in the site; none if an earlier version counted it.
    pub slots: Vec<SlotUse>,
    /// What counts of it.
    pub contribution: Contribution,
}

/// Crawler → miner: a page that was published before, and is gone or must not be kept any longer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GonePage {
    /// Its identity.
    pub url: CanonicalUrl,
    /// Its site.
    pub site: Site,
    /// Number of the fetch that found it so.
    pub fetch: u64,
    /// When that was.
    pub at: Timestamp,
    /// The reason.
    pub ending: Ending,
}

/// Why a page is gone, or must not be kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// It was not found (404, 410), twice in a row.
    NotFound,
    /// robots.txt forbids it now.
    Disallowed,
    /// It asks not to be indexed now.
    Noindex,
    /// It redirects to another page.
    Moved(CanonicalUrl),
    /// An operator wants it forgotten.
    Forgotten,
    /// It turned out to be the same article as another page.
    SameAs(CanonicalUrl),
    /// The other pages of its site show that it is no article.
    NotAnArticle,
}

impl FetchedPage {
    /// Parses the page, given its bytes.
    #[must_use]
    pub fn parse(&self, bytes: &[u8]) -> Page {
        Page::parse(&self.url, self.content_type.as_deref(), bytes).with_listed(self.listed.clone())
    }

    /// Analyses the page, given its bytes. Never panics.
    #[must_use]
    pub fn analyse(&self, bytes: &[u8], params: &Params) -> Analysis {
        analyse_by(&self.url, || self.parse(bytes), self.fetched_at, params)
    }

    /// The hash that the page has with these bytes.
    #[must_use]
    pub fn hash_with(&self, bytes: &[u8]) -> ContentHash {
        ContentHash::of(&self.url, self.content_type.as_deref(), bytes)
    }

    /// The key of the page in the archive, also for readers of messages.
    #[must_use]
    pub fn content(&self) -> ContentHash {
        self.version.content
    }
}

impl PartitionedPage {
    /// The results of this generation's algorithms for a fetched page, taken out of its analysis. The hierarchy
    /// stays: it goes to the archive.
    #[must_use]
    pub fn new(generation: &Generation, fetched: &FetchedPage, said: &mut Analysis) -> Self {
        PartitionedPage {
            url: fetched.url.clone(),
            site: fetched.site.clone(),
            depth: fetched.depth,
            why: fetched.why,
            version: Version { content: fetched.version.content.seen_by(generation), ..fetched.version },
            fetched_at: fetched.fetched_at,
            contribution: std::mem::take(&mut said.contribution),
            article: said.article.take(),
            notes: std::mem::take(&mut said.notes),
            canonical: said.canonical.take(),
            slots: std::mem::take(&mut said.slots),
        }
    }
}

/// The article of a message as JSON.
mod as_json {
    use newslode_page::article::Article;
    use serde::de::Error as _;
    use serde::ser::Error as _;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(article: &Option<Article>, to: S) -> Result<S::Ok, S::Error> {
        let json = article.as_ref().map(serde_json::to_string).transpose().map_err(S::Error::custom)?;
        json.serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Article>, D::Error> {
        let json = Option::<String>::deserialize(from)?;
        json.map(|json| serde_json::from_str(&json)).transpose().map_err(D::Error::custom)
    }
}
