//! What a page costs the whole pipeline in processor time, beside a crawl that only fetches and extracts.
//!
//! Recorded sites are served by a process of its own ([`serve`]), whose time does not count. Each crawl is a process, or
//! three of them ([`services`]), too: its time and that of its children is what the system adds to ours when it has ended.
//! Pages are answers of the server with status 200. Start at [`measure`].

mod processes;
mod services;
mod web;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::Context as _;
use serde::Serialize;

use processes::{Crawled, DELAY_MS, Service, beside, children_seconds};
use web::Web;
pub(crate) use web::{Served, serve};

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
