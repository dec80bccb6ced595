//! Reads and deletes what the archive holds of a page.

use std::sync::Arc;

use bytes::Bytes;
use futures::future::try_join_all;
use newslode_common::message::{CountedPage, FetchedPage, envelope};
use newslode_common::parsed::ParsedPages;
use newslode_common::store::{Kind, PageArchive, StoreError, StoreResult};
use newslode_common::version::ContentHash;
use newslode_page::Page;
use newslode_page::contribution::Contribution;
use newslode_page::reading::CanonicalUrl;
use newslode_page::time::Timestamp;

use crate::work::generations::Generations;
use crate::work::stores::Stores;

/// The kinds that are archived under the name that a generation gives to a content.
const COMPUTED: [Kind; 3] = [Kind::Contribution, Kind::Hierarchy, Kind::Article];

/// An archived contribution; `None` if the archive does not hold it.
///
/// # Errors
/// When the archive cannot be read, or holds something else.
pub(super) async fn read_contribution(
    archive: &dyn PageArchive,
    content: ContentHash,
) -> StoreResult<Option<Contribution>> {
    Ok(read_counted(archive, content).await?.map(|page| page.contribution))
}

/// What the archive keeps of a counted page.
///
/// # Errors
/// When the archive cannot be read, or holds something else.
pub(super) async fn read_counted(
    archive: &dyn PageArchive,
    content: ContentHash,
) -> StoreResult<Option<CountedPage>> {
    let sealed = archive.get(Kind::Contribution, content).await?;
    let open = |bytes: Bytes| {
        envelope::open(&bytes)
            .map_err(|e| StoreError::Corrupt(format!("the archived contribution {content}: {e}")))
    };
    sealed.map(open).transpose()
}

/// The content that counts for a URL.
async fn counted(stores: &Stores, url: &CanonicalUrl) -> StoreResult<Option<ContentHash>> {
    let versions = stores.state.versions(&url.site(), std::slice::from_ref(url)).await?;
    let content = versions.into_iter().next().flatten().map(|version| version.content);
    Ok(content.filter(|content| *content != ContentHash::NONE))
}

/// The counted page of a URL, as it was fetched and parsed; `None` if it is not counted, or not archived in a readable form.
///
/// # Errors
/// When a store cannot be read.
pub async fn page(stores: &Stores, url: &CanonicalUrl) -> StoreResult<Option<(FetchedPage, Arc<Page>)>> {
    let Some(content) = counted(stores, url).await? else { return Ok(None) };
    let generations = Generations::read(stores.state.as_ref()).await?;
    let found = generations.page(stores.archive.as_ref(), content).await?;
    let Some((_, bytes)) = found else { return Ok(None) };
    Ok(open(&bytes, &stores.parsed).ok())
}

/// When the bytes of the counted page of a URL were removed, to save space or because it asks for no copy; `None` if they are
/// there or lost, or nothing counts.
///
/// # Errors
/// When a store cannot be read.
pub async fn removed(stores: &Stores, url: &CanonicalUrl) -> StoreResult<Option<Timestamp>> {
    let Some(content) = counted(stores, url).await? else { return Ok(None) };
    Generations::read(stores.state.as_ref()).await?.removed(stores.archive.as_ref(), content).await
}

/// Opens an archived page, and parses it unless it was parsed lately.
///
/// # Errors
/// The reason why it cannot be read.
pub(super) fn open(bytes: &[u8], parsed: &ParsedPages) -> Result<(FetchedPage, Arc<Page>), String> {
    let fetched: FetchedPage = envelope::open(bytes).map_err(|error| error.to_string())?;
    if let Some(page) = parsed.get(fetched.content()).filter(|page| page.listed == fetched.listed) {
        return Ok((fetched, page));
    }
    let html = fetched.bytes().map_err(|error| error.to_string())?;
    let page = fetched.parse(&html);
    Ok((fetched, Arc::new(page)))
}

/// As [`open`], for a page that will be opened again soon.
///
/// # Errors
/// As those of [`open`].
pub(super) fn open_and_keep(bytes: &[u8], parsed: &ParsedPages) -> Result<(FetchedPage, Arc<Page>), String> {
    let (fetched, page) = open(bytes, parsed)?;
    parsed.keep(fetched.content(), page.clone());
    Ok((fetched, page))
}

/// Deletes pages of these contents, with everything computed of them. No other site has pages of these contents, since the
/// URL is part of the hash.
///
/// # Errors
/// When a store fails.
pub(super) async fn forget_fetched(
    stores: &Stores,
    contents: impl Iterator<Item = ContentHash>,
) -> StoreResult<()> {
    let generations = Generations::read(stores.state.as_ref()).await?;
    for content in contents {
        stores.archive.delete(Kind::Page, content).await?;
        for name in generations.names(content) {
            try_join_all(COMPUTED.iter().map(|kind| stores.archive.delete(*kind, name))).await?;
        }
    }
    Ok(())
}

/// Deletes contents that newer ones of their URLs replaced. A content stays if it is the one that its URL was last fetched
/// with: the page changed back, and the message is still on its way.
///
/// # Errors
/// When a store fails.
pub(super) async fn forget_replaced(
    stores: &Stores,
    replaced: Vec<(CanonicalUrl, ContentHash)>,
) -> StoreResult<()> {
    if replaced.is_empty() {
        return Ok(());
    }
    let generations = Generations::read(stores.state.as_ref()).await?;
    let mut names = Vec::new();
    for (url, name) in replaced {
        let last = stores.frontier.entry(&url).await?.and_then(|entry| entry.content);
        if !last.is_some_and(|content| generations.names(content).any(|held| held == name)) {
            names.push(name);
        }
    }
    forget_counted(stores, names.into_iter()).await
}

/// Deletes pages that are counted under these names, with everything computed of them.
///
/// # Errors
/// When a store fails.
pub(super) async fn forget_counted(
    stores: &Stores,
    names: impl Iterator<Item = ContentHash>,
) -> StoreResult<()> {
    let generations = Generations::read(stores.state.as_ref()).await?;
    for name in names.filter(|name| *name != ContentHash::NONE) {
        try_join_all(COMPUTED.iter().map(|kind| stores.archive.delete(*kind, name))).await?;
        for content in generations.names(name) {
            stores.archive.delete(Kind::Page, content).await?;
        }
    }
    Ok(())
}
