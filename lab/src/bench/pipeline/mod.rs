//! What a page costs the whole pipeline in processor time, beside a crawl that only fetches and extracts.
//!
//! Recorded sites are served by a process of its own ([`serve`]), whose time does not count. Each crawl is a process, or
//! three of them ([`services`]), too: its time and that of its children is what the system adds to ours when it has ended.
//! Pages are answers of the server with status 200. Start at [`measure`].

mod services;
mod web;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::Context as _;
use serde::Serialize;

use newslode::exit::hinted;
use web::Web;
pub(crate) use web::{Served, serve};

/// Ticks of a second in `/proc`; the same on all Linux systems.
const TICKS: f64 = 100.0;
/// Time between two requests to a site, in milliseconds. The server can bear it.
const DELAY_MS: &str = "20";

/// What is measured.
#[derive(Clone, Debug)]
pub(crate) struct PipelineSpec {
    /// Folder of recorded sites.
    pub(crate) pages: PathBuf,
    /// A spider to compare with, and the Python that runs it.
    pub(crate) peer: Option<(PathBuf, PathBuf)>,
    /// A RabbitMQ server, to measure the three services, too.
    pub(crate) rabbitmq: Option<String>,
    /// How many miners share the work.
    pub(crate) miners: usize,
}

/// The processor time of one of the services.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Service {
    pub(crate) name: String,
    /// For each page of the crawl, in milliseconds.
    pub(crate) cpu_ms: f64,
}

/// The figures.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct PipelineReport {
    /// What `newslode mine` was served, and its processor time a page in milliseconds.
    pub(crate) embedded: Served,
    pub(crate) embedded_cpu_ms: f64,
    /// The same of the three services, without the time of RabbitMQ and Redis.
    pub(crate) served: Option<Served>,
    pub(crate) served_cpu_ms: Option<f64>,
    /// Of which each service took; their ends are not included.
    pub(crate) services: Vec<Service>,
    /// The same of the peer.
    pub(crate) peer: Option<Served>,
    pub(crate) peer_cpu_ms: Option<f64>,
    /// How many times the peer's time is that of `newslode mine`.
    pub(crate) times: Option<f64>,
}

/// Crawls the recorded sites with each.
pub(crate) fn measure(spec: &PipelineSpec, say: &mut dyn FnMut(&str)) -> anyhow::Result<PipelineReport> {
    say("newslode mine");
    let folder = tempfile::tempdir()?;
    let embedded = crawl(&spec.pages, |web| {
        let mut command = Command::new(beside("newslode")?);
        command.arg("mine").args(&web.seeds).arg("--out").arg(folder.path().join("run"));
        command.args(["--delay", DELAY_MS, "--allow-private", "--resolve"]);
        command.arg(format!("*:127.0.0.1:{}", web.port));
        Ok(command)
    })?;
    let (served, services) = match &spec.rabbitmq {
        None => (None, Vec::new()),
        Some(url) => {
            say("the services");
            let (crawled, services) = services::crawl(&spec.pages, url, spec.miners)?;
            (Some(crawled), services)
        }
    };
    let peer = match &spec.peer {
        None => None,
        Some((python, spider)) => {
            say(&format!("{}", spider.display()));
            Some(crawl(&spec.pages, |web| {
                let mut command = Command::new(python);
                command.arg(spider).args(["--delay-ms", DELAY_MS, "--proxy"]);
                command.arg(format!("http://127.0.0.1:{}", web.port)).args(&web.seeds);
                Ok(command)
            })?)
        }
    };
    Ok(PipelineReport {
        embedded: embedded.served,
        embedded_cpu_ms: embedded.cpu_ms(),
        served: served.map(|served| served.served),
        served_cpu_ms: served.map(|served| served.cpu_ms()),
        services,
        peer: peer.map(|peer| peer.served),
        peer_cpu_ms: peer.map(|peer| peer.cpu_ms()),
        times: peer.map(|peer| peer.cpu_ms() / embedded.cpu_ms()),
    })
}

/// A program in the folder of this one.
fn beside(name: &str) -> anyhow::Result<PathBuf> {
    let program = std::env::current_exe()?.with_file_name(name);
    if !program.is_file() {
        return Err(hinted(
            format!("there is no `{name}` beside this program"),
            "build the others, too: cargo build --release --workspace",
        ));
    }
    Ok(program)
}

/// A crawl that has ended.
#[derive(Clone, Copy)]
struct Crawled {
    served: Served,
    seconds: f64,
}

impl Crawled {
    fn cpu_ms(&self) -> f64 {
        self.of_a_page(self.seconds)
    }

    /// Milliseconds of a page, if all took so many seconds.
    fn of_a_page(&self, seconds: f64) -> f64 {
        seconds * 1_000.0 / self.served.pages.max(1) as f64
    }
}

/// Runs a crawl of the sites in a folder.
fn crawl(folder: &Path, command: impl FnOnce(&Web) -> anyhow::Result<Command>) -> anyhow::Result<Crawled> {
    let mut web = Web::start(folder)?;
    let mut command = command(&web)?;
    let name = command.get_program().to_string_lossy().into_owned();
    let before = children_seconds()?;
    let output = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).output();
    let output = output.with_context(|| format!("cannot start `{name}`"))?;
    let seconds = children_seconds()? - before;
    let said = String::from_utf8_lossy(&output.stderr);
    let last = said.lines().last().unwrap_or_default();
    anyhow::ensure!(output.status.success(), "`{name}` failed ({}): {last}", output.status);
    let served = web.stop()?;
    anyhow::ensure!(served.pages > 0, "`{name}` got no page");
    Ok(Crawled { served, seconds })
}

/// Processor time of the children of this process that have ended, in seconds.
fn children_seconds() -> anyhow::Result<f64> {
    ticks("self", 13)
}

/// Processor time of a process, in seconds.
fn cpu_seconds(process: u32) -> anyhow::Result<f64> {
    ticks(&process.to_string(), 11)
}

/// The sum of two neighbouring fields of a process's statistics, behind its name, in seconds.
fn ticks(process: &str, at: usize) -> anyhow::Result<f64> {
    let file = format!("/proc/{process}/stat");
    let stat = fs::read_to_string(&file)
        .map_err(|error| hinted(format!("cannot read `{file}`: {error}"), "run this on Linux"))?;
    // The name of the program may hold anything, but ends with the last parenthesis.
    let fields = stat.rsplit(')').next().unwrap_or_default();
    let mut ticks = fields.split_whitespace().skip(at).map(str::parse::<f64>);
    let (Some(Ok(user)), Some(Ok(system))) = (ticks.next(), ticks.next()) else {
        anyhow::bail!("`{file}` is not as expected")
    };
    Ok((user + system) / TICKS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_a_child_counts_when_it_has_ended() {
        let before = children_seconds().unwrap();
        let loops = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done";
        assert!(Command::new("sh").args(["-c", loops]).status().unwrap().success());
        assert!(children_seconds().unwrap() > before);
    }
}
