//! What looks at single pages: `partition`, `tables`, `extract`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use newslode_page::preset::Preset;

#[derive(Debug, Args)]
pub(crate) struct PagesArgs {
    /// Files, folders, `-` for standard input, or URLs.
    #[arg(value_name = "PAGE", required = true)]
    pub(crate) pages: Vec<String>,
    /// The URL of a page that is read from a file or standard input.
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TreeFormat {
    Tree,
    Xml,
    Json,
    /// A picture, of one page.
    Svg,
}

#[derive(Debug, Args)]
pub(crate) struct PartitionArgs {
    #[command(flatten)]
    pub(crate) pages: PagesArgs,
    /// Other pages of the same site: with what they say the informative blocks of each PAGE are marked. A
    /// `manifest.jsonl` there, or beside it, gives `url`s by `file`, so that links lead to the pages.
    #[arg(long, value_name = "DIR")]
    pub(crate) site: Option<PathBuf>,
    /// How to partition.
    #[arg(long, value_enum)]
    pub(crate) method: Option<MethodArg>,
    /// What one hierarchy spans: each flat segment, or the whole page.
    #[arg(long, value_enum)]
    pub(crate) scope: Option<ScopeArg>,
    /// Parameters: `default`, `paper`, or a TOML file that changes some (`preset = "paper"`).
    #[arg(long, default_value = "default")]
    pub(crate) params: String,
    /// How to print it.
    #[arg(long, value_enum, default_value = "tree")]
    pub(crate) format: TreeFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum MethodArg {
    /// Segments alone.
    Flat,
    /// Segments by the entropy of paths.
    Entropy,
    /// Groups by inferred regular expressions.
    Regex,
    /// Binary hierarchical partition by dynamic programming.
    Dp,
    /// Who heads whom by evidence of presentation: the default's method.
    #[value(alias = "default")]
    Outline,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScopeArg {
    Segment,
    Page,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TablesFormat {
    /// For people: records with their fields.
    Tree,
    /// One line a value: page, table, record, key, attribute, value.
    Csv,
    /// One object a table.
    Json,
}

#[derive(Debug, Args)]
pub(crate) struct TablesArgs {
    #[command(flatten)]
    pub(crate) pages: PagesArgs,
    /// Parameters: `default` or `paper`.
    #[arg(long, default_value_t)]
    pub(crate) params: Preset,
    /// How to print them.
    #[arg(long, value_enum, default_value = "tree")]
    pub(crate) format: TablesFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ArticleFormat {
    Json,
    Text,
    Markdown,
}

#[derive(Debug, Args)]
pub(crate) struct ExtractArgs {
    #[command(flatten)]
    pub(crate) pages: PagesArgs,
    /// A JSON Lines file that gives each page's `url` by its `file`.
    #[arg(long, value_name = "FILE")]
    pub(crate) manifest: Option<PathBuf>,
    /// Read the pages with what is known of this site, whatever their URLs.
    #[arg(long, value_name = "SITE")]
    pub(crate) template: Option<String>,
    /// Folder of the run that knows the site; left out: the services' store.
    #[arg(long, value_name = "DIR", requires = "template")]
    pub(crate) dir: Option<PathBuf>,
    /// Read each page by itself, without the other pages of its site.
    #[arg(long)]
    pub(crate) alone: bool,
    /// How to print it.
    #[arg(long, value_enum, default_value = "json")]
    pub(crate) format: ArticleFormat,
}
