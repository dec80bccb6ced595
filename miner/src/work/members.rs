//! Reads which concepts list which articles, from the archived contributions of concept pages.

use std::sync::Arc;

use futures::StreamExt as _;
use newslode_common::store::StoreResult;
use newslode_common::version::ContentHash;

use crate::mining::members::{Lists, Members};
use crate::mining::summary::SiteSummary;
use crate::mining::taxonomy::Taxonomy;
use crate::work::archive::read_contribution;
use crate::work::stores::Stores;

/// Number of pages that are read concurrently.
const CONCURRENT_READS: usize = 8;

/// The members of the taxonomy's concepts.
///
/// # Errors
/// When a store cannot be read.
pub async fn members(
    stores: &Stores,
    taxonomy: &Taxonomy,
    sites: &[Arc<SiteSummary>],
) -> anyhow::Result<Members> {
    let mut members = Members::new();
    for site in sites {
        let (lists, counted) = lists(stores, taxonomy, site).await?;
        lists.add_to(&mut members, counted);
    }
    Ok(members)
}

/// The lists of one site's concept pages, and how many of these are counted.
pub(super) async fn lists<'a>(
    stores: &Stores,
    taxonomy: &'a Taxonomy,
    site: &SiteSummary,
) -> anyhow::Result<(Lists<'a>, usize)> {
    let mut lists = Lists::new(taxonomy, site);
    let pages = lists.pages();
    let versions = stores.state.versions(&site.site, &pages).await?;
    let counted =
        pages.into_iter().zip(versions).filter_map(|(page, version)| Some((page, version?.content)));
    let counted: Vec<_> = counted.filter(|(_, content)| *content != ContentHash::NONE).collect();
    let pages = counted.len();
    let read = counted.into_iter().map(|(page, content)| async move {
        let contribution = read_contribution(stores.archive.as_ref(), content).await?;
        StoreResult::Ok(contribution.map(|contribution| (page, contribution)))
    });
    let mut read = futures::stream::iter(read).buffered(CONCURRENT_READS);
    while let Some(read) = read.next().await {
        if let Some((page, contribution)) = read? {
            lists.see(&page, contribution.links, contribution.filed.as_ref());
        }
    }
    Ok((lists, pages))
}
