//! Defines the command line; help, completions and manual come from here.

mod correct;
#[cfg(test)]
mod documented;
pub(crate) mod help;
mod manual;
mod outputs;
mod pages;
mod serve;
mod services;
mod template;
mod warc;

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use newslode_common::config::ResolveRule;

pub(crate) use self::correct::*;
pub(crate) use self::manual::*;
pub(crate) use self::outputs::*;
pub(crate) use self::pages::*;
pub(crate) use self::serve::*;
pub(crate) use self::services::*;
pub(crate) use self::template::*;
pub(crate) use self::warc::*;
use crate::demo::WorldArgs;
use crate::import::Dates;
use crate::installation::{DirArgs, RunArgs, SchemeArgs};
use crate::program::CommonArgs;

/// Turn news sites into a taxonomy of the concepts they share, filed articles, and page hierarchies.
#[derive(Debug, Parser)]
#[command(name = "newslode", version, propagate_version = true, max_term_width = 100)]
#[command(
    after_help = "Start here:\n  newslode demo\n  newslode mine https://www.example.com --out run --contact you@example.org"
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Mine a synthetic news web on loopback and score the result (takes half a minute).
    #[command(after_help = "Example:\n  newslode demo --sites 8 --out /tmp/demo")]
    Demo(DemoArgs),
    /// Crawl, partition and mine sites; continue the run if the folder holds one.
    #[command(
        after_help = "Example:\n  newslode mine https://www.example.com https://news.example.org --out run --max-pages 200 --contact you@example.org\n\nStop it with Ctrl-C at any moment and run the same command again: it continues where it stopped.\n\nRead what the sites published in a quarter, too, from their sitemaps, archives and lists:\n  newslode mine https://www.example.com --out run --since 2024-04-01 --until 2024-06-30 --max-pages 5000\n\nMine the pages of web archives instead, without any network:\n  newslode mine --warc CC-NEWS-20240501.warc.gz --out run --site example.com\n  newslode mine --warc archives/ --out run --since 2024-05-01"
    )]
    Mine(MineArgs),
    /// Follow sites until it is stopped: crawl and mine them, and serve the console.
    #[command(
        after_help = "Example:\n  newslode watch https://www.example.com https://news.example.org --out run --contact you@example.org\n  newslode watch --seeds sites.txt --out run --addr 127.0.0.1:8080 --contact you@example.org\n  newslode watch --out run --contact you@example.org   (goes on with the sites of the folder)\n\nStop it with Ctrl-C or SIGTERM at any moment. Other commands may read the folder meanwhile: newslode status --dir run"
    )]
    Watch(Box<WatchArgs>),
    /// Show the hierarchy of pages.
    #[command(
        after_help = "Example:\n  newslode partition page.html --format xml\n  newslode partition page.html --site pages/ --format svg > page.svg\n  newslode partition page.html --site pages/ --tags --format xml\n  curl -s https://www.example.com | newslode partition - --url https://www.example.com/"
    )]
    Partition(PartitionArgs),
    /// Show the data tables of pages with their orientation and records.
    #[command(
        after_help = "Example:\n  newslode tables page.html\n  newslode tables pages/ --format csv > cells.csv"
    )]
    Tables(TablesArgs),
    /// Show what each text of a page is: concept, attribute, value or none.
    #[command(
        after_help = "Example:\n  newslode tags page.html\n  newslode tags people/ --format json > tags.jsonl\n\nLetters: C says what the page is about, A names an attribute, V is a value, N is none of these (menus, footers).\n\nPages of one site are read together; from three on they show which texts recur and which vary. Files without a URL count as pages of one site: give a --manifest, or read them --alone, if they are not."
    )]
    Tags(TagsArgs),
    /// Extract articles from pages, one JSON object per line.
    #[command(after_help = "Example:\n  newslode extract pages/ --format text")]
    Extract(ExtractArgs),
    /// Teach a site by correcting one page; list, show, explain or forget what was learnt.
    #[command(
        after_help = "Example:\n  newslode template teach example.com --page page.html --body right.txt --dir run\n  newslode template explain example.com --dir run --format svg > template.svg"
    )]
    Template(TemplateArgs),
    /// Print the taxonomy of a run.
    #[command(
        after_help = "Example:\n  newslode taxonomy --dir run --explain sports\n  newslode taxonomy --dir run --schemes\n  newslode taxonomy --dir run --schemes --scheme medtop.ttl"
    )]
    Taxonomy(TaxonomyArgs),
    /// Correct the taxonomy: hide, rename, merge, split and move concepts.
    #[command(
        after_help = "Example:\n  newslode correct hide Video --dir run --preview\n  newslode correct merge Movies Film --note \"one thing\" --dir run\n  newslode correct under Tennis Sport --config newslode.toml   (the services' store)\n  newslode correct list --dir run\n  newslode correct export --dir run --to corrections.json\n\nCorrections are kept apart from what was mined, over later folds and updates, and can be undone. They apply at once."
    )]
    Correct(CorrectArgs),
    /// Write a run as one HTML file: taxonomy, articles, sites, drawings of front pages.
    #[command(
        after_help = "Example:\n  newslode report --dir run\n  newslode report --out today.html --config newslode.toml   (the services' store and archive)"
    )]
    Report(ReportArgs),
    /// Serve a console for a run: taxonomy, articles with search, sites, and a JSON API.
    #[command(
        after_help = "Example:\n  newslode serve --dir run\n  newslode serve --addr 127.0.0.1:9000 --config newslode.toml   (the services' store and archive)\n  newslode serve --dir run --host console.example.org --trusted-proxy 127.0.0.1   (behind a proxy)\n\nWho can reach its address can read everything that was mined, unless --require-token asks for a token. Who has a token that may write, or signs in with the one-time address of the start, can change seeds, dead letters and articles."
    )]
    Serve(Box<ServeArgs>),
    /// Make, list or revoke tokens for the console.
    #[command(
        after_help = "Example:\n  newslode token add ann --role write --expires 90 --dir run\n  newslode token list --dir run\n  newslode token revoke ann --config newslode.toml   (the services' consoles)\n\nRunning consoles take a change within seconds. Only hashes of tokens are kept."
    )]
    Token(TokenArgs),
    /// Show which terms a site repeats on every page, and which distinguish its pages.
    #[command(
        after_help = "Example:\n  newslode terms example.com --dir run --limit 30\n  newslode terms example.com --config newslode.toml   (the services' store)"
    )]
    Terms(TermsArgs),
    /// Export the articles, instances, hierarchies, ontology or pages of a run.
    #[command(
        after_help = "Example:\n  newslode export articles --dir run > articles.jsonl\n  newslode export articles --dir run --history\n  newslode export articles --dir run --filter site=example.com --filter from=7d\n  newslode export articles --dir run --format csv --to articles.csv\n  newslode export articles --dir run --format parquet --to articles.parquet\n  newslode export pages --dir run --format warc --to pages.warc.gz\n  newslode export pages --dir run --format wacz --to pages.wacz"
    )]
    Export(ExportArgs),
    /// Feed pages of web archives (WARC) to the services, or index web archives.
    #[command(
        after_help = "Example:\n  newslode warc feed CC-NEWS-20240501*.warc.gz --config newslode.toml --site example.com\n  newslode warc index archives/"
    )]
    Warc(WarcArgs),
    /// Add, remove, pause or list seed sites, or forget a page.
    #[command(
        after_help = "Example:\n  newslode seed add https://www.example.com --max-pages 500 --config newslode.toml\n  newslode seed forget https://www.example.com/2026/a-story\n  newslode seed list --dir run"
    )]
    Seed(SeedArgs),
    /// Show sites, pages by outcome, and queues.
    #[command(
        after_help = "Example:\n  newslode status --dir run\n  newslode status --config newslode.toml   (the services' store and broker)"
    )]
    Status(StatusArgs),
    /// Explain what is known about a page or a site, and when it is fetched next.
    #[command(
        after_help = "Example:\n  newslode explain https://www.example.com/story --dir run\n  newslode explain example.com --config newslode.toml   (the services' store)"
    )]
    Explain(ExplainArgs),
    /// Show how much of what sites published was read, and why the rest was missed.
    #[command(
        after_help = "Example:\n  newslode recall --dir run\n  newslode recall example.com --days 14 --config newslode.toml   (the services' store)"
    )]
    Recall(RecallArgs),
    /// List, show, replay or drop dead letters of the services' queues.
    #[command(
        after_help = "Example:\n  newslode dead list pages --config newslode.toml\n  newslode dead replay pages --config newslode.toml"
    )]
    Dead(DeadArgs),
    /// Prove the mined state from the archive, and check articles, histories and files.
    #[command(
        after_help = "Example:\n  newslode verify --dir run\n  newslode verify --config newslode.toml   (the services' store and archive)"
    )]
    Verify(VerifyArgs),
    /// Copy a run to another folder, also while a process works on it.
    #[command(
        after_help = "Example:\n  newslode backup run backup\n  newslode verify --dir backup\n\nThe copy holds the state at one time, and the tokens, the audit log and the followed list of the console. It is a run: stop what works on the old one, and go on with the copy instead. Articles, ontology and report are written again by the next `newslode mine` or `newslode watch`. While the copy is made, the file of a run that is written grows."
    )]
    Backup(BackupArgs),
    /// Make the file of a run as small as what it holds
    #[command(
        after_help = "Example:\n  newslode compact run\n\nWhat is removed from a run leaves room inside its file, which is used again; only this gives all of it back to the disk. No process may have the run open meanwhile: stop newslode watch and the console. It takes some seconds for each GB that is in use, and needs no room on the disk."
    )]
    Compact(CompactArgs),
    /// Recover a run that was damaged: its file, its sums, the histories of its articles.
    #[command(
        after_help = "Example:\n  newslode repair --dir run\n  newslode repair --config newslode.toml   (the services' store and archive)\n\nA damaged file is moved aside, never changed. What the archive holds is counted again from it; what it lost is fetched again by the next `newslode mine`. Stop whatever works on the run first."
    )]
    Repair(RepairArgs),
    /// Recount pages after an update; `mine` and the services do so by themselves.
    #[command(
        after_help = "Example:\n  newslode recompute --dir run\n  newslode recompute --config newslode.toml   (the services' store and archive)"
    )]
    Recompute(RecomputeArgs),
    /// Write a configuration, seeds and a token for `watch`, and a unit or compose file.
    #[command(
        after_help = "Example:\n  newslode init monitor --contact you@example.org\n  newslode init monitor --contact you@example.org --compose\n  sudo newslode init /etc/newslode --contact you@example.org --systemd\n\nIt prints the commands that come next. Files that exist are kept. Run it again with --systemd or --compose to add such a file."
    )]
    Init(InitArgs),
    /// Show, check or describe the configuration.
    #[command(after_help = "Example:\n  newslode config check --config newslode.toml")]
    Config(ConfigArgs),
    /// Print a script that completes commands and options in a shell.
    #[command(
        after_help = "Example:\n  newslode completions bash > ~/.local/share/bash-completion/completions/newslode\n  newslode completions zsh > ~/.zfunc/_newslode"
    )]
    Completions(CompletionsArgs),
    /// Print the manual page, or write the pages of all commands to a folder.
    #[command(
        after_help = "Example:\n  newslode man --to ~/.local/share/man/man1\n  newslode man | man -l -"
    )]
    Man(ManArgs),
    /// Write the reference of the documents: commands, configuration, metrics, messages, the schema of articles.
    #[command(hide = true, after_help = "Example:\n  newslode reference docs/reference")]
    Reference(ReferenceArgs),
}

#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    #[command(flatten)]
    pub(crate) world: WorldArgs,
    /// Folder of the run.
    #[arg(long, visible_alias = "dir", value_name = "DIR", default_value = "newslode-demo")]
    pub(crate) out: PathBuf,
    /// Day on which the news ends [default: today].
    #[arg(long, value_name = "DATE")]
    pub(crate) last_day: Option<jiff::civil::Date>,
    /// Print the figures as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FollowArg {
    /// Visit front pages, sections, feeds and sitemaps, and fetch every article that they show; run it again to fetch new ones.
    News,
    /// Follow links labelled with concepts, then the instances that those pages list.
    Concepts,
    /// Follow every link inside the site.
    All,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Keep {
    /// The hierarchy of each page, as an XML file.
    Hierarchies,
}

/// How sites are crawled and mined.
#[derive(Debug, Default, Args)]
pub(crate) struct CrawlArgs {
    /// Maximum number of new pages per site within a day [default: 1000 with `mine`, 10000 with `watch`].
    #[arg(long)]
    pub(crate) max_pages: Option<u64>,
    /// Maximum number of links from the seed to a page.
    #[arg(long)]
    pub(crate) depth: Option<u32>,
    /// Minimum milliseconds between the starts of two requests to a site.
    #[arg(long, value_name = "MS")]
    pub(crate) delay: Option<u64>,
    /// Number of sites that must show a label to make it frequent; 0 derives it from the number of sites.
    #[arg(long)]
    pub(crate) support: Option<u32>,
    /// Days that a page counts after it was fetched; 0 means forever.
    #[arg(long, value_name = "DAYS")]
    pub(crate) window_days: Option<u32>,
    /// Where sites can reach you: a URL or mail address, sent in the crawler's name.
    #[arg(long, value_name = "URL|MAIL")]
    pub(crate) contact: Option<String>,
    /// Also fetch from private, loopback and other reserved addresses.
    #[arg(long)]
    pub(crate) allow_private: bool,
    /// Connect to this address instead of asking DNS (`*` for any host); may be repeated.
    #[arg(long, value_name = "HOST:ADDRESS:PORT")]
    pub(crate) resolve: Vec<ResolveRule>,
    /// Maximum number of concurrent fetches.
    #[arg(long)]
    pub(crate) workers: Option<usize>,
    #[command(flatten)]
    pub(crate) schemes: SchemeArgs,
}

#[derive(Debug, Args)]
pub(crate) struct WatchArgs {
    /// Pages to start from, one per site. Without any, the run goes on with the sites that it has.
    #[arg(value_name = "URL")]
    pub(crate) urls: Vec<String>,
    /// File with one URL per line; lines that start with `#` are skipped. It is read again when it changes: sites of new lines
    /// are added, those of removed lines are paused and keep their data.
    #[arg(long, value_name = "FILE")]
    pub(crate) seeds: Option<PathBuf>,
    /// Folder of the run: state, articles, ontology.
    #[arg(long, visible_alias = "dir", value_name = "DIR", default_value = crate::engine::DEFAULT_FOLDER)]
    pub(crate) out: PathBuf,
    #[command(flatten)]
    pub(crate) crawl: CrawlArgs,
    #[command(flatten)]
    pub(crate) console: ConsoleArgs,
}

#[derive(Debug, Args)]
pub(crate) struct MineArgs {
    /// Pages to start from, one per site.
    #[arg(value_name = "URL")]
    pub(crate) urls: Vec<String>,
    /// File with one URL per line; lines that start with `#` are skipped.
    #[arg(long, value_name = "FILE")]
    pub(crate) seeds: Option<PathBuf>,
    /// Mine the pages of these web archives (WARC or ARC, also gzip and zstd) instead of crawling: files, folders with such
    /// files, or `@FILE` with a path a line. Nothing is fetched; pages count from the day of their capture, and of several
    /// captures the newest counts.
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["urls", "seeds"])]
    pub(crate) warc: Vec<PathBuf>,
    /// Of the archives, mine only the pages of this site; may be repeated.
    #[arg(long, value_name = "SITE", requires = "warc")]
    pub(crate) site: Vec<String>,
    #[command(flatten)]
    pub(crate) dates: Dates,
    /// Folder of the run: state, articles, ontology.
    #[arg(long, visible_alias = "dir", value_name = "DIR", default_value = crate::engine::DEFAULT_FOLDER)]
    pub(crate) out: PathBuf,
    /// Which links of a site to follow.
    #[arg(long, value_enum)]
    pub(crate) follow: Option<FollowArg>,
    /// Also write these files; may be repeated.
    #[arg(long, value_enum)]
    pub(crate) keep: Vec<Keep>,
    #[command(flatten)]
    pub(crate) crawl: CrawlArgs,
    /// Serve /metrics and /health at this address during the run.
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub(crate) admin: Option<SocketAddr>,
    /// Print the summary as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// URL of a page, or name of a site.
    #[arg(value_name = "URL|SITE")]
    pub(crate) target: String,
    #[command(flatten)]
    pub(crate) run: RunArgs,
    /// Print as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RecallArgs {
    /// Name of a site [default: all sites].
    pub(crate) site: Option<String>,
    #[command(flatten)]
    pub(crate) run: DirArgs,
    /// Number of days, the last one today.
    #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..=28))]
    pub(crate) days: u32,
    /// Print as JSON, an object a site and day.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    #[command(flatten)]
    pub(crate) run: RunArgs,
    /// Print the report as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct BackupArgs {
    /// Folder of the run.
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// Folder of the copy: one that does not exist yet, or an empty one.
    pub(crate) to: PathBuf,
    /// Print the report as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CompactArgs {
    /// Folder of the run.
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// Print the report as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RepairArgs {
    #[command(flatten)]
    pub(crate) run: RunArgs,
    /// Print the report as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RecomputeArgs {
    #[command(flatten)]
    pub(crate) run: RunArgs,
    /// Print the result as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    /// Folder to write to; it is made if there is none.
    #[arg(value_name = "DIR", default_value = ".")]
    pub(crate) folder: PathBuf,
    /// Where sites can reach you: a URL or mail address, which the configuration gets.
    #[arg(long, value_name = "URL|MAIL")]
    pub(crate) contact: Option<String>,
    /// Also write newslode.service, a unit for systemd. It expects the other files in /etc/newslode.
    #[arg(long)]
    pub(crate) systemd: bool,
    /// Also write compose.yaml, for one container of Docker or Podman.
    #[arg(long)]
    pub(crate) compose: bool,
    /// Replace files that exist, and keep each as NAME.old.
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ConfigArgs {
    #[command(subcommand)]
    pub(crate) command: ConfigCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Print the configuration in force; secrets are hidden.
    Show {
        /// Print as JSON instead of TOML.
        #[arg(long)]
        json: bool,
    },
    /// Check whether the configuration is valid.
    Check,
    /// Print the JSON Schema of the configuration.
    Schema,
}
