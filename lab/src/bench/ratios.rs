//! Measures ratios of times within one run.

use std::hint::black_box;
use std::time::{Duration, Instant};

use newslode::input;
use newslode_page::partition::hierarchy;
use newslode_page::reading::{PageLimits, PageTree, decode};
use newslode_page::training::measure::{Dp, additions, made_page, table_bytes};
use newslode_page::{Page, Params};
use serde::Serialize;

use super::sample::{Sample, parsed};

/// Number of runs of each page; they take turns, and the shortest counts.
const RUNS: u32 = 5;

/// Times of one page.
#[derive(Debug, Serialize)]
pub(crate) struct PageRatio {
    pub(crate) page: String,
    pub(crate) bytes: usize,
    pub(crate) leaves: usize,
    /// Time of the parse into the page tree alone.
    pub(crate) parse_ms: f64,
    /// Time from bytes to hierarchy, with default parameters.
    pub(crate) whole_ms: f64,
    pub(crate) ratio: f64,
}

/// Figures over all pages.
#[derive(Debug, Serialize)]
pub(crate) struct Pages {
    pub(crate) rows: Vec<PageRatio>,
    pub(crate) median_ratio: f64,
    pub(crate) worst_ratio: f64,
    pub(crate) slowest_ms: f64,
}

/// Figures of the dynamic program.
#[derive(Debug, Serialize)]
pub(crate) struct DpRatios {
    /// At 1,000 leaves.
    pub(crate) fast_1000_ms: f64,
    pub(crate) additions_1000_ms: f64,
    /// `fast_1000_ms` over `additions_1000_ms`.
    pub(crate) over_additions: f64,
    /// At 200 leaves.
    pub(crate) fast_200_ms: f64,
    pub(crate) plain_200_ms: f64,
    pub(crate) plain_known_200_ms: f64,
    /// `plain_200_ms` over `fast_200_ms`.
    pub(crate) times_faster: f64,
    pub(crate) times_faster_than_known: f64,
    /// Bytes of the tables per squared number of leaves.
    pub(crate) bytes_per_leaf_squared: f64,
}

/// Measures the default path of each page against its parse.
pub(crate) fn page_ratios(samples: &[Sample]) -> anyhow::Result<Pages> {
    let url = input::made_up("bench.html")?;
    let params = Params::default();
    let mut rows = Vec::new();
    for sample in samples {
        let html = decode(&sample.bytes, None).text;
        let (mut parse_ms, mut whole_ms, mut leaves) = (f64::INFINITY, f64::INFINITY, 0);
        for _ in 0..RUNS {
            parse_ms = parse_ms.min(ms(|| drop(black_box(PageTree::parse(&html, &PageLimits::default())))));
            whole_ms = whole_ms.min(ms(|| {
                let page = Page::parse(&url, None, &sample.bytes);
                leaves = page.leaves.len();
                drop(black_box(hierarchy(&page, &params)));
            }));
        }
        rows.push(PageRatio {
            page: sample.name.clone(),
            bytes: sample.bytes.len(),
            leaves,
            parse_ms,
            whole_ms,
            ratio: whole_ms / parse_ms,
        });
    }
    let ratios = sorted(rows.iter().map(|row| row.ratio));
    let slowest = sorted(rows.iter().map(|row| row.whole_ms));
    Ok(Pages {
        median_ratio: ratios.get(ratios.len() / 2).copied().unwrap_or_default(),
        worst_ratio: ratios.last().copied().unwrap_or_default(),
        slowest_ms: slowest.last().copied().unwrap_or_default(),
        rows,
    })
}

/// Measures the dynamic program against its additions at 1,000 leaves, and against its plain form at 200.
pub(crate) fn dp_ratios() -> anyhow::Result<DpRatios> {
    let (large, small) = (parsed(made_page(1_000).as_bytes())?, parsed(made_page(200).as_bytes())?);
    let (large, small) = (Dp::new(&large, 0..1_000), Dp::new(&small, 0..200));
    let (mut fast_1000_ms, mut additions_1000_ms) = (f64::INFINITY, f64::INFINITY);
    let (mut fast_200_ms, mut plain_known_200_ms) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..RUNS {
        additions_1000_ms = additions_1000_ms.min(ms(|| {
            black_box(additions(black_box(1_000)));
        }));
        fast_1000_ms = fast_1000_ms.min(ms(|| drop(black_box(large.fast()))));
        fast_200_ms = fast_200_ms.min(ms(|| drop(black_box(small.fast()))));
        plain_known_200_ms = plain_known_200_ms.min(ms(|| drop(black_box(small.plain_cached()))));
    }
    // This takes seconds, so one run will do.
    let plain_200_ms = ms(|| drop(black_box(small.plain())));
    Ok(DpRatios {
        fast_1000_ms,
        additions_1000_ms,
        over_additions: fast_1000_ms / additions_1000_ms,
        fast_200_ms,
        plain_200_ms,
        plain_known_200_ms,
        times_faster: plain_200_ms / fast_200_ms,
        times_faster_than_known: plain_known_200_ms / fast_200_ms,
        bytes_per_leaf_squared: table_bytes(1_000) as f64 / 1e6,
    })
}

/// Milliseconds that `run` takes.
pub(super) fn ms(run: impl FnOnce()) -> f64 {
    let started = Instant::now();
    run();
    let elapsed: Duration = started.elapsed();
    elapsed.as_secs_f64() * 1e3
}

pub(super) fn sorted(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_has_its_row_and_the_whole_takes_longer_than_its_part() {
        let sample = |leaves: usize| Sample { name: leaves.to_string(), bytes: made_page(leaves).into() };
        let pages = page_ratios(&[sample(40), sample(80), sample(120)]).unwrap();
        assert_eq!(pages.rows.iter().map(|row| row.leaves).collect::<Vec<_>>(), [40, 80, 120]);
        assert!(pages.rows.iter().any(|row| row.ratio == pages.median_ratio));
        assert!(pages.worst_ratio >= pages.median_ratio && pages.median_ratio > 1.0);
    }
}
