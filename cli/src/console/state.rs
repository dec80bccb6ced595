//! What all requests to a console share: its source, what was read last, and who may change things.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::FromRequestParts;
use axum::http::request;
use newslode_page::reading::Site;
use tokio::sync::{Mutex, Notify, Semaphore, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::answer::{PageProblem, Problem};
use super::api::lines::ArticleLines;
use super::reading::SnapshotStatus;
use super::snapshot::Snapshot;
use super::source::Source;
use super::writing::access::{Access, Visitor};
use super::writing::notices::Notices;
use crate::outputs;

/// A request waits this long for the first snapshot.
const FIRST_LOOK: Duration = Duration::from_secs(3);

/// What all requests share.
pub(super) struct Console {
    pub(super) source: Arc<Source>,
    pub(super) addr: SocketAddr,
    pub(super) read: watch::Receiver<SnapshotStatus>,
    pub(super) access: Access,
    pub(super) notices: Notices,
    /// Asks for a new snapshot now.
    pub(super) look: Arc<Notify>,
    /// The tasks that read sites again, and those that serve listeners.
    pub(super) work: TaskTracker,
    /// Held by the task that reads a site again: one at a time.
    pub(super) turn: Arc<Mutex<()>>,
    /// Limits the number of listeners to new articles.
    pub(super) listeners: Arc<Semaphore>,
    pub(super) lines: ArticleLines,
    pub(super) stop: CancellationToken,
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
        let Some(run) = &self.source.run else {
            let seconds = self.source.config.miner.views_s;
            return format!("Running miners read its articles again within about {seconds} s.");
        };
        let (source, folder, look) = (self.source.clone(), run.folder.clone(), self.look.clone());
        let (turn, stop) = (self.turn.clone(), self.stop.clone());
        self.work.spawn(async move {
            let _turn = turn.lock().await;
            match outputs::read_again(&source.parts, &site, Some(&folder), &source.config, &stop).await {
                Ok(done) => tracing::info!(%site, "taught: {done}"),
                Err(error) => tracing::warn!(%site, "its articles cannot be read again: {error:#}"),
            }
            look.notify_one();
        });
        "Its articles are read again now; load this page again in a moment.".to_owned()
    }

    /// Why the last snapshot failed, if it did.
    pub(super) fn failure(&self) -> Option<String> {
        self.read.borrow().failure.clone()
    }
}

impl FromRequestParts<Arc<Console>> for Visitor {
    type Rejection = PageProblem;

    async fn from_request_parts(
        parts: &mut request::Parts,
        console: &Arc<Console>,
    ) -> Result<Visitor, PageProblem> {
        Ok(console.access.visitor(&parts.headers))
    }
}
