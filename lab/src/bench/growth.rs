//! Measures how time and memory grow with the leaves of a page, on generated pages.

use std::hint::black_box;

use newslode_page::partition::hierarchy;
use newslode_page::reading::{PageLimits, PageTree, decode};
use newslode_page::training::measure::{Dp, made_page, table_bytes};
use newslode_page::{Page, Params};
use serde::Serialize;

use super::ratios::ms;
use super::sample::{Way, parsed};

/// Sizes of the generated pages, in leaves.
pub(super) const LEAVES: [usize; 9] = [100, 200, 500, 1_000, 1_500, 2_000, 5_000, 10_000, 20_000];
/// Maximum size for the exact program, whose time grows with the cube of the leaves.
const MOST_EXACT: usize = 2_000;
const RUNS: u32 = 3;

/// Figures of one size.
#[derive(Debug, Serialize)]
pub(crate) struct Growth {
    pub(crate) leaves: usize,
    pub(crate) html_bytes: usize,
    /// Time of the parse into the page tree alone.
    pub(crate) parse_ms: f64,
    /// Time from bytes to hierarchy, with default parameters.
    pub(crate) default_ms: f64,
    /// Time from bytes to hierarchy, with paper parameters over the whole page.
    pub(crate) paper_page_ms: f64,
    /// Limits that made the hierarchy of `paper_page_ms` coarser.
    pub(crate) paper_page_coarse: Vec<String>,
    /// Time of the exact dynamic program over all leaves, and nothing else.
    pub(crate) exact_ms: Option<f64>,
    /// Peak memory of the default path, if the system reports it.
    pub(crate) default_peak_bytes: Option<u64>,
    pub(crate) paper_page_peak_bytes: Option<u64>,
    /// Size of the exact program's tables.
    pub(crate) table_bytes: usize,
}

/// Measures each size. `peak` returns the peak memory of a way for a number of leaves.
pub(crate) fn growth(
    sizes: &[usize],
    peak: impl Fn(Way, usize) -> Option<u64>,
    say: &mut dyn FnMut(&str),
) -> anyhow::Result<Vec<Growth>> {
    sizes
        .iter()
        .map(|&leaves| {
            say(&format!("growth: {leaves} leaves"));
            at(leaves, &peak)
        })
        .collect()
}

fn at(leaves: usize, peak: impl Fn(Way, usize) -> Option<u64>) -> anyhow::Result<Growth> {
    let html = made_page(leaves);
    let whole = |params: &Params| -> anyhow::Result<_> { Ok(hierarchy(&parsed(html.as_bytes())?, params)) };
    let (default, paper_page) = (Way::Default.params(), Way::PaperPage.params());
    let paper_page_coarse = whole(&paper_page)?.coarse;
    let text = decode(html.as_bytes(), None).text;
    let page: Page = parsed(html.as_bytes())?;
    let dp = (leaves <= MOST_EXACT).then(|| Dp::new(&page, 0..page.leaves.len()));
    let [mut parse_ms, mut default_ms, mut paper_page_ms] = [f64::INFINITY; 3];
    let mut exact_ms: Option<f64> = None;
    for _ in 0..RUNS {
        parse_ms = parse_ms.min(ms(|| drop(black_box(PageTree::parse(&text, &PageLimits::default())))));
        default_ms = default_ms.min(ms(|| drop(black_box(whole(&default)))));
        paper_page_ms = paper_page_ms.min(ms(|| drop(black_box(whole(&paper_page)))));
        if let Some(dp) = &dp {
            let run = ms(|| drop(black_box(dp.fast())));
            exact_ms = Some(exact_ms.unwrap_or(run).min(run));
        }
    }
    Ok(Growth {
        leaves,
        html_bytes: html.len(),
        parse_ms,
        default_ms,
        paper_page_ms,
        paper_page_coarse,
        exact_ms,
        default_peak_bytes: peak(Way::Default, leaves),
        paper_page_peak_bytes: peak(Way::PaperPage, leaves),
        table_bytes: table_bytes(leaves),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_measured_in_their_order() {
        let mut said = Vec::new();
        let rows = growth(&[30, 60], |_, leaves| Some(leaves as u64), &mut |what| said.push(what.to_owned()))
            .unwrap();
        assert_eq!(rows.iter().map(|row| row.leaves).collect::<Vec<_>>(), [30, 60]);
        assert!(rows.iter().all(|row| row.exact_ms.is_some() && row.paper_page_coarse.is_empty()));
        assert_eq!(rows[1].default_peak_bytes, Some(60));
        assert_eq!(said, ["growth: 30 leaves", "growth: 60 leaves"]);
    }
}
