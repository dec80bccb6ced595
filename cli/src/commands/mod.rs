//! The commands, one module each. A command takes its arguments and the configuration, writes data to
//! standard output, and returns an exit code.

mod backup;
mod compact;
mod config;
mod correct;
pub(crate) mod dead;
mod demo;
pub(crate) mod explain;
pub(crate) mod export;
mod extract;
mod init;
mod manual;
mod mine;
mod partition;
pub(crate) mod recall;
mod recompute;
mod repair;
mod report;
mod seed;
mod serve;
mod status;
mod tables;
mod tags;
pub(crate) mod taxonomy;
pub(crate) mod template;
mod terms;
mod token;
mod unfetched;
mod verify;
mod warc;
mod watch;

use crate::args::Command;
use crate::exit::Exit;
use crate::installation::Setup;
use crate::reference;

/// Runs a command.
pub(crate) async fn run(command: Command, setup: Setup) -> anyhow::Result<Exit> {
    match command {
        Command::Demo(args) => demo::run(args, setup).await,
        Command::Mine(args) => mine::run(args, setup).await,
        Command::Watch(args) => watch::run(*args, setup).await,
        Command::Partition(args) => partition::run(args, &setup.config).await,
        Command::Tables(args) => tables::run(args, &setup.config).await,
        Command::Tags(args) => tags::run(args, &setup.config).await,
        Command::Extract(args) => extract::run(args, &setup).await,
        Command::Template(args) => template::run(args, &setup).await,
        Command::Taxonomy(args) => taxonomy::run(args, &setup).await,
        Command::Correct(args) => correct::run(args, &setup).await,
        Command::Report(args) => report::run(args, &setup).await,
        Command::Terms(args) => terms::run(args, &setup).await,
        Command::Export(args) => export::run(args, &setup).await,
        Command::Warc(args) => warc::run(args, &setup).await,
        Command::Seed(args) => seed::run(args, &setup).await,
        Command::Serve(args) => serve::run(*args, &setup).await,
        Command::Token(args) => token::run(args, &setup).await,
        Command::Status(args) => status::run(args, &setup).await,
        Command::Explain(args) => explain::run(args, &setup).await,
        Command::Recall(args) => recall::run(args, &setup).await,
        Command::Dead(args) => dead::run(args, &setup).await,
        Command::Backup(args) => backup::run(args, &setup).await,
        Command::Compact(args) => compact::run(args).await,
        Command::Verify(args) => verify::run(args, &setup).await,
        Command::Repair(args) => repair::run(args, setup).await,
        Command::Recompute(args) => recompute::run(args, &setup).await,
        Command::Init(args) => init::run(&args),
        Command::Config(args) => config::run(args, &setup),
        Command::Completions(args) => manual::completions(&args),
        Command::Man(args) => manual::man(&args),
        Command::Reference(args) => reference::run(&args),
    }
}
