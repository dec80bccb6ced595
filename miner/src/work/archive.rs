//! What the archive holds of pages, as the miner asks for it.

use bytes::Bytes;
use futures::future::try_join_all;
use newslode_common::message::{FetchedPage, envelope};
use newslode_common::store::{Kind, StoreError, StoreResult};
use newslode_common::version::ContentHash;
use newslode_page::Page;
use newslode_page::contribution::Contribution;
use newslode_page::reading::CanonicalUrl;

use crate::work::generations::Generations;
use crate::work::parts::Parts;

/// What is filed under the name that algorithms give to a content.
const COMPUTED: [Kind; 3] = [Kind::Contribution, Kind::Hierarchy, Kind::Article];

/// An archived contribution; `None` if the archive does not hold it.
///
/// # Errors
/// When the archive cannot be read, or holds something else.
pub(super) async fn contribution(parts: &Parts, content: ContentHash) -> StoreResult<Option<Contribution>> {
    let sealed = parts.archive.get(Kind::Contribution, content).await?;
    let open = |bytes: Bytes| {
        envelope::open(&bytes).map_err(|e| StoreError::Corrupt(format!("contribution {content}: {e}")))
    };
    sealed.map(open).transpose()
}

/// The page of a URL as it is counted, parsed; `None` if it is not counted, or not archived as something that can be read.
///
/// # Errors
/// When a store cannot be read.
pub async fn page(parts: &Parts, url: &CanonicalUrl) -> StoreResult<Option<Page>> {
    let versions = parts.state.versions(&url.site(), std::slice::from_ref(url)).await?;
    let content = versions.into_iter().next().flatten().map(|version| version.content);
    let Some(content) = content.filter(|content| *content != ContentHash::NONE) else { return Ok(None) };
    let generations = Generations::read(parts.state.as_ref()).await?;
    let found = generations.page(parts.archive.as_ref(), content).await?;
    let Some((_, bytes)) = found else { return Ok(None) };
    Ok(open(&bytes).ok().map(|(_, page)| page))
}

/// An archived page, parsed.
///
/// # Errors
/// Why it cannot be read.
pub(super) fn open(bytes: &[u8]) -> Result<(FetchedPage, Page), String> {
    let fetched: FetchedPage = envelope::open(bytes).map_err(|error| error.to_string())?;
    let html = fetched.bytes().map_err(|error| error.to_string())?;
    let page = Page::parse(&fetched.url, fetched.content_type.as_deref(), &html);
    Ok((fetched, page))
}

/// Takes pages of these contents out of the archive with all that was computed of them. They are of one site: no
/// other holds them.
///
/// # Errors
/// When a store fails.
pub(super) async fn forget_fetched(
    parts: &Parts,
    contents: impl Iterator<Item = ContentHash>,
) -> StoreResult<()> {
    let generations = Generations::read(parts.state.as_ref()).await?;
    for content in contents {
        parts.archive.delete(Kind::Page, content).await?;
        for name in generations.names(content) {
            try_join_all(COMPUTED.iter().map(|kind| parts.archive.delete(*kind, name))).await?;
        }
    }
    Ok(())
}

/// The same of pages that are counted under these names.
///
/// # Errors
/// When a store fails.
pub(super) async fn forget_counted(
    parts: &Parts,
    names: impl Iterator<Item = ContentHash>,
) -> StoreResult<()> {
    let generations = Generations::read(parts.state.as_ref()).await?;
    for name in names.filter(|name| *name != ContentHash::NONE) {
        try_join_all(COMPUTED.iter().map(|kind| parts.archive.delete(*kind, name))).await?;
        for content in generations.names(name) {
            parts.archive.delete(Kind::Page, content).await?;
        }
    }
    Ok(())
}
