//! `newslode-lab eval hierarchy`: scores hierarchies and blocks against outlines, beside headings alone.

use std::path::Path;

use newslode::demo::scores::hierarchy::{self, Prediction, WINDOWS};
use newslode::exit::Exit;
use newslode::out;
use newslode::progress::ProgressDisplay;
use newslode_page::Page;
use newslode_page::training::{BlockScorer, HeadScorer, OutlineScorers, hierarchy_by};

use super::gold::{page, presets, write_predictions};
use crate::args::EvalCommon;
use crate::eval::splits::Splits;
use crate::eval::{Prf, bootstrap_error, mean, outline};

/// Number of splits that `page/train/blocks.py` and `heads.py` make.
const SPLITS: usize = 11;

/// Folders of trees that never saw the pages that they score.
pub(super) struct Folds<'a> {
    pub(super) blocks: Option<&'a Path>,
    pub(super) heads: Option<&'a Path>,
}

pub(super) fn run(common: &EvalCommon, folds: &Folds<'_>, quiet: bool) -> anyhow::Result<Exit> {
    let blocks = folds.blocks.map(|folder| Splits::read(folder, SPLITS, "blocks.py", BlockScorer::parse));
    let heads = folds.heads.map(|folder| Splits::read(folder, SPLITS, "heads.py", HeadScorer::parse));
    let (blocks, heads) = (blocks.transpose()?, heads.transpose()?);
    let golds = outline::read_folder(&common.gold)?;
    let mut methods: Vec<(String, Vec<Prediction>)> = vec![("headings alone".into(), Vec::new())];
    let presets = presets(common)?;
    methods.extend(presets.iter().map(|params| (params.name.clone(), Vec::new())));
    let mut display = ProgressDisplay::new(quiet);
    for (done, name) in golds.keys().enumerate() {
        display.count(done, golds.len(), "pages");
        let input = page(&common.pages, name, None)?;
        let page = Page::parse(&input.url, input.content_type.as_deref(), &input.bytes);
        let site = outline::site(name);
        let scorers = OutlineScorers {
            heads: heads.as_ref().and_then(|heads| heads.without(site)).unwrap_or(HeadScorer::shared()),
            blocks: blocks.as_ref().and_then(|blocks| blocks.without(site)).unwrap_or(BlockScorer::shared()),
        };
        methods[0].1.push(headings(name, &page));
        for (params, method) in presets.iter().zip(&mut methods[1..]) {
            method.1.push(Prediction::of(name, &hierarchy_by(&page, params, scorers)));
        }
    }
    display.end();
    let scored: Vec<(String, Vec<hierarchy::HierarchyScores>)> = methods
        .iter()
        .map(|(name, said)| {
            (
                name.clone(),
                golds.values().zip(said).map(|(gold, one)| hierarchy::score_hierarchy(gold, one)).collect(),
            )
        })
        .collect();
    if let Some((_, said)) = methods.last() {
        write_predictions(common, said)?;
    }
    if common.json {
        out::json(&scored)?;
        return Ok(Exit::Done);
    }
    for (name, rows) in &scored {
        print_hierarchies(name, rows, common.per_page)?;
    }
    Ok(Exit::Done)
}

fn print_hierarchies(name: &str, rows: &[hierarchy::HierarchyScores], per_page: bool) -> anyhow::Result<()> {
    let average =
        |pick: fn(&hierarchy::HierarchyScores) -> f64| mean(&rows.iter().map(pick).collect::<Vec<_>>());
    if per_page {
        let mut rows: Vec<_> = rows.iter().collect();
        rows.sort_by(|a, b| a.pairs.f1.total_cmp(&b.pairs.f1));
        for row in rows {
            out::line(format!(
                "  {:40} P {:.3} R {:.3} F1 {:.3} | segments P {:.2} R {:.2} F1 {:.2} | {} pairs",
                row.page,
                row.pairs.precision,
                row.pairs.recall,
                row.pairs.f1,
                row.boundaries[0].precision,
                row.boundaries[0].recall,
                row.boundaries[0].f1,
                row.wanted_pairs
            ))?;
        }
    }
    out::line(format!(
        "{name:16} {} pages: hierarchy P {:.3} R {:.3} F1 {:.3} (se {:.3})",
        rows.len(),
        average(|r| r.pairs.precision),
        average(|r| r.pairs.recall),
        average(|r| r.pairs.f1),
        bootstrap_error(&rows.iter().map(|r| r.pairs.f1).collect::<Vec<_>>()),
    ))?;
    for (at, window) in WINDOWS.into_iter().enumerate() {
        let average =
            |pick: fn(&Prf) -> f64| mean(&rows.iter().map(|r| pick(&r.boundaries[at])).collect::<Vec<_>>());
        out::line(format!(
            "{:16} blocks within {window}: P {:.3} R {:.3} F1 {:.3}",
            "",
            average(|prf| prf.precision),
            average(|prf| prf.recall),
            average(|prf| prf.f1)
        ))?;
    }
    Ok(())
}

/// The trivial baseline: a heading is above every leaf up to the next heading of its level or a
/// stronger one; headings nest by level.
fn headings(name: &str, page: &Page) -> Prediction {
    let mut above: Vec<(u8, u32)> = Vec::new();
    let mut prediction = Prediction { page: name.into(), ..Prediction::default() };
    for (number, leaf) in page.leaves.iter().enumerate() {
        let number = u32::try_from(number).unwrap_or(u32::MAX);
        let tags = page.leaves.path(leaf.path).iter().map(|tag| page.tree.tag_name(*tag));
        let mut level = tags.filter_map(|tag| match tag.as_bytes() {
            [b'h', digit @ b'1'..=b'6'] => Some(digit - b'0'),
            _ => None,
        });
        if let Some(level) = level.next_back() {
            while above.last().is_some_and(|(other, _)| *other >= level) {
                above.pop();
            }
            prediction.parent.insert(number, above.last().map(|(_, leaf)| *leaf));
            prediction.boundaries.push(number);
            above.push((level, number));
        } else {
            prediction.parent.insert(number, above.last().map(|(_, leaf)| *leaf));
        }
    }
    prediction
}
