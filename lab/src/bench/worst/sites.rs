//! Sites made so that a careless miner takes more than linear time for them: each is counted and viewed as the services do it.

use newslode_common::store::SiteSettings;
use newslode_common::store::redb::RedbStore;
use newslode_miner::work::generations::Generations;
use newslode_miner::work::views::{LearningCut, ViewMemory, When};
use newslode_page::reading::Site;
use serde::Serialize;

use super::pages::WorstPage;
use crate::bench::looks::{add_pages, look, parts};

/// Numbers of pages at which a site is measured.
const PAGES: [u64; 3] = [12, 24, 48];

/// A site at three numbers of pages.
#[derive(Debug, Serialize)]
pub(crate) struct WorstSite {
    /// Bytes of one page.
    pub(crate) bytes: usize,
    pub(crate) sizes: Vec<SiteSize>,
}

/// What a site with a number of pages takes.
#[derive(Debug, Serialize)]
pub(crate) struct SiteSize {
    pub(crate) pages: u64,
    /// Milliseconds a page: from bytes to counted, and to view all pages, learning included.
    pub(crate) count_ms: f64,
    pub(crate) view_ms: f64,
    /// Pages that were compared, if there was a cut.
    pub(crate) compared: Option<usize>,
}

/// Measures a site whose pages are of one kind, with this number of parts.
pub(super) async fn measure_site(kind: &WorstPage, parts_of_page: usize) -> anyhow::Result<WorstSite> {
    let bytes = kind.html(parts_of_page, 0).len();
    let mut sizes = Vec::new();
    for pages in PAGES {
        let folder = tempfile::tempdir()?;
        let parts = parts(RedbStore::open(&folder.path().join("bench.redb"))?)?;
        let site = Site::of_host("worst.example");
        let settings = SiteSettings {
            max_pages: 1 << 20,
            max_depth: 9,
            delay_ms: 0,
            paused: false,
            labels: Default::default(),
        };
        parts.stores.frontier.put_site(&site, &settings).await?;
        Generations::claim(parts.stores.state.as_ref(), &parts.params.generation()).await?;
        let htmls = (0..pages).map(|number| {
            (format!("https://worst.example/story/{number}"), kind.html(parts_of_page, number))
        });
        let start = std::time::Instant::now();
        add_pages(&parts, &site, htmls).await?;
        let count_ms = start.elapsed().as_secs_f64() * 1e3 / pages as f64;
        let view_ms = look(&parts, When::Changed, &mut ViewMemory::new()).await? / pages as f64;
        let cut = LearningCut::read(parts.stores.state.as_ref(), &site).await?;
        sizes.push(SiteSize { pages, count_ms, view_ms, compared: cut.map(|cut| cut.compared) });
    }
    Ok(WorstSite { bytes, sizes })
}
