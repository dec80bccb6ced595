//! Judges how single pages and sites of the synthetic world are read, by the default methods or by others: hierarchies,
//! informative blocks, data tables, tags, articles.
//!
//! A sample of each site is read: its front page, sections, stories, newsroom and tables. Figures are those that
//! labelled data has, over all pages of the sample.

use std::collections::BTreeMap;

use newslode::demo::figures::Figures;
use newslode::demo::leaves::JudgedPage;
use newslode::demo::mined::judge_fields;
use newslode::demo::pages::{PageScores, mean_page_scores, score_page};
use newslode::demo::places::PlacesOfUrls;
use newslode::site;
use newslode_demo_world::marks::GoldTable;
use newslode_demo_world::{Content as _, GoldArticle, PageKind, World};
use newslode_miner::mining::blocks::of_labels;
use newslode_miner::mining::site_scheme::{PlaceFinder, SchemePage, SiteScheme};
use newslode_newsworld::placed::PlacedWorld;
use newslode_page::preset::Preset;
use newslode_page::reading::CanonicalUrl;
use newslode_page::tables::{TableParams, tables_with};
use newslode_page::tagging::{self, Tag};
use newslode_page::wisdom::{WisdomParams, find_blocks};
use newslode_page::{Analysis, Article, Page, Params, Timestamp, analyse, article, hierarchy};

use super::Prf;
use super::tables::{self, TableRecord};
use super::tags::{self, Confusion, TAGS};

/// The year 2100: all stories of the world are older.
const LATEST: Timestamp = Timestamp(4_102_444_800_000);

/// Scores of tags by page.
pub(crate) type TagCounts = BTreeMap<String, Confusion>;

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

/// All figures of a sample, and the scores of its pages.
pub(crate) fn figures(
    world: &World,
    sites: &[Vec<JudgedPage>],
    by: &Methods,
) -> (Figures, Vec<PageScores>, TagCounts) {
    let mut rows = Vec::new();
    for pages in sites {
        let site = site::terms_of_pages(pages.iter().map(|judged| &judged.page));
        for judged in pages {
            let mut said = hierarchy(&judged.page, &by.params);
            // A miner marks hierarchies in the same way.
            said.mark("sample".into(), of_labels(&find_blocks(&judged.page, &site, &by.wisdom)));
            rows.push(score_page(judged, &said));
        }
    }
    let mut figures = mean_page_scores(&rows);
    let tags = judge_tags(sites, by.tags, &mut figures);
    data_tables(sites.iter().flatten(), &by.tables, &mut figures);
    articles(world, sites.iter().flatten(), &mut figures);
    (figures, rows, tags)
}

fn data_tables<'a>(pages: impl Iterator<Item = &'a JudgedPage>, params: &TableParams, figures: &mut Figures) {
    let row = |judged: &JudgedPage| {
        let name = judged.page.url.as_str();
        let said: Vec<TableRecord> =
            tables_with(&judged.page, params).iter().map(|table| TableRecord::of(name, table)).collect();
        let gold = gold_tables(judged);
        tables::score(name, &gold.iter().collect::<Vec<_>>(), &said.iter().collect::<Vec<_>>())
    };
    let summary = tables::summary(&pages.map(row).collect::<Vec<_>>());
    let found = Prf { precision: summary.precision, recall: summary.recall, f1: summary.f1 };
    figures.prf("tables", &found);
    figures.mean("tables.orientation", &Vec::from_iter(summary.strict.0));
    figures.mean("tables.headers", &Vec::from_iter(summary.header_f1.0));
}

/// Judges the tags of the newsroom's pages, over all leaves. A site's pages are read together.
fn judge_tags(sites: &[Vec<JudgedPage>], read: Tagger, figures: &mut Figures) -> TagCounts {
    let mut counts = TagCounts::new();
    for site in sites {
        let people = site.iter().filter(|judged| judged.kind == PageKind::Profile);
        let people: Vec<&JudgedPage> = people.collect();
        let pages: Vec<Page> = people.iter().map(|judged| judged.page.clone()).collect();
        for (judged, said) in people.iter().zip(read(&pages)) {
            let letters: String = said.iter().map(|tag| tag.letter()).collect();
            counts.insert(judged.page.url.to_string(), Confusion::of(&gold_tags(judged), &letters));
        }
    }
    let mut all = Confusion::default();
    counts.values().for_each(|page| all.add(page));
    if all.leaves() > 0 {
        for (at, tag) in TAGS.into_iter().enumerate() {
            figures.mean(&format!("tags.{tag}"), &[all.figures(at).f]);
        }
    }
    counts
}

/// The gold tag of each leaf.
fn gold_tags(judged: &JudgedPage) -> tags::Gold {
    let tag = |leaf: usize| (leaf, judged.mark(leaf).map_or('N', |(_, mark)| mark.tag.letter()));
    tags::Gold { site: None, page: judged.page.url.to_string(), tags: judged.leaves().map(tag).collect() }
}

/// The gold of the page's tables.
fn gold_tables(judged: &JudgedPage) -> Vec<TableRecord> {
    let line = |(table, gold): (usize, &GoldTable)| {
        let is_data = gold.is_genuine == Some(true);
        TableRecord {
            page: judged.page.url.to_string(),
            table,
            genuine: gold.is_genuine,
            orientation: is_data.then(|| gold.orientation.to_owned()),
            header_cells: is_data.then(|| gold.header_cells.clone()),
            ..TableRecord::default()
        }
    };
    judged.marked().tables.iter().enumerate().map(line).collect()
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
    judge_fields(&pairs, figures);
}

/// The places of the articles of sites whose schemes are learnt from all their pages, each read alone after `change`.
pub(crate) fn placed_pages(
    world: &PlacedWorld,
    change: impl Fn(String) -> String,
    params: &Params,
) -> anyhow::Result<PlacesOfUrls> {
    let mut found = PlacesOfUrls::new();
    for (site, urls) in world.sites().iter().zip(world.urls()) {
        let mut pages: Vec<(CanonicalUrl, Analysis)> = Vec::new();
        for url in urls {
            let url: CanonicalUrl = url.parse()?;
            let body = world.respond(&site.host, url.path()).body;
            let html = change(String::from_utf8_lossy(&body).into_owned());
            let said = analyse(&url, Some("text/html; charset=utf-8"), html.as_bytes(), LATEST, params);
            pages.push((url, said));
        }
        let finder =
            PlaceFinder::new(SiteScheme::learn(&pages.iter().map(scheme_page).collect::<Vec<_>>()).0);
        for (url, said) in &pages {
            let Some(article) = &said.article else { continue };
            found.insert(article.url.clone(), finder.places_of(url, &article.authors, &said.slots));
        }
    }
    Ok(found)
}

/// A page for learning its site's scheme.
fn scheme_page((url, said): &(CanonicalUrl, Analysis)) -> SchemePage<'_> {
    let article = said.article.as_ref();
    SchemePage {
        url,
        authors: article.map(|article| article.authors.as_slice()),
        published: article.and_then(|article| article.published.as_deref()),
        slots: &said.slots,
        breadcrumbs: article.map_or(&[], |article| &article.breadcrumbs),
        links: &said.contribution.links,
    }
}

#[cfg(test)]
mod tests;
