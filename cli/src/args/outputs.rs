//! Arguments of the commands that tell what a run, or the services, came to.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use newslode_page::formats::Format;

use crate::installation::{RunArgs, SchemeArgs};

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TaxonomyFormat {
    Tree,
    Json,
    Turtle,
    /// RDF/XML, with the same statements as Turtle.
    Rdfxml,
    /// A picture of the tree.
    Svg,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportFormat {
    /// Of the ontology (default).
    Turtle,
    /// Of the ontology.
    Rdfxml,
    /// Of pages (default): a web archive.
    Warc,
    /// Of pages: a web archive with index and list of pages in one file, which replay tools open.
    Wacz,
    /// Of articles (default): all that is known of each, as JSON Lines.
    Jsonl,
    /// Of articles: a table of their fields, for spreadsheets.
    Csv,
    /// Of articles: the same table by columns, for data frames and databases.
    Parquet,
    /// Of articles: title, byline and text, one after another.
    Text,
    /// Of articles: documents one after another, with links, lists, tables and pictures.
    Markdown,
    /// Of articles: an `article` element for each.
    Html,
    /// Of articles: a TEI P5 document for each.
    Tei,
    /// Of articles: schema.org's NewsArticle, one a line.
    JsonLd,
}

impl ExportFormat {
    /// The format of the document that is written for each article; `None` if it is no such format.
    pub(crate) fn document(self) -> Option<Format> {
        match self {
            ExportFormat::Text => Some(Format::Text),
            ExportFormat::Markdown => Some(Format::Markdown),
            ExportFormat::Html => Some(Format::Html),
            ExportFormat::Tei => Some(Format::Tei),
            ExportFormat::JsonLd => Some(Format::JsonLd),
            _ => None,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct TaxonomyArgs {
    #[command(flatten)]
    pub(crate) run: RunArgs,
    /// Output format.
    #[arg(long, value_enum, default_value = "tree")]
    pub(crate) format: TaxonomyFormat,
    /// Show the sites, labels, pairs and levels behind this concept.
    #[arg(long, value_name = "CONCEPT")]
    pub(crate) explain: Option<String>,
    /// Show which concepts of the schemes the concepts are, and why others are none of them. As a tree or JSON.
    #[arg(long, conflicts_with = "explain")]
    pub(crate) schemes: bool,
    #[command(flatten)]
    pub(crate) scheme: SchemeArgs,
    /// Print the last changes of the taxonomy, oldest first; JSON with `--format json`.
    #[arg(long, conflicts_with = "explain")]
    pub(crate) changes: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    #[command(flatten)]
    pub(crate) run: RunArgs,
    /// File to write [default: report.html in the run's folder, or in the current folder without one].
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct TermsArgs {
    /// Name of the site, one of its hosts, or the URL of one of its pages.
    pub(crate) site: String,
    #[command(flatten)]
    pub(crate) run: RunArgs,
    /// Number of terms to show with the highest entropy, and with the lowest.
    #[arg(long, default_value_t = 20)]
    pub(crate) limit: usize,
    /// Print as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportWhat {
    /// Articles as JSON Lines, as CSV, or as Parquet.
    Articles,
    /// Instances that concept pages list, with their attributes, as JSON Lines.
    Instances,
    /// Hierarchies as XML, one document after another.
    Hierarchies,
    /// Ontology as Turtle or RDF/XML.
    Ontology,
    /// Pages as they were fetched, as a web archive (WARC 1.1 or WACZ 1.1.1).
    Pages,
}

#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// What to export.
    #[arg(value_enum)]
    pub(crate) what: ExportWhat,
    #[command(flatten)]
    pub(crate) run: RunArgs,
    /// Format.
    #[arg(long, value_enum)]
    pub(crate) format: Option<ExportFormat>,
    /// All that happened to the articles instead of their last state: when each was new, changed and gone.
    #[arg(long)]
    pub(crate) history: bool,
    /// Export only these articles: `NAME=VALUE`, several times. Names and values are those of the console and its API: q, title, concept,
    /// site, language, label, rights, from, to, found_since, found_until, day; place, the label of a section or tag of the site; and code, that of a
    /// scheme's concept, which takes narrower concepts with it.
    #[arg(long = "filter", value_name = "NAME=VALUE")]
    pub(crate) filters: Vec<String>,
    /// Export only articles of which these uses stand so: a use (search, ai_input, ai_train, text_mining, archive) and allowed,
    /// reserved or unknown. Unknown never passes as allowed. Several times, or with commas; the same as `--filter rights=…`.
    #[arg(long, value_name = "USE=STANDING")]
    pub(crate) rights: Vec<String>,
    #[command(flatten)]
    pub(crate) scheme: SchemeArgs,
    /// Write the cells of CSV as they are. Otherwise an apostrophe precedes those that a spreadsheet takes for formulas.
    #[arg(long)]
    pub(crate) raw_cells: bool,
    /// File to write instead of standard output. Pages are compressed, unless its name ends in `.warc`, and the index of their web
    /// archive is written beside it.
    #[arg(long, value_name = "FILE")]
    pub(crate) to: Option<PathBuf>,
}
