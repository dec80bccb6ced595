//! The links of a concept page: the inputs of its instances, known without parsing a page.

use std::collections::{BTreeMap, BTreeSet};

use newslode_common::store::StoreResult;
use newslode_common::version::ContentHash;
use newslode_page::reading::CanonicalUrl;

use crate::work::archive::read_contribution;
use crate::work::stores::Stores;

/// Hash of everything that a value was computed from.
pub(super) type InputHash = [u8; 16];

/// A counted concept page and those of its links that are wanted.
pub(super) struct ConceptPageLinks {
    pub(super) page: CanonicalUrl,
    pub(super) content: ContentHash,
    /// Page → its content, if it is counted.
    pub(super) linked: BTreeMap<CanonicalUrl, Option<ContentHash>>,
}

impl ConceptPageLinks {
    /// The links of a page; `None` if it is not counted, or its contribution is gone.
    pub(super) async fn read(
        stores: &Stores,
        page: &CanonicalUrl,
        wanted: impl Fn(&CanonicalUrl) -> bool,
    ) -> StoreResult<Option<ConceptPageLinks>> {
        let (site, state) = (page.site(), stores.state.as_ref());
        let version = state.versions(&site, std::slice::from_ref(page)).await?.into_iter().next().flatten();
        let content = version.map(|version| version.content).filter(|content| *content != ContentHash::NONE);
        let Some(content) = content else { return Ok(None) };
        let Some(contribution) = read_contribution(stores.archive.as_ref(), content).await? else {
            return Ok(None);
        };
        let links = contribution.links.into_iter().map(|link| link.target);
        let linked: BTreeSet<CanonicalUrl> = links.filter(|url| url.site() == site && wanted(url)).collect();
        let linked: Vec<CanonicalUrl> = linked.into_iter().collect();
        let contents = state.versions(&site, &linked).await?.into_iter().map(|version| {
            version.map(|version| version.content).filter(|content| *content != ContentHash::NONE)
        });
        let linked = linked.iter().cloned().zip(contents).collect();
        Ok(Some(ConceptPageLinks { page: page.clone(), content, linked }))
    }

    /// Equal for equal inputs.
    pub(super) fn inputs(&self) -> InputHash {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.content.0);
        for (url, content) in &self.linked {
            hasher.update(&content.unwrap_or(ContentHash::NONE).0);
            hasher.update(url.as_str().as_bytes()).update(b"\n");
        }
        digest(&hasher)
    }
}

/// The first bytes of the hash.
pub(super) fn digest(hasher: &blake3::Hasher) -> InputHash {
    let mut digest = InputHash::default();
    digest.copy_from_slice(&hasher.finalize().as_bytes()[..size_of::<InputHash>()]);
    digest
}
