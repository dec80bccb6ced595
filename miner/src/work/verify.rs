//! The proof that nothing was lost and nothing counted twice: the sums, recomputed from the archive.
//!
//! Every counted page is read back and worked on again; the contributions' cells are summed and compared
//! with the live ones, table by table. How a page becomes a contribution is the partitioner's, and passed
//! in. A difference in a page's own contribution says that the parameters or the algorithms changed since,
//! one in the sums alone that counting went wrong. Start at [`verify`].

use std::collections::BTreeMap;

use newslode_common::message::{FetchedPage, envelope};
use newslode_common::store::{Kind, PageArchive, SiteState, StoreResult};
use newslode_common::version::ContentHash;
use newslode_page::contribution::{Cell, Contribution, Delta, Table};
use newslode_page::generation::Generation;
use newslode_page::reading::{CanonicalUrl, Site};

use crate::work::generations::Generations;

/// Differences named at most a site; the rest is counted.
const NAMED: usize = 100;

/// A counter that is not what its pages sum up to.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct CellDifference {
    /// Whose.
    pub site: Site,
    /// Which.
    pub cell: Cell,
    /// As stored; 0: not there.
    pub live: i64,
    /// As recomputed.
    pub recomputed: i64,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct VerifyReport {
    /// Sites compared.
    pub sites: u64,
    /// Pages recomputed.
    pub pages: u64,
    /// Counters compared.
    pub cells: u64,
    /// Counters that differ.
    pub different: u64,
    /// The first of them, up to a hundred a site.
    pub differences: Vec<CellDifference>,
    /// Counted pages that the archive does not hold, or not readably: their cells cannot be proved.
    pub missing: Vec<CanonicalUrl>,
    /// Pages that other algorithms counted: their sums are proved by their archived contributions alone.
    pub outdated: Vec<CanonicalUrl>,
    /// Pages whose archived contribution is not what is computed of them now.
    pub changed: Vec<CanonicalUrl>,
}

impl VerifyReport {
    /// Whether everything was proved.
    #[must_use]
    pub fn is_proof(&self) -> bool {
        self.different == 0
            && [&self.missing, &self.outdated, &self.changed].iter().all(|pages| pages.is_empty())
    }
}

/// Recomputes these sites. `recompute` is page → contribution by the algorithms `ours`; `progress` is called after
/// each page with the pages done so far.
///
/// # Errors
/// When a store cannot be read.
pub async fn verify(
    state: &dyn SiteState,
    archive: &dyn PageArchive,
    sites: &[Site],
    ours: &Generation,
    recompute: impl Fn(FetchedPage) -> Contribution,
    mut progress: impl FnMut(u64),
) -> StoreResult<VerifyReport> {
    let mut report = VerifyReport::default();
    let generations = Generations::read(state).await?;
    for site in sites {
        let mut sum = Delta::default();
        for (url, version) in state.pages(site).await? {
            if version.content == ContentHash::NONE {
                continue;
            }
            let Some(page) = generations.fetched(archive, version.content).await? else {
                report.missing.push(url);
                continue;
            };
            let kept = archive.get(Kind::Contribution, version.content).await?;
            let kept = kept.and_then(|bytes| envelope::open::<Contribution>(&bytes).ok());
            let is_ours = page.version.content.seen_by(ours) == version.content;
            let contribution = match &kept {
                Some(kept) if !is_ours => kept.clone(),
                _ => recompute(page),
            };
            for (cell, by) in Delta::between(None, Some(&contribution)).iter() {
                sum.add(cell.clone(), by);
            }
            if !is_ours {
                report.outdated.push(url);
            } else if kept.as_ref() != Some(&contribution) {
                report.changed.push(url);
            }
            report.pages += 1;
            progress(report.pages);
        }
        compare(state, site, &sum, &mut report).await?;
        report.sites += 1;
    }
    Ok(report)
}

async fn compare(
    state: &dyn SiteState,
    site: &Site,
    sum: &Delta,
    report: &mut VerifyReport,
) -> StoreResult<()> {
    let mut recomputed: BTreeMap<&Cell, i64> = sum.iter().collect();
    let mut named = 0;
    let mut differ = |report: &mut VerifyReport, cell: Cell, live: i64, recomputed: i64| {
        report.cells += 1;
        if live != recomputed {
            report.different += 1;
            if named < NAMED {
                named += 1;
                report.differences.push(CellDifference { site: site.clone(), cell, live, recomputed });
            }
        }
    };
    for table in Table::ALL {
        for (key, live) in state.cells(site, *table).await? {
            let cell = Cell { table: *table, key };
            let wanted = recomputed.remove(&cell).unwrap_or(0);
            differ(report, cell, live, wanted);
        }
    }
    for (cell, wanted) in recomputed {
        differ(report, cell.clone(), 0, wanted);
    }
    Ok(())
}
