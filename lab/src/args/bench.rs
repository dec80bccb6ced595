//! Arguments of `bench`, which measures speed and size.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use newslode::demo::WorldArgs;

use crate::bench::Ablation;

#[derive(Debug, Args)]
pub(crate) struct BenchArgs {
    #[command(subcommand)]
    pub(crate) command: BenchCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum BenchCommand {
    /// Measure the partitioner: time against the parse, its bare additions and its plain form; growth.
    Partition(BenchPartitionArgs),
    /// Measure article extraction: time from bytes to article, time of the parse, memory for the worst page.
    Extract(BenchExtractArgs),
    /// Measure pages made to hurt: time by each method, limits that were met, memory.
    Hostile(BenchHostileArgs),
    /// Measure how work grows on pages and sites made to be the worst, stage by stage.
    #[command(after_help = "Example:\n  newslode-lab bench worst --only paragraphs")]
    Worst(BenchWorstArgs),
    /// Measure the restricted top-down distance: time against the textbook's, growth, time to learn a site.
    Templates(BenchTemplatesArgs),
    /// Measure the miner: contributions counted per second, bytes per record, folds over many sites.
    Mine(BenchMineArgs),
    /// Measure what a page costs the whole pipeline, from the fetch to the taxonomy.
    #[command(
        after_help = "Example:\n  newslode-lab bench pipeline --pages sites --rabbitmq amqp://guest:guest@localhost:5672/%2f \\\n    --peer tests/peers/spider.py --python target/peers/bin/python"
    )]
    Pipeline(BenchPipelineArgs),
    /// Measure what a miner's look at a site costs when one page is new, while the site grows.
    #[command(after_help = "Example:\n  newslode-lab bench looks --sizes 300,1200,4800,12000")]
    Looks(BenchLooksArgs),
    /// Make a run with many articles, to measure the console on.
    #[command(
        after_help = "Example:\n  newslode-lab bench console --sites 40 --stories 140 --out large && newslode serve --dir large"
    )]
    Console(BenchConsoleArgs),
    /// Measure whose turn it is: what claims cost a Redis server, and how busy they keep crawlers.
    #[command(after_help = "Example:\n  newslode-lab bench claims --sites 10000 --crawlers 2")]
    Claims(BenchClaimsArgs),
    /// Measure how the costs of the mined state grow with the pages of a site, in Redis
    Scale(BenchScaleArgs),
    /// Follow simulated news sites for a month: delays, requests, and what was missed.
    #[command(
        after_help = "Example:\n  newslode-lab bench follow --world 2\n  newslode-lab bench follow --sites 12 --days 7 --without one-queue\n  \
                      newslode-lab bench follow --worlds 14..=20 --sites 20 --days 10"
    )]
    Follow(BenchFollowArgs),
    /// Let `watch` follow simulated sites while it is killed every few simulated hours, and compare with a run without kills.
    #[command(
        after_help = "Example:\n  newslode-lab bench endure --sites 20 --days 30\n  newslode-lab bench endure --sites 3 --days 2 --out endured"
    )]
    Endure(BenchEndureArgs),
}

#[derive(Debug, Args)]
pub(crate) struct BenchPipelineArgs {
    /// Folder of recorded sites, each with a `manifest.jsonl`.
    #[arg(long, value_name = "DIR")]
    pub(crate) pages: PathBuf,
    /// A RabbitMQ server for the three services, which are measured, too, from the folder of this program. They get a
    /// Redis server of their own; their queues begin with `newslode-bench` and stay on the server.
    #[arg(long, value_name = "URL")]
    pub(crate) rabbitmq: Option<String>,
    /// Number of miners that share the work of the services.
    #[arg(long, value_name = "N", default_value_t = 1, requires = "rabbitmq")]
    pub(crate) miners: usize,
    /// A spider to compare with, such as tests/peers/spider.py.
    #[arg(long, value_name = "FILE")]
    pub(crate) peer: Option<PathBuf>,
    /// The Python that runs it, with the packages it needs.
    #[arg(long, value_name = "FILE", default_value = "python3", requires = "peer")]
    pub(crate) python: PathBuf,
    /// Print as JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// Only serve the sites until the input ends; the command starts itself with this option.
    #[arg(long, hide = true)]
    pub(crate) serve: bool,
}

#[derive(Debug, Args)]
pub(crate) struct BenchLooksArgs {
    /// Numbers of pages, ascending.
    #[arg(long, value_name = "N,N,…", value_delimiter = ',', default_values_t = [300, 1_200, 4_800, 12_000])]
    pub(crate) sizes: Vec<u64>,
    /// Print as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct BenchConsoleArgs {
    #[command(flatten)]
    pub(crate) world: WorldArgs,
    /// Folder of the run, which must be new.
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// Print as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct BenchClaimsArgs {
    /// Number of sites, a second apart each.
    #[arg(long, default_value_t = 10_000)]
    pub(crate) sites: usize,
    /// Number of crawlers.
    #[arg(long, default_value_t = 2)]
    pub(crate) crawlers: usize,
    /// Number of workers of each crawler.
    #[arg(long, default_value_t = 16)]
    pub(crate) workers: usize,
    /// How long a request takes, in milliseconds.
    #[arg(long, default_value_t = 100)]
    pub(crate) fetch_ms: u64,
    /// URL of a running Redis server that may be filled [default: start a server and stop it again].
    #[arg(long, value_name = "URL")]
    pub(crate) redis: Option<String>,
    /// Print as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct BenchScaleArgs {
    /// Folder of recorded sites, each with a `manifest.jsonl`; pages are drawn from them.
    #[arg(long, value_name = "DIR")]
    pub(crate) pages: PathBuf,
    /// Number of sites.
    #[arg(long, default_value_t = 8)]
    pub(crate) sites: u64,
    /// Numbers of pages of each site at which is measured.
    #[arg(long, value_name = "NUMBER", value_delimiter = ',', default_values_t = [640, 1_280, 2_560, 5_120, 12_160])]
    pub(crate) sizes: Vec<usize>,
    /// URL of a running Redis server that may be filled [default: start a server and stop it again].
    #[arg(long, value_name = "URL")]
    pub(crate) redis: Option<String>,
    /// Write a plot of the growth.
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
    /// Print as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct BenchEndureArgs {
    /// Seed of the world.
    #[arg(long, default_value_t = 2)]
    pub(crate) world: u64,
    /// Number of sites.
    #[arg(long, default_value_t = 20)]
    pub(crate) sites: usize,
    /// Number of simulated days on which the sites publish.
    #[arg(long, default_value_t = 30)]
    pub(crate) days: u32,
    /// Articles a day of the site that publishes most.
    #[arg(long, value_name = "N", default_value_t = 60)]
    pub(crate) most_a_day: u32,
    /// Simulated days after these, on which the sites publish nothing.
    #[arg(long, value_name = "DAYS", default_value_t = 9)]
    pub(crate) rest: u32,
    /// Simulated hours between two kills.
    #[arg(long, value_name = "HOURS", default_value_t = 6)]
    pub(crate) kill_every: u32,
    /// Folder for both runs, which is kept. It must not exist.
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Only compare the runs that are in the folder of `--out`.
    #[arg(long, requires = "out")]
    pub(crate) compare: bool,
    /// Print as JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// Only follow the sites, in the run of this folder; the command starts itself with this option.
    #[arg(long, value_name = "DIR", hide = true)]
    pub(crate) live: Option<PathBuf>,
    /// Say when this simulated time has come, in milliseconds since 1970, so that the caller kills the process.
    #[arg(long, value_name = "MS", hide = true, requires = "live")]
    pub(crate) say_at: Option<u64>,
}

#[derive(Debug, Args)]
pub(crate) struct BenchFollowArgs {
    /// Seed of the world.
    #[arg(long, default_value_t = 2)]
    pub(crate) world: u64,
    /// Follow several worlds, one after the other: a row for each, their mean and the worst.
    #[arg(long, value_name = "FIRST..=LAST", value_parser = worlds, conflicts_with_all = ["world", "only", "per_site"])]
    pub(crate) worlds: Option<RangeInclusive<u64>>,
    /// Number of sites.
    #[arg(long, default_value_t = 60)]
    pub(crate) sites: usize,
    /// Number of simulated days.
    #[arg(long, default_value_t = 30)]
    pub(crate) days: u32,
    /// Which troubles the sites have: `old` leaves out the short ones of ten minutes to three hours, `all` has them.
    #[arg(long, value_enum, default_value_t = Troubles::Old)]
    pub(crate) troubles: Troubles,
    /// Take a part of the policy away: `all-new-links`, `one-queue`, `no-rests` or `backlog-first`.
    #[arg(long, value_name = "PART", default_value = "policy", hide_default_value = true, value_parser = ablation)]
    pub(crate) without: Ablation,
    /// A row for every site.
    #[arg(long)]
    pub(crate) per_site: bool,
    /// Follow only the site with this host, and print its row as JSON.
    #[arg(long, value_name = "HOST")]
    pub(crate) only: Option<String>,
    /// Print as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Which troubles simulated sites have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Troubles {
    Old,
    All,
}

fn worlds(text: &str) -> Result<RangeInclusive<u64>, String> {
    let range =
        text.split_once("..=").and_then(|(first, last)| Some(first.parse().ok()?..=last.parse().ok()?));
    let range: Option<RangeInclusive<u64>> = range.filter(|range| !range.is_empty());
    range.ok_or_else(|| "write the first and the last world as 14..=20".into())
}

fn ablation(name: &str) -> Result<Ablation, String> {
    let known = || Ablation::ALL.map(Ablation::name).join(", ");
    let found = Ablation::ALL.into_iter().find(|ablation| ablation.name() == name);
    found.ok_or_else(|| format!("use one of {}", known()))
}

#[derive(Debug, Args)]
pub(crate) struct BenchExtractArgs {
    /// Folder of pages.
    #[arg(long, value_name = "DIR", required_unless_present = "peak_of")]
    pub(crate) pages: Option<PathBuf>,
    /// Print as JSON, with one row per page.
    #[arg(long)]
    pub(crate) json: bool,
    /// Print only the memory that this page takes; the command starts itself with this option.
    #[arg(long, hide = true, value_name = "FILE")]
    pub(crate) peak_of: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct BenchHostileArgs {
    /// Print as JSON, one row per page.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct BenchTemplatesArgs {
    /// Folder of pages of one site [default: generated pages].
    #[arg(long, value_name = "DIR")]
    pub(crate) pages: Option<PathBuf>,
    /// Print as JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// Write a plot of time over vertices.
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct BenchMineArgs {
    /// Measure only this store.
    #[arg(long, value_enum)]
    pub(crate) store: Option<BenchStore>,
    /// URL of a running Redis server that may be filled [default: start a server and stop it again].
    #[arg(long, value_name = "URL")]
    pub(crate) redis: Option<String>,
    /// Maximum number of sites to fold [default: 1,000].
    #[arg(long, value_name = "NUMBER")]
    pub(crate) sites: Option<u64>,
    /// Measure only how memory grows over this number of generated pages.
    #[arg(long, value_name = "PAGES")]
    pub(crate) soak: Option<u64>,
    /// Print as JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// Write a plot of the growth of times and memory.
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
    /// Folder of pages [default: generated pages].
    #[arg(long, value_name = "DIR")]
    pub(crate) pages: Option<PathBuf>,
    /// Print as JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// Write a plot of time and memory over leaves.
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
    /// Print only the memory that this method takes for a generated page; the command starts itself with this
    /// option.
    #[arg(long, hide = true, requires = "leaves", value_name = "WAY")]
    pub(crate) peak_of: Option<String>,
    /// Number of leaves of that page.
    #[arg(long, hide = true, value_name = "NUMBER")]
    pub(crate) leaves: Option<usize>,
}

#[derive(Debug, Args)]
pub(crate) struct BenchWorstArgs {
    /// Measure only kinds of pages whose name contains this.
    #[arg(long, value_name = "TEXT")]
    pub(crate) only: Option<String>,
    /// Measure pages with this many times as many parts.
    #[arg(long, value_name = "FACTOR", default_value_t = 1)]
    pub(crate) times: usize,
    /// Measure each kind as a site of 12, 24 and 48 pages, too.
    #[arg(long)]
    pub(crate) sites: bool,
    /// Print as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}
