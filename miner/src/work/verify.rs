//! Proves that nothing was lost and nothing counted twice, by computing the sums again from the archive.
//!
//! Each counted page is read from the archive and computed again. The cells of all contributions are summed and compared with
//! the stored ones, table by table. The caller passes in how a page becomes a contribution. A difference in a page's
//! contribution means that the parameters or the algorithms changed; a difference in the sums alone means that counting went
//! wrong. Start at [`verify`].

use std::collections::BTreeMap;

use newslode_common::message::{FetchedPage, envelope};
use newslode_common::store::{Kind, PageArchive, SiteState, StoreResult};
use newslode_common::version::ContentHash;
use newslode_page::contribution::{Cell, Contribution, Delta, Table};
use newslode_page::generation::Generation;
use newslode_page::reading::{CanonicalUrl, Site};

use crate::work::generations::Generations;

/// The most differences named for one site; the rest are only counted.
const NAMED: usize = 100;

/// A counter that differs from the sum over its pages.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct CellDifference {
    /// The site.
    pub site: Site,
    /// The cell.
    pub cell: Cell,
    /// The stored count; 0 if there is none.
    pub live: i64,
    /// The recomputed count.
    pub recomputed: i64,
}

/// The result of the proof.
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
    /// The first differences, up to a hundred for each site.
    pub differences: Vec<CellDifference>,
    /// Counted pages that the archive does not hold in a readable form: their cells cannot be proved.
    pub missing: Vec<CanonicalUrl>,
    /// Pages that other algorithms counted: only their archived contributions prove their sums.
    pub outdated: Vec<CanonicalUrl>,
    /// Pages whose archived contribution differs from the one computed now.
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

/// Recomputes these sites. `recompute` makes a page's contribution by the algorithms `ours`; `progress` is
/// called after each page with the number of pages done so far.
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
    for (table, cells) in state.sums(site, Table::ALL).await? {
        for (key, live) in cells {
            let cell = Cell { table, key };
            let wanted = recomputed.remove(&cell).unwrap_or(0);
            differ(report, cell, live, wanted);
        }
    }
    for (cell, wanted) in recomputed {
        differ(report, cell.clone(), 0, wanted);
    }
    Ok(())
}
