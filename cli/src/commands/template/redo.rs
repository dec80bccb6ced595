//! A site's articles, read again with what is known of it.
//!
//! Articles are what a page says by itself until something is known of its site; then they are a view of page and
//! knowledge, written over the article of the same content. Nothing that is summed depends on them.

use newslode_common::article::Article;
use newslode_common::message::{FetchedPage, envelope};
use newslode_common::page::{CanonicalUrl, Site};
use newslode_common::store::Kind;
use newslode_common::time::Timestamp;
use newslode_common::version::ContentHash;
use newslode_miner::service::Parts;
use newslode_partitioner::Page;
use newslode_partitioner::extract::{SiteKnowledge, article_of};
use newslode_partitioner::template::MOST_PAGES;
use newslode_partitioner::work::limits;

/// Reads all articles of a site again; without knowledge as each page alone says. How many changed.
pub(crate) async fn redo(parts: &Parts, site: &Site, known: Option<&SiteKnowledge>) -> anyhow::Result<usize> {
    let mut changed = 0;
    for (_, version) in parts.state.pages(site).await? {
        let Some((fetched, page)) = page(parts, version.content).await? else { continue };
        let held = parts.archive.get(Kind::Article, version.content).await?;
        let held: Option<Article> = held.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let Some(article) = article_of(&page, fetched.fetched_at, known).1 else { continue };
        if held.as_ref() != Some(&article) {
            let json = serde_json::to_vec(&article)?;
            parts.archive.put(Kind::Article, version.content, json.into(), Timestamp::now()).await?;
            changed += 1;
        }
    }
    Ok(changed)
}

/// The same for all sites that something is known of: at the end of a run, for the pages it brought.
pub(crate) async fn redo_known(parts: &Parts) -> anyhow::Result<usize> {
    let mut changed = 0;
    for (site, _) in parts.state.sites().await? {
        if let Some((known, _)) = super::read(parts.state.as_ref(), &site).await? {
            changed += redo(parts, &site, Some(&known)).await?;
        }
    }
    Ok(changed)
}

/// What the site's articles of the archive show of each other, added to what is known.
pub(super) async fn learnt(
    parts: &Parts,
    site: &Site,
    mut known: SiteKnowledge,
) -> anyhow::Result<SiteKnowledge> {
    let mut contents = Vec::new();
    for (_, version) in parts.state.pages(site).await? {
        if version.content != ContentHash::NONE
            && parts.archive.get(Kind::Article, version.content).await?.is_some()
        {
            contents.push(version.content);
        }
    }
    let step = contents.len().div_ceil(MOST_PAGES).max(1);
    let mut pages = Vec::new();
    for content in contents.into_iter().step_by(step) {
        pages.extend(page(parts, content).await?.map(|(_, page)| page));
    }
    known.learn(&pages.iter().collect::<Vec<_>>());
    Ok(known)
}

/// The page of a URL as it was mined, if it was.
pub(super) async fn archived(parts: &Parts, url: &CanonicalUrl) -> anyhow::Result<Option<Page>> {
    let versions = parts.state.versions(&url.site(), std::slice::from_ref(url)).await?;
    let Some(version) = versions.into_iter().next().flatten() else { return Ok(None) };
    Ok(page(parts, version.content).await?.map(|(_, page)| page))
}

async fn page(parts: &Parts, content: ContentHash) -> anyhow::Result<Option<(FetchedPage, Page)>> {
    if content == ContentHash::NONE {
        return Ok(None);
    }
    let Some(bytes) = parts.archive.get(Kind::Page, content).await? else { return Ok(None) };
    let Ok(fetched) = envelope::open::<FetchedPage>(&bytes) else { return Ok(None) };
    let Ok(html) = newslode_partitioner::service::body(&fetched) else { return Ok(None) };
    let page = Page::parse(&fetched.url, fetched.content_type.as_deref(), &html, &limits());
    Ok(Some((fetched, page)))
}
