//! Measuring the partitioner on this machine: what `newslode bench partition` computes.
//!
//! All answers are ratios inside one run, because times of different machines and days cannot be compared:
//! the default path against the parse alone, the dynamic program against its bare additions and its plain
//! transcription. [`growth`] shows how time and memory grow with the leaves, [`svg`] draws that. Where runs
//! are repeated they take turns and the least counts. Start at [`measure`].

mod growth;
mod memory;
mod ratios;
mod svg;

use newslode_partitioner::Page;
use newslode_partitioner::work::limits;
use serde::Serialize;

use crate::input;

pub(crate) use growth::{Growth, growth};
pub(crate) use ratios::{DpRatios, PageRatio, Pages, dp_ratios, page_ratios};
pub(crate) use svg::svg;

/// A page to measure on.
pub(crate) struct Sample {
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
}

/// All that is measured.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    pub(crate) pages: Pages,
    pub(crate) dp: DpRatios,
    pub(crate) growth: Vec<Growth>,
}

/// Measures everything; `say` is told what is under way.
pub(crate) fn measure(samples: &[Sample], say: &mut dyn FnMut(&str)) -> anyhow::Result<Report> {
    say("pages: the default path against the parse alone");
    let pages = page_ratios(samples)?;
    say("dynamic program: against its additions and its plain transcription (some seconds)");
    let dp = dp_ratios()?;
    let growth = growth(&growth::LEAVES, say)?;
    Ok(Report { pages, dp, growth })
}

fn parsed(bytes: &[u8]) -> anyhow::Result<Page> {
    Ok(Page::parse(&input::made_up("bench.html")?, Some("text/html; charset=utf-8"), bytes, &limits()))
}
