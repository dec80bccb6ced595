//! `newslode-lab eval segments`: scores block boundaries against marked blocks, beside even spacing.

use std::collections::{BTreeMap, BTreeSet};

use newslode::exit::Exit;
use newslode::out;
use newslode::progress::ProgressDisplay;
use newslode_page::hierarchy;
use serde::Serialize;

use super::gold::{page, presets, write_predictions};
use crate::args::EvalCommon;
use crate::eval::{read_lines, segments};

#[derive(Serialize)]
struct Boundaries {
    page: String,
    boundaries: BTreeSet<u32>,
}

pub(super) fn run(common: &EvalCommon, level: u8, quiet: bool) -> anyhow::Result<Exit> {
    let golds: Vec<segments::Gold> = read_lines(&common.gold)?;
    let presets = presets(common)?;
    let mut said: BTreeMap<String, Vec<BTreeSet<u32>>> = BTreeMap::new();
    let mut display = ProgressDisplay::new(quiet);
    let mut predictions = Vec::new();
    for (done, gold) in golds.iter().enumerate() {
        display.count(done, golds.len(), "pages");
        let input = page(&common.pages, &gold.page, None)?;
        said.entry("every 10th leaf".into()).or_default().push((10..gold.leaves).step_by(10).collect());
        for params in &presets {
            let boundaries: BTreeSet<u32> =
                hierarchy(&input.parse(), params).boundaries.into_iter().collect();
            said.entry(params.name.clone()).or_default().push(boundaries.clone());
            predictions.retain(|p: &Boundaries| p.page != gold.page);
            predictions.push(Boundaries { page: gold.page.clone(), boundaries });
        }
    }
    display.end();
    write_predictions(common, &predictions)?;
    let mut all = BTreeMap::new();
    for (name, said) in said {
        let pairs: Vec<_> = golds.iter().map(|gold| gold.boundaries(level)).zip(said).collect();
        all.insert(name, [0, 1, 5].map(|window| segments::score(&pairs, window)));
    }
    if common.json {
        out::json(&all)?;
        return Ok(Exit::Done);
    }
    out::line(format!("{} pages, level {level}", golds.len()))?;
    for (name, figures) in &all {
        for f in figures {
            out::line(format!(
                "{name:16} window {}  P {:.3} R {:.3} F1 {:.3}  ({} right, {} said, {} gold)  page means P {:.3} R {:.3}",
                f.window,
                f.precision,
                f.recall,
                f.f1,
                f.right,
                f.said,
                f.wanted,
                f.page_precision,
                f.page_recall
            ))?;
        }
    }
    Ok(Exit::Done)
}
