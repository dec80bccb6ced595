//! Judges how single pages and sites of the synthetic world are read, by the default methods or by others: hierarchies,
//! informative blocks, data tables, tags, articles.
//!
//! A sample of each site is read: its front page, sections, stories, newsroom and tables. Figures are those that
//! labelled data has, over all pages of the sample.

use std::collections::BTreeMap;

use newslode_miner::mining::blocks::of_labels;
use newslode_newsworld::{GoldArticle, PageKind, World};
use newslode_page::hierarchy::Block;
use newslode_page::preset::Preset;
use newslode_page::reading::{CanonicalUrl, Site};
use newslode_page::tables::{TableParams, tables_with};
use newslode_page::tagging::{self, Tag};
use newslode_page::wisdom::{WisdomParams, blocks};
use newslode_page::{Article, Hierarchy, Page, Params, Timestamp, article, hierarchy};
use serde::Serialize;

use super::Figures;
use super::leaves::JudgedPage;
use super::mined::fields;
use crate::eval::blocks::{anchors, coverage};
use crate::eval::hierarchy::{Prediction, score};
use crate::eval::tables::TableRecord;
use crate::eval::tags::{Confusion, TAGS};
use crate::eval::{Prf, mean};
use crate::site;

/// Most pages of each kind in a site's sample.
const PAGES_PER_KIND: usize = 4;
/// The year 2100: all stories of the world are older.
const LATEST: Timestamp = Timestamp(4_102_444_800_000);

/// Tags the leaves of a site's pages.
type Tagger = fn(&[Page]) -> Vec<Vec<Tag>>;

/// The methods by which pages are read.
pub(crate) struct Methods {
    pub(crate) params: Params,
    pub(crate) wisdom: WisdomParams,
    pub(crate) tables: TableParams,
    pub(crate) tags: Tagger,
}

impl Methods {
    /// The methods of a preset.
    pub(crate) fn new(preset: Preset) -> Methods {
        let (wisdom, tags): (_, Tagger) = match preset {
            Preset::Default => (WisdomParams::default(), newslode_page::tags),
            Preset::Paper => (WisdomParams::paper(), tagging::print::tags),
        };
        Methods { params: preset.params(), wisdom, tables: TableParams::new(preset), tags }
    }
}

impl Default for Methods {
    fn default() -> Methods {
        Methods::new(Preset::Default)
    }
}

/// A sample of the pages at these addresses, by site.
pub(crate) fn sample<'a>(
    world: &World,
    addresses: impl IntoIterator<Item = &'a String>,
) -> anyhow::Result<Vec<Vec<JudgedPage>>> {
    let mut sites: BTreeMap<Site, (BTreeMap<PageKind, usize>, Vec<JudgedPage>)> = BTreeMap::new();
    for address in addresses {
        let Some(kind) = world.kind(address).filter(|kind| *kind != PageKind::Other) else { continue };
        let url: CanonicalUrl = address.parse()?;
        let (taken, pages) = sites.entry(url.site()).or_default();
        let taken = taken.entry(kind).or_default();
        if *taken < PAGES_PER_KIND {
            *taken += 1;
            pages.extend(JudgedPage::of(world, address)?);
        }
    }
    Ok(sites.into_values().map(|(_, pages)| pages).collect())
}

/// The scores of one page.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Row {
    pub(crate) page: String,
    /// What heads what.
    pub(crate) pairs: Prf,
    /// Where blocks begin.
    pub(crate) segments: Prf,
    /// Tables of contents, on home and section pages.
    pub(crate) toc: Option<Prf>,
    /// The article's text, on stories.
    pub(crate) article: Option<Prf>,
    /// Tags, on profiles.
    pub(crate) tags: Option<Confusion>,
}

/// All figures of a sample, and the scores of its pages.
pub(crate) fn figures(world: &World, sites: &[Vec<JudgedPage>], by: &Methods) -> (Figures, Vec<Row>) {
    let mut rows = Vec::new();
    for pages in sites {
        let site = site::of_pages(pages.iter().map(|judged| &judged.page));
        for judged in pages {
            let mut said = hierarchy(&judged.page, &by.params);
            // A miner marks hierarchies in the same way.
            said.mark("sample".into(), of_labels(&blocks(&judged.page, &site, &by.wisdom)));
            rows.push(row(judged, &said));
        }
    }
    tags(sites, by.tags, &mut rows);
    let mut figures = structure(&rows);
    data_tables(sites.iter().flatten(), &by.tables, &mut figures);
    articles(world, sites.iter().flatten(), &mut figures);
    (figures, rows)
}

/// Judges a page's hierarchy and its marks.
pub(crate) fn row(judged: &JudgedPage, said: &Hierarchy) -> Row {
    let scored = score(&judged.outline(), &Prediction::of(&said.url, said));
    let toc = || {
        let held = leaves_in(said, Block::Toc);
        anchors(&judged.anchors(), |leaf| held.get(leaf) == Some(&true))
    };
    let article = || coverage(&judged.body(), &text_in(said, Block::Article));
    Row {
        page: said.url.clone(),
        pairs: scored.pairs,
        segments: scored.boundaries[1],
        toc: matches!(judged.kind, PageKind::Home | PageKind::Section).then(toc),
        article: (judged.kind == PageKind::Story).then(article),
        tags: None,
    }
}

/// Means over pages; tags over all leaves.
pub(crate) fn structure(rows: &[Row]) -> Figures {
    let mut figures = Figures::default();
    let all = |pick: fn(&Row) -> Option<Prf>| rows.iter().filter_map(pick).collect::<Vec<Prf>>();
    for (name, scores) in [
        ("hierarchy", all(|row| Some(row.pairs))),
        ("segments", all(|row| Some(row.segments))),
        ("blocks.toc", all(|row| row.toc)),
        ("blocks.article", all(|row| row.article)),
    ] {
        let mean = |pick: fn(&Prf) -> f64| mean(&scores.iter().map(pick).collect::<Vec<_>>()).0;
        let means = (mean(|p| p.precision), mean(|p| p.recall), mean(|p| p.f1));
        if let (Some(precision), Some(recall), Some(f1)) = means {
            figures.prf(name, &Prf { precision, recall, f1 });
        }
    }
    let mut counts = Confusion::default();
    rows.iter().filter_map(|row| row.tags.as_ref()).for_each(|tags| counts.add(tags));
    if counts.leaves() > 0 {
        for (at, tag) in TAGS.into_iter().enumerate() {
            figures.mean(&format!("tags.{tag}"), &[counts.figures(at).f]);
        }
    }
    figures
}

/// For each leaf, whether the marks put it in this block.
fn leaves_in(said: &Hierarchy, block: Block) -> Vec<bool> {
    let mut held = vec![false; said.leaves as usize];
    for (node, of) in said.nodes.iter().zip(said.blocks()) {
        for &leaf in node.label.iter().flat_map(|label| &label.leaves) {
            held[leaf as usize] = of == block;
        }
    }
    held
}

fn text_in(said: &Hierarchy, block: Block) -> String {
    let labels = said.nodes.iter().zip(said.blocks()).filter(|(_, of)| *of == block);
    let labels = labels.filter_map(|(node, _)| node.label.as_ref()).filter(|label| !label.image);
    labels.map(|label| label.text.as_str()).collect::<Vec<_>>().join(" ")
}

fn data_tables<'a>(pages: impl Iterator<Item = &'a JudgedPage>, params: &TableParams, figures: &mut Figures) {
    let row = |judged: &JudgedPage| {
        let name = judged.page.url.as_str();
        let said: Vec<TableRecord> =
            tables_with(&judged.page, params).iter().map(|table| TableRecord::of(name, table)).collect();
        let gold = judged.tables();
        crate::eval::tables::score(name, &gold.iter().collect::<Vec<_>>(), &said.iter().collect::<Vec<_>>())
    };
    let summary = crate::eval::tables::summary(&pages.map(row).collect::<Vec<_>>());
    let found = Prf { precision: summary.precision, recall: summary.recall, f1: summary.f1 };
    figures.prf("tables", &found);
    figures.mean("tables.orientation", &Vec::from_iter(summary.strict.0));
    figures.mean("tables.headers", &Vec::from_iter(summary.header_f1.0));
}

/// Judges the tags of the newsroom's pages. A site's pages are read together.
fn tags(sites: &[Vec<JudgedPage>], read: Tagger, rows: &mut [Row]) {
    let mut counts: BTreeMap<&str, Confusion> = BTreeMap::new();
    for site in sites {
        let people = site.iter().filter(|judged| judged.kind == PageKind::Profile);
        let people: Vec<&JudgedPage> = people.collect();
        let pages: Vec<Page> = people.iter().map(|judged| judged.page.clone()).collect();
        for (judged, said) in people.iter().zip(read(&pages)) {
            let letters: String = said.iter().map(|tag| tag.letter()).collect();
            counts.insert(judged.page.url.as_str(), Confusion::of(&judged.tags(), &letters));
        }
    }
    for row in rows {
        row.tags = counts.get(row.page.as_str()).copied();
    }
}

/// Judges articles, each read from its page alone.
fn articles<'a>(world: &World, pages: impl Iterator<Item = &'a JudgedPage>, figures: &mut Figures) {
    let gold: BTreeMap<&str, &GoldArticle> =
        world.gold().articles.iter().map(|article| (article.url.as_str(), article)).collect();
    let mut wanted = 0;
    let mut said: Vec<Article> = Vec::new();
    for judged in pages {
        wanted += usize::from(judged.kind == PageKind::Story);
        said.extend(article(&judged.page, LATEST).1);
    }
    let pairs = said.iter().filter_map(|said| Some((*gold.get(said.url.as_str())?, said)));
    let pairs: Vec<(&GoldArticle, &Article)> = pairs.collect();
    figures.prf("articles", &Prf::of(pairs.len(), said.len(), wanted));
    fields(&pairs, figures);
}

#[cfg(test)]
mod tests;
