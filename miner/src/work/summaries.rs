//! The sites' summaries, read whole from the store: for commands that need them once. The fold keeps a
//! [`SummaryCache`](crate::work::summary_cache::SummaryCache) instead.

use std::sync::Arc;

use newslode_common::store::{SiteState, StoreResult};
use newslode_page::contribution::Table;

use crate::mining::summary::SiteSummary;

/// The summaries of all sites that have pages, in the order of their names.
///
/// # Errors
/// When the store cannot be read.
pub async fn summaries(state: &dyn SiteState) -> StoreResult<Vec<Arc<SiteSummary>>> {
    let mut all = Vec::new();
    for (site, _) in state.sites().await? {
        let sums = state.sums(&site, Table::NAMED).await?;
        all.push(Arc::new(SiteSummary::of(site, &sums)));
    }
    all.retain(|summary| summary.pages > 0);
    Ok(all)
}
