//! The server of recorded sites, in a process of its own.

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::Context as _;
use newslode::out;
use newslode_newsworld::{Content, Replay, Reply, Server};
use serde::{Deserialize, Serialize};

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
pub(super) struct Web {
    process: Child,
    said: BufReader<ChildStdout>,
    pub(super) port: u16,
    pub(super) seeds: Vec<String>,
}

impl Web {
    pub(super) fn start(folder: &Path) -> anyhow::Result<Web> {
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

    pub(super) fn stop(&mut self) -> anyhow::Result<Served> {
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
}
