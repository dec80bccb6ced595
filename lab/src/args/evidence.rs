//! Arguments of `evidence` and `probe`, which print what is found on pages.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

#[derive(Debug, Args)]
pub(crate) struct EvidenceArgs {
    /// What is learnt from the measures.
    #[arg(value_enum)]
    pub(crate) of: Learnt,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Learnt {
    /// Bodies of articles: a line of the input is a page's URL (or nothing), a tab and its file.
    Bodies,
    /// Titles of articles, of the same lines.
    Titles,
    /// Authors of articles, of the same lines.
    Authors,
    /// Days of articles, of the same lines.
    Days,
    /// Which pages are articles, of the same lines.
    Kinds,
    /// Where blocks begin: a line is a file.
    Blocks,
    /// Which label heads which: a line is a file. Numbers are binary.
    Heads,
    /// Which tables hold data: a line is a file.
    Tables,
    /// Which labels are concepts: the first line is a JSON list of `[site, URL, file]`, the others are lists of sites.
    Concepts,
}

#[derive(Debug, Args)]
pub(crate) struct ProbeArgs {
    #[command(subcommand)]
    pub(crate) command: ProbeCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ProbeCommand {
    /// Print the leaves of pages: number, path of tags, text.
    #[command(after_help = "Example:\n  newslode-lab probe leaves page.html")]
    Leaves {
        /// Read pages without a byte order mark and `<meta>` as windows-1252, as parsers without a detector do.
        #[arg(long = "windows-1252")]
        windows_1252: bool,
        /// Files.
        #[arg(required = true, value_name = "PAGE")]
        pages: Vec<PathBuf>,
    },
    /// Print what kind of page each page is. A line of the input is its URL (or nothing), a tab and its file.
    #[command(after_help = "Example:\n  newslode-lab probe page-kinds < PAGES")]
    PageKinds,
    /// Check that the fast dynamic program finds the tree of the plain one, to the bit, on a folder of pages.
    #[command(after_help = "Example:\n  newslode-lab probe same FOLDER")]
    Same {
        /// Folder of `*.html` files.
        #[arg(value_name = "FOLDER")]
        folder: PathBuf,
        /// Most leaves of a scope that is compared; the plain program takes seconds for the default.
        #[arg(long, value_name = "LEAVES", default_value_t = 600)]
        most: usize,
    },
}
