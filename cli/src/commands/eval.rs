//! `newslode eval`: figures on labelled data, presets and a trivial baseline side by side.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::Path;

use anyhow::Context;
use newslode_common::article::Article;
use newslode_common::config::Config;
use newslode_common::time::Timestamp;
use newslode_partitioner::work::limits;
use newslode_partitioner::{Page, Params};
use serde::Serialize;

use super::partition::{named, partition};
use crate::args::{EvalArgs, EvalCommand, EvalCommon};
use crate::eval::hierarchy::Prediction;
use crate::eval::{articles, bootstrap_error, hierarchy, mean, outline, segments};
use crate::exit::{Exit, hinted};
use crate::input::{self, Input};
use crate::out;
use crate::progress::Shown;

pub(crate) fn run(args: EvalArgs, _config: &Config, quiet: bool) -> anyhow::Result<Exit> {
    match args.command {
        EvalCommand::Hierarchy(common) => hierarchies(&common, quiet),
        EvalCommand::Segments { common, level } => flat(&common, level, quiet),
        EvalCommand::Tables(common) => super::eval_tables::run(&common, quiet),
        EvalCommand::Articles(common) => texts(&common, quiet),
        EvalCommand::Tags(common) => super::eval_tags::tags(&common),
        EvalCommand::Attributes(common) => super::eval_tags::attributes(&common),
    }
}

/// A page of the folder by its name without ending, and its URL where the gold knows it.
pub(super) fn page(folder: &Path, name: &str, url: Option<&str>) -> anyhow::Result<Input> {
    let with_ending = folder.join(name);
    let path = if with_ending.is_file() { with_ending } else { folder.join(format!("{name}.html")) };
    let bytes = std::fs::read(&path).map_err(|error| {
        hinted(
            format!("the gold names `{name}`, but `{}` cannot be read: {error}", path.display()),
            "--pages is the folder of the gold's pages; unpack the archive first",
        )
    })?;
    let url = match url {
        Some(url) => input::parse_url(url).or_else(|_| input::made_up(name))?,
        None => input::made_up(name)?,
    };
    Ok(Input { name: name.into(), url, content_type: None, bytes })
}

/// The presets to measure: the one that was asked for, or both.
pub(super) fn presets(common: &EvalCommon) -> anyhow::Result<Vec<Params>> {
    match &common.params {
        Some(name) => Ok(vec![named(name)?]),
        None => Ok(vec![named("paper")?, named("default")?]),
    }
}

pub(super) fn write_predictions(common: &EvalCommon, lines: &[impl Serialize]) -> anyhow::Result<()> {
    let Some(path) = &common.predictions else { return Ok(()) };
    let mut file = std::io::BufWriter::new(
        std::fs::File::create(path).with_context(|| format!("cannot write `{}`", path.display()))?,
    );
    for line in lines {
        serde_json::to_writer(&mut file, line)?;
        file.write_all(b"\n")?;
    }
    Ok(file.flush()?)
}

fn hierarchies(common: &EvalCommon, quiet: bool) -> anyhow::Result<Exit> {
    let golds = outline::read_folder(&common.gold)?;
    let mut methods: Vec<(String, Vec<Prediction>)> = vec![("headings alone".into(), Vec::new())];
    let presets = presets(common)?;
    methods.extend(presets.iter().map(|params| (params.name.clone(), Vec::new())));
    let mut shown = Shown::new(quiet);
    for (done, name) in golds.keys().enumerate() {
        shown.say(|| format!("{done} of {} pages", golds.len()));
        let input = page(&common.pages, name, None)?;
        methods[0].1.push(headings(name, &input));
        for (params, method) in presets.iter().zip(&mut methods[1..]) {
            method.1.push(Prediction::of(name, &partition(&input, params)));
        }
    }
    shown.end();
    let scored: Vec<(String, Vec<hierarchy::Row>)> = methods
        .iter()
        .map(|(name, said)| {
            (name.clone(), golds.values().zip(said).map(|(gold, one)| hierarchy::score(gold, one)).collect())
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

fn print_hierarchies(name: &str, rows: &[hierarchy::Row], per_page: bool) -> anyhow::Result<()> {
    let average = |pick: fn(&hierarchy::Row) -> f64| mean(&rows.iter().map(pick).collect::<Vec<_>>());
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
                row.boundaries.precision,
                row.boundaries.recall,
                row.boundaries.f1,
                row.wanted_pairs
            ))?;
        }
    }
    out::line(format!(
        "{name:16} {} pages: hierarchy P {:.3} R {:.3} F1 {:.3} (se {:.3}) | segments P {:.3} R {:.3} F1 {:.3}",
        rows.len(),
        average(|r| r.pairs.precision),
        average(|r| r.pairs.recall),
        average(|r| r.pairs.f1),
        bootstrap_error(&rows.iter().map(|r| r.pairs.f1).collect::<Vec<_>>()),
        average(|r| r.boundaries.precision),
        average(|r| r.boundaries.recall),
        average(|r| r.boundaries.f1),
    ))
}

/// The trivial baseline: a heading is above every leaf up to the next heading of its level or a
/// stronger one; headings nest by level.
fn headings(name: &str, input: &Input) -> Prediction {
    let page = Page::parse(&input.url, input.content_type.as_deref(), &input.bytes, &limits());
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

#[derive(Serialize)]
struct Boundaries {
    page: String,
    boundaries: BTreeSet<u32>,
}

fn flat(common: &EvalCommon, level: u8, quiet: bool) -> anyhow::Result<Exit> {
    let text = std::fs::read_to_string(&common.gold)
        .with_context(|| format!("cannot read `{}`", common.gold.display()))?;
    let golds = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(serde_json::from_str)
        .collect::<Result<Vec<segments::Gold>, _>>()
        .with_context(|| format!("in `{}`", common.gold.display()))?;
    let presets = presets(common)?;
    let mut said: BTreeMap<String, Vec<BTreeSet<u32>>> = BTreeMap::new();
    let mut shown = Shown::new(quiet);
    let mut predictions = Vec::new();
    for (done, gold) in golds.iter().enumerate() {
        shown.say(|| format!("{done} of {} pages", golds.len()));
        let input = page(&common.pages, &gold.page, None)?;
        said.entry("every 10th leaf".into()).or_default().push((10..gold.leaves).step_by(10).collect());
        for params in &presets {
            let boundaries: BTreeSet<u32> = partition(&input, params).boundaries.into_iter().collect();
            said.entry(params.name.clone()).or_default().push(boundaries.clone());
            predictions.retain(|p: &Boundaries| p.page != gold.page);
            predictions.push(Boundaries { page: gold.page.clone(), boundaries });
        }
    }
    shown.end();
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

/// Gold pages carry no time of fetching; nothing they say can be later than this.
const LATEST: Timestamp = Timestamp(4_102_444_800_000);

fn texts(common: &EvalCommon, quiet: bool) -> anyhow::Result<Exit> {
    let golds = articles::read(&common.gold)?;
    let mut methods: BTreeMap<&str, Vec<articles::Line>> = BTreeMap::new();
    let mut shown = Shown::new(quiet);
    for (done, gold) in golds.iter().enumerate() {
        shown.say(|| format!("{done} of {} pages", golds.len()));
        let input = page(&common.pages, &gold.id, gold.url.as_deref())?;
        let parsed = Page::parse(&input.url, None, &input.bytes, &limits());
        methods.entry("all text").or_default().push(everything(&gold.id, &parsed));
        let found = newslode_partitioner::extract::as_article(&parsed, &parsed.html, LATEST);
        methods.entry("default").or_default().push(said(&gold.id, &found));
    }
    shown.end();
    write_predictions(common, &methods["default"])?;
    let mut summaries = BTreeMap::new();
    for (name, lines) in &methods {
        let rows: Vec<articles::Row> =
            golds.iter().zip(lines).map(|(gold, line)| articles::score(gold, line)).collect();
        if common.per_page && *name == "default" {
            for row in &rows {
                out::json_line(row)?;
            }
        }
        summaries.insert(*name, articles::summary(&rows));
    }
    if common.json {
        out::json(&summaries)?;
        return Ok(Exit::Done);
    }
    for (name, s) in &summaries {
        let share =
            |(value, n): (f64, usize)| if n == 0 { "—".into() } else { format!("{value:.3} ({n})") };
        out::line(format!(
            "{name:16} {} pages: body P {:.3} R {:.3} F1 {:.3} (se {:.3}), {} of {} below .5 | title {} | authors {} F1 {} | day {} | segments F1 {}",
            s.pages,
            s.precision,
            s.recall,
            s.f1,
            s.f1_error,
            s.below_half,
            s.bodies,
            share(s.title),
            share(s.authors),
            share(s.author_f1),
            share(s.day),
            share(s.segment_f1)
        ))?;
    }
    Ok(Exit::Done)
}

/// The trivial baseline: all leaves, and the document's title.
fn everything(id: &str, page: &Page) -> articles::Line {
    let text: Vec<&str> = (0..page.leaves.len()).map(|leaf| page.leaves.text(leaf)).collect();
    articles::Line {
        id: id.into(),
        title: page.title.clone(),
        body: Some(text.join("\n")),
        ..Default::default()
    }
}

fn said(id: &str, article: &Article) -> articles::Line {
    articles::Line {
        id: id.into(),
        url: None,
        title: article.title.clone(),
        authors: Some(article.authors.clone()),
        published: article.published.clone(),
        body: Some(article.text()),
        ..Default::default()
    }
}
