//! `newslode serve`: serves the console until it is told to stop.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use newslode_common::config::Config;
use newslode_common::listen::Listener;
use newslode_common::shutdown;
use newslode_common::telemetry::admin::{Admin, Ready};
use newslode_common::telemetry::metrics::Metrics;
use newslode_common::time::now;
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use url::Url;

use crate::args::{ConsoleArgs, OidcArgs, ServeArgs};
use crate::console::access::{AccessOptions, ONE_TIME, OneTimeSecret};
use crate::console::followed::Followed;
use crate::console::oidc::{CALLBACK, OidcOptions, is_issuer, read_client_secret};
use crate::console::tls::Certificates;
use crate::console::{self, Options, Run, Source};
use crate::control::bind_socket;
use crate::exit::{Exit, hinted};
use crate::installation::{self, Setup, Target};
use crate::queries::tokens::{Role, TokenStore, random_secret, read_token_file, write_private};
use crate::{engine, out, services};

/// The address if none is named.
const USUAL_ADDR: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8080);
/// The one-time address's file in a run's folder, and its name elsewhere.
const SIGN_IN_FILE: &str = "console-sign-in";
const SIGN_IN_OF_SERVICES: &str = "newslode-sign-in";

pub(crate) async fn run(args: ServeArgs, setup: &Setup) -> anyhow::Result<Exit> {
    let console = BoundConsole::bind(&args.console).await?;
    let source = open_source(&args.run.target(setup), &setup.config).await?;
    let mut waiter = JoinSet::new();
    let stop = shutdown::on_signal(&mut waiter, || std::process::abort())?;
    console.serve(source, &args.console, Metrics::new()?, stop).await?;
    Ok(Exit::Done)
}

/// A console whose addresses are taken, so that one that is in use is told before anything else is done.
pub(super) struct BoundConsole {
    listeners: Vec<Listener>,
    /// The address of the first listener.
    addr: Option<SocketAddr>,
    tls: Option<Certificates>,
    token: Option<(String, Followed<String>)>,
}

impl BoundConsole {
    /// Takes the addresses that the arguments name.
    ///
    /// # Errors
    /// When an address cannot be taken, or a file that the arguments name cannot be used.
    pub(super) async fn bind(args: &ConsoleArgs) -> anyhow::Result<BoundConsole> {
        let token = args.token_file.clone().map(follow_token).transpose()?;
        let tls = args.tls_cert.clone().zip(args.tls_key.clone());
        let tls = tls.map(|(cert, key)| Certificates::read(cert, key)).transpose()?;
        let (mut listeners, mut addr) = (Vec::new(), None);
        if let Some(wanted) = args.addr.or(args.socket.is_none().then_some(USUAL_ADDR)) {
            let listener = TcpListener::bind(wanted).await.map_err(|error| bind_error(wanted, &error))?;
            addr = Some(listener.local_addr()?);
            listeners.push(Listener::Tcp(listener, tls.as_ref().map(Certificates::newest)));
        }
        if let Some(file) = &args.socket {
            listeners.push(Listener::Socket(bind_socket(file)?, file.clone()));
        }
        Ok(BoundConsole { listeners, addr, tls, token })
    }

    /// Serves what the source holds until `stop`, and says where.
    ///
    /// # Errors
    /// When the arguments contradict each other, or the console cannot be started.
    pub(super) async fn serve(
        self,
        source: Source,
        args: &ConsoleArgs,
        metrics: Arc<Metrics>,
        stop: CancellationToken,
    ) -> anyhow::Result<()> {
        let BoundConsole { listeners, addr, tls, token } = self;
        let (token, token_file) = token.unzip();
        let is_encrypted = tls.is_some();
        let mut hosts = args.host.clone();
        let tokens = match &source.run {
            Some(run) => TokenStore::Folder(run.folder.clone()),
            None => TokenStore::Services(source.parts.stores.state.clone()),
        };
        let scheme = if is_encrypted { "https" } else { "http" };
        let oidc = match &args.oidc.oidc_issuer {
            Some(issuer) => {
                let public = public_address(args, addr, scheme)?;
                hosts.extend(args.oidc.public_url.as_ref().and_then(|url| url.host_str().map(str::to_owned)));
                Some(oidc_options(&args.oidc, issuer, &public)?)
            }
            None => None,
        };
        let places = addr.map(|addr| format!("{scheme}://{addr}/")).into_iter();
        let places = places.chain(args.socket.as_ref().map(|file| format!("the socket {}", file.display())));
        let places: Vec<String> = places.collect();
        out::line(format!("console of {}: {} (Ctrl-C stops it)", source.name, places.join(" and ")))?;
        if let Some(oidc) = &oidc {
            out::line(format!("sign-in through {}, which leads back to {}", oidc.issuer, oidc.redirect))?;
        }
        let is_private = is_encrypted || !args.trusted_proxy.is_empty();
        warn_of_readers(addr, args.require_token, is_private);
        let has_writers = oidc.as_ref().is_some_and(|oidc| !oidc.write.is_empty());
        let may_anybody_write = token.is_some() || has_writers || has_writer(&tokens).await?;
        let one_time = match addr {
            Some(addr) if !may_anybody_write => {
                let place = sign_in_file(args, &source);
                tell_one_time_address(&format!("{scheme}://{}", reachable(addr)), place)?
            }
            _ => None,
        };
        let access = AccessOptions {
            token,
            token_file,
            tokens: Some(tokens),
            hosts,
            proxies: args.trusted_proxy.clone(),
            asks_readers: args.require_token,
            one_time,
        };
        let mut tasks = match args.admin {
            Some(admin) => serve_admin(admin, &source, metrics.clone(), &stop).await?,
            None => JoinSet::new(),
        };
        let options = Options { renew: Duration::from_secs(args.renew), access, oidc, metrics };
        if let Some(tls) = tls {
            let stop = stop.clone();
            tasks.spawn(async move {
                tls.follow(stop).await;
                Ok(())
            });
        }
        console::serve(source, listeners, options, stop).await
    }
}

/// The token of a file, which is read again when it changes.
fn follow_token(file: PathBuf) -> anyhow::Result<(String, Followed<String>)> {
    let files = vec![file.clone()];
    Followed::start("token file", files, move || read_token_file(&file))
}

/// The address by which browsers reach the console.
fn public_address(args: &ConsoleArgs, addr: Option<SocketAddr>, scheme: &str) -> anyhow::Result<Url> {
    let name_it = "name it, as in --public-url https://console.example.org/";
    if let Some(url) = &args.oidc.public_url {
        let is_root = matches!(url.scheme(), "http" | "https") && url.path() == "/" && url.query().is_none();
        if !is_root {
            return Err(hinted(
                format!("`{url}` is not the address of a console, which has no path"),
                name_it,
            ));
        }
        return Ok(url.clone());
    }
    let text = match (args.host.first(), addr) {
        // A proxy serves browsers at the usual port.
        (Some(host), _) if !args.trusted_proxy.is_empty() => format!("https://{host}/"),
        (Some(host), Some(addr)) => format!("{scheme}://{host}:{}/", addr.port()),
        (None, Some(addr)) => format!("{scheme}://{}/", reachable(addr)),
        (_, None) => {
            return Err(hinted("browsers reach this console at an address that it does not know", name_it));
        }
    };
    Url::parse(&text).map_err(|error| hinted(format!("`{text}` is no address: {error}"), name_it))
}

fn oidc_options(args: &OidcArgs, issuer: &str, public: &Url) -> anyhow::Result<OidcOptions> {
    if !Url::parse(issuer).is_ok_and(|url| is_issuer(&url)) {
        return Err(hinted(
            format!("`{issuer}` is not the address of an OpenID Connect provider"),
            "name it with https://, exactly as it names itself, as in --oidc-issuer https://sso.example.org/realms/news",
        ));
    }
    if args.oidc_read.is_empty() && args.oidc_write.is_empty() {
        return Err(hinted(
            "nobody could sign in: no value of the claim gives a role",
            "name a value, as in --oidc-write newslode-editors",
        ));
    }
    if let Some(file) = &args.oidc_client_secret_file {
        read_client_secret(file)?;
    }
    Ok(OidcOptions {
        issuer: issuer.to_owned(),
        client_id: args.oidc_client_id.clone().unwrap_or_default(),
        client_secret_file: args.oidc_client_secret_file.clone(),
        redirect: public.join(CALLBACK)?,
        scopes: args.oidc_scope.clone(),
        claim: args.oidc_claim.clone(),
        read: args.oidc_read.clone(),
        write: args.oidc_write.clone(),
    })
}

/// Serves metrics and health until `stop`, or until the result is dropped.
async fn serve_admin(
    addr: SocketAddr,
    source: &Source,
    metrics: Arc<Metrics>,
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
    tasks.spawn(admin.serve(metrics, ready, stop.clone()));
    Ok(tasks)
}

/// Says who may read what, where that may surprise.
fn warn_of_readers(addr: Option<SocketAddr>, asks_readers: bool, is_private: bool) {
    let Some(addr) = addr.filter(|addr| !addr.ip().is_loopback()) else { return };
    if !asks_readers {
        tracing::warn!(
            "everybody who can reach {addr} can read everything that was mined (see --require-token)"
        );
    }
    if !is_private {
        tracing::warn!(
            "no token is taken from other machines, because plain HTTP shows it to everybody on the way (see --tls-cert and --trusted-proxy)"
        );
    }
}

/// Whether a token lets somebody change things.
async fn has_writer(tokens: &TokenStore) -> anyhow::Result<bool> {
    let now = now();
    let list = tokens.read().await?;
    Ok(list.tokens.iter().any(|token| token.role == Role::Write && token.is_valid(now)))
}

/// An address that browsers on this machine can open.
fn reachable(addr: SocketAddr) -> SocketAddr {
    match addr.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => SocketAddr::new(Ipv4Addr::LOCALHOST.into(), addr.port()),
        IpAddr::V6(ip) if ip.is_unspecified() => SocketAddr::new(Ipv6Addr::LOCALHOST.into(), addr.port()),
        _ => addr,
    }
}

/// The file that tells the one-time address to those who may read it.
fn sign_in_file(args: &ConsoleArgs, source: &Source) -> Option<PathBuf> {
    let of_run = || source.run.as_ref().map(|run| run.folder.join(SIGN_IN_FILE));
    let of_services = || Some(PathBuf::from(std::env::var_os("XDG_RUNTIME_DIR")?).join(SIGN_IN_OF_SERVICES));
    args.sign_in_file.clone().or_else(of_run).or_else(of_services)
}

/// Tells the one-time address to the terminal, otherwise through a file. It is never logged.
fn tell_one_time_address(origin: &str, file: Option<PathBuf>) -> anyhow::Result<Option<OneTimeSecret>> {
    let secret = random_secret()?;
    let address = format!("{origin}/session/once/{secret}");
    let minutes = ONE_TIME.as_secs() / 60;
    if out::is_terminal() {
        out::line(format!("sign in to change something (works once, within {minutes} minutes): {address}"))?;
        return Ok(Some(OneTimeSecret { secret, file: None }));
    }
    let Some(file) = file else {
        tracing::warn!(
            "nobody can change anything yet: make a token (newslode token add NAME --role write), or name a file for a one-time \
             address (--sign-in-file FILE)"
        );
        return Ok(None);
    };
    write_private(&file, format!("{address}\n").as_bytes())
        .with_context(|| format!("cannot write the one-time address to `{}`", file.display()))?;
    tracing::info!(
        "the address in `{}` signs in once, within {minutes} minutes, to change something",
        file.display()
    );
    Ok(Some(OneTimeSecret { secret, file: Some(file) }))
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
    let store = engine::open_newest_state(folder)?;
    let parts = installation::parts_of_run(folder, store.clone(), &config)?;
    let run = Some(Run { folder: folder.to_path_buf(), store, is_held: false });
    Ok(Source { name: folder.display().to_string(), parts, run, broker: None, config })
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
