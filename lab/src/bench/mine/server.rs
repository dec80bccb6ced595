//! Starts a Redis server for the benchmark, on a free port of loopback, with its files in a given folder.
//!
//! The server writes an append-only file, synced every second. Dropping the value stops it.

use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use newslode::exit::hinted;
use newslode_common::config::{Secret, StoreConfig};
use newslode_common::store::redis::RedisStore;

/// Maximum wait for the server's first answer.
const START: Duration = Duration::from_secs(20);

/// A server and a store in it.
pub(crate) struct Server {
    pub(crate) store: RedisStore,
    config: StoreConfig,
    process: Option<Child>,
}

impl Server {
    /// Starts a server with its files in a folder.
    pub(crate) async fn start(folder: &Path) -> anyhow::Result<Server> {
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let mut process = Command::new("redis-server")
            .args(["--bind", "127.0.0.1", "--port", &port.to_string(), "--save", "", "--appendonly", "yes"])
            .args(["--hash-max-listpack-entries", "512", "--hash-max-listpack-value", "256"])
            .args(["--appendfsync", "everysec", "--loglevel", "warning", "--dir"])
            .arg(folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .map_err(|error| {
                hinted(
                    format!("cannot start `redis-server`: {error}"),
                    "install Redis 7 or later, name a server with --redis URL, or measure only --store redb",
                )
            })?;
        let begun = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            if process.try_wait()?.is_some() || begun.elapsed() > START {
                process.kill().ok();
                bail!("the Redis server did not come up on port {port}");
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        let mut server = Server::at(&format!("redis://127.0.0.1:{port}/0")).await;
        if let Ok(server) = &mut server {
            server.process = Some(process);
        } else {
            process.kill().ok();
        }
        server
    }

    /// Uses a running server; the benchmark's keys get a prefix of their own.
    pub(crate) async fn at(url: &str) -> anyhow::Result<Server> {
        let prefix = format!("newslode-bench-{}", std::process::id());
        let config = StoreConfig { url: Secret::new(url), prefix, timeout_ms: 60_000 };
        let store = RedisStore::connect(&config).await.context("cannot use the Redis server")?;
        Ok(Server { store, config, process: None })
    }

    /// How to reach it.
    pub(crate) fn config(&self) -> &StoreConfig {
        &self.config
    }

    /// Another store in the same server, with a connection of its own.
    pub(crate) async fn another(&self) -> anyhow::Result<RedisStore> {
        RedisStore::connect(&self.config).await.context("cannot use the Redis server")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(mut process) = self.process.take() {
            process.kill().ok();
            process.wait().ok();
        }
    }
}
