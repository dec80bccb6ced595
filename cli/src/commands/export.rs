//! `newslode export`: articles, instances, hierarchies, ontology or pages, to standard output or a file.

use std::io::{BufWriter, Write};

use anyhow::Context as _;
use newslode_common::store::Kind;
use newslode_common::warc::{Index, Packing};
use newslode_miner::mining::instances::ConceptInstance;
use newslode_miner::mining::ontology::RdfForm;
use newslode_miner::work::fold;
use newslode_miner::work::instances;
use newslode_miner::work::members::members;
use newslode_miner::work::parts::Parts;
use newslode_miner::work::summaries::summaries;

use crate::args::{ExportArgs, ExportFormat, ExportWhat};
use crate::csv::Cells;
use crate::exit::{Exit, hinted};
use crate::installation::{self, Setup};
use crate::out;
use crate::outputs::{create_part_file, json_line, rename_part_file};
use crate::queries::articles::{FiledArticle, each_archived, export_articles};

mod columns;
mod history;
mod pages;
mod table;
mod wacz;

pub(crate) async fn run(args: ExportArgs, setup: &Setup) -> anyhow::Result<Exit> {
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
    let parts = installation::open(&args.run.target(setup), &setup.config).await?;
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
        write_to(&mut BufWriter::new(out::writer()), &args, &parts).await?;
        return Ok(Exit::Done);
    };
    let mut part = create_part_file(file)?;
    if args.format == Some(ExportFormat::Wacz) {
        wacz::write(&parts, &mut part, file).await?;
        rename_part_file(file)?;
        return Ok(Exit::Done);
    }
    let index = write_to(&mut part, &args, &parts).await?;
    rename_part_file(file)?;
    if let Some(index) = index {
        index
            .write_beside(file)
            .with_context(|| format!("cannot write `{}`", Index::path(file).display()))?;
    }
    Ok(Exit::Done)
}

fn check_format(what: ExportWhat, format: Option<ExportFormat>) -> anyhow::Result<()> {
    match (what, format) {
        (_, None)
        | (ExportWhat::Ontology, Some(ExportFormat::Turtle | ExportFormat::Rdfxml))
        | (ExportWhat::Articles, Some(ExportFormat::Jsonl | ExportFormat::Csv | ExportFormat::Parquet))
        | (ExportWhat::Instances, Some(ExportFormat::Jsonl))
        | (ExportWhat::Pages, Some(ExportFormat::Warc | ExportFormat::Wacz)) => Ok(()),
        _ => Err(hinted(
            "this cannot be exported in this format",
            "the ontology is written as turtle or rdfxml, pages as warc or wacz, articles as jsonl, csv or parquet, \
             instances as jsonl, hierarchies as XML",
        )),
    }
}

/// Writes what the arguments ask for. If that is a web archive in a file, returns its index.
async fn write_to(
    mut to: &mut impl Write,
    args: &ExportArgs,
    parts: &Parts,
) -> anyhow::Result<Option<Index>> {
    let mut index = None;
    match args.what {
        ExportWhat::Articles if args.history => history::write(parts, &mut to).await?,
        ExportWhat::Articles if args.format == Some(ExportFormat::Csv) => {
            to.write_all(table::HEAD.as_bytes())?;
            let cells = if args.raw_cells { Cells::Raw } else { Cells::Neutral };
            let line = |filed_article: &FiledArticle<'_>| {
                Ok(to.write_all(table::row(filed_article, cells).as_bytes())?)
            };
            export_articles(parts, &mut std::io::sink(), RdfForm::Turtle, line).await?;
        }
        ExportWhat::Articles if args.format == Some(ExportFormat::Parquet) => {
            let mut table = columns::Table::new()?;
            let row = |filed_article: &FiledArticle<'_>| table.add(filed_article, to);
            export_articles(parts, &mut std::io::sink(), RdfForm::Turtle, row).await?;
            table.finish(to)?;
        }
        ExportWhat::Articles => {
            let line = |filed_article: &FiledArticle<'_>| json_line(&mut to, &filed_article.line());
            export_articles(parts, &mut std::io::sink(), RdfForm::Turtle, line).await?;
        }
        ExportWhat::Hierarchies => {
            each_archived(parts, Kind::Hierarchy, |_, xml| Ok(to.write_all(xml)?)).await?
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
            index = pages::write(parts, &mut to, packing, args.to.as_deref(), |_| Ok(())).await?;
        }
    }
    to.flush()?;
    Ok(index)
}

#[cfg(test)]
mod tests;
