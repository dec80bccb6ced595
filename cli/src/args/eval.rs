//! What measures: `eval` and `bench`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use newslode_newsworld::Language;

#[derive(Debug, Args)]
pub(crate) struct BenchArgs {
    #[command(subcommand)]
    pub(crate) command: BenchCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum BenchCommand {
    /// The partitioner: against the parse alone, its additions and its plain form; how it grows.
    Partition(BenchPartitionArgs),
    /// Extraction of articles: time from bytes to article, beside the parse alone; memory of the worst page.
    Extract(BenchExtractArgs),
    /// Templates: the restricted top-down distance against the textbook's, its growth, learning a site.
    Templates(BenchTemplatesArgs),
    /// The miner: contributions counted a second, bytes of a record, the fold over many sites.
    Mine(BenchMineArgs),
}

#[derive(Debug, Args)]
pub(crate) struct BenchExtractArgs {
    /// Folder of pages.
    #[arg(long, value_name = "DIR", required_unless_present = "peak_of")]
    pub(crate) pages: Option<PathBuf>,
    /// Print as JSON, with a row a page.
    #[arg(long)]
    pub(crate) json: bool,
    /// Print only the memory that this page takes; what the command asks of itself.
    #[arg(long, hide = true, value_name = "FILE")]
    pub(crate) peak_of: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct BenchTemplatesArgs {
    /// Folder of pages of one site; left out: made pages.
    #[arg(long, value_name = "DIR")]
    pub(crate) pages: Option<PathBuf>,
    /// Print as JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// Draw how the distance grows with the vertices.
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct BenchMineArgs {
    /// Measure only this store.
    #[arg(long, value_enum)]
    pub(crate) store: Option<BenchStore>,
    /// A Redis server that runs already and may be filled; left out: one is started and ended.
    #[arg(long, value_name = "URL")]
    pub(crate) redis: Option<String>,
    /// Fold so many sites at most (1,000).
    #[arg(long, value_name = "NUMBER")]
    pub(crate) sites: Option<u64>,
    /// Measure only how memory grows over so many made-up pages.
    #[arg(long, value_name = "PAGES")]
    pub(crate) soak: Option<u64>,
    /// Print as JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// Draw how times and memory grow.
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum BenchStore {
    Redb,
    Redis,
}

#[derive(Debug, Args)]
pub(crate) struct BenchPartitionArgs {
    /// Folder of pages; left out: made pages.
    #[arg(long, value_name = "DIR")]
    pub(crate) pages: Option<PathBuf>,
    /// Print as JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// Draw how time and memory grow with the leaves.
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
    /// Print only the memory that this way takes for a made page; what the command asks of itself.
    #[arg(long, hide = true, requires = "leaves", value_name = "WAY")]
    pub(crate) peak_of: Option<String>,
    /// Leaves of that page.
    #[arg(long, hide = true, value_name = "NUMBER")]
    pub(crate) leaves: Option<usize>,
}

#[derive(Debug, Args)]
pub(crate) struct EvalArgs {
    #[command(subcommand)]
    pub(crate) command: EvalCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum EvalCommand {
    /// Label hierarchies against .outline files.
    Hierarchy(EvalCommon),
    /// Flat boundaries against marked blocks.
    Segments {
        #[command(flatten)]
        common: EvalCommon,
        /// 1: outer blocks, 2: inner ones, too.
        #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=2))]
        level: u8,
    },
    /// Data tables, their orientation and header cells against labels (JSON Lines).
    Tables(EvalCommon),
    /// Articles against gold.
    Articles {
        #[command(flatten)]
        common: EvalCommon,
        /// Trees of folds dealt out by site, `0.txt` …: each page is read by those that saw none of its site.
        #[arg(long, value_name = "DIR")]
        folds: Option<PathBuf>,
        /// Also read each page with so many other pages of its site beside it.
        #[arg(long, value_name = "NUMBER", default_value_t = 0)]
        siblings: usize,
        /// Also read each page after so many other pages of its site were corrected by their gold.
        #[arg(long, value_name = "NUMBER", default_value_t = 0)]
        taught: usize,
    },
    /// Tags of leaves (concept, attribute, value, none) against gold.
    Tags(EvalCommon),
    /// Attribute-value pairs against gold; the pages of a site are read together.
    Attributes(EvalCommon),
    /// Concepts and is-a pairs of home pages against a judged taxonomy (JSON).
    Taxonomy(EvalTaxonomyArgs),
    /// What was mined of the synthetic world against what that world knows.
    #[command(
        after_help = "Example:\n  newslode eval world newslode-demo\n  newslode eval world --sites 6   (the services' store and archive)"
    )]
    World(EvalWorldArgs),
    /// Informative blocks: articles' against texts (JSON Lines), tables of contents' against outlines.
    Blocks(EvalBlocksArgs),
}

#[derive(Debug, Args)]
pub(crate) struct EvalWorldArgs {
    /// Folder of the run; left out: the services' store and archive.
    pub(crate) dir: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) world: WorldArgs,
    /// Read a sample of the world's pages instead of what was mined.
    #[arg(long, conflicts_with = "dir")]
    pub(crate) pages: bool,
    /// Read them by these parameters: `paper` or `default`.
    #[arg(long, requires = "pages", default_value = "default")]
    pub(crate) params: String,
    /// A row for every page that was read.
    #[arg(long)]
    pub(crate) per_page: bool,
    /// Print as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Which synthetic world.
#[derive(Clone, Debug, Args)]
pub(crate) struct WorldArgs {
    /// Seed of the world.
    #[arg(long, default_value_t = 7)]
    pub(crate) seed: u64,
    /// Number of sites.
    #[arg(long, default_value_t = 10)]
    pub(crate) sites: usize,
    /// Stories in each section of each site.
    #[arg(long, default_value_t = 4)]
    pub(crate) stories: usize,
    /// The sites' languages in turn, such as `en,fr,ar`; left out: seven in ten sites are English.
    #[arg(long, value_delimiter = ',', value_name = "CODES", value_parser = language)]
    pub(crate) languages: Vec<Language>,
}

fn language(code: &str) -> Result<Language, String> {
    let known = || Language::ALL.map(Language::code).join(", ");
    Language::named(code).ok_or_else(|| format!("the world knows {}", known()))
}

#[derive(Debug, Args)]
pub(crate) struct EvalBlocksArgs {
    #[command(flatten)]
    pub(crate) common: EvalCommon,
    /// With outlines: JSON Lines with `file`, `url`, `kind` and `leaves` of the pages they are of; --pages
    /// is a folder of sites, each with such a `manifest.jsonl`.
    #[arg(long, value_name = "FILE")]
    pub(crate) manifest: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct EvalTaxonomyArgs {
    #[command(flatten)]
    pub(crate) common: EvalCommon,
    /// JSON Lines with `file`, `url` and `lang` of each page [default: manifest.jsonl beside the pages].
    #[arg(long, value_name = "FILE")]
    pub(crate) manifest: Option<PathBuf>,
    /// Only pages in this language.
    #[arg(long, value_name = "CODE", default_value = "en")]
    pub(crate) language: String,
    /// Sites that must show a label or a pair; 0: chosen by the number of sites.
    #[arg(long, default_value_t = 0)]
    pub(crate) support: u32,
    /// Measure on so many random halves of the sites, too.
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub(crate) halves: usize,
    /// Seed of the choice of halves.
    #[arg(long, value_name = "NUMBER", default_value_t = 1, requires = "halves")]
    pub(crate) seed: u64,
}

#[derive(Debug, Args)]
pub(crate) struct EvalCommon {
    /// Folder of the pages.
    #[arg(long, value_name = "DIR")]
    pub(crate) pages: PathBuf,
    /// The gold: a folder of outlines, or a JSON Lines file.
    #[arg(long, value_name = "PATH")]
    pub(crate) gold: PathBuf,
    /// Write what was predicted (by the default parameters), for other scorers to read.
    #[arg(long, value_name = "FILE")]
    pub(crate) predictions: Option<PathBuf>,
    /// Only these parameters: `paper`, `default`, or a TOML file.
    #[arg(long)]
    pub(crate) params: Option<String>,
    /// A row for every page.
    #[arg(long)]
    pub(crate) per_page: bool,
    /// Print as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}
