//! How long extraction takes: what `newslode bench extract` computes.
//!
//! A page's time is that from its bytes to its article, the parse included, beside that of the parse alone;
//! runs take turns and the least counts. What a page holds in memory is the peak of a process of its own.
//! `tests/peers/compare.py` sets these times beside those of other extractors on the same pages.

use std::hint::black_box;
use std::path::Path;
use std::process::Command;

use newslode_page::Page;
use newslode_page::extract::{Scorer, as_article_by};
use newslode_page::reading::{PageLimits, PageTree, decode};
use newslode_page::time::Timestamp;
use serde::Serialize;

use super::Sample;
use super::memory::held;
use super::ratios::{ms, sorted};
use crate::input;

/// Runs of each page.
const RUNS: u32 = 3;
/// No page says a later time than this.
const LATEST: Timestamp = Timestamp(4_102_444_800_000);

/// One page.
#[derive(Debug, Serialize)]
pub(crate) struct PageTime {
    pub(crate) page: String,
    pub(crate) bytes: usize,
    pub(crate) parse_ms: f64,
    /// From bytes to article.
    pub(crate) whole_ms: f64,
}

/// All pages.
#[derive(Debug, Serialize)]
pub(crate) struct Extraction {
    pub(crate) rows: Vec<PageTime>,
    pub(crate) median_ms: f64,
    pub(crate) worst_ms: f64,
    /// The page of that time.
    pub(crate) worst_page: String,
    /// Median of the whole over the parse.
    pub(crate) median_ratio: f64,
    /// Of a process that extracts one of the pages, the largest or the slowest one; `None` where the system
    /// does not tell.
    pub(crate) peak_bytes: Option<u64>,
}

/// Times the extraction of each page; the files are those of the samples.
pub(crate) fn extraction(samples: &[Sample], files: &[std::path::PathBuf]) -> anyhow::Result<Extraction> {
    let url = input::made_up("bench.html")?;
    let mut rows = Vec::new();
    // Tables that are made once a process are no part of a page.
    black_box(Scorer::shared());
    for sample in samples {
        let html = decode(&sample.bytes, None).text;
        let (mut parse_ms, mut whole_ms) = (f64::INFINITY, f64::INFINITY);
        for _ in 0..RUNS {
            parse_ms = parse_ms.min(ms(|| drop(black_box(PageTree::parse(&html, &PageLimits::default())))));
            whole_ms = whole_ms.min(ms(|| {
                let page = Page::parse(&url, None, &sample.bytes);
                drop(black_box(as_article_by(&page, LATEST, Scorer::shared(), None)));
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

/// The peak of this process after one page.
pub(crate) fn peak_of_page(file: &Path) -> anyhow::Result<Option<u64>> {
    let bytes = std::fs::read(file)?;
    let page = Page::parse(&input::made_up("bench.html")?, None, &bytes);
    black_box(as_article_by(&page, LATEST, Scorer::shared(), None));
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
    use newslode_page::partition::measure::made_page;

    #[test]
    fn the_whole_takes_longer_than_its_parse_and_the_slowest_page_is_named() {
        let sample = |leaves: usize| Sample { name: leaves.to_string(), bytes: made_page(leaves).into() };
        let found = extraction(&[sample(40), sample(2_000)], &[]).unwrap();
        assert_eq!((found.worst_page.as_str(), found.rows.len(), found.peak_bytes), ("2000", 2, None));
        assert!(found.median_ratio > 1.0 && found.worst_ms >= found.median_ms);
    }
}
