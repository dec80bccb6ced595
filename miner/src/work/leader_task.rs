//! A background task of the leader, which computes a value of the store again now and then, beside the folds.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use newslode_page::reading::Site;
use tokio::task::JoinSet;

use crate::mining::summary::SiteSummary;
use crate::work::fold::LastFold;

/// A task that runs again and again, never twice at once.
pub(super) struct LeaderTask {
    interval: Duration,
    last_start: Option<Instant>,
    /// The sites of the last run.
    last_sites: Vec<Arc<SiteSummary>>,
    running: JoinSet<()>,
}

impl LeaderTask {
    /// A task that runs every so many seconds; 0: never.
    pub(super) fn new(interval_s: u64) -> LeaderTask {
        LeaderTask {
            interval: Duration::from_secs(interval_s),
            last_start: None,
            last_sites: Vec::new(),
            running: JoinSet::new(),
        }
    }

    /// Starts the next run if there are concepts and the interval is over. After a site was removed it starts at once, since
    /// nothing of that site may stay in the value.
    pub(super) fn start_if_due<W>(&mut self, last: &LastFold, work: impl FnOnce(LastFold) -> W)
    where
        W: Future<Output = ()> + Send + 'static,
    {
        while self.running.try_join_next().is_some() {}
        let is_late = self.last_start.is_none_or(|start| start.elapsed() >= self.interval);
        let sites: BTreeSet<&Site> = last.sites.iter().map(|site| &site.site).collect();
        let is_due = is_late || self.last_sites.iter().any(|site| !sites.contains(&site.site));
        if self.interval.is_zero() || !is_due || !self.running.is_empty() || last.taxonomy.concepts.is_empty()
        {
            return;
        }
        (self.last_start, self.last_sites) = (Some(Instant::now()), last.sites.clone());
        self.running.spawn(work(last.clone()));
    }

    /// Aborts the run under way. Each value is written as a whole, so none is left half done.
    pub(super) async fn stop(&mut self) {
        self.running.shutdown().await;
        self.last_start = None;
    }
}
