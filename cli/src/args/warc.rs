//! Arguments of `warc`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::import::Dates;

#[derive(Debug, Args)]
pub(crate) struct WarcArgs {
    #[command(subcommand)]
    pub(crate) command: WarcCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum WarcCommand {
    /// Publish the pages of web archives to the services' queue of pages, and archive them. A full queue is
    /// waited for. Pages that count already are passed over, so it may be stopped and repeated.
    #[command(
        after_help = "Example:\n  newslode warc feed CC-NEWS-20240501*.warc.gz --config newslode.toml --site example.com"
    )]
    Feed(FeedArgs),
    /// Write the index (CDXJ) of each web archive beside it, as `FILE.cdxj`: replay tools find captures by it. Archives that
    /// Newslode writes have theirs already.
    #[command(after_help = "Example:\n  newslode warc index archives/")]
    Index(IndexArgs),
}

#[derive(Debug, Args)]
pub(crate) struct IndexArgs {
    /// Web archives (WARC or ARC, also gzip and zstd): files, folders with such files, or `@FILE` with a path a line.
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Print the report as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct FeedArgs {
    /// Web archives (WARC or ARC, also gzip and zstd): files, folders with such files, or `@FILE` with a path a line.
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Only the pages of this site; may be repeated.
    #[arg(long, value_name = "SITE")]
    pub(crate) site: Vec<String>,
    #[command(flatten)]
    pub(crate) dates: Dates,
    /// Print the report as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}
