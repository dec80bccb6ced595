//! Reads instances of concepts from the archive, one concept page at a time.
//!
//! [`instances`] reads all that the lists of concept pages lead to. Most of that are articles, which have fields of their
//! own; [`others`] reads the rest, for the ontology. In the services, the miner that leads keeps the others of each site as a
//! value of the store ([`keep_site`]), at a pace. It is a cache: a concept page is taken from it if the page and all pages that it
//! lists are those of the time when they were read, and else read again. So what is exported never depends on it.

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

mod kept;
mod listing;
mod reading;
mod renewal;

use self::kept::Kept;
pub(super) use self::kept::forget;
use self::listing::Listing;
use self::reading::read_listed;
pub(super) use self::renewal::renew;
pub use self::renewal::{Report, keep_site};

/// The pace of a command that somebody waits for.
const AT_ONCE: Pace = Pace { at_once: 1, share: 100 };

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
            let Some(listing) = Listing::read_listed(stores, &url, is_listed).await? else { continue };
            let found = read_listed(stores, &generations, &listing, AT_ONCE).await?;
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
    stores: &Stores,
    taxonomy: &Taxonomy,
    sites: &[Arc<SiteSummary>],
    others: &BTreeSet<CanonicalUrl>,
    mut take: impl FnMut(ConceptInstance) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let generations = Generations::read(stores.state.as_ref()).await?;
    for site in sites {
        let (_, mut kept) = Kept::read(stores.state.as_ref(), &site.site).await?;
        for (url, concepts) in concept_pages(taxonomy, site) {
            let is_other = |page: &CanonicalUrl| others.contains(page);
            let Some(listing) = Listing::read_listed(stores, &url, is_other).await? else { continue };
            let found = match kept.take(&listing).and_then(|page| page.instances) {
                Some(found) => found,
                None => read_listed(stores, &generations, &listing, AT_ONCE).await?,
            };
            found.into_iter().try_for_each(|instance| take(instance.of(&url, &concepts)))?;
        }
    }
    Ok(())
}
