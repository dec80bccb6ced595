//! The commands, one module each. A command takes its arguments and the configuration, writes data to
//! standard output, and returns an exit code.

mod config;
pub(crate) mod dead;
mod demo;
pub(crate) mod explain;
pub(crate) mod export;
mod extract;
mod manual;
mod mine;
mod partition;
pub(crate) mod recall;
mod recompute;
mod report;
mod seed;
mod serve;
mod status;
mod tables;
mod tags;
pub(crate) mod taxonomy;
pub(crate) mod template;
mod terms;
mod unfetched;
mod verify;
mod warc;

use newslode_common::config::Config;

use crate::args::Command;
use crate::exit::Exit;
use crate::reference;

/// Runs a command.
pub(crate) async fn run(command: Command, config: Config, quiet: bool) -> anyhow::Result<Exit> {
    match command {
        Command::Demo(args) => demo::run(args, config, quiet).await,
        Command::Mine(args) => mine::run(args, config, quiet).await,
        Command::Partition(args) => partition::run(args, &config).await,
        Command::Tables(args) => tables::run(args, &config).await,
        Command::Tags(args) => tags::run(args, &config).await,
        Command::Extract(args) => extract::run(args, &config).await,
        Command::Template(args) => template::run(args, &config).await,
        Command::Taxonomy(args) => taxonomy::run(args, &config).await,
        Command::Report(args) => report::run(args, &config).await,
        Command::Terms(args) => terms::run(args, &config).await,
        Command::Export(args) => export::run(args, &config).await,
        Command::Warc(args) => warc::run(args, &config, quiet).await,
        Command::Seed(args) => seed::run(args, &config).await,
        Command::Serve(args) => serve::run(args, &config).await,
        Command::Status(args) => status::run(args, &config).await,
        Command::Explain(args) => explain::run(args, &config).await,
        Command::Recall(args) => recall::run(args, &config).await,
        Command::Dead(args) => dead::run(args, &config).await,
        Command::Verify(args) => verify::run(args, &config, quiet).await,
        Command::Recompute(args) => recompute::run(args, &config, quiet).await,
        Command::Config(args) => config::run(args, &config),
        Command::Completions(args) => manual::completions(&args),
        Command::Man(args) => manual::man(&args),
        Command::Reference(args) => reference::run(&args),
    }
}
