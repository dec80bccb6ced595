//! How commands that change a run reach the process that holds it.
//!
//! One process writes a run's file. While it is `mine` or `watch`, it takes changes at a Unix socket in the run's folder, which
//! only its owner may open: seeds, what sites are taught, and what editors correct. Everything else is read from the file itself. A change is
//! answered once it is on the disk. Start at [`apply`] and [`serve`].

use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::StatusCode;
use axum::routing::post;
use newslode_common::config::Config;
use newslode_common::listen::connections::{Connections, Limits};
use newslode_common::listen::{self, Listener, Serving};
use newslode_common::message::seed::{SeedError, SeedMessage};
use newslode_common::store::{SiteSettings, StoreError};
use newslode_miner::work::parts::Parts;
use newslode_miner::work::seeds::apply_seed;
use newslode_page::reading::Site;
use serde::{Deserialize, Serialize};
use tokio::net::UnixListener;
use tokio_util::sync::CancellationToken;

use crate::correcting::TaxonomyChange;
use crate::engine;
use crate::exit::{Hinted, hinted};
use crate::installation::{self, Target};
use crate::outputs::{read_again, write_outputs};
use crate::teaching::Lesson;

/// The socket's name in a run's folder.
const SOCKET: &str = "newslode.sock";
/// Largest change: a page with its correction, as JSON.
const MOST_BYTES: usize = 64 << 20;
/// An answer is waited for this long: after a lesson, all articles of its site are read again.
const TIMEOUT: Duration = Duration::from_secs(600);
/// A command waits this long for another one that holds the run for the moment.
const HELD_FOR_THE_MOMENT: Duration = Duration::from_secs(30);
const RETRY_EVERY: Duration = Duration::from_millis(100);
/// Most connections at once.
const LIMITS: Limits = Limits { most: 64, most_of_peer: 64, most_fresh_of_peer: 64 };

/// A change of a run.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Change {
    /// Sites to add, pause or remove, and pages to forget.
    Seeds(Vec<SeedMessage>),
    /// The settings of a site that is known.
    Settings { site: Site, settings: SiteSettings },
    /// What a site is taught.
    Lesson(Lesson),
    /// What editors correct in the taxonomy; the run's files are written.
    Correct(TaxonomyChange),
    /// The articles of a site are read again with what it was taught, and the run's files are written.
    ReadAgain(Site),
}

/// Why a change was refused.
#[derive(Debug, Serialize, Deserialize)]
struct Refusal {
    message: String,
    hint: Option<String>,
}

/// Applies a change, and says in a sentence what it did. If a process holds the run, that process applies it; otherwise this
/// one opens the run for the moment.
///
/// # Errors
/// When the change is refused, or the run cannot be opened.
pub(crate) async fn apply(target: &Target, change: Change, config: &Config) -> anyhow::Result<String> {
    let begun = Instant::now();
    let parts = loop {
        if let Some(folder) = target.folder()
            && let Some(done) = send(folder, &change).await?
        {
            return Ok(done);
        }
        match installation::open_to_change(target, config).await {
            Ok(parts) => break parts,
            // Another command may hold it for the moment, as we do below.
            Err(error) if is_in_use(&error) && begun.elapsed() < HELD_FOR_THE_MOMENT => {
                tokio::time::sleep(RETRY_EVERY).await;
            }
            Err(error) => return Err(error),
        }
    };
    let folder = target.folder().map(Path::to_path_buf);
    let control = Control { parts, config: config.clone(), folder, stop: CancellationToken::new() };
    control.make(change).await
}

fn is_in_use(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| matches!(cause.downcast_ref::<StoreError>(), Some(StoreError::InUse(_))))
}

/// Sends a change to the process that holds the run in a folder. Returns what it did; `None` if no process takes changes there.
async fn send(folder: &Path, change: &Change) -> anyhow::Result<Option<String>> {
    let socket = folder.join(SOCKET);
    if tokio::net::UnixStream::connect(&socket).await.is_err() {
        return Ok(None);
    }
    let cannot = || format!("the process that works on `{}` does not answer", folder.display());
    newslode_common::tls::ready();
    let client = reqwest::Client::builder().unix_socket(socket.as_path()).timeout(TIMEOUT).build()?;
    let body = serde_json::to_vec(change)?;
    let answer = client.post("http://localhost/change").body(body).send().await.with_context(cannot)?;
    let is_done = answer.status().is_success();
    let said = answer.bytes().await.with_context(cannot)?;
    if is_done {
        return Ok(Some(String::from_utf8_lossy(&said).into_owned()));
    }
    let refusal: Refusal = serde_json::from_slice(&said).with_context(cannot)?;
    Err(match refusal.hint {
        Some(hint) => hinted(refusal.message, hint),
        None => anyhow::Error::msg(refusal.message),
    })
}

/// What takes changes: a run that this process holds, or the services' stores.
pub(crate) struct Control {
    pub(crate) parts: Parts,
    pub(crate) config: Config,
    /// The run's folder.
    pub(crate) folder: Option<PathBuf>,
    /// Ends long work.
    pub(crate) stop: CancellationToken,
}

/// Takes changes of the run in a folder until the control's stop. Where no socket can be made, none are taken, and the log says
/// why.
pub(crate) async fn serve(control: Control, folder: &Path) {
    let file = folder.join(SOCKET);
    let listener = match bind_socket(&file) {
        Ok(listener) => Listener::Socket(listener, file),
        Err(error) => {
            tracing::warn!("commands cannot change this run while it works: {error:#}");
            return;
        }
    };
    let stop = control.stop.clone();
    let dropped = control.parts.metrics.connections_dropped.with_label_values(&["control"]);
    let connections = Arc::new(Connections::new(LIMITS, dropped));
    let router = Router::new()
        .route("/change", post(take))
        .layer(DefaultBodyLimit::max(MOST_BYTES))
        .with_state(Arc::new(control));
    let serving = Arc::new(Serving { router, is_proxy: Box::new(|_| false), connections, stop });
    listen::serve(serving, listener).await;
}

async fn take(State(control): State<Arc<Control>>, body: Bytes) -> (StatusCode, Vec<u8>) {
    let made = match serde_json::from_slice(&body) {
        Ok(change) => control.make(change).await,
        Err(error) => Err(hinted(
            format!("this change is not understood: {error}"),
            "use the version of newslode that works on the run",
        )),
    };
    match made {
        Ok(said) => (StatusCode::OK, said.into_bytes()),
        Err(error) => {
            let hint = error.downcast_ref::<Hinted>().map(|hinted| hinted.hint.clone());
            let refusal = Refusal { message: format!("{error:#}"), hint };
            (StatusCode::CONFLICT, serde_json::to_vec(&refusal).unwrap_or_default())
        }
    }
}

impl Control {
    /// Applies a change, and says in a sentence what it did.
    ///
    /// # Errors
    /// When the change is refused, or a store fails.
    pub(crate) async fn make(&self, change: Change) -> anyhow::Result<String> {
        let Control { parts, config, folder, stop } = self;
        match change {
            Change::Seeds(messages) => {
                let wrong =
                    |error: SeedError| hinted(error.to_string(), "a seed looks like https://www.example.com");
                let commands = messages.into_iter().map(|message| message.command().map_err(wrong));
                let commands = commands.collect::<anyhow::Result<Vec<_>>>()?;
                let count = commands.len();
                for command in commands {
                    apply_seed(parts, &config.miner, command, parts.clock.now()).await?;
                }
                Ok(format!("{count} done"))
            }
            Change::Settings { site, settings } => {
                parts.stores.frontier.put_site(&site, &settings).await?;
                Ok("done".to_owned())
            }
            Change::Lesson(lesson) => Ok(format!("{} corrected pages known", lesson.keep(parts).await?)),
            Change::Correct(change) => {
                let said = change.keep(parts).await?;
                match folder {
                    Some(folder) if engine::output_files(folder).0.exists() => {
                        let written = write_outputs(parts, folder, false).await?;
                        Ok(format!("{said}; {} articles written anew", written.articles))
                    }
                    _ => Ok(said),
                }
            }
            Change::ReadAgain(site) => read_again(parts, &site, folder.as_deref(), config, stop).await,
        }
    }
}

/// Binds a Unix socket that only its owner may open, in place of one that a process before us left.
///
/// # Errors
/// When another process serves there, or the socket cannot be made.
pub(crate) fn bind_socket(file: &Path) -> anyhow::Result<UnixListener> {
    let cannot = || format!("cannot serve at the socket `{}`", file.display());
    if std::os::unix::net::UnixStream::connect(file).is_ok() {
        return Err(hinted(cannot(), "another program serves there: stop it, or name another file"));
    }
    match std::fs::symlink_metadata(file) {
        Ok(metadata) if !metadata.file_type().is_socket() => {
            return Err(hinted(cannot(), "something else has this name: remove it, or name another file"));
        }
        _ => {}
    }
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Nobody else reaches the socket in this folder before its mode is set.
    let hidden = tempfile::tempdir_in(folder).with_context(cannot)?;
    let fresh = hidden.path().join("s");
    let listener = UnixListener::bind(&fresh).with_context(cannot)?;
    std::fs::set_permissions(&fresh, std::fs::Permissions::from_mode(0o600)).with_context(cannot)?;
    std::fs::rename(&fresh, file).with_context(cannot)?;
    Ok(listener)
}
