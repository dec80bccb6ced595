//! What a page costs the whole pipeline in processor time, beside a crawl that only fetches and extracts.
//!
//! Recorded sites are served by a process of its own ([`serve`]), whose time does not count. Each crawl is a process,
//! too: its time and that of its children is what the system adds to ours when it has ended. Pages are answers of
//! the server with status 200. Start at [`measure`].

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::Context as _;
use newslode_newsworld::{Content, Replay, Reply, Server};
use serde::{Deserialize, Serialize};

use crate::exit::hinted;
use crate::out;

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
}

/// The figures.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct PipelineReport {
    /// What `newslode mine` was served, and its processor time a page in milliseconds.
    pub(crate) embedded: Served,
    pub(crate) embedded_cpu_ms: f64,
    /// The same of the peer.
    pub(crate) peer: Option<Served>,
    pub(crate) peer_cpu_ms: Option<f64>,
    /// How many times the peer's time is ours.
    pub(crate) times: Option<f64>,
}

/// Crawls the recorded sites with each.
pub(crate) fn measure(spec: &PipelineSpec, say: &mut dyn FnMut(&str)) -> anyhow::Result<PipelineReport> {
    say("newslode mine");
    let folder = tempfile::tempdir()?;
    let embedded = crawl(&spec.pages, |web| {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("mine").args(&web.seeds).arg("--out").arg(folder.path().join("run"));
        command.args(["--delay", DELAY_MS, "--allow-private", "--resolve"]);
        command.arg(format!("*:127.0.0.1:{}", web.port));
        Ok(command)
    })?;
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
        peer: peer.map(|peer| peer.served),
        peer_cpu_ms: peer.map(|peer| peer.cpu_ms()),
        times: peer.map(|peer| peer.cpu_ms() / embedded.cpu_ms()),
    })
}

/// A crawl that has ended.
#[derive(Clone, Copy)]
struct Crawled {
    served: Served,
    seconds: f64,
}

impl Crawled {
    fn cpu_ms(&self) -> f64 {
        self.seconds * 1_000.0 / self.served.pages.max(1) as f64
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
    let stat = fs::read_to_string("/proc/self/stat")
        .map_err(|error| hinted(format!("cannot read `/proc/self/stat`: {error}"), "run this on Linux"))?;
    // The name of the program may hold anything, but ends with the last parenthesis.
    let fields = stat.rsplit(')').next().unwrap_or_default();
    let mut ticks = fields.split_whitespace().skip(13).map(str::parse::<f64>);
    let (Some(Ok(user)), Some(Ok(system))) = (ticks.next(), ticks.next()) else {
        anyhow::bail!("`/proc/self/stat` is not as expected")
    };
    Ok((user + system) / TICKS)
}

/// The server's first words.
#[derive(Debug, Deserialize, Serialize)]
struct Opened {
    port: u16,
    seeds: Vec<String>,
}

/// The server's last words: how many requests it answered, and how many of them with a page.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
pub(crate) struct Served {
    pub(crate) requests: u64,
    pub(crate) pages: u64,
}

/// The server of the recorded sites.
struct Web {
    process: Child,
    said: BufReader<ChildStdout>,
    port: u16,
    seeds: Vec<String>,
}

impl Web {
    fn start(folder: &Path) -> anyhow::Result<Web> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["bench", "pipeline", "--serve", "--pages"]).arg(folder);
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let said = process.stdout.take().context("the server cannot be heard")?;
        let mut web = Web { process, said: BufReader::new(said), port: 0, seeds: Vec::new() };
        let Opened { port, seeds } = web.hear()?;
        (web.port, web.seeds) = (port, seeds);
        Ok(web)
    }

    fn hear<T: serde::de::DeserializeOwned>(&mut self) -> anyhow::Result<T> {
        let mut line = String::new();
        self.said.read_line(&mut line)?;
        serde_json::from_str(&line).context("the server of recorded sites failed; it said why")
    }

    fn stop(&mut self) -> anyhow::Result<Served> {
        drop(self.process.stdin.take());
        let served = self.hear()?;
        self.process.wait()?;
        Ok(served)
    }
}

impl Drop for Web {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

/// Recorded sites whose links do not leave the server, which speaks plain HTTP.
struct Plain {
    sites: Replay,
    pages: AtomicU64,
}

impl Content for Plain {
    fn respond(&self, host: &str, path_and_query: &str) -> Reply {
        let mut reply = self.sites.respond(host, path_and_query);
        if reply.status == 200 {
            self.pages.fetch_add(1, Ordering::Relaxed);
            reply.body = plain(&reply.body);
        }
        reply
    }
}

/// The bytes with `http:` for `https:` in addresses.
fn plain(body: &[u8]) -> Vec<u8> {
    const SECURE: &[u8] = b"https://";
    let mut out = Vec::with_capacity(body.len());
    let mut rest = body;
    while let Some(at) = rest.windows(SECURE.len()).position(|part| part == SECURE) {
        out.extend_from_slice(&rest[..at]);
        out.extend_from_slice(b"http://");
        rest = &rest[at + SECURE.len()..];
    }
    out.extend_from_slice(rest);
    out
}

/// Serves the recorded sites in a folder until its input ends, and says where and how many.
pub(crate) async fn serve(folder: &Path) -> anyhow::Result<()> {
    let sites = Replay::open(folder).with_context(|| format!("cannot replay `{}`", folder.display()))?;
    let seeds = sites.seeds().to_vec();
    let plain = Arc::new(Plain { sites, pages: AtomicU64::new(0) });
    let server = Server::start(plain.clone(), ([127, 0, 0, 1], 0).into()).await?;
    out::line(serde_json::to_string(&Opened { port: server.addr().port(), seeds })?)?;
    tokio::task::spawn_blocking(|| std::io::stdin().read_to_end(&mut Vec::new())).await??;
    let served = Served { requests: server.requests(), pages: plain.pages.load(Ordering::Relaxed) };
    out::line(serde_json::to_string(&served)?)?;
    server.stop().await;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_become_plain() {
        assert_eq!(plain(b"a https://b https:/c https://"), b"a http://b https:/c http://");
        assert_eq!(plain(b""), b"");
    }

    #[test]
    fn the_time_of_a_child_counts_when_it_has_ended() {
        let before = children_seconds().unwrap();
        let loops = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done";
        assert!(Command::new("sh").args(["-c", loops]).status().unwrap().success());
        assert!(children_seconds().unwrap() > before);
    }
}
