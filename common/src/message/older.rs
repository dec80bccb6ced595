//! The results for a page as versions 2 to 6 of their message have them: the article in the wire form, in a fixed shape.
//!
//! The present version carries it as JSON, so that a new field of an article needs no new version.

use std::collections::BTreeMap;

use newslode_page::analysis::PageNotes;
use newslode_page::article::{Article, Block, BlockKind, Evidence, PageKind};
use newslode_page::contribution::Contribution;
use newslode_page::extract::SlotUse;
use newslode_page::reading::{CanonicalUrl, ListedEntry, Site};
use newslode_page::time::Timestamp;
use serde::{Deserialize, Serialize};

use super::pages::PartitionedPage;
use super::wire::{self, WireError};
use crate::store::Why;
use crate::version::Version;

/// The body of version 6. Older ones end before its last fields.
#[derive(Debug, Serialize, Deserialize)]
struct Results {
    url: CanonicalUrl,
    site: Site,
    depth: u32,
    why: Why,
    version: Version,
    fetched_at: Timestamp,
    contribution: Contribution,
    article: Option<FlatArticle>,
    notes: PageNotes,
    canonical: Option<CanonicalUrl>,
    listed: Option<ListedEntry>,
    slots: Vec<SlotUse>,
}

#[derive(Debug, Serialize, Deserialize)]
struct FlatArticle {
    url: String,
    site: String,
    title: Option<String>,
    authors: Vec<String>,
    published: Option<String>,
    modified: Option<String>,
    place: Option<String>,
    section: Option<String>,
    concepts: Vec<String>,
    language: Option<String>,
    body: Vec<FlatBlock>,
    image: Option<String>,
    kind: PageKind,
    method: String,
    evidence: BTreeMap<String, Evidence>,
}

#[derive(Debug, Serialize, Deserialize)]
struct FlatBlock {
    kind: BlockKind,
    text: String,
}

/// The body of the present version, from one of version 6.
///
/// # Errors
/// When it is not of that shape.
pub(super) fn renewed(body: &[u8]) -> Result<Vec<u8>, WireError> {
    let old: Results = wire::decode(body)?;
    let listed = old.listed;
    wire::encode(&PartitionedPage {
        url: old.url,
        site: old.site,
        depth: old.depth,
        why: old.why,
        version: old.version,
        fetched_at: old.fetched_at,
        contribution: old.contribution,
        article: old.article.map(|flat| Article { listed, ..flat.whole() }),
        notes: old.notes,
        canonical: old.canonical,
        slots: old.slots,
    })
}

impl FlatArticle {
    fn whole(self) -> Article {
        Article {
            url: self.url,
            site: self.site,
            title: self.title,
            authors: self.authors,
            published: self.published,
            modified: self.modified,
            place: self.place,
            section: self.section,
            concepts: self.concepts,
            language: self.language,
            body: self.body.into_iter().map(|block| Block::new(block.kind, block.text)).collect(),
            image: self.image,
            kind: self.kind,
            method: self.method,
            evidence: self.evidence,
            ..Article::default()
        }
    }
}
