//! Proves that nothing was lost and nothing counted twice, by computing the sums again from the archive; and checks what
//! cannot be computed again.
//!
//! Each counted page is read from the archive and computed again. The cells of all contributions are summed and compared with
//! the stored ones, table by table. The caller passes in how a page is analysed. A difference in a page's
//! contribution means that the parameters or the algorithms changed; a difference in the sums alone means that counting went
//! wrong.
//!
//! A page whose bytes were removed, to save space or because it asks for no copy, cannot be computed again. Its archived
//! contribution is summed instead, so that the sums of the others can be compared, and it is counted apart.
//!
//! When an article was first seen and how it changed follows from nothing else. So of its history only this is checked: it is
//! there, it knows the fetch that counts, its events are numbered, and the article whose other address it is has a history,
//! too. Start at [`verify`].

use std::collections::BTreeMap;

use newslode_common::message::{CountedPage, FetchedPage, envelope};
use newslode_common::store::{Kind, PageArchive, SiteState, StoreError, StoreResult, Sums};
use newslode_common::version::{ContentHash, Version};
use newslode_page::Analysis;
use newslode_page::contribution::{Cell, Contribution, Delta, Table};
use newslode_page::generation::Generation;
use newslode_page::reading::{CanonicalUrl, Site};

use crate::work::generations::Generations;
use crate::work::histories::history::ArticleHistory;
use crate::work::histories::read_history;
use crate::work::registry::{RegistryCheck, check_registry};

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

/// What a page was computed to again.
#[derive(Clone, Debug, Default)]
pub struct Computed {
    /// Its contribution.
    pub contribution: Contribution,
    /// Whether it is an article.
    pub is_article: bool,
}

impl From<Analysis> for Computed {
    fn from(analysis: Analysis) -> Computed {
        Computed { contribution: analysis.contribution, is_article: analysis.article.is_some() }
    }
}

/// Whether the other pages of its site showed that a page is no article.
async fn is_withdrawn(archive: &dyn PageArchive, url: &CanonicalUrl) -> StoreResult<bool> {
    Ok(read_history(archive, url).await?.is_some_and(|history| history.is_no_article()))
}

/// A history that is not as it must be.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct HistoryFault {
    /// The counted URL of the article.
    pub url: CanonicalUrl,
    /// What is wrong with its history, in words.
    pub what: String,
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
    /// Counted pages whose bytes were removed, to save space or because they ask for no copy: only their archived contributions
    /// prove their sums.
    pub removed: u64,
    /// Counted pages that the archive does not hold in a readable form: their cells cannot be proved.
    pub missing: Vec<CanonicalUrl>,
    /// Pages that other algorithms counted: only their archived contributions prove their sums.
    pub outdated: Vec<CanonicalUrl>,
    /// Pages whose archived contribution differs from the one computed now.
    pub changed: Vec<CanonicalUrl>,
    /// Counted articles.
    pub articles: u64,
    /// Articles whose history is missing, or is not as it must be.
    pub histories: Vec<HistoryFault>,
    /// Counted pages that are articles, and whose articles the archive does not hold.
    pub without_article: Vec<CanonicalUrl>,
    /// The identifiers of concepts.
    pub registry: RegistryCheck,
}

impl VerifyReport {
    /// Whether the sums were proved, and the articles and their histories are complete.
    #[must_use]
    pub fn is_proof(&self) -> bool {
        self.different == 0
            && self.histories.is_empty()
            && self.registry.faults.is_empty()
            && [&self.missing, &self.outdated, &self.changed, &self.without_article]
                .iter()
                .all(|pages| pages.is_empty())
    }
}

/// Recomputes these sites. `recompute` analyses a page by the algorithms `ours`; `progress` is called after each page with the number of pages done so far.
///
/// # Errors
/// When a store cannot be read.
pub async fn verify(
    state: &dyn SiteState,
    archive: &dyn PageArchive,
    sites: &[Site],
    ours: &Generation,
    recompute: impl Fn(FetchedPage) -> Computed,
    mut progress: impl FnMut(u64),
) -> StoreResult<VerifyReport> {
    let mut report = VerifyReport { registry: check_registry(state).await?, ..VerifyReport::default() };
    let generations = Generations::read(state).await?;
    for site in sites {
        let mut sum = Delta::default();
        // The pages of a site and its sums must be of one time, those of two sites not.
        state.renew();
        let live = state.sums(site, Table::ALL).await?;
        for (url, version) in state.pages(site).await? {
            if version.content == ContentHash::NONE {
                continue;
            }
            let is_article = archive.get(Kind::Article, version.content).await?.is_some();
            if is_article {
                report.articles += 1;
                if let Some(what) = history_fault(archive, &url, version).await? {
                    report.histories.push(HistoryFault { url: url.clone(), what });
                }
            }
            let kept = archive.get(Kind::Contribution, version.content).await?;
            let kept = kept
                .and_then(|bytes| envelope::open::<CountedPage>(&bytes).ok().map(|page| page.contribution));
            let Some(page) = generations.fetched(archive, version.content).await? else {
                match kept {
                    Some(kept) if generations.removed(archive, version.content).await?.is_some() => {
                        add(&mut sum, &kept);
                        report.removed += 1;
                    }
                    _ => report.missing.push(url),
                }
                continue;
            };
            let is_ours = page.version.content.seen_by(ours) == version.content;
            let contribution = match &kept {
                Some(kept) if !is_ours => kept.clone(),
                _ => {
                    let computed = recompute(page);
                    let is_lost = is_ours && computed.is_article && !is_article;
                    if is_lost && !is_withdrawn(archive, &url).await? {
                        report.without_article.push(url.clone());
                    }
                    computed.contribution
                }
            };
            add(&mut sum, &contribution);
            if !is_ours {
                report.outdated.push(url);
            } else if kept.as_ref() != Some(&contribution) {
                report.changed.push(url);
            }
            report.pages += 1;
            progress(report.pages);
        }
        compare(site, live, &sum, &mut report);
        report.sites += 1;
    }
    Ok(report)
}

fn add(sum: &mut Delta, contribution: &Contribution) {
    for (cell, by) in Delta::between(None, Some(contribution)).iter() {
        sum.add(cell.clone(), by);
    }
}

/// What is wrong with the history of an article that counts under this version.
///
/// # Errors
/// When the archive cannot be read.
pub async fn history_fault(
    archive: &dyn PageArchive,
    url: &CanonicalUrl,
    counted: Version,
) -> StoreResult<Option<String>> {
    let history = match read_history(archive, url).await {
        Ok(Some(history)) => history,
        Ok(None) => return Ok(Some("it has no history".to_owned())),
        Err(StoreError::Corrupt(what)) => return Ok(Some(what)),
        Err(error) => return Err(error),
    };
    if history.fetch < counted.fetch {
        return Ok(Some(format!(
            "fetch {} counts, its history knows fetch {}",
            counted.fetch, history.fetch
        )));
    }
    if let Some(what) = wrong_numbers(&history) {
        return Ok(Some(what));
    }
    let Some(primary) = &history.twin_of else { return Ok(None) };
    let is_known = read_history(archive, primary).await?.is_some();
    Ok((!is_known).then(|| format!("it is an address of `{primary}`, which has no history")))
}

/// Events are numbered from 1. Of a long history the first event and the last ones are kept.
fn wrong_numbers(history: &ArticleHistory) -> Option<String> {
    let numbers: Vec<u64> = history.events.iter().map(|event| event.version).collect();
    let ascend = numbers.windows(2).all(|pair| pair.first() < pair.last());
    let is_whole = numbers.last().is_none_or(|last| *last == numbers.len() as u64 || history.is_abridged());
    let begins = numbers.first().is_none_or(|first| *first == 1);
    (!ascend || !is_whole || !begins).then(|| format!("its events have the numbers {numbers:?}"))
}

fn compare(site: &Site, live: Sums, sum: &Delta, report: &mut VerifyReport) {
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
    for (table, cells) in live {
        for (key, live) in cells {
            let cell = Cell { table, key };
            let wanted = recomputed.remove(&cell).unwrap_or(0);
            differ(report, cell, live, wanted);
        }
    }
    for (cell, wanted) in recomputed {
        differ(report, cell.clone(), 0, wanted);
    }
}
