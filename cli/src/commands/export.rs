//! `newslode export`: articles, instances, hierarchies, ontology or pages, to standard output or a file.

use std::io::{BufWriter, Write};

use anyhow::Context as _;
use newslode_common::config::Noarchive;
use newslode_common::store::Kind;
use newslode_common::warc::{Index, Packing, RecordType};
use newslode_miner::mining::instances::ConceptInstance;
use newslode_miner::mining::ontology::RdfForm;
use newslode_miner::mining::registry::Registry;
use newslode_miner::mining::site_scheme::folded;
use newslode_miner::mining::taxonomy::Taxonomy;
use newslode_miner::work::fold;
use newslode_miner::work::instances;
use newslode_miner::work::members::members;
use newslode_miner::work::parts::Parts;
use newslode_miner::work::registry::read_registry;
use newslode_miner::work::summaries::summaries;
use newslode_page::time::Timestamp;

use crate::args::{ExportArgs, ExportFormat, ExportWhat};
use crate::csv::Cells;
use crate::exit::{Exit, hinted};
use crate::filter::phrases::WordQuery;
use crate::filter::times::{Calendar, article_time};
use crate::filter::{Conditions, Facts, Filter, NAMES, Parameters, find_current_concept};
use crate::installation::{self, Setup};
use crate::out;
use crate::outputs::{create_part_file, json_line, rename_part_file};
use crate::queries::articles::{FiledArticle, each_shown, export_articles};
use crate::queries::codes::read_set;
use crate::queries::table;

mod columns;
mod history;
mod pages;
mod wacz;

/// A filter as it may be written.
const EXAMPLE: &str = "newslode export articles --filter site=example.com --filter from=7d";

pub(crate) async fn run(args: ExportArgs, setup: &Setup) -> anyhow::Result<Exit> {
    check_format(args.what, args.format)?;
    if args.history
        && (args.what != ExportWhat::Articles || !matches!(args.format, None | Some(ExportFormat::Jsonl)))
    {
        return Err(hinted(
            "only articles have a history, as JSON Lines",
            "newslode export articles --history",
        ));
    }
    let filter = read_filter(&args)?;
    let mut parts = installation::open_for_all_pages(&args.run.target(setup), &setup.config).await?;
    args.scheme.override_schemes(&mut parts, &setup.config);
    let chosen = Chosen::read(&parts, &filter).await?;
    let noarchive = setup.config.crawler.noarchive;
    let Some(file) = &args.to else {
        if args.what == ExportWhat::Pages && out::is_terminal() {
            return Err(hinted("a web archive is nothing for a terminal", "name a file: --to pages.warc.gz"));
        }
        if args.format == Some(ExportFormat::Wacz) {
            return Err(hinted("a WACZ can only be written to a file", "name one: --to pages.wacz"));
        }
        if args.format == Some(ExportFormat::Parquet) && out::is_terminal() {
            return Err(hinted(
                "a Parquet file is nothing for a terminal",
                "name a file: --to articles.parquet",
            ));
        }
        write_to(&mut BufWriter::new(out::writer()), &args, &parts, &chosen, noarchive).await?;
        return Ok(Exit::Done);
    };
    let mut part = create_part_file(file)?;
    if args.format == Some(ExportFormat::Wacz) {
        wacz::write(&parts, noarchive, &mut part, file).await?;
        rename_part_file(file)?;
        return Ok(Exit::Done);
    }
    let index = write_to(&mut part, &args, &parts, &chosen, noarchive).await?;
    rename_part_file(file)?;
    if let Some(index) = index {
        index
            .write_beside(file)
            .with_context(|| format!("cannot write `{}`", Index::path(file).display()))?;
    }
    Ok(Exit::Done)
}

/// The filter of the arguments.
fn read_filter(args: &ExportArgs) -> anyhow::Result<Filter> {
    let is_filtered = !(args.filters.is_empty() && args.rights.is_empty());
    if is_filtered && (args.what != ExportWhat::Articles || args.history) {
        return Err(hinted(
            "only articles are filtered, without their history",
            "newslode export articles --filter site=example.com",
        ));
    }
    let mut filters = args.filters.clone();
    if !args.rights.is_empty() {
        filters.push(format!("rights={}", args.rights.join(",")));
    }
    let values = Parameters::of_texts(&filters, &NAMES).and_then(|values| Filter::read(&values));
    values.map_err(|error| hinted(format!("--filter: {error}"), EXAMPLE))
}

/// The articles that a filter asks for.
struct Chosen {
    taxonomy: Taxonomy,
    conditions: Conditions,
    /// Nothing: whatever their words are.
    words: Option<WordQuery>,
    now: Timestamp,
}

impl Chosen {
    /// Reads what a filter is held against.
    async fn read(parts: &Parts, filter: &Filter) -> anyhow::Result<Chosen> {
        // Only concepts and labels need the taxonomy.
        let taxonomy = match filter.concept.is_empty() && filter.label.is_empty() {
            true => None,
            false => fold::read_taxonomy(parts.stores.state.as_ref()).await?,
        };
        let taxonomy = taxonomy.unwrap_or_default();
        let registry = match filter.concept.is_empty() {
            true => Registry::default(),
            false => read_registry(parts.stores.state.as_ref()).await?,
        };
        if !filter.concept.is_empty() && find_current_concept(&taxonomy, &registry, &filter.concept).is_none()
        {
            let message = format!("there is no concept `{}` in the taxonomy", filter.concept);
            return Err(hinted(message, "newslode taxonomy prints all of them"));
        }
        let calendar = Calendar::current();
        let conditions = filter.conditions(&taxonomy, &registry, &calendar);
        let conditions = conditions.map_err(|error| hinted(format!("--filter: {error}"), EXAMPLE))?;
        let conditions = match filter.code.as_str() {
            "" => conditions,
            code => {
                let codes = read_set(&parts.schemes).await?.codes_within(code);
                if codes.is_empty() {
                    return Err(hinted(
                        format!("no scheme has a concept with the code or URI `{code}`"),
                        "newslode taxonomy --schemes prints the codes; --scheme FILE names another scheme",
                    ));
                }
                conditions.with_codes(codes)
            }
        };
        let words = (!filter.q.is_empty()).then(|| WordQuery::parse(&filter.q));
        Ok(Chosen { taxonomy, conditions, words, now: calendar.now })
    }

    fn takes(&self, filed_article: &FiledArticle<'_>) -> bool {
        let article = &filed_article.article;
        let found = filed_article.history.as_ref().map(|history| history.first_seen);
        let facts = Facts {
            title: article.title.as_deref(),
            site: &article.site,
            language: article.language.as_deref(),
            section: article.section.as_deref(),
            has_place: &|wanted| filed_article.places.iter().any(|own| folded(&own.label) == wanted),
            has_code: &|wanted| filed_article.codes.iter().any(|own| wanted.contains(own)),
            at: article_time(article.published.as_deref(), found, self.now),
            found,
            labels: Some(filed_article.labels),
            rights: filed_article.rights.standings(),
        };
        let concepts = &self.taxonomy.concepts;
        let position = |key: &String| concepts.binary_search_by(|concept| concept.key.cmp(key)).ok();
        let filings = filed_article.keys.iter().filter_map(position).filter_map(|at| u32::try_from(at).ok());
        let texts = article.title.iter().map(String::as_str);
        let texts = texts.chain(article.body.iter().map(|block| block.text.as_str()));
        self.conditions.take(&facts, filings) && self.words.as_ref().is_none_or(|words| words.matches(texts))
    }
}

fn check_format(what: ExportWhat, format: Option<ExportFormat>) -> anyhow::Result<()> {
    match (what, format) {
        (_, None)
        | (ExportWhat::Ontology, Some(ExportFormat::Turtle | ExportFormat::Rdfxml))
        | (ExportWhat::Articles, Some(ExportFormat::Jsonl | ExportFormat::Csv | ExportFormat::Parquet))
        | (ExportWhat::Instances, Some(ExportFormat::Jsonl))
        | (ExportWhat::Pages, Some(ExportFormat::Warc | ExportFormat::Wacz)) => Ok(()),
        (ExportWhat::Articles, Some(format)) if format.document().is_some() => Ok(()),
        _ => Err(hinted(
            "this cannot be exported in this format",
            "the ontology is written as turtle or rdfxml, pages as warc or wacz, articles as jsonl, csv, parquet, text, markdown, \
             html, tei or json-ld, instances as jsonl, hierarchies as XML",
        )),
    }
}

/// Writes what the arguments ask for. If that is a web archive in a file, returns its index.
async fn write_to(
    mut to: &mut impl Write,
    args: &ExportArgs,
    parts: &Parts,
    chosen: &Chosen,
    noarchive: Noarchive,
) -> anyhow::Result<Option<Index>> {
    let mut index = None;
    match args.what {
        ExportWhat::Articles if args.history => history::write(parts, &mut to).await?,
        ExportWhat::Articles if args.format == Some(ExportFormat::Csv) => {
            to.write_all(table::HEAD.as_bytes())?;
            let cells = if args.raw_cells { Cells::Raw } else { Cells::Neutral };
            let line = |filed_article: &FiledArticle<'_>| {
                if chosen.takes(filed_article) {
                    to.write_all(table::row(filed_article, cells).as_bytes())?;
                }
                Ok(())
            };
            export_articles(parts, &mut std::io::sink(), RdfForm::Turtle, line).await?;
        }
        ExportWhat::Articles if args.format == Some(ExportFormat::Parquet) => {
            let mut table = columns::Table::new()?;
            let row = |filed_article: &FiledArticle<'_>| match chosen.takes(filed_article) {
                true => table.add(filed_article, to),
                false => Ok(()),
            };
            export_articles(parts, &mut std::io::sink(), RdfForm::Turtle, row).await?;
            table.finish(to)?;
        }
        ExportWhat::Articles if args.format.is_some_and(|format| format.document().is_some()) => {
            let document = args.format.and_then(ExportFormat::document);
            let write = |filed_article: &FiledArticle<'_>| {
                if let Some(format) = document.filter(|_| chosen.takes(filed_article)) {
                    to.write_all(format.write(&filed_article.article).as_bytes())?;
                }
                Ok(())
            };
            export_articles(parts, &mut std::io::sink(), RdfForm::Turtle, write).await?;
        }
        ExportWhat::Articles => {
            let line = |filed_article: &FiledArticle<'_>| match chosen.takes(filed_article) {
                true => json_line(&mut to, &filed_article.line()),
                false => Ok(()),
            };
            export_articles(parts, &mut std::io::sink(), RdfForm::Turtle, line).await?;
        }
        ExportWhat::Hierarchies => {
            each_shown(parts, Kind::Hierarchy, noarchive, |_, xml| Ok(to.write_all(xml)?)).await?
        }
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
            export_articles(parts, &mut to, form, |_| Ok(())).await?;
        }
        ExportWhat::Pages => {
            let is_plain = args.to.as_ref().is_some_and(|file| file.extension() == Some("warc".as_ref()));
            let packing = if is_plain { Packing::Plain } else { Packing::Gzip };
            let form = (packing, RecordType::Conversion);
            index = pages::write(parts, &mut to, noarchive, form, args.to.as_deref(), |_| Ok(())).await?;
        }
    }
    to.flush()?;
    Ok(index)
}

#[cfg(test)]
mod tests;
