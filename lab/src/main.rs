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
    match args::Cli::try_parse() {
        Ok(args::Cli { command, common }) => program::run(&common, |setup| commands::run(command, setup)),
        Err(error) => program::answer_usage(&error),
    }
}
