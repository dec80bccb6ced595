//! Reads instances of concepts from the archive, one concept page at a time.
//!
//! [`instances`] reads all that the lists of concept pages lead to. Most of that are articles, which have fields of their
//! own; [`others`] reads the rest, for the ontology. In the services, the miner that leads keeps the others of each site as a
//! value of the store ([`keep_site`]), at a pace. It is a cache: a concept page is taken from it if the page and all pages that it
//! lists are those of the time when they were read, and else read again. So what is exported never depends on it.

use std::collections::BTreeSet;
use std::sync::Arc;

use newslode_common::store::StoreResult;
use newslode_page::Page;
use newslode_page::reading::CanonicalUrl;

use crate::mining::concept_pages::concept_pages;
use crate::mining::instances::{self as mining, ConceptInstance, Instance, MOST_PAGES, groups};
use crate::mining::members::Members;
use crate::mining::summary::SiteSummary;
use crate::mining::taxonomy::Taxonomy;
use crate::work::archive;
use crate::work::generations::Generations;
use crate::work::parts::Parts;
use crate::work::views::{Pace, paced};

mod kept;
mod listing;
mod renewal;

use self::kept::Kept;
pub(super) use self::kept::forget;
use self::listing::Listing;
pub(super) use self::renewal::renew;
pub use self::renewal::{Report, keep_site};

/// The pace of a command that somebody waits for.
const AT_ONCE: Pace = Pace { at_once: 1, share: 100 };

/// Passes the instances of all concept pages to `take`, one concept page at a time.
///
/// # Errors
/// When a store cannot be read, or when `take` fails.
pub async fn instances(
    parts: &Parts,
    taxonomy: &Taxonomy,
    sites: &[Arc<SiteSummary>],
    members: &Members,
    mut take: impl FnMut(ConceptInstance) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let generations = Generations::read(parts.state.as_ref()).await?;
    for site in sites {
        for (url, concepts) in concept_pages(taxonomy, site) {
            let is_listed = |page: &CanonicalUrl| members.contains_key(page);
            let Some(listing) = Listing::read(parts, &url, is_listed).await? else { continue };
            let found = read(parts, &generations, &listing, AT_ONCE).await?;
            found.into_iter().try_for_each(|instance| take(instance.of(&url, &concepts)))?;
        }
    }
    Ok(())
}

/// The same of the pages that are no articles: `others`, which must be all such members.
///
/// # Errors
/// When a store cannot be read, or when `take` fails.
pub async fn others(
    parts: &Parts,
    taxonomy: &Taxonomy,
    sites: &[Arc<SiteSummary>],
    others: &BTreeSet<CanonicalUrl>,
    mut take: impl FnMut(ConceptInstance) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let generations = Generations::read(parts.state.as_ref()).await?;
    for site in sites {
        let (_, mut kept) = Kept::read(parts.state.as_ref(), &site.site).await?;
        for (url, concepts) in concept_pages(taxonomy, site) {
            let is_other = |page: &CanonicalUrl| others.contains(page);
            let Some(listing) = Listing::read(parts, &url, is_other).await? else { continue };
            let found = match kept.take(&listing).and_then(|page| page.instances) {
                Some(found) => found,
                None => read(parts, &generations, &listing, AT_ONCE).await?,
            };
            found.into_iter().try_for_each(|instance| take(instance.of(&url, &concepts)))?;
        }
    }
    Ok(())
}

/// Reads the instances of a concept page, at a pace.
async fn read(
    parts: &Parts,
    generations: &Generations,
    listing: &Listing,
    pace: Pace,
) -> StoreResult<Vec<Instance>> {
    if listing.linked.len() < 2 {
        return Ok(Vec::new());
    }
    let archived = parts.archive.as_ref();
    let Some((_, bytes)) = generations.page(archived, listing.content).await? else { return Ok(Vec::new()) };
    let (parsed, linked) = (parts.parsed.clone(), listing.linked.clone());
    let grouping = move || {
        let (_, page) = archive::open(&bytes, &parsed)?;
        Ok(groups(&page, |url| linked.contains_key(url)))
    };
    let groups = match paced(pace, grouping).await {
        Ok(groups) => groups,
        Err(reason) => return Ok(unreadable(listing, &reason)),
    };
    let (mut pages, mut seen) = (Vec::new(), BTreeSet::new());
    for url in groups.iter().flatten().filter(|url| seen.insert(*url)) {
        if pages.len() == MOST_PAGES {
            break;
        }
        let Some(content) = listing.linked[url] else { continue };
        pages.extend(generations.page(archived, content).await?.map(|(_, bytes)| (url.clone(), bytes)));
    }
    let parsed = parts.parsed.clone();
    let reading = move || {
        let open = |bytes| Some(archive::open(bytes, &parsed).ok()?.1);
        let opened: Vec<(&CanonicalUrl, Arc<Page>)> =
            pages.iter().filter_map(|(url, bytes)| Some((url, open(bytes)?))).collect();
        let pages: Vec<(&CanonicalUrl, &Page)> = opened.iter().map(|(url, page)| (*url, &**page)).collect();
        Ok(mining::instances(&groups, &pages))
    };
    Ok(paced(pace, reading).await.unwrap_or_else(|reason| unreadable(listing, &reason)))
}

fn unreadable(listing: &Listing, reason: &str) -> Vec<Instance> {
    tracing::warn!(page = %listing.page, reason, "the instances that a page lists cannot be read");
    Vec::new()
}
