//! The command line, in one definition: help, completions and manual come from it.

mod eval;
mod pages;
mod services;
mod template;

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub(crate) use self::eval::*;
pub(crate) use self::pages::*;
pub(crate) use self::services::*;
pub(crate) use self::template::*;

/// Turns a list of news sites into a taxonomy of the concepts that recur across them, clean articles
/// filed under those concepts, and every page's hierarchy as XML. No rules per site, no training.
#[derive(Debug, Parser)]
#[command(name = "newslode", version, propagate_version = true, max_term_width = 100)]
#[command(
    after_help = "Start here:\n  newslode demo\n  newslode mine https://www.example.com https://news.example.org --out run"
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Say nothing but errors on standard error.
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
    /// Log more; twice: everything.
    #[arg(long, short, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
    /// Configuration file (TOML); the environment (NEWSLODE__…) overrides it.
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Mine a synthetic news web on loopback and show how right the result is (under a minute).
    #[command(after_help = "Example:\n  newslode demo --sites 8 --out /tmp/demo")]
    Demo(DemoArgs),
    /// Crawl, partition and mine sites; resumes what the folder holds.
    #[command(
        after_help = "Example:\n  newslode mine https://www.example.com https://news.example.org --out run --max-pages 200\n\nStop it with Ctrl-C at any moment and run the same command again: it goes on where it was."
    )]
    Mine(MineArgs),
    /// Show the hierarchy of pages.
    #[command(
        after_help = "Example:\n  newslode partition page.html --format xml\n  newslode partition page.html --site pages/ --format svg > page.svg\n  curl -s https://www.example.com | newslode partition - --url https://www.example.com/"
    )]
    Partition(PartitionArgs),
    /// Show the data tables of pages with their orientation and records.
    #[command(
        after_help = "Example:\n  newslode tables page.html\n  newslode tables pages/ --format csv > cells.csv"
    )]
    Tables(TablesArgs),
    /// Extract articles from pages, one JSON object a line.
    #[command(after_help = "Example:\n  newslode extract pages/ --format text")]
    Extract(ExtractArgs),
    /// Teach a site from one corrected page; list, show, explain or forget what is known of sites.
    #[command(
        after_help = "Example:\n  newslode template teach example.com --page page.html --body right.txt run\n  newslode template explain example.com run --format svg > template.svg"
    )]
    Template(TemplateArgs),
    /// Print the taxonomy of a run.
    #[command(after_help = "Example:\n  newslode taxonomy run --explain sports")]
    Taxonomy(TaxonomyArgs),
    /// Write a run as one HTML file: taxonomy, articles by concept, sites, front pages drawn.
    #[command(
        after_help = "Example:\n  newslode report run\n  newslode report --out today.html   (the services' store and archive)"
    )]
    Report(ReportArgs),
    /// Show which terms of a site stand on all pages alike, and which tell single pages apart.
    #[command(
        after_help = "Example:\n  newslode terms example.com run --limit 30\n  newslode terms example.com            (the services' store)"
    )]
    Terms(TermsArgs),
    /// Write what a run holds: articles, hierarchies, ontology.
    #[command(after_help = "Example:\n  newslode export articles run > articles.jsonl")]
    Export(ExportArgs),
    /// Add, remove, pause or list seed sites, over the broker or in a run's folder.
    #[command(
        after_help = "Example:\n  newslode seed add https://www.example.com --max-pages 500\n  newslode seed list --dir run"
    )]
    Seed(SeedArgs),
    /// Sites, pages by outcome, queues.
    #[command(
        after_help = "Example:\n  newslode status run\n  newslode status            (the services' store and broker)"
    )]
    Status(StatusArgs),
    /// Look after the services' dead letters.
    #[command(after_help = "Example:\n  newslode dead list pages\n  newslode dead replay pages")]
    Dead(DeadArgs),
    /// Recompute the mined state from the archive and compare it with the live one, to the bit.
    #[command(
        after_help = "Example:\n  newslode verify run\n  newslode verify            (the services' store and archive)"
    )]
    Verify(VerifyArgs),
    /// Show, check or describe the configuration.
    #[command(after_help = "Example:\n  newslode config check --config newslode.toml")]
    Config(ConfigArgs),
    /// Figures on labelled data.
    #[command(after_help = "Example:\n  newslode eval hierarchy --pages homes --gold hierarchy --per-page")]
    Eval(EvalArgs),
    /// Measure speed and memory on this machine, as ratios.
    #[command(after_help = "Example:\n  newslode bench partition --pages homes --svg growth.svg")]
    Bench(BenchArgs),
}

#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    #[command(flatten)]
    pub(crate) world: WorldArgs,
    /// Folder of the run.
    #[arg(long, default_value = "newslode-demo")]
    pub(crate) out: PathBuf,
    /// Print the figures as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FollowArg {
    /// Pages that concepts' labels lead to, then the instances that those pages list.
    Concepts,
    /// Every link inside the site.
    All,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Keep {
    /// Every page's hierarchy as an XML file.
    Hierarchies,
}

#[derive(Debug, Args)]
pub(crate) struct MineArgs {
    /// Where to start, one site each.
    #[arg(value_name = "URL")]
    pub(crate) urls: Vec<String>,
    /// A file with one URL a line; lines that start with `#` are skipped.
    #[arg(long, value_name = "FILE")]
    pub(crate) seeds: Option<PathBuf>,
    /// Folder of the run: state, articles, ontology.
    #[arg(long, default_value = "newslode-run")]
    pub(crate) out: PathBuf,
    /// Pages of a site at most.
    #[arg(long)]
    pub(crate) max_pages: Option<u64>,
    /// Links away from the seed at most.
    #[arg(long)]
    pub(crate) depth: Option<u32>,
    /// Least milliseconds between the starts of two requests to a site.
    #[arg(long, value_name = "MS")]
    pub(crate) delay: Option<u64>,
    /// Sites that must show a label before it is frequent; 0: chosen by the number of sites.
    #[arg(long)]
    pub(crate) support: Option<u32>,
    /// Days that a page counts after it was fetched; 0: for ever.
    #[arg(long, value_name = "DAYS")]
    pub(crate) window_days: Option<u32>,
    /// What of a site is fetched.
    #[arg(long, value_enum)]
    pub(crate) follow: Option<FollowArg>,
    /// Also write these files.
    #[arg(long, value_enum)]
    pub(crate) keep: Vec<Keep>,
    /// Fetch from private, loopback and other reserved addresses, too.
    #[arg(long)]
    pub(crate) allow_private: bool,
    /// Connect to this address instead of asking DNS (`*` for any host); may be repeated.
    #[arg(long, value_name = "HOST:ADDRESS:PORT")]
    pub(crate) resolve: Vec<String>,
    /// Fetches at once.
    #[arg(long)]
    pub(crate) workers: Option<usize>,
    /// Serve /metrics and /health here while it runs.
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub(crate) admin: Option<SocketAddr>,
    /// Print the summary as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TaxonomyFormat {
    Tree,
    Json,
    Turtle,
    /// RDF in XML: the same statements as Turtle.
    Rdfxml,
    /// A picture of the tree.
    Svg,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OntologyFormat {
    Turtle,
    Rdfxml,
}

#[derive(Debug, Args)]
pub(crate) struct TaxonomyArgs {
    /// Folder of the run; left out: the services' store.
    pub(crate) dir: Option<PathBuf>,
    /// How to print it.
    #[arg(long, value_enum, default_value = "tree")]
    pub(crate) format: TaxonomyFormat,
    /// Show the sites, labels, pairs and levels behind this concept.
    #[arg(long, value_name = "CONCEPT")]
    pub(crate) explain: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// Folder of the run; left out: the services' store and archive.
    pub(crate) dir: Option<PathBuf>,
    /// File to write [default: report.html in the run's folder, or here].
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct TermsArgs {
    /// The site, a host of it or a page of it.
    pub(crate) site: String,
    /// Folder of the run; left out: the services' store.
    pub(crate) dir: Option<PathBuf>,
    /// Terms of the highest, and of the lowest, entropy.
    #[arg(long, default_value_t = 20)]
    pub(crate) limit: usize,
    /// Print as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportWhat {
    /// JSON Lines.
    Articles,
    /// What the lists of concept pages lead to, with attributes: JSON Lines.
    Instances,
    /// XML, one document after another.
    Hierarchies,
    /// Turtle, or RDF in XML.
    Ontology,
}

#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// What to write.
    #[arg(value_enum)]
    pub(crate) what: ExportWhat,
    /// Folder of the run; left out: the services' store and archive.
    pub(crate) dir: Option<PathBuf>,
    /// How to write the ontology.
    #[arg(long, value_enum)]
    pub(crate) format: Option<OntologyFormat>,
}

#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// Folder of the run; left out: the services' store and archive.
    pub(crate) dir: Option<PathBuf>,
    /// Print the report as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ConfigArgs {
    #[command(subcommand)]
    pub(crate) command: ConfigCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Prints the configuration in force; secrets are hidden.
    Show,
    /// Says whether it can be used.
    Check,
    /// Prints its JSON Schema.
    Schema,
}
