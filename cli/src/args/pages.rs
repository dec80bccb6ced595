//! Arguments of the commands that read single pages: `partition`, `tables`, `tags`, `extract`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use newslode_page::extract::Focus;
use newslode_page::formats::Format;
use newslode_page::preset::Preset;

#[derive(Debug, Args)]
pub(crate) struct PagesArgs {
    /// Files, folders, `-` for standard input, or URLs.
    #[arg(value_name = "PAGE", required = true)]
    pub(crate) pages: Vec<String>,
    /// URL of a page that is read from a file or standard input.
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TreeFormat {
    Tree,
    Xml,
    Json,
    /// A picture of one page.
    Svg,
}

#[derive(Debug, Args)]
pub(crate) struct PartitionArgs {
    #[command(flatten)]
    pub(crate) pages: PagesArgs,
    /// Folder of other pages of the same site. With them the informative blocks of each PAGE are marked, and
    /// `--method regex` finds more headers: labels and headers of the other pages. A `manifest.jsonl` in the folder
    /// or beside it may give the `url` of each `file` to resolve links.
    #[arg(long, value_name = "DIR")]
    pub(crate) site: Option<PathBuf>,
    /// Partitioning method.
    #[arg(long, value_enum)]
    pub(crate) method: Option<MethodArg>,
    /// Span of a hierarchy: each flat segment, or the whole page.
    #[arg(long, value_enum)]
    pub(crate) scope: Option<ScopeArg>,
    /// Parameters: `default`, `paper`, or a TOML file that changes some of a preset (`preset = "paper"`).
    #[arg(long, default_value = "default")]
    pub(crate) params: String,
    /// Also tag each label: C says what the page is about, A names an attribute, V is a value, N is none of these.
    /// Given pages of one site are read together for this, as in `newslode tags`.
    #[arg(long)]
    pub(crate) tags: bool,
    /// Output format.
    #[arg(long, value_enum, default_value = "tree")]
    pub(crate) format: TreeFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum MethodArg {
    /// Flat segments only.
    Flat,
    /// Segments from the entropy of paths.
    Entropy,
    /// Groups from inferred regular expressions.
    Regex,
    /// Binary hierarchical partition by dynamic programming.
    Dp,
    /// Headings and what they head, from the presentation of the page (default).
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
    /// Records with their fields, for people.
    Tree,
    /// One line per value: page, table, record, key, attribute, value.
    Csv,
    /// One object per table.
    Json,
}

#[derive(Debug, Args)]
pub(crate) struct TablesArgs {
    #[command(flatten)]
    pub(crate) pages: PagesArgs,
    /// Parameters: `default` or `paper`.
    #[arg(long, default_value_t)]
    pub(crate) params: Preset,
    /// Output format.
    #[arg(long, value_enum, default_value = "tree")]
    pub(crate) format: TablesFormat,
    /// Write the cells of CSV as they are. Otherwise an apostrophe precedes those that a spreadsheet takes for formulas.
    #[arg(long)]
    pub(crate) raw_cells: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TagsFormat {
    /// Leaves with their letters, then the pairs, for people.
    Text,
    /// One object per page.
    Json,
}

#[derive(Debug, Args)]
pub(crate) struct TagsArgs {
    #[command(flatten)]
    pub(crate) pages: PagesArgs,
    /// JSON Lines file with the `url` of each `file`.
    #[arg(long, value_name = "FILE")]
    pub(crate) manifest: Option<PathBuf>,
    /// Folder of other pages of the same site: each PAGE is read together with them. A `manifest.jsonl` in the
    /// folder or beside it may give the `url` of each `file`.
    #[arg(long, value_name = "DIR", conflicts_with = "alone")]
    pub(crate) site: Option<PathBuf>,
    /// Read each page alone, without the other pages of its site.
    #[arg(long)]
    pub(crate) alone: bool,
    /// Method: `default` reads lines, `paper` the groups of the print.
    #[arg(long, default_value_t)]
    pub(crate) params: Preset,
    /// Output format.
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: TagsFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ArticleFormat {
    Json,
    Text,
    Markdown,
    Html,
    Tei,
    JsonLd,
}

impl ArticleFormat {
    /// The format of a document for each article; `None` for lines of JSON.
    pub(crate) fn document(self) -> Option<Format> {
        match self {
            ArticleFormat::Json => None,
            ArticleFormat::Text => Some(Format::Text),
            ArticleFormat::Markdown => Some(Format::Markdown),
            ArticleFormat::Html => Some(Format::Html),
            ArticleFormat::Tei => Some(Format::Tei),
            ArticleFormat::JsonLd => Some(Format::JsonLd),
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct ExtractArgs {
    #[command(flatten)]
    pub(crate) pages: PagesArgs,
    /// JSON Lines file with the `url` of each `file`.
    #[arg(long, value_name = "FILE")]
    pub(crate) manifest: Option<PathBuf>,
    /// Read all pages with the templates of this site, whatever their URLs.
    #[arg(long, value_name = "SITE")]
    pub(crate) template: Option<String>,
    /// Folder of the run that knows the site [default: newslode-run; the services, if the configuration names a store
    /// or broker].
    #[arg(long, value_name = "DIR", requires = "template")]
    pub(crate) dir: Option<PathBuf>,
    /// Read each page alone, without the other pages of its site.
    #[arg(long)]
    pub(crate) alone: bool,
    /// Read every page as if it were an article; `kind` says what it is.
    #[arg(long)]
    pub(crate) any_kind: bool,
    /// What matters more in the text: `precision` leaves out doubtful passages, `recall` includes them, `balanced` weighs both alike.
    #[arg(long, default_value_t)]
    pub(crate) focus: Focus,
    /// Also print the readers' comments on each page, under the key `comments`; they are never part of the text.
    #[arg(long)]
    pub(crate) comments: bool,
    /// Print why each page is or is not an article, instead of the article.
    #[arg(long, value_enum, value_name = "FORM", num_args = 0..=1, require_equals = true, default_missing_value = "text",
        conflicts_with = "any_kind")]
    pub(crate) explain: Option<ExplanationForm>,
    /// Output format.
    #[arg(long, value_enum, default_value = "json")]
    pub(crate) format: ArticleFormat,
}

/// How an explanation is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExplanationForm {
    /// Sentences for people.
    Text,
    /// A JSON object a page.
    Json,
}
