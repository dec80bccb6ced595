//! `newslode serve`: serves the console until it is told to stop.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use newslode_common::config::Config;
use newslode_common::shutdown;
use newslode_common::telemetry::admin::{Admin, Ready};
use newslode_common::telemetry::metrics::Metrics;
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::args::ServeArgs;
use crate::console::{self, LEAST_TOKEN, Options, Run, Source};
use crate::exit::{Exit, Hinted, hinted};
use crate::installation::{self, Setup, Target};
use crate::{engine, out, services};

pub(crate) async fn run(args: ServeArgs, setup: &Setup) -> anyhow::Result<Exit> {
    let listener = TcpListener::bind(args.addr).await.map_err(|error| bind_error(args.addr, &error))?;
    let token = args.token_file.as_deref().map(read_token).transpose()?;
    let source = open_source(&args.run.target(setup)?, &setup.config).await?;
    let mut waiter = JoinSet::new();
    let stop = shutdown::on_signal(&mut waiter, || std::process::abort())?;
    let addr = listener.local_addr()?;
    out::line(format!("console of {}: http://{addr}/ (Ctrl-C stops it)", source.name))?;
    if !addr.ip().is_loopback() {
        let may = if token.is_some() { "" } else { ", and nobody can change anything (see --token-file)" };
        tracing::warn!("everybody who can reach {addr} can read everything that was mined{may}");
    }
    let _admin = match args.admin {
        Some(admin) => serve_admin(admin, &source, &stop).await?,
        None => JoinSet::new(),
    };
    let options = Options { renew: Duration::from_secs(args.renew), token };
    console::serve(source, listener, options, stop).await?;
    Ok(Exit::Done)
}

/// Serves metrics and health until `stop`, or until the result is dropped.
async fn serve_admin(
    addr: SocketAddr,
    source: &Source,
    stop: &CancellationToken,
) -> anyhow::Result<JoinSet<std::io::Result<()>>> {
    let admin = Admin::bind(addr).await.map_err(|error| bind_error(addr, &error))?;
    out::line(format!("metrics: http://{}/metrics", admin.addr()?))?;
    let state = source.parts.stores.state.clone();
    let ready: Ready = Arc::new(move || {
        let state = state.clone();
        Box::pin(async move { state.ready().await.map_err(|error| error.to_string()) })
    });
    let mut tasks = JoinSet::new();
    tasks.spawn(admin.serve(Metrics::new()?, ready, stop.clone()));
    Ok(tasks)
}

/// Reads the token that changes are asked for.
fn read_token(file: &Path) -> anyhow::Result<String> {
    let text = std::fs::read_to_string(file);
    let text = text.with_context(|| format!("cannot read the token in `{}`", file.display()))?;
    let token = text.trim();
    if token.len() < LEAST_TOKEN {
        return Err(hinted(
            format!("the token in `{}` has fewer than {LEAST_TOKEN} characters", file.display()),
            format!("make one: openssl rand -hex 32 > {}", file.display()),
        ));
    }
    Ok(token.to_owned())
}

/// Where the console reads.
async fn open_source(target: &Target, config: &Config) -> anyhow::Result<Source> {
    let config = config.clone();
    let Target::Run(folder) = target else {
        let parts = installation::open(target, &config).await?;
        // The console is of use without queues, too.
        let broker = services::connect_broker(&config).await;
        let broker = broker.inspect_err(|error| tracing::warn!("no queues are shown: {error:#}")).ok();
        return Ok(Source { name: "the services".into(), parts, run: None, broker, config });
    };
    let store = engine::open_state(folder).map_err(|error| with_hint_if_locked(folder, error))?;
    let shared = Arc::new(store.clone());
    let parts = installation::parts_over((shared.clone(), shared.clone(), shared), &config)?;
    let run = Some(Run { folder: folder.to_path_buf(), store });
    Ok(Source { name: folder.display().to_string(), parts, run, broker: None, config })
}

/// An error with what to do if another process holds the run.
fn with_hint_if_locked(folder: &Path, error: anyhow::Error) -> anyhow::Error {
    if error.is::<Hinted>() {
        return error;
    }
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

fn bind_error(addr: SocketAddr, error: &std::io::Error) -> anyhow::Error {
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
