//! What operators of services ask for, and of a run: `seed`, `status`, `dead`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

#[derive(Debug, Args)]
pub(crate) struct SeedArgs {
    #[command(subcommand)]
    pub(crate) command: SeedCommandArg,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SeedCommandArg {
    /// Adds sites, or changes their limits; a paused site goes on.
    Add {
        #[command(flatten)]
        sites: SeedUrls,
        /// Pages of the site at most.
        #[arg(long)]
        max_pages: Option<u64>,
        /// Links away from the seed at most.
        #[arg(long)]
        depth: Option<u32>,
        /// Least milliseconds between two requests.
        #[arg(long, value_name = "MS")]
        delay: Option<u64>,
    },
    /// Forgets sites and what they contributed.
    Remove(SeedUrls),
    /// Stops fetching from sites.
    Pause(SeedUrls),
    /// Lists the sites.
    List {
        /// Folder of a run; left out: the services' store.
        #[arg(long)]
        dir: Option<PathBuf>,
        /// Print as JSON.
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Args)]
pub(crate) struct SeedUrls {
    /// One page of each site.
    #[arg(value_name = "URL", required = true)]
    pub(crate) urls: Vec<String>,
    /// Folder of a run; left out: over the broker, to the running services.
    #[arg(long)]
    pub(crate) dir: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct StatusArgs {
    /// Folder of the run; left out: the services' store and broker.
    pub(crate) dir: Option<PathBuf>,
    /// Look again every two seconds, with rates, until Ctrl-C; with `--json` a line each.
    #[arg(long)]
    pub(crate) watch: bool,
    /// Print as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum QueueArg {
    Seeds,
    Pages,
    Partitions,
}

#[derive(Debug, Args)]
pub(crate) struct DeadArgs {
    #[command(subcommand)]
    pub(crate) command: DeadCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum DeadCommand {
    /// Lists the dead letters of a queue: who, when, why, what.
    List {
        #[arg(value_enum)]
        queue: QueueArg,
        /// Print as JSON.
        #[arg(long)]
        json: bool,
    },
    /// Shows one dead letter.
    Show {
        #[arg(value_enum)]
        queue: QueueArg,
        id: String,
    },
    /// Puts dead letters back into their queue; no id: all.
    Replay {
        #[arg(value_enum)]
        queue: QueueArg,
        ids: Vec<String>,
    },
    /// Forgets dead letters; no id: needs --all.
    Drop {
        #[arg(value_enum)]
        queue: QueueArg,
        ids: Vec<String>,
        /// Forget all of them.
        #[arg(long)]
        all: bool,
    },
}
