//! `newslode-newsworld` serves a synthetic world, or recorded sites, on a loopback port until Ctrl-C.

use std::io::Write as _;
use std::net::SocketAddr;
use std::path::PathBuf;

use anyhow::Context as _;
use clap::{Args, Parser, Subcommand};
use newslode_newsworld::{Content, Language, Replay, Server, World, WorldSpec};

/// A synthetic world of overlapping news sites.
#[derive(Parser)]
#[command(version, about)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Serves a generated world.
    Serve {
        #[command(flatten)]
        world: WorldArgs,
        /// Address to listen on; port 0 takes a free one.
        #[arg(long, default_value = "127.0.0.1:0")]
        addr: SocketAddr,
    },
    /// Serves recorded sites: folders with a `manifest.jsonl`.
    Replay {
        /// Folder of one site or of several.
        dir: PathBuf,
        /// Address to listen on; port 0 takes a free one.
        #[arg(long, default_value = "127.0.0.1:0")]
        addr: SocketAddr,
    },
    /// Prints the right answers for a generated world as JSON.
    Gold {
        #[command(flatten)]
        world: WorldArgs,
    },
}

#[derive(Args)]
struct WorldArgs {
    /// Seed of the world.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of sites.
    #[arg(long, default_value_t = 10)]
    sites: usize,
    /// Stories in each section of each site.
    #[arg(long, alias = "articles", default_value_t = 4)]
    stories: usize,
    /// The sites' languages in turn, such as `en,fr,ar`; by default seven in ten sites are English.
    #[arg(long, value_delimiter = ',', value_name = "CODES", value_parser = language)]
    languages: Vec<Language>,
    /// Makes some pages slow, broken or failing at first.
    #[arg(long)]
    faults: bool,
}

fn language(code: &str) -> Result<Language, String> {
    let known = || Language::ALL.map(Language::code).join(", ");
    Language::named(code).ok_or_else(|| format!("use one of {}", known()))
}

impl WorldArgs {
    fn generate(&self) -> World {
        World::generate(&WorldSpec {
            seed: self.seed,
            sites: self.sites,
            languages: self.languages.clone(),
            articles_per_section: self.stories,
            faults: self.faults,
        })
    }
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    match Cli::parse().command {
        Command::Serve { world, addr } => {
            let world = world.generate();
            let seeds = world.seeds();
            serve(world, addr, &seeds).await
        }
        Command::Replay { dir, addr } => {
            let replay = Replay::open(&dir).with_context(|| format!("cannot replay `{}`", dir.display()))?;
            let seeds = replay.seeds().to_vec();
            serve(replay, addr, &seeds).await
        }
        Command::Gold { world } => {
            let mut out = std::io::stdout().lock();
            serde_json::to_writer_pretty(&mut out, world.generate().gold())
                .context("cannot print the gold")?;
            writeln!(out)?;
            Ok(())
        }
    }
}

async fn serve(content: impl Content, addr: SocketAddr, seeds: &[String]) -> anyhow::Result<()> {
    let server = Server::start(content, addr).await.with_context(|| format!("cannot listen on `{addr}`"))?;
    announce(server.addr(), seeds)?;
    tokio::signal::ctrl_c().await.context("cannot wait for Ctrl-C")?;
    server.stop().await;
    Ok(())
}

fn announce(addr: SocketAddr, seeds: &[String]) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "listening on {addr}; Ctrl-C stops")?;
    writeln!(out, "mine it: newslode mine --resolve '*:{addr}' {}", seeds.join(" "))?;
    out.flush()
}
