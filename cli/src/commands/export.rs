//! `newslode export`, and the files that a run writes at its end.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufWriter, IsTerminal, Write};
use std::path::Path;

use anyhow::Context;
use newslode_common::config::Config;
use newslode_common::store::Kind;
use newslode_common::version::{ContentHash, Version};
use newslode_common::warc::Packing;
use newslode_miner::mining::filing::{ArticleEvidence, Filed, Filing, Lessons};
use newslode_miner::mining::instances::ConceptInstance;
use newslode_miner::mining::members::Members;
use newslode_miner::mining::ontology::{BASE, OntologyWriter, RdfForm};
use newslode_miner::mining::taxonomy::Taxonomy;
use newslode_miner::work::fold;
use newslode_miner::work::histories::events::{ArticleEvent, FiledUnder, WithConcepts};
use newslode_miner::work::histories::history::ArticleHistory;
use newslode_miner::work::histories::read_history;
use newslode_miner::work::instances;
use newslode_miner::work::members::members;
use newslode_miner::work::parts::Parts;
use newslode_miner::work::summaries::summaries;
use newslode_page::article::Article;
use newslode_page::reading::{CanonicalUrl, Site};
use serde::Serialize;

use super::taxonomy::installation;
use crate::args::{ExportArgs, ExportFormat, ExportWhat};
use crate::engine;
use crate::exit::{Exit, hinted};
use crate::report::{self, Shelves};

mod columns;
mod history;
mod pages;
mod table;

/// Counts of what was written.
pub(crate) struct Written {
    pub(crate) concepts: usize,
    pub(crate) relations: usize,
    pub(crate) articles: usize,
}

pub(crate) async fn run(args: ExportArgs, config: &Config) -> anyhow::Result<Exit> {
    check_format(args.what, args.format)?;
    if args.history
        && (args.what != ExportWhat::Articles
            || matches!(args.format, Some(ExportFormat::Csv | ExportFormat::Parquet)))
    {
        return Err(hinted(
            "only articles have a history, as JSON Lines",
            "newslode export articles --history",
        ));
    }
    let parts = installation(args.dir.as_deref(), config).await?;
    let Some(file) = &args.to else {
        let to = std::io::stdout();
        if args.what == ExportWhat::Pages && to.is_terminal() {
            return Err(hinted("a web archive is nothing for a terminal", "name a file: --to pages.warc.gz"));
        }
        if args.format == Some(ExportFormat::Parquet) && to.is_terminal() {
            return Err(hinted(
                "a Parquet file is nothing for a terminal",
                "name a file: --to articles.parquet",
            ));
        }
        write_to(&mut BufWriter::new(to.lock()), &args, &parts).await?;
        return Ok(Exit::Done);
    };
    write_to(&mut part(file)?, &args, &parts).await?;
    rename(file)?;
    Ok(Exit::Done)
}

fn check_format(what: ExportWhat, format: Option<ExportFormat>) -> anyhow::Result<()> {
    match (what, format) {
        (_, None)
        | (ExportWhat::Ontology, Some(ExportFormat::Turtle | ExportFormat::Rdfxml))
        | (ExportWhat::Articles, Some(ExportFormat::Jsonl | ExportFormat::Csv | ExportFormat::Parquet))
        | (ExportWhat::Instances, Some(ExportFormat::Jsonl))
        | (ExportWhat::Pages, Some(ExportFormat::Warc)) => Ok(()),
        _ => Err(hinted(
            "this cannot be exported in this format",
            "the ontology is written as turtle or rdfxml, pages as warc, articles as jsonl, csv or parquet, instances as \
             jsonl, hierarchies as XML",
        )),
    }
}

async fn write_to(mut to: &mut impl Write, args: &ExportArgs, parts: &Parts) -> anyhow::Result<()> {
    match args.what {
        ExportWhat::Articles if args.history => history::write(parts, &mut to).await?,
        ExportWhat::Articles if args.format == Some(ExportFormat::Csv) => {
            to.write_all(table::HEAD.as_bytes())?;
            let line = |shelved: &Shelved<'_>| Ok(to.write_all(table::row(shelved).as_bytes())?);
            write(parts, &mut std::io::sink(), RdfForm::Turtle, line).await?;
        }
        ExportWhat::Articles if args.format == Some(ExportFormat::Parquet) => {
            let mut table = columns::Table::new()?;
            let row = |shelved: &Shelved<'_>| table.add(shelved, to);
            write(parts, &mut std::io::sink(), RdfForm::Turtle, row).await?;
            table.finish(to)?;
        }
        ExportWhat::Articles => {
            let line = |shelved: &Shelved<'_>| json_line(&mut to, &shelved.line());
            write(parts, &mut std::io::sink(), RdfForm::Turtle, line).await?;
        }
        ExportWhat::Hierarchies => each(parts, Kind::Hierarchy, |_, xml| Ok(to.write_all(xml)?)).await?,
        ExportWhat::Instances => {
            let taxonomy = fold::read_taxonomy(parts.stores.state.as_ref()).await?.unwrap_or_default();
            let sites = summaries(parts.stores.state.as_ref()).await?;
            let listed = members(&parts.stores, &taxonomy, &sites).await?;
            let line = |mut instance: ConceptInstance| {
                let labels = instance.concepts.iter().filter_map(|key| taxonomy.concept(key));
                instance.concepts = labels.map(|concept| concept.label.clone()).collect();
                json_line(&mut to, &instance)
            };
            instances::instances(&parts.stores, &taxonomy, &sites, &listed, line).await?;
        }
        ExportWhat::Ontology => {
            let form = match args.format {
                Some(ExportFormat::Rdfxml) => RdfForm::Xml,
                _ => RdfForm::Turtle,
            };
            write(parts, &mut to, form, |_| Ok(())).await?;
        }
        ExportWhat::Pages => {
            let is_plain = args.to.as_ref().is_some_and(|file| file.extension() == Some("warc".as_ref()));
            let packing = if is_plain { Packing::Plain } else { Packing::Gzip };
            pages::write(parts, &mut to, packing).await?;
        }
    }
    Ok(to.flush()?)
}

/// The pages of a site that count, by URL.
async fn counted(parts: &Parts, site: &Site) -> anyhow::Result<Vec<(CanonicalUrl, Version)>> {
    let mut pages = parts.stores.state.pages(site).await?;
    pages.retain(|(_, version)| version.content != ContentHash::NONE);
    Ok(pages)
}

/// How many pages count.
pub(super) async fn count(parts: &Parts) -> anyhow::Result<u64> {
    let mut pages = 0;
    for (site, _) in parts.stores.state.sites().await? {
        pages += counted(parts, &site).await?.len() as u64;
    }
    Ok(pages)
}

/// Passes the archived version of every counted page to `take`, ordered by site and URL.
pub(super) async fn each(
    parts: &Parts,
    kind: Kind,
    mut take: impl FnMut(ContentHash, &[u8]) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    for (site, _) in parts.stores.state.sites().await? {
        for (_, version) in counted(parts, &site).await? {
            if let Some(bytes) = parts.stores.archive.get(kind, version.content).await? {
                take(version.content, &bytes)?;
            }
        }
    }
    Ok(())
}

/// An article under its concepts.
pub(crate) struct Shelved<'a> {
    pub(crate) article: Article,
    /// Keys of the concepts.
    pub(crate) keys: BTreeSet<String>,
    pub(crate) filed: &'a [Filed],
    placed: Vec<FiledUnder<'a>>,
    /// When it was found and how it changed; nothing if version 0.1.0 read it.
    pub(crate) life: Option<ArticleHistory>,
    labels: &'a BTreeMap<String, String>,
}

impl<'a> Shelved<'a> {
    /// Shelves an article where it is filed.
    pub(crate) fn new(
        mut article: Article,
        filed: &'a [Filed],
        life: Option<ArticleHistory>,
        labels: &'a BTreeMap<String, String>,
    ) -> Shelved<'a> {
        let keys = filed.iter().map(|filed| filed.concept.clone()).collect();
        let placed = FiledUnder::all(filed);
        article.concepts = placed.iter().map(|placed| placed.concept.to_owned()).collect();
        Shelved { article, keys, filed, placed, life, labels }
    }

    /// What readers get of it.
    pub(crate) fn line(&self) -> ArticleLine<'_> {
        let filed = self.placed.as_slice();
        match self.life.as_ref().and_then(|life| ArticleEvent::latest(life, &self.article, self.labels)) {
            Some(event) => ArticleLine::Told(WithConcepts { event, filed }),
            None => ArticleLine::Read(WithConcepts { event: &self.article, filed }),
        }
    }
}

/// An article as readers get it: a line of `articles.jsonl`.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum ArticleLine<'a> {
    /// With its life.
    Told(WithConcepts<'a, ArticleEvent<'a>>),
    /// Without one: version 0.1.0 read it.
    Read(WithConcepts<'a, &'a Article>),
}

/// Filing as all counted articles teach it.
pub(crate) async fn filing(parts: &Parts, taxonomy: &Taxonomy, members: &Members) -> anyhow::Result<Filing> {
    let mut lessons = Lessons::new(taxonomy);
    each(parts, Kind::Article, |_, json| {
        lessons.add(ArticleEvidence::member(&serde_json::from_slice(json)?, members));
        Ok(())
    })
    .await?;
    Ok(lessons.learn())
}

/// By what articles are filed.
pub(crate) struct Shelving<'a> {
    pub(crate) listed: &'a Members,
    pub(crate) filing: &'a Filing,
}

/// Files every counted article and passes it to `take`, with the version that counts; nothing for an address of an
/// article that readers know under another one.
pub(crate) async fn filed(
    parts: &Parts,
    by: Shelving<'_>,
    mut take: impl FnMut(&CanonicalUrl, Version, Option<&Shelved<'_>>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    for site in parts.stores.state.sites().await?.into_iter().map(|(site, _)| site) {
        let labels =
            parts.stores.frontier.site(&site).await?.map(|settings| settings.labels).unwrap_or_default();
        for (url, version) in counted(parts, &site).await? {
            let Some(json) = parts.stores.archive.get(Kind::Article, version.content).await? else {
                continue;
            };
            let life = read_history(parts.stores.archive.as_ref(), &url).await?;
            if life.as_ref().is_some_and(|life| life.twin_of.is_some()) {
                take(&url, version, None)?;
                continue;
            }
            let article: Article = serde_json::from_slice(&json)?;
            let filed = by.filing.file(ArticleEvidence::member(&article, by.listed));
            let shelved = Shelved::new(article, &filed, life, &labels);
            take(&url, version, Some(&shelved))?;
        }
    }
    Ok(())
}

/// Writes the ontology, and passes each filed article to `take`.
pub(crate) async fn write(
    parts: &Parts,
    triples: &mut impl Write,
    form: RdfForm,
    mut take: impl FnMut(&Shelved<'_>) -> anyhow::Result<()>,
) -> anyhow::Result<(Taxonomy, usize)> {
    let taxonomy = fold::read_taxonomy(parts.stores.state.as_ref()).await?.unwrap_or_default();
    let sites = summaries(parts.stores.state.as_ref()).await?;
    let listed = members(&parts.stores, &taxonomy, &sites).await?;
    let filing = filing(parts, &taxonomy, &listed).await?;
    let mut ontology = OntologyWriter::new(triples, BASE, form)?;
    ontology.taxonomy(&taxonomy)?;
    let mut articles = 0;
    let mut others: BTreeSet<CanonicalUrl> = listed.keys().cloned().collect();
    filed(parts, Shelving { listed: &listed, filing: &filing }, |url, _, shelved| {
        others.remove(url);
        let Some(shelved) = shelved else { return Ok(()) };
        ontology.article(&shelved.article, &shelved.keys)?;
        articles += 1;
        take(shelved)
    })
    .await?;
    // A page that two concept pages list is one instance of both concepts.
    let mut found: BTreeMap<CanonicalUrl, ConceptInstance> = BTreeMap::new();
    if !others.is_empty() {
        instances::non_articles(&parts.stores, &taxonomy, &sites, &others, |instance| {
            let keys = instance.concepts.clone();
            let held = found.entry(instance.url.clone()).or_insert(instance);
            held.concepts.extend(keys);
            held.concepts.sort();
            held.concepts.dedup();
            Ok(())
        })
        .await?;
    }
    for instance in found.values() {
        ontology.instance(instance)?;
    }
    ontology.finish()?.flush()?;
    Ok((taxonomy, articles))
}

/// Writes a run's files; each is replaced as a whole or not at all.
pub(crate) async fn write_outputs(
    parts: &Parts,
    folder: &Path,
    hierarchies: bool,
) -> anyhow::Result<Written> {
    let (article_file, ontology_file) = engine::output_files(folder);
    let (mut lines, mut turtle) = (part(&article_file)?, part(&ontology_file)?);
    let mut shelves = Shelves::default();
    let take = |shelved: &Shelved<'_>| {
        shelves.put(&shelved.article, &shelved.keys);
        json_line(&mut lines, &shelved.line())
    };
    let (taxonomy, articles) = write(parts, &mut turtle, RdfForm::Turtle, take).await?;
    for (mut out, file) in [(lines, &article_file), (turtle, &ontology_file)] {
        out.flush()?;
        rename(file)?;
    }
    if hierarchies {
        let folder = folder.join("hierarchies");
        std::fs::create_dir_all(&folder)?;
        each(parts, Kind::Hierarchy, |content, xml| {
            let file = folder.join(format!("{content}.xml"));
            part(&file)?.write_all(xml)?;
            rename(&file)
        })
        .await?;
    }
    write_report(parts, &taxonomy, &shelves, &engine::report_file(folder)).await?;
    Ok(Written { concepts: taxonomy.concepts.len(), relations: taxonomy.relations.len(), articles })
}

/// Writes the report of a run; the file is replaced as a whole or not at all.
pub(super) async fn write_report(
    parts: &Parts,
    taxonomy: &Taxonomy,
    shelves: &Shelves,
    file: &Path,
) -> anyhow::Result<()> {
    let mut to = part(file)?;
    to.write_all(report::written(parts, taxonomy, shelves).await?.as_bytes())?;
    to.flush()?;
    rename(file)
}

fn json_line(to: &mut impl Write, value: &impl Serialize) -> anyhow::Result<()> {
    serde_json::to_writer(&mut *to, value)?;
    Ok(to.write_all(b"\n")?)
}

fn part(file: &Path) -> anyhow::Result<BufWriter<std::fs::File>> {
    let part = file.with_extension("part");
    let opened =
        std::fs::File::create(&part).with_context(|| format!("cannot write `{}`", part.display()))?;
    Ok(BufWriter::new(opened))
}

fn rename(file: &Path) -> anyhow::Result<()> {
    std::fs::rename(file.with_extension("part"), file)
        .with_context(|| format!("cannot write `{}`", file.display()))
}

#[cfg(test)]
mod tests;
