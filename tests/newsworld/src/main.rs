//! `newslode-newsworld` serves a synthetic world, or recorded sites, on a loopback port until Ctrl-C.

#![allow(clippy::disallowed_methods, reason = "a made world says nothing hostile")]

use std::io::Write as _;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::Context as _;
use clap::{Args, Parser, Subcommand};
use newslode_newsworld::archived::{ArchivedSite, Lists};
use newslode_newsworld::living::{Answer, Ask, LivingSpec, LivingWorld, clock};
use newslode_newsworld::placed::{PlacedSpec, PlacedWorld};
use newslode_newsworld::{Content, Language, Replay, Reply, Server, World, WorldSpec};

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
    /// Serves a site with two years of archives.
    Archived {
        /// Ways of listing the past that it has not.
        #[arg(long, value_enum)]
        without: Vec<Way>,
        /// Address to listen on; port 0 takes a free one.
        #[arg(long, default_value = "127.0.0.1:0")]
        addr: SocketAddr,
    },
    /// Prints the right answers for a generated world as JSON.
    Gold {
        #[command(flatten)]
        world: WorldArgs,
    },
    /// Shows a world that lives: a line for each site, or one of its pages at some time; or serves it.
    Living(LivingArgs),
}

/// A way of listing the past.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Way {
    /// Sitemaps by month.
    Maps,
    /// Archives by month.
    Months,
    /// Further pages of sections.
    Sections,
}

#[derive(Args)]
struct LivingArgs {
    /// Everything follows from it.
    #[arg(long, default_value_t = 1)]
    world: u64,
    /// Number of sites.
    #[arg(long, default_value_t = 60)]
    sites: usize,
    /// Days from day 0 to the end.
    #[arg(long, default_value_t = 30)]
    days: u32,
    /// Give the sites short troubles as well.
    #[arg(long)]
    mishaps: bool,
    /// Print this page instead.
    #[arg(long, value_name = "URL")]
    page: Option<url::Url>,
    /// When the page is asked for, or the server starts, in days since day 0 began.
    #[arg(long, value_name = "DAYS", default_value_t = 0.0)]
    at: f64,
    /// Serve the world on this address instead. Its time goes on as the machine's does; give the program that reads it the time that is printed,
    /// by libfaketime.
    #[arg(long, conflicts_with = "page")]
    addr: Option<SocketAddr>,
}

/// A living world at a time that goes on.
struct Going {
    world: LivingWorld,
    from_ms: u64,
    since: Instant,
}

impl Content for Going {
    fn respond(&self, host: &str, path_and_query: &str) -> Reply {
        let now_ms = self.from_ms.saturating_add(self.since.elapsed().as_millis() as u64);
        match self.world.answer(&Ask::plain(host, path_and_query), now_ms.min(self.world.end())) {
            Answer::Reply(reply) => reply,
            // Longer than a client waits.
            Answer::Timeout => {
                Reply { delay: Duration::from_secs(60), ..Reply::ok("text/plain", Vec::new()) }
            }
        }
    }
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
    #[arg(long, value_delimiter = ',', value_name = "CODES")]
    languages: Vec<Language>,
    /// Makes some pages slow, broken or failing at first.
    #[arg(long)]
    faults: bool,
    /// Sites that name the sections and tags of their articles, each in a way of its own, or have none; all are English.
    #[arg(long, conflicts_with_all = ["languages", "faults"])]
    placed: bool,
}

impl WorldArgs {
    fn generate_placed(&self) -> PlacedWorld {
        PlacedWorld::generate(&PlacedSpec { seed: self.seed, sites: self.sites, stories: self.stories })
    }

    fn generate(&self) -> World {
        World::generate(&WorldSpec {
            seed: self.seed,
            sites: self.sites,
            languages: self.languages.clone(),
            articles_per_section: self.stories,
            faults: self.faults,
            ends: None,
        })
    }
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    match Cli::parse().command {
        Command::Serve { world, addr } if world.placed => {
            let world = world.generate_placed();
            let seeds = world.seeds();
            serve(world, addr, &seeds).await
        }
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
        Command::Archived { without, addr } => {
            let has = |way| !without.contains(&way);
            let lists =
                Lists { maps: has(Way::Maps), months: has(Way::Months), sections: has(Way::Sections) };
            let site = ArchivedSite::new(lists);
            serve(site, addr, &[site.seed()]).await
        }
        Command::Gold { world } => {
            let mut out = std::io::stdout().lock();
            match world.placed {
                true => serde_json::to_writer_pretty(&mut out, world.generate_placed().gold()),
                false => serde_json::to_writer_pretty(&mut out, world.generate().gold()),
            }
            .context("cannot print the gold")?;
            writeln!(out)?;
            Ok(())
        }
        Command::Living(args) if args.addr.is_some() => args.serve().await,
        Command::Living(args) => match args.show(&mut std::io::stdout().lock()) {
            // the reader has seen enough
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
            printed => printed.context("cannot print the world"),
        },
    }
}

impl LivingArgs {
    fn generate(&self) -> LivingWorld {
        LivingWorld::generate(&LivingSpec {
            world: self.world,
            sites: self.sites,
            days: self.days,
            mishaps: self.mishaps,
            ..LivingSpec::default()
        })
    }

    /// Milliseconds since 1970.
    fn at_ms(&self, world: &LivingWorld) -> u64 {
        world.start().saturating_add_signed((self.at * clock::DAY as f64) as i64)
    }

    async fn serve(&self) -> anyhow::Result<()> {
        let world = self.generate();
        let (from_ms, seeds) = (self.at_ms(&world), world.seeds());
        let now_ms =
            SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |passed| passed.as_millis() as i64);
        let ahead = (from_ms as i64 - now_ms) / 1_000;
        writeln!(std::io::stdout().lock(), "the world's time: FAKETIME={ahead:+}")?;
        let addr = self.addr.context("no address was given")?;
        serve(Going { world, from_ms, since: Instant::now() }, addr, &seeds).await
    }

    fn show(&self, out: &mut impl std::io::Write) -> std::io::Result<()> {
        let world = self.generate();
        let Some(page) = &self.page else {
            for site in world.sites() {
                writeln!(out, "{site}")?;
            }
            return Ok(());
        };
        let at_ms = self.at_ms(&world);
        let path = &page[url::Position::BeforePath..url::Position::AfterQuery];
        match world.answer(&Ask::plain(page.host_str().unwrap_or_default(), path), at_ms) {
            Answer::Timeout => writeln!(out, "no answer"),
            Answer::Reply(Reply { status, headers, body, .. }) => {
                writeln!(out, "{status}")?;
                for (name, value) in headers {
                    writeln!(out, "{name}: {value}")?;
                }
                writeln!(out)?;
                out.write_all(&body)
            }
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
