//! Brings the cached instances up to date, a site at a time. Start at [`cache_site`].

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use newslode_common::store::Kind;
use newslode_common::telemetry::metrics::Metrics;
use newslode_page::reading::{CanonicalUrl, Site};

use super::cache::{CachedPage, CachedSite, content_prefix, forget};
use super::concept_page::{ConceptPageLinks, InputHash, digest};
use super::reading::read_listed;
use crate::mining::concept_pages::concept_pages;
use crate::mining::members::Members;
use crate::mining::summary::SiteSummary;
use crate::mining::taxonomy::Taxonomy;
use crate::work::fold::LastFold;
use crate::work::generations::Generations;
use crate::work::members::lists;
use crate::work::stores::Stores;
use crate::work::views::Pace;

/// What was done for a number of concept pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheReport {
    /// Concept pages whose cached instances are up to date.
    pub unchanged: u64,
    /// Concept pages whose instances were read.
    pub read: u64,
}

/// Brings the cached instances of all sites up to date.
pub(in crate::work) async fn renew(stores: Stores, metrics: Arc<Metrics>, last: LastFold, share: u32) {
    let (start, pace) = (Instant::now(), Pace { at_once: 1, share });
    let mut all = CacheReport::default();
    let counters: BTreeMap<Site, u64> = match stores.state.sites().await {
        Ok(sites) => sites.into_iter().collect(),
        Err(error) => {
            tracing::warn!(%error, "cannot read which sites changed; their cached instances stay as they are until the next attempt");
            return;
        }
    };
    for site in &last.sites {
        let Some(counter) = counters.get(&site.site) else { continue };
        match cache_site(&stores, &last.taxonomy, site, *counter, pace).await {
            Ok(of_site) => {
                let metrics = &metrics.instance_pages;
                metrics.with_label_values(&["unchanged"]).inc_by(of_site.unchanged);
                metrics.with_label_values(&["read"]).inc_by(of_site.read);
                all = CacheReport {
                    unchanged: all.unchanged + of_site.unchanged,
                    read: all.read + of_site.read,
                };
            }
            Err(error) => {
                let (site, error) = (&site.site, format!("{error:#}"));
                tracing::warn!(%site, error, "cannot cache the instances of a site; the next attempt follows later");
            }
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    tracing::info!(sites = last.sites.len(), ?all, seconds, "cached the instances of all sites");
}

/// Caches the instances of a site's concept pages, without articles, given the site's change counter. Reads only the pages
/// whose inputs changed.
///
/// # Errors
/// When a store cannot be read.
pub async fn cache_site(
    stores: &Stores,
    taxonomy: &Taxonomy,
    site: &SiteSummary,
    counter: u64,
    pace: Pace,
) -> anyhow::Result<CacheReport> {
    let state = stores.state.as_ref();
    let (version, mut cache) = CachedSite::read(state, &site.site).await?;
    let pages: Vec<CanonicalUrl> = concept_pages(taxonomy, site).into_keys().collect();
    let seen = site_inputs(counter, &pages);
    if cache.seen == seen {
        return Ok(CacheReport { unchanged: cache.pages.len() as u64, read: 0 });
    }
    let mut members = Members::new();
    let (lists, counted) = lists(stores, taxonomy, site).await?;
    lists.add_to(&mut members, counted);
    let generations = Generations::read(state).await?;
    let (mut new, mut report) = (CachedSite { seen, ..CachedSite::default() }, CacheReport::default());
    for page in pages {
        let is_member = |url: &CanonicalUrl| members.contains_key(url);
        let Some(mut links) = ConceptPageLinks::read(stores, &page, is_member).await? else {
            continue;
        };
        leave_out_articles(stores, &mut links, &cache, &mut new).await?;
        let cached = match cache.take(&links) {
            Some(cached) => {
                report.unchanged += 1;
                cached
            }
            None => {
                report.read += 1;
                let instances = Some(read_listed(stores, &generations, &links, pace).await?);
                CachedPage { inputs: links.inputs(), instances }
            }
        };
        new.pages.insert(page, cached);
    }
    // If another writer was first, the next run follows.
    new.write(state, &site.site, version).await?;
    if stores.frontier.site(&site.site).await?.is_none() {
        // The site was removed meanwhile.
        forget(state, &site.site).await?;
    }
    Ok(report)
}

/// Removes articles from the links of a page. The archive is asked about each content once.
async fn leave_out_articles(
    stores: &Stores,
    links: &mut ConceptPageLinks,
    before: &CachedSite,
    now: &mut CachedSite,
) -> anyhow::Result<()> {
    let mut others = BTreeMap::new();
    for (url, content) in std::mem::take(&mut links.linked) {
        let is_article = match content {
            None => false,
            Some(content) if now.articles.contains(&content_prefix(content)) => true,
            Some(content) if before.articles.contains(&content_prefix(content)) => true,
            Some(content) => stores.archive.get(Kind::Article, content).await?.is_some(),
        };
        match content {
            Some(content) if is_article => drop(now.articles.insert(content_prefix(content))),
            _ => drop(others.insert(url, content)),
        }
    }
    links.linked = others;
    Ok(())
}

/// Hash of a site's change counter and concept pages.
fn site_inputs(counter: u64, pages: &[CanonicalUrl]) -> InputHash {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&counter.to_le_bytes());
    for page in pages {
        hasher.update(page.as_str().as_bytes()).update(b"\n");
    }
    digest(&hasher)
}
