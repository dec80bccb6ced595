//! `newslode-lab eval blocks`: scores WISDOM's blocks against article texts (IC) or judged anchors (SNC).
//!
//! With gold in JSON Lines, article blocks are scored; with a folder of outlines, TOC blocks. In the second
//! case, `--pages` is a folder of crawled sites, each with its manifest, and the gold's manifest maps
//! outlines to pages.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use anyhow::Context as _;
use newslode::demo::scores::articles::ArticleRecord;
use newslode::demo::scores::blocks::{Anchor, score_anchors, score_article_words};
use newslode::demo::scores::outline::Gold;
use newslode::exit::{Exit, hinted};
use newslode::progress::ProgressDisplay;
use newslode::{out, site};
use newslode_page::Page;
use newslode_page::preset::Preset;
use newslode_page::reading::CanonicalUrl;
use newslode_page::wisdom::{WisdomParams, find_blocks};
use serde::{Deserialize, Serialize};

use super::gold::{folders, page, write_predictions};
use crate::args::EvalBlocksArgs;
use crate::eval::blocks::is_news;
use crate::eval::outline;
use crate::eval::{Prf, bootstrap_error, mean, read_lines, read_text};

/// A page's figures by one method.
#[derive(Serialize)]
struct Row {
    id: String,
    method: String,
    measure: &'static str,
    #[serde(flatten)]
    figures: Prf,
    blocks: Vec<Range<usize>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    by_length: Option<bool>,
}

/// A line of a crawl's manifest, or of the gold's.
#[derive(Deserialize)]
struct Listed {
    file: String,
    url: String,
    kind: String,
    leaves: usize,
}

pub(super) fn run(args: &EvalBlocksArgs, quiet: bool) -> anyhow::Result<Exit> {
    let presets = presets(args.common.params.as_deref())?;
    let mut display = ProgressDisplay::new(quiet);
    let rows = if args.common.gold.is_dir() {
        toc_rows(args, &presets, &mut display)?
    } else {
        article_rows(args, &presets, &mut display)?
    };
    display.end();
    let last = presets.last().map(|params| params.name.clone()).unwrap_or_default();
    let of_last: Vec<&Row> = rows.iter().filter(|row| row.method == last).collect();
    write_predictions(&args.common, &of_last)?;
    if args.common.json {
        out::json(&rows)?;
        return Ok(Exit::Done);
    }
    let mut methods: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
    for row in &rows {
        methods.entry(&row.method).or_default().push(row);
        if args.common.per_page {
            out::json_line(row)?;
        }
    }
    for (name, rows) in methods {
        let of = |pick: fn(&Prf) -> f64| rows.iter().map(|row| pick(&row.figures)).collect::<Vec<_>>();
        let f1 = of(|figures| figures.f1);
        out::line(format!(
            "{name:16} {} pages: {} P {:.3} R {:.3} F1 {:.3} (se {:.3}), {} below .5",
            rows.len(),
            rows.first().map_or("", |row| row.measure),
            mean(&of(|figures| figures.precision)),
            mean(&of(|figures| figures.recall)),
            mean(&f1),
            bootstrap_error(&f1),
            f1.iter().filter(|f1| **f1 < 0.5).count()
        ))?;
    }
    Ok(Exit::Done)
}

/// Parameters by name: `paper`, `default` or a TOML file. Without a name, both presets.
fn presets(name: Option<&str>) -> anyhow::Result<Vec<WisdomParams>> {
    let Some(name) = name else { return Ok(vec![WisdomParams::paper(), WisdomParams::default()]) };
    Ok(vec![match name.parse() {
        Ok(Preset::Default) => WisdomParams::default(),
        Ok(Preset::Paper) => WisdomParams::paper(),
        Err(_) => {
            let text = read_text(Path::new(name))?;
            toml::from_str(&text).with_context(|| format!("`{name}` does not have the expected form"))?
        }
    }])
}

fn article_rows(
    args: &EvalBlocksArgs,
    presets: &[WisdomParams],
    display: &mut ProgressDisplay,
) -> anyhow::Result<Vec<Row>> {
    let golds: Vec<ArticleRecord> = read_lines(&args.common.gold)?;
    let mut sites: BTreeMap<&str, Vec<&ArticleRecord>> = BTreeMap::new();
    for gold in &golds {
        sites.entry(gold.site.as_deref().unwrap_or_default()).or_default().push(gold);
    }
    let count = sites.len();
    let mut rows = Vec::new();
    for (done, golds) in sites.into_values().enumerate() {
        display.count(done, count, "sites");
        let parse = |gold: &&ArticleRecord| {
            let input = page(&args.common.pages, &gold.id, gold.url.as_deref())?;
            Ok(Page::parse(&input.url, None, &input.bytes))
        };
        let pages: Vec<Page> = golds.iter().map(parse).collect::<anyhow::Result<_>>()?;
        let site = site::terms_of_pages(&pages);
        for (gold, page) in golds.iter().zip(&pages) {
            let Some(body) = gold.body.as_ref().filter(|body| !body.is_empty()) else { continue };
            let row = |method: &str, blocks: Vec<Range<usize>>| Row {
                id: gold.id.clone(),
                method: method.into(),
                measure: "IC",
                figures: score_article_words(body, &text(page, &blocks)),
                blocks,
                by_length: None,
            };
            rows.push(row("all text", whole(page)));
            rows.extend(
                presets.iter().map(|params| row(&params.name, find_blocks(page, &site, params).article)),
            );
        }
    }
    Ok(rows)
}

/// The whole page as one block.
fn whole(page: &Page) -> Vec<Range<usize>> {
    std::iter::once(0..page.leaves.len()).collect()
}

/// The texts of blocks without images, which add nothing to an article's text.
fn text(page: &Page, blocks: &[Range<usize>]) -> String {
    let leaves = blocks.iter().cloned().flatten().filter(|&leaf| !page.leaves.get(leaf).is_image);
    leaves.map(|leaf| page.leaves.text(leaf)).collect::<Vec<_>>().join(" ")
}

fn toc_rows(
    args: &EvalBlocksArgs,
    presets: &[WisdomParams],
    display: &mut ProgressDisplay,
) -> anyhow::Result<Vec<Row>> {
    let golds = outline::read_folder(&args.common.gold)?;
    let Some(manifest) = &args.manifest else {
        return Err(hinted(
            "outlines do not name their pages",
            "--manifest names the list (JSON Lines with file, url, kind and leaves) of their pages",
        ));
    };
    let listed: Vec<Listed> = read_lines(manifest)?;
    let gold_of = |page: &Listed| {
        let same = |row: &&Listed| row.url == page.url && row.leaves == page.leaves;
        listed.iter().find(same).and_then(|row| {
            let name = row.file.strip_suffix(".html").unwrap_or(&row.file);
            Some((name.to_owned(), golds.get(name)?))
        })
    };
    let mut rows = Vec::new();
    for folder in folders(&args.common.pages, "manifest.jsonl")? {
        let crawl: Vec<Listed> = read_lines(&folder.join("manifest.jsonl"))?;
        let judged: Vec<_> = crawl.iter().map(gold_of).collect();
        if judged.iter().all(Option::is_none) {
            continue;
        }
        display.say(|| format!("{} pages of `{}`", crawl.len(), folder.display()));
        let parse = |row: &Listed| {
            let input = page(&folder, &row.file, Some(&row.url))?;
            Ok(Page::parse(&input.url, None, &input.bytes))
        };
        let pages: Vec<Page> = crawl.iter().map(parse).collect::<anyhow::Result<_>>()?;
        let site = site::terms_of_pages(&pages);
        let kinds: BTreeMap<&CanonicalUrl, &str> =
            pages.iter().zip(&crawl).map(|(page, row)| (&page.url, row.kind.as_str())).collect();
        for (page, (name, gold)) in pages.iter().zip(judged).filter_map(|(page, gold)| Some((page, gold?))) {
            let judged = judged_anchors(page, gold, &kinds);
            rows.push(toc_row(&name, "all links", whole(page), None, &judged));
            for params in presets {
                let found = find_blocks(page, &site, params);
                rows.push(toc_row(&name, &params.name, found.toc, Some(found.by_length), &judged));
            }
        }
    }
    Ok(rows)
}

fn toc_row(
    id: &str,
    method: &str,
    blocks: Vec<Range<usize>>,
    by_length: Option<bool>,
    judged: &[Anchor],
) -> Row {
    let figures = score_anchors(judged, |leaf| blocks.iter().any(|block| block.contains(&leaf)));
    Row { id: id.into(), method: method.into(), measure: "SNC", figures, blocks, by_length }
}

/// The anchors with a leaf that is labelled in the outline.
fn judged_anchors(page: &Page, gold: &Gold, kinds: &BTreeMap<&CanonicalUrl, &str>) -> Vec<Anchor> {
    let mut judged: BTreeMap<_, (usize, String)> = BTreeMap::new();
    for leaf in 0..page.leaves.len() {
        let Some(link) = page.leaves.link(leaf) else { continue };
        if u32::try_from(leaf).is_ok_and(|leaf| gold.label.contains_key(&leaf)) {
            let (_, text) = judged.entry(link).or_insert_with(|| (leaf, String::new()));
            text.push_str(page.leaves.text(leaf));
            text.push(' ');
        }
    }
    // A picture or "more" beside a headline leads where the headline does.
    let mut longest: BTreeMap<Option<CanonicalUrl>, String> = BTreeMap::new();
    for (&link, (_, text)) in &judged {
        let known = longest.entry(page.target(link)).or_default();
        if text.split_whitespace().count() > known.split_whitespace().count() {
            known.clone_from(text);
        }
    }
    let anchor = |(link, (leaf, text)): (_, (usize, String))| {
        let target = page.target(link);
        let kind = target.as_ref().and_then(|url| kinds.get(url).copied());
        let text = longest.get(&target).filter(|_| target.is_some()).unwrap_or(&text);
        is_news(kind, text).map(|is_news| Anchor { leaf, is_news })
    };
    judged.into_iter().filter_map(anchor).collect()
}
