//! What all requests to a console share: its source, what was read last, and who may change things.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::FromRequestParts;
use axum::http::{header, request};
use newslode_common::telemetry::metrics::Metrics;
use newslode_common::version::ContentHash;
use newslode_page::reading::Site;
use tokio::sync::{Mutex, Notify, Semaphore, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::access::origin::{Client, Origin};
use super::access::{Access, Caller, Visitor};
use super::answer::{PageProblem, Problem};
use super::api::lines::ArticleLines;
use super::follows::FollowsStore;
use super::oidc::Oidc;
use super::page_texts::PageTexts;
use super::reading::SnapshotStatus;
use super::shares::{Budget, Shares};
use super::snapshot::Snapshot;
use super::source::Source;
use super::writing::notices::Notices;
use crate::control::Change;
use crate::queries::audit::{AuditLog, Deed};

/// A request waits this long for the first snapshot.
const FIRST_LOOK: Duration = Duration::from_secs(3);

/// What all requests share.
pub(super) struct Console {
    pub(super) source: Arc<Source>,
    pub(super) read: watch::Receiver<SnapshotStatus>,
    pub(super) access: Arc<Access>,
    /// The identity provider through which people sign in.
    pub(super) oidc: Option<Oidc>,
    pub(super) metrics: Arc<Metrics>,
    pub(super) audit: AuditLog,
    pub(super) follows: FollowsStore,
    pub(super) notices: Notices,
    /// Asks for a new snapshot now.
    pub(super) look: Arc<Notify>,
    /// The tasks that read sites again, and those that serve listeners.
    pub(super) work: TaskTracker,
    /// Held by the task that reads a site again: one at a time.
    pub(super) turn: Arc<Mutex<()>>,
    /// Held while it is counted how many articles a correction moves: one at a time.
    pub(super) counting: Arc<Mutex<()>>,
    /// Limits the number of listeners to new articles, in all and for a client.
    pub(super) listeners: Arc<Semaphore>,
    pub(super) listening: Arc<Shares>,
    /// Limits the requests of a client at once.
    pub(super) requests: Arc<Shares>,
    /// Limits the requests at once that read.
    pub(super) reading: Semaphore,
    /// The memory of answers that were not read yet.
    pub(super) budget: Budget,
    pub(super) lines: ArticleLines,
    pub(super) page_texts: PageTexts,
    pub(super) stop: CancellationToken,
}

/// Which kind of credential was wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Guess {
    /// A token, or the secret of the one-time address.
    Token,
    /// What came back from the identity provider.
    SignIn,
}

impl Console {
    /// The newest snapshot; waits a little for the first one.
    pub(super) async fn snapshot(&self) -> Result<Arc<Snapshot>, Problem> {
        let mut read = self.read.clone();
        let first = read.wait_for(|read| read.snapshot.is_some() || read.failure.is_some());
        let read = match tokio::time::timeout(FIRST_LOOK, first).await {
            Ok(Ok(read)) => read.clone(),
            _ => self.read.borrow().clone(),
        };
        match (read.snapshot, read.failure) {
            (Some(snapshot), _) => Ok(snapshot),
            (None, Some(failure)) => Err(Problem::away(&failure)),
            (None, None) => Err(Problem::reading(read.articles)),
        }
    }

    /// Asks for a new snapshot, because something was changed.
    pub(super) fn look_again(&self) {
        self.look.notify_one();
    }

    /// Has a site's articles read again with what it was taught. Returns a sentence that says when that is done.
    pub(super) fn read_again(&self, site: Site) -> String {
        if self.source.run.is_none() {
            let seconds = self.source.config.miner.views_s;
            return format!("Running miners read its articles again within about {seconds} s.");
        }
        let (source, look, turn) = (self.source.clone(), self.look.clone(), self.turn.clone());
        self.work.spawn(async move {
            let _turn = turn.lock().await;
            match source.change(Change::ReadAgain(site.clone())).await {
                Ok(done) => tracing::info!(%site, "taught: {done}"),
                Err(error) => tracing::warn!(%site, "its articles cannot be read again: {error:#}"),
            }
            look.notify_one();
        });
        "Its articles are read again now; load this page again in a moment.".to_owned()
    }

    /// Writes what a caller did to the audit log.
    pub(super) async fn did(&self, caller: &Caller, did: Deed, about: &str) {
        self.audit.add(caller.name(), &caller.origin.client.to_string(), did, about).await;
    }

    /// Waits as long as the answer to a wrong credential must.
    pub(super) async fn wait_after_wrong_guess(&self, origin: Origin, guess: Guess, what: &str) {
        let (wrong, wait) = self.access.guessed_wrong(origin.client);
        self.refused(match guess {
            Guess::Token => "token",
            Guess::SignIn => "sign_in",
        });
        self.metrics.brake_seconds.inc_by(wait.as_secs_f64());
        // So many records tell of an attack, and do not fill a disk.
        if wrong.is_power_of_two() {
            let about = format!("{what}, number {wrong} from there");
            self.audit.add("nobody", &origin.client.to_string(), Deed::Refused, &about).await;
        }
        tokio::time::sleep(wait).await;
    }

    /// Counts something that was refused.
    pub(super) fn refused(&self, what: &str) {
        self.metrics.console_refused.with_label_values(&[what]).inc();
    }

    /// Why the last snapshot failed, if it did.
    pub(super) fn failure(&self) -> Option<String> {
        self.read.borrow().failure.clone()
    }
}

/// Who sends a request, as the guard found it.
pub(super) fn caller_of(parts: &request::Parts) -> Result<Arc<Caller>, Problem> {
    let caller = parts.extensions.get::<Arc<Caller>>().cloned();
    caller.ok_or_else(|| Problem::away(&"the request did not pass the guard"))
}

/// The console's address as a client wrote it, without a slash at its end; empty if the client came over a socket.
#[derive(Clone, Debug)]
pub(super) struct ConsoleAddress(String);

impl ConsoleAddress {
    fn of(parts: &request::Parts) -> Result<ConsoleAddress, Problem> {
        let origin = caller_of(parts)?.origin;
        // The guard lets no other host pass than the console's own.
        let host = parts.headers.get(header::HOST).and_then(|host| host.to_str().ok());
        let scheme = if origin.is_encrypted { "https" } else { "http" };
        let address = host.filter(|_| !matches!(origin.client, Client::Socket));
        Ok(ConsoleAddress(address.map(|host| format!("{scheme}://{host}")).unwrap_or_default()))
    }

    /// The address of what is at this path of the console.
    pub(super) fn at(&self, path: &str) -> String {
        format!("{}{path}", self.0)
    }

    /// A line of an article with the address of its page in the console as the last key, `console`.
    pub(super) fn add_to(&self, line: &str, id: ContentHash) -> String {
        let address = serde_json::Value::String(self.at(&format!("/articles/{id}")));
        let keys = line.strip_suffix('}').unwrap_or(line);
        format!("{keys},\"console\":{address}}}")
    }
}

impl FromRequestParts<Arc<Console>> for ConsoleAddress {
    type Rejection = PageProblem;

    async fn from_request_parts(
        parts: &mut request::Parts,
        _console: &Arc<Console>,
    ) -> Result<ConsoleAddress, PageProblem> {
        Ok(ConsoleAddress::of(parts)?)
    }
}

impl FromRequestParts<Arc<Console>> for Visitor {
    type Rejection = PageProblem;

    async fn from_request_parts(
        parts: &mut request::Parts,
        _console: &Arc<Console>,
    ) -> Result<Visitor, PageProblem> {
        Ok(caller_of(parts)?.visitor())
    }
}
