//! Measures the extraction of articles, for `newslode-lab bench extract`.
//!
//! A page's time runs from its bytes to its article, parse included; the parse alone is measured beside it.
//! Runs take turns, and the shortest counts. The memory of a page is the peak of a process of its own.
//! `tests/peers/compare.py` compares these times with those of other extractors on the same pages.

use std::hint::black_box;
use std::path::Path;
use std::process::Command;

use newslode::input;
use newslode_page::Page;
use newslode_page::extract::{Scorer, whatever_kind};
use newslode_page::reading::{PageLimits, PageTree, decode};
use newslode_page::time::Timestamp;
use serde::Serialize;

use super::memory::held;
use super::ratios::{ms, sorted};
use super::sample::Sample;

/// Number of runs of each page.
const RUNS: u32 = 3;
/// No page shows a later date than this.
const LATEST: Timestamp = Timestamp(4_102_444_800_000);

/// Times of one page.
#[derive(Debug, Serialize)]
pub(crate) struct PageTime {
    pub(crate) page: String,
    pub(crate) bytes: usize,
    pub(crate) parse_ms: f64,
    /// Time from bytes to article.
    pub(crate) whole_ms: f64,
}

/// Figures over all pages.
#[derive(Debug, Serialize)]
pub(crate) struct Extraction {
    pub(crate) rows: Vec<PageTime>,
    pub(crate) median_ms: f64,
    pub(crate) worst_ms: f64,
    /// The page with that time.
    pub(crate) worst_page: String,
    /// Median ratio of the whole time to the parse.
    pub(crate) median_ratio: f64,
    /// Peak memory of a process that extracts the largest or the slowest page. `None` if the system does not
    /// report it.
    pub(crate) peak_bytes: Option<u64>,
}

/// Times the extraction of each page; the files are those of the samples.
pub(crate) fn extraction(samples: &[Sample], files: &[std::path::PathBuf]) -> anyhow::Result<Extraction> {
    let url = input::made_up("bench.html")?;
    let mut rows = Vec::new();
    // Tables that are built once per process do not count for a page.
    black_box(Scorer::shared());
    for sample in samples {
        let html = decode(&sample.bytes, None).text;
        let (mut parse_ms, mut whole_ms) = (f64::INFINITY, f64::INFINITY);
        for _ in 0..RUNS {
            parse_ms = parse_ms.min(ms(|| drop(black_box(PageTree::parse(&html, &PageLimits::default())))));
            whole_ms = whole_ms.min(ms(|| {
                let page = Page::parse(&url, None, &sample.bytes);
                drop(black_box(whatever_kind(&page, LATEST, None)));
            }));
        }
        rows.push(PageTime { page: sample.name.clone(), bytes: sample.bytes.len(), parse_ms, whole_ms });
    }
    let times = sorted(rows.iter().map(|row| row.whole_ms));
    let ratios = sorted(rows.iter().map(|row| row.whole_ms / row.parse_ms));
    let middle = |values: &[f64]| values.get(values.len() / 2).copied().unwrap_or_default();
    let slowest = (0..rows.len()).max_by(|&a, &b| rows[a].whole_ms.total_cmp(&rows[b].whole_ms));
    let largest = (0..rows.len()).max_by_key(|&at| rows[at].bytes);
    let peaks = [slowest, largest].into_iter().flatten().filter_map(|at| peak_of_process(files.get(at)?));
    Ok(Extraction {
        median_ms: middle(&times),
        worst_ms: times.last().copied().unwrap_or_default(),
        worst_page: slowest.map(|at| rows[at].page.clone()).unwrap_or_default(),
        median_ratio: middle(&ratios),
        peak_bytes: peaks.max(),
        rows,
    })
}

/// Peak memory of this process after one page.
pub(crate) fn peak_of_page(file: &Path) -> anyhow::Result<Option<u64>> {
    let bytes = std::fs::read(file)?;
    let page = Page::parse(&input::made_up("bench.html")?, None, &bytes);
    black_box(whatever_kind(&page, LATEST, None));
    Ok(held("VmHWM:"))
}

fn peak_of_process(file: &Path) -> Option<u64> {
    let mut command = Command::new(std::env::current_exe().ok()?);
    command.args(["bench", "extract", "--peak-of"]).arg(file);
    let output = command.output().ok().filter(|output| output.status.success())?;
    String::from_utf8(output.stdout).ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use newslode_page::training::measure::made_page;

    #[test]
    fn the_whole_takes_longer_than_its_parse_and_the_slowest_page_is_named() {
        let sample = |leaves: usize| Sample { name: leaves.to_string(), bytes: made_page(leaves).into() };
        let found = extraction(&[sample(40), sample(2_000)], &[]).unwrap();
        assert_eq!((found.worst_page.as_str(), found.rows.len(), found.peak_bytes), ("2000", 2, None));
        assert!(found.median_ratio > 1.0 && found.worst_ms >= found.median_ms);
    }
}
