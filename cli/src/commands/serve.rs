//! `newslode serve`: serves the console until it is told to stop.

use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use newslode_common::config::Config;
use newslode_common::shutdown;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use super::taxonomy::installation;
use crate::args::ServeArgs;
use crate::console::{self, Source};
use crate::exit::{Exit, Hinted, hinted};
use crate::{engine, out, served};

pub(crate) async fn run(args: ServeArgs, config: &Config) -> anyhow::Result<Exit> {
    let listener = TcpListener::bind(args.addr).await.map_err(|error| unbound(args.addr, &error))?;
    let source = source(args.dir.as_deref(), config).await?;
    let mut waiter = JoinSet::new();
    let stop = shutdown::on_signal(&mut waiter, || std::process::abort())?;
    let addr = listener.local_addr()?;
    out::line(format!("console of {}: http://{addr}/ (Ctrl-C stops it)", source.name))?;
    if !addr.ip().is_loopback() {
        tracing::warn!("everybody who can reach {addr} can read everything that was mined");
    }
    console::serve(source, listener, Duration::from_secs(args.renew), stop).await?;
    Ok(Exit::Done)
}

/// Where the console reads.
async fn source(dir: Option<&Path>, config: &Config) -> anyhow::Result<Source> {
    let parts = installation(dir, config).await.map_err(|error| held(dir, error))?;
    let (name, broker) = match dir {
        Some(folder) => (folder.display().to_string(), None),
        // The console is of use without queues, too.
        None => {
            let broker = served::broker(config).await;
            let broker = broker.inspect_err(|error| tracing::warn!("no queues are shown: {error:#}"));
            ("the services".into(), broker.ok())
        }
    };
    Ok(Source { name, parts, broker })
}

/// An error with what to do if another process holds the run.
fn held(dir: Option<&Path>, error: anyhow::Error) -> anyhow::Error {
    let Some(folder) = dir.filter(|_| !error.is::<Hinted>()) else { return error };
    let report = engine::report_file(folder);
    hinted(
        format!("{error:#}"),
        format!(
            "a run's file is open in one process at a time: wait for `newslode mine` to end, or stop it with Ctrl-C (it \
             continues later where it stopped); `{}` is what its last end looked like",
            report.display()
        ),
    )
}

fn unbound(addr: SocketAddr, error: &std::io::Error) -> anyhow::Error {
    let hint = match error.kind() {
        std::io::ErrorKind::AddrInUse => {
            "another program serves there: stop it, or name another port, as in `--addr \
                                          127.0.0.1:8081` (port 0 takes any free one)"
        }
        std::io::ErrorKind::PermissionDenied => "ports below 1024 are kept for root: name a higher one",
        _ => "name an address of this machine, as in `--addr 127.0.0.1:8080`",
    };
    hinted(format!("cannot serve at {addr}: {error}"), hint)
}
