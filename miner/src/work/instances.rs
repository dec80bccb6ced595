//! Reads instances of concepts from the archive on request, one concept page at a time; nothing is stored.
//! Start at [`instances`].

use std::collections::BTreeSet;
use std::sync::Arc;

use newslode_common::store::StoreResult;
use newslode_page::Page;
use newslode_page::reading::CanonicalUrl;

use crate::mining::concept_pages::concept_pages;
use crate::mining::instances::{self as mining, ConceptInstance, MOST_PAGES, groups};
use crate::mining::members::Members;
use crate::mining::summary::SiteSummary;
use crate::mining::taxonomy::Taxonomy;
use crate::work::archive;
use crate::work::parts::Parts;

/// Passes the instances of all concept pages to `take`, one concept page at a time; only pages that are
/// members of a concept and `wanted`.
///
/// # Errors
/// When a store cannot be read, or when `take` fails.
pub async fn instances(
    parts: &Parts,
    taxonomy: &Taxonomy,
    sites: &[Arc<SiteSummary>],
    members: &Members,
    wanted: impl Fn(&CanonicalUrl) -> bool,
    mut take: impl FnMut(ConceptInstance) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    for site in sites {
        for (url, concepts) in concept_pages(taxonomy, site) {
            let Some(page) = archive::page(parts, &url).await? else { continue };
            let groups = groups(&page, |target| members.contains_key(target) && wanted(target));
            let pages = pages(parts, &groups).await?;
            let pages: Vec<(&CanonicalUrl, &Page)> =
                pages.iter().map(|(url, page)| (*url, &**page)).collect();
            for instance in mining::instances(&page.url, &concepts, &groups, &pages) {
                take(instance)?;
            }
        }
    }
    Ok(())
}

/// The pages of the groups, each once, if the archive holds them.
async fn pages<'a>(
    parts: &Parts,
    groups: &'a [Vec<CanonicalUrl>],
) -> StoreResult<Vec<(&'a CanonicalUrl, Arc<Page>)>> {
    let (mut pages, mut seen) = (Vec::new(), BTreeSet::new());
    for url in groups.iter().flatten() {
        if pages.len() == MOST_PAGES {
            break;
        }
        if seen.insert(url)
            && let Some(page) = archive::page(parts, url).await?
        {
            pages.push((url, page));
        }
    }
    Ok(pages)
}
