//! `newslode-lab eval instances`: scores the attributes that are read from the pages behind concept pages' lists.
//!
//! Crawled sites are read as the product reads them: pages are counted, the sums of all sites are folded to a
//! taxonomy, the lists of its concepts' pages are followed inside the crawl, and each concept page's groups of links
//! give the template that reads the pages behind them. A page that two concept pages list is the instance of the
//! first, as in the ontology. The baseline beside it says every text of the page, without labels: no method that
//! keeps leaves as they are finds more values.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use newslode::exit::Exit;
use newslode::out;
use newslode::progress::ProgressDisplay;
use newslode_miner::mining::concept_pages::concept_pages;
use newslode_miner::mining::fold::{FoldParams, Rules, fold};
use newslode_miner::mining::instances::{ConceptInstance, MOST_PAGES, groups, instances};
use newslode_miner::mining::members::{Lists, Members};
use newslode_miner::mining::summary::{SiteSummary, tables};
use newslode_miner::mining::taxonomy::Taxonomy;
use newslode_page::contribution::counting::contribution;
use newslode_page::contribution::{Contribution, FiledUse, LinkUse};
use newslode_page::instances::Attribute;
use newslode_page::partition::hierarchy;
use newslode_page::reading::{CanonicalUrl, Site};
use newslode_page::{Page, Params};
use serde::{Deserialize, Serialize};

use super::gold::{folders, page, write_lines};
use super::taxonomy::replaced;
use crate::args::EvalInstancesArgs;
use crate::eval::instances::{Gold, Kind, Score, score};
use crate::eval::{Figure, bootstrap_error, mean, read_lines};

const BASELINE: &str = "all text";
const PRODUCT: &str = "default";

/// A line of a crawl's manifest.
#[derive(Deserialize)]
struct Listed {
    file: String,
    url: String,
    /// The address that the page names for itself, where whoever saved it gave it another.
    canonical: Option<String>,
}

/// A crawled site with its sums and its pages' links.
struct Crawl {
    name: String,
    folder: PathBuf,
    listed: Vec<Listed>,
    summary: Arc<SiteSummary>,
    links: BTreeMap<usize, (Vec<LinkUse>, Option<FiledUse>)>,
    /// Address, in its loose form → line of the manifest.
    known: BTreeMap<String, usize>,
}

/// A page's figures by one method.
#[derive(Serialize)]
struct Row {
    id: String,
    method: &'static str,
    /// Whether a concept page leads to it and its template reads it.
    is_found: bool,
    #[serde(flatten)]
    score: Score,
}

/// An instance that was read, as a prediction.
#[derive(Serialize)]
struct Read<'a> {
    site: &'a str,
    page: &'a str,
    #[serde(flatten)]
    instance: ConceptInstance,
}

pub(super) fn run(args: &EvalInstancesArgs, quiet: bool) -> anyhow::Result<Exit> {
    let golds: Vec<Gold> = read_lines(&args.gold)?;
    let mut display = ProgressDisplay::new(quiet);
    let mut crawls = Vec::new();
    for folder in folders(&args.pages, &args.manifest)? {
        display.say(|| format!("counting `{}`", folder.display()));
        crawls.push(Crawl::count(folder, &args.manifest)?);
    }
    let sites: Vec<Arc<SiteSummary>> = crawls.iter().map(|crawl| crawl.summary.clone()).collect();
    let taxonomy =
        fold(&sites, &FoldParams { support: 0, rules: Rules::of_preset(Params::default().preset) });
    let (mut rows, mut lines) = (Vec::new(), Vec::new());
    for crawl in &crawls {
        let golds: Vec<&Gold> = golds.iter().filter(|gold| gold.site == crawl.name).collect();
        if golds.is_empty() {
            continue;
        }
        display.say(|| format!("reading instances of `{}`", crawl.name));
        let read = crawl.instances(&taxonomy)?;
        rows.extend(golds.iter().map(|gold| crawl.rows(gold, &read)).collect::<anyhow::Result<Vec<_>>>()?);
        for (line, instance) in read {
            let file = crawl.listed.get(line).map_or("", |listed| listed.file.as_str());
            lines.push(Read { site: &crawl.name, page: file, instance });
        }
    }
    display.end();
    write_lines(args.predictions.as_deref(), &lines)?;
    let rows: Vec<Row> = rows.into_iter().flatten().collect();
    if args.json {
        out::json(&rows)?;
        return Ok(Exit::Done);
    }
    print(args.per_page, &rows)?;
    Ok(Exit::Done)
}

impl Crawl {
    /// Reads and counts the pages of a folder.
    fn count(folder: PathBuf, manifest: &str) -> anyhow::Result<Crawl> {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let listed: Vec<Listed> = read_lines(&folder.join(manifest))?;
        let mut crawl = Crawl {
            name,
            folder,
            listed,
            summary: Arc::new(SiteSummary::of(Site::of_host("localhost"), &BTreeMap::new())),
            links: BTreeMap::new(),
            known: BTreeMap::new(),
        };
        let mut pages: BTreeMap<Site, Vec<Contribution>> = BTreeMap::new();
        for line in 0..crawl.listed.len() {
            let page = crawl.parse(line)?;
            let said = contribution(&page, &hierarchy(&page, &Params::default()));
            let own = crawl.listed[line].canonical.as_deref().map(loose);
            for address in own.into_iter().chain([loose(page.url.as_str())]) {
                crawl.known.entry(address).or_insert(line);
            }
            crawl.links.insert(line, (said.links.clone(), said.filed.clone()));
            pages.entry(page.url.site()).or_default().push(said);
        }
        if let Some((site, pages)) = pages.into_iter().max_by_key(|(_, pages)| pages.len()) {
            crawl.summary = Arc::new(SiteSummary::of(site, &tables(&pages)));
        }
        Ok(crawl)
    }

    /// A page, with links to folders as its site served them: whoever saved the pages called them `index.html`.
    fn parse(&self, line: usize) -> anyhow::Result<Page> {
        let listed = &self.listed[line];
        let input = page(&self.folder, &listed.file, Some(&listed.url))?;
        let bytes = replaced(&input.bytes, b"/index.html", b"/");
        Ok(Page::parse(&input.url, None, &replaced(&bytes, b"\"index.html", b"\"./")))
    }

    fn line(&self, url: &CanonicalUrl) -> Option<usize> {
        self.known.get(&loose(url.as_str())).copied()
    }

    /// The pages that the site's concept pages list.
    fn members(&self, taxonomy: &Taxonomy) -> Members {
        let mut lists = Lists::new(taxonomy, &self.summary);
        // A page that is linked under two addresses lists its stories once.
        let mut pages: BTreeMap<usize, CanonicalUrl> = BTreeMap::new();
        for url in lists.pages() {
            if let Some(line) = self.line(&url) {
                pages.entry(line).or_insert(url);
            }
        }
        for (line, url) in &pages {
            let (links, filed) = self.links.get(line).cloned().unwrap_or_default();
            lists.see(url, links, filed.as_ref());
        }
        let mut members = Members::new();
        lists.add_to(&mut members, pages.len());
        members
    }

    /// The instances of the site's concepts by lines of the manifest, each as the first concept page shows it.
    fn instances(&self, taxonomy: &Taxonomy) -> anyhow::Result<BTreeMap<usize, ConceptInstance>> {
        let members = self.members(taxonomy);
        let mut found = BTreeMap::new();
        for (url, concepts) in concept_pages(taxonomy, &self.summary) {
            let Some(line) = self.line(&url) else { continue };
            let page = self.parse(line)?;
            let groups = groups(&page, |target| members.contains_key(target));
            let mut lines: BTreeMap<usize, &CanonicalUrl> = BTreeMap::new();
            let mut pages: Vec<(&CanonicalUrl, Page)> = Vec::new();
            for target in groups.iter().flatten() {
                let Some(line) = self.line(target).filter(|line| !lines.contains_key(line)) else { continue };
                if pages.len() < MOST_PAGES {
                    lines.insert(line, target);
                    pages.push((target, self.parse(line)?));
                }
            }
            let pages: Vec<(&CanonicalUrl, &Page)> = pages.iter().map(|(url, page)| (*url, page)).collect();
            for instance in instances(&groups, &pages) {
                if let Some(line) = self.line(&instance.url) {
                    found.entry(line).or_insert_with(|| instance.of(&page.url, &concepts));
                }
            }
        }
        Ok(found)
    }

    /// The page's figures by the baseline and by the product.
    fn rows(&self, gold: &Gold, read: &BTreeMap<usize, ConceptInstance>) -> anyhow::Result<[Row; 2]> {
        let line = self.listed.iter().position(|listed| listed.file == gold.page);
        let line = line.ok_or_else(|| anyhow::anyhow!("`{}` does not list `{}`", self.name, gold.page))?;
        let id = format!("{}/{}", gold.site, gold.page);
        let row = |method, attributes: Option<&[Attribute]>| Row {
            id: id.clone(),
            method,
            is_found: attributes.is_some(),
            score: score(&gold.attributes, attributes.unwrap_or_default()),
        };
        let everything = [all_text(&self.parse(line)?)];
        let read = read.get(&line).map(|instance| instance.attributes.as_slice());
        Ok([row(BASELINE, Some(&everything)), row(PRODUCT, read)])
    }
}

/// An address without what the copies of a site write differently: scheme, `www.`, `index.html` and the final slash.
fn loose(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let rest = rest.strip_prefix("www.").unwrap_or(rest);
    rest.strip_suffix("/index.html").unwrap_or(rest).trim_end_matches('/').to_owned()
}

/// Every text of the page as values without a label.
fn all_text(page: &Page) -> Attribute {
    let leaves = (0..page.leaves.len()).filter(|&leaf| !page.leaves.get(leaf).is_image);
    Attribute { label: None, values: leaves.map(|leaf| page.leaves.text(leaf).to_owned()).collect() }
}

fn print(per_page: bool, rows: &[Row]) -> anyhow::Result<()> {
    for method in [BASELINE, PRODUCT] {
        let of: Vec<&Row> = rows.iter().filter(|row| row.method == method).collect();
        if per_page {
            of.iter().try_for_each(out::json_line)?;
        }
        let found: Vec<&Row> = of.iter().copied().filter(|row| row.is_found).collect();
        out::line(format!(
            "{method:10} {} instances: found {:.3}",
            of.len(),
            Figure::ratio(found.len(), of.len())
        ))?;
        for (what, rows) in [("those found", &found), ("all", &of)] {
            out::line(format!("  {what:12} {}", figures(rows)))?;
        }
        let mut kinds: BTreeMap<&str, Kind> = BTreeMap::new();
        for (kind, count) in found.iter().flat_map(|row| &row.score.kinds) {
            kinds.entry(kind).or_default().add(*count);
        }
        for (kind, count) in kinds {
            out::line(format!(
                "    {kind:10} {:5} values: found {:.3}; {:4} below a label: paired {:.3}",
                count.values,
                Figure::ratio(count.found, count.values),
                count.labelled,
                Figure::ratio(count.paired, count.labelled)
            ))?;
        }
    }
    Ok(())
}

/// Means over pages.
fn figures(rows: &[&Row]) -> String {
    let of = |name: &str, pick: fn(&Score) -> crate::eval::Prf| {
        let pages: Vec<crate::eval::Prf> = rows.iter().map(|row| pick(&row.score)).collect();
        let mean_of = |part: fn(&crate::eval::Prf) -> f64| mean(&pages.iter().map(part).collect::<Vec<_>>());
        let f1: Vec<f64> = pages.iter().map(|page| page.f1).collect();
        format!(
            "{name} P {:.3} R {:.3} F1 {:.3} (se {:.3})",
            mean_of(|page| page.precision),
            mean_of(|page| page.recall),
            mean(&f1),
            bootstrap_error(&f1)
        )
    };
    let (values, pairs) =
        (of("values", |score| score.values.figures()), of("pairs", |score| score.pairs.figures()));
    format!("{values} | {pairs}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_of_an_address_are_one_page() {
        for url in ["http://www.a.example/x/", "https://a.example/x", "http://a.example/x/index.html"] {
            assert_eq!(loose(url), "a.example/x", "{url}");
        }
        assert_eq!(loose("https://a.example/"), loose("http://www.a.example/index.html"));
    }
}
