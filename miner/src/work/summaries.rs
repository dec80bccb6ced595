//! The sites' summaries, read from the store and kept between folds.
//!
//! A site is read again only when its change counter moved. Its tables are read one after the other while
//! pages may still be applied. The counter is read first, so the next fold reads whatever was missed.

use std::collections::BTreeMap;
use std::sync::Arc;

use newslode_common::store::{SiteState, StoreResult};
use newslode_page::reading::Site;

use crate::mining::summary::{READ, SiteSummary};

/// The sites' summaries, kept between folds.
#[derive(Debug, Default)]
pub struct Summaries {
    kept: BTreeMap<Site, (u64, Arc<SiteSummary>)>,
}

impl Summaries {
    /// All sites' summaries in the order of their names; only sites whose change counter moved since the last
    /// call are read. Also returns the number of those sites.
    ///
    /// # Errors
    /// When the store cannot be read; the summaries kept so far stay.
    pub async fn refresh(&mut self, state: &dyn SiteState) -> StoreResult<(Vec<Arc<SiteSummary>>, usize)> {
        let sites: BTreeMap<Site, u64> = state.sites().await?.into_iter().collect();
        let mut read = 0;
        for (site, counter) in &sites {
            if self.kept.get(site).is_none_or(|(kept, _)| kept != counter) {
                let summary = summary(state, site).await?;
                self.kept.insert(site.clone(), (*counter, Arc::new(summary)));
                read += 1;
            }
        }
        self.kept.retain(|site, _| sites.contains_key(site));
        let all = self.kept.values().map(|(_, summary)| summary).filter(|summary| summary.pages > 0);
        Ok((all.cloned().collect(), read))
    }
}

/// Reads a site's summary from its state.
async fn summary(state: &dyn SiteState, site: &Site) -> StoreResult<SiteSummary> {
    Ok(SiteSummary::of(site.clone(), &state.sums(site, READ).await?))
}
