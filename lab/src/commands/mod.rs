//! The commands, one module each. A command takes its arguments and the configuration, writes data to
//! standard output, and returns an exit code.

mod bench;
mod eval;
mod evidence;
mod probe;
mod reference;

use newslode::exit::Exit;
use newslode::installation::Setup;

use crate::args::Command;

/// Runs a command.
pub(crate) async fn run(command: Command, setup: Setup) -> anyhow::Result<Exit> {
    match command {
        Command::Eval(args) => eval::run(args, &setup).await,
        Command::Bench(args) => bench::run(args, setup.quiet).await,
        Command::Evidence(args) => evidence::run(&args),
        Command::Probe(args) => probe::run(args),
        Command::Reference(args) => reference::run(&args),
    }
}
