//! Defines the command line; help and reference come from here.

mod bench;
#[cfg(test)]
mod documented;
mod eval;
mod evidence;
mod instances;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use newslode::program::CommonArgs;

pub(crate) use self::bench::*;
pub(crate) use self::eval::*;
pub(crate) use self::evidence::*;
pub(crate) use self::instances::*;

/// Measure how right and how fast Newslode is, on labelled data, on synthetic worlds and on this machine.
#[derive(Debug, Parser)]
#[command(name = "newslode-lab", version, propagate_version = true, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Measure accuracy on labelled data.
    #[command(
        after_help = "Example:\n  newslode-lab eval hierarchy --pages homes --gold hierarchy --per-page"
    )]
    Eval(EvalArgs),
    /// Measure speed and memory on this machine, as ratios.
    #[command(after_help = "Example:\n  newslode-lab bench partition --pages homes --svg growth.svg")]
    Bench(BenchArgs),
    /// Print what is measured of pages, for the scripts in `page/train` that learn from it.
    #[command(after_help = "Example:\n  newslode-lab evidence blocks < FILES")]
    Evidence(EvidenceArgs),
    /// Print or check one thing about some pages.
    #[command(after_help = "Example:\n  newslode-lab probe leaves page.html")]
    Probe(ProbeArgs),
    /// Write the reference of the lab's commands.
    #[command(hide = true, after_help = "Example:\n  newslode-lab reference docs/reference/lab.md")]
    Reference(ReferenceArgs),
}

#[derive(Debug, Args)]
pub(crate) struct ReferenceArgs {
    /// File to write.
    pub(crate) file: PathBuf,
}
