//! The embedded engine, and every command of the program `newslode`, which is [`main()`] and nothing else.
//!
//! The public interface is what the project's other programs need: the lab, which measures accuracy and speed, and the
//! examples in `cli/examples`, where users of the library start.
//!
//! | question | module |
//! |---|---|
//! | how does a program start, report errors and end? | [`program`], [`exit`], [`out`], [`progress`] |
//! | how is a run mined on this machine? | [`engine`] |
//! | how do commands change a run that another process holds? | `control`, `teaching`, `correcting` |
//! | how is a run, or the services' store, opened and read? | [`installation`], [`queries`] |
//! | how are pages read from files, with which parameters? | [`input`], [`params`], [`site`] |
//! | how are saved pages mined? | [`import`], then [`engine`] |
//! | how right is a run of the synthetic world? | [`demo`] |
//! | how is a command line described in a page? | [`mod@reference`] |
//!
//! Inside, dependencies point one way: `commands/` parses arguments (`args/`) and prints, `console/` serves pages and a JSON
//! API, and both ask [`queries`], which knows neither. A test of `tests/tidy` finds cycles between files.

mod args;
mod commands;
mod console;
mod control;
mod correcting;
mod csv;
pub mod demo;
#[doc(hidden)]
pub mod documented;
pub mod engine;
pub mod exit;
mod filter;
mod html;
pub mod import;
pub mod input;
pub mod installation;
mod notify;
pub mod out;
mod outcomes;
mod outputs;
pub mod params;
pub mod program;
pub mod progress;
pub mod queries;
pub mod reference;
mod report;
mod seconds;
mod services;
pub mod site;
mod teaching;
mod zone;

use std::process::ExitCode;

use clap::FromArgMatches as _;

/// What the fuzz targets ask of the console; no part of the interface.
#[doc(hidden)]
pub use console::fuzzed;

/// The command line of `newslode`, for tests that try all of it; no part of the interface.
#[doc(hidden)]
#[must_use]
pub fn command_line() -> clap::Command {
    let mut program = args::help::program();
    program.build();
    program
}

/// The program `newslode`: reads the command line, runs the command, and returns its exit code.
#[must_use]
pub fn main() -> ExitCode {
    let parsed = args::help::program().try_get_matches();
    match parsed.and_then(|parsed| args::Cli::from_arg_matches(&parsed)) {
        Ok(args::Cli { command, common }) => program::run(&common, |setup| commands::run(command, setup)),
        Err(error) => program::answer_usage(&error),
    }
}
