//! Measures the partitioner on this machine, for `newslode-lab bench partition`. [`mine`] measures the miner.
//!
//! All results are ratios within one run, because times of different machines and days cannot be compared:
//! the default path against the parse alone, the dynamic program against its bare additions and its plain
//! transcription. [`growth()`] measures how time and memory grow with the leaves, and [`svg()`] draws it.
//! Repeated runs take turns, and the shortest counts. [`extraction()`] does the same for articles. Start
//! at [`measure`].

mod claims;
mod console;
mod endure;
mod extraction;
mod follow;
mod growth;
mod hostile;
mod looks;
mod memory;
pub(crate) mod mine;
mod pipeline;
mod ratios;
mod rtdm;
mod sample;
mod scale;
mod svg;
mod worst;

use serde::Serialize;

pub(crate) use claims::{ClaimReport, ClaimSpec, measure as measure_claims};
pub(crate) use console::{MadeRun, make as make_run};
pub(crate) use endure::{EndureSpec, Endured, Found, Life, compare, endure, live};
pub(crate) use extraction::{extraction, peak_of_page};
pub(crate) use follow::{Ablation, FollowReport, follow};
pub(crate) use growth::{Growth, growth};
pub(crate) use hostile::{HostileRow, measure as measure_hostile};
pub(crate) use looks::{Look, measure as measure_looks};
pub(crate) use memory::peak;
pub(crate) use pipeline::{PipelineSpec, Served, measure as measure_pipeline, serve};
pub(crate) use ratios::{DpRatios, Pages, dp_ratios, page_ratios};
pub(crate) use rtdm::{rtdm, rtdm_svg};
pub(crate) use sample::{Sample, Way};
pub(crate) use scale::picture::svg as scale_svg;
pub(crate) use scale::{Scale, ScaleSpec, measure as measure_scale};
pub(crate) use svg::svg;
pub(crate) use worst::{WorstRow, WorstSite, WorstSpec, measure as measure_worst};

/// All measurements.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    pub(crate) pages: Pages,
    pub(crate) dp: DpRatios,
    pub(crate) growth: Vec<Growth>,
}

/// Measures everything and reports progress to `say`.
pub(crate) fn measure(samples: &[Sample], say: &mut dyn FnMut(&str)) -> anyhow::Result<Report> {
    say("pages: the default path against the parse alone");
    let pages = page_ratios(samples)?;
    say("dynamic program: against its additions and its plain transcription (some seconds)");
    let dp = dp_ratios()?;
    let growth = growth(&growth::LEAVES, memory::peak_of_process, say)?;
    Ok(Report { pages, dp, growth })
}
