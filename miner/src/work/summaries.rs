//! The sites' summaries, read from the store and kept between folds.
//!
//! A site is read again only when its change counter moved. Its tables are read one after the other while
//! pages may still be applied; the counter is read before them, so whatever was missed is read at the next
//! fold.

use std::collections::BTreeMap;
use std::sync::Arc;

use newslode_common::store::{SiteState, StoreResult};
use newslode_page::contribution::Table;
use newslode_page::reading::Site;

use crate::mining::summary::{SiteSummary, Tables};

/// The sites' summaries, kept between folds.
#[derive(Debug, Default)]
pub struct Summaries {
    kept: BTreeMap<Site, (u64, Arc<SiteSummary>)>,
}

impl Summaries {
    /// All sites' summaries in the order of their names; only sites whose change counter moved since the
    /// last call are read. Returns how many those were, too.
    ///
    /// # Errors
    /// When the store cannot be read; what was kept stays.
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
    let tables = Tables {
        pages: state.cells(site, Table::Pages).await?,
        labels: state.cells(site, Table::Labels).await?,
        forms: state.cells(site, Table::Forms).await?,
        pairs: state.cells(site, Table::Pairs).await?,
        targets: state.cells(site, Table::Targets).await?,
        lists: state.cells(site, Table::Lists).await?,
        stories: state.cells(site, Table::Stories).await?,
        nested: state.cells(site, Table::Nested).await?,
        directories: state.cells(site, Table::Directories).await?,
    };
    Ok(SiteSummary::of(site.clone(), &tables))
}
