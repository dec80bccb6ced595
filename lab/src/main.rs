//! `newslode-lab`: measures how right and how fast Newslode is. It is not shipped.
//!
//! - `eval/` scores hierarchies, tables, tags, articles, blocks, taxonomies and filing on labelled data and on the
//!   synthetic world.
//! - `bench/` measures speed, memory and growth on this machine, as ratios.
//! - `commands/` parses what `args/` defines, asks those two, and prints.

mod args;
mod bench;
mod commands;
mod eval;

use std::process::ExitCode;

use clap::Parser as _;
use newslode::program;

fn main() -> ExitCode {
    let args::Cli { command, common } = args::Cli::parse();
    program::run(&common, |setup| commands::run(command, setup))
}
