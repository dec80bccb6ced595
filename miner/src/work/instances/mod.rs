//! Reads instances of concepts from the archive, one concept page at a time.
//!
//! [`instances`] reads all pages that the lists of concept pages lead to. Most of these are articles, which have fields of
//! their own; [`non_articles`] reads the rest, for the ontology. In the services the leader caches the non-articles of each
//! site as a value of the store ([`cache_site`]), at a pace. A concept page is taken from the cache only if the page and all
//! pages that it lists are unchanged. So what is exported never depends on the cache.

use std::collections::BTreeSet;
use std::sync::Arc;

use newslode_page::reading::CanonicalUrl;

use crate::mining::concept_pages::concept_pages;
use crate::mining::instances::ConceptInstance;
use crate::mining::members::Members;
use crate::mining::summary::SiteSummary;
use crate::mining::taxonomy::Taxonomy;
use crate::work::generations::Generations;
use crate::work::stores::Stores;
use crate::work::views::Pace;

mod cache;
mod concept_page;
mod reading;
mod refresh;

use self::cache::CachedSite;
pub(super) use self::cache::forget;
use self::concept_page::ConceptPageLinks;
use self::reading::read_listed;
pub(super) use self::refresh::renew;
pub use self::refresh::{CacheReport, cache_site};

/// The pace of a command that somebody waits for.
const COMMAND_PACE: Pace = Pace { at_once: 1, share: 100 };

/// Passes the instances of all concept pages to `take`, one concept page at a time.
///
/// # Errors
/// When a store cannot be read, or when `take` fails.
pub async fn instances(
    stores: &Stores,
    taxonomy: &Taxonomy,
    sites: &[Arc<SiteSummary>],
    members: &Members,
    mut take: impl FnMut(ConceptInstance) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let generations = Generations::read(stores.state.as_ref()).await?;
    for site in sites {
        for (url, concepts) in concept_pages(taxonomy, site) {
            let is_listed = |page: &CanonicalUrl| members.contains_key(page);
            let Some(links) = ConceptPageLinks::read(stores, &url, is_listed).await? else { continue };
            let found = read_listed(stores, &generations, &links, COMMAND_PACE).await?;
            found.into_iter().try_for_each(|instance| take(instance.of(&url, &concepts)))?;
        }
    }
    Ok(())
}

/// The same for the listed pages that are no articles; `wanted` must be all of them.
///
/// # Errors
/// When a store cannot be read, or when `take` fails.
pub async fn non_articles(
    stores: &Stores,
    taxonomy: &Taxonomy,
    sites: &[Arc<SiteSummary>],
    wanted: &BTreeSet<CanonicalUrl>,
    mut take: impl FnMut(ConceptInstance) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let generations = Generations::read(stores.state.as_ref()).await?;
    for site in sites {
        let (_, mut cached) = CachedSite::read(stores.state.as_ref(), &site.site).await?;
        for (url, concepts) in concept_pages(taxonomy, site) {
            let is_wanted = |page: &CanonicalUrl| wanted.contains(page);
            let Some(links) = ConceptPageLinks::read(stores, &url, is_wanted).await? else { continue };
            let found = match cached.take(&links).and_then(|page| page.instances) {
                Some(found) => found,
                None => read_listed(stores, &generations, &links, COMMAND_PACE).await?,
            };
            found.into_iter().try_for_each(|instance| take(instance.of(&url, &concepts)))?;
        }
    }
    Ok(())
}
