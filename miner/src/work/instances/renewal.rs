//! Renews what is kept of the sites' instances, a site at a time. Start at [`keep_site`].

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use newslode_common::store::Kind;
use newslode_common::telemetry::metrics::Metrics;
use newslode_page::reading::{CanonicalUrl, Site};

use super::kept::{Kept, KeptPage, forget, short};
use super::listing::{Digest, Listing, digest};
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

/// What was done for some concept pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Concept pages whose kept instances are those of today.
    pub unchanged: u64,
    /// Concept pages of which they were read.
    pub read: u64,
}

/// Renews what is kept of all sites.
pub(in crate::work) async fn renew(stores: Stores, metrics: Arc<Metrics>, last: LastFold, share: u32) {
    let (start, pace) = (Instant::now(), Pace { at_once: 1, share });
    let mut all = Report::default();
    let counters: BTreeMap<Site, u64> = match stores.state.sites().await {
        Ok(sites) => sites.into_iter().collect(),
        Err(error) => {
            tracing::warn!(%error, "cannot read which sites changed; their cached instances stay as they are until the next attempt");
            return;
        }
    };
    for site in &last.sites {
        let Some(counter) = counters.get(&site.site) else { continue };
        match keep_site(&stores, &last.taxonomy, site, *counter, pace).await {
            Ok(of_site) => {
                let metrics = &metrics.instance_pages;
                metrics.with_label_values(&["unchanged"]).inc_by(of_site.unchanged);
                metrics.with_label_values(&["read"]).inc_by(of_site.read);
                all = Report { unchanged: all.unchanged + of_site.unchanged, read: all.read + of_site.read };
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

/// Keeps the instances of a site's concept pages, but articles, given the site's change counter. Reads only those
/// whose inputs changed.
///
/// # Errors
/// When a store cannot be read.
pub async fn keep_site(
    stores: &Stores,
    taxonomy: &Taxonomy,
    site: &SiteSummary,
    counter: u64,
    pace: Pace,
) -> anyhow::Result<Report> {
    let state = stores.state.as_ref();
    let (version, mut kept) = Kept::read(state, &site.site).await?;
    let pages: Vec<CanonicalUrl> = concept_pages(taxonomy, site).into_keys().collect();
    let seen = seen(counter, &pages);
    if kept.seen == seen {
        return Ok(Report { unchanged: kept.pages.len() as u64, read: 0 });
    }
    let mut members = Members::new();
    let (lists, counted) = lists(stores, taxonomy, site).await?;
    lists.add_to(&mut members, counted);
    let generations = Generations::read(state).await?;
    let (mut new, mut report) = (Kept { seen, ..Kept::default() }, Report::default());
    for page in pages {
        let is_member = |url: &CanonicalUrl| members.contains_key(url);
        let Some(mut listing) = Listing::read_listed(stores, &page, is_member).await? else { continue };
        leave_out_articles(stores, &mut listing, &kept, &mut new).await?;
        let held = match kept.take(&listing) {
            Some(held) => {
                report.unchanged += 1;
                held
            }
            None => {
                report.read += 1;
                let instances = Some(read_listed(stores, &generations, &listing, pace).await?);
                KeptPage { inputs: listing.inputs(), instances }
            }
        };
        new.pages.insert(page, held);
    }
    // If somebody else wrote, the next time renews it.
    new.write(state, &site.site, version).await?;
    if stores.frontier.site(&site.site).await?.is_none() {
        // It was removed meanwhile.
        forget(state, &site.site).await?;
    }
    Ok(report)
}

/// Leaves articles out of what a page lists. Each content is asked about once.
async fn leave_out_articles(
    stores: &Stores,
    listing: &mut Listing,
    before: &Kept,
    now: &mut Kept,
) -> anyhow::Result<()> {
    let mut others = BTreeMap::new();
    for (url, content) in std::mem::take(&mut listing.linked) {
        let is_article = match content {
            None => false,
            Some(content) if now.articles.contains(&short(content)) => true,
            Some(content) if before.articles.contains(&short(content)) => true,
            Some(content) => stores.archive.get(Kind::Article, content).await?.is_some(),
        };
        match content {
            Some(content) if is_article => drop(now.articles.insert(short(content))),
            _ => drop(others.insert(url, content)),
        }
    }
    listing.linked = others;
    Ok(())
}

/// Stands for a site whose counter is this and whose concept pages these are.
fn seen(counter: u64, pages: &[CanonicalUrl]) -> Digest {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&counter.to_le_bytes());
    for page in pages {
        hasher.update(page.as_str().as_bytes()).update(b"\n");
    }
    digest(&hasher)
}
