//! Arguments of the commands for operators: `seed`, `status`, `dead`.

use clap::{Args, Subcommand, ValueEnum};

use crate::installation::{DirArgs, RunArgs};

#[derive(Debug, Args)]
pub(crate) struct SeedArgs {
    #[command(subcommand)]
    pub(crate) command: SeedCommandArg,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SeedCommandArg {
    /// Add sites or change their limits; resume paused sites.
    Add {
        #[command(flatten)]
        sites: SeedUrls,
        /// Maximum number of pages per site.
        #[arg(long)]
        max_pages: Option<u64>,
        /// Maximum number of links from the seed to a page.
        #[arg(long)]
        depth: Option<u32>,
        /// Minimum milliseconds between the starts of two requests to a site.
        #[arg(long, value_name = "MS")]
        delay: Option<u64>,
        /// First day of the sites' past that is read besides their news, such as 2024-04-01 (UTC).
        #[arg(long, value_name = "DATE")]
        since: Option<String>,
        /// Last day of that past [default: today].
        #[arg(long, value_name = "DATE", requires = "since")]
        until: Option<String>,
    },
    /// Remove sites and everything they contributed.
    Remove(SeedUrls),
    /// Stop fetching from sites.
    Pause(SeedUrls),
    /// Forget pages: what is known of them, what they count for, their archived copies. What a listing shows again is
    /// fetched again.
    Forget(SeedUrls),
    /// List the sites.
    List {
        #[command(flatten)]
        run: DirArgs,
        /// Print as JSON.
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Args)]
pub(crate) struct SeedUrls {
    /// One page of each site, or the pages to forget.
    #[arg(value_name = "URL", required = true)]
    pub(crate) urls: Vec<String>,
    #[command(flatten)]
    pub(crate) run: DirArgs,
}

#[derive(Debug, Args)]
pub(crate) struct StatusArgs {
    #[command(flatten)]
    pub(crate) run: RunArgs,
    /// Refresh every two seconds, with rates, until Ctrl-C; with `--json` print one line each time.
    #[arg(long)]
    pub(crate) watch: bool,
    /// Print as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum QueueArg {
    Seeds,
    Removals,
    Pages,
    Partitions,
    Gone,
}

#[derive(Debug, Args)]
pub(crate) struct DeadArgs {
    #[command(subcommand)]
    pub(crate) command: DeadCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum DeadCommand {
    /// List the dead letters of a queue: service, time, reason, body.
    List {
        #[arg(value_enum)]
        queue: QueueArg,
        /// Print as JSON.
        #[arg(long)]
        json: bool,
    },
    /// Show one dead letter.
    Show {
        #[arg(value_enum)]
        queue: QueueArg,
        /// Its id, as the list shows it.
        id: String,
        /// Print as JSON.
        #[arg(long)]
        json: bool,
    },
    /// Put dead letters back into their queue; without ids, put back all of them.
    Replay {
        #[arg(value_enum)]
        queue: QueueArg,
        ids: Vec<String>,
    },
    /// Delete dead letters, by id or with --all.
    Drop {
        #[arg(value_enum)]
        queue: QueueArg,
        ids: Vec<String>,
        /// Delete all dead letters of the queue.
        #[arg(long)]
        all: bool,
    },
}
